"""What decisions are worth: costs of each case, weights, today's rule, and the words and figure for it."""

import pickle
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from csb import CostDecision, recommend
from csb.inputs import KnownDecisionWarning
from csb.recommend.candidates import ConstantDecision

N = 240
RNG = np.random.default_rng(11)
X = RNG.normal(size=(N, 2))
Y = (X[:, 0] + 0.6 * RNG.normal(size=N) > 0.3).astype(int)
MISSED = RNG.uniform(2, 12, N)
EACH = {"fn_cost": MISSED, "fp_cost": 3.0, "tp_cost": MISSED / 10, "tn_cost": -1.0}
PLAIN = {"fn_cost": 8.0, "fp_cost": 2.0}
KIND = np.arange(N) % 7
ANY = {  # free misses, free alarms, hits that cost more than misses, alarms that bring something in
    "fn_cost": np.where(KIND == 0, 0.0, MISSED), "fp_cost": np.choose(KIND, [3, 0, 3, 3, -1, 3, 3]),
    "tp_cost": np.where(KIND == 2, 20.0, 0.5), "tn_cost": np.where(KIND == 3, 5.0, 0.0),
}  # fmt: skip
WEIGHT = RNG.integers(1, 4, N).astype(float)
LOGISTIC = {"logistic": make_pipeline(StandardScaler(), LogisticRegression())}
FOLDS = list(StratifiedKFold(4, shuffle=True, random_state=3).split(X, Y))


def found(costs=PLAIN, X=X, y=Y, **options):
    return recommend(X, y, **costs, **{"random_state": 0, "candidates": LOGISTIC, "cv": FOLDS} | options)


def cost_of(costs, y, called, i):
    """Of one decision, from the table of four."""
    cost = {name: (costs[name][i] if np.ndim(costs[name]) else costs[name]) for name in costs}
    cost = {"tp_cost": 0.0, "tn_cost": 0.0} | cost
    return cost[{(1, 1): "tp_cost", (1, 0): "fn_cost", (0, 1): "fp_cost", (0, 0): "tn_cost"}[y, called]]


def naive_decisions(costs, weights=None):
    """Decisions on each fold by scikit-learn's parts, with the two sums of expected costs written out."""
    decisions = np.zeros(N, int)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    for train, test in FOLDS:
        estimator, given = LogisticRegression(), {}
        inner = StratifiedKFold(5, shuffle=True, random_state=seed)
        p = np.zeros(len(test))
        for fit, rest in inner.split(X[train], Y[train]):
            scaler = StandardScaler().fit(X[train][fit])
            if weights is not None:
                given = {"sample_weight": weights[train][fit]}
            estimator = LogisticRegression().fit(scaler.transform(X[train][fit]), Y[train][fit], **given)
            held_out = {} if weights is None else {"sample_weight": weights[train][rest]}
            rows = scaler.transform(X[train][rest])
            platt = CalibratedClassifierCV(FrozenEstimator(estimator), cv=[(np.arange(len(rest)),) * 2])
            platt.fit(rows, Y[train][rest], **held_out)
            p += platt.predict_proba(scaler.transform(X[test]))[:, 1] / 5
        for p_i, i in zip(p, test, strict=True):
            call = p_i * cost_of(costs, 1, 1, i) + (1 - p_i) * cost_of(costs, 0, 1, i)
            leave = p_i * cost_of(costs, 1, 0, i) + (1 - p_i) * cost_of(costs, 0, 0, i)
            decisions[i] = call < leave
    return decisions


