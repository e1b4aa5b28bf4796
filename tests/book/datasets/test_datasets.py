"""Registry, loading, parsing and encoding, and the sets that need no file."""

from __future__ import annotations

import gzip
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.io
from scipy.integrate import quad_vec
from scipy.stats import multivariate_normal, ncx2, norm
from sklearn.datasets import load_breast_cancer, make_hastie_10_2

from csbook import datasets
from csbook.datasets import parsers
from csbook.datasets.encode import describe, encode
from csbook.datasets.registry import Track, entries, find_file, raw_files

N16 = """survival ionosphere congress liver pima parkinsons landsatM krvskp heart wdbc german_credit sonar
spliceM waveformM spambase mushroom musk2 semeion""".split()
TIER_1 = [(e.name, t.name) for e in entries().values() for t in e.tracks.values() if t.tier == 1]
TRACKS = [(e, t) for e in entries().values() for t in e.tracks.values()]


def a_track(**rules) -> Track:
    return Track("clean", {"a": ("0",), "b": ("1",)}, "", 0, 0, (), **rules)


# --- registry -----------------------------------------------------------------------------------------


def test_every_file_is_pinned_and_used():
    assert raw_files()
    used = {name for _, track in TRACKS for name in track.all_files}
    assert used == set(raw_files())
    for file in raw_files().values():
        assert len(file.sha256) == 64 and int(file.sha256, 16) > 0
        commit = file.url.removeprefix("https://raw.githubusercontent.com/").split("/")[2]
        assert len(commit) == 40 and int(commit, 16) > 0
        assert not file.class_counts or sum(file.class_counts.values()) == file.rows


def test_the_18_sets_have_two_tracks_and_the_others_one():
    assert [e.name for e in entries().values() if "published" in e.tracks] == N16
    assert all("clean" in e.tracks for e in entries().values())


@pytest.mark.parametrize(
    "paper, names",
    [
        ("N16", {*N16, "waveform"}),
        ("C08", {"breast-cancer", "hepatitis", "pima", "sick-euthyroid"}),
        ("C13", {"crx", "page-blocks", "phoneme", "pima", "vowel", "two_gaussians"}),
        ("K98", {"satimage-4"}),
        (
            "L08",
            {"splice", "anneal", "satimage", "letter", "pendigits", "segment", "flare", "flare-c", "flare-m"}
            | {"flare-x", "ann-thyroid", "hypothyroid", "thyroid0387"},
        ),
    ],
)
def test_sets_of_a_paper(paper, names):
    assert {e.name for e in entries().values() if paper in e.papers} == names


@pytest.mark.parametrize("entry, track", TRACKS, ids=[f"{e.name}-{t.name}" for e, t in TRACKS])
def test_labels_of_a_track_are_those_of_its_files(entry, track):
    assert sum(track.counts) == track.rows and len(track.counts) == len(track.classes)
    assert entry.citation and entry.licence and track.reason
    if not track.files or track.target or track.head or track.missing == "drop rows":
        return
    named = [label for group in track.classes.values() for label in group]
    assert len(named) == len(set(named))
    total = {}
    for name in track.all_files:
        for label, count in find_file(name).class_counts.items():
            total[label] = total.get(label, 0) + count
    rest = sum(count for label, count in total.items() if label not in named)
    expected = [sum(rest if raw == "*" else total[raw] for raw in group) for group in track.classes.values()]
    assert expected == list(track.counts)


@pytest.mark.parametrize(
    "name, nearest",
    [("Pima", "pima"), ("wdcb", "wdbc"), ("mushrooms", "mushroom"), ("german-credit", "german_credit")],
)
def test_unknown_name_gets_the_nearest(name, nearest):
    with pytest.raises(ValueError, match=f"name='{name}'.*nearest is '{nearest}'"):
        datasets.load(name)


