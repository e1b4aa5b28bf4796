"""Costs, decisions and promised miss rates beside scikit-learn, empulse and MAPIE.

Equal definitions are held against one another, with times as ratios of one run; where definitions differ,
what comes of them is measured. A package that is not installed is named and left out: empulse and MAPIE are
no dependencies.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from benchmarks.timing import SEED, paired, problem, seconds, summary
from csb import CostDecision
from csb.costs import bayes_threshold
from csb.evaluation.decisions import miss_rate_threshold
from csb.evaluation.metrics import expected_cost, savings_score
from csbook.command_line import in_one_line

__all__ = ["costs_of_cases", "equal", "installed", "promises", "worth"]

FEATURES = 10
FN_COST, FP_COST = 5.0, 1.0
LIMIT, CONFIDENCE = 0.1, 0.9


def installed(package: str) -> bool:
    """Whether a package can be imported; if not, it is said what is left out."""
    if find_spec(package) is not None:
        return True
    print(f"{package} is not installed: its rows are left out")
    return False


def costs_of_cases(n: int, kind: str, seed: int = SEED) -> dict[str, np.ndarray | float]:
    """Four costs.

    Parameters
    ----------
    n : int
        Number of cases.
    kind : {"of all", "of each", "any"}
        Numbers for all cases; positive costs of errors of each case; or costs of each case of which some are
        gains, or lower where the decision is wrong.
    seed : int
        Seed of the draw.

    Returns
    -------
    dict of str to float or ndarray of shape (n,)
        By parameter name.
    """
    rng = np.random.default_rng(seed)
    if kind == "of all":
        return {"fn_cost": FN_COST, "fp_cost": FP_COST, "tp_cost": 0.0, "tn_cost": 0.0}
    if kind == "of each":
        return {"fn_cost": rng.lognormal(1, 1, n), "fp_cost": rng.lognormal(0, 0.5, n)} | dict.fromkeys(
            ("tp_cost", "tn_cost"), np.zeros(n)
        )
    return {name: rng.normal(size=n) for name in ("fn_cost", "fp_cost", "tp_cost", "tn_cost")}


def _by_counts(y: np.ndarray, called: np.ndarray) -> float:
    """Mean cost from scikit-learn's confusion matrix, for costs of all cases."""
    (_, fp), (fn, _) = confusion_matrix(y, called)
    return float((FN_COST * fn + FP_COST * fp) / len(y))


def _metrics(n: int) -> Iterator[tuple[str, str, Callable, Callable]]:
    """Metric, library, our value and theirs."""
    X, y = problem(n, FEATURES)
    called = (X[:, 0] > 0).astype(np.int8)
    yield (
        "expected cost, of all", "scikit-learn",
        lambda: expected_cost(y, called, fn_cost=FN_COST, fp_cost=FP_COST), lambda: _by_counts(y, called),
    )  # fmt: skip
    if not installed("empulse"):
        return
    from empulse import metrics as empulse

    for kind in ("of all", "of each"):
        four: dict[str, Any] = costs_of_cases(n, kind)
        yield (
            f"expected cost, {kind}", "empulse", lambda four=four: expected_cost(y, called, **four),
            lambda four=four: empulse.cost_loss(y, called, **four, normalize=True),
        )  # fmt: skip
        yield (
            f"savings, {kind}", "empulse", lambda four=four: savings_score(y, called, **four),
            lambda four=four: empulse.savings_score(y, called, **four),
        )  # fmt: skip


