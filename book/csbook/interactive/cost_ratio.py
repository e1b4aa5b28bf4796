"""Drag the cost ratio: boundary, probabilities with their threshold, and cost move together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from csb.costs import check_costs
from csb.estimators import CalibratedAdaMEC
from csb.evaluation.curves import brier_curve
from csb.evaluation.decisions import decide_positive
from csb.inputs import check_count, read_array, read_labels
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task
from csbook.datasets import make_two_gaussians
from csbook.interactive.plane import NEGATIVE, POSITIVE, plane_points

__all__ = ["RATIOS", "cost_ratio_figure", "threshold_figure"]

RATIOS = (0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 1, 1.5, 2, 3, 5, 7, 10, 15, 20)
"""Costs of a miss, in false alarms."""

LABEL = "cost of a miss, in false alarms"
BINS = 25


def threshold_figure(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    ratios: ArrayLike = RATIOS,
    names: tuple[str, str] = ("negative", "positive"),
    *,
    pos_label: object = None,
) -> InteractiveFigure:
    r"""Predicted probabilities of both classes, and what the decision costs as the cost ratio moves.

    The threshold is :math:`c = c_{FP}/(c_{FP}+c_{FN})`, Eq. (2) of Nikolaou et al. (2016). Costs are in units
    of a false alarm, and normalised by the sum of both costs on the curve.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of two classes.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    ratios : array_like of shape (r,)
        Costs of a miss, in false alarms, where the slider can stand.
    names : tuple of str, default ("negative", "positive")
        How the classes are called.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    InteractiveFigure
        A slider, the probabilities and the Brier curve over cost. The task is to find the lowest cost of a
        miss at which less than a tenth of the positives are missed.

    Raises
    ------
    ValueError
        If labels, probabilities or ratios are not admissible.

    Examples
    --------
    >>> figure = threshold_figure([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], [1, 4])
    >>> figure.spoken().split(": ")[1].split(". ")[0]
    'call positive above 0.200'
    """
    positive, _ = read_labels(y_true, pos_label=pos_label)
    p = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
    ratio, threshold = check_costs(ratios).fn_cost, check_costs(ratios).threshold
    panels = [_probabilities(positive, p, threshold, names), _cost(positive, p, threshold)]
    slider = Control(LABEL, [f"{each:.3g}" for each in ratio], len(ratio) // 2)
    words = Controlled(_words(positive, p, ratio, names), (LABEL,))
    few = [np.mean(~decide_positive(p[positive], each, 1)) < 0.1 for each in ratio]
    task = Task.if_solvable(
        f"Find the lowest cost of a miss at which less than a tenth of the {names[1]} cases are missed.",
        [{LABEL: at} for at in np.flatnonzero(few)[:1].tolist()],
    )
    return InteractiveFigure("The cost ratio", [slider], panels, [words], task)


def cost_ratio_figure(
    ratios: ArrayLike = RATIOS, n_samples: int = 1000, cells: int = 40
) -> InteractiveFigure:
    """Calibrated AdaMEC on the two Gaussians of Cao et al. (2013), decided at many cost ratios.

    Parameters
    ----------
    ratios : array_like of shape (r,)
        Costs of a miss, in false alarms.
    n_samples : int, default 1000
        Training examples; as many others are decided.
    cells : int, default 40
        Cells of the plane along each axis.

    Returns
    -------
    InteractiveFigure
        As :func:`threshold_figure`, and the plane with the region that is called positive.

    Raises
    ------
    ValueError
        If a ratio or a number is not admissible.
    """
    cells = check_count("cells", cells)
    sample, new = make_two_gaussians(n_samples, 1), make_two_gaussians(n_samples, 2)
    model = CalibratedAdaMEC(n_estimators=100, cv=5, random_state=0).fit(sample.X.to_numpy(), sample.y)
    X, ends = new.X.to_numpy(), (-8.0, 8.0)
    figure = threshold_figure(new.y, model.predict_proba(X)[:, 1], ratios)
    p = model.predict_proba(plane_points(ends, ends, cells))[:, 1].reshape(cells, cells)
    called = [decide_positive(p, *pair).astype(int) for pair in zip(*check_costs(ratios), strict=True)]
    marks = [Mark("region", {"cells": Controlled(called, (LABEL,))}, POSITIVE)]
    shown = np.arange(len(X)) % max(1, len(X) // 200) == 0
    for k, color, name in ((0, NEGATIVE, "negative"), (1, POSITIVE, "positive")):
        x, y = X[shown & (new.y == k)].T
        places = {"x": x, "y": y, "size": np.full(len(x), 2.5)}
        marks.append(Mark("points", places, color, filled=bool(k), label=name))
    plane = Panel("Who is called positive", "first feature", "second feature", ends, ends, marks)
    panels = [plane, *figure.panels]
    return InteractiveFigure("Drag the cost ratio", figure.controls, panels, figure.words, figure.task)


def _one_each(values: np.ndarray) -> Controlled:
    """A single point for each cost ratio."""
    return Controlled(values[:, np.newaxis].tolist(), (LABEL,))


def _probabilities(
    positive: np.ndarray, p: np.ndarray, threshold: np.ndarray, names: tuple[str, str]
) -> Panel:
    edges = np.linspace(0, 1, BINS + 1)
    below, above = (np.histogram(p[of], edges)[0] / of.sum() for of in (~positive, positive))
    middles, zero = (edges[1:] + edges[:-1]) / 2, np.zeros(BINS)
    most = 1.05 * float(max(below.max(), above.max()))
    return Panel(
        "Probabilities of the cases", f"probability of {names[1]}", "share of the class",
        (0.0, 1.0), (-most, most),
        [
            Mark("bars", {"x": middles, "low": zero, "high": above}, POSITIVE, label=names[1]),
            Mark("bars", {"x": middles, "low": -below, "high": zero}, NEGATIVE, label=names[0]),
            Mark("vertical", {"x": _one_each(threshold)}, label="threshold"),
        ],
    )  # fmt: skip


def _cost(positive: np.ndarray, p: np.ndarray, threshold: np.ndarray) -> Panel:
    curve = brier_curve(positive, p, over="cost")
    at = np.linspace(0, 1, 101)
    share = positive.mean()
    constant = 2 * np.minimum((1 - at) * share, at * (1 - share))
    here: dict[str, ArrayLike | Controlled] = {
        "x": _one_each(threshold), "y": _one_each(curve.at(threshold)), "size": [5.0]
    }  # fmt: skip
    top = 1.2 * float(max(constant.max(), curve.at(at).max()))
    return Panel(
        "What it costs", "threshold c", "cost, the two summing to 2", (0.0, 1.0), (0.0, top),
        [
            Mark("line", {"x": at, "y": constant}, dash="5 4", label="the cheaper constant"),
            Mark("line", {"x": at, "y": curve.at(at)}, "#009E73", label=f"the model, area {curve.area:.3f}"),
            Mark("points", here, "#009E73"),
        ],
    )  # fmt: skip


def _words(positive: np.ndarray, p: np.ndarray, ratios: np.ndarray, names: tuple[str, str]) -> Sequence[str]:
    said = []
    negative = ~positive
    for ratio in ratios.tolist():
        c = 1 / (1 + ratio)
        called = decide_positive(p, ratio, 1)
        missed, alarms = int(np.sum(positive & ~called)), int(np.sum(negative & called))
        ours, constant = (ratio * missed + alarms) / len(p), min(ratio * positive.mean(), negative.mean())
        said.append(
            f"A miss costs {ratio:.3g} times a false alarm: call {names[1]} above {c:.3f}. "
            f"Missed: {missed} of {positive.sum()} {names[1]}; "
            f"false alarms: {alarms} of {negative.sum()} {names[0]}. "
            f"Cost per case {ours:.3f} false alarms, of the cheaper constant decision {constant:.3f}; "
            f"as drawn, with the two costs scaled to sum to 2, {2 * c * ours:.3f} and {2 * c * constant:.3f}."
        )
    return said
