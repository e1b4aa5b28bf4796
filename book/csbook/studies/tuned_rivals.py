"""Today's learners with equal effort of tuning: costs in the training, at the threshold, or not at all.

The sets and splits are those of study n16 with the classes as unequal as they are. Every learner has as many
settings, its default among them, one of which is chosen within the training part. All that does not train
with the costs decides by the same model, trained on the whole training part: what holds examples out does so
within it, by the same three folds. Of large training parts a share of each class is drawn.

Costs weight the examples, but in logit adjustment, where they shift the log odds (Menon et al. 2021). One
thread trains, so that the same numbers come out everywhere. HistGradientBoosting, which is LightGBM's
algorithm at several times its price on these sets, is left to study n16/today.

The questions and the rules by which the tables answer were written before the study ran. What is compared is
the expected cost, scaled to lie in [0, 1] by Eq. (26) of Nikolaou et al. (2016): the mean over six ratios of
the costs and the splits of each data set, then a mean over the data sets. "Tuned" is a learner with the
settings chosen within the training part. "Calibrated" is one model whose probabilities pass through a
sigmoid, fitted to its cross-fitted ones, and are thresholded at the Bayes threshold.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.preprocessing import StandardScaler

from csb.engine.elementary import exp, expit, log, logit
from csb.estimators import AdaBoost
from csb.evaluation.calibration import PlattScaling
from csb.evaluation.decisions import decide_positive
from csb.inputs import ConstantModelWarning, NotFiniteWarning
from csbook.chapters.verdicts import Question
from csbook.studies.grid import Split
from csbook.studies.measures import losses
from csbook.studies.n16 import NO_ENSEMBLES, examples, family, sizes

__all__ = [
    "LEARNERS", "RIVAL_QUESTIONS", "TUNED_RIVALS", "USES", "Learner", "Model", "at_most", "capped", "choose",
    "configurations", "focal_loss", "mean_losses",
]  # fmt: skip

Costs = tuple[float, float]
"""Of a miss and of a false alarm."""


class Model(NamedTuple):
    """A trained model: what gives the probability of the positive class, and the cut where it decides."""

    probability: Callable[[np.ndarray], np.ndarray]
    cut: float = 0.5


class Learner(NamedTuple):
    """How a learner is trained and what may be tuned.

    Attributes
    ----------
    train : callable ``(X, y, costs, seed, **settings) -> Model``
        Without costs the learner as it comes.
    space : mapping of str to tuple
        Values from which settings are drawn.
    """

    train: Callable[..., Model]
    space: Mapping[str, tuple[Any, ...]]


def configurations(name: str, count: int, seed: int) -> list[dict[str, Any]]:
    """The default, which is an empty mapping, and different settings drawn from the learner's space."""
    rng = np.random.default_rng([seed, list(LEARNERS).index(name)])
    drawn: list[dict[str, Any]] = [{}]
    while len(drawn) < count:
        one = {key: values[rng.integers(len(values))] for key, values in LEARNERS[name].space.items()}
        if one not in drawn:
            drawn.append(one)
    return drawn


def _weights(y: np.ndarray, costs: Costs | None) -> np.ndarray | None:
    """Of the examples, in proportion to what an error on each costs, of mean one."""
    if costs is None:
        return None
    weight = np.where(y == 1, *costs)
    return weight / weight.mean()


def _by_weights(make: Callable[..., Any]) -> Callable[..., Model]:
    """Training of a classifier of scikit-learn's kind with weighted examples."""

    def train(X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, **settings: Any) -> Model:
        model = make(random_state=seed, **settings).fit(X, y, sample_weight=_weights(y, costs))
        return Model(lambda new: model.predict_proba(new)[:, 1])

    return train


def _logistic_regression(
    X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, **settings: Any
) -> Model:
    scale = StandardScaler().fit(X)
    # solved to ten digits: where the default solver stops, a processor's rounding moves decisions
    model = LogisticRegression(solver="newton-cholesky", tol=1e-10, **settings)
    model.fit(scale.transform(X), y, sample_weight=_weights(y, costs))
    return Model(lambda new: model.predict_proba(scale.transform(new))[:, 1])


def _lightgbm(**settings: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, deterministic=True, force_col_wise=True, verbose=-1, **settings)


def _xgboost(**settings: Any) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, **settings)


