"""Drag a point: two methods train again in the page while the reader moves it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import ArrayLike

from csb.costs import check_costs
from csb.engine.rules import Rules
from csb.estimators.binary import CostSensitiveBoosting
from csb.evaluation.metrics import expected_cost
from csb.inputs import ConstantModelWarning, one_of, read_array
from csb.methods import VARIANTS
from csbook.chapters.interactive_figure import Control, InteractiveFigure, Mark, Panel, Task
from csbook.chapters.markup import Markup, program_script
from csbook.datasets import make_two_gaussians
from csbook.interactive.engine import engine_script
from csbook.interactive.plane import NEGATIVE, POSITIVE, plane_points
from csbook.style import line_style

__all__ = ["retrain_figure"]

VOTE_RULE = "AdaMEC, vote rule"
TRAINED = ("cgada", "csada", "adac1", "adac2", "adac3", "csb2", "adacost", "adacost_beta2", "adaboost")
OFFERED: dict[str, tuple[str, dict[str, str]]] = {
    **{VARIANTS[key].name: (key, {}) for key in (*TRAINED, "adamec")},
    VOTE_RULE: ("adamec", {"rule": "vote"}),
    VARIANTS["asymada"].name: ("asymada", {}),
}
"""Methods by the name in the list; CSAda's joint search over stumps is too slow to follow a finger."""

RATIOS = (1.0, 1.5, 2.0, 3.0, 5.0, 9.0, 20.0)
STEPS = (0.1, 0.25, 0.5, 1.0)
ROUNDS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
ENDS = ((-6.0, 6.0), (-6.0, 6.0))

TASKS = {
    "missed": "Make the method on the right miss a positive that the one on the left finds.",
    "everybody": "Make the method on the right call all points positive, while the one on the left does not.",
    "turned": "Bring both methods to call every point rightly, and the one on the right to leave the "
    "positives less than half the least margin of the negatives.",
    "outlier": "Move or add one single point, so that the method on the right costs as much as the cheaper "
    "constant decision, while the one on the left costs less than half of that.",
    "dearer": "Bring the method on the right to cost at least twice as much as the one on the left, while "
    "that one still makes an error.",
}
"""What the reader is to bring about; ``retrain.js`` checks it for the two methods of the beginning."""

BELOW = {
    "shares": ("Share of weight on positives", "round", "share of weight", (0.0, ROUNDS[-1]), (0.0, 1.0)),
    "bill": ("Cost of the decisions", "round", "of the cheaper constant", (0.0, ROUNDS[-1]), (0.0, 2.0)),
    "risk": ("Risk, by each method's own loss", "round", "of that at the start", (0.0, ROUNDS[-1]),
             (0.0, 1.05)),
    "margins": ("Margins", "margin, as a share of the votes", "share of class below", (-1.0, 1.0),
                (0.0, 1.0)),
}  # fmt: skip
"""Title, labels and ends of the panel below, by what it shows."""

HELP = (
    "Arrow keys move it, with Shift ten times as far; Space flips its class, Delete removes it, Insert adds "
    "another, Page Down and Page Up go to other points."
)

PROGRAMS = ("interactive/copying.js", "interactive/address.js", "interactive/retrain.js")


@dataclass(frozen=True)
class RetrainFigure(InteractiveFigure):
    """Two methods on points that the reader drags, adds, flips and removes.

    Panels and words are what `csb` makes of the points to begin with; from then on the page trains itself.

    Attributes
    ----------
    live : mapping
        What the program on the page begins with.
    """

    live: Mapping[str, object] = field(default_factory=dict)

    def _programs(self) -> Iterable[Markup]:
        return [engine_script(), program_script("chapters/drawing.js", *PROGRAMS)]

    def _data(self) -> dict:
        choices = [list(control.choices) for control in self.controls]
        frames = [panel.frame() for panel in self.panels]
        return {"choices": choices, "panels": frames, "at": list(self._start().values()), **self.live}


