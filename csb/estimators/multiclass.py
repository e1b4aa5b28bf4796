"""The methods for any number of classes: the p-norm family of Lozano and Abe (2008) and its rivals.

The paper names the methods that it compares its own with, and defers their definitions to other papers; what
a docstring calls our reading is stated in neither.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from csb.costs import check_cost_matrix, check_cost_rows
from csb.engine.elementary import exp, log
from csb.engine.learners.pairs import ChoiceLearner, PairLearner
from csb.engine.mixture import ClassVotes, Descent, Ensemble, Problem, Step, mix, vote_for_classes
from csb.engine.rules import TIE, OneByOne
from csb.estimators.fitted_state import FittedState
from csb.estimators.params import LearningRate, RandomState, estimator, param
from csb.inputs import ConstantModelWarning, check_count, one_of, plain_array, read_number, read_random_state
from csb.methods import METHODS
from csb.methods.exponential import Form
from csb.methods.margin_boost import LOSSES, MarginLossName, MarginStep, margin_cost, margin_step
from csb.methods.pnorm import check_step
from csb.methods.spec import COST_SCALES, LEARNING_RATES, ClassVoteMethod, Method, MixtureMethod

__all__ = [
    "DSE", "GBSE", "GBSET", "AdaBoostM2", "AverageCost", "Costing", "LpCSB", "LpCSBA", "LpCSBPA",
    "MarginBoostL1", "MulticlassAdaCost", "MulticlassCSB2",
]  # fmt: skip

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
class MulticlassCostClassifier(FittedState):
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
        with self._fit_atomically() as twin:
            twin._fit(X, y, sample_weight, cost)
        return self

    def _fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, cost: ArrayLike | None
    ) -> None:
        X, labels, weights, classes, used = self._read(X, y, sample_weight, cost=cost)
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
                stacklevel=3,
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


StepName = Literal["1/(t+1)", "1/t", "linesearch", "eq10"]
STEP = (
    'Step towards each new hypothesis{}. ``"1/t"`` discards the uniform start in round one; ``"eq10"`` is '
    "Eq. (10), for p = 1 or p >= 2."
)
FORMS: dict[str, tuple[str, StepName]] = {
    "corrected": ("stochastic", "1/(t+1)"),
    "paper": ("relational", "1/t"),
}


@estimator
class _PNorm(Mixture):
    """Descent on the p-norm cost."""

    p: float = param(2.0, "The norm, at least one.", "float")
    _: KW_ONLY
    step: StepName | None = param("1/(t+1)", STEP.format(""))

    def _norm(self) -> float:
        return read_number("p", self.p, "[1, 1e100]")

    def _step(self) -> Callable[..., float]:
        return check_step(self.step, self._norm())  # type: ignore[arg-type]  # None is refused there

    def relative_costs(self, X: ArrayLike) -> np.ndarray:
        r"""Estimated expected cost of predicting each class, up to a factor for each example.

        The minimiser of the p-norm cost is :math:`H(y|x) \propto \bar c_y(x)^{-1/(p-1)}` with
        :math:`\bar c_y(x) = E[C_y|x]`, so that :math:`H^{-(p-1)}` is proportional to the expected costs. The
        estimates are not calibrated.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one.

        Raises
        ------
        ValueError
            If p is one: the minimiser then says only which class is the cheapest.
        """
        if self._norm() == 1:
            raise ValueError("p=1: the minimiser says only which class is the cheapest; p above 1 is allowed")
        *_, H = self._scores(self._check_X(X))
        H = np.where(H.any(axis=1, keepdims=True), H, 1.0)  # no relation admits a class: all are alike
        log_cost = -(self.p - 1) * log(H)
        cost = exp(np.minimum(log_cost - log_cost.min(axis=1, keepdims=True), 700.0))
        return cost / cost.sum(axis=1, keepdims=True)


@estimator
class LpCSB(Pairs, _PNorm):
    r"""Cost-sensitive boosting with p-norm loss, Figure 1 of Lozano and Abe (2008).

    Minimises :math:`L(H) = \sum_i q_i \sum_y H(y|x_i)^p C_{iy}` over convex combinations. The binary learner
    minimises the pseudo-loss under the weights :math:`C_{iy} H(y|x_i)^{p-1}`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LpCSB([[0, 1, 1], [1, 0, 9], [1, 1, 0]], n_estimators=5, random_state=0).fit(X, y)
    >>> model.objective_.shape
    (6,)
    >>> model.predict(X[:2])
    array([0, 0])
    """

    _method = METHODS["lpcsb"]
    _: KW_ONLY
    form: Form = param(
        "corrected",
        "Stochastic hypotheses and steps 1/(t+1), or what the paper prints: relational ones and 1/t (E-L03 "
        "and E-L06 on the book's errata page).",
    )
    hypothesis: Literal["stochastic", "relational"] | None = param(
        None,
        "Share each relation out among the classes that it admits, or take it as it is; by default after "
        "``form``.",
    )
    step: StepName | None = param(None, STEP.format(", by default after ``form``"))

    def _step(self) -> Callable[..., float]:
        _, default = FORMS[one_of("form", self.form, FORMS)]
        return check_step(default if self.step is None else self.step, self._norm())

    def _stochastic(self) -> bool:
        default, _ = FORMS[one_of("form", self.form, FORMS)]
        chosen = default if self.hypothesis is None else self.hypothesis
        return one_of("hypothesis", chosen, ("stochastic", "relational")) == "stochastic"


@estimator
class LpCSBPA(Pairs, _PNorm):
    r"""LpCSB with pseudo-loss adjustment, Section 3.3.3 of Lozano and Abe (2008).

    The binary learner minimises :math:`\sum_{iy} w_{iy} f(y|x_i)` itself over stochastic hypotheses, by
    Proposition 3.1. Pairs of negative weight change their label (E-L07 on the book's errata page).
    """

    _method = METHODS["lpcsb_pa"]


@estimator
class LpCSBA(Choices, _PNorm):
    r"""The abstracted method, Figure 2 of Lozano and Abe (2008).

    A multiclass learner minimises :math:`\sum_{iy} w_{iy} f(y|x_i)` over labels with the weights
    :math:`\max_{y'} w_{iy'} - w_{iy}` of Section 3.3. With a learner that reaches the minimum, the steps of
    Eq. (10) and p of at least two, the objective is within :math:`9M/(t+2)` of its infimum (Theorem 4.2,
    for means over the sample, E-L09 on the book's errata page).
    """

    _method = METHODS["lpcsb_a"]


@estimator
class MarginBoostL1(Choices, Mixture):
    r"""MarginBoost.L1: gradient descent on a cost of the margin of a convex combination (Mason et al. 2000).

    Minimises :math:`L(H) = \sum_i q_i \sum_y C_{iy}\,c(1 - 2H(y|x_i))`, for two classes the cost
    :math:`c(m)` of the margin :math:`m = y(H(1|x) - H(-1|x))`; costs, and more classes than two, are our
    reading, see :mod:`csb.methods.margin_boost`. The combination is started from the uniform distribution,
    which keeps a share of it unless a step is one.

    Examples
    --------
    With a power of the margin it is :class:`csb.LpCSBA`:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MarginBoostL1(n_estimators=5, loss="power", sharpness=2, random_state=0).fit(X, y)
    >>> other = LpCSBA(p=2, n_estimators=5, random_state=0).fit(X, y)
    >>> bool(abs(model.decision_function(X) - other.decision_function(X)).max() < 1e-9)
    True
    """

    _method = METHODS["marginboost_l1"]
    _: KW_ONLY
    loss: MarginLossName = param(
        "logistic",
        ":math:`\\log(1+e^{-2sm})`, :math:`e^{-sm}`, :math:`1-\\tanh(sm)` of DOOM II, with which hits and "
        "misses of the first hypothesis weigh alike and the second is the first again, or "
        ":math:`(\\frac{1-m}2)^s`.",
    )
    sharpness: float = param(
        2.0, "The :math:`s` of the loss, in [0.01, 100]; of a power at least 1.", "float"
    )
    step: MarginStep = param(
        "1/(t+1)", 'Step towards each new hypothesis. ``"1/t"`` discards the uniform start in round one.'
    )

    def _descent(self, problem: Problem, random_state: np.random.RandomState) -> Descent:
        build = LOSSES[one_of("loss", self.loss, LOSSES)]
        sharpness = read_number(
            "sharpness", self.sharpness, "[1, 100]" if self.loss == "power" else "[0.01, 100]"
        )
        step = one_of("step", self.step, get_args(MarginStep))
        cost = build(sharpness)
        return Descent(
            lambda H: self._method.weigh(problem, H, cost, random_state),
            lambda H, f, t: margin_step(problem, H, f, cost, t, step),
            lambda H: margin_cost(problem, H, cost),
        )


@estimator
class GBSE(Pairs, Mixture):
    r"""Gradient boosting with stochastic ensembles (Abe, Zadrozny and Langford 2004), our reading.

    The binary learner is given the weights :math:`\sum_{y'} H_{t-1}(y'|x_i) C_{iy'} - C_{iy}`, whose signs
    are the labels; the mixture is the average of the stochastic hypotheses.
    """

    _method = METHODS["gbse"]


@estimator
class GBSET(Pairs, Mixture):
    r"""GBSE-T, the variant of GBSE with a proof of convergence, our reading.

    As GBSE with the mixture's cost divided by the number of classes, which Lozano and Abe (2008) find close
    to their weights at p = 2.
    """

    _method = METHODS["gbset"]


@estimator
class DSE(Choices, Mixture):
    r"""Data space expansion, which Section 3.3 of Lozano and Abe (2008) finds to be the case p = 1.

    A multiclass learner takes every label for right, with the constant weights
    :math:`\max_{y'} C_{iy'} - C_{iy}`; the hypotheses of bootstrap samples are averaged.
    """

    _method = METHODS["dse"]


@estimator
class Costing(Choices, Mixture):
    r"""Costing: an average over samples drawn in proportion to cost (Zadrozny, Langford and Abe 2003).

    Each round accepts an example with probability in proportion to the mean cost of its wrong classes and
    trains an unweighted multiclass learner. For two classes that cost is the cost of the miss; the extension
    to more is our reading.
    """

    _method = METHODS["costing"]


@estimator
class AverageCost(Choices, Mixture):
    r"""One multiclass learner on examples weighted by the mean cost of their wrong classes.

    Our reading, as the thesis that defines the method was not at hand. Lozano and Abe (2008) equate its
    weights with those of LpCSBPA at p = 1; as read here only that of the right class is proportional to it
    (E-L08 on the book's errata page).
    """

    _method = METHODS["average_cost"]
    n_estimators: ClassVar[int] = 1  # type: ignore[misc]  # no parameter here: there is one hypothesis


@estimator
class AdaBoostM2(Pairs, SumOfVotes, LearningRate):
    r"""AdaBoost.M2 whose first weights are the costs, a comparison method of Lozano and Abe (2008).

    The weights of the pairs of example and wrong class start at :math:`q_i C_{iy}`; the vote is
    :math:`\alpha_t = \frac12 \log \frac{1-\epsilon_t}{\epsilon_t}` of the pseudo-loss :math:`\epsilon_t`. For
    two classes and complementary hypotheses it is CGAda.
    """

    _method = METHODS["adaboost_m2"]

    def _stochastic(self) -> bool:
        return False


@estimator
class MulticlassAdaCost(Choices, SumOfVotes, LearningRate):
    r"""AdaCost for any number of classes, our reading.

    As AdaCost, with a multiclass learner that hits or misses, and the mean cost of the wrong classes as the
    cost of an example. Training ends when the weighted error reaches one half.
    """

    _method = METHODS["multiclass_adacost"]
    _: KW_ONLY
    cost_scale: float = param(0.5, "Largest cost of an example after scaling, in (0, 1].", "float")

    def _votes(self) -> ClassVotes:
        return self._method.votes(read_number("cost_scale", self.cost_scale, COST_SCALES))


@estimator
class MulticlassCSB2(Choices, SumOfVotes, LearningRate):
    r"""CSB2 for any number of classes, our reading.

    As CSB2, with a multiclass learner. The weights of missed examples are also multiplied by the cost of the
    prediction made, the smallest positive cost being one. Training ends when the weighted error reaches one
    half.
    """

    _method = METHODS["multiclass_csb2"]
