"""Figures to play with: each function computes what its figure can show, or the page itself does."""

from csbook.interactive.boosting import boosting_figure
from csbook.interactive.calibration_size import calibration_size_figure
from csbook.interactive.conditional_risk import conditional_risk_figure
from csbook.interactive.cost_ratio import cost_ratio_figure, threshold_figure
from csbook.interactive.curves import curves_figure
from csbook.interactive.engine import engine_script
from csbook.interactive.experts import experts_figure
from csbook.interactive.losses import losses_figure
from csbook.interactive.own_table import own_table
from csbook.interactive.retrain import retrain_figure
from csbook.interactive.threshold_bill import threshold_bill_figure

__all__ = [
    "boosting_figure",
    "calibration_size_figure",
    "conditional_risk_figure",
    "cost_ratio_figure",
    "curves_figure",
    "engine_script",
    "experts_figure",
    "losses_figure",
    "own_table",
    "retrain_figure",
    "threshold_bill_figure",
    "threshold_figure",
]
