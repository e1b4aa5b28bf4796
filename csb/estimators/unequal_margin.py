"""The support vector machine with unequal margins."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from csb.estimators.base import BinaryClassifier
from csb.estimators.params import TwoCosts, estimator, param
from csb.inputs import MODERATE, check_instance, one_of, read_array, shown
from csb.methods import METHODS
from csb.methods.thresholds import RULES, Rule, threshold_between

__all__ = ["UnequalMarginSVC"]

MOST_STEPS = 1_000_000
"""Of the default's solver, which would not end on features of a very large scale."""


@estimator
class UnequalMarginSVC(BinaryClassifier, TwoCosts):
    r"""A support vector machine whose hyperplane gives the costly class the larger margin.

    Section 3 of Karakoulas and Shawe-Taylor (1998): targets in proportion to the costs in the constraints of
    the maximal-margin programme. Its solution is the hyperplane of equal targets moved parallel to itself,
    with slacks as without, see :mod:`csb.methods.thresholds`: scikit-learn's ``SVC``, and a threshold on
    its decision function. The paper has the hard margin, a large ``C``. With slacks an ``SVC`` of parameter
    ``C`` solves the programme with targets :math:`\beta` and 1 and the parameter :math:`\frac{1+\beta}2C`.

    Costs act at the decision. The threshold never leaves the space between the margins: where the classes
    overlap, the ``class_weight`` of the ``SVC`` or calibration (:class:`csb.CostDecision`) do more about
    costs.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    >>> model = UnequalMarginSVC(fn_cost=3, estimator=SVC(kernel="linear", C=1e3)).fit(X, y)
    >>> round(model.decision_threshold_, 3)
    -0.5
    >>> model.predict([[1.9], [2.1]])  # the border is at 2, three times as far from 5 as from 1
    array([0, 1])
    """

    _method = METHODS["unequal_margin"]
    _changeable = frozenset({"fn_cost", "fp_cost", "pos_label", "threshold"})
    _attributes: ClassVar[str] = """
        svc_ : SVC
            The support vector machine of equal targets.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """
    _: KW_ONLY
    estimator: Any = param(
        None,
        "Kernel, ``C`` and all else of the programme; by default a linear kernel and ``C=1``, solved to "
        "1e-10 in at most a million steps.",
        "sklearn.svm.SVC",
    )
    threshold: Rule = param(
        "b",
        "How to divide the space between the margins: Eq. (1), Eq. (2) with cube roots as printed, with "
        "square roots as the bound of Theorem 3.2 asks for (E-K03), or half-way.",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the hyperplane.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers of at most 1e100.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights, by which ``C`` is multiplied; a weight of zero equals an absent row.

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

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        from sklearn.svm import SVC  # slow to import

        svc = (
            SVC(kernel="linear", tol=1e-10, max_iter=MOST_STEPS) if self.estimator is None else self.estimator
        )
        check_instance("estimator", svc, SVC)
        if svc.kernel == "precomputed":
            raise ValueError(
                "estimator: kernel='precomputed' is not taken; allowed is a kernel of the features"
            )
        examples = self._read(X, y, sample_weight, 2)
        self._theta(examples.classes)
        table = read_array("X", examples.X, MODERATE, shape=examples.X.shape)
        self.classes_ = examples.classes
        try:
            weights = np.ascontiguousarray(examples.weights)
            self.svc_ = clone(svc).fit(table, examples.classes[examples.labels], weights)
        except (TypeError, ValueError) as error:
            raise ValueError(f"estimator={shown(svc)} cannot be fitted to X and y: {error}") from None

    def _theta(self, classes: np.ndarray) -> float:
        """The threshold, for the parameters as they stand."""
        one_of("threshold", self.threshold, RULES)
        costs = self._class_costs(classes)
        return threshold_between(-1.0, 1.0, costs.fn_cost[0], costs.fp_cost[0], self.threshold).item()

    @property
    def decision_threshold_(self) -> float:
        """Score above which ``classes_[1]`` is predicted."""
        self._check_unchanged()
        return self._theta(self.classes_)

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """The function of equal targets, which is -1 and 1 on the margins.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers of at most 1e100.

        Returns
        -------
        ndarray of shape (n_samples,)
            Compared with ``decision_threshold_``; positive values speak for ``classes_[1]``.
        """
        table = self._check_X(X)
        return self.svc_.decision_function(read_array("X", table, MODERATE, shape=table.shape))
