"""Any variant of the registry as an estimator."""

from __future__ import annotations

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting
from csb.methods import VARIANTS

__all__ = ["CostSensitiveBoosting"]


@documented
class CostSensitiveBoosting(CostBoosting):
    """Any variant by its key.

    Parameters
    ----------
    <costs>
    variant : str, default "cgada"
        A key of ``csb.VARIANTS``.
    <common>
    options : dict, optional
        Options of the variant, for instance ``{"init": "uniform"}`` for ``"adac2"``.
    cost_scale : float, optional
        Largest cost after scaling, where the variant depends on it.

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CostSensitiveBoosting(fn_cost=5, variant="adac2", n_estimators=20).fit(X, y)
    >>> len(model.estimators_) <= 20
    True
    """

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, variant="cgada", options=None,
        cost_scale=None, nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None,
        random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.variant = variant
        self.options = options
        self.cost_scale = cost_scale

    def _row(self):
        return VARIANTS[self.variant]

    def _rules(self):
        return self._row().settle(**(self.options or {}))
