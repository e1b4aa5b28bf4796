"""The expected loss of a score where the posterior is known: its lowest point moves with the posterior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from csb.costs import check_costs
from csb.inputs import one_of, read_array
from csb.methods import METHODS
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task
from csbook.style import line_style
from csbook.theory.fisher import losses
from csbook.theory.regret import Loss, conditional_risk, least_risk

__all__ = ["conditional_risk_figure"]

POSTERIORS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LABEL = "posterior p"


def conditional_risk_figure(
    methods: Sequence[str] = ("cgada", "adaboost"),
    fn_cost: float = 9.0,
    posteriors: ArrayLike = POSTERIORS,
    rounds: int = 1,
) -> InteractiveFigure:
    """The expected losses of methods against the score, their lowest points, and what these decide.

    Parameters
    ----------
    methods : sequence of str
        Keys of methods with a loss, see :func:`csbook.theory.fisher.losses`; a panel for each.
    fn_cost : float, default 9.0
        Cost of a miss, in false alarms.
    posteriors : array_like of shape (n,)
        Where the slider can stand, between 0 and 1, increasing.
    rounds : int, default 1
        A loss that changes with the rounds is taken as it stands after the last of these.

    Returns
    -------
    InteractiveFigure
        A slider of posteriors and a panel for each method. It begins near twice the Bayes threshold. The
        task, where it can be done, is to find the largest posterior at which a lowest point decides wrongly.

    Raises
    ------
    ValueError
        If a method has no loss, or a number is not admissible.

    Examples
    --------
    >>> figure = conditional_risk_figure()
    >>> figure.spoken().split(". ")[1]
    "CGAda's expected loss is least at the score 0.41: positive"
    """
    p = read_array("posteriors", posteriors, "(0, 1)", shape=(None,))
    built, costs = losses(rounds), check_costs(fn_cost)
    threshold = float(costs.threshold[0])
    wrong = np.zeros(len(p), bool)
    panels, words = [], [Controlled([_asked(float(each), threshold) for each in p], (LABEL,))]
    for key in methods:
        loss, name = cast(Loss, built[one_of("methods", key, list(built))](costs)), METHODS[key].name
        best, least = loss.minimiser(p), least_risk(loss, p)
        wrong |= ((best > 0) != (p > threshold)) & ~np.isclose(p, threshold)
        scores = np.linspace(-3, 3, 61)
        risks = [conditional_risk(loss, np.full(len(scores), each), scores) for each in p]
        color = line_style(key)["color"]
        marks = [
            Mark("vertical", {"x": [0.0]}, dash="2 4"),
            Mark("line", {"x": best, "y": least}, "#7f7f7f", dash="2 4", label="lowest points"),
            Mark("line", {"x": scores, "y": Controlled(risks, (LABEL,))}, color, label="expected loss"),
            Mark("points", {"x": _one_each(best), "y": _one_each(least), "size": [5.0]}, color),
        ]  # fmt: skip
        top = 2.5 * float(least.max())
        panels.append(Panel(f"{name}'s loss", "score F", "expected loss", (-3.0, 3.0), (0.0, top), marks))
        said = [_decided(name, *each, threshold) for each in zip(p.tolist(), best.tolist(), strict=True)]
        words.append(Controlled(said, (LABEL,)))
    slider = Control(LABEL, [f"{each:g}" for each in p], int(np.argmin(np.abs(p - 2 * threshold))))
    task = Task.if_solvable(
        "Find the largest posterior at which a lowest point means the costlier decision.",
        [{LABEL: int(at)} for at in np.flatnonzero(wrong)[-1:]],
    )
    return InteractiveFigure("Expected loss by posterior", [slider], panels, words, task)


def _one_each(values: np.ndarray) -> Controlled:
    return Controlled([[value] for value in values.tolist()], (LABEL,))


def _asked(p: float, threshold: float) -> str:
    if np.isclose(p, threshold):
        return f"The posterior {p:g} is the Bayes threshold: both decisions cost the same."
    side, call = ("above", "positive") if p > threshold else ("below", "negative")
    return f"The posterior {p:g} is {side} the Bayes threshold {threshold:.3g}: calling {call} is cheaper."


def _decided(name: str, p: float, score: float, threshold: float) -> str:
    found = f"{name}'s expected loss is least at the score {round(score, 2) + 0.0:.2f}"
    if np.isclose(p, threshold):
        return f"{found}."
    call = "positive" if score > 0 else "negative"
    return f"{found}: {call}{'' if (score > 0) == (p > threshold) else ', which is the costlier decision'}."
