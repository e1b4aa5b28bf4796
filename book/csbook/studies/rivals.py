"""Today's rivals with equal effort of tuning: costs in the training, at the threshold, or not at all.

The sets and splits are those of study n16 with the classes as unequal as they are. Every learner has as many
settings, its default among them, one of which is chosen within the training part. All that does not train
with the costs decides by the same model, trained on the whole training part: what holds examples out does so
within it, by the same three folds. Of large training parts a share of each class is drawn.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from csb.engine.elementary import log, logit
from csb.evaluation.calibration import PlattScaling
from csb.evaluation.decisions import decide_positive
from csb.inputs import ConstantModelWarning, NotFiniteWarning
from csbook.studies.grid import Split
from csbook.studies.n16 import examples, family, sizes
from csbook.studies.rivals_learners import LEARNERS, Costs, Model, configurations
from csbook.studies.study import Study

__all__ = ["RIVALS", "USES", "choose"]

Part = tuple[np.ndarray, np.ndarray]
"""Rows that train, and rows that are held out."""
USES = (
    "as it comes", "threshold c", "tuned threshold", "calibrated", "calibrated, averaged",
    "trained with the costs",
)  # fmt: skip


def compute(unit: tuple[str, int], settings: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Every learner, with its default and its chosen settings, in every use."""
    split, tested, seed = examples(unit, settings)
    split = _capped(split, settings["largest"], seed)
    folds = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed)
    parts = list(folds.split(split.X, split.y))
    errors, chosen = [], []
    with warnings.catch_warnings():
        # a vote without a finite value ends training, and the model is judged as it is
        warnings.simplefilter("ignore", NotFiniteWarning)
        warnings.simplefilter("ignore", ConstantModelWarning)
        for name in settings["learners"]:
            rival = Rival(name, split, parts, seed, settings)
            picks = {"tuned": rival.pick(), "default": dict.fromkeys(rival.trainings, 0)}
            chosen.append(_choices(rival, picks["tuned"]))
            for kind, of in picks.items():
                for use, decided in rival.decide(of):
                    errors.append(_errors(name, kind, use, rival.costs, decided, tested))
    return {
        "rivals": pd.concat(errors),
        "chosen": pd.concat(chosen),
        "sizes": sizes(split, tested),
    }


def _capped(split: Split, largest: int, seed: int) -> Split:
    """No more training examples than ``largest``, the same share of each class."""
    n = len(split.y)
    if n <= largest:
        return split
    rng = np.random.default_rng([seed, largest])
    members = [rng.permutation(np.flatnonzero(split.y == label)) for label in (0, 1)]
    kept = np.sort(np.concatenate([rows[: round(len(rows) * largest / n)] for rows in members]))
    return split._replace(X=split.X[kept], y=split.y[kept], held_out=split.held_out[kept])


