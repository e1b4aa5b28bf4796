"""The README's example prints what the README says."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import parallel_config

ROOT = Path(__file__).parents[2]


def test_the_example_prints_what_stands_below_it(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((code, printed),) = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    assert len(code.splitlines()) <= 10
    exec(code, {})
    assert capsys.readouterr().out == printed


def test_what_is_called_on_ones_own_data_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(from csb import recommend\n.*?)```", text, re.S)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": rng.lognormal(3, 1, 90), "kind": rng.choice(["a", "b", None], 90)})
    y = (frame["amount"] > 20) ^ (rng.random(90) < 0.05)
    given = {"frame": frame, "y": y, "rule": lambda X: X["amount"] > 100, "new": frame[:5]}
    with parallel_config(backend="threading"):
        exec(code, given)
    plt.close("all")
    assert given["found"].pays and "today's rule" in given["found"].verdict


def test_the_figure_is_there_and_has_its_script():
    figure = ROOT / "book" / "_static" / "readme.svg"
    assert "book/_static/readme.svg" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert figure.read_text(encoding="utf-8").count("<path") > 10
    assert "readme.svg" in (ROOT / "book" / "figures" / "readme.py").read_text(encoding="utf-8")
