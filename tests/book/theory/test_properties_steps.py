"""Properties of methods that take a part of each step: what stays, and what does not and why."""

from dataclasses import replace

import pytest
from sklearn.base import clone

import csb
from csbook.theory.properties import (
    decide_asymmetry,
    decide_calibration,
    decide_cost,
    decide_declared_loss,
    decide_descent,
    decide_fgd,
    methods,
    random_distributions,
    random_problems,
)

ROWS = {row.name: row for row in methods()}
VARIANTS = {name: row for name, row in ROWS.items() if not row.calibrated}
PROBLEMS = random_problems(count=5)
FEW = {"ratios": [5.0, 1 / 5], "distributions": random_distributions(count=4), "n_estimators": 800}

EXCEPTIONS = {
    # As printed, the vote is one factor of the costs ahead of the learner, and a run jams where the edge is
    # too small to outweigh it (E-N10). A part of a step leaves a part of the edge: the vote stays above zero.
    ("AsymAda (form='paper')", "cost-consistent"): ("no", "yes"),
}
"""Verdicts at whole steps and at halves of them, where they differ."""


def expected(name, finding):
    whole, part = EXCEPTIONS.get((name, finding.property), (finding.verdict, finding.verdict))
    assert finding.verdict == whole
    return part


@pytest.mark.parametrize("rate", [0.5, 0.1])
@pytest.mark.parametrize("name", VARIANTS)
def test_weights_and_votes_of_parts_of_steps_come_from_the_same_loss(name, rate):
    variant, options = VARIANTS[name].variant, VARIANTS[name].options
    whole, part = (
        [
            *decide_descent(variant, options, problems=PROBLEMS, learning_rate=step),
            decide_asymmetry(variant, options, learning_rate=step),
        ]
        for step in (1.0, rate)
    )
    assert [each.verdict for each in part] == [expected(name, each) for each in whole]


@pytest.mark.parametrize("name", ROWS)
def test_decisions_of_halves_of_steps_tend_to_the_same(name):
    row = ROWS[name]
    settings = FEW | {"calibration": "sigmoid" if row.calibrated else None}
    whole = decide_cost(row.variant, row.options, **settings)
    part = decide_cost(row.variant, row.options, **settings, learning_rate=0.5)
    assert part.verdict == expected(name, whole)


def test_what_jams_the_printed_asymada():
    whole, part = (
        decide_cost("asymada", {"form": "paper"}, **FEW, learning_rate=rate).evidence for rate in (1.0, 0.5)
    )
    assert (whole["stopped"], whole["signed_agreement"]) == ("alpha", 1.0)
    assert (part["stopped"], part["agreement"], part["rounds"]) == ("max_rounds", 1.0, 1600)


@pytest.mark.parametrize("name", ROWS)
def test_probabilities_of_halves_of_steps_are_calibrated_where_those_of_whole_ones_are(name):
    """With many rounds on few examples, where the raw ones are not; the calibrated ones with few, too."""
    estimator, calibrated = ROWS[name].estimator, ROWS[name].calibrated
    settings = {"rounds": [20, 400] if calibrated else [400], "sizes": [500], "draws": 3, "n_test": 5000}
    whole, part = (
        decide_calibration(clone(estimator).set_params(learning_rate=rate), **settings) for rate in (1.0, 0.5)
    )
    assert part.verdict == expected(name, whole)
    assert not calibrated or part.holds


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_a_vote_that_is_short_by_itself_is_told_from_one_that_is_shortened(rate):
    rules = csb.VARIANTS["cgada"].build_rules()
    short = replace(rules, alpha=lambda M, c, T: rules.alpha(M, c, T) / 2)
    row = replace(csb.VARIANTS["cgada"], rules=lambda: short)
    assert decide_fgd("cgada", problems=PROBLEMS, learning_rate=rate).verdict == "yes"
    assert decide_fgd(row, problems=PROBLEMS, learning_rate=rate).verdict == "no"


@pytest.mark.parametrize("decide", [decide_declared_loss, decide_fgd, decide_cost, decide_asymmetry])
def test_a_learning_rate_is_between_a_hundredth_and_one(decide):
    for rate in (0.0, 0.009, 1.5):
        with pytest.raises(ValueError, match=rf"learning_rate={rate}: .*\[0.01, 1\]"):
            decide("cgada", learning_rate=rate)
