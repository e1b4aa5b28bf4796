"""Verdicts as they are shown and stored, and that writers do not disturb one another."""

import csv
import json
import math
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from csbook import records
from csbook.chapters import claims
from csbook.chapters.verdicts import PartResult, census, decision_rules, derive_verdict

ROOT = Path(__file__).parents[3]
LIST = ROOT / "data" / "claims.csv"
COLUMNS = ["source", "place", "kind", "claim"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CSB_VERDICTS", str(tmp_path / "verdicts"))
    return tmp_path / "verdicts"


def rows():
    with LIST.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_list_of_claims_is_complete():
    ids = [row["id"] for row in rows()]
    assert len(ids) == len(set(ids))
    assert Counter(id.split("-")[0] for id in ids) == {
        "N16": 29, "C08": 4, "C13": 14, "K98": 9, "L08": 10, "B": 6, "Q": 6
    }  # fmt: skip
    assert all(all(value.strip() for value in row.values()) for row in rows())


def test_table_without_verdicts_lists_every_claim():
    table = claims.table()
    assert list(table.columns) == COLUMNS + ["verdict", "value", "low", "high", "note", "cells", "printed"]
    assert table.index.tolist() == [row["id"] for row in rows()]
    assert table["claim"].tolist() == [row["claim"] for row in rows()]
    assert table[["verdict", "value", "low", "high", "note"]].isna().all(axis=None)


EXACT = {"identity": {"random ensembles": 0.0}}
"""What settles N16-9."""
PRICE = {
    "price": {"univariate regressions, published files": np.array([0.02, 0.03, 0.025])},
    "reason": {"stumps, ten folds": [0.02, -0.02, 0.001], "a < b": [0.0, 0.0, 0.001]},
}
"""What settles N16-21, in part."""


def test_settled_claims_appear_in_the_table():
    claims.record_verdict("N16-21", PRICE, note="of three sets")
    claims.record_verdict("N16-8", {"identity": {"random ensembles, exact": 0}})
    table = claims.table()
    assert table.loc["N16-21", ["verdict", "note"]].tolist() == ["in part", "of three sets"]
    value, low, high = table.loc["N16-21", ["value", "low", "high"]]
    assert low < value < high and value == pytest.approx(0.025)
    assert table.loc["N16-8", "verdict"] == "reproduced" and math.isnan(table.loc["N16-8", "low"])
    assert table["verdict"].notna().sum() == 2
    assert [cell.reading for cell in table.loc["N16-21", "cells"]] == [
        "univariate regressions, published files", "stumps, ten folds", "a < b"
    ]  # fmt: skip
    assert table.loc["N16-1", "cells"] == ()


def test_later_verdict_replaces_earlier(folder):
    claims.record_verdict("N16-9", {"identity": {"random ensembles": 1.0}})
    claims.record_verdict("N16-9", EXACT)
    assert [path.name for path in folder.iterdir()] == ["N16-9.json"]
    cell = {
        "part": "identity",
        "reading": "random ensembles",
        "holds": 1,
        "fails": 0,
        "open": 0,
        "value": 0.0,
    }
    assert json.loads((folder / "N16-9.json").read_text()) == {
        "id": "N16-9", "verdict": "reproduced", "value": 0.0, "low": None, "high": None, "note": "",
        "cells": [cell | {"low": None, "high": None, "detectable": None}], "printed": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("id", "parts", "words"),
    [
        ("N16-99", {}, ["id='N16-99'", "nearest is 'N16-9'"]),
        ("n16-1", {}, ["id='n16-1'", "nearest is"]),
        ("N16-9", {}, ["parts=[]", "data/decision_rules.csv", "'identity'"]),
        ("N16-9", EXACT | {"more": {"x": 0}}, ["'more'", "allowed are those"]),
        ("N16-9", {"identity": {"other ensembles": 0}}, ["the paper's own reading", "'random ensembles'"]),
        ("N16-9", {"identity": {"random ensembles": math.nan}}, ["nan", "finite distance"]),
        ("N16-9", {"identity": {"random ensembles": True, "x": [0, 1]}}, ["[0, 1]", "finite distance"]),
        ("N16-21", PRICE | {"price": {"univariate regressions, published files": [0.1]}}, ["two values"]),
    ],
)
def test_bad_input_is_refused_and_stores_nothing(folder, id, parts, words):
    with pytest.raises(ValueError) as caught:
        claims.record_verdict(id, parts)
    assert all(word in str(caught.value) for word in words), caught.value
    assert not folder.exists()


def test_display_names_claim_verdict_parts_and_numbers():
    shown = claims.record_verdict("N16-21", PRICE, note="for a < b")
    for text in (repr(shown), shown._repr_html_()):
        assert "N16-21" in text and "Sec. 5.2" in text and "in part" in text
    assert ": open" in repr(shown) and ">open</td>" in shown._repr_html_()
    assert "  price, univariate regressions, published files: holds, 0.025 [0.013, 0.037]" in repr(shown)
    page = shown._repr_html_()
    assert "for a &lt; b" in page and "a &lt; b</td>" in page and "a < b" not in page
    assert (
        "<summary>Other readings: fails 1</summary>" in page
        and page.count("<table") == 2
        and 'class="csb-verdict"' in page
        and "solid #b86e00" in page
    )
    assert "note" not in repr(claims.record_verdict("N16-9", EXACT))


def test_what_the_book_found_is_called_a_finding():
    found = claims.record_verdict("B-4", {"speaks": {"Theorem 2.4, dimension one": True}})
    assert "<strong>Finding B-4</strong>" in found._repr_html_()


def test_several_comparisons_are_counted():
    facts = {"methods": {"as printed": {"AdaC1": True, "AdaC2": False, "AdaC3": True}}}
    shown = claims.record_verdict("N16-3", facts)
    assert shown.verdict == "not reproduced"  # its one part does not hold as a whole
    assert all("2 hold, 1 fail, 0 open" in text for text in (repr(shown), shown._repr_html_()))


def test_what_the_paper_prints_stands_beside_and_decides_nothing():
    sets = {f"set {n}": [-1.0, -1.1] for n in range(5)}
    found = {"AdaC1": {"the paper's learners": {"AdaC2": sets, "AdaC3": sets}}}
    in_print = {rival: {name: 1.0 for name in sets} for rival in ("AdaC2", "AdaC3")}
    shown = claims.record_verdict("C13-6", found, printed={"AdaC1": in_print})
    assert shown.verdict == "not reproduced"
    assert "AdaC1, in print: holds, 2 hold, 0 fail, 0 open" in repr(shown)
    assert "<td>in print</td><td>holds</td>" in shown._repr_html_()
    assert claims.table().loc["C13-6", "printed"] == shown.printed
    with pytest.raises(ValueError, match="printed='AdaC9'"):
        claims.record_verdict("C13-6", found, printed={"AdaC9": in_print})


def test_default_folder_is_a_build_product_of_the_checkout_or_else_of_the_current_folder(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("CSB_VERDICTS")
    monkeypatch.chdir(tmp_path)
    assert claims._folder() == ROOT / "_build" / "verdicts"
    monkeypatch.setattr(records, "CHECKOUT", None)
    claims.record_verdict("N16-9", EXACT)
    assert (tmp_path / "_build" / "verdicts" / "N16-9.json").is_file()
    assert claims.table().loc["N16-9", "verdict"] == "reproduced"


def test_no_verdict_is_written_into_the_package(monkeypatch):
    within = Path(claims.__file__).parent / "verdicts"
    monkeypatch.setenv("CSB_VERDICTS", str(within))
    with pytest.raises(ValueError, match="CSB_VERDICTS=.*within the package nothing is written"):
        claims.record_verdict("N16-9", EXACT)
    assert not within.exists()


def test_interrupted_write_keeps_the_old_verdict(folder, monkeypatch):
    claims.record_verdict("N16-9", EXACT)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(claims.os, "replace", fail)
    with pytest.raises(OSError):
        claims.record_verdict("N16-9", {"identity": {"random ensembles": 1.0}}, note="x" * 100_000)
    assert claims.table().loc["N16-9", "verdict"] == "reproduced"


def test_two_processes_settle_while_a_third_reads(folder):
    # long notes make a file that is not written in one piece visible to the reader
    script = (
        "import sys; from csbook.chapters.claims import record_verdict\n"
        "for i in range(60):\n"
        "    for id, name in (('N16-9', 'random ensembles'), ('N16-8', 'random ensembles, exact')):\n"
        "        record_verdict(id, {'identity': {name: i}}, note=sys.argv[1] * 20_000)\n"
    )

    def write(letter):
        command = [sys.executable, "-c", script, letter]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(write, letter) for letter in "ab"]
        while not all(job.done() for job in running):
            seen = claims.table()["note"].dropna()
            assert set(seen) <= {"a" * 20_000, "b" * 20_000}
    assert [job.result().stderr for job in running] == ["", ""]
    assert claims.table().loc[["N16-9", "N16-8"], "value"].tolist() == [59.0, 59.0]
    assert sorted(path.name for path in folder.iterdir()) == ["N16-8.json", "N16-9.json"]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A folder with a recorded verdict on N16-9."""
    claims.record_verdict("N16-9", EXACT, note="As found.")
    recorded = tmp_path / "recorded"
    recorded.mkdir()
    (recorded / "N16-9.json").write_bytes((tmp_path / "verdicts" / "N16-9.json").read_bytes())
    (tmp_path / "verdicts" / "N16-9.json").unlink()
    monkeypatch.setattr(records, "VERDICTS", recorded)


def test_without_the_data_the_recorded_verdict_serves_and_says_so(kept):
    recalled = claims.load_verdict("N16-9", "the ensembles")
    assert recalled.note == "Recorded, not computed: here the ensembles are missing. As found."
    assert recalled.verdict == "reproduced" and recalled.cells[0].value == 0.0
    assert claims.table().loc["N16-9", "verdict"] == "reproduced"
    with pytest.raises(ValueError, match="N16-8"):
        claims.load_verdict("N16-8", "all")


def test_a_recorded_verdict_must_be_what_is_found_with_the_data(kept):
    assert claims.record_verdict("N16-9", EXACT).verdict == "reproduced"
    more = {"identity": EXACT["identity"] | {"a reading whose data were missing": 0.0}}
    assert claims.record_verdict("N16-9", more).verdict == "reproduced"
    words = "not reproduced follows .identity, random ensembles: fails., and data/verdicts has reproduced"
    with pytest.raises(ValueError, match=words):
        claims.record_verdict("N16-9", {"identity": {"random ensembles": 1.0}})
    words = "identity, random ensembles: holds 2 hold, 0 fail, 0 open.*record it anew"
    with pytest.raises(ValueError, match=words):  # else the tally would be another
        claims.record_verdict("N16-9", {"identity": {"random ensembles": {"a": 0.0, "b": 0.0}}})


@pytest.mark.parametrize("file", sorted(records.VERDICTS.glob("*.json")), ids=lambda file: file.stem)
def test_recorded_verdicts_follow_from_their_cells(file):
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["id"] == file.stem
    assert kept["verdict"] == derive_verdict(
        decision_rules(file.stem), [PartResult(**cell) for cell in kept["cells"]]
    )


def test_the_tally_is_the_same_where_a_verdict_is_recorded_and_not_computed(kept):
    claims.load_verdict("N16-9", "the ensembles")
    recorded = census(claims.table().loc[["N16-9"]])
    further = {"identity": EXACT["identity"] | {"a reading whose data were missing": {"a": 0.0, "b": 1.0}}}
    with pytest.raises(ValueError, match="record it anew"):  # another reading now speaks against it
        claims.record_verdict("N16-9", further)
    further = {"identity": EXACT["identity"] | {"a further reading": {"a": 0.0, "b": 0.0}}}
    claims.record_verdict("N16-9", further)
    assert census(claims.table().loc[["N16-9"]]).equals(recorded)
    assert recorded.loc["all", ["claims", "reproduced", "comparisons hold"]].tolist() == [1, 1, 1]
