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

WALKING = 6
"""Walking through a row takes so many times as long as adding a value to a histogram."""

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


def _add_moments_in_arrays(words, columns, weights, target, first, last, moments, sums):
    """Array form of ``add_moments``."""
    codes, lanes = sums.shape[2:4]
    inside = slice(first, last)
    moments[inside, 0], moments[inside, 1] = weights[inside], weights[inside] * target[inside]
    pairs = np.abs(moments[inside])
    above = codes * (moments[inside, 1:] >= 0.0)
    for g in range(len(words)):
        width = lanes if columns > lanes * g + ABREAST else ABREAST
        of_rows = above + words[g, inside].view(np.uint8).reshape(-1, lanes)[:, :width]
        at = (lanes * of_rows + np.arange(width)).ravel()
        np.add.at(sums[g].reshape(-1, 2), at, np.repeat(pairs, width, axis=0))  # one by one
    return np.cumsum(np.r_[0.0, moments[inside, 1] * target[inside]])[-1]


@kernel
def four_of(word):
    """The first four codes of a word."""
    second, third, fourth = word >> np.uint64(8), word >> np.uint64(16), word >> np.uint64(24)
    return np.uint8(word), np.uint8(second), np.uint8(third), np.uint8(fourth)


@compiled(_add_moments_in_arrays)
def add_moments(words, columns, weights, target, first, last, moments, sums):
    """Fill in weights and weighted targets of a range of rows, the moments, and return the sum of squares.

    The weight and the size of the moment are added to the sums of their sign and codes.
    """
    of_sign, half, squares = np.uint64(LANES * sums.shape[2]), np.uint64(ABREAST), 0.0
    for i in range(first, last):
        moments[i, 0], moments[i, 1] = weights[i], weights[i] * target[i]
        squares += moments[i, 1] * target[i]
    for g in range(words.shape[0]):
        pairs, of_rows, full = sums[g].ravel(), words[g], columns > LANES * g + ABREAST
        for i in range(first, last):
            weight, moment = moments[i]
            start, added = of_sign if moment >= 0.0 else np.uint64(0), (weight, abs(moment))
            add_to_codes(pairs, start, four_of(of_rows[i]), added)
            if full:  # or else four columns stand here at most
                add_to_codes(pairs, start + half, four_of(of_rows[i] >> np.uint64(32)), added)
    return squares


@kernel
def gain(below, moment, total, total_moment):
    """What the means of both sides take from the sum of squares; minus infinity where one weighs nothing."""
    above, above_moment = total - below, total_moment - moment
    taken = moment * moment / below + above_moment * above_moment / above
    return taken if (below > 0.0) & (above > NOTHING * total) else -np.inf  # so that it runs on vectors


@kernel
def gains_and_bounds(below, moment, down, up, held, n, between, bounds):
    """Gain of the cut above each of the n codes of a column, and what no gain of a cut within it exceeds.

    Below a code are so much weight and moment, in it moments of both signs. A gain is convex in the weight
    and the moment below the cut, so that of a box it is largest at a corner. ``held`` is zero where a code
    has no cut within: it has one value, or no weight.
    """
    total, total_moment = below[n], moment[n]
    for z in range(n):  # without a branch, so that it runs on vectors
        start, stop, low, high = below[z], below[z + 1], moment[z] - down[z], moment[z] + up[z]
        between[z] = gain(stop, moment[z + 1], total, total_moment)
        above, beyond = total - start, total - stop
        rest_low, rest_high = total_moment - low, total_moment - high
        low, rest_low, high, rest_high = low * low, rest_low * rest_low, high * high, rest_high * rest_high
        bound = max(
            max(low / start + rest_low / above, high / start + rest_high / above),
            max(low / stop + rest_low / beyond, high / stop + rest_high / beyond),
        )
        heavy = (start > 0.0) & (beyond > NOTHING * total)  # else a side may weigh as little as it likes
        bound = bound if heavy else np.inf
        bounds[z] = bound if held[z] > 0.0 else -np.inf


@kernel
def scan(sums, mixed, n_codes, starts, constant, gains, bounds):
    """Fill in weight and moment below each code, gains without a cut, the best between codes, and bounds."""
    codes = sums.shape[2]  # four arrays, not the rows of one, beside which the loop would not run on vectors
    down, up, held, between = np.empty(codes), np.empty(codes), np.empty(codes), np.empty(codes)
    for c in range(gains.shape[0]):
        g, j, n, weight, signed = c // LANES, c % LANES, n_codes[c], 0.0, 0.0
        negative, positive, several = sums[g, 0], sums[g, 1], mixed[g]
        below, moment = starts[c, 0], starts[c, 1]
        for z in range(n):
            below[z], moment[z], of_code = weight, signed, negative[z, j, 0] + positive[z, j, 0]
            down[z], up[z], held[z] = negative[z, j, 1], positive[z, j, 1], of_code * several[z, j]
            weight += of_code
            signed += up[z] - down[z]
        below[n:], moment[n:], bounds[c, n:] = weight, signed, -np.inf
        gains_and_bounds(below, moment, down, up, held, n, between, bounds[c])
        best = constant[c] = signed * signed / weight
        for z in range(n):
            best = max(best, between[z])
        gains[c] = best


