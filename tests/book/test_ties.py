"""A probability at the threshold is negative, whatever decides and whatever the unit of costs."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

import csb
from csb.costs import check_costs
from csb.evaluation.calibration import IsotonicCalibration
from csb.evaluation.decisions import decide, decide_positive, least_cost_decision
from csb.inputs import ConstantModelWarning
from csbook.interactive.cost_ratio import threshold_figure
from csbook.studies.grid import MethodConfig, Split, _Models, _outcome
from csbook.studies.shrinkage import AreaScorer

UNITS = (1.0, 0.1, 3.0, 1e-7, 1e9, 1 / 3)
WHOLE = range(1, 61)
SHARES = sorted({Fraction(k, m) for m in range(1, 62) for k in range(m + 1)})
P = np.array([k.numerator / k.denominator for k in SHARES])


def exceeding(fn, fp, shares=SHARES):
    """Which shares exceed the threshold, in whole numbers."""
    return np.array([p.numerator * fn > (p.denominator - p.numerator) * fp for p in shares])


class Shares(ClassifierMixin, BaseEstimator):
    """Its one feature is the probability."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


@pytest.mark.parametrize("unit", UNITS)
def test_shares_at_whole_costs(unit):
    """More than a thousand shares at 3,600 pairs of costs, by both forms of the decision."""
    ties = 0
    p = np.column_stack([1 - P, P])
    for fn in WHOLE:
        right = np.array([exceeding(fn, fp) for fp in WHOLE])
        alarms = unit * np.array(WHOLE, float)[:, np.newaxis]
        np.testing.assert_array_equal(decide_positive(P, unit * fn, alarms), right)
        matrices = np.zeros((len(WHOLE), 1, 2, 2))
        matrices[:, :, 0, 1], matrices[:, :, 1, 0] = alarms, unit * fn
        np.testing.assert_array_equal(decide(p, matrices), right)
        ties += sum(Fraction(fp, fp + fn) in SHARES for fp in WHOLE)
    assert ties > 1000


def tied():
    """Labels and scores of plateaus: of k positives among m examples at the score k / m."""
    shares = [Fraction(1, 11), Fraction(1, 4), Fraction(1, 3), Fraction(3, 7), Fraction(1, 2), Fraction(5, 6),
              Fraction(49, 50), Fraction(60, 61)]  # fmt: skip
    scores, labels = [], []
    for share in shares:
        scores += [float(share)] * share.denominator
        labels += [1] * share.numerator + [0] * (share.denominator - share.numerator)
    return shares, np.array(scores), np.array(labels)


@pytest.fixture(scope="module")
def deciders():
    """By name, what decides the shares above from probabilities, given costs of any unit."""
    shares, scores, labels = tied()
    X, new = scores[:, np.newaxis], np.array(shares, float)[:, np.newaxis]
    p = IsotonicCalibration().fit(scores, labels).predict(new[:, 0])
    np.testing.assert_allclose(p, new[:, 0], rtol=1e-12)
    split = Split(X, labels.astype(np.int8), np.ones(len(labels), bool), new)
    frozen = FrozenEstimator(Shares().fit(X, labels))
    trusted = csb.CostDecision(frozen, calibration=None).fit(X, labels)
    mapped = csb.CostDecision(frozen, calibration="isotonic").fit(X, labels)
    # stumps part all plateaus, and the score of the ensemble rises with the share
    boosted = csb.CalibratedAdaMEC(
        n_estimators=200, calibration="isotonic", cv=[(np.arange(len(labels)),) * 2], store_stages=True
    ).fit(X, labels)

    def study(fn, fp):
        models = _Models(new.T, scores[np.newaxis], np.ones(1, int), np.ones(1), np.array(["max_rounds"]))
        config = MethodConfig("adamec", calibration="isotonic")
        return _outcome(config, models, split, check_costs([fn], [fp]), 1).positive[0]

    def shrinkage(fn, fp):
        judge, seen = AreaScorer(split, np.ones(len(new), bool), check_costs([fn], [fp])), []
        judge.area = lambda decided, _: seen.append(decided)
        judge.by_probability(p, judge.tested)
        return seen[0][0]

    def relabelled(fn, fp):
        model = csb.MetaCost(Shares(), fn_cost=fn, fp_cost=fp, n_estimators=1, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantModelWarning)
            given = model.fit(X, labels).relabelled_
        return np.array([given[scores == share][0] for share in new[:, 0]])

    return {
        "trusted": lambda fn, fp: trusted.predict(new, fn_cost=fn, fp_cost=fp),
        "by parameters": lambda fn, fp: mapped.set_params(fn_cost=fn, fp_cost=fp).predict(new),
        "case by case": lambda fn, fp: mapped.predict(new, fn_cost=np.full(len(new), fn), fp_cost=fp),
        "matrix": lambda fn, fp: least_cost_decision(np.column_stack([1 - p, p]), [[0, fp], [fn, 0]]),
        "boosted": lambda fn, fp: boosted.set_params(fn_cost=fn, fp_cost=fp).predict(new),
        "last stage": lambda fn, fp: list(
            boosted.set_params(fn_cost=fn, fp_cost=fp).staged_predict(new)
        )[-1],
        "MetaCost": relabelled,
        "study": study,
        "shrinkage": shrinkage,
    }  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("share", tied()[0], ids=str)
def test_every_decider_at_its_ties(deciders, share, unit):
    """Costs by which a share is tied, and by which it is the next to be called positive."""
    shares, *_ = tied()
    fn, fp = share.denominator - share.numerator, share.numerator
    for more in (0, 1):
        right = exceeding(fn + more, fp, shares)
        assert right[shares.index(share)] == more
        for name, decided in deciders.items():
            found = decided(unit * (fn + more), unit * fp)
            assert np.array_equal(found, right), f"{name}: {found} at {fn + more}:{fp}, should be {right}"


@pytest.mark.parametrize("ratio", [10, 3, 1, 1 / 5])
def test_the_figure_counts_as_the_decision(ratio):
    shares, scores, labels = tied()
    called = exceeding(Fraction(ratio).limit_denominator(99), 1, shares)
    of = dict(zip(np.array(shares, float).tolist(), called.tolist(), strict=True))
    missed = sum(
        label and not of[score] for score, label in zip(scores.tolist(), labels.tolist(), strict=True)
    )
    assert f"Missed: {missed} of " in threshold_figure(labels, scores, [ratio]).spoken()
