"""The README's example prints what the README says, and a table of the reader's gets its advice."""

import re
from pathlib import Path

from csbook.datasets import make_invoices

ROOT = Path(__file__).parents[2]


def test_the_example_prints_what_stands_below_it(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((code, printed),) = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    assert len(code.splitlines()) <= 10
    exec(code, {})
    assert capsys.readouterr().out == printed


def test_a_table_of_the_reader_gets_its_advice(tmp_path, monkeypatch, capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(import csb, .*?)```", text, re.S)
    make_invoices(300).to_csv(tmp_path / "mine.csv", index=False)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert "Mean cost per case" in capsys.readouterr().out


def test_it_is_read_on_one_screen():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 70 and max(map(len, lines)) <= 120
