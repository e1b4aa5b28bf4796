"""Weak learners that fit real numbers by weighted least squares, for LogitBoost and its kin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.validation import has_fit_parameter

from csb.engine.codes import ABREAST, AHEAD, LANES, CodedData, add_to_codes, send_for
from csb.engine.compiled import compiled
from csb.engine.learners.search import CHUNK, divide, fill_hits, midway, nearest
from csb.engine.learners.stump import exceeds
from csb.engine.rules import TIE, Hypothesis, Regressor
from csb.inputs import one_of, shown

__all__ = ["REGRESSORS", "RegressionStump", "bind_regressor"]

NOTHING = 1e-14
"""A side of so small a share of the weight is none."""
NEARLY = 1.0 - 1e-9
"""What share of a gain a bound must reach, which may err by rounding."""

PARTS, ROWS_OF_PART = 8, 16_384
"""Sums are made apart for so many parts at most, whatever the threads, of so many rows at least."""

kernel = compiled(error_model="numpy")


def _stand_together_in_arrays(codes, words):
    """Array form of ``stand_together``."""
    for c, of_column in enumerate(codes):
        words[c // LANES] |= of_column.astype(np.uint64) << np.uint64(8 * (c % LANES))


@compiled(_stand_together_in_arrays)
def stand_together(codes, words):
    """Put the codes of eight columns into words, which are zero: from there they are read row after row."""
    for start in range(0, codes.shape[1], CHUNK):
        for c in range(codes.shape[0]):
            of_rows, shift = words[c // LANES], np.uint64(8 * (c % LANES))
            for i in range(start, min(codes.shape[1], start + CHUNK)):
                of_rows[i] |= np.uint64(codes[c, i]) << shift


def _add_moments_in_arrays(words, columns, weights, moments, first, last, sums):
    """Array form of ``add_moments``."""
    codes, lanes = sums.shape[2:4]
    inside = slice(first, last)
    pairs = np.stack([weights[inside], np.abs(moments[inside])], axis=1)
    above = codes * (moments[inside] >= 0.0)[:, np.newaxis]
    for g in range(len(words)):
        width = lanes if columns > lanes * g + ABREAST else ABREAST
        of_rows = above + words[g, inside].view(np.uint8).reshape(-1, lanes)[:, :width]
        at = (lanes * of_rows + np.arange(width)).ravel()
        np.add.at(sums[g].reshape(-1, 2), at, np.repeat(pairs, width, axis=0))  # one by one


@kernel
def four_of(word):
    """The first four codes of a word."""
    second, third, fourth = word >> np.uint64(8), word >> np.uint64(16), word >> np.uint64(24)
    return np.uint8(word), np.uint8(second), np.uint8(third), np.uint8(fourth)


@compiled(_add_moments_in_arrays)
def add_moments(words, columns, weights, moments, first, last, sums):
    """Add the weight and the size of the moment of a range of rows to the sums of their sign and codes."""
    of_sign, half = np.uint64(LANES * sums.shape[2]), np.uint64(ABREAST)
    for g in range(words.shape[0]):
        pairs, of_rows, full = sums[g].ravel(), words[g], columns > LANES * g + ABREAST
        for i in range(first, last):
            start, added = of_sign if moments[i] >= 0.0 else np.uint64(0), (weights[i], abs(moments[i]))
            add_to_codes(pairs, start, four_of(of_rows[i]), added)
            if full:  # or else four columns stand here at most
                add_to_codes(pairs, start + half, four_of(of_rows[i] >> np.uint64(32)), added)


@kernel
def gain(below, moment, total, total_moment):
    """What the means of both sides take from the sum of squares; minus infinity where one weighs nothing."""
    above, above_moment = total - below, total_moment - moment
    if below > 0.0 and above > NOTHING * total:
        return moment * moment / below + above_moment * above_moment / above
    return -np.inf


@kernel
def bound(start, moment, weight, up, down, total, total_moment):
    """What no gain of a cut within a code exceeds, which has so much weight and moments of both signs.

    A gain is convex in the weight and the moment below the cut, so that of a box it is largest at a corner.
    """
    stop, low, high = start + weight, moment - down, moment + up
    if start <= 0.0 or total - stop <= NOTHING * total:
        return np.inf  # a side may weigh as little as it likes
    return max(
        max(gain(start, low, total, total_moment), gain(start, high, total, total_moment)),
        max(gain(stop, low, total, total_moment), gain(stop, high, total, total_moment)),
    )


@kernel
def walk(rows, begin, end, weights, moments, start, total, enough):
    """Largest gain of the cuts between rows in order, up to the first that is enough, and its place or -1."""
    best, below, moment = -np.inf, start[0], start[1]
    for k in range(begin, end):
        ahead = np.intp(rows[min(k + AHEAD, end - 1)] >> np.uint32(2))
        send_for(weights, ahead)
        send_for(moments, ahead)
        row = rows[k] >> np.uint32(2)
        below += weights[row]
        moment += moments[row]
        if rows[k] & np.uint32(1):
            best = max(best, gain(below, moment, total[0], total[1]))
            if best >= enough:
                return best, k
    return best, -1


def _gains(below, moment, total, total_moment):
    """Array form of ``gain``."""
    above, above_moment = total - below, total_moment - moment
    gains = moment * moment / below + above_moment * above_moment / above
    return np.where((below > 0.0) & (above > NOTHING * total), gains, -np.inf)


def _find_split_in_arrays(n_codes, mixed, source, begin, end, rows, weights, moments, sums, tie, cut):
    """Array form of ``find_split``."""
    columns, codes = len(source), mixed.shape[1]
    mass, signed = np.moveaxis(sums, 4, 2).reshape(2, -1, 2, codes)[:, :columns]
    divided = np.moveaxis(mixed, 2, 1).reshape(-1, codes)[:columns] > 0.0
    weight, down, up = mass[:, 0] + mass[:, 1], signed[:, 0], signed[:, 1]
    below, moment = (np.cumsum(np.pad(each, ((0, 0), (1, 0))), axis=1) for each in (weight, up - down))
    total, total_moment = below[:, -1:], moment[:, -1:]
    constant = total_moment[:, 0] ** 2 / total[:, 0]
    between = _gains(below, moment, total, total_moment)[:, 1:]
    bounds = np.full_like(weight, -np.inf)
    for of_weight in (below[:, :-1], below[:, 1:]):
        for of_moment in (moment[:, :-1] - down, moment[:, :-1] + up):
            bounds = np.maximum(bounds, _gains(of_weight, of_moment, total, total_moment))
    bounds[(below[:, :-1] <= 0.0) | (total - below[:, 1:] <= NOTHING * total)] = np.inf
    bounds[~divided | (weight == 0.0)] = -np.inf
    gains = np.maximum(constant, between.max(axis=1))
    pairs = np.argwhere(bounds >= gains.max() * NEARLY - 2 * tie)
    wanted = np.array([256 * c + z for c, z in pairs if begin[c, z] < 0], np.int64)
    if len(wanted):
        return wanted

    def within(c, z):
        some = rows[begin[c, z] : end[c, z]]
        cuts = np.flatnonzero(some & 1)
        mass = np.cumsum(np.r_[below[c, z], weights[some >> 2]])[1:][cuts]
        signed = np.cumsum(np.r_[moment[c, z], moments[some >> 2]])[1:][cuts]
        return begin[c, z] + cuts, _gains(mass, signed, total[c, 0], total_moment[c, 0])

    for c, z in pairs:
        gains[c] = max(gains[c], within(c, z)[1].max(initial=-np.inf))
    tied = np.flatnonzero(gains >= gains.max() - tie)
    c = tied[np.argmin(source[tied])]
    cut[:], enough = (c, -1, -1), gains[c] - tie
    if constant[c] < enough:
        of_codes = {z: within(c, z) for z in pairs[pairs[:, 0] == c, 1].tolist()}
        reached = {z: places[found >= enough] for z, (places, found) in of_codes.items()}
        z = min([*np.flatnonzero(between[c] >= enough), *(z for z, places in reached.items() if len(places))])
        cut[1:] = z, reached[z][0] if len(reached.get(z, ())) else -1
    return wanted


@compiled(_find_split_in_arrays, error_model="numpy")
def find_split(n_codes, mixed, source, begin, end, rows, weights, moments, sums, tie, cut):
    """Fill in the column of the best cut, its code, and its place within; of those that tie it is the lowest.

    Code -1 is the constant, place -1 the cut above all of a code. Codes that must be put in order first are
    returned instead, as ``256 * column + code``. ``sums`` (2, G, 2, C, 8) has the weights of each code, in
    two parts, and the sizes of its moments, the negative ones first.
    """
    lanes, columns, codes = sums.shape[4], source.shape[0], mixed.shape[1]
    gains, constant, wholes = np.empty(columns), np.empty(columns), np.empty((columns, 2))
    starts, bounds = np.empty((columns, codes, 2)), np.empty((columns, codes))
    for c in range(columns):
        g, j, whole = c // lanes, c % lanes, wholes[c]
        whole[:] = 0.0
        for z in range(n_codes[c]):
            starts[c, z, 0], starts[c, z, 1] = whole
            whole[0] += sums[0, g, 0, z, j] + sums[0, g, 1, z, j]
            whole[1] += sums[1, g, 1, z, j] - sums[1, g, 0, z, j]
        gains[c] = constant[c] = whole[1] ** 2 / whole[0]
        for z in range(n_codes[c]):
            (below, moment), weight = starts[c, z], sums[0, g, 0, z, j] + sums[0, g, 1, z, j]
            down, up, bounds[c, z] = sums[1, g, 0, z, j], sums[1, g, 1, z, j], -np.inf
            if mixed[g, z, j] > 0.0 and weight > 0.0:
                bounds[c, z] = bound(below, moment, weight, up, down, whole[0], whole[1])
            gains[c] = max(gains[c], gain(below + weight, moment + (up - down), whole[0], whole[1]))
    need = gains.max() * NEARLY - 2 * tie
    found, asked, top = np.empty(bounds.size, np.int64), 0, 0
    for c in range(columns):
        for z in range(n_codes[c]):
            if bounds[c, z] >= need and begin[c, z] < 0:
                found[asked] = 256 * c + z
                asked += 1
            if bounds[c, z] > bounds[top // 256, top % 256]:
                top = 256 * c + z
    if asked:
        return found[:asked]
    for at in range(-1, 256 * columns):  # the most promising first, for it may settle the others
        c, z = (at if at >= 0 else top) // 256, (at if at >= 0 else top) % 256
        if z < n_codes[c] and bounds[c, z] >= need:
            best, _ = walk(rows, begin[c, z], end[c, z], weights, moments, starts[c, z], wholes[c], np.inf)
            gains[c] = max(gains[c], best)
            need = max(need, best * NEARLY - 2 * tie)
    best, c = gains.max(), -1
    for other in range(columns):  # columns are not in the order of their features
        if gains[other] >= best - tie and (c < 0 or source[other] < source[c]):
            c = other
    cut[0], cut[1], cut[2], enough = c, -1, -1, gains[c] - tie
    if constant[c] >= enough:
        return found[:0]
    for z in range(n_codes[c]):
        cut[1] = z
        if bounds[c, z] >= enough * NEARLY:
            _, cut[2] = walk(rows, begin[c, z], end[c, z], weights, moments, starts[c, z], wholes[c], enough)
        after = starts[c, z + 1] if z + 1 < n_codes[c] else wholes[c]
        if cut[2] >= 0 or gain(after[0], after[1], wholes[c, 0], wholes[c, 1]) >= enough:
            break
    return found[:0]


def _divide_in_arrays(
    codes, n_codes, low, high, mixed, begin, end, rows, values, missing, weights, moments, sums, cut, means,
    above,
):  # fmt: skip
    """Array form of ``divide_rows``."""
    c, cut, place = cut
    g, j, gap = c // LANES, c % LANES, missing[c]
    mass, divided = sums[0, g, :, :, j].sum(axis=0), mixed[g, :, j] > 0.0
    sides: tuple[list, list] = [], []
    for z in (cut, *(cut + 1 + np.flatnonzero(mass[cut + 1 :])[:1])):
        if sides[1]:
            break
        if not divided[z]:
            sides[int(z > cut)].append(low[c, z])
        elif begin[c, z] < 0:
            return z
        else:
            places = begin[c, z] + np.flatnonzero(weights[rows[begin[c, z] : end[c, z]] >> 2])
            beyond = (places > place) & (place >= 0) | (z > cut)
            sides[0].extend(values[places[~beyond]][-1:].astype(float))
            sides[1].extend(values[places[beyond]][:1].astype(float))
    threshold = midway(sides[0][0], sides[1][0])
    over = low[c] > threshold
    of_rows = codes[c]
    above[:] = over[of_rows]
    for z in np.flatnonzero(divided & ~over & (high[c] > threshold)):
        if begin[c, z] < 0:
            return z
        inside = slice(begin[c, z], end[c, z])
        above[rows[inside] >> 2] = values[inside] > threshold
    above[of_rows == gap] = missing_above = gap > cut
    weight, moment = (np.bincount(above, each, 2) for each in (weights, moments))
    if gap < 0 or mass[gap] == 0.0:
        above[of_rows == gap] = missing_above = weight[1] >= weight[0] - TIE
    means[:] = threshold, *(moment / weight), missing_above
    return -1


@compiled(_divide_in_arrays, error_model="numpy")
def divide_rows(
    codes, n_codes, low, high, mixed, begin, end, rows, values, missing, weights, moments, sums, cut, means,
    above,
):  # fmt: skip
    """Which rows lie above a cut; its threshold, both means, and whether missing values are above.

    The threshold is midway between the nearest values that carry weight; a code that must be put in order
    first is returned, -1 else. Each mean is of its own sums: a difference from those of all would lose a side
    of little weight.
    """
    c, z, place = cut
    g, j, gap = c // LANES, c % LANES, missing[c]
    of_rows = codes[c]
    lower, upper, unknown = nearest(
        sums[0], mixed, n_codes, low, begin, end, rows, values, weights, c, z, place
    )  # fmt: skip
    threshold = midway(lower, upper)
    below, divided = divide(n_codes, low, high, c, threshold)
    if unknown < 0 and divided >= 0 and begin[c, divided] < 0:
        unknown = divided
    if unknown >= 0:
        return unknown
    missing_above = gap > z
    fill_hits(
        of_rows, below, divided, begin[c, divided], end[c, divided], rows, values, threshold, 1, gap,
        missing_above, above,
    )  # fmt: skip
    w0, w1, m0, m1 = 0.0, 0.0, 0.0, 0.0
    for i in range(weights.shape[0]):
        if above[i]:
            w1 += weights[i]
            m1 += moments[i]
        else:
            w0 += weights[i]
            m0 += moments[i]
    if gap < 0 or sums[0, g, 0, gap, j] + sums[0, g, 1, gap, j] == 0.0:
        missing_above = w1 >= w0 - TIE
        for i in range(weights.shape[0] if gap >= 0 else 0):
            if of_rows[i] == gap:
                above[i] = missing_above
    means[0], means[1], means[2], means[3] = threshold, m0 / w0, m1 / w1, missing_above
    return -1


class RegressionStump(NamedTuple):
    """``above`` if ``x[feature] > threshold``, else ``below``.

    Missing values are as in :class:`csb.engine.learners.stump.DecisionStump`.
    """

    feature: int
    threshold: float
    below: float
    above: float
    missing_above: bool = True

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values, shape (n,)."""
        above = exceeds(np.asarray(X)[:, self.feature], self.threshold, self.missing_above)
        return np.where(above, self.above, self.below)


