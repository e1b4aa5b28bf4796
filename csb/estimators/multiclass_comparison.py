"""The methods that Lozano and Abe (2008) compare theirs with or derive from it.

The paper names them and defers their definitions to other papers; what a docstring calls our reading is
stated in neither.
"""

from __future__ import annotations

import numbers

from csb.estimators._multiclass import ChoiceMethod, Mixture, PairMethod, VoteEnsemble
from csb.estimators._multiclass_docs import documented
from csb.methods import multiclass_votes as votes
from csb.methods import pnorm as weights
from csb.methods.pnorm_steps import check_step

__all__ = [
    "DSE", "GBSE", "GBSET", "AdaBoostM2", "AverageCost", "Costing", "MulticlassAdaCost", "MulticlassCSB2",
]  # fmt: skip


class _Averaged(Mixture):
    """The plain average of the hypotheses."""

    def _step(self):
        return check_step("1/t", self._norm())


class _Pairs(PairMethod):
    def __init__(
        self, cost_matrix=None, n_estimators=100, estimator=None, *, expansion="per_label", n_jobs=None,
        random_state=None,
    ):  # fmt: skip
        self.cost_matrix = cost_matrix
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.expansion = expansion
        self.n_jobs = n_jobs
        self.random_state = random_state


class _Choices(ChoiceMethod):
    def __init__(self, cost_matrix=None, n_estimators=100, estimator=None, *, random_state=None):
        self.cost_matrix = cost_matrix
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.random_state = random_state


@documented
class AdaBoostM2(VoteEnsemble, _Pairs):
    r"""AdaBoost.M2 whose first weights are the costs, a comparison method of Lozano and Abe (2008).

    The weights of the pairs of example and wrong class start at :math:`q_i C_{iy}`; the vote is
    :math:`\alpha_t = \frac12 \log \frac{1-\epsilon_t}{\epsilon_t}` of the pseudo-loss :math:`\epsilon_t`. For
    two classes and complementary hypotheses it is CGAda.

    Parameters
    ----------
    <costs>
    <rounds>
    <pairs>
    <seed>

    <votes>
    """

    _stochastic = False

    def _method(self):
        return votes.ADABOOST_M2


@documented
class GBSE(_Averaged, _Pairs):
    r"""Gradient boosting with stochastic ensembles (Abe, Zadrozny and Langford 2004), our reading.

    The binary learner is given the weights :math:`\sum_{y'} H_{t-1}(y'|x_i) C_{iy'} - C_{iy}`, whose signs
    are the labels; the mixture is the average of the stochastic hypotheses.

    Parameters
    ----------
    <costs>
    <rounds>
    <pairs>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.gbse)


@documented
class GBSET(_Averaged, _Pairs):
    r"""GBSE-T, the variant of GBSE with a proof of convergence, our reading.

    As GBSE with the mixture's cost divided by the number of classes, which Lozano and Abe (2008) find close
    to their weights at p = 2.

    Parameters
    ----------
    <costs>
    <rounds>
    <pairs>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.gbse_t)


@documented
class DSE(_Averaged, _Choices):
    r"""Data space expansion, which Section 3.3 of Lozano and Abe (2008) finds to be the case p = 1.

    A multiclass learner takes every label for right, with the constant weights
    :math:`\max_{y'} C_{iy'} - C_{iy}`; the hypotheses of bootstrap samples are averaged.

    Parameters
    ----------
    <costs>
    <rounds>
    <choices>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.dse)


@documented
class Costing(_Averaged, _Choices):
    r"""Costing: an average over samples drawn in proportion to cost (Zadrozny, Langford and Abe 2003).

    Each round accepts an example with probability in proportion to the mean cost of its wrong classes and
    trains an unweighted multiclass learner. For two classes that cost is the cost of the miss; the extension
    to more is our reading.

    Parameters
    ----------
    <costs>
    <rounds>
    <choices>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.costing)


@documented
class AverageCost(_Averaged, ChoiceMethod):
    r"""One multiclass learner on examples weighted by the mean cost of their wrong classes.

    Lozano and Abe (2008) equate its weights with those of LpCSBPA at p = 1; only the weight of the right
    class is proportional to it (E-L08 on the book's errata page).

    Parameters
    ----------
    <costs>
    <choices>
    <seed>

    <mixture>
    """

    _weigh = staticmethod(weights.average_cost)
    n_estimators = 1

    def __init__(self, cost_matrix=None, estimator=None, *, random_state=None):
        self.cost_matrix = cost_matrix
        self.estimator = estimator
        self.random_state = random_state


@documented
class MulticlassAdaCost(VoteEnsemble, ChoiceMethod):
    r"""AdaCost for any number of classes, our reading.

    As AdaCost, with a multiclass learner that hits or misses, and the mean cost of the wrong classes as the
    cost of an example. Training ends when the weighted error reaches one half.

    Parameters
    ----------
    <costs>
    <rounds>
    <choices>
    cost_scale : float, default 0.5
        Largest cost of an example after scaling, in (0, 1].
    <seed>

    <votes>
    """

    def __init__(
        self, cost_matrix=None, n_estimators=100, estimator=None, *, cost_scale=0.5, random_state=None
    ):
        self.cost_matrix = cost_matrix
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.cost_scale = cost_scale
        self.random_state = random_state

    def _method(self):
        if not isinstance(self.cost_scale, numbers.Real) or not 0 < self.cost_scale <= 1:
            raise ValueError(f"cost_scale={self.cost_scale!r}: a number in (0, 1]")
        return votes.adacost(self.cost_scale)


@documented
class MulticlassCSB2(VoteEnsemble, _Choices):
    r"""CSB2 for any number of classes, our reading.

    As CSB2, with a multiclass learner. The weights of missed examples are also multiplied by the cost of the
    prediction made, the smallest positive cost being one. Training ends when the weighted error reaches one
    half.

    Parameters
    ----------
    <costs>
    <rounds>
    <choices>
    <seed>

    <votes>
    """

    def _method(self):
        return votes.CSB2
