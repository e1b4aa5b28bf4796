"""Draw the figure of the README: expected cost against cost ratio on new cases of wdbc.

``python book/figures/readme.py`` writes ``book/_static/readme.svg``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from csb import AdaBoost, AdaMEC, CalibratedAdaMEC
from csb.evaluation.metrics import normalised_loss
from csbook.datasets import load
from csbook.style import line_style, set_style

RATIOS = np.array([1, 2, 5, 10, 20, 50, 100])
MODELS = {
    "adaboost": AdaBoost(),
    "adamec": AdaMEC(),
    "calibrated_adamec": CalibratedAdaMEC(cv=5, random_state=0),
}
TARGET = Path(__file__).parents[1] / "_static" / "readme.svg"


def losses() -> dict[str, np.ndarray]:
    """Loss on held-out folds, shape (folds, ratios), of each method; each is trained once a fold."""
    data = load("wdbc")
    X, y = data.X.to_numpy(), data.y
    folds = list(RepeatedStratifiedKFold(n_splits=4, n_repeats=5, random_state=0).split(X, y))
    result = {key: np.empty((len(folds), len(RATIOS))) for key in MODELS}
    for i, (fit, new) in enumerate(folds):
        for key, model in MODELS.items():
            model.fit(X[fit], y[fit])
            for j, ratio in enumerate(RATIOS):
                if key != "adaboost":
                    model.set_params(fn_cost=float(ratio))
                result[key][i, j] = normalised_loss(y[new], model.predict(X[new]), fn_cost=ratio)
    return result


def main() -> None:
    set_style()
    fig, ax = plt.subplots(figsize=(6, 3.4))
    for key, values in losses().items():
        mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
        look = line_style(key)
        ax.plot(RATIOS, mean, **look)
        low, high = mean - 2 * error, mean + 2 * error
        ax.fill_between(RATIOS, low, high, color=look["color"], alpha=0.15, linewidth=0)
    ax.set_xscale("log")
    ax.set_xticks(RATIOS, RATIOS, minor=False)
    ax.set_xticks([], minor=True)
    ax.set(xlabel="cost of a missed cancer, in false alarms", ylabel="normalised loss Q", ylim=(0, None))
    ax.legend()
    fig.savefig(TARGET, metadata={"Date": None})


if __name__ == "__main__":
    main()
