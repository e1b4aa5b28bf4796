"""What must not change a model, for every method, learner and option, on data that shrink to a small example.

``make check`` draws a few examples, the same each time, ``make deep`` more of them, and ``make fuzz`` new
ones as long as one likes. Weights differ from row to row in no simple proportion, so that hypotheses tie only
where they agree on every example; values are whole numbers, so that rows tie often.
"""

import pickle
import warnings
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sympy import prime

import csb
from csb.costs import check_costs
from csb.engine import threads
from csb.engine.learners import Tree, bind_learner
from csb.engine.rules import SMALLEST
from csb.engine.votes import TrainingSet, boost
from csb.estimators.base import BinaryClassifier
from csb.methods import VARIANTS
from csb.methods.gradient import DescentMethod
from csbook.learners.logistic import Logistic

# the machine with unequal targets is no ensemble, and its solver is exact to a tolerance only
CLASSES = [
    cls for name in csb.__all__
    if hasattr(cls := getattr(csb, name), "_method") and cls is not csb.UnequalMarginSVC
]  # fmt: skip
BINARY = [cls for cls in CLASSES if issubclass(cls, BinaryClassifier) and hasattr(cls, "n_estimators")]
CALIBRATED = [cls for cls in BINARY if cls.__name__.startswith("Calibrated")]
LOGIT = [csb.LogitBoost, csb.AsyBL, csb.AsymmetricLogitBoost]
PLAIN = [cls for cls in BINARY if cls not in CALIBRATED]  # others also meet rows that were not trained on
DRAWN_BY_ROW = [
    *CALIBRATED,
    csb.Costing,
    csb.DSE,
    csb.MetaCost,
]  # which rows are held out or drawn is a matter of their number
BY_TREES = [
    cls for cls in CLASSES
    if cls not in (*BINARY, *DRAWN_BY_ROW) and "expansion" not in cls().get_params()
]  # fmt: skip  # those of scikit-learn, in which rounding decides between columns that split rows alike
SUMMED = [cls for cls in CLASSES if cls not in (*DRAWN_BY_ROW, *BY_TREES)]
MIRRORED = [cls for cls in PLAIN if cls is not csb.ThetaBoost]
ORDERED, FIXED = ("stump", "tree"), ("stump", "tree", "univariate_logistic", Logistic())
ANY = (*FIXED, "tree of scikit-learn")
FREE = ("stump", "univariate_logistic", Logistic())  # of columns: in a tree, rows of next to no weight tie


@dataclass
class Case:
    """A model to train, and its data."""

    model: object
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    def fit(self, X=None, y=None, weights=None, **changed):
        """A fitted copy, on these data or on others."""
        parameters = self.model.get_params(deep=False) | changed
        X, y = self.X if X is None else X, self.y if y is None else y
        weights = self.weights if weights is None else weights
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no hypothesis may be kept
            return type(self.model)(**parameters).fit(X, y, sample_weight=weights)


def uneven(n):
    """Weights that are linearly independent over the whole numbers: no two sums of some of them agree."""
    return 0.5 + np.modf(np.sqrt([prime(k) for k in range(1, n + 1)]))[0]


@st.composite
def parameters(draw, cls, learners):
    """Arguments of an estimator: costs, options, learner, bins."""
    names = cls().get_params(deep=False)
    hints = get_type_hints(cls)
    chosen = {"random_state": 0}
    for name in ("fn_cost", "fp_cost"):
        if name in names:
            chosen[name] = draw(st.sampled_from([1.0, 1e-6, 0.3, 2.0, 5.0, 37.5, 1e6]))
    for each in fields(cls):
        kinds = [
            hint for hint in (hints[each.name], *get_args(hints[each.name])) if get_origin(hint) is Literal
        ]
        if kinds and each.name != "expansion":
            chosen[each.name] = draw(st.sampled_from(get_args(kinds[0])))
    if "n_estimators" in names:
        chosen["n_estimators"] = draw(st.integers(1, 8))
    if "learning_rate" in names:
        chosen["learning_rate"] = draw(st.sampled_from([1.0, 1.0, 0.3, 0.05]))
    if "p" in names:
        chosen["p"] = draw(st.sampled_from([1.0, 1.5, 2.0, 4.0]))
        if chosen["step"] == "eq10" and 1 < chosen["p"] < 2:
            chosen["p"] = 2.0
    if cls is csb.CostSensitiveBoosting:
        chosen["variant"] = draw(st.sampled_from(sorted(VARIANTS)))
    if "estimator" in names:
        theirs = DecisionTreeRegressor if cls in LOGIT else DecisionTreeClassifier
        serving = ("stump", "tree of scikit-learn") if cls in LOGIT else FIXED if cls in BINARY else ORDERED
        allowed = [name for name in learners if name in (*serving, "tree of scikit-learn")]
        if chosen.get("selection") == "joint" and "stump" in allowed:
            allowed = ["stump"]
        elif "selection" in chosen and "stump" not in allowed:
            chosen["selection"] = "gradient"
        learner = draw(st.sampled_from(allowed))
        if cls not in BINARY and "expansion" not in names:
            learner = "tree of scikit-learn"  # a multiclass learner is none of ours
        chosen["estimator"] = theirs(max_depth=2, random_state=0) if learner not in FIXED else learner
        if learner == "tree":
            chosen["estimator"] = draw(st.sampled_from(["tree", Tree(1), Tree(2)]))
    return chosen


