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
from csb.methods.row import Look, Method, VotingMethod

__all__ = ["ADAUBOOST", "THETABOOST"]

FAMILY = "The inverse cost in the exponent"
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
    r"\omega_y\,e^{-m/c(y)}", Look("#332288", "8", "-"), FAMILY, rules=adauboost, card=r"""
- **First weights**: $D^1_i\propto\omega_{y_i}k_{y_i}$ with $k_+=1/\rho$, $k_-=1$, $\omega_-=1$ and
  $\omega_+=\rho^2$ (`init="beta2"`, the default), $\rho$ (`"beta"`, the default of `form="paper"`), 1
  (`"uniform"`) or a number (`omega`, of `classes_[1]`). With `learner_weights="z"`, the default of
  `form="paper"`, the factor $k_{y_i}$ is left out here and its divisor in the vote; `"gradient"` has both
- **Vote**: $\alpha_t=\arg\min_\alpha\sum_i\frac{D^t_i}{k_{y_i}}e^{-\alpha k_{y_i}u_i}$
- **Update**: $D^{t+1}_i\propto D^t_i\,e^{-\alpha_tk_{y_i}u_i}$
- **Decision**: $F>0$
- **Loss**: <loss> for $c_{FP}=1$
- **Fails** with the first weights of the paper's experiments, $\omega_+=1$: the sign then changes at the
  posterior $\rho/(1+\rho)$ in place of $1/(1+\rho)$ ({ref}`ch-fat`)
- **Source**: Figure 1 and Eqs. (4) to (6) of {cite:t}`karakoulas1998`; {ref}`E-K04 <e-k04>` to
  {ref}`E-K06 <e-k06>`
""",
)  # fmt: skip
THETABOOST = Method(
    "thetaboost", "ThetaBoost", "Karakoulas & Shawe-Taylor 1998", "K98 Figure 1, Section 3, E-K03, E-K10",
    "AdaUBoost's", Look("#332288", "X", "--"), FAMILY, card=r"""
- **Rule**: AdaUBoost; then, among the training examples, the smallest score $s_+$ of a positive that is
  not borderline and a score $s_-$ of a negative below it
- **Decision**: $F>\frac{s_++rs_-}{1+r}$ with $r=\rho$ (`threshold="b"`, Eq. (1)), $\rho^{1/3}$ (`"eta"`,
  Eq. (2)), $\rho^{1/2}$ (`"eta_max"`, the minimiser of the bound) or 1 (`"midpoint"`)
- **Loss**: AdaUBoost's; the threshold has none
- **Fails** on overlapping classes, where the two examples are outliers and one positive far astray
  decides ({ref}`ch-fat`)
- **Source**: Figure 1 and Section 3 of {cite:t}`karakoulas1998`; {ref}`E-K03 <e-k03>` and
  {ref}`E-K10 <e-k10>`
""",
)  # fmt: skip
