"""Predictions belong to the fit: what was set afterwards is refused, or acts at the decision and says so."""

import itertools
import pickle
import subprocess
import sys
import warnings
from copy import deepcopy
from dataclasses import fields
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import csb
from csb.costs import check_costs
from csb.engine.learners import bind_learner
from csb.engine.rules import STOP_REASONS
from csb.engine.votes import TrainingSet, boost
from csb.methods import VARIANTS
from interrupted import interrupted_at

ESTIMATORS = [getattr(csb, name) for name in csb.__all__ if isinstance(getattr(csb, name), type)]
X, Y = make_classification(150, 5, n_informative=3, flip_y=0.1, random_state=1)
NEW = make_classification(60, 5, n_informative=3, flip_y=0.1, random_state=2)[0]
OTHER = {
    bool: lambda value: not value, int: lambda value: value + 3, float: lambda value: value / 2 + 0.15,
    str: lambda value: "adac2",
}  # fmt: skip


def small(cls, rounds):
    """So many rounds and a seed, where an estimator has them."""
    settings = {"n_estimators": rounds, "random_state": 0}
    return {name: value for name, value in settings.items() if name in cls().get_params()}


def other_value(cls, name):
    """An admissible value that is not the default."""
    default = getattr(cls(), name)
    hint = get_type_hints(cls)[name]
    for each in (hint, *get_args(hint)):
        if get_origin(each) is Literal:
            return next(value for value in get_args(each) if value != default)
    special = {
        "pos_label": 0, "random_state": 7, "cost_scale": 0.3, "n_jobs": 2, "cv": 3,
        "cost_matrix": [[0, 1], [4, 0]], "beta": lambda c, u: 0.5 * (1 - c * u),
        "options": {"init": "uniform"}, "estimator": "univariate_logistic", "objective": "adacost",
        "variant": "adac2", "learning_rates": [1.0, 0.2], "max_samples": 0.5, "omega": 3.0,
        "abstain_cost": 0.3, "abstain_label": -7, "max_miss_rate": 0.2, "confidence": 0.9,
    }  # fmt: skip
    return special[name] if name in special else OTHER[type(default)](default)


def outputs(model):
    """All that predicting gives."""
    found = {"score": model.decision_function(NEW), "labels": model.predict(NEW)}
    if hasattr(model, "decision_threshold_"):
        found["threshold"] = model.decision_threshold_
    try:
        found["probability"] = model.predict_proba(NEW)
    except AttributeError:
        pass
    return found


CASES = [(cls, each.name) for cls in ESTIMATORS for each in fields(cls)]


@pytest.mark.parametrize("cls, name", CASES, ids=lambda each: getattr(each, "__name__", each))
def test_parameter_set_after_the_fit(cls, name):
    """The outputs are those of the fit, or an error names the parameter, or it acts at the decision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cls(**small(cls, 6)).fit(X, Y)
        before = outputs(model)
        value = other_value(cls, name)
        model.set_params(**{name: value})
        documented = "may be changed after the fit" in cls.__doc__.split(f"\n{name} : ")[1].split("\n")[1]
        assert documented == (name in cls._changeable)
        if documented:
            fresh = cls(**small(cls, 6) | {name: value}).fit(X, Y)
            expected = outputs(fresh)
        elif name == "n_jobs":
            expected = before
        else:
            with pytest.raises(ValueError, match=f"fitted with {name}="):
                model.predict(NEW)
            with pytest.raises(ValueError, match=f"fitted with {name}="):
                model.decision_function(NEW)
            return
    found = outputs(model)
    assert found.keys() == expected.keys()
    for key in found:
        np.testing.assert_array_equal(found[key], expected[key])


IN_PLACE = {
    "cost_matrix": lambda: np.array([[0.0, 1.0], [4.0, 0.0]]), "fn_cost": lambda: np.array(3.0),
    "fp_cost": lambda: np.array(2.0), "options": lambda: {},
    "cv": lambda: [[np.arange(99), np.arange(99, 150)]],
}  # fmt: skip
CHANGE = {
    "cost_matrix": lambda value: value.__setitem__((1, 0), 1.0), "fn_cost": lambda value: value.fill(1.0),
    "fp_cost": lambda value: value.fill(9.0), "options": lambda value: value.update(init="uniform"),
    "cv": lambda value: value[0][0].fill(0),
}  # fmt: skip


@pytest.mark.parametrize(
    "cls, name",
    [case for case in CASES if case[1] in IN_PLACE],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_parameter_changed_in_place_after_the_fit(cls, name):
    """As if it had been set: refused with its name, or it acts at the decision."""
    value = IN_PLACE[name]()
    keys = {"variant": "adac2"} if name == "options" else {}
    model = cls(**small(cls, 3), **keys, **{name: value}).fit(X, Y)
    before = outputs(model)
    CHANGE[name](value)
    if name in cls._changeable:
        set_anew = cls(**small(cls, 3), **{name: value}).fit(X, Y)
        np.testing.assert_array_equal(outputs(model)["labels"], outputs(set_anew)["labels"])
        return
    with pytest.raises(ValueError, match=f"fitted with {name}="):
        model.predict(NEW)
    fresh = cls(**small(cls, 3), **keys, **{name: IN_PLACE[name]()}).fit(X, Y)
    np.testing.assert_array_equal(outputs(fresh)["score"], before["score"])


def nested(cls):
    """A learner for it, a parameter of that and another value."""
    if cls is csb.BoostingCV:
        return csb.CGAda(n_estimators=3), "n_estimators", 4
    if cls is csb.UnequalMarginSVC:
        return SVC(), "C", 2.0
    if cls in (csb.AsyBL, csb.AsymmetricLogitBoost, csb.LogitBoost):
        return DecisionTreeRegressor(max_depth=1, random_state=0), "max_depth", 2
    return DecisionTreeClassifier(max_depth=1, random_state=0), "max_depth", 2


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if "estimator" in cls().get_params()])
def test_parameter_of_the_learner_set_after_the_fit(cls):
    """Refused as the estimator's own is, whoever set it; nothing is lost when it is set back."""
    learner, name, value = nested(cls)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cls(**small(cls, 3), estimator=learner).fit(X, Y)
    before, first = outputs(model), getattr(learner, name)
    for change in (model.set_params, lambda **_: learner.set_params(**{name: value})):
        change(**{f"estimator__{name}": value})
        for asked in (model, pickle.loads(pickle.dumps(model))):
            with pytest.raises(ValueError, match=f"fitted with estimator__{name}={first} and is asked"):
                asked.predict(NEW)
            with pytest.raises(ValueError, match=f"predict with estimator__{name}={value}, which acts"):
                asked.decision_function(NEW)
        model.set_params(**{f"estimator__{name}": first})
        np.testing.assert_array_equal(outputs(model)["score"], before["score"])


