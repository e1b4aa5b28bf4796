"""Step length and stopping: what shrinkage does for the methods of Nikolaou et al. (2016), who never vary it.

The sets, splits and costs are those of study n16. Every method is trained with its votes shortened by five
learning rates, and judged after six numbers of rounds. The held-out third, on which the calibrated methods
are calibrated, may serve the others to choose rate and rounds. Beside them stand LightGBM with the same
rates and rounds, and logistic regression with as many penalties.

The questions and the rules by which the tables answer were written before the study ran. A difference is that
of two areas below Brier curves: the mean over the splits of each data set, then a mean over the data sets.
"Plain" is a learning rate of one and a hundred rounds, as Nikolaou et al. (2016) run every method. "Common"
is, for each data set, the rate and rounds with the smallest mean area over the *other* sets. "Chosen" is, for
each split, the rate and rounds with the smallest area on the examples held out; of equal ones the fewest
rounds, then the largest rate.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csb.costs import Costs, skew
from csb.engine.elementary import expit
from csb.engine.learners import Tree, bind_learner
from csb.engine.rules import Learner
from csb.engine.trained import Batch, Trained
from csb.engine.votes import TrainingSet, boost
from csb.evaluation.calibration import calibrate_models
from csb.evaluation.decisions import decide_positive
from csb.evaluation.metrics import brier_decompositions
from csb.inputs import NotFiniteWarning
from csbook.chapters.verdicts import Question
from csbook.studies.grid import Split
from csbook.studies.measures import ranks
from csbook.studies.n16 import METHODS, examples, family, sizes, skews_to_costs
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = [
    "BY_FOLDS", "CALIBRATED", "CROSS_FITTED", "QUESTIONS", "RANKS", "SHRINKAGE",
    "TRAINED_WITH_COSTS", "VOTE", "Areas", "staged",
]  # fmt: skip

TRAINED_WITH_COSTS = (
    "CGAda", "AsymAda", "CSAda", "AdaC1", "AdaC2", "AdaC3", "CSB0", "CSB1", "CSB2", "AdaCost", "AdaCost(β₂)",
)  # fmt: skip
CALIBRATED = {name: f"{name}, calibrated" for name in ("AdaMEC", "CGAda", "AsymAda")}
VOTE = "AdaMEC, vote rule"
CROSS_FITTED, BY_FOLDS = "AdaMEC, cross-fitted", "AdaMEC, chosen by folds"

SPREAD = {"AsymAda"}
"""Methods whose costs are spread over the planned rounds: a stage of a longer plan is another method."""

Plans = Mapping[tuple[str, int], Batch]
"""The models to train, by method and planned rounds."""

Rows = slice | np.ndarray
"""Some of the examples."""

AreaRow = tuple[str, int, float, float]
"""Method, rounds, area on the test examples and on those held out."""

BrierRow = tuple[str, int, float, float, float]
"""Method, rounds, Brier score and its two parts."""


class Scored(NamedTuple):
    """Models after some rounds: scores (R, m), or (1, m) where all ratios share a model, and thresholds."""

    scores: np.ndarray
    threshold: np.ndarray

    def positive(self, rows: Rows) -> np.ndarray:
        """Decisions (R, k) on some of the examples."""
        return self.scores[:, rows] > self.threshold[:, np.newaxis]


class AreaScorer:
    """Areas below the Brier curves of decisions at all cost ratios, on the examples of a split."""

    def __init__(self, split: Split, tested: np.ndarray, costs: Costs) -> None:
        self.split, self.tested, self.costs = split, tested, costs
        self.trained = split.y == 1

    def area(self, decided: np.ndarray, positive: np.ndarray) -> float:
        """Area of decisions (R, k) on k examples, by the trapezoidal rule over the skews, as a mean loss."""
        z = skew(*self.costs, positive.mean())
        missed, alarms = (~decided[:, positive]).mean(axis=1), decided[:, ~positive].mean(axis=1)
        return float(trapezoid((1 - z) * missed + z * alarms, z) / (z[-1] - z[0]))

    def by_probability(self, p: np.ndarray, positive: np.ndarray) -> float:
        """Area of the decisions of least expected cost from probabilities (k,) or (R, k)."""
        return self.area(decide_positive(p, *self.costs.as_columns()), positive)


def compute(unit: Unit, settings: Settings) -> Tables:
    """All methods, at all cost ratios and numbers of rounds, with one learning rate on one split."""
    split, tested, seed = examples(unit[:2], settings)
    rate = unit[2]
    scorer = AreaScorer(split, tested, skews_to_costs(settings["ratios"]))
    weak = settings["learner"]
    learner = bind_learner(Tree(max_depth=settings["depth"]) if weak == "tree" else weak, split.X, split.y)
    with warnings.catch_warnings():
        # a vote without a finite value ends training, and the model is judged as it is
        warnings.simplefilter("ignore", NotFiniteWarning)
        areas, briers = _in_parts(learner, scorer, rate, settings["stages"])
        on_everything = {rounds: area for name, rounds, area, _ in areas if name == "AdaMEC"}
        by_folds, of_folds = _in_folds(learner, scorer, rate, seed, settings, on_everything)
    areas += by_folds + _lightgbm(scorer, rate, seed, settings["stages"])
    return {
        "areas": _table(areas, "method", "rounds", "area", "held_out"),
        "briers": _table(briers + of_folds, "method", "rounds", "brier", "calibration", "refinement"),
        "penalties": _table(_regressions(scorer, rate, settings), "C", "area", "held_out"),
        "sizes": sizes(split, tested),
    }


def _table(rows: Sequence[tuple], *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns).round(6)


def _in_parts(
    learner: Learner, scorer: AreaScorer, rate: float, stages: Sequence[int]
) -> tuple[list[AreaRow], list[BrierRow]]:
    """Areas of all methods, trained on everything; held out, on two thirds. Brier scores of AdaMEC."""
    split = scorer.split
    plans = _plans(scorer.costs, rate, stages)
    rest = np.vstack([split.X[split.held_out], split.new])
    held_out, test = slice(0, split.held_out.sum()), slice(split.held_out.sum(), None)
    y_held_out = split.y[split.held_out]
    everything = _train(learner, split.y, np.ones(len(split.y)), plans, stages, split.new, scorer.costs)
    a_part = _train(learner, split.y, ~split.held_out * 1.0, plans, stages, rest, scorer.costs)
    areas: list[AreaRow] = []
    briers: list[BrierRow] = []
    for (rounds, whole), (_, part) in zip(everything, a_part, strict=True):
        for name, of in whole.items():
            areas.append(
                (name, rounds, scorer.area(of.positive(slice(None)), scorer.tested),
                 scorer.area(part[name].positive(held_out), y_held_out == 1))
            )  # fmt: skip
        for name, calibrated in CALIBRATED.items():
            scores = part[name].scores
            p = calibrate_models("sigmoid", scores[:, held_out], y_held_out, scores)
            areas.append(
                (calibrated, rounds, scorer.by_probability(p[:, test], scorer.tested),
                 scorer.by_probability(p[:, held_out], y_held_out == 1))
            )  # fmt: skip
            if name == "AdaMEC":
                raw = expit(2 * whole[name].scores)
                briers += [_brier(name, rounds, raw, scorer), _brier(calibrated, rounds, p[:, test], scorer)]
    return areas, briers


def _in_folds(
    learner: Learner,
    scorer: AreaScorer,
    rate: float,
    seed: int,
    settings: Settings,
    on_everything: Mapping[int, float],
) -> tuple[list[AreaRow], list[BrierRow]]:
    """AdaMEC calibrated by cross-fitting, and as it is, with the same folds held out: areas, Brier scores."""
    split, stages = scorer.split, settings["stages"]
    folds = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed).split(split.X, split.y)
    parts = np.zeros((settings["folds"], len(split.y)), bool)
    for part, (_, rows) in zip(parts, folds, strict=True):
        part[rows] = True
    plans = _plan(scorer.costs, rate, stages)
    new = np.vstack([split.X, split.new])
    areas: list[AreaRow] = []
    briers: list[BrierRow] = []
    staged = [_train(learner, split.y, ~part * 1.0, plans, stages, new, scorer.costs) for part in parts]
    for together in zip(*staged, strict=True):
        rounds = together[0][0]
        raw, mended, on_test = np.empty(len(split.y)), np.empty(len(split.y)), []
        for part, (_, models) in zip(parts, together, strict=True):
            scores = models["AdaMEC"].scores
            within = scores[:, : len(split.y)][:, part]
            p = calibrate_models("sigmoid", within, split.y[part], scores)[0]
            raw[part], mended[part] = expit(2 * within[0]), p[: len(split.y)][part]
            on_test.append(p[len(split.y) :])
        p = np.mean(on_test, axis=0)
        areas += [
            (CROSS_FITTED, rounds, scorer.by_probability(p, scorer.tested),
             scorer.by_probability(mended, scorer.trained)),
            (BY_FOLDS, rounds, on_everything[rounds], scorer.by_probability(raw, scorer.trained)),
        ]  # fmt: skip
        briers.append(_brier(CROSS_FITTED, rounds, p[np.newaxis], scorer))
    return areas, briers


def _plan(costs: Costs, rate: float, stages: Sequence[int]) -> dict[tuple[str, int], Batch]:
    """AdaMEC's model, one for all pairs of costs."""
    batch = METHODS["AdaMEC"].method.batch(costs, learning_rate=rate)
    return {("AdaMEC", stages[-1]): batch.take(slice(1))}


