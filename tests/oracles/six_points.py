"""Six-point examples of every variant, worked by hand in exact fractions.

Six examples with fixed weak hypotheses; each entry states the weights of every round and the steps as
literal numbers, with the derivation beside them. The rules are those of Tables 1 and 2 of Nikolaou et
al. (2016), with the corrections of the book's errata page. Nothing here computes a variant.

Notation of the comments: R and L are the masses of the hits and of the misses, z = exp(2 alpha), p1..p6
are the points, c is written (c+, c-), and a list in brackets is a weight vector before normalisation.
Two facts shorten the work. Factors common to all points cancel. If z = R/L for the vector that is then
multiplied by exp(-alpha u), the misses and the hits end with half of the mass each.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

F = Fraction
Y = (1, 1, 1, -1, -1, -1)
UNIFORM = (F(1, 6),) * 6


class Powers(NamedTuple):
    """Weights that are not rational: proportional to ``coefficient * unit**exponent``, point by point."""

    unit: Fraction | float
    terms: tuple

    def __iter__(self):
        values = [coefficient * self.unit**exponent for coefficient, exponent in self.terms]
        return (value / math.fsum(values) for value in values)


class Example(NamedTuple):
    """One worked run.

    Attributes
    ----------
    name : str
        The variant.
    options : dict
        Any of ``form``, ``init``, ``alpha``, ``vote``: what distinguishes this entry from the default.
    costs : tuple of two Fractions
        Costs of a false negative and of a false positive, used as they stand.
    base : tuple of six Fractions
        Base measure, the normalised sample weights.
    y : tuple of six ints
        Labels, -1 or +1.
    hypotheses : tuple of tuples
        Outputs of the weak hypotheses, one tuple of six per round. Their number is the planned number
        of rounds.
    steps : tuple of pairs (k, value)
        The step of a round, as ``exp(k * alpha) = value``.
    weights : tuple
        What the weak learner sees in rounds 1, 2, ... and would see after the last round: six Fractions
        summing to one, or `Powers`.
    """

    name: str
    options: dict
    costs: tuple
    base: tuple
    y: tuple
    hypotheses: tuple
    steps: tuple
    weights: tuple

    @property
    def label(self) -> str:
        """Name, options and costs in one word."""
        return "-".join([self.name, *self.options.values(), ":".join(map(str, self.costs))])

    def alphas(self) -> list[float]:
        """The steps as floats."""
        return [math.log(value) / k for k, value in self.steps]

    def distributions(self) -> list[list[float]]:
        """The weights of every round as floats summing to one."""
        return [[float(weight) for weight in vector] for vector in self.weights]


def over(denominator: int, *numerators: int) -> tuple:
    """Fractions with a common denominator."""
    return tuple(F(numerator, denominator) for numerator in numerators)


def missing(*points: int, y: tuple = Y) -> tuple:
    """Output of the hypothesis that is wrong exactly at the given points, counted from 1."""
    return tuple(-label if point in points else label for point, label in enumerate(y, start=1))


# D1 = 1/6. h1 misses p3: z = 5. Half of the mass to p3, half over the other five.
# h2 misses p1, p4: L = 2/10, z = 4. p1, p4 share 1/2; the hits [1 5 1 1]/10 (p2 p3 p5 p6) share 1/2.
ADABOOST = Example(
    "adaboost",
    {},
    (F(2), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(3), missing(1, 4)),
    steps=((2, F(5)), (2, F(4))),
    weights=(UNIFORM, over(10, 1, 1, 5, 1, 1, 1), over(16, 4, 1, 5, 4, 1, 1)),
)

# c = (2, 1), D1 = [2 2 2 1 1 1]/9. h1 misses p6: z = 8/1. Half to p6, the hits [2 2 2 1 1] share 1/2.
# D2 = [2 2 2 1 1 8]/16. h2 misses p1, p4: z = 13/3.
# D3: the misses [2 1] share 1/2: 1/3, 1/6; the hits [2 2 1 8]/13 share 1/2: 1/13 1/13 1/26 4/13.
CGADA = Example(
    "cgada",
    {},
    (F(2), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(6), missing(1, 4)),
    steps=((2, F(8)), (2, F(13, 3))),
    weights=(
        over(9, 2, 2, 2, 1, 1, 1),
        over(16, 2, 2, 2, 1, 1, 8),
        (F(1, 3), F(1, 13), F(1, 13), F(1, 6), F(1, 26), F(4, 13)),
    ),
)

# Viola-Jones order, M = 2, c = (4, 1), so every round multiplies by c^(1/2) = (2, 1) first.
# D1 = [2 2 2 1 1 1]/9, as for CGAda: z = 8, E2 = [2 2 2 1 1 8]/16.
# D2 from E2 times (2, 1): [4 4 4 1 1 8]/22. h2 misses p1, p4: L = 5/22, z = 17/5.
# E3: misses 4/10 1/10, hits [4 4 1 8]/34 = 2/17 2/17 1/34 4/17.
# D3 from E3 times (2, 1), in 170ths: [136 40 40 17 5 40], sum 278 (a third round is not planned;
# this is what it would see).
ASYMADA = Example(
    "asymada",
    {"form": "corrected"},
    (F(4), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(6), missing(1, 4)),
    steps=((2, F(8)), (2, F(17, 5))),
    weights=(
        over(9, 2, 2, 2, 1, 1, 1),
        over(22, 4, 4, 4, 1, 1, 8),
        over(278, 136, 40, 40, 17, 5, 40),
    ),
)

# As printed, M = 2, c = (4, 1): D1 = [2 2 2 1 1 1]/9, but the step is taken on D1 c^(1/2) = [4 4 4 1 1 1].
# h1 misses p6: z = 14. D2: half to p6, the hits [4 4 4 1 1]/14 share 1/2.
# D2 c^(1/2) = [8 8 8 1 1 14]/28. h2 misses p1, p4: z = 31/9.
# D3: misses [8 1]/18 = 4/9 1/18, hits [8 8 1 14]/62 = 4/31 4/31 1/62 7/31.
ASYMADA_PAPER = Example(
    "asymada",
    {"form": "paper"},
    (F(4), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(6), missing(1, 4)),
    steps=((2, F(14)), (2, F(31, 9))),
    weights=(
        over(9, 2, 2, 2, 1, 1, 1),
        over(28, 4, 4, 4, 1, 1, 14),
        (F(4, 9), F(4, 31), F(4, 31), F(1, 18), F(1, 62), F(7, 31)),
    ),
)

# c = (2, 1), x = exp(alpha). With the masses of D, e of misses and g of hits, the derivative of
# sum q exp(-c m - alpha c u) vanishes where e+ x^2 + e- x = g- / x + g+ / x^2; at x = 2 this reads
# 16 e+ + 8 e- = 2 g- + g+. The factors times x^2 = 4: hit 1, miss 16 (+); hit 2, miss 8 (-).
# Base [2 2 1 2 2 1], D1 = [4 4 2 2 2 1]/15. h1 misses p4: 8*2 = 2*3 + 10. [4 4 2 16 4 2], sum 32.
# D2 = [2 2 1 8 2 1]/16. h2 misses p3, p6: 16*1 + 8*1 = 2*10 + 4. [2 2 16 16 4 8], sum 48.
CSADA = Example(
    "csada",
    {},
    (F(2), F(1)),
    over(10, 2, 2, 1, 2, 2, 1),
    Y,
    hypotheses=(missing(4), missing(3, 6)),
    steps=((1, F(2)), (1, F(2))),
    weights=(
        over(15, 4, 4, 2, 2, 2, 1),
        over(16, 2, 2, 1, 8, 2, 1),
        over(24, 1, 1, 8, 8, 2, 4),
    ),
)

# c = (3, 1). In X = exp(2 alpha) the polynomial is e+ X^3 + e- X^2 - g- X - g+ = 0, and the factors
# times exp(3 alpha) are hit 1, miss X^3 (+); hit X, miss X^2 (-).
# Base [1 1 1 2 2 1], D1 = [3 3 3 2 2 1]/14. h1 misses p4: 2*9 - 3*3 - 9 = 0 at X = 3.
# [3 3 3 18 6 3], sum 36. D2 = [1 1 1 6 2 1]/12. h2 misses p1, p5: 1*8 + 2*4 - 7*2 - 2 = 0 at X = 2.
# [8 1 1 12 8 2], sum 32.
ADADB = Example(
    "adadb",
    {},
    (F(3), F(1)),
    over(8, 1, 1, 1, 2, 2, 1),
    Y,
    hypotheses=(missing(4), missing(1, 5)),
    steps=((2, F(3)), (2, F(2))),
    weights=(
        over(14, 3, 3, 3, 2, 2, 1),
        over(12, 1, 1, 1, 6, 2, 1),
        over(32, 8, 1, 1, 12, 8, 2),
    ),
)

# c = (1, 1/2), s = exp(alpha/2), z = s^4 = (1 + r)/(1 - r) with r = sum D c u.
# The factors times s^2: hit 1, miss s^4 (+); hit s, miss s^3 (-).
# D1 = [200 163 44 12 12 28]/459, base D1/c = [200 163 44 24 24 56], sum 511.
# h1 misses p6: r = (407 + 12 - 14)/459 = 15/17, z = 16, s = 2. [200 163 44 24 24 224], sum 679.
# h2 misses p3: r = (363 - 44 + 24 + 112)/679 = 65/97, z = 81/16, s = 3/2.
# [200 163 44*81/16 36 36 336], times 4: [800 652 891 144 144 1344], sum 3975.
ADAC1 = Example(
    "adac1",
    {"init": "cost", "alpha": "closed"},
    (F(1), F(1, 2)),
    over(511, 200, 163, 44, 24, 24, 56),
    Y,
    hypotheses=(missing(6), missing(3)),
    steps=((2, F(16)), (2, F(81, 16))),
    weights=(
        over(459, 200, 163, 44, 12, 12, 28),
        over(679, 200, 163, 44, 24, 24, 224),
        over(3975, 800, 652, 891, 144, 144, 1344),
    ),
)

# c = (1/2, 1), D1 = base = [2 1 1 10 10 10]/34. h1 misses p1: r = (-1 + 1 + 30)/34 = 15/17, z = 16, s = 2.
# Factors times s^2: p1 8, p2 p3 2, negatives 1: [16 2 2 10 10 10], sum 50.
# D2 = [8 1 1 5 5 5]/25. h2 misses p4: r = (5 - 5 + 10)/25 = 2/5, z = 7/3.
# D3: exponents of z are -c u / 2: -1/4 for the positives, 1/2 for p4, -1/2 for p5, p6.
ADAC1_UNIFORM = Example(
    "adac1",
    {"init": "uniform", "alpha": "closed"},
    (F(1, 2), F(1)),
    over(34, 2, 1, 1, 10, 10, 10),
    Y,
    hypotheses=(missing(1), missing(4)),
    steps=((2, F(16)), (2, F(7, 3))),
    weights=(
        over(34, 2, 1, 1, 10, 10, 10),
        over(25, 8, 1, 1, 5, 5, 5),
        Powers(
            F(7, 3),
            (
                (8, F(-1, 4)),
                (1, F(-1, 4)),
                (1, F(-1, 4)),
                (5, F(1, 2)),
                (5, F(-1, 2)),
                (5, F(-1, 2)),
            ),
        ),
    ),
)

# c = (1, 1/2), s = exp(alpha/2); the step minimises sum D exp(-alpha c u) itself, so D carries its cost
# once more: e+ s^2 + e- s/2 = g- /(2 s) + g+ / s^2; at s = 2 this reads 16 e+ + 4 e- = g- + g+.
# Factors times s^2: hit 1, miss 16 (+); hit 2, miss 8 (-). Base [2 2 1 4 4 2], D1 = [2 2 1 2 2 1]/10.
# h1 misses p4: 4*2 = 3 + 5. D2 = [2 2 1 16 4 2]/27. h2 misses p3, p6: 16*1 + 4*2 = 20 + 4.
# [2 2 16 32 8 16], sum 76.
ADAC1_EXACT = Example(
    "adac1",
    {"init": "cost", "alpha": "exact"},
    (F(1), F(1, 2)),
    over(15, 2, 2, 1, 4, 4, 2),
    Y,
    hypotheses=(missing(4), missing(3, 6)),
    steps=((F(1, 2), F(2)), (F(1, 2), F(2))),
    weights=(
        over(10, 2, 2, 1, 2, 2, 1),
        over(27, 2, 2, 1, 16, 4, 2),
        over(38, 1, 1, 8, 16, 4, 8),
    ),
)

# CSAda with c = (1, 1/2), s = exp(alpha/2) in the place of x above: 16 e+ + 8 e- = 2 g- + g+ at s = 2.
# Base [3 1 1 2 2 1], D1 = [6 2 2 2 2 1]/15. h1 misses p4: 8*2 = 2*3 + 10. [6 2 2 16 4 2], sum 32.
# D2 = [3 1 1 8 2 1]/16. h2 misses p3, p6: 16 + 8 = 2*10 + 4. [3 1 16 16 4 8], sum 48.
ADAC1_FGD = Example(
    "adac1",
    {"init": "cost", "alpha": "fgd"},
    (F(1), F(1, 2)),
    over(10, 3, 1, 1, 2, 2, 1),
    Y,
    hypotheses=(missing(4), missing(3, 6)),
    steps=((F(1, 2), F(2)), (F(1, 2), F(2))),
    weights=(
        over(15, 6, 2, 2, 2, 2, 1),
        over(16, 3, 1, 1, 8, 2, 1),
        over(48, 3, 1, 16, 16, 4, 8),
    ),
)

# c = (3, 1), D1 = [3 3 3 1 1 1]/12; the step is taken on D1 c = [9 9 9 1 1 1]. h1 misses p1: z = 21/9.
# D2: half to p1, the hits [9 9 1 1 1]/21 share 1/2. D2 c = [63 27 27 1 1 1]/42.
# h2 misses p2, p4: z = 92/28. D3: misses [27 1]/56, hits [63 27 1 1]/184.
ADAC2 = Example(
    "adac2",
    {"init": "cost"},
    (F(3), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(1), missing(2, 4)),
    steps=((2, F(7, 3)), (2, F(23, 7))),
    weights=(
        over(12, 3, 3, 3, 1, 1, 1),
        over(42, 21, 9, 9, 1, 1, 1),
        (F(63, 184), F(27, 56), F(27, 184), F(1, 56), F(1, 184), F(1, 184)),
    ),
)

# c = (3, 1), D1 = 1/6, D1 c = [3 3 3 1 1 1]. h1 misses p1: z = 9/3.
# D2: half to p1, the hits [3 3 1 1 1]/9 share 1/2. D2 c = [27 9 9 1 1 1]/18.
# h2 misses p2, p4: z = 38/10. D3: misses [9 1]/20, hits [27 9 1 1]/76.
ADAC2_UNIFORM = Example(
    "adac2",
    {"init": "uniform"},
    (F(3), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(1), missing(2, 4)),
    steps=((2, F(3)), (2, F(19, 5))),
    weights=(
        UNIFORM,
        over(18, 9, 3, 3, 1, 1, 1),
        (F(27, 76), F(9, 20), F(9, 76), F(1, 20), F(1, 76), F(1, 76)),
    ),
)

# c = (1, 1/2), v = D c, z = sum v (1 + c u) / sum v (1 - c u) = s^4, D' from v exp(-alpha c u).
# The factors of v times s^2: hit 1, miss s^4 (+); hit s, miss s^3 (-).
# D1 = [33 30 10 8 8 8]/97, v = [33 30 10 4 4 4], base D1/c = [33 30 10 16 16 16], sum 121.
# h1 misses p6: (2*73 + 3/2*8 + 1/2*4) / (1/2*8 + 3/2*4) = 160/10, s = 2. [33 30 10 8 8 32], sum 121.
# v = [33 30 10 4 4 16]. h2 misses p3: (2*63 + 3/2*24) / (2*10 + 1/2*24) = 162/32, s = 3/2.
# [33 30 10*81/16 6 6 24], times 8/3: [88 80 135 16 16 64], sum 399.
ADAC3 = Example(
    "adac3",
    {"init": "cost"},
    (F(1), F(1, 2)),
    over(121, 33, 30, 10, 16, 16, 16),
    Y,
    hypotheses=(missing(6), missing(3)),
    steps=((2, F(16)), (2, F(81, 16))),
    weights=(
        over(97, 33, 30, 10, 8, 8, 8),
        over(121, 33, 30, 10, 8, 8, 32),
        over(399, 88, 80, 135, 16, 16, 64),
    ),
)

# c = (1/2, 1), D1 = base = [2 4 6 10 9 9]/40, v = [1 2 3 10 9 9].
# h1 misses p1: (1/2*1 + 3/2*5 + 2*28) / (3/2*1 + 1/2*5) = 64/4, s = 2.
# Factors of v times s^2: p1 8, p2 p3 2, negatives 1: [8 4 6 10 9 9], sum 46.
# v = [4 2 3 10 9 9]. h2 misses p4: (3/2*9 + 2*18) / (1/2*9 + 2*10) = 99/49.
# D3: v times z to the power -c u / 2.
ADAC3_UNIFORM = Example(
    "adac3",
    {"init": "uniform"},
    (F(1, 2), F(1)),
    over(40, 2, 4, 6, 10, 9, 9),
    Y,
    hypotheses=(missing(1), missing(4)),
    steps=((2, F(16)), (2, F(99, 49))),
    weights=(
        over(40, 2, 4, 6, 10, 9, 9),
        over(46, 8, 4, 6, 10, 9, 9),
        Powers(
            F(99, 49),
            (
                (4, F(-1, 4)),
                (2, F(-1, 4)),
                (3, F(-1, 4)),
                (10, F(1, 2)),
                (9, F(-1, 2)),
                (9, F(-1, 2)),
            ),
        ),
    ),
)

# c = (2, 1), D1 = [2 2 2 1 1 1]/9. h1 misses p1: z = 7/2. Only the misses change, by c: [4 2 2 1 1 1].
# h2 misses p2, p4: L = 3/11, z = 8/3. [4 4 2 1 1 1], sum 13.
CSB0 = Example(
    "csb0",
    {},
    (F(2), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(1), missing(2, 4)),
    steps=((2, F(7, 2)), (2, F(8, 3))),
    weights=(over(9, 2, 2, 2, 1, 1, 1), over(11, 4, 2, 2, 1, 1, 1), over(13, 4, 4, 2, 1, 1, 1)),
)

# Labels ++----, c = (2, 1), D1 = [2 2 1 1 1 1]/8. h1 misses p1, p3: z = 5/3.
# Misses times c e, hits over e: [4e 2/e e 1/e 1/e 1/e].
# h2 misses p3, p4: L = e + 1/e, R = 4e + (2 + 1 + 1)/e, z = 4. [4 2/e^2 e^2 1 1/e^2 1/e^2].
Y_TWO = (1, 1, -1, -1, -1, -1)
CSB1 = Example(
    "csb1",
    {},
    (F(2), F(1)),
    UNIFORM,
    Y_TWO,
    hypotheses=(missing(1, 3, y=Y_TWO), missing(3, 4, y=Y_TWO)),
    steps=((2, F(5, 3)), (2, F(4))),
    weights=(
        over(8, 2, 2, 1, 1, 1, 1),
        Powers(math.e, ((4, 1), (2, -1), (1, 1), (1, -1), (1, -1), (1, -1))),
        Powers(math.e, ((4, 0), (2, -2), (1, 2), (1, 0), (1, -2), (1, -2))),
    ),
)

# c = (2, 1), D1 = [2 2 2 1 1 1]/9. h1 misses p1: z = 7/2. Times exp(alpha): misses c z D, hits D:
# [14 2 2 1 1 1], sum 21. h2 misses p2, p4: L = 3/21, z = 6: p2 2*6*2, p4 6*1: [14 24 2 6 1 1], sum 48.
CSB2 = Example(
    "csb2",
    {},
    (F(2), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(1), missing(2, 4)),
    steps=((2, F(7, 2)), (2, F(6))),
    weights=(over(9, 2, 2, 2, 1, 1, 1), over(21, 14, 2, 2, 1, 1, 1), over(48, 14, 24, 2, 6, 1, 1)),
)

# c = (1/2, 1/4), beta u = (u - c)/2, D1 = [2 2 2 1 1 1]/9. h1 misses p6.
# z = sum D (1 + beta u) / sum D (1 - beta u): in 72nds, 60 + 22 + 3 = 85 over 36 + 10 + 13 = 59.
# Exponents of z are -(u - c)/4: hit -1/8 (+); hit -3/16, miss 5/16 (-).
ADACOST = Example(
    "adacost",
    {},
    (F(1, 2), F(1, 4)),
    UNIFORM,
    Y,
    hypotheses=(missing(6),),
    steps=((2, F(85, 59)),),
    weights=(
        over(9, 2, 2, 2, 1, 1, 1),
        Powers(
            F(85, 59),
            (
                (2, F(-1, 8)),
                (2, F(-1, 8)),
                (2, F(-1, 8)),
                (1, F(-3, 16)),
                (1, F(-3, 16)),
                (1, F(5, 16)),
            ),
        ),
    ),
)

# Equal costs c = 1/13: z = (2 + g - c)/(2 - g + c) with the edge g, and the misses gain a factor
# exp(alpha) on the hits. Base = D1 = [27 90 75 60 60 26]/338.
# h1 misses p6: L = 1/13, g = 11/13, z = (36/13)/(16/13) = 9/4. Hits times 2, misses times 3:
# [54 180 150 120 120 78], sum 702 = 6*117. h2 misses p1: L = 9/117 = 1/13, so z = 9/4 again.
# [27 60 50 40 40 26], sum 243.
ADACOST_EQUAL = Example(
    "adacost",
    {},
    (F(1, 13), F(1, 13)),
    over(338, 27, 90, 75, 60, 60, 26),
    Y,
    hypotheses=(missing(6), missing(1)),
    steps=((2, F(9, 4)), (2, F(9, 4))),
    weights=(
        over(338, 27, 90, 75, 60, 60, 26),
        over(117, 9, 30, 25, 20, 20, 13),
        over(243, 27, 60, 50, 40, 40, 26),
    ),
)

# Eq. (5) of Cai et al. by line search: the exponents are kappa = (u - c)/2 for the vote as well.
# c = (3/5, 1/5); with s = exp(alpha/5) the factors are hit 1/s, miss s^4 (+); hit 1/s^2, miss s^3 (-), and
# the derivative vanishes where R+ s + 2 R- = 4 L+ s^6 + 3 L- s^5; at s = 2: R+ + R- = 128 L+ + 48 L-.
# Base [5 200 200 240 240 240], D1 = base c = [1 40 40 16 16 16]/129. h1 misses p1: 80 + 48 = 128.
# The factors times s^2: [64 80 80 16 16 16], by 16: sum 17.
ADACOST_LINE_SEARCH = Example(
    "adacost",
    {"vote": "line_search"},
    (F(3, 5), F(1, 5)),
    over(1125, 5, 200, 200, 240, 240, 240),
    Y,
    hypotheses=(missing(1),),
    steps=((F(1, 5), F(2)),),
    weights=(over(129, 1, 40, 40, 16, 16, 16), over(17, 4, 5, 5, 1, 1, 1)),
)

# c = (1, 1/3), s = exp(alpha/3), z = R/L = s^6. Factors exp(-alpha (u - c)/2): hit 1, miss s^3 (+);
# hit 1/s, miss s^2 (-). D1 = [30 27 1 4 2 1]/65, base D1/c = [30 27 1 12 6 3], sum 79.
# h1 misses p6: z = 64, s = 2. [30 27 1 2 1 4], sum 65. h2 misses p3: z = 64, s = 2.
# [30 27 8 1 1/2 2], times 2: sum 137.
ADACOST_BETA2 = Example(
    "adacost_beta2",
    {},
    (F(1), F(1, 3)),
    over(79, 30, 27, 1, 12, 6, 3),
    Y,
    hypotheses=(missing(6), missing(3)),
    steps=((2, F(64)), (2, F(64))),
    weights=(
        over(65, 30, 27, 1, 4, 2, 1),
        over(65, 30, 27, 1, 2, 1, 4),
        over(137, 60, 54, 16, 2, 1, 4),
    ),
)

# c = (3/5, 1/5), the exponents of the objective are kappa = (u - c)/2. With s = exp(alpha/5) the factors are
# hit 1/s, miss s^4 (+); hit 1/s^2, miss s^3 (-), and the derivative of the sum vanishes where
# R+ s + 2 R- = 4 L+ s^6 + 3 L- s^5; at s = 2 this reads R+ + R- = 128 L+ + 48 L-.
# Base [4 4 4 6 6 1], D1 = base c = [12 12 12 6 6 1]/49. h1 misses p6: 36 + 12 = 48.
# The factors times s^2: [24 24 24 6 6 32], sum 116.
GD_ADACOST = Example(
    "gd_adacost",
    {},
    (F(3, 5), F(1, 5)),
    over(25, 4, 4, 4, 6, 6, 1),
    Y,
    hypotheses=(missing(6),),
    steps=((F(1, 5), F(2)),),
    weights=(over(49, 12, 12, 12, 6, 6, 1), over(58, 12, 12, 12, 3, 3, 16)),
)

# Equal costs c = 1/3: exp(alpha) = (1 - c) R / ((1 + c) L) = R / (2 L), which is what the misses gain on
# the hits. h1 misses p6: 8/2. [2 2 2 1 1 4], sum 12. h2 misses p1: 10/4. [5 2 2 1 1 4], sum 15.
GD_ADACOST_EQUAL = Example(
    "gd_adacost",
    {},
    (F(1, 3), F(1, 3)),
    over(9, 2, 2, 2, 1, 1, 1),
    Y,
    hypotheses=(missing(6), missing(1)),
    steps=((1, F(4)), (1, F(5, 2))),
    weights=(over(9, 2, 2, 2, 1, 1, 1), over(12, 2, 2, 2, 1, 1, 4), over(15, 5, 2, 2, 1, 1, 4)),
)

# c = (2, 1), D1 = [2 2 2 1 1 1]/9, but the step is taken on D1 c = [4 4 4 1 1 1]. h1 misses p6: z = 14.
# [2 2 2 1 1 14], sum 22. D2 c = [4 4 4 1 1 14]. h2 misses p1, p4: z = 23/5. Times 5:
# [46 10 10 23 5 70], sum 164.
ASYB_PAPER = Example(
    "asyb",
    {"form": "paper"},
    (F(2), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(6), missing(1, 4)),
    steps=((2, F(14)), (2, F(23, 5))),
    weights=(
        over(9, 2, 2, 2, 1, 1, 1),
        over(22, 2, 2, 2, 1, 1, 14),
        over(164, 46, 10, 10, 23, 5, 70),
    ),
)

# c = (2, 1): exponents k = (1/2, 1), s = exp(alpha/2). The sum of D u exp(-alpha k u) vanishes where
# R+ s + R- = L+ s^3 + L- s^4; at s = 2 this reads 2 R+ + R- = 8 L+ + 16 L-. Factors times s^2: hit 2,
# miss 8 (+); hit 1, miss 16 (-). Base [2 1 1 8 8 2], D1 = base c = [2 1 1 4 4 1]/13.
# h1 misses p6: 2*4 + 8 = 16*1. [4 2 2 4 4 16], sum 32. D2 = [2 1 1 2 2 8]/16.
# h2 misses p1: 2*2 + 12 = 8*2. [16 2 2 2 2 8], sum 32.
ADAUBOOST = Example(
    "adauboost",
    {},
    (F(2), F(1)),
    over(22, 2, 1, 1, 8, 8, 2),
    Y,
    hypotheses=(missing(6), missing(1)),
    steps=((F(1, 2), F(2)), (F(1, 2), F(2))),
    weights=(over(13, 2, 1, 1, 4, 4, 1), over(16, 2, 1, 1, 2, 2, 8), over(16, 8, 1, 1, 1, 1, 4)),
)

# AdaMEC trains as AdaBoost; CSAda and AdaDB solve the same equation, and the gradient forms of AdaC1 and
# of AsymBoost are CSAda; AsyB as derived is CGAda.
EXAMPLES = (
    ADABOOST,
    ADABOOST._replace(name="adamec"),
    CGADA,
    ASYMADA,
    ASYMADA_PAPER,
    CSADA,
    ADADB._replace(name="csada"),
    ADADB,
    CSADA._replace(name="adadb"),
    ADAC1,
    ADAC1_UNIFORM,
    ADAC1_EXACT,
    ADAC1_FGD,
    ADAC2,
    ADAC2_UNIFORM,
    ADAC3,
    ADAC3_UNIFORM,
    CSB0,
    CSB1,
    CSB2,
    ADACOST,
    ADACOST_EQUAL,
    ADACOST_LINE_SEARCH,
    ADACOST_BETA2,
    GD_ADACOST,
    GD_ADACOST_EQUAL,
    CSADA._replace(name="gd_adac1"),
    CSADA._replace(name="gd_asymboost"),
    CGADA._replace(name="asyb", options={"form": "corrected"}),
    ASYB_PAPER,
    ADAUBOOST,
)

# A step that is not positive although the edge is: c = (4, 1), D1 = 1/6. h1 misses p1, p2: edge 1/3, but
# D1 c = [4 4 4 1 1 1] gives z = 7/8. Misses share 1/2, hits [4 1 1 1]/14. The default policy stops here;
# the weights hold if the step is kept with its sign.
NEGATIVE_STEP = Example(
    "adac2",
    {"init": "uniform"},
    (F(4), F(1)),
    UNIFORM,
    Y,
    hypotheses=(missing(1, 2),),
    steps=((2, F(7, 8)),),
    weights=(UNIFORM, (F(1, 4), F(1, 4), F(2, 7), F(1, 14), F(1, 14), F(1, 14))),
)