def choose(loss: Callable[[int, int], float], count: int, folds: int) -> int:
    """The best of some settings by a race over the folds, after each of which the better half goes on.

    It ends when one is left.

    Parameters
    ----------
    loss : callable ``(setting, fold) -> float``
        Loss of a setting on a fold.
    count, folds : int
        Numbers of settings and of folds.

    Returns
    -------
    int
        The setting left, or the one with the smallest sum of losses among the last; of equal ones the first.

    Examples
    --------
    >>> choose(lambda setting, fold: [3.0, 1.0, 2.0, 9.0][setting], 4, 2)
    1
    """
    left, total = list(range(count)), np.zeros(count)
    for fold in range(folds):
        if len(left) == 1:
            break
        for setting in left:
            total[setting] += loss(setting, fold)
        left = sorted(left, key=total.__getitem__)[: len(left) // 2]
    return left[0]


class Rival:
    """A learner on one split, in all its settings; what is trained is trained once."""

    def __init__(
        self, name: str, split: Split, parts: list[Part], seed: int, settings: Mapping[str, Any]
    ) -> None:
        self.name, self.split, self.parts = name, split, parts
        self.settings = configurations(name, settings["configurations"], settings["seed"])
        self.costs = [(r, 1.0) for r in settings["ratios"]] + [(1.0, r) for r in settings["ratios"]]
        middle = settings["tuned_at"]
        self.trainings: dict[str | None, Costs | None] = {
            None: None,
            "misses": (middle, 1.0),
            "alarms": (1.0, middle),
        }

        @cache
        def trained(setting: int, costs: Costs | None, fold: int | None) -> Model:
            rows = slice(None) if fold is None else parts[fold][0]
            return LEARNERS[name].train(split.X[rows], split.y[rows], costs, seed, **self.settings[setting])

        self.trained = trained

    def pick(self) -> dict[str | None, int]:
        """The settings chosen by log loss, and by cost where misses or false alarms are costly."""
        return {
            training: choose(partial(self._loss, costs), len(self.settings), len(self.parts))
            for training, costs in self.trainings.items()
        }

    def _loss(self, costs: Costs | None, setting: int, fold: int) -> float:
        """Of the examples of a fold: sum of the log losses or, where there are costs, of the costs."""
        model, rows = self.trained(setting, costs, fold), self.parts[fold][1]
        p, positive = model.probability(self.split.X[rows]), self.split.y[rows] == 1
        if costs is None:
            p = self._within(p)
            return -float(np.sum(log(np.where(positive, p, 1 - p))))
        decided = p > model.cut
        return float(costs[0] * np.sum(~decided & positive) + costs[1] * np.sum(decided & ~positive))

    def _within(self, p: np.ndarray) -> np.ndarray:
        """Probabilities no surer than so many examples can make them."""
        least = 1 / (len(self.split.y) + 2)
        return np.clip(p, least, 1 - least)

    def decide(self, picked: Mapping[str | None, int]) -> Iterator[tuple[str, np.ndarray]]:
        """Decisions (R, m) on the test examples in every use, by its name."""
        setting, new = picked[None], self.split.new
        whole = self.trained(setting, None, None)
        p = whole.probability(new)
        costs = np.array(self.costs).T[:, :, np.newaxis]
        yield "as it comes", np.broadcast_to(p > whole.cut, (len(self.costs), len(p)))
        yield "threshold c", decide_positive(p, *costs)
        held_out, averaged = np.empty(len(self.split.y)), np.zeros(len(p))
        for fold, (_, rows) in enumerate(self.parts):
            model = self.trained(setting, None, fold)
            held_out[rows] = model.probability(self.split.X[rows])
            curve = PlattScaling().fit(logit(self._within(held_out[rows])), self.split.y[rows])
            averaged += curve.predict(logit(self._within(model.probability(new)))) / len(self.parts)
        yield "tuned threshold", self._tuned(held_out, p)
        curve = PlattScaling().fit(logit(self._within(held_out)), self.split.y)
        yield "calibrated", decide_positive(curve.predict(logit(self._within(p))), *costs)
        yield "calibrated, averaged", decide_positive(averaged, *costs)
        weighted = []
        for fn, fp in self.costs:
            model = self.trained(picked["misses" if fn > fp else "alarms"], (fn, fp), None)
            weighted.append(model.probability(new) > model.cut)
        yield "trained with the costs", np.array(weighted)

    def _tuned(self, held_out: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Decisions at the thresholds that scikit-learn finds cheapest on the folds."""
        decided, rows = [], np.arange(len(held_out))[:, np.newaxis]
        for fn_cost, fp_cost in self.costs:
            scorer = make_scorer(_cost, greater_is_better=False, fn_cost=fn_cost, fp_cost=fp_cost)
            known = TunedThresholdClassifierCV(Known(held_out), scoring=scorer, cv=self.parts)
            decided.append(p >= known.fit(rows, self.split.y).best_threshold_)
        return np.array(decided)


class Known(ClassifierMixin, BaseEstimator):
    """A classifier whose cross-fitted probabilities are known; its examples are their numbers."""

    def __init__(self, p: np.ndarray) -> None:
        self.p = p

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Nothing to learn but the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """What is known."""
        p = self.p[X[:, 0]]
        return np.column_stack([1 - p, p])


def _cost(y: np.ndarray, decided: np.ndarray, fn_cost: float, fp_cost: float) -> float:
    return float(fn_cost * np.sum(decided < y) + fp_cost * np.sum(decided > y))


def _choices(rival: Rival, picked: Mapping[str | None, int]) -> pd.DataFrame:
    """Which setting was chosen for which training, in words."""
    rows = []
    for training, number in picked.items():
        words = ", ".join(f"{key}={value}" for key, value in rival.settings[number].items())
        rows.append((rival.name, training or "neither", number, words or "default"))
    return pd.DataFrame(rows, columns=["learner", "dear", "number", "settings"])


def _errors(
    name: str, kind: str, use: str, costs: list[Costs], decided: np.ndarray, positive: np.ndarray
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "learner": name,
            "settings": kind,
            "use": use,
            "ratio": [fn / fp for fn, fp in costs],
            "fn": np.sum(~decided & positive, axis=1),
            "fp": np.sum(decided & ~positive, axis=1),
        }
    )


def _study(name: str, title: str, **changes: Any) -> Study:
    of_n16 = family(
        name, title, compute=compute, libraries=("lightgbm", "xgboost-cpu"), balanced=False,
        ratios=[2.0, 5.0, 25.0], tuned_at=5.0, folds=3, configurations=6, largest=600,
        learners=list(LEARNERS), **changes,
    )  # fmt: skip
    unused = {"learner", "methods", "scored", "score_every", "rounds"}
    return replace(
        of_n16,
        settings={key: value for key, value in of_n16.settings.items() if key not in unused},
        quick={"splits": 1, "datasets": ["survival", "wdbc"], "configurations": 2},
    )


RIVALS = _study(
    "rivals", "Learners of today, tuned alike: costs in the training or at the threshold", splits=1
)