def _plans(costs: Costs, rate: float, stages: Sequence[int]) -> Plans:
    """AdaMEC's model, and those of the other methods, for each pair of costs."""
    plans = _plan(costs, rate, stages)
    for name in TRAINED_WITH_COSTS:
        for rounds in stages if name in SPREAD else stages[-1:]:
            planned = np.full(len(costs.fn_cost), rounds)
            plans[name, rounds] = METHODS[name].method.batch(costs, rounds=planned, learning_rate=rate)
    return plans


def _train(
    learner: Learner,
    y: np.ndarray,
    weight: np.ndarray,
    plans: Plans,
    stages: Sequence[int],
    X: np.ndarray,
    costs: Costs,
) -> Iterator[tuple[int, dict[str, Scored]]]:
    """After each of the stages, its number of rounds and the models of every method, scoring ``X``."""
    count = sum(map(len, plans.values()))
    weights = np.tile(weight / weight.sum(), (count, 1))
    trained = boost(learner, TrainingSet(y, weights), list(plans.values()), stages[-1])
    for rounds, so_far, scores in staged(trained, stages, X):
        yield rounds, _decided(so_far, scores, plans, rounds, costs)


def staged(
    trained: Trained, stages: Sequence[int], X: np.ndarray
) -> Iterator[tuple[int, Trained, np.ndarray]]:
    """Shorter ensembles that one training went through.

    Parameters
    ----------
    trained : Trained
        The models.
    stages : sequence of int
        Numbers of rounds, rising.
    X : ndarray of shape (m, d)
        Examples to score.

    Yields
    ------
    tuple
        A number of rounds, the models as they were after it, and their scores, shape (B, m).
    """
    count = len(trained.n_rounds)
    scores = np.zeros((count, len(X)))
    for before, rounds in pairwise([0, *stages]):
        new = replace(trained, rounds=trained.rounds[before:rounds], constant=np.zeros(count))
        scores += new.decision_function(X)
        so_far = replace(
            trained, rounds=trained.rounds[:rounds], n_rounds=np.minimum(trained.n_rounds, rounds)
        )
        yield rounds, so_far, so_far.with_constants(scores)


