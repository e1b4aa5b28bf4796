"""What a method is: a row of the registry, with what is known of it and what differs in its loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from inspect import signature
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from csb.costs import Costs
from csb.engine.mixture import ClassVotes
from csb.engine.newton import Link
from csb.engine.rules import Rules
from csb.engine.trained import Batch, CostsAct
from csb.inputs import check_instance, one_of, read_array, read_column, read_number, shown

__all__ = [
    "LEARNING_RATES", "ClassVoteMethod", "Method", "MixtureMethod", "NewtonMethod", "ProgrammeMethod",
    "VotingMethod", "scale_largest", "scale_smallest",
]  # fmt: skip


LEARNING_RATES = "[1e-10, 1e10]"
"""What votes and steps may be multiplied by."""


@dataclass(frozen=True)
class Method:
    """One row of the registry.

    Attributes
    ----------
    key, name : str
        Name in code and in print.
    paper, equations : str
        Where it was proposed, and where the implemented formulas stand.
    loss : str
        The loss it is said to minimise, in TeX; a dash if none as a function of the margin.
    costs_act : {"training", "decision", "never"}
        When costs play their part; those that act at the decision may change after the fit.
    """

    key: str
    name: str
    paper: str
    equations: str
    loss: str
    costs_act: CostsAct = "training"

    @property
    def options(self) -> Mapping[str, tuple]:
        """Admissible values of each option, the default first."""
        return {}

    @property
    def kind(self) -> str:
        """What the loop is: votes, Newton steps, mixture, that of another row, or none but a programme."""
        return "another row's"


RATIOS = "[1e-30, 1e30]"
"""What an option may be that is a ratio of weights."""
COST_SCALES = "[1e-50, 1]"
"""What the formulas that depend on the scale of the costs admit as the largest cost."""


def no_scaling(costs: Costs, cost_scale: float | None) -> Costs:
    """Only the ratio of the costs matters."""
    return costs


def scale_largest(costs: Costs, cost_scale: float) -> Costs:
    """Scale each pair of costs so that the larger one equals ``cost_scale``."""
    return costs.scaled(largest=cost_scale)


def scale_smallest(costs: Costs, cost_scale: float | None) -> Costs:
    """Scale each pair of costs so that the smaller one equals one."""
    return costs.scaled(smallest=1.0)


def function_field(default: Callable) -> Any:
    """A field of a row that holds a function; as a plain default it would be a method of the class."""
    return field(default_factory=lambda: default)


@dataclass(frozen=True)
class VotingMethod(Method):
    """A row whose method is four rules in the loop of weighted votes.

    Attributes
    ----------
    rules : callable
        Builds :class:`csb.engine.rules.Rules` from the options, which are its keyword arguments: each of a
        ``Literal`` type with the default first, or None, in whose place a function or a positive number may
        be given.
    scaling : callable ``(Costs, cost_scale) -> Costs``
        How costs are normalised before the rules see them.
    cost_scale : float or None
        Default of the largest cost after scaling, where the formulas depend on it.
    """

    rules: Callable[..., Rules] = function_field(Rules)
    scaling: Callable[..., Costs] = function_field(no_scaling)
    cost_scale: float | None = None

    @property
    def kind(self) -> str:
        return "votes"

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        """The types of the options."""
        builder = self.rules.func if isinstance(self.rules, partial) else self.rules
        hints = get_type_hints(builder)
        return {
            name: hints[name]
            for name in signature(self.rules).parameters
            if not (isinstance(self.rules, partial) and name in self.rules.keywords)
        }

    @cached_property
    def options(self) -> Mapping[str, tuple]:
        return {
            name: get_args(hint) if get_origin(hint) is Literal else (None,)
            for name, hint in self._hints.items()
        }

    def build_rules(self, **chosen: Any) -> Rules:
        """Check the options chosen and build the rules; what is not named keeps its default."""
        for option, value in chosen.items():
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"options: {self.name} has no option {option!r}; allowed are {known}")
            if float in get_args(self._hints[option]) and value is not None:
                read_number(option, value, RATIOS)
            elif not (callable(value) and None in self.options[option]):
                one_of(option, value, self.options[option])
        return self.rules(**chosen)

    def scale(self, costs: Costs, cost_scale: float | None = None) -> Costs:
        """Costs as the formulas take them."""
        check_instance("costs", costs, Costs)
        if cost_scale is None:
            cost_scale = self.cost_scale
        elif self.cost_scale is None:
            raise ValueError(
                f"cost_scale={shown(cost_scale)}: must be None, {self.name} does not depend on it"
            )
        else:
            cost_scale = read_number("cost_scale", cost_scale, COST_SCALES)
        return self.scaling(costs, cost_scale)

    def batch(
        self,
        costs: Costs,
        cost_scale: float | None = None,
        rounds: np.ndarray | None = None,
        learning_rate: float | np.ndarray = 1.0,
        **options: Any,
    ) -> Batch:
        """Models of this method, one for each pair of costs.

        Parameters
        ----------
        costs : Costs
            As given by the user.
        cost_scale : float, optional
            Largest cost after scaling, where the formulas depend on it.
        rounds : ndarray of shape (B,), int, optional
            Planned numbers of rounds, where they are not that of the whole training.
        learning_rate : float or ndarray of shape (B,), default 1.0
            What votes are multiplied by before they move the weights, in [1e-10, 1e10].
        **options
            Of the method.

        Returns
        -------
        Batch
            For :func:`csb.engine.votes.boost`.

        Raises
        ------
        ValueError
            If an option or the scale is not admissible.
        """
        scaled = self.scale(costs, cost_scale)
        if rounds is not None:
            whole = read_column("rounds", rounds, len(costs.fn_cost))
            rounds = read_array("rounds", whole, "[1, 1e9]").astype(int)
        rates = read_array("learning_rate", learning_rate, LEARNING_RATES)
        if rates.shape not in ((), costs.fn_cost.shape):
            raise ValueError(f"learning_rate has shape {rates.shape}: allowed is a number or one a model")
        rates = np.broadcast_to(rates, costs.fn_cost.shape)
        return Batch(self.build_rules(**options), scaled, self.costs_act, rounds, rates)


@dataclass(frozen=True)
class ProgrammeMethod(Method):
    """A row whose method is one quadratic programme: it has no rounds."""

    @property
    def kind(self) -> str:
        return "quadratic programme"


@dataclass(frozen=True)
class NewtonMethod(Method):
    """A row whose method is Newton steps on a logistic loss.

    Attributes
    ----------
    link : callable ``Costs -> Link``
        How the score is linked to the probability.
    """

    link: Callable[[Costs], Link] = function_field(Link.symmetric)

    @property
    def kind(self) -> str:
        return "Newton steps"


@dataclass(frozen=True)
class MixtureMethod(Method):
    """A row whose method is a convex combination of hypotheses, for any number of classes.

    Attributes
    ----------
    weigh : callable ``(problem, H, p, random_state) -> (n, k)``
        What the learner is given; for ``p`` a method may have another parameter of its objective.
    """

    weigh: Callable[..., np.ndarray] = field(kw_only=True)

    @property
    def kind(self) -> str:
        return "mixture"


@dataclass(frozen=True)
class ClassVoteMethod(Method):
    """A row whose method is a sum of votes for any number of classes.

    Attributes
    ----------
    votes : callable
        Builds :class:`csb.engine.mixture.ClassVotes` from the options of the method.
    """

    votes: Callable[..., ClassVotes] = function_field(ClassVotes)

    @property
    def kind(self) -> str:
        return "votes for classes"
