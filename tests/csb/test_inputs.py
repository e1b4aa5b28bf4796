"""The readers of numbers, labels, names and seeds, against values written out."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from csb.inputs import (
    check_count,
    check_flag,
    one_of,
    read_array,
    read_column,
    read_labels,
    read_number,
    read_random_state,
    read_weights,
    shown,
)
from csbook.inputs import read_generator

UNPRINTABLE = 10**5000
"""An integer of more digits than Python converts to text."""
NUMBERS = [
    [1, 2], (1.0, 2.0), np.array([1, 2], np.uint8), np.array([1.0, 2.0], np.float32),
    [Decimal(1), Fraction(2)], np.array([1, 2.0], object), pd.Series([1, 2], index=[9, 9]),
    pd.Series([1, 2], dtype="Int64"), pd.Series([1, 2], dtype="Float64"),
    pd.DataFrame({"a": [1, 2]}), [[1], [2]], np.array([0, 1, 5, 2])[1::2],
    np.ma.masked_equal([1, 2], 3), np.ma.array([1, 2], mask=[False, False]),
]  # fmt: skip


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers_in_any_form_are_the_same_array(value):
    found = read_array("x", value, shape=(2,))
    assert found.dtype == np.float64 and found.tolist() == [1, 2]


NO_NUMBERS = [
    None, "1", b"1", True, 1j, {"a": 1}, {1, 2}, (each for each in (1, 2)), object(), [[1], [1, 2]],
    ["1", "2"], [None, 1], [1, 10**400], np.datetime64("2020-01-01"), np.timedelta64(3, "D"),
    csr_array([[1.0]]), np.array(["1"], object), pd.Series([1, None], dtype="Int64"),
    np.ma.array([1, 2], mask=[True, False]),
]  # fmt: skip


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number_is_refused_by_name(value):
    for read in (read_array, read_number):
        with pytest.raises(ValueError, match="^scale.*: allowed (is|are)"):
            read("scale", value)


@pytest.mark.parametrize(
    "interval, inside, outside",
    [
        ("(-inf, inf)", [-1.79e308, 0, 5e-324], [np.nan, np.inf, -np.inf, np.longdouble("1e400")]),
        ("[0, inf]", [0.0, 5e-324, np.inf], [-5e-324, np.nan]),
        ("(0, 1]", [5e-324, 1], [0, np.nextafter(1, 2), np.nan]),
        ("[0, 1)", [0, np.nextafter(1, 0)], [1, -1e-300]),
        ("[1e-100, 1e100]", [1e-100, 1e100], [9e-101, 1.1e100, 10**400]),
    ],
)
def test_an_interval_says_which_numbers_are_allowed(interval, inside, outside):
    for each in inside:
        assert read_number("x", each, interval) == each
    for each in outside:
        for value in (each, [inside[0], each]):
            with pytest.raises(ValueError, match="^x.*allowed (is a|are) (finite )?number"):
                read_array("x", value, interval)


@pytest.mark.parametrize(
    "shape, value",
    [
        ((None,), 1.0),
        ((None,), []),
        ((3,), [1, 2]),
        ((None, 2), [[1]]),
        ((2,), np.eye(2)),
        (None, []),
    ],
)
def test_another_shape_is_refused(shape, value):
    with pytest.raises(ValueError, match=r"^x has shape \(.*\): allowed is"):
        read_array("x", value, shape=shape)


def test_a_message_says_what_was_given_and_what_is_allowed():
    for value, message in [
        (1.5, "p=1.5: allowed is a number in (0, 1)"),
        (np.float64("nan"), "p=nan: allowed is a number in (0, 1)"),
        ([0.5, 2.0], "p holds 2.0: allowed are numbers in (0, 1)"),
        ([[0.5], [0.5]], "p has shape (2, 1): allowed is (n, 2)"),
    ]:
        with pytest.raises(ValueError) as caught:
            read_array("p", value, "(0, 1)", shape=(None, 2) if np.ndim(value) == 2 else None)
        assert str(caught.value) == message


def test_a_value_is_shown_short():
    for value in ("x" * 10**6, list(range(10**5)), np.arange(10**5), UNPRINTABLE, [UNPRINTABLE], {1: 2}):
        assert 0 < len(shown(value)) <= 100 and "\n" not in shown(value)


def test_counts_are_integers_within_bounds():
    assert check_count("n", np.int8(3)) == 3
    for value in (0, -1, 1.0, True, None, "3", 10**9 + 1, UNPRINTABLE, np.timedelta64(3, "D"), [3]):
        with pytest.raises(ValueError, match="^n=.*: allowed is an integer from 1 to 1000000000"):
            check_count("n", value)


def test_flags_are_truth_values():
    assert check_flag("lines", np.True_) is True
    for value in (None, 1, "yes", [True]):
        with pytest.raises(ValueError, match="lines=.*True and False"):
            check_flag("lines", value)


def test_a_name_that_is_none_of_those_allowed():
    for value in (None, 0, ["vote"], UNPRINTABLE, "v" * 10**6):
        with pytest.raises(ValueError, match="^rule=.*nearest is 'vote'; or a function"):
            one_of("rule", value, ("vote", 7), "or a function")
        with pytest.raises(ValueError, match="^rule=.*: allowed are 7$"):
            one_of("rule", value, (7,))


@pytest.mark.parametrize(
    "values, kind",
    [([1.0, 0.0], "f"), ([True, False], "b"), (["a", "b"], "U"), (pd.Series([1, 0], dtype="Int64"), "i"),
     (np.array([1, 0], object), "i"), (pd.Series([1, 0], index=[4, 4]), "i"), (pd.DataFrame([[1], [0]]), "i"),
     (pd.Categorical([1, 0]), "i"), (pd.Series(["a", "b"], dtype="string"), "O"),
     (pd.to_datetime(["2020", "2021"]), "M")],
)  # fmt: skip
def test_labels_of_one_kind_are_read(values, kind):
    assert read_column("y", values, 2).dtype.kind == kind


@pytest.mark.parametrize(
    "values",
    [None, 3, "ab", [], [0, 1, 1], [0, np.nan], [0, np.inf], [0.5, 1], ["a", None], [0, 1j], [[0], [0, 1]],
     [[0, 1], [1, 0]], np.array(["a", 1], object), {0: 1}, {0, 1}, iter([0, 1]), csr_array([[0, 1]]),
     [{}, {}], pd.Series([0, None], dtype="Int64"), np.ma.array([0, 1], mask=[0, 1])],
)  # fmt: skip
def test_what_is_no_column_of_labels_is_refused(values):
    with pytest.raises(ValueError, match="^y[_=a-z ]"):
        read_column("y", values, 2)


def test_labels_that_are_missing_are_counted():
    for values in ([1, 0, np.nan, np.nan], np.array(["a", "b", None, None]), pd.Series([1, 0, None, None])):
        with pytest.raises(ValueError, match="^y lacks 2 of 4 labels .NaN., first in row 2: "):
            read_column("y", values)


def test_labels_of_two_kinds_are_not_compared():
    with pytest.raises(ValueError, match="y_true, y_pred hold .*one kind"):
        read_labels([0, 1], ["0", "1"])
    positive, predicted, _ = read_labels([0.0, 1.0], [True, False])
    assert positive.tolist() == [False, True] and predicted.tolist() == [True, False]


@pytest.mark.parametrize("value", [[1], np.array([0, 1]), np.nan, pd.NA, "1", 2, {}, np.datetime64("2020")])
def test_a_positive_label_is_one_of_the_two(value):
    with pytest.raises(ValueError, match="^pos_label=.*: allowed are 0 and 1"):
        read_labels([0, 1], pos_label=value)


@pytest.mark.parametrize("value", [[1], np.array([0, 1]), np.nan, {}])
def test_a_positive_label_beside_a_single_one_is_a_label(value):
    with pytest.raises(ValueError, match="^pos_label="):
        read_labels([1, 1], pos_label=value)
    assert not read_labels([1, 1], pos_label="ill")[0].any()


def test_labels_of_rows_of_weight_zero_do_not_count():
    given = {"sample_weight": [1, 1, 0]}
    words = read_labels(["a", "b", "c"], pos_label="b", **given)
    for found in (read_labels([1, 2, 5], **given), words):
        assert found[0].tolist() == [False, True, False] and found[1].tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match="the only label is 'a'"):
        read_labels(["a", "a", "b"], **given)
    with pytest.raises(ValueError, match="pos_label='c'"):
        read_labels(["a", "b", "c"], pos_label="c", **given)


@pytest.mark.parametrize("weight", [[0, 0], [5e-324, 0], [1, 1e160], [1, -1], [1], 1.0, [1, np.nan], "11"])
def test_weights_from_which_no_mean_can_be_formed_are_refused(weight):
    with pytest.raises(ValueError, match="^sample_weight"):
        read_weights(weight, np.zeros(2))


def test_seeds_are_those_of_numpy_and_scikit_learn():
    state, rng = np.random.RandomState(0), np.random.default_rng(0)
    assert read_random_state("seed", state) is state and read_generator("seed", rng) is rng
    assert read_random_state("seed", 3).randint(10**6) == np.random.RandomState(3).randint(10**6)
    assert read_generator("seed", 3).integers(10**6) == np.random.default_rng(3).integers(10**6)
    for read in (read_random_state, read_generator):
        for value in (-1, 0.5, True, "0", [0], 10**400, np.nan):
            with pytest.raises(ValueError, match="^seed=.*: allowed is an integer from 0"):
                read("seed", value)