def _decided(
    trained: Trained, scores: np.ndarray, plans: Plans, rounds: int, costs: Costs
) -> dict[str, Scored]:
    """Scores and thresholds of every method; AdaMEC by both of its rules."""
    models, end = {}, 0
    for (name, planned), batch in plans.items():
        at = slice(end, end := end + len(batch))
        if name in SPREAD and planned != rounds:
            continue
        n_rounds, alpha_sum = trained.n_rounds[at], trained.alpha_sum[at]
        if name == "AdaMEC":
            for rule in (name, VOTE):
                deciding = METHODS[rule].batch(costs, np.full(len(costs.fn_cost), planned))
                models[rule] = Scored(scores[at], deciding.threshold(n_rounds, alpha_sum))
        else:
            models[name] = Scored(scores[at], batch.planned(planned).threshold(n_rounds, alpha_sum))
    return models


def _brier(name: str, rounds: int, p: np.ndarray, scorer: AreaScorer) -> BrierRow:
    (parts,) = brier_decompositions(scorer.tested, p)
    return name, rounds, parts.score, parts.miscalibration, parts.refinement


def _lightgbm(scorer: AreaScorer, rate: float, seed: int, stages: Sequence[int]) -> list[AreaRow]:
    """Areas of LightGBM at the threshold c of its own probabilities."""
    from lightgbm import Booster, LGBMClassifier

    split = scorer.split

    def fit(rows: Rows) -> Booster:
        model = LGBMClassifier(
            n_estimators=stages[-1], learning_rate=rate, random_state=seed, n_jobs=1, verbose=-1
        )
        return model.fit(split.X[rows], split.y[rows]).booster_

    whole, part = fit(slice(None)), fit(~split.held_out)
    y_held_out = split.y[split.held_out] == 1
    return [
        (
            "LightGBM",
            rounds,
            scorer.by_probability(whole.predict(split.new, num_iteration=rounds), scorer.tested),
            scorer.by_probability(part.predict(split.X[split.held_out], num_iteration=rounds), y_held_out),
        )
        for rounds in stages
    ]


