"""Rows that lean on another: calibrated boosting, any variant by its key, and MetaCost around any learner."""

from __future__ import annotations

from dataclasses import dataclass

from csb.methods.exponential import ADABOOST, ADAMEC, ASYMADA, CGADA
from csb.methods.spec import Method, VotingMethod

__all__ = [
    "ANY_VARIANT", "CALIBRATED_ADAMEC", "CALIBRATED_ASYMADA", "CALIBRATED_CGADA", "METACOST",
    "CalibratedMethod", "RelabellingMethod",
]  # fmt: skip


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
    """The row of a calibrated method."""
    return CalibratedMethod(
        f"calibrated_{base.key}", f"{base.name}, calibrated", "Nikolaou et al. 2016", "N16 Section 4, E-N13",
        "the base method's", costs_act=base.costs_act, base=base,
    )  # fmt: skip


CALIBRATED_ADAMEC, CALIBRATED_CGADA, CALIBRATED_ASYMADA = map(calibrated, (ADAMEC, CGADA, ASYMADA))
ANY_VARIANT = Method(
    "any_variant", "any variant by its key", "Nikolaou et al. 2016", "N16 Tables 1-3", "the variant's"
)


@dataclass(frozen=True)
class RelabellingMethod(Method):
    """A row without a loop of its own: costs act on the labels that a learner is given."""

    @property
    def kind(self) -> str:
        return "any learner's, on new labels"


METACOST = RelabellingMethod(
    "metacost", "MetaCost", "Domingos 1999", "Domingos 1999, our reading", "the learner's"
)
