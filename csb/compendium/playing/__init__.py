"""Figures to play with; each function computes all that its figure can show."""

from csb.compendium.playing.boosting import boosting_player
from csb.compendium.playing.calibration_size import calibration_size_player
from csb.compendium.playing.cost_ratio import cost_ratio_player, threshold_player
from csb.compendium.playing.curves import curves_player
from csb.compendium.playing.experts import experts_player
from csb.compendium.playing.losses import losses_player

__all__ = [
    "boosting_player",
    "calibration_size_player",
    "cost_ratio_player",
    "curves_player",
    "experts_player",
    "losses_player",
    "threshold_player",
]
