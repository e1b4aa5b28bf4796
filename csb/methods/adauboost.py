r"""AdaUBoost of Karakoulas and Shawe-Taylor (1998): the inverse of the cost in the exponent.

The loss is :math:`\omega_y e^{-k_ym}` with :math:`k_+ = 1/\beta`, :math:`k_- = 1` for a cost ratio
:math:`\beta`, and :math:`\omega_- = 1`. Its sum over the examples is the :math:`Z` of Eq. (4).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from csb.engine.elementary import exp, log
from csb.engine.linesearch import exponential_step
from csb.engine.rules import PerModel, Rules, hit_sign
from csb.methods.exponential import Form
from csb.methods.losses import ExponentialLoss
from csb.methods.spec import Method, VotingMethod

__all__ = ["ADAUBOOST", "THETABOOST"]

FirstWeights = Literal["auto", "beta2", "beta", "uniform"]
LearnerWeights = Literal["auto", "gradient", "z"]

DEFAULTS = {
    "corrected": {"init": "beta2", "learner_weights": "gradient"},
    "paper": {"init": "beta", "learner_weights": "z"},
}
POWERS = {"uniform": 0, "beta": 1, "beta2": 2}
"""How often the cost ratio is multiplied into the first weight of a positive."""


def _exponents(c: np.ndarray) -> np.ndarray:
    r"""The :math:`\beta_i` of Figure 1."""
    return np.stack([np.ones_like(c[0]), c[0] / c[1]])


def adauboost(
    form: Form = "corrected",
    init: FirstWeights = "auto",
    learner_weights: LearnerWeights = "auto",
    omega: float | None = None,
) -> Rules:
    """Exact line search on Z."""
    chosen: dict[str, str] = {"init": init, "learner_weights": learner_weights}
    chosen |= {name: value for name, value in DEFAULTS[form].items() if chosen[name] == "auto"}
    times, on_gradient = POWERS[chosen["init"]], chosen["learner_weights"] == "gradient"

    def log_omega(c: np.ndarray) -> np.ndarray:
        """Logarithms of the first terms of Z."""
        if omega is None:
            return -times * log(_exponents(c))
        return np.stack([np.zeros_like(c[0]), np.full_like(c[1], log(omega))])

    def slope(c: np.ndarray) -> np.ndarray:
        """What the weights that the learner is shown hold besides the terms of Z."""
        return _exponents(c) if on_gradient else np.ones_like(c)

    def alpha(M: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
        kappa = np.broadcast_to(_exponents(c) * hit_sign, M.shape)
        return exponential_step((log(M) - log(slope(c))).reshape(4, -1), kappa.reshape(4, -1))

    return Rules(
        initial=lambda c, T: exp(log_omega(c)) * slope(c),
        alpha=alpha,
        log_factors=lambda alpha, c, T: -alpha * _exponents(c) * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss(log_omega(c), _exponents(c)),
    )


ADAUBOOST = VotingMethod(
    "adauboost", "AdaUBoost", "Karakoulas & Shawe-Taylor 1998", "K98 Figure 1, Eqs. (4)-(6), E-K04 to E-K06",
    r"\omega_y\,e^{-m/c(y)}", rules=adauboost,
)  # fmt: skip
THETABOOST = Method(
    "thetaboost", "ThetaBoost", "Karakoulas & Shawe-Taylor 1998", "K98 Figure 1, Section 3, E-K03, E-K10",
    "AdaUBoost's",
)  # fmt: skip
