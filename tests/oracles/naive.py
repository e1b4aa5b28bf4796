"""Every variant as one plain loop, to be read beside Tables 1 and 2 of Nikolaou et al. (2016).

Linear weights, one sum per line of the tables, no logarithms of weights and no shortcuts: slow, and good
for some tens of rounds. Where the printed tables need a correction (the book's errata page), the line
says which.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

VARIANTS = (
    "adaboost", "adamec", "cgada", "asymada", "csada", "adadb", "adac1", "adac2", "adac3",
    "csb0", "csb1", "csb2", "adacost", "adacost_beta2", "gd_adac1", "gd_asymboost", "gd_adacost",
    "asyb", "adauboost",
)  # fmt: skip
CAP = 0.5 * np.log((1 - 1e-10) / 1e-10)


def normalise(v):
    """Divide by the sum."""
    return v / v.sum()


def half_log(a, b):
    """``1/2 log(a / b)``; infinite for ``b = 0``, nan where the logarithm does not exist."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return 0.5 * np.log(np.float64(a) / np.float64(b))


def minimiser(w, kappa):
    """Minimiser over alpha of ``sum_i w_i exp(-alpha kappa_i)``, by bisection on its derivative."""
    w, kappa = w[w > 0], kappa[w > 0]
    if np.all(kappa > 0) or np.all(kappa < 0):
        return np.inf * kappa[0]

    def derivative(alpha):
        return -np.sum(w * kappa * np.exp(-alpha * kappa))

    low, high = -1.0, 1.0
    while derivative(low) > 0:
        low *= 2
    while derivative(high) < 0:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if derivative(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def polynomial_step(D, y, u, c_plus, c_minus):
    """Logarithm of the one positive root of AdaDB's polynomial, for integer costs."""
    n_plus, n_minus = int(c_plus), int(c_minus)
    if (n_plus, n_minus) != (c_plus, c_minus):
        raise ValueError(f"c_plus={c_plus}, c_minus={c_minus}: the polynomial wants integer costs")
    n = max(n_plus, n_minus)
    P = np.zeros(2 * n + 1)  # P[k] is the coefficient of x**k
    P[n + n_plus] += D[(u == -1) & (y == 1)].sum()
    P[n + n_minus] += D[(u == -1) & (y == -1)].sum()
    P[n - n_minus] -= D[(u == 1) & (y == -1)].sum()
    P[n - n_plus] -= D[(u == 1) & (y == 1)].sum()
    if D[u == -1].sum() == 0:
        return np.inf
    if D[u == 1].sum() == 0:
        return -np.inf
    roots = np.roots(P[::-1])
    roots = roots[roots.real > 0]
    return np.log(roots[np.argmin(np.abs(roots.imag))].real)


def naive_boost(name, y, H_or_chooser, c_plus, c_minus, T, *, form="corrected", init=None,
                alpha="closed", vote="closed_form", base=None, beta=None, stop=False,
                learning_rate=1.0):  # fmt: skip
    """Boost with given weak hypotheses.

    Parameters
    ----------
    name : str
        One of `VARIANTS`.
    y : array of shape (N,)
        Labels, -1 or +1.
    H_or_chooser : array of shape (at most T, N), or callable ``(D, y) -> h``
        Outputs, -1 or +1, of the weak hypotheses. A matrix with fewer than T rows is a run that ends
        early: T stays the planned number of rounds, the M of AsymAda.
    c_plus, c_minus : float
        Costs of a false negative and of a false positive, used as they stand.
    T : int
        Planned number of rounds.
    form : {"corrected", "paper"}
        AsymAda in the order of Viola and Jones, or as printed; AsyB as derived, or as printed.
    init : {None, "cost", "uniform"}
        First weights of AdaC1, AdaC2, AdaC3; None is "cost", as printed.
    alpha : {"closed", "exact", "fgd"}
        Step of AdaC1: the printed formula; the minimiser of ``sum D exp(-alpha c u)``; the minimiser of
        ``sum q exp(-c m - alpha c u)``, which with ``init="cost"`` makes it CSAda.
    vote : {"closed_form", "line_search"}
        Vote of AdaCost: the printed formula; the minimiser of Eq. (5) of Cai et al., at least zero.
    base : array of shape (N,), optional
        Base measure q (sample weights), uniform by default.
    beta : callable ``(c, u) -> beta``, optional
        Adjustment function of AdaCost and AdaCost(beta_2).
    stop : bool
        False: keep every round, whatever the sign of the step. True: leave out a round without edge, or
        with a step that is not positive or not a number, and stop; replace an infinite step by 11.51
        over the smallest exponent of the loss, keep that round and stop.
    learning_rate : float
        What a step is multiplied by before it is taken; it stops nothing.

    Returns
    -------
    rounds : list of (D, alpha, h)
        Weights given to the weak learner, step and hypothesis of every round kept.
    D : ndarray of shape (N,)
        Weights the next round would train on.

    Examples
    --------
    >>> rounds, D = naive_boost("cgada", [1, 1, -1, -1], [[1, -1, -1, -1]], 2, 1, 1)
    >>> [round(float(alpha), 4) for _, alpha, _ in rounds]  # 1/2 log(4 / 2)
    [0.3466]
    >>> D.round(4)
    array([0.25 , 0.5  , 0.125, 0.125])
    """
    for value, allowed in (
        (name, VARIANTS),
        (form, ("corrected", "paper")),
        (init, (None, "cost", "uniform")),
        (alpha, ("closed", "exact", "fgd")),
        (vote, ("closed_form", "line_search")),
    ):
        if value not in allowed:
            raise ValueError(f"{value!r} is not one of {allowed}")
    y = np.asarray(y)
    q = np.ones(len(y)) if base is None else np.asarray(base, dtype=float)
    q = normalise(q)
    c = np.where(y == 1, float(c_plus), float(c_minus))
    k = np.where(y == 1, c_minus / c_plus, 1.0)  # exponents of AdaUBoost
    M = T
    if beta is None:
        beta = default_beta

    # Table 1, last column (normalised, E-N03)
    if name in ("adaboost", "adamec") or (name in ("adac1", "adac2", "adac3") and init == "uniform"):
        D = normalise(q)
    elif name == "asymada":
        D = normalise(q * c ** (1 / M))
    else:
        D = normalise(q * c)

    rounds = []
    m = np.zeros(len(y))  # margins y F
    for t in range(T if callable(H_or_chooser) else len(H_or_chooser)):
        h = np.asarray(H_or_chooser(D, y) if callable(H_or_chooser) else H_or_chooser[t])
        u = y * h
        right, wrong = u == 1, u == -1
        if stop and D[right].sum() <= D[wrong].sum():
            break

        # Table 2
        if name in ("csada", "gd_adac1", "gd_asymboost") or (name == "adac1" and alpha == "fgd"):
            a = minimiser(normalise(q * np.exp(-c * m)), c * u)  # not D, which holds c already (E-N23)
        elif name == "gd_adacost":  # (19) of Cai et al. with the terms of (13), over votes of at least zero
            a = max(minimiser(D, (u - c) / 2), 0.0)
        elif name == "asyb":  # masses of the classes under weights without costs (E-A06), or as printed
            E = D / c if form == "corrected" else D
            a = half_log((E * c)[right].sum(), (E * c)[wrong].sum())
        elif name == "adauboost":  # Z has the exponents k, the learner its derivative
            a = minimiser(normalise(D / k), k * u)
        elif name == "adadb":
            a = polynomial_step(D, y, u, c_plus, c_minus)
        elif name == "adac1" and alpha == "exact":
            a = minimiser(D, c * u)
        elif name == "adac1":
            r = (D * c)[right].sum() - (D * c)[wrong].sum()
            a = half_log(D.sum() + r, D.sum() - r)  # the 1 of the table is the sum of D (E-N03)
        elif name == "adac2":
            a = half_log((D * c)[right].sum(), (D * c)[wrong].sum())
        elif name == "adac3":
            r = (D * c**2)[right].sum() - (D * c**2)[wrong].sum()
            a = half_log((D * c).sum() + r, (D * c).sum() - r)
        elif name == "asymada" and form == "paper":
            E = D * c ** (1 / M)
            a = half_log(E[right].sum(), E[wrong].sum())
        elif name == "adacost" and vote == "line_search":
            a = max(minimiser(D, beta(c, u) * u), 0.0)
        elif name == "adacost":
            b = beta(c, u)
            r = (D * b)[right].sum() - (D * b)[wrong].sum()
            a = half_log(D.sum() + r, D.sum() - r)
        else:
            a = half_log(D[right].sum(), D[wrong].sum())

        perfect = a == np.inf
        if stop and perfect:
            a = CAP / smallest_exponent(name, c_plus, c_minus)
        if stop and not a > 0:  # true of nan, too
            break
        a = learning_rate * a
        rounds.append((D, a, h))
        m = m + a * u

        # Table 1, middle column
        if name in ("adac1", "csada", "adadb", "gd_adac1", "gd_asymboost"):
            factor = np.exp(-c * a * u)
        elif name == "adac2":
            factor = c * np.exp(-a * u)
        elif name == "adac3":
            factor = c * np.exp(-c * a * u)
        elif name == "asymada":  # corrected: exp(-a u) ends round t, c^(1/M) opens round t + 1
            factor = c ** (1 / M) * np.exp(-a * u)
        elif name == "adauboost":
            factor = np.exp(-k * a * u)
        elif name == "csb0":
            factor = np.where(wrong, c, 1.0)
        elif name == "csb1":
            factor = np.where(wrong, c, 1.0) * np.exp(-u)
        elif name == "csb2":
            factor = np.where(wrong, c, 1.0) * np.exp(-a * u)
        elif name == "gd_adacost":
            factor = np.exp(-a * (u - c) / 2)
        elif name in ("adacost", "adacost_beta2"):
            factor = np.exp(-beta(c, u) * a * u)
        else:
            factor = np.exp(-a * u)
        D = normalise(D * factor)
        if stop and perfect:
            break
    return rounds, D


def default_beta(c, u):
    """Adjustment function below Table 1: (1 + c)/2 for a miss, (1 - c)/2 for a hit."""
    return np.where(u == -1, (1 + c) / 2, (1 - c) / 2)


def smallest_exponent(name, c_plus, c_minus):
    """Smaller of the two exponents k in the variant's loss ``a exp(-k m)``."""
    if name in ("csada", "adadb", "adac1", "adac3", "gd_adac1", "gd_asymboost"):
        return min(c_plus, c_minus)
    if name in ("adacost", "adacost_beta2", "gd_adacost"):
        return 0.5
    if name == "adauboost":
        return min(1.0, c_minus / c_plus)
    return 1.0


def naive_stump(X, D, y):
    """Best decision stump by exhaustive search.

    Thresholds are -inf (the constant) and the midpoints between consecutive distinct values among the
    rows that carry weight. Edges within 1e-12 of the best are a tie, which goes to the lowest feature,
    then the lowest threshold, then polarity +1.

    Parameters
    ----------
    X : array of shape (N, d)
    D : array of shape (N,)
        Weights.
    y : array of shape (N,)
        Labels, -1 or +1.

    Returns
    -------
    feature : int
    threshold : float
    polarity : int
        The stump says ``polarity`` where ``X[:, feature] > threshold`` and ``-polarity`` elsewhere.
    edge : float
        ``sum D y h``.

    Examples
    --------
    >>> naive_stump(np.array([[1.0], [2.0], [4.0]]), np.array([0.25, 0.25, 0.5]), np.array([-1, -1, 1]))
    (0, 3.0, 1, 1.0)
    """
    candidates = []
    for feature in range(X.shape[1]):
        values = sorted(set(X[D > 0, feature].tolist()))
        thresholds = [-np.inf] + [(low + high) / 2 for low, high in pairwise(values)]
        for threshold in thresholds:
            for polarity in (1, -1):
                h = np.where(X[:, feature] > threshold, polarity, -polarity)
                candidates.append((feature, threshold, polarity, float(np.sum(D * y * h))))
    best = max(edge for *_, edge in candidates)
    return next(candidate for candidate in candidates if candidate[-1] >= best - 1e-12)


def stump_chooser(X):
    """Chooser for `naive_boost` that fits `naive_stump` in every round."""

    def choose(D, y):
        feature, threshold, polarity, _ = naive_stump(X, D, y)
        return np.where(X[:, feature] > threshold, polarity, -polarity)

    return choose
