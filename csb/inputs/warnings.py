"""What the package warns of."""

from __future__ import annotations

__all__ = ["CompileCacheWarning", "ConstantModelWarning", "NotCompiledWarning", "NotFiniteWarning"]


class NotFiniteWarning(RuntimeWarning):
    """The formula of a vote had no finite value in some round; training stopped there."""


class ConstantModelWarning(UserWarning):
    """No weak learner was kept: the model is the constant decision of least training cost."""


class CompileCacheWarning(UserWarning):
    """Compiled code cannot be kept, or what was kept is damaged: compiling takes its seconds again."""


class NotCompiledWarning(UserWarning):
    """Numba cannot be imported: the loops run as plain Python, with the same results, but slowly."""
