"""From boosting scores to probabilities: Platt scaling, beta calibration, isotonic and Venn-Abers steps.

Section 4 of Nikolaou et al. (2016). A calibrator sees one score per example, so it serves any method; the
calibration examples are not weighted by cost (the book's errata page, E-N13). For one ensemble the share
of the votes and the raw score are affine images of each other, and every calibrator here gives both the
same probabilities. Temperature scaling, which takes scores for log odds, has a module of its own.

Both sigmoids are logistic regressions on few columns. Newton's method with backtracking is fast and, where it
ends at the optimum, exact. On scores of few values, or classes or weights that are very unequal, it may leap
to where all probabilities are zero or one to rounding, and stay there. So what it ends with is judged by the
Newton step that is left, and where that is not negligible, cautious steps begin anew, which cannot leap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from csb.engine.compiled import compiled
from csb.engine.elementary import expit, log, logaddexp
from csb.evaluation.calibrator import Calibrator, read_fit
from csb.evaluation.temperature import TemperatureScaling
from csb.inputs import one_of, read_array

__all__ = [
    "CALIBRATORS", "BetaCalibration", "IsotonicCalibration", "PlattScaling", "VennAbersCalibration",
    "calibrate_models", "make_calibrator",
]  # fmt: skip

PlattMethod = Literal["likelihood", "least_squares"]
Calibration = Literal["sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers", "temperature"]

ROUNDING = 8 * np.finfo(float).eps
"""Scores closer than this share of half their range are ties that rounding has broken."""
SMALLEST = 1e-100
"""Half the range that scores need: for a smaller one, the curve is too steep for doubles."""
MOST = 1e200
"""Log odds are kept within this, where a product with a coefficient is still finite."""
STEPS, CAUTIOUS_STEPS = 200, 1000
"""Newton steps at most: a handful is enough, and some dozens of those that cannot leap."""
HALVINGS = 100
"""How often a step is halved at most."""
SETTLED = 1e-7
"""Where a Newton step changes no log odds by more than this, the fit is at its optimum."""
DEPENDENT = 1e-13
"""A column is a sum of earlier ones where no larger part of it is left beside them in any row."""


class PlattScaling(Calibrator):
    r"""Platt scaling: a logistic curve over the score.

    :math:`\hat p = 1/(1+e^{As+B})`, Section 4 of Nikolaou et al. (2016). :math:`A` and :math:`B` are
    fitted without penalty to Platt's targets, :math:`(N_++1)/(N_++2)` for a positive and
    :math:`1/(N_-+2)` for a negative example, so that they are finite even where the scores separate the
    classes. :math:`N_+` and :math:`N_-` are sums of weights: an integer weight equals so many copies. If all
    scores are equal, the curve is flat, at the mean of the targets.

    Parameters
    ----------
    method : {"likelihood", "least_squares"}, default "likelihood"
        Maximise the likelihood of the targets, as Platt does, or minimise the squared error, as the code
        of Nikolaou et al. does.
        The squared error may have several minima: the one returned is reached from the curve of the largest
        likelihood, and its error is no larger.

    Attributes
    ----------
    a_, b_ : float
        :math:`A`, negative where a larger score speaks for the positive class, and :math:`B`.

    Examples
    --------
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> platt.predict([-2.0, 0.0, 2.0]).round(3)
    array([0.206, 0.5  , 0.794])
    """

    def __init__(self, method: PlattMethod = "likelihood") -> None:
        self.method = one_of("method", method, get_args(PlattMethod))

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        a, b = _fit_platt(score[np.newaxis], positive, weight, self.method)
        self.a_, self.b_ = a.item(), b.item()

    def _map(self, score: np.ndarray) -> np.ndarray:
        return _on_curve(self.a_, self.b_, score)


class BetaCalibration(Calibrator):
    r"""Beta calibration: a logistic regression on the two logarithms of a probability.

    :math:`\hat q=1/\bigl(1+e^{-(a\ln p-b\ln(1-p)+c)}\bigr)` with :math:`a,b\ge0`, the map of Kull, Silva
    Filho and Flach (2017): a coefficient that would be negative is left out, as they do. The probability
    :math:`p` is Platt's of the score, so that the scale of the score does not matter, and the labels are
    Platt's targets, so that the coefficients are finite; with :math:`a=b` the curve is Platt's.

    Attributes
    ----------
    a_, b_, c_ : float
        The coefficients.

    Examples
    --------
    >>> beta = BetaCalibration().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> beta.predict([-2.0, 0.0, 2.0]).round(3)
    array([0.206, 0.5  , 0.794])
    """

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        self._platt = PlattScaling().fit(score, positive.astype(int), weight)
        sides, (target, rest, _) = _logarithms(self._platt, score), _smooth_targets(positive, weight)
        kept = [0, 1]
        coefficients = _fit_sides(sides, target, rest, weight, kept)
        while np.any(negative := coefficients[kept] < 0):
            del kept[int(np.argmax(negative))]
            coefficients = _fit_sides(sides, target, rest, weight, kept)
        self.a_, self.b_, self.c_ = coefficients.tolist()

    def _map(self, score: np.ndarray) -> np.ndarray:
        below, above = _logarithms(self._platt, score)
        return expit(self.a_ * below + self.b_ * above + self.c_)


class IsotonicCalibration(Calibrator):
    """Isotonic regression: the non-decreasing function of the score that is closest to the labels.

    Section 4 of Nikolaou et al. (2016); scikit-learn's ``IsotonicRegression``, interpolated between
    the scores it was fitted to and constant beyond. Scores that differ by rounding only are ties: whether two
    equal sums of votes come out equal depends on the order in which they were added.

    Attributes
    ----------
    regression_ : sklearn.isotonic.IsotonicRegression
        Fitted to the scores mapped to [-1, 1].

    Examples
    --------
    >>> isotonic = IsotonicCalibration().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> isotonic.predict([0.0, 0.2, 0.3, 0.35])
    array([0.  , 0.5 , 0.5 , 0.75])
    """

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        self._middle, self._width = _span(score)
        first, _, group = _groups((score - self._middle) / self._width)
        merged = first[group]
        regression = IsotonicRegression(out_of_bounds="clip")
        self.regression_ = regression.fit(merged, positive.astype(float), weight)

    def _map(self, score: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            place = np.clip((score - self._middle) / self._width, -1, 1)
        return self.regression_.predict(place)


class VennAbersCalibration(Calibrator):
    r"""Inductive Venn-Abers prediction: isotonic regression that counts the example itself, as either class.

    For a new score, isotonic regression is fitted twice to the calibration examples and this one, labelled
    negative and labelled positive; its own fitted values are :math:`p_0` and :math:`p_1` (Vovk, Petej and
    Fedorova 2015). The probability is :math:`p_1/(1-p_0+p_1)`, which they show to be minimax for the log
    loss. The new example weighs one. Scores that differ by rounding only are ties. The time of a fit of n
    examples is of order n log n.

    Examples
    --------
    One positive above one negative: between them :math:`p_0=0` and :math:`p_1=1`.

    >>> venn_abers = VennAbersCalibration().fit([0.0, 1.0], [0, 1])
    >>> venn_abers.predict([-1.0, 0.5, 1.0]).round(3)
    array([0.333, 0.5  , 0.667])
    """

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        self._middle, self._width = _span(score)
        self._first, self._last, group = _groups((score - self._middle) / self._width)
        count = len(self._first)
        positives = np.bincount(group, weight * positive, count)
        negatives = np.bincount(group, weight * ~positive, count)
        # a negative example and the positives it is pooled with, from the right: the same problem
        below = _home_blocks(negatives[::-1].copy(), positives[::-1].copy())[::-1]
        above = _home_blocks(positives, negatives)
        p0, p1 = below[:, 1] / below.sum(axis=1), above[:, 0] / above.sum(axis=1)
        # a negative at a tie is pooled as if it came after the group, a positive as if before
        self._fitted = np.column_stack([np.repeat(p0, 2)[1:], np.repeat(p1, 2)[:-1]])

    def intervals(self, scores: ArrayLike) -> np.ndarray:
        """Both probabilities of each score.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.

        Returns
        -------
        ndarray of shape (n, 2)
            :math:`p_0` and :math:`p_1`.
        """
        return self._both(self._read_new(scores))

    def _both(self, score: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            place = (score - self._middle) / self._width
        below = np.searchsorted(self._first - ROUNDING, place, side="right")
        tied = (below > 0) & (place <= self._last[below - 1] + ROUNDING)
        return self._fitted[2 * below - tied]

    def _map(self, score: np.ndarray) -> np.ndarray:
        p0, p1 = self._both(score).T
        return p1 / (1 - p0 + p1)


CALIBRATORS: dict[Calibration, Callable[[], Calibrator]] = {
    "sigmoid": PlattScaling,
    "sigmoid_ls": partial(PlattScaling, method="least_squares"),
    "beta": BetaCalibration,
    "isotonic": IsotonicCalibration,
    "venn_abers": VennAbersCalibration,
    "temperature": TemperatureScaling,
}
"""Calibrators by the name that estimators take.

