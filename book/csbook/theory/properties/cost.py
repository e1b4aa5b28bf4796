r"""Whether a method's decisions tend to the Bayes decisions: decided on finite distributions.

Section 3.2 of Nikolaou et al. (2016) calls a method cost-consistent if it predicts the positive class
exactly where the posterior exceeds the threshold of their Eq. (2). Here the distribution is known: a line
of cells, each with its mass and its posterior, in an order that has nothing to do with the posterior. The
stumps on the position span every function of the cell, but each of them is weak.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from csb.costs import Costs
from csb.engine.elementary import expit, logit
from csb.engine.learners import bind_learner
from csb.engine.trained import Trained
from csb.engine.votes import TrainingSet, boost
from csb.evaluation.calibration import CALIBRATORS, Calibration, make_calibrator
from csb.inputs import NotFiniteWarning, check_count, one_of, read_array, read_number, shown
from csb.methods import VotingMethod
from csbook.inputs import read_generator, read_list
from csbook.theory.properties.evidence import STEPS, Finding, read_variant

__all__ = ["RATIOS", "decide_cost", "random_distributions"]

RATIOS = (2.0, 5.0, 20.0, 1 / 2, 1 / 5, 1 / 20)
SETTLED = 0.02
"""Relative misfit below which a converged score is taken as affine in the log odds of the posterior."""
NEAR = 0.05
"""Largest distance of the implied from the Bayes threshold, in log odds, that convergence may leave."""
POPULATION = 1e9
"""Number of examples for which a distribution stands where it calibrates: Platt's targets depend on it."""


