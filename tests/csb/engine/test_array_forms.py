"""Functions that serve until compiling pays leave the bytes of the compiled code, whatever they are given."""

import pkgutil
from copy import deepcopy
from functools import cached_property
from importlib import import_module

import numpy as np
import pytest

import csb
from csb.engine import binning, codes, compiled, elementary, newton, rules, votes
from csb.engine.learners import regression, search, side_by_side, stump, tree, univariate

pytestmark = pytest.mark.skipif(not compiled.COMPILES, reason="nothing is compiled")

DRAWS = 120
EXTREMES = [0.0, -0.0, 5e-324, 1e-310, 1.0, -1.0, 709.8, -745.2, 1e308, np.inf, -np.inf, np.nan]


class Drawn:
    """Few or many rows with ties, missing values, weights of zero and next to it, and sometimes one class."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.n = n = int(rng.choice([1, 2, 3, 4, 5, 7, 64, 66, 301, 1500]))
        self.n_models = int(rng.integers(1, 4))
        self.labels = (rng.random(n) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(np.int8)
        size = self.n_models, n
        weights = rng.integers(0, 3, size) if rng.random() < 0.5 else rng.gamma(0.3, size=size)
        self.weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
        self.weights[:, rng.random(n) < 0.1] = 5e-324
        self.predicted = rng.integers(0, 2, weights.shape).astype(np.uint8)
        self.in_turn = rng.random() < 0.2  # every third cut of what is sorted ties, but for rounding
        if self.in_turn:
            self.labels = np.resize(np.array([1, 1, 0], np.int8), n)
            self.weights[:] = np.resize([0.1, 0.2, 0.3], n) / n

    @cached_property
    def columns(self):
        """Distinct numbers, few numbers, mostly one number, neighbours, and each with gaps."""
        z = self.rng.normal(size=(self.n, 4)).astype(self.rng.choice([np.float32, np.float64]))
        if self.in_turn:
            z.sort(axis=0)
        z[:, 1] = np.round(2 * z[:, 1])
        z[np.abs(z[:, 2]) < 1.5, 2] = 0.0
        z[:, 3] = 1 + np.floor(np.abs(z[:, 3]) * 3) * np.finfo(z.dtype).eps
        gaps = z.copy()
        gaps[self.rng.random(z.shape) < 0.2] = np.nan
        return np.hstack([z, gaps])

    @cached_property
    def data(self):
        """The bins, one column at least."""
        columns = self.columns if self.rng.random() < 0.5 else np.round(self.columns)
        return binning.bin_features(columns)

    @cached_property
    def coded(self):
        """The coarse codes."""
        return codes.CodedData(self.columns, self.labels)

    @cached_property
    def values(self):
        """A column without gaps, of either sign of zero."""
        column = self.columns[:, self.rng.integers(0, 4)]
        return np.where((column == 0.0) & (self.rng.random(self.n) < 0.5), -column, column)

    def groups(self):
        """Classes, or more groups than that."""
        return self.labels if self.rng.random() < 0.5 else self.rng.integers(0, 5, self.n)


def given_largest_edges(drawn):
    first, last = np.sort(drawn.rng.choice(len(drawn.data.codes) + 1, 2, replace=False))
    edges = np.full((drawn.n_models, len(drawn.data.codes)), 7.0)
    return drawn.data.codes, drawn.data.n_bins, drawn.weights, drawn.labels, first, last, edges


def given_midway(drawn):
    neighbours = 1 + np.arange(6) * np.finfo(float).eps
    ends = np.r_[-np.inf, neighbours, 2.0, 3.0, 1e308, np.inf]
    return tuple(np.sort(drawn.rng.choice(ends, 2)).tolist())


def given_between(drawn):
    neighbours = 1 + np.arange(drawn.rng.integers(2, 6)) * np.finfo(float).eps
    ends = np.r_[-np.inf, neighbours, 2.0, 3.0, np.inf]
    cut = int(drawn.rng.integers(0, len(ends) - 1))
    return ends, cut, int(min(cut + drawn.rng.integers(1, 4), len(ends) - 1))


def given_choose_ends(drawn):
    ordered = np.sort(np.nan_to_num(drawn.columns.T.astype(float), nan=np.inf)) + 0.0
    return ordered, int(drawn.rng.integers(2, 255)), np.full((8, 512), np.inf), np.zeros(8, int)


def given_lay_grids(drawn):
    ordered, most, ends, n_ends = given_choose_ends(drawn)
    codes.choose_ends(ordered, most, ends, n_ends)
    cells = np.full((8, codes.CELLS), 7, np.uint8)
    return ends, n_ends, np.empty(8), np.empty(8), cells, np.empty(8, int)


def given_encode(drawn):
    ordered = given_choose_ends(drawn)[0]
    ends, *grids = given_lay_grids(drawn)
    codes.lay_grids(ends, *grids)
    found, counts = np.zeros((8, drawn.n + 3), np.uint8), np.zeros((8, 256), int)
    low, high = np.full((2, 8, 256), np.inf) * np.array([1, -1])[:, np.newaxis, np.newaxis]
    values, start = drawn.rng.permuted(ordered, axis=1), int(drawn.rng.integers(0, 4))
    return values, ends, *grids[1:], start, found, counts, low, high


def given_stand_together(drawn):
    return drawn.coded.codes, np.zeros((len(drawn.coded.mixed), drawn.n), np.uint64)


def given_list_rows(drawn):
    data, columns = drawn.coded, np.sort(drawn.rng.permutation(len(drawn.coded.source))[:3])
    at, wanted = np.nonzero(drawn.rng.random((3, data.counts.shape[1])) < 0.7)
    at = columns[at]
    sizes = data.counts[at, wanted]
    first, stop = np.sort(drawn.rng.integers(0, drawn.n + 1, 2))
    room = drawn.n * len(columns)
    X = data.X[first:stop]
    return (
        data.codes,
        drawn.labels,
        X,
        first,
        data.source,
        at,
        wanted,
        np.cumsum(sizes) - sizes,
        np.zeros(room, np.uint32),
        np.zeros(room),
    )


def given_order_rows(drawn):
    values, cuts = (
        drawn.values.astype(float),
        np.unique(np.r_[0, drawn.rng.integers(0, drawn.n + 1, 3), drawn.n]),
    )
    return values + 0.0, 4 * np.arange(drawn.n, dtype=np.uint32), cuts[:-1], cuts[1:]


def factors_of(drawn):
    """By what weights have moved; not known for some of the models."""
    factors = np.exp(drawn.rng.normal(size=(2, 2, drawn.n_models)) * drawn.rng.choice([0.1, 1.0, 30.0]))
    factors[:, :, drawn.rng.random(drawn.n_models) < 0.2] = np.nan
    return drawn.rng.choice([factors, np.ones_like(factors)])


def given_follow(drawn):
    scale, drift = drawn.rng.random((2, drawn.n_models, 2)) + 0.5
    rare, step = np.zeros((drawn.n_models, 2), np.uint8), np.zeros((drawn.n_models, 2))
    anew = np.zeros(drawn.n_models, bool)
    drift *= 1e-14
    return drawn.labels, drawn.predicted, factors_of(drawn), scale, drift, rare, step, anew


def given_add_up(drawn):
    first = given_follow(drawn)
    search.follow(*first)
    *_, rare, step, anew = first
    sums = search.Sums.empty(drawn.coded, drawn.n_models).histogram
    sums[:] = drawn.rng.random(sums.shape)
    models = 0, int(drawn.rng.integers(0, drawn.n_models + 1))
    rows = tuple(int(at) for at in np.sort(drawn.rng.integers(0, len(drawn.labels) + 1, 2)))
    return (
        drawn.coded.codes, drawn.labels, drawn.weights, drawn.predicted, rare, step,
        anew, sums, models, rows,
    )  # fmt: skip


def given_vary(drawn):
    sums = search.Sums.empty(drawn.coded, drawn.n_models)
    for each in sums:
        each[...] = drawn.rng.random(each.shape) * drawn.rng.choice([0.0, 1.0], each.shape)
    walked = drawn.rng.choice([-1, 0, 3, 9], drawn.n_models)
    return sums.histogram, sums.scale, factors_of(drawn), 5, walked, sums.known, sums.before, sums.variation


def given_edges_in_order(drawn):
    columns = len(drawn.coded.source)
    first, last = np.sort(drawn.rng.choice(columns + 1, 2, replace=False))
    edges = np.full((drawn.n_models, columns), 7.0)
    return *drawn.coded.in_order, drawn.labels, drawn.weights, first, last, edges


def given_find_stumps(drawn):
    """With all rows in order, as few are from the start, so that there is nothing to ask for."""
    data, n_models = drawn.coded, drawn.n_models
    assert (data.begin[data.low < data.high] >= 0).all()
    known = drawn.rng.random() < 0.5
    largest = np.empty((n_models, len(data.source) if known else 0))
    if known:
        sums = search.Sums.unused(n_models)
        side_by_side.edges_in_order(*data.in_order, drawn.labels, drawn.weights, 0, len(data.source), largest)
    else:
        sums = search.Sums.empty(data, n_models).follow(data, drawn.weights, rules.Change.unknown(n_models))
    return (
        data.codes, data.n_codes, data.low, data.high, data.mixed, data.source, data.missing, data.begin,
        data.end, data.rows, data.values, drawn.weights, sums.histogram, sums.scale, sums.drift, sums.walked,
        sums.known, sums.variation, drawn.labels, largest, np.full(n_models, search.PENDING, np.int8),
        *(np.zeros_like(each) for each in tuple(stump.StumpBatch.empty(n_models))), drawn.predicted,
        0, n_models,
    )  # fmt: skip


def given_stump_scores(drawn):
    n_stumps, X = 6, np.array(drawn.columns, order=drawn.rng.choice(["C", "F"]))
    feature = drawn.rng.integers(0, X.shape[1], n_stumps)
    threshold = np.nan_to_num(X[drawn.rng.integers(0, drawn.n, n_stumps), feature].astype(float), nan=-np.inf)
    polarity, above = drawn.rng.choice([-1, 1], n_stumps), drawn.rng.random(n_stumps) < 0.5
    models, alpha = drawn.rng.integers(0, 3, n_stumps), drawn.rng.gamma(0.3, size=n_stumps)
    return X, models, feature, threshold, polarity, above, alpha, drawn.rng.normal(size=(3, drawn.n))


def given_outcome_masses(drawn):
    groups = drawn.groups()
    return drawn.weights, drawn.predicted, groups, np.empty((groups.max() + 2, 2, drawn.n_models))


def given_recompute_weights(drawn):
    with np.errstate(divide="ignore"):
        log_weights = np.log(drawn.weights) + drawn.rng.choice([0.0, 400.0, -400.0], size=drawn.weights.shape)
    log_weights[0] = drawn.rng.choice([log_weights[0], np.full(drawn.n, -np.inf)])
    return drawn.weights, log_weights, drawn.rng.choice([0.0, 300.0, 300.5, np.inf], drawn.n_models)


def given_next_weights(drawn):
    weights, log_weights, drift = given_recompute_weights(drawn)
    *_, groups, masses = given_outcome_masses(drawn)
    votes.outcome_masses(weights, drawn.predicted, groups, masses)
    masses[..., masses.sum(axis=(0, 1)) == 0.0] = 0.25  # a model without weight has stopped
    log_factors = drawn.rng.normal(size=masses.shape) * drawn.rng.choice([1.0, 500.0])
    log_factors[masses == 0.0] = drawn.rng.choice([-np.inf, 800.0, np.inf, 0.0], np.sum(masses == 0.0))
    return weights, log_weights, drift, drawn.predicted, groups, masses, log_factors, np.zeros_like(masses)


def given_judge(drawn):
    n_groups, n_models = int(drawn.rng.integers(2, 6)), 40
    masses = drawn.rng.random((n_groups, 2, n_models)) * drawn.rng.choice([0.0, 1.0], (n_groups, 2, n_models))
    masses[..., ::7] = drawn.rng.choice([0.0, np.inf, np.nan, 0.25])
    alpha = drawn.rng.choice([np.inf, -np.inf, np.nan, 0.0, -1.0, 1e-12, -1e-13, 0.7], n_models)
    exponents, rates = drawn.rng.choice([0.5, 1.0, 3.0], (2, n_models)), drawn.rng.random(n_models)
    return (
        masses, np.arange(n_groups) % 2, alpha, exponents, rates, bool(drawn.rng.integers(0, 2)),
        np.zeros(n_models, np.int64), np.zeros((2, 2, n_models)),
    )  # fmt: skip


def weighted(drawn):
    """Weights of one model, some of them zero, that sum to one but for rounding."""
    w = drawn.weights[0] + (drawn.rng.random(drawn.n) < 0.3) * drawn.rng.choice([1e-15, 1e-12, 1.0])
    return np.full(drawn.n, 1 / drawn.n) if w.sum() < 1e-300 else w / w.sum()


def given_grow_tree(drawn):
    columns = np.tile(drawn.columns[:, :4], drawn.rng.choice([1, 1, 33]))  # 132 are more than int8 counts
    data = binning.bin_features(np.round(columns, drawn.rng.choice([0, 9])))
    depth = int(drawn.rng.choice([1, 2, 5, 60]))
    w, predicted = weighted(drawn), np.full(drawn.n, 7, np.uint8)
    coarse = tree._gather(data.codes, data.n_bins)
    return *coarse, data.codes, data.values, w, drawn.labels, depth, predicted


def given_tree_signs(drawn):
    found = tree.grow_tree(*given_grow_tree(drawn))
    X = np.array(drawn.columns[:, :4], order=drawn.rng.choice(["C", "F"]))
    return X, *found[:4], np.full(drawn.n, 7.0)


def given_add_moments(drawn):
    coded, w = drawn.coded, weighted(drawn)
    first, last = (int(at) for at in np.sort(drawn.rng.integers(0, len(w) + 1, 2)))
    sums = drawn.rng.random((*search.Sums.empty(coded, 1).histogram.shape[1:], 2))
    words = given_stand_together(drawn)[1]
    regression.stand_together(coded.codes, words)
    target = drawn.rng.standard_normal(len(w))
    return words, len(coded.source), w, target, first, last, np.full((len(w), 2), 7.0), sums


def searched(drawn):
    """A learner whose rows are all in order, as few are from the start, its sums, and what makes a tie."""
    w = weighted(drawn)
    target = drawn.rng.choice([drawn.rng.standard_cauchy(drawn.n), drawn.labels - 0.5, np.zeros(drawn.n)])
    learner = regression.BoundRegressionStump(drawn.columns)
    sums, squares = learner._add_up(w, target)
    for each in learner.starts, learner.bounds, learner.constant, learner.gains:
        each[:] = 7.0
    return learner, sums, drawn.rng.choice([1e-12, 1e-3]) * squares


def given_nominate(drawn):
    learner, sums, tie = searched(drawn)
    data, begin = learner.data, learner.data.begin.copy()
    begin[drawn.rng.random(begin.shape) < drawn.rng.choice([0.0, 0.3])] = -1
    filled_in = learner.starts, learner.bounds, learner.constant, learner.gains
    return data.n_codes, data.mixed, begin, sums, tie, *filled_in


def nominated(drawn):
    learner, sums, tie = searched(drawn)
    data, filled_in = learner.data, (learner.starts, learner.bounds, learner.constant, learner.gains)
    found, _ = regression.nominate(data.n_codes, data.mixed, data.begin, sums, tie, *filled_in)
    in_order = data.begin, data.end, data.rows, learner.moments, learner.starts, learner.bounds
    return learner, sums, tie, found, np.full(len(found), 7.0), in_order


def given_walk_codes(drawn):
    learner, _, tie, found, within, in_order = nominated(drawn)
    first, last = (int(at) for at in np.sort(drawn.rng.integers(0, len(found) + 1, 2)))
    return found, first, last, learner.data.n_codes, *in_order, learner.gains, tie, within


def given_choose_cut(drawn):
    learner, _, tie, found, within, in_order = nominated(drawn)
    data = learner.data
    regression.walk_codes(found, 0, len(found), data.n_codes, *in_order, learner.gains, tie, within)
    gains = learner.constant, learner.gains
    return found, within, data.n_codes, data.source, *in_order, *gains, tie, np.full(3, 7)


def given_divide_rows(drawn):
    """At the best cut; where the constant is best, that of another problem."""
    learner, sums, tie, found, within, in_order = nominated(drawn)
    data, cut = learner.data, np.full(3, 7)
    regression.walk_codes(found, 0, len(found), data.n_codes, *in_order, learner.gains, tie, within)
    gains = learner.constant, learner.gains
    regression.choose_cut(found, within, data.n_codes, data.source, *in_order, *gains, tie, cut)
    if cut[1] < 0:
        return given_divide_rows(Drawn(int(drawn.rng.integers(0, 10**6))))
    return (
        data.codes, data.n_codes, data.low, data.high, data.mixed, data.begin, data.end, data.rows,
        data.values, data.missing, learner.moments, sums, cut, np.full(4, 7.0),
        np.full(drawn.n, 7, np.uint8), np.full(drawn.n, 7.0),
    )  # fmt: skip


def given_working_response(drawn):
    scores = drawn.rng.normal(size=drawn.n) * 10.0 ** drawn.rng.integers(-3, 4)
    slope, offset = drawn.rng.choice([1.0, 0.3]), drawn.rng.choice([0.0, -0.7])
    first, last = (int(at) for at in np.sort(drawn.rng.integers(0, drawn.n + 1, 2)))
    largest, filled_in = drawn.rng.choice([0.5, 4.0, np.inf]), np.full((2, drawn.n), 7.0)
    return scores, slope, offset, weighted(drawn), drawn.labels, largest, first, last, *filled_in


def given_take_step(drawn):
    values = drawn.rng.choice([0.0, 1e-13, -1e-12, 0.3, np.nan], drawn.n, p=[0.4, 0.4, 0.1, 0.05, 0.05])
    base = weighted(drawn) * drawn.rng.integers(0, 2, drawn.n)
    return values, 0.5, base, drawn.rng.standard_normal(drawn.n)


def given_derivatives(drawn):
    x, work = np.sort(drawn.columns[:, 0].astype(float)), np.full((2, drawn.n + 1), 7.0)
    intercept, slope = (drawn.rng.normal(size=2) * 10.0 ** drawn.rng.integers(-3, 4)).tolist()
    mass = np.abs(drawn.rng.normal(size=(2, drawn.n))) * drawn.rng.integers(0, 2, (2, drawn.n))
    return *mass, x, intercept, slope, 1e-6, *work


def given_univariate_logistic(drawn):
    X = drawn.columns[:, [2, 1, 0, 2, 1]].astype(float)  # columns tie
    labels, bounds = drawn.rng.integers(0, 2, drawn.n, np.int8), drawn.rng.random((1, 5))
    learner = univariate.BoundUnivariateLogistic(X, labels)
    return (
        learner.data.codes, learner.data.n_bins, learner.values, weighted(drawn)[np.newaxis], labels,
        bounds, 1e-6, 50, 1e-6, np.full(1, 7), np.full((1, 2), 7.0),
    )  # fmt: skip


def given_numbers(count):
    """Arguments of an elementary function, and room for its values."""

    def given(drawn):
        size = 5000 if drawn.n > 1000 else drawn.n  # more than one block
        x = drawn.rng.normal(size=(count, size)) * 10.0 ** drawn.rng.integers(-3, 4)
        extreme = drawn.rng.random(x.shape) < 0.3
        x[extreme] = drawn.rng.choice(EXTREMES, extreme.sum())
        return *x, np.empty(size)

    return given


PAIRS = {"log_ratio", "logaddexp", "power", "xlogy"}
GIVEN = {
    codes.choose_ends: given_choose_ends,
    newton.take_step: given_take_step,
    newton.working_response: given_working_response,
    codes.lay_grids: given_lay_grids,
    codes.encode: given_encode,
    codes.list_rows: given_list_rows,
    codes.order_rows: given_order_rows,
    search.follow: given_follow,
    search.add_up: given_add_up,
    search.vary: given_vary,
    side_by_side.edges_in_order: given_edges_in_order,
    search.midway: given_midway,
    stump.stump_scores: given_stump_scores,
    tree._between: given_between,
    univariate.largest_edges: given_largest_edges,
    tree.grow_tree: given_grow_tree,
    tree.tree_signs: given_tree_signs,
    regression.stand_together: given_stand_together,
    regression.add_moments: given_add_moments,
    regression.nominate: given_nominate,
    regression.walk_codes: given_walk_codes,
    regression.choose_cut: given_choose_cut,
    regression.divide_rows: given_divide_rows,
    univariate._derivatives: given_derivatives,
    univariate.univariate_logistic: given_univariate_logistic,
    votes.outcome_masses: given_outcome_masses,
    votes.recompute_weights: given_recompute_weights,
    votes.next_weights: given_next_weights,
    rules.judge: given_judge,
} | {
    getattr(elementary, f"_each_{name}"): given_numbers(2 if name in PAIRS else 1)
    for name in elementary.__all__ if not name.endswith("_scalar")
}  # fmt: skip
OF_RESULTS = {search.find_stumps}
"""Held equal by what they find: the array form remembers nothing."""
MOVED = {"csb.compendium", "csb.datasets"}
"""Modules that only say where to look."""


def left(run, given):
    """Bytes of what a function returns, and of its arguments afterwards."""
    arguments = deepcopy(given)
    with np.errstate(all="ignore"):
        found = run(*arguments)
    returned = found if isinstance(found, tuple) else (found,)
    numbers = [np.float64(np.nan if each is None else each) for each in returned]
    return [each.tobytes() for each in (*numbers, *arguments) if hasattr(each, "tobytes")]


@pytest.fixture(autouse=True)
def compile_now(monkeypatch):
    monkeypatch.setattr(compiled, "PATIENCE", 0)


@pytest.mark.parametrize("function", GIVEN, ids=lambda function: function.__name__)
def test_array_forms_leave_the_bytes_of_compiled_code(function):
    for seed in range(DRAWS):
        given = GIVEN[function](Drawn(seed))
        assert left(function, given) == left(function.plain, given), seed
    assert function.signatures, "it is the compiled code that has run"


def test_no_array_form_is_left_out():
    names = [each.name for each in pkgutil.walk_packages(csb.__path__, "csb.")]
    modules = [import_module(name) for name in names if name not in MOVED]
    objects = [each for module in modules for each in vars(module).values()]
    found = {each for each in objects if hasattr(each, "py_func") and hasattr(each, "plain")}
    assert found == {*GIVEN, *OF_RESULTS}


def test_the_search_in_arrays_finds_the_same_stumps():
    for seed in range(DRAWS):
        given = given_find_stumps(Drawn(seed))
        found, plainly = deepcopy(given), deepcopy(given)
        with np.errstate(all="ignore"):
            wanted = search.find_stumps(*found), search.find_stumps.plain(*plainly)
        assert [len(each) for each in wanted] == [0, 0]
        for one, other in zip(found[-7:], plainly[-7:], strict=True):
            np.testing.assert_array_equal(one, other)
