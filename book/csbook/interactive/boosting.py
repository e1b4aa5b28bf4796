"""Step through boosting: circles sized by weight, the stump of the round, two methods side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from csb.costs import Costs, check_costs
from csb.engine.learners import DecisionStump
from csb.inputs import check_count
from csb.methods import VARIANTS
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task
from csbook.datasets import make_two_gaussians
from csbook.interactive.plane import NEGATIVE, POSITIVE, plane_points
from csbook.theory.properties.evidence import run

__all__ = ["METHODS_SHOWN", "boosting_figure"]

METHODS_SHOWN = ("adaboost", "cgada", "csada", "adac1", "adac2", "adac3", "csb2", "adacost", "adacost_beta2")
ENDS = ((-6.0, 6.0), (-6.0, 6.0))


def boosting_figure(
    methods: Sequence[str] = METHODS_SHOWN, rounds: int = 12, fn_cost: float = 3.0, cells: int = 24
) -> InteractiveFigure:
    """Sixty points of the two Gaussians of Cao et al. (2013), boosted with stumps by any two methods.

    Parameters
    ----------
    methods : sequence of str
        Keys of `csb.VARIANTS`.
    rounds : int, default 12
        Rounds that can be stepped through.
    fn_cost : float, default 3.0
        Cost of a miss, in false alarms.
    cells : int, default 24
        Cells of the plane along each axis.

    Returns
    -------
    InteractiveFigure
        Two lists of methods and a slider of rounds; a plane for each method. Round zero shows the first
        weights. The task is to find the first round after which the method on the left makes fewer than
        five errors.

    Raises
    ------
    ValueError
        If a method is not there or a number is not admissible.
    """
    rounds = check_count("rounds", rounds)
    data = make_two_gaussians(60, 7)
    X, y, costs = data.X.to_numpy(), data.y, check_costs(fn_cost)
    plane = plane_points(*ENDS, cells)
    steps = [_steps(key, X, y, costs, rounds, plane) for key in methods]
    names = [VARIANTS[key].name for key in methods]
    controls = [
        Control("left", names, 0, slider=False),
        Control("right", names, min(1, len(names) - 1), slider=False),
        Control("round", [str(t) for t in range(rounds + 1)], min(2, rounds)),
    ]
    shown = {name: [found[name] for found in steps] for name in steps[0]}
    panels = [_panel(side, shown, X, y) for side in ("left", "right")]
    words = [Controlled(shown["words"], (side, "round")) for side in ("left", "right")]
    few = [next((t for t, made in enumerate(found["errors"]) if made < 5), None) for found in steps]
    solved = [{"left": at, "round": t} for at, t in enumerate(few) if t is not None]
    asks = "Find the first round after which the method on the left makes fewer than five errors."
    return InteractiveFigure("Step through boosting", controls, panels, words, Task.if_solvable(asks, solved))


def _steps(
    key: str, X: np.ndarray, y: np.ndarray, costs: Costs, rounds: int, plane: np.ndarray
) -> dict[str, list]:
    """What a method shows before the first round and in each; a run that ends early stays as it is."""
    row = VARIANTS[key]
    rules = row.build_rules()
    scaled = row.scale(costs)
    found = run(rules, scaled, X, y, np.ones(len(y)), rounds)
    scores, on_plane = np.zeros(len(y)), np.zeros(len(plane))
    names = ("negative", "positive", "cells", "across", "up", "errors", "words")
    shown: dict[str, list] = {name: [] for name in names}
    for t in range(rounds + 1):
        last = min(t, len(found.votes))
        across: list[float] = []
        up: list[float] = []
        said = "the first weights"
        if 0 < t <= len(found.votes):
            stump, vote = cast(DecisionStump, found.hypotheses[t - 1]), found.votes[t - 1]
            scores += vote * stump.predict(X)
            on_plane += vote * stump.predict(plane)
            (across if stump.feature == 0 else up).append(stump.threshold)
            said = f"the stump of round {t} has the vote {vote:.2f}"
        elif t:
            said = f"the run has ended after round {last}"
        shown_weights = found.weights[t - 1 if 0 < t <= last else last]
        weights = shown_weights / shown_weights.sum()
        called = scores > 0
        radius = 3 * np.sqrt(weights * len(y))
        shown["negative"].append(radius[y == 0])
        shown["positive"].append(radius[y == 1])
        shown["cells"].append((on_plane > 0).astype(int).reshape((int(np.sqrt(len(plane))),) * 2))
        shown["across"].append([at for at in across if np.isfinite(at)])
        shown["up"].append([at for at in up if np.isfinite(at)])
        shown["errors"].append(np.sum(called != (y == 1)))
        share = weights[y == 1].sum()
        shown["words"].append(
            f"{row.name}: {said}; positives hold {share:.0%} of the weight; "
            f"{np.sum(~called & (y == 1))} missed, {np.sum(called & (y == 0))} false alarms."
        )
    return shown


def _panel(side: str, shown: dict[str, list], X: np.ndarray, y: np.ndarray) -> Panel:
    of = {name: Controlled(values, (side, "round")) for name, values in shown.items()}
    marks = [Mark("region", {"cells": of["cells"]}, POSITIVE)]
    for k, color, name in ((0, NEGATIVE, "negative"), (1, POSITIVE, "positive")):
        places = {"x": X[y == k, 0], "y": X[y == k, 1], "size": of[name]}
        marks.append(Mark("points", places, color, filled=bool(k), label=name))
    marks.append(Mark("vertical", {"x": of["across"]}, dash="6 4"))
    marks.append(Mark("horizontal", {"y": of["up"]}, dash="6 4"))
    return Panel(f"Method on the {side}", "first feature", "second feature", *ENDS, marks)
