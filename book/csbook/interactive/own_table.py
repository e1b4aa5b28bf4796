"""The reader's own table in the page: the bill of deciding by its probabilities, or by a trained model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from csb.evaluation.curves import brier_curve, reliability_diagram
from csbook.chapters.interactive_figure import InteractiveFigure, Mark, Panel
from csbook.chapters.markup import Markup, data_script, element, program_script
from csbook.interactive.engine import engine_script

__all__ = ["OwnTable", "own_table"]

PROGRAMS = ("table_reader", "table_bill", "table_code", "table_words", "copying", "own_table")
"""Of the page: reading, computing, the lines of Python, intervals in words, copying, what the reader does."""
COLUMNS = ("", "cost a case", "missed", "called in vain", "saved over calling none",
           "saved over calling all", "cheapest threshold", "at which it costs")  # fmt: skip
SCROLLS = {"tabindex": 0, "role": "region"}
"""What may be wider than the page is reached by the keyboard."""
MANY = range(10, 101, 10)
"""Rounds to choose from."""


@dataclass(frozen=True)
class OwnTable:
    """Controls, drawings and a table that a program in the page fills; without one, a picture of the example.

    Attributes
    ----------
    examples : mapping of str to DataFrame
        What each button loads, by the name of its file; the first is shown to begin with.
    start : mapping of str to str
        ``outcome``, ``positive``, ``probability`` and ``amount``: columns of the first example, and a value.
    """

    examples: Mapping[str, pd.DataFrame]
    start: Mapping[str, str]

    def _repr_html_(self) -> str:
        names = {"outcome": "outcome", "positive": "positive is"}
        columns = [_list(label, name) for name, label in names.items()]
        columns += [_list("probability", "probability"), _list("amount", "amount")]
        training = _list("method", "method"), _list("rounds", "rounds", MANY, 50)
        ratio = element(
            "input", {"type": "range", "name": "ratio", "min": -1, "max": 2, "step": 0.01, "value": 0.93}
        )
        costs = (
            element("label", None, "cost of a miss, in false alarms ", ratio, " ", element("b")),
            _number("a false alarm costs", "fixed", 15, "and"),
            _number("", "share", 6.25, "% of the amount"),
        )
        buttons = (
            element("button", {"type": "button", "data-example": True}, f"Example: {name}")
            for name in self.examples
        )
        file = {"type": "file", "accept": ".csv,.tsv,.txt,text/csv"}
        drawings = (
            element("svg", {"viewBox": "0 0 380 320", "role": "img", "font-size": 12}) for _ in range(2)
        )
        still = self._still()
        head = element("tr", None, *(element("th", {"scope": "col"}, name) for name in COLUMNS))
        table = element("table", None, element("thead", None, head), element("tbody"))
        copied = element("button", {"type": "button", "data-copy": True}, "Copy as csb code")
        code = element("pre", SCROLLS | {"aria-label": "Lines of Python"})
        return element(
            "div", {"class": "csb-table", "role": "group", "aria-label": "Your own table"},
            element(
                "p", {"class": "csb-controls"},
                element("label", None, "a CSV file, chosen or dropped here ", element("input", file)),
                *buttons, element("a", {"download": True, "hidden": True}, "the example as a file"),
            ),
            element("p", {"class": "csb-said"}, element("output")),
            element("noscript", None, element("img", {"src": still._still(), "alt": still.spoken()})),
            element("p", {"class": "csb-controls"}, *columns, *training, *costs),
            element("div", {"class": "csb-panels"}, *drawings),
            element("p", None, element("output")),
            element("div", {"class": "csb-bills", **SCROLLS, "aria-label": "Bills"}, table),
            element("p", {"class": "csb-controls"}, copied),
            element("details", None, element("summary", None, "The same numbers by csb"), code),
            data_script(self._data()),
            engine_script(),
            program_script("chapters/drawing.js", *(f"interactive/{name}.js" for name in PROGRAMS)),
        )  # fmt: skip

    def _data(self) -> list[dict]:
        """Each example, and the columns to begin with."""
        none = {"probability": "", "amount": ""}
        return [
            {
                "file": f"{name}.csv",
                "csv": table.to_csv(index=False),
                "start": {**self.start, **(none if k else {})},
            }
            for k, (name, table) in enumerate(self.examples.items())
        ]

    def _still(self) -> InteractiveFigure:
        """The first example, as it is drawn without a program."""
        table = next(iter(self.examples.values()))
        y = (table[self.start["outcome"]].astype(str) == self.start["positive"]).to_numpy(int)
        p = table[self.start["probability"]].to_numpy()
        bins, curve = reliability_diagram(y, p), brier_curve(y, p, over="cost")
        at, share = np.linspace(0, 1, 201), y.mean()
        constant = 2 * np.minimum(share * (1 - at), (1 - share) * at)
        top = 1.25 * float(max(curve.at(at).max(), constant.max()))
        places = {"x": bins.predicted, "y": bins.observed, "size": 2.5 + 6 * np.sqrt(bins.count / len(y))}
        reliable = Panel(
            "Are the probabilities right?", "probability", "share of positives", (0, 1), (0, 1),
            [Mark("line", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, dash="2 4"), Mark("points", places, "#D55E00")],
        )  # fmt: skip
        costs = Panel(
            "What decisions cost", "threshold c", "cost, the two summing to 2", (0, 1), (0, top),
            [
                Mark("line", {"x": at, "y": constant}, dash="6 4", label="the cheaper constant"),
                Mark("line", {"x": at, "y": curve.at(at)}, "#D55E00", label="the probabilities"),
            ],
        )  # fmt: skip
        words = (
            f"{len(y):,} cases of the example, {y.sum()} of them {self.start['positive']}: reliability, "
            f"and cost against the threshold; the area below the cost is {curve.area:.3f}."
        )
        return InteractiveFigure("Your own table", [], [reliable, costs], [words])


def own_table(examples: Mapping[str, pd.DataFrame], start: Mapping[str, str]) -> OwnTable:
    """A place for the reader's own table, which stays on the reader's computer.

    Parameters
    ----------
    examples : mapping of str to DataFrame
        What each button loads, by the name of its file: the first has an outcome and probabilities, the
        others outcome and features.
    start : mapping of str to str
        ``outcome``, ``positive``, ``probability`` and ``amount`` of the first example.

    Returns
    -------
    OwnTable
        Shows itself in a notebook and in the book.

    Raises
    ------
    ValueError
        If the first example lacks a column.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1, 0, 1], "p": [0.1, 0.3, 0.4, 0.8], "euro": [1, 2, 3, 4]})
    >>> start = {"outcome": "y", "positive": "1", "probability": "p", "amount": "euro"}
    >>> 'type="file"' in own_table({"small": table}, start)._repr_html_()
    True
    """
    first = next(iter(examples.values()), pd.DataFrame())
    for name in ("outcome", "probability", "amount"):
        if start.get(name) not in first.columns:
            raise ValueError(f"start: {name}={start.get(name)!r} is no column of the first example")
    return OwnTable(examples, start)


def _list(label: str, name: str, values: range | tuple = (), chosen: int | None = None) -> Markup:
    options = (element("option", {"selected": value == chosen}, value) for value in values)
    return element("label", None, f"{label} ", element("select", {"name": name}, *options))


def _number(label: str, name: str, value: float, unit: str) -> Markup:
    field = element("input", {"type": "number", "name": name, "value": value, "min": 0, "step": "any"})
    return element("label", None, f"{label} ", field, f" {unit}")
