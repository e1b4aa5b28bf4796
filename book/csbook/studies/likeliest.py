"""How large ensembles become where the weak learner is the likeliest regression on one feature.

Nikolaou et al. (2016) boost univariate logistic regressions and say that AdaMEC and CGAda stop at about forty
of them. They do not say by what the feature is chosen. Study n16 chooses it by the regression's edge, as
AdaBoost asks of its learner; here it is chosen by the likelihood, as one chooses among regressions. Then the
likeliest may have no edge while another one has, and training ends earlier. Of equal likelihoods the first
feature's counts.
"""

from __future__ import annotations

import warnings

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.elementary import logaddexp_scalar
from csb.engine.learners.univariate import (
    MAX_STEPS,
    RIDGE,
    SHORTEST,
    BoundUnivariateLogistic,
    class_histograms,
    logistic_on_bins,
    occupied_bins,
)
from csb.engine.rules import TIE
from csb.inputs import NotFiniteWarning
from csbook.studies.grid import run_methods
from csbook.studies.n16 import (
    METHODS,
    count_errors,
    examples,
    family,
    sizes,
    skews_to_costs,
)
from csbook.studies.study import Settings, Tables
from csbook.studies.units import Unit

__all__ = ["LIKELIEST", "LikeliestRegression"]


@compiled()
def _likeliest(codes, n_bins, values, weights, labels, ridge, max_iter, tolerance, feature, models):  # type: ignore[no-untyped-def]
    """The regression on one feature whose loss is least: feature, intercept and slope."""
    d, largest = values.shape
    histogram, mass, work = np.empty((2, largest)), np.empty((2, largest)), np.empty((3, largest))
    x = work[0]
    losses, fits = np.empty(d), np.empty((d, 2))
    for b in range(weights.shape[0]):
        for f in range(d):
            class_histograms(codes[f], weights[b], labels, n_bins[f], histogram)
            bins = occupied_bins(histogram, values[f], n_bins[f], mass, x)
            a, s = logistic_on_bins(mass, x, bins, ridge, max_iter, tolerance, work[1], work[2])
            losses[f] = 0.0
            for j in range(bins):
                score = a + s * x[j]
                losses[f] += mass[0, j] * logaddexp_scalar(0.0, score)
                losses[f] += mass[1, j] * logaddexp_scalar(0.0, -score)
            fits[f] = a, s
        feature[b] = np.argmax(losses <= losses.min() + TIE)
        models[b] = fits[feature[b]]


class LikeliestRegression(BoundUnivariateLogistic):
    """Weighted logistic regression on each feature; the one of the greatest likelihood is the hypothesis."""

    def choose(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features (B,) and the intercepts and slopes (B, 2) of their regressions, features standardised."""
        feature, models = np.empty(len(weights), np.int64), np.empty((len(weights), 2))
        _likeliest(
            self.data.codes, self.data.n_bins, self.values, weights, self.labels, RIDGE, MAX_STEPS, SHORTEST,
            feature, models,
        )  # fmt: skip
        return feature, models


def compute(unit: Unit, settings: Settings) -> Tables:
    """All methods at all ratios on one split: errors, sizes of the ensembles and why they ended."""
    split, y_test, _ = examples(unit, settings)
    costs = skews_to_costs(settings["ratios"])
    methods = {name: METHODS[name] for name in settings["methods"]}
    with warnings.catch_warnings():
        # a vote without a finite value ends training, and the model is judged as it is
        warnings.simplefilter("ignore", NotFiniteWarning)
        outcomes = run_methods(
            LikeliestRegression(split.X, split.y), split, costs, methods, settings["rounds"]
        )
    counts = count_errors(outcomes, costs.fn_cost / costs.fp_cost, y_test)
    return {"counts": counts, "sizes": sizes(split, y_test)}


LIKELIEST = family(
    "likeliest", "AdaMEC and CGAda with the likeliest regression on one feature: five ratios, three splits",
    "published", compute=compute, learner="likeliest univariate_logistic", splits=3, ratios=[5.0, 25.0],
    methods=["AdaMEC", "AdaMEC, vote rule", "CGAda", "AdaMEC, calibrated", "CGAda, calibrated"],
    scored=None, score_every=None,
)  # fmt: skip
