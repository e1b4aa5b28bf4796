"""The p-norm family of Lozano and Abe (2008): LpCSB, LpCSBPA and LpCSBA."""

from __future__ import annotations

import numbers

import numpy as np

from csb.estimators._multiclass import ChoiceMethod, Mixture, PairMethod
from csb.estimators._multiclass_docs import documented
from csb.methods import pnorm as weights
from csb.methods.pnorm_steps import check_step

__all__ = ["LpCSB", "LpCSBA", "LpCSBPA"]

FORMS = {"corrected": ("stochastic", "1/(t+1)"), "paper": ("relational", "1/t")}


class _PNorm(Mixture):
    """Descent on the p-norm cost."""

    def _norm(self):
        if not isinstance(self.p, numbers.Real) or not np.isfinite(self.p) or self.p < 1:
            raise ValueError(f"p={self.p!r}: a finite number of at least 1")
        return float(self.p)

    def _step(self):
        return check_step(self.step, self._norm())

    def relative_costs(self, X):
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
        with np.errstate(divide="ignore"):
            log_cost = -(self.p - 1) * np.log(H)
        cost = np.exp(np.minimum(log_cost - log_cost.min(axis=1, keepdims=True), 700.0))
        return cost / cost.sum(axis=1, keepdims=True)


@documented
class LpCSB(_PNorm, PairMethod):
    r"""Cost-sensitive boosting with p-norm loss, Figure 1 of Lozano and Abe (2008).

    Minimises :math:`L(H) = \sum_i q_i \sum_y H(y|x_i)^p C_{iy}` over convex combinations. The binary learner
    minimises the pseudo-loss under the weights :math:`C_{iy} H(y|x_i)^{p-1}`.

    Parameters
    ----------
    <costs>
    p : float, default 2.0
        The norm, at least one.
    <rounds>
    <pairs>
    form : {"corrected", "paper"}, default "corrected"
        Stochastic hypotheses and steps 1/(t+1), or what the paper prints: relational ones and 1/t (E-L03 and
        E-L06 on the book's errata page).
    hypothesis : {"stochastic", "relational"}, optional
        Share each relation out among the classes that it admits, or take it as it is; by default after
        ``form``.
    step : {"1/(t+1)", "1/t", "linesearch", "eq10"}, optional
        Step towards each new hypothesis, by default after ``form``. ``"1/t"`` discards the uniform start in
        round one; ``"eq10"`` is Eq. (10), for p = 1 or p >= 2.
    <seed>

    <mixture>

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

    _weigh = staticmethod(weights.lp_csb)

    def __init__(
        self, cost_matrix=None, p=2.0, n_estimators=100, estimator=None, *, expansion="per_label",
        form="corrected", hypothesis=None, step=None, n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.cost_matrix = cost_matrix
        self.p = p
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.expansion = expansion
        self.form = form
        self.hypothesis = hypothesis
        self.step = step
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _settled(self):
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r}: 'corrected' or 'paper'")
        hypothesis, step = FORMS[self.form]
        return hypothesis if self.hypothesis is None else self.hypothesis, self.step or step

    def _step(self):
        return check_step(self._settled()[1], self._norm())

    @property
    def _stochastic(self):
        hypothesis = self._settled()[0]
        if hypothesis not in ("stochastic", "relational"):
            raise ValueError(f"hypothesis={hypothesis!r}: 'stochastic', 'relational' or None")
        return hypothesis == "stochastic"


@documented
class LpCSBPA(_PNorm, PairMethod):
    r"""LpCSB with pseudo-loss adjustment, Section 3.3.3 of Lozano and Abe (2008).

    The binary learner minimises :math:`\sum_{iy} w_{iy} f(y|x_i)` itself over stochastic hypotheses, by
    Proposition 3.1. Pairs of negative weight change their label (E-L07 on the book's errata page).

    Parameters
    ----------
    <costs>
    p : float, default 2.0
        The norm, at least one.
    <rounds>
    <pairs>
    <step>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.lp_csb_pa)

    def __init__(
        self, cost_matrix=None, p=2.0, n_estimators=100, estimator=None, *, expansion="per_label",
        step="1/(t+1)", n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.cost_matrix = cost_matrix
        self.p = p
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.expansion = expansion
        self.step = step
        self.n_jobs = n_jobs
        self.random_state = random_state


@documented
class LpCSBA(_PNorm, ChoiceMethod):
    r"""The abstracted method, Figure 2 of Lozano and Abe (2008).

    A multiclass learner minimises :math:`\sum_{iy} w_{iy} f(y|x_i)` over labels with the weights
    :math:`\max_{y'} w_{iy'} - w_{iy}` of Section 3.3. With a learner that reaches the minimum, the steps of
    Eq. (10) and p of at least two, the objective is within :math:`9M/(t+2)` of its infimum (Theorem 4.2,
    for means over the sample, E-L09 on the book's errata page).

    Parameters
    ----------
    <costs>
    p : float, default 2.0
        The norm, at least one.
    <rounds>
    <choices>
    <step>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.lp_csb_a)

    def __init__(
        self, cost_matrix=None, p=2.0, n_estimators=100, estimator=None, *, step="1/(t+1)", random_state=None
    ):
        self.cost_matrix = cost_matrix
        self.p = p
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.step = step
        self.random_state = random_state