def _regressions(scorer: AreaScorer, rate: float, settings: Settings) -> list[tuple[float, float, float]]:
    """Areas of logistic regression, for its share of the penalties: as many settings as LightGBM has."""
    split, y_held_out = scorer.split, scorer.split.y[scorer.split.held_out] == 1

    def fit(C: float, rows: Rows) -> BaseEstimator:
        # solved to ten digits: where the default solver stops, a processor's rounding moves decisions
        regression = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10)
        return make_pipeline(StandardScaler(), regression).fit(split.X[rows], split.y[rows])

    rows = []
    first = settings["rates"].index(rate)
    for C in settings["penalties"][first :: len(settings["rates"])]:
        whole, part = fit(C, slice(None)), fit(C, ~split.held_out)
        rows.append(
            (C, scorer.by_probability(whole.predict_proba(split.new)[:, 1], scorer.tested),
             scorer.by_probability(part.predict_proba(split.X[split.held_out])[:, 1], y_held_out))
        )  # fmt: skip
    return rows


def units(settings: Settings) -> list[Unit]:
    """Splits of every set with every learning rate."""
    return [
        (name, number, rate)
        for name in settings["datasets"]
        for number in range(settings["splits"])
        for rate in settings["rates"]
    ]


def _study(name: str, title: str, **changes: Any) -> Study:
    settings: dict[str, Any] = {
        "ratios": [2.0, 5.0, 25.0], "rates": [1.0, 0.5, 0.25, 0.1, 0.05],
        "stages": [10, 25, 50, 100, 200, 400], "folds": 3,
        "penalties": [round(C, 6) for C in np.logspace(-4, 3, 30).tolist()],
    }  # fmt: skip
    of_n16 = family(
        name, title, units=units, compute=compute, libraries=("lightgbm",), **(settings | changes)
    )
    unused = {"methods", "scored", "score_every", "rounds"}
    return replace(
        of_n16,
        name=f"shrinkage/{name}",
        keys=("dataset", "split", "rate"),
        settings={key: value for key, value in of_n16.settings.items() if key not in unused},
        quick={"splits": 1, "datasets": ["survival", "wdbc"], "stages": [5, 10], "rates": [1.0, 0.1]},
    )


SHRINKAGE = [
    _study("stump", "Step length and rounds: stumps", splits=10),
    _study(
        "natural", "The same with the classes as unequal as they are: stumps", balanced=False, splits=3
    ),
    _study(
        "univariate_logistic", "The same with univariate logistic regression", learner="univariate_logistic",
        splits=2, stages=[10, 25, 50, 100],
    ),
    _study(
        "tree", "The same with trees of depth three", learner="tree", depth=3, splits=2,
        stages=[5, 10, 25, 50, 100],
    ),
]  # fmt: skip

RANKS = 1.0
"""Average ranks that differ by less are as good as equal."""

PLAIN = {"rate": 1.0, "rounds": 100}
FIFTEEN = ("AdaMEC", *TRAINED_WITH_COSTS, *CALIBRATED.values())