def naive_costs_alone(costs, weights):
    """The same sums, with the share of the positives in the other folds."""
    decisions = np.zeros(N, int)
    for train, test in FOLDS:
        p = sum(weights[train] * Y[train]) / sum(weights[train])
        for i in test:
            call = p * cost_of(costs, 1, 1, i) + (1 - p) * cost_of(costs, 0, 1, i)
            leave = p * cost_of(costs, 1, 0, i) + (1 - p) * cost_of(costs, 0, 0, i)
            decisions[i] = call < leave
    return decisions


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator does not")  # which got its weights in training
@pytest.mark.filterwarnings("ignore::csb.inputs.KnownDecisionWarning")
@pytest.mark.parametrize("costs", [PLAIN, EACH, ANY], ids=["numbers", "of each case", "any"])
@pytest.mark.parametrize("weights", [None, WEIGHT], ids=["", "weighted"])
def test_mean_costs_and_worth_as_a_plain_loop_has_them(costs, weights):
    result = found(costs, sample_weight=weights)
    by_name = {"logistic": naive_decisions(costs, weights), "always 0": np.zeros(N), "always 1": np.ones(N)}
    each = np.ones(N) if weights is None else weights
    if costs is not PLAIN:
        by_name["costs alone"] = naive_costs_alone(costs, each)
    means = {
        name: sum(each[i] * cost_of(costs, Y[i], int(decided[i]), i) for i in range(N)) / sum(each)
        for name, decided in by_name.items()
    }
    for name, mean in means.items():
        assert result.table.at[name, "cost"] == pytest.approx(mean, rel=1e-9)
    assert result.name == "logistic"
    others = sorted(means.keys() - {"logistic"}, key=lambda name: means[name])
    assert result.worth.index.tolist() == others
    for name in others:
        assert result.worth.at[name, "saves"] == pytest.approx(means[name] - means[result.name], rel=1e-9)
    assert np.all(result.worth["low"] < result.worth["saves"]) and np.all(
        result.worth["saves"] < result.worth["high"]
    )


def test_weights_equal_repetition():
    """Of rows that are judged; each split names the copies of its rows."""
    copies = np.repeat(np.arange(N), WEIGHT.astype(int))
    of = [np.flatnonzero(copies == i) for i in range(N)]
    splits = [tuple(np.concatenate([of[i] for i in part]) for part in split) for split in FOLDS]
    rule = (X[:, 0] > 0).astype(int)
    weighted = found(EACH, sample_weight=WEIGHT, current=rule)
    repeated = found(
        {name: cost[copies] if np.ndim(cost) else cost for name, cost in EACH.items()},
        X[copies], Y[copies], cv=splits, current=rule[copies],
    )  # fmt: skip
    known = ["always 0", "always 1", "today's rule"]
    # intervals too, but for the sizes of the parts, which are rows in one and copies in the other
    np.testing.assert_allclose(weighted.table.loc[known, "cost"], repeated.table.loc[known, "cost"])
    assert weighted.setting.split("\n")[0] == repeated.setting.split("\n")[0]  # the costs on average
    assert weighted.stakes.means == pytest.approx(repeated.stakes.means)


def test_a_weight_of_zero_is_an_absent_row():
    gone = np.arange(N) % 6 == 0
    number = np.cumsum(~gone) - 1
    kept = [tuple(number[part[~gone[part]]] for part in split) for split in FOLDS]
    rule = (X[:, 0] > 0).astype(int)
    one = found(EACH, sample_weight=np.where(gone, 0.0, 2.0), current=rule)
    costs = {name: cost[~gone] if np.ndim(cost) else cost for name, cost in EACH.items()}
    two = found(
        costs, X[~gone], Y[~gone], sample_weight=np.full(N - gone.sum(), 2.0), cv=kept, current=rule[~gone]
    )
    pd.testing.assert_frame_equal(one.table, two.table)