def test_unknown_track_and_file():
    with pytest.raises(ValueError, match="track='published': allowed are 'clean';.*'crx' has no other"):
        datasets.load("crx", "published")
    with pytest.raises(ValueError, match="track='raw': allowed are 'clean', 'published';"):
        datasets.load("pima", track="raw")
    with pytest.raises(ValueError, match="nearest is 'pima.csv'"):
        datasets.read_file("pima.cvs")


def test_catalogue_rows():
    table = datasets.catalogue().set_index(["name", "track"])
    assert len(table) == len(TRACKS)
    row = table.loc[("breast-w", "clean")]
    assert row[["tier", "rows", "attributes", "inputs", "positive"]].tolist() == [2, 699, 9, 10, "malignant"]
    assert row["classes"] == "benign: 458, malignant: 241" and "16 values" in row["defects"]
    assert table.loc[("tic-tac-toe", "clean"), ["attributes", "inputs"]].tolist() == [9, 27]
    assert table.loc[("wdbc", "published"), "attributes"] == 31
    assert (table[["title", "reason", "encoding", "licence", "citation"]] != "").all(axis=None)


def test_available_says_where(tmp_path, monkeypatch):
    monkeypatch.setenv("CSB_DATA", str(tmp_path / "data"))
    with pytest.raises(ValueError, match="CSB_DATA=.*must be a folder"):
        datasets.available()
    for folder, names in {"data": ["pima.csv", "satimage-train.trn"], "cache": ["satimage-test.tst"]}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).touch()
    monkeypatch.setenv("CSB_CACHE", str(tmp_path / "cache"))
    table = datasets.available().set_index(["name", "track"])
    assert table.loc[("wdbc", "clean"), ["tier", "where"]].tolist() == [1, "bundled"]
    assert table.loc[("wdbc", "published"), ["tier", "where"]].tolist() == [2, "to fetch"]
    assert table.loc[("pima", "clean"), "where"] == "CSB_DATA"
    assert table.loc[("satimage", "clean"), "where"] == "cache"
    assert table.loc[("coil2000", "clean"), "where"] == "to fetch"
    assert (
        table.loc[("pima", "clean"), "positive"] == "diabetic"
        and table.loc[("flare", "clean"), "positive"] == ""
    )
    assert len(table) == len(TRACKS)


# --- sets without files -------------------------------------------------------------------------------


@pytest.mark.parametrize("name, track", TIER_1)
def test_tier_1_needs_nothing(name, track, tmp_path, monkeypatch):
    monkeypatch.setenv("CSB_CACHE", str(tmp_path / "never"))
    monkeypatch.delenv("CSB_DATA", raising=False)
    data, facts = datasets.load(name, track), entries()[name].tracks[track]
    assert data.X.shape == (facts.rows, facts.inputs)
    assert np.bincount(data.y).tolist() == list(facts.counts)
    assert data.y.dtype == np.int64 and set(data.X.dtypes) == {np.dtype(float)}
    assert np.isfinite(data.X.to_numpy()).all()
    assert data.feature_names == tuple(data.X.columns) and len(set(data.feature_names)) == facts.inputs
    assert not (tmp_path / "never").exists()


def test_wdbc_is_scikit_learns_with_malignant_positive():
    data, bunch = datasets.load("wdbc"), load_breast_cancer()
    np.testing.assert_array_equal(data.X, bunch.data)
    np.testing.assert_array_equal(data.y == 1, bunch.target == list(bunch.target_names).index("malignant"))
    assert data.target_names == ("benign", "malignant")
    with pytest.raises(AttributeError):
        data.y = None


GENERATORS = [
    datasets.make_waveform,
    datasets.make_two_gaussians,
    datasets.make_twonorm,
    datasets.make_ringnorm,
    datasets.make_hastie,
]


@pytest.mark.parametrize("make", GENERATORS)
def test_generators_are_seeded_and_check_their_size(make):
    np.testing.assert_array_equal(make(50, 3).X, make(50, 3).X)
    assert not np.array_equal(make(50, 3).X, make(50, 4).X)
    assert make(51, 0).X.shape[0] == len(make(51, 0).y) == 51
    for bad in (0, -3, 2.5):
        with pytest.raises(ValueError, match="n_samples="):
            make(bad)


