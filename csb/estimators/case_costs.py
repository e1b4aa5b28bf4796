"""Costs of a decision, right or wrong or left open: of all cases or of each."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from csb.estimators.meta_estimator import MetaEstimator
from csb.estimators.params import Label, param
from csb.evaluation.decisions import check_errors_cost_more, read_cost
from csb.inputs import MODERATE, read_array, shown

__all__ = ["FIVE", "FOUR", "CaseCosts"]

COSTS = {"fn_cost": 1.0, "fp_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}
"""The four costs of two classes, and their defaults."""
FOUR = tuple(COSTS)
FIVE = (*FOUR, "abstain_cost")


@dataclass(eq=False, repr=False)
class CaseCosts(MetaEstimator):
    """A method around any classifier whose costs may be those of the day or of each case."""

    _: KW_ONLY
    tp_cost: float = param(0.0, "Cost of a positive that is found; negative for a gain.", "float")
    tn_cost: float = param(0.0, "Cost of a negative left alone; negative for a gain.", "float")
    abstain_cost: float | None = param(
        None, "Cost of leaving a case undecided; by default every case is decided.", "float"
    )
    abstain_label: Label = param(
        None,
        "What ``predict`` says of a case left undecided, a label that is no class: by default -1, or the "
        'smallest class less one if that is lower; among strings "abstain".',
        "label",
    )

    def _costs(
        self, given: dict[str, Any], n: int, classes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Cost of each prediction (last axis) for each true class, shape (1, k, k) or (n, k, k); of none."""
        given = {name: value for name, value in given.items() if value is not None}
        positive = self._positive(classes)
        undecided = None
        if not self._decides_all(given):
            undecided = self._cost("abstain_cost", given, n)
            self._answers(classes)  # refuses a label that is a class
            undecided = np.broadcast_to(undecided, n)
        if self._has_matrix(classes):
            named = [name for name in FOUR if name in given or np.any(getattr(self, name) != COSTS[name])]
            return self._matrix(classes, named)[np.newaxis], undecided
        costs = {name: self._cost(name, given, n) for name in FOUR}
        check_errors_cost_more(costs)
        fn, fp, tp, tn = np.broadcast_arrays(*map(np.atleast_1d, costs.values()))
        rows = [[tn, fp], [fn, tp]] if positive == 1 else [[tp, fn], [fp, tn]]
        return np.array(rows).transpose(2, 0, 1), undecided

    def _decides_all(self, given: dict[str, Any]) -> bool:
        return self.abstain_cost is None and given.get("abstain_cost") is None

    def _cost(self, name: str, given: dict[str, Any], n: int) -> np.ndarray:
        if name in given:
            return read_cost(name, given[name], n)
        value = read_array(name, getattr(self, name), MODERATE)
        if value.ndim:
            raise ValueError(
                f"{name} has shape {value.shape}: allowed is a number, those of each case go to "
                f"predict(X, {name}=...)"
            )
        return value

    def _answers(self, classes: np.ndarray) -> np.ndarray:
        """The classes, and last what is said of an undecided case."""
        words = classes.dtype.kind in "OUST"
        label = self.abstain_label
        if label is None:
            label = "abstain" if words else min(-1, int(classes[0]) - 1)
        if isinstance(label, str) != words or not np.isscalar(label) or label in classes.tolist():
            raise ValueError(
                f"abstain_label={shown(label)}: allowed is a {'string' if words else 'number'} that is none "
                f"of the classes {shown(classes.tolist())}"
            )
        return np.append(classes, np.array([label], object if classes.dtype == object else None))
