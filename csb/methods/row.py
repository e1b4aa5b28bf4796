"""What a method is: a row of the registry, with what is known of it and what differs in its loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from inspect import signature
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from csb.costs import Costs
from csb.engine.mixture import ClassVotes
from csb.engine.newton import Link
from csb.engine.rules import Rules
from csb.engine.trained import Batch, CostsAct
from csb.inputs import one_of

__all__ = [
    "ClassVoteMethod", "Look", "Method", "MixtureMethod", "NewtonMethod", "VotingMethod", "scale_largest",
    "scale_smallest",
]  # fmt: skip


class Look(NamedTuple):
    """How a method is drawn, as Matplotlib names it."""

    color: str
    marker: str
    linestyle: str


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
    look : Look
        Colour, marker and line style in every figure.
    family : str
        Heading under which its card stands.
    card : str
        What it does and where it fails, in Markdown; ``<loss>`` stands for the loss.
    costs_act : {"training", "decision", "never"}
        When costs play their part; those that act at the decision may change after the fit.
    """

    key: str
    name: str
    paper: str
    equations: str
    loss: str
    look: Look
    family: str
    card: str
    costs_act: CostsAct = "training"

    @property
    def options(self) -> Mapping[str, tuple]:
        """Admissible values of each option, the default first."""
        return {}

    @property
    def kind(self) -> str:
        """What the loop is: votes, Newton steps, mixture, or that of another row."""
        return "another row's"


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
class VotingMethod(Method):
    """A row whose method is four rules in the loop of weighted votes.

    Attributes
    ----------
    rules : callable
        Builds :class:`csb.engine.rules.Rules` from the options, which are its keyword arguments: each of a
        ``Literal`` type with the default first, or a function or None.
    scaling : callable ``(Costs, cost_scale) -> Costs``
        How costs are normalised before the rules see them.
    cost_scale : float or None
        Default of the largest cost after scaling, where the formulas depend on it.
    """

    rules: Callable[..., Rules] = Rules
    scaling: Callable[..., Costs] = no_scaling
    cost_scale: float | None = None

    @property
    def kind(self) -> str:
        return "votes"

    @cached_property
    def options(self) -> Mapping[str, tuple]:
        builder = self.rules.func if isinstance(self.rules, partial) else self.rules
        hints = get_type_hints(builder)
        return {
            name: get_args(hints[name]) if get_origin(hints[name]) is Literal else (None,)
            for name in signature(self.rules).parameters
            if not (isinstance(self.rules, partial) and name in self.rules.keywords)
        }

    def build_rules(self, **chosen: Any) -> Rules:
        """Check the options chosen and build the rules; what is not named keeps its default."""
        for option, value in chosen.items():
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"{self.name} has no option {option!r}; its options: {known}")
            if not (callable(value) and None in self.options[option]):
                one_of(option, value, self.options[option])
        return self.rules(**chosen)

    def scale(self, costs: Costs, cost_scale: float | None = None) -> Costs:
        """Costs as the formulas take them."""
        if cost_scale is None:
            cost_scale = self.cost_scale
        elif self.cost_scale is None:
            raise ValueError(f"cost_scale={cost_scale!r}: {self.name} does not depend on the scale of costs")
        elif not 0 < cost_scale <= 1:
            raise ValueError(f"cost_scale={cost_scale!r}: the formulas of {self.name} admit costs in (0, 1]")
        return self.scaling(costs, cost_scale)

    def batch(
        self,
        costs: Costs,
        cost_scale: float | None = None,
        rounds: np.ndarray | None = None,
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
        return Batch(self.build_rules(**options), self.scale(costs, cost_scale), self.costs_act, rounds)


@dataclass(frozen=True)
class NewtonMethod(Method):
    """A row whose method is Newton steps on a logistic loss.

    Attributes
    ----------
    link : callable ``Costs -> Link``
        How the score is linked to the probability.
    """

    link: Callable[[Costs], Link] = Link.symmetric

    @property
    def kind(self) -> str:
        return "Newton steps"


@dataclass(frozen=True)
class MixtureMethod(Method):
    """A row whose method is a convex combination of hypotheses, for any number of classes.

    Attributes
    ----------
    weigh : callable ``(problem, H, p, random_state) -> (n, k)``
        What the learner is given.
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

    votes: Callable[..., ClassVotes] = ClassVotes

    @property
    def kind(self) -> str:
        return "votes for classes"
