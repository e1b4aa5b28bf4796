"""Methods around any classifier, and the first of them: calibrated, it decides at least expected cost."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import date
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, _safe_indexing, get_tags, indexable
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
)

from csb.costs import check_not_by_class, read_cost_matrix
from csb.engine.blocks import refuse_blocks
from csb.estimators.binary import AdaBoost
from csb.estimators.cross_fitting import Rows, fit_ensemble, read_splits, warn_of_few
from csb.estimators.explaining import check_explainable, explain_rows, read_tables
from csb.estimators.fitted_state import FittedState
from csb.estimators.params import NUMBERED, Label, Seed, estimator, param
from csb.evaluation.calibration import CALIBRATORS, Calibration
from csb.evaluation.classifiers import ANSWERS, check_classifier, gives, is_frozen
from csb.evaluation.decisions import (
    Stakes,
    cheapest,
    dominators,
    expected_costs,
    is_of_each_case,
    mean_cost,
    miss_rate_threshold,
    read_cost,
    undecided_label,
    warn_of_known,
)
from csb.evaluation.explanation import Explanation
from csb.inputs import (
    MODERATE,
    ConstantModelWarning,
    check_count,
    check_flag,
    check_jobs,
    check_label,
    check_order,
    one_of,
    positive_class,
    read_array,
    read_column,
    read_number,
    read_random_state,
    read_target,
    read_weights,
    refuse_masked,
    shown,
)

__all__ = ["CostDecision"]

COSTS = {"fn_cost": 1.0, "fp_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}
"""The four costs of two classes, and their defaults."""
FOUR = tuple(COSTS)
AT_THE_DECISION = (*FOUR, "abstain_cost", "cost_matrix")


@dataclass(eq=False, repr=False)
class MetaEstimator(FittedState):
    """A method around any classifier, whose data it takes as they come, words and gaps included."""

    estimator: Any = param(
        None, "The classifier, or a pipeline that ends in one; AdaBoost on stumps by default.", "classifier"
    )
    _: KW_ONLY
    fn_cost: float = param(1.0, "Cost of missing a positive, if there are two classes.", "float")
    fp_cost: float = param(1.0, "Cost of a false alarm, if there are two classes.", "float")
    cost_matrix: Any = param(
        None,
        "Cost of each prediction (columns) for each true class (rows), in place of the costs of two classes: "
        "an array in the order of the sorted classes, or a frame that names them; negative for a gain.",
        "array_like or DataFrame of shape (k, k)",
    )
    pos_label: Label = param(
        None,
        "The positive class of two: the larger label by default; of two words with unequal costs it must be "
        "named. Of more than two classes none may be. " + NUMBERED,
        "label",
    )

    def _learner(self) -> Any:
        """The classifier, not fitted."""
        learner = AdaBoost() if self.estimator is None else self.estimator
        check_classifier(learner)
        if get_tags(learner).input_tags.pairwise and not is_frozen(learner):
            # a part of the rows would need as much of the columns, and a sample with copies passes for whole
            raise ValueError(
                f"estimator={shown(learner)}: its X holds kernel values or distances between all rows, and "
                "it is trained on parts of them; allowed is a classifier of features"
            )
        return learner

    def _read_rows(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Rows:
        labels = self._read_labels(y)
        if isinstance(labels[0], date):  # those with a time zone, which are objects
            raise ValueError(f"y holds {shown(labels[0])}: allowed are dates without a time zone")
        if X is None:
            raise ValueError("X=None: allowed are rows")
        refuse_blocks(X, type(self).__name__)
        refuse_masked("X", X)
        (X,) = indexable(X)
        check_consistent_length(X, labels)
        check_order(X=X, y=y, sample_weight=sample_weight)
        weights = read_weights(sample_weight, labels)
        used = weights > 0
        if not used.all():  # an absent row
            X, labels, weights = _safe_indexing(X, used), labels[used], weights[used]
        classes, numbers = read_target(labels)
        return Rows(X, labels, numbers, weights, classes, used)

    def _positive(self, classes: np.ndarray, symmetric: bool) -> int:
        """Number of the positive class; of more than two classes none may be named."""
        if len(classes) == 2:
            return positive_class(classes, self.pos_label, symmetric=symmetric)
        if self.pos_label is not None:
            check_label("pos_label", self.pos_label, classes.tolist())
            raise ValueError(f"pos_label={shown(self.pos_label)}: must be None, y had more than two classes")
        return 1

    def _has_matrix(self, classes: np.ndarray) -> bool:
        """Whether costs are those of a matrix, as those of more than two classes always are."""
        return self.cost_matrix is not None or len(classes) > 2

    def _matrix(
        self, classes: np.ndarray, named: list[str], given: Any = None, n: int | None = None
    ) -> np.ndarray:
        """The cost matrix, or those given in its place for n cases; beside it no other costs are named."""
        if named:
            whose = f" of {len(classes)} classes" if len(classes) > 2 else ""
            raise ValueError(f"{named[0]}: must be left out, the costs{whose} are those of cost_matrix")
        if given is not None:
            return read_cost_matrix(given, classes, n)
        return read_cost_matrix(self.cost_matrix, classes)

    def _take_over(self, fitted: Any) -> None:
        """What the fitted classifier tells of its features."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        base = AdaBoost() if self.estimator is None else self.estimator
        if hasattr(base, "__sklearn_tags__"):
            inner = get_tags(base)
            tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags


