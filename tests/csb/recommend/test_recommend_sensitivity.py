"""For which costs the advice is the same: against advice asked for at each of them."""

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from csb import recommend

N = 300
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, 2))
Y = (X[:, 0] + RNG.normal(size=N) > 1).astype(int)
RULE = (X[:, 1] > 1.5).astype(int)
AMOUNT = RNG.uniform(2, 9, N)
LOGISTIC = {"l": LogisticRegression()}
CV = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y))
COSTS = {
    "numbers": {"fn_cost": 4.0, "fp_cost": 1.0},
    "of each case": {"fn_cost": AMOUNT, "fp_cost": 1.5, "tp_cost": AMOUNT / 8, "tn_cost": -0.25},
}


def found(costs, **options):
    options = {
        "cv": CV,
        "random_state": 0,
        "current": RULE,
        "candidates": LOGISTIC,
    } | options
    return recommend(X, Y, **costs, **options)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("pos_label", [None, 0])
def test_at_each_factor_it_is_the_advice_that_recommend_gives(costs, pos_label):
    costs = COSTS[costs]
    factors = [0.02, 0.3, 1.0, 4.0, 40.0]
    result = pickle.loads(pickle.dumps(found(costs, pos_label=pos_label))).sensitivity(factors)
    assert result.table.index.tolist() == factors
    names = set()
    for factor, row in result.table.iterrows():
        right = costs.get("tp_cost", 0.0)
        other = found(costs | {"fn_cost": right + factor * (costs["fn_cost"] - right)}, pos_label=pos_label)
        assert (row["name"], row["reference"]) == (other.name, other.reference)
        expected = -other.table.loc[other.name, ["difference", "difference_high", "difference_low"]]
        np.testing.assert_allclose(row[["saves", "low", "high"]].to_numpy(float), expected, atol=1e-12)
        names.add(other.name)
    assert len(names) > 1


def test_it_holds_from_one_factor_to_another():
    result = found(COSTS["numbers"])
    around = result.sensitivity()
    name, index = around.table["name"], around.table.index
    assert result.pays and around.name == result.name == name[1.0]
    assert 1 / 16 < around.low < 1 < around.high < 16
    assert (name[(index >= around.low) & (index <= around.high)] == result.name).all()
    assert name[index[index < around.low][-1]] != result.name != name[index[index > around.high][0]]
    only = result.sensitivity([0.5, 0.001])
    assert only.high == 1.0 and only.table.index.tolist() == [0.001, 0.5]


def test_it_says_where_some_candidate_pays_whichever_it_is():
    shallow = {f"depth {k}": DecisionTreeClassifier(max_depth=k, random_state=0) for k in (1, 3)}
    around = found(COSTS["numbers"], candidates=LOGISTIC | shallow).sensitivity()
    names, index = around.table["name"], around.table.index
    some = names.isin([*LOGISTIC, *shallow])
    within = (index >= around.pays_low) & (index <= around.pays_high)
    assert around.pays and some[within].all() and within.sum() > 2
    assert around.pays_low <= around.low and around.high <= around.pays_high
    assert not some[index[index < around.pays_low][-1]] and not some[index[index > around.pays_high][0]]
    told = f"From {around.low:.2g} to {around.high:.2g} times the cost of a miss the advice is {around.name}"
    besides = f"; a candidate pays from {around.pays_low:.2g} to {around.pays_high:.2g}"
    same = (around.low, around.high) == (around.pays_low, around.pays_high)
    assert str(around) == repr(around) == told + ("" if same else besides) + "."


def test_the_figure_draws_the_table_and_shades_where_it_holds():
    around = found(COSTS["numbers"]).sensitivity([0.25, 1.0, 4.0])
    own = plt.subplots()[1]
    ax = around.plot(own)
    assert ax is own and around.plot().figure is not own.figure
    line, one = ax.get_lines()
    np.testing.assert_allclose(line.get_ydata(), 1000 * around.table["saves"])
    assert list(one.get_xdata()) == [1.0, 1.0]
    shades = [(shade.get_x(), shade.get_x() + shade.get_width()) for shade in ax.patches]
    assert shades == [(around.pays_low, around.pays_high), (around.low, around.high)]
    plt.close("all")


@pytest.mark.parametrize("factors", [[0.0, 1.0], [-1.0], [np.nan], [[1.0, 2.0]], "often"])
def test_factors_that_are_none_are_named(factors):
    with pytest.raises(ValueError, match="factors"):
        found(COSTS["numbers"]).sensitivity(factors)
