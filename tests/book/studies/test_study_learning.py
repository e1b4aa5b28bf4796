"""Learning curves: samples that lie in each other, and errors against estimators fitted one by one."""

import numpy as np
import pytest

import csb
from csbook.datasets import load
from csbook.studies import STUDIES, recorded
from csbook.studies.learning import LARGE_SETS, LEARNING, compute, cut
from csbook.studies.n16 import examples

SETTINGS = dict(STUDIES["learning/stump"].settings) | {"rounds": 8, "ratios": [4.0], "sizes": [60, 120, 640]}
UNIT = ("wdbc", 1)


@pytest.fixture(scope="module")
def counts():
    return compute(UNIT, SETTINGS)["counts"].set_index(["train", "method", "ratio"])


def of_size(size):
    whole, positive, seed = examples(UNIT, SETTINGS)
    return cut(whole, size, seed), positive, seed


def test_samples_lie_in_each_other_and_have_equal_classes():
    whole = examples(UNIT, SETTINGS)[0]
    before = set()
    for size in (20, 60, 240, len(whole.y)):
        small = cut(whole, size, 7)
        rows = {row.tobytes() for row in small.X}
        assert len(rows) == len(small.y) == size == 2 * small.y.sum()
        assert before <= rows
        assert small.new is whole.new
        before = rows
    assert before == {row.tobytes() for row in whole.X}
    other = {row.tobytes() for row in cut(whole, 60, 8).X}
    assert other != {row.tobytes() for row in cut(whole, 60, 7).X}


def test_every_example_keeps_its_class():
    data = load("wdbc")
    label = dict(zip((row.tobytes() for row in data.X.to_numpy(float)), data.y, strict=True))
    small = of_size(60)[0]
    assert [label[row.tobytes()] for row in small.X] == small.y.tolist()


def test_a_third_is_held_out(counts):
    """The price of it is the study's question: no example of the third may train."""
    split, positive, seed = of_size(60)
    rng = np.random.default_rng(seed)
    held_out = np.concatenate([rng.permutation(np.flatnonzero(split.y == label))[:10] for label in (0, 1)])
    parts = [(np.setdiff1d(np.arange(60), held_out), held_out)]
    model = csb.CalibratedAdaMEC(4.0, 1.0, n_estimators=8, cv=parts).fit(split.X, split.y)
    decided = model.predict(split.new) == 1
    errors = [np.sum(~decided & positive), np.sum(decided & ~positive)]
    assert counts.loc[60, "AdaMEC, calibrated", 4.0].tolist() == errors


def test_sizes_beyond_the_training_part_are_left_out(counts):
    assert counts.index.unique("train").tolist() == [60, 120]


@pytest.mark.parametrize("study", LEARNING, ids=lambda study: study.name)
def test_the_sets_are_those_of_a_thousand_training_examples(study):
    sizes = recorded(f"n16/{study.settings['learner']}-{study.settings['track']}").tables["sizes"]
    train = sizes.groupby("dataset")["train"].min()
    assert set(train.index[train >= 1000]) == set(LARGE_SETS) == set(study.settings["datasets"])
    assert study.settings["sizes"][4] <= train[list(LARGE_SETS)].min()
