"""Whether the intervals of :func:`csb.recommend` hold what is said of them, in worlds whose truth is known.

A sample of a world is put to ``recommend``. What the cheapest candidate costs, in truth, is then computed on
fresh rows, of which the law itself says how probable a positive is. The candidate is judged whether it is
recommended or not, trained and calibrated as it would be delivered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.model_selection import GroupKFold, TimeSeriesSplit

from csb.evaluation.decisions import Stakes
from csb.recommend import recommend
from csb.recommend.advice import COSTS_ALONE
from csb.recommend.candidates import read_candidates
from csb.recommend.folds import read_folds
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = ["ADVICE", "WORLDS", "Rows", "World"]

FEATURES, MEMBERS, DAYS = 5, 10, 100
"""Features of a row, rows of a group, and days in a sample that has an order."""
FEWEST = 7
"""Of fewer examples of a class ``recommend`` makes no five folds."""


class Rows(NamedTuple):
    """Rows of a world.

    Attributes
    ----------
    X : ndarray of shape (n, 5)
        Features.
    log_odds : ndarray of shape (n,)
        Of a positive.
    fn_cost : float or ndarray of shape (n,)
        Cost of a miss; a false alarm costs one.
    groups : ndarray of shape (n,), optional
        Whose row it is.
    """

    X: np.ndarray
    log_odds: np.ndarray
    fn_cost: Any = 5.0
    groups: np.ndarray | None = None


class World(NamedTuple):
    """A law.

    Attributes
    ----------
    draw : callable ``(n, size, rng, new) -> Rows``
        So many rows of the world of samples of that size; ``new`` ones come after those of the sample.
    cv : object
        What splits the rows; random folds by default.
    """

    draw: Callable[[int, int, np.random.Generator, bool], Rows]
    cv: Any = None


def null(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Nothing says anything of the label: no model pays."""
    return Rows(rng.normal(size=(n, FEATURES)), np.full(n, np.log(1 / 9)))


