"""The boosting variants as scikit-learn classifiers.

Each class is one row of ``csb.VARIANTS`` with a constructor; all behaviour stands in the base class.
"""

from csb.estimators.adac import AdaC1, AdaC2, AdaC3
from csb.estimators.adacost import AdaCost, AdaCostBeta2
from csb.estimators.adauboost import AdaUBoost, ThetaBoost
from csb.estimators.asyb import AsyB
from csb.estimators.calibrated import CalibratedAdaMEC, CalibratedAsymAda, CalibratedCGAda
from csb.estimators.csada import AdaDB, CSAda
from csb.estimators.csb import CSB0, CSB1, CSB2
from csb.estimators.exponential import AdaBoost, AdaMEC, AsymAda, CGAda
from csb.estimators.general import CostSensitiveBoosting
from csb.estimators.gradient import GDAdaC1, GDAdaCost, GDAsymBoost, GradientDescentBoosting
from csb.estimators.logit import AsyBL, AsymmetricLogitBoost, LogitBoost
from csb.estimators.multiclass import LpCSB, LpCSBA, LpCSBPA
from csb.estimators.multiclass_comparison import (
    DSE,
    GBSE,
    GBSET,
    AdaBoostM2,
    AverageCost,
    Costing,
    MulticlassAdaCost,
    MulticlassCSB2,
)

__all__ = [
    "AdaBoost", "AdaBoostM2", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCostBeta2", "AdaDB", "AdaMEC",
    "AdaUBoost", "AsyB", "AsyBL", "AsymAda", "AsymmetricLogitBoost", "AverageCost", "CGAda", "CSAda",
    "CSB0", "CSB1", "CSB2", "CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda",
    "CostSensitiveBoosting", "Costing", "DSE", "GBSE", "GBSET", "GDAdaC1", "GDAdaCost", "GDAsymBoost",
    "GradientDescentBoosting", "LogitBoost", "LpCSB", "LpCSBA", "LpCSBPA", "MulticlassAdaCost",
    "MulticlassCSB2", "ThetaBoost",
]  # fmt: skip
