"""What a boosting variant is: four small rules, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from csb.costs import Costs

__all__ = ["Rules", "Variant", "half_log_odds", "hit_sign", "no_scaling", "scale_largest", "scale_smallest"]

hit_sign = np.array([[1.0, -1.0], [-1.0, 1.0]])[:, :, np.newaxis]
r"""The hit sign :math:`u = y h` of the four outcomes, shape (2, 2, 1): class, then prediction."""


@dataclass(frozen=True)
class Rules:
    r"""The rules of one variant, with its options settled.

    All functions are vectorised over a batch of :math:`B` models. ``M`` holds the masses
    :math:`M[y, h]` of the current weights, shape (2, 2, B), summing to one; ``c`` the cost of an error
    on each class, shape (2, 1, B), negative class first; ``T`` the planned number of rounds, one for all
    models or one for each, shape (B,).

    Attributes
    ----------
    initial : callable ``(c, T) -> (2, 1, B)``
        Factor on the base weight of each class before round one.
    alpha : callable ``(M, c, T) -> (B,)``
        The vote; infinite or not a number where the formula has no value.
    log_factors : callable ``(alpha, c, T) -> (2, 2, B)``
        Logarithm of the factor on the weight of each outcome.
    loss : callable ``(c, t, T, A) -> ExponentialLoss`` or None
        The loss of the margin that the weights after round ``t`` belong to, ``A`` being the sum of the
        votes; None if the weights are no function of the margin.
    threshold : callable ``(log_ratio, t, T, A) -> (B,)``
        Predict the positive class when the score exceeds this.
    best_loss : callable ``(M, c) -> (K,)`` or None
        Loss that the best step along each of ``K`` hypotheses reaches. If given, the hypothesis of
        smallest value is chosen, not the one of largest edge.
    """

    initial: Callable
    alpha: Callable
    log_factors: Callable
    loss: Callable | None = None
    threshold: Callable = lambda log_ratio, t, T, A: np.zeros_like(log_ratio)
    best_loss: Callable | None = None


def no_scaling(costs: Costs, cost_scale: float | None) -> Costs:
    """Only the ratio of the costs matters."""
    return costs


def scale_largest(costs: Costs, cost_scale: float) -> Costs:
    """Scale each pair of costs so that the larger one equals ``cost_scale``."""
    return costs.scaled(largest=cost_scale)


def scale_smallest(costs: Costs, cost_scale: float | None) -> Costs:
    """Scale each pair of costs so that the smaller one equals one."""
    return costs.scaled(smallest=1.0)


@dataclass(frozen=True)
class Variant:
    """One row of the table of boosting variants.

    Attributes
    ----------
    key, name : str
        Name in code and in print.
    paper, equations : str
        Where it was proposed, and where the implemented formulas stand.
    loss : str
        The loss it is said to minimise, in TeX; a dash if none as a function of the margin.
    rules : callable
        Builds :class:`Rules` from the options.
    options : mapping of str to tuple
        Admissible values of each option, the default first.
    scaling : callable ``(Costs, cost_scale) -> Costs``
        How costs are normalised before the rules see them.
    cost_scale : float or None
        Default of the largest cost after scaling, where the formulas depend on it.
    example_costs : bool
        Whether costs may be given for every example.
    costs_act : {"training", "decision", "never"}
        When costs play their part; those that act at the decision may change after the fit.
    """

    key: str
    name: str
    paper: str
    equations: str
    loss: str
    rules: Callable[..., Rules]
    options: Mapping[str, tuple] = field(default_factory=dict)
    scaling: Callable = no_scaling
    cost_scale: float | None = None
    example_costs: bool = False
    costs_act: str = "training"

    def settle(self, **chosen) -> Rules:
        """Check the options chosen and build the rules; what is not named keeps its default."""
        for option, value in chosen.items():
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"{self.name} has no option {option!r}; its options: {known}")
            allowed = self.options[option]
            if not (callable(value) and None in allowed) and value not in allowed:
                raise ValueError(f"{option}={value!r}: {self.name} allows {', '.join(map(repr, allowed))}")
        return self.rules(**{name: chosen.get(name, allowed[0]) for name, allowed in self.options.items()})

    def scale(self, costs: Costs, cost_scale: float | None = None) -> Costs:
        """Costs as the formulas take them."""
        if cost_scale is None:
            cost_scale = self.cost_scale
        elif self.cost_scale is None:
            raise ValueError(f"cost_scale={cost_scale!r}: {self.name} does not depend on the scale of costs")
        elif not 0 < cost_scale <= 1:
            raise ValueError(f"cost_scale={cost_scale!r}: the formulas of {self.name} admit costs in (0, 1]")
        return self.scaling(costs, cost_scale)


def half_log_odds(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    r""":math:`\tfrac12(\log` right :math:`-\log` wrong :math:`)`, each a sum of non-negative terms.

    Infinite when nothing is wrong, not a number when a sum is negative: the formula has no value.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return 0.5 * (np.log(right) - np.log(wrong))
