"""The first call: what is compiled for it, what is said meanwhile, what ``csb compile`` does beforehand."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from csb import __main__ as command
from csb.engine import compiled as module
from csb.engine import elementary

pytestmark = pytest.mark.skipif(not module.COMPILES, reason="nothing is compiled")

ROOT = Path(__file__).parents[3]

COUNT = """
import sys
import numpy as np
import pandas as pd
from numba.core.event import install_recorder
from sklearn.linear_model import LogisticRegression
from sklearn.datasets import load_breast_cancer
import csb
from csb.engine.compiled import compile_at_once

X, y = load_breast_cancer(return_X_y=True)
few, frame = np.round(X, -1), pd.DataFrame(X)
for call in sys.argv[1:]:
    with install_recorder("numba:compile") as compiled:
        eval(call)
    print(len(compiled.buffer))
"""
DECISION = "csb.CostDecision(LogisticRegression(max_iter=5000), fn_cost=3).fit(X, y).predict(X)"


def run(folder, *arguments, **environment):
    """What a process prints that keeps its code in a folder."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": path} | environment
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)


def test_a_calibrated_classifier_needs_no_compiling(tmp_path):
    done = run(tmp_path, "-c", COUNT, DECISION)
    assert done.stdout.split() == ["0"], done.stderr


@pytest.mark.deep
def test_nothing_is_left_to_compile_for_first_calls(tmp_path):
    done = run(tmp_path, "-m", "csb", "compile")
    assert done.returncode == 0, done.stderr
    *parts, last = done.stdout.splitlines()
    assert len(parts) == len(command.PARTS) and all(part.endswith(" s") for part in parts)
    assert last == f"kept below {tmp_path}" or last.startswith(f"kept below {tmp_path}{os.sep}")
    calls = ["compile_at_once()", "csb.AdaBoost().fit(X, y).predict(X)"]
    calls += ["csb.AdaBoost().fit(frame, y).predict(frame)"]
    calls += ["csb.AdaBoost().fit(few, y).predict(few)", DECISION]
    calls += [f"csb.CostDecision(calibration={c!r}).fit(X, y).predict(X)" for c in ("beta", "venn_abers")]
    calls += ["csb.CGAda(estimator='tree').fit(X, y).predict(X)", "csb.LogitBoost().fit(X, y).predict(X)"]
    calls += ["csb.recommend(X, y, fn_cost=5, fp_cost=1, random_state=0)"]
    done = run(tmp_path, "-c", COUNT, *calls)
    assert done.stdout.split() == ["0"] * len(calls), done.stderr


@pytest.mark.parametrize("switched_off", [True, False])
def test_where_nothing_is_kept_the_command_says_so(monkeypatch, capsys, switched_off):
    from csb.engine import code_cache

    monkeypatch.setattr(command, "PARTS", {})
    if switched_off:
        monkeypatch.setattr(command, "COMPILES", False)
    else:
        monkeypatch.setattr(code_cache, "FOLDERS", {})
    assert command.main(["compile"]) == 1
    said = capsys.readouterr().err
    assert ("nothing is compiled" if switched_off else "no folder") in said


@pytest.mark.parametrize("kept", [True, False])
def test_the_command_tells_whether_code_could_be_kept(monkeypatch, capsys, kept):
    from csb.engine import code_cache

    monkeypatch.setattr(module, "PATIENCE", module.PATIENCE)
    monkeypatch.setattr(module.notice, "is_due", False)
    monkeypatch.setattr(command, "PARTS", {"one": lambda: None})
    place = f"{os.sep}somewhere"
    monkeypatch.setattr(
        code_cache, "FOLDERS", {os.path.join(place, "a"): True, os.path.join(place, "b"): kept}
    )
    assert command.main(["compile"]) == (0 if kept else 1)
    printed = capsys.readouterr()
    one, last = [*printed.out.splitlines(), *printed.err.splitlines()]
    assert one.startswith("one") and ("cannot be kept" in last) != kept and f"below {place}" in last
    assert bool(printed.err) != kept


