"""The README's example prints what the README says."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_prints_what_stands_below_it(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((code, printed),) = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    assert len(code.splitlines()) <= 10
    exec(code, {})
    assert capsys.readouterr().out == printed


def test_it_is_read_on_one_screen():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 70 and max(map(len, lines)) <= 120
