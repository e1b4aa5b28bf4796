"""The table of claims: every claim is decided by one page, and a claim without a verdict is reported."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from csbook import records
from csbook.chapters import claims
from csbook.chapters.verdicts import KINDS
from hostile import NAMES, Reader

pytest.importorskip("sphinx", reason="the table is a Sphinx extension, which takes csbook[build]")
ROOT = Path(__file__).parents[3]
HOSTILE = "on the weather, " + " and ".join(name.strip() for name in NAMES if "\udc80" not in name)
LIST = pd.read_csv(records.CLAIMS)
IDS = LIST.loc[LIST["source"] != "open", "id"].tolist()


@pytest.fixture(scope="module")
def ledger():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    try:
        import ledger
    finally:
        sys.path.pop(0)
    return ledger


@pytest.fixture(scope="module")
def pages(ledger):
    return ledger.deciding_pages(ROOT, IDS)


@pytest.mark.parametrize(
    ("note", "first"),
    [
        ("", ""),
        ("One. Two", "One. Two"),
        ("One? 2 of 3. Three.", "One? 2 of 3."),
        ("As in Fig. 4 of theirs. By Eq. (2) and Eqs. 3, Sec. 1. Not this.",
         "As in Fig. 4 of theirs. By Eq. (2) and Eqs. 3, Sec. 1."),
        ("Less, e.g. by 0.3. And 1.5. More.", "Less, e.g. by 0.3. And 1.5."),
    ],
)  # fmt: skip
def test_a_note_opens_with_its_first_two_sentences(ledger, note, first):
    assert ledger.opening(note) == first


@pytest.mark.parametrize("id", IDS)
def test_every_claim_is_decided_by_a_chapter(pages, id):
    assert id in pages, f"no code cell of the book records a verdict on {id}"
    assert "record_verdict" in (ROOT / f"{pages[id]}.ipynb").read_text("utf-8")


def test_table_links_to_the_deciding_cell_and_warns_of_open_claims(tmp_path, monkeypatch):
    monkeypatch.setenv("CSB_VERDICTS", str(tmp_path / "verdicts"))
    claims.record_verdict(
        "L08-2", {"stochastic": {"stochastic hypotheses": 0.25, "relational": 0.5}}, note=HOSTILE
    )
    claims.record_verdict(
        "L08-1",
        {"approaches": {"Eq. (2) as printed": False, "mended": True}},
        note="Of Eq. (2). Second. Third.",
    )
    claims.record_verdict("B-4", {"speaks": {"Theorem 2.4, dimension one": True}})
    of_papers = (LIST["source"].str.len() == 3).sum()
    source = tmp_path / "source"
    (source / "book" / "designs").mkdir(parents=True)
    cell = {"cell_type": "code", "source": ['claims.record_verdict("L08-2", {}), ("L08-1", {})']}
    notebook = {"cells": [cell]}
    (source / "book" / "designs" / "some.ipynb").write_text(json.dumps(notebook))
    (source / "conf.py").write_text(
        f"import sys; sys.path.insert(0, {str(ROOT / 'book' / '_ext')!r})\n"
        "extensions = ['ledger']\nexclude_patterns = ['book']\n"
    )
    (source / "index.rst").write_text(
        "Claims\n======\n\n.. role:: html(raw)\n   :format: html\n\n"
        f"Of :html:`<!--claims-all-->`\\ {of_papers}\\ :html:`<!--/-->` claims "
        ":html:`<!--claims-not-reproduced-->`\\ 9\\ :html:`<!--/-->` are not, and "
        ":html:`<!--claims-identity-or-proof-parts-hold-->`\\ 7\\ :html:`<!--/-->` parts hold; "
        "L08-2 is :html:`<!--claims-verdict-L08-2-->`\\ not reproduced\\ :html:`<!--/-->`, "
        "L08-1 :html:`<!--claims-verdict-L08-1-->`\\ not reproduced\\ :html:`<!--/-->`; of "
        f":html:`<!--claims-of-L08-all-->`\\ {(LIST['source'] == 'L08').sum()}\\ :html:`<!--/-->` "
        ":html:`<!--claims-of-L08-not-reproduced-->`\\ 1\\ :html:`<!--/-->` is not and "
        ":html:`<!--claims-of-N16-not-reproduced-->`\\ 2\\ :html:`<!--/-->` are not.\n\n"
        ".. claims-tally::\n\n.. claims-tally:: parts\n\n"
        ".. claims-ledger:: L08\n\n.. claims-ledger:: open\n\n.. claims-ledger:: L08-2\n"
    )
    command = [sys.executable, "-m", "sphinx", "-b", "html", str(source), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert 'href="book/designs/some.html#claim-L08-2"' in page
    assert "stochastic: fails, 0.25" in page and "other readings: fails 1" in page
    assert "claims-not-reproduced is 9 in the prose; it is 1" in done.stderr
    assert "claims-identity-or-proof-parts-hold is 7 in the prose; it is 0" in done.stderr
    assert "claims-of-N16-not-reproduced is 2 in the prose; it is 0" in done.stderr
    assert "claims-of-L08" not in done.stderr
    assert "claims-all" not in done.stderr and "claims-verdict-L08-2" not in done.stderr
    assert "claims-verdict-L08-1 is not reproduced in the prose; it is false as mathematics" in done.stderr
    more = '<a class="reference internal" href="book/designs/some.html#claim-L08-1">More</a>'
    assert f"Of Eq. (2). Second. {more}" in page and "Third." not in page
    lines = []
    for kind in ("csb-tally", "csb-tally-parts"):
        (tally,) = re.findall(rf'<table[^>]*\b{kind}(?=[ "]).*?</table>', page, re.S)
        heads, rows = Reader(tally).texts["th"], Reader(tally).texts["td"]
        assert [text.strip() for text in heads] == ["", *KINDS, "all"]
        lines.append(
            {
                rows[at].strip(): [text.strip() for text in rows[at + 1 : at + 5]]
                for at in range(0, len(rows), 5)
            }
        )
    lines, of_parts = lines
    assert lines["not reproduced"] == ["1", "0", "0", "1"]
    assert not lines.keys() & of_parts.keys() and {"claims", "in part"} <= lines.keys()
    assert of_parts["parts fail"] == ["2", "0", "0", "2"]  # the findings of the book are not counted
    assert 'href="book/reference/errata.html#e-l02"' in page and "approaches: fails, " in page
    assert all(text in page for text in ("Q-1", "what is not known"))
    listed, alone = re.findall(r"<tr[^>]*csb-row-not-reproduced.*?</tr>", page, re.S)
    cells = Reader(listed).texts["td"]
    assert [text.strip() for text in cells[::2]] == ["L08-2", "not reproduced"]
    said, folded = cells[1].split("what was found")
    assert said.strip() == LIST.set_index("id").at["L08-2", "claim"] and HOSTILE in folded
    assert re.search(r"stochastic: fails, 0.25\s+other readings: fails 1", folded) and "Place: " in folded
    assert Reader(alone).texts == Reader(listed).texts
    assert '<details class="csb-found">' in listed and '<details class="csb-found" open>' in alone
    missing = set(re.findall(r"claim (L08-\d+) has no verdict", done.stderr))
    assert missing == {id for id in IDS if id.startswith("L08")} - {"L08-1", "L08-2"}


def test_a_verdict_is_a_target_of_links(tmp_path, monkeypatch):
    monkeypatch.setenv("CSB_VERDICTS", str(tmp_path))
    assert (
        'id="claim-N16-1"'
        in claims.record_verdict("N16-1", {"least cost": {"finite distributions, exact": 0}})._repr_html_()
    )
