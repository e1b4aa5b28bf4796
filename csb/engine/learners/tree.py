"""Classification trees, grown on binned features."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from csb.engine.binning import bin_features
from csb.engine.compiled import compiled
from csb.engine.learners.search import midway
from csb.engine.rules import TIE
from csb.inputs import check_count

__all__ = ["BoundTree", "DecisionTree", "Tree", "grow_tree", "tree_signs"]

kernel = compiled()
quick = compiled(error_model="numpy")  # without the check for division by zero: both sides carry weight

SHIFT = 4
WIDTH = 1 << SHIFT
"""Codes of a block. What no row of a node falls into is passed over block by block, not code by code."""

CODES = 256
"""So many codes a column has at most."""
CHUNK = 4096
"""Rows added up at a time: in a longer chain of additions rounding would part features that tie."""
NEARLY = 2 * TIE
"""By what share of the impurity a bound may miss the best gain: what ties, and what rounding leaves."""

SCALE = 400
"""Binary exponent to which the weight of a node is raised, so that no product of two sums is lost."""


@kernel
def _raised(weights, negative, positive):
    """Raise the weights of a node that weighs little, and its sums by class: a power of two is exact."""
    if negative + positive >= 1.0:
        return negative, positive
    exponent = SCALE - math.frexp(negative + positive)[1]
    for k in range(weights.shape[0]):
        weights[k] = math.ldexp(weights[k], exponent)
    return math.ldexp(negative, exponent), math.ldexp(positive, exponent)


@kernel
def _add_some(codes, f, rows, weights, labels, mass, used):
    """Weight of each code and class, ``mass[., j, y]``, in some rows, and the blocks these fall into.

    Of four features at a time: an addition waits for the one before, and four chains wait side by side.
    Where fewer than four are left, the last is repeated.
    """
    end = codes.shape[0] - 1
    c0, c1, c2, c3 = codes[f], codes[min(f + 1, end)], codes[min(f + 2, end)], codes[min(f + 3, end)]
    m0, m1, m2, m3 = mass
    u0, u1, u2, u3 = used
    for k in range(rows.shape[0]):
        i, w, y = rows[k], weights[k], np.uintp(labels[k])  # unsigned: no index needs to be asked its sign
        j0, j1, j2, j3 = np.uintp(c0[i]), np.uintp(c1[i]), np.uintp(c2[i]), np.uintp(c3[i])
        m0[j0, y] += w
        m1[j1, y] += w
        m2[j2, y] += w
        m3[j3, y] += w
        u0[j0 >> np.uintp(SHIFT)] = True
        u1[j1 >> np.uintp(SHIFT)] = True
        u2[j2 >> np.uintp(SHIFT)] = True
        u3[j3 >> np.uintp(SHIFT)] = True


@kernel
def _add_up(codes, f, rows, weights, labels, part, mass, used):
    """The same in a node; many rows are added up part by part."""
    n = rows.shape[0]
    if n <= CHUNK:
        _add_some(codes, f, rows, weights, labels, mass, used)
        return
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        _add_some(codes, f, rows[start:stop], weights[start:stop], labels[start:stop], part, used)
        for each in range(4):
            for z in range(mass.shape[1]):
                for y in range(2):
                    mass[each, z, y] += part[each, z, y]
                    part[each, z, y] = 0.0


@quick
def _gain(below, above):
    """What a cut takes from the impurity of a node, by the weights of both classes on both sides."""
    cross = below[1] * above[0] - below[0] * above[1]
    return (cross / (below[0] + below[1])) * (cross / (above[0] + above[1]))


@quick
def _look_through(mass, used, n_codes, first, at, below, above, bounds):
    """Number of the codes of a column that carry weight, gain of the best cut between two, largest bound.

    Fills in these codes, the weights of both classes below each and from it upwards, and what no cut within
    it gains more than; the histogram is left empty. A gain is convex in the weights below, so that of all
    that may lie below a cut within a code it is largest at a corner: all of one class and none of the other.
    """
    count, best, reach = 0, -np.inf, -np.inf
    for block in range((n_codes + WIDTH - 1) >> SHIFT):
        if used[block]:
            used[block] = False
            for z in range(block << SHIFT, min((block + 1) << SHIFT, n_codes)):
                at[count], above[count, 0], above[count, 1] = z, mass[z, 0], mass[z, 1]
                count += mass[z, 0] + mass[z, 1] > 0.0
                mass[z, 0] = mass[z, 1] = 0.0
    below[0, 0] = below[0, 1] = 0.0
    for k in range(count):
        bounds[k] = above[k, 0] > 0.0 and above[k, 1] > 0.0 and first[at[k] + 1] - first[at[k]] > 1
        for y in range(2):
            below[k + 1, y] = below[k, y] + above[k, y]
    above[count, 0] = above[count, 1] = 0.0
    for k in range(count - 1, -1, -1):
        for y in range(2):
            above[k, y] += above[k + 1, y]
    for k in range(count):
        if k > 0:
            best = max(best, _gain(below[k], above[k]))
        if bounds[k] > 0.0:
            bounds[k] = max(
                _gain((below[k + 1, 0], below[k, 1]), (above[k + 1, 0], above[k, 1])),
                _gain((below[k, 0], below[k + 1, 1]), (above[k, 0], above[k + 1, 1])),
            )
            reach = max(reach, bounds[k])
        else:
            bounds[k] = -np.inf  # one value, or one class: no cut within it is better than both beside it
    return count, best, reach


@kernel
def _add_within(codes, bins, rows, weights, labels, wanted, mass):
    """Weight of each bin and class in the codes that are wanted, and what each sum has lost by rounding."""
    for k in range(rows.shape[0]):
        i, y = rows[k], labels[k]
        if wanted[codes[i]]:
            j = bins[i]
            before, added = mass[j, y, 0], weights[k] - mass[j, y, 1]
            mass[j, y, 0] = before + added
            mass[j, y, 1] = (mass[j, y, 0] - before) - added


@quick
def _cut_within(mass, begin, end, below, above, at, found, gains):
    """Number of the bins of a code that carry weight, and what the cuts between them gain.

    ``below`` and ``above`` are the weights of both classes on both sides of the code. The histogram is left
    empty. No side's weight is a difference.
    """
    count = 0
    for j in range(begin, end):
        at[count], found[0, count], found[1, count] = j, mass[j, 0, 0], mass[j, 1, 0]
        count += mass[j, 0, 0] + mass[j, 1, 0] > 0.0
        mass[j] = 0.0
    above0, above1 = above
    for k in range(count - 1, 0, -1):
        above0, above1 = above0 + found[0, k], above1 + found[1, k]
        found[2, k - 1], found[3, k - 1] = above0, above1
    below0, below1 = below
    for k in range(count - 1):
        below0, below1 = below0 + found[0, k], below1 + found[1, k]
        gains[k] = _gain((below0, below1), (found[2, k], found[3, k]))
    return count


@quick
def _best_split(
    codes, n_codes, first, bins, rows, weights, labels, impurity, part, histogram, used, mass, at, found,
    gains, cut,
):  # fmt: skip
    """The feature on which to split a node, -1 if all its rows agree in all features.

    ``cut`` gets the bins on both sides. Weights are added up for codes, which hold many bins each. A code is
    looked at bin by bin where its bound reaches the best gain found.
    """
    d, most = codes.shape[0], histogram.shape[1]
    code, counts = np.empty((d, most), np.intp), np.empty(d, np.intp)
    below, above, bounds = np.empty((d, most + 1, 2)), np.empty((d, most + 1, 2)), np.empty((d, most))
    best, reach, wanted = np.empty(d), np.empty(d), np.zeros(most, np.bool_)
    for begin in range(0, d, 4):
        _add_up(codes, begin, rows, weights, labels, part, histogram, used)
        for each in range(4):
            f = min(begin + each, d - 1)
            counts[f], best[f], reach[f] = _look_through(
                histogram[each], used[each], n_codes[f], first[f], code[f], below[f], above[f], bounds[f]
            )
    nearly, top = NEARLY * impurity, best.max()
    for f in np.argsort(-reach):
        enough = max(top - nearly, 0.0)
        if reach[f] < enough:
            break
        for k in range(counts[f]):
            wanted[code[f, k]] = bounds[f, k] >= enough
        _add_within(codes[f], bins[f], rows, weights, labels, wanted, mass)
        for k in range(counts[f]):
            z = code[f, k]
            if wanted[z]:
                wanted[z] = False
                count = _cut_within(
                    mass, first[f, z], first[f, z + 1], below[f, k], above[f, k + 1], at, found, gains
                )
                for j in range(count - 1):
                    best[f] = max(best[f], gains[j])
        top = max(top, best[f])
    if top < 0.0:
        return -1
    f = np.argmax(best / impurity >= top / impurity - TIE)

    # the lowest cut that ties: between two codes, or within one below
    least, last = best[f] - TIE * impurity, 1
    while last < counts[f] and _gain(below[f, last], above[f, last]) < least:
        last += 1
    for k in range(counts[f]):
        wanted[code[f, k]] = last - 1 <= k <= last or (k < last and bounds[f, k] >= best[f] - nearly)
    _add_within(codes[f], bins[f], rows, weights, labels, wanted, mass)
    searching = True
    for k in range(counts[f]):
        z = code[f, k]
        if not wanted[z]:
            continue
        count = _cut_within(
            mass, first[f, z], first[f, z + 1], below[f, k], above[f, k + 1], at, found, gains
        )
        if searching and k == last:
            cut[1], searching = at[0], False
        for j in range(count - 1):
            if searching and gains[j] >= least:
                cut[0], cut[1], searching = at[j], at[j + 1], False
        if searching:
            cut[0] = at[count - 1]
    return f


@kernel
def _part(column, cut, rows, weights, labels, spare_rows, spare_weights, spare_labels):
    """Move the rows up to the cut before the others, each in their order, and count them."""
    below, others = np.uintp(0), np.uintp(0)
    for k in range(rows.shape[0]):  # both writes, and no branch: a row's side cannot be foreseen
        i, w, y = rows[k], weights[k], labels[k]
        rows[below], weights[below], labels[below] = i, w, y
        spare_rows[others], spare_weights[others], spare_labels[others] = i, w, y
        side = np.uintp(column[i] > cut)
        others += side
        below += np.uintp(1) - side
    for k in range(others):
        at = below + k
        rows[at], weights[at], labels[at] = spare_rows[k], spare_weights[k], spare_labels[k]
    return np.intp(below)


@kernel
def _add_sides(weights, labels, border, sums):
    """Weights of both classes on both sides of a split, ``sums[side, y]``; the border parts the rows."""
    sums[:] = 0.0
    for k in range(weights.shape[0]):
        sums[int(k >= border), labels[k]] += weights[k]


@kernel
def _note(waiting, start, stop, depth, parent):
    """Fill in a node that is still to be grown, number by number: arrays take two seconds more to compile."""
    waiting[0], waiting[1], waiting[2], waiting[3] = start, stop, depth, parent


def _between_in_arrays(values, cut, beyond):
    """Array form of ``_between``."""
    middle = midway(values[cut], values[beyond])
    return middle, cut + np.searchsorted(values[cut + 1 : beyond], middle, side="right")


@compiled(_between_in_arrays)
def _between(values, cut, beyond):
    """Midway between the bins on both sides of a cut, and the last bin up to there, which may be empty."""
    middle = midway(values[cut], values[beyond])
    while cut + 1 < beyond and values[cut + 1] <= middle:
        cut += 1
    return middle, cut


def _grow_tree_in_arrays(codes, n_codes, first, bins, values, w, y, max_depth, predicted):
    """Array form of ``grow_tree``."""
    weights = w * 2.0**SCALE
    nodes: list[list] = []
    waiting = [(np.arange(len(w)), weights, np.bincount(y, weights, 2), 0, -1)]
    while waiting:
        rows, weights, (negative, positive), depth, parent = waiting.pop()
        if parent >= 0:
            nodes[parent][2] = len(nodes)
        sign = 1 if positive - negative > TIE * (positive + negative) else -1
        nodes.append([0, 0.0, 0, sign, 0.0])  # a leaf
        split = None
        if depth < max_depth and negative > 0.0 and positive > 0.0:
            impurity = (negative / (negative + positive)) * positive
            if negative + positive < 1.0:
                exponent = SCALE - math.frexp(negative + positive)[1]
                weights = np.ldexp(weights, exponent)
                negative, positive = math.ldexp(negative, exponent), math.ldexp(positive, exponent)
            carried = weights > 0.0
            some = rows[carried]
            split = _split_in_arrays(
                bins[:, some], first.max(), weights[carried], y[some], negative * positive
            )
        if split is None:
            predicted[rows] = sign > 0
            continue
        f, sides = split
        threshold, cut = _between(values[f], *sides)
        above = bins[f, rows] > cut
        sums = np.bincount(2 * above + y[rows], weights, 4).reshape(2, 2)
        nodes[-1] = [f, threshold, 0, sign, impurity * (_gain_in_arrays(*sums) / (negative * positive))]
        waiting.append((rows[above], weights[above], sums[1], depth + 1, len(nodes) - 1))
        waiting.append((rows[~above], weights[~above], sums[0], depth + 1, -1))  # the next to be taken up
    kinds = np.int64, float, np.int64, np.int8, float
    return tuple(np.array(each, kind) for each, kind in zip(zip(*nodes, strict=True), kinds, strict=True))


def _gain_in_arrays(below, above):
    """Array form of ``_gain``."""
    cross = below[1] * above[0] - below[0] * above[1]
    return (cross / (below[0] + below[1])) * (cross / (above[0] + above[1]))


def _split_in_arrays(bins, largest, weights, labels, impurity):
    """Array form of ``_best_split``, for rows that carry weight; None if all agree.

    Feature, and bins on both sides of its cut, found by trying every one.
    """
    d = len(bins)
    occupied = np.zeros((d, largest), bool)
    np.put_along_axis(occupied, bins, True, axis=1)
    place = np.take_along_axis(occupied.cumsum(axis=1), bins, axis=1) - 1  # among the occupied bins
    count = occupied.sum(axis=1, keepdims=True)
    shape = 2, d, count.max()
    cells = (labels.astype(np.intp) * d + np.arange(d)[:, np.newaxis]) * shape[2] + place
    coarse = 0.75 * 2.0 ** (27 + math.frexp(weights.max())[1])
    high = (weights + coarse) - coarse  # so few digits that their sums are exact, whatever their order
    mass = np.array(
        [np.bincount(cells.ravel(), np.tile(part, d), math.prod(shape)) for part in (high, weights - high)]
    ).reshape(2, *shape)
    below = mass.cumsum(axis=3)[..., :-1].sum(axis=0)
    above = mass[..., :0:-1].cumsum(axis=3)[..., ::-1].sum(axis=0)
    gains = _gain_in_arrays(below, above)
    gains[np.arange(1, shape[2]) >= count] = -np.inf
    best = gains.max(axis=1, initial=-np.inf)
    shares = best / impurity
    if shares.max() < 0.0:
        return None
    f = np.argmax(shares >= shares.max() - TIE)
    k = np.argmax(gains[f] >= best[f] - TIE * impurity)
    return f, np.flatnonzero(occupied[f])[k : k + 2]


@compiled(_grow_tree_in_arrays)
def grow_tree(codes, n_codes, first, bins, values, w, y, max_depth, predicted):
    """The tree for weights ``w`` of the rows; fills in what it predicts for each, 0 or 1.

    Features are given by their bins, and by codes: code z of feature f has the bins from ``first[f, z]`` on.
    Its nodes in preorder: features, thresholds, right children (0 of a leaf), signs, decreases of impurity.
    Rows without weight go along and change nothing.
    """
    n = codes.shape[1]
    max_depth = min(max_depth, n - 1)
    capacity = 2 * n - 1 if max_depth > 40 else min(2 * n - 1, (2 << max_depth) - 1)
    feature, threshold = np.zeros(capacity, np.int64), np.zeros(capacity)
    right, sign = np.zeros(capacity, np.int64), np.empty(capacity, np.int8)
    decrease = np.zeros(capacity)

    most, largest = n_codes.max(), first.max()
    (part, histogram), used = np.zeros((2, 4, most, 2)), np.zeros((4, (most >> SHIFT) + 1), np.bool_)
    mass, at, found = np.zeros((largest, 2, 2)), np.empty(largest, np.intp), np.empty((4, largest))
    gains, cut, sums = np.empty(largest), np.empty(2, np.intp), np.empty((2, 2))

    rows, weights, labels = np.arange(n).astype(np.uint32), w * 2.0**SCALE, y.copy()
    spare_rows, spare_weights, spare_labels = np.empty_like(rows), np.empty(n), np.empty_like(labels)
    # of what is still to be grown: first and last row, depth, the node whose right child it is; weights
    waiting, totals = np.empty((max_depth + 2, 4), np.int64), np.zeros((max_depth + 2, 2))
    for k in range(n):
        totals[0, labels[k]] += weights[k]
    _note(waiting[0], 0, n, 0, -1)
    node, left_over = -1, 1
    while left_over > 0:
        node += 1
        left_over -= 1
        start, stop, depth, parent = waiting[left_over]
        negative, positive = totals[left_over]
        if parent >= 0:
            right[parent] = node
        sign[node] = 1 if positive - negative > TIE * (positive + negative) else -1
        i, v, labelled = rows[start:stop], weights[start:stop], labels[start:stop]
        f, impurity = -1, 0.0
        if depth < max_depth and negative > 0.0 and positive > 0.0:
            impurity = (negative / (negative + positive)) * positive
            negative, positive = _raised(v, negative, positive)
            f = _best_split(
                codes, n_codes, first, bins, i, v, labelled, negative * positive,
                part, histogram, used, mass, at, found, gains, cut,
            )  # fmt: skip
        if f < 0:
            for k in range(len(i)):
                predicted[i[k]] = sign[node] > 0
            continue
        feature[node] = f
        threshold[node], last = _between(values[f], cut[0], cut[1])
        border = start + _part(bins[f], last, i, v, labelled, spare_rows, spare_weights, spare_labels)
        _add_sides(v, labelled, border - start, sums)
        decrease[node] = impurity * (_gain(sums[0], sums[1]) / (negative * positive))
        _note(waiting[left_over], border, stop, depth + 1, node)
        _note(waiting[left_over + 1], start, border, depth + 1, -1)  # the next to be taken up
        for k in range(2):
            totals[left_over, k], totals[left_over + 1, k] = sums[1, k], sums[0, k]
        left_over += 2
    node += 1
    return (
        feature[:node].copy(), threshold[:node].copy(), right[:node].copy(), sign[:node].copy(),
        decrease[:node].copy(),
    )  # fmt: skip


def _tree_signs_in_arrays(X, feature, threshold, right, sign, signs):
    """Array form of ``tree_signs``: all rows go down a level at a time."""
    node, rows = np.zeros(len(X), np.int64), np.arange(len(X))
    while len(rows := rows[right[node[rows]] > 0]):
        at = node[rows]
        node[rows] = np.where(X[rows, feature[at]] <= threshold[at], at + 1, right[at])
    signs[:] = sign[node]


@compiled(_tree_signs_in_arrays)
def tree_signs(X, feature, threshold, right, sign, signs):
    """What a tree says of each row."""
    for i in range(X.shape[0]):
        node = 0
        while right[node] > 0:
            node = node + 1 if X[i, feature[node]] <= threshold[node] else right[node]
        signs[i] = sign[node]


def _gather(bins: np.ndarray, n_bins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes (d, n) that hold about as many rows each, their numbers (d,) and first bins (d, C + 1).

    A code holds neighbouring bins, a single one where a feature has no more bins than codes, or none, behind
    a bin of many rows.
    """
    n_codes = np.minimum(n_bins, min(CODES, max(16, bins.shape[1] // 16)))
    codes = np.empty(bins.shape, np.uint8)
    first = np.empty((len(bins), n_codes.max() + 1), np.intp)
    for f, (of_rows, bound) in enumerate(zip(bins, n_bins, strict=True)):
        code = np.arange(bound)
        if bound > n_codes[f]:
            counts = np.bincount(of_rows, minlength=bound)
            code = (counts.cumsum() - counts) * n_codes[f] // len(of_rows)
        codes[f] = code.astype(np.uint8)[of_rows]
        first[f] = np.searchsorted(code, np.arange(first.shape[1]))
    return codes, n_codes, first


DEPTH = 5
"""That of ``estimator="tree"``."""


@dataclass
class Tree(BaseEstimator):
    """Classification trees of a chosen depth as weak learner; ``"tree"`` is the one of depth five.

    Parameters
    ----------
    max_depth : int, default 5
        Largest number of questions asked of an example.

    Examples
    --------
    >>> from csb import AdaBoost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(n_estimators=10, estimator=Tree(max_depth=3)).fit(X, y).score(X, y)
    1.0
    """

    max_depth: int = DEPTH
    accepts: ClassVar[frozenset[str]] = frozenset()

    def bind(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> BoundTree:
        """Bin features of shape (n, d), with classes of shape (n,); base weights are of no consequence."""
        return BoundTree(X, y, max_depth=self.max_depth)


class DecisionTree(NamedTuple):
    """A weak hypothesis that asks of each example ``x[feature] > threshold``, node by node.

    Attributes
    ----------
    feature, threshold : ndarray of shape (n_nodes,)
        What each node asks. They stand in preorder: for "no" the next node comes next.
    right : ndarray of shape (n_nodes,)
        The next node for "yes"; 0 for a leaf.
    sign : ndarray of shape (n_nodes,)
        What a leaf predicts, -1 or +1.
    decrease : ndarray of shape (n_nodes,)
        By how much a split lowers the Gini impurity, in weights that all nodes share; 0 of a leaf.
    """

    feature: np.ndarray
    threshold: np.ndarray
    right: np.ndarray
    sign: np.ndarray
    decrease: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        signs = np.empty(len(X))
        tree_signs(np.asarray(X), *self[:4], signs)
        return signs


class BoundTree:
    """Trees on binned data, one model at a time.

    A node is split where the weighted Gini impurity decreases most, be it by nothing, as scikit-learn's
    ``DecisionTreeClassifier(max_depth=...)`` does, until the depth is reached, a node is pure or its examples
    agree in all features. Decreases closer than 1e-12 of the node's impurity are a tie, decided by the lowest
    feature, then the lowest threshold. The threshold is midway between the nearest values in the node that
    carry weight. A leaf predicts the class of larger weight, or ``-`` where they differ by no more than 1e-12
    of the leaf's.
    """

    accepts: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, X: np.ndarray, y: np.ndarray, *, max_depth: int = DEPTH) -> None:
        self.max_depth = check_count("max_depth", max_depth)
        self.labels, self.data = y, bin_features(X)
        self.codes, self.n_codes, self.first = _gather(self.data.codes, self.data.n_bins)

    def relabelled(self, y: np.ndarray) -> BoundTree:
        """The same features with other labels."""
        other = copy(self)
        other.labels = y
        return other

    def fit(self, weights: np.ndarray) -> tuple[list[DecisionTree], np.ndarray]:
        """Trees and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        predicted = np.empty(weights.shape, np.uint8)
        features = self.codes, self.n_codes, self.first, self.data.codes, self.data.values
        trees = [
            DecisionTree(*grow_tree(*features, w, self.labels, self.max_depth, signs))
            for w, signs in zip(weights, predicted, strict=True)
        ]
        return trees, predicted
