r"""AdaUBoost of Karakoulas and Shawe-Taylor (1998): the inverse of the cost in the exponent.

The loss is :math:`\omega_y e^{-k_ym}` with :math:`k_+ = 1/\beta`, :math:`k_- = 1` for a cost ratio
:math:`\beta`, and :math:`\omega_- = 1`. Its sum over the examples is the :math:`Z` of Eq. (4).
"""

from __future__ import annotations

import numpy as np

from csb.engine.linesearch import exponential_step
from csb.engine.rules import Rules, hit_sign
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Variant

__all__ = ["ADAUBOOST"]

DEFAULTS = {
    "corrected": {"init": "beta2", "learner_weights": "gradient"},
    "paper": {"init": "beta", "learner_weights": "z"},
}
POWERS = {"uniform": 0, "beta": 1, "beta2": 2}
"""How often the cost ratio is multiplied into the first weight of a positive."""


def _exponents(c):
    r"""The :math:`\beta_i` of Figure 1."""
    return np.stack([np.ones_like(c[0]), c[0] / c[1]])


def _adauboost(form, init, learner_weights):
    chosen = {"init": init, "learner_weights": learner_weights}
    chosen |= {name: value for name, value in DEFAULTS[form].items() if chosen[name] == "auto"}
    power, on_gradient = POWERS[chosen["init"]], chosen["learner_weights"] == "gradient"

    def slope(c):
        """What the weights that the learner is shown hold besides the terms of Z."""
        return _exponents(c) if on_gradient else np.ones_like(c)

    def alpha(M, c, T):
        with np.errstate(divide="ignore"):
            log_weights = np.log(M) - np.log(slope(c))
        kappa = np.broadcast_to(_exponents(c) * hit_sign, M.shape)
        return exponential_step(log_weights.reshape(4, -1), kappa.reshape(4, -1))

    return Rules(
        initial=lambda c, T: _exponents(c) ** -power * slope(c),
        alpha=alpha,
        log_factors=lambda alpha, c, T: -alpha * _exponents(c) * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss(-power * np.log(_exponents(c)), _exponents(c)),
    )


ADAUBOOST = Variant(
    "adauboost", "AdaUBoost", "Karakoulas & Shawe-Taylor 1998", "K98 Figure 1, Eqs. (4)-(6), E-K04 to E-K06",
    r"\omega_y\,e^{-m/c(y)}", _adauboost,
    options={
        "form": ("corrected", "paper"),
        "init": ("auto", "beta2", "beta", "uniform"),
        "learner_weights": ("auto", "gradient", "z"),
    },
)  # fmt: skip
