"""What is at stake in each case: four costs, each a number or an array, and what decisions cost by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csb.costs import check_costs
from csb.inputs import MODERATE, read_array

__all__ = ["Stakes", "check_errors_cost_more", "read_cost", "read_stakes"]


@dataclass(frozen=True)
class Stakes:
    """The four costs.

    Attributes
    ----------
    costs : dict of str to ndarray of shape () or (n,)
        Of a miss, a false alarm, a positive that is found and a negative left alone, by parameter name.
    """

    costs: dict[str, np.ndarray]

    @property
    def per_case(self) -> tuple[str, ...]:
        """Names of the costs that differ from case to case."""
        return tuple(name for name, value in self.costs.items() if value.ndim)

    @property
    def means(self) -> dict[str, float]:
        """The costs as numbers, of those of the cases the mean."""
        return {name: float(value.mean()) for name, value in self.costs.items()}

    @property
    def threshold(self) -> np.ndarray:
        """Probability of the positive class above which it is the cheaper decision, shape () or (n,)."""
        missed, alarm = (
            self.costs[a] - self.costs[b] for a, b in (("fn_cost", "tp_cost"), ("fp_cost", "tn_cost"))
        )
        return alarm / (alarm + missed)

    def at(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The costs of single cases, for these rows, as ``predict`` takes them."""
        return {name: self.costs[name][rows] for name in self.per_case}

    def used(self, rows: np.ndarray) -> Stakes:
        """The stakes of these rows alone."""
        return Stakes(self.costs | self.at(rows))

    def paid(self, positive: np.ndarray, called: np.ndarray) -> np.ndarray:
        """What each decision costs, shape (n,), from which cases are positive and which are called so."""
        fn, fp, tp, tn = self.costs.values()
        return np.where(positive, np.where(called, tp, fn), np.where(called, fp, tn))


def check_errors_cost_more(costs: dict[str, np.ndarray]) -> None:
    """Refuse costs by which a wrong decision is as good as the right one.

    Parameters
    ----------
    costs : dict of str to ndarray of shape () or (n,)
        The four costs, by the name of their parameter.

    Raises
    ------
    ValueError
        With the first case of which it is so.

    Examples
    --------
    >>> costs = {"fn_cost": 5.0, "fp_cost": 1.0, "tp_cost": 0.0, "tn_cost": 1.0}
    >>> check_errors_cost_more({name: np.array(cost) for name, cost in costs.items()})
    Traceback (most recent call last):
    ValueError: fp_cost=1, tn_cost=1: allowed is an error that costs more than being right
    """
    for wrong, right in (("fn_cost", "tp_cost"), ("fp_cost", "tn_cost")):
        dear, cheap = np.broadcast_arrays(costs[wrong], costs[right])
        if dear.ndim == 0 and dear <= cheap:
            raise ValueError(
                f"{wrong}={dear:g}, {right}={cheap:g}: allowed is an error that costs more than being right"
            )
        if bad := np.count_nonzero(dear <= cheap):
            row = int(np.argmax(dear <= cheap))
            raise ValueError(
                f"{wrong} and {right}: allowed is an error that costs more than being right, which it does "
                f"not in {bad} of {len(dear)} cases (in row {row} they are {dear[row]:g} and "
                f"{cheap[row]:g}); leave such cases out, their decision is known"
            )


def read_cost(name: str, value: object, n: int) -> np.ndarray:
    """A cost of all of so many cases or of each, shape () or (n,), or a ValueError with its name."""
    cost = read_array(name, value, MODERATE)
    if cost.shape not in ((), (n,)):
        raise ValueError(f"{name} has shape {cost.shape}: allowed is a number or ({n},), one a case")
    return cost


def read_stakes(n: int, **costs: object) -> Stakes:
    """Read the four costs for so many cases, given in the order of ``Stakes.costs``.

    Parameters
    ----------
    n : int
        Number of cases.
    **costs : float or array_like of shape (n,)
        ``fn_cost``, ``fp_cost``, ``tp_cost`` and ``tn_cost``.

    Returns
    -------
    Stakes
        The costs.

    Raises
    ------
    ValueError
        If a cost is not a number for all or for each case, or a wrong decision does not cost more than the
        right one.
    """
    read = {name: read_cost(name, value, n) for name, value in costs.items()}
    check_errors_cost_more(read)
    check_costs(np.ravel(read["fn_cost"] - read["tp_cost"]), np.ravel(read["fp_cost"] - read["tn_cost"]))
    return Stakes(read)