:meta hide-value:
"""


def make_calibrator(calibration: Calibration) -> Calibrator:
    """A calibrator by its name.

    Parameters
    ----------
    calibration : {"sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers", "temperature"}
        Platt scaling by maximum likelihood or by least squares, beta calibration, isotonic regression,
        Venn-Abers prediction or temperature scaling.

    Returns
    -------
    Calibrator
        Not fitted.

    Raises
    ------
    ValueError
        If the name is not known; the nearest one is named.

    Examples
    --------
    >>> make_calibrator("isotonic").fit([0, 1], [0, 1]).predict([0.5])
    array([0.5])
    """
    return CALIBRATORS[one_of("calibration", calibration, CALIBRATORS)]()


def calibrate_models(
    calibration: Calibration, scores: ArrayLike, y: ArrayLike, new_scores: ArrayLike
) -> np.ndarray:
    """Probabilities of several models, each calibrated for itself on the same examples.

    Parameters
    ----------
    calibration : {"sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers", "temperature"}
        The calibrator.
    scores : array_like of shape (B, n)
        Finite scores of the calibration examples, from each of B models.
    y : array_like of shape (n,)
        Their labels, 0 and 1, or -1 and 1.
    new_scores : array_like of shape (B, m)
        Finite scores to be mapped.

    Returns
    -------
    ndarray of shape (B, m)
        What :func:`make_calibrator`, fitted to a row of ``scores``, makes of that row of ``new_scores``.

    Raises
    ------
    ValueError
        If the calibrator is not known, or scores or labels are not admissible.

    Examples
    --------
    >>> calibrate_models("isotonic", [[0, 1], [1, 0]], [0, 1], [[1], [1]])
    array([[1. ],
           [0.5]])
    """
    calibrator = make_calibrator(calibration)
    score, positive, weight = read_fit(scores, y, models=(None,))
    new = read_array("new_scores", new_scores, shape=(len(score), None))
    if isinstance(calibrator, PlattScaling):
        return _on_curve(*_fit_platt(score, positive, weight, calibrator.method), new)
    rows = zip(score, new, strict=True)
    return np.stack([calibrator.fit(before, positive).predict(after) for before, after in rows])


def _span(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half width of each model's range; a width of 1 where all scores are equal."""
    low, high = scores.min(axis=-1, keepdims=True) / 2, scores.max(axis=-1, keepdims=True) / 2
    width = high - low
    if np.any(narrow := (0 < width) & (width < SMALLEST)):
        raise ValueError(
            f"scores reach over {width[narrow][0]:g}: allowed are equal ones, or {SMALLEST:g} and more"
        )
    return low + high, np.where(width == 0, 1.0, width)