@kernel
def walk(rows, begin, end, moments, starts, z, n, enough):
    """Largest gain of the cuts between rows in order, up to the first that is enough, and its place or -1.

    They are those of code z; ``starts`` (2, n + 1) are the weights and moments below the n codes, and in all.
    """
    best, below, moment, total, total_moment = -np.inf, starts[0, z], starts[1, z], starts[0, n], starts[1, n]
    for k in range(begin, end):
        send_for(moments, 2 * np.intp(rows[min(k + AHEAD, end - 1)] >> np.uint32(2)))
        row = rows[k] >> np.uint32(2)
        below += moments[row, 0]
        moment += moments[row, 1]
        if rows[k] & np.uint32(1):
            best = max(best, gain(below, moment, total, total_moment))
            if best >= enough:
                return best, k
    return best, -1


def _gains(below, moment, total, total_moment):
    """Array form of ``gain``."""
    above, above_moment = total - below, total_moment - moment
    gains = moment * moment / below + above_moment * above_moment / above
    return np.where((below > 0.0) & (above > NOTHING * total), gains, -np.inf)


def _nominate_in_arrays(n_codes, mixed, begin, sums, tie, starts, bounds, constant, gains):
    """Array form of ``nominate``."""
    columns, codes = bounds.shape
    mass, signed = np.moveaxis(sums, (4, 3), (0, 2)).reshape(2, -1, 2, codes)[:, :columns]
    divided = np.moveaxis(mixed, 2, 1).reshape(-1, codes)[:columns] > 0.0
    weight, down, up = mass[:, 0] + mass[:, 1], signed[:, 0], signed[:, 1]
    for k, each in enumerate((weight, up - down)):
        starts[:, k] = np.cumsum(np.pad(each, ((0, 0), (1, 0))), axis=1)
    below, moment = starts[:, 0], starts[:, 1]
    total, total_moment = below[:, -1:], moment[:, -1:]
    constant[:] = total_moment[:, 0] ** 2 / total[:, 0]
    between = _gains(below, moment, total, total_moment)[:, 1:]
    bounds[:] = -np.inf
    for of_weight in (below[:, :-1], below[:, 1:]):
        for of_moment in (moment[:, :-1] - down, moment[:, :-1] + up):
            np.maximum(bounds, _gains(of_weight, of_moment, total, total_moment), out=bounds)
    bounds[(below[:, :-1] <= 0.0) | (total - below[:, 1:] <= NOTHING * total)] = np.inf
    bounds[~divided | (weight == 0.0)] = -np.inf
    gains[:] = np.maximum(constant, between.max(axis=1))
    c, z = np.nonzero(bounds >= gains.max() * NEARLY - 2 * tie)
    unknown = begin[c, z] < 0
    found = 256 * c + z
    return (found[unknown], False) if unknown.any() else (found, True)


@compiled(_nominate_in_arrays, error_model="numpy")
def nominate(n_codes, mixed, begin, sums, tie, starts, bounds, constant, gains):
    """Codes within which a best cut may lie, as ``256 * column + code``, and whether all are in order.

    If some are not, they alone are returned. ``sums`` (G, 2, C, 8, 2) are the weight of each code and the
    size of its weighted targets, those that are negative first. Of the D columns are filled in: ``starts``
    (D, 2, C + 1), the weight and the moment below each code; ``bounds`` (D, C), what no cut within it gains
    more than; ``constant`` (D,), the gain without a cut; and ``gains`` (D,), the best between codes.
    """
    scan(sums, mixed, n_codes, starts, constant, gains, bounds)
    need, found, asked, count = gains.max() * NEARLY - 2 * tie, np.empty(bounds.size, np.int64), 0, 0
    for c in range(bounds.shape[0]):
        for z in range(n_codes[c]):
            if bounds[c, z] >= need:
                if begin[c, z] < 0:
                    found[asked] = 256 * c + z
                    asked += 1
                elif asked == 0:
                    found[count] = 256 * c + z
                    count += 1
    return found[: asked or count], asked == 0


