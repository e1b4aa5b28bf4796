"""Metrics of costs as scorers of scikit-learn, by name."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.metrics._scorer import _Scorer

from csb.costs import check_costs
from csb.evaluation.curves import net_benefit
from csb.evaluation.metrics import expected_cost, normalised_loss, savings_score, total_cost
from csb.inputs import MODERATE, NUMBERS, check_label, check_order, one_of, read_number

__all__ = ["get_cost_scorer"]

Metric = Literal["expected_cost", "total_cost", "savings", "normalised_loss", "net_benefit"]


class _Scored(NamedTuple):
    metric: Callable[..., Any]
    greater_is_better: bool
    response_method: str


SCORED: dict[Metric, _Scored] = {
    "expected_cost": _Scored(expected_cost, False, "predict"),
    "total_cost": _Scored(total_cost, False, "predict"),
    "savings": _Scored(savings_score, True, "predict"),
    "normalised_loss": _Scored(normalised_loss, False, "predict"),
    "net_benefit": _Scored(net_benefit, True, "predict_proba"),
}


class _CostScorer(_Scorer):
    """The positive class is one of those of the estimator, of which a fold may hold the other only."""

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **given: Any) -> float:
        check_order(X=X, y_true=y_true, **given)
        classes = np.asarray(getattr(estimator, "classes_", ()))
        numbers = classes.shape == (2,) and classes.dtype.kind in NUMBERS
        if numbers and "pos_label" not in self._kwargs:
            given = {"pos_label": classes.max().item(), **given}
        found: float = super()._score(method_caller, estimator, X, y_true, **given)
        return found


def get_cost_scorer(
    metric: Metric,
    *,
    fn_cost: float | None = None,
    fp_cost: float | None = None,
    tp_cost: float | None = None,
    tn_cost: float | None = None,
    abstain_cost: float | None = None,
    abstain_label: object = None,
    threshold: float | None = None,
    pos_label: object = None,
) -> Callable[..., float]:
    """A scorer by the name of its metric, for ``cross_validate``, ``GridSearchCV`` and their like.

    Costs and losses are negated, since a scorer is maximised. Costs given here are those of all cases. Costs
    of each case are routed by scikit-learn: leave them out here, enable metadata routing, ask for them with
    ``set_score_request(fn_cost=True)``, and hand them to ``cross_validate`` or the ``fit`` of a search. They
    judge the decisions of ``predict(X)`` and have no part in them; :meth:`csb.CostDecision.score` decides by
    them as well.

    Parameters
    ----------
    metric : {"expected_cost", "total_cost", "savings", "normalised_loss", "net_benefit"}
        Of :mod:`csb.evaluation.metrics` and :mod:`csb.evaluation.curves`; "savings" is
        :func:`~csb.evaluation.metrics.savings_score`.
    fn_cost, fp_cost, tp_cost, tn_cost : float, optional
        Costs of the metric, which has defaults of its own; a normalised loss takes the first two, net benefit
        none.
    abstain_cost : float, optional
        Cost of a case that the model leaves undecided, for expected and total cost and savings.
    abstain_label : label, optional
        What the model says of such a case, as the metric has it.
    threshold : float, optional
        Threshold probability of the net benefit, which needs one.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: by default the larger of the estimator's two labels, even
        where a fold lacks it; of two words with unequal costs, and for the net benefit, it must be named.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``.

    Raises
    ------
    ValueError
        If the metric is not known, a value is not admissible, or the metric does not take it.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> never = DummyClassifier(strategy="constant", constant=0).fit([[0], [0]], [0, 1])
    >>> get_cost_scorer("expected_cost", fn_cost=3)(never, [[0], [0]], [0, 1])
    -1.5

    The miss of each case has a cost of its own:

    >>> import sklearn
    >>> from sklearn.model_selection import cross_validate
    >>> X, y, amount = [[0], [1], [2], [3]], [0, 1, 0, 1], [1.0, 40.0, 1.0, 60.0]
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = get_cost_scorer("expected_cost", fp_cost=2).set_score_request(fn_cost=True)
    ...     cross_validate(never, X, y, scoring=scorer, params={"fn_cost": amount}, cv=2)["test_score"]
    array([-20., -30.])
    """
    scored = SCORED[one_of("metric", metric, SCORED)]
    given: dict[str, Any] = {
        "fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost,
        "abstain_cost": abstain_cost, "threshold": threshold,
    }  # fmt: skip
    takes = signature(scored.metric).parameters
    settings: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None:
            if name not in takes:
                raise ValueError(f"{name}: must be left out, {metric} takes none")
            settings[name] = read_number(name, value, "[0, 1)" if name == "threshold" else MODERATE)
    if metric == "net_benefit":
        if threshold is None:
            raise ValueError("threshold=None: net_benefit needs a number in [0, 1)")
    elif metric == "normalised_loss":
        check_costs(**settings, single=True)
    if abstain_label is not None:
        if "abstain_label" not in takes:
            raise ValueError(f"abstain_label: must be left out, {metric} takes none")
        settings["abstain_label"] = abstain_label
    if pos_label is not None:
        check_label("pos_label", pos_label, [pos_label])
        settings["pos_label"] = pos_label
    return _CostScorer(scored.metric, 1 if scored.greater_is_better else -1, settings, scored.response_method)
