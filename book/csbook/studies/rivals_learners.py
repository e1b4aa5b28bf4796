"""Today's learners as study rivals trains them: their settings, and how costs enter each training.

Costs weight the examples, but in logit adjustment, where they shift the log odds (Menon et al. 2021). One
thread trains, so that the same numbers come out everywhere. HistGradientBoosting, which is LightGBM's
algorithm at several times its price on these sets, is left to study n16/today.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from csb.engine.elementary import exp, expit, log
from csb.estimators import AdaBoost

__all__ = ["LEARNERS", "Learner", "Model", "configurations", "focal_loss"]

Costs = tuple[float, float]
"""Of a miss and of a false alarm."""


class Model(NamedTuple):
    """A trained model: what gives the probability of the positive class, and the cut where it decides."""

    probability: Callable[[np.ndarray], np.ndarray]
    cut: float = 0.5


class Learner(NamedTuple):
    """How a learner is trained and what may be tuned.

    Attributes
    ----------
    train : callable ``(X, y, costs, seed, **settings) -> Model``
        Without costs the learner as it comes.
    space : mapping of str to tuple
        Values from which settings are drawn.
    """

    train: Callable[..., Model]
    space: Mapping[str, tuple[Any, ...]]


def configurations(name: str, count: int, seed: int) -> list[dict[str, Any]]:
    """The default, which is an empty mapping, and different settings drawn from the learner's space."""
    rng = np.random.default_rng([seed, list(LEARNERS).index(name)])
    drawn: list[dict[str, Any]] = [{}]
    while len(drawn) < count:
        one = {key: values[rng.integers(len(values))] for key, values in LEARNERS[name].space.items()}
        if one not in drawn:
            drawn.append(one)
    return drawn


def _weights(y: np.ndarray, costs: Costs | None) -> np.ndarray | None:
    """Of the examples, in proportion to what an error on each costs, of mean one."""
    if costs is None:
        return None
    weight = np.where(y == 1, *costs)
    return weight / weight.mean()


def _by_weights(make: Callable[..., Any]) -> Callable[..., Model]:
    """Training of a classifier of scikit-learn's kind with weighted examples."""

    def train(X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, **settings: Any) -> Model:
        model = make(random_state=seed, **settings).fit(X, y, sample_weight=_weights(y, costs))
        return Model(lambda new: model.predict_proba(new)[:, 1])

    return train


def _logistic_regression(
    X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, **settings: Any
) -> Model:
    scale = StandardScaler().fit(X)
    # solved to ten digits: where the default solver stops, a processor's rounding moves decisions
    model = LogisticRegression(solver="newton-cholesky", tol=1e-10, **settings)
    model.fit(scale.transform(X), y, sample_weight=_weights(y, costs))
    return Model(lambda new: model.predict_proba(scale.transform(new))[:, 1])


def _lightgbm(**settings: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, deterministic=True, force_col_wise=True, verbose=-1, **settings)


def _xgboost(**settings: Any) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, **settings)


