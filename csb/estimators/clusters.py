"""Decisions on Dask arrays: scores become a histogram, and decisions are made block by block.

The classifier has been fitted, on the cluster or elsewhere. No table is ever in one place: each block gives
the counts of its scores, rounded to twelve binary digits, and counts are added up in a tree. Their number
depends on the range of the scores, not on the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
from csb.inputs import read_array, read_column, read_target, read_weights, shown

__all__ = ["block_by_block", "calibrate", "rounded"]

DIGITS = 12
"""Binary digits of a rounded score: 4096 of them between a power of two and the next."""
SMALLEST = 2.0**-40
"""Scores closer to zero are zero."""
FEW = 64
"""Rounded scores of which a column must have more, if its scores were even."""
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
    given = {"y": y} if sample_weight is None else {"y": y, "sample_weight": sample_weight}
    for name, column in given.items():
        if not isinstance(column, da.Array) or column.ndim != 1:
            raise ValueError(
                f"{name}={shown(column)}: allowed is a Dask array of one dimension where X is a Dask array"
            )
        _check_blocks(name, column, X)
    targets = [_blocks(column) for column in given.values()]
    known = known_classes(base, np.empty(0))
    occurring = compute(*(delayed(_occurring)(known, *blocks) for blocks in zip(*targets, strict=True)))
    found = [each for each in occurring if each is not None]
    if not found:
        raise ValueError("y has 0 labels: allowed are one or more")
    read_weights([heaviest for _, heaviest in found], np.empty(len(found)))  # refuses those that are all zero
    classes, _ = read_target(np.concatenate([labels for labels, _ in found if len(labels)]))
    if calibration is None:
        return CalibratedEnsemble([Member(base, [], np.empty(0))], classes)
    as_logits = calibration == "temperature"
    if as_logits and len(classes) > 2:
        raise ValueError(
            f"calibration='temperature': allowed for two classes where X is a Dask array, and y has "
            f"{len(classes)}; it needs all scores of a row at once, and a histogram has those of a class"
        )
    parts = [_blocks(_scores(base, X, classes, as_logits=as_logits)), *targets]
    counts, low, high = _counted(classes, parts, Grid())
    lost = _is_lost(low, high)
    if lost.any():
        counts, _, _ = _counted(classes, parts, Grid(np.where(lost, low, 0), np.where(lost, high - low, 1)))
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

    for name in names:
        _check_blocks(name, given[name], X)

    def one(scores: np.ndarray, *costs: np.ndarray) -> np.ndarray:
        for name, cost in zip(names, costs, strict=True):
            _check_rows(name, len(cost), len(scores))
        if not len(scores):
            return meta
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


def _check_blocks(name: str, column: Any, X: Any) -> None:
    """Refuse what comes in blocks of other rows, as far as their lengths are known."""
    theirs, ours = column.chunks[0], X.chunks[0]
    apart = len(theirs) != len(ours)
    if apart or any(
        one != other and one == one and other == other for one, other in zip(theirs, ours, strict=True)
    ):
        raise ValueError(
            f"{name} comes in blocks of {shown(theirs)} rows: allowed are blocks of the same rows as X, "
            f"{shown(ours)}"
        )


def _check_rows(name: str, found: int, rows: int) -> None:
    if found != rows:
        raise ValueError(f"{name} has {found} rows in a block: allowed are {rows}, as in X")


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

    def of_rows(block: Any) -> np.ndarray:
        return one(block) if len(block) else np.empty((0, width))

    X = X.rechunk({1: -1})
    return X.map_blocks(of_rows, chunks=(X.chunks[0], (width,)), meta=np.empty((0, width)))


def _blocks(array: Any) -> list[Any]:
    """Its blocks of rows, one promise for each."""
    return np.ravel(array.to_delayed()).tolist()


def _occurring(known: list[Any], labels: Any, weights: Any = None) -> tuple[np.ndarray, float] | None:
    """Labels that occur with a weight, all of them known, and the largest weight; None of an empty block."""
    if not len(labels):
        return None
    labels, weights = _read(labels, weights)
    occurring = np.unique(labels[weights > 0])
    if unknown := sorted(set(occurring.tolist()) - set(known)):
        raise ValueError(f"y holds {shown(unknown[0])}: allowed are {shown(known)}")
    return occurring, float(weights.max())


def _read(labels: Any, weights: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labels and weights of a block that has rows."""
    labels = read_column("y", labels)
    weights = np.ones(len(labels)) if weights is None else weights
    return labels, read_array("sample_weight", weights, "[0, 1e100]", shape=labels.shape)


class Grid(NamedTuple):
    """Scores are rounded in units of ``spread`` from ``low`` on, one of each for each column."""

    low: np.ndarray | float = 0.0
    spread: np.ndarray | float = 1.0

    def rounded(self, scores: np.ndarray) -> np.ndarray:
        return self.low + self.spread * rounded((scores - self.low) / self.spread)


class Counts(NamedTuple):
    """Sums of weights by column, rounded score and whether the class is that of the column; extremes."""

    table: pd.DataFrame
    low: np.ndarray
    high: np.ndarray


def _is_lost(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """In which columns rounding leaves a few different scores, since all are far from zero or close to it."""
    error = np.maximum(np.maximum(np.abs(low), np.abs(high)) / 2 ** (DIGITS + 1), SMALLEST)
    return (high > low) & (high - low < FEW * error)


def _counted(classes: np.ndarray, parts: list[list[Any]], grid: Grid) -> Counts:
    """The histogram of all blocks."""
    found = [delayed(_histogram)(classes, grid, *blocks) for blocks in zip(*parts, strict=True)]
    while len(found) > 1:
        found = [delayed(_total)(found[k : k + TOGETHER]) for k in range(0, len(found), TOGETHER)]
    (counts,) = compute(*found)
    return counts


def _histogram(classes: np.ndarray, grid: Grid, scores: Any, labels: Any, weights: Any = None) -> Counts:
    scores = np.asarray(scores, dtype=float)
    _check_rows("y", len(labels), len(scores))
    labels, weights = _read(labels, weights) if len(labels) else (classes[:0], np.empty(0))
    used = weights > 0
    numbers, scores, weights = np.searchsorted(classes, labels[used]), scores[used], weights[used]
    last = scores.shape[1] == 1
    parts = {
        k: pd.DataFrame({"score": column, "positive": numbers == k + last, "weight": weights})
        for k, column in enumerate(grid.rounded(scores).T)
    }
    found = pd.concat(parts, names=["column"]).assign(rows=1.0)
    ends = np.fmin.reduce(scores, initial=np.inf), np.fmax.reduce(scores, initial=-np.inf)
    return Counts(found.groupby(["column", "score", "positive"]).sum(), *ends)


def _total(parts: list[Counts]) -> Counts:
    tables, lows, highs = zip(*parts, strict=True)
    table = pd.concat(tables).groupby(["column", "score", "positive"]).sum()
    return Counts(table, np.fmin.reduce(lows), np.fmax.reduce(highs))
