"""The made-up invoices: their law by frequencies, their gaps, their seed."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.dummy import DummyClassifier

from csb import AdaMEC
from csbook.datasets import euro_an_order, make_invoice_problem, make_invoices


@pytest.fixture(scope="module")
def many():
    return make_invoices(100_000, random_state=3)


def test_a_seed_gives_the_same_table_and_another_seed_another():
    pd.testing.assert_frame_equal(make_invoices(200, 1), make_invoices(200, 1))
    assert not make_invoices(200, 1).equals(make_invoices(200, 2))
    with pytest.raises(ValueError, match="n_samples=0"):
        make_invoices(0)


def test_late_bills_are_missing_for_new_customers_and_scores_for_one_in_six(many):
    without_bills = many["years"] <= 0.5  # with six bills a year most have one after half a year
    assert many.loc[many["years"] == 0, "late"].isna().all()
    assert many.loc[~without_bills, "late"].isna().mean() < 0.01
    assert many["late"].dropna().between(0, 1).all()
    missing = int(many["score"].isna().sum())
    assert binomtest(missing, len(many), 1 / 6).pvalue > 1e-4
    complete = ["trade", "region", "years", "amount", "terms", "outcome"]
    assert not many[complete].isna().any().any()


def test_amounts_are_lognormal_and_do_not_depend_on_the_customer(many):
    logs = np.log(many["amount"])
    assert abs(logs.mean() - np.log(400)) < 0.015
    assert abs(logs.std() - 0.9) < 0.01
    assert abs(np.corrcoef(logs, many["years"])[0, 1]) < 0.015


def test_risk_moves_as_the_law_says(many):
    unpaid = many["outcome"] == "unpaid"
    assert 0.05 < unpaid.mean() < 0.09
    by_trade = unpaid.groupby(many["trade"]).mean().sort_values()
    assert list(by_trade.index) == ["canteen", "bakery", "hotel", "café", "kiosk"]
    assert unpaid.groupby(many["terms"]).mean().is_monotonic_increasing
    # large orders are a risk with new customers only
    large, new = many["amount"] > 400, many["years"] == 0
    assert unpaid[large & new].mean() > 1.8 * unpaid[~large & new].mean()
    assert abs(unpaid[large & ~new].mean() - unpaid[~large & ~new].mean()) < 0.006


def test_a_problem_bills_each_order_at_its_own_costs():
    problem = make_invoice_problem(7)
    rng = np.random.default_rng(7)
    old, new = make_invoices(3000, rng), make_invoices(20_000, rng)
    assert problem.X.shape == (3000, 14) and problem.X_new.shape == (20_000, 14)
    called = np.arange(20_000) % 3 == 0
    bill = 0.0
    for asked, amount, outcome in zip(called, new["amount"], new["outcome"], strict=True):
        if asked and outcome == "paid":
            bill += 15 + amount / 16
        if not asked and outcome == "unpaid":
            bill += 0.75 * amount
    assert problem.bill(called.astype(int)) == pytest.approx(bill / 20_000)
    assert problem.ratio == pytest.approx(0.75 * old["amount"].mean() / (15 + old["amount"].mean() / 16))
    assert list(problem.y) == [int(each == "unpaid") for each in old["outcome"]]


def test_features_of_a_problem_are_those_of_the_table():
    problem, table = make_invoice_problem(3), make_invoices(3000, np.random.default_rng(3))
    for name in ("years", "late", "score", "amount", "terms"):
        np.testing.assert_array_equal(problem.X[name], table[name])
    for name in ("trade", "region"):
        words = table[name].unique()
        assert (problem.X[words].idxmax(axis=1) == table[name]).all()
        assert (problem.X[words].sum(axis=1) == 1).all()


def test_each_method_learns_from_the_invoices_of_a_draw_and_is_charged_for_its_orders():
    ask, deliver = DummyClassifier(strategy="constant", constant=1), DummyClassifier(strategy="prior")
    euro = euro_an_order(
        {"ask": ask, "deliver": deliver, "AdaMEC": AdaMEC(n_estimators=5, fn_cost=9)}, n_draws=2
    )
    assert list(euro.index) == [0, 1] and not hasattr(ask, "classes_")
    for draw, row in euro.iterrows():
        problem = make_invoice_problem(draw)
        unpaid = problem.y_new == 1
        assert row["ask"] == pytest.approx(problem.fp_cost[~unpaid].sum() / 20_000)
        assert row["deliver"] == pytest.approx(problem.fn_cost[unpaid].sum() / 20_000)
        fitted = AdaMEC(n_estimators=5, fn_cost=9).fit(problem.X, problem.y)
        assert row["AdaMEC"] == problem.bill(fitted.predict(problem.X_new))
    assert euro["ask"].nunique() == euro["AdaMEC"].nunique() == 2
    with pytest.raises(TypeError, match="methods=AdaMEC"):
        euro_an_order(AdaMEC(fn_cost=9))
