"""Cost-sensitive boosting: the algorithms of five papers, correct to the formula."""

from csb.calibrated import CalibratedAdaMEC, CalibratedAsymAda, CalibratedCGAda
from csb.estimators import (
    AdaBoost,
    AdaC1,
    AdaC2,
    AdaC3,
    AdaCost,
    AdaCostBeta2,
    AdaDB,
    AdaMEC,
    AsymAda,
    CGAda,
    CostSensitiveBoosting,
    CSAda,
    CSB0,
    CSB1,
    CSB2,
)
from csb.variants import VARIANTS

__all__ = [
    "VARIANTS", "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCostBeta2", "AdaDB", "AdaMEC", "AsymAda",
    "CGAda", "CSAda", "CSB0", "CSB1", "CSB2", "CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda",
    "CostSensitiveBoosting",
]  # fmt: skip
__version__ = "0.1.0"
