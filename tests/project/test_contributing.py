"""CONTRIBUTING says how to add a variant: done as it says, in a module of its own, it is everywhere."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import estimator_checks_generator

import csb
from csb import METHODS, VARIANTS
from csbook.chapters.cards import card
from csbook.style import line_style
from csbook.theory.properties import Reading, decide_all, methods, verdicts

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """The module that CONTRIBUTING prints, imported; the registry forgets its row afterwards."""
    (code,) = re.findall(r"(?s)```python\n(.*?)```", TEXT)
    path = tmp_path_factory.mktemp("variant") / "half_costs.py"
    path.write_text(code, "utf-8")
    spec = importlib.util.spec_from_file_location("half_costs", path)
    module = sys.modules["half_costs"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    METHODS.add(module.HALF_COSTS)
    yield module
    METHODS._all.pop(module.HALF_COSTS.key)
    del sys.modules["half_costs"]


def test_the_variant_is_short(added):
    code = Path(added.__file__).read_text("utf-8").splitlines()
    assert len([line for line in code if line.strip() and not line.startswith(("from", "import"))]) <= 25


def test_it_stands_in_the_table_with_its_options(added):
    key = added.HALF_COSTS.key
    assert VARIANTS[key] is added.HALF_COSTS and key in METHODS.table().index
    assert VARIANTS.table().loc[key, "options"] == "start"
    assert dict(VARIANTS[key].options) == {"start": ("root", "whole")}
    assert line_style(key)["label"] == added.HALF_COSTS.name


def test_it_trains_by_its_key_and_as_a_class(added):
    X, y = load_breast_cancer(return_X_y=True)
    by_key = csb.CostSensitiveBoosting(9.0, variant=added.HALF_COSTS.key, n_estimators=20).fit(X, y)
    by_name = added.HalfCosts(9.0, n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(by_key.decision_function(X), by_name.decision_function(X))
    # a cost of nine under the root is a cost of three: CGAda, an independent class
    expected = csb.CGAda(3.0, n_estimators=20).fit(X, y)
    np.testing.assert_allclose(by_name.decision_function(X), expected.decision_function(X), rtol=1e-12)
    assert 'start : {"root", "whole"}, default "root"' in added.HalfCosts.__doc__
    assert clone(by_name).get_params()["start"] == "root"
    with pytest.raises(ValueError, match="start='roots'.*'root', 'whole'"):
        added.HalfCosts(start="roots").fit(X, y)


def test_it_passes_the_checks_of_scikit_learn(added):
    for estimator, check in estimator_checks_generator(added.HalfCosts(n_estimators=3)):
        check(estimator)


def test_it_has_a_card_and_properties(added):
    method = added.HALF_COSTS
    assert card(method).startswith("(method-half-costs)=\n### Half costs\n")
    assert method.name in [row.name for row in methods()]
    found = verdicts(decide_all([Reading(method.key)])).loc[method.name]
    assert found["FGD-consistent"] == "yes" and found["cost-consistent"] == "no"
