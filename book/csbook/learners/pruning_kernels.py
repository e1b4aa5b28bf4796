"""Compiled weakest-link pruning of a grown tree."""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled

__all__ = ["weakest_links"]


@compiled()
def weakest_links(left, right, risk, lost):
    """Prune a tree link by link, down to its root.

    Nodes are numbered so that parents come before children; a leaf has ``left[t] < 0``. At each step goes the
    inner node whose leaves save the least risk for each leaf beyond the first. Returned are that saving for
    every step, never less than the one before, and the sum of ``lost`` over the leaves before the first and
    after each step.
    """
    nodes = left.shape[0]
    parent, leaves = np.full(nodes, -1), np.ones(nodes)
    branch, below = risk.copy(), lost.copy()  # sums over the leaves of each node
    for t in range(nodes - 1, -1, -1):
        if left[t] >= 0:
            a, b = left[t], right[t]
            parent[a] = parent[b] = t
            leaves[t] = leaves[a] + leaves[b]
            branch[t] = branch[a] + branch[b]
            below[t] = below[a] + below[b]
    links, sums = np.empty(nodes), np.empty(nodes)
    gone = left < 0
    steps, least = 0, -np.inf
    sums[0] = below[0]
    while not gone[0]:
        weakest, saving = 0, np.inf
        for t in range(nodes):
            if left[t] < 0:
                continue
            if gone[t]:
                gone[left[t]] = gone[right[t]] = True
                continue
            link = (risk[t] - branch[t]) / (leaves[t] - 1)
            if link < saving:
                weakest, saving = t, link
        gone[weakest] = True
        fewer, more = leaves[weakest] - 1, risk[weakest] - branch[weakest]
        worse = lost[weakest] - below[weakest]
        t = weakest
        while t >= 0:
            leaves[t] -= fewer
            branch[t] += more
            below[t] += worse
            t = parent[t]
        least = max(least, saving)
        links[steps] = least
        steps += 1
        sums[steps] = below[0]
    return links[:steps], sums[: steps + 1]
