"""What the multiclass estimators share: costs, validation, mixtures, votes and decisions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from csb.costs import check_cost_matrix, check_cost_rows
from csb.engine.learners.pairs import ChoiceLearner, PairLearner
from csb.engine.mixture import ClassVotes, Descent, Ensemble, Problem, Step, mix, vote_for_classes
from csb.engine.rules import TIE, OneByOne
from csb.estimators import _sklearn
from csb.estimators.fitted_state import FittedState
from csb.estimators.params import RandomState, estimator, param
from csb.inputs import ConstantModelWarning, check_count, plain_array, read_number, read_random_state
from csb.methods.pnorm import check_step
from csb.methods.spec import LEARNING_RATES, ClassVoteMethod, Method, MixtureMethod

__all__ = ["Choices", "Mixture", "MulticlassCostClassifier", "Pairs", "SumOfVotes"]

ATTRIBUTES = """
        estimators_ : list of length T
            Weak hypotheses; each ``predict`` gives an array f(y|x) of shape (n, k).
        {}
        stop_reason_ : str
            One of max_rounds, perfect, no_edge, alpha.
        classes_ : ndarray of shape (k,)
            Labels.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """


@estimator
class MulticlassCostClassifier(FittedState, _sklearn.ClassifierMixin, _sklearn.BaseEstimator):
    """Any number of classes, a cost for each prediction, and the decision: the largest score."""

    _method: ClassVar[Method]
    _attributes: ClassVar[str] = ATTRIBUTES.format("")
    cost_matrix: Any = param(
        None,
        "Cost of each prediction (columns) for each true class (rows), the right class being the cheapest of "
        "its row. An array follows the sorted classes, a frame names them. Every error costs one by default. "
        "Costs of single examples are given to ``fit``.",
        "array_like or DataFrame of shape (k, k)",
    )
    _: KW_ONLY
    random_state: RandomState = param(
        None, "Seed of randomised learners and of sampling.", "int, RandomState or None"
    )

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost: ArrayLike | None = None,
    ) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers, or NaN where the learner takes it.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.
        cost : array_like of shape (n_samples, n_classes), optional
            Cost of predicting each class for each example, in the order of the sorted classes. It takes the
            place of ``cost_matrix``, which must then be None.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible; nothing is trained then.
        """
        return self._fit_atomically(X, y, sample_weight, cost)

    def _fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, cost: ArrayLike | None
    ) -> None:
        X, labels, weights, classes, used = self._read(X, y, sample_weight)
        if cost is None:
            costs = check_cost_matrix(self.cost_matrix, classes)[labels]
        elif self.cost_matrix is not None:
            raise ValueError("cost_matrix must be None when fit is given cost")
        else:
            costs = check_cost_rows(_used_rows(cost, used), labels, classes)
        weights = weights / weights.sum()
        problem = Problem(weights, costs - costs.min(axis=1, keepdims=True), labels)
        trained = self._train(X, problem, read_random_state("random_state", self.random_state))
        self.classes_ = classes
        self.estimators_ = trained.hypotheses
        self.stop_reason_ = trained.stop_reason
        self._store(trained)
        self._cost_ranks = rankdata(weights @ problem.costs, method="ordinal") - 1
        if not self.estimators_:
            warnings.warn(
                f"no hypothesis was kept ({self.stop_reason_}); the model is the constant class of least "
                "training cost",
                ConstantModelWarning,
                stacklevel=4,
            )

    def _takes_missing(self) -> bool:
        return getattr(self, "estimator", None) is None or super()._takes_missing()  # scikit-learn's trees do

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing()
        return tags

    def _learner(self, X: np.ndarray, n_classes: int, random_state: np.random.RandomState) -> OneByOne:
        """What is trained in each round."""
        raise NotImplementedError

    def _train(self, X: np.ndarray, problem: Problem, random_state: np.random.RandomState) -> Ensemble:
        """The trained ensemble."""
        raise NotImplementedError

    def _store(self, trained: Ensemble) -> None:
        """Keep what the ensemble is made of."""
        raise NotImplementedError

    def _scores(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Scores (n, k) before the first and after each round; one array for each."""
        raise NotImplementedError

    def _without_ties(self, scores: np.ndarray) -> np.ndarray:
        """Scores with ties settled: lowered a little by the rank of the class's mean training cost."""
        scale = TIE * np.maximum(1.0, np.abs(scores).max(axis=1, keepdims=True))
        return scores - scale * self._cost_ranks

    def _decide(self, scores: np.ndarray) -> np.ndarray:
        return self.classes_[np.argmax(self._without_ties(scores), axis=1)]

    def _shape(self, scores: np.ndarray) -> np.ndarray:
        scores = self._without_ties(scores)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores of the classes.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            For two classes, the score of ``classes_[1]`` less that of ``classes_[0]``. Ties are settled in
            favour of the class of least mean training cost, by about 1e-12.
        """
        *_, scores = self._scores(self._check_X(X))
        return self._shape(scores)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The class of largest score of each example; among equals the one of least mean training cost.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        *_, scores = self._scores(self._check_X(X))
        return self._decide(scores)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            Scores of the ensemble's first rounds.
        """
        stages = self._scores(self._check_X(X))
        next(stages)
        for scores in stages:
            yield self._shape(scores)

    def staged_predict(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Predictions after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            Labels.
        """
        stages = self._scores(self._check_X(X))
        next(stages)
        for scores in stages:
            yield self._decide(scores)


def _used_rows(cost: ArrayLike, used: np.ndarray) -> np.ndarray:
    cost = plain_array("cost", cost)
    if cost.ndim != 2 or len(cost) != len(used):
        raise ValueError(f"cost has shape {cost.shape}: allowed is ({len(used)}, n_classes)")
    return cost[used]


@estimator
class Pairs(MulticlassCostClassifier):
    """A method whose learner is binary and sees pairs of example and class."""

    n_estimators: int = param(100, "Largest number of rounds.", "int")
    estimator: str | BaseEstimator | None = param(
        None,
        "Binary learner of the pairs (x, y): scikit-learn's tree of depth five by default, a name such as "
        '"stump" or "tree", which is faster, a :class:`csb.engine.learners.tree.Tree` of another depth, or '
        "any classifier whose ``fit`` accepts ``sample_weight``.",
        "str, Tree or scikit-learn classifier",
    )
    _: KW_ONLY
    expansion: Literal["per_label", "one_hot"] = param(
        "per_label",
        "Train one learner for each class, or one on all pairs that sees the class in one-hot coding.",
    )
    n_jobs: int | None = param(None, "Threads over the classes; the model does not depend on it.", "int")

    def _stochastic(self) -> bool:
        """Whether relations are shared out among the classes that they admit."""
        return True

    def _learner(self, X: np.ndarray, n_classes: int, random_state: np.random.RandomState) -> OneByOne:
        return PairLearner(
            self.estimator, X, n_classes, expansion=self.expansion, stochastic=self._stochastic(),
            n_jobs=self.n_jobs, random_state=random_state,
        )  # fmt: skip


@estimator
class Choices(MulticlassCostClassifier):
    """A method whose learner is multiclass."""

    n_estimators: int = param(100, "Largest number of rounds.", "int")
    estimator: BaseEstimator | None = param(
        None,
        "Multiclass learner whose ``fit`` accepts ``sample_weight``; a tree of depth five by default.",
        "scikit-learn classifier",
    )

    def _learner(self, X: np.ndarray, n_classes: int, random_state: np.random.RandomState) -> OneByOne:
        return ChoiceLearner(self.estimator, X, n_classes, random_state=random_state)


class Mixture(MulticlassCostClassifier):
    """A convex combination of hypotheses, started from the uniform distribution: their plain average."""

    n_estimators: int
    _method: ClassVar[MixtureMethod]
    _attributes: ClassVar[str] = ATTRIBUTES.format(
        """steps_ : ndarray of shape (T,)
            Steps of the convex combination.
        objective_ : ndarray of shape (T + 1,)
            The objective on the training set, a mean over examples, before the first and after each round."""
    )

    def _norm(self) -> float:
        return 1.0

    def _step(self) -> Step:
        return check_step("1/t", self._norm())

    def _descent(self, problem: Problem, random_state: np.random.RandomState) -> Descent:
        """On the p-norm cost."""
        p, step = self._norm(), self._step()
        return Descent(
            lambda H: self._method.weigh(problem, H, p, random_state),
            lambda H, f, t: step(problem, H, f, p, t),
            lambda H: problem.objective(H, p),
        )

    def _train(self, X: np.ndarray, problem: Problem, random_state: np.random.RandomState) -> Ensemble:
        rounds, descent = check_count("n_estimators", self.n_estimators), self._descent(problem, random_state)
        learner = self._learner(X, problem.costs.shape[1], random_state)
        return mix(problem, descent, learner, rounds)

    def _store(self, trained: Ensemble) -> None:
        self.steps_, self.objective_ = trained.coefficients, trained.history

    def _scores(self, X: np.ndarray) -> Iterator[np.ndarray]:
        H = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        yield H
        for alpha, hypothesis in zip(self.steps_, self.estimators_, strict=True):
            H = (1 - alpha) * H + alpha * hypothesis.predict(X)
            yield H


class SumOfVotes(MulticlassCostClassifier):
    """A sum of votes for classes."""

    n_estimators: int
    learning_rate: float
    _method: ClassVar[ClassVoteMethod]
    _attributes: ClassVar[str] = ATTRIBUTES.format(
        """estimator_weights_ : ndarray of shape (T,)
            Votes.
        estimator_errors_ : ndarray of shape (T,)
            Weighted error of each hypothesis under the weights it was trained on."""
    )

    def _votes(self) -> ClassVotes:
        return self._method.votes()

    def _train(self, X: np.ndarray, problem: Problem, random_state: np.random.RandomState) -> Ensemble:
        rounds, votes = check_count("n_estimators", self.n_estimators), self._votes()
        rate = read_number("learning_rate", self.learning_rate, LEARNING_RATES)
        learner = self._learner(X, problem.costs.shape[1], random_state)
        return vote_for_classes(problem, votes, learner, rounds, rate)

    def _store(self, trained: Ensemble) -> None:
        self.estimator_weights_, self.estimator_errors_ = trained.coefficients, trained.history

    def _scores(self, X: np.ndarray) -> Iterator[np.ndarray]:
        scores = np.zeros((len(X), len(self.classes_)))
        yield scores
        for alpha, hypothesis in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores = scores + alpha * hypothesis.predict(X)
            yield scores
