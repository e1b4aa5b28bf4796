r"""Whether a method goes on minding the costly class more: decided from its weights.

Section 3.3 of Nikolaou et al. (2016) calls a method asymmetry-preserving if through all of training a
costly example has at least the loss of a cheap one of the same margin. A loss is fixed only up to a factor
for each class, the weight is not (E-N12 of the book's errata page); both ratios are looked at, for several
scales of the costs, at equal margin and at equal history of hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from csb.costs import Costs
from csb.engine.rules import Rules
from csb.inputs import read_number
from csb.methods import VotingMethod
from csbook.theory.properties.evidence import (
    STEPS,
    VOTES,
    Finding,
    impose,
    random_problems,
    read_pairs,
    read_variant,
    run,
)
from csbook.theory.properties.fgd import ROUNDING

__all__ = ["SCALES", "decide_asymmetry"]

SCALES = ((5.0, 1.0), (1.0, 0.2), (5.0, 2.5))
LOSSES, WEIGHTS, SAME_HISTORY = "losses", "weights", "weights_same_history"
READINGS = {
    LOSSES: "losses at equal margin",
    WEIGHTS: "weights at equal margin",
    SAME_HISTORY: "weights at equal history",
}


def decide_asymmetry(
    variant: str | VotingMethod,
    options: Mapping[str, Any] | None = None,
    *,
    costs: Iterable[tuple[float, float]] = SCALES,
    learning_rate: float = 1.0,
) -> Finding:
    """Decide the column "asymmetry-preserving" of Table 4 of Nikolaou et al. (2016) for a variant.

    The update is applied to all histories of hits and misses, with imposed votes, with twice these votes,
    and with the votes of a run. Three ratios of a costly to a cheap example are taken in every round: of
    losses at equal margin, where the weights are a function of the margin; of weights at equal margin; of
    weights at equal history. The costs enter the formulas as they are given; the variant's own scaling
    adds one more scale.

    The verdict is "yes" if no ratio ever falls below one; "no" if at every scale the ratio of losses does,
    or where there is no loss both ratios of weights; otherwise "depends".

    Parameters
    ----------
    variant : str or VotingMethod
        A key of ``csb.VARIANTS`` or a row.
    options : mapping, optional
        Options of the variant.
    costs : iterable of (fn_cost, fp_cost)
        Pairs of unequal costs, not scaled.
    learning_rate : float, default 1.0
        Of the run, in [0.01, 1]. Imposed votes stay as they are: to the update a vote is a vote.

    Returns
    -------
    Finding
        With the logarithm of the smallest ratio of each kind in the evidence, and where it was found.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> decide_asymmetry("cgada").verdict, decide_asymmetry("csada").verdict, decide_asymmetry("csb1").verdict
    ('yes', 'no', 'depends')
    """
    row, rules = read_variant(variant, options)
    pairs = read_pairs(costs)
    smallest = {}
    for pair in pairs:
        scale = f"costs {pair.fn_cost[0]:g}:{pair.fp_cost[0]:g}"
        smallest[scale] = _smallest(rules, pair.by_class[:, 0], (VOTES, 2 * VOTES))
    own = row.scale(pairs[0])
    votes = _votes_of_a_run(rules, own, read_number("learning_rate", learning_rate, STEPS))
    smallest["own scale"] = _smallest(rules, own.by_class[:, 0], (VOTES, 2 * VOTES, *votes))
    readings = [name for name in READINGS if all(name in ratios for ratios in smallest.values())]
    evidence: dict[str, float | str] = {}
    falls: dict[str, list[str]] = {}
    for reading in readings:
        at = {scale: ratios[reading] for scale, ratios in smallest.items()}
        falls[reading] = [scale for scale, ratio in at.items() if ratio < -ROUNDING]
        scale = min(at, key=at.__getitem__)
        evidence |= {f"log_ratio_{reading}": at[scale], f"found_{reading}": scale}
    deciding = [LOSSES] if LOSSES in readings else readings
    if not any(falls.values()):
        verdict = "yes"
        reason = "no costly example ever counts less than a cheap one of the same margin or history"
    elif all(len(falls[reading]) == len(smallest) for reading in deciding):
        verdict = "no"
        reason = "at every scale of the costs a costly example comes to count less than a cheap one"
    else:
        verdict = "depends"
        where = "; ".join(f"{READINGS[r]}, {', '.join(scales)}" for r, scales in falls.items() if scales)
        reason = f"a costly example counts less than a cheap one in some readings ({where}), not in others"
    return Finding("asymmetry-preserving", verdict, reason, evidence)


def _smallest(rules: Rules, c: np.ndarray, runs_of_votes: Iterable[np.ndarray]) -> dict[str, float]:
    """Smallest log ratio of the costly class to the cheap one for each reading; no loss, no entry."""
    costly = int(c[1] > c[0])
    least = dict.fromkeys(READINGS, np.inf)
    for votes in runs_of_votes:
        if not len(votes):
            continue
        histories = impose(rules, c, votes)
        least[WEIGHTS] = min(least[WEIGHTS], histories.smallest_ratio_at_equal_margin(costly))
        least[SAME_HISTORY] = min(least[SAME_HISTORY], histories.smallest_ratio_at_equal_history(costly))
        for t in range(1, len(votes) + 1):
            fit = histories.fit(t)
            if fit.residual > ROUNDING or fit.loss is None:
                least[LOSSES] = np.nan
                continue
            ratios = (2 * costly - 1) * fit.loss.log_loss_ratio(histories.margins[t])
            least[LOSSES] = min(least[LOSSES], ratios.min())
    return {reading: float(value) for reading, value in least.items() if not np.isnan(value)}


def _votes_of_a_run(rules: Rules, costs: Costs, learning_rate: float) -> list[np.ndarray]:
    """Votes on a few problems, up to the first that is not positive."""
    votes = [
        run(rules, costs, *problem, len(VOTES), learning_rate).votes for problem in random_problems(count=3)
    ]
    return [each[: np.argmax(each <= 0)] if np.any(each <= 0) else each for each in votes]