@st.composite
def cases(draw, classes, learners=FIXED, smallest=6, columns=(1, 4)):
    """An estimator with its options, and data that hold both classes."""
    cls = draw(st.sampled_from(classes))
    n, d = draw(st.integers(smallest, 24)), draw(st.integers(*columns))
    rows = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    X = np.array(draw(st.lists(rows, min_size=n, max_size=n)), float)
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), int)
    y[:6] = [0, 1, 0, 1, 0, 1]  # enough of both to calibrate
    return Case(cls(**draw(parameters(cls, learners))), X, y, uneven(n))


UNDERFLOW = 700
"""A score beyond which exp(-F) is zero as a double: weights are gone, the rest hangs on rounding."""


def agree(one, other, X, X_other=None):
    """Whether two models score alike, and stopped for the same reason after as many rounds."""
    scores, others = one.decision_function(X), other.decision_function(X if X_other is None else X_other)
    scale = np.maximum(1.0, np.abs(scores))
    assert np.all(np.isfinite(scores))
    np.testing.assert_allclose(others / scale, scores / scale, atol=1e-6)
    assert getattr(one, "stop_reason_", None) == getattr(other, "stop_reason_", None)
    assert len(getattr(one, "estimators_", [])) == len(getattr(other, "estimators_", []))


def lightest(model):
    """Weight of the lightest outcome that has any, of all rounds."""
    masses = getattr(model, "estimator_masses_", np.ones(1))
    return masses[masses > 0].min(initial=1.0)


SMALLEST_WEIGHT = np.exp(SMALLEST + 30)
"""An outcome that weighs less may consist of rows that were raised to the smallest weight, each by itself."""


TIED = 1e-9
"""Where an outcome weighs less, hypotheses may come within a tie, of which the order of features decides."""


def same_up_to_a_unit(one, other, X, units, sign=1.0):
    """Whether scores and thresholds agree in one of the units: that of a cost in the exponent."""
    scores, others = one.decision_function(X), sign * other.decision_function(X)
    unit = min(units, key=lambda unit: np.abs(scores * unit - others).max())
    np.testing.assert_allclose(others, scores * unit, rtol=1e-6, atol=1e-6 * unit)
    threshold = sign * other.decision_threshold_
    assert threshold == pytest.approx(one.decision_threshold_ * unit, rel=1e-6, abs=1e-6 * unit)


@given(cases(CLASSES, ANY), st.integers(0, 2**31))
def test_a_row_of_weight_zero_is_an_absent_row(case, seed):
    rng = np.random.default_rng(seed)
    n = len(case.X)
    X = np.vstack([case.X, rng.normal(0, 50, (7, case.X.shape[1]))])
    y, weights = np.r_[case.y, rng.integers(0, 3, 7)], np.r_[case.weights, np.zeros(7)]
    order = np.argsort(np.r_[np.arange(n), rng.uniform(-1, n, 7)], kind="stable")
    with_zeros = case.fit(X[order], y[order], weights[order])
    np.testing.assert_array_equal(with_zeros.decision_function(X), case.fit().decision_function(X))


@given(cases(SUMMED, FIXED) | cases(BY_TREES, FIXED, columns=(1, 1)), st.data())
def test_a_weight_of_k_is_k_rows(case, data):
    times = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(case.X), max_size=len(case.X))))
    weights, rows = case.weights, np.repeat(np.arange(len(case.X)), times)
    once = case.fit(weights=weights * times)
    assume(lightest(once) > SMALLEST_WEIGHT)
    if isinstance(getattr(case.model, "_method", None), DescentMethod):  # with costs in the exponent
        assume(np.abs(once.decision_function(case.X)).max() < UNDERFLOW)
    agree(once, case.fit(case.X[rows], case.y[rows], weights[rows]), case.X)


@given(cases(SUMMED, FIXED) | cases(BY_TREES, FIXED, columns=(1, 1)), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case, random):
    order = random.sample(range(len(case.X)), len(case.X))
    agree(case.fit(), case.fit(case.X[order], case.y[order], case.weights[order]), case.X)


@given(cases(PLAIN, FREE, columns=(2, 4)), st.randoms(use_true_random=False))
def test_the_order_of_columns_does_not_matter(case, random):
    order = random.sample(range(case.X.shape[1]), case.X.shape[1])
    once = case.fit()
    assume(lightest(once) > TIED)
    agree(once, case.fit(case.X[:, order]), case.X, X_other=case.X[:, order])


