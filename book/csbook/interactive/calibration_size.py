"""The size of the calibration part: map from score to probability, and reliability diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from csb.estimators import AdaBoost
from csb.evaluation.calibration import Calibration, make_calibrator
from csb.evaluation.curves import ReliabilityDiagram, reliability_diagram
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task
from csbook.datasets import make_waveform

__all__ = ["calibration_size_figure"]


def calibration_size_figure(
    sizes: Sequence[int] = (20, 50, 100, 200, 500, 1000, 2000), n_training: int = 500, n_new: int = 5000
) -> InteractiveFigure:
    """AdaBoost on the waveforms, its scores calibrated on more and more examples.

    Parameters
    ----------
    sizes : sequence of int
        Examples of the calibration part.
    n_training, n_new : int
        Examples on which the ensemble is trained and judged.

    Returns
    -------
    InteractiveFigure
        A list of calibrators and a slider of sizes; the map beside the one that many examples give, and
        the reliability diagram, whose dots are as large as the number of cases that they stand for. The task
        is to find how many examples isotonic regression needs to pass the sigmoid on few.

    Raises
    ------
    ValueError
        If a number is not admissible.
    """
    sample, pool, new = (make_waveform(n, seed) for n, seed in ((n_training, 1), (max(sizes), 2), (n_new, 3)))
    model = AdaBoost().fit(sample.X.to_numpy(), sample.y)
    scores, others = (model.decision_function(each.X.to_numpy()) for each in (pool, new))
    low, high = np.quantile(others, [0.005, 0.995]).tolist()
    grid = np.linspace(low, high, 81)
    kinds = [kind for kind in get_args(Calibration) if kind in ("sigmoid", "beta", "isotonic")]
    by = ("calibrator", "calibration examples")
    maps, diagrams, words, errors = [], [], [], {}
    true = new.posterior(new.X)  # type: ignore[misc]  # known of data that are made
    truth = reliability_diagram(new.y, model.predict_proba(new.X.to_numpy())[:, 1], n_bins=10)
    for kind in kinds:
        fitted = [make_calibrator(kind).fit(scores[:n], pool.y[:n]) for n in sizes]
        maps.append([each.predict(grid) for each in fitted])
        found = [reliability_diagram(new.y, each.predict(others), n_bins=10) for each in fitted]
        diagrams.append([(each.predicted, each.observed, 9 * np.sqrt(each.count / n_new)) for each in found])
        errors[kind] = [float(np.mean((each.predict(others) - true) ** 2)) for each in fitted]
        words.append(
            [
                f"{kind} on {n} examples{_alone(each)}: "
                f"mean squared distance from the true probability {error:.4f}."
                for n, each, error in zip(sizes, found, errors[kind], strict=True)
            ]
        )
    bins = np.linspace(low, high, 31)
    place = np.digitize(others, bins)
    middles = np.array([others[place == k].mean() for k in range(1, 31) if np.any(place == k)])
    observed = np.array([new.y[place == k].mean() for k in range(1, 31) if np.any(place == k)])
    mapping = Panel(
        "From score to probability", "score of the ensemble", "probability", (low, high), (0.0, 1.0),
        [
            Mark("points", {"x": middles, "y": observed, "size": np.full(len(middles), 2.5)}, filled=False,
                 label="share of positives"),
            Mark("line", {"x": grid, "y": Controlled(maps, by)}, "#D55E00", label="calibrator"),
        ],
    )  # fmt: skip
    plain = np.column_stack([truth.predicted, truth.observed]).T
    bent = {
        name: Controlled([[each[k] for each in row] for row in diagrams], by)
        for k, name in enumerate(("x", "y", "size"))
    }
    reliability = Panel(
        "Reliability diagram", "predicted probability", "share of positives", (0.0, 1.0), (0.0, 1.0),
        [
            Mark("line", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, dash="2 4"),
            Mark("line", {"x": plain[0], "y": plain[1]}, "#0072B2", dash="6 4", label="not calibrated"),
            Mark("line", {"x": bent["x"], "y": bent["y"]}, "#D55E00", label="calibrated"),
            Mark("points", bent, "#D55E00", label="the more cases, the larger"),
        ],
    )  # fmt: skip
    controls = [
        Control(by[0], kinds, 0, slider=False),
        Control(by[1], [str(n) for n in sizes], len(sizes) // 2),
    ]
    few = min(1, len(sizes) - 1)
    enough = [at for at, error in enumerate(errors["isotonic"]) if error < errors["sigmoid"][few]][:1]
    task = Task.if_solvable(
        "Find how many examples isotonic regression needs to come nearer to the truth than the sigmoid on "
        f"{sizes[few]}.",
        [{by[0]: kinds.index("isotonic"), by[1]: at} for at in enough],
    )
    return InteractiveFigure(
        "The size of the calibration part", controls, [mapping, reliability], [Controlled(words, by)], task
    )


def _alone(diagram: ReliabilityDiagram) -> str:
    """Names the dots that stand for a single case."""
    single = [f"{at:.2f}" for at, n in zip(diagram.predicted, diagram.count, strict=True) if n == 1]
    return f" (a single case at {' and at '.join(single)})" if single else ""
