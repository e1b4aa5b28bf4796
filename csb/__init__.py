"""Cost-sensitive boosting: the algorithms of five papers, correct to the formula."""

from csb import estimators
from csb.estimators import *  # noqa: F403
from csb.methods import METHODS, VARIANTS
from csb.recommend import recommend

__all__ = ["METHODS", "VARIANTS", "recommend"]
__all__ += estimators.__all__
__version__ = "0.1.0"
