"""Study practice: costs of single examples, worked by hand, by loops, and on a bundled set."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from csb import CalibratedAdaMEC
from csbook.datasets import load
from csbook.studies import PRACTICE, practice
from csbook.studies.practice import DATASETS, compute, credit_costs

TERMS = {"lost": 0.6, "interest": 0.12, "funds": 0.06, "months": 5}


def test_credit_costs_month_by_month():
    line, defaults = np.array([200.0, 700.0, 900.0]), np.array([0, 1, 0])
    found = credit_costs(line, defaults, TERMS)
    earned = []
    for owed in line:
        # the payment that leaves nothing owed is found by bisection, then discounted payment by payment
        low, high = 0.0, 2 * owed
        for _ in range(200):
            payment, left = (low + high) / 2, owed
            for _ in range(5):
                left = left * 1.01 - payment
            low, high = (payment, high) if left > 0 else (low, payment)
        earned.append(sum(payment / 1.005**month for month in range(1, 6)) - owed)
    instead = 0.6 * 600 / 3 - np.mean(earned) * 2 / 3  # the mean line is 600
    np.testing.assert_allclose(found["fn_cost"], 0.6 * line)
    np.testing.assert_allclose(found["fp_cost"], np.array(earned) + instead)
    assert not found[["tp_cost", "tn_cost"]].to_numpy().any()


@pytest.fixture
def cases():
    """Wdbc with costs of each example; a correct alarm costs as much as a false one."""
    data = load("wdbc")
    rng = np.random.default_rng(0)
    alarm = rng.uniform(1, 3, len(data.y))
    costs = pd.DataFrame(
        {
            "fn_cost": alarm * rng.choice([1, 2, 20], len(alarm)),
            "fp_cost": alarm,
            "tp_cost": alarm,
            "tn_cost": 0,
        }
    )
    return data.X.to_numpy(), data.y, costs


def bill_by_loop(y, positive, costs):
    names = {(1, True): "tp_cost", (1, False): "fn_cost", (0, True): "fp_cost", (0, False): "tn_cost"}
    rows = zip(y, positive, costs.to_dict("records"), strict=True)
    return np.mean([row[names[label, bool(call)]] for label, call, row in rows])


def test_policies_on_a_bundled_set(cases, monkeypatch):
    X, y, costs = cases
    monkeypatch.setattr(practice, "_data", lambda name, **terms: cases)
    settings = dict(PRACTICE.settings) | {"rounds": 6, "folds": 3}
    table = compute(("churn-tv", 1), settings)["bills"].set_index(["model", "policy"])
    sequence = np.random.SeedSequence([settings["seed"], DATASETS.index("churn-tv"), 1])
    split_seed, model_seed = (int(seed) for seed in sequence.generate_state(2) >> 1)
    parts = train_test_split(X, y, costs, test_size=0.25, stratify=y, random_state=split_seed)
    X_fit, X_test, y_fit, y_test, c_fit, c_test = parts

    constant = {"never": np.zeros(len(y_test), bool), "always": np.ones(len(y_test), bool)}
    bills = {name: bill_by_loop(y_test, calls, c_test) for name, calls in constant.items()}
    models = {
        "AdaMEC, calibrated": CalibratedAdaMEC(n_estimators=6, cv=3, random_state=model_seed),
        "gradient boosting": HistGradientBoostingClassifier(random_state=model_seed),
    }
    gain = (c_fit["fn_cost"] - c_fit["tp_cost"])[y_fit == 1].mean()
    average = c_fit["fp_cost"][y_fit == 0].mean()
    for name, model in models.items():
        p = model.fit(X_fit, y_fit).predict_proba(X_test)[:, 1]
        # expected cost of either decision, example by example
        call = p * c_test["tp_cost"] + (1 - p) * c_test["fp_cost"]
        silence = p * c_test["fn_cost"] + (1 - p) * c_test["tn_cost"]
        decisions = {
            "one half": p > 0.5,
            "average costs": p * gain > (1 - p) * average,
            "own costs": call < silence,
        }
        for policy, positive in decisions.items():
            bill = bill_by_loop(y_test, np.asarray(positive), c_test)
            assert table.loc[(name, policy), "cost"] == pytest.approx(bill)
            saved = table.loc[(name, policy), "savings"]
            assert saved == pytest.approx((min(bills.values()) - bill) / min(bills.values()))
    for name, bill in bills.items():
        assert table.loc[("none", name), "cost"] == pytest.approx(bill)
    assert len(table) == 2 + 4 * 3


def test_assumed_costs_are_for_the_set_without_its_own():
    if missing := PRACTICE.missing():
        pytest.skip(f"no files of {', '.join(missing)}: set CSB_DATA")
    _, y, costs = practice._data("default-credit-card", **PRACTICE.settings["terms"])
    line = load("default-credit-card").X["LIMIT_BAL"]
    np.testing.assert_allclose(costs["fn_cost"], 0.75 * line)
    own = practice._data("churn-tv", **PRACTICE.settings["terms"])[2]
    pd.testing.assert_frame_equal(own, load("churn-tv").costs)
    assert list(costs) == ["fn_cost", "fp_cost", "tp_cost", "tn_cost"] and len(y) == len(costs)
