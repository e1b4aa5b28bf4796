"""The row of MetaCost, which gives any learner other labels: Domingos (1999)."""

from __future__ import annotations

from dataclasses import dataclass

from csb.methods.row import Look, Method

__all__ = ["METACOST", "RelabellingMethod"]


@dataclass(frozen=True)
class RelabellingMethod(Method):
    """A row without a loop of its own: costs act on the labels that a learner is given."""

    @property
    def kind(self) -> str:
        return "any learner's, on new labels"


METACOST = RelabellingMethod(
    "metacost", "MetaCost", "Domingos 1999", "Domingos 1999, our reading", "the learner's",
    Look("#332288", "*", "-"), "Around any learner", r"""
- **Rule**: Train the learner on $m$ bootstrap samples of $s$ examples each. Let $P(j|x)$ be the mean of
  their probabilities, or of their votes (`average="votes"`); over all of them, or over those whose sample
  lacks the example (`out_of_bag=True`). Give every example the label
  $\arg\min_y\sum_jP(j|x)C_{jy}$ and train the learner once more
- **Decision**: the learner's
- **Loss**: the learner's
- **Fails** where the mean probabilities are off, for the labels inherit what no later step can see or mend:
  a calibrated classifier that decides by the costs keeps its probabilities ({ref}`ch-calibration`)
- **Source**: {cite:t}`domingos1999`, whose $C(i,j)$ is our $C_{ji}$; {cite:t}`lozano2008` and
  {cite:t}`cao2013` name it
""",
)  # fmt: skip