@given(cases(PLAIN, ORDERED), st.sampled_from([np.exp, np.cbrt, lambda X: 1e-3 * X + 7, lambda X: X**3 + X]))
def test_stumps_and_trees_see_only_the_order_of_values(case, transform):
    agree(case.fit(), case.fit(transform(case.X)), case.X, X_other=transform(case.X))


@given(
    cases([cls for cls in BINARY if "fn_cost" in cls().get_params()]), st.sampled_from([1e-3, 0.5, 3.0, 1e4])
)
def test_only_the_ratio_of_costs_matters(case, factor):
    costs = {name: factor * getattr(case.model, name) for name in ("fn_cost", "fp_cost")}
    once = case.fit()
    assume(lightest(once) > TIED)
    same_up_to_a_unit(once, case.fit(**costs), case.X, [1.0, 1 / factor])


@given(cases(MIRRORED))
def test_classes_and_costs_swapped_turn_the_score_round(case):
    costs = {"fn_cost": getattr(case.model, "fp_cost", 1.0), "fp_cost": getattr(case.model, "fn_cost", 1.0)}
    ratio = costs["fn_cost"] / costs["fp_cost"]
    if not hasattr(case.model, "fn_cost"):
        costs = {}
    once = case.fit()
    assume(lightest(once) > TIED)
    same_up_to_a_unit(once, case.fit(y=1 - case.y, **costs), case.X, [1.0, ratio, 1 / ratio], sign=-1.0)


@given(cases(CLASSES, ANY))
def test_fit_again_and_from_a_pickle(case):
    model = case.fit()
    scores = model.decision_function(case.X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(case.X), scores)
    again = pickle.loads(pickle.dumps(case)).fit()
    np.testing.assert_array_equal(again.decision_function(case.X), scores)
    assert pickle.dumps(case.fit()) == pickle.dumps(case.fit())


@given(cases([cls for cls in CLASSES if cls not in (*CALIBRATED, csb.MetaCost)], ANY))  # it has none
def test_the_last_stage_is_the_model(case):
    model = case.fit()
    stages = list(model.staged_decision_function(case.X))
    if not stages:  # no hypothesis was kept by a method for many classes
        assert not model.estimators_
        return
    np.testing.assert_allclose(stages[-1], model.decision_function(case.X), atol=1e-12)
    np.testing.assert_array_equal(list(model.staged_predict(case.X))[-1], model.predict(case.X))
    if hasattr(model, "predict_proba"):
        *_, last = model.staged_predict_proba(case.X)
        np.testing.assert_allclose(last, model.predict_proba(case.X), atol=1e-12)
        assert np.all((last >= 0) & (last <= 1)) and np.allclose(last.sum(axis=1), 1)


@given(cases(CALIBRATED, ANY))
def test_the_last_stage_is_the_calibrated_model(case):
    """To the bit, and stages change nothing."""
    model, plain = case.fit(store_stages=True), case.fit()
    for name in ("decision_function", "predict_proba", "predict"):
        *_, last = getattr(model, f"staged_{name}")(case.X)
        np.testing.assert_array_equal(last, getattr(model, name)(case.X))
        np.testing.assert_array_equal(last, getattr(plain, name)(case.X))


@given(cases([cls for cls in BINARY if "n_jobs" in cls().get_params()]), st.integers(2, 5))
def test_threads_do_not_matter(case, n_jobs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_A_THREAD", 0)
        threaded = case.fit(
            n_jobs=n_jobs if case.model.estimator in ("stump", "univariate_logistic") else None
        )
    np.testing.assert_array_equal(threaded.decision_function(case.X), case.fit().decision_function(case.X))


@given(
    cases([csb.AdaBoost], FIXED),
    st.lists(st.tuples(st.sampled_from(sorted(VARIANTS)), st.data()), min_size=2, max_size=6),
    st.integers(0, 2**31),
)
def test_a_model_is_the_same_in_any_batch(case, drawn, seed):
    """To the bit: methods, options and costs mixed, each model with rows of weight zero of its own."""
    batches = []
    for key, data in drawn:
        options = {
            name: data.draw(st.sampled_from(values))
            for name, values in VARIANTS[key].options.items()
            if not (name == "selection" and case.model.estimator != "stump")
        }
        costs = check_costs(data.draw(st.sampled_from([0.1, 1.0, 4.0, 1e3])))
        batches.append(VARIANTS[key].batch(costs, **options))
    rng = np.random.default_rng(seed)
    y = case.y.astype(np.int8)
    weights = rng.uniform(0.1, 2, (len(batches), len(y))) * (rng.random((len(batches), len(y))) < 0.8)
    weights[:, :2] = 1.0  # both classes are there
    learner = bind_learner(case.model.estimator, case.X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = boost(learner, TrainingSet(y, weights), batches, 8, keep_scores=True)
        for b, batch in enumerate(batches):
            alone = boost(learner, TrainingSet(y, weights[[b]]), [batch], 8, keep_scores=True)
            np.testing.assert_array_equal(alone.scores[0], together.scores[b])
            assert alone.stop_reasons[0] == together.stop_reasons[b]
