"""A warning where the examples held out are too few for a calibrator to be as sure as the costs ask."""

import re
import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import csb
from csb.evaluation.calibration import CALIBRATORS
from csb.inputs import FewExamplesWarning

SMOOTH = [name for name in CALIBRATORS if name not in ("isotonic", "temperature")]


def problem(counts, labels=None):
    """So many examples of each class, in an order without meaning."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    return y[:, np.newaxis] + rng.normal(size=(len(y), 2)), y if labels is None else np.array(labels)[y]


def warned(model, X, y, weights=None):
    """What it warns of when it is fitted, if anything."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FewExamplesWarning)
        model.fit(X, y, weights)
    found = [str(each.message) for each in caught if each.category is FewExamplesWarning]
    assert len(found) <= 1, "once"
    return found[0] if found else ""


@pytest.mark.parametrize("calibration", SMOOTH)
@pytest.mark.parametrize("cheap", [0, 1])
@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
@pytest.mark.parametrize("few, ratio, fires", [(10, 10.9, False), (10, 11.1, True), (40, 40, False)])
def test_it_fires_where_the_threshold_lies_beyond_the_target(calibration, cheap, labels, few, ratio, fires):
    """Ten of a class in each fold have the target 11/12: at a ratio of eleven that is the threshold."""
    counts = [2 * few, 400] if cheap == 0 else [400, 2 * few]
    X, y = problem(counts, labels)
    model = csb.CostDecision(
        GaussianNB(), calibration=calibration, cv=2, random_state=0, pos_label=labels[1 - cheap]
    )
    said = warned(model.set_params(fn_cost=ratio), X, y)
    assert bool(said) == fires
    if fires:
        expected = rf"of {few} examples of the class {labels[cheap]!r} .* above {(few + 1) / (few + 2):.4g}, "
        assert re.search(expected + rf".* above {ratio / (1 + ratio):.4g}\.", said)
        for way in ("more examples", "ensemble=False", "calibration='isotonic'", "None"):
            assert way in said
    alarms = csb.CostDecision(
        GaussianNB(), calibration=calibration, cv=2, random_state=0, pos_label=labels[cheap]
    )
    assert bool(warned(alarms.set_params(fp_cost=ratio), X, y)) == fires


def test_the_ways_out_are_ways_out():
    X, y = problem([20, 400])
    model = csb.CostDecision(GaussianNB(), fn_cost=15, cv=2, random_state=0)
    assert warned(model, X, y)
    for out in ({"ensemble": False}, {"calibration": "isotonic"}, {"calibration": None},
                {"calibration": "temperature"}):  # fmt: skip
        assert not warned(csb.CostDecision(GaussianNB(), fn_cost=15, cv=2, random_state=0, **out), X, y), out
    assert not warned(model, *problem([40, 400]))
    assert warned(csb.CostDecision(GaussianNB(), fn_cost=40, cv=2, random_state=0, ensemble=False), X, y)


def test_weights_count_examples():
    X, y = problem([20, 400])
    model = csb.CostDecision(GaussianNB(), fn_cost=15, cv=2, random_state=0)
    assert warned(model, X, y, np.ones(420))
    assert not warned(model, X, y, np.full(420, 3.0))


@pytest.mark.parametrize("dear", [0, 1, 2])
@pytest.mark.parametrize("ratio", [11, 60])
def test_many_classes(dear, ratio):
    """Fewest of class k next to dear: where dear is missed at a high price, it is not told from that."""
    counts = np.full(3, 200)
    counts[cheap := (dear + 1) % 3] = 20
    costs = 1.0 - np.eye(3)
    costs[dear] *= ratio
    X, y = problem(counts, ["a", "b", "c"])
    said = warned(
        csb.CostDecision(GaussianNB(), calibration="sigmoid", cost_matrix=costs, cv=2, random_state=0), X, y
    )
    # surest of the cheap class: 11/12, each of the others 1/(n - 100 + 2), divided by their sum
    p = np.array([11 / 12, 1 / 112, 1 / 112])
    p /= p.sum()
    assert bool(said) == (p[1] * ratio + p[2] > p[0] + p[2])
    if said:
        assert f"of 10 examples of the class {'abc'[cheap]!r}" in said and f"above {p[0]:.4g}, " in said


def test_a_decision_that_is_never_the_cheapest_is_not_missed():
    """Free alarms: nobody is left alone, however sure the model is."""
    X, y = problem([20, 400])
    assert not warned(csb.CostDecision(GaussianNB(), fn_cost=99, fp_cost=0, cv=2, random_state=0), X, y)
    right = csb.CostDecision(GaussianNB(), fn_cost=15, tn_cost=-1, cv=2, random_state=0)
    assert not warned(right, X, y)  # leaving alone is worth two: a threshold of 2/17
    undecided = csb.CostDecision(GaussianNB(), fn_cost=5, abstain_cost=0.2, cv=2, random_state=0)
    assert "above 0.96." in warned(undecided, X, y)  # 1 - 0.2/5, and one half of that ratio would do


@pytest.mark.parametrize("cls", [csb.CalibratedAdaMEC, csb.CalibratedCGAda])
def test_calibrated_boosting_warns_too(cls):
    X, y = problem([20, 400])
    assert "of 10 examples of the class 0" in warned(cls(15, n_estimators=2, cv=2, random_state=0), X, y)
    assert not warned(cls(15, n_estimators=2, cv=2, random_state=0, calibration="isotonic"), X, y)
    assert not warned(cls(5, n_estimators=2, cv=2, random_state=0), X, y)


def test_recommend_measures_it_instead():
    X, y = problem([30, 200])
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewExamplesWarning)
        csb.recommend(
            X, y, fn_cost=60.0, fp_cost=1.0, cv=2, random_state=0, candidates={"bayes": GaussianNB()}
        )
