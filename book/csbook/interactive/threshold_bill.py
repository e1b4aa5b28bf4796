"""What a threshold costs: a thousand cases, their errors, and the bill that wrong probabilities add to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from csbook.chapters.interactive_figure import Control, InteractiveFigure, Mark, Panel
from csbook.chapters.markup import Markup, program_script
from csbook.interactive.plane import NEGATIVE, POSITIVE

__all__ = ["threshold_bill_figure"]

SETTINGS = {
    "positives": ("positives in a thousand", (5, 10, 20, 50, 80, 150, 300, 500), 4),
    "separation": ("separation of the classes", (0.5, 1.0, 1.5, 2.0, 2.5, 3.0), 3),
    "miss": ("a miss costs", (50, 100, 200, 500, 1000, 2000), 3),
    "alarm": ("a false alarm costs", (5, 10, 20, 50, 100, 200), 3),
    "claimed": ("confidence, in log odds", (1 / 3, 1 / 2, 2 / 3, 1.0, 1.5, 2.0, 3.0), 5),
}
"""Label of each control, its values and where it starts."""
WORDS = {
    "claimed": ["a third", "half", "two thirds", "right", "1.5 times", "twice", "three times"],
}
NAME = "live-bill"
"""Of the figure, before its state in the address."""
TEMPLATE = (
    "Of 1,000 cases {positives} are positive. Whoever is given a probability above {threshold} is called, "
    "which here means above {acts} in truth: about {missed} are missed and {alarms} called in vain. "
    "That costs {bill}, of which {part} is due to wrong probabilities; with right ones it would be {best}, "
    "and {constant} for the cheaper of calling all and calling none."
)


@dataclass(frozen=True)
class _ThresholdBill(InteractiveFigure):
    def _programs(self) -> Iterable[Markup]:
        names = ("threshold_bill", "copying", "address", "threshold_bill_page")
        return [program_script("chapters/drawing.js", *(f"interactive/{name}.js" for name in names))]

    def _data(self) -> dict:
        settings = [{"name": name, "values": list(values)} for name, (_, values, _) in SETTINGS.items()]
        return super()._data() | {"name": NAME, "settings": settings, "template": TEMPLATE}


def threshold_bill_figure() -> InteractiveFigure:
    r"""A thousand cases in the order of their scores, and the bill by the threshold on what is claimed.

    Scores are normal in each class, with the same spread, so that the log odds of a case are linear in its
    score: :math:`\log\frac{p}{1-p}=dx+\log\frac{\pi}{1-\pi}` with the prevalence :math:`\pi` and the
    separation :math:`d` of the means. A model that claims :math:`k` times these log odds, and is decided at
    the Bayes threshold :math:`c=c_{FP}/(c_{FP}+c_{FN})`, Eq. (2) of Nikolaou et al. (2016), acts as if
    the threshold were :math:`c^{1/k}/(c^{1/k}+(1-c)^{1/k})`. What that adds to the bill is due to
    calibration.

    Returns
    -------
    InteractiveFigure
        Five sliders: share of positives, separation, both costs and what is claimed. What they lead to is
        computed in the page; the state is kept in its address.

    Examples
    --------
    >>> threshold_bill_figure().spoken()[:36]
    'Of 1,000 cases 80 are positive. Whoe'
    """
    controls = [
        Control(label, WORDS.get(name) or [f"{value:g}" for value in values], start)
        for name, (label, values, start) in SETTINGS.items()
    ]
    setting = {name: values[start] for name, (_, values, start) in SETTINGS.items()}
    found = _numbers(**setting)
    panels = [_ranked(setting, found["cut"]), _bills(setting, found)]
    said = {name: f"{value:,.0f}" for name, value in found.items()}
    said |= {name: f"{found[name]:.3f}" for name in ("threshold", "acts")}
    return _ThresholdBill("What a threshold costs", controls, panels, [TEMPLATE.format(**said)])


def _bill(
    positives: float,
    separation: float,
    miss: float,
    alarm: float,
    claimed: float,
    threshold: np.ndarray | float,
) -> tuple[np.ndarray, ...]:
    """The score above which to call at thresholds, then misses, false alarms and their bill."""
    cut = (logit(threshold) / claimed - logit(positives / 1000)) / separation
    missed = positives * norm.cdf(cut - separation / 2)
    alarms = (1000 - positives) * norm.sf(cut + separation / 2)
    return cut, missed, alarms, missed * miss + alarms * alarm


def _numbers(
    positives: float, separation: float, miss: float, alarm: float, claimed: float
) -> dict[str, float]:
    c = np.float64(alarm / (miss + alarm))
    cut, missed, alarms, bill = _bill(positives, separation, miss, alarm, claimed, c)
    best = _bill(positives, separation, miss, alarm, 1.0, c)[-1]
    constant = min(positives * miss, (1000 - positives) * alarm)
    return {
        "positives": positives, "threshold": c, "cut": cut, "missed": missed, "alarms": alarms, "bill": bill,
        "best": best, "part": bill - best, "acts": expit(logit(c) / claimed), "constant": constant,
    }  # fmt: skip


def _ranked(setting: dict[str, float], cut: float) -> Panel:
    positives, apart = int(setting["positives"]), setting["separation"]
    x, y = [], []
    for of, n in ((1, positives), (0, 1000 - positives)):
        x.append(norm.ppf((np.arange(n) + 0.5) / n) + (of - 0.5) * apart)
        y.append(np.full(n, of))
    order = np.argsort(np.concatenate(x), kind="stable")
    label, called = np.concatenate(y)[order], np.concatenate(x)[order] > cut
    rank = np.arange(1000)
    marks = []
    for of, color, names in (
        (0, NEGATIVE, ("negative", "called in vain")),
        (1, POSITIVE, ("missed", "found")),
    ):
        for when, name in enumerate(names):
            at = rank[(label == of) & (called == bool(when))]
            places = {"x": at // 25 + 0.5, "y": at % 25 + 0.5, "size": 2.6}
            marks.append(Mark("points", places, color, filled=bool(when), label=name))
    marks.append(Mark("vertical", {"x": np.sum(~called) / 25}, label="threshold"))
    return Panel(
        "A thousand cases, by their scores", "40 columns of 25 cases, scores rise to the right",
        "", (0.0, 40.0), (0.0, 38.0), marks,
    )  # fmt: skip


def _bills(setting: dict[str, float], found: dict[str, float]) -> Panel:
    t, top = 0.999 * 1000 ** (-np.arange(100) / 99), 1.4 * found["constant"] / 1000
    c, best, bill = found["threshold"], found["best"] / 1000, found["bill"] / 1000
    return Panel(
        "The bill", "threshold on the probability that is claimed", "cost a case",
        (0.001, 1.0), (0.0, top),
        [
            Mark("line", {"x": t, "y": _bill(**setting, threshold=t)[-1] / 1000}, "#009E73", label="bill"),
            Mark("horizontal", {"y": best}, dash="5 4", label="with right probabilities"),
            Mark("vertical", {"x": c}, dash="2 4", label="threshold of the costs"),
            Mark("line", {"x": [c, c], "y": [best, bill]}, POSITIVE, label="due to wrong probabilities"),
            Mark("points", {"x": [c], "y": [bill], "size": [5.0]}, "#009E73"),
        ],
        logarithmic=True,
    )  # fmt: skip
