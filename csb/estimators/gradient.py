"""Gradient-descent boosting of Cai, Song and Zhang (2008)."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np

from csb.costs import check_costs
from csb.engine.votes import Job
from csb.estimators._discrete import Task
from csb.estimators._docs import documented
from csb.estimators._example_costs import ExampleCosts
from csb.estimators.exponential import CostBoosting
from csb.methods.gradient import OBJECTIVES, descent_rules, descent_variant

__all__ = ["GDAdaC1", "GDAdaCost", "GDAsymBoost", "GradientDescentBoosting"]


class _GradientDescent(ExampleCosts, CostBoosting):
    """Boosting on the objective named in ``objective``, from the class and the cost of each example."""

    nonpositive_alpha = "stop"  # the vote is at least zero, and with a vote of zero nothing changes any more
    cost_scale = None

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, max_bins=None, n_jobs=None,
        pos_label=None, random_state=None,
    ):  # fmt: skip
        self.fn_cost = fn_cost
        self.fp_cost = fp_cost
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.pos_label = pos_label
        self.random_state = random_state

    def _row(self):
        if callable(self.objective):
            return descent_variant(self.objective)
        if self.objective not in OBJECTIVES:
            near = get_close_matches(str(self.objective), OBJECTIVES, n=1, cutoff=0)[0]
            raise ValueError(
                f"objective={self.objective!r}: a function or one of {', '.join(OBJECTIVES)}; "
                f"the nearest is {near!r}"
            )
        return OBJECTIVES[self.objective]

    def _rules(self):
        return self._row().settle()

    def _task(self, labels, weights, cost):
        row, costs = self._row(), self._costs()
        loss = self._rules().loss
        if cost is None:
            costs = row.scale(costs, self.cost_scale)
            cost = costs.by_class[:, 0][labels]
        else:  # no one loss belongs to costs that differ within a class
            largest = row.scale(check_costs(cost.max(), cost.max()), self.cost_scale).fn_cost
            cost, loss = cost * (largest / cost.max()), None
        y = 2.0 * labels - 1
        w0, a, b = (np.broadcast_to(np.asarray(part, float), y.shape) for part in row.objective(y, cost))
        if not np.all(np.isfinite(w0 + a + b) & (w0 > 0) & (a != 0)):
            raise ValueError(
                f"objective={self.objective!r}: w0 must be positive, a not zero, all three finite"
            )
        terms, groups = np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)
        a, b = terms.T[:, :, np.newaxis, np.newaxis]
        rules = descent_rules(lambda c: (np.ones_like(a), a, b), loss)
        pseudo_labels = (terms[groups, 0] > 0).astype(np.int8)
        return Task(pseudo_labels, weights * w0, Job(rules, costs), weights * cost, groups)


@documented
class GradientDescentBoosting(_GradientDescent):
    r"""Boosting as descent on the objective of Eq. (17) of Cai et al. (2008).

    The objective is :math:`\sum_i w^0_i \exp(-\sum_t \alpha_t [a_i h_t(x_i) + b_i])`. The weak learner sees
    pseudo-labels :math:`\operatorname{sign} a_i`, and the vote, at least zero, is the minimiser along its
    hypothesis (E-C05 and E-C09 on the book's errata page).

    Parameters
    ----------
    <costs>
    objective : {"adac1", "adaboost", "adacost", "asymboost"} or callable
        The terms of Eqs. (14), (9), (13) or (16), or a function ``(y, c) -> (w0, a, b)`` of the classes,
        -1 or +1, and the costs of the examples, shape (n,); ``w0`` positive, ``a`` not zero.
    cost_scale : float, optional
        Largest cost after scaling, for "adacost" only; 0.5 by default.
    <descent>

    <fitted>

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

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, objective="adac1",
        cost_scale=None, max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, max_bins=max_bins, n_jobs=n_jobs, pos_label=pos_label,
            random_state=random_state,
        )  # fmt: skip
        self.objective = objective
        self.cost_scale = cost_scale


@documented
class GDAdaCost(_GradientDescent):
    """AdaCost with its line search done exactly, Eqs. (13) and (17) to (19) of Cai et al. (2008).

    A round is possible only while the edge exceeds the mean cost, hence the default scale of one half.

    Parameters
    ----------
    <costs>
    cost_scale : float, optional
        Largest cost after scaling, in (0, 1]; 0.5 by default.
    <descent>

    <fitted>
    """

    objective = "adacost"

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, cost_scale=None,
        max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, max_bins=max_bins, n_jobs=n_jobs, pos_label=pos_label,
            random_state=random_state,
        )  # fmt: skip
        self.cost_scale = cost_scale


@documented
class GDAdaC1(_GradientDescent):
    """AdaC1 with weights and vote of one loss, Eqs. (14) and (17) to (19) of Cai et al. (2008).

    It is CSAda (E-C06), for costs of single examples too.

    Parameters
    ----------
    <costs>
    <descent>

    <fitted>
    """

    objective = "adac1"


@documented
class GDAsymBoost(_GradientDescent):
    """Asymmetric boosting, Eqs. (16) to (19) of Cai et al. (2008).

    It is CSAda; its objective takes one cost a class.

    Parameters
    ----------
    <costs>
    <descent>

    <fitted>
    """

    objective = "asymboost"
