r"""Methods on the plain exponential loss: AdaBoost, AdaMEC, CGAda, AsymAda and AsyB.

Their weights differ by a factor per class, :math:`a_y e^{-m}`; the vote is that of AdaBoost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from csb.engine.elementary import log, power, tanh
from csb.engine.rules import PerModel, Rules, hit_sign, vote
from csb.methods.losses import ExponentialLoss
from csb.methods.spec import VotingMethod

__all__ = [
    "ADABOOST", "ADAMEC", "ASYB", "ASYMADA", "CGADA", "adaboost_alpha", "adaboost_factors", "adaboost_loss",
    "vote_threshold",
]  # fmt: skip

Form = Literal["corrected", "paper"]
"""The mended algorithm or the printed one."""
AdaMECRule = Literal["logistic", "vote"]


def adaboost_alpha(M: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
    """Half the log odds of being right under the current weights, Eq. (5) of Nikolaou et al. (2016)."""
    return vote(M)


def adaboost_factors(alpha: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
    """Weights fall by the vote where it is right and rise by it where it is wrong, Eq. (6)."""
    return -alpha * hit_sign


def adaboost_loss(c: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> ExponentialLoss:
    r"""The loss :math:`e^{-m}`, Eq. (14)."""
    return ExponentialLoss(np.zeros_like(c), np.ones_like(c))


def cgada_loss(c: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> ExponentialLoss:
    r"""The loss :math:`c\,e^{-m}`."""
    return ExponentialLoss(log(c), np.ones_like(c))


def logistic_threshold(log_ratio: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> np.ndarray:
    """Score at which the probability of Eq. (22) equals the Bayes threshold, Eq. (20)."""
    return -0.5 * log_ratio


def vote_threshold(log_ratio: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> np.ndarray:
    """Score at which the share of votes for the positive class equals the Bayes threshold, Eq. (9)."""
    return -tanh(0.5 * log_ratio) * A


def adaboost() -> Rules:
    """No costs."""
    return Rules(lambda c, T: np.ones_like(c), adaboost_alpha, adaboost_factors, adaboost_loss)


def adamec(rule: AdaMECRule = "logistic") -> Rules:
    """AdaBoost, with costs at the decision."""
    return replace(adaboost(), threshold=logistic_threshold if rule == "logistic" else vote_threshold)


def cgada() -> Rules:
    """AdaBoost from weights in proportion to the costs."""
    return Rules(lambda c, T: c, adaboost_alpha, adaboost_factors, cgada_loss)


def asymada(form: Form = "corrected") -> Rules:
    """The cost ratio spread evenly over the rounds."""
    ahead = 0 if form == "corrected" else 1  # the printed vote is one factor ahead of the learner

    def printed_alpha(M: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
        return vote(M * power(c, 1 / T))

    def rest(log_ratio: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> np.ndarray:
        """A run that ends early has spread only t/T of the cost ratio; the rest moves the threshold."""
        return 0.5 * (t / T - 1) * log_ratio

    # The factor of round t+1 is multiplied in right after round t, before the next learner is trained.
    return Rules(
        initial=lambda c, T: power(c, 1 / T),
        alpha=printed_alpha if ahead else adaboost_alpha,
        log_factors=lambda alpha, c, T: log(c) / T - alpha * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss((t + ahead) / T * log(c), np.ones_like(c)),
        threshold=Rules.threshold if ahead else rest,
    )


def asyb(form: Form = "corrected") -> Rules:
    r"""Costs on the exponential loss by the masses of the classes, Algorithm 1 of Cao et al. (2013).

    The derivation keeps weights without costs, trains on their product with the costs and puts the costs into
    the vote; it is CGAda. The printed algorithm starts from the costs *and* has them in the vote, which
    counts them twice (E-A06).
    """

    def alpha(M: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
        # masses of the classes among hits and misses, under weights without costs if form="corrected"
        E = M / c if form == "corrected" else M
        return vote(E * c)

    return Rules(lambda c, T: c, alpha, adaboost_factors, cgada_loss)


ADABOOST = VotingMethod(
    "adaboost", "AdaBoost", "Freund & Schapire 1997", "N16 Eqs. (5)-(7)", r"e^{-m}", costs_act="never",
    rules=adaboost,
)  # fmt: skip
ADAMEC = VotingMethod(
    "adamec", "AdaMEC", "Ting 2000", "N16 Eqs. (9), (20), (22)", r"e^{-m}", costs_act="decision", rules=adamec
)
CGADA = VotingMethod(
    "cgada", "CGAda", "Landesa-Vázquez & Alba-Castro 2012", "N16 Tables 1-3", r"c(y)\,e^{-m}", rules=cgada
)
ASYMADA = VotingMethod(
    "asymada", "AsymAda", "Viola & Jones 2002", "N16 Tables 1-3, E-N10", r"c(y)^{t/T}\,e^{-m}", rules=asymada
)
ASYB = VotingMethod(
    "asyb", "AsyB", "Cao et al. 2013", "C13 Algorithm 1, E-A05, E-A06", r"c(y)\,e^{-m}", rules=asyb
)
