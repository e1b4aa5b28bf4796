"""What the loop of weighted votes asks of a method: four small rules. And what the loops ask of a learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from csb.costs import Costs
from csb.engine.compiled import compiled
from csb.engine.elementary import log_ratio

__all__ = [
    "LARGEST_ALPHA", "SMALLEST", "STOPS", "STOP_REASONS", "TIE", "Change", "Follower", "Hypotheses",
    "Hypothesis", "Learner", "MarginLoss", "OneByOne", "PerModel", "Regressor", "Rules", "WeakLearner",
    "half_log_odds", "hit_sign", "judge", "log_cost_ratio", "vote",
]  # fmt: skip

TIE = 1e-12
"""Edges closer than this are equal, and a vote no larger is no vote: it is what rounding leaves of zero."""

LARGEST_ALPHA = 11.512925464920228
"""Vote of a hypothesis that errs on no weight, for a loss of exponent one: half the log odds of 1 - 1e-10.

The number itself, as to compute it here would make the import of the package compile a logarithm each time.
"""

SMALLEST = -650.0
"""Logarithm of the smallest linear weight beside the largest.

Were it to underflow, a hypothesis could be wrong on a whole class and count as perfect.
"""

STOP_REASONS = {
    "max_rounds": "the planned number of rounds was reached",
    "perfect": "a hypothesis made no error on what carries weight",
    "no_edge": "no hypothesis beat chance, or nothing was left to fit",
    "alpha": "the vote was not positive although the hypothesis beat chance",
    "not_finite": "the formula of the vote had no finite value",
    "underflow": "no weight was left",
    "no_gain": "examples set aside showed no gain for some rounds",
}
"""What the reasons mean."""


STOPS = ("", "underflow", "no_edge", "perfect", "not_finite", "alpha")
"""What :func:`judge` may find, in the order in which the first counts; nothing for a model that goes on."""


def _judge_in_arrays(masses, group_labels, alpha, exponents, rates, keep_nonpositive, stops, by_class):  # type: ignore[no-untyped-def]
    """Array form of ``judge``."""
    by_class[:] = 0.0
    np.add.at(by_class, group_labels, masses)
    right, wrong = by_class[0, 0] + by_class[1, 1], by_class[0, 1] + by_class[1, 0]
    steep, flat, finite = exponents.max(axis=0), exponents.min(axis=0), np.isfinite(alpha)
    underflow = ~np.isfinite(right + wrong) | (right + wrong == 0.0)
    too_small = np.logical_not(keep_nonpositive) & (alpha * steep <= TIE)
    stops[:] = np.select([underflow, right - wrong <= TIE, wrong == 0.0, ~finite, too_small], range(1, 6))
    alpha[:] = np.where((stops == 3) & ~finite, LARGEST_ALPHA / flat, alpha)
    alpha[np.abs(alpha) * steep <= TIE] = 0.0
    alpha *= rates


@compiled(_judge_in_arrays)
def judge(
    masses: np.ndarray,
    group_labels: np.ndarray,
    alpha: np.ndarray,
    exponents: np.ndarray,
    rates: np.ndarray,
    keep_nonpositive: bool,
    stops: np.ndarray,
    by_class: np.ndarray,
) -> None:
    """Why each model ends in this round, its vote as it is to be used, and its masses by class.

    Parameters
    ----------
    masses : ndarray of shape (G, 2, B)
        Weight of each group and prediction.
    group_labels : ndarray of shape (G,)
        Class of each group.
    alpha : ndarray of shape (B,)
        Votes; left without infinity, which a perfect hypothesis may get, without what is rounding, and
        multiplied by the learning rate, which stops nothing by itself.
    exponents : ndarray of shape (2, B)
        Exponents of the loss: the steeper, the smaller a vote may be.
    rates : ndarray of shape (B,)
        Learning rates.
    keep_nonpositive : bool
        Whether a vote may be zero or negative.
    stops : ndarray of shape (B,), int64
        Filled with positions in ``STOPS``.
    by_class : ndarray of shape (2, 2, B)
        Filled with the masses of class and prediction.
    """
    by_class[:] = 0.0
    for b in range(alpha.shape[0]):
        for g in range(masses.shape[0]):  # number by number: rows take three seconds more to compile
            by_class[group_labels[g], 0, b] += masses[g, 0, b]
            by_class[group_labels[g], 1, b] += masses[g, 1, b]
        right, wrong = by_class[0, 0, b] + by_class[1, 1, b], by_class[0, 1, b] + by_class[1, 0, b]
        steep, flat = max(exponents[0, b], exponents[1, b]), min(exponents[0, b], exponents[1, b])
        if not np.isfinite(right + wrong) or right + wrong == 0.0:
            stops[b] = 1
        elif right - wrong <= TIE:
            stops[b] = 2
        elif wrong == 0.0:
            stops[b] = 3
            if not np.isfinite(alpha[b]):
                alpha[b] = LARGEST_ALPHA / flat
        elif not np.isfinite(alpha[b]):
            stops[b] = 4
        elif not keep_nonpositive and alpha[b] * steep <= TIE:
            stops[b] = 5
        else:
            stops[b] = 0
        if abs(alpha[b]) * steep <= TIE:
            alpha[b] = 0.0
        alpha[b] *= rates[b]


PerModel = float | np.ndarray
"""A number, one for all models or one for each, shape (B,)."""

hit_sign = np.array([[1.0, -1.0], [-1.0, 1.0]])[:, :, np.newaxis]
r"""The hit sign :math:`u = y h` of the four outcomes, shape (2, 2, 1): class, then prediction."""


class Hypothesis(Protocol):
    """What a learner finds."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,); of other loops real numbers, or a column for each class."""


