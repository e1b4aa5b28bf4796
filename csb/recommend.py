"""Which method for these data and these costs: candidates and constant decisions on the same folds."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.types import is_numeric_dtype
from sklearn.base import ClassifierMixin, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import _num_samples

from csb.costs import check_costs
from csb.estimators.calibrated import CalibratedAdaMEC
from csb.estimators.decision import CostDecision
from csb.evaluation.intervals import mean_interval
from csb.evaluation.metrics import expected_cost
from csb.inputs import (
    MODERATE,
    check_count,
    check_jobs,
    check_label,
    read_array,
    read_column,
    read_random_state,
    read_target,
    shown,
)

__all__ = ["Recommendation", "recommend"]

CALIBRATION_FOLDS = 5
"""Each candidate is calibrated by cross-fitting with so many folds."""


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation:
    """What :func:`recommend` found; printed, it is a short report.

    Attributes
    ----------
    best_ : classifier
        The recommended one, fitted on all data; ``predict`` takes such rows as were given and makes
        decisions. A ``DummyClassifier`` if a constant decision is recommended.
    name : str
        Its row in the table.
    beats_constant : bool
        Whether ``best_`` is a candidate whose cost is surely below that of the best constant decision.
    constant : str
        The cheaper of the two constant decisions, a row of the table.
    table : DataFrame
        A row for each candidate and each constant decision, the cheapest first. ``cost`` is the expected
        cost per example, ``low`` and ``high`` the ends of its 95% interval; ``difference``,
        ``difference_low`` and ``difference_high`` the same for the difference from the best constant
        decision on the same folds.
    threshold : float
        Bayes threshold on the probability of the positive class.
    setting : str
        Costs, folds and examples, in words.
    """

    best_: ClassifierMixin
    name: str
    beats_constant: bool
    constant: str
    table: pd.DataFrame
    threshold: float
    setting: str

    @property
    def verdict(self) -> str:
        """The recommendation in one sentence."""
        if self.beats_constant:
            return f"Recommended: {self.name}; it surely costs less than {self.constant}."
        return f"Recommended: {self.name}; no candidate surely costs less."

    def report(self) -> str:
        """Setting, table and recommendation as text."""
        return f"{self.setting}\n\n{self._readable().to_string()}\n\n{self.verdict}"

    def _readable(self) -> pd.DataFrame:
        """Four decimals of the larger costs; costs have any unit."""
        decimals = max(0, 3 - int(np.floor(np.log10(self.table["cost"].max()))))

        def interval(low: pd.Series, high: pd.Series) -> list[str]:
            return [f"[{a:.{decimals}f}, {b:.{decimals}f}]" for a, b in zip(low, high, strict=True)]

        t = self.table
        shown = {
            "cost": [f"{value:.{decimals}f}" for value in t["cost"]],
            "95% interval": interval(t["low"], t["high"]),
            f"versus {self.constant}": [f"{value:+.{decimals}f}" for value in t["difference"]],
            "its interval": interval(t["difference_low"], t["difference_high"]),
        }
        return pd.DataFrame(shown, index=t.index)

    def __str__(self) -> str:
        return self.report()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        setting, verdict = html.escape(self.setting), html.escape(self.verdict)
        return f"<p>{setting}</p>{self._readable().to_html()}<p><strong>{verdict}</strong></p>"


def recommend(
    X: ArrayLike,
    y: ArrayLike,
    *,
    fn_cost: float,
    fp_cost: float,
    cv: int = 5,
    random_state: np.random.RandomState | int | None = None,
    pos_label: object = None,
    preprocess: Any = None,
    candidates: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Recommendation:
    r"""Compare a few methods under given costs with each other and with looking at nothing.

    The candidates are boosted stumps (:class:`csb.CalibratedAdaMEC`), logistic regression and gradient
    boosting of trees, both from scikit-learn with standard settings, or any others. All are calibrated by
    cross-fitting and predict the positive class where its probability exceeds the Bayes threshold, Eqs. (2)
    and (4) of Nikolaou et al. (2016). Beside them stand the two constant decisions.

    A candidate is recommended only if its 95% interval for the difference from the best constant decision
    lies below zero, and among these the cheapest. Intervals are
    :func:`csb.evaluation.intervals.mean_interval` over the folds. The cost of the recommended candidate is
    slightly optimistic: the same folds chose it.

    Parameters
    ----------
    X : array_like or DataFrame of shape (n_samples, n_features)
        Numbers up to 1e100 in size; in a frame also words, and gaps.
    y : array_like of shape (n_samples,)
        Labels of two classes: whole numbers, truth values or strings.
    fn_cost, fp_cost : float
        Positive costs of a false negative and of a false positive, in any unit.
    cv : int, default 5
        Number of stratified folds, at least two.
    random_state : int, RandomState or None, default None
        Seed of the folds and the candidates.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; the larger label by default.
    preprocess : transformer, optional
        Makes numbers of ``X``, whatever it is, fitted within the folds. By default a frame with words or
        gaps gets the median for a missing number, and a column for each of the words that a column holds,
        of the fifty most frequent ones where there are more.
    candidates : mapping of str to classifier, optional
        What to compare in place of the three, by name; scikit-learn's way.
    n_jobs : int, optional
        Folds that are computed at the same time; -1 for as many as there are processors.

    Returns
    -------
    Recommendation
        The fitted classifier, the table and a report.

    Raises
    ------
    ValueError
        If the data, the costs or a parameter are not admissible, or a class has too few examples for the
        folds; nothing is trained then.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, coin = rng.normal(size=(80, 2)), rng.integers(0, 2, size=80)
    >>> found = recommend(noise, coin, fn_cost=4, fp_cost=1, cv=3, random_state=0)
    >>> found.verdict
    'Recommended: always 1; no candidate surely costs less.'
    >>> found.best_.predict(noise[:3])
    array([1, 1, 1])
    """
    costs = check_costs(fn_cost, fp_cost, single=True)
    cv = check_count("cv", cv, smallest=2)
    check_jobs("n_jobs", n_jobs)
    if preprocess is None:
        preprocess = _encoder(X)
    elif not (hasattr(preprocess, "fit") and hasattr(preprocess, "transform")):
        raise ValueError(f"preprocess={shown(preprocess)}: allowed is a transformer with fit and transform")
    if preprocess is None:
        table = read_array("X", X, MODERATE, shape=(None, None))
        if not isinstance(X, pd.DataFrame):  # whose names the recommended classifier is to know
            X = table
    labels = read_column("y", y, _num_samples(X))
    negative, positive = _classes(labels, cv, pos_label)

    ((fn_cost, fp_cost, threshold),) = np.column_stack([*costs, costs.threshold]).tolist()
    given = {"fn_cost": fn_cost, "fp_cost": fp_cost, "pos_label": positive}
    seed = read_random_state("random_state", random_state).randint(2**31 - 1)
    constants = {
        f"always {label}": DummyClassifier(strategy="constant", constant=[label])
        for label in (negative, positive)
    }
    models = _candidates(given, seed, candidates, preprocess)
    if taken := models.keys() & constants.keys():
        raise ValueError(f"candidates: {shown(min(taken))} is the name of a constant decision")
    models |= constants
    folds = list(StratifiedKFold(cv, shuffle=True, random_state=seed).split(np.zeros(len(labels)), labels))
    costs_of_folds = {}
    for name, model in models.items():
        predicted = cross_val_predict(model, X, labels, cv=folds, n_jobs=n_jobs)
        costs_of_folds[name] = [expected_cost(labels[test], predicted[test], **given) for _, test in folds]

    ranked, constant = _table(pd.DataFrame(costs_of_folds), list(constants))
    surely = ranked.index[ranked["difference_high"] < 0]
    best = surely[0] if len(surely) else constant
    setting = (
        f"Missing {positive} costs {fn_cost:g}, a false alarm {fp_cost:g}: predict {positive} where its "
        f"probability exceeds {threshold:.4g}.\nExpected cost per example over {cv} folds of "
        f"{len(labels)} examples:"
    )
    return Recommendation(
        models[best].fit(X, labels), best, len(surely) > 0, constant, ranked, threshold, setting
    )


def _classes(y: np.ndarray, cv: int, pos_label: object) -> list[Any]:
    """Negative and positive label; each class must fill all folds, also those of the calibration."""
    found, labels = read_target(y, 2)
    counts, classes = np.bincount(labels), found.tolist()
    if not isinstance(classes[0], (str, int, float)):
        raise ValueError(f"y={shown(y)}: allowed are whole numbers, truth values and strings")
    needed = next(n for n in count(cv) if n - -(-n // cv) >= CALIBRATION_FOLDS)
    if counts.min() < needed:
        raise ValueError(
            f"cv={cv}: each class of y needs at least {needed} examples; "
            f"{classes[counts.argmin()]!r} has {counts.min()}"
        )
    if pos_label is None:
        return classes
    check_label("pos_label", pos_label, classes)
    return classes if pos_label == classes[1] else classes[::-1]


def _encoder(X: object) -> Any:
    """A transformer that makes numbers of a frame with words or gaps; None where none is needed."""
    if not isinstance(X, pd.DataFrame):
        return None
    numbers = [name for name in X if is_numeric_dtype(X[name])]
    words = [name for name in X if name not in numbers]
    if not words and not X.isna().any(axis=None):
        return None
    # csb itself must not wait for them when it is imported
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    one_hot = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False)
    return make_column_transformer(
        (SimpleImputer(strategy="median", keep_empty_features=True), numbers), (one_hot, words)
    )


def _candidates(
    given: dict[str, Any], seed: int, candidates: Mapping[str, Any] | None, preprocess: Any
) -> dict[str, ClassifierMixin]:
    """Calibrated classifiers, deciding at least expected cost, that take the rows as they are."""
    folds = StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=seed)

    def prepared(model: ClassifierMixin) -> ClassifierMixin:
        return model if preprocess is None else make_pipeline(clone(preprocess), model)

    if candidates is not None:
        if not isinstance(candidates, Mapping) or not candidates:
            raise ValueError(f"candidates={shown(candidates)}: allowed is a mapping of names to classifiers")
        for name, model in candidates.items():
            if not isinstance(name, str) or not hasattr(model, "fit") or not is_classifier(model):
                raise ValueError(
                    f"candidates: {shown(name)} is {shown(model)}; allowed are classifiers by name"
                )
        return {name: CostDecision(prepared(model), **given, cv=folds) for name, model in candidates.items()}
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    boosting = HistGradientBoostingClassifier(random_state=seed)
    return {
        "AdaMEC, calibrated": prepared(CalibratedAdaMEC(**given, cv=CALIBRATION_FOLDS, random_state=seed)),
        "logistic regression": CostDecision(prepared(logistic), **given, cv=folds),
        "gradient boosting": CostDecision(prepared(boosting), **given, cv=folds),
    }


def _table(costs: pd.DataFrame, constants: list[str]) -> tuple[pd.DataFrame, str]:
    """Means and intervals over the folds (rows), and the best constant decision."""
    constant = costs[constants].mean().idxmin()
    test_ratio = 1 / (len(costs) - 1)
    own = mean_interval(costs, test_ratio)
    gap = mean_interval(costs.sub(costs[constant], axis=0), test_ratio)
    columns = ["cost", "low", "high", "difference", "difference_low", "difference_high"]
    table = pd.DataFrame(dict(zip(columns, (*own, *gap), strict=True)), index=costs.columns)
    return table.sort_values("cost", kind="stable"), constant
