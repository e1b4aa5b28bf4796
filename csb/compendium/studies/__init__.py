"""The papers' experiments as studies: resumable, recorded, verifiable. ``python -m csb study`` runs them."""

from csb.compendium.studies.beyond import BEYOND
from csb.compendium.studies.c08 import C08
from csb.compendium.studies.c13 import C13
from csb.compendium.studies.k98 import K98
from csb.compendium.studies.l08 import L08
from csb.compendium.studies.manifest import Recorded, recorded, source_sha256, write_results
from csb.compendium.studies.n16 import N16
from csb.compendium.studies.practice import PRACTICE
from csb.compendium.studies.reading import areas, losses, ranks
from csb.compendium.studies.study import Study, run, verify

STUDIES = {study.name: study for study in (C08, C13, K98, L08, *N16, *BEYOND, PRACTICE)}
"""All studies by name.

:meta hide-value:
"""

__all__ = [
    "BEYOND", "C08", "C13", "K98", "L08", "N16", "PRACTICE", "STUDIES", "Recorded", "Study",
    "areas", "losses", "ranks", "recorded", "run", "source_sha256", "verify", "write_results",
]  # fmt: skip