def focal_loss(
    y: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None, *, gamma: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""First and second derivative of the focal loss in the score, as gradient boosting asks for them.

    :math:`-\alpha(1-p)^\gamma\log p` with :math:`p=1/(1+e^{-m})` for the margin :math:`m`, Eq. (5) of Lin et
    al. (2017). Far on the wrong side of the margin the loss is concave; the curvature is kept no smaller than
    :math:`p` times the slope, which is what it is for the logistic loss, :math:`\gamma=0`.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels 0 and 1.
    score : ndarray of shape (n,)
        Log odds of the positive class.
    weight : ndarray of shape (n,), optional
        The factor :math:`\alpha` of each example.
    gamma : float
        Focus; the loss of examples that are decided well fades as it grows.

    Returns
    -------
    tuple of ndarray
        Gradient and curvature, of shape (n,).

    Examples
    --------
    >>> slope, curvature = focal_loss(np.array([1, 0]), np.zeros(2), gamma=0.0)
    >>> slope, curvature
    (array([-0.5,  0.5]), array([0.25, 0.25]))
    """
    sign = np.where(y == 1, 1.0, -1.0)
    p, q = expit(sign * score), expit(-sign * score)
    log_p = log(np.maximum(p, 1e-300))
    faded = np.ones_like(q) if gamma == 0 else exp(gamma * log(np.maximum(q, 1e-300)))
    steep = q - gamma * p * log_p
    exact = p * faded * (gamma * steep + q * (gamma * log_p + gamma + 1))
    slope, curvature = faded * steep, np.maximum(exact, p * faded * steep)
    alpha = 1.0 if weight is None else weight
    return -alpha * sign * slope, alpha * curvature


def _focal(
    X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, *, gamma: float = 2.0, **settings: Any
) -> Model:
    weight = _weights(y, costs)
    start = _log_odds(y, weight)
    model = _lightgbm(
        objective=lambda y, score, weight: focal_loss(y, score, weight, gamma=gamma),
        random_state=seed, **settings,
    ).fit(X, y, sample_weight=weight, init_score=np.full(len(y), start))  # fmt: skip
    return Model(lambda new: expit(start + model.predict(new, raw_score=True)))


def _log_odds(y: np.ndarray, weight: np.ndarray | None = None) -> float:
    share = np.average(y == 1, weights=weight)
    return float(log(share / (1 - share)))


def _logit_adjustment(
    X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, *, tau: float = 1.0, **settings: Any
) -> Model:
    """The logistic loss of the score plus an offset; the score alone decides.

    The offset is the log odds of the classes, Eq. (10) of Menon et al. (2021) for two of them, or, where
    there are costs, those of the Bayes threshold; ``tau`` times that.
    """
    offset = tau * (_log_odds(y) if costs is None else float(log(costs[1] / costs[0])))
    model = _lightgbm(random_state=seed, **settings).fit(X, y, init_score=np.full(len(y), offset))
    return Model(lambda new: expit(offset + model.predict(new, raw_score=True)), float(expit(offset)))


BOOSTED = {
    "n_estimators": (50, 100, 200), "learning_rate": (0.02, 0.05, 0.1, 0.2), "num_leaves": (4, 8, 16, 31),
    "min_child_samples": (5, 10, 20, 40), "reg_lambda": (0.0, 1.0, 10.0),
}  # fmt: skip

LEARNERS = {
    "AdaBoost": Learner(
        _by_weights(AdaBoost),
        {"n_estimators": (25, 50, 100, 200, 400), "learning_rate": (1.0, 0.5, 0.25, 0.1, 0.05)},
    ),
    "logistic regression": Learner(
        _logistic_regression, {"C": tuple(round(C, 6) for C in np.logspace(-4, 3, 15).tolist())}
    ),
    "random forest": Learner(
        _by_weights(partial(RandomForestClassifier, n_jobs=1)),
        {"max_features": ("sqrt", 0.2, 0.5), "min_samples_leaf": (1, 2, 5, 10), "max_depth": (None, 4, 8)},
    ),
    "LightGBM": Learner(_by_weights(_lightgbm), BOOSTED),
    "XGBoost": Learner(
        _by_weights(_xgboost),
        {
            "n_estimators": (50, 100, 200), "learning_rate": (0.03, 0.1, 0.3), "max_depth": (2, 3, 4, 6),
            "min_child_weight": (1, 3, 10), "reg_lambda": (0.1, 1.0, 10.0),
        },
    ),
    "focal loss": Learner(_focal, BOOSTED | {"gamma": (0.5, 1.0, 2.0, 3.0)}),
    "logit adjustment": Learner(_logit_adjustment, BOOSTED | {"tau": (0.5, 1.0, 1.5)}),
}  # fmt: skip
"""Learners by name: stumps for AdaBoost, whose weighted form is CGAda, and LightGBM for the last two."""

Part = tuple[np.ndarray, np.ndarray]
"""Rows that train, and rows that are held out."""
MINE, TRAINED = "AdaBoost", "trained with the costs"
RAW, THRESHOLD, TUNED, CALIBRATED, AVERAGED = (
    "as it comes", "threshold c", "tuned threshold", "calibrated", "calibrated, averaged",
)  # fmt: skip
USES = (RAW, THRESHOLD, TUNED, CALIBRATED, AVERAGED, TRAINED)


def compute(unit: tuple[str, int], settings: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Every learner, with its default and its chosen settings, in every use."""
    split, tested, seed = examples(unit, settings)
    split = capped(split, settings["largest"], seed)
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
                for use, decided in rival.decisions(of):
                    errors.append(_errors(name, kind, use, rival.costs, decided, tested))
    return {
        "rivals": pd.concat(errors),
        "chosen": pd.concat(chosen),
        "sizes": sizes(split, tested),
    }


def capped(split: Split, largest: int, seed: int) -> Split:
    """No more training examples than ``largest``, the same share of each class.

    Parameters
    ----------
    split : Split
        With all training examples.
    largest : int
        How many may stay.
    seed : int
        Of the draw.

    Returns
    -------
    Split
        The same, if it has no more; else one whose examples are drawn class by class.
    """
    n = len(split.y)
    if n <= largest:
        return split
    rng = np.random.default_rng([seed, largest])
    members = [rng.permutation(np.flatnonzero(split.y == label)) for label in (0, 1)]
    kept = np.sort(np.concatenate([rows[: round(len(rows) * largest / n)] for rows in members]))
    return split._replace(X=split.X[kept], y=split.y[kept], held_out=split.held_out[kept])


def at_most(p: np.ndarray, n: int) -> np.ndarray:
    """Probabilities no surer than so many examples can make them.

    Parameters
    ----------
    p : ndarray
        Probabilities.
    n : int
        Number of examples.

    Returns
    -------
    ndarray
        Of the same shape, no closer to zero and one than 1/(n + 2).

    Examples
    --------
    >>> at_most(np.array([0.0, 0.5, 1.0]), 8)
    array([0.1, 0.5, 0.9])
    """
    return np.clip(p, 1 / (n + 2), 1 - 1 / (n + 2))


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
        return at_most(p, len(self.split.y))

    def decisions(self, picked: Mapping[str | None, int]) -> Iterator[tuple[str, np.ndarray]]:
        """Decisions (R, m) on the test examples in every use, by its name."""
        setting, new = picked[None], self.split.new
        whole = self.trained(setting, None, None)
        p = whole.probability(new)
        costs = np.array(self.costs).T[:, :, np.newaxis]
        yield RAW, np.broadcast_to(p > whole.cut, (len(self.costs), len(p)))
        yield THRESHOLD, decide_positive(p, *costs)
        held_out, averaged = np.empty(len(self.split.y)), np.zeros(len(p))
        for fold, (_, rows) in enumerate(self.parts):
            model = self.trained(setting, None, fold)
            held_out[rows] = model.probability(self.split.X[rows])
            curve = PlattScaling().fit(logit(self._within(held_out[rows])), self.split.y[rows])
            averaged += curve.predict(logit(self._within(model.probability(new)))) / len(self.parts)
        yield TUNED, self._tuned(held_out, p)
        curve = PlattScaling().fit(logit(self._within(held_out)), self.split.y)
        yield CALIBRATED, decide_positive(curve.predict(logit(self._within(p))), *costs)
        yield AVERAGED, decide_positive(averaged, *costs)
        weighted = []
        for fn, fp in self.costs:
            model = self.trained(picked["misses" if fn > fp else "alarms"], (fn, fp), None)
            weighted.append(model.probability(new) > model.cut)
        yield TRAINED, np.array(weighted)

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


TUNED_RIVALS = replace(
    family(
        "rivals", "Learners of today, tuned alike: costs in the training or at the threshold",
        compute=compute, libraries=("lightgbm", "xgboost-cpu"), **NO_ENSEMBLES, splits=1, balanced=False,
        ratios=[2.0, 5.0, 25.0], tuned_at=5.0, folds=3, configurations=6, largest=600,
        learners=list(LEARNERS),
    ),
    quick={"splits": 1, "datasets": ["survival", "wdbc"], "configurations": 2},
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
