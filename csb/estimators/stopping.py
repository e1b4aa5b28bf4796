"""Examples set aside by an estimator, on which its loop is watched."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from csb.costs import Costs
from csb.engine.trained import Scoring, Watch
from csb.inputs import check_count, check_flag, one_of, read_number

__all__ = ["StopsEarly", "read_stopping", "watch_for"]


class StopsEarly(Protocol):
    """The parameters of early stopping, see :class:`csb.estimators.params.EarlyStopping`."""

    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    tol: float
    scoring: Scoring


def read_stopping(estimator: StopsEarly) -> tuple[bool, float, int, float, Scoring]:
    """The parameters, each admissible, in their order."""
    return (
        check_flag("early_stopping", estimator.early_stopping),
        read_number("validation_fraction", estimator.validation_fraction, "(0, 1)"),
        check_count("n_iter_no_change", estimator.n_iter_no_change),
        read_number("tol", estimator.tol, "[0, inf)"),
        one_of("scoring", estimator.scoring, ("log_loss", "cost")),
    )


def watch_for(
    estimator: StopsEarly,
    labels: np.ndarray,
    weights: np.ndarray,
    costs: Costs,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, Watch] | None:
    """Which examples are set aside, shape (n,), and what judges a model on them; None without early stopping.

    ``weights`` and ``costs`` are those of the judgement. Nothing is drawn where nothing is set aside.
    """
    stopping, share, patience, tol, scoring = read_stopping(estimator)
    if not stopping:
        return None
    aside = _set_aside(labels, share, random_state.randint(2**31 - 1))
    judged = np.where(aside, weights, 0.0)
    return aside, Watch(labels, judged[np.newaxis], costs, scoring, patience, tol)


def _set_aside(labels: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A share of each class, at least one example of it on each side."""
    aside = np.zeros(len(labels), bool)
    splitter = StratifiedShuffleSplit(1, test_size=share, random_state=seed)
    try:
        aside[next(splitter.split(labels, labels))[1]] = True
    except ValueError:  # there are too few: said below
        pass
    sides = [np.bincount(labels[part], minlength=2) for part in (aside, ~aside)]
    if np.min(sides) == 0:
        raise ValueError(
            f"validation_fraction={share:g}: early stopping needs examples of each class on both sides; the "
            f"smaller class has {np.bincount(labels, minlength=2).min()}"
        )
    return aside
