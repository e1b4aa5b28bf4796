"""A fit that is cut short, or refused, leaves what was fitted before: calibrators, pruned trees, columns.

The estimators of the package are in ``tests/csb/test_state.py``.
"""

from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import csbook
from csb import evaluation
from csb.engine import atomic
from csb.evaluation.calibration import CALIBRATORS
from csb.recommend.columns import Columns
from csbook.learners.pruned import ErrorPrunedTree, PrunedRegressionTree, PrunedTree
from interrupted import interrupted_at

PLACES = evaluation, import_module("csb.recommend"), atomic, csbook
"""Where interrupts come; how many lines run elsewhere depends on what has been compiled."""
RNG = np.random.default_rng(0)
SCORES, LABELS = RNG.normal(size=40), np.arange(40) % 2
COLUMNS, CLASSES = RNG.normal(size=(40, 3)), np.arange(40) % 3
X, WIDER = RNG.normal(size=(40, 3)), RNG.normal(size=(30, 4))
FRAME = pd.DataFrame({"size": [1.0, 2.0, 3.0], "hue": ["red", "red", "blue"]})
OTHER = pd.DataFrame({"hue": ["green", "blue", "green"], "size": [3.0, 4.0, 5.0], "age": [1.0, 2.0, 3.0]})


def asked(model, tables):
    """What it says of tables, or why it says nothing."""
    said = []
    for table in tables:
        try:
            found = model.transform(table) if isinstance(model, Columns) else model.predict(table)
            said.append(np.asarray(found).tolist())
        except ValueError as refused:
            said.append(str(refused))
    return str(said)  # a gap equals no other


SCORED = ((SCORES, LABELS), (3 * SCORES[:30] + 5, LABELS[:30][::-1]))
GROWN = ((X, LABELS), (WIDER, np.array(["no", "yes", "perhaps"])[CLASSES[:30]]), (WIDER, np.zeros(30)))
TEMPERATURE = CALIBRATORS["temperature"]
CASES = {
    **{name: (make, *SCORED, (SCORES, LABELS + 2)) for name, make in CALIBRATORS.items()},
    "columns, then one": (TEMPERATURE, (COLUMNS, CLASSES), SCORED[0], (SCORES, CLASSES)),
    "one, then columns": (TEMPERATURE, SCORED[0], (COLUMNS, CLASSES), (COLUMNS, CLASSES + 1)),
    "PrunedTree": (lambda: PrunedTree(random_state=0, cv=2), *GROWN),
    "ErrorPrunedTree": (lambda: ErrorPrunedTree(random_state=0), *GROWN),
    "PrunedRegressionTree": (
        lambda: PrunedRegressionTree(random_state=0, cv=2),
        (X, SCORES), (WIDER, SCORES[:30]), (WIDER, np.full(30, 1e90)),
    ),
    "Columns": (
        lambda: Columns({"size": "number", "hue": "word", "age": "number"}),
        (FRAME,), (OTHER,), (OTHER.assign(more=1.0),),
    ),
}  # fmt: skip
"""By name: how a model is made, what it is fitted to, what then, and what it refuses."""


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_fit_completes_or_changes_nothing(name):
    """Interrupts at lines all over a second fit, most at its end, where results are stored."""
    make, first, second, bad = CASES[name]
    tables = first[0], second[0]
    old, new = (asked(make().fit(*data), tables) for data in (first, second))
    assert old != new
    _, lines = interrupted_at(0, lambda: make().fit(*second), *PLACES)
    ends = range(max(1, lines - 25), lines + 1)
    chosen = sorted({*np.random.default_rng(1).integers(1, lines + 1, 15).tolist(), *ends})
    model, kept = make().fit(*first), 0
    for step in chosen:
        came, _ = interrupted_at(step, partial(model.fit, *second), *PLACES)
        found = asked(model, tables)
        assert found in (old, new) and (came or found == new)
        kept += found == old
        if found == new:
            model = make().fit(*first)
    assert kept > len(chosen) / 2
    with pytest.raises((ValueError, KeyError)):
        model.fit(*bad)
    assert asked(model, tables) == old
