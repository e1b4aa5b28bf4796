"""Largest margins, against hand-made cases, the dual programme and long runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from csb import AdaBoost, CGAda, CSAda
from csbook.theory.separable import class_margins, largest_margin, stump_predictions

LINE = [[0.0], [1.0], [2.0]]


def problem(seed, n=24):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X.sum(axis=1) > 0).astype(int)


def stumps_naively(X):
    X = np.asarray(X, float)
    found = set()
    for column in X.T:
        values = np.unique(column)
        for threshold in [-np.inf, *(values[1:] + values[:-1]) / 2]:
            for sign in (-1, 1):
                found.add(tuple(sign * np.where(column > threshold, 1, -1)))
    return found


def dual_value(y, predictions, exponent):
    """Least edge that weights on the examples leave to the best hypothesis: the dual programme."""
    side = np.where(np.asarray(y) > 0, 1, -1)
    gains = np.asarray(predictions) * side * np.where(side > 0, exponent[1], exponent[0])
    count, n = gains.shape
    solved = linprog(
        np.r_[np.zeros(n), 1.0],
        A_ub=np.column_stack([gains, -np.ones(count)]),
        b_ub=np.zeros(count),
        A_eq=[np.r_[np.ones(n), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return solved.fun


@pytest.mark.parametrize("X", [LINE, [[1.0, 5.0], [1.0, 3.0], [2.0, 3.0]], problem(3, 9)[0]])
def test_stumps_are_all_there_once(X):
    rows = [tuple(row) for row in stump_predictions(X).astype(int)]
    assert len(rows) == len(set(rows))
    assert set(rows) == stumps_naively(X)


@pytest.mark.parametrize(
    ("X", "y", "exponent", "value", "by_class"),
    [
        # a single stump is right everywhere
        ([[0.0], [1.0]], [0, 1], (1, 1), 1.0, (1.0, 1.0)),
        # an interval: three votes of a third
        (LINE, [1, 0, 1], (1, 1), 1 / 3, (1 / 3, 1 / 3)),
        # votes a, b for the two cuts and d for the constant +: margins a + d - b, b + d - a, a + b - d; the
        # optimum has a = b = (1 - d) / 2 and 4 d = 1 - 2 d
        (LINE, [1, 0, 1], (1, 4), 4 / 6, (4 / 6, 1 / 6)),
        # the other class steeper: d = 4 (1 - 2 d)
        (LINE, [1, 0, 1], (4, 1), 4 / 9, (1 / 9, 4 / 9)),
        # equal inputs of both classes: no votes separate them, and the best are right on neither
        ([[0.0], [0.0]], [0, 1], (1, 1), 0.0, (0.0, 0.0)),
    ],
)
def test_hand_made(X, y, exponent, value, by_class):
    best = largest_margin(y, stump_predictions(X), exponent)
    assert best.value == pytest.approx(value, abs=1e-9)
    assert best.by_class == pytest.approx(by_class, abs=1e-9)


def test_exclusive_or_is_beyond_stumps():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert largest_margin(y, stump_predictions(X)).value == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exponent", [(1, 1), (1, 4), (2.5, 0.5)])
def test_dual_has_the_same_value(seed, exponent):
    X, y = problem(seed)
    predictions = stump_predictions(X)
    best = largest_margin(y, predictions, exponent)
    assert best.value == pytest.approx(dual_value(y, predictions, exponent), abs=1e-8)
    assert best.votes.min() >= 0
    assert best.votes.sum() == pytest.approx(1)
    by_class = class_margins(y, best.votes @ predictions, best.votes)
    assert by_class == pytest.approx(best.by_class, abs=1e-9)
    assert exponent * by_class == pytest.approx(best.value, abs=1e-8)  # both classes attain it


def test_exchanging_the_classes_exchanges_the_exponents():
    X, y = problem(5)
    predictions = stump_predictions(X)
    first, second = largest_margin(y, predictions, (1, 3)), largest_margin(1 - y, predictions, (3, 1))
    assert first.value == pytest.approx(second.value)
    named = largest_margin(np.where(y, "a", "b"), predictions, (1, 3), pos_label="a")
    assert named.value == pytest.approx(first.value)


@pytest.mark.parametrize(
    ("model", "exponent"),
    [
        (AdaBoost(4000), (1, 1)),
        (CGAda(4.0, n_estimators=4000), (1, 1)),
        (CSAda(4.0, n_estimators=4000), (1, 4)),
    ],
    ids=["adaboost", "cgada", "csada"],
)
def test_long_runs_come_near(model, exponent):
    X, y = problem(1, 30)
    model.fit(X, y)
    assert model.stop_reason_ == "max_rounds"
    margins = class_margins(y, model.decision_function(X), model.estimator_weights_)
    best = largest_margin(y, stump_predictions(X), exponent).value
    assert 0.98 * best < (exponent * margins).min() <= best + 1e-9
    assert margins[1] / margins[0] == pytest.approx(exponent[0] / exponent[1], rel=0.02)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: stump_predictions([1.0, 2.0]), "X has shape"),
        (lambda: stump_predictions([[np.nan]]), "X holds nan"),
        (lambda: largest_margin([1, 1], [[1, 1]]), "one class"),
        (lambda: largest_margin([0, 1], [[1, 1, 1]]), "predictions"),
        (lambda: largest_margin([0, 1], [[1, 0]]), "predictions"),
        (lambda: largest_margin([0, 1], [[1, -1]], (1, 0)), "exponent"),
        (lambda: largest_margin([0, 1], [[1, -1]], (1, 2, 3)), "exponent"),
        (lambda: class_margins([1, 1], [0.5, 0.5], [1.0]), "one class"),
        (lambda: class_margins([0, 1], [0.5, 0.5], [0.0]), "votes"),
        (lambda: class_margins([0, 1], [0.5, np.nan], [1.0]), "score"),
        (lambda: class_margins([0, 1], [-0.5, 1.5], [1.0]), "score reaches 1.5 in size.*1.0"),
    ],
)
def test_refused(call, named):
    with pytest.raises(ValueError, match=named):
        call()