def _decisions(n: int) -> Iterator[tuple[str, str, Callable, Callable]]:
    """Decisions of least expected cost by the same probabilities: costs, library, ours and theirs."""
    X, y = problem(n, FEATURES)
    ready = FrozenEstimator(LogisticRegression().fit(X[:5000], y[:5000]))
    ours = CostDecision(ready, calibration=None).fit(X[:5000], y[:5000])
    of_all: dict[str, Any] = costs_of_cases(n, "of all")
    threshold = float(bayes_threshold(FN_COST, FP_COST))
    fixed = FixedThresholdClassifier(ready, threshold=threshold, response_method="predict_proba")
    fixed.fit(X[:5000], y[:5000])
    yield "decisions, of all", "scikit-learn", lambda: ours.predict(X, **of_all), lambda: fixed.predict(X)
    if find_spec("empulse") is None:
        return
    from empulse.models import CSThresholdClassifier

    theirs = CSThresholdClassifier(ready, calibrator=None).fit(X[:5000], y[:5000])
    for kind in ("of all", "of each", "any"):
        four: dict[str, Any] = costs_of_cases(n, kind)
        yield (
            f"decisions, {kind}", "empulse", lambda four=four: ours.predict(X, **four),
            lambda four=four: theirs.predict(X, **four),
        )  # fmt: skip


def _thresholds(n: int) -> Iterator[tuple[str, str, Callable, Callable]]:
    """The limit on missed positives that is kept on average; MAPIE's is conformal control of the recall.

    Each positive is a case of two labels there, one of which is right. It searches hundredths, off which the
    scores lie, and decides positive above its threshold.
    """
    if find_spec("mapie") is None:
        return
    from mapie.risk_control import MultiLabelClassificationController

    score = (np.random.default_rng(SEED).integers(0, 100, n) + 0.5) / 100

    def theirs() -> float:
        control = MultiLabelClassificationController(
            lambda p: np.column_stack([p, 1 - p]), risk="recall", method="crc", target_level=1 - LIMIT
        )
        control.calibrate(score, np.tile([1, 0], (n, 1)))
        return float(np.ravel(control.best_predict_param)[0])

    yield (
        "miss rate on average",
        "MAPIE",
        lambda: np.floor(100 * miss_rate_threshold(score, LIMIT)) / 100,
        theirs,
    )


def equal(n: int, repeats: int) -> pd.DataFrame:
    """What should be equal, and how long it takes.

    Parameters
    ----------
    n : int
        Number of cases; of what MAPIE does at most two thousand, it takes seconds.
    repeats : int
        Number of runs of both.

    Returns
    -------
    DataFrame
        One row per quantity and library: the largest absolute difference of numbers, or the share of
        decisions that differ; and the ratio of their time to ours, median and range.
    """
    found = []
    for what, library, ours, theirs in (*_metrics(n), *_decisions(n), *_thresholds(min(n, 2000))):
        difference = np.abs(np.asarray(ours(), float) - np.asarray(theirs(), float))
        times = paired({"ours": ours, "theirs": theirs}, repeats)
        found.append(
            {"what": what, "library": library}
            | {"difference": difference.mean() if what.startswith("decisions") else difference.max()}
            | summary(times["theirs"] / times["ours"], "ratio")
        )
    return pd.DataFrame(found)


def worth(n: int, repeats: int) -> pd.DataFrame:
    """Mean cost on as many new cases, of decisions whose training differs, and the time of the fit.

    Parameters
    ----------
    n : int
        Number of cases to train on.
    repeats : int
        Number of problems.

    Returns
    -------
    DataFrame
        One row per kind of costs and way of deciding: its mean cost less that of ours on the same cases, with
        the standard error over the problems, and the ratio of its fitting time to ours.
    """
    scorer = make_scorer(expected_cost, greater_is_better=False, fn_cost=FN_COST, fp_cost=FP_COST)
    rival = {"scikit-learn": lambda: TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer)}
    if find_spec("empulse") is not None:
        from empulse.models import CSThresholdClassifier

        rival["empulse"] = lambda: CSThresholdClassifier(LogisticRegression(), random_state=SEED)
    found = []
    for r in range(repeats):
        (X, y), (X_new, y_new) = (problem(n, FEATURES, SEED + 2 * r + new) for new in (0, 1))
        ours = CostDecision(LogisticRegression(), cv=5, random_state=SEED)
        taken = seconds(partial(ours.fit, X, y))
        for library, build in rival.items():
            theirs = build()
            ratio = seconds(partial(theirs.fit, X, y)) / taken
            for kind in ("of all",) if library == "scikit-learn" else ("of all", "of each", "any"):
                four: dict[str, Any] = costs_of_cases(n, kind, SEED + r)
                given = {} if library == "scikit-learn" else four
                bills = [
                    expected_cost(y_new, called, **four)
                    for called in (ours.predict(X_new, **four), theirs.predict(X_new, **given))
                ]
                found.append({"costs": kind, "library": library, "ours": bills[0],
                              "more": bills[1] - bills[0], "fit_ratio": ratio})  # fmt: skip
    by = pd.DataFrame(found).groupby(["costs", "library"], sort=False)
    table = by.agg(
        ours=("ours", "mean"), more=("more", "mean"), se=("more", "sem"), fit_ratio=("fit_ratio", "median")
    )
    return table.reset_index()


