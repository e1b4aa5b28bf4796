"""MetaCost: any learner, trained on the labels that cost least."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from csb.costs import check_costs
from csb.estimators.cross_fitting import Rows, fit_one, needs_no_weights
from csb.estimators.decision import MetaEstimator
from csb.estimators.params import Seed, estimator, param
from csb.evaluation.classifiers import (
    check_known,
    class_numbers,
    class_probabilities,
    gives,
    is_frozen,
)
from csb.evaluation.decisions import decide
from csb.inputs import (
    ConstantModelWarning,
    check_count,
    check_flag,
    check_jobs,
    one_of,
    read_number,
    read_random_state,
    shown,
)
from csb.methods import METHODS

__all__ = ["MetaCost"]


def _gives_probabilities(model: MetaCost) -> bool:
    """By the learner, that of the fit if there was one: where all labels are one, the model is a constant."""
    known: bool | None = getattr(model, "_probable", None)
    return gives(model._learner(), "predict_proba") if known is None else known


@estimator
class MetaCost(Seed, MetaEstimator):
    r"""Any learner made to heed costs by the labels it is given (Domingos 1999).

    Models of bootstrap samples estimate :math:`P(j|x)` together; every training example gets the label
    :math:`\arg\min_y \sum_j P(j|x)C_{jy}`, the first of equal ones,
    rounding aside, and one model is trained on these labels.
    It knows nothing of costs and decides as the learner does.

    A sample that holds one class only gives the constant model; a training set whose new labels are all the
    same does so too, with a warning. An example that every sample holds has no model out of bag, and is
    judged by all.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3)
    >>> plain = MetaCost(tree, n_estimators=20, random_state=0).fit(X, y)
    >>> dear = MetaCost(tree, fp_cost=20, n_estimators=20, random_state=0).fit(X, y)
    >>> int(dear.predict(X).sum()) < int(plain.predict(X).sum())
    True
    """

    _method = METHODS["metacost"]
    _attributes: ClassVar[str] = """
        estimator_ : object
            The model of the new labels.
        estimators_ : list of length m
            The models of the samples.
        estimators_samples_ : list of length m
            Rows of each sample, counted among those of positive weight.
        probabilities_ : ndarray of shape (n, k)
            Estimated probability of each class for each of these rows.
        relabelled_ : ndarray of shape (n,)
            Their new labels.
        classes_ : ndarray of shape (k,)
            Labels.
        n_features_in_ : int
            Number of features, if the learner tells it.
        """
    _: KW_ONLY
    n_estimators: int = param(50, "Number m of bootstrap samples.", "int")
    max_samples: float | None = param(
        None, "Examples in a sample: their number, or a share of all; as many as there are by default.",
        "int or float",
    )  # fmt: skip
    average: Literal["probabilities", "votes"] = param("probabilities", "What is averaged over the models.")
    out_of_bag: bool = param(
        False, "Whether an example is judged only by the models whose sample lacks it.", "bool"
    )
    n_jobs: int | None = param(None, "Processes for the samples; the model does not depend on it.", "int")

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate probabilities, relabel, and train.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Whatever the learner takes.
        y : array_like of shape (n_samples,)
            Labels.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights: examples are drawn in proportion to them, and the last model is trained
            with them, so that it must take them unless they are equal. A weight of zero is an absent row.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter or the costs are not admissible, if the learner gives no probabilities of its
            ``classes_``, or labels that are no classes, or by the learner.
        """
        with self._fit_atomically() as twin:
            twin._fit(X, y, sample_weight)
        return self

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        learner = self._learner()
        votes = one_of("average", self.average, ("probabilities", "votes")) == "votes"
        self._probable = gives(learner, "predict_proba")
        if not votes and not self._probable:
            raise ValueError(
                f"average='probabilities': {shown(learner)} has no predict_proba; 'votes' is allowed"
            )
        if is_frozen(learner):
            raise ValueError(
                f"estimator={shown(learner)}: allowed is a learner that can be trained on new labels; "
                "one in a FrozenEstimator cannot"
            )
        out_of_bag = check_flag("out_of_bag", self.out_of_bag)
        check_jobs("n_jobs", self.n_jobs)
        count = check_count("n_estimators", self.n_estimators)
        rows = self._read_rows(X, y, sample_weight)
        costs, size = self._costs(rows.classes), self._size(len(rows.labels))
        weights = None if needs_no_weights(learner, rows.weights) else rows.weights
        if weights is not None and not has_fit_parameter(learner, "sample_weight"):
            raise ValueError(f"sample_weight: {shown(learner)} takes none; equal weights are allowed")
        rng = read_random_state("random_state", self.random_state)
        share = rows.weights / rows.weights.sum()
        drawn = [rng.choice(len(share), size, p=share) for _ in range(count)]
        # scikit-learn's BaggingClassifier makes an array of X and stops where a sample lacks a class
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_judge)(_seeded(learner, rng), rows, sample, votes) for sample in drawn
        )
        self.estimators_ = [model for model, _ in found]
        self.estimators_samples_ = drawn
        self.probabilities_ = _average([said for _, said in found], drawn, out_of_bag)
        self.relabelled_ = rows.classes[decide(self.probabilities_, costs)]
        if np.all(self.relabelled_ == self.relabelled_[0]):
            warnings.warn(
                f"every example is given the label {self.relabelled_.tolist()[0]!r}, the model is that "
                "constant",
                ConstantModelWarning, stacklevel=3,
            )  # fmt: skip
        self.estimator_ = _fit_one(_seeded(learner, rng), rows.X, self.relabelled_, weights)
        self.classes_ = rows.classes
        self._take_over(self.estimators_[0])

    def _costs(self, classes: np.ndarray) -> np.ndarray:
        """Cost of each prediction (columns) for each true class (rows)."""
        if self._has_matrix(classes):
            named = [name for name in ("fn_cost", "fp_cost") if np.any(getattr(self, name) != 1.0)]
            self._positive(classes, symmetric=True)
            return self._matrix(classes, named)
        costs = check_costs(self.fn_cost, self.fp_cost, single=True)
        missed, alarm = (each.item() for each in costs)
        if self._positive(classes, costs.equal) == 0:
            missed, alarm = alarm, missed
        return np.array([[0.0, alarm], [missed, 0.0]])

    def _size(self, n: int) -> int:
        """Number of examples in a sample."""
        if self.max_samples is None:
            return n
        if isinstance(self.max_samples, numbers.Integral):
            return check_count("max_samples", self.max_samples)
        return max(1, round(n * read_number("max_samples", self.max_samples, "(0, 1]")))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The label that the last model gives.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        self._check_unchanged()
        return self.classes_[class_numbers(self.estimator_, X, self.classes_)]

    @available_if(_gives_probabilities)
    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """How sure the last model is of its labels.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, k)
            Its probabilities of the new labels, which are none of the classes; with two classes that of
            ``classes_[1]`` less that of ``classes_[0]``.
        """
        self._check_unchanged()
        said = _said(self.estimator_, X, self.classes_, votes=False)
        return said[:, 1] - said[:, 0] if len(self.classes_) == 2 else said


