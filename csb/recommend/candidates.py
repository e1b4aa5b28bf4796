"""What is compared, and how each is trained, chosen and calibrated on the training rows of a fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.types import is_numeric_dtype
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from csb.engine.blocks import refuse_blocks
from csb.estimators.binary import AdaBoost
from csb.estimators.decision import CostDecision
from csb.estimators.params import estimator, param
from csb.estimators.search import BoostingCV
from csb.evaluation.calibration import Calibration
from csb.evaluation.classifiers import (
    ANSWERS,
    check_classifier,
    check_known,
    is_frozen,
    scores_of_probabilities,
)
from csb.evaluation.decisions import Stakes
from csb.inputs import MODERATE, FewExamplesWarning, read_array, shown
from csb.recommend.columns import WORDS, Columns, Kind, as_numbers, encoder

__all__ = [
    "Candidate", "CaseDecision", "ConstantDecision", "WeightedPipeline", "dense", "read_candidates",
    "read_rows", "takes",
]  # fmt: skip


class WeightedPipeline(Pipeline):
    """A pipeline whose ``fit`` takes weights, for its last step."""

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit all steps, the last one with the weights."""
        if sample_weight is not None:
            path, last = [], self
            while isinstance(last, Pipeline):
                name, last = last.steps[-1]
                path.append(name)
            params["__".join([*path, "sample_weight"])] = sample_weight
        return super().fit(X, y, **params)


def prepared(preprocess: Any, model: ClassifierMixin) -> ClassifierMixin:
    """The model, whole, behind what prepares its rows, in a pipeline that takes weights."""
    steps = [] if preprocess is None else [("preprocess", preprocess)]
    if not steps and not isinstance(model, Pipeline):
        return clone(model)
    if isinstance(model, WeightedPipeline):  # prepared already
        return clone(WeightedPipeline([*steps, *model.steps]))
    return clone(WeightedPipeline([*steps, ("model", model)]))


def read_rows(X: Any, preprocess: Any, kinds: Mapping[Any, Kind]) -> Any:
    """The rows, checked."""
    refuse_blocks(X, "recommend")
    if preprocess is not None:
        if not (hasattr(preprocess, "fit") and hasattr(preprocess, "transform")):
            raise ValueError(
                f"preprocess={shown(preprocess)}: allowed is a transformer with fit and transform"
            )
        return X
    if not isinstance(X, pd.DataFrame):
        if issparse(X):
            raise ValueError("X is sparse: allowed is a dense array, such as X.toarray()")
        try:
            return read_array("X", X, MODERATE, shape=(None, None))
        except ValueError as error:
            raise ValueError(f"{error}; in a pandas DataFrame words and gaps are allowed, too") from None
    for name, kind in kinds.items():
        if isinstance(X[name].dtype, pd.SparseDtype):
            raise ValueError(
                f"column {shown(name)} of X is sparse: allowed is X[{shown(name)}].sparse.to_dense()"
            )
        largest = 0.0 if kind in WORDS else np.abs(as_numbers(X[[name]], kinds)).max(axis=None)
        if largest > 1e100:
            held = "infinity" if np.isinf(largest) else f"a number of the size {largest:g}"
            raise ValueError(f"column {shown(name)} of X holds {held}: allowed are numbers in {MODERATE}")
    return X


FEW = 20
"""Rows of each class on which a pipeline is tried."""


def takes(model: ClassifierMixin, X: Any, y: np.ndarray) -> bool:
    """Whether a classifier takes these rows as they are: numbers without gaps, or whatever a pipeline can.

    That is tried on a few rows of each class, and one with a gap in each column.
    """
    if not isinstance(X, pd.DataFrame):
        return True
    gaps = X.isna().to_numpy()
    if not gaps.any() and all(map(is_numeric_dtype, X.dtypes)):
        return True
    if not isinstance(model, Pipeline):
        return False
    rows = [np.flatnonzero(y == label)[:FEW] for label in np.unique(y)]
    some = np.unique(np.concatenate([*rows, *(np.flatnonzero(gap)[:1] for gap in gaps.T)]))
    part = _safe_indexing(X, some)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            (model if is_frozen(model) else clone(model).fit(part, y[some])).predict(part)
        except Exception:  # there is no end to what others' code may raise
            return False
    return True


def dense(X: Any) -> Any:
    """An array of a sparse matrix; anything else as it is."""
    return X.toarray() if issparse(X) else X


RATES = (1.0, 0.3, 0.1)
"""Step lengths that boosted stumps choose from, up to the rounds that are their default."""
LEAVES = 15
"""Of each tree in gradient boosting; all else is standard there."""