def _walk_codes_in_arrays(
    found, first, last, n_codes, begin, end, rows, moments, starts, bounds, gains, tie, within
):
    """Array form of ``walk_codes``."""
    need = gains.max() * NEARLY - 2 * tie
    for k in range(first, last):
        (c, z), within[k] = divmod(found[k], 256), -np.inf
        if bounds[c, z] >= need:
            within[k] = _walk_in_arrays(rows, begin, end, moments, starts, c, z)[1].max(initial=-np.inf)
            need = max(need, within[k] * NEARLY - 2 * tie)


@compiled(_walk_codes_in_arrays, error_model="numpy")
def walk_codes(found, first, last, n_codes, begin, end, rows, moments, starts, bounds, gains, tie, within):
    """Fill in the largest gain within each of some codes; minus infinity where it cannot be the best."""
    need = gains.max() * NEARLY - 2 * tie
    for k in range(first, last):
        c, z, within[k] = found[k] // 256, found[k] % 256, -np.inf
        if bounds[c, z] >= need:
            within[k], _ = walk(rows, begin[c, z], end[c, z], moments, starts[c], z, n_codes[c], np.inf)
            need = max(need, within[k] * NEARLY - 2 * tie)


def _walk_in_arrays(rows, begin, end, moments, starts, c, z):
    """Places of the cuts within a code, and their gains."""
    some = rows[begin[c, z] : end[c, z]]
    cuts = np.flatnonzero(some & 1)
    mass, signed = np.cumsum(np.r_[starts[c, :, z][np.newaxis], moments[some >> 2]], axis=0)[1:][cuts].T
    return begin[c, z] + cuts, _gains(mass, signed, *starts[c, :, -1])