def focal_loss(
    y: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None, *, gamma: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""First and second derivative of the focal loss in the score, as gradient boosting asks for them.

    :math:`-\alpha(1-p)^\gamma\log p` with :math:`p=1/(1+e^{-m})` for the margin :math:`m`, Eq. (5) of Lin et
    al. (2017). Far on the wrong side of the margin the loss is concave; the curvature is kept no smaller than
    :math:`p` times the slope, which is what it is for the logistic loss, :math:`\gamma=0`.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels 0 and 1.
    score : ndarray of shape (n,)
        Log odds of the positive class.
    weight : ndarray of shape (n,), optional
        The factor :math:`\alpha` of each example.
    gamma : float
        Focus; the loss of examples that are decided well fades as it grows.

    Returns
    -------
    tuple of ndarray
        Gradient and curvature, of shape (n,).

    Examples
    --------
    >>> slope, curvature = focal_loss(np.array([1, 0]), np.zeros(2), gamma=0.0)
    >>> slope, curvature
    (array([-0.5,  0.5]), array([0.25, 0.25]))
    """
    sign = np.where(y == 1, 1.0, -1.0)
    p, q = expit(sign * score), expit(-sign * score)
    log_p = log(np.maximum(p, 1e-300))
    faded = np.ones_like(q) if gamma == 0 else exp(gamma * log(np.maximum(q, 1e-300)))
    steep = q - gamma * p * log_p
    exact = p * faded * (gamma * steep + q * (gamma * log_p + gamma + 1))
    slope, curvature = faded * steep, np.maximum(exact, p * faded * steep)
    alpha = 1.0 if weight is None else weight
    return -alpha * sign * slope, alpha * curvature


def _focal(
    X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, *, gamma: float = 2.0, **settings: Any
) -> Model:
    weight = _weights(y, costs)
    start = _log_odds(y, weight)
    model = _lightgbm(
        objective=lambda y, score, weight: focal_loss(y, score, weight, gamma=gamma),
        random_state=seed, **settings,
    ).fit(X, y, sample_weight=weight, init_score=np.full(len(y), start))  # fmt: skip
    return Model(lambda new: expit(start + model.predict(new, raw_score=True)))


def _log_odds(y: np.ndarray, weight: np.ndarray | None = None) -> float:
    share = np.average(y == 1, weights=weight)
    return float(log(share / (1 - share)))


def _logit_adjustment(
    X: np.ndarray, y: np.ndarray, costs: Costs | None, seed: int, *, tau: float = 1.0, **settings: Any
) -> Model:
    """The logistic loss of the score plus an offset; the score alone decides.

    The offset is the log odds of the classes, Eq. (10) of Menon et al. (2021) for two of them, or, where
    there are costs, those of the Bayes threshold; ``tau`` times that.
    """
    offset = tau * (_log_odds(y) if costs is None else float(log(costs[1] / costs[0])))
    model = _lightgbm(random_state=seed, **settings).fit(X, y, init_score=np.full(len(y), offset))
    return Model(lambda new: expit(offset + model.predict(new, raw_score=True)), float(expit(offset)))


BOOSTED = {
    "n_estimators": (50, 100, 200), "learning_rate": (0.02, 0.05, 0.1, 0.2), "num_leaves": (4, 8, 16, 31),
    "min_child_samples": (5, 10, 20, 40), "reg_lambda": (0.0, 1.0, 10.0),
}  # fmt: skip

LEARNERS = {
    "AdaBoost": Learner(
        _by_weights(AdaBoost),
        {"n_estimators": (25, 50, 100, 200, 400), "learning_rate": (1.0, 0.5, 0.25, 0.1, 0.05)},
    ),
    "logistic regression": Learner(
        _logistic_regression, {"C": tuple(round(C, 6) for C in np.logspace(-4, 3, 15).tolist())}
    ),
    "random forest": Learner(
        _by_weights(partial(RandomForestClassifier, n_jobs=1)),
        {"max_features": ("sqrt", 0.2, 0.5), "min_samples_leaf": (1, 2, 5, 10), "max_depth": (None, 4, 8)},
    ),
    "LightGBM": Learner(_by_weights(_lightgbm), BOOSTED),
    "XGBoost": Learner(
        _by_weights(_xgboost),
        {
            "n_estimators": (50, 100, 200), "learning_rate": (0.03, 0.1, 0.3), "max_depth": (2, 3, 4, 6),
            "min_child_weight": (1, 3, 10), "reg_lambda": (0.1, 1.0, 10.0),
        },
    ),
    "focal loss": Learner(_focal, BOOSTED | {"gamma": (0.5, 1.0, 2.0, 3.0)}),
    "logit adjustment": Learner(_logit_adjustment, BOOSTED | {"tau": (0.5, 1.0, 1.5)}),
}  # fmt: skip
"""Learners by name: stumps for AdaBoost, whose weighted form is CGAda, and LightGBM for the last two."""
