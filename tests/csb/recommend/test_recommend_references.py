"""What needs no model: the costs of each case alone; and what a few lucky rows do not show."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, TimeSeriesSplit

from csb import recommend
from csb.evaluation.decisions import Stakes
from csb.evaluation.intervals import case_interval
from csb.recommend.advice import COSTS_ALONE, Evidence

N = 300
RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(N, 3)), (RNG.random(N) < 0.2).astype(int)
MISSED, ALARM, WEIGHT = np.exp(1.5 * RNG.normal(size=N)), RNG.choice([0.5, 2.0], N), RNG.integers(1, 4, N)
LOGISTIC = {"logistic": LogisticRegression()}
COSTS = {"fn_cost": 4 * MISSED, "fp_cost": ALARM}


@pytest.mark.parametrize("weights", [None, WEIGHT])
@pytest.mark.parametrize("cv", [StratifiedKFold(3, shuffle=True, random_state=0), TimeSeriesSplit(3)])
def test_costs_alone_as_a_plain_loop_has_them(cv, weights):
    found = recommend(X, Y, **COSTS, cv=cv, random_state=0, candidates=LOGISTIC, sample_weight=weights)
    paid = total = 0.0
    for train, test in cv.split(X, Y):
        of = np.ones(N) if weights is None else weights
        share = sum(of[i] * Y[i] for i in train) / sum(of[i] for i in train)
        for i in test:
            called = share * COSTS["fn_cost"][i] > (1 - share) * ALARM[i]
            cost = (0.0 if called else COSTS["fn_cost"][i]) if Y[i] else (ALARM[i] if called else 0.0)
            paid, total = paid + of[i] * cost, total + of[i]
    assert found.table.at[COSTS_ALONE, "cost"] == pytest.approx(paid / total)
    assert COSTS_ALONE not in found.candidates


def test_where_nothing_but_the_costs_tells_cases_apart_they_are_the_advice():
    found = recommend(X, Y, **COSTS, cv=3, random_state=0, candidates=LOGISTIC)
    assert not found.pays and found.name == found.reference == COSTS_ALONE
    new = np.array([0.1, 1.0, 5.0, 50.0])
    called = found.best_.predict(X[:4], fn_cost=new, fp_cost=np.ones(4))
    np.testing.assert_array_equal(called, Y.mean() * new > (1 - Y.mean()))
    with pytest.raises(ValueError, match="fn_cost=None: must be given"):
        found.best_.predict(X)
    assert f"Recommended: {COSTS_ALONE}" in found.verdict


def test_a_model_is_compared_with_costs_alone_in_the_sentence():
    y = (X[:, 0] + RNG.normal(0, 0.3, N) > 0.7).astype(int)
    found = recommend(X, y, **COSTS, cv=3, random_state=0, candidates=LOGISTIC)
    assert found.pays and "instead of deciding by the costs alone would save about" in found.verdict


@pytest.mark.parametrize("splits, said", [
    ([(np.arange(200), np.arange(200, N))], "over 1 split of 300 cases, 100 of which are judged:"),
    (StratifiedKFold(3), "over 3 splits of 300 cases:"),
])  # fmt: skip
def test_the_report_says_how_many_rows_are_judged(splits, said):
    found = recommend(X, Y, fn_cost=4.0, fp_cost=1.0, cv=splits, random_state=0, candidates=LOGISTIC)
    assert said in found.report()


def test_equal_costs_of_all_cases_have_no_such_row():
    found = recommend(X, Y, fn_cost=4.0, fp_cost=1.0, cv=3, random_state=0, candidates=LOGISTIC)
    assert COSTS_ALONE not in found.table.index
    with pytest.raises(ValueError, match=f"'{COSTS_ALONE}' is the name of a row of its own"):
        recommend(X, Y, fn_cost=4.0, fp_cost=1.0, cv=3, candidates={COSTS_ALONE: LogisticRegression()})


def with_half_rows(losses, worst, best):
    """Ends of the interval with half a row more of the worst, and half a row of the best."""
    weights = np.r_[np.ones(len(losses)), 0.5, 0.5]
    return case_interval(np.r_[losses, worst, best], sample_weight=weights)[1:]


def advised(p, y, fn_cost, fp_cost, clusters=None):
    said = pd.DataFrame({"model": p, "always 0": np.zeros(len(y), bool), "always 1": np.ones(len(y), bool)})
    rows = np.arange(len(y))
    clusters = rows if clusters is None else clusters
    evidence = Evidence(said, ["model"], y == 1, np.ones(len(y)), [clusters], rows, 1)
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": 0.0, "tn_cost": 0.0}
    return evidence.under(Stakes({name: np.asarray(cost) for name, cost in costs.items()}))


@pytest.mark.parametrize("n, spared", [(1575, 6), (400, 3), (5000, 12)])
def test_a_few_alarms_spared_without_a_miss_so_far_are_no_advice(n, spared):
    """Had one of them been a positive, it would have cost more than all of them saved."""
    y = np.r_[np.zeros(spared, int), np.arange(n - spared) % 2]
    p = np.r_[np.zeros(spared), np.ones(n - spared)]
    advice = advised(p, y, 936.0, 8.0)
    mean, low, high = advice.difference("model", "always 1")
    assert mean == pytest.approx(-8 * spared / n)
    assert low < mean < 0 < high and advice.name == advice.reference == "always 1"
    of_rows = np.r_[np.full(spared, -8.0), np.zeros(n - spared)]
    assert (low, high) == pytest.approx(with_half_rows(of_rows, 936.0, -8.0))


@pytest.mark.parametrize("n, spared", [(150, 60), (284, 107), (1000, 300), (3000, 150), (20_000, 8_000)])
@pytest.mark.parametrize("missed", [5.0, 20.0, 100.0])
def test_where_no_dear_error_was_seen_the_end_is_near_that_of_exact_limits(n, spared, missed):
    """Whoever spares alarms and has missed none, of a share of them may miss up to 3 to 4 in so many."""
    y = np.r_[np.zeros(spared, int), np.ones(n - spared, int)]
    advice = advised(np.where(np.arange(n) < spared, 0.0, 1.0), y, missed, 1.0)
    high = advice.difference("model", "always 1").high
    exact = stats.beta.ppf(0.975, 1, spared)
    fewest = stats.binomtest(spared, n).proportion_ci().low  # the share of alarms to spare is estimated too
    assert spared / n * (0.6 * exact * (missed + 1) - 1) < high < fewest * (1.6 * exact * (missed + 1) - 1)


def test_a_model_that_decides_as_the_reference_does_has_an_interval():
    y = np.r_[np.zeros(280, int), np.ones(20, int)]
    advice = advised(np.zeros(300), y, 5.0, 1.0)
    mean, low, high = advice.difference("model", "always 0")
    assert (mean, low, high) == pytest.approx((0.0, *with_half_rows(np.zeros(300), 5.0, -5.0)))
    assert advice.difference("always 0", "always 0") == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_rows_that_are_added_do_not_make_few_clusters_more(count):
    """Of two shops an interval has one degree of freedom."""
    rng = np.random.default_rng(count)
    clusters = np.arange(300) % count
    y = (rng.random(300) < 0.1 + 0.08 * clusters).astype(int)
    advice = advised(np.where(y == 1, 0.9, 0.05), y, 5.0, 1.0, clusters)
    for found, losses in (
        (advice.cost("always 1"), advice.losses["always 1"]),
        (advice.difference("model", "always 1"), advice.losses["model"] - advice.losses["always 1"]),
    ):
        alone = case_interval(losses.to_numpy(), clusters=clusters)
        assert found.half >= alone.half * (1 - 1e-12)


def test_of_one_cluster_nothing_is_known():
    y = np.arange(100) % 2
    advice = advised(np.where(y == 1, 0.9, 0.05), y, 5.0, 1.0, np.zeros(100, int))
    assert advice.cost("model") == (0.0, -np.inf, np.inf)
    assert advice.difference("model", "always 1")[1:] == (-np.inf, np.inf)
    assert advice.name == advice.reference == "always 1"


def test_a_decision_that_costs_the_same_whatever_is_true_is_known():
    y = np.arange(100) % 2
    advice = advised(np.full(100, 0.5), y, 3.0, 0.0)
    assert advice.cost("always 1") == (0.0, 0.0, 0.0)


def test_what_was_not_seen_matters_less_the_more_is_seen():
    widths = []
    for n in (200, 2_000, 20_000):
        y = (np.arange(n) % 10 == 0).astype(int)
        p = np.where(np.arange(n) % 3 == 0, 0.9, 0.0)
        advice = advised(p, y, 5.0, 1.0)
        plain = case_interval((advice.losses["model"] - advice.losses["always 0"]).to_numpy())
        found = advice.difference("model", "always 0")
        widths.append((found.high - found.low) / (plain.high - plain.low) - 1)
    assert widths[0] > widths[1] > widths[2] > 0 and widths[2] < 0.001


def test_the_warning_of_known_decisions_says_where_nothing_hangs():
    costs = {
        "fn_cost": np.where(np.arange(N) < 50, 0.0, MISSED),
        "fp_cost": np.where(np.arange(N) < 20, 0.0, 1.0),
    }
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        recommend(X, Y, **costs, cv=3, random_state=0, candidates=LOGISTIC)
    told = [str(each.message) for each in said if "decided by their costs alone" in str(each.message)]
    assert told == [
        "fn_cost, fp_cost: 50 of 300 cases are decided by their costs alone, whatever the probability; "
        "in 20 of them all decisions cost the same"
    ]