@dataclass(eq=False, repr=False)
class DecisionCosts(MetaEstimator):
    """A method around any classifier whose costs may be those of the day or of each case."""

    _: KW_ONLY
    tp_cost: float = param(0.0, "Cost of a positive that is found; negative for a gain.", "float")
    tn_cost: float = param(0.0, "Cost of a negative left alone; negative for a gain.", "float")
    abstain_cost: float | None = param(
        None, "Cost of leaving a case undecided; by default every case is decided.", "float"
    )
    abstain_label: Label = param(
        None,
        "What ``predict`` says of a case left undecided, a label that is no class: by default -1, or the "
        'smallest class less one if that is lower; among strings "abstain".',
        "label",
    )

    def _costs(
        self, given: dict[str, Any], n: int, classes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Cost of each prediction (last axis) for each true class, shape (1, k, k) or (n, k, k); of none."""
        given = {name: value for name, value in given.items() if value is not None}
        undecided = None
        if not self._decides_all(given):
            undecided = self._cost("abstain_cost", given, n)
            self._answers(classes)  # refuses a label that is a class
            undecided = np.broadcast_to(undecided, n)
        matrix, k = given.get("cost_matrix"), len(classes)
        if matrix is not None or self._has_matrix(classes):
            named = [
                name for name in FOUR
                if name in given or (matrix is None and np.any(getattr(self, name) != COSTS[name]))
            ]  # fmt: skip
            self._positive(classes, symmetric=True)
            return self._matrix(classes, named, matrix, n).reshape(-1, k, k), undecided
        costs = {name: self._cost(name, given, n) for name in FOUR}
        stakes = Stakes(costs)
        return stakes.matrices(self._positive(classes, stakes.symmetric)), undecided

    def _decides_all(self, given: dict[str, Any]) -> bool:
        return self.abstain_cost is None and given.get("abstain_cost") is None

    def _cost(self, name: str, given: dict[str, Any], n: int) -> np.ndarray:
        if name in given:
            return read_cost(name, given[name], n)
        check_not_by_class(name, getattr(self, name))
        value = read_array(name, getattr(self, name), MODERATE)
        if value.ndim:
            raise ValueError(
                f"{name} has shape {value.shape}: allowed is a number, those of each case go to "
                f"predict(X, {name}=...)"
            )
        return value

    def _answers(self, classes: np.ndarray) -> np.ndarray:
        """The classes, and last what is said of an undecided case."""
        label = undecided_label(classes, self.abstain_label)
        return np.array([*classes.tolist(), label], object if classes.dtype == object else None)


def _rows_of(given: dict[str, Any]) -> dict[str, Any]:
    """Costs whose rows are cases: those of a frame of ``cost_matrix`` are classes."""
    return {name: cost for name, cost in given.items() if name != "cost_matrix"}


def is_collection(X: object) -> bool:
    """Whether these are the parts of a table of Dask, which need not be installed."""
    return hasattr(X, "__dask_graph__")


@estimator
class CostDecision(Seed, DecisionCosts):
    r"""The class of least expected cost, by the calibrated probabilities of any classifier.

    With two classes and no cost of right decisions that is the positive class where its probability exceeds
    :math:`c_{FP}/(c_{FP}+c_{FN})`, Eqs. (2) and (4) of Nikolaou et al. (2016); with a matrix, the class
    :math:`y` of least :math:`\sum_c p_cC_{cy}`. Costs play no part in training: set others with
    ``set_params``, or give ``predict`` those of the day or of each case, without fitting again.

    What ``max_miss_rate`` promises is conformal risk control (Angelopoulos et al. 2024) of the classifier's
    scores, :func:`csb.evaluation.decisions.risk_control_threshold`: a new positive is taken for a negative
    with at most this probability, over the draw of the positives held out and of the new one. Nothing is
    assumed but that these are exchangeable: no probability need be right, and costs may be of each case. It
    holds on average over such draws, not for one set of examples held out, and not for groups among the
    cases. Of decisions that leave nothing positive out at a score of the threshold or above, those of least
    expected cost are taken. With several folds each has its threshold, and whatever one of them calls
    positive is not missed, which keeps the limit with room to spare. A case left undecided is not missed.
    With ``confidence``, the limit is kept with this probability by the examples held out themselves
    (:func:`csb.evaluation.decisions.miss_rate_threshold`).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = make_pipeline(StandardScaler(), LogisticRegression())
    >>> model = CostDecision(learner, fn_cost=5).fit(X, y)
    >>> int(model.predict(X).sum()) < int(model.predict(X, fn_cost=500).sum())
    True
    >>> int(model.predict(X, max_positives=100).sum())
    100
    >>> int(model.predict(X, max_positives=0.1).sum()), len(X)
    (56, 569)

    A learner that was fitted before, on rows of last year, is calibrated again on some of this year, with
    other shares of the classes or not; it is not trained. Freeze the learner, not a ``CostDecision`` around
    it, whose scores are what its decisions save: over these the sigmoid is seldom right; choose
    ``calibration="isotonic"`` there.

    >>> from sklearn.frozen import FrozenEstimator
    >>> old = learner.fit(X[:200], y[:200])
    >>> again = CostDecision(FrozenEstimator(old), fn_cost=5).fit(X[200:], y[200:])
    >>> again.classifier_.members[0].classifier.estimator is old
    True
    """

    _changeable = frozenset((*AT_THE_DECISION, "abstain_label", "pos_label", "n_jobs"))
    _attributes: ClassVar[str] = """
        classifier_ : csb.estimators.cross_fitting.CalibratedEnsemble
            The fitted classifiers with their calibrators: its ``members``.
        classes_ : ndarray of shape (k,)
            Labels.
        n_features_in_ : int
            Number of features, if the classifier tells it.
        """
    _: KW_ONLY
    calibration: Calibration | Literal["auto"] | None = param(
        "auto",
        "How scores become probabilities: Platt scaling by maximum likelihood or by least squares, beta "
        "calibration, isotonic regression or Venn-Abers prediction, of more than two classes each against "
        "the others, and then divided by their sum; temperature scaling of all classes at once; None trusts "
        'the probabilities of the classifier. "auto" is "sigmoid" for two classes and "temperature" for '
        'more, of Dask arrays "sigmoid" in any case.',
        '{"auto", "sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers", "temperature", None}',
    )
    cv: Any = param(
        None,
        "Folds of the calibration, each with every class: one classifier is trained for each, calibrated on "
        "it, and their probabilities are averaged. By default a random third of each class is held out. A "
        "classifier that is fitted already, in scikit-learn's ``FrozenEstimator``, is calibrated on all "
        "examples.",
        "int, splitter or iterable of splits",
    )
    ensemble: bool = param(
        True,
        "Whether the classifiers of all folds are kept, each with its calibrator. If not, one is trained on "
        "all examples, and one calibrator on the scores that the examples held out get from those trained "
        "without them, pooled. There is no limit on misses then. For a classifier that is fitted already it "
        "is the same.",
        "bool",
    )
    max_miss_rate: float | None = param(
        None,
        "Largest probability, between 0 and 1, that a new positive is taken for a negative: of all decisions "
        "that keep it, those of least expected cost.",
        "float",
    )
    confidence: float | None = param(
        None,
        "Probability, between 0 and 1, that the examples held out are such that new positives are missed at "
        "no larger rate than ``max_miss_rate``; by default the rate is kept on average over such draws.",
        "float",
    )
    n_jobs: int | None = param(
        None,
        "Processes of the calibration. Boosting on stumps of this package trains all folds at once instead.",
        "int",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the classifier and calibrate it; costs are not asked for.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Whatever the classifier takes.
        y : array_like of shape (n_samples,)
            Labels.
        sample_weight : array_like of shape (n_samples,), optional
            Weights, if the classifier takes them.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter or the costs are not admissible, if a part to calibrate on lacks a class, if the
            classifier gives no finite scores, or no probabilities of its ``classes_`` where these are
            trusted, or by the classifier.

        Warns
        -----
        FewExamplesWarning
            If the examples to calibrate on are too few for the costs as they stand.
        """
        with self._fit_atomically() as twin:
            twin._fit(X, y, sample_weight)
        return self

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        base = self._learner()
        method = one_of("calibration", self.calibration, ("auto", *CALIBRATORS, None))
        ensemble = check_flag("ensemble", self.ensemble)
        check_jobs("n_jobs", self.n_jobs)
        if method is None and not gives(base, "predict_proba"):
            raise ValueError(f"calibration=None: {shown(base)} has no predict_proba, calibrate it")
        check_classifier(base, answers=ANSWERS)
        floor = self._floor()
        if is_collection(X):
            from csb.estimators import clusters  # asks for Dask

            if floor is not None:
                limit = self.max_miss_rate
                raise ValueError(f"max_miss_rate={limit}: must be None where X is a Dask collection")
            if method == "auto":
                method = "sigmoid"
            self.classifier_ = clusters.calibrate(base, X, y, sample_weight, method)
            self.classes_ = self.classifier_.classes_
            self._costs({}, 1, self.classes_)
        else:
            rows = self._read_rows(X, y, sample_weight)
            if method == "auto":
                method = "sigmoid" if len(rows.classes) == 2 else "temperature"
            if self.estimator is None and len(rows.classes) > 2:
                raise ValueError(
                    "Only binary classification is supported. The type of the target is multiclass: "
                    f"y has {len(rows.classes)} classes, and estimator=None is AdaBoost, which is for two; "
                    "allowed is a classifier of as many"
                )
            costs = self._costs({}, len(rows.classes), rows.classes)
            if floor is not None:
                read_target(rows.labels, 2)
                self._positive(rows.classes, symmetric=False)
                if np.ptp(rows.weights) > 0:
                    limit = self.max_miss_rate
                    raise ValueError(f"sample_weight: equal weights are allowed beside max_miss_rate={limit}")
            random_state = read_random_state("random_state", self.random_state)
            splits = [(np.arange(len(rows.labels)),) * 2]  # one that is fitted already is only calibrated
            pooled = False
            if method is not None and not isinstance(base, FrozenEstimator):
                pooled = not ensemble
                splits = read_splits(
                    self.cv, rows.numbers, rows.used, random_state, "calibration", rows.classes,
                    calibrates=ensemble, pooled=pooled,
                )  # fmt: skip
            parts = [part for _, part in splits]
            warn_of_few(method, rows, [np.concatenate(parts)] if pooled else parts, *costs)
            self.classifier_ = fit_ensemble(base, rows, splits, method, floor, self.n_jobs, pooled)
            self.classes_ = rows.classes
            if floor is not None:
                self._warn_of_constant(**floor.keywords)
        self._take_over(self.classifier_.members[0].classifier)

    def _floor(self) -> partial[float] | None:
        """What sets the limit on missed positives, by their scores; None if there is no limit."""
        if self.max_miss_rate is None:
            if self.confidence is not None:
                raise ValueError(f"confidence={shown(self.confidence)}: must be None where max_miss_rate is")
            return None
        limit = read_number("max_miss_rate", self.max_miss_rate, "[1e-100, 1)")
        if self.calibration is None:
            raise ValueError(f"max_miss_rate={limit}: must be None where calibration is")
        if not self.ensemble:
            raise ValueError(
                f"max_miss_rate={limit}: must be None where ensemble=False, for the scores of examples held "
                "out are not those of the classifier that decides"
            )
        sure = None if self.confidence is None else read_number("confidence", self.confidence, "(0, 1)")
        return partial(miss_rate_threshold, limit=limit, confidence=sure)

    def _warn_of_constant(self, limit: float, confidence: float | None) -> None:
        positive = self._positive(self.classes_, symmetric=False)
        if any(each.floors[positive] == -np.inf for each in self.classifier_.members):
            needed = 1 / limit - 1 if confidence is None else math.log1p(-confidence) / math.log1p(-limit)
            warnings.warn(
                f"max_miss_rate={limit:g} allows no miss among so few positives held out, fewer than "
                f"{math.ceil(needed)}: every case is called positive",
                ConstantModelWarning, stacklevel=4,
            )  # fmt: skip

    def _judged(
        self, judge: Callable[..., np.ndarray], X: Any, given: dict[str, Any], meta: np.ndarray
    ) -> Any:
        """What is made of the scores and costs of all cases; of a Dask collection, block by block, later."""
        self._check_unchanged()
        refuse_blocks(X, type(self).__name__)
        check_order(X=X, **_rows_of(given))
        if not is_collection(X):
            if _num_samples(X):
                return judge(self.classifier_.scores(X), given)
            _check_feature_names(self, X, reset=False)
            _check_n_features(self, X, reset=False)
            self._costs(given, 0, self.classes_)
            return meta
        from csb.estimators import clusters  # asks for Dask

        return clusters.block_by_block(judge, self.classifier_, X, given, meta)

    def _table(self) -> np.ndarray:
        """An empty answer of a column for each class."""
        check_is_fitted(self)
        return np.empty((0, len(self.classes_)))

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probability of each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, k)
            Columns in the order of ``classes_``.
        """
        return self._judged(lambda scores, _: self.classifier_.probabilities(scores), X, {}, self._table())

    def expected_cost(
        self,
        X: ArrayLike,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        cost_matrix: Any = None,
    ) -> np.ndarray:
        """Expected cost of predicting each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array_like of shape (n_samples,), optional
            In place of the parameters of that name, for all cases or for each.
        cost_matrix : array_like of shape (k, k) or (n_samples, k, k), or DataFrame of shape (k, k), optional
            In place of all of these, for all cases or for each.

        Returns
        -------
        ndarray of shape (n_samples, k)
            In the unit of the costs; columns in the order of ``classes_``. What differs from the least by
            a few units in the last place is equal to it.

        Raises
        ------
        ValueError
            If costs are not admissible.
        """
        given = dict(zip(FOUR, (fn_cost, fp_cost, tp_cost, tn_cost), strict=True), cost_matrix=cost_matrix)
        return self._judged(
            lambda *parts: self._expected(*parts)[0][:, : len(self.classes_)], X, given, self._table()
        )

    def _expected(self, scores: list[np.ndarray], given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Expected cost of each class, and last of no decision if that is one; and how many dominate it."""
        p = self.classifier_.probabilities(scores)
        costs = self._costs(given, len(p), self.classes_)
        expected = expected_costs(p, *costs)
        return expected, np.broadcast_to(dominators(*costs), expected.shape)

    def _decide(
        self, scores: list[np.ndarray], given: dict[str, Any], max_positives: float | None = None
    ) -> np.ndarray:
        (expected, dominated), answers = self._expected(scores, given), self.classes_
        if expected.shape[1] > len(answers):
            answers = self._answers(answers)
        if len(self.classes_) == 2:
            symmetric = self.max_miss_rate is None and max_positives is None
            positive = self._positive(self.classes_, symmetric)
            expected[self.classifier_.kept(scores, positive), 1 - positive] = np.inf
        called = cheapest(expected, dominated)
        if max_positives is not None:
            if isinstance(max_positives, float):
                # 0.29 of a hundred rows are 29, and 28.999999999999996 as doubles
                max_positives = int(max_positives * len(called) * (1 + 4 * np.finfo(float).eps))
            others = np.delete(expected, positive, axis=1).min(axis=1)
            wanted = np.flatnonzero(called == positive)
            saved = others[wanted] - expected[wanted, positive]
            left = wanted[np.argsort(-saved, kind="stable")[max_positives:]]
            expected[left, positive] = np.inf
            called[left] = cheapest(expected[left], dominated[left])
        return answers[called]

    def predict(
        self,
        X: ArrayLike,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        abstain_cost: Any = None,
        cost_matrix: Any = None,
        max_positives: float | None = None,
    ) -> np.ndarray:
        """The class of least expected cost; of equal ones the first that none of the others dominates.

        One decision dominates another that never costs less, and costs more for some true class. Costs may be
        any: free errors, right decisions that cost as much as wrong ones, gains.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.
        fn_cost, fp_cost, tp_cost, tn_cost, abstain_cost : float or array_like of shape (n_samples,), optional
            In place of the parameters of that name, for all cases or for each.
        cost_matrix : array_like of shape (k, k) or (n_samples, k, k), or DataFrame of shape (k, k), optional
            Cost of each prediction (last axis, columns) for each true class (rows), in place of all costs but
            that of no decision, for all cases or for each.
        max_positives : int or float, optional
            Predict the positive class for at most so many of these cases, or for at most this share of them,
            of 0.0 to 1.0, rounded down: for those where it saves most.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels; ``abstain_label`` where no decision costs less than each.

        Raises
        ------
        ValueError
            If costs are not admissible, or a cap is set on one of many classes or beside ``max_miss_rate``.

        Warns
        -----
        KnownDecisionWarning
            If costs of each case are given, and decide some cases alone, whatever the probability.
        """
        costs = (fn_cost, fp_cost, tp_cost, tn_cost, abstain_cost, cost_matrix)
        given = dict(zip(AT_THE_DECISION, costs, strict=True))
        decided = self._predict(X, given, max_positives)
        each = [name for name, cost in given.items() if is_of_each_case(name, cost)]
        if each and not is_collection(X):
            warn_of_known(each, *self._costs(given, len(decided), self.classes_))
        return decided

    def _predict(self, X: ArrayLike, given: dict[str, Any], max_positives: float | None = None) -> np.ndarray:
        """What ``predict`` says, without its warning."""
        check_is_fitted(self)
        if max_positives is not None:
            if isinstance(max_positives, (float, np.floating)):
                max_positives = read_number("max_positives", max_positives, "[0, 1]")
            else:
                max_positives = check_count("max_positives", max_positives, smallest=0, besides="a share")
            for reason, refused in {
                "y had more than two classes": len(self.classes_) > 2,
                "it may leave more positives out than max_miss_rate": self.max_miss_rate is not None,
                "X is read block by block": is_collection(X),
            }.items():
                if refused:
                    raise ValueError(f"max_positives={shown(max_positives)}: must be None, {reason}")
        answers = self.classes_ if self._decides_all(given) else self._answers(self.classes_)
        return self._judged(partial(self._decide, max_positives=max_positives), X, given, answers[:0])

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """What each decision saves.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, k)
            With two classes what predicting ``classes_[1]`` saves over the other, else minus the expected
            cost of each.
        """
        expected = self.expected_cost(X)
        return expected[:, 0] - expected[:, 1] if expected.shape[1] == 2 else -expected

    def explain(
        self,
        X: ArrayLike,
        background: ArrayLike,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> Explanation:
        """What each column adds to the log odds of the positive class, and what calling a row saves.

        For boosting on stumps and linear classifiers, in a pipeline too if its steps keep the columns apart:
        the features that are made of one column, as of words, are counted as that column. Neither
        ``max_miss_rate`` nor leaving a case undecided has a part in it.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.
        background : array_like of shape (m, n_features)
            Rows to measure against, such as those of the training; a few hundred will do.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array_like of shape (n_samples,), optional
            As in ``predict``.

        Returns
        -------
        Explanation
            Contributions, with their spread over the classifiers of a cross-fit.

        Raises
        ------
        ValueError
            If the log odds are no sum of functions of one column each, which is seen from the classifier and
            the calibration before any work, and from the sums if it is for the steps of a pipeline; if
            ``X`` is a Dask collection, or costs or rows are not admissible.
        """
        self._check_unchanged()
        refuse_blocks(X)
        check_explainable(self.classifier_, self._learner())
        if is_collection(X):
            raise ValueError("X is a Dask collection: allowed is a part of it in memory")
        rows, background = read_tables(X, background)
        given = dict(zip(FOUR, (fn_cost, fp_cost, tp_cost, tn_cost), strict=True))
        self.expected_cost(rows, **given)  # refuses rows and costs, and that costs of each case are wanting
        number = self._positive(self.classes_, symmetric=True)
        stakes = Stakes.of(self._costs(given, len(rows), self.classes_)[0], number)
        return explain_rows(self.classifier_, self.classifier_.scores, rows, background, number, stakes)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        abstain_cost: Any = None,
        cost_matrix: Any = None,
    ) -> float:
        """Minus the mean cost of the decisions, so that a search by it finds the cheapest.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.
        y : array_like of shape (n_samples,)
            Labels.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights.
        fn_cost, fp_cost, tp_cost, tn_cost, abstain_cost : float or array_like of shape (n_samples,), optional
            As in ``predict``. ``cross_validate`` and searches hand costs of each case on, by the metadata
            routing of scikit-learn 1.8 and later: ask for them with ``set_score_request(fn_cost=True)``.
        cost_matrix : array_like of shape (k, k) or (n_samples, k, k), or DataFrame of shape (k, k), optional
            As in ``predict``; those of each case are routed as the other costs are.

        Returns
        -------
        float
            In the unit of the costs, at most zero where being right costs nothing.

        Raises
        ------
        ValueError
            If costs, labels or weights are not admissible.
        """
        costs = (fn_cost, fp_cost, tp_cost, tn_cost, abstain_cost, cost_matrix)
        given = dict(zip(AT_THE_DECISION, costs, strict=True))
        check_order(X=X, y=y, sample_weight=sample_weight, **_rows_of(given))
        decided, labels = self._predict(X, given), read_column("y", y)
        if unknown := sorted(set(labels.tolist()) - set(self.classes_.tolist())):
            raise ValueError(f"y holds {shown(unknown[0])}: allowed are {shown(self.classes_.tolist())}")
        matrices, undecided = self._costs(given, len(labels), self.classes_)
        return -mean_cost(
            labels,
            decided,
            matrices[0] if len(matrices) == 1 else matrices,
            labels=self.classes_,
            abstain_cost=undecided,
            abstain_label=None if undecided is None else self.abstain_label,
            sample_weight=sample_weight,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.max_miss_rate is not None:
            tags.classifier_tags.multi_class = False
        return tags
