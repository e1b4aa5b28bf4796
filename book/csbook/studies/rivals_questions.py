"""What study n16/rivals is asked, and the rules by which its tables answer; written before it ran.

What is compared is the expected cost, scaled to lie in [0, 1] by Eq. (26) of Nikolaou et al. (2016): the
mean over six cost ratios and the splits of each data set. A difference is a mean over the data sets with
Student's interval; all intervals of a question have together a coverage of 95 % (Bonferroni). Smaller is
better, and differences below 0.005 are as good as none. "Tuned" is a learner with the settings chosen within
the training part. "Calibrated" is one model whose probabilities pass through a sigmoid, fitted to its
cross-fitted ones, and are thresholded at the Bayes threshold.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from csbook.studies.reading import losses
from csbook.studies.rivals_learners import LEARNERS
from csbook.studies.shrinkage_questions import Question

__all__ = ["RIVAL_QUESTIONS", "mean_losses"]

MINE, TRAINED = "AdaBoost", "trained with the costs"
CALIBRATED, THRESHOLD, TUNED, AVERAGED, RAW = (
    "calibrated", "threshold c", "tuned threshold", "calibrated, averaged", "as it comes",
)  # fmt: skip


def mean_losses(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Mean loss of each data set (rows), by settings, learner and use (columns).

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Tables of the study.
    """
    table = losses(tables, "rivals")
    mean = table.groupby(["dataset", "settings", "learner", "use"], sort=False)["loss"].mean()
    return mean.unstack("dataset").T.loc[table["dataset"].unique()]


def _gaps(loss: pd.DataFrame, first: tuple[str, str], second: tuple[str, str]) -> dict[str, pd.Series]:
    """Of each learner, the loss of one settings and use less that of another."""
    return {name: loss[first[0], name, first[1]] - loss[second[0], name, second[1]] for name in LEARNERS}


def _training(loss: pd.DataFrame) -> dict[str, pd.Series]:
    return _gaps(loss, ("tuned", TRAINED), ("tuned", CALIBRATED))


def _decision(loss: pd.DataFrame) -> dict[str, pd.Series]:
    return {
        f"{name}: {use}": gap
        for use in (RAW, THRESHOLD, TUNED, AVERAGED)
        for name, gap in _gaps(loss, ("tuned", use), ("tuned", CALIBRATED)).items()
    }


def _losses(loss: pd.DataFrame) -> dict[str, pd.Series]:
    return {
        f"{name}, less LightGBM {words}": loss["tuned", name, TRAINED] - loss["tuned", "LightGBM", use]
        for name in ("focal loss", "logit adjustment")
        for words, use in (("weighted", TRAINED), (CALIBRATED, CALIBRATED))
    }


def _rivals(loss: pd.DataFrame) -> dict[str, pd.Series]:
    return {
        f"{name}, {use}": loss["tuned", name, use] - loss["tuned", MINE, CALIBRATED]
        for name in LEARNERS
        for use in (CALIBRATED, TRAINED)
        if (name, use) != (MINE, CALIBRATED)
    }


def _tuning(loss: pd.DataFrame) -> dict[str, pd.Series]:
    return {
        f"{name}: {use}": gap
        for use in (CALIBRATED, TRAINED)
        for name, gap in _gaps(loss, ("tuned", use), ("default", use)).items()
    }


RIVAL_QUESTIONS = (
    Question(
        "training",
        "Does any learner gain by training with the costs, against calibrating it and moving the threshold?",
        "Those gain that are lower, and those lose that are higher.",
        _training,
    ),
    Question(
        "decision",
        "When the costs act at the decision, does it matter how?",
        "A way is worse than the calibrated one where it is higher, better where it is lower.",
        _decision,
    ),
    Question(
        "losses",
        "Do focal loss or logit adjustment with the costs in them do better than weights or calibration?",
        "They do where they are lower.",
        _losses,
    ),
    Question(
        "rivals",
        "Which learner, calibrated or trained with the costs, does better than calibrated AdaMEC?",
        "Those that are lower do, those that are higher do worse.",
        _rivals,
    ),
    Question(
        "tuning",
        "Does tuning matter?",
        "It gains where the tuned learner is lower than the one with its default settings.",
        _tuning,
    ),
)
