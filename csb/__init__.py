"""Cost-sensitive boosting: the algorithms of five papers, correct to the formula."""

from typing import TYPE_CHECKING

from csb import estimators
from csb.estimators import *  # noqa: F403
from csb.estimators.decision import CostDecision as CostDecision
from csb.estimators.search import BoostingCV as BoostingCV
from csb.methods import METHODS as METHODS
from csb.methods import VARIANTS as VARIANTS
from csb.recommend import recommend as recommend

if not TYPE_CHECKING:  # see csb.estimators
    __all__ = ["METHODS", "VARIANTS", "BoostingCV", "CostDecision", "recommend"]
    __all__ += estimators.__all__
__version__ = "0.1.0"
