"""Constructors of the estimators: every parameter with its type, default and description, once.

An estimator is a dataclass; its docstring gets the sections on parameters and attributes from its fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, Literal, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from csb.engine.trained import Scoring

__all__ = [
    "EarlyStopping", "Jobs", "Label", "LearningRate", "Rounds", "Seed", "TwoCosts", "Votes", "estimator",
    "param",
]  # fmt: skip

Label = Any
"""A class label: a string, a number or a truth value."""
RandomState = int | np.random.RandomState | None
Class = TypeVar("Class")

NUMBERED = (
    "Bagging, voting, stacking and ``cross_val_predict`` of scores in scikit-learn number the classes from "
    "zero on before an estimator sees them: of the classes 1 and 2 this names the other one there, and "
    "nobody can tell. Give them truth values, such as ``y == 1``, and no ``pos_label``."
)
COST_SCALE = "Largest cost after scaling, in (0, 1]; {} by default (E-N16)."


def param(default: Any, description: str, kind: str | None = None) -> Any:
    """A field of an estimator.

    Parameters
    ----------
    default : object
        Its default, immutable.
    description : str
        What the parameter is, for the docstring.
    kind : str, optional
        Its type, for the docstring; read from a ``Literal`` annotation if left out.

    Returns
    -------
    object
        For the class body.
    """
    return field(default=default, metadata={"description": description, "kind": kind})


@dataclass_transform(eq_default=False)  # to a checker of types what param returns is the default
def estimator(cls: type[Class]) -> type[Class]:
    """Make a class an estimator: a typed constructor from its fields, and a docstring that names them.

    The class attribute ``_attributes`` describes what ``fit`` adds, ``_changeable`` names the parameters that
    act at the decision.
    """
    written = cls.__doc__  # none under -OO
    cls = dataclass(eq=False, repr=False)(cls)
    cls.__doc__ = written  # a dataclass without one gets its signature
    attributes: str | None = getattr(cls, "_attributes", None)
    if written and attributes is not None:
        text, examples, rest = inspect.cleandoc(written).partition("\nExamples\n--------\n")
        parameters = "\n".join(_described(cls))
        sections = [text.rstrip(), f"Parameters\n----------\n{parameters}"]
        sections.append(f"Attributes\n----------\n{inspect.cleandoc(attributes)}")
        if examples:
            sections.append(f"Examples\n--------\n{rest}")
        cls.__doc__ = "\n\n".join(sections) + "\n"
    return cls


def _described(cls: Any) -> Iterator[str]:
    """Lines of the section on parameters, in the order of the constructor."""
    hints = get_type_hints(cls)
    for each in sorted(fields(cls), key=lambda each: bool(each.kw_only)):
        kind = each.metadata["kind"]
        if kind is None:
            chosen = next(hint for hint in (hints[each.name], *get_args(hints[each.name]))
                          if get_origin(hint) is Literal)  # fmt: skip
            kind = "{" + ", ".join(f'"{value}"' for value in get_args(chosen)) + "}"
        quoted = f'"{each.default}"' if isinstance(each.default, str) else repr(each.default)
        default = "optional" if each.default is None else f"default {quoted}"
        yield f"{each.name} : {kind}, {default}"
        description = each.metadata["description"]
        if each.name in cls._changeable:
            description += " It may be changed after the fit."
        yield f"    {description}"


@dataclass(eq=False, repr=False)
class TwoCosts:
    """The two costs, and whose they are."""

    fn_cost: float = param(1.0, "Cost of a false negative, a positive number.", "float")
    fp_cost: float = param(1.0, "Cost of a false positive, a positive number.", "float")
    _: KW_ONLY
    pos_label: Label = param(
        None,
        "The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal "
        "costs it must be named. " + NUMBERED,
        "label",
    )


@dataclass(eq=False, repr=False)
class LearningRate:
    """How far a round goes."""

    _: KW_ONLY
    learning_rate: float = param(
        1.0,
        "Factor on every vote or step, applied before it moves the weights: below one, more rounds go a "
        "shorter way each. It stops nothing by itself.",
        "float",
    )


@dataclass(eq=False, repr=False)
class EarlyStopping:
    """When to end before the planned round; the names are those of scikit-learn's histogram boosting."""

    _: KW_ONLY
    early_stopping: bool = param(
        False, "Set examples aside, and end when the ensemble does them no more good.", "bool"
    )
    validation_fraction: float = param(0.1, "Share of each class to set aside, in (0, 1).", "float")
    n_iter_no_change: int = param(
        10, "End when so many rounds in a row have gained no more than ``tol``.", "int"
    )
    tol: float = param(1e-7, "What counts as a gain, not negative.", "float")
    scoring: Scoring = param(
        "log_loss",
        "Minus the log loss of the method's probabilities, or minus the mean cost of its decisions, which "
        "moves in steps and so needs more examples; a method without probabilities has the latter only.",
    )


@dataclass(eq=False, repr=False)
class Seed:
    """Randomness."""

    _: KW_ONLY
    random_state: RandomState = param(None, "Seed of randomised weak learners.", "int, RandomState or None")


@dataclass(eq=False, repr=False)
class Jobs(Seed):
    """Threads."""

    _: KW_ONLY
    n_jobs: int | None = param(
        None,
        "Threads of stumps and univariate regressions; the model does not depend on it.",
        "int",
    )


@dataclass(eq=False, repr=False)
class Rounds(Jobs, LearningRate):
    """Rounds and the weak learner."""

    n_estimators: int = param(100, "Largest number of rounds.", "int")
    estimator: str | BaseEstimator = param(
        "stump",
        'Weak learner: "stump", "tree" (of depth five; of another, :class:`csb.engine.learners.tree.Tree`), '
        '"univariate_logistic", "logistic", "perceptron", or any classifier whose ``fit`` accepts '
        "``sample_weight``, which is slower.",
        "str, Tree or scikit-learn classifier",
    )


@dataclass(eq=False, repr=False)
class Votes(Rounds):
    """The loop of weighted votes."""

    _: KW_ONLY
    nonpositive_alpha: Literal["stop", "signed"] = param(
        "stop",
        "Stop when the vote is not positive although the weak hypothesis beats chance, or keep it.",
    )