def retrain_figure(
    name: str,
    methods: tuple[str, str] = ("AdaBoost", "CSAda"),
    points: ArrayLike | None = None,
    *,
    fn_cost: float = 3.0,
    rounds: int = 20,
    below: str = "shares",
    task: str | None = None,
    step: float | None = None,
) -> InteractiveFigure:
    """Two methods side by side on points in the plane, which train again at every move of a point.

    Parameters
    ----------
    name : str
        Of the figure, of small letters, digits and hyphens; in the address it stands before the state.
    methods : tuple of str, default ("AdaBoost", "CSAda")
        Methods to begin with, by the names in the list.
    points : array_like of shape (n, 3), optional
        Two features between -6 and 6 and the class, 0 or 1, of at most 400 points; by default forty of the
        two Gaussians of Cao et al. (2013).
    fn_cost : float, default 3.0
        Cost of a miss in false alarms, one of those on the slider.
    rounds : int, default 20
        To begin with, one of those on the slider, which ends at 50.
    below : {"shares", "bill", "risk", "margins"}, default "shares"
        What stands below the two planes.
    task : {"missed", "everybody", "turned", "outlier", "dearer"}, optional
        What the reader is to bring about; the page says when it is done.
    step : float, optional
        Length of the steps to begin with, 0.1, 0.25, 0.5 or 1; by default the steps are whole, and
        there is no slider.

    Returns
    -------
    InteractiveFigure
        Its state is kept in the address of the page; nothing leaves the page.

    Raises
    ------
    ValueError
        If a name is not there or a number is not admissible.

    Examples
    --------
    >>> figure = retrain_figure("try", ("AdaBoost", "AdaMEC"), [[0, 1, 1], [1, 0, 0]])
    >>> figure.spoken()[:46]
    'A miss costs 3. AdaBoost: 1 round, the last wi'
    """
    one_of("below", below, tuple(BELOW))
    if task is not None:
        one_of("task", task, tuple(TASKS))
    for method in methods:
        one_of("methods", method, tuple(OFFERED))
    sliders = {"fn_cost": (fn_cost, RATIOS), "rounds": (rounds, ROUNDS), "step": (step or 1.0, STEPS)}
    for parameter, (value, positions) in sliders.items():
        if value not in positions:
            raise ValueError(f"{parameter}={value}: on the slider are {positions}")
    if points is None:
        data = make_two_gaussians(40, 7)
        points = np.column_stack([data.X.to_numpy().clip(-6, 6), data.y])
    given = read_array("points", points, "[-6, 6]", shape=(None, 3)).round(2)
    labels = given[:, 2].astype(int)
    if len(given) > 400 or not np.array_equal(np.unique(given[:, 2]), [0, 1]):
        raise ValueError("points: at most 400, of the classes 0 and 1, and some of either")
    trained = [Trained(label, given[:, :2], labels, fn_cost, rounds, step or 1.0) for label in methods]
    offered = list(OFFERED)
    controls = [
        Control(side, offered, offered.index(method), slider=False)
        for side, method in zip(("left", "right"), methods, strict=True)
    ]
    controls.append(Control("a miss costs", [f"{ratio:g}" for ratio in RATIOS], RATIOS.index(fn_cost)))
    controls.append(Control("rounds", [str(t) for t in ROUNDS], ROUNDS.index(rounds)))
    if step is not None:
        controls.append(Control("step", [f"{each:g}" for each in STEPS], STEPS.index(step)))
    title, xlabel, ylabel, xlim, ylim = BELOW[below]
    lines = [mark for each in trained for mark in each.marks(below)]
    panels = [*(each.plane() for each in trained), Panel(title, xlabel, ylabel, xlim, ylim, lines)]
    live = {
        "name": name, "below": below, "task": task, "keys": HELP,
        "colors": [NEGATIVE, POSITIVE], "classes": ["negative", "positive"],
        "points": [[x0, x1, int(label)] for x0, x1, label in given.tolist()],
        "methods": [_look(label) | {"key": key, "options": options}
                    for label, (key, options) in OFFERED.items()],
    }  # fmt: skip
    words = [f"A miss costs {fn_cost:g}.", *(each.words(below) for each in trained)]
    asks = Task(TASKS[task]) if task else None
    return RetrainFigure("Drag a point and train again", controls, panels, words, asks, live=live)


def _fixed(value: float, digits: int = 2) -> str:
    """As ``toFixed`` writes it: a half is rounded away from zero."""
    return str(Decimal(float(value)).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))


def _look(label: str) -> dict[str, str]:
    style = line_style(OFFERED[label][0])
    dash = {"-": "", "--": "6 4", ":": "2 4", "-.": "6 4 2 4"}[style["linestyle"]]
    return {"name": label, "color": style["color"], "dash": "2 4" if label == VOTE_RULE else dash}


