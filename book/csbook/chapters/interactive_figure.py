"""A figure to play with: what is drawn follows controls, in a notebook and in the built book, offline.

All numbers are computed beforehand, for every position of the controls that they depend on; the program on
the page chooses among them and draws.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator
from numpy.typing import ArrayLike

from csb.inputs import one_of
from csbook.chapters.markup import Markup, data_script, element, program_script, whole

__all__ = ["Control", "Mark", "Panel", "InteractiveFigure", "Controlled", "Task"]

CHANNELS = {
    "line": ("x", "y"),
    "band": ("x", "low", "high"),
    "points": ("x", "y", "size"),
    "bars": ("x", "low", "high"),
    "region": ("cells",),
    "vertical": ("x",),
    "horizontal": ("y",),
}
"""What each kind of mark is drawn from."""


@dataclass(frozen=True)
class Control:
    """A list to choose from, or a slider that goes through it.

    Attributes
    ----------
    label : str
        What stands before it; `Controlled` refers to it by this name.
    choices : sequence of str
        Positions, as they are shown and spoken.
    start : int
        Position to begin with.
    slider : bool
        Whether the choices have an order that a slider goes through.
    """

    label: str
    choices: Sequence[str]
    start: int = 0
    slider: bool = True

    def markup(self) -> Markup:
        """The control, with its label around it."""
        if self.slider:
            last = len(self.choices) - 1
            ends = {"min": 0, "max": last, "step": 1, "value": self.start}
            chosen = element("input", {"type": "range", **ends, "style": "width: 100%"})
            return element("label", None, f"{self.label} ", chosen, " ", element("b", None))
        options = (
            element("option", {"selected": at == self.start}, choice)
            for at, choice in enumerate(self.choices)
        )
        return element("label", None, f"{self.label} ", element("select", None, *options))


@dataclass(frozen=True)
class Controlled:
    """Values that follow controls.

    Attributes
    ----------
    values : nested sequence
        Indexed first by the positions of the controls, in their order here.
    by : tuple of str
        Labels of the controls.
    """

    values: Sequence
    by: tuple[str, ...]

    def at(self, positions: Mapping[str, int]) -> object:
        """The values at these positions of the controls."""
        found: object = self.values
        for label in self.by:
            found = found[positions[label]]  # type: ignore[index]
        return found


@dataclass(frozen=True)
class Mark:
    """What is drawn on a panel.

    Attributes
    ----------
    kind : {"line", "band", "points", "bars", "region", "vertical", "horizontal"}
        Bars reach from ``low`` to ``high`` and stand at ``x``, evenly spaced; a region is a table ``cells``
        of zeros and ones, rows from the bottom of the panel to its top, whose ones are filled.
    channels : mapping of str to array_like or Controlled
        What it is drawn from: ``x`` and ``y`` of a line, ``x``, ``low`` and ``high`` of a band or of bars,
        ``x``, ``y`` and ``size`` (radius in points) of points.
    color : str or Controlled
        In hexadecimal; the colour of the text by default.
    dash : str or Controlled
        Of a line: lengths drawn and left out, as in SVG.
    filled : bool
        Whether points are filled.
    label : str or Controlled, optional
        Its line in the legend.
    """

    kind: str
    channels: Mapping[str, ArrayLike | Controlled]
    color: str | Controlled = "currentColor"
    dash: str | Controlled = ""
    filled: bool = True
    label: str | Controlled | None = None

    def __post_init__(self) -> None:
        one_of("kind", self.kind, tuple(CHANNELS))
        if missing := set(CHANNELS[self.kind]) ^ set(self.channels):
            raise ValueError(f"channels: {self.kind} must have {CHANNELS[self.kind]}, see {sorted(missing)}")


@dataclass(frozen=True)
class Panel:
    """A pair of axes.

    Attributes
    ----------
    title, xlabel, ylabel : str
        What stands above and beside it.
    xlim, ylim : tuple of float
        Ends of the axes, which stay where they are whatever the controls say.
    marks : sequence of Mark
        Drawn in this order.
    logarithmic : bool
        Whether the horizontal axis is.
    """

    title: str
    xlabel: str
    ylabel: str
    xlim: tuple[float, float]
    ylim: tuple[float, float]
    marks: Sequence[Mark]
    logarithmic: bool = False

    def ticks(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the ticks on both axes."""
        evenly = MaxNLocator(5, steps=[1, 2, 5, 10])
        x = LogLocator() if self.logarithmic else evenly
        return tuple(
            np.array([at for at in locator.tick_values(*ends) if ends[0] <= at <= ends[1]])
            for locator, ends in ((x, self.xlim), (evenly, self.ylim))
        )  # type: ignore[return-value]

    def frame(self) -> dict[str, object]:
        """All but the marks, as programs take it."""
        names = ("title", "xlabel", "ylabel", "xlim", "ylim", "logarithmic")
        xticks, yticks = ([[at, f"{at:g}"] for at in places] for places in self.ticks())
        return {name: getattr(self, name) for name in names} | {"xticks": xticks, "yticks": yticks}


