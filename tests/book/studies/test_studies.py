"""Studies: units and what they depend on; manifests; recorded results; where files go."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd
import pytest
from packaging.version import Version

from csbook.chapters.verdicts import question_rules
from csbook.records import PACKAGE, RESULTS
from csbook.studies import STUDIES, recorded, run, source_sha256, verify, write_results
from csbook.studies.cli import main
from toy_study import contents, small


def test_a_scheduler_without_dask_is_refused(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"scheduler='tcp://nobody:1' needs Dask"):
        run(small(), tmp_path / "out", work=tmp_path / "work", scheduler="tcp://nobody:1")


def test_large_tables_are_compressed_and_read_back(tmp_path):
    text = "value\n" + "\n".join(map(str, range(200_000))) + "\n"
    shared = {"source": "s", "settings": {}, "wall_seconds": 1.0}
    for folder in ("one", "two"):
        write_results(tmp_path / folder, "large", {"t": text, "small": "value\n1\n"}, **shared)
    assert {path.name for path in (tmp_path / "one").iterdir()} == {
        "t.csv.gz", "small.csv", "manifest.json", "run.json",
    }  # fmt: skip
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    tables = recorded("one", tmp_path).tables
    assert tables["t"]["value"].tolist() == list(range(200_000)) and len(tables["small"]) == 1


@pytest.mark.parametrize(
    "name, other", [("source_sha256", lambda: "0" * 64), ("versions", lambda *_: {"numpy": "0"})]
)
def test_other_sources_or_libraries_do_not_share_units(tmp_path, monkeypatch, name, other):
    done = []

    def compute(unit, settings):
        done.append(unit)
        return {"t": pd.DataFrame({"value": [1]})}

    for _ in range(2):
        run(small(compute=compute), tmp_path / "out", work=tmp_path / "work")
    assert len(done) == 2
    monkeypatch.setattr(f"csbook.studies.study.{name}", other)
    run(small(compute=compute), tmp_path / "out", work=tmp_path / "work")
    assert len(done) == 4


def test_settings_that_differ_do_not_share_units(tmp_path):
    for seed in (0, 5):
        run(small(seed), tmp_path / str(seed), work=tmp_path / "work")
    assert pd.read_csv(tmp_path / "5" / "t.csv")["value"].tolist() == [6, 6]


def test_tables_of_other_columns_are_refused(tmp_path):
    def compute(unit, settings):
        return {"t": pd.DataFrame({unit[0]: [1]})}

    with pytest.raises(ValueError, match="has other columns"):
        run(small(compute=compute), tmp_path / "out", work=tmp_path / "work")
    assert not (tmp_path / "out").exists()


def test_missing_data_are_named_before_work(tmp_path, monkeypatch):
    monkeypatch.delenv("CSB_DATA", raising=False)
    monkeypatch.setenv("CSB_CACHE", str(tmp_path / "cache"))
    study = small(datasets=(("wdbc", "clean"), ("hepatitis", "clean")))
    with pytest.raises(ValueError, match="not at hand: hepatitis.*CSB_DATA"):
        run(study, tmp_path / "out", work=tmp_path / "work")
    assert not (tmp_path / "work").exists()
    with pytest.raises(ValueError, match="not at hand: hepatitis.*CSB_DATA"):
        verify(study, results=tmp_path)


def test_verify_finds_a_changed_number(tmp_path):
    study = small()
    run(study, tmp_path / "small", work=tmp_path / "work")
    assert verify(study, count=2, results=tmp_path) == [("x",), ("y",)]
    assert len(verify(study, results=tmp_path)) == 1

    def compute(unit, settings):
        return {"t": pd.DataFrame({"value": [settings["seed"] + len(unit[0]) + 1e-4]})}

    with pytest.raises(AssertionError, match="t of unit"):
        verify(replace(study, compute=compute), results=tmp_path)
    for tables in ({}, study.compute(("x",), study.settings) | {"more": pd.DataFrame({"value": [1]})}):
        without = replace(study, compute=lambda unit, settings, tables=tables: tables)
        with pytest.raises(AssertionError, match="has tables"):
            verify(without, results=tmp_path)
    with pytest.raises(ValueError, match="count=0"):
        verify(study, count=0, results=tmp_path)


def test_manifest_holds_checksums_and_keeps_the_machine_apart(tmp_path):
    write_results(
        tmp_path / "x", "x", {"t": "a\n1\n2\n"}, source="s", settings={"repeats": 2}, wall_seconds=1.0,
        inputs={"b": "2", "a": "1"},
    )  # fmt: skip
    manifest, machine = (
        json.loads((tmp_path / "x" / f"{name}.json").read_text()) for name in ("manifest", "run")
    )
    assert manifest["tables_sha256"] == {"t.csv": hashlib.sha256(b"a\n1\n2\n").hexdigest()}
    assert list(manifest["inputs_sha256"]) == ["a", "b"] and manifest["csb_source_sha256"] == "s"
    assert {"processor", "cores", "wall_seconds"} <= set(machine) and not set(machine) & set(manifest)
    kept = recorded("x", tmp_path)
    assert kept.tables["t"]["a"].tolist() == [1, 2] and kept.manifest == manifest
    assert str(kept).startswith("recorded on 20")


def test_only_an_empty_field_is_a_gap(tmp_path):
    content = {"t": "name,value\nnull,1.5\nNA,\n"}
    write_results(tmp_path / "x", "x", content, source="s", settings={}, wall_seconds=1.0)
    table = recorded("x", tmp_path).tables["t"]
    assert table["name"].tolist() == ["null", "NA"] and table["value"].isna().tolist() == [False, True]


def test_source_hash_is_that_of_the_files():
    digest = hashlib.sha256()
    for package in ("csb", "csbook"):
        root = Path(sys.modules[package].__file__).parent
        for path in sorted(root.rglob("*.py")):
            name = str(path.relative_to(root.parent)).replace(os.sep, "/")
            digest.update(name.encode() + b"\0" + path.read_bytes())
    assert source_sha256() == digest.hexdigest()


def test_command(capsys, tmp_path):
    assert main([]) == 0
    assert "c08" in capsys.readouterr().out
    assert main(["c80"]) == 1
    assert "nearest is 'c08'" in capsys.readouterr().err
    assert main(["c08", "--quick"]) == 1
    assert "--out" in capsys.readouterr().err
    assert main(["n16"]) == 1
    assert "n16/stump-clean" in capsys.readouterr().err
    assert main(["n16", "--learner", "stumps", "--track", "clean", "--quick"]) == 1
    assert "nearest is 'n16/stump-clean'" in capsys.readouterr().err
    assert main(["verify", "--units", "0", "c08"]) == 1
    assert "count=0" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_recorded_results_are_complete(name):
    study, kept = STUDIES[name], recorded(name)
    assert kept.manifest["settings"] == dict(study.settings)
    units = study.units(study.settings)
    seen = set()
    for table in kept.tables.values():
        found = list(table[list(study.keys)].drop_duplicates().itertuples(index=False, name=None))
        assert found == [unit for unit in units if unit in set(found)]  # in the order of the units
        seen |= set(found)
    assert seen == set(units)


ASKED = sorted(name for name, study in STUDIES.items() if "rules" in study.settings)


@pytest.mark.parametrize("name", ASKED)
def test_the_rules_were_written_before_the_run(name):
    kept = recorded(name)
    rules = kept.manifest["settings"]["rules"]
    assert rules["sha256"] == question_rules(name).attrs["sha256"]
    took = timedelta(seconds=kept.run["wall_seconds"])
    assert datetime.fromisoformat(rules["written"]) < datetime.fromisoformat(kept.run["finished"]) - took


@pytest.mark.parametrize("name", ASKED)
def test_no_study_stood_beside_the_rules_when_they_were_written(name):
    root, rules = RESULTS.parents[1], STUDIES[name].settings["rules"]

    def git(*command):
        return subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)

    if git("cat-file", "-e", f"{rules['commit']}^{{commit}}").returncode:
        pytest.skip("needs the history of the project")
    assert git("log", "-1", "--format=%cI", rules["commit"]).stdout.strip() == rules["written"]
    now = (root / "data" / "questions.csv").read_text("utf-8").splitlines()
    then = git("show", f"{rules['commit']}:data/questions.csv").stdout.splitlines()
    own = [line for line in now if line.startswith(f"{name},")]
    assert own == [line for line in then if line.startswith(f"{name},")] != []
    files = git("ls-tree", "-r", "--name-only", rules["commit"]).stdout
    assert "data/questions.csv" in files and name not in files


LONG = {
    "advice", "c08/pruned", "c13/boundaries", "c13/cart", "c13/pruned", "k98/pruned", "k98/weights", "l08",
    "l08/full", "l08/pruned", "n16/logistic-clean", "n16/logistic-published", "n16/rivals", "n16/tree",
    "shrinkage/tree", "weights_or_calibration",
}  # fmt: skip
"""Of these one unit takes twelve seconds to four minutes."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep if name in LONG else ()) for name in sorted(STUDIES)]
)
def test_a_unit_computed_anew_agrees_with_what_is_recorded(name):
    if missing := STUDIES[name].missing():
        pytest.skip(f"no files of {', '.join(missing)}: set CSB_DATA")
    for library, then in recorded(name).manifest["libraries"].items():
        try:
            now = Version(version(library))
        except PackageNotFoundError:
            pytest.skip(f"{library} is not installed")
        if now.release[:2] != Version(then).release[:2]:
            pytest.skip(f"recorded with {library} {then}: other versions break ties of learners otherwise")
    assert len(verify(STUDIES[name])) == 1


