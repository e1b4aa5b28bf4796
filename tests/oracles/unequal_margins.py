"""Maximal-margin programmes with unequal targets, solved by hand in exact fractions.

Minimise |w|^2 / 2 where w x + theta >= target for positives and w x + theta <= -1 for negatives, the target
being the cost ratio. Each entry states the solution and the multipliers that prove it: w is the sum of the
positives times theirs less that of the negatives, both classes have the same sum of multipliers, and a
multiplier is zero where its constraint is not tight.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

F = Fraction


class Programme(NamedTuple):
    """One worked programme."""

    target: Fraction
    negatives: tuple
    positives: tuple
    w: tuple
    theta: Fraction
    of_negatives: tuple
    of_positives: tuple


PROGRAMMES = (
    # Closest are 0 and 4. A slope of one rises by 4 = 3 + 1 between them; the border is at 1.
    Programme(
        target=F(3), negatives=((F(0),), (F(-3),)), positives=((F(4),), (F(7),)),
        w=(F(1),), theta=F(-1), of_negatives=(F(1, 4), F(0)), of_positives=(F(1, 4), F(0)),
    ),
    # The cheap class is the positive one: 1/2 + 1 between 1 and 4, the border at 3.
    Programme(
        target=F(1, 2), negatives=((F(1),), (F(0),)), positives=((F(4),), (F(4),)),
        w=(F(1, 2),), theta=F(-3, 2), of_negatives=(F(1, 6), F(0)), of_positives=(F(1, 12), F(1, 12)),
    ),
    # (0, 0) and (3, 4) are closest, five apart: |w| = (4 + 1)/5 = 1.
    Programme(
        target=F(4),
        negatives=((F(0), F(0)), (F(4), F(-3)), (F(-5), F(1))), positives=((F(3), F(4)), (F(7), F(2))),
        w=(F(3, 5), F(4, 5)), theta=F(-1), of_negatives=(F(1, 5), F(0), F(0)), of_positives=(F(1, 5), F(0)),
    ),
    # The line of the negatives (-1, 0), (1, 0) is closest to (1/2, 2): w is upright, multipliers 1 : 3.
    Programme(
        target=F(5), negatives=((F(-1), F(0)), (F(1), F(0))), positives=((F(1, 2), F(2)), (F(0), F(3))),
        w=(F(0), F(3)), theta=F(-1), of_negatives=(F(3, 8), F(9, 8)), of_positives=(F(3, 2), F(0)),
    ),
)  # fmt: skip
