"""Any classifier, calibrated, deciding at least expected cost."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from csb.costs import check_cost_matrix
from csb.estimators.around import AroundClassifier
from csb.estimators.params import Label, Seed, estimator, param
from csb.estimators.splitting import read_splits
from csb.evaluation.decisions import level_ties
from csb.inputs import (
    MODERATE,
    check_count,
    check_jobs,
    one_of,
    read_array,
    read_random_state,
    shown,
)

__all__ = ["CostDecision"]

COSTS = {"fn_cost": 1.0, "fp_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}
"""The four costs of two classes, and their defaults."""
FOUR = tuple(COSTS)


@estimator
class CostDecision(Seed, AroundClassifier):
    r"""The class of least expected cost, by the calibrated probabilities of any classifier.

    With two classes and no cost of right decisions that is the positive class where its probability exceeds
    :math:`c_{FP}/(c_{FP}+c_{FN})`, Eqs. (2) and (4) of Nikolaou et al. (2016); with a matrix, the class
    :math:`y` of least :math:`\sum_c p_cC_{cy}`. Costs play no part in training: set others with
    ``set_params``, or give ``predict`` those of the day or of each case, without fitting again.

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
    """

    _changeable = frozenset((*FOUR, "cost_matrix", "pos_label", "n_jobs"))
    _attributes: ClassVar[str] = """
        classifier_ : object
            The fitted classifier, calibrated unless ``calibration`` is None.
        classes_ : ndarray of shape (k,)
            Labels.
        n_features_in_ : int
            Number of features, if the classifier tells it.
        """
    estimator: Any = param(
        None, "The classifier, or a pipeline that ends in one; AdaBoost on stumps by default.", "classifier"
    )
    _: KW_ONLY
    fn_cost: float = param(1.0, "Cost of missing a positive.", "float")
    fp_cost: float = param(1.0, "Cost of a false alarm.", "float")
    tp_cost: float = param(0.0, "Cost of a positive that is found; negative for a gain.", "float")
    tn_cost: float = param(0.0, "Cost of a negative left alone; negative for a gain.", "float")
    cost_matrix: Any = param(
        None,
        "Cost of each prediction (columns) for each true class (rows), in place of the four costs: an array "
        "in the order of the sorted classes, or a frame that names them.",
        "array_like or DataFrame of shape (k, k)",
    )
    pos_label: Label = param(
        None,
        "The positive class of two; ``classes_[1]`` by default. Of more than two none may be named.",
        "label",
    )
    calibration: Literal["sigmoid", "isotonic", None] = param(
        "sigmoid",
        "How scores become probabilities, by scikit-learn's ``CalibratedClassifierCV``; None trusts those of "
        "the classifier.",
        '{"sigmoid", "isotonic", None}',
    )
    cv: Any = param(
        None,
        "Folds of the calibration; by default a random third of each class is held out for it. A classifier "
        "that is fitted already, in scikit-learn's ``FrozenEstimator``, is calibrated on all examples.",
        "int, splitter or iterable of splits",
    )
    n_jobs: int | None = param(None, "Processes of the calibration.", "int")

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
            If a parameter or the costs are not admissible, or by the classifier.
        """
        return self._fit_whole(X, y, sample_weight)

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        from sklearn.calibration import CalibratedClassifierCV  # slow to import

        base = self._learner()
        method = one_of("calibration", self.calibration, ("sigmoid", "isotonic", None))
        check_jobs("n_jobs", self.n_jobs)
        X, labels, numbers, weights, classes, used = self._read_rows(X, y, sample_weight)
        self._table({}, 1, classes)  # refuses costs that do not fit the classes
        random_state = read_random_state("random_state", self.random_state)
        if method is not None:
            splits = [(np.arange(len(labels)),) * 2]  # one that is fitted already is only calibrated
            if not isinstance(base, FrozenEstimator):
                splits = read_splits(self.cv, numbers, used, random_state, "calibration")
            model = CalibratedClassifierCV(base, method=method, cv=splits, n_jobs=self.n_jobs, ensemble=True)
        elif hasattr(base, "predict_proba"):
            model = clone(base)
        else:
            raise ValueError(f"calibration=None: {shown(base)} has no predict_proba, calibrate it")
        weighted = {} if sample_weight is None else {"sample_weight": weights}
        self.classifier_ = model.fit(X, labels, **weighted)
        self.classes_ = self.classifier_.classes_
        self._take_over(self.classifier_)

    def _table(self, given: dict[str, Any], n: int, classes: np.ndarray) -> np.ndarray:
        """Cost of each prediction (last axis) for each true class, shape (1, k, k) or (n, k, k)."""
        given = {name: value for name, value in given.items() if value is not None}
        positive = self._positive(classes)
        if self.cost_matrix is not None or len(classes) > 2:
            # of many classes every error costs one by default
            named = [name for name in FOUR if name in given or np.any(getattr(self, name) != COSTS[name])]
            if named:
                raise ValueError(f"{named[0]}: must be left out, costs are those of cost_matrix")
            return check_cost_matrix(self.cost_matrix, classes)[np.newaxis]
        costs = {name: read_array(name, given.get(name, getattr(self, name)), MODERATE) for name in FOUR}
        for name, value in costs.items():
            if value.shape not in ((), (n,)):
                raise ValueError(f"{name} has shape {value.shape}: allowed is a number or ({n},), one a case")
        for wrong, right in (("fn_cost", "tp_cost"), ("fp_cost", "tn_cost")):
            if np.any(costs[wrong] <= costs[right]):
                raise ValueError(f"{wrong} and {right}: allowed is an error that costs more than being right")
        fn, fp, tp, tn = np.broadcast_arrays(*map(np.atleast_1d, costs.values()))
        rows = [[tn, fp], [fn, tp]] if positive == 1 else [[tp, fn], [fp, tn]]
        return np.array(rows).transpose(2, 0, 1)

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
        self._check_unchanged()
        return self.classifier_.predict_proba(X)

    def expected_cost(
        self,
        X: ArrayLike,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> np.ndarray:
        """Expected cost of predicting each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array_like of shape (n_samples,), optional
            In place of the parameters of that name, for all cases or for each.

        Returns
        -------
        ndarray of shape (n_samples, k)
            In the unit of the costs; columns in the order of ``classes_``. What differs from the least by
            a few units in the last place is equal to it.

        Raises
        ------
        ValueError
            If costs are not admissible, or a wrong decision does not cost more than the right one.
        """
        p = self.predict_proba(X)
        table = self._table(
            dict(zip(FOUR, (fn_cost, fp_cost, tp_cost, tn_cost), strict=True)), len(p), self.classes_
        )
        terms = p[:, :, np.newaxis] * table
        return level_ties(terms.sum(axis=1), np.abs(terms).sum(axis=1))

    def predict(
        self,
        X: ArrayLike,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        max_positives: int | None = None,
    ) -> np.ndarray:
        """The class of least expected cost; of equal ones the first.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array_like of shape (n_samples,), optional
            In place of the parameters of that name, for all cases or for each.
        max_positives : int, optional
            Predict the positive class for at most so many of these cases: those where it saves most.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.

        Raises
        ------
        ValueError
            If costs are not admissible, or more than two classes share a cap on one.
        """
        expected = self.expected_cost(X, fn_cost=fn_cost, fp_cost=fp_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if max_positives is None:
            return self.classes_[np.argmin(expected, axis=1)]
        if len(self.classes_) != 2:
            raise ValueError(
                f"max_positives={shown(max_positives)}: must be None, y had more than two classes"
            )
        positive = self._positive(self.classes_)
        saved = expected[:, 1 - positive] - expected[:, positive]
        first = np.argsort(-saved, kind="stable")[: check_count("max_positives", max_positives, smallest=0)]
        called = np.full(len(saved), 1 - positive)
        called[first[saved[first] > 0]] = positive
        return self.classes_[called]

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
