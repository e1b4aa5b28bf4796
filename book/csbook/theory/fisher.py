r"""Fisher consistency in the sense of costs, as a program.

Cao et al. (2013) call a loss Fisher consistent in this sense if at every posterior its expected value is
smallest at a score whose sign is the decision of Bayes for the costs. Their lemma is the closed form of that
score for two losses, :math:`F^*=\frac12\log\frac{p\,c_{FN}}{(1-p)\,c_{FP}}` (E-A01 of the book's errata page:
the logarithm is missing in print). Here the minimiser of any loss is found numerically, beside the closed
form that the loss states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import logit

from csb.costs import Costs
from csb.inputs import check_callable, check_count, read_array, read_number, shown
from csb.methods import METHODS, VARIANTS, VotingMethod
from csb.methods.spec import NewtonMethod
from csbook.inputs import read_list
from csbook.theory.losses import logistic_loss
from csbook.theory.properties import Finding
from csbook.theory.properties.evidence import read_pairs

__all__ = ["GRID", "decide_fisher", "losses", "numeric_minimiser"]

GRID = np.array([0.01, 0.05, 0.1, 0.2, 0.3, 0.45, 0.55, 0.7, 0.8, 0.9, 0.95, 0.99])
"""Posteriors, none of them a threshold of the costs below."""
COSTS = ((5.0, 1.0), (2.0, 1.0), (1.0, 3.0), (10.0, 4.0))
FARTHEST, STEPS = 1e30, 25_000
"""So far from zero a minimiser is looked for; Brent's method takes at most the square of 144 halvings."""


class Loss(Protocol):
    """A loss of the margin, see :mod:`csb.methods.losses`."""

    def weight(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Minus the derivative with respect to the margin."""

    def minimiser(self, p: ArrayLike) -> np.ndarray:
        """Score of least expected loss, in closed form."""


def numeric_minimiser(loss: Loss, p: float) -> float:
    """Score at which the expected loss is smallest, by the root of its derivative.

    Parameters
    ----------
    loss : object
        With ``weight(y, margin)``, minus the derivative of the loss with respect to the margin.
    p : float
        Posterior of the positive class, strictly between 0 and 1.

    Returns
    -------
    float
        The score.

    Raises
    ------
    ValueError
        If ``p`` is not strictly between 0 and 1, or the loss has no minimum.

    Examples
    --------
    >>> from csbook.theory.losses import LogisticLoss
    >>> round(numeric_minimiser(LogisticLoss(np.log(5.0), 2.0), 0.5), 6)
    0.804719
    """
    p = read_number("p", p, "(0, 1)")
    if not hasattr(loss, "weight"):
        raise ValueError(f"loss={shown(loss)}: needed is a method weight(y, margin)")

    def derivative(score: float) -> float:
        pull, push = float(p * loss.weight(1, score)), float((1 - p) * loss.weight(-1, -score))
        if not 0 < pull + push or pull == push == np.inf:
            raise ValueError(f"loss={shown(loss)}: its weights at score {score:g} must not be out of range")
        if np.inf in (pull, push):
            return 1.0 if push > pull else -1.0
        return (push - pull) / (push + pull)  # only its sign and its root matter

    reach = 1.0
    while derivative(-reach) * derivative(reach) > 0:
        reach *= 2
        if reach > FARTHEST:
            raise ValueError(
                f"loss={shown(loss)}: its expected value must have a minimum within {FARTHEST:g}"
            )
    return brentq(derivative, -reach, reach, xtol=1e-13, rtol=1e-14, maxiter=STEPS)


def losses(rounds: int = 10) -> dict[str, Callable[[Costs], Loss]]:
    """The loss of every registered method that has one, as a function of the costs.

    A loss that changes with the rounds is taken as it stands after the last of ``rounds``, with votes that
    sum to one.

    Raises
    ------
    ValueError
        If ``rounds`` is no number of rounds.

    Examples
    --------
    >>> sorted(losses())[:2]
    ['adaboost', 'adac1']
    """

    rounds = check_count("rounds", rounds)

    def of_votes(row: VotingMethod, loss: Callable[..., Loss]) -> Callable[[Costs], Loss]:
        return lambda costs: loss(row.scale(costs).by_class[:, 0], rounds, rounds, 1.0)

    def of_link(row: NewtonMethod) -> Callable[[Costs], Loss]:
        return lambda costs: logistic_loss(row.link(costs))

    built = {key: (row, row.build_rules().loss) for key, row in VARIANTS.items()}
    found = {key: of_votes(row, loss) for key, (row, loss) in built.items() if loss is not None}
    return found | {key: of_link(row) for key, row in METHODS.items() if isinstance(row, NewtonMethod)}


def decide_fisher(
    build: Callable[[Costs], Loss],
    *,
    costs: Iterable[tuple[float, float]] = COSTS,
    posteriors: Iterable[float] = GRID,
) -> Finding:
    """Decide whether a loss is Fisher consistent in the sense of costs.

    Parameters
    ----------
    build : callable
        The loss of a pair of costs, see :func:`losses`.
    costs : iterable of (fn_cost, fp_cost)
        The pairs to try.
    posteriors : iterable of float
        The posteriors to try, strictly between 0 and 1.

    Returns
    -------
    Finding
        "yes" if at every posterior and for all costs the sign of the minimiser is the decision of Bayes, and
        changes exactly at the Bayes threshold. The evidence has the implied threshold that is farthest from
        it, and how far the closed form is from the numeric minimiser.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> decide_fisher(losses()["cgada"]).verdict, decide_fisher(losses()["adaboost"]).verdict
    ('yes', 'no')
    """
    check_callable("build", build)
    p_of = read_array("posteriors", read_list("posteriors", posteriors), "(0, 1)", shape=(None,))
    agree, apart, farthest = [], 0.0, (0.0, np.nan, np.nan)
    for both in read_pairs(costs):
        loss, threshold = build(both), both.threshold[0]
        for p in p_of.tolist():
            score = numeric_minimiser(loss, p)
            apart = max(apart, abs(score - float(loss.minimiser(p))))
            agree.append((score > 0) == (p > threshold))
        # at the score zero the expected loss is stationary for the posterior where the sign changes
        negative, positive = (float(loss.weight(side, 0.0)) for side in (-1, 1))
        implied = negative / (negative + positive)
        off = abs(logit(implied) - logit(threshold))
        if off >= farthest[0]:
            farthest = (float(off), implied, float(threshold))
    evidence = {
        "agreement": float(np.mean(agree)),
        "implied_threshold": farthest[1],
        "bayes_threshold": farthest[2],
        "closed_form_apart": float(apart),
        "cases": len(agree),
    }
    if all(agree) and farthest[0] < 1e-9:
        reason = "the sign of the minimiser is the decision of Bayes"
        return Finding("Fisher consistent", "yes", reason, evidence)
    reason = f"the sign of the minimiser changes at {farthest[1]:.3f}, that of Bayes at {farthest[2]:.3f}"
    return Finding("Fisher consistent", "no", reason, evidence)
