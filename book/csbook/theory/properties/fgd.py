r"""Whether a method is functional gradient descent, and on which loss: decided from its weights and votes.

Section 3.1 of Nikolaou et al. (2016) calls a method FGD-consistent if weights and vote come from one loss:
the weights after a round are minus the derivative of a loss of the margin, and the vote minimises the same
loss along the hypothesis. The loss is not taken from anybody's declaration. It is fitted to the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from csb.engine.rules import Rules
from csb.inputs import read_number
from csb.methods import VotingMethod
from csb.methods.gradient import DescentMethod
from csbook.theory.properties.evidence import (
    STEPS,
    VOTES,
    Finding,
    Histories,
    Problem,
    Run,
    impose,
    random_problems,
    read_pairs,
    read_problems,
    read_variant,
    run,
)

__all__ = ["decide_declared_loss", "decide_descent", "decide_fgd"]

ROUNDS = len(VOTES)
PLANNED = ROUNDS + 1
"""Rounds of a run, on which some rules depend: one more than is examined, to see the weights that follow."""
ROUNDING = 1e-9
"""Above what rounding leaves in any residual below, and far below what a mistake leaves."""


@dataclass(frozen=True)
class _Fitted:
    """The losses that the imposed histories show, for one pair of costs.

    ``slopes`` (R, 2) and ``gaps`` (R,) are those of the log weights after each round, the gap being the
    intercept of the positive class less that of the negative; ``residual`` is the worst distance from them.
    """

    rules: Rules
    c: np.ndarray
    histories: Histories
    slopes: np.ndarray
    gaps: np.ndarray
    residual: float

    @classmethod
    def of(cls, rules: Rules, c: np.ndarray) -> _Fitted:
        histories = impose(rules, c, n_rounds=PLANNED)
        fits = [histories.fit(t) for t in range(1, ROUNDS + 1)]
        slopes = np.array([fit.slope for fit in fits])
        gaps = np.array([fit.intercept[1] - fit.intercept[0] for fit in fits])
        return cls(rules, c, histories, slopes, gaps, max(fit.residual for fit in fits))

    @property
    def drift(self) -> float:
        """How far the loss moves from round to round."""
        return float(max(np.ptp(self.slopes, axis=0).max(), np.ptp(self.gaps)))

    def distance_from_declared(self, ahead: bool) -> float:
        """Of the log weights from those of the declared loss; a factor common to both classes is free."""
        if self.rules.loss is None:
            return np.inf
        worst = 0.0
        for t in range(1, ROUNDS + 1):
            loss = self.rules.loss(self.c, t + ahead, PLANNED, VOTES[:t].sum())
            expected = [np.log(loss.weight(side, self.histories.margins[t])) for side in (-1, 1)]
            worst = max(worst, np.ptp(self.histories.log_weights[t] - np.array(expected)))
        return float(worst)


def _examine(
    variant: str | VotingMethod,
    options: Mapping[str, Any] | None,
    costs: Iterable[tuple[float, float]],
    problems: Iterable[Problem] | None,
    learning_rate: float,
) -> tuple[list[_Fitted], pd.DataFrame]:
    """Fits for each pair of costs, and the residuals of every round of every run."""
    row, rules = read_variant(variant, options)
    learning_rate = read_number("learning_rate", learning_rate, STEPS)
    problems = random_problems() if problems is None else read_problems(problems)
    fits, rounds = [], []
    for pair in read_pairs(costs):
        scaled = row.scale(pair)
        fitted = _Fitted.of(rules, scaled.by_class[:, 0])
        fits.append(fitted)
        for problem in problems:
            one = run(rules, scaled, *problem, ROUNDS, learning_rate)
            whole = one.votes / learning_rate  # the step of which a vote is a part
            residuals = {
                "vote": one.votes,
                "affine": _distances_from_a_line(one),
                "edge_after": _edges(
                    one.log_weights[1:] + _moved(one, whole - one.votes, fitted.slopes), one.hits
                ),
                "edge_before": _edges(one.log_weights[:-1] + _moved(one, whole, fitted.slopes), one.hits),
            }
            if isinstance(row, DescentMethod):
                residuals["objective"] = _slopes_of_objective(row, fitted.c, one, whole)
            rounds.append(pd.DataFrame(residuals))
    if not any(map(len, rounds)):
        raise ValueError("problems: a stump is without error on each, so no vote is seen; others are needed")
    return fits, pd.concat(rounds)


def _distances_from_a_line(run: Run) -> np.ndarray:
    """Largest distance of the log weights of a class from a line in the margin, after each round."""
    margins = np.cumsum(run.votes[:, np.newaxis] * run.hits, axis=0)
    distances = np.zeros(len(margins))
    for t, margin in enumerate(margins):
        for side in (-1, 1):
            of_class = run.signs == side
            line = np.column_stack([np.ones(of_class.sum()), margin[of_class]])
            log_weight = run.log_weights[t + 1, of_class] - np.log(run.base[of_class])
            if not np.all(np.isfinite(log_weight)):
                distances[t] = np.inf  # a weight has underflowed
                continue
            solution = np.linalg.lstsq(line, log_weight, rcond=1e-10)[0]
            distances[t] = max(distances[t], np.abs(log_weight - line @ solution).max())
    return distances


def _moved(run: Run, votes: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """How far votes move the log weights, without what the method adds for the next round."""
    of_example = slopes[: len(votes), (run.signs > 0).astype(int)]
    return votes[:, np.newaxis] * of_example * run.hits


def _edges(log_weights: np.ndarray, hits: np.ndarray) -> np.ndarray:
    """Edge that each hypothesis has left under the weights."""
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return np.abs((weights * hits).sum(axis=1)) / weights.sum(axis=1)


def _slopes_of_objective(row: DescentMethod, c: np.ndarray, run: Run, whole: np.ndarray) -> np.ndarray:
    """Relative derivative of the objective at each whole step; where it is held at zero there is none."""
    w0, a, b = row.objective(run.signs, c[(run.signs > 0).astype(int)])
    exponents = a * (run.signs * run.hits) + b
    votes = run.votes[:, np.newaxis]
    log_terms = np.log(w0 * run.base) - np.cumsum(votes * exponents, axis=0)
    log_terms -= (whole[:, np.newaxis] - votes) * exponents
    terms = exponents * np.exp(log_terms - log_terms.max(axis=1, keepdims=True))
    return np.where(run.votes > 0, np.abs(terms.sum(axis=1)) / np.abs(terms).sum(axis=1), 0.0)


COSTS = ((5.0, 1.0), (2.0, 1.0), (1.0, 20.0))


def decide_fgd(
    variant: str | VotingMethod,
    options: Mapping[str, Any] | None = None,
    *,
    costs: Iterable[tuple[float, float]] = COSTS,
    problems: Iterable[Problem] | None = None,
    learning_rate: float = 1.0,
) -> Finding:
    r"""Decide the column "FGD-consistent" of Table 4 of Nikolaou et al. (2016) for a variant.

    Two things are tested, for every pair of costs. (1) After every round the log weights over the base
    weights are affine in the margin within each class, with negative slope: on all histories of hits under
    imposed votes, and on runs with stumps. (2) The vote minimises a loss with the fitted slopes: the last
    hypothesis has edge zero under the weights that follow it. The loss may be taken from the weights
    before the round (then its own update is applied, without what the method adds for the next round) or
    from those after it; one of the two must hold in all rounds.

    If in addition the fitted loss is the same after every round the verdict is "yes"; if it changes with
    the round, "weak"; otherwise "no".

    Parameters
    ----------
    variant : str or VotingMethod
        A key of ``csb.VARIANTS`` or a row.
    options : mapping, optional
        Options of the variant.
    costs : iterable of (fn_cost, fp_cost)
        Costs, scaled as the variant scales them.
    problems : iterable of (X, y, weight), optional
        As :func:`random_problems` gives them.
    learning_rate : float, default 1.0
        Of the runs, in [0.01, 1]. It makes a vote a part of a step, and the whole step is tested.

    Returns
    -------
    Finding
        With the largest residual of each test in the evidence.

    Raises
    ------
    ValueError
        If an argument is not admissible, or no problem leaves a round to look at.

    Examples
    --------
    >>> decide_fgd("cgada").verdict, decide_fgd("adac2").verdict, decide_fgd("adac1").verdict
    ('yes', 'weak', 'no')
    """
    return decide_descent(variant, options, costs=costs, problems=problems, learning_rate=learning_rate)[1]


def _judge_fgd(fits: list[_Fitted], rounds: pd.DataFrame) -> Finding:
    worst = rounds.drop(columns="vote").max()
    evidence = {
        "affine_residual": max(fitted.residual for fitted in fits),
        "affine_residual_runs": worst["affine"],
        "edge_after": worst["edge_after"],
        "edge_before": worst["edge_before"],
        "drift_of_loss": max(fitted.drift for fitted in fits),
        "share_of_votes_not_positive": float((rounds["vote"] <= 0).mean()),
        "rounds": len(rounds),
    }
    if "objective" in worst:
        evidence["slope_of_objective"] = worst["objective"]
    if max(evidence["affine_residual"], evidence["affine_residual_runs"]) > ROUNDING:
        verdict = "no"
        reason = "the weights are no exponential function of the margin; they remember the history"
    elif any(np.any(fitted.slopes >= 0) for fitted in fits):
        verdict, reason = "no", "the loss that the weights belong to does not fall with the margin"
    elif min(worst["edge_before"], worst["edge_after"]) <= ROUNDING:
        fixed = evidence["drift_of_loss"] <= ROUNDING
        verdict = "yes" if fixed else "weak"
        reason = "weights and vote come from one loss of the margin"
        reason += "" if fixed else " in each round, another one in the next"
    elif worst.get("objective", np.inf) <= ROUNDING:
        verdict = "no"
        reason = "the vote minimises the method's objective, but that is no function of the margin alone"
    else:
        verdict, reason = "no", "the vote does not minimise the loss that the weights belong to"
    return Finding("FGD-consistent", verdict, reason, evidence)


def decide_declared_loss(
    variant: str | VotingMethod,
    options: Mapping[str, Any] | None = None,
    *,
    costs: Iterable[tuple[float, float]] = COSTS,
    problems: Iterable[Problem] | None = None,
    learning_rate: float = 1.0,
) -> Finding:
    """Decide whether the weights belong to the loss that the variant declares.

    On all histories of hits under imposed votes the log weights are compared with those of ``Rules.loss``;
    a factor common to both classes does not count. Where the learner is shown the loss of the round to
    come, see :func:`decide_fgd`, the declared loss of that round counts.

    Parameters
    ----------
    variant, options, costs, problems, learning_rate
        As for :func:`decide_fgd`.

    Returns
    -------
    Finding
        "yes", "no", or "none" where no loss is declared.

    Raises
    ------
    ValueError
        As for :func:`decide_fgd`.

    Examples
    --------
    >>> decide_declared_loss("csada").verdict, decide_declared_loss("csb0").verdict
    ('yes', 'none')
    """
    return decide_descent(variant, options, costs=costs, problems=problems, learning_rate=learning_rate)[0]


def _judge_declared_loss(fits: list[_Fitted], rounds: pd.DataFrame) -> Finding:
    # the learner may have been shown the loss that is minimised next, as in AsymAda
    ahead = rounds["edge_before"].max() <= ROUNDING < rounds["edge_after"].max()
    distance = max(fitted.distance_from_declared(ahead) for fitted in fits)
    if np.isinf(distance):
        return Finding("loss as declared", "none", "no loss of the margin is declared")
    verdict, reason = "yes", "the weights are those of the declared loss"
    if distance > ROUNDING:
        verdict, reason = "no", "the weights belong to another loss than the declared one"
    return Finding("loss as declared", verdict, reason, {"largest_distance": distance})


def decide_descent(
    variant: str | VotingMethod,
    options: Mapping[str, Any] | None = None,
    *,
    costs: Iterable[tuple[float, float]] = COSTS,
    problems: Iterable[Problem] | None = None,
    learning_rate: float = 1.0,
) -> tuple[Finding, Finding]:
    """What :func:`decide_declared_loss` and :func:`decide_fgd` find, from the same weights and votes.

    Parameters
    ----------
    variant, options, costs, problems, learning_rate
        As for :func:`decide_fgd`.

    Returns
    -------
    tuple of Finding
        Both.

    Raises
    ------
    ValueError
        As for :func:`decide_fgd`.

    Examples
    --------
    >>> [finding.verdict for finding in decide_descent("adac2")]
    ['yes', 'weak']
    """
    examined = _examine(variant, options, costs, problems, learning_rate)
    return _judge_declared_loss(*examined), _judge_fgd(*examined)