def _groups(place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and last score of each group of ties, in order, and the group of every score."""
    values, index = np.unique(place, return_inverse=True)
    starts = np.diff(values, prepend=-np.inf) > ROUNDING
    ends = np.append(starts[1:], True)
    return values[starts], values[ends], (np.cumsum(starts) - 1)[index]


def _smooth_targets(positive: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Platt's targets in place of the labels, one less them, and the log odds of the classes.

    Each class has one more example in the log odds.
    """
    n_pos, n_neg = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    rest = np.where(positive, 1 / (n_pos + 2), (n_neg + 1) / (n_neg + 2))
    return target, rest, float(log((n_pos + 1) / (n_neg + 1)))


@np.errstate(all="ignore")
def _fit_platt(
    scores: np.ndarray, positive: np.ndarray, weight: np.ndarray, method: PlattMethod
) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients A and B of each model, shape (B, 1), from its scores, shape (B, n)."""
    target, rest, prior = _smooth_targets(positive, weight)
    middle, width = _span(scores)
    mapped = np.ascontiguousarray((scores - middle) / width)
    if np.all(target == target[0]):  # one class: its target everywhere
        curves = np.full((len(scores), 2), (0.0, prior))
    else:
        squared = method == "least_squares"
        curves = np.array([_fit_curve(row, target, rest, weight, prior, squared) for row in mapped])
    slope, offset = curves[:, :1], curves[:, 1:]
    return -slope / width, -offset + slope * (middle / width)


def _on_curve(a: float | np.ndarray, b: float | np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Probabilities of the positive class."""
    with np.errstate(over="ignore"):  # infinite log odds are a probability of zero or one
        return expit(-(a * scores + b))


def _fit_curve(
    scores: np.ndarray, target: np.ndarray, rest: np.ndarray, weight: np.ndarray, prior: float, squared: bool
) -> tuple[float, float]:
    """Fit the log odds of the targets by a straight line in the scores.

    The squared error may have several minima. The one returned is reached from the curve of the largest
    likelihood, by steps of which none raises the error.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Scores, mapped to [-1, 1].
    target, rest : ndarray of shape (n,)
        Probabilities to fit, and one less them.
    weight : ndarray of shape (n,)
        The positive weights of the examples.
    prior : float
        Log odds to start from.
    squared : bool
        Whether to minimise the squared error and not the log loss.

    Returns
    -------
    slope, offset : float
        Of the log odds.
    """
    problem = np.array([np.ones_like(scores), scores]), target, rest, weight / weight.max()
    slope, offset = 0.0, prior
    for of_squares in (False, True)[: 1 + squared]:
        line = np.array([offset, slope])
        slope, offset = _minimise(slope, offset, of_squares, scores, target, weight)
        if not _settled(np.array([offset, slope]), of_squares, *problem):
            offset, slope = _fit_columns(line, of_squares, *problem).tolist()
    return slope, offset


def _logarithms(platt: PlattScaling, scores: np.ndarray) -> np.ndarray:
    """The logarithms ln p and -ln(1 - p) of Platt's probabilities."""
    with np.errstate(over="ignore"):
        log_odds = np.clip(-(platt.a_ * scores + platt.b_), -MOST, MOST)
    return np.array([-logaddexp(0.0, -log_odds), logaddexp(0.0, log_odds)])


@np.errstate(all="ignore")
def _fit_sides(
    sides: np.ndarray, target: np.ndarray, rest: np.ndarray, weight: np.ndarray, kept: list[int]
) -> np.ndarray:
    """Coefficients of the logistic regression on the sides that are kept, zero for the others.

    They are sought from Platt's curve, which stays where the sides are one line, as of equal scores.
    """
    columns = np.array([np.ones_like(target), *sides[kept]])
    start = np.array([0.0, *np.ones(len(kept))])
    coefficients = np.zeros(3)
    coefficients[[2, *kept]] = _fit_columns(start, False, columns, target, rest, weight / weight.max())
    return coefficients


Fit = tuple[float, float, float, float, float, float]
"""Value of an objective, its gradient in slope and offset, and the three entries of its matrix."""


def _fit_line(
    slope: float, offset: float, squared: bool, scores: np.ndarray, target: np.ndarray, weight: np.ndarray
) -> Fit:
    """Log loss with its Hessian, or half the squared error with its Gauss-Newton matrix."""
    f = slope * scores + offset
    p = expit(f)
    if squared:
        miss, change = p - target, p * (1.0 - p)
        value, up, flat = weight * (miss * miss) / 2.0, weight * miss * change, weight * (change * change)
    else:
        value = weight * (logaddexp(0.0, f) - target * f)
        up, flat = weight * (p - target), weight * p * (1.0 - p)
    mixed = flat * scores
    return tuple(np.array([value, up * scores, up, mixed * scores, mixed, flat]).sum(axis=1).tolist())


def _minimise(
    slope: float, offset: float, squared: bool, scores: np.ndarray, target: np.ndarray, weight: np.ndarray
) -> tuple[float, float]:
    """Newton steps with backtracking, to the last digit: the fit must not depend on the scores' scale."""
    value, along, up, steep, mixed, flat = _fit_line(slope, offset, squared, scores, target, weight)
    for _ in range(STEPS):
        if flat == 0.0:  # every probability is zero or one, to rounding
            break
        determinant = steep * flat - mixed * mixed
        if determinant <= 1e-15 * steep * flat:  # constant scores: the slope stays where it is
            by_slope, by_offset = 0.0, up / flat
        else:
            by_slope = (flat * along - mixed * up) / determinant
            by_offset = (steep * up - mixed * along) / determinant
        gain = 1e-4 * (along * by_slope + up * by_offset)
        # within its rounding error the loss cannot judge a step, and the full one is right
        bound = value * (1.0 + 1e-14)
        trial = _fit_line(slope - by_slope, offset - by_offset, squared, scores, target, weight)
        halvings = 0
        while trial[0] > bound - gain and halvings < HALVINGS:
            halvings += 1
            by_slope, by_offset, gain = by_slope / 2.0, by_offset / 2.0, gain / 2.0
            trial = _fit_line(slope - by_slope, offset - by_offset, squared, scores, target, weight)
        slope, offset = slope - by_slope, offset - by_offset
        value, along, up, steep, mixed, flat = trial
        if max(abs(by_slope), abs(by_offset)) <= 1e-12 * max(1.0, abs(slope), abs(offset)):
            break
    return slope, offset


def _newton_step(
    columns: np.ndarray, residual: np.ndarray, curvature: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """A Newton step, what it takes from each log odds, and the largest of it, NaN near no minimum.

    The columns are made orthogonal one after the other: no sum of heavy rows hides what light ones say.
    A column that is a sum of earlier ones keeps its coefficient.
    """
    count = len(columns)
    basis, share, norms = columns.copy(), np.zeros((count, count)), np.zeros(count)
    step, change = np.zeros(count), np.zeros(columns.shape[1])
    for j, own in enumerate(basis):
        size = abs(own).max()
        for k in np.flatnonzero(norms[:j] > 0.0):
            share[k, j] = (curvature * basis[k] * own).sum() / norms[k]
            own -= share[k, j] * basis[k]
        if abs(own).max() <= DEPENDENT * size:
            continue
        norms[j] = (curvature * own * own).sum()
        if not norms[j] > 0.0:
            return step, change, np.nan
        step[j] = (residual * own).sum() / norms[j]
        change += step[j] * own
    for j in range(count - 1, -1, -1):
        step[:j] -= share[:j, j] * step[j]
    return step, change, np.fmax.reduce(abs(change), initial=0.0)


def _derivatives(
    coefficients: np.ndarray,
    kind: int,
    columns: np.ndarray,
    target: np.ndarray,
    rest: np.ndarray,
    weight: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """First and second derivatives by the log odds of each row, and these; half the squared error.

    Of the log loss (``kind`` 0) or of half the squared error (1), or instead of that one's second derivatives
    what Gauss and Newton leave of them, which is never negative (2).
    """
    f = np.zeros(len(weight))
    for coefficient, column in zip(coefficients, columns, strict=True):
        f += coefficient * column
    p, q = expit(f), expit(-f)
    miss = np.where(f < 0.0, p - target, rest - q)  # of two small numbers, not of two near one
    change = p * q
    error = (weight * (miss * miss) / 2.0).sum()
    if kind == 0:
        return weight * miss, weight * change, f, error
    bend = miss * (q - p) if kind == 1 else 0.0
    return weight * miss * change, weight * change * (change + bend), f, error


def _settled(
    coefficients: np.ndarray,
    squared: bool,
    columns: np.ndarray,
    target: np.ndarray,
    rest: np.ndarray,
    weight: np.ndarray,
) -> bool:
    """Whether the Newton step that is left changes nothing."""
    residual, curvature, _, _ = _derivatives(coefficients, int(squared), columns, target, rest, weight)
    return _newton_step(columns, residual, curvature)[2] <= SETTLED


def _reach(log_odds: np.ndarray, change: np.ndarray) -> float:
    """Part of a step, at most all, that changes no log odds by more than their size and one."""
    part, sizes, limits = 1.0, abs(change), 1.0 + abs(log_odds)
    far = sizes > limits
    for size, limit in zip(sizes[far].tolist(), limits[far].tolist(), strict=True):
        if part * size > limit:
            part = limit / size
    return part


def _fit_columns(
    coefficients: np.ndarray,
    squared: bool,
    columns: np.ndarray,
    target: np.ndarray,
    rest: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    """Logistic regression by Newton steps that cannot leap, from the coefficients that are given.

    A step that changes no log odds by more than 1.5 lowers the log loss (Bach 2010). A longer one is halved
    until it does not lead past the minimum on its line. That of the squared error, which is not convex, is
    halved until the error falls. No step changes log odds by more than their size and one, for where all are
    saturated nothing leads back.

    Parameters
    ----------
    coefficients : ndarray of shape (k,)
        Where to start.
    squared : bool
        Whether to go down to a minimum of the squared error, and not to that of the log loss.
    columns : ndarray of shape (k, n)
        Columns of the regression, of which the first holds ones.
    target, rest : ndarray of shape (n,)
        Probabilities to fit, inside (0, 1), and one less them.
    weight : ndarray of shape (n,)
        Positive weights of the examples, the largest about one.

    Returns
    -------
    ndarray of shape (k,)
        The optimum.
    """
    kind, problem = int(squared), (columns, target, rest, weight)
    for _ in range(CAUTIOUS_STEPS):
        residual, curvature, log_odds, value = _derivatives(coefficients, kind, *problem)
        step, change, largest = _newton_step(columns, residual, curvature)
        if squared and np.isnan(largest):  # no minimum is near
            residual, curvature, log_odds, _ = _derivatives(coefficients, 2, *problem)
            step, change, largest = _newton_step(columns, residual, curvature)
        if not 0.0 < largest < np.inf:
            break
        part = _reach(log_odds, change)
        gain, bound = 1e-4 * (residual * change).sum(), value * (1.0 + 1e-14)
        for _ in range(HALVINGS):
            new = coefficients - part * step
            if not squared and largest <= 1.5:
                break
            slope_residual, _, _, error = _derivatives(new, kind, *problem)
            if error <= bound - part * gain if squared else (slope_residual * change).sum() >= 0.0:
                break
            part /= 2.0
        coefficients = new
        if largest <= SETTLED:
            break
    return coefficients


@compiled()
def _home_blocks(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Weights of an example of the own class, before each group, and all it is pooled with: shape (n + 1, 2).

    The classes of a block in order: the own one, the other. The convex minorant of Vovk et al. (2015),
    Algorithms 1 and 2, in blocks of groups: one step to the right, and the block of the example stays as it
    is, or begins with it. Sums over ranges are taken from a tree, for differences of running sums lose light
    groups beside heavy ones.
    """
    count = own.shape[0]
    tree = np.empty((2 * count, 2))
    tree[count:, 0], tree[count:, 1] = own, other
    for k in range(count - 1, 0, -1):
        tree[k] = tree[2 * k] + tree[2 * k + 1]
    corners, top = np.empty(count + 1, np.int64), 0  # where blocks of the groups alone end, the next on top
    corners[0] = count
    for k in range(count - 1, -1, -1):
        a, b = _total(tree, k, corners[top])
        while top > 0 and _no_lower(a, b, *_total(tree, corners[top], corners[top - 1])):
            top -= 1
            a, b = _total(tree, k, corners[top])
        top += 1
        corners[top] = k
    blocks, start = np.empty((count + 1, 2)), 0
    for k in range(count):
        a, b = _total(tree, k, corners[top])
        if k > 0 and k < corners[top] and _no_lower(*_total(tree, start, k), 1.0 + a, b):
            blocks[k] = blocks[k - 1]
            continue
        start = k
        while top > 0 and _no_lower(1.0 + a, b, *_total(tree, corners[top], corners[top - 1])):
            top -= 1
            a, b = _total(tree, k, corners[top])
        blocks[k] = 1.0 + a, b
    blocks[count] = 1.0, 0.0
    return blocks


@compiled()
def _no_lower(own: float, other: float, next_own: float, next_other: float) -> bool:
    """Whether the share of the own class does not rise from a block to the next: they are to be pooled."""
    return own * next_other >= next_own * other


@compiled()
def _total(tree: np.ndarray, first: int, last: int) -> tuple[float, float]:
    """Weights of both classes in the groups from ``first`` to before ``last``."""
    count = tree.shape[0] // 2
    own, other = 0.0, 0.0
    first, last = first + count, last + count
    while first < last:
        if first % 2:
            own, other = own + tree[first, 0], other + tree[first, 1]
            first += 1
        if last % 2:
            last -= 1
            own, other = own + tree[last, 0], other + tree[last, 1]
        first, last = first // 2, last // 2
    return own, other
