"""ThetaBoost of Karakoulas and Shawe-Taylor (1998)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.binning import Blocks
from csb.estimators.base import Boosting, CostBoosting
from csb.estimators.fitted_state import Examples
from csb.estimators.params import estimator, param
from csb.inputs import check_flag, one_of, shown
from csb.methods import METHODS
from csb.methods.adauboost import ADAUBOOST, FirstWeights, LearnerWeights
from csb.methods.exponential import Form
from csb.methods.spec import VotingMethod
from csb.methods.thresholds import RULES, Rule, check_search, search_support_scores, threshold_between

__all__ = ["ThetaBoost"]


@estimator
class ThetaBoost(CostBoosting):
    r"""AdaUBoost with a threshold between two support vectors.

    Figure 1 of Karakoulas and Shawe-Taylor (1998). After training, a positive and a negative example are
    looked for among the training examples, see :func:`csb.methods.thresholds.search_support_scores`, and a
    threshold is placed between their scores, see :func:`csb.methods.thresholds.threshold_between`. It is
    subtracted from the score. At equal costs it still moves to the middle; where no such pair is left it is
    zero. The paper leaves the parameters of the search undefined, but for a :math:`\delta_M` of 0.2 in its
    experiment (E-K10 on the book's errata page).

    The search drops false positives, not false negatives: the threshold lies below every training positive
    that is not borderline. Where the classes overlap, one far astray decides, and many negatives are
    sacrificed to it, whatever the costs.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ThetaBoost(fn_cost=5, n_estimators=20).fit(X, y)
    >>> with_b = model.theta_
    >>> with_b < model.set_params(threshold="midpoint").theta_
    True
    """

    _method = METHODS["thetaboost"]
    _blockwise = False  # the search for a threshold takes the scores of all rounds
    _changeable = frozenset({"n_jobs", "threshold"})
    _attributes = (
        Boosting._attributes
        + """
        support_scores_ : ndarray of shape (T, 2)
            Scores of the negative and the positive support vector after each round; not a number where no
            pair is left.
        theta_ : float
            What is subtracted from the score of the ensemble."""
    )
    _: KW_ONLY
    threshold: Rule = param(
        "b",
        "How to divide the space between the two scores: Eq. (1), Eq. (2) with cube roots as printed, with "
        "square roots as the bound of Theorem 3.2 asks for (E-K03), or half-way.",
    )
    borderline: float = param(
        0.0, "Examples with a score of at most this size are left out of the search.", "float"
    )
    margin_change: float = param(
        0.2,
        r"The :math:`\delta_M`: pass over a negative for one near it that is lower by this much. Infinite, "
        "the first one stays.",
        "float",
    )
    max_skip: int = param(
        5, "How many distinct scores of negatives below the current one count as near it.", "int"
    )
    normalize: bool = param(
        True,
        "Measure ``borderline`` and ``margin_change`` as shares of the sum of the votes, or in units of the "
        "score.",
        "bool",
    )
    form: Form = param("corrected", "As for :class:`csb.AdaUBoost`.")
    init: FirstWeights = param("auto", "As for :class:`csb.AdaUBoost`.")
    learner_weights: LearnerWeights = param("auto", "As for :class:`csb.AdaUBoost`.")
    omega: float | None = param(None, "As for :class:`csb.AdaUBoost`.", "float")

    def _row(self) -> VotingMethod:
        return ADAUBOOST

    def _train(self, examples: Examples, cost: np.ndarray | None) -> None:
        one_of("threshold", self.threshold, RULES)
        borderline, margin_change, max_skip = check_search(self.borderline, self.margin_change, self.max_skip)
        normalize = check_flag("normalize", self.normalize)
        super()._train(examples, cost)
        alpha_sums = np.cumsum(np.abs(self.estimator_weights_)).clip(min=np.finfo(float).tiny)
        units = alpha_sums if normalize else np.ones_like(alpha_sums)
        found = [
            search_support_scores(
                examples.labels == 1, scores, borderline=borderline * unit,
                margin_change=margin_change * unit, max_skip=max_skip, pos_label=True,
            )
            for unit, scores in zip(units, self._model.staged_scores(examples.X), strict=True)
        ]  # fmt: skip
        self.support_scores_ = np.array([(np.nan, np.nan) if pair is None else pair for pair in found])
        self._fitted_costs = self._class_costs(self.classes_).by_class[::-1, 0]

    def _gains_by_batches(self) -> bool:
        return False

    def _train_copies(self, *args: Any) -> NoReturn:
        raise ValueError(
            f"estimator={shown(self)}: its threshold is sought after training, so that no round can be "
            "judged by itself; allowed is AdaUBoost()"
        )

    def _thetas(self) -> np.ndarray:
        """What is subtracted from the score after each round."""
        self._check_unchanged()
        negative, positive = np.nan_to_num(self.support_scores_).T  # between zero and zero lies zero
        fn_cost, fp_cost = self._fitted_costs
        return threshold_between(negative, positive, fn_cost, fp_cost, self.threshold)

    @property
    def theta_(self) -> float:
        """What is subtracted from the score of the ensemble."""
        return float(self._thetas()[-1])

    @property
    def intercept_(self) -> float:
        """What no feature has a part in, minus ``theta_``."""
        return super().intercept_ - self.theta_

    def decision_function(self, X: ArrayLike | Blocks) -> np.ndarray:
        r"""Score :math:`\sum_t \alpha_t h_t(x) - \theta`.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return super().decision_function(X) - self.theta_

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round, less the threshold found for that round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            The score of the ensemble's first rounds.
        """
        for theta, scores in zip(self._thetas(), super().staged_decision_function(X), strict=True):
            yield scores - theta

    def _reason_without_probability(self) -> str:
        return "its threshold rests on two training examples, not on a probability"
