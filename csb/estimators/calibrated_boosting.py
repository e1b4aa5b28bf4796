"""Calibrated boosting: score, calibrate on examples not trained on, threshold the probability at ``c``.

Section 4 of Nikolaou et al. (2016). The calibration examples are not weighted by cost; whatever the base
method, the positive class is predicted when its calibrated probability exceeds the Bayes threshold. That is
the decision of :class:`csb.CostDecision` around AdaMEC, CGAda or AsymAda, with a stage for every round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, fields
from itertools import zip_longest
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from csb.costs import Costs
from csb.engine.blocks import Blocks
from csb.engine.elementary import logit
from csb.engine.rules import log_cost_ratio
from csb.engine.trained import Model
from csb.estimators.additive import read_importances
from csb.estimators.base import BinaryClassifier, CostBoosting
from csb.estimators.binary import AdaMEC, AsymAda, CGAda
from csb.estimators.cross_fitting import (
    CalibratedEnsemble,
    Rows,
    calibrate_member,
    count_copies,
    fit_calibrators,
    read_splits,
    warn_of_few,
)
from csb.estimators.explaining import check_explainable, explain_rows, read_tables
from csb.estimators.params import TwoCosts, Votes, estimator, param
from csb.evaluation.calibration import CALIBRATORS, Calibration
from csb.evaluation.calibrator import Calibrator
from csb.evaluation.decisions import Stakes, decide_positive, is_of_each_case, read_cost, warn_of_known
from csb.evaluation.explanation import Explanation
from csb.inputs import check_flag, check_order, one_of, positive_class, read_number, read_random_state
from csb.methods import METHODS
from csb.methods.spec import LEARNING_RATES

__all__ = ["CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda"]

SMALLEST = 1e-15
"""Probabilities are kept this far from 0 and 1 where their log odds are taken."""


def _has_stages(estimator: _CalibratedBoosting) -> bool:
    if not estimator.store_stages:
        raise AttributeError(
            f"{type(estimator).__name__} has no stages: set store_stages=True, and the fit calibrates each"
        )
    return True


def _log_odds(p: np.ndarray) -> np.ndarray:
    return logit(np.clip(p, SMALLEST, 1 - SMALLEST))


def _calibrate_stages(
    calibration: Calibration, model: Model, rows: Rows, unseen: np.ndarray
) -> list[Calibrator]:
    """A calibrator for the scores after each round."""
    numbers, counted = rows.numbers[unseen], rows.counted[unseen]
    # not the scores of the loop, which knows only the bins of examples that this model has not seen
    return [
        fit_calibrators(calibration, scores[:, np.newaxis], numbers, counted)[0]
        for scores in model.staged_scores(rows.X[unseen])
    ]


@estimator
class _CalibratedBoosting(BinaryClassifier, Votes, TwoCosts):
    """A base method, trained on one part of the data and calibrated on the other; all folds in one batch."""

    _base: ClassVar[type[CostBoosting]]
    _attributes: ClassVar[str] = """
        classifier_ : csb.estimators.cross_fitting.CalibratedEnsemble
            The trained ensembles with their calibrators: its ``members``.
        calibrated_models_ : list of pairs
            Trained ensemble and calibrator, one pair, or ``cv`` of them; the ensemble has
            ``decision_function`` for arrays. No calibrator where the ensemble is trusted.
        staged_calibrators_ : list of lists
            The calibrators of each ensemble, one after each of its rounds; empty without ``store_stages``.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """
    _: KW_ONLY
    calibration: Calibration | None = param(
        "sigmoid",
        "Platt scaling by maximum likelihood or by least squares, beta calibration, isotonic regression, "
        "Venn-Abers prediction, or temperature scaling, which takes a score of zero for a probability of one "
        "half; None trusts the probabilities of the base method, trained on all examples.",
        '{"sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers", "temperature", None}',
    )
    cv: Any = param(
        None,
        "Cross-fitting: so many ensembles, each calibrated on the fold it was not trained on, which must "
        "have both classes, their probabilities averaged. By default a random third of each class is held "
        "out for calibration.",
        "int, splitter or iterable of splits",
    )
    store_stages: bool = param(
        False,
        "Calibrate each ensemble after every round, for the ``staged_*`` methods; the fit then takes several "
        "times as long, most with isotonic regression on few examples.",
        "bool",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train and calibrate.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers, or NaN where the learner takes it.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; examples of weight zero are left out before the data are split. To a
            calibrator a weight counts examples: weights of a mean below one are scaled to mean one.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible, or a class has too few examples to
            be split, or a part to calibrate on lacks it; nothing is trained then.

        Warns
        -----
        FewExamplesWarning
            If the examples to calibrate on are too few for the costs as they stand.
        """
        with self._fit_atomically() as twin:
            twin._fit(X, y, sample_weight)
        return self

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        examples = self._read(X, y, sample_weight, 2)
        labels, classes = examples.labels, examples.classes
        rows = Rows(examples.X, classes[labels], labels, examples.weights, classes, examples.used)
        calibration = one_of("calibration", self.calibration, (*CALIBRATORS, None))
        staged = check_flag("store_stages", self.store_stages)
        random_state = read_random_state("random_state", self.random_state)
        splits = [(np.arange(len(labels)),) * 2]
        if calibration is not None:
            splits = read_splits(
                self.cv, labels, examples.used, random_state, "calibration", classes, calibrates=True
            )
        held_out = [rows_of_split for _, rows_of_split in splits]
        errors = self._class_costs(classes).by_class
        warn_of_few(calibration, rows, held_out, np.array([[[0.0, errors[0, 0]], [errors[1, 0], 0.0]]]))
        rates = np.full(len(splits), read_number("learning_rate", self.learning_rate, LEARNING_RATES))
        base = self._base(**{name: getattr(self, name) for name in self._shared()})
        examples = examples._replace(weights=rows.counted)
        trained = base._train_copies(examples, count_copies(splits, len(labels)), rates, None, random_state)
        members = [
            calibrate_member(model, unseen, rows, calibration)
            for model, unseen in zip(trained, held_out, strict=True)
        ]
        self.classifier_, self.classes_ = CalibratedEnsemble(members, classes), classes
        self.staged_calibrators_ = [
            [] if calibration is None else _calibrate_stages(calibration, each.classifier, rows, unseen)
            for each, unseen in zip(members if staged else [], held_out if staged else [], strict=True)
        ]

    @classmethod
    def _shared(cls) -> set[str]:
        """Parameters of the base method."""
        return {each.name for each in fields(cls)} & {each.name for each in fields(cls._base)}

    @property
    def calibrated_models_(self) -> list[tuple[Model, Calibrator | None]]:
        """Trained ensembles, each with its calibrator."""
        members = self.classifier_.members
        return [(each.classifier, each.calibrators[0] if each.calibrators else None) for each in members]

    def _calibrated(self, X: Any) -> np.ndarray:
        """Probability of the second class."""
        X = self._check_X(X, fewest=0)
        return self.classifier_.predict_proba(X)[:, 1] if len(X) else np.empty(0)

    def _staged_calibrated(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """The same after each round; what has ended keeps its last one."""
        X = self._check_X(X)
        runs = [
            self._staged_member(model, calibrators, X)
            for (model, _), calibrators in zip(self.calibrated_models_, self.staged_calibrators_, strict=True)
        ]
        parts: list[Any] = [None] * len(runs)
        for now in zip_longest(*runs):
            parts = [last if new is None else new for last, new in zip(parts, now, strict=True)]
            yield sum(parts, np.zeros_like(parts[0])) / len(parts)

    @staticmethod
    def _staged_member(model: Model, calibrators: list[Calibrator], X: np.ndarray) -> Iterator[np.ndarray]:
        for t, scores in enumerate(model.staged_scores(X)):
            yield calibrators[t].predict(scores) if calibrators else model.probabilities(scores, t)[:, 1]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean importances of the features in the ensembles, as of :class:`csb.AdaBoost`."""
        self._check_unchanged()
        return read_importances([each.classifier for each in self.classifier_.members], self)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Calibrated probability of each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        p = self._calibrated(X)
        return np.column_stack([1 - p, p])

    def predict(
        self, X: ArrayLike | Blocks, *, fn_cost: ArrayLike | None = None, fp_cost: ArrayLike | None = None
    ) -> np.ndarray:
        """The class of least expected cost: ``classes_[1]`` where its probability exceeds the threshold.

        Costs given here may be any, as :meth:`csb.CostDecision.predict` takes them: a decision that is never
        better than the other is not made.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.
        fn_cost, fp_cost : float or array_like of shape (n_samples,), optional
            In place of the parameters of that name, for all cases or for each, at the decision only.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.

        Raises
        ------
        ValueError
            If costs are not admissible.

        Warns
        -----
        KnownDecisionWarning
            If costs of each case are given, and decide some cases alone, whatever the probability.
        """
        given = {"fn_cost": fn_cost, "fp_cost": fp_cost}
        check_order(X=X, **given)
        p = self._calibrated(X)
        read = {name: read_cost(name, cost, len(p)) for name, cost in given.items() if cost is not None}
        if not len(p):
            return self.classes_[:0]
        costs = self._class_costs(self.classes_, **read)
        if each := [name for name, cost in read.items() if is_of_each_case(name, cost)]:
            right = dict.fromkeys(("tp_cost", "tn_cost"), np.zeros(()))
            warn_of_known(each, Stakes(costs._asdict() | right).matrices())
        return self._decided(p, costs)

    def _decided(self, p: np.ndarray, costs: Costs) -> np.ndarray:
        return self.classes_[decide_positive(p, *costs).astype(int)]

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Log odds of the calibrated probability.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return _log_odds(self._calibrated(X))

    def explain(
        self,
        X: ArrayLike,
        background: ArrayLike,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
    ) -> Explanation:
        """What each feature adds to the log odds of the positive class, and what calling a row saves.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.
        background : array_like of shape (m, n_features)
            Rows to measure against, such as those of the training; a few hundred will do.
        fn_cost, fp_cost : float or array_like of shape (n_samples,), optional
            As in ``predict``.

        Returns
        -------
        Explanation
            Contributions, with their spread over the ensembles of a cross-fit.

        Raises
        ------
        ValueError
            If some hypothesis asks for more than one feature, if the calibration is not a sigmoid, or costs
            or rows are not admissible.
        """
        self._check_unchanged()
        check_explainable(self.classifier_, self.estimator, self.n_features_in_)
        rows, background = read_tables(X, background)
        given = {"fn_cost": fn_cost, "fp_cost": fp_cost}
        check_order(X=X, **given)
        read = {name: read_cost(name, cost, len(rows)) for name, cost in given.items() if cost is not None}
        self._class_costs(self.classes_, **read)  # refuses costs that do not fit the classes
        of_classes = {name: read.get(name, np.asarray(getattr(self, name), float)) for name in given}
        stakes = Stakes(of_classes | dict.fromkeys(("tp_cost", "tn_cost"), np.zeros(())))
        number = positive_class(self.classes_, self.pos_label, symmetric=True)
        return explain_rows(
            self.classifier_,
            lambda rows: self.classifier_.scores(self._check_X(rows)),
            rows, background, number, stakes,
        )  # fmt: skip

    @available_if(_has_stages)
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Calibrated probabilities after each round: of ensembles of so many rounds, each calibrated anew.

        An ensemble that ended early keeps its last stage. For AdaMEC and CGAda a stage is the method with
        that ``n_estimators``.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        for p in self._staged_calibrated(X):
            yield np.column_stack([1 - p, p])

    @available_if(_has_stages)
    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Log odds of the calibrated probabilities after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        yield from map(_log_odds, self._staged_calibrated(X))

    @available_if(_has_stages)
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
        costs = self._class_costs(self.classes_)
        for p in self._staged_calibrated(X):
            yield self._decided(p, costs)

    @property
    def decision_threshold_(self) -> float:
        """Log odds of the Bayes threshold: costs act at the decision.

        Predictions follow :func:`csb.evaluation.decisions.decide_positive`, by which a probability that only
        rounding parts from the threshold is at the threshold.
        """
        self._check_unchanged()
        return float(-log_cost_ratio(self._class_costs(self.classes_))[0]) + 0.0


@estimator
class CalibratedAdaMEC(_CalibratedBoosting):
    """AdaBoost, calibrated, thresholded at ``c``: the method that Nikolaou et al. (2016) recommend.

    Costs act only at the decision: set new ones with ``set_params`` and predict again, without training.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedAdaMEC(fn_cost=5, n_estimators=20, random_state=0).fit(X, y)
    >>> cheap = model.predict(X).sum()
    >>> bool(model.set_params(fn_cost=50).predict(X).sum() >= cheap)
    True
    """

    _method = METHODS["calibrated_adamec"]
    _base = AdaMEC
    _changeable = frozenset({"n_jobs", "fn_cost", "fp_cost", "pos_label"})


@estimator
class CalibratedCGAda(_CalibratedBoosting):
    """CGAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016)."""

    _method = METHODS["calibrated_cgada"]
    _base = CGAda


@estimator
class CalibratedAsymAda(_CalibratedBoosting):
    """AsymAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016).

    The cost ratio is spread over ``n_estimators`` rounds: a stage of a longer plan is not the method with as
    many rounds.
    """

    _method = METHODS["calibrated_asymada"]
    _base = AsymAda