def _choose_cut_in_arrays(
    found, within, n_codes, source, begin, end, rows, moments, starts, bounds, constant, gains, tie, cut
):
    """Array form of ``choose_cut``."""
    np.maximum.at(gains, found // 256, within)
    tied = np.flatnonzero(gains >= gains.max() - tie)
    c = tied[np.argmin(source[tied])]
    cut[:], enough = (c, -1, -1), gains[c] - tie
    if constant[c] < enough:
        between = _gains(*starts[c, :, 1:], *starts[c, :, -1:])
        reached = {}
        for z in np.flatnonzero(bounds[c] >= enough * NEARLY):
            places, of_cuts = _walk_in_arrays(rows, begin, end, moments, starts, c, z)
            reached[z] = places[of_cuts >= enough]
        z = min([*np.flatnonzero(between >= enough), *(z for z, places in reached.items() if len(places))])
        cut[1:] = z, reached[z][0] if len(reached.get(z, ())) else -1


@compiled(_choose_cut_in_arrays, error_model="numpy")
def choose_cut(
    found, within, n_codes, source, begin, end, rows, moments, starts, bounds, constant, gains, tie, cut
):
    """Fill in the column of the best cut, its code, and its place within; of those that tie it is the lowest.

    Code -1 is the constant, place -1 the cut above all of a code. ``within`` are the largest gains within
    the codes ``found``.
    """
    for k in range(found.shape[0]):
        gains[found[k] // 256] = max(gains[found[k] // 256], within[k])
    best, c = gains.max(), -1
    for other in range(source.shape[0]):  # columns are not in the order of their features
        if gains[other] >= best - tie and (c < 0 or source[other] < source[c]):
            c = other
    cut[0], cut[1], cut[2], enough = c, -1, -1, gains[c] - tie
    if constant[c] >= enough:
        return
    (below, moment), n = starts[c], n_codes[c]
    for z in range(n):
        cut[1] = z
        if bounds[c, z] >= enough * NEARLY:
            _, cut[2] = walk(rows, begin[c, z], end[c, z], moments, starts[c], z, n, enough)
        if cut[2] >= 0 or gain(below[z + 1], moment[z + 1], below[n], moment[n]) >= enough:
            break


def _divide_in_arrays(
    codes, n_codes, low, high, mixed, begin, end, rows, values, missing, moments, sums, cut, means, above,
    fitted,
):  # fmt: skip
    """Array form of ``divide_rows``."""
    c, cut, place = cut
    g, j, gap = c // LANES, c % LANES, missing[c]
    mass, divided = sums[g, :, :, j, 0].sum(axis=0), mixed[g, :, j] > 0.0
    sides: tuple[list, list] = [], []
    for z in (cut, *(cut + 1 + np.flatnonzero(mass[cut + 1 :])[:1])):
        if sides[1]:
            break
        if not divided[z]:
            sides[int(z > cut)].append(low[c, z])
        elif begin[c, z] < 0:
            return z
        else:
            places = begin[c, z] + np.flatnonzero(moments[rows[begin[c, z] : end[c, z]] >> 2, 0])
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
    weight, moment = (np.bincount(above, each, 2) for each in moments.T)
    if gap < 0 or mass[gap] == 0.0:
        above[of_rows == gap] = missing_above = weight[1] >= weight[0] - TIE
    means[:] = threshold, *(moment / weight), missing_above
    fitted[:] = means[1:3][above]
    return -1


@compiled(_divide_in_arrays, error_model="numpy")
def divide_rows(
    codes, n_codes, low, high, mixed, begin, end, rows, values, missing, moments, sums, cut, means, above,
    fitted,
):  # fmt: skip
    """Which rows lie above a cut; its threshold, both means, whether missing values are above, and the fit.

    The threshold is midway between the nearest values that carry weight; a code that must be put in order
    first is returned, -1 else. Each mean is of its own sums: a difference from those of all would lose a side
    of little weight.
    """
    c, z, place = cut
    g, j, gap = c // LANES, c % LANES, missing[c]
    of_rows = codes[c]
    lower, upper, unknown = nearest(
        sums[..., 0], mixed, n_codes, low, begin, end, rows, values, moments[:, 0], c, z, place
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
    for i in range(moments.shape[0]):  # without a branch, which no processor could foresee
        (weight, moment), is_above = moments[i], above[i] > 0
        w0 += 0.0 if is_above else weight
        m0 += 0.0 if is_above else moment
        w1 += weight if is_above else 0.0
        m1 += moment if is_above else 0.0
    if gap < 0 or sums[g, 0, gap, j, 0] + sums[g, 1, gap, j, 0] == 0.0:
        missing_above = w1 >= w0 - TIE
        for i in range(moments.shape[0] if gap >= 0 else 0):
            if of_rows[i] == gap:
                above[i] = missing_above
    means[0], means[1], means[2], means[3] = threshold, m0 / w0, m1 / w1, missing_above
    for i in range(above.shape[0]):
        fitted[i] = means[2] if above[i] else means[1]
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
        columns, codes = len(self.data.source), self.data.mixed.shape[1]
        self.moments, self.above = np.empty((len(X), 2)), np.empty(len(X), np.uint8)
        self.starts, self.bounds = np.empty((columns, 2, codes + 1)), np.empty((columns, codes))
        self.constant, self.gains = np.empty(columns), np.empty(columns)

    def fit(self, weights: np.ndarray, target: np.ndarray) -> tuple[RegressionStump, np.ndarray]:
        """A stump for weights and target of shape (n,), and its values, shape (n,)."""
        data, moments, starts, bounds, gains = self.data, self.moments, self.starts, self.bounds, self.gains
        sums, squares = self._add_up(weights, target)
        tie, cut, means, fitted = TIE * squares, np.empty(3, np.int64), np.empty(4), np.empty(len(weights))
        in_order = False
        while not in_order:
            found, in_order = nominate(
                data.n_codes, data.mixed, data.begin, sums, tie, starts, bounds, self.constant, gains
            )
            if not in_order:
                data.look(found)
        within, ordered = np.empty(len(found)), (data.begin, data.end, data.rows, moments, starts, bounds)

        def walk_some(first: int, last: int) -> None:
            walk_codes(found, first, last, data.n_codes, *ordered, gains, tie, within)

        data.threads.run(walk_some, len(found), WALKING * len(found) * len(weights) // bounds.shape[1])
        choose_cut(found, within, data.n_codes, data.source, *ordered, self.constant, gains, tie, cut)
        column, code, _ = cut.tolist()
        feature = int(data.source[column])
        if code < 0:
            mean = float(moments[:, 1].sum() / weights.sum())
            return RegressionStump(feature, -np.inf, mean, mean), np.full(len(weights), mean)

        def divide() -> int:
            return divide_rows(
                data.codes, data.n_codes, data.low, data.high, data.mixed, data.begin, data.end, data.rows,
                data.values, data.missing, moments, sums, cut, means, self.above, fitted,
            )  # fmt: skip

        while (code := divide()) >= 0:
            data.look(np.array([256 * column + code]))
        threshold, low, high, missing_above = means.tolist()
        return RegressionStump(feature, threshold, low, high, bool(missing_above)), fitted

    def _add_up(self, weights: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
        """Weights and sizes of weighted targets, negative ones first, of each code, and weighted squares."""
        data, n = self.data, len(weights)
        groups, codes, lanes = data.mixed.shape
        parts = min(PARTS, max(1, n // ROWS_OF_PART))
        sums, squares = np.zeros((parts, groups, 2, codes, lanes, 2)), np.empty(parts)

        def add(first: int, last: int) -> None:
            for k in range(first, last):
                inside = k * n // parts, (k + 1) * n // parts
                squares[k] = add_moments(
                    self.words, len(data.source), weights, target, *inside, self.moments, sums[k]
                )

        data.threads.run(add, parts, 2 * n * len(data.source))
        for part in sums[1:]:
            sums[0] += part
        return sums[0], float(squares.sum())


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
