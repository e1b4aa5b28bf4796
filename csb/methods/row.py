"""What a boosting variant is: four small rules, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from csb.costs import Costs
from csb.engine.rules import Rules

__all__ = ["Variant", "no_scaling", "scale_largest", "scale_smallest"]


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
