"""Losses by their parameters: factor and exponent of a class, crossing and population minimiser."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from csb.methods.losses import ExponentialLoss
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task
from csbook.interactive.plane import NEGATIVE, POSITIVE

__all__ = ["losses_figure"]


def losses_figure(
    factors: Sequence[float] = (1, 1.5, 2, 3, 5, 10), exponents: Sequence[float] = (1, 1.5, 2, 3, 5)
) -> InteractiveFigure:
    r"""The loss :math:`a_ye^{-k_ym}` of a positive, whose factor and exponent are set, beside :math:`e^{-m}`.

    Parameters
    ----------
    factors : sequence of float
        Values of :math:`a_+`; that of a negative is one.
    exponents : sequence of float
        Values of :math:`k_+`; that of a negative is one.

    Returns
    -------
    InteractiveFigure
        Two sliders; the losses against the margin, and the score of least expected loss against the
        posterior. The task is to reach with the exponent alone what a factor of three does.

    Raises
    ------
    ValueError
        If a factor or an exponent is not admissible.
    """
    margins, posteriors = np.linspace(-2, 2, 61), np.linspace(0.01, 0.99, 99)
    by = ("factor of a positive", "exponent of a positive")
    table = [
        [ExponentialLoss(np.log([1.0, a]), np.array([1.0, k])) for k in map(float, exponents)]
        for a in map(float, factors)
    ]

    def vary(values) -> Controlled:  # type: ignore[no-untyped-def]
        return Controlled([[values(loss) for loss in row] for row in table], by)

    drawn = Panel(
        "Loss of each class", "margin m", "loss", (-2.0, 2.0), (0.0, 12.0),
        [
            Mark("line", {"x": margins, "y": vary(lambda loss: loss.value(1, margins))}, POSITIVE,
                 label="positive"),
            Mark("line", {"x": margins, "y": table[0][0].value(-1, margins)}, NEGATIVE, dash="6 4",
                 label="negative"),
            Mark("vertical", {"x": vary(lambda loss: _crossing(loss))}, dash="2 4", label="crossing"),
        ],
    )  # fmt: skip
    minimiser = Panel(
        "Score of least expected loss", "probability of the positive class", "score F*",
        (0.0, 1.0), (-2.0, 2.0),
        [
            Mark("horizontal", {"y": [0.0]}),
            Mark("line", {"x": posteriors, "y": vary(lambda loss: loss.minimiser(posteriors))}, "#009E73",
                 label="F*"),
            Mark("vertical", {"x": vary(lambda loss: [float(loss.threshold)])}, dash="6 4",
                 label="its sign changes"),
        ],
    )  # fmt: skip
    words = vary(_words)
    controls = [Control(by[0], [f"{a:g}" for a in factors]), Control(by[1], [f"{k:g}" for k in exponents])]
    solved = [{by[0]: i, by[1]: j} for i, a in enumerate(factors) for j, k in enumerate(exponents)
              if (a, k) == (1, 3)]  # fmt: skip
    asks = "Leave the factor at 1, and let the score change its sign where a factor of 3 alone would let it."
    task = Task.if_solvable(asks, solved)
    return InteractiveFigure("Losses by their parameters", controls, [drawn, minimiser], [words], task)


def _crossing(loss: ExponentialLoss) -> list[float]:
    return [float(loss.crossing)] if np.isfinite(loss.crossing) else []


def _words(loss: ExponentialLoss) -> str:
    a, k = float(np.exp(loss.log_factor[1])), float(loss.exponent[1])
    crossing = _crossing(loss)
    if a == k == 1:
        found = "both classes have the same loss"
    else:
        found = f"the losses cross at margin {crossing[0]:.2f}" if crossing else "the losses never cross"
    threshold = float(loss.threshold)
    ratio = (1 - threshold) / threshold
    return (
        f"With factor {a:g} and exponent {k:g}, {found}. The score of least expected loss is positive above "
        f"the probability {threshold:.3f}, the threshold of the cost ratio {ratio:.3g}."
    )
