"""The classifiers that are compared, and the inputs, each made into a trial for any of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from csb.estimators import CalibratedAdaMEC, CGAda, binary
from csb.estimators.decision import CostDecision
from csbook.chapters.bad_input.trials import Trial, interrupt_half_way

__all__ = ["ROUNDS", "Library", "libraries", "variants", "CASES", "Case"]

ROUNDS = 50


@dataclass(frozen=True)
class Library:
    """A classifier for two classes.

    Attributes
    ----------
    name : str
        As it is printed.
    build : callable
        Makes one, not fitted, from keyword arguments.
    rounds : str
        Its parameter for the number of rounds.
    bins : str or None
        Its parameter for the number of bins.
    cost : callable or None
        Its parameters for a cost or weight of class 1.
    threaded : bool
        Whether it works on several threads.
    """

    name: str
    build: Callable[..., Any]
    rounds: str = "n_estimators"
    bins: str | None = None
    cost: Callable[[float], dict[str, Any]] | None = None
    threaded: bool = True

    def make(self, **parameters: Any) -> Any:
        """A classifier, not fitted."""
        return self.build(**{self.rounds: ROUNDS, "random_state": 0} | parameters)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **parameters: Any) -> Any:
        """A fitted classifier."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.make(**parameters).fit(X, y, **weights)

    def naming(self, label: Any) -> dict[str, Any]:
        """The parameter that names the positive class, if there is one."""
        return {"pos_label": label} if "pos_label" in self.make().get_params() else {}

    @property
    def package(self) -> str:
        """The package that it comes from."""
        return type(self.make()).__module__.partition(".")[0]


def _fn_cost(cost: float) -> dict[str, Any]:
    return {"fn_cost": cost}


def _class_weight(weight: float) -> dict[str, Any]:
    return {"class_weight": {0: 1.0, 1: weight}}


def _deciding(random_state: int, **parameters: Any) -> CostDecision:
    """The decision at least cost with a learner of scikit-learn, which takes parameters, too."""
    learner = HistGradientBoostingClassifier(random_state=random_state)
    model = CostDecision(learner, fn_cost=2.0, cv=5, random_state=random_state)
    return model.set_params(**parameters)


def variants() -> list[Library]:
    """The estimators of csb that vote and take costs, each as it comes."""
    kinds = (getattr(binary, name) for name in binary.__all__)
    return [
        Library(f"csb {kind.__name__}", kind, cost=_fn_cost) for kind in kinds if hasattr(kind, "fn_cost")
    ]


def libraries() -> list[Library]:
    """Classifiers of csb, of scikit-learn and, if it is installed, of LightGBM."""
    found = [
        Library("csb CGAda", partial(CGAda, fn_cost=2.0), cost=_fn_cost),
        Library("csb CalibratedAdaMEC", partial(CalibratedAdaMEC, fn_cost=2.0, cv=5), cost=_fn_cost),
        Library("csb CostDecision", _deciding, "estimator__max_iter", "estimator__max_bins", _fn_cost),
        Library("AdaBoost", AdaBoostClassifier, threaded=False),
        Library(
            "HistGradientBoosting", HistGradientBoostingClassifier, "max_iter", "max_bins", _class_weight
        ),
    ]
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        quiet = partial(LGBMClassifier, verbosity=-1, n_jobs=1)
        found.append(Library("LightGBM", quiet, bins="max_bin", cost=_class_weight))
    return found


@dataclass(frozen=True)
class Case:
    """An input.

    Attributes
    ----------
    key : str
        Short name, unique.
    name : str
        As it is printed.
    says : str
        Regular expression of the words, or of the value, one of which a clear refusal holds.
    trial : callable
        Puts it to a classifier; None where the classifier has no such parameter.
    """

    key: str
    name: str
    says: str
    trial: Callable[[Library], Trial | None]