def test_verify_says_so_when_nothing_is_recorded(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("csbook.studies.cli.RESULTS", tmp_path)
    assert main(["verify"]) == 1
    assert "nothing to verify" in capsys.readouterr().err
    (tmp_path / "k98").mkdir()
    assert main(["verify", "c08", "k98"]) == 1
    assert "no results of c08\n" in capsys.readouterr().err


def test_results_lie_in_the_project():
    assert RESULTS == Path(__file__).parents[3] / "data" / "results"
    assert (RESULTS / "speed" / "manifest.json").is_file()


def test_tables_and_units_go_below_the_current_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run(small(), work=Path("units")) == Path("data", "results", "small")
    assert (tmp_path / "data" / "results" / "small" / "manifest.json").is_file()
    monkeypatch.setitem(STUDIES, "small", small())
    assert main(["small", "--workers", "1"]) == 0
    assert len(list((tmp_path / "_build" / "studies" / "small").rglob("*.jsonl"))) == 2


def test_nothing_is_written_into_the_package(monkeypatch, tmp_path):
    within = PACKAGE / "results"
    with pytest.raises(ValueError, match="folder=.*within the package nothing is written"):
        run(small(), within, work=tmp_path)
    with pytest.raises(ValueError, match="work=.*within the package nothing is written"):
        run(small(), tmp_path / "out", work=within)
    with pytest.raises(ValueError, match="folder=.*within the package nothing is written"):
        write_results(within, "x", {}, source="s", settings={}, wall_seconds=1.0)
    monkeypatch.chdir(PACKAGE)
    with pytest.raises(ValueError, match="folder=.*within the package nothing is written"):
        run(small(), work=tmp_path)
    assert not within.exists() and not list(tmp_path.iterdir())
