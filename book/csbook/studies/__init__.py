"""The papers' experiments as studies: resumable, recorded, verifiable. ``csbook study`` runs them."""

from csbook.studies.advice import ADVICE
from csbook.studies.c08 import C08, C08_PRUNED
from csbook.studies.c13 import C13, C13_BOUNDARIES, C13_CART, C13_LOGISTIC, C13_PRUNED
from csbook.studies.calibration_or_step import CALIBRATION_OR_STEP
from csbook.studies.calibration_ways import CALIBRATION_WAYS
from csbook.studies.k98 import K98, K98_PRUNED, K98_WEIGHTS
from csbook.studies.l08 import L08, L08_FULL, L08_PRUNED
from csbook.studies.learning import LEARNING
from csbook.studies.likeliest import LIKELIEST
from csbook.studies.manifest import Recorded, recorded, source_sha256, write_results
from csbook.studies.measures import BANDS, areas, band_losses, by_band, losses, ranks
from csbook.studies.modern_rivals import MODERN_RIVALS
from csbook.studies.n16 import N16
from csbook.studies.practice import PRACTICE
from csbook.studies.real_case import REAL_CASE
from csbook.studies.shrinkage import SHRINKAGE
from csbook.studies.study import Study, run, verify
from csbook.studies.tuned_rivals import TUNED_RIVALS
from csbook.studies.weights_or_calibration import WEIGHTS_OR_CALIBRATION

STUDIES = {
    study.name: study
    for study in (
        C08, C08_PRUNED, C13, C13_PRUNED, C13_LOGISTIC, C13_CART, C13_BOUNDARIES, K98, K98_PRUNED,
        K98_WEIGHTS, L08, L08_PRUNED, L08_FULL, *N16, CALIBRATION_WAYS, MODERN_RIVALS,
        *SHRINKAGE, *LEARNING, LIKELIEST, CALIBRATION_OR_STEP, TUNED_RIVALS,
        WEIGHTS_OR_CALIBRATION, PRACTICE, REAL_CASE, ADVICE,
    )
}  # fmt: skip
"""All studies by name.

:meta hide-value:
"""

__all__ = [
    "ADVICE", "BANDS", "C08", "C08_PRUNED", "C13", "C13_BOUNDARIES", "C13_CART", "C13_LOGISTIC", "C13_PRUNED",
    "CALIBRATION_OR_STEP", "CALIBRATION_WAYS", "K98", "K98_PRUNED", "K98_WEIGHTS", "L08", "L08_FULL",
    "L08_PRUNED", "LEARNING", "LIKELIEST", "MODERN_RIVALS", "N16", "PRACTICE", "REAL_CASE", "SHRINKAGE",
    "STUDIES", "TUNED_RIVALS", "WEIGHTS_OR_CALIBRATION", "Recorded", "Study", "areas", "band_losses",
    "by_band", "losses", "ranks", "recorded", "run", "source_sha256", "verify", "write_results",
]  # fmt: skip
