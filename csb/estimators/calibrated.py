"""Calibrated boosting: score, calibrate on examples not trained on, threshold the probability at ``c``.

Section 4 of Nikolaou et al. (2016). The calibration examples are not weighted by cost; whatever the base
method, the positive class is predicted when its calibrated probability exceeds the Bayes threshold.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logit
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from csb.estimators._base import BinaryCostClassifier, check_count
from csb.estimators._docs import documented
from csb.estimators.exponential import AdaMEC, AsymAda, CGAda
from csb.evaluation.calibration import make_calibrator
from csb.methods import VARIANTS

__all__ = ["CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda"]

HELD_OUT = 1 / 3
SMALLEST = 1e-15
"""Probabilities are kept this far from 0 and 1 where their log odds are taken."""

CALIBRATION = """calibration : {"sigmoid", "sigmoid_ls", "isotonic"}, default "sigmoid"
        Platt scaling by maximum likelihood, by least squares, or isotonic regression.
    cv : int, splitter or iterable of splits, optional
        Cross-fitting: so many ensembles, each calibrated on the fold it was not trained on, their
        probabilities averaged. By default a random third of each class is held out for calibration.
    """


class _CalibratedBoosting(BinaryCostClassifier):
    """A base method, trained on one part of the data and calibrated on the other."""

    _base: type

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, calibration="sigmoid",
        cv=None, nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        self.fn_cost = fn_cost
        self.fp_cost = fp_cost
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.calibration = calibration
        self.cv = cv
        self.nonpositive_alpha = nonpositive_alpha
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.pos_label = pos_label
        self.random_state = random_state

    def _row(self):
        return VARIANTS[self._base._variant]

    def fit(self, X, y, sample_weight=None):
        """Train and calibrate.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; examples of weight zero are left out before the data are split.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible, or a class has too few examples to
            be split; nothing is trained then.
        """
        X, labels, weights = self._read(X, y, sample_weight)
        self._costs()  # refuse bad costs before any work
        make_calibrator(self.calibration)
        random_state = check_random_state(self.random_state)
        shared = self._base().get_params().keys() & self.get_params().keys() - {"random_state"}
        models = []
        for fitting, held_out in self._splits(labels, np.flatnonzero(weights > 0), random_state):
            base = self._base(
                **{name: getattr(self, name) for name in shared},
                random_state=random_state.randint(2**31 - 1),
            ).fit(X[fitting], self.classes_[labels[fitting]], weights[fitting])
            calibrator = make_calibrator(self.calibration)
            scores = base.decision_function(X[held_out])
            calibrator.fit(scores, labels[held_out], sample_weight=weights[held_out])
            models.append((base, calibrator))
        self.calibrated_models_ = models
        self._remember_costs()
        return self

    def _splits(self, labels, used, random_state):
        """Pairs of row numbers, to fit and to calibrate; rows of weight zero are drawn for neither."""
        seed = random_state.randint(2**31 - 1)
        if self.cv is None:
            needed, splitter = 3, StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
        elif isinstance(self.cv, (int, float, str)):
            needed = check_count("cv", self.cv, smallest=2)
            splitter = StratifiedKFold(needed, shuffle=True, random_state=seed)
        else:
            return check_cv(self.cv).split(labels, labels)
        fewest = np.bincount(labels[used], minlength=2).min()
        if fewest < needed:
            raise ValueError(
                f"cv={self.cv!r}: calibration needs at least {needed} examples of each class; "
                f"the smaller class has {fewest}"
            )
        return [(used[fit], used[rest]) for fit, rest in splitter.split(used, labels[used])]

    def _calibrated(self, X):
        X = self._check_X(X)
        total = np.zeros(len(X))
        for base, calibrator in self.calibrated_models_:
            total += calibrator.predict(base.decision_function(X))
        return total / len(self.calibrated_models_)

    def predict_proba(self, X):
        """Calibrated probability of each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        p = self._calibrated(X)
        return np.column_stack([1 - p, p])

    def decision_function(self, X):
        """Log odds of the calibrated probability.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return logit(np.clip(self._calibrated(X), SMALLEST, 1 - SMALLEST))

    @property
    def decision_threshold_(self) -> float:
        """Log odds of the Bayes threshold: costs act at the decision."""
        check_is_fitted(self)
        return float(-self._costs().log_ratio[0]) + 0.0


def _documented(cls):
    cls.__doc__ = cls.__doc__.replace("<calibration>", CALIBRATION.rstrip())
    return documented(cls)


@_documented
class CalibratedAdaMEC(_CalibratedBoosting):
    """AdaBoost, calibrated, thresholded at ``c``: the method that Nikolaou et al. (2016) recommend.

    Costs act only at the decision: set new ones with ``set_params`` and predict again, without training.

    Parameters
    ----------
    <costs>
    <common>
    <calibration>

    Attributes
    ----------
    calibrated_models_ : list of pairs
        Fitted AdaMEC and calibrator, one pair, or ``cv`` of them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedAdaMEC(fn_cost=5, n_estimators=20, random_state=0).fit(X, y)
    >>> cheap = model.predict(X).sum()
    >>> bool(model.set_params(fn_cost=50).predict(X).sum() >= cheap)
    True
    """

    _base = AdaMEC


@_documented
class CalibratedCGAda(_CalibratedBoosting):
    """CGAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016).

    Parameters
    ----------
    <costs>
    <common>
    <calibration>

    Attributes
    ----------
    calibrated_models_ : list of pairs
        Fitted CGAda and calibrator, one pair, or ``cv`` of them.
    """

    _base = CGAda


@_documented
class CalibratedAsymAda(_CalibratedBoosting):
    """AsymAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016).

    Parameters
    ----------
    <costs>
    <common>
    <calibration>

    Attributes
    ----------
    calibrated_models_ : list of pairs
        Fitted AsymAda and calibrator, one pair, or ``cv`` of them.
    """

    _base = AsymAda