class BoundRegressionStump:
    """Regression stumps: the split of smallest weighted sum of squares, or the mean.

    The weight and the moments of both signs are added up for every coarse code. They give the gain of each
    cut between two codes, and a bound for the cuts within one; only codes whose bound reaches the best gain
    are walked through, so that the split is that of a full search. Of gains that differ by rounding the
    lowest feature counts, then the lowest cut.
    """

    def __init__(self, X: np.ndarray, *, n_jobs: int | None = None) -> None:
        self.data = CodedData(X, np.zeros(len(X), np.int8), n_jobs)
        self.words = np.zeros((len(self.data.mixed), len(X)), np.uint64)
        stand_together(self.data.codes, self.words)

    def fit(self, weights: np.ndarray, target: np.ndarray) -> tuple[RegressionStump, np.ndarray]:
        """A stump for weights and target of shape (n,), and its values, shape (n,)."""
        data, moments = self.data, weights * target
        sums, tie = self._add_up(weights, moments), TIE * float(np.sum(moments * target))
        cut, means, above = np.empty(3, np.int64), np.empty(4), np.empty(len(weights), np.uint8)

        def find() -> np.ndarray:
            return find_split(
                data.n_codes, data.mixed, data.source, data.begin, data.end, data.rows, weights, moments,
                sums, tie, cut,
            )  # fmt: skip

        while len(wanted := find()):
            data.look(wanted)
        column, code, _ = cut.tolist()
        feature = int(data.source[column])
        if code < 0:
            mean = float(moments.sum() / weights.sum())
            return RegressionStump(feature, -np.inf, mean, mean), np.full(len(weights), mean)

        def divide() -> int:
            return divide_rows(
                data.codes, data.n_codes, data.low, data.high, data.mixed, data.begin, data.end, data.rows,
                data.values, data.missing, weights, moments, sums, cut, means, above,
            )  # fmt: skip

        while (code := divide()) >= 0:
            data.look(np.array([256 * column + code]))
        threshold, low, high, missing_above = means.tolist()
        stump = RegressionStump(feature, threshold, low, high, bool(missing_above))
        return stump, means[1:3][above]

    def _add_up(self, weights: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """Weights and sizes of the moments, negative ones first, of each code of each column."""
        data, n = self.data, len(weights)
        groups, codes, lanes = data.mixed.shape
        parts = min(PARTS, max(1, n // ROWS_OF_PART))
        sums, cuts = np.zeros((parts, groups, 2, codes, lanes, 2)), np.linspace(0, n, parts + 1).astype(int)

        def add(first: int, last: int) -> None:
            for k in range(first, last):
                add_moments(self.words, len(data.source), weights, moments, cuts[k], cuts[k + 1], sums[k])

        data.threads.run(add, parts, 2 * n * len(data.source))
        for part in sums[1:]:
            sums[0] += part
        return np.moveaxis(sums[0], -1, 0)


class BoundRegressor:
    """A scikit-learn regressor trained anew in every round, on the examples of positive weight."""

    def __init__(
        self, regressor: BaseEstimator, X: np.ndarray, random_state: np.random.RandomState | None = None
    ) -> None:
        if not has_fit_parameter(regressor, "sample_weight"):
            raise ValueError(f"estimator={shown(regressor)}: its fit must accept sample_weight")
        self.regressor, self.X = regressor, X
        self.random_state: Any = random_state  # needed only where there is a seed to set
        self.seeded = "random_state" in regressor.get_params()

    def fit(self, weights: np.ndarray, target: np.ndarray) -> tuple[Hypothesis, np.ndarray]:
        """A regressor for weights and target of shape (n,), and its values, shape (n,)."""
        used = weights > 0
        regressor = clone(self.regressor)
        if self.seeded:
            regressor.set_params(random_state=self.random_state.randint(2**31 - 1))
        scaled = weights[used] * (used.sum() / weights[used].sum())
        regressor.fit(self.X[used], target[used], sample_weight=scaled)
        return regressor, np.asarray(regressor.predict(self.X), float)


REGRESSORS = {"stump": BoundRegressionStump}


def bind_regressor(
    learner: str | BaseEstimator,
    X: np.ndarray,
    *,
    n_jobs: int | None = None,
    random_state: np.random.RandomState | None = None,
) -> Regressor:
    """Bind a regression learner to a data set.

    Parameters
    ----------
    learner : str or scikit-learn regressor
        ``"stump"``, or an unfitted regressor whose ``fit`` accepts ``sample_weight``.
    X : ndarray of shape (n, d)
        Features.
    n_jobs : int, optional
        Threads, for stumps.
    random_state : RandomState instance
        Source of the seeds of randomised regressors.

    Returns
    -------
    object
        With a method ``fit(weights, target)`` that returns a hypothesis and its values.

    Raises
    ------
    ValueError
        If the learner is unknown or does not take weights.
    """
    if isinstance(learner, str):
        one_of("estimator", learner, REGRESSORS, "any scikit-learn regressor will do")
        return REGRESSORS[learner](X, n_jobs=n_jobs)
    if not (isinstance(learner, BaseEstimator) and is_regressor(learner)):
        known = ", ".join(REGRESSORS)
        raise ValueError(f"estimator={shown(learner)}: one of {known} or a scikit-learn regressor")
    return BoundRegressor(learner, X, random_state)
