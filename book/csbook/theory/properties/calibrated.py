"""Whether a method's own probability estimate is calibrated: decided where the posterior is known."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import bootstrap
from sklearn.base import BaseEstimator, clone

from csb.costs import check_costs
from csb.engine.elementary import expit
from csb.evaluation.metrics import brier_decomposition
from csb.inputs import (
    POSITIVE,
    ConstantModelWarning,
    check_callable,
    check_count,
    check_instance,
    read_array,
    read_number,
)
from csbook.inputs import read_list
from csbook.theory.properties.evidence import Finding

__all__ = ["decide_calibration", "expected_calibration_loss", "make_step_logistic"]

Generator = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray, np.ndarray]]


def make_step_logistic(n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Draw from a logistic model of ten steps, which sums of stumps express exactly.

    :math:`\operatorname{logit} p(y{=}1\mid x) = 0.6 \sum_j \operatorname{sign} x_j`, with ten inputs uniform
    on [-1, 1]. What an ensemble of stumps gets wrong about it is an error of estimation alone.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, 10)
        Inputs.
    y : ndarray of shape (n_samples,), int
        Labels 0 and 1, equally likely.
    p : ndarray of shape (n_samples,)
        Posterior probability of label 1 at each row.

    Examples
    --------
    >>> X, y, p = make_step_logistic(1000, np.random.default_rng(0))
    >>> X.shape, y.shape, p.shape
    ((1000, 10), (1000,), (1000,))
    """
    n_samples = check_count("n_samples", n_samples)
    check_instance("rng", rng, np.random.Generator)
    X = rng.uniform(-1, 1, size=(n_samples, 10))
    p = expit(0.6 * np.sign(X).sum(axis=1))
    return X, (rng.random(n_samples) < p).astype(int), p


def expected_calibration_loss(y_prob: ArrayLike, posterior: ArrayLike) -> float:
    """Calibration loss of a probability estimate, expected over the labels.

    The decomposition of :func:`csb.evaluation.metrics.brier_decomposition` for a sample in which every row
    stands for both of its labels, weighted by their probabilities: no noise of labels enters.

    Parameters
    ----------
    y_prob : array_like of shape (n,)
        Estimates of the probability of the positive class.
    posterior : array_like of shape (n,)
        The true probabilities.

    Returns
    -------
    float
        The loss in units of the Brier score, from 0 (calibrated) to 1.

    Raises
    ------
    ValueError
        If estimates or posterior are no probabilities, or their lengths differ.

    Examples
    --------
    >>> round(expected_calibration_loss([0.1, 0.9], [0.25, 0.75]), 6)
    0.0225
    """
    posterior = read_array("posterior", posterior, "[0, 1]", shape=(None,))
    y_prob = read_array("y_prob", y_prob, "[0, 1]", shape=posterior.shape)
    labels = np.repeat([1, 0], len(posterior))
    weight = np.concatenate([posterior, 1 - posterior])
    return brier_decomposition(labels, np.tile(y_prob, 2), sample_weight=weight).miscalibration


