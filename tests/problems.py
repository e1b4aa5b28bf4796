"""Data that several tests train on: small, noisy, and with values that tie where they are rounded."""

import numpy as np


def curved(rng, n, d, decimals=1, bend=0.5, above=0.5):
    """Features, and whether the first and the bent second one, with noise, come to more than a number."""
    X = rng.normal(size=(n, d))
    X = X if decimals is None else X.round(decimals)
    return X, X[:, 0] + bend * X[:, 1] ** 2 + rng.normal(size=n) > above


def interaction(seed, n, decimals=None):
    """Four features and two classes, of which stumps see only a part: the first two tell by their product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X = X if decimals is None else X.round(decimals)
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n) > 0).astype(int)
