"""The deciders of properties: mutants that must flip verdicts, invariances, closed forms."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import csb
from csb.engine.linesearch import exponential_step
from csbook.theory.properties import (
    decide_asymmetry,
    decide_cost,
    decide_declared_loss,
    decide_fgd,
    random_distributions,
    random_problems,
)
from csbook.theory.properties.evidence import VOTES, impose, run

DECIDERS = {
    "loss": decide_declared_loss,
    "fgd": decide_fgd,
    "cost": decide_cost,
    "asymmetry": decide_asymmetry,
}


@pytest.mark.parametrize(
    ("key", "options", "erratum"),
    [("adamec", {"rule": "vote"}, "E-N08"), ("asymada", {"form": "paper"}, "E-N10")],
)
def test_literal_readings_are_not_cost_consistent(key, options, erratum):
    assert decide_cost(key).holds
    finding = decide_cost(key, options)
    assert finding.verdict == "no"
    if erratum == "E-N10":
        assert finding.evidence["stopped"] == "alpha"
        assert finding.evidence["signed_agreement"] == 1


# Mutants: (the method, what is broken, properties whose verdict must change).
sign_of_class = np.array([-1.0, 1.0]).reshape(2, 1, 1)
miss = np.array([[0.0, 1.0], [1.0, 0.0]])[:, :, np.newaxis]
hit = 1 - 2 * miss


def line_search_on_D(M, c, T):
    with np.errstate(divide="ignore"):
        log_weights = np.log(M).reshape(4, -1)
    return exponential_step(log_weights, np.broadcast_to(c * hit, M.shape).reshape(4, -1))


def misses_only(exponent):
    return lambda rules: lambda alpha, c, T: 2 * alpha * exponent(c) * miss


MUTANTS = {
    "AdaCost, misses only": ("adacost", {"log_factors": misses_only(lambda c: (1 + c) / 2)}, {"loss"}),
    "AdaC1, misses only": ("adac1", {"log_factors": misses_only(lambda c: c)}, {"loss", "asymmetry"}),
    "AdaC2, half the vote": (
        "adac2", {"alpha": lambda r: lambda M, c, T: r.alpha(M, c, T) / 2}, {"fgd"},
    ),
    "CGAda, costs again in the vote": (
        "cgada", {"alpha": lambda r: lambda M, c, T: r.alpha(M * c, c, T)}, {"fgd", "cost"},
    ),
    "CGAda, wrong sign for one class": (
        "cgada",
        {"log_factors": lambda r: lambda alpha, c, T: r.log_factors(alpha, c, T) * sign_of_class},
        {"loss", "fgd", "cost", "asymmetry"},
    ),
    "CSAda, line search on D": ("csada", {"alpha": lambda r: line_search_on_D}, {"fgd", "cost"}),
    "CSAda, vote of AdaBoost": (
        "csada", {"alpha": lambda r: csb.VARIANTS["adaboost"].build_rules().alpha}, {"fgd", "cost"},
    ),
    "AsymAda, costs after training": (
        "asymada", {"initial": lambda r: lambda c, T: np.ones_like(c)}, {"loss"},
    ),
    "AdaMEC, threshold 1 - c": (
        "adamec", {"threshold": lambda r: lambda *args: -r.threshold(*args)}, {"cost"},
    ),
}  # fmt: skip


def broken(key, changes):
    row = csb.VARIANTS[key]
    rules = row.build_rules()
    rules = replace(rules, **{name: change(rules) for name, change in changes.items()})
    return replace(row, rules=lambda: rules)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_flips_what_it_should_and_nothing_else(name):
    key, changes, expected = MUTANTS[name]
    mutant = broken(key, changes)
    flipped = {which for which, decide in DECIDERS.items() if decide(key).verdict != decide(mutant).verdict}
    assert flipped == expected


# Invariances.
@pytest.mark.parametrize("key", csb.VARIANTS)
@pytest.mark.parametrize("change", ["classes", "scale", "order"])
def test_descent_does_not_depend_on_names_scale_or_order(key, change):
    costs = [(5.0, 1.0), (1.0, 3.0)]
    problems = random_problems(count=6)
    changed = {
        "classes": [(X, 1 - y, w) for X, y, w in problems],
        "scale": [(X, y, 37.0 * w) for X, y, w in problems],
        "order": [(X[::-1].copy(), y[::-1].copy(), w[::-1].copy()) for X, y, w in problems],
    }[change]
    other = [(b, a) for a, b in costs] if change == "classes" else costs
    for decide in (decide_fgd, decide_declared_loss):
        assert (
            decide(key, costs=costs, problems=problems).verdict
            == decide(key, costs=other, problems=changed).verdict
        )


@pytest.mark.parametrize("key", csb.VARIANTS)
def test_asymmetry_does_not_depend_on_the_names_of_the_classes(key):
    swapped = [(1.0, 5.0), (0.2, 1.0), (2.5, 5.0)]
    first, second = decide_asymmetry(key), decide_asymmetry(key, costs=swapped)
    assert first.verdict == second.verdict
    for reading in ("losses", "weights", "weights_same_history"):
        name = f"log_ratio_{reading}"
        if name in first.evidence and not first.evidence[f"found_{reading}"] == "own scale":
            assert first.evidence[name] == pytest.approx(second.evidence[name], abs=1e-9)


@pytest.mark.parametrize("key", csb.VARIANTS)
@pytest.mark.parametrize("change", ["classes", "scale", "order"])
def test_cost_consistency_does_not_depend_on_names_scale_or_order(key, change):
    mass, posterior = random_distributions(count=4, random_state=3)
    ratios = [2.0, 1 / 5]
    changed, other = {
        "classes": ((mass, 1 - posterior), [1 / 2, 5.0]),
        "scale": ((37 * mass, posterior), ratios),
        "order": ((mass[::-1], posterior[::-1]), ratios[::-1]),
    }[change]
    settings = {"n_estimators": 800}
    first = decide_cost(key, distributions=(mass, posterior), ratios=ratios, **settings)
    second = decide_cost(key, distributions=changed, ratios=other, **settings)
    assert first.verdict == second.verdict
    assert first.evidence["agreement"] == pytest.approx(second.evidence["agreement"])


# Closed forms and naive computations.
def test_histories_against_a_loop():
    costs, T = {-1: 1.0, 1: 5.0}, 9
    formulas = {
        "cgada": lambda y, us: np.log(costs[y]) - VOTES @ us,
        "csada": lambda y, us: np.log(costs[y]) - costs[y] * VOTES @ us,
        "asymada": lambda y, us: (len(us) + 1) / T * np.log(costs[y]) - VOTES @ us,
        "adac2": lambda y, us: (len(us) + 1) * np.log(costs[y]) - VOTES @ us,
        "csb2": lambda y, us: np.log(costs[y]) * (1 + (us < 0).sum()) - VOTES @ us,
    }
    for key, formula in formulas.items():
        rules = csb.VARIANTS[key].build_rules()
        found = impose(rules, np.array([1.0, 5.0]), n_rounds=T)
        for number, us in enumerate(product((-1, 1), repeat=len(VOTES))):
            us = np.array(us)
            assert found.margins[-1, number] == pytest.approx(VOTES @ us)
            for row, y in enumerate((-1, 1)):
                assert found.log_weights[-1, row, number] == pytest.approx(formula(y, us))


@pytest.mark.parametrize(
    ("key", "smallest"),
    [
        ("adaboost", 0.0),
        ("cgada", np.log(5)),
        ("asymada", 2 / 7 * np.log(5)),
        ("adac2", 2 * np.log(5)),
        ("adacost", np.log(5) + 4 * 0.5 / 2),
        ("csada", np.log(5) - 4 * 2.1),
    ],
)
def test_smallest_ratio_after_the_first_round(key, smallest):
    """At equal margin, costs 5 to 1, imposed votes of which the first is 0.5 and the sum 2.1."""
    histories = impose(csb.VARIANTS[key].build_rules(), np.array([1.0, 5.0]))
    later = replace(histories, margins=histories.margins[1:], log_weights=histories.log_weights[1:])
    assert later.smallest_ratio_at_equal_margin(1) == pytest.approx(smallest, abs=1e-9)


@pytest.mark.parametrize("key", csb.VARIANTS)
def test_smallest_ratios_against_a_loop(key):
    histories = impose(csb.VARIANTS[key].build_rules(), np.array([2.5, 5.0]), votes=VOTES[:5])
    at_margin, at_history = [], []
    for margins, (negative, positive) in zip(histories.margins, histories.log_weights, strict=True):
        for i, m in enumerate(margins):
            at_history.append(positive[i] - negative[i])
            at_margin += [positive[i] - negative[j] for j, k in enumerate(margins) if abs(m - k) < 1e-9]
    assert histories.smallest_ratio_at_equal_margin(1) == pytest.approx(min(at_margin), abs=1e-12)
    assert histories.smallest_ratio_at_equal_history(1) == pytest.approx(min(at_history), abs=1e-12)


def test_recorded_weights_are_those_of_adaboost():
    X, y, base = random_problems(count=1, random_state=5)[0]
    rules = csb.VARIANTS["adaboost"].build_rules()
    seen = run(rules, csb.costs.check_costs(3.0), X, y, base, rounds=4)
    assert seen.weights.shape == (5, len(y)) and seen.votes.shape == (4,)
    weights = base / base.sum()
    for t in range(4):
        np.testing.assert_allclose(seen.weights[t], weights, rtol=1e-12)
        error = weights[seen.hits[t] < 0].sum()
        assert seen.votes[t] == pytest.approx(0.5 * np.log((1 - error) / error))
        weights = weights * np.exp(-seen.votes[t] * seen.hits[t])
        weights /= weights.sum()


@pytest.mark.parametrize("ratio", [2.0, 5.0, 20.0, 0.2])
def test_adaboost_decides_at_one_half(ratio):
    p = (np.arange(12) + 0.5) / 12
    evidence = decide_cost("adaboost", ratios=[ratio]).evidence
    assert evidence["agreement"] == pytest.approx(np.mean((p > 0.5) == (p > 1 / (1 + ratio))))
    assert evidence["implied_threshold"] == pytest.approx(0.5, abs=1e-6)
    assert evidence["bayes_threshold"] == pytest.approx(1 / (1 + ratio))


def test_a_threshold_between_cells_is_told_apart():
    """Every cell is right, and the threshold is wrong all the same."""
    row = csb.VARIANTS["adamec"]
    rules = replace(row.build_rules(), threshold=lambda log_ratio, t, T, A: -0.5 * log_ratio + 0.08)
    near = replace(row, rules=lambda: rules)
    finding = decide_cost(near, ratios=[5.0])
    assert finding.evidence["agreement"] == 1
    assert finding.verdict == "no"
    assert finding.evidence["implied_threshold"] == pytest.approx(1 / (1 + 5 * np.exp(-0.16)), abs=1e-6)


def test_objective_of_gradient_descent_is_stationary():
    evidence = decide_fgd("gd_adacost").evidence
    assert evidence["slope_of_objective"] < 1e-12 < 0.1 < evidence["edge_after"]


@pytest.mark.parametrize("decide", DECIDERS.values())
def test_unknown_variants_and_options_are_refused(decide):
    with pytest.raises(ValueError, match="nearest"):
        decide("adacc2")
    with pytest.raises(ValueError, match="has no option"):
        decide("cgada", {"rule": "vote"})
