"""Drawing of what decisions save."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from csb.inputs import check_instance
from csb.recommend.recommendation import Recommendation

__all__ = ["plot_savings"]

CHOSEN, OTHER = "#0072B2", "#7f7f7f"


def plot_savings(found: Recommendation, ax: Axes | None = None) -> Axes:
    """Draw what each row saves per 1,000 cases in place of the reference, with intervals.

    Parameters
    ----------
    found : Recommendation
        From :func:`csb.recommend.recommend`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The cheapest row on top, the recommended one in blue.
    """
    check_instance("found", found, Recommendation)
    if ax is None:
        ax = plt.subplots()[1]
    check_instance("ax", ax, Axes)
    saved = -1000 * found.table[["difference", "difference_high", "difference_low"]].iloc[::-1].to_numpy()
    for place, ((mean, low, high), name) in enumerate(zip(saved, found.table.index[::-1], strict=True)):
        colour = CHOSEN if name == found.name else OTHER
        ax.plot([low, high], [place, place], color=colour)
        ax.plot(mean, place, color=colour, marker="o")
    ax.axvline(0.0, color="#444444", linewidth=0.8)
    ax.set_yticks(np.arange(len(saved)), found.table.index[::-1])
    ax.set_xlabel(f"saved per 1,000 cases in place of {found.reference},\nin the unit of the costs")
    return ax
