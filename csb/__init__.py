"""Cost-sensitive boosting: the algorithms of five papers, correct to the formula."""

from csb.estimators import (
    CSB0,
    CSB1,
    CSB2,
    AdaBoost,
    AdaC1,
    AdaC2,
    AdaC3,
    AdaCost,
    AdaCostBeta2,
    AdaDB,
    AdaMEC,
    AdaUBoost,
    AsyB,
    AsyBL,
    AsymAda,
    AsymmetricLogitBoost,
    CalibratedAdaMEC,
    CalibratedAsymAda,
    CalibratedCGAda,
    CGAda,
    CostSensitiveBoosting,
    CSAda,
    GDAdaC1,
    GDAdaCost,
    GDAsymBoost,
    GradientDescentBoosting,
    LogitBoost,
    ThetaBoost,
)
from csb.variants import VARIANTS

__all__ = [
    "VARIANTS", "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCostBeta2", "AdaDB", "AdaMEC",
    "AdaUBoost", "AsyB", "AsyBL", "AsymAda", "AsymmetricLogitBoost", "CGAda", "CSAda", "CSB0", "CSB1", "CSB2",
    "CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda", "CostSensitiveBoosting", "GDAdaC1",
    "GDAdaCost", "GDAsymBoost", "GradientDescentBoosting", "LogitBoost", "ThetaBoost",
]  # fmt: skip
__version__ = "0.1.0"
