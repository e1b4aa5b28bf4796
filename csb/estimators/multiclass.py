"""The methods for any number of classes: the p-norm family of Lozano and Abe (2008) and its rivals.

The paper names the methods that it compares its own with, and defers their definitions to other papers; what
a docstring calls our reading is stated in neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.elementary import exp, log
from csb.engine.mixture import ClassVotes, Descent, Problem
from csb.estimators.multiclass_base import Choices, Mixture, Pairs, SumOfVotes
from csb.estimators.params import LearningRate, estimator, param
from csb.inputs import one_of, read_number
from csb.methods import METHODS
from csb.methods.exponential import Form
from csb.methods.margin_boost import LOSSES, MarginLossName, MarginStep, margin_cost, margin_step
from csb.methods.pnorm import check_step
from csb.methods.spec import COST_SCALES

__all__ = [
    "DSE", "GBSE", "GBSET", "AdaBoostM2", "AverageCost", "Costing", "LpCSB", "LpCSBA", "LpCSBPA",
    "MarginBoostL1", "MulticlassAdaCost", "MulticlassCSB2",
]  # fmt: skip

Step = Literal["1/(t+1)", "1/t", "linesearch", "eq10"]
STEP = (
    'Step towards each new hypothesis{}. ``"1/t"`` discards the uniform start in round one; ``"eq10"`` is '
    "Eq. (10), for p = 1 or p >= 2."
)
FORMS: dict[str, tuple[str, Step]] = {
    "corrected": ("stochastic", "1/(t+1)"),
    "paper": ("relational", "1/t"),
}


@estimator
class _PNorm(Mixture):
    """Descent on the p-norm cost."""

    p: float = param(2.0, "The norm, at least one.", "float")
    _: KW_ONLY
    step: Step | None = param("1/(t+1)", STEP.format(""))

    def _norm(self) -> float:
        return read_number("p", self.p, "[1, 1e100]")

    def _step(self) -> Callable[..., float]:
        return check_step(self.step, self._norm())  # type: ignore[arg-type]  # None is refused there

    def relative_costs(self, X: ArrayLike) -> np.ndarray:
        r"""Estimated expected cost of predicting each class, up to a factor for each example.

        The minimiser of the p-norm cost is :math:`H(y|x) \propto \bar c_y(x)^{-1/(p-1)}` with
        :math:`\bar c_y(x) = E[C_y|x]`, so that :math:`H^{-(p-1)}` is proportional to the expected costs. The
        estimates are not calibrated.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one.

        Raises
        ------
        ValueError
            If p is one: the minimiser then says only which class is the cheapest.
        """
        if self._norm() == 1:
            raise ValueError("p=1: the minimiser says only which class is the cheapest; p above 1 is allowed")
        *_, H = self._scores(self._check_X(X))
        log_cost = -(self.p - 1) * log(H)
        cost = exp(np.minimum(log_cost - log_cost.min(axis=1, keepdims=True), 700.0))
        return cost / cost.sum(axis=1, keepdims=True)


@estimator
class LpCSB(Pairs, _PNorm):
    r"""Cost-sensitive boosting with p-norm loss, Figure 1 of Lozano and Abe (2008).

    Minimises :math:`L(H) = \sum_i q_i \sum_y H(y|x_i)^p C_{iy}` over convex combinations. The binary learner
    minimises the pseudo-loss under the weights :math:`C_{iy} H(y|x_i)^{p-1}`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LpCSB([[0, 1, 1], [1, 0, 9], [1, 1, 0]], n_estimators=5, random_state=0).fit(X, y)
    >>> model.objective_.shape
    (6,)
    >>> model.predict(X[:2])
    array([0, 0])
    """

    _method = METHODS["lpcsb"]
    _: KW_ONLY
    form: Form = param(
        "corrected",
        "Stochastic hypotheses and steps 1/(t+1), or what the paper prints: relational ones and 1/t (E-L03 "
        "and E-L06 on the book's errata page).",
    )
    hypothesis: Literal["stochastic", "relational"] | None = param(
        None,
        "Share each relation out among the classes that it admits, or take it as it is; by default after "
        "``form``.",
    )
    step: Step | None = param(None, STEP.format(", by default after ``form``"))

    def _step(self) -> Callable[..., float]:
        _, default = FORMS[one_of("form", self.form, FORMS)]
        return check_step(default if self.step is None else self.step, self._norm())

    def _stochastic(self) -> bool:
        default, _ = FORMS[one_of("form", self.form, FORMS)]
        chosen = default if self.hypothesis is None else self.hypothesis
        return one_of("hypothesis", chosen, ("stochastic", "relational")) == "stochastic"


@estimator
class LpCSBPA(Pairs, _PNorm):
    r"""LpCSB with pseudo-loss adjustment, Section 3.3.3 of Lozano and Abe (2008).

    The binary learner minimises :math:`\sum_{iy} w_{iy} f(y|x_i)` itself over stochastic hypotheses, by
    Proposition 3.1. Pairs of negative weight change their label (E-L07 on the book's errata page).
    """

    _method = METHODS["lpcsb_pa"]


@estimator
class LpCSBA(Choices, _PNorm):
    r"""The abstracted method, Figure 2 of Lozano and Abe (2008).

    A multiclass learner minimises :math:`\sum_{iy} w_{iy} f(y|x_i)` over labels with the weights
    :math:`\max_{y'} w_{iy'} - w_{iy}` of Section 3.3. With a learner that reaches the minimum, the steps of
    Eq. (10) and p of at least two, the objective is within :math:`9M/(t+2)` of its infimum (Theorem 4.2,
    for means over the sample, E-L09 on the book's errata page).
    """

    _method = METHODS["lpcsb_a"]


@estimator
class MarginBoostL1(Choices, Mixture):
    r"""MarginBoost.L1: gradient descent on a cost of the margin of a convex combination (Mason et al. 2000).

    Minimises :math:`L(H) = \sum_i q_i \sum_y C_{iy}\,c(1 - 2H(y|x_i))`, for two classes the cost
    :math:`c(m)` of the margin :math:`m = y(H(1|x) - H(-1|x))`; costs, and more classes than two, are our
    reading, see :mod:`csb.methods.margin_boost`. The combination is started from the uniform distribution,
    which keeps a share of it unless a step is one.

    Examples
    --------
    With a power of the margin it is :class:`csb.LpCSBA`:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MarginBoostL1(n_estimators=5, loss="power", sharpness=2, random_state=0).fit(X, y)
    >>> other = LpCSBA(p=2, n_estimators=5, random_state=0).fit(X, y)
    >>> bool(abs(model.decision_function(X) - other.decision_function(X)).max() < 1e-9)
    True
    """

    _method = METHODS["marginboost_l1"]
    _: KW_ONLY
    loss: MarginLossName = param(
        "logistic",
        ":math:`\\log(1+e^{-2sm})`, :math:`e^{-sm}`, :math:`1-\\tanh(sm)` of DOOM II, with which hits and "
        "misses of the first hypothesis weigh alike and the second is the first again, or "
        ":math:`(\\frac{1-m}2)^s`.",
    )
    sharpness: float = param(
        2.0, "The :math:`s` of the loss, in [0.01, 100]; of a power at least 1.", "float"
    )
    step: MarginStep = param(
        "1/(t+1)", 'Step towards each new hypothesis. ``"1/t"`` discards the uniform start in round one.'
    )

    def _descent(self, problem: Problem, random_state: np.random.RandomState) -> Descent:
        build = LOSSES[one_of("loss", self.loss, LOSSES)]
        sharpness = read_number(
            "sharpness", self.sharpness, "[1, 100]" if self.loss == "power" else "[0.01, 100]"
        )
        step = one_of("step", self.step, get_args(MarginStep))
        cost = build(sharpness)
        return Descent(
            lambda H: self._method.weigh(problem, H, cost, random_state),
            lambda H, f, t: margin_step(problem, H, f, cost, t, step),
            lambda H: margin_cost(problem, H, cost),
        )


@estimator
class GBSE(Pairs, Mixture):
    r"""Gradient boosting with stochastic ensembles (Abe, Zadrozny and Langford 2004), our reading.

    The binary learner is given the weights :math:`\sum_{y'} H_{t-1}(y'|x_i) C_{iy'} - C_{iy}`, whose signs
    are the labels; the mixture is the average of the stochastic hypotheses.
    """

    _method = METHODS["gbse"]


@estimator
class GBSET(Pairs, Mixture):
    r"""GBSE-T, the variant of GBSE with a proof of convergence, our reading.

    As GBSE with the mixture's cost divided by the number of classes, which Lozano and Abe (2008) find close
    to their weights at p = 2.
    """

    _method = METHODS["gbset"]


@estimator
class DSE(Choices, Mixture):
    r"""Data space expansion, which Section 3.3 of Lozano and Abe (2008) finds to be the case p = 1.

    A multiclass learner takes every label for right, with the constant weights
    :math:`\max_{y'} C_{iy'} - C_{iy}`; the hypotheses of bootstrap samples are averaged.
    """

    _method = METHODS["dse"]


@estimator
class Costing(Choices, Mixture):
    r"""Costing: an average over samples drawn in proportion to cost (Zadrozny, Langford and Abe 2003).

    Each round accepts an example with probability in proportion to the mean cost of its wrong classes and
    trains an unweighted multiclass learner. For two classes that cost is the cost of the miss; the extension
    to more is our reading.
    """

    _method = METHODS["costing"]


@estimator
class AverageCost(Choices, Mixture):
    r"""One multiclass learner on examples weighted by the mean cost of their wrong classes.

    Lozano and Abe (2008) equate its weights with those of LpCSBPA at p = 1; only the weight of the right
    class is proportional to it (E-L08 on the book's errata page).
    """

    _method = METHODS["average_cost"]
    n_estimators: ClassVar[int] = 1  # type: ignore[misc]  # no parameter here: there is one hypothesis


@estimator
class AdaBoostM2(Pairs, SumOfVotes, LearningRate):
    r"""AdaBoost.M2 whose first weights are the costs, a comparison method of Lozano and Abe (2008).

    The weights of the pairs of example and wrong class start at :math:`q_i C_{iy}`; the vote is
    :math:`\alpha_t = \frac12 \log \frac{1-\epsilon_t}{\epsilon_t}` of the pseudo-loss :math:`\epsilon_t`. For
    two classes and complementary hypotheses it is CGAda.
    """

    _method = METHODS["adaboost_m2"]

    def _stochastic(self) -> bool:
        return False


@estimator
class MulticlassAdaCost(Choices, SumOfVotes, LearningRate):
    r"""AdaCost for any number of classes, our reading.

    As AdaCost, with a multiclass learner that hits or misses, and the mean cost of the wrong classes as the
    cost of an example. Training ends when the weighted error reaches one half.
    """

    _method = METHODS["multiclass_adacost"]
    _: KW_ONLY
    cost_scale: float = param(0.5, "Largest cost of an example after scaling, in (0, 1].", "float")

    def _votes(self) -> ClassVotes:
        return self._method.votes(read_number("cost_scale", self.cost_scale, COST_SCALES))


@estimator
class MulticlassCSB2(Choices, SumOfVotes, LearningRate):
    r"""CSB2 for any number of classes, our reading.

    As CSB2, with a multiclass learner. The weights of missed examples are also multiplied by the cost of the
    prediction made, the smallest positive cost being one. Training ends when the weighted error reaches one
    half.
    """

    _method = METHODS["multiclass_csb2"]
