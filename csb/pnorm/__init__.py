"""The p-norm family of Lozano and Abe (2008), and the methods that they compare it with.

Examples carry the cost of each class. A method weights the pairs of example and class (``weights``), trains a
weak hypothesis on them (``hypotheses``), and takes a step towards it (``steps``) or lets it vote (``votes``);
``loops`` holds the two loops.
"""

from csb.pnorm.hypotheses import ChoiceLearner, PairLearner
from csb.pnorm.loops import mix, vote
from csb.pnorm.problem import Problem
from csb.pnorm.steps import STEPS, check_step

__all__ = ["STEPS", "ChoiceLearner", "PairLearner", "Problem", "check_step", "mix", "vote"]