@dataclass(frozen=True)
class Task:
    """What the reader is to bring about with the controls; the page says when it is done.

    Attributes
    ----------
    asks : str
        One sentence.
    solved : sequence of mapping of str to int
        Positions of controls, by their labels, that solve it; a control that is not named is free.
    """

    asks: str
    solved: Sequence[Mapping[str, int]] = ()

    @classmethod
    def if_solvable(cls, asks: str, solved: Sequence[Mapping[str, int]]) -> Task | None:
        """The task, or none if no positions solve it."""
        return cls(asks, solved) if solved else None


@dataclass(frozen=True)
class InteractiveFigure:
    """Panels that follow controls, and what they show in words.

    Attributes
    ----------
    title : str
        Name of the whole figure, for those who do not see it.
    controls : sequence of Control
        In the order in which they stand above the panels.
    panels : sequence of Panel
        Side by side, or below each other where there is no room.
    words : sequence of str or Controlled
        Sentences that say what the panels show at the positions of the controls.
    task : Task, optional
        Stands above the controls.

    Raises
    ------
    ValueError
        If values depend on a control that is not there, or there are not as many as it has positions.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 3)
    >>> line = Mark("line", {"x": x, "y": Controlled([x, x**2], by=("power",))})
    >>> panel = Panel("Powers", "x", "y", (0, 1), (0, 1), [line])
    >>> power = Control("power", ["1", "2"])
    >>> figure = InteractiveFigure("Powers of x", [power], [panel], ["Both end at one."])
    >>> "<input" in figure._repr_html_()
    True
    """

    title: str
    controls: Sequence[Control]
    panels: Sequence[Panel]
    words: Sequence[str | Controlled] = field(default=())
    task: Task | None = None

    def __post_init__(self) -> None:
        sizes = {control.label: len(control.choices) for control in self.controls}
        for each in self._varying():
            _check(each.values, [(label, sizes.get(label)) for label in each.by])

    def _varying(self) -> Iterable[Controlled]:
        marks = [mark for panel in self.panels for mark in panel.marks]
        given: list[object] = [*self.words, *(value for mark in marks for value in mark.channels.values())]
        given += [value for mark in marks for value in (mark.color, mark.dash, mark.label)]
        return (value for value in given if isinstance(value, Controlled))

    def _repr_html_(self) -> str:
        size = {"viewBox": "0 0 380 320", "width": 380}  # in a notebook no style sheet of ours says how wide
        drawings = (element("svg", {**size, "role": "img", "font-size": 12}) for _ in self.panels)
        controls = " ".join(each.markup() for each in self.controls)
        task = [element("p", {"class": "csb-task"}, self.task.asks)] if self.task else []
        still = element("img", {"src": self._still(), "alt": self.spoken()})
        return element(
            "div", {"class": "csb-interactive", "role": "group", "aria-label": self.title},
            *task,
            element("p", {"class": "csb-controls"}, Markup(controls)),
            element("noscript", None, still),
            element("div", {"class": "csb-panels"}, *drawings),
            element("p", None, element("output")),
            data_script(self._data()),
            *self._programs(),
        )  # fmt: skip

    def _programs(self) -> Iterable[Markup]:
        return [program_script("chapters/drawing.js", "chapters/interactive_figure.js")]

    def __repr__(self) -> str:
        return f"{self.title}: {', '.join(control.label for control in self.controls)}"

    def _start(self) -> dict[str, int]:
        return {control.label: control.start for control in self.controls}

    def spoken(self, **positions: int) -> str:
        """What the figure says with controls at these positions, the others where they start."""
        at = self._start() | positions
        return " ".join(str(_at(each, at)) for each in self.words)

    def _data(self) -> dict:
        places = {control.label: at for at, control in enumerate(self.controls)}
        numbers: dict[int, int] = {}
        pool: list[object] = []  # values that several marks share are sent once

        def sent(value: object) -> dict:
            by, values = (value.by, value.values) if isinstance(value, Controlled) else ((), value)
            if id(values) not in numbers:
                numbers[id(values)] = len(pool)
                pool.append(_short(values))
            return {"by": [places[label] for label in by], "of": numbers[id(values)]}

        def marks(panel: Panel) -> list[dict]:
            return [
                {"kind": mark.kind, "filled": mark.filled}
                | {name: sent(getattr(mark, name)) for name in ("color", "dash", "label")}
                | {name: sent(value) for name, value in mark.channels.items()}
                for mark in panel.marks
            ]

        panels = [panel.frame() | {"marks": marks(panel)} for panel in self.panels]
        choices = [list(control.choices) for control in self.controls]
        words = [sent(each) for each in self.words]
        solved = [
            [[places[label], at] for label, at in each.items()]
            for each in (self.task.solved if self.task else ())
        ]
        return {"choices": choices, "panels": panels, "words": words, "pool": pool, "solved": solved}

    def _still(self) -> str:
        """What is seen to begin with, for where no program runs, as an address that holds the picture."""
        with rc_context({"text.parse_math": False}):  # a name may hold a dollar
            drawn = Figure(figsize=(3.7 * len(self.panels), 3.2), layout="constrained")
            axes = np.asarray(drawn.subplots(1, len(self.panels)), dtype=object).ravel()
            for ax, panel in zip(axes, self.panels, strict=True):
                _draw_panel(ax, panel, self._start())
            kept = BytesIO()
            drawn.savefig(kept, format="png", dpi=80, metadata={"Software": None})
        return f"data:image/png;base64,{b64encode(kept.getvalue()).decode('ascii')}"