def weak(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Features say a little."""
    X = rng.normal(size=(n, FEATURES))
    return Rows(X, 0.5 * X[:, 0] - 0.4 * X[:, 1] + 0.3 * X[:, 0] * X[:, 2] - 2.5)


def strong(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Features nearly decide."""
    X = rng.normal(size=(n, FEATURES))
    return Rows(X, 8 * (X[:, 0] + 0.5 * X[:, 1] ** 2 - 1.8))


def heavy(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Each case has a cost of its own, log-normal: of a hundred, one is above thirty times the median."""
    X = rng.normal(size=(n, FEATURES))
    return Rows(X, 1.2 * X[:, 0] - 0.8 * X[:, 1] - 1.5, np.exp(1.5 * rng.normal(size=n)))


def few(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Some twelve positives, however large the sample; a miss costs as much as the negatives of one."""
    X = rng.normal(size=(n, FEATURES))
    return Rows(X, np.log(12 / size) - 1.1 + 1.5 * X[:, 0], size / 12)


def grouped(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Rows of a group have a share of their log odds, and of a feature, in common."""
    groups = np.arange(n) // (1 if new else MEMBERS)
    shared = rng.normal(size=(groups[-1] + 1, 2))[groups]
    X = rng.normal(size=(n, FEATURES))
    X[:, 1] = shared[:, 1]
    return Rows(X, X[:, 0] + 0.7 * X[:, 1] + shared[:, 0] - 2.5, groups=groups)


def days(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """Good days and bad ones, each half like the day before."""
    shocks = rng.normal(size=n if new else DAYS)
    if not new:
        for day in range(1, DAYS):
            shocks[day] = 0.5 * shocks[day - 1] + np.sqrt(0.75) * shocks[day]
        shocks = shocks[np.arange(n) * DAYS // n]
    X = rng.normal(size=(n, FEATURES))
    return Rows(X, X[:, 0] - 0.7 * X[:, 1] + 0.7 * shocks - 1.5)


def drift(n: int, size: int, rng: np.random.Generator, new: bool) -> Rows:
    """What one feature says wanes, and another says more from day to day."""
    when = np.ones(n) if new else np.arange(n) / n
    X = rng.normal(size=(n, FEATURES))
    return Rows(X, 1.4 * (np.cos(when) * X[:, 0] + np.sin(when) * X[:, 1]) - 1.5)


WORLDS = {
    "null": World(null), "weak": World(weak), "strong": World(strong), "heavy": World(heavy),
    "few": World(few), "groups": World(grouped, GroupKFold(5)), "days": World(days, TimeSeriesSplit(3)),
    "drift": World(drift, TimeSeriesSplit(3)),
}  # fmt: skip
"""All worlds by name.

:meta hide-value:
"""


def units(settings: Settings) -> list[Unit]:
    """Blocks of samples of each world and size."""
    return [
        (world, size, block)
        for world in settings["worlds"]
        for size, blocks in settings["blocks"]
        for block in range(blocks)
    ]


def compute(unit: Unit, settings: Settings) -> Tables:
    """A block of samples."""
    world, size, block = unit
    rows = []
    for number in range(settings["samples"]):
        seeds = [settings["seed"], list(WORLDS).index(world), size, block, number]
        rng = np.random.default_rng(seeds)
        rows.append({"sample": number, **_judged(WORLDS[world], size, settings["fresh"], rng)})
    return {"advice": pd.DataFrame(rows)}


def _judged(world: World, size: int, fresh: int, rng: np.random.Generator) -> dict[str, Any]:
    """What is said of one sample, and the truth."""
    sample = world.draw(size, size, rng, False)
    y = np.zeros(size, int)
    while not _can_be_split(y, world):
        y = (rng.random(size) < expit(sample.log_odds)).astype(int)
    costs, seed = {"fn_cost": sample.fn_cost, "fp_cost": 1.0}, int(rng.integers(2**31))
    found = recommend(sample.X, y, **costs, cv=world.cv, groups=sample.groups, random_state=seed)
    model = found.best_
    if found.name != found.cheapest:
        model = _as_delivered(found.cheapest, world, sample, y, seed)
    new = world.draw(fresh, size, rng, True)
    p, missed = expit(new.log_odds), np.broadcast_to(new.fn_cost, fresh)
    alone = y.mean() * missed > 1 - y.mean()
    always = {
        "always 0": np.mean(p * missed), "always 1": np.mean(1 - p),
        COSTS_ALONE: np.mean(np.where(alone, 1 - p, p * missed)),
    }  # fmt: skip
    called = model.predict(new.X, **({"fn_cost": missed} if np.ndim(sample.fn_cost) else {}))
    cost = np.mean(np.where(called == 1, 1 - p, p * missed))
    candidate, constant = found.table.loc[found.cheapest], found.table.loc[found.reference]
    said = {
        f"{what}_{part}": of[column]
        for what, of, columns in (
            ("cost", candidate, ("cost", "low", "high")),
            ("difference", candidate, ("difference", "difference_low", "difference_high")),
            ("constant", constant, ("cost", "low", "high")),
        )
        for part, column in zip(("mean", "low", "high"), columns, strict=True)
    }
    truth = {"cost": cost, "difference": cost - always[found.reference], "constant": always[found.reference]}
    return {
        "positives": y.sum(), "candidate": found.cheapest, "pays": int(found.pays), **said,
        **{f"{what}_true": value for what, value in truth.items()},
    }  # fmt: skip


def _can_be_split(y: np.ndarray, world: World) -> bool:
    """Whether each part that ``recommend`` trains or calibrates on has both classes; else it refuses them."""
    if isinstance(world.cv, TimeSeriesSplit):
        first, _ = next(world.cv.split(y))
        y, fewest = y[first[-(len(first) // 5) :]], 1
    else:
        fewest = FEWEST
    return bool(np.bincount(y, minlength=2).min() >= fewest)


def _as_delivered(name: str, world: World, sample: Rows, y: np.ndarray, seed: int) -> Any:
    """A candidate that is not recommended, trained as if it were."""
    used = np.ones(len(y), bool)
    random_state = np.random.RandomState(seed)
    folds = read_folds(world.cv, sample.X, y, used, sample.groups, random_state, [0, 1], {})
    random = not folds.ordered and sample.groups is None
    models = read_candidates(None, None, {}, folds.seed, False, random, [0, 1], lambda model: True)
    costs = {"fn_cost": sample.fn_cost, "fp_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}
    stakes = Stakes({key: np.asarray(value, float) for key, value in costs.items()})
    cv = folds.calibration(np.arange(len(y)), y)
    return models[name].fit(sample.X, y, None, cv, stakes, 1)


ADVICE = Study(
    name="advice",
    title="Coverage of the intervals of recommend, and how often it advises a model where none pays",
    keys=("world", "size", "block"),
    units=units,
    compute=compute,
    settings={
        "worlds": list(WORLDS),
        "blocks": [[300, 10], [1_000, 10], [3_000, 5], [20_000, 2]],
        "samples": 10,
        "fresh": 40_000,
        "seed": 2026,
    },
    quick={"worlds": ["null", "groups"], "blocks": [[300, 1]], "samples": 2, "fresh": 2_000},
    libraries=("lightgbm",),
)