def sample(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers, whose order survives any scaling, and noisy labels, 1 being the more frequent."""
    rng = np.random.default_rng(seed)
    X = np.rint(30 * rng.standard_normal((rows, 4)))
    return X, (X[:, :3].sum(axis=1) + 20 * rng.standard_normal(rows) > -15).astype(int)


X, Y = sample(400, seed=1)
NEW, TRUTH = sample(2000, seed=2)
NAMES = ["age", "income", "visits", "debt"]


@cache
def clean(of: Library) -> np.ndarray:
    """Predictions of the fit to the clean data."""
    return of.fit(X, Y).predict(NEW)


def odd(of: Library, X: Any = X, y: Any = Y, weight: Any = None, **parameters: Any) -> Trial:
    """An input to which no clean one is equivalent."""
    return Trial(lambda: of.fit(X, y, weight, **parameters), NEW, TRUTH, (clean(of),), False)


def same(of: Library, X: Any = X, weight: Any = None, new: Any = NEW) -> Trial:
    """An input that should come to the same as the clean data, or be refused."""
    return Trial(lambda: of.fit(X, Y, weight), new, TRUTH, (clean(of),))


# --- features ----------------------------------------------------------------------------------


def some(value: float) -> np.ndarray:
    """The features with this value in one row of twenty."""
    changed = X.copy()
    changed[::20, 1] = value
    return changed


def scaled(of: Library, exponent: int) -> Trial:
    return same(of, np.ldexp(X, exponent), new=np.ldexp(NEW, exponent))


def constant(of: Library) -> Trial:
    return Trial(lambda: of.fit(np.ones_like(X), Y), np.ones_like(NEW), TRUTH, (np.ones_like(TRUTH),))


def words(of: Library) -> Trial:
    return odd(of, np.column_stack([X[:, :3].astype(object), np.where(X[:, 3] > 0, "high", "low")]))


def memory_map(of: Library) -> Trial:
    def fit() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "X.npy")
            np.save(path, X)
            return of.fit(np.load(path, mmap_mode="r"), Y)

    return Trial(fit, NEW, TRUTH, (clean(of),))


# --- labels and weights ------------------------------------------------------------------------


def labelled(of: Library, rename: Callable[[np.ndarray], np.ndarray]) -> Trial:
    named = of.naming(rename(np.ones(1)).item())
    return Trial(lambda: of.fit(X, rename(Y), **named), NEW, rename(TRUTH), (rename(clean(of)),))


def yes_or_no(y: np.ndarray) -> np.ndarray:
    return np.where(y == 1, "yes", "no")


def weighing(value: float, every: int = 1) -> np.ndarray:
    """Weights of one, but this for one row of so many."""
    weight = np.ones(len(Y))
    weight[::every] = value
    return weight


def far_rows(of: Library) -> Trial:
    """Rows that are as good as absent, and would take all the bins."""
    rng = np.random.default_rng(3)
    few = {of.bins: 8} if of.bins else {}
    features = np.vstack([X, 1e4 + rng.random((4000, 4))])
    y, weight = np.append(Y, rng.integers(0, 2, 4000)), np.repeat([1.0, 0.0], [400, 4000])
    without = of.fit(X, Y, **few).predict(NEW)
    return Trial(lambda: of.fit(features, y, weight, **few), NEW, TRUTH, (without,))


def repeated(of: Library) -> Trial:
    times = np.random.default_rng(4).integers(1, 4, len(Y))
    copies = of.fit(X.repeat(times, axis=0), Y.repeat(times)).predict(NEW)
    return Trial(lambda: of.fit(X, Y, times), NEW, TRUTH, (copies,))


# --- parameters --------------------------------------------------------------------------------


def rounds(of: Library, number: Any) -> Trial:
    return odd(of, **{of.rounds: number})


def one_round(of: Library) -> Trial:
    """True, which Python counts as one."""
    once = of.fit(X, Y, **{of.rounds: 1}).predict(NEW)
    return Trial(lambda: of.fit(X, Y, **{of.rounds: True}), NEW, TRUTH, (once,))


def cost(of: Library, value: float) -> Trial | None:
    """Where costs act at the decision only, a miss that costs nothing, or less, is always worth making."""
    if of.cost is None:
        return None
    if of.build is _deciding and value <= 0:
        costs = of.cost(value)
        return Trial(lambda: of.fit(X, Y, **costs), NEW, TRUTH, (np.zeros_like(TRUTH),))
    return odd(of, **of.cost(value))


# --- after a fit -------------------------------------------------------------------------------


def refit(of: Library, y: Any, **given: Any) -> Trial:
    """A fit to "yes" and "no", and another that should fail: the answers of the first are right."""

    def fit() -> Any:
        model = of.fit(X, yes_or_no(Y), **of.naming("yes"))
        with suppress(Exception):
            model.fit(X, y, **given)
        return model

    return Trial(fit, NEW, yes_or_no(TRUTH), (yes_or_no(clean(of)),))


def interrupted(of: Library) -> Trial:
    def fit() -> Any:
        model = of.fit(X, Y)
        interrupt_half_way(lambda: model.fit(X, 1 - Y), lambda: of.fit(X, 1 - Y), of.package)
        return model

    return Trial(fit, NEW, TRUTH, (clean(of),))


def set_after(of: Library, parameters: dict[str, Any]) -> Trial:
    """Predictions are those of the fit, or of a fit with the new parameters."""
    anew = of.fit(X, Y, **parameters).predict(NEW)
    return Trial(lambda: of.fit(X, Y).set_params(**parameters), NEW, TRUTH, (clean(of), anew))


def framed(of: Library, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Trial:
    """A data frame that is not quite like that of the fit."""
    old, new = (pd.DataFrame(each, columns=NAMES) for each in (X, NEW))
    return Trial(lambda: of.fit(old, Y), change(new), TRUTH, (clean(of),))


# --- the same data once more, and a rare class --------------------------------------------------


def other_order(of: Library) -> Trial:
    order = np.random.default_rng(5).permutation(len(Y))
    return Trial(lambda: of.fit(X[order], Y[order]), NEW, TRUTH, (clean(of),))


def threads(of: Library) -> Trial | None:
    if not of.threaded:
        return None
    data = sample(4000, seed=6)

    def fit(number: int) -> Any:
        named = {"n_jobs": number} if "n_jobs" in of.make().get_params() else {}
        with threadpool_limits(number):
            return of.fit(*data, **named)

    return Trial(lambda: fit(3), NEW, TRUTH, (fit(1).predict(NEW),))


def rare(of: Library, rows: int) -> Trial:
    """The largest thousandth of one feature, as heavy as all the rest; the clean answer is the truth."""
    rng = np.random.default_rng(7)
    features = rng.random((rows, 3))
    cut = np.quantile(features[:, 0], 0.999)
    y = (features[:, 0] > cut).astype(int)
    ratio = (rows - y.sum()) / y.sum()
    weighted: dict[str, Any] = of.cost(ratio) if of.cost else {"sample_weight": np.where(y, ratio, 1.0)}
    truth = np.repeat([1, 0], [2000, 20_000])
    new = rng.random((len(truth), 3))
    new[:, 0] = np.where(truth, cut + (1 - cut) * new[:, 0], cut * new[:, 0])
    return Trial(lambda: of.fit(features, y, **weighted, **{of.rounds: 20}), new, truth, (truth,), False)


PARAMETER = "n_estimators|max_iter|num_iterations|rounds"
COST = "positive|negative|zero|nan|finite|fn_cost|class_weight"
COLUMN = "feature names|columns"

CASES = {
    "Features": (
        Case("nan", "NaN in one row of twenty", "nan|missing", lambda of: odd(of, some(np.nan))),
        Case("infinite", "infinity in one row of twenty", "inf", lambda of: odd(of, some(np.inf))),
        Case("large", "numbers of about 1e300", "large", lambda of: scaled(of, 990)),
        Case("subnormal", "subnormal numbers, of about 1e-312", "small|normal", lambda of: scaled(of, -1040)),
        Case("constant", "all of them constant", "constant", constant),
        Case("words", "words in one column", "string|numeric|dtype", words),
        Case("sparse", "a sparse matrix", "sparse", lambda of: same(of, csr_array(X))),
        Case("memory-map", "a read-only memory map", "read-only|writ", memory_map),
    ),
    "Labels": (
        Case("one-class", "one class only", "class", lambda of: odd(of, y=np.ones_like(Y))),
        Case("nan-label", "NaN among them", "nan", lambda of: odd(of, y=np.where(X[:, 0] > 60, np.nan, Y))),
        Case("measured", "measurements, not classes", "label|continuous", lambda of: odd(of, y=X[:, 0] / 7)),
        Case("strings", "strings", "label", lambda of: labelled(of, yes_or_no)),
        Case("booleans", "booleans", "label", lambda of: labelled(of, lambda y: y == 1)),
        Case("floats", "floats, 0.0 and 1.0", "label", lambda of: labelled(of, lambda y: y.astype(float))),
        Case("int8", "int8, -100 and 100", "label",
             lambda of: labelled(of, lambda y: (200 * y - 100).astype(np.int8))),
    ),
    "Weights": (
        Case("weightless", "one class weighs nothing", "class", lambda of: odd(of, weight=Y * 1.0)),
        Case("negative", "a third of them negative", "negative|-1",
             lambda of: odd(of, weight=weighing(-1, 3))),
        Case("nan-weight", "one of them NaN", "nan", lambda of: odd(of, weight=weighing(np.nan, 400))),
        Case("zeros", "all zero", "zero", lambda of: odd(of, weight=weighing(0))),
        Case("tiny", "all 1e-320", "small|e-32", lambda of: same(of, weight=weighing(1e-320))),
        Case("huge", "all 1e308", "large|308", lambda of: same(of, weight=weighing(1e308))),
        Case("sum-one", "equal, with the sum one", "small", lambda of: same(of, weight=weighing(1 / 400))),
        Case("short", "too few of them", "shape|length|samples", lambda of: odd(of, weight=np.ones(7))),
        Case("far", "zero for 4,000 far rows, against none, eight bins", "weight", far_rows),
        Case("copies", "whole numbers, against repeated rows", "weight", repeated),
    ),
    "Parameters": (
        Case("rounds-0", "0 rounds", PARAMETER, lambda of: rounds(of, 0)),
        Case("rounds-minus", "-1 rounds", PARAMETER, lambda of: rounds(of, -1)),
        Case("rounds-broken", "1.5 rounds", PARAMETER, lambda of: rounds(of, 1.5)),
        Case("rounds-true", "True rounds, against one", PARAMETER, one_round),
        Case("cost-0", "cost or weight of a class: zero", COST, lambda of: cost(of, 0.0)),
        Case("cost-minus", "cost or weight of a class: negative", COST, lambda of: cost(of, -1.0)),
        Case("cost-nan", "cost or weight of a class: NaN", COST, lambda of: cost(of, np.nan)),
    ),
    "After a fit": (
        Case("refit-labels", "a refit failed, on measurements for labels", "fit",
             lambda of: refit(of, X[:, 0] / 7)),
        Case("refit-weights", "a refit failed, on other labels and too few weights", "fit",
             lambda of: refit(of, np.where(Y, "left", "right"), sample_weight=np.ones(7))),
        Case("interrupt", "a refit was interrupted half way", "fit", interrupted),
        Case("set-rounds", "the number of rounds was changed", PARAMETER,
             lambda of: set_after(of, {of.rounds: 2})),
        Case("set-cost", "the cost or weight of a class was changed", COST,
             lambda of: set_after(of, of.cost(10.0)) if of.cost else None),
        Case("fewer", "a column fewer to predict from", "features", lambda of: same(of, new=NEW[:, :3])),
        Case("more", "a column more to predict from", "features",
             lambda of: same(of, new=NEW[:, [0, 0, 1, 2, 3]])),
        Case("renamed", "columns of a data frame renamed", COLUMN,
             lambda of: framed(of, lambda frame: frame.rename(columns=str.upper))),
        Case("reordered", "columns of a data frame reordered", COLUMN,
             lambda of: framed(of, lambda frame: frame[NAMES[::-1]])),
    ),
    "The same data once more": (
        Case("rows", "rows in another order", "order", other_order),
        Case("columns", "columns in another order", "order",
             lambda of: same(of, X[:, ::-1], new=NEW[:, ::-1])),
        Case("threads", "three threads, against one", "thread", threads),
    ),
    "A rare class, weighted": (
        Case("rare-20", "20 of 20,000 rows", "rare", lambda of: rare(of, 20_000)),
        Case("rare-70", "70 of 70,000 rows", "rare", lambda of: rare(of, 70_000)),
    ),
}  # fmt: skip
"""By what kind of input they are, in the order of the table."""
