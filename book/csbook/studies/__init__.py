"""The papers' experiments as studies: resumable, recorded, verifiable. ``csbook study`` runs them."""

from csbook.studies.beyond import BEYOND
from csbook.studies.c08 import C08, C08_PRUNED
from csbook.studies.c13 import C13, C13_CART, C13_LOGISTIC, C13_PRUNED
from csbook.studies.k98 import K98, K98_PRUNED, K98_WEIGHTS
from csbook.studies.l08 import L08, L08_FULL, L08_PRUNED
from csbook.studies.learning import LEARNING
from csbook.studies.likeliest import LIKELIEST
from csbook.studies.manifest import Recorded, recorded, source_sha256, write_results
from csbook.studies.n16 import N16
from csbook.studies.practice import PRACTICE
from csbook.studies.reading import areas, losses, ranks
from csbook.studies.rivals import RIVALS
from csbook.studies.shrinkage import SHRINKAGE
from csbook.studies.study import Study, run, verify

STUDIES = {
    study.name: study
    for study in (
        C08, C08_PRUNED, C13, C13_PRUNED, C13_LOGISTIC, C13_CART, K98, K98_PRUNED, K98_WEIGHTS, L08,
        L08_PRUNED, L08_FULL, *N16, *BEYOND, *SHRINKAGE, *LEARNING, LIKELIEST, RIVALS,
        PRACTICE,
    )
}  # fmt: skip
"""All studies by name.

:meta hide-value:
"""

__all__ = [
    "BEYOND", "C08", "C08_PRUNED", "C13", "C13_CART", "C13_LOGISTIC", "C13_PRUNED", "K98", "K98_PRUNED",
    "K98_WEIGHTS", "L08", "L08_FULL", "L08_PRUNED", "LEARNING", "LIKELIEST", "N16", "PRACTICE", "RIVALS",
    "SHRINKAGE", "STUDIES", "Recorded", "Study", "areas", "losses", "ranks", "recorded", "run",
    "source_sha256", "verify", "write_results",
]  # fmt: skip
