"""What is said of features that are refused: which column, and what helps."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import csb
from csb.engine.blocks import Blocks

ESTIMATORS = [getattr(csb, name) for name in csb.__all__ if isinstance(getattr(csb, name), type)]
AROUND = (csb.MetaCost, csb.CostDecision)
"""They take whatever their classifier takes; by default that is AdaBoost."""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=40) > 0).astype(int)
FRAME = pd.DataFrame(X, columns=["age", "income", "region"])
SPARSE = "sparse input is not taken: give sparse_output=False to OneHotEncoder, or X.toarray()"
STRINGS = "column 'region' holds strings, such as '(north|south)'.*OneHotEncoder.*\\['region'\\]"
CASES = {
    "sparse array": (csr_array(X), SPARSE),
    "sparse matrix": (csr_matrix(X), SPARSE),
    "sparse frame": (FRAME.astype(pd.SparseDtype(float)), SPARSE),
    "strings": (FRAME.assign(region=["north"] * 40), STRINGS),
    "strings among numbers": (FRAME.assign(region=["1", "north"] * 20), STRINGS),
    "categories": (FRAME.assign(region=pd.Categorical(["north", "south"] * 20)), STRINGS),
    "strings and gaps": (FRAME.assign(region=pd.Series([None, "north"] * 20)), STRINGS),
    "an array of objects": (np.column_stack([X[:, :2].astype(object), ["north"] * 40]),
                            "column 2 holds strings, such as 'north'"),
    "an array of strings": (np.where(X > 1, "north", X.astype(str)), "columns 0, 1, 2 hold strings"),
    "a list": ([[1.0, "north", 2.0]] * 40, "column 1 holds strings"),
    "huge integers": ([[1.0, -(10**400), 2.0]] * 40, "column 1 holds an integer beyond all doubles"),
    "huge integers in a frame": (FRAME.assign(age=[10**400] * 40), "column 'age' holds an integer beyond"),
    "many columns of strings": (pd.DataFrame({f"f{k}": ["x"] * 40 for k in range(5)}),
                                "columns 'f0', 'f1', 'f2' and 2 more hold strings, such as 'x'"),
    "dates": (FRAME.assign(age=pd.Timestamp("2020-01-01")), "column 'age' holds dates"),
    "infinity": (FRAME.assign(income=np.where(X[:, 1] > 1, np.inf, X[:, 1])),
                 "column 'income' holds infinity: allowed are finite numbers"),
}  # fmt: skip
GAPS = FRAME.assign(income=np.where(X[:, 1] > 1, np.nan, X[:, 1]))


def small(cls):
    return cls(**{"n_estimators": 3} if "n_estimators" in cls().get_params() else {})


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_estimator_names_the_column_and_what_helps(cls, case):
    features, said = CASES[case]
    with pytest.raises((ValueError, TypeError), match=said):
        small(cls).fit(features, Y)
    if cls not in AROUND:
        fitted = small(cls).fit(FRAME if isinstance(features, pd.DataFrame) else X, Y)
        with pytest.raises((ValueError, TypeError), match=said):
            fitted.decision_function(features)


def test_what_is_advised_works():
    raw = FRAME.assign(region=["north", "south"] * 20)
    with pytest.raises(ValueError) as refused:
        csb.AdaBoost(3).fit(raw, Y)
    advised = re.search(r"make_column_transformer\(.*\)", str(refused.value)).group()
    encode = eval(  # noqa: S307  # the text of a message of ours
        advised, {"make_column_transformer": make_column_transformer, "OneHotEncoder": OneHotEncoder}
    )
    model = make_pipeline(encode, csb.AdaBoost(3)).fit(raw, Y)
    assert model.predict(raw.assign(region="neither")).shape == (40,)  # as where a rare word is held out


def test_an_error_about_something_else_stays_as_it_is():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        csb.AdaBoost(3).fit(X, Y[:-1])
    fitted = csb.AdaBoost(3).fit(X, Y)
    with pytest.raises(ValueError, match="expecting 3 features"):
        fitted.predict(X[:, :2])


def test_a_block_is_named():
    with pytest.raises(ValueError, match="block 1 of X: column 'region' holds strings"):
        csb.AdaBoost(3).fit(Blocks(lambda: [FRAME[:20], FRAME[20:].assign(region="north")]), Y)
