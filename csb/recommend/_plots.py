"""Drawing of what decisions save; apart, as csb itself does not import pyplot."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from csb.inputs import check_instance

__all__ = ["draw_savings"]

CHOSEN, OTHER = "#0072B2", "#7f7f7f"


def draw_savings(table: pd.DataFrame, chosen: str, reference: str, ax: Axes | None) -> Axes:
    """What each row of the table saves per 1,000 cases in place of the reference, the chosen one in blue."""
    if ax is None:
        ax = plt.subplots()[1]
    check_instance("ax", ax, Axes)
    saved = -1000 * table[["difference", "difference_high", "difference_low"]].iloc[::-1].to_numpy()
    for place, ((mean, low, high), name) in enumerate(zip(saved, table.index[::-1], strict=True)):
        colour = CHOSEN if name == chosen else OTHER
        ax.plot([low, high], [place, place], color=colour)
        ax.plot(mean, place, color=colour, marker="o")
    ax.axvline(0.0, color="#444444", linewidth=0.8)
    ax.set_yticks(np.arange(len(saved)), table.index[::-1])
    ax.set_xlabel(f"saved per 1,000 cases in place of {reference},\nin the unit of the costs")
    return ax
