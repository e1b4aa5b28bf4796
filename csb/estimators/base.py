"""What the estimators for two classes share: decisions, scores by the round, votes, early stops."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from csb.costs import Costs, check_costs, check_not_by_class
from csb.engine.blocks import FLOATS, Blocks
from csb.engine.learners import bind_learner
from csb.engine.rules import Learner
from csb.engine.trained import Batch, Model, Scoring, Watch
from csb.engine.votes import TrainingSet, boost
from csb.estimators.additive import Additive
from csb.estimators.fitted_state import Examples, FittedState
from csb.estimators.params import EarlyStopping, RandomState, Rounds, TwoCosts, Votes, estimator
from csb.inputs import (
    POSITIVE,
    ConstantModelWarning,
    check_count,
    check_flag,
    one_of,
    positive_class,
    read_array,
    read_number,
    read_random_state,
    shown,
)
from csb.methods.spec import LEARNING_RATES, Method, VotingMethod

__all__ = [
    "AdditiveClassifier", "BinaryClassifier", "Boosting", "CostBoosting", "ExampleCosts", "StopsEarly",
    "read_stopping", "watch_for",
]  # fmt: skip


class BinaryClassifier(FittedState):
    """Two classes, two costs, and the decision: score above a threshold."""

    _method: ClassVar[Method]

    def _class_costs(self, classes: np.ndarray, **of_cases: np.ndarray) -> Costs:
        """Costs of the two classes, speaking for the second; as the parameters stand, or of cases.

        Those of cases act at the decision only, where any finite ones will do.
        """
        own = {name: getattr(self, name, 1.0) for name in ("fn_cost", "fp_cost") if name not in of_cases}
        for name, value in own.items():
            check_not_by_class(name, value)
            shape: Any = getattr(value, "shape", ())
            if isinstance(value, (list, tuple)):
                shape = (len(value),)
            if shape:
                raise ValueError(
                    f"{name} has shape {shape}: allowed is a number. Costs of each case go to "
                    f"CostDecision({type(self).__name__}()), as predict(X, {name}=...), or in training to "
                    "CGAda().fit(X, y, cost=...)"
                )
        if of_cases:
            read = {name: np.asarray(read_number(name, value, POSITIVE)) for name, value in own.items()}
            costs = Costs(**read, **of_cases)
        else:
            costs = check_costs(**own, single=True)
        positive = positive_class(classes, getattr(self, "pos_label", None), symmetric=costs.equal)
        return costs if positive == 1 else Costs(costs.fp_cost, costs.fn_cost)

    def predict(self, X: ArrayLike | Blocks) -> np.ndarray:
        """The class of each example: ``classes_[1]`` where the score exceeds the threshold.

        Parameters
        ----------
        X : array_like or, where ``fit`` takes them, Blocks of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        above = self.decision_function(X) > self.decision_threshold_  # type: ignore[attr-defined]  # of all kinds
        return self.classes_[above.astype(int)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = self._takes_missing()
        return tags


def _has_probability(estimator: AdditiveClassifier) -> bool:
    reason = estimator._reason_without_probability()
    if reason is not None:
        raise AttributeError(
            f"{type(estimator).__name__} defines no probability: {reason}. Calibrate its "
            "decision_function, for instance with scikit-learn's CalibratedClassifierCV"
        )
    return True


class AdditiveClassifier(Additive, BinaryClassifier, EarlyStopping):
    """A score that grows by a term in each round, a threshold on it, and perhaps a probability."""

    _model: Model
    _blockwise: ClassVar[bool] = False
    """Whether features in blocks will do."""
    estimator: Any
    learning_rate: float
    random_state: RandomState

    def fit(self, X: ArrayLike | Blocks, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array_like or Blocks of shape (n_samples, n_features)
            Finite numbers, to stumps also NaN for what is missing, which each cut sends to the side where it
            errs less. To stumps in the loop of weighted votes they may be given in blocks, see
            :class:`csb.engine.blocks.Blocks`, and an array of single precision, such as a memory map, is not
            copied.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.

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
            twin._fit(X, y, sample_weight)
        return self

    def _fit(self, X: ArrayLike | Blocks, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        """Train and store."""
        raise NotImplementedError

    def _store(self, model: Model, classes: np.ndarray) -> None:
        self._model, self.classes_ = model, classes
        self.estimators_, self.stop_reason_ = model.hypotheses, model.stop_reason

    def _train_copies(
        self,
        examples: Examples,
        copies: np.ndarray,
        rates: np.ndarray,
        watch: Watch | None,
        random_state: np.random.RandomState,
    ) -> Iterable[Model]:
        """Train models side by side, at learning rates of shape (B,), while a watch may judge them.

        ``copies``, shape (B, n), says how often an example counts in each.
        """
        raise NotImplementedError

    def _gains_by_batches(self) -> bool:
        """Whether copies trained side by side are those trained one by one, rounding aside, and sooner."""
        return self.early_stopping is False and isinstance(self.estimator, str) and self.estimator == "stump"

    def _fit_copies(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, copies: np.ndarray
    ) -> list[Self]:
        """Fitted copies, trained side by side; ``copies`` as in training."""
        examples = self._read(X, y, sample_weight, 2, as_given=self._blockwise)
        rate = read_number("learning_rate", self.learning_rate, LEARNING_RATES)
        random_state = read_random_state("random_state", self.random_state)
        fitted = []
        models = self._train_copies(examples, copies, np.full(len(copies), rate), None, random_state)
        for model in models:
            twin = copy(self)
            twin._keep(model, examples.classes, None)
            twin._remember()
            fitted.append(twin)
        return fitted

    def _keep(self, model: Model, classes: np.ndarray, watch: Watch | None) -> None:
        """Store what was trained, and how it was judged."""
        self._store(model, classes)
        self.validation_score_ = np.empty(0) if watch is None else watch.history[: len(model.hypotheses), 0]

    def _reason_without_probability(self) -> str | None:
        return None

    def _thresholds(self) -> np.ndarray:
        """Score above which ``classes_[1]`` is predicted after each round."""
        return self._model.threshold

    def decision_function(self, X: ArrayLike | Blocks) -> np.ndarray:
        """Score: the sum over the rounds, not divided by anything.

        Parameters
        ----------
        X : array_like or Blocks of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        if isinstance(X, Blocks):
            parts = [AdditiveClassifier.decision_function(self, block) for _, block in X.numbered()]
            return np.concatenate(parts)
        X = self._check_X(X, FLOATS, fewest=0)
        return self._model.decision_function(X) if len(X) else np.empty(0)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            The score of the ensemble's first rounds.
        """
        X = self._check_X(X)
        yield from self._model.staged_scores(X)

    @property
    def decision_threshold_(self) -> float:
        """Score above which ``classes_[1]`` is predicted; zero unless costs act at the decision."""
        self._check_unchanged()
        return float(self._thresholds()[-1])

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
        self._check_unchanged()
        thresholds = self._thresholds()
        for t, scores in enumerate(self.staged_decision_function(X)):
            yield self.classes_[(scores > thresholds[t]).astype(int)]

    @available_if(_has_probability)
    def predict_proba(self, X: ArrayLike | Blocks) -> np.ndarray:
        r"""Probability that the population minimiser of the method's loss gives to each class.

        :math:`\hat p = \sigma((k_++k_-)F - \log\frac{a_+k_+}{a_-k_-})` for a loss :math:`a_y e^{-k_y m}`;
        for AdaBoost this is Eq. (22) of Nikolaou et al. (2016). It is not calibrated.

        Parameters
        ----------
        X : array_like or Blocks of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        scores = self.decision_function(X)
        return self._model.probabilities(scores)

    @available_if(_has_probability)
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Probabilities after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        for t, scores in enumerate(self.staged_decision_function(X)):
            yield self._model.probabilities(scores, t)


@estimator
class Boosting(AdditiveClassifier, Rounds):
    """Boosting by the rules of one method; see the named classes."""

    _method: ClassVar[VotingMethod]
    _blockwise = True
    _attributes: ClassVar[str] = """
        estimators_ : list of length T
            Weak hypotheses; each ``predict`` gives signs -1 or +1.
        estimator_weights_ : ndarray of shape (T,)
            Votes, the alphas of the papers.
        estimator_errors_ : ndarray of shape (T,)
            Weighted error of each hypothesis under the weights it was trained on.
        estimator_masses_ : ndarray of shape (T, 2, 2)
            Weight of the four outcomes in each round: class, then prediction, negative first.
        stop_reason_ : str
            One of max_rounds, perfect, no_edge, alpha, not_finite, underflow, no_gain.
        validation_score_ : ndarray of shape (T,)
            Score of the examples set aside after each round, higher is better; empty without early stopping.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """

    def _row(self) -> VotingMethod:
        return self._method

    def _batch(self, costs: Costs) -> Batch:
        """A model of the method under these costs, by the parameters as they stand."""
        row = self._row()
        options = {name: getattr(self, name) for name in row.options}
        rate = read_number("learning_rate", self.learning_rate, LEARNING_RATES)
        return row.batch(costs, getattr(self, "cost_scale", None), learning_rate=rate, **options)

    def _reason_without_probability(self) -> str | None:
        if hasattr(self, "_model"):
            known = self._model.log_odds_line is not None
        else:
            try:
                known = self._batch(check_costs()).rules.loss is not None
            except ValueError:  # fit says what is wrong
                known = True
        return None if known else "its weights belong to no one loss of the margin"

    def _training(
        self, labels: np.ndarray, weights: np.ndarray, costs: Costs, cost: np.ndarray | None
    ) -> tuple[TrainingSet, Batch]:
        """What the loop is to train. Costs of single examples are base weights, and none is left then."""
        if cost is None:
            return TrainingSet(labels, weights[np.newaxis]), self._batch(costs)
        return TrainingSet(labels, (weights * cost)[np.newaxis]), self._batch(check_costs())

    def _fit(
        self,
        X: ArrayLike | Blocks,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        cost: ArrayLike | None = None,
    ) -> None:
        examples = self._read(X, y, sample_weight, 2, as_given=self._blockwise, cost=cost)
        charged = None if cost is None else read_array("cost", cost, POSITIVE, shape=examples.used.shape)
        self._train(examples, None if charged is None else charged[examples.used])

    def _train(self, examples: Examples, cost: np.ndarray | None) -> None:
        """Train and store, with the classes' costs or those of single examples."""
        rounds, signed = self._course()
        costs = self._class_costs(examples.classes)
        random_state = read_random_state("random_state", self.random_state)
        weights, watch = examples.weights, None
        judged = weights if cost is None else weights * cost
        if found := watch_for(self, examples.labels, judged, costs, random_state):
            aside, watch = found
            weights = np.where(aside, 0.0, weights)
        training, batch = self._training(examples.labels, weights, costs, cost)
        if watch is not None:
            self._check_judged(batch, watch, "early_stopping=True, ")
        learner = self._bind(examples.X, training, batch, random_state)
        trained = boost(learner, training, [batch], rounds, keep_nonpositive=signed, watch=watch)
        model = trained.model(0)
        if cost is not None:  # no one loss belongs to costs that differ within a class
            model = replace(model, log_odds_line=None)
        self._keep(model, examples.classes, watch)

    def _keep(self, model: Model, classes: np.ndarray, watch: Watch | None) -> None:
        if model.constant:
            warnings.warn(
                f"no {self.estimator!r} beat chance with a positive vote ({model.stop_reason}); "
                "the model is the constant class of least training cost",
                ConstantModelWarning,
                stacklevel=5,
            )
        self._planned, _ = self._course()
        super()._keep(model, classes, watch)

    def _train_copies(
        self,
        examples: Examples,
        copies: np.ndarray,
        rates: np.ndarray,
        watch: Watch | None,
        random_state: np.random.RandomState,
    ) -> Iterator[Model]:
        rounds, signed = self._course()
        costs = self._class_costs(examples.classes)
        training, one = self._training(examples.labels, examples.weights, costs, None)
        if watch is not None:
            self._check_judged(one, watch)
        batch = replace(one.take(np.zeros(len(rates), int)), learning_rate=rates)
        learner = self._bind(examples.X, training, one, random_state)
        training = training._replace(weights=copies * training.weights, class_weights=None)
        trained = boost(learner, training, [batch], rounds, keep_nonpositive=signed, watch=watch)
        return map(trained.model, range(len(rates)))

    def _course(self) -> tuple[int, bool]:
        """Planned rounds, and whether a hypothesis is kept whose vote is not positive."""
        rounds = check_count("n_estimators", self.n_estimators)
        policy = one_of("nonpositive_alpha", getattr(self, "nonpositive_alpha", "stop"), ("stop", "signed"))
        return rounds, policy == "signed"

    def _check_judged(self, batch: Batch, watch: Watch, given: str = "") -> None:
        """Refuse a judgement of probabilities where there are none; ``given`` is what asked for it."""
        if watch.scoring == "log_loss" and batch.rules.loss is None:
            raise ValueError(
                f"{given}scoring='log_loss': {self._row().name} has no probability; allowed is scoring='cost'"
            )

    def _bind(
        self, X: np.ndarray, training: TrainingSet, batch: Batch, random_state: np.random.RandomState
    ) -> Learner:
        return bind_learner(
            self.estimator, X, training.labels, training.weights[0], n_jobs=self.n_jobs,
            random_state=random_state, joint=batch.rules.best_loss is not None,
        )  # fmt: skip

    def _store(self, model: Model, classes: np.ndarray) -> None:
        super()._store(model, classes)
        self.estimator_weights_, self.estimator_masses_ = model.coefficients, model.masses
        self.estimator_errors_ = model.masses[:, 0, 1] + model.masses[:, 1, 0]  # type: ignore[index]  # kept

    def _thresholds(self) -> np.ndarray:
        if self._row().costs_act != "decision":
            return self._model.threshold
        batch = self._batch(self._class_costs(self.classes_)).planned(self._planned)
        return batch.threshold(*self._model.stages())


@estimator
class CostBoosting(Votes, Boosting, TwoCosts):
    """Boosting, and the two costs."""


class ExampleCosts(Boosting, TwoCosts):
    """Boosting whose ``fit`` takes the cost of misclassifying each example."""

    def fit(
        self,
        X: ArrayLike | Blocks,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost: ArrayLike | None = None,
    ) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array_like or Blocks of shape (n_samples, n_features)
            Finite numbers, to stumps NaN and blocks as well, see :class:`csb.engine.blocks.Blocks`.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.
        cost : array_like of shape (n_samples,), optional
            Cost of misclassifying each example, positive. It takes the place of ``fn_cost`` and
            ``fp_cost``, which must then be one.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible; nothing is trained then.
        """
        if cost is not None and (np.any(self.fn_cost != 1.0) or np.any(self.fp_cost != 1.0)):
            raise ValueError(
                f"fn_cost={shown(self.fn_cost)}, fp_cost={shown(self.fp_cost)}: both 1 when fit is given cost"
            )
        with self._fit_atomically() as twin:
            twin._fit(X, y, sample_weight, cost)
        return self


class StopsEarly(Protocol):
    """The parameters of early stopping, see :class:`csb.estimators.params.EarlyStopping`."""

    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    tol: float
    scoring: Scoring


def read_stopping(estimator: StopsEarly) -> tuple[bool, float, int, float, Scoring]:
    """The parameters, each admissible, in their order."""
    return (
        check_flag("early_stopping", estimator.early_stopping),
        read_number("validation_fraction", estimator.validation_fraction, "(0, 1)"),
        check_count("n_iter_no_change", estimator.n_iter_no_change),
        read_number("tol", estimator.tol, "[0, inf)"),
        one_of("scoring", estimator.scoring, ("log_loss", "cost")),
    )


def watch_for(
    estimator: StopsEarly,
    labels: np.ndarray,
    weights: np.ndarray,
    costs: Costs,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, Watch] | None:
    """Which examples are set aside, shape (n,), and what judges a model on them; None without early stopping.

    ``weights`` and ``costs`` are those of the judgement. Nothing is drawn where nothing is set aside.
    """
    stopping, share, patience, tol, scoring = read_stopping(estimator)
    if not stopping:
        return None
    aside = _set_aside(labels, share, random_state.randint(2**31 - 1))
    judged = np.where(aside, weights, 0.0)
    return aside, Watch(labels, judged[np.newaxis], costs, scoring, patience, tol)


def _set_aside(labels: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A share of each class, at least one example of it on each side."""
    aside = np.zeros(len(labels), bool)
    splitter = StratifiedShuffleSplit(1, test_size=share, random_state=seed)
    try:
        aside[next(splitter.split(labels, labels))[1]] = True
    except ValueError:  # there are too few: said below
        pass
    sides = [np.bincount(labels[part], minlength=2) for part in (aside, ~aside)]
    if np.min(sides) == 0:
        raise ValueError(
            f"validation_fraction={share:g}: early stopping needs examples of each class on both sides; the "
            f"smaller class has {np.bincount(labels, minlength=2).min()}"
        )
    return aside