@pytest.mark.parametrize("make", GENERATORS)
def test_posterior_is_calibrated_on_its_own_draw(make):
    data = make(20000, 1)
    posterior = data.posterior(data.X)
    assert ((posterior >= 0) & (posterior <= 1)).all()
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0 + 1e-12)):
        chosen = (posterior >= low) & (posterior < high)
        if chosen.any():
            spread = np.sqrt(np.mean(posterior[chosen] * (1 - posterior[chosen])) / chosen.sum())
            assert abs(data.y[chosen].mean() - posterior[chosen].mean()) <= 5 * spread


def test_waveform_posterior_equals_quadrature():
    places = np.arange(1, 22)
    bump = [np.maximum(6 - abs(places - centre), 0) for centre in (7, 15, 11)]
    data = datasets.make_waveform(40, 2)
    beyond = [9 * bump[0] - 8 * bump[2], 9 * bump[2] - 8 * bump[0]]  # far outside a share u in [0, 1]
    for X in (data.X.to_numpy()[:, :21], np.full((1, 21), 30.0), np.array(beyond)):
        logs = []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            exponent = lambda u, a=a, b=b, X=X: -((X - u * bump[a] - (1 - u) * bump[b]) ** 2).sum(axis=1) / 2  # noqa: E731
            top = np.max([exponent(u) for u in np.linspace(0, 1, 2001)], axis=0)
            area = quad_vec(lambda u, e=exponent, t=top: np.exp(e(u) - t), 0, 1, epsabs=1e-13, limit=2000)[0]
            logs.append(top + np.log(area))
        logs = np.array(logs)
        expected = 1 / np.exp(logs - logs[1]).sum(axis=0)
        padded = np.column_stack([X, np.zeros((len(X), 19))])
        np.testing.assert_allclose(data.posterior(padded), expected, rtol=1e-8)


def test_two_gaussians_are_those_of_the_paper():
    data = datasets.make_two_gaussians(100_000, 5)
    for label, mean, covariance in (
        (1, [-1, 1], [[5.2, 2], [2, 3.7]]),
        (0, [1, -1], [[3.3, 1.5], [1.5, 4.6]]),
    ):
        rows = data.X.to_numpy()[data.y == label]
        np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.05)
        np.testing.assert_allclose(np.cov(rows.T), covariance, atol=0.15)
    grid = np.array(list(product(np.linspace(-6, 6, 7), repeat=2)))
    first = multivariate_normal([-1, 1], [[5.2, 2], [2, 3.7]]).pdf(grid)
    second = multivariate_normal([1, -1], [[3.3, 1.5], [1.5, 4.6]]).pdf(grid)
    np.testing.assert_allclose(data.posterior(grid), first / (first + second), rtol=1e-10)


def ringnorm_error() -> float:
    """The Bayes rule is a ball, so both errors are noncentral chi-square probabilities."""
    squared_radius = 8 / 3 * (20 * np.log(2) - 2) + 64 / 9
    missed = ncx2.sf(squared_radius, 20, 4 / 9)
    false_alarm = ncx2.cdf(squared_radius / 4, 20, 16 / 9)
    return (missed + false_alarm) / 2


@pytest.mark.parametrize(
    "make, error", [(datasets.make_twonorm, norm.cdf(-2)), (datasets.make_ringnorm, ringnorm_error())]
)
def test_bayes_error(make, error):
    data = make(100_000, 0)
    posterior = data.posterior(data.X)
    assert np.minimum(posterior, 1 - posterior).mean() == pytest.approx(error, abs=0.0008)
    assert np.mean((posterior > 0.5) != data.y) == pytest.approx(error, abs=0.0016)


def test_hastie_labels_as_scikit_learns():
    X, y = make_hastie_10_2(2000, random_state=0)
    np.testing.assert_array_equal(datasets.make_hastie(5).posterior(X), (y + 1) / 2)
    data = datasets.make_hastie(2000)
    np.testing.assert_array_equal(data.y, (data.X**2).sum(axis=1) > 9.34)


