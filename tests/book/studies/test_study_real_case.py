"""Study real_case: made-up customers of a bank, split and judged by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from csb import CostDecision
from csbook.studies import REAL_CASE, real_case, recorded
from csbook.studies.real_case import NUMBERS, WORDS, compute, learners, rule

SETTINGS = dict(REAL_CASE.settings) | {"rounds": 5}
RUN = ["may", "aug", "dec", "jan", "mar", "dec", "jan"]
DATES = ["2008-05", "2008-08", "2008-12", "2009-01", "2009-03", "2009-12", "2010-01"]


@pytest.fixture
def bank(monkeypatch):
    """A hundred customers a month; the months are named, the years are not."""
    rng = np.random.default_rng(0)
    n = 100 * len(RUN)
    raw = pd.DataFrame({word: rng.choice(["a", "b", "success"], n) for word in WORDS})
    raw = raw.assign(**{number: rng.integers(-100, 5000, n).astype(float) for number in NUMBERS})
    raw["month"] = np.repeat(RUN, 100)
    y = (rng.random(n) < np.where(raw["poutcome"] == "success", 0.6, 0.2)).astype(int)
    costs = pd.DataFrame({"fn_cost": np.maximum(raw["balance"] / 160, 1.0), "fp_cost": 1.0, "tp_cost": 1.0})
    monkeypatch.setattr(real_case, "read_file", lambda name: raw)
    monkeypatch.setattr(real_case, "load", lambda name: SimpleNamespace(y=y, costs=costs.assign(tn_cost=0.0)))
    return raw, y, costs


def test_by_time_the_customers_of_2008_train(bank):
    raw, y, costs = bank
    tables = compute(("by time",), SETTINGS)
    training, customers = tables["training"], tables["customers"]
    assert training["month"].tolist() == DATES[:3] and (training["customers"] == 100).all()
    assert training["subscribed"].sum() == y[:300].sum()
    assert training["missed"].sum() == pytest.approx(costs["fn_cost"][:300][y[:300] == 1].sum())
    assert customers["month"].tolist() == np.repeat(DATES[3:], 100).tolist()
    assert (customers["subscribed"] == y[300:]).all()
    assert (customers["balance"].to_numpy() == raw["balance"][300:]).all()
    X = raw[WORDS + NUMBERS]
    model = CostDecision(learners(5)["boosted stumps"], cv=5, random_state=0).fit(X[:300], y[:300])
    p = model.predict_proba(X[300:])[:, 1]
    np.testing.assert_allclose(customers["boosted stumps"], p, atol=5.1e-5)
    of_rule = (customers["balance"] >= 1600) | (customers["bought"] == 1)  # as the page has it
    assert (of_rule.to_numpy() == rule(X[300:])).all()
    assert set(tables["advice"]["folds"]) == {"random", "forward"}
    assert (tables["advice"].groupby("folds")["advised"].sum() == 1).all()


def test_by_chance_as_many_train_and_all_others_are_judged(bank):
    _, y, _ = bank
    tables = compute(("by chance",), SETTINGS)
    assert tables["training"]["customers"].sum() == 300 and len(tables["customers"]) == len(y) - 300
    assert set(tables["training"]["month"]) == set(DATES) == set(tables["customers"]["month"])
    assert tables["training"]["subscribed"].sum() + tables["customers"]["subscribed"].sum() == y.sum()


def test_the_page_computes_the_costs_of_the_data():
    if REAL_CASE.missing():
        pytest.skip("no file of bank-marketing: set CSB_DATA")
    data = real_case.load("bank-marketing")
    of = recorded("real_case").tables["customers"].query("split == 'by time'")
    earned = np.maximum(0.25 * 0.02463333 * of["balance"], 1)
    np.testing.assert_allclose(earned, data.costs["fn_cost"].iloc[-len(of) :])
    assert (of["subscribed"].to_numpy() == data.y[-len(of) :]).all()
    assert (data.costs[["fp_cost", "tp_cost"]] == 1).all(axis=None) and not data.costs["tn_cost"].any()