def random_distributions(
    count: int = 8, cells: int = 12, random_state: int | np.random.Generator | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    r"""Masses and posteriors of distributions on a line of cells.

    The posteriors are :math:`(k-\frac12)/K` in random order, so that none lies at a threshold; the masses
    are random.

    Returns
    -------
    mass, posterior : ndarray of shape (count, cells)
        Masses sum to one.

    Raises
    ------
    ValueError
        If a count or the seed is not admissible.

    Examples
    --------
    >>> mass, posterior = random_distributions(count=2, cells=4)
    >>> [sorted(map(float, row)) for row in posterior]
    [[0.125, 0.375, 0.625, 0.875], [0.125, 0.375, 0.625, 0.875]]
    """
    count, cells = check_count("count", count), check_count("cells", cells)
    rng = read_generator("random_state", random_state)
    posterior = np.array([rng.permutation(cells) for _ in range(count)]) / cells + 0.5 / cells
    mass = rng.uniform(0.5, 1.5, (count, cells))
    return mass / mass.sum(axis=1, keepdims=True), posterior


@dataclass(frozen=True)
class _Decisions:
    """What the models decide, a model for each distribution and ratio.

    ``agreement``: share of the cells decided as Bayes decides, shape (B,). ``called``: whether each is called
    positive, shape (B, cells). ``implied``: posterior at which
    the score crosses the threshold, ``misfit``: relative distance of the score from a function affine in
    the log odds, each shape (B,).
    """

    agreement: np.ndarray
    called: np.ndarray
    implied: np.ndarray
    misfit: np.ndarray


def _boost_all(
    row: VotingMethod,
    options: Mapping[str, Any],
    costs: Costs,
    mass: np.ndarray,
    posterior: np.ndarray,
    T: int,
    signed: bool,
    learning_rate: float,
) -> Trained:
    """One model for each row of ``mass`` and ``posterior``, cell by cell a negative and a positive."""
    cells = mass.shape[1]
    X = np.repeat(np.arange(cells, dtype=float), 2)[:, np.newaxis]
    labels = np.tile(np.array([0, 1], np.int8), cells)
    weights = np.stack([mass * (1 - posterior), mass * posterior], axis=2).reshape(len(mass), -1)
    batch = row.batch(costs, learning_rate=learning_rate, **options)
    learner = bind_learner("stump", X, labels, joint=batch.rules.best_loss is not None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotFiniteWarning)
        return boost(
            learner, TrainingSet(labels, weights), [batch], T, keep_nonpositive=signed, keep_scores=True
        )


def _decide(
    trained: Trained, costs: Costs, mass: np.ndarray, posterior: np.ndarray, calibration: Calibration | None
) -> _Decisions:
    (batch,) = trained.batches
    scores = trained.scores[:, ::2]  # type: ignore[index]  # they were kept
    empty = trained.n_rounds == 0
    excess = scores - batch.threshold(trained.n_rounds, trained.alpha_sum)[:, np.newaxis]
    if calibration is not None:
        excess = np.array(
            [
                _calibrated_log_odds(calibration, *each) - logit(c)
                for *each, c in zip(scores, mass, posterior, costs.threshold, strict=True)
            ]
        )
    right = (excess > 0) == (posterior > costs.threshold[:, np.newaxis])
    slope, intercept, misfit = _regress(excess, logit(posterior), mass)
    with np.errstate(divide="ignore", invalid="ignore"):
        implied = np.where(slope > 0, expit(-intercept / slope), np.nan)
    return _Decisions(right.mean(axis=1), excess > 0, implied, np.where(empty, np.inf, misfit))


def _calibrated_log_odds(
    calibration: Calibration, scores: np.ndarray, mass: np.ndarray, posterior: np.ndarray
) -> np.ndarray:
    """Log odds after calibration on the distribution itself, not weighted by cost."""
    calibrator = make_calibrator(calibration)
    weight = POPULATION * np.concatenate([mass * (1 - posterior), mass * posterior])
    calibrator.fit(np.tile(scores, 2), np.repeat([0, 1], len(scores)), sample_weight=weight)
    return logit(np.clip(calibrator.predict(scores), 1e-12, 1 - 1e-12))


def _regress(
    values: np.ndarray, on: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weighted regression, row by row: slope, intercept and relative misfit."""
    mean_x, mean_y = (np.average(z, axis=1, weights=weight)[:, np.newaxis] for z in (on, values))
    x, y = on - mean_x, values - mean_y
    slope = np.average(x * y, axis=1, weights=weight) / np.average(x * x, axis=1, weights=weight)
    left = np.average((y - slope[:, np.newaxis] * x) ** 2, axis=1, weights=weight)
    spread = np.average(y * y, axis=1, weights=weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        misfit = np.where(spread > 0, np.sqrt(left / spread), np.inf)
    return slope, (mean_y[:, 0] - slope * mean_x[:, 0]), misfit


def _declared_threshold(trained: Trained) -> np.ndarray | None:
    """Posterior at which the minimiser of the declared loss meets the threshold of the decision."""
    (batch,), stage = trained.batches, (trained.n_rounds, trained.alpha_sum)
    line = batch.log_odds_line(*stage)
    return None if line is None else expit(line[0] * batch.threshold(*stage) - line[1])


def _read_distributions(distributions: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(distributions, (tuple, list)) or len(distributions) != 2:
        raise ValueError(
            f"distributions={shown(distributions)}: allowed are two arrays, masses and posteriors"
        )
    mass = read_array("distributions", distributions[0], "[1e-9, 1e9]", shape=(None, None))
    return mass, read_array("distributions", distributions[1], "[1e-9, 0.999999999]", shape=mass.shape)


def decide_cost(
    variant: str | VotingMethod,
    options: Mapping[str, Any] | None = None,
    *,
    calibration: Calibration | None = None,
    ratios: Iterable[float] = RATIOS,
    distributions: tuple[np.ndarray, np.ndarray] | None = None,
    n_estimators: int = 2000,
    learning_rate: float = 1.0,
) -> Finding:
    """Decide the column "cost-consistent" of Table 4 of Nikolaou et al. (2016) for a variant.

    A model is trained to convergence on every distribution for every cost ratio, and its decisions are
    compared with those of Bayes cell by cell. The worst model decides. Cells tell thresholds apart only up
    to the gap between two posteriors; where the score has settled on a function affine in the log odds of
    the posterior, the threshold that this function implies must match too. A model that stops early counts
    as it stands. The evidence also has the agreement when votes that are not positive do not end
    training.

    Parameters
    ----------
    variant : str or VotingMethod
        A key of ``csb.VARIANTS`` or a row.
    options : mapping, optional
        Options of the variant.
    calibration : str, optional
        Calibrate the score on the distribution, see :func:`csb.evaluation.calibration.make_calibrator`, and
        decide at the Bayes threshold.
    ratios : iterable of float
        Cost of a missed positive over that of a false alarm.
    distributions : tuple of two ndarrays of shape (count, cells), optional
        Masses and posteriors, as :func:`random_distributions` gives them; masses from 1e-9 to 1e9,
        posteriors as far from zero and from one.
    n_estimators : int
        Largest number of rounds of whole steps; of shorter ones there may be as many more.
    learning_rate : float, default 1.0
        Part of each step that is taken, in [0.01, 1].

    Returns
    -------
    Finding
        "yes" or "no". The evidence names the worst model, with what it and Bayes call each cell by rising
        posterior, and in ``declared`` says what follows from the
        loss that the variant declares. The implied threshold is not a number where the
        score falls with the posterior, and the misfit infinite where no hypothesis was kept.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> decide_cost("cgada", n_estimators=500).verdict
    'yes'
    >>> decide_cost("adaboost", ratios=[5.0], n_estimators=500).evidence["agreement"]
    0.6666666666666666
    """
    row, _ = read_variant(variant, options)
    if calibration is not None:
        one_of("calibration", calibration, CALIBRATORS)
    n_estimators = check_count("n_estimators", n_estimators)
    learning_rate = read_number("learning_rate", learning_rate, STEPS)
    rounds = math.ceil(n_estimators / learning_rate)
    mass, posterior = random_distributions() if distributions is None else _read_distributions(distributions)
    ratios = read_array("ratios", read_list("ratios", ratios), "[1e-15, 1e15]", shape=(None,))
    costs = Costs(np.repeat(ratios, len(mass)), np.ones(len(ratios) * len(mass)))
    mass, posterior = (np.tile(each, (len(ratios), 1)) for each in (mass, posterior))
    found = {}
    for signed in (False, True):
        trained = _boost_all(row, options or {}, costs, mass, posterior, rounds, signed, learning_rate)
        found[signed] = trained, _decide(trained, costs, mass, posterior, calibration)
    trained, decisions = found[False]
    off = np.abs(logit(decisions.implied) - logit(costs.threshold))
    settled = decisions.misfit <= SETTLED
    displaced = settled & ~(off <= NEAR)
    disagreeing = decisions.agreement < 1
    # the worst model: the fewest cells right, then the threshold farthest off
    worst = np.lexsort((-np.where(displaced, off, 0.0), decisions.agreement))[0]
    rising = np.argsort(posterior[worst])
    wanted = posterior[worst] > costs.threshold[worst]
    evidence: dict[str, Any] = {
        "agreement": float(decisions.agreement[worst]),
        "ratio": float(costs.fn_cost[worst]),
        "bayes_threshold": float(costs.threshold[worst]),
        "implied_threshold": float(decisions.implied[worst]),
        "misfit": float(decisions.misfit[worst]),
        "rounds": int(trained.n_rounds[worst]),
        "stopped": str(trained.stop_reasons[worst]),
        "signed_agreement": float(found[True][1].agreement.min()),
        "models": len(costs.fn_cost),
        "failing": int((disagreeing | displaced).sum()),
        "calls": _signs(decisions.called[worst][rising]),
        "bayes_calls": _signs(wanted[rising]),
    }
    if calibration is None:
        declared = _declared_threshold(trained)
        evidence["declared"] = "none" if declared is None else _agrees(declared, costs.threshold)
    holds = not evidence["failing"]
    return Finding("cost-consistent", "yes" if holds else "no", _reason(evidence, holds), evidence)


def _signs(called: np.ndarray) -> str:
    return "".join(np.where(called, "+", "-"))


def _agrees(declared: np.ndarray, threshold: np.ndarray) -> str:
    return "yes" if np.allclose(logit(declared), logit(threshold), atol=1e-9) else "no"


def _reason(evidence: Mapping[str, Any], holds: bool) -> str:
    if holds:
        return "every model decides as Bayes does"
    at = f"at ratio {evidence['ratio']:g},"
    if evidence["agreement"] == 1:
        return (
            f"{at} the threshold is {evidence['implied_threshold']:.3f} and should be "
            f"{evidence['bayes_threshold']:.3f}"
        )
    text = f"{at} {evidence['agreement']:.0%} of the cells are decided as Bayes decides"
    if evidence["rounds"] == 0:
        return text + "; no hypothesis was kept"
    if evidence["misfit"] <= SETTLED:
        return text + f", as with a threshold of {evidence['implied_threshold']:.3f}"
    return text + "; the score settles on no function of the posterior"