class Areas:
    """The areas of one reading, by method.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Tables of the study.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self.boosted = tables["areas"]
        self.regression = tables["penalties"]

    def of(self, method: str, **fixed: float) -> pd.DataFrame:
        """Rows of a method, with the values given of ``rate`` and ``rounds``."""
        rows = self.boosted[self.boosted["method"] == method]
        for name, value in fixed.items():
            rows = rows[rows[name] == value]
        return rows

    def plain(self, method: str) -> pd.Series:
        """Area of each data set at rate one after a hundred rounds."""
        return self.of(method, **PLAIN).groupby("dataset", sort=False)["area"].mean()

    def common(self, method: str, setting_of: str | None = None) -> pd.Series:
        """Area of each data set at the setting that is best for the other sets, by default for the method."""
        settings = ["rate", "rounds"]
        grid = self.of(method).groupby(["dataset", *settings], sort=False)["area"].mean().unstack(settings)
        choosing = grid
        if setting_of is not None:
            choosing = self.of(setting_of).groupby(["dataset", *settings], sort=False)["area"].mean()
            choosing = choosing.unstack(settings)[grid.columns]
        others = (choosing.sum() - choosing) / (len(choosing) - 1)
        best = others.to_numpy().argmin(axis=1)
        return pd.Series(grid.to_numpy()[np.arange(len(grid)), best], grid.index)

    def chosen(self, method: str, **fixed: float) -> pd.Series:
        """Area of each data set at the settings chosen on the examples held out."""
        simplest = self.of(method, **fixed).sort_values(["rounds", "rate"], ascending=[True, False])
        return self._first_best(simplest)

    def chosen_regression(self) -> pd.Series:
        """Area of each data set of logistic regression with the penalty chosen likewise."""
        return self._first_best(self.regression.sort_values("C", kind="stable"))

    def _first_best(self, rows: pd.DataFrame) -> pd.Series:
        best = rows.loc[rows.groupby(["dataset", "split"], sort=False)["held_out"].idxmin()]
        order = self.boosted["dataset"].unique()
        return best.groupby("dataset", sort=False)["area"].mean().loc[order]


def _calibration(areas: Areas) -> dict[str, pd.Series]:
    found = {}
    for name, calibrated in CALIBRATED.items():
        for how in (areas.plain, areas.common, areas.chosen):
            found[f"{calibrated}, less {name}: {how.__name__}"] = how(calibrated) - how(name)
    for how in (areas.plain, areas.common):
        found[f"{CROSS_FITTED}, less AdaMEC: {how.__name__}"] = how(CROSS_FITTED) - how("AdaMEC")
    by_folds = areas.chosen(CROSS_FITTED) - areas.chosen(BY_FOLDS)
    return found | {f"{CROSS_FITTED}, less AdaMEC: chosen": by_folds}


def _training(areas: Areas) -> dict[str, pd.Series]:
    common = areas.common("AdaMEC")
    adamec = {"equal": common, "common": common, "chosen": areas.chosen("AdaMEC")}
    return {
        f"{name}, less AdaMEC: {how}": found - adamec[how]
        for name in TRAINED_WITH_COSTS
        for how, found in {
            "equal": areas.common(name, setting_of="AdaMEC"),
            "common": areas.common(name),
            "chosen": areas.chosen(name),
        }.items()
    }


def _ranking(areas: Areas) -> dict[str, pd.Series]:
    before, after = (
        ranks(pd.DataFrame({name: how(name) for name in FIFTEEN})) for how in (areas.plain, areas.chosen)
    )
    return {f"{name}: chosen, less plain": after[name] - before[name] for name in FIFTEEN}


def _parts(areas: Areas) -> dict[str, pd.Series]:
    found: dict[str, pd.Series] = {}
    for name in ("AdaMEC", "CGAda"):
        plain, both = areas.plain(name), areas.chosen(name)
        rounds, rate = areas.chosen(name, rate=PLAIN["rate"]), areas.chosen(name, rounds=PLAIN["rounds"])
        found |= {
            f"{name}: rounds chosen, less plain": rounds - plain,
            f"{name}: rate chosen, less plain": rate - plain,
            f"{name}: both chosen, less rounds": both - rounds,
            f"{name}: both chosen, less rate": both - rate,
        }
    return found


def _rivals(areas: Areas) -> dict[str, pd.Series]:
    rivals = {"LightGBM": areas.chosen("LightGBM"), "logistic regression": areas.chosen_regression()}
    return {
        f"{name}, less {rival}": areas.chosen(name) - of
        for name in ("AdaMEC", CROSS_FITTED)
        for rival, of in rivals.items()
    }


QUESTIONS = (
    Question(
        "calibration",
        "At the best common step length and rounds, and at the chosen ones, does calibration still gain?",
        "It gains where the calibrated method is lower, costs where it is higher; one answer for the common "
        "setting and one for the chosen one, for a held-out third and for cross-fitting.",
        _calibration,
    ),
    Question(
        "training",
        "Does any method that trains with the costs beat AdaMEC at equal step length?",
        "Those do that are lower; equal is the setting that is common for AdaMEC, for both.",
        _training,
    ),
    Question(
        "ranks",
        "How much of the rank of each method in the large study is its step length?",
        "The rank is a matter of step length and rounds where it is lower or higher once they are chosen.",
        _ranking,
        RANKS,
    ),
    Question(
        "parts",
        "Is what is gained early stopping, step length, or both?",
        "Rounds, or the rate, gain where choosing them alone is lower than plain; both are needed where "
        "choosing both is lower than choosing either.",
        _parts,
    ),
    Question(
        "rivals",
        "Does it hold beside LightGBM and logistic regression tuned with the same effort?",
        "It does where boosting with shortened steps is lower than, or equal to, the rival.",
        _rivals,
    ),
)
