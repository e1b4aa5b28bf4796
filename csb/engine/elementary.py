"""Temporary: elementary functions of numpy and scipy."""

from __future__ import annotations

import numpy as np
from scipy.special import expit as _expit
from scipy.special import logit as _logit
from scipy.special import xlogy as _xlogy


def exp(x):
    with np.errstate(all="ignore"):
        return np.exp(x)


def log(x):
    with np.errstate(all="ignore"):
        return np.log(x)


def log1p(x):
    with np.errstate(all="ignore"):
        return np.log1p(x)


def power(x, y):
    with np.errstate(all="ignore"):
        return np.power(x, y)


def logaddexp(x, y):
    return np.logaddexp(x, y)


tanh, expit, logit, xlogy = np.tanh, _expit, _logit, _xlogy