class Hypotheses(Protocol):
    """Hypotheses of a batch of models; with ``predict(X, chosen)`` it predicts with many at once."""

    def __getitem__(self, b: int, /) -> Hypothesis:
        """That of one model."""


class Change(NamedTuple):
    """How the weights have moved since a learner was last called.

    Attributes
    ----------
    going : ndarray, bool
        Which models of that call are left.
    predicted : ndarray of shape (B, n), uint8
        What their hypotheses predicted, 0 or 1.
    factors : ndarray of shape (2, 2, B)
        By what each weight was multiplied, by class and prediction; NaN where that is not known.
    """

    going: np.ndarray
    predicted: np.ndarray
    factors: np.ndarray

    @classmethod
    def unknown(cls, n_models: int) -> Self:
        """The first call."""
        predicted = np.empty((n_models, 0), np.uint8)
        return cls(np.ones(n_models, bool), predicted, np.full((2, 2, n_models), np.nan))


class Learner(Protocol):
    """A weak learner, bound to its data; one that can choose jointly takes losses as well."""

    def fit(self, weights: np.ndarray) -> tuple[Hypotheses, np.ndarray]:
        """Hypotheses and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""


@runtime_checkable
class Follower(Protocol):
    """A learner that is told how the weights have moved since it was last called."""

    def begin(self) -> Learner:
        """The same for one training; its ``fit`` takes a ``change`` as well."""


@runtime_checkable
class WeakLearner(Protocol):
    """A learner of one's own, for ``estimator=``: it binds itself to a data set.

    Attributes
    ----------
    accepts : frozenset of str
        What it takes besides: any of ``"n_jobs"`` and ``"random_state"``, given to ``bind``
        by name; ``"missing"`` if features may be NaN.
    """

    accepts: ClassVar[frozenset[str]]

    def bind(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, **settings: Any) -> Learner:
        """Learner for features (n, d), classes 0 and 1 (n,), and positive base weights (n,)."""


class OneByOne(Protocol):
    """A learner bound to its data that is given the weights of one model, in the loops for many classes."""

    def fit(self, weights: np.ndarray, /) -> tuple[Hypothesis, np.ndarray]:
        """A hypothesis and its values (n, k), for weights (n, k)."""


class Regressor(Protocol):
    """A learner bound to its data that fits real numbers, in the loop of Newton steps."""

    def fit(self, weights: np.ndarray, target: np.ndarray) -> tuple[Hypothesis, np.ndarray]:
        """A hypothesis and its values (n,), for weights and target of shape (n,)."""


class MarginLoss(Protocol):
    """A loss of the margin, such as :class:`csb.methods.losses.ExponentialLoss`."""

    @property
    def exponent(self) -> np.ndarray:
        """How fast the loss of each class falls."""

    @property
    def log_gap(self) -> np.ndarray:
        """How much heavier a positive is at margin zero."""

    def weight(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Minus the derivative with respect to the margin."""

    def minimiser(self, p: ArrayLike) -> np.ndarray:
        """Score of least expected loss where the posterior is ``p``."""


