r"""Gradient-descent boosting of Cai, Song and Zhang (2008), on the objective of their Eq. (17).

:math:`\sum_i w^0_i \exp(-\sum_t \alpha_t[a_i h_t(x_i) + b_i])`: the weak hypothesis is trained on labels
:math:`\operatorname{sign} a_i` with weights :math:`|a_i|` times the terms of the sum (Eq. (18)), and the vote
minimises the sum (Eq. (19)). An objective gives :math:`(w^0, a, b)` from the class and the cost of an
example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from csb.engine.linesearch import exponential_step
from csb.engine.rules import Rules
from csb.methods.adacost import ADACOST, adacost_loss
from csb.methods.csada import CSADA, csada_loss
from csb.methods.exponential import ADABOOST, adaboost_loss
from csb.methods.row import Variant, scale_largest

__all__ = ["GD_ADAC1", "GD_ADACOST", "GD_ASYMBOOST", "OBJECTIVES", "descent_rules", "descent_variant"]

PREDICTION = np.array([-1.0, 1.0])[np.newaxis, :, np.newaxis]
CLASS = PREDICTION.reshape(2, 1, 1)


def adaboost_objective(y, c):
    """Terms of Eq. (9): no costs."""
    return np.ones_like(c), y * np.ones_like(c), np.zeros_like(c)


def adacost_objective(y, c):
    """Terms of Eq. (13)."""
    return c, y / 2 * np.ones_like(c), -c / 2


def adac1_objective(y, c):
    """Terms of Eq. (14)."""
    return np.ones_like(c), y * c, np.zeros_like(c)


def asymboost_objective(y, c):
    """Terms of Eq. (16), for one cost a class."""
    y_flat = np.ravel(y)
    negative, positive = c[y_flat < 0], c[y_flat > 0]
    if np.any(negative != negative[:1]) or np.any(positive != positive[:1]):
        raise ValueError("cost: the objective of AsymBoost takes one cost a class")
    mean, half = (positive[:1] + negative[:1]) / 2, (positive[:1] - negative[:1]) / 2
    return np.ones_like(c), y * (mean + y * half), np.zeros_like(c)


def descent_rules(terms, loss=None) -> Rules:
    r"""Rules of gradient descent on the objective of Eq. (17).

    Parameters
    ----------
    terms : callable ``c -> (w0, a, b)``
        Arrays of shape (G, 1, B) for the groups of examples that share them.
    loss : callable, optional
        The loss of the margin that the objective amounts to, see :class:`Rules`.

    Returns
    -------
    Rules
        With votes of at least zero: with :math:`b \ne 0` the sum has no lower bound but zero if votes may
        be negative.
    """

    def kappa(c):
        _, a, b = terms(c)
        return a * PREDICTION + b

    def initial(c, T):
        w0, a, _ = terms(c)
        return w0 * np.abs(a)

    def alpha(M, c, T):
        _, a, _ = terms(c)
        with np.errstate(divide="ignore"):
            log_weights = np.log(M) - np.log(np.abs(a))
        flat = (-1, M.shape[-1])
        step = exponential_step(log_weights.reshape(flat), np.broadcast_to(kappa(c), M.shape).reshape(flat))
        return np.maximum(step, 0.0)

    return Rules(
        initial=initial,
        alpha=alpha,
        log_factors=lambda alpha, c, T: -alpha * kappa(c),
        loss=loss,
    )


@dataclass(frozen=True)
class DescentVariant(Variant):
    """A row that is derived from an objective.

    Attributes
    ----------
    objective : callable ``(y, c) -> (w0, a, b)``
        Terms of the objective for classes ``y`` of -1 or +1 and costs ``c``, arrays of one shape.
    """

    objective: Callable = adaboost_objective


def descent_variant(
    objective, key="gradient_descent", name="gradient descent", equations="C08 Eqs. (17)-(19)", tex="-",
    loss=None, **row,
):  # fmt: skip
    """The row of an objective; its rules take the cost of an example to be that of its class."""
    rules = descent_rules(lambda c: objective(CLASS, c), loss)
    return DescentVariant(
        key, name, "Cai et al. 2008", equations, tex, lambda: rules, objective=objective, **row
    )


GD_ADABOOST = descent_variant(
    adaboost_objective, "gd_adaboost", "GD-AdaBoost", "C08 Eqs. (9), (17)-(19)", ADABOOST.loss,
    adaboost_loss, costs_act="never",
)  # fmt: skip
GD_ADACOST = descent_variant(
    adacost_objective, "gd_adacost", "GD-AdaCost", "C08 Eqs. (13), (17)-(19), E-C09", ADACOST.loss,
    adacost_loss, scaling=scale_largest, cost_scale=0.5,
)  # fmt: skip
GD_ADAC1 = descent_variant(
    adac1_objective, "gd_adac1", "GD-AdaC1", "C08 Eqs. (14), (17)-(19)", CSADA.loss, csada_loss
)
GD_ASYMBOOST = descent_variant(
    asymboost_objective, "gd_asymboost", "GD-AsymBoost", "C08 Eqs. (16)-(19)", CSADA.loss, csada_loss
)
OBJECTIVES = {"adaboost": GD_ADABOOST, "adac1": GD_ADAC1, "adacost": GD_ADACOST, "asymboost": GD_ASYMBOOST}
"""The objectives of the paper by name, as rows."""