def test_tic_tac_toe_against_all_fillings():
    lines = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
    expected = set()
    for squares in product("box", repeat=9):
        board = np.array(squares)
        x_wins, o_wins = ((board[lines] == player).all(axis=1).any() for player in "xo")
        more = (board == "x").sum() - (board == "o").sum()
        full = "b" not in squares
        if (x_wins and not o_wins and more == 1) or (o_wins and not x_wins and more == 0):
            expected.add((squares, x_wins))
        elif full and more == 1 and not x_wins and not o_wins:
            expected.add((squares, False))
    data = datasets.make_tic_tac_toe()
    columns = data.X.to_numpy().reshape(len(data.y), 9, 3)  # per square: b, o, x
    found = {
        (tuple("box"[k] for k in row.argmax(axis=1)), bool(y)) for row, y in zip(columns, data.y, strict=True)
    }
    assert found == expected and len(found) == 958


def test_balance_scale_against_a_loop():
    data = datasets.make_balance_scale()
    for (lw, ld, rw, rd), label in zip(data.X.to_numpy(), data.y, strict=True):
        assert data.target_names[label] == (
            "left" if lw * ld > rw * rd else "right" if lw * ld < rw * rd else "balanced"
        )


@pytest.mark.parametrize(
    "make, rule",
    [
        (datasets.make_monks_1, lambda a: a[0] == a[1] or a[4] == 1),
        (datasets.make_monks_2, lambda a: a.count(1) == 2),
        (
            datasets.make_monks_3,
            lambda a: (a[4] == 3 and a[3] == 1) or (a[4] in (1, 2, 3) and a[1] in (1, 2)),
        ),
    ],
)
def test_monks_against_the_rules(make, rule):
    data = make()
    robots = list(product((1, 2, 3), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2)))
    assert data.y.tolist() == [int(rule(robot)) for robot in robots]
    for name in ("a1=3", "a5=4", "a6=2"):
        place, value = int(name[1]) - 1, int(name[-1])
        assert data.X[name].tolist() == [float(robot[place] == value) for robot in robots]


# --- parsers ------------------------------------------------------------------------------------------


def test_arff(tmp_path):
    path = tmp_path / "small.arff"
    path.write_bytes(
        b"% remark\r\n@relation 'a b'\r\n@attribute 'first one' real\r\n@attribute kind {'?', 'x', y}\r\n"
        b"@attribute class {0,1}\r\n@data\r\n1.5,'x',0\r\n?,'?',1\r\n-2,?, 1\r\n"
    )
    table = parsers.read_arff(path)
    assert list(table) == ["first one", "kind", "class"]
    np.testing.assert_array_equal(table["first one"], [1.5, np.nan, -2])
    assert table["kind"].iloc[0] == "x" and table["kind"].isna().tolist() == [False, True, True]
    assert table["class"].tolist() == ["0", "1", "1"]


def test_mat(tmp_path):
    scipy.io.savemat(
        tmp_path / "small.mat", {"data": np.array([[1, 2], [3, 4]], np.uint8), "labels": [[2], [0]]}
    )
    table = parsers.read_mat(tmp_path / "small.mat")
    assert table.to_dict("list") == {"x1": [1.0, 3.0], "x2": [2.0, 4.0], "labels": ["2", "0"]}
    assert table["x1"].dtype == float


