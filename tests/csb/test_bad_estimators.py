"""Bad values in every parameter and every argument of every estimator.

What may come of one is a ValueError or a TypeError whose message names it, before anything is trained; or a
model whose predictions are finite. Nothing else: no other error, no NaN, no warning from the arithmetic.
"""

import re
import warnings
from dataclasses import fields
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import csb
from bad_values import bad_values
from csb.engine.learners import Tree
from csb.inputs import ConstantModelWarning, FewExamplesWarning, NotFiniteWarning
from kinds import few

ESTIMATORS = [getattr(csb, name) for name in csb.__all__ if isinstance(getattr(csb, name), type)]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=24) > 0).astype(int)


def model_of(cls, **parameters):
    small = {"n_estimators": 3, "random_state": 0}
    return cls(**{name: value for name, value in small.items() if name in cls().get_params()} | parameters)


def fitted(cls, X, y, weights=None, **parameters):
    return all_outputs(model_of(cls, **parameters).fit(X, y, sample_weight=weights))


NOT_OURS = {
    ConstantModelWarning: "", FewExamplesWarning: "", NotFiniteWarning: "",
    ConvergenceWarning: "Solver terminated early",
    DataConversionWarning: "A column-vector y was passed",
    UserWarning: "The number of unique classes is greater",
    RuntimeWarning: "(overflow encountered in cast|invalid value encountered in reduce)",
}  # fmt: skip
"""Warnings that belong to the result, or that scikit-learn gives before it refuses or accepts."""


