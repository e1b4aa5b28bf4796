"""Gradient-descent boosting of Cai, Song and Zhang (2008)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar

import numpy as np

from csb.costs import Costs, check_costs
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet
from csb.estimators.base import Boosting
from csb.estimators.example_costs import ExampleCosts
from csb.estimators.params import COST_SCALE, TwoCosts, estimator, param
from csb.inputs import one_of
from csb.methods import METHODS
from csb.methods.gradient import OBJECTIVES, DescentMethod, descent_method, descent_rules

__all__ = ["GDAdaC1", "GDAdaCost", "GDAsymBoost", "GradientDescentBoosting"]


@estimator
class _GradientDescent(ExampleCosts, Boosting, TwoCosts):
    """Boosting on an objective, from the class and the cost of each example.

    A vote is at least zero, and with a vote of zero nothing changes any more: it ends training.
    """

    _method: ClassVar[DescentMethod]

    def _row(self) -> DescentMethod:
        return self._method

    def _training(
        self, labels: np.ndarray, weights: np.ndarray, costs: Costs, cost: np.ndarray | None
    ) -> tuple[TrainingSet, Batch]:
        row, batch = self._row(), self._batch(costs)
        charged: np.ndarray
        if cost is None:
            class_weights = np.bincount(labels, weights, 2)
            charged = batch.costs.by_class[:, 0][labels]
        else:
            class_weights = np.bincount(labels, weights * cost, 2)
            largest = row.scale(
                check_costs(cost.max(), cost.max()), getattr(self, "cost_scale", None)
            ).fn_cost
            charged = cost * (largest / cost.max())
        y = 2.0 * labels - 1
        w0, a, b = (np.broadcast_to(np.asarray(part, float), y.shape) for part in row.objective(y, charged))
        if not np.all(np.isfinite(w0 + a + b) & (w0 > 0) & (a != 0)):
            raise ValueError(
                f"objective={row.objective.__name__}: w0 must be positive, a not zero, all three finite"
            )
        terms, groups = np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)
        a, b = terms.T[:, :, np.newaxis, np.newaxis]
        rules = descent_rules(lambda c: (np.ones((len(a), 1, c.shape[-1])), a, b), batch.rules.loss)
        pseudo_labels = (terms[groups, 0] > 0).astype(np.int8)
        training = TrainingSet(
            pseudo_labels, (weights * w0)[np.newaxis], groups, class_weights[:, np.newaxis]
        )
        return training, replace(batch, rules=rules)


@estimator
class GradientDescentBoosting(_GradientDescent):
    r"""Boosting as descent on the objective of Eq. (17) of Cai et al. (2008).

    The objective is :math:`\sum_i w^0_i \exp(-\sum_t \alpha_t [a_i h_t(x_i) + b_i])`. The weak learner sees
    pseudo-labels :math:`\operatorname{sign} a_i`, and the vote, at least zero, is the minimiser along its
    hypothesis (E-C05 and E-C09 on the book's errata page).

    Examples
    --------
    An objective of one's own: costs as factors, which is CGAda.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GradientDescentBoosting(3.0, n_estimators=5, objective=lambda y, c: (c, y, 0)).fit(X, y)
    >>> from csb import CGAda
    >>> same = CGAda(3.0, n_estimators=5).fit(X, y)
    >>> bool(np.allclose(model.decision_function(X), same.decision_function(X)))
    True
    """

    _method = METHODS["gradient_descent"]
    _: KW_ONLY
    objective: str | Callable[[np.ndarray, np.ndarray], tuple[Any, Any, Any]] = param(
        "adac1",
        "The terms of Eqs. (14), (9), (13) or (16), or a function ``(y, c) -> (w0, a, b)`` of the classes, "
        "-1 or +1, and the costs of the examples, shape (n,); ``w0`` positive, ``a`` not zero.",
        '{"adac1", "adaboost", "adacost", "asymboost"} or callable',
    )
    cost_scale: float | None = param(
        None, 'Largest cost after scaling, for "adacost" only; 0.5 by default.', "float"
    )

    def _row(self) -> DescentMethod:
        if callable(self.objective):
            return descent_method(self.objective)
        return OBJECTIVES[one_of("objective", self.objective, OBJECTIVES, "or a function")]


@estimator
class GDAdaCost(_GradientDescent):
    """AdaCost with its line search done exactly, Eqs. (13) and (17) to (19) of Cai et al. (2008).

    A round is possible only while the edge exceeds the mean cost, hence the default scale of one half.
    """

    _method = METHODS["gd_adacost"]
    _: KW_ONLY
    cost_scale: float | None = param(None, COST_SCALE.format(0.5), "float")


@estimator
class GDAdaC1(_GradientDescent):
    """AdaC1 with weights and vote of one loss, Eqs. (14) and (17) to (19) of Cai et al. (2008).

    It is CSAda (E-C06), for costs of single examples too.
    """

    _method = METHODS["gd_adac1"]


@estimator
class GDAsymBoost(_GradientDescent):
    """Asymmetric boosting, Eqs. (16) to (19) of Cai et al. (2008).

    It is CSAda; its objective takes one cost a class.
    """

    _method = METHODS["gd_asymboost"]
