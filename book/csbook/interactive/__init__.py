"""Figures to play with; each function computes all that its figure can show."""

from csbook.interactive.boosting import boosting_player
from csbook.interactive.calibration_size import calibration_size_player
from csbook.interactive.cost_ratio import cost_ratio_player, threshold_player
from csbook.interactive.curves import curves_player
from csbook.interactive.experts import experts_player
from csbook.interactive.losses import losses_player

__all__ = [
    "boosting_player",
    "calibration_size_player",
    "cost_ratio_player",
    "curves_player",
    "experts_player",
    "losses_player",
    "threshold_player",
]