def _mapie(score: np.ndarray, fwer: str) -> float:
    """The threshold of MAPIE's control of the recall, one of a hundred; minus infinity if there is none."""
    from mapie.risk_control import BinaryClassificationController

    control = BinaryClassificationController(
        lambda p: np.column_stack([1 - p, p]), risk="recall", target_level=1 - LIMIT,
        confidence_level=CONFIDENCE, fwer_method=fwer,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where no threshold will do
        control.calibrate(score, np.ones(len(score), int))
    # the highest of the valid ones, which leaves most cases negative
    return float(np.max(control.valid_predict_params)) if len(control.valid_predict_params) else -np.inf


def promises(positives: list[int], draws: int) -> pd.DataFrame:
    """How often a limit on missed positives is kept by thresholds that promise it with confidence.

    Scores of positives are uniform, so that a threshold is the share of all positives that it misses.

    Parameters
    ----------
    positives : list of int
        Numbers of positives held out.
    draws : int
        Number of draws of them.

    Returns
    -------
    DataFrame
        One row per number and way: the share of draws in which no more than the limit are missed, the mean
        share that is missed, the share of draws in which nothing may be, and the time of one threshold in
        ratio to ours, of the median draw.
    """
    ways: dict[str, Callable] = {"csb": lambda score: miss_rate_threshold(score, LIMIT, CONFIDENCE)}
    if installed("mapie"):
        ways |= {
            f"MAPIE, {fwer}": lambda score, fwer=fwer: _mapie(score, fwer)
            for fwer in ("bonferroni_holm", "fixed_sequence")
        }
    found = []
    for n in positives:
        for draw in range(draws):
            score = np.random.default_rng([SEED, n, draw]).random(n)
            for way, decide in ways.items():
                taken = seconds(partial(decide, score))
                found.append({"positives": n, "way": way, "threshold": decide(score), "seconds": taken})
    each = pd.DataFrame(found)
    each["missed"] = each["threshold"].clip(lower=0.0)
    by = each.assign(kept=each["missed"] <= LIMIT, nothing=each["missed"] == 0).groupby(
        ["positives", "way"], sort=False
    )
    table = by.agg(
        kept=("kept", "mean"),
        missed=("missed", "mean"),
        nothing=("nothing", "mean"),
        seconds=("seconds", "median"),
    ).reset_index()
    ours = table["seconds"].where(table["way"] == "csb").ffill()
    return table.assign(ratio=table["seconds"] / ours).drop(columns="seconds")


@in_one_line()
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.others", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    args = parser.parse_args(argv)
    rows, repeats, draws = (2000, 2, 5) if args.quick else (100_000, 7, 200)
    libraries = {"scikit-learn": "sklearn", "empulse": "empulse", "mapie": "mapie"}
    found = [f"{name} {version(name)}" for name, module in libraries.items() if find_spec(module) is not None]
    print("beside", ", ".join(found))
    warnings.simplefilter("ignore")  # some costs decide alone, on purpose, of which all libraries warn
    for name, measure in {
        "equal": lambda: equal(rows, repeats),
        "worth": lambda: worth(rows // 20, repeats),
        "promises": lambda: promises([50, 200, 1000], draws),
    }.items():
        table = measure()
        print(f"\n{name}\n{table.to_string(index=False, float_format='%.3g')}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