def test_twice_the_costs_are_twice_the_worth():
    one, two = (found({name: factor * np.asarray(cost) for name, cost in EACH.items()}) for factor in (1, 2))
    np.testing.assert_allclose(two.table, 2 * one.table, rtol=1e-12)
    np.testing.assert_allclose(two.worth, 2 * one.worth, rtol=1e-12)
    assert two.name == one.name


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(N)
    place = np.argsort(order)
    splits = [tuple(place[part] for part in split) for split in FOLDS]
    costs = {name: cost[order] if np.ndim(cost) else cost for name, cost in EACH.items()}
    rule = (X[:, 0] > 0).astype(int)
    known = ["always 0", "always 1", "today's rule"]
    one = found(EACH, current=rule).table
    two = found(costs, X[order], Y[order], cv=splits, current=rule[order]).table
    pd.testing.assert_frame_equal(one.loc[known].iloc[:, :3], two.loc[known].iloc[:, :3])


def test_best_decides_by_the_costs_of_new_cases_and_by_no_others():
    result = found(EACH)
    best = pickle.loads(pickle.dumps(result)).best_
    new = np.linspace(-1, 1, 9)[:, np.newaxis] * [1, 0]
    given = {"fn_cost": np.linspace(2.2, 40, 9), "tp_cost": np.zeros(9)}
    p = best.predict_proba(new)[:, 1]
    call, leave = (1 - p) * 3.0, p * given["fn_cost"] - (1 - p)
    np.testing.assert_array_equal(best.predict(new, **given), (call < leave).astype(int))
    for lacking in ({}, {"fn_cost": given["fn_cost"]}):
        with pytest.raises(ValueError, match="_cost=None: must be given, since it differs from case to case"):
            best.predict(new, **lacking)
    with pytest.raises(ValueError, match=r"fn_cost has shape \(8,\)"):
        best.predict(new, **given | {"fn_cost": np.ones(8)})
    assert isinstance(result.threshold, np.ndarray) and len(result.threshold) == N
    np.testing.assert_allclose(result.threshold, 4.0 / (4.0 + 0.9 * MISSED))


def test_best_orders_cases_without_their_costs():
    """So that it can be calibrated again by whom has no costs, and tools of scikit-learn work."""
    best = found(EACH).best_
    p = best.predict_proba(X)[:, 1]
    np.testing.assert_allclose(best.decision_function(X), logit(p), atol=1e-6)
    assert np.isfinite(best.decision_function(1e6 * X)).all()
    again = CostDecision(FrozenEstimator(best), **PLAIN).fit(X[:, ::-1], Y)  # another world
    assert again.predict_proba(X)[:, 1].std() < p.std()
    area = roc_auc_score(Y, p)
    assert get_scorer("roc_auc")(best, X, Y) == area
    assert np.mean(cross_val_score(best, X, Y, scoring="roc_auc", cv=2)) > 0.8
    importance = permutation_importance(best, X, Y, scoring="roc_auc", n_repeats=3, random_state=0)
    assert importance.importances_mean[0] > 0.2


def test_best_decides_by_any_costs_of_new_cases():
    with pytest.warns(KnownDecisionWarning) as caught:
        result = found(ANY)
    gains = zip(ANY["fn_cost"] - ANY["tp_cost"], ANY["fp_cost"] - ANY["tn_cost"], strict=True)
    known = sum(missed * alarm <= 0 for missed, alarm in gains)
    (said,) = (str(each.message) for each in caught if each.category is KnownDecisionWarning)
    assert said.startswith(f"fn_cost, fp_cost, tp_cost, tn_cost: {known} of {N} cases are decided by")
    assert 0 < known < N and caught[0].filename == __file__
    p = result.best_.predict_proba(X)[:, 1]
    call = p * ANY["tp_cost"] + (1 - p) * ANY["fp_cost"]
    leave = p * ANY["fn_cost"] + (1 - p) * ANY["tn_cost"]
    with pytest.warns(KnownDecisionWarning, match=f"{known} of {N} cases"):
        np.testing.assert_array_equal(result.best_.predict(X, **ANY), (call < leave).astype(int))
    assert np.isinf(result.threshold).any() and not np.isnan(result.threshold).any()
    np.testing.assert_array_equal(p > result.threshold, call < leave)


