"""One split of study n16: all methods at all cost ratios as one batch, against scikit-learn's loop."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import paired
from csbook.datasets import available
from csbook.studies import STUDIES
from csbook.studies.n16 import METHODS, compute, examples

__all__ = ["measure", "trained"]

# the penalty of csb, and its precision; scikit-learn's own penalty is another problem, as weights sum to one
REGRESSION = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10, max_iter=1000)
RIVALS = {
    "stump": lambda rounds: AdaBoostClassifier(n_estimators=rounds),
    "univariate_logistic": None,  # scikit-learn has no such learner
    "logistic": lambda rounds: AdaBoostClassifier(REGRESSION, n_estimators=rounds),
}


def trained(settings, counts: pd.DataFrame) -> tuple[int, int]:
    """Number of ensembles that a split of the study trains, and of all their rounds."""
    different = {METHODS[name].trained_as: name for name in settings["methods"]}
    rounds = [
        counts.loc[counts["method"] == name, "rounds"].iloc[
            : 1 if METHODS[name].shared_across_costs else None
        ]
        for name in different.values()
    ]
    return sum(map(len, rounds)), int(sum(of.sum() for of in rounds))


def measure(datasets: list[str], rounds: int, repeats: int) -> pd.DataFrame:
    """Seconds of a split for each learner and set, and of one model of scikit-learn in the same repeat.

    Both train and decide the test examples; the split also calibrates and counts. As ensembles may end
    early, times are compared for one round of one model.

    Parameters
    ----------
    datasets : list of str
        Sets of the study's clean track; those that are not at hand are left out.
    rounds : int
        Largest number of rounds.
    repeats : int
        Paired runs.

    Returns
    -------
    DataFrame
        One row per learner and set: models of the split and their mean number of rounds, seconds of
        the split, those of one model of scikit-learn and its rounds, and the ratio of the times of one
        round of one model; medians of the repeats.
    """
    at_hand = set(available().query("track == 'clean' and where != 'to fetch'")["name"])
    rows = []
    for learner, rival in RIVALS.items():
        settings = dict(STUDIES[f"n16/{learner}-clean"].settings) | {"rounds": rounds}
        for name in [name for name in datasets if name in at_hand]:
            split, _, _ = examples((name, 0), settings)
            models, steps = trained(settings, compute((name, 0), settings)["counts"])
            tasks = {"csb": lambda name=name, settings=settings: compute((name, 0), settings)}
            if rival:
                scaler = StandardScaler().fit(split.X)  # on other scales its regressions do not converge
                X, new = scaler.transform(split.X), scaler.transform(split.new)
                model = rival(rounds)
                tasks["scikit-learn"] = lambda model=model, X=X, y=split.y, new=new: model.fit(X, y).predict(
                    new
                )
            times = paired(tasks, repeats)
            row = {"learner": learner, "dataset": name, "rows": len(split.y), "features": split.X.shape[1]}
            row |= {"models": models, "rounds": steps / models, "seconds": np.median(times["csb"])}
            if rival:
                alone = len(model.estimators_)
                ratio = np.median((times["scikit-learn"] / alone) / (times["csb"] / steps))
                row |= {"scikit_learn": np.median(times["scikit-learn"]), "scikit_learn_rounds": alone}
                row |= {"ratio": ratio}
            rows.append(row)
    return pd.DataFrame(rows)
