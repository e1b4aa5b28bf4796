"""A panel of experts: their number, their error and how much they lean on one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task
from csbook.theory import experts

__all__ = ["experts_figure"]


def experts_figure(
    numbers: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
    errors: Sequence[float] = (0.1, 0.2, 0.3, 0.4, 0.45),
    dependences: Sequence[float] = (0.0, 0.05, 0.1, 0.2, 0.4),
) -> InteractiveFigure:
    """The product of experts and the true posterior, for every count of votes.

    Parameters
    ----------
    numbers : sequence of int
        Experts on the panel.
    errors : sequence of float
        How often each of them errs.
    dependences : sequence of float
        Probability with which an expert repeats the common vote.

    Returns
    -------
    InteractiveFigure
        Three sliders; the two probabilities against the share of votes, and how often each share comes up.
        The task is to find a panel whose product is off by more than a half.

    Raises
    ------
    ValueError
        If a number, an error or a dependence is not admissible.
    """
    by = ("experts", "error of each", "dependence")
    table = [[[experts.Panel(n, e, d) for d in dependences] for e in errors] for n in numbers]

    def vary(values) -> Controlled:  # type: ignore[no-untyped-def]
        return Controlled([[[values(each) for each in inner] for inner in row] for row in table], by)

    share = Controlled([[[np.arange(n + 1) / n for _ in dependences] for _ in errors] for n in numbers], by)
    opinion = Panel(
        "What the votes are taken to say", "share of votes for the positive class", "probability",
        (0.0, 1.0), (0.0, 1.0),
        [
            Mark("line", {"x": share, "y": vary(lambda each: each.posterior)}, dash="6 4", label="true"),
            Mark("line", {"x": share, "y": vary(lambda each: each.product)}, "#D55E00", label="product"),
        ],
    )  # fmt: skip
    often = Panel(
        "How often the votes fall so", "share of votes for the positive class", "probability of the count",
        (0.0, 1.0), (0.0, 0.55),
        [
            Mark("bars", {"x": share, "low": vary(lambda each: 0 * each.probability),
                          "high": vary(lambda each: each.probability)}, "#0072B2"),
        ],
    )  # fmt: skip
    words = vary(
        lambda each: (
            f"{each.n} {'expert' if each.n == 1 else 'experts'}, each wrong with probability {each.error:g}, "
            f"repeating a common vote with probability {each.dependence:g}: the product is off by "
            f"{np.sqrt(each.distortion):.3f} on average (root of the mean square).{_heaps(each)}"
        )
    )
    controls = [
        Control(label, [f"{each:g}" for each in values], len(values) // 2)
        for label, values in zip(by, (numbers, errors, dependences), strict=True)
    ]
    solved = [
        dict(zip(by, (i, j, k), strict=True))
        for i, rows in enumerate(table) for j, row in enumerate(rows) for k, each in enumerate(row)
        if np.sqrt(each.distortion) > 0.5
    ]  # fmt: skip
    asks = "Find a panel whose product is off by more than a half on average."
    task = Task.if_solvable(asks, solved)
    return InteractiveFigure("A panel of experts", controls, [opinion, often], [words], task)


def _heaps(panel: experts.Panel) -> str:
    """Why the true probability falls where it crosses one half more than once."""
    if np.count_nonzero(np.diff(panel.posterior > 0.5)) < 2:
        return ""
    return (
        " The votes fall in two heaps, one for each common vote: within a heap the true probability rises "
        "with the votes, and between the heaps it falls."
    )