@pytest.mark.filterwarnings("error::csb.inputs.KnownDecisionWarning")
@pytest.mark.parametrize("costs, best, threshold, said", [
    ({"fn_cost": 0.0, "fp_cost": 1.0}, 0, np.inf, "A false alarm costs 1: predict 0 whatever the prob"),
    ({"fn_cost": 2.0, "fp_cost": 2.0, "tp_cost": 2.0}, 0, np.inf, "predict 0 whatever the probability"),
    ({"fn_cost": 2.0, "fp_cost": -1.0}, 1, -np.inf, "predict 1 whatever the probability"),
    ({"fn_cost": 0.0, "fp_cost": 0.0}, 0, np.nan, "No decision costs anything: predict 1 where that is exp"),
    ({"fn_cost": -3.0, "fp_cost": -3.0}, None, np.nan, "predict 1 where that is expected to cost less"),
], ids=str)  # fmt: skip
def test_costs_of_all_cases_that_decide_alone(costs, best, threshold, said):
    result = found(costs)
    assert said in result.report()
    np.testing.assert_equal(result.threshold, threshold)
    if best is None:  # what is unlikely brings something in: the likelier class is never said
        p = result.best_.predict_proba(X)[:, 1]
        np.testing.assert_array_equal(result.best_.predict(X), (p < 0.5).astype(int))
    else:
        assert result.name == f"always {best}" and not result.pays
        assert result.table.at["logistic", "cost"] == result.table.at[f"always {best}", "cost"]


def test_a_constant_decision_takes_costs_of_cases_and_does_not_mind():
    noise = np.random.default_rng(1).normal(size=(N, 2))
    result = found({"fn_cost": MISSED * 50, "fp_cost": 1.0}, noise)
    best = pickle.loads(pickle.dumps(result.best_))
    assert isinstance(best, ConstantDecision) and not result.pays
    assert best.predict(noise[:3], fn_cost=MISSED[:3]).tolist() == [1, 1, 1]


RULES = {
    "labels": (X[:, 0] > 1.2).astype(int),
    "function": lambda X: (X[:, 0] > 1.2).astype(int),
    "fitted": DecisionTreeClassifier(max_depth=1).fit([[1.0, 0], [1.4, 0]], [0, 1]),
}


@pytest.mark.parametrize("kind", RULES)
def test_todays_rule_is_a_row_and_a_comparison(kind):
    result = found(current=RULES[kind])
    decided = RULES["labels"]
    costs = np.array([cost_of(PLAIN, y, d, i) for i, (y, d) in enumerate(zip(Y, decided, strict=True))])
    assert result.table.at["today's rule", "cost"] == pytest.approx(costs.mean())
    saved = costs.mean() - result.table.at["logistic", "cost"]
    assert result.worth.at["today's rule", "saves"] == pytest.approx(saved)
    assert "instead of today's rule would save about" in result.verdict and result.name == "logistic"


def test_todays_classifier_that_is_not_fitted_is_trained_in_each_split():
    rule = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = found(current=rule, sample_weight=WEIGHT)
    costs = np.zeros(N)
    for train, test in FOLDS:
        fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[train], Y[train], WEIGHT[train])
        for i, called in zip(test, fitted.predict(X[test]), strict=True):
            costs[i] = cost_of(PLAIN, Y[i], called, i)
    expected = np.average(costs, weights=WEIGHT)
    assert result.table.at["today's rule", "cost"] == pytest.approx(expected)
    with pytest.raises(NotFittedError):
        rule.predict(X)


