"""Contributions of columns to calibrated log odds, by what a row becomes if one of them is another.

Boosted stumps and linear classifiers have a score that is a sum of functions of one feature, and Platt
scaling makes log odds of it by a straight line. If what prepares the rows looks at one column at a time, the
log odds are a sum of functions of one column of the rows as they were given. The difference between two
values of such a function is that between the log odds of two rows which differ there alone, whatever words,
dates and gaps become on the way; so nothing need be known of the steps in between. Whether they keep the
columns apart is seen from the sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from csb.engine.additive import step_functions
from csb.engine.trained import Model
from csb.estimators.additive import Additive
from csb.estimators.cross_fitting import CalibratedEnsemble
from csb.evaluation.calibration import PlattScaling
from csb.evaluation.classifiers import innermost
from csb.evaluation.decisions import Stakes
from csb.evaluation.explanation import Explanation
from csb.inputs import plain_array, shown

__all__ = ["check_explainable", "explain_rows", "read_tables"]

EXACT = 1e-9
"""Where sums miss the log odds by no more than this, beside one or their size, it is by rounding."""
TOGETHER = 50_000
"""So many rows, or those of one column if they are more, are scored at a time."""


def check_explainable(ensemble: CalibratedEnsemble, estimator: Any, n_features: int | None = None) -> None:
    """Refuse log odds that are no sum of functions of one feature each.

    Parameters
    ----------
    ensemble : CalibratedEnsemble
        The members.
    estimator : classifier
        What they are copies of, for errors.
    n_features : int, optional
        Number of features, where the members do not know it.

    Raises
    ------
    ValueError
        If there are more than two classes, if the calibration is another than Platt scaling, or the members
        are neither boosted stumps nor linear.
    """
    if len(ensemble.classes_) > 2:
        raise ValueError(f"estimator knows {len(ensemble.classes_)} classes: allowed are two")
    for member in ensemble.members:
        if not _is_additive(innermost(member.classifier), n_features):
            raise ValueError(
                f"estimator={shown(estimator)}: its score is no sum of functions of one column each; allowed "
                "are boosting on stumps, such as AdaBoost(), and linear classifiers, such as "
                "LogisticRegression(). For others scikit-learn's permutation_importance tells what columns "
                "are worth, and the package shap explains single rows"
            )
        if not all(isinstance(each, PlattScaling) for each in member.calibrators) or not member.calibrators:
            raise ValueError(
                "calibration: allowed are 'sigmoid' and 'sigmoid_ls', by which the log odds are a sum over "
                "the columns, as the score is; by others they are not"
            )


def _is_additive(classifier: Any, n_features: int | None) -> bool:
    if isinstance(classifier, Additive):
        classifier, n_features = classifier._model, classifier.n_features_in_
    if isinstance(classifier, Model):
        return n_features is not None and step_functions(classifier, n_features) is not None
    from sklearn.linear_model._base import LinearClassifierMixin  # slow to import

    return isinstance(classifier, LinearClassifierMixin)


def read_tables(X: Any, background: Any) -> tuple[Any, Any]:
    """The rows to explain and those to measure against, both frames if the first is one, or else arrays.

    Raises
    ------
    ValueError
        If one of them has no rows, or they have different columns.
    """
    named = isinstance(X, pd.DataFrame)
    if not named:
        X = plain_array("X", X)
    if not named or not isinstance(background, pd.DataFrame):
        background = plain_array("background", background)
    for name, table in {"X": X, "background": background}.items():
        if table.ndim != 2 or not table.size:
            raise ValueError(f"{name} has shape {table.shape}: allowed are two axes and at least one row")
    if X.shape[1] != background.shape[1]:
        raise ValueError(
            f"background has {background.shape[1]} columns: allowed are as many as X has, {X.shape[1]}"
        )
    if named and not isinstance(background, pd.DataFrame):
        background = pd.DataFrame(background, columns=X.columns)
    if named and list(X) != list(background):
        if set(X) != set(background):
            raise ValueError(
                f"background has the columns {shown(list(background))}: allowed are those of X, "
                f"{shown(list(X))}"
            )
        background = background[list(X)]
    return X, background


def explain_rows(
    ensemble: CalibratedEnsemble,
    scores: Callable[[Any], list[np.ndarray]],
    X: Any,
    background: Any,
    number: int,
    stakes: Stakes,
) -> Explanation:
    """What each column adds to the log odds of each row.

    Parameters
    ----------
    ensemble : CalibratedEnsemble
        Members that are explainable.
    scores : callable
        Makes of rows the scores of each member.
    X : DataFrame or ndarray of shape (n, d)
        The rows.
    background : DataFrame or ndarray of shape (m, d)
        What they are measured against.
    number : int
        That of the positive class.
    stakes : Stakes
        The costs.

    Returns
    -------
    Explanation
        Contributions by each member.

    Raises
    ------
    ValueError
        If the log odds are no sum over the columns.
    """
    sign = 2 * number - 1

    def log_odds(rows: Any) -> np.ndarray:
        found = []
        for member, own in zip(ensemble.members, scores(rows), strict=True):
            (platt,) = member.calibrators
            found.append(-sign * (platt.a_ * own[:, 0] + platt.b_))  # type: ignore[attr-defined]  # it was checked
        return np.array(found)

    origin = log_odds(background[:1])

    def terms(rows: Any) -> np.ndarray:
        """How far each column of each row leads away from the first row of the background."""
        n, d = rows.shape
        whole = log_odds(rows)
        parts = [
            log_odds(_varied(background, rows, columns)).reshape(-1, len(columns), n)
            for columns in np.array_split(np.arange(d), min(d, -(-n * d // TOGETHER)))
        ]
        found = np.concatenate(parts, axis=1).transpose(0, 2, 1) - origin[:, :, np.newaxis]
        gap = np.abs(origin + found.sum(axis=2) - whole)
        if np.any(gap > EXACT * (1 + np.abs(whole))):
            raise ValueError(
                "estimator: the log odds are no sum of functions of one column each, as its steps make "
                f"features of several columns, which add up to something else by {gap.max():.2g}; allowed "
                "are steps that keep columns apart, and sums of them"
            )
        return found

    of_background = terms(background).mean(axis=1)
    return Explanation(
        X if isinstance(X, pd.DataFrame) else pd.DataFrame(X),
        ensemble.classes_.tolist()[number],
        terms(X) - of_background[:, np.newaxis],
        origin[:, 0] + of_background.sum(axis=1),
        stakes,
    )


def _varied(background: Any, rows: Any, columns: np.ndarray) -> Any:
    """The first row of the background with the value of each row in one of the columns, column by column."""
    n = len(rows)
    if isinstance(rows, pd.DataFrame):
        first = background.iloc[np.zeros(n, int)]
        tables = [first.copy() for _ in columns]
        for table, j in zip(tables, columns.tolist(), strict=True):
            table.isetitem(j, rows.iloc[:, j].array)
        return pd.concat(tables, ignore_index=True)
    table = np.repeat(background[:1], n * len(columns), axis=0).astype(np.result_type(rows, background))
    for k, j in enumerate(columns):
        table[k * n : (k + 1) * n, j] = rows[:, j]
    return table
