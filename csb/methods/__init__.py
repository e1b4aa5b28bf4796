"""The methods, one row each, and their registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import pandas as pd

from csb.inputs import one_of
from csb.methods.adac import ADAC1, ADAC2, ADAC3
from csb.methods.adacost import ADACOST, ADACOST_BETA2
from csb.methods.adauboost import ADAUBOOST, THETABOOST
from csb.methods.class_votes import ADABOOST_M2, MULTICLASS_ADACOST, MULTICLASS_CSB2
from csb.methods.csada import ADADB, CSADA
from csb.methods.exponential import ADABOOST, ADAMEC, ASYB, ASYMADA, CGADA
from csb.methods.gradient import GD_ADAC1, GD_ADACOST, GD_ASYMBOOST, GRADIENT_DESCENT
from csb.methods.logit import ASYBL, ASYMMETRIC_LOGITBOOST, LOGITBOOST
from csb.methods.margin_boost import MARGIN_BOOST
from csb.methods.pnorm import AVERAGE_COST, COSTING, DSE, GBSE, GBSE_T, LPCSB, LPCSB_A, LPCSB_PA
from csb.methods.spec import Method, VotingMethod
from csb.methods.thresholds import UNEQUAL_MARGIN
from csb.methods.ting import CSB0, CSB1, CSB2
from csb.methods.wrappers import (
    ANY_VARIANT,
    CALIBRATED_ADAMEC,
    CALIBRATED_ASYMADA,
    CALIBRATED_CGADA,
    METACOST,
)

__all__ = ["METHODS", "VARIANTS", "Method", "Registry", "VotingMethod"]

Row = TypeVar("Row", bound=Method)


class Registry(Mapping[str, Row]):
    """Methods by key. Prints as a table; an unknown key names its nearest neighbour.

    Parameters
    ----------
    *methods : Method
        Rows.
    kind : type, default Method
        The kind of row that this registry shows.
    of : Registry, optional
        Another registry, whose rows of that kind are shown, those added later included.

    Examples
    --------
    >>> from csb import METHODS
    >>> METHODS["cgada"].paper
    'Landesa-Vázquez & Alba-Castro 2012'
    """

    def __init__(self, *methods: Method, kind: type = Method, of: Registry[Any] | None = None) -> None:
        self._all: dict[Any, Any] = {method.key: method for method in methods} if of is None else of._all
        self._kind = kind

    def __getitem__(self, key: str) -> Row:
        return self._all[one_of("variant" if self._kind is VotingMethod else "method", key, self)]

    def __contains__(self, key: object) -> bool:
        return isinstance(self._all.get(key), self._kind)

    def __iter__(self) -> Iterator[str]:
        return (key for key, method in self._all.items() if isinstance(method, self._kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, method: Method) -> None:
        """Register a method; its key must be new."""
        if method.key in self._all:
            raise ValueError(f"key={method.key!r} is taken")
        self._all[method.key] = method

    def table(self) -> pd.DataFrame:
        """One row a method: name, paper, equations, loss, loop, options, when costs act."""
        rows = {
            key: {
                "method": row.name,
                "paper": row.paper,
                "equations": row.equations,
                "loss": row.loss,
                "loop": row.kind,
                "options": "; ".join(row.options),
                "costs act": row.costs_act,
            }
            for key, row in self.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("key")

    def __repr__(self) -> str:
        return self.table().to_string()

    def _repr_html_(self) -> str:
        return self.table().to_html()


METHODS: Registry[Any] = Registry(  # rows of several kinds: who names a key knows which
    ADABOOST, ADAMEC, CGADA, ASYMADA, CSADA, ADADB, ADAC1, ADAC2, ADAC3, CSB0, CSB1, CSB2, ADACOST,
    ADACOST_BETA2, GD_ADACOST, GD_ADAC1, GD_ASYMBOOST, ASYB, ADAUBOOST, THETABOOST, UNEQUAL_MARGIN,
    CALIBRATED_ADAMEC, CALIBRATED_CGADA, CALIBRATED_ASYMADA, LOGITBOOST, ASYBL, ASYMMETRIC_LOGITBOOST,
    ANY_VARIANT, GRADIENT_DESCENT, LPCSB, LPCSB_PA, LPCSB_A, GBSE, GBSE_T, DSE, COSTING, AVERAGE_COST,
    MARGIN_BOOST, ADABOOST_M2, MULTICLASS_ADACOST, MULTICLASS_CSB2, METACOST,
)  # fmt: skip
"""Every method of the package.

:meta hide-value:
"""
VARIANTS: Registry[VotingMethod] = Registry(kind=VotingMethod, of=METHODS)
"""Those of the loop of weighted votes, which :class:`csb.CostSensitiveBoosting` takes by their keys.

:meta hide-value:
"""
