"""Which method for these data and these costs: candidates and what needs no model, on the same folds."""

from csb.recommend.recommendation import Recommendation
from csb.recommend.recommending import recommend

__all__ = ["Recommendation", "recommend"]
