"""MetaCost on six points, worked by hand in exact fractions. Nothing here computes it.

The points have x = 0 (p1, p2, p3) or x = 1 (p4, p5, p6). The learner says of each value of x what share of
the sample's examples with that value is positive. Three samples are given, by the numbers of the points.

Sample 1: p1 p1 p3 | p4 p5 p6. Labels at x = 0 are 0 0 1, at x = 1 they are 1 1 0: shares 1/3 and 2/3.
Sample 2: p1 p2 p2 | p4 p4 p6. Labels 0 0 0 and 1 1 0: shares 0 and 2/3.
Sample 3: p2 p3 p3 | p5 p6 p6. Labels 0 1 1 and 1 0 0: shares 2/3 and 1/3.

All models: (1/3 + 0 + 2/3)/3 = 1/3 at x = 0 and (2/3 + 2/3 + 1/3)/3 = 5/9 at x = 1.
Votes: at x = 0 negative, negative, positive: 1/3; at x = 1 positive, positive, negative: 2/3.
Out of bag: p1 is in samples 1 and 2, so sample 3 judges: 2/3. p2 is in 2 and 3, sample 1: 1/3. p3 is in 1 and
3, sample 2: 0. p4 is in 1 and 2, sample 3: 1/3. p5 is in 1 and 3, sample 2: 2/3. p6 is in every sample, and
all judge: 5/9.

A point becomes positive where (1 - P) fp < P fn. With fn : fp = 5 : 4 that is P > 4/9, with 4 : 1 it is
P > 1/5.
"""

from fractions import Fraction

F = Fraction
X = ((0,), (0,), (0,), (1,), (1,), (1,))
Y = (0, 0, 1, 1, 1, 0)
SAMPLES = ((0, 0, 2, 3, 4, 5), (0, 1, 1, 3, 3, 5), (1, 2, 2, 4, 5, 5))

SHARES = {
    ("probabilities", False): (F(1, 3), F(1, 3), F(1, 3), F(5, 9), F(5, 9), F(5, 9)),
    ("votes", False): (F(1, 3), F(1, 3), F(1, 3), F(2, 3), F(2, 3), F(2, 3)),
    ("probabilities", True): (F(2, 3), F(1, 3), F(0), F(1, 3), F(2, 3), F(5, 9)),
}
"""Share of positives by what is averaged, and whether out of bag."""

LABELS = {
    (5, 4, "probabilities", False): (0, 0, 0, 1, 1, 1),
    (5, 4, "votes", False): (0, 0, 0, 1, 1, 1),
    (5, 4, "probabilities", True): (1, 0, 0, 0, 1, 1),
    (4, 1, "probabilities", False): (1, 1, 1, 1, 1, 1),
    (4, 1, "probabilities", True): (1, 1, 0, 1, 1, 1),
}
"""New labels by fn, fp, what is averaged, and whether out of bag."""
