"""Data sets drawn from a known law, with the posterior in closed form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, log_ndtr, logsumexp
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer

from csb.inputs import MODERATE, check_callable, check_count, check_instance, read_array, read_column
from csbook.datasets.dataset import Dataset
from csbook.datasets.registry import find_entry, find_track
from csbook.inputs import read_generator

__all__ = [
    "bundled_wdbc",
    "made",
    "make_hastie",
    "make_ringnorm",
    "make_twonorm",
    "make_two_gaussians",
    "make_waveform",
]

Gaussian = tuple[np.ndarray, np.ndarray]  # mean and covariance
Posterior = Callable[[ArrayLike], np.ndarray]
Seed = int | np.random.Generator | None


def made(
    name: str, X: pd.DataFrame, y: ArrayLike, source: str, encoding: str, posterior: Posterior | None = None
) -> Dataset:
    """A data set without files, with the facts of its entry."""
    entry = find_entry(name)
    track = find_track(entry, "clean")
    check_instance("X", X, pd.DataFrame)
    read_array("X", X, shape=(None, None))
    y = read_column("y", y, len(X))
    check_instance("source", source, str)
    check_instance("encoding", encoding, str)
    if posterior is not None:
        check_callable("posterior", posterior)
    return Dataset(
        name=name,
        track="clean",
        X=X.astype(float),
        y=read_array("y", y, "[0, 1e9]").astype(np.int64),
        target_names=tuple(track.classes),
        reason=track.reason,
        encoding=encoding,
        citation=entry.citation,
        licence=entry.licence,
        provenance=({"source": source},),
        defects=entry.defects + track.defects,
        posterior=posterior,
    )


OfRows = Callable[[np.ndarray], np.ndarray]
"""Posterior of rows that have been read."""


def _drawn(name: str, X: np.ndarray, y: np.ndarray, seed: Seed, posterior: OfRows) -> Dataset:
    frame = pd.DataFrame(X, columns=[f"x{k + 1}" for k in range(X.shape[1])])
    source = f"csbook.datasets, random_state={seed!r}"
    return made(name, frame, y, source, "numbers as drawn", partial(_of_rows, posterior, X.shape[1]))


def _of_rows(posterior: OfRows, n_inputs: int, X: ArrayLike) -> np.ndarray:
    """Posterior of the rows of a table with that many inputs."""
    return posterior(read_array("X", X, MODERATE, shape=(None, n_inputs)))


def bundled_wdbc() -> Dataset:
    """Wisconsin diagnostic breast cancer from scikit-learn; 1 is malignant.

    Returns
    -------
    Dataset
        569 rows, 30 inputs.
    """
    bunch = load_breast_cancer(as_frame=True)
    return made("wdbc", bunch.data, 1 - bunch.target.to_numpy(), "scikit-learn", "numbers as they are")


# --- waveform ----------------------------------------------------------------------------------------

_PLACES = np.arange(1, 22)
_TRIANGLES = np.maximum(6 - np.abs(_PLACES - np.array([[7], [15], [11]])), 0.0)
_WAVES = ((0, 1), (0, 2), (1, 2))  # the two triangles that a wave mixes


def _wave_log_density(X: np.ndarray, wave: int) -> np.ndarray:
    """Log density of the 21 true attributes: a Gaussian integrated over the mixing share u in [0, 1]."""
    first, second = (_TRIANGLES[k] for k in _WAVES[wave])
    direction = first - second
    length = np.linalg.norm(direction)
    residual = X - second
    best = residual @ direction / length  # the share u that fits best, times the length
    distance = (residual**2).sum(axis=1) - best**2
    # log(Phi(length - best) - Phi(-best)), from the tail where no digits are lost
    upper, lower = length - best, -best
    flip = lower > 0
    upper, lower = np.where(flip, -lower, upper), np.where(flip, -upper, lower)
    mass = log_ndtr(upper) + np.log1p(-np.exp(log_ndtr(lower) - log_ndtr(upper)))
    return mass - distance / 2 - np.log(length) - 10 * np.log(2 * np.pi)


def _waveform_posterior(X: np.ndarray) -> np.ndarray:
    values = X[:, :21]
    logs = np.stack([_wave_log_density(values, wave) for wave in range(3)])
    return np.exp(logs[1] - logsumexp(logs, axis=0))


def make_waveform(n_samples: int = 5000, random_state: Seed = 0) -> Dataset:
    r"""Breiman's waveforms with 19 attributes of pure noise; wave 1 against waves 0 and 2.

    A row of wave :math:`k` is :math:`u\,a_k + (1-u)\,b_k + e` on 21 places, with :math:`u` uniform,
    :math:`a_k, b_k` two of three triangles and :math:`e` standard normal (Breiman et al. 1984,
    Section 2.6.2); the three waves are equally likely. It is the law of ``waveformM``.

    Parameters
    ----------
    n_samples : int, default 5000
        Number of rows.
    random_state : int, Generator or None, default 0
        Seed.

    Returns
    -------
    Dataset
        40 inputs, ``posterior`` exact: integrated over :math:`u` in closed form.

    Raises
    ------
    ValueError
        If the number of rows or the seed is not admissible.

    Examples
    --------
    >>> make_waveform(n_samples=6).X.shape
    (6, 40)
    """
    n_samples, rng = check_count("n_samples", n_samples), read_generator("random_state", random_state)
    waves = rng.integers(3, size=n_samples)
    share = rng.uniform(size=(n_samples, 1))
    pairs = np.array(_WAVES)[waves]
    clean = share * _TRIANGLES[pairs[:, 0]] + (1 - share) * _TRIANGLES[pairs[:, 1]]
    X = rng.standard_normal((n_samples, 40))
    X[:, :21] += clean
    return _drawn("waveform", X, waves == 1, random_state, _waveform_posterior)


# --- Gaussians ---------------------------------------------------------------------------------------


def _gaussian_pair(
    name: str, n_samples: int, random_state: Seed, positive: Gaussian, negative: Gaussian
) -> Dataset:
    """Two equally likely Gaussians: the first half of the rows is positive."""
    n_samples = check_count("n_samples", n_samples, smallest=2)
    rng = read_generator("random_state", random_state)
    n_positive = n_samples // 2
    X = np.concatenate(
        [
            rng.multivariate_normal(*positive, size=n_positive),
            rng.multivariate_normal(*negative, size=n_samples - n_positive),
        ]
    )
    y = np.arange(n_samples) < n_positive

    def posterior(X: np.ndarray) -> np.ndarray:
        odds = multivariate_normal(*positive).logpdf(X) - multivariate_normal(*negative).logpdf(X)
        return np.atleast_1d(expit(odds))

    return _drawn(name, X, y, random_state, posterior)


def make_two_gaussians(n_samples: int = 2000, random_state: Seed = 0) -> Dataset:
    """The two Gaussians in the plane of Cao et al. (2013), Section 1 (their Figs. 1 and 2).

    Means (-1, 1) and (1, -1), covariances [[5.2, 2], [2, 3.7]] and [[3.3, 1.5], [1.5, 4.6]], as many
    rows of each; the first is the positive class. The paper trains on 70% of 1000 rows per class.

    Parameters
    ----------
    n_samples : int, default 2000
        Number of rows, half of them (rounded down) positive; the positive ones come first.
    random_state : int, Generator or None, default 0
        Seed.

    Returns
    -------
    Dataset
        2 inputs, ``posterior`` exact.

    Raises
    ------
    ValueError
        If the number of rows or the seed is not admissible.

    Examples
    --------
    >>> make_two_gaussians().posterior([[0.0, 0.0]]).round(3)
    array([0.479])
    """
    first = np.array([-1.0, 1.0]), np.array([[5.2, 2.0], [2.0, 3.7]])
    second = np.array([1.0, -1.0]), np.array([[3.3, 1.5], [1.5, 4.6]])
    return _gaussian_pair("two_gaussians", n_samples, random_state, first, second)


def make_twonorm(n_samples: int = 5000, random_state: Seed = 0) -> Dataset:
    r"""Breiman's twonorm: unit Gaussians in 20 dimensions with means :math:`\pm(a, \dots, a)`.

    :math:`a = 2/\sqrt{20}`, so the Bayes error is :math:`\Phi(-2) = 0.023`.

    Parameters
    ----------
    n_samples : int, default 5000
        Number of rows, half of them (rounded down) positive; the positive ones come first.
    random_state : int, Generator or None, default 0
        Seed.

    Returns
    -------
    Dataset
        20 inputs, ``posterior`` exact.

    Raises
    ------
    ValueError
        If the number of rows or the seed is not admissible.

    Examples
    --------
    >>> make_twonorm().posterior([[0.0] * 20])
    array([0.5])
    """
    mean = np.full(20, 2 / np.sqrt(20))
    return _gaussian_pair("twonorm", n_samples, random_state, (mean, np.eye(20)), (-mean, np.eye(20)))


def make_ringnorm(n_samples: int = 5000, random_state: Seed = 0) -> Dataset:
    r"""Breiman's ringnorm: a unit Gaussian inside one with four times the covariance, 20 dimensions.

    The positive class has mean :math:`(a, \dots, a)`, :math:`a = 2/\sqrt{20}`, and unit covariance; the
    negative class has mean 0 and covariance :math:`4I`. The Bayes error is 0.0124 (Breiman prints 0.013).
    The constant is that of the DELVE archive; some programs take :math:`1/\sqrt{20}`, error 0.0150.

    Parameters
    ----------
    n_samples : int, default 5000
        Number of rows, half of them (rounded down) positive; the positive ones come first.
    random_state : int, Generator or None, default 0
        Seed.

    Returns
    -------
    Dataset
        20 inputs, ``posterior`` exact.

    Raises
    ------
    ValueError
        If the number of rows or the seed is not admissible.

    Examples
    --------
    >>> make_ringnorm(n_samples=10).y
    array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    """
    narrow = np.full(20, 2 / np.sqrt(20)), np.eye(20)
    wide = np.zeros(20), 4 * np.eye(20)
    return _gaussian_pair("ringnorm", n_samples, random_state, narrow, wide)


def make_hastie(n_samples: int = 12000, random_state: Seed = 0) -> Dataset:
    r"""Ten standard Gaussians, positive where :math:`\sum_j x_j^2 > 9.34`, their median.

    Hastie et al. (2009), Eq. (10.2); scikit-learn's ``make_hastie_10_2`` draws the same law.

    Parameters
    ----------
    n_samples : int, default 12000
        Number of rows.
    random_state : int, Generator or None, default 0
        Seed.

    Returns
    -------
    Dataset
        10 inputs; ``posterior`` is 0 or 1, since the label is a function of the inputs.

    Raises
    ------
    ValueError
        If the number of rows or the seed is not admissible.

    Examples
    --------
    >>> make_hastie(n_samples=5).posterior([[0.0] * 10, [1.0] * 10])
    array([0., 1.])
    """

    def posterior(X: np.ndarray) -> np.ndarray:
        return ((X**2).sum(axis=1) > 9.34).astype(float)

    n_samples, rng = check_count("n_samples", n_samples), read_generator("random_state", random_state)
    X = rng.standard_normal((n_samples, 10))
    return _drawn("hastie", X, posterior(X), random_state, posterior)
