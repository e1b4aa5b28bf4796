"""Losses, areas and ranks against loops and against the functions for single curves."""

import numpy as np
import pandas as pd
import pytest

from csb.evaluation.metrics import normalised_loss
from csbook.studies.measures import areas, losses, ranks


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