def _seeded(learner: Any, rng: np.random.RandomState) -> Any:
    """A copy of the learner, each of whose seeds is drawn."""
    learner = clone(learner)
    seeds = [name for name in sorted(learner.get_params()) if name.rpartition("__")[2] == "random_state"]
    return learner.set_params(**{name: rng.randint(2**31 - 1) for name in seeds})


def _fit_one(learner: Any, X: Any, labels: np.ndarray, weights: np.ndarray | None = None) -> Any:
    """The learner fitted, or the constant where there is one label only, which many learners refuse."""
    if np.all(labels == labels[0]):
        return DummyClassifier(strategy="most_frequent").fit(X, labels)
    weighted = {} if weights is None else {"sample_weight": weights}
    fit_one(learner, X, labels, **weighted)
    check_known(learner, np.unique(labels).tolist())  # a part of it may have been fitted before
    return learner


def _said(model: Any, X: Any, classes: np.ndarray, votes: bool) -> np.ndarray:
    """Probabilities or votes of one model, shape (n, k): zero for classes it has not seen."""
    if votes:
        return np.eye(len(classes))[class_numbers(model, X, classes)]
    return class_probabilities(model, X, classes)


def _judge(learner: Any, rows: Rows, sample: np.ndarray, votes: bool) -> tuple[Any, np.ndarray]:
    """The model of one sample, and what it says of all examples."""
    labels = rows.labels[sample]
    model = _fit_one(learner, _safe_indexing(rows.X, sample), labels)
    return model, _said(model, rows.X, rows.classes, votes)


def _average(said: list[np.ndarray], drawn: list[np.ndarray], out_of_bag: bool) -> np.ndarray:
    """Mean over the models, or over those that have not seen the example if there are any."""
    mean = np.mean(said, axis=0)
    if not out_of_bag:
        return mean
    total, judges = np.zeros_like(mean), np.zeros(len(mean))
    for each, sample in zip(said, drawn, strict=True):
        unseen = np.ones(len(mean), bool)
        unseen[sample] = False
        total[unseen] += each[unseen]
        judges += unseen
    judged = judges > 0
    mean[judged] = total[judged] / judges[judged, np.newaxis]
    return mean
