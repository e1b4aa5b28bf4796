"""Losses, areas, ranks and bands against loops, single curves and an example worked by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from csb.evaluation.metrics import normalised_loss
from csbook.studies.measures import areas, band_losses, by_band, losses, ranks


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    sizes = pd.DataFrame(
        {"dataset": ["a", "a", "b"], "split": [0, 1, 0], "test": 40, "test_positives": [20, 20, 8]}
    )
    rows = [
        (unit.dataset, unit.split, method, ratio, rng.integers(0, 8), rng.integers(0, 20))
        for unit in sizes.itertuples()
        for method in ("m", "n")
        for ratio in (100.0, 5.0, 1.0, 0.2)
    ]
    columns = ["dataset", "split", "method", "ratio", "fn", "fp"]
    return {"sizes": sizes, "counts": pd.DataFrame(rows, columns=columns)}


def test_loss_is_that_of_the_labels(tables):
    table = losses(tables)
    assert table[tables["counts"].columns].equals(tables["counts"])
    for row in table.itertuples():
        n_pos = 20 if row.dataset == "a" else 8
        y = np.repeat([1, 0], [n_pos, 40 - n_pos])
        decided = y.copy()
        decided[: row.fn] = 0
        decided[n_pos : n_pos + row.fp] = 1
        given = normalised_loss(y, decided, fn_cost=row.ratio, fp_cost=1.0)
        assert row.loss == pytest.approx(given)


def test_areas_are_trapezia_in_the_order_of_the_skew(tables):
    found = areas(losses(tables).sample(frac=1, random_state=0))
    assert len(found) == 6
    for unit, curve in losses(tables).groupby(["dataset", "split", "method"]):
        curve = curve.sort_values("z")
        z, loss = curve["z"].to_numpy(), curve["loss"].to_numpy()
        assert found[unit] == pytest.approx(np.trapezoid(loss, z) / (z[-1] - z[0]))


def test_ranks_share_ties_that_rounding_has_broken():
    values = pd.DataFrame([[0.1 + 0.2, 0.3, 0.1]], columns=list("abc"))
    assert ranks(values).iloc[0].tolist() == [2.5, 2.5, 1.0]


def by_hand():
    """Losses of two methods on two sets, with three ratios in the first band, one and two in the others."""
    ratios = [1.0, 0.4, 2.5, 5.0, 1 / 15, 100.0]
    of = {
        ("a", "m"): [10, 20, 30, 8, 4, 8], ("a", "n"): [12, 24, 36, 8, 2, 4],
        ("b", "m"): [10, 10, 10, 6, 6, 2], ("b", "n"): [11, 11, 14, 8, 5, 1],
    }  # fmt: skip
    rows = [
        (name, split, method, round(ratio, 11), loss + split)
        for (name, method), values in of.items()
        for ratio, loss in zip(ratios, values, strict=True)
        for split in (0, 2)
    ]
    return pd.DataFrame(rows, columns=["dataset", "split", "method", "ratio", "loss"])


def test_differences_by_band_are_those_worked_by_hand():
    """Of set a -2-4-6 over three is -4, 0, and 2+4 over two is 3; of b -1-1-4 over three, -2, and 1."""
    found = by_band(by_hand().sample(frac=1, random_state=0), {"m, less n": ("m", "n")}).loc["m, less n"]
    assert found.index.tolist() == ["up to 2.5", "3 to 9", "10 and more"]
    assert found["mean"].tolist() == pytest.approx([-3.0, -1.0, 2.0])
    assert found["above"].tolist() == [0, 0, 2] and found["sets"].tolist() == [2, 2, 2]
    assert found["loss"].tolist() == pytest.approx([16.0, 8.0, 6.0])  # of m, one more by the second split
    # of two values the interval is their mean, give or take half their distance times t of one degree
    half = stats.t.ppf(0.975, 1)
    assert found["high"].tolist() == pytest.approx([-3 + half, -1 + half, 2 + half])
    wider = by_band(by_hand(), {"m, less n": ("m", "n")}, level=0.99).loc["m, less n"]
    assert wider["low"].tolist() == pytest.approx([-3, -1, 2] - stats.t.ppf(0.995, 1))


def test_recorded_digits_move_no_ratio_into_another_band():
    of = {
        each: by_band(by_hand().replace({"ratio": {5.0: each}}), {"": ("m", "n")})
        for each in (9, 0.1111111111)
    }
    assert of[9].equals(of[0.1111111111])


def test_names_that_stand_together_are_averaged_and_empty_bands_left_out():
    table = by_hand().query("ratio <= 2.5 and ratio > 0.1").rename(columns={"method": "used"})
    found = by_band(table, {"both, less n": (["m", "n"], "n"), "n, less m": ("n", "m")}, "used")
    assert found.index.tolist() == [("both, less n", "up to 2.5"), ("n, less m", "up to 2.5")]
    assert found["mean"].tolist() == pytest.approx([-1.5, 3.0])


def test_what_cannot_be_compared_by_band_is_refused():
    table = by_hand()
    with pytest.raises(ValueError, match="'o'"):
        by_band(table, {"": ("m", "o")})
    assert band_losses(table).loc["up to 2.5", "m"].to_dict() == pytest.approx({"a": 21, "b": 11})
    with pytest.raises(ValueError, match="not the same splits"):
        by_band(table[1:], {"m, less n": ("m", "n")})
    alone = table.query("method == 'm' or dataset == 'a'")
    with pytest.raises(ValueError, match="values"):
        by_band(alone, {"m, less n": ("m", "n")})
    for between in (2.7, 1 / 9.5):
        with pytest.raises(ValueError, match="lies in no band"):
            by_band(table.replace({"ratio": {5.0: between}}), {"": ("m", "n")})


def test_losses_recorded_by_band_are_taken_as_they_are():
    table = by_hand()
    table["band"] = np.select(
        [np.maximum(table["ratio"], 1 / table["ratio"]) < 2.6, table["ratio"] == 5], ["up to 2.5", "3 to 9"],
        "10 and more",
    )  # fmt: skip
    pd.testing.assert_frame_equal(band_losses(table.drop(columns="ratio")), band_losses(table))
    with pytest.raises(ValueError, match="band='wide'"):
        band_losses(table.drop(columns="ratio").replace({"band": {"3 to 9": "wide"}}))
