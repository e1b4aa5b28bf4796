"""Of many estimators the few that ``make check`` tries; the others only ``make deep`` does."""

import pytest


def kind(cls):
    """What loop trains an estimator: the type of its row of the registry, or itself if it has none."""
    return type(cls._method) if hasattr(cls, "_method") else cls


def of_each_kind(classes):
    """The first of each kind."""
    first = {}
    for cls in classes:
        first.setdefault(kind(cls), cls)
    return list(first.values())


def few(classes):
    """The classes as parameters of a test; all but the first of each kind are marked as deep."""
    kept = of_each_kind(classes)
    return [cls if cls in kept else pytest.param(cls, marks=pytest.mark.deep) for cls in classes]
