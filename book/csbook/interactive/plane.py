"""What figures of the plane share: points at which a rule is asked, and the look of the classes."""

from __future__ import annotations

import numpy as np

__all__ = ["NEGATIVE", "POSITIVE", "plane_points"]

NEGATIVE, POSITIVE = "#0072B2", "#D55E00"
"""Colours of the classes."""


def plane_points(xlim: tuple[float, float], ylim: tuple[float, float], cells: int) -> np.ndarray:
    """Middles of ``cells`` times ``cells`` cells of equal size, row by row from the bottom, (cells**2, 2)."""
    middles = (np.arange(cells) + 0.5) / cells
    x, y = (low + middles * (high - low) for low, high in (xlim, ylim))
    return np.column_stack([np.tile(x, cells), np.repeat(y, cells)])
