"""The classifiers that are compared, and what each calls its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier

from csb.estimators import CalibratedAdaMEC, CGAda, binary
from csb.estimators.decision import CostDecision

__all__ = ["ROUNDS", "Library", "libraries", "variants"]

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
    costly: dict[str, Any] = {"bins": "max_bins", "cost": _fn_cost}
    found = [
        Library("csb CGAda", partial(CGAda, fn_cost=2.0), **costly),
        Library("csb CalibratedAdaMEC", partial(CalibratedAdaMEC, fn_cost=2.0, cv=5), **costly),
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