@pytest.mark.parametrize("arguments", [["compile", "x"], ["x", "compile"], ["compile", "--force"]])
def test_the_command_takes_nothing_else(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        command.main(arguments)
    assert "commands of csbook" in " ".join(capsys.readouterr().err.split())


TOY = """
from csb.engine.compiled import compiled

taken = []

def plain(x, out):
    taken.append(x.dtype.name)
    out[:] = 2 * x

@compiled(plain)
def double(x, out):
    for i in range(x.shape[0]):
        out[i] = 2 * x[i]

@compiled()
def quadruple(x, out):
    double(x, out)
    double(out, out)
"""


def test_a_function_is_compiled_once_it_pays(tmp_path, monkeypatch):
    from loading import load_anew

    path, ticks = tmp_path / "toy.py", iter(np.arange(100) / 10)
    path.write_text(TOY)
    monkeypatch.setattr(module.settings, "CACHE_DIR", "")
    monkeypatch.setattr(module.notice, "is_due", False)
    monkeypatch.setattr(module.time, "thread_time", lambda: next(ticks))
    monkeypatch.setattr(module, "PATIENCE", 0.25)  # a call of the array form lasts a tenth of a second

    def taken(toy, *kinds, name="double", factor=2):
        for kind in kinds:
            x, out = np.arange(5, dtype=kind), np.empty(5, kind)
            getattr(toy, name)(x, out)
            assert np.array_equal(out, factor * np.arange(5)) and out.dtype == kind
        return toy.taken

    one, two = "float64", "float32"
    assert load_anew(path, lambda toy: taken(toy, *[one] * 5))[1] == [one] * 3
    assert load_anew(path, lambda toy: taken(toy, *[one, two] * 5))[1] == [two] * 3, "one has been kept"
    assert load_anew(path, lambda toy: taken(toy, one, two, two))[1] == []
    path.write_text(f"{TOY}# another source\n")
    assert load_anew(path, lambda toy: taken(toy, one, name="quadruple", factor=4))[1] == []
    module.compile_at_once()
    path.write_text(f"{TOY}# a third source\n")
    assert load_anew(path, lambda toy: taken(toy, one))[1] == []


def test_numpy_adds_up_by_halves_in_eight_lanes():
    """As the loops did that were compiled: recorded probabilities depend on it to the last digit."""

    def halves(terms):
        if len(terms) > 128:
            half = len(terms) // 2 - len(terms) // 2 % 8
            return halves(terms[:half]) + halves(terms[half:])
        lanes, whole = [0.0] * 8, len(terms) - len(terms) % 8
        for i in range(whole):
            lanes[i % 8] += terms[i]
        pairs = [lanes[i] + lanes[i + 1] for i in (0, 2, 4, 6)]
        return sum(terms[whole:], (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]))

    rng = np.random.default_rng(0)
    for n in [*range(1, 300), 1000, 1031, 4099]:
        terms = (rng.random((6, n)) - 0.5) * 2.0 ** rng.integers(-60, 60, (6, n))
        expected = [halves(row.tolist()) for row in terms]
        assert terms.sum(axis=1).tolist() == expected == [row.sum() for row in terms]


NOTICE = """
import sys
from csb.engine import compile_notice, compiled
from csb.evaluation.metrics import _number_levels
from csb.engine.rules import judge
import numpy as np
compile_notice.WAIT = float(sys.argv[1])
compiled.PATIENCE = 0
for _ in range(2):
    _number_levels(np.zeros(2), np.zeros(2, np.int64))
print("done")
"""


def at_a_terminal(folder, wait):
    """What a process writes to a terminal."""
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")
    ours, theirs = pty.openpty()
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", NOTICE, wait], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    try:
        process.wait(120)
        said = b""
        with suppress(OSError):  # that of a terminal which nobody writes to any more
            while part := os.read(ours, 4096):
                said += part
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return said.decode()


def test_a_terminal_is_told_once_that_functions_are_compiled(tmp_path):
    said = at_a_terminal(tmp_path, "0")
    assert said.count("csb compile") == 1 and said.splitlines()[-1] == "done"
    assert "csb compile" not in at_a_terminal(tmp_path, "0"), "it is compiled"


def test_a_short_wait_is_no_news(tmp_path):
    assert at_a_terminal(tmp_path, "1000").splitlines() == ["done"]


def test_nothing_is_said_but_to_a_terminal(tmp_path):
    """Outputs of notebooks would depend on what was compiled before."""
    done = run(tmp_path, "-c", NOTICE, "0")
    assert (done.stdout, done.stderr) == ("done\n", "")
    assert list(tmp_path.rglob("*.nbc")), "something was compiled"


@pytest.mark.parametrize(
    "names, seconds, said",
    [
        (["csb.a", "csb.a"], 0.6, []),
        (["csb.a", "csb.a", "csb.a"], 0.6, [3]),
        (["csbook.a", "csb.b", "csb.b", "csb.b"], 0.6, [3]),
        (["theirs", "theirs", "theirs", "csb.a"], 9.0, []),
        (["csb.a", "theirs", "csb.a"], 1.1, [3]),
    ],
)
def test_seconds_of_own_functions_count(monkeypatch, names, seconds, said):
    from csb.engine import compile_notice

    now, printed = 0.0, []
    monkeypatch.setattr(compile_notice, "perf_counter", lambda: now)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.print", lambda text, **_: printed.append(text))
    notice, found = compile_notice.CompileNotice(), []
    for number, name in enumerate(names, 1):
        function = SimpleNamespace(py_func=SimpleNamespace(__module__=name))
        event = SimpleNamespace(data={"dispatcher": function})
        notice.on_start(event)
        if printed:
            found.append(number)
            printed.clear()
        now += seconds
        notice.on_end(event)
    assert found == said


def test_every_function_of_arrays_is_compiled_by_the_command(monkeypatch):
    called = []
    functions = [n for n in elementary.__all__ if not n.endswith("_scalar")]
    for name in functions:
        original = getattr(elementary, f"_each_{name}")
        monkeypatch.setattr(
            elementary, f"_each_{name}", lambda *a, name=name, run=original: (called.append(name), run(*a))
        )
    command.PARTS["elementary functions"]()
    assert sorted(called) == sorted(functions)
