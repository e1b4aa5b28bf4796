"""The row of MetaCost, which gives any learner other labels: Domingos (1999)."""

from __future__ import annotations

from dataclasses import dataclass

from csb.methods.row import Method

__all__ = ["METACOST", "RelabellingMethod"]


@dataclass(frozen=True)
class RelabellingMethod(Method):
    """A row without a loop of its own: costs act on the labels that a learner is given."""

    @property
    def kind(self) -> str:
        return "any learner's, on new labels"


METACOST = RelabellingMethod(
    "metacost", "MetaCost", "Domingos 1999", "Domingos 1999, our reading", "the learner's"
)