@dataclass(frozen=True)
class Rules:
    r"""The rules of one method, with its options chosen.

    All functions are vectorised over a batch of :math:`B` models. ``M`` holds the masses
    :math:`M[y, h]` of the current weights, shape (2, 2, B), summing to one; ``c`` the cost of an error
    on each class, shape (2, 1, B), negative class first; ``T`` the planned number of rounds, one for all
    models or one for each, shape (B,).

    Attributes
    ----------
    initial : callable ``(c, T) -> (2, 1, B)``
        Factor on the base weight of each class before round one.
    alpha : callable ``(M, c, T) -> (B,)``
        The vote; infinite or not a number where the formula has no value.
    log_factors : callable ``(alpha, c, T) -> (2, 2, B)``
        Logarithm of the factor on the weight of each outcome.
    loss : callable ``(c, t, T, A) -> ExponentialLoss`` or None
        The loss of the margin that the weights after round ``t`` belong to, ``A`` being the sum of the
        votes; None if the weights are no function of the margin. Its exponents do not depend on the round.
    threshold : callable ``(log_ratio, t, T, A) -> (B,)``
        Predict the positive class when the score exceeds this.
    best_loss : callable ``(M, c) -> (K,)`` or None
        Loss that the best step along each of ``K`` hypotheses reaches, as a share of the loss without a step
        (so that what counts as a tie has no unit). If given, the hypothesis of smallest value is chosen, not
        the one of largest edge.
    """

    # a number of rounds is Any: None where a batch has no plan, which only rules that ask for none will bear
    initial: Callable[[np.ndarray, Any], np.ndarray]
    alpha: Callable[[np.ndarray, np.ndarray, Any], np.ndarray]
    log_factors: Callable[[np.ndarray, np.ndarray, Any], np.ndarray]
    loss: Callable[[np.ndarray, Any, Any, PerModel], MarginLoss] | None = None
    threshold: Callable[[np.ndarray, Any, Any, PerModel], np.ndarray] = lambda log_ratio, t, T, A: (
        np.zeros_like(log_ratio)
    )
    best_loss: Callable[..., np.ndarray] | None = None

    def exponents(self, c: np.ndarray) -> np.ndarray:
        """Exponents of the loss, shape (2, B); one where there is no loss."""
        if self.loss is None:
            return np.ones((2, c.shape[-1]))
        return np.broadcast_to(self.loss(c[:, 0], 0, 1, 0.0).exponent, (2, c.shape[-1]))


def log_cost_ratio(costs: Costs) -> np.ndarray:
    r"""Logarithm of the cost ratio, :math:`\log\rho = \log(c_{FN}/c_{FP})`, shape (B,)."""
    return log_ratio(costs.fn_cost, costs.fp_cost)


def half_log_odds(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    r""":math:`\tfrac12(\log` right :math:`-\log` wrong :math:`)`, each a sum of non-negative terms.

    Infinite when nothing is wrong, not a number when a sum is negative: the formula has no value.
    """
    return 0.5 * log_ratio(right, wrong)


def vote(M: np.ndarray) -> np.ndarray:
    """AdaBoost's vote: half the log odds of being right under the masses ``M``, shape (2, 2, B)."""
    return half_log_odds(M[0, 0] + M[1, 1], M[0, 1] + M[1, 0])