@pytest.mark.parametrize(
    "text, separator, columns, class_column, expected",
    [
        (
            "1, a,<=K.\n?, b,>K.\n\n",
            ",",
            ("n", "c", "y"),
            "y",
            {"n": [1, None], "c": ["a", "b"], "y": ["<=K.", ">K."]},
        ),
        ("1,0.5,3,\n2,1,1,\n", ",", ("a", "b", "y"), "y", {"a": [1, 2], "b": [0.5, 1], "y": ["3", "1"]}),
        ("1 2  7\r\n3 4 1\r\n", r"\s+", ("a", "b", "y"), "y", {"a": [1, 3], "b": [2, 4], "y": ["7", "1"]}),
        ("1\t0\r\n2\t1", "\t", ("a", "y"), "y", {"a": [1.0, 2.0], "y": ["0", "1"]}),
        ('"a";"y"\n"NA";"no"\n"x";"yes"\n', ";", (), "y", {"a": ["NA", "x"], "y": ["no", "yes"]}),
        ("0.1,'-1'\n0.2,'1'\n", ",", ("a", "y"), "y", {"a": [0.1, 0.2], "y": ["-1", "1"]}),
        ("M,-[840801013]\n?,C|I[9]\n", ",", ("a", "y"), "y", {"a": ["M", None], "y": ["-", "C|I"]}),
        ("a,y\n1,0.0\n", ",", (), "y", {"a": [1.0], "y": ["0.0"]}),
        ("5,6\n", ",", ("a", "b"), "", {"a": [5.0], "b": [6.0]}),
    ],
)
def test_separated_values(tmp_path, text, separator, columns, class_column, expected):
    (tmp_path / "plain").write_bytes(text.encode())
    with gzip.open(tmp_path / "packed.gz", "wb") as stream:
        stream.write(text.encode())
    for name in ("plain", "packed.gz"):
        table = parsers.read_table(tmp_path / name, separator, columns, class_column)
        assert table.astype(object).where(table.notna(), None).to_dict("list") == expected


# --- missing values and categories --------------------------------------------------------------------

RAW = pd.DataFrame(
    {
        "number": [1.0, np.nan, 3.0, 8.0],
        "two": ["f", "t", "f", "f"],
        "three": ["a", "c", "b", None],
        "one": ["p"] * 4,
        "empty": [np.nan] * 4,
        "size": ["0-9", "10-19", "10-19", "20-29"],
        "code": [1.0, 2.0, 3.0, 2.0],
    }
)
RULES = {"nominal": ("code",), "ordinal": {"size": ["0-9", "10-19", "20-29"]}}
ENCODED = {
    "number": [1, 3, 3, 8],
    "two=t": [0, 1, 0, 0],
    "three=?": [0, 0, 0, 1],
    "three=a": [1, 0, 0, 0],
    "three=b": [0, 0, 1, 0],
    "three=c": [0, 1, 0, 0],
    "size": [0, 1, 1, 2],
    "code=1": [1, 0, 0, 0],
    "code=2": [0, 1, 0, 1],
    "code=3": [0, 0, 1, 0],
}


@pytest.mark.parametrize("missing, extra", [("median", {}), ("indicator", {"number=?": [0, 1, 0, 0]})])
def test_encoding(missing, extra):
    found = encode(RAW, a_track(missing=missing, **RULES))
    assert found.to_dict("list") == {**ENCODED, **extra}
    assert set(found.dtypes) == {np.dtype(float)}


def test_encoding_with_given_levels():
    found = encode(pd.DataFrame({"base": ["A", "N", "C"]}), a_track(levels=("A", "C", "G")))
    assert found.to_dict("list") == {"base=A": [1, 0, 0], "base=C": [0, 0, 1], "base=G": [0, 0, 0]}


@pytest.mark.parametrize(
    "column, rules",
    [
        ("number", {"missing": "none"}),
        ("number", {"missing": "category"}),
        ("three", {"missing": "none"}),
        ("size", {"missing": "median", "ordinal": {"size": ["0-9", "10-19"]}}),
    ],
)
def test_a_missing_value_without_a_rule_is_refused(column, rules):
    with pytest.raises(ValueError, match=f"column '{column}' has missing values"):
        encode(RAW[[column]], a_track(**rules))


def test_the_rule_in_words():
    text = describe(a_track(missing="indicator", drop=("id",), levels=("A",), **RULES))
    for part in (
        "median and a 0/1 column",
        "left out: id",
        "levels A",
        "as numbers: code",
        "coded 0, 1, ...: size",
    ):
        assert part in text
