"""Decisions on Dask arrays: scores become a histogram, and decisions are made block by block.

The classifier has been fitted, on the cluster or elsewhere. No table is ever in one place: each block gives
the counts of its scores, rounded to twelve binary digits, and counts are added up in a tree. Their number
depends on the range of the scores, not on the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask import compute, delayed
from sklearn.frozen import FrozenEstimator

from csb.estimators.cross_fitting import CalibratedEnsemble, Member, fit_calibrators
from csb.evaluation.calibration import Calibration
from csb.evaluation.classifiers import (
    class_probabilities,
    class_scores,
    known_classes,
    probabilities_by_label,
    scores_of_probabilities,
)
from csb.evaluation.decisions import is_of_each_case
from csb.inputs import read_array, read_target, shown

__all__ = ["block_by_block", "calibrate", "rounded"]

DIGITS = 12
"""Binary digits of a rounded score: 4096 of them between a power of two and the next."""
SMALLEST = 2.0**-40
"""Scores closer to zero are zero."""
TOGETHER = 16
"""Histograms that are added up at a time."""


def rounded(scores: np.ndarray) -> np.ndarray:
    """Scores of twelve binary digits, at most the 8192nd part away.

    Parameters
    ----------
    scores : ndarray
        Finite scores.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> rounded(np.array([0.5, 0.50001, 1e-20]))
    array([0.5, 0.5, 0. ])
    """
    part, power = np.frexp(np.asarray(scores, dtype=float))
    near = np.ldexp(np.round(np.ldexp(part, DIGITS)), power - DIGITS)
    return np.where(np.abs(near) < SMALLEST, 0.0, near)


def calibrate(
    base: Any, X: Any, y: Any, sample_weight: Any, calibration: Calibration | None
) -> CalibratedEnsemble:
    """Calibrate a fitted classifier on the histogram of its scores.

    Parameters
    ----------
    base : FrozenEstimator
        Around any fitted classifier, one of the Dask interfaces of LightGBM and XGBoost included.
    X : dask array of shape (n, d)
        Whatever the classifier takes; another one a block at a time.
    y : dask array of shape (n,)
        Labels, in blocks of the same rows.
    sample_weight : dask array of shape (n,), optional
        Non-negative weights.
    calibration : str or None
        The calibrator.

    Returns
    -------
    CalibratedEnsemble
        Of the one classifier.

    Raises
    ------
    ValueError
        If the classifier is not fitted, the labels are none of its classes, there is one class only, or the
        calibrator is temperature scaling of more than two.
    """
    if not isinstance(base, FrozenEstimator):
        raise ValueError(
            f"estimator={shown(base)}: allowed is a fitted one in scikit-learn's FrozenEstimator where X is "
            "a Dask array"
        )
    base.fit(None, None)  # says so if it is not fitted
    _check_table(X)
    targets = [_blocks(each) for each in (y, sample_weight) if each is not None]
    if len({X.numblocks[0], *map(len, targets)}) > 1:
        raise ValueError("X, y and sample_weight: allowed are collections with blocks of the same rows")
    known = known_classes(base, np.empty(0))
    occurring = [delayed(_occurring)(known, *blocks) for blocks in zip(*targets, strict=True)]
    labels = np.concatenate(compute(*occurring))
    if not len(labels):
        raise ValueError("sample_weight is at most 0: allowed are weights not all zero, one at least 1e-100")
    classes, _ = read_target(labels)
    if calibration is None:
        return CalibratedEnsemble([Member(base, [], np.empty(0))], classes)
    as_logits = calibration == "temperature"
    if as_logits and len(classes) > 2:
        raise ValueError(
            f"calibration='temperature': allowed for two classes where X is a Dask array, and y has "
            f"{len(classes)}; it needs all scores of a row at once, and a histogram has those of a class"
        )
    parts = [_blocks(_scores(base, X, classes, as_logits=as_logits)), *targets]
    found = [delayed(_histogram)(classes, *blocks) for blocks in zip(*parts, strict=True)]
    while len(found) > 1:
        found = [delayed(_total)(found[k : k + TOGETHER]) for k in range(0, len(found), TOGETHER)]
    (counts,) = compute(*found)
    share = counts["weight"].sum() / counts["rows"].sum()
    calibrators = []
    for _, column in counts.groupby(level="column"):
        scores = column.index.get_level_values("score").to_numpy()
        positive = column.index.get_level_values("positive").to_numpy()
        weights = column["weight"].to_numpy() / min(1.0, share)
        calibrators += fit_calibrators(calibration, scores[:, np.newaxis], positive, weights)
    return CalibratedEnsemble([Member(base, calibrators, np.empty(0))], classes)


def block_by_block(
    judge: Callable[..., np.ndarray],
    model: CalibratedEnsemble,
    X: Any,
    given: dict[str, Any],
    meta: np.ndarray,
) -> Any:
    """What is made of the scores of each block, when it is asked for.

    Parameters
    ----------
    judge : callable
        Takes the scores of each member, and costs by name.
    model : CalibratedEnsemble
        Of one member.
    X : dask array of shape (n, d)
        Rows.
    given : dict
        Costs: numbers, one cost matrix, None, or dask arrays of one cost or matrix a row, in the blocks of
        ``X``.
    meta : ndarray of shape (0,) or (0, k)
        An empty answer.

    Returns
    -------
    dask array
        Of n rows.

    Raises
    ------
    ValueError
        If costs are not admissible; those of cases, when they are computed.
    """
    if len(model.members) > 1:
        raise ValueError("X is a Dask collection: allowed after a fit that left the classifier as it was")
    (member,) = model.members
    of_all = {name: value for name, value in given.items() if not isinstance(value, da.Array)}
    names = [name for name in given if name not in of_all]
    axes = {name: "icy" if name == "cost_matrix" else "i" for name in given}
    wrong = [name for name, value in of_all.items() if is_of_each_case(name, value)]
    wrong += [name for name in names if given[name].ndim != len(axes[name])]
    if wrong:
        kind = "matrix" if wrong[0] == "cost_matrix" else "number"
        raise ValueError(
            f"{wrong[0]}: allowed is a {kind} or a Dask array of one {kind} a row beside a Dask collection"
        )

    def one(scores: np.ndarray, *costs: np.ndarray) -> np.ndarray:
        return judge([scores], of_all | dict(zip(names, costs, strict=True)))

    scores = _scores(member.classifier, X, model.classes_, not member.calibrators, member.takes_logits)
    if not names:  # costs are refused at once
        one(np.full((1, scores.shape[1]), 0.5))
    inputs: list[Any] = [scores, "ij"]
    for name in names:
        inputs += [given[name], axes[name]]
    wide = {"new_axes": {"k": meta.shape[1]}} if meta.ndim == 2 else {}
    return da.blockwise(
        one, "ik" if wide else "i", *inputs, concatenate=True, align_arrays=False, meta=meta, **wide
    )


def _check_table(X: Any) -> None:
    if not isinstance(X, da.Array) or X.ndim != 2:
        raise ValueError(f"X={shown(X)}: allowed among Dask collections is an array of two dimensions")


def _scores(base: Any, X: Any, classes: np.ndarray, trusted: bool = False, as_logits: bool = False) -> Any:
    """Scores or trusted probabilities, a dask array."""
    _check_table(X)
    inner = base.estimator if isinstance(base, FrozenEstimator) else base
    if hasattr(inner, "to_local"):  # LightGBM's classifier on Dask, whose own predictions ask for Arrow
        base = inner.to_local()

    def one(block: Any) -> np.ndarray:
        if trusted:
            return class_probabilities(base, block, classes)
        return class_scores(base, block, classes, as_logits)

    width = 1 if len(classes) == 2 and not trusted else len(classes)
    if not hasattr(inner, "to_local") and "client" in dir(inner):  # XGBoost's, which takes Dask's arrays only
        X, known, whose = base.predict_proba(X), known_classes(base, classes), type(inner).__name__

        def one(block: Any) -> np.ndarray:
            if trusted:
                return probabilities_by_label(block, known, classes, whose)
            return scores_of_probabilities(block, known, classes, whose, as_logits=as_logits)

    X = X.rechunk({1: -1})
    return X.map_blocks(one, chunks=(X.chunks[0], (width,)), meta=np.empty((0, width)))


def _blocks(array: Any) -> list[Any]:
    """Its blocks of rows, one promise for each."""
    return np.ravel(array.to_delayed()).tolist()


def _occurring(known: list[Any], labels: Any, weights: Any = None) -> np.ndarray:
    """Labels that occur with a weight, all of them known."""
    _, labels, _ = _used(labels, weights)
    occurring = np.unique(labels)
    if unknown := sorted(set(occurring.tolist()) - set(known)):
        raise ValueError(f"y holds {shown(unknown[0])}: allowed are {shown(known)}")
    return occurring


def _used(labels: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which rows carry weight, and their labels and weights."""
    labels = np.asarray(labels)
    weights = read_array("sample_weight", np.ones(len(labels)) if weights is None else weights, "[0, 1e100]")
    used = weights > 0
    return used, labels[used], weights[used]


def _histogram(classes: np.ndarray, scores: Any, labels: Any, weights: Any = None) -> pd.DataFrame:
    """Sums of weights by column, rounded score and whether the class is that of the column."""
    used, labels, weights = _used(labels, weights)
    numbers, scores = np.searchsorted(classes, labels), np.asarray(scores, dtype=float)[used]
    last = scores.shape[1] == 1
    parts = {
        k: pd.DataFrame({"score": rounded(column), "positive": numbers == k + last, "weight": weights})
        for k, column in enumerate(scores.T)
    }
    found = pd.concat(parts, names=["column"]).assign(rows=1.0)
    return found.groupby(["column", "score", "positive"]).sum()


def _total(parts: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts).groupby(["column", "score", "positive"]).sum()