@pytest.mark.parametrize("kind", RULES)
def test_todays_rule_is_kept_where_no_candidate_costs_less(kind):
    oracle = {"labels": Y, "function": lambda rows: Y[: len(rows)]}.get(kind)
    if oracle is None:
        oracle = KNeighborsClassifier(1).fit(X, Y)
    result = found(current=oracle)
    assert result.name == result.reference == "today's rule" and not result.pays
    assert result.constant == "always 1"
    assert result.best_ is (oracle if kind == "fitted" else None)
    assert "Recommended: today's rule. No candidate was shown to cost less" in result.verdict
    assert set(result.worth.index) == {"always 0", "always 1"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"current": Y[:-1]}, "current has 239 labels: allowed are 240"),
        ({"current": Y + 1}, "current decides 2: allowed are 0 and 1"),
        ({"current": lambda rows: rows["a"]}, "current=<function .*: it must decide rows of X, and fails"),
        ({"current": lambda rows: [0]}, "current has 1 labels: allowed are 240"),
        (
            {"current": StandardScaler()},
            "current=StandardScaler.*allowed are labels, a classifier or",
        ),
        (
            {"current": KNeighborsClassifier(), "sample_weight": WEIGHT},
            "current=KNeighborsClassifier.*takes no sample_weight",
        ),
        (
            {"candidates": {"near": KNeighborsClassifier()}, "sample_weight": WEIGHT},
            "sample_weight: the candidate 'near' takes none; allowed are classifiers that do",
        ),
        ({"verbose": 2}, "verbose=2: allowed are True and False"),
    ],
)
def test_bad_rules_are_named_before_any_training(monkeypatch, options, said):
    monkeypatch.setattr(sys.modules["csb.recommend.recommending"], "judge", None)
    with pytest.raises(ValueError, match=said):
        found(**options)


def test_weights_reach_all_where_metadata_are_routed():
    with config_context(enable_metadata_routing=True):
        routed = found(sample_weight=WEIGHT)
    pd.testing.assert_frame_equal(routed.table, found(sample_weight=WEIGHT).table)