def decide_calibration(
    estimator: BaseEstimator,
    *,
    rounds: Sequence[int] = (20, 100, 400),
    sizes: Sequence[int] = (500, 3000),
    bound: float = 0.005,
    draws: int = 8,
    n_test: int = 20000,
    fn_cost: float = 5.0,
    fp_cost: float = 1.0,
    generator: Generator = make_step_logistic,
    random_state: int = 0,
) -> Finding:
    r"""Decide the column "calibrated estimates" of Table 4 of Nikolaou et al. (2016) for a method.

    Clones are trained on samples of each size for each number of rounds, and their ``predict_proba`` is
    compared with the known posterior. It must undo the costs the method trained with, hence unequal costs
    by default. The verdict is "yes" where the calibration loss is below ``bound`` at every size and number
    of rounds, with the upper end of a 95% interval; otherwise, or where a method defines no probability,
    "no". Every draw has a training and a test sample of its own, so the bootstrap over draws covers both.

    The verdict belongs to the sizes. A method that is right in the population and distorts on few
    examples, such as AdaBoost, is "no" at the default sizes (0.03 at 400 rounds and 500 examples) and
    "yes" on 3000 examples alone. Calibration has noise of its own: Platt scaling on a third of 500 examples
    stays below 0.005, isotonic regression does not.

    Parameters
    ----------
    estimator : object
        A classifier, not fitted; it is cloned. Of the parameters ``n_estimators``, ``fn_cost``,
        ``fp_cost`` and ``random_state`` those that it has are set.
    rounds : sequence of int
        Numbers of rounds.
    sizes : sequence of int
        Numbers of training examples.
    bound : float
        Largest calibration loss of a calibrated method, in units of the Brier score.
    draws : int
        Training samples for each size, at least two.
    n_test : int
        Rows of each test sample.
    fn_cost, fp_cost : float
        Costs to train with.
    generator : callable
        ``generator(n, rng)`` draws ``n`` rows and returns inputs, labels 0 and 1, and their posterior
        probabilities of label 1.
    random_state : int
        Seed of the samples and of the estimators.

    Returns
    -------
    Finding
        With the calibration loss where it is worst and where it is worst on the largest size, each with
        its interval, in the evidence.

    Raises
    ------
    ValueError
        If an argument is not admissible; nothing is trained then.

    Examples
    --------
    >>> from csb import CSB2, CalibratedCGAda
    >>> decide_calibration(CSB2()).verdict
    'no'
    >>> decide_calibration(CalibratedCGAda(), rounds=[20], sizes=[3000], draws=3).verdict
    'yes'
    """
    check_instance("estimator", estimator, BaseEstimator)
    rounds = [check_count("rounds", count) for count in read_list("rounds", rounds)]
    sizes = [check_count("sizes", size) for size in read_list("sizes", sizes)]
    bound, draws = read_number("bound", bound, POSITIVE), check_count("draws", draws, smallest=2)
    n_test, seed = check_count("n_test", n_test), check_count("random_state", random_state, 0, 2**31)
    check_costs(fn_cost, fp_cost, single=True)
    check_callable("generator", generator)
    if not hasattr(estimator, "predict_proba"):
        reason = "the method defines no probability: its weights are no function of the margin"
        return Finding("calibrated", "no", reason)

    cells = {}
    for size in sizes:
        losses = np.empty((len(rounds), draws))
        for draw in range(draws):
            rng = np.random.default_rng([seed, size, draw])
            X, y, _ = generator(size, rng)
            if len(np.unique(y)) < 2:
                raise ValueError(f"sizes={size}: a sample has one class only; larger ones are needed")
            X_test, _, posterior = generator(n_test, rng)
            X_test = np.asfortranarray(X_test)  # every stump reads a column
            for row, count in enumerate(rounds):
                wanted = {"n_estimators": count, "fn_cost": fn_cost, "fp_cost": fp_cost}
                model = _fitted(estimator, X, y, wanted | {"random_state": seed + draw})
                losses[row, draw] = expected_calibration_loss(model.predict_proba(X_test)[:, 1], posterior)
        for count, of_draws in zip(rounds, losses, strict=True):
            cells[size, count] = _interval(of_draws, seed)
    return _finding(cells, bound)


def _fitted(
    estimator: BaseEstimator, X: np.ndarray, y: np.ndarray, wanted: Mapping[str, Any]
) -> BaseEstimator:
    model = clone(estimator)
    model.set_params(**{name: wanted[name] for name in wanted.keys() & model.get_params().keys()})
    with warnings.catch_warnings():
        # a method that finds no learner gives a constant, and is judged by it
        warnings.simplefilter("ignore", ConstantModelWarning)
        return model.fit(X, y)


def _interval(losses: np.ndarray, seed: int) -> tuple[float, float, float]:
    """Mean over the draws and its bootstrap interval."""
    mean = float(losses.mean())
    if np.ptp(losses) == 0:
        return mean, mean, mean
    ends = bootstrap(
        (losses,), np.mean, n_resamples=2000, method="percentile", rng=np.random.default_rng(seed)
    ).confidence_interval
    return mean, float(ends.low), float(ends.high)


def _finding(cells: dict[tuple[int, int], tuple[float, float, float]], bound: float) -> Finding:
    def worst_of(keys: Iterable[tuple[int, int]]) -> tuple[int, int]:
        return max(keys, key=lambda key: cells[key][2])

    size, count = worst = worst_of(cells)
    largest = max(n for n, _ in cells)
    on_largest = worst_of([key for key in cells if key[0] == largest])
    evidence = {"bound": float(bound)}
    for name, key in {"worst": worst, "largest_size": on_largest}.items():
        evidence |= dict(zip([f"{name}_loss", f"{name}_low", f"{name}_high"], cells[key], strict=True))
        evidence |= {f"{name}_rounds": key[1], f"{name}_n": key[0]}
    holds = cells[worst][2] < bound
    reason = (
        "the calibration loss stays below the bound at every size and number of rounds"
        if holds
        else f"the calibration loss reaches {cells[worst][0]:.3f} with {count} rounds on {size} examples"
    )
    return Finding("calibrated", "yes" if holds else "no", reason, evidence)
