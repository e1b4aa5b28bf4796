"""One split of study n16: all methods at all cost ratios as one batch, against scikit-learn's loop."""

from __future__ import annotations

import pandas as pd
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import paired
from csb.datasets import available
from csb.studies import STUDIES
from csb.studies.n16 import METHODS, compute, examples

__all__ = ["measure", "n_models"]

RIVALS = {
    "stump": lambda rounds: AdaBoostClassifier(n_estimators=rounds),
    "univariate_logistic": None,  # scikit-learn has no such learner
    "logistic": lambda rounds: AdaBoostClassifier(LogisticRegression(), n_estimators=rounds),
}


def n_models(settings) -> int:
    """Ensembles that a split of the study trains."""
    different = {METHODS[name].trained_as: METHODS[name] for name in settings["methods"]}
    return sum(1 if method.once else 2 * len(settings["ratios"]) + 1 for method in different.values())


def measure(datasets: list[str], rounds: int, repeats: int) -> pd.DataFrame:
    """Seconds of a split for each learner and set, and of one model of scikit-learn in the same repeat.

    Both train and decide the test examples; the split also calibrates and counts.

    Parameters
    ----------
    datasets : list of str
        Sets of the study's clean track; those that are not at hand are left out.
    rounds : int
        Rounds of boosting.
    repeats : int
        Paired runs.

    Returns
    -------
    DataFrame
        One row per learner and set: seconds of the split, of which everything is part, its number of models,
        seconds of one model, and the ratio to scikit-learn, medians of the repeats.
    """
    at_hand = set(available().query("track == 'clean' and where != 'to fetch'")["name"])
    rows = []
    for learner, rival in RIVALS.items():
        settings = dict(STUDIES[f"n16/{learner}-clean"].settings) | {"rounds": rounds}
        models = n_models(settings)
        for name in [name for name in datasets if name in at_hand]:
            split, _, _ = examples((name, 0), settings)
            tasks = {"csb": lambda name=name, settings=settings: compute((name, 0), settings)}
            if rival:
                scaler = StandardScaler().fit(split.X)  # on other scales its regressions do not converge
                X, new = scaler.transform(split.X), scaler.transform(split.new)
                tasks["scikit-learn"] = lambda rival=rival, X=X, y=split.y, new=new: (
                    rival(rounds).fit(X, y).predict(new)
                )
            times = paired(tasks, repeats)
            one = times["csb"] / models
            row = {"learner": learner, "dataset": name, "rows": len(split.y), "features": split.X.shape[1]}
            row |= {"models": models, "seconds": pd.Series(times["csb"]).median()}
            row |= {"seconds_per_model": pd.Series(one).median()}
            if rival:
                row["scikit_learn"] = pd.Series(times["scikit-learn"]).median()
                row["ratio"] = pd.Series(times["scikit-learn"] / one).median()
            rows.append(row)
    return pd.DataFrame(rows)
