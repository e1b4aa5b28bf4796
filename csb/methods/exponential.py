r"""Variants on the plain exponential loss: AdaBoost, AdaMEC, CGAda and AsymAda.

Their weights differ by a factor per class, :math:`a_y e^{-m}`; the vote is that of AdaBoost.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from csb.engine.rules import Rules, half_log_odds, hit_sign
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Variant

__all__ = [
    "ADABOOST",
    "ADAMEC",
    "ASYMADA",
    "CGADA",
    "adaboost_alpha",
    "adaboost_factors",
    "adaboost_loss",
    "vote_threshold",
]


def adaboost_alpha(M, c, T):
    """Half the log odds of being right under the current weights, Eq. (5) of Nikolaou et al. (2016)."""
    right, wrong = np.where(hit_sign > 0, M, 0.0), np.where(hit_sign < 0, M, 0.0)
    return half_log_odds(right.sum(axis=(0, 1)), wrong.sum(axis=(0, 1)))


def adaboost_factors(alpha, c, T):
    """Weights fall by the vote where it is right and rise by it where it is wrong, Eq. (6)."""
    return -alpha * hit_sign


def adaboost_loss(c, t, T, A):
    r"""The loss :math:`e^{-m}`, Eq. (14)."""
    return ExponentialLoss(np.zeros_like(c), np.ones_like(c))


def vote_threshold(log_ratio, t, T, A):
    """Score at which the share of votes for the positive class equals the Bayes threshold, Eq. (9)."""
    return -np.tanh(0.5 * log_ratio) * A


def _adaboost():
    return Rules(
        initial=lambda c, T: np.ones_like(c),
        alpha=adaboost_alpha,
        log_factors=adaboost_factors,
        loss=adaboost_loss,
    )


def _adamec(rule):
    trained = _adaboost()
    thresholds = {"logistic": lambda log_ratio, t, T, A: -0.5 * log_ratio, "vote": vote_threshold}
    return replace(trained, threshold=thresholds[rule])


def _cgada():
    return Rules(
        initial=lambda c, T: c,
        alpha=adaboost_alpha,
        log_factors=adaboost_factors,
        loss=lambda c, t, T, A: ExponentialLoss(np.log(c), np.ones_like(c)),
    )


def _asymada(form):
    def printed_alpha(M, c, T):
        return adaboost_alpha(M * c ** (1 / T), c, T)

    extra = 0 if form == "corrected" else 1  # the printed vote is one factor ahead of the learner

    # The factor of round t+1 is multiplied in right after round t, before the next learner is trained.
    return Rules(
        initial=lambda c, T: c ** (1 / T),
        alpha=adaboost_alpha if form == "corrected" else printed_alpha,
        log_factors=lambda alpha, c, T: np.log(c) / T - alpha * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss((t + extra) / T * np.log(c), np.ones_like(c)),
        # a run that ends early has spread only t/T of the cost ratio; the rest moves the threshold
        threshold=(
            (lambda log_ratio, t, T, A: 0.5 * (t / T - 1) * log_ratio)
            if form == "corrected"
            else Rules.threshold
        ),
    )


ADABOOST = Variant(
    "adaboost", "AdaBoost", "Freund & Schapire 1997", "N16 Eqs. (5)-(7)", r"e^{-m}", _adaboost,
    costs_act="never",
)  # fmt: skip
ADAMEC = Variant(
    "adamec", "AdaMEC", "Ting 2000", "N16 Eqs. (9), (20), (22)", r"e^{-m}", _adamec,
    options={"rule": ("logistic", "vote")}, costs_act="decision",
)  # fmt: skip
CGADA = Variant(
    "cgada", "CGAda", "Landesa-Vázquez & Alba-Castro 2012", "N16 Tables 1-3", r"c(y)\,e^{-m}", _cgada,
    example_costs=True,
)  # fmt: skip
ASYMADA = Variant(
    "asymada", "AsymAda", "Viola & Jones 2002", "N16 Tables 1-3, E-N10", r"c(y)^{t/T}\,e^{-m}", _asymada,
    options={"form": ("corrected", "paper")},
)  # fmt: skip