def test_parameters_within_a_pipeline_set_after_the_fit():
    """Gaps are not a number, which equals nothing; a step may be another; processes change nothing."""
    forest = RandomForestClassifier(2, random_state=0, class_weight={0: 1, 1: 2})
    steps = make_pipeline(make_pipeline(SimpleImputer(), StandardScaler()), forest)
    fitted = csb.CostDecision(steps, random_state=0).fit(X, Y)
    before = outputs(fitted)["score"]
    for model in (fitted, pickle.loads(pickle.dumps(fitted)), deepcopy(fitted)):
        np.testing.assert_array_equal(outputs(model)["score"], before)
        model.set_params(estimator__randomforestclassifier__n_jobs=2)
        np.testing.assert_array_equal(outputs(model)["score"], before)
        name = "estimator__pipeline__simpleimputer__strategy"
        with pytest.raises(ValueError, match=f"fitted with {name}='mean'"):
            model.set_params(**{name: "median"}).predict(NEW)
        model.set_params(**{name: "mean"}).predict(NEW)
        with pytest.raises(ValueError, match="fitted with estimator__pipeline__steps="):
            deepcopy(model).set_params(estimator__pipeline__standardscaler="passthrough").predict(NEW)
        model.get_params()["estimator__randomforestclassifier__class_weight"][1] = 3
        with pytest.raises(ValueError, match="fitted with estimator__randomforestclassifier__class_weight="):
            model.predict(NEW)
        model.get_params()["estimator__randomforestclassifier__class_weight"][1] = 2


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_fit_completes_or_changes_nothing(cls):
    """An interrupt at any line of a second fit, on other labels and features, and errors of several kinds."""
    names, wider = np.array(["no", "yes"])[Y[:60]], np.hstack([X[:60], X[:60, :1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cls(**small(cls, 2)).fit(X[:60], names)
        before, state = outputs(model), dict(vars(model))
        _, lines = interrupted_at(0, lambda: clone(model).fit(wider, Y[:60]), csb)
        for step in np.random.default_rng(0).integers(1, lines, 6):
            came, _ = interrupted_at(step, lambda: model.fit(wider, Y[:60]), csb)
            if not came:  # it fell into the end of a generator, where Python drops it: the fit is complete
                assert model.n_features_in_ == 6 and model.classes_.tolist() == [0, 1]
                state = dict(vars(model.fit(X[:60], names)))
            assert vars(model).keys() == state.keys()
            assert all(vars(model)[name] is state[name] for name in state)
        name = "random_state" if "random_state" in cls().get_params() else "fn_cost"
        bad_parameter, good_parameter = {name: "seven"}, {name: getattr(model, name)}
        for bad in (
            lambda: model.fit(wider[:, ::-1], np.zeros(60)),
            lambda: model.fit(np.full((60, 9), np.inf), Y[:60]),
            lambda: model.fit(wider, Y[:60], sample_weight=-np.ones(60)),
            lambda: model.set_params(**bad_parameter).fit(wider, Y[:60]),
        ):
            with pytest.raises(ValueError):
                bad()
            model.set_params(**good_parameter)
            assert all(vars(model)[name] is state[name] for name in state)
    found = outputs(model)
    for key in before:
        np.testing.assert_array_equal(found[key], before[key])
    assert set(model.predict(NEW)) <= {"no", "yes"}


def all_options(key):
    """Every combination of the options of a variant."""
    options = VARIANTS[key].options
    return [dict(zip(options, chosen, strict=True)) for chosen in itertools.product(*options.values())]


@pytest.mark.parametrize("learner", ["stump", "tree", "univariate_logistic"])
def test_every_option_of_every_variant_in_one_batch_is_the_model_trained_alone(learner):
    costs = check_costs([7.0, 1.0], [1.0, 3.0])
    batches = [
        VARIANTS[key].batch(costs, **options)
        for key in VARIANTS
        for options in all_options(key)
        if not (learner != "stump" and options.get("selection") == "joint")
    ]
    y = Y.astype(np.int8)
    weights = np.random.default_rng(0).uniform(0.2, 2, (2 * len(batches), len(y)))
    bound = bind_learner(learner, X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        together = boost(bound, TrainingSet(y, weights), batches, 12, keep_scores=True)
        for number, batch in enumerate(batches):
            at = slice(2 * number, 2 * number + 2)
            for k, row in enumerate(weights[at]):
                one = TrainingSet(y, row[np.newaxis])
                alone = boost(bound, one, [batch.take(slice(k, k + 1))], 12, keep_scores=True)
                np.testing.assert_array_equal(alone.scores[0], together.scores[2 * number + k])
                assert pickle.dumps(alone.trace(0)[2]) == pickle.dumps(together.trace(2 * number + k)[2])
                reason = alone.stop_reasons[0]
                assert reason == together.stop_reasons[2 * number + k] and reason in STOP_REASONS


@pytest.mark.parametrize("options", [{}, {"keep_nonpositive": True}], ids=["stop", "signed"])
@pytest.mark.parametrize("key", VARIANTS)
def test_a_vote_of_rounding_size_is_no_vote(key, options):
    """Outcomes that tie: four corners, labels that no stump tells apart but for a hair in the weights."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X, y = np.repeat(corners, 5, axis=0), np.repeat(np.array([0, 1, 1, 0], np.int8), 5)
    rng = np.random.default_rng(0)
    weights = np.vstack([np.ones(20), 1 + 1e-13 * rng.normal(size=20), rng.uniform(0.5, 2, 20)])
    costs = check_costs([1.0, 5.0, 2.0], [1.0, 1.0, 3.0])
    for chosen in all_options(key):
        batch = VARIANTS[key].batch(costs, **chosen)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            trained = boost(bind_learner("stump", X, y), TrainingSet(y, weights), [batch], 200, **options)
        largest = batch.rules.exponents(batch.c).max(axis=0)
        for b in range(3):
            alphas = np.abs(trained.trace(b)[0]) * largest[b]
            assert np.all((alphas > 1e-12) | ((alphas == 0) & bool(options)))


def test_import_without_docstrings():
    done = subprocess.run(
        [sys.executable, "-OO", "-c", "import csb; print(csb.AdaC1(fn_cost=3), csb.AdaC1.__doc__)"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "AdaC1(fn_cost=3) None\n"


@pytest.mark.parametrize("key", [key for key in VARIANTS if VARIANTS[key].costs_act == "training"])
def test_a_model_without_a_hypothesis_knows_the_shares_of_the_classes(key):
    """Three negatives to one positive at either value of the feature; the first weights make them even."""
    X, y = np.repeat([[0.0], [1.0]], 4, axis=0), np.tile(np.array([0, 0, 0, 1], np.int8), 2)
    ratio = 9.0 if key == "asymada" else 3.0  # which spreads the ratio over its two rounds
    if key == "adauboost":
        chosen = {"init": "beta", "learner_weights": "z"}
    else:
        chosen = {}
    batch = VARIANTS[key].batch(check_costs(ratio), **chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        model = boost(bind_learner("stump", X, y), TrainingSet(y, np.ones((1, 8))), [batch], 2).model(0)
    assert model.constant
    score = model.decision_function(X)
    expected_costs = np.array([3.0, ratio])  # what calling every example by the other class would cost
    assert np.all((score > model.threshold[-1]) == (expected_costs[1] > expected_costs[0] * (1 + 1e-9)))
    if model.log_odds_line is not None:
        np.testing.assert_allclose(model.probabilities(score), np.tile([0.75, 0.25], (8, 1)), rtol=1e-9)
