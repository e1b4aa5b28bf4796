"""The raw files themselves, read from the folder CSB_DATA: counts, tracks, defects as registered."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from csbook import datasets
from csbook.datasets.parsers import inputs_of, parse
from csbook.datasets.registry import entries, find_file, raw_files

pytestmark = pytest.mark.skipif(
    not os.environ.get("CSB_DATA"), reason="CSB_DATA does not name a folder with the raw files"
)
TRACKS = [(e.name, t.name) for e in entries().values() for t in e.tracks.values() if t.tier == 2]


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    monkeypatch.setenv("CSB_CACHE", str(tmp_path))
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")


@cache
def load(name, track="clean"):
    return datasets.load(name, track)


def same_rows(a, b):
    """Equal as multisets of rows, to the digits that single precision keeps."""
    a, b = (np.asarray(m, dtype=float) for m in (a, b))
    a, b = (m[np.lexsort(np.round(m, 5).T)] for m in (a, b))
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", raw_files())
def test_file_is_as_registered(name):
    file = find_file(name)
    path = os.path.join(os.environ["CSB_DATA"], name)
    assert os.path.getsize(path) == file.bytes
    table = datasets.read_file(name)
    pd.testing.assert_frame_equal(table, parse(path, file))
    inputs = inputs_of(table, file)
    assert len(table) == file.rows and inputs.shape[1] == file.attributes
    assert inputs.isna().sum().sum() == file.missing_values
    if file.class_column:
        assert table[file.class_column].value_counts().to_dict() == file.class_counts
    else:
        assert file.class_counts == {}


@pytest.mark.parametrize("name, track", TRACKS)
def test_track_is_as_registered(name, track):
    data, facts = load(name, track), entries()[name].tracks[track]
    assert data.X.shape == (facts.rows, facts.inputs) and len(data.y) == facts.rows
    assert np.bincount(data.y, minlength=len(facts.classes)).tolist() == list(facts.counts)
    assert data.y.dtype == np.int64 and set(data.X.dtypes) == {np.dtype(float)}
    assert np.isfinite(data.X.to_numpy()).all()
    assert data.X.index.equals(pd.RangeIndex(facts.rows)) and data.X.columns.is_unique
    assert [p["file"] for p in data.provenance] == list(facts.all_files)


@pytest.mark.parametrize("name", ["ionosphere", "liver", "parkinsons", "sonar", "waveformM", "survival"])
def test_tracks_with_equal_values_in_order(name):
    clean, published = load(name), load(name, "published")
    np.testing.assert_allclose(clean.X, published.X, rtol=1e-6, atol=1e-9)
    swapped = name in ("sonar", "survival")
    np.testing.assert_array_equal(clean.y, 1 - published.y if swapped else published.y)


@pytest.mark.parametrize("name, swapped", [("pima", True), ("landsatM", False)])
def test_tracks_with_permuted_rows(name, swapped):
    clean, published = load(name), load(name, "published")
    assert not np.array_equal(clean.X, published.X)
    y = 1 - published.y if swapped else published.y
    assert same_rows(np.column_stack([clean.X, clean.y]), np.column_stack([published.X, y]))


@pytest.mark.parametrize("name", ["congress", "krvskp", "heart", "german_credit", "spambase", "mushroom"])
def test_tracks_with_equal_labels_and_other_codes(name):
    np.testing.assert_array_equal(load(name).y, load(name, "published").y)


def test_scaled_tracks_are_the_clean_values_scaled():
    spam = load("spambase").X
    spam = (spam - spam.mean()) / spam.std()  # six digits are kept
    np.testing.assert_allclose(load("spambase", "published").X, spam, rtol=2e-5, atol=1e-6)
    raw = inputs_of(datasets.read_file("heart-statlog.arff"), find_file("heart-statlog.arff"))
    scaled = (raw - raw.min()) / (raw.max() - raw.min())
    np.testing.assert_allclose(load("heart", "published").X, scaled, atol=1e-9)


def test_congress_codes_of_the_published_track():
    clean, published = load("congress").X, load("congress", "published").X
    for k, name in enumerate(dict.fromkeys(column.rsplit("=", 1)[0] for column in clean)):
        codes = sum(clean[f"{name}={level}"] * code for level, code in (("n", 0), ("y", 1), ("?", 2)))
        np.testing.assert_array_equal(codes, published[f"x{k + 1}"])


def test_splice_codes_and_rows_of_the_published_track():
    clean, published = load("spliceM"), load("spliceM", "published")
    bases = clean.X.to_numpy().reshape(len(clean.y), 60, 4)
    resolved = bases.sum(axis=2).all(axis=1)
    assert (~resolved).sum() == 15
    codes = bases[resolved] @ np.array([1, 3, 4, 2])  # A, C, G, T
    np.testing.assert_array_equal(codes, published.X)
    np.testing.assert_array_equal(clean.y[resolved], published.y)


def test_wdbc_defects_of_the_published_track():
    raw, clean = datasets.read_file("wdbc.data"), load("wdbc")
    published = load("wdbc", "published")
    np.testing.assert_array_equal(clean.X, load("wdbc-uci").X)
    np.testing.assert_array_equal(clean.y, load("wdbc-uci").y)
    np.testing.assert_array_equal(clean.y, published.y)
    np.testing.assert_array_equal(published.X["x1"], raw["id"])
    different = ~np.isclose(published.X.drop(columns="x1"), clean.X, rtol=1e-6, atol=0)
    assert (published.X.drop(columns="x1").to_numpy()[different] == 0).all()
    assert different.any(axis=1).sum() == 191
    where = {name: np.flatnonzero(different[:, k]) for k, name in enumerate(clean.X) if different[:, k].any()}
    assert {name: (rows[0], rows[-1]) for name, rows in where.items()} == {
        "mean concave points": (273, 336),
        "smoothness error": (386, 449),
        "worst symmetry": (484, 547),
    }
    assert len(where["mean concave points"]) == 63


@pytest.mark.parametrize("name", ["musk2", "semeion"])
def test_one_version_is_said(name):
    assert any("one version only" in text for text in load(name).defects)
    pd.testing.assert_frame_equal(load(name).X, load(name, "published").X)


def test_pima_hidden_missing_values():
    zeros = load("pima").X[["glucose", "pressure", "skin", "insulin", "bmi"]] == 0
    assert zeros.any(axis=1).sum() == 376


def test_crx_drops_the_rows_with_missing_values():
    table = datasets.read_file("credit-a.arff")
    complete = table.dropna()
    assert len(table) == 690 and len(complete) == 653
    np.testing.assert_array_equal(load("crx").y == 1, complete["class"] == "+")
    np.testing.assert_array_equal(load("crx").X["A2"], complete["A2"])


def test_page_blocks_lacks_the_last_row():
    table = datasets.read_file("page-blocks.arff")
    np.testing.assert_array_equal(load("page-blocks").X, table.drop(columns="class").iloc[:-1])
    np.testing.assert_array_equal(load("page-blocks").y == 0, table["class"].iloc[:-1] == "1")


def test_vowel_inputs_are_the_ten_features():
    assert load("vowel").feature_names == tuple(f"Feature {k}" for k in range(10))


@pytest.mark.parametrize(
    "name, train, positives_in_test",
    [("satimage-4", 4435, 211), ("adult", 32561, 3846), ("coil2000", 5822, 238)],
)
def test_binary_splits(name, train, positives_in_test):
    data = load(name)
    assert data.split.tolist() == ["train"] * train + ["test"] * (len(data.y) - train)
    assert data.y[data.split == "test"].sum() == positives_in_test


def test_multiclass_splits():
    data = load("ann-thyroid")
    assert np.bincount(data.y[data.split == "train"]).tolist() == [93, 191, 3488]
    assert np.bincount(load("satimage").y[load("satimage").split == "test"]).tolist() == [
        461,
        224,
        397,
        211,
        237,
        470,
    ]


def test_missing_numbers_are_medians():
    table, data = datasets.read_file("hepatitis.arff"), load("hepatitis")
    missing = table["PROTIME"].isna()
    np.testing.assert_array_equal(data.X["PROTIME=?"], missing)
    assert (data.X["PROTIME"][missing] == table["PROTIME"].median()).all()
    sick = load("sick")
    assert (
        "TBG" not in sick.feature_names
        and "sex=?" in sick.feature_names
        and "TSH=?" not in sick.feature_names
    )


def test_costs_per_example():
    raw, bank = datasets.read_file("bank-marketing.csv.gz"), load("bank-marketing")
    assert "duration" not in bank.feature_names
    expected = [max(balance * 0.25 * 0.02463333, 1) for balance in raw["balance"]]
    np.testing.assert_allclose(bank.costs["fn_cost"], expected)
    assert (bank.costs[["fp_cost", "tp_cost"]] == 1).all(axis=None) and (bank.costs["tn_cost"] == 0).all()
    churn = load("churn-tv")
    assert churn.costs.iloc[0].to_dict() == {
        "fn_cost": 1028.571429, "fp_cost": 74.0, "tp_cost": 121.828571, "tn_cost": 0.0,
    }  # fmt: skip
    assert churn.X.shape[1] == 46 and not {"id", "C_FP", "target"} & set(churn.feature_names)


def test_flare_targets_are_no_inputs():
    assert not [c for c in load("flare").X if c.startswith(("class", "C-class", "M-class", "X-class"))]
    for name in ("flare-c", "flare-m", "flare-x"):
        pd.testing.assert_frame_equal(load(name).X, load("flare-c").X)
        assert not [c for c in load(name).X if "flares_production" in c]


@pytest.mark.parametrize("wave", [0, 1, 2])
def test_generated_waveform_follows_the_law_of_the_file(wave):
    real = datasets.read_file("waveform-5000.arff")
    rows = inputs_of(real, find_file("waveform-5000.arff"))[real["class"] == str(wave)].to_numpy()
    triangle = [np.maximum(6 - abs(np.arange(1, 22) - centre), 0) for centre in (7, 15, 11)]
    a, b = ((0, 1), (0, 2), (1, 2))[wave]
    spread = rows[:, :21].std(axis=0) / np.sqrt(len(rows))
    assert (abs(rows[:, :21].mean(axis=0) - (triangle[a] + triangle[b]) / 2) < 5 * spread).all()
    posterior = datasets.make_waveform(1).posterior(rows)
    assert (posterior.mean() > 0.7) == (wave == 1)


def test_posterior_of_the_waveform_beats_a_fit_on_the_file():
    data, posterior = load("waveformM"), datasets.make_waveform(1).posterior
    errors = np.mean((posterior(data.X) > 0.5) != data.y)
    fit = LogisticRegression(max_iter=2000).fit(data.X, data.y)
    assert errors < 1 - fit.score(data.X, data.y) and errors < 0.12