class Trained:
    """What a method makes of the points, in csb: as ``train`` of ``retrain.js``."""

    def __init__(
        self, label: str, X: np.ndarray, y: np.ndarray, fn_cost: float, rounds: int, step: float = 1.0
    ):
        key, options = OFFERED[label]
        self.label, self.X, self.y, self.fn_cost, self.planned = label, X, y, fn_cost, rounds
        self.row = VARIANTS[key]
        self.model: Any = CostSensitiveBoosting(
            fn_cost=fn_cost, variant=key, options=options, n_estimators=rounds, learning_rate=step
        )
        try:
            with catch_warnings(action="error", category=ConstantModelWarning):
                self.model.fit(X, y)
        except ConstantModelWarning as found:
            raise ValueError(f"points: {label} finds no stump with an edge on them") from found
        self.votes: Any = self.model.estimator_weights_
        self.rounds = len(self.votes)
        self.costs = self.row.scale(check_costs(fn_cost)).by_class
        self.weights = self._replay(self.row.build_rules(**options))
        self.called = self.model.predict(X)
        self.constant = min(self._bill(np.full(len(y), label)) for label in (0, 1))

    def _replay(self, rules: Rules) -> np.ndarray:
        """What each round saw, and what one more would see."""
        c = self.costs[:, np.newaxis]
        logs = [np.broadcast_to(np.log(rules.initial(c, self.planned)), (2, 1, 1))[self.y, 0, 0]]
        for stump, vote in zip(self.model.estimators_, self.votes, strict=True):
            factors = np.broadcast_to(rules.log_factors(np.array([vote]), c, self.planned), (2, 2, 1))
            logs.append(logs[-1] + factors[self.y, (stump.predict(self.X) > 0).astype(int), 0])
        weights = np.exp(np.array(logs) - np.max(logs, axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def _bill(self, called: np.ndarray) -> float:
        return expected_cost(self.y, called, fn_cost=self.fn_cost)

    def _staged(self) -> list[np.ndarray]:
        return [np.zeros(len(self.y)), *self.model.staged_decision_function(self.X)]

    def shares(self) -> np.ndarray:
        return self.weights[:, self.y == 1].sum(axis=1)

    def bills(self) -> np.ndarray:
        return np.array([self._bill(called) for called in self.model.staged_predict(self.X)]) / self.constant

    def risks(self) -> np.ndarray | None:
        rule = self.row.build_rules().loss
        if rule is None:
            return None
        signs, found = 2 * self.y - 1, []
        for t, score in enumerate(self._staged()):
            loss: Any = rule(self.costs[:, 0], t, self.planned, float(self.votes[:t].sum()))
            found.append(loss.value(signs, signs * score).sum() / loss.value(signs, 0.0 * score).sum())
        return np.array(found)

    def margins(self) -> list[np.ndarray]:
        own = (2 * self.y - 1) * self.model.decision_function(self.X) / self.votes.sum()
        return [np.sort(own[self.y == label]) for label in (0, 1)]

    def marks(self, below: str) -> list[Mark]:
        look = _look(self.label)
        if below == "margins":
            return [
                Mark("line", {"x": own, "y": (np.arange(len(own)) + 1) / len(own)}, look["color"],
                     dash, label=f"{self.label}, {kind}")
                for own, dash, kind in zip(
                    self.margins(), ("6 4", ""), ("negatives", "positives"), strict=True
                )
            ]  # fmt: skip
        found = {"shares": self.shares, "bill": self.bills, "risk": self.risks}[below]()
        shown = np.array([]) if found is None else found
        x = np.arange(len(shown)) + (below == "bill")
        return [Mark("line", {"x": x, "y": shown}, look["color"], look["dash"], label=self.label)]

    def plane(self) -> Panel:
        cells = 60
        called = self.model.predict(plane_points(*ENDS, cells)).reshape(cells, cells)
        radius = np.maximum(1, 3 * np.sqrt(self.weights[-1] * len(self.y)))
        marks = [Mark("region", {"cells": called}, POSITIVE)]
        for k, color, kind in ((0, NEGATIVE, "negative"), (1, POSITIVE, "positive")):
            at = self.y == k
            places = {"x": self.X[at, 0], "y": self.X[at, 1], "size": radius[at]}
            marks.append(Mark("points", places, color, filled=bool(k), label=kind))
        return Panel(self.label, "first feature", "second feature", *ENDS, marks)

    def words(self, below: str) -> str:
        ends = {"max_rounds": "", "perfect": ", the last without error",
                "no_edge": ", no stump is left with an edge",
                "alpha": ", the next vote would not be above zero",
                "not_finite": ", the next vote has no value"}  # fmt: skip
        y, called, rounds = self.y, self.called, self.rounds
        bill = self._bill(called)
        if below == "shares":
            last = f"positives hold {self.shares()[-1]:.0%} of the weight"
        elif below == "bill":
            last = f"{_fixed(bill / self.constant)} of the cheaper constant decision"
        elif below == "risk":
            risks = self.risks()
            last = "it has no loss" if risks is None else f"risk {_fixed(risks[-1], 3)} of what it was"
        else:
            negative, positive = (own[0] for own in self.margins())
            last = f"least margin of a positive {_fixed(positive)}, of a negative {_fixed(negative)}"
        return (
            f"{self.label}: {rounds} {'round' if rounds == 1 else 'rounds'}{ends[self.model.stop_reason_]}; "
            f"{np.sum((y == 1) & (called == 0))} of {np.sum(y == 1)} positives missed, "
            f"{np.sum((y == 0) & (called == 1))} of {np.sum(y == 0)} negatives called positive, "
            f"cost {_fixed(bill)} a point; {last}."
        )