@estimator
class CaseDecision(CostDecision):
    """A decision by the costs of each case, made only with them: those of other cases are no default."""

    _: KW_ONLY
    per_case: tuple[str, ...] = param((), "Costs that ``predict`` must be given.", "tuple of str")

    def _expected(self, scores: list[np.ndarray], given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        for name in self.per_case:
            if given[name] is None:
                raise ValueError(
                    f"{name}=None: must be given, since it differs from case to case: predict(X, {name}=...)"
                )
        return super()._expected(scores, given)

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Log odds: what a decision saves depends on the costs of the case, and how likely it is does not.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Of ``classes_[1]``, finite.
        """
        p = self.predict_proba(X)
        return scores_of_probabilities(p, self.classes_.tolist(), self.classes_, self, as_logits=True)[:, 0]


class ConstantDecision(DummyClassifier):
    """Always the same class, whatever the costs of a case."""

    def predict(self, X: ArrayLike, **costs: object) -> np.ndarray:
        """The class, for each row."""
        return super().predict(X)


@dataclass(frozen=True)
class Candidate:
    """A classifier, to be calibrated and to decide at least expected cost.

    Attributes
    ----------
    model : classifier
        Not fitted; perhaps a pipeline.
    encoder : transformer, optional
        Makes numbers of rows as they were given, and asks nothing of labels: fitted once to training rows,
        those of the calibration among them. By default the model takes the rows as they are.
    calibration : str, optional
        As :class:`csb.CostDecision` takes it.
    chosen : bool
        Whether its last step is boosting whose rounds and step length are chosen on the training rows.
    """

    model: Any
    encoder: Any = None
    chosen: bool = False
    calibration: Calibration | Literal["auto"] | None = "auto"

    def fit(
        self, X: Any, y: np.ndarray, weights: np.ndarray | None, cv: Any, stakes: Stakes, pos_label: object
    ) -> CostDecision:
        """Choose, train and calibrate on the splits ``cv`` of these rows; costs act at the decision only."""
        weighted = {} if weights is None else {"sample_weight": weights}
        model = clone(self.model)
        if self.encoder is not None:
            model = prepared(FrozenEstimator(clone(self.encoder).fit(X)), model)
        if self.chosen:
            last = model
            rows = X
            if isinstance(model, WeightedPipeline):
                rows, last = clone(model[:-1]).fit(X, y).transform(X), model[-1]
            search = BoostingCV(last, learning_rates=RATES, cv=cv, random_state=0).fit(rows, y, **weighted)
            last.set_params(**search.best_params_)
        given: dict[str, Any] = {
            **stakes.means, "pos_label": pos_label, "calibration": self.calibration, "cv": cv
        }  # fmt: skip
        if stakes.per_case:
            decision: CostDecision = CaseDecision(model, **given, per_case=stakes.per_case)
        else:
            decision = CostDecision(model, **given)
        with warnings.catch_warnings():  # what becomes of it is measured, beside the constant decisions
            warnings.simplefilter("ignore", FewExamplesWarning)
            return decision.fit(X, y, **weighted)


def read_candidates(
    candidates: Mapping[str, Any] | None,
    preprocess: Any,
    kinds: Mapping[Any, Kind],
    seed: int,
    weighted: bool,
    random: bool,
    classes: list[Any],
    untouched: Callable[[ClassifierMixin], bool],
) -> dict[str, Candidate]:
    """What to compare, by name.

    Parameters
    ----------
    candidates : mapping of str to classifier, optional
        Those of the user, or three of ours.
    preprocess : transformer, optional
        Put before each.
    kinds : mapping
        What each column of a frame holds; empty where ``X`` is an array.
    seed : int
        Where a ``random_state`` is None.
    weighted : bool
        Whether they will be given weights.
    random : bool
        Whether rows may be split at random, as gradient boosting does to see when to stop.
    classes : list
        The two labels.
    untouched : callable
        Whether a classifier of the user gets the rows as they are.

    Returns
    -------
    dict of str to Candidate
        Nothing is fitted.

    Raises
    ------
    ValueError
        If one is no classifier with scores or probabilities, takes no weights where there are some, or is
        fitted to other classes.
    """
    one_hot = encoder(kinds) if kinds and preprocess is None else None
    if candidates is None:
        return _ours(preprocess, kinds, one_hot, seed, random)
    if not isinstance(candidates, Mapping) or not candidates:
        raise ValueError(f"candidates={shown(candidates)}: allowed is a mapping of names to classifiers")
    found = {}
    for name, model in candidates.items():
        if not isinstance(name, str):
            raise ValueError(f"candidates: {shown(name)} is {shown(model)}; allowed are classifiers by name")
        check_classifier(model, f"candidates: {shown(name)}", ANSWERS)
        if is_frozen(model):
            check_known(model, classes, f"candidates: {shown(name)}")
        last = model[-1] if hasattr(model, "steps") else model
        if weighted and not has_fit_parameter(last, "sample_weight"):
            raise ValueError(
                f"sample_weight: the candidate {shown(name)} takes none; allowed are classifiers that do"
            )
        before = (None, None) if untouched(model) else (preprocess, one_hot)
        found[name] = Candidate(_seeded(prepared(before[0], model), seed), before[1])
    return found


def _ours(
    preprocess: Any, kinds: Mapping[Any, Kind], one_hot: Any, seed: int, random: bool
) -> dict[str, Candidate]:
    """Boosted stumps, logistic regression and gradient boosting, which takes words and gaps as such."""
    from sklearn.linear_model import LogisticRegression

    if preprocess is not None:
        preprocess = make_pipeline(preprocess, FunctionTransformer(dense))
    categories = None if one_hot is None else Columns(kinds)
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    made = {
        "boosted stumps": (AdaBoost(), one_hot, True),
        "logistic regression": (logistic, one_hot, False),
        "gradient boosting": (_trees(random), categories, False),
    }
    return {
        name: Candidate(_seeded(prepared(preprocess, model), seed), encoder, chosen)
        for name, (model, encoder, chosen) in made.items()
    }


def _trees(random: bool) -> ClassifierMixin:
    """By LightGBM where it is installed, which is some five times as fast on few rows."""
    try:
        from lightgbm import LGBMClassifier
    except (ImportError, OSError):  # on macOS it is installed without the OpenMP that it needs
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_leaf_nodes=LEAVES, early_stopping="auto" if random else False
        )
    return LGBMClassifier(num_leaves=LEAVES, n_jobs=1, verbose=-1)


def _seeded(model: Any, seed: int) -> ClassifierMixin:
    """The model, the same in every run."""
    params = model.get_params()
    free = [name for name in params if name.split("__")[-1] == "random_state" and params[name] is None]
    model.set_params(**dict.fromkeys(free, seed))  # a FrozenEstimator returns None
    return model
