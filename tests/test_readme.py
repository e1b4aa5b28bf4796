"""The README's example prints what the README says."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_example_prints_what_stands_below_it(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((code, printed),) = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    assert len(code.splitlines()) <= 10
    exec(code, {})
    assert capsys.readouterr().out == printed


def test_the_figure_is_there_and_has_its_script():
    figure = ROOT / "book" / "_static" / "readme.svg"
    assert "book/_static/readme.svg" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert figure.read_text(encoding="utf-8").count("<path") > 10
    assert "readme.svg" in (ROOT / "book" / "figures" / "readme.py").read_text(encoding="utf-8")
