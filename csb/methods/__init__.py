"""The boosting variants, one row each, and their registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

import pandas as pd

from csb.engine.rules import Rules
from csb.methods.adac import ADAC1, ADAC2, ADAC3
from csb.methods.adacost import ADACOST, ADACOST_BETA2
from csb.methods.adauboost import ADAUBOOST
from csb.methods.asyb import ASYB
from csb.methods.csada import ADADB, CSADA
from csb.methods.exponential import ADABOOST, ADAMEC, ASYMADA, CGADA
from csb.methods.gradient import GD_ADAC1, GD_ADACOST, GD_ASYMBOOST
from csb.methods.row import Variant
from csb.methods.ting import CSB0, CSB1, CSB2

__all__ = ["VARIANTS", "Registry", "Rules", "Variant"]


class Registry(Mapping):
    """The variants by key. Prints as a table; an unknown key names its nearest neighbour.

    Examples
    --------
    >>> from csb import VARIANTS
    >>> VARIANTS["cgada"].paper
    'Landesa-Vázquez & Alba-Castro 2012'
    """

    def __init__(self, *variants: Variant):
        self._rows = {variant.key: variant for variant in variants}

    def __getitem__(self, key: str) -> Variant:
        if key in self._rows:
            return self._rows[key]
        near = get_close_matches(str(key).lower(), self._rows, n=1, cutoff=0)
        raise ValueError(f"variant={key!r} is not known; the nearest is {near[0]!r}")

    def __contains__(self, key) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, variant: Variant) -> None:
        """Register a variant; its key must be new."""
        if variant.key in self._rows:
            raise ValueError(f"key={variant.key!r} is taken")
        self._rows[variant.key] = variant

    def table(self) -> pd.DataFrame:
        """One row a variant: name, paper, equations, loss, cost scaling, options."""
        return pd.DataFrame(
            {
                "method": [v.name for v in self.values()],
                "paper": [v.paper for v in self.values()],
                "equations": [v.equations for v in self.values()],
                "loss": [v.loss for v in self.values()],
                "costs": [v.scaling.__name__.replace("_", " ") for v in self.values()],
                "cost_scale": [v.cost_scale for v in self.values()],
                "options": ["; ".join(v.options) for v in self.values()],
            },
            index=pd.Index(self, name="variant"),
        )

    def __repr__(self) -> str:
        return self.table().drop(columns=["cost_scale"]).to_string()

    def _repr_html_(self) -> str:
        return self.table().to_html(na_rep="")


VARIANTS = Registry(
    ADABOOST,
    ADAMEC,
    CGADA,
    ASYMADA,
    CSADA,
    ADADB,
    ADAC1,
    ADAC2,
    ADAC3,
    CSB0,
    CSB1,
    CSB2,
    ADACOST,
    ADACOST_BETA2,
    GD_ADACOST,
    GD_ADAC1,
    GD_ASYMBOOST,
    ASYB,
    ADAUBOOST,
)
