"""Claims and verdicts: what is refused, what is stored, and that writers do not disturb one another."""

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

from csb.compendium import records
from csb.compendium.chapters import claims

ROOT = Path(__file__).parents[1]
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
        "N16": 23, "C08": 3, "C13": 9, "K98": 5, "L08": 6, "B": 4, "Q": 5
    }  # fmt: skip
    assert all(all(value.strip() for value in row.values()) for row in rows())


def test_table_without_verdicts_lists_every_claim():
    table = claims.table()
    assert list(table.columns) == COLUMNS + ["verdict", "value", "low", "high", "note"]
    assert table.index.tolist() == [row["id"] for row in rows()]
    assert table["claim"].tolist() == [row["claim"] for row in rows()]
    assert table[["verdict", "value", "low", "high", "note"]].isna().all(axis=None)


def test_recorded_verdicts_appear_in_the_table():
    claims.record("N16-2", "partly", value=np.float32(0.5), low=0, high=np.int64(1), note="on finite sets")
    claims.record("C13-9", "reproduced")
    table = claims.table()
    assert table.loc["N16-2", ["verdict", "value", "low", "high", "note"]].tolist() == [
        "partly", 0.5, 0.0, 1.0, "on finite sets"
    ]  # fmt: skip
    assert table.loc["C13-9", "verdict"] == "reproduced" and math.isnan(table.loc["C13-9", "value"])
    assert table["verdict"].notna().sum() == 2
    assert table["value"].dtype == float


def test_later_verdict_replaces_earlier(folder):
    claims.record("N16-8", "not", value=1.0)
    claims.record("N16-8", "reproduced")
    assert [path.name for path in folder.iterdir()] == ["N16-8.json"]
    assert json.loads((folder / "N16-8.json").read_text()) == {
        "id": "N16-8", "verdict": "reproduced", "value": None, "low": None, "high": None, "note": "",
        "cells": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments, options, words",
    [
        (("N16-99", "reproduced"), {}, ["id='N16-99'", "nearest is 'N16-9'"]),
        (("n16-1", "reproduced"), {}, ["id='n16-1'", "nearest is"]),
        (("N16-1", "Reproduced"), {}, ["verdict='Reproduced'", "'partly', 'not', 'depends', 'untestable'"]),
        (("N16-1", "depends"), {}, ["note=''", "on what"]),
        (("N16-1", "untestable"), {"note": "  "}, ["note='  '", "which datum is missing"]),
        (("N16-1", "not"), {"value": math.nan}, ["value=nan", "finite"]),
        (("N16-1", "not"), {"low": -math.inf, "high": 1}, ["low=-inf", "finite"]),
        (("N16-1", "not"), {"low": 0}, ["low=0.0", "high=None", "both ends"]),
        (("N16-1", "not"), {"high": 0}, ["low=None", "both ends"]),
        (("N16-1", "not"), {"value": 3, "low": 0, "high": 2}, ["value=3.0", "low <= value <= high"]),
        (("N16-1", "not"), {"value": -1, "low": 0, "high": 2}, ["value=-1.0", "low <= value <= high"]),
        (("N16-1", "not"), {"low": 2, "high": 1}, ["low=2.0", "low <= value <= high"]),
    ],
)
def test_bad_input_is_refused_and_stores_nothing(folder, arguments, options, words):
    with pytest.raises(ValueError) as caught:
        claims.record(*arguments, **options)
    assert all(word in str(caught.value) for word in words)
    assert not folder.exists()


@pytest.mark.parametrize("verdict", claims.VERDICTS)
def test_every_verdict_is_accepted_with_a_note(verdict):
    assert claims.record("K98-1", verdict, note="the number of rounds").verdict == verdict


def test_interval_ends_may_equal_the_value():
    assert claims.record("K98-1", "reproduced", value=1, low=1, high=1).number == "1 [1, 1]"


def test_display_names_claim_verdict_and_numbers():
    shown = claims.record("N16-6", "partly", value=0.123456, low=0.1, high=0.2, note="for a < b")
    for text in (repr(shown), shown._repr_html_()):
        assert "N16-6" in text and "Fig. 1-2" in text and "partly" in text and "0.1235 [0.1, 0.2]" in text
    assert "for a < b" in repr(shown)
    assert "for a &lt; b" in shown._repr_html_() and "for a < b" not in shown._repr_html_()
    assert "note" not in repr(claims.record("N16-6", "partly"))


def test_default_folder_is_a_build_product_of_the_checkout_or_else_of_the_current_folder(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("CSB_VERDICTS")
    monkeypatch.chdir(tmp_path)
    assert claims._folder() == ROOT / "_build" / "verdicts"
    monkeypatch.setattr(records, "CHECKOUT", None)
    claims.record("N16-1", "reproduced")
    assert (tmp_path / "_build" / "verdicts" / "N16-1.json").is_file()
    assert claims.table().loc["N16-1", "verdict"] == "reproduced"


def test_no_verdict_is_written_into_the_package(monkeypatch):
    within = Path(claims.__file__).parent / "verdicts"
    monkeypatch.setenv("CSB_VERDICTS", str(within))
    with pytest.raises(ValueError, match="CSB_VERDICTS=.*within the package nothing is written"):
        claims.record("N16-1", "reproduced")
    assert not within.exists()


def test_interrupted_write_keeps_the_old_verdict(folder, monkeypatch):
    claims.record("N16-1", "reproduced")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(claims.os, "replace", fail)
    with pytest.raises(OSError):
        claims.record("N16-1", "not", note="x" * 100_000)
    assert claims.table().loc["N16-1", "verdict"] == "reproduced"


def test_two_processes_record_while_a_third_reads(folder):
    # long notes make a file that is not written in one piece visible to the reader
    script = (
        "import sys; from csb.compendium.chapters.claims import record\n"
        "for i in range(60):\n"
        "    record('N16-1', 'partly', value=i, note=sys.argv[1] * 20_000)\n"
        "    record('N16-2', 'partly', value=i, note=sys.argv[1] * 20_000)\n"
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
    assert claims.table().loc[["N16-1", "N16-2"], "value"].tolist() == [59.0, 59.0]
    assert sorted(path.name for path in folder.iterdir()) == ["N16-1.json", "N16-2.json"]


@pytest.mark.parametrize(
    ("holds", "verdict", "words"),
    [
        ([True, True], "reproduced", "all 2"),
        ([False, False], "not", "all 2"),
        ([True], "reproduced", ""),
        ([True, True, False], "depends", "2 of 3 readings, not in: c"),
        ([False, True, False], "depends", "1 of 3 readings, only in: b"),
    ],
)
def test_verdict_across_readings(holds, verdict, words):
    found = claims.across(dict(zip("abc", holds, strict=False)))
    assert found["verdict"] == verdict and words in found["note"]
    with pytest.raises(ValueError, match="readings"):
        claims.across({})