def test_an_error_within_a_split_says_whose_it_is():
    class Refuses(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("no")

    with pytest.raises(RuntimeError) as caught:
        found(candidates={"refuses": Refuses()})
    assert "in refuses, trained on split 0" in caught.value.__notes__


def with_table(result, factor):
    """The same result in another unit."""
    fields = vars(result) | {"table": result.table * factor, "worth": result.worth * factor}
    return type(result)(**fields)


def test_a_sentence_for_those_who_pay():
    result = found(current=RULES["labels"])
    fields = vars(result)
    worth = pd.DataFrame(
        {"saves": [0.3104, 1.2], "low": [0.2504, 1.0], "high": [0.3704, 1.4]},
        index=["always 1", "today's rule"],
    )
    told = type(result)(**fields | {"worth": worth, "constant": "always 1"}).verdict
    assert told == (
        "Deciding with logistic instead of today's rule would save about 1,200 per 1,000 cases (between "
        "1,000 and 1,400), and instead of always predicting 1 would save about 310 per 1,000 cases (between "
        "250 and 370), in the unit of the costs."
    )
    worth.loc["always 1"] = [0.0312, -0.0188, 0.0812]
    told = type(result)(**fields | {"worth": worth, "constant": "always 1"}).verdict
    assert told == (
        "Deciding with logistic instead of today's rule would save about 1,200 per 1,000 cases (between "
        "1,000 and 1,400), and instead of always predicting 1 would save about 31 per 1,000 cases (between "
        "81 saved and 19 lost), in the unit of the costs. Against always predicting 1 the interval includes "
        "zero, so the data at hand do not tell which is cheaper."
    )


OPEN = " Against always 1 the interval includes zero, so the data at hand do not tell which is cheaper."


@pytest.mark.parametrize(
    ("difference", "low", "high", "told", "rest"),
    [
        (-0.5, -0.6, -0.4, "would save about 500 per 1,000 cases (between 400 and 600)", ""),
        (-0.38, -0.42, 0.11, "would save about 380 per 1,000 cases (between 420 saved and 110 lost)", OPEN),
        (0.04, -0.02, 0.1, "would cost about 40 more per 1,000 cases (between 20 saved and 100 lost)", OPEN),
        (0.05, 0.02, 0.08, "would cost about 50 more per 1,000 cases (between 20 and 80)", ""),
        (-0.05, -0.1, 0.0, "would save about 50 per 1,000 cases (between 0 and 100)", OPEN),
        (0.05, 0.0, 0.1, "would cost about 50 more per 1,000 cases (between 0 and 100)", OPEN),
        (0.0, -0.02, 0.08, "would cost as much per 1,000 cases (between 20 saved and 80 lost)", OPEN),
        (0.0, 0.0, 0.08, "would cost as much per 1,000 cases (between 0 saved and 80 lost)", OPEN),
        (-1e-6, -0.02, 0.08, "would cost as much per 1,000 cases (between 20 saved and 80 lost)", OPEN),
        (-3, -4, 2, "would save about 3,000 per 1,000 cases (between 4,000 saved and 2,000 lost)", OPEN),
        (0.0, 0.0, 0.0, "would cost just as much", ""),
    ],
)  # fmt: skip
def test_a_sentence_for_those_who_do_not_pay_has_no_negative_money(difference, low, high, told, rest):
    result = found(current=RULES["labels"])
    table = result.table.copy()
    table.loc["logistic", ["difference", "difference_low", "difference_high"]] = [difference, low, high]
    fields = {"table": table, "pays": False, "name": "always 1", "reference": "always 1"}
    said = type(result)(**vars(result) | fields).verdict
    assert said == (
        "Recommended: always 1. No candidate was shown to cost less; the cheapest of them, logistic, "
        f"{told}, in the unit of the costs.{rest}"
    )


def test_report_shows_table_and_worth_in_any_unit():
    result = found()
    assert result.report() == str(result) == repr(result)
    cost = result.table.at["logistic", "cost"]
    assert f"{cost:.3f}" in str(result) and f"{result.threshold:.4g}" in str(result)
    assert all(name in result._repr_html_() for name in result.table.index)
    million = with_table(result, 1e6)
    assert f"{1e6 * cost:.0f} " in str(million)
    digits = re.findall(r"[\d,]+", million.verdict.split("about ")[1])[0]
    assert float(digits.replace(",", "")) == pytest.approx(1e9 * result.worth["saves"].iloc[0], rel=0.1)
    nothing = with_table(result, 0.0)
    assert "instead of always predicting 1 would cost just as much, in the unit" in str(nothing)


def test_costs_of_right_decisions_are_told():
    setting = found(EACH).setting
    assert setting.startswith(
        f"Missing 1 costs {MISSED.mean():g} on average, a false alarm costs 3, finding 1 costs"
    )
    assert "leaving 0 alone costs -1" in setting and "over 4 splits of 240 cases" in setting


def test_markup_in_labels_is_escaped():
    result = found(y=np.array(["<a>", "<b>"])[Y], pos_label="<b>")
    assert "<b>" not in result._repr_html_() and "&lt;b&gt;" in result._repr_html_()


def test_the_figure_draws_what_the_table_holds():
    result = found(current=RULES["labels"])
    own = plt.subplots()[1]
    ax = result.plot(own)
    assert ax is own and result.plot().figure is not own.figure
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == result.table.index[::-1].tolist()
    *lines, zero = ax.get_lines()
    assert list(zero.get_xdata()) == [0, 0]
    for place, name in enumerate(names):
        interval, point = lines[2 * place : 2 * place + 2]
        row = result.table.loc[name]
        assert point.get_xydata().tolist() == [[pytest.approx(-1000 * row["difference"]), place]]
        ends = [pytest.approx(-1000 * row[end]) for end in ("difference_high", "difference_low")]
        assert list(interval.get_xdata()) == ends
        assert (point.get_color() == "#0072B2") == (name == result.name)
    assert "saved per 1,000 cases in place of always 1" in ax.get_xlabel() and not ax.get_title()
    with pytest.raises(ValueError, match="ax="):
        result.plot("here")
    plt.close("all")
