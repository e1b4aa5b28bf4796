"""Several ways of deciding the same cases, side by side."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from numpy.typing import ArrayLike

from csb.evaluation.metrics import expected_cost, total_cost
from csb.inputs import check_order, read_column, shown

__all__ = ["cost_table"]


def cost_table(
    y_true: ArrayLike,
    decisions: Mapping[str, ArrayLike],
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    pos_label: object = None,
) -> pd.DataFrame:
    """Misses, false alarms and mean cost of several ways of deciding the same cases.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    decisions : mapping of str to array_like of shape (n,)
        What each way of deciding calls the cases, by its name.
    fn_cost, fp_cost : float or array_like of shape (n,)
        Costs of a false negative and of a false positive, of all cases or of each.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: the larger label by default; of two words it must be named.

    Returns
    -------
    DataFrame of shape (n_ways, 3)
        A row for each way, in the order given. ``misses`` and ``false alarms`` count cases, ``mean cost`` is
        in the unit of the costs.

    Raises
    ------
    TypeError
        If ``decisions`` is no mapping.
    ValueError
        If labels or costs are not admissible.

    Examples
    --------
    >>> y = [1, 1, 0, 0, 0]
    >>> cost_table(y, {"call none": [0] * 5, "call three": [1, 1, 1, 0, 0]}, fn_cost=5)
                misses  false alarms  mean cost
    call none        2             0        2.0
    call three       0             1        0.2
    """
    if not isinstance(decisions, Mapping):
        raise TypeError(f"decisions={shown(decisions)}: allowed is a mapping from names to predicted labels")
    costs, rows = {"fn_cost": fn_cost, "fp_cost": fp_cost}, {}
    misses, alarms = {"fn_cost": 1, "fp_cost": 0}, {"fn_cost": 0, "fp_cost": 1}
    named = {f"decisions[{name!r}]": called for name, called in decisions.items()}
    check_order(y_true=y_true, **named, **costs)
    y_true = read_column("y_true", y_true)
    for name, called in decisions.items():
        if len(called := read_column(f"decisions[{name!r}]", called)) != len(y_true):
            raise ValueError(
                f"y_true has {len(y_true)} labels, decisions[{name!r}] {len(called)}: allowed are as many"
            )
        counts = (int(total_cost(y_true, called, **each, pos_label=pos_label)) for each in (misses, alarms))
        rows[name] = *counts, expected_cost(y_true, called, **costs, pos_label=pos_label)
    return pd.DataFrame.from_dict(rows, orient="index", columns=["misses", "false alarms", "mean cost"])