def what_came_of_it(call, names):
    """An empty text if it was refused by one of the names, or gave finite numbers; else what happened."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category, message in NOT_OURS.items():
            warnings.filterwarnings("ignore", message, category)
        try:
            scores = call()
            return "" if np.all(np.isfinite(scores)) else "not finite"
        except (ValueError, TypeError) as error:
            named = any(name in str(error) for name in names)
            return "" if named else f"{type(error).__name__}: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def all_outputs(model):
    """Scores, probabilities if there are any; and labels, of the classes unless it may abstain."""
    allowed = set(model.classes_.tolist())
    if getattr(model, "abstain_cost", None) is not None:
        allowed.add(-1)
    assert set(model.predict(X).tolist()) <= allowed
    scores = model.decision_function(X)
    return np.append(scores, model.predict_proba(X)) if hasattr(model, "predict_proba") else scores


def complaints(cases):
    """Run the cases, (key, call, names), and list those that came to no good end."""
    found = {key: what_came_of_it(call, names) for key, call, names in cases}
    return "\n".join(f"{key}: {what[:300]}" for key, what in found.items() if what)


@pytest.mark.parametrize("cls", few(ESTIMATORS))
def test_bad_values_of_parameters(cls):
    cases = [
        (
            (each.name, kind),
            lambda name=each.name, value=value: fitted(cls, X, Y, **{name: value}),
            [each.name],
        )
        for each in fields(cls)
        for kind, value in bad_values().items()
        if not (callable(value) and each.name in ("beta", "objective"))  # functions are what these take
    ]
    assert not complaints(cases)


@pytest.mark.parametrize("cls", [csb.AdaBoost, csb.CalibratedAdaMEC, csb.LpCSB])
def test_bad_depths_of_trees(cls):
    cases = [
        (kind, lambda depth=depth: fitted(cls, X, Y, estimator=Tree(depth)), ["max_depth"])
        for kind, depth in bad_values().items()
    ]
    assert not complaints(cases)


def spoiled(value, at=(0, 0)):
    table = X.copy()
    table[at] = value
    return table


BAD_X = {
    "nan": spoiled(np.nan), "inf": spoiled(-np.inf), "1.79e308": spoiled(1.79e308), "huge": X * 1e300,
    "both huge": np.where(X > 0, 1.7e308, -1.7e308), "subnormal": X * 1e-310, "tiny": X * 1e-200,
    "constant": np.ones_like(X), "zeros": np.zeros_like(X), "one column": X[:, :1], "1d": X[:, 0],
    "3d": X[None],
    "no rows": X[:0], "no columns": X[:, :0], "one row": X[:1], "short": X[:-1], "text": X.astype(str),
    "words": np.full(X.shape, "word"), "objects": spoiled(0).astype(object), "None": None, "number": 3.0,
    "sparse": scipy.sparse.csr_matrix(X), "complex": X + 1j, "bool": X > 0, "int8": X.astype(np.int8),
    "float16": X.astype(np.float16), "longdouble": X.astype(np.longdouble) * np.longdouble("1e400"),
    "masked": np.ma.masked_array(X, X > 1), "dates": np.full(X.shape, np.datetime64("2020-01-01")),
    "frame": pd.DataFrame(X), "frame of text": pd.DataFrame(X.astype(str) + "x"), "list": X.tolist(),
    "missing": pd.DataFrame(X).astype("Float64").mask(X > 1), "ragged": [[1.0], [1.0, 2.0]] * 12,
    "dict": {"a": X[:, 0]}, "generator": (row for row in X), "integers": (X * 1e18).astype(np.int64),
}  # fmt: skip


@pytest.mark.parametrize(
    "cls", few([cls for cls in ESTIMATORS if cls is not csb.UnequalMarginSVC])
)  # C has a unit
@pytest.mark.parametrize("exponent", [-1060, -200, 900])
def test_features_of_any_scale_give_the_same_scores_or_are_refused(cls, exponent):
    whole = np.round(4 * X)  # exact as subnormal numbers too
    try:
        scores = model_of(cls).fit(whole * 2.0**exponent, Y).decision_function(whole * 2.0**exponent)
    except ValueError as error:
        assert re.search(r"X.*(single precision|float32|\[-1e100, 1e100\])", str(error))
    else:
        np.testing.assert_allclose(scores, model_of(cls).fit(whole, Y).decision_function(whole), rtol=1e-9)


BAD_Y = {
    "one class": np.zeros(24), "continuous": X[:, 0], "nan": np.where(Y, np.nan, 0.0), "short": Y[:-1],
    "inf": np.where(Y, np.inf, 0.0), "2d": np.column_stack([Y, Y]), "column": Y[:, None], "None": None,
    "no labels": Y[:0], "words": np.array(["no", "yes"])[Y], "bytes": np.array([b"n", b"y"])[Y],
    "bool": Y > 0,
    "objects": np.array([0, "yes"], object)[Y], "missing": np.array([None, "yes"], object)[Y],
    "dates": np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")[Y], "complex": Y + 1j,
    "floats": Y * 1.0,
    "large": Y * 2**62, "signs": 2 * Y - 1, "Int64": pd.array(Y, "Int64"), "category": pd.Categorical(Y),
    "number": 1, "text": "no", "dict": {0: 1}, "ragged": [[0], [0, 1]] * 12, "all different": np.arange(24),
    "masked": np.ma.masked_array(Y, Y > 0), "sparse": scipy.sparse.csr_matrix(Y), "lists": [[0, 1]] * 24,
}  # fmt: skip
BAD_WEIGHTS = {
    "zeros": np.zeros(24), "one class": 1.0 * Y, "negative": spoiled(-1.0)[:, 0],
    "nan": spoiled(np.nan)[:, 0],
    "inf": spoiled(np.inf)[:, 0] ** 2, "1.79e308": np.full(24, 1.79e308), "1e308": np.r_[1e308, np.ones(23)],
    "1e-320": np.full(24, 1e-320), "5e-324": np.r_[5e-324, np.ones(23)],
    "wide": np.geomspace(1e-100, 1e100, 24),
    "1e-100": np.full(24, 1e-100), "1e100": np.full(24, 1e100), "short": np.ones(23), "2d": np.ones((24, 2)),
    "column": np.ones((24, 1)), "text": ["1"] * 24, "words": ["a"] * 24,
    "None": [None] * 24, "complex": np.ones(24) * 1j,
    "number": 2.0, "text alone": "balanced", "bool": Y >= 0,
    "dates": np.full(24, np.datetime64("2020-01-01")),
    "masked": np.ma.masked_array(np.ones(24), Y > 0), "empty": [], "dict": {"a": 1},
    "series": pd.Series(np.ones(24), range(24, 48)),
    "Decimal": [Decimal(1)] * 24, "10**400": [10**400] * 24, "objects": np.array([1.0, {}] * 12, object),
}  # fmt: skip


IN_WORDS_OF_SKLEARN = ["inconsistent numbers of samples", "Complex data not supported"]
OF_X = [*IN_WORDS_OF_SKLEARN, "X", "array", "sample(s)", "sparse", "string", "dtype", "feature", "float"]
OF_Y = [*IN_WORDS_OF_SKLEARN, "y=", "y ", "label", "class"]


@pytest.mark.parametrize("cls", few(ESTIMATORS))
def test_bad_data(cls):
    model = model_of(cls).fit(X, Y)
    cases = [
        *((("X", kind), lambda bad=bad: fitted(cls, bad, Y), OF_X) for kind, bad in BAD_X.items()),
        *((("y", kind), lambda bad=bad: fitted(cls, X, bad), OF_Y) for kind, bad in BAD_Y.items()),
        *(
            (("w", kind), lambda bad=bad: fitted(cls, X, Y, bad), ["weight"])
            for kind, bad in BAD_WEIGHTS.items()
        ),
        *(
            (("predict", kind), lambda bad=bad: model.decision_function(bad), OF_X)
            for kind, bad in BAD_X.items()
        ),
    ]
    assert not complaints(cases)


@pytest.mark.parametrize("cls", few(ESTIMATORS))
def test_what_a_mask_hides_is_not_read(cls):
    model = model_of(cls).fit(X, Y)
    for call in (lambda: fitted(cls, BAD_X["masked"], Y), lambda: model.predict(BAD_X["masked"])):
        with pytest.raises(ValueError, match="^X is masked in part: allowed are arrays without gaps"):
            call()
    np.testing.assert_array_equal(model.predict(np.ma.array(X)), model.predict(X))


def test_costs_of_classes_beside_those_of_examples_are_refused_whatever_their_shape():
    with pytest.raises(ValueError, match=r"^fn_cost=.* both 1 when fit is given cost"):
        csb.CGAda(np.array([1.0, 2.0])).fit(X, Y, cost=np.ones(24))


@pytest.mark.parametrize("cls", [csb.CGAda, csb.GradientDescentBoosting, csb.LpCSB, csb.AdaBoostM2])
def test_bad_costs_of_examples(cls):
    kinds = bad_values() | {f"weights: {kind}": value for kind, value in BAD_WEIGHTS.items()}
    cases = [
        (kind, lambda bad=bad: all_outputs(model_of(cls).fit(X, Y, cost=bad)), ["cost", "Complex data"])
        for kind, bad in kinds.items()
    ]
    assert not complaints(cases)
