"""Studies: killed and resumed, the same bytes in any order; manifests; the experiment of Cai et al."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from csb.studies import C08, RESULTS, STUDIES, Study, recorded, run, source_sha256, verify, write_results
from csb.studies.cli import main

TOY = textwrap.dedent(
    """
    import os, sys, time
    from pathlib import Path
    import numpy as np, pandas as pd
    from csb.studies import Study, run

    def units(settings):
        return [(kind, number) for kind in ("a", "b") for number in range(settings["count"])]

    def compute(unit, settings):
        with open(settings["log"], "a") as log:
            log.write(f"{unit[0]}{unit[1]}\\n")
        time.sleep(settings["pause"])
        rng = np.random.default_rng([settings["seed"], ord(unit[0]), unit[1]])
        table = pd.DataFrame({"draw": rng.normal(size=2), "nothing": [np.nan, 1]})
        return {"draws": table, "counts": pd.DataFrame({"n": [len(table)]})}

    STUDY = Study("toy", "a toy", ("kind", "number"), units, compute)

    if __name__ == "__main__":
        folder, work, log, workers, pause = sys.argv[1:]
        settings = {"count": 4, "seed": 1, "log": log, "pause": float(pause)}
        run(STUDY, Path(folder), work=Path(work), workers=int(workers), settings=settings)
    """
)


@pytest.fixture
def toy(tmp_path):
    """A study in a module of its own, and how to run it in another process."""
    (tmp_path / "toy.py").write_text(TOY)

    def start(out, work="work", workers=1, pause=0.0, log="log"):
        command = [sys.executable, "toy.py", out, work, str(tmp_path / log), str(workers), str(pause)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        return subprocess.Popen(command, cwd=tmp_path, env=environment)

    return tmp_path, start


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.name != "run.json"}


def test_killed_and_resumed_gives_the_same_bytes_and_repeats_nothing(toy):
    folder, start = toy
    process = start("broken", pause=0.4)
    log = folder / "log"
    deadline = time.monotonic() + 60
    while not (log.exists() and len(log.read_text().split()) >= 3):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folder / "broken").exists()
    finished = {path.stem for path in (folder / "work").rglob("*.json")}
    assert finished == {"a-0", "a-1"}

    before = len(log.read_text().split())
    assert start("broken", pause=0.4).wait() == 0
    again = log.read_text().split()[before:]
    assert sorted(again) == ["a2", "a3", "b0", "b1", "b2", "b3"]
    assert start("whole", work="other", pause=0.4).wait() == 0
    assert contents(folder / "broken") == contents(folder / "whole")
    assert {"draws.csv", "counts.csv", "manifest.json"} == set(contents(folder / "whole"))


def test_any_number_of_workers_gives_the_same_tables(toy):
    folder, start = toy
    assert start("one").wait() == 0
    assert start("two", work="other", workers=2).wait() == 0
    assert contents(folder / "one") == contents(folder / "two")
    table = pd.read_csv(folder / "two" / "draws.csv")
    assert list(table.columns) == ["kind", "number", "draw", "nothing"]
    assert table["kind"].tolist() == ["a"] * 8 + ["b"] * 8
    first = np.random.default_rng([1, ord("a"), 0]).normal(size=2)
    np.testing.assert_allclose(table["draw"][:2], first, rtol=1e-9)


def small(seed=0, **changes):
    """A study in this process."""

    def units(settings):
        return [("x",), ("y",)]

    def compute(unit, settings):
        return {"t": pd.DataFrame({"value": [settings["seed"] + len(unit[0])]})}

    return replace(Study("small", "small", ("unit",), units, compute, {"seed": seed}), **changes)


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


def test_verify_finds_a_changed_number(tmp_path):
    study = small()
    run(study, tmp_path / "small", work=tmp_path / "work")
    assert verify(study, count=2, results=tmp_path) == [("x",), ("y",)]
    assert len(verify(study, results=tmp_path)) == 1

    def compute(unit, settings):
        return {"t": pd.DataFrame({"value": [settings["seed"] + len(unit[0]) + 1e-4]})}

    with pytest.raises(AssertionError):
        verify(replace(study, compute=compute), results=tmp_path)


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


def test_changed_tables_and_unknown_names_are_refused(tmp_path):
    write_results(tmp_path / "x", "x", {"t": "a\n1\n"}, source="s", settings={}, wall_seconds=1.0)
    (tmp_path / "x" / "t.csv").write_text("a\n2\n")
    with pytest.raises(ValueError, match="not the table that its manifest describes"):
        recorded("x", tmp_path)
    with pytest.raises(ValueError, match="no recorded results; there are x"):
        recorded("y", tmp_path)


def test_source_hash_is_that_of_the_files():
    digest = hashlib.sha256()
    root = Path(sys.modules["csb"].__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).replace(os.sep, "/").encode() + b"\0" + path.read_bytes())
    assert source_sha256() == digest.hexdigest()


def test_command(capsys, tmp_path):
    assert main([]) == 0
    assert "c08" in capsys.readouterr().out
    assert main(["c80"]) == 1
    assert "nearest is 'c08'" in capsys.readouterr().err
    assert main(["c08", "--quick"]) == 1
    assert "--out" in capsys.readouterr().err


# What is recorded.
@pytest.mark.parametrize("name", STUDIES)
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


@pytest.mark.parametrize("name", STUDIES)
def test_a_unit_computed_anew_agrees_with_what_is_recorded(name):
    if missing := STUDIES[name].missing():
        pytest.skip(f"no files of {', '.join(missing)}: set CSB_DATA")
    assert len(verify(STUDIES[name])) == 1


def test_protocol_of_c08():
    if missing := C08.missing():
        pytest.skip(f"no files of {', '.join(missing)}: set CSB_DATA")
    seen = []

    class Watched:
        def fit(self, X, y):
            seen.append([len(X), y.mean()])
            return self

        def predict(self, X):
            seen[-1].append(len(X))
            return np.ones(len(X), int)

    from csb.studies import c08

    def models(settings, seed):
        yield "watched", np.nan, np.nan, Watched()

    original, c08._models = c08._models, models
    try:
        table = c08.compute(("hepatitis", 3), dict(C08.settings))["measures"]
    finally:
        c08._models = original
    sizes = [(n, m) for n, _, m in seen]
    assert sizes[-1] == (139, 16)  # nine tenths and one tenth of 155
    assert sum(m for _, m in sizes[:-1]) == 139 and all(n + m == 139 for n, m in sizes[:-1])
    assert seen[-1][1] == pytest.approx(32 / 155, abs=0.01)
    assert table["recall"].item() == 100


def test_results_lie_in_the_project():
    assert RESULTS.name == "results" and (RESULTS / "speed" / "manifest.json").is_file()
