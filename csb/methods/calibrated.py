"""Rows that lean on another: calibrated boosting, Section 4 of Nikolaou et al. (2016), and any variant."""

from __future__ import annotations

from dataclasses import dataclass

from csb.methods.exponential import ADABOOST, ADAMEC, ASYMADA, CGADA
from csb.methods.row import Look, Method, VotingMethod

__all__ = ["ANY_VARIANT", "CALIBRATED_ADAMEC", "CALIBRATED_ASYMADA", "CALIBRATED_CGADA", "CalibratedMethod"]

CARD = r"""
- **Rule**: Train the base method on two thirds of the data, map its scores to probabilities $\hat p$ on
  the other third (Platt scaling or isotonic regression, without cost weights); with `cv`, cross-fit and
  average
- **Decision**: $\hat p>c$, for all three, Eq. (17); Section 5.1 has one half for all methods but AdaMEC
  ({ref}`E-N13 <e-n13>`). With AdaMEC the costs may change after training
- **Loss**: the base method's, and for Platt scaling the log loss with targets $\frac{N_++1}{N_++2}$ and
  $\frac1{N_-+2}$
- **Fails** on few examples: the held-out third is missed in training, and isotonic regression needs
  hundreds of calibration examples ({ref}`ch-calibration`)
- **Source**: Section 4 of {cite:t}`nikolaou2016`; {cite:t}`platt1999`, {cite:t}`zadrozny2002`
"""


@dataclass(frozen=True)
class CalibratedMethod(Method):
    """A row whose scores are those of another, mapped to probabilities.

    Attributes
    ----------
    base : VotingMethod
        The other row.
    """

    base: VotingMethod = ADABOOST

    @property
    def kind(self) -> str:
        return "votes, calibrated"


def calibrated(base: VotingMethod) -> CalibratedMethod:
    """The row of a calibrated method: its colour and marker, a broken line."""
    return CalibratedMethod(
        f"calibrated_{base.key}", f"{base.name}, calibrated", "Nikolaou et al. 2016", "N16 Section 4, E-N13",
        "the base method's", base.look._replace(linestyle="--"), "Calibrated", CARD, base.costs_act, base,
    )  # fmt: skip


CALIBRATED_ADAMEC, CALIBRATED_CGADA, CALIBRATED_ASYMADA = map(calibrated, (ADAMEC, CGADA, ASYMADA))
ANY_VARIANT = Method(
    "any_variant", "any variant by its key", "Nikolaou et al. 2016", "N16 Tables 1-3", "the variant's",
    Look("#7f7f7f", "o", "-"), "Any variant, any objective", card=r"""
- **Rule**: The variant named by `variant`, a key of `csb.VARIANTS`; its options by `options`
- **Decision**: the variant's
- **Loss**: the variant's
- **Fails** where the variant fails ({ref}`ch-four-views`)
- **Source**: {cite:t}`nikolaou2016`, Tables 1 to 3
""",
)  # fmt: skip
