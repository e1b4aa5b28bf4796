"""What deciding a property gives: a verdict and the evidence for it."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """A property of one method, decided by running the method.

    Attributes
    ----------
    property : str
        "FGD-consistent", "cost-consistent", "asymmetry-preserving" or "calibrated".
    verdict : str
        "yes" or "no", or a word that qualifies one of them, such as "weak".
    reason : str
        One sentence that says why, for a reader.
    evidence : mapping of str to float, int or str
        The numbers on which the verdict rests.
    """

    property: str
    verdict: str
    reason: str
    evidence: Mapping[str, float | int | str] = field(default_factory=dict)

    @builtins.property  # the name is that of a field here
    def holds(self) -> bool:
        """Whether the property holds, possibly in a weaker form."""
        return self.verdict in ("yes", "weak")

    def __str__(self) -> str:
        numbers = ", ".join(
            f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in self.evidence.items()
        )
        return f"{self.verdict}: {self.reason} ({numbers})" if numbers else f"{self.verdict}: {self.reason}"
