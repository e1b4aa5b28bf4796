"""Data sets that are all the cases there are: boards, scales, robots."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from csbook.datasets.dataset import Dataset
from csbook.datasets.encode import describe, encode
from csbook.datasets.generated import made
from csbook.datasets.registry import find_entry

__all__ = [
    "make_balance_scale",
    "make_monks_1",
    "make_monks_2",
    "make_monks_3",
    "make_tic_tac_toe",
]

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _enumerated(name: str, raw: pd.DataFrame, y: ArrayLike) -> Dataset:
    track = find_entry(name).tracks["clean"]
    return made(name, encode(raw, track), y, "csbook.datasets, all cases", describe(track))


def _wins(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _final_boards() -> list[str]:
    """Boards at which a game that x opens can end, in the order of the alphabet."""
    finals, open_boards = set(), {"b" * 9}
    for move in range(9):
        player = "xo"[move % 2]
        reached = {
            board[:square] + player + board[square + 1 :]
            for board in open_boards
            for square in range(9)
            if board[square] == "b"
        }
        ended = {board for board in reached if _wins(board, player) or move == 8}
        finals |= ended
        open_boards = reached - ended
    return sorted(finals)


def make_tic_tac_toe() -> Dataset:
    """The 958 boards at which a game of tic-tac-toe can end; positive when x, who opens, has won.

    Returns
    -------
    Dataset
        27 inputs: for each square whether it is blank (b), o or x.

    Examples
    --------
    >>> make_tic_tac_toe().y.sum()
    np.int64(626)
    """
    boards = _final_boards()
    names = ["-".join(place) for place in product(("top", "middle", "bottom"), ("left", "middle", "right"))]
    raw = pd.DataFrame([list(board) for board in boards], columns=names)
    return _enumerated("tic-tac-toe", raw, np.array([_wins(board, "x") for board in boards]))


def make_balance_scale() -> Dataset:
    """The 625 scales with weights and distances from 1 to 5; three classes.

    Returns
    -------
    Dataset
        4 inputs; the class says to which side the larger torque, weight times distance, tips the scale.

    Examples
    --------
    >>> np.bincount(make_balance_scale().y)
    array([288,  49, 288])
    """
    names = ["left_weight", "left_distance", "right_weight", "right_distance"]
    raw = pd.DataFrame(list(product(range(1, 6), repeat=4)), columns=names, dtype=float)
    tips = np.sign(raw.right_weight * raw.right_distance - raw.left_weight * raw.left_distance)
    return _enumerated("balance-scale", raw, tips.to_numpy().astype(int) + 1)


def _robots() -> pd.DataFrame:
    sizes = {"a1": 3, "a2": 3, "a3": 2, "a4": 3, "a5": 4, "a6": 2}
    rows = list(product(*(range(1, size + 1) for size in sizes.values())))
    return pd.DataFrame(rows, columns=list(sizes))


def make_monks_1() -> Dataset:
    """The first of the MONK's problems, all 432 rows: a1 = a2 or a5 = 1.

    Returns
    -------
    Dataset
        15 inputs, one per value of an attribute (one column for two values).

    Examples
    --------
    >>> make_monks_1().y.sum()
    np.int64(216)
    """
    raw = _robots()
    return _enumerated("monks-1", raw.astype(str), (raw.a1 == raw.a2) | (raw.a5 == 1))


def make_monks_2() -> Dataset:
    """The second of the MONK's problems, all 432 rows: exactly two attributes have their first value.

    Returns
    -------
    Dataset
        15 inputs, one per value of an attribute (one column for two values).

    Examples
    --------
    >>> make_monks_2().y.sum()
    np.int64(142)
    """
    raw = _robots()
    return _enumerated("monks-2", raw.astype(str), (raw == 1).sum(axis=1) == 2)


def make_monks_3() -> Dataset:
    """The third of the MONK's problems, all 432 rows and no noise: (a5, a4) = (3, 1), or a5 < 4 and a2 < 3.

    Returns
    -------
    Dataset
        15 inputs, one per value of an attribute (one column for two values).

    Examples
    --------
    >>> make_monks_3().y.sum()
    np.int64(228)
    """
    raw = _robots()
    return _enumerated(
        "monks-3", raw.astype(str), ((raw.a5 == 3) & (raw.a4 == 1)) | ((raw.a5 != 4) & (raw.a2 != 3))
    )
