"""The p-norm family and its comparison methods as plain loops, one number at a time."""

import numpy as np
from sklearn.naive_bayes import GaussianNB

from csb.engine.mixture import Problem

from .naive import naive_stump
from .searches import halve, signed_logsum


def problem(k, n=40, seed=0, spread=3.0):
    """Costs of single examples, with some wrong classes free of charge."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    costs = np.round(rng.gamma(1.0, spread, (n, k)), 1)
    costs[np.arange(n), labels] = 0
    return Problem(rng.dirichlet(np.ones(n)), costs, labels)


def mixture(p, seed=1):
    """A distribution over the classes for each example, with zeros."""
    rng = np.random.default_rng(seed)
    H = rng.dirichlet(np.ones(p.costs.shape[1]), len(p.costs))
    H[:5, 0] = 0
    return H / H.sum(axis=1, keepdims=True)


def hostile(rng, cases, n=6, k=3):
    """Weights (cases, n), costs, mixtures and new hypotheses (cases, n, k), over many decades."""
    labels = rng.integers(k, size=(cases, n))
    spread = rng.choice([0, 6, 50], (cases, 1, 1))
    costs = 10.0 ** (spread * rng.uniform(-1, 1, (cases, n, k)))
    np.put_along_axis(costs, labels[:, :, np.newaxis], 0.0, axis=2)
    weights = 10.0 ** rng.uniform(-12, 0, (cases, n))
    even = rng.choice([0.01, 0.1, 1, 100], (cases, 1, 1))
    H = rng.standard_gamma(np.broadcast_to(even, costs.shape)) + 1e-300
    f = np.eye(k)[rng.integers(k, size=(cases, n))]
    f = np.where(rng.random((cases, 1, 1)) < 0.3, rng.dirichlet(np.full(k, 0.1), (cases, n)), f)
    return weights / weights.sum(axis=1, keepdims=True), costs, labels, H / H.sum(axis=2, keepdims=True), f


def best_steps(weights, costs, H, f, log_fall, steps=60):
    """The step of least objective in [0, 1] by halves, and its derivative's sign elsewhere.

    ``log_fall`` has the logarithm of the loss' derivative by the mixture.
    """
    with np.errstate(divide="ignore"):
        log_cost = np.log(weights[:, :, np.newaxis] * costs) + np.log(abs(f - H))

    def gap(alpha):
        alpha = np.reshape(alpha, (-1, 1, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = log_cost + log_fall((1 - alpha) * H + alpha * f)
        return signed_logsum(np.where(np.isnan(logs), -np.inf, logs), f - H, axis=(1, 2))

    count = len(weights)
    return halve(lambda alpha: gap(alpha) > 0, np.zeros(count), np.ones(count), steps), gap


def features(p, d=3, seed=2):
    """Features that tell something of the labels."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(p.labels), d)) + p.labels[:, None] * rng.normal(size=d)


def naive_w(q, C, H, p):
    n, k = C.shape
    w = [[q[i] * C[i, y] * (1.0 if p == 1 else H[i, y] ** (p - 1)) for y in range(k)] for i in range(n)]
    return np.array(w)


def naive_rows(name, q, C, labels, H, p):
    """Signed weight of each pair; the sign is the label, the magnitude the weight."""
    n, k = C.shape
    w = naive_w(q, C, H, p)
    rows = np.zeros((n, k))
    for i in range(n):
        wrong = [y for y in range(k) if y != labels[i]]
        if name == "lp_csb":
            for y in wrong:
                rows[i, y] = -w[i, y] / 2
            rows[i, labels[i]] = sum(w[i, y] for y in wrong) / 2
        elif name == "lp_csb_pa":
            tilde = {y: w[i, y] - sum(w[i, z] for z in wrong) / k for y in wrong}
            for y in wrong:
                label = 0 if tilde[y] >= 0 else 1
                rows[i, y] = abs(tilde[y]) / 2 * (1 if label else -1)
            rows[i, labels[i]] = sum(w[i, y] for y in wrong) / (2 * k)
        elif name == "lp_csb_a":
            for y in range(k):
                rows[i, y] = max(w[i]) - w[i, y]
        else:
            incurred = sum(H[i, y] * C[i, y] for y in range(k)) / (k if name == "gbse_t" else 1)
            for y in range(k):
                rows[i, y] = q[i] * (incurred - C[i, y])
    return rows


def naive_relation(X, rows):
    """Stumps of least weighted error, one for each class."""
    h = np.zeros(rows.shape)
    for y in range(rows.shape[1]):
        weight, label = np.abs(rows[:, y]), np.where(rows[:, y] > 0, 1, -1)
        feature, threshold, polarity, _ = naive_stump(X, weight / weight.sum(), label)
        h[:, y] = np.where(X[:, feature] > threshold, polarity, -polarity) > 0
    return h


def naive_one_hot(X, rows):
    """One stump on the rows (x, y), built here, for all classes."""
    n, k = rows.shape
    pairs = np.array([[*X[i], *np.eye(k)[y]] for i in range(n) for y in range(k)])
    return naive_relation_column(pairs, rows.ravel()).reshape(n, k)


def naive_relation_column(pairs, rows):
    return naive_relation(pairs, rows[:, None])[:, 0]


def naive_choice(X, gains):
    """Naive Bayes on the pairs of positive weight; scikit-learn's, order and scale of weights irrelevant."""
    rows = [(X[i], y, gains[i, y]) for i in range(len(X)) for y in range(gains.shape[1]) if gains[i, y] > 0]
    inputs, labels, weight = (np.array(column) for column in zip(*rows, strict=True))
    predicted = GaussianNB().fit(inputs, labels, weight).predict(X)
    return np.array(
        [[1.0 if predicted[i] == y else 0.0 for y in range(gains.shape[1])] for i in range(len(X))]
    )