def _at(value: object, positions: Mapping[str, int]) -> object:
    return value.at(positions) if isinstance(value, Controlled) else value


def _check(values: Sequence, sizes: list[tuple[str, int | None]]) -> None:
    if not sizes:
        return
    (label, size), *inner = sizes
    if len(values) != size:
        raise ValueError(f"by: {label!r} has {size} positions, {len(values)} values are given")
    for each in values:
        _check(each, inner)


def _short(values: object) -> object:
    """Numbers of four significant digits, more than a screen shows; rows of a region as words of 0 and 1."""
    if isinstance(values, str) or values is None:
        return values
    if isinstance(values, Sequence) and not all(isinstance(each, int | float) for each in values):
        return [_short(each) for each in values]
    array = np.asarray(values)
    if array.ndim == 2:
        return ["".join(map(str, row)) for row in array.astype(int).tolist()]
    if array.dtype.kind == "f":
        return np.vectorize(lambda each: float(f"{each:.4g}"), otypes=[float])(array) if array.size else array
    return array


def _draw_panel(ax: Axes, panel: Panel, positions: Mapping[str, int]) -> None:
    for mark in panel.marks:
        _draw(ax, mark, panel, positions)
    ax.set(xlim=panel.xlim, ylim=panel.ylim, xlabel=whole(panel.xlabel), ylabel=whole(panel.ylabel))
    ax.set_title(whole(panel.title), fontsize=10)
    if panel.logarithmic:
        ax.set_xscale("log")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=8)


def _draw(ax: Axes, mark: Mark, panel: Panel, positions: Mapping[str, int]) -> None:
    color, dash, label = (_at(each, positions) for each in (mark.color, mark.dash, mark.label))
    color = "black" if color == "currentColor" else str(color)
    label = None if label is None else whole(label)
    look: dict[str, Any] = {"color": color, "linestyle": "--" if dash else "-"}
    of = {name: np.asarray(_at(value, positions), float) for name, value in mark.channels.items()}
    if mark.kind == "line":
        ax.plot(of["x"], of["y"], label=label, **look)
    elif mark.kind == "band":
        ax.fill_between(of["x"], of["low"], of["high"], color=color, alpha=0.2, linewidth=0)
    elif mark.kind == "points":
        face = color if mark.filled else "none"
        ax.scatter(of["x"], of["y"], s=np.pi * of["size"] ** 2, facecolor=face, edgecolor=color, label=label)
    elif mark.kind == "bars":
        width = 0.9 * np.diff(of["x"]).min() if len(of["x"]) > 1 else 0.5
        ax.bar(of["x"], of["high"] - of["low"], width, of["low"], color=color, label=label)
    elif mark.kind == "region":
        table = np.ma.masked_equal(of["cells"], 0)
        extent = (*panel.xlim, *panel.ylim)
        ax.imshow(table, ListedColormap([color]), extent=extent, origin="lower", aspect="auto", alpha=0.15)
    else:
        draw, places = (ax.axvline, of["x"]) if mark.kind == "vertical" else (ax.axhline, of["y"])
        for place in np.atleast_1d(places):
            draw(place, **look)
