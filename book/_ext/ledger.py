"""What was found of the papers' claims: ``claims-ledger``, ``claims-tally``, and their numbers in the prose.

The tables are filled in when every chapter has been executed, for only then the verdicts are known; and then
a number of the tally, as ``<!--claims-in-part-->10<!--/-->`` or
``<!--claims-experiment-in-part-->9<!--/-->``, is compared with them. Table and prose have it from
`csbook.chapters.verdicts.census`. So is a number of one paper, as
``<!--claims-of-N16-in-part-->12<!--/-->``, and a verdict, as
``<!--claims-verdict-N16-15-->reproduced<!--/-->``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
from docutils import nodes
from docutils.transforms import Transform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from csbook.chapters import claims
from csbook.chapters.verdicts import VERDICTS, census, decision_rules, statuses

HEAD = ("claim", "what is said", "verdict")
WIDTHS = (10, 70, 20)
PAPERS = ("N16", "C08", "C13", "K98", "L08")
COUNT = re.compile(r"<!--claims-(verdict-[A-Z]+\d*-\d+|of-[A-Z]+\d*-[a-z-]+|[a-z-]+)-->")
SENTENCE = re.compile(r"(?<=[.?!])(?<!\bFig\.)(?<!\bSec\.)(?<!\bSecs\.)(?<!\bEq\.)(?<!\bEqs\.) (?=[A-Z0-9])")
"""Between two sentences of a note."""
SENTENCES = 2
"""So many of a note stand in the tables; the entry on the page that decides the claim has all."""

logger = logging.getLogger(__name__)


class Ledger(nodes.General, nodes.Element):
    """Where the table will stand; verdicts are known once every chapter has been executed."""


class Tally(nodes.General, nodes.Element):
    """Where the tally will stand."""


class Count(nodes.General, nodes.Inline, nodes.Element):
    """A number of the tally, by the name of row and column (without a row, of all kinds), or a verdict."""


class Counts(Transform):
    """Mark the numbers of claims, to be compared when they are known."""

    default_priority = 215

    def apply(self, **kwargs):
        for comment in self.document.findall(nodes.raw):
            if found := COUNT.fullmatch(comment.astext()):
                number = comment.next_node(nodes.Text, siblings=True, descend=False)
                number.parent.replace(number, Count(number.astext(), of=found[1]))
                self.document.settings.env.note_reread()


class LedgerDirective(SphinxDirective):
    """The table of one source's claims: a paper by its key, the ``book``, or the ``open`` questions.

    What was found stands folded below what is said. The name of a claim gives its entry alone, unfolded.
    """

    required_arguments = 1

    def run(self):
        self.env.note_reread()  # the verdicts may change when this page does not
        return [Ledger("", source_key=self.arguments[0], lineno=self.lineno)]


class TallyDirective(SphinxDirective):
    """The tally of the papers' claims by kind, or that of their ``parts`` and comparisons."""

    optional_arguments = 1

    def run(self):
        self.env.note_reread()
        if self.arguments not in ([], ["parts"]):
            raise self.error(f"{self.arguments[0]!r} is given, allowed is 'parts' or nothing")
        return [Tally("", of_parts=bool(self.arguments), lineno=self.lineno)]


def slug(words: str) -> str:
    """A kind or a verdict as a name says it."""
    return re.sub(r"[^a-z]+", "-", words.replace("'", ""))


def named(counts: pd.DataFrame) -> dict[str, int]:
    """The numbers of the tally by name; ``"all"`` is that of all claims."""
    names = {
        (slug(column) if kind == "all" else f"{slug(kind)}-{slug(column)}"): counts.at[kind, column]
        for kind in counts.index for column in counts.columns
    }  # fmt: skip
    return names | {"all": counts.at["all", "claims"]}


def of_papers(table: pd.DataFrame) -> dict[str, int]:
    """How many claims of each paper came to each verdict, by name; ``"all"`` is the number of its claims."""
    chosen = {source: table.loc[table["source"] == source, "verdict"] for source in PAPERS}
    numbers = {f"of-{source}-all": len(verdicts) for source, verdicts in chosen.items()}
    return numbers | {
        f"of-{source}-{slug(name)}": int((verdicts == name).sum())
        for source, verdicts in chosen.items() for name in VERDICTS
    }  # fmt: skip


def opening(note: str) -> str:
    """The first sentences of a note."""
    return " ".join(SENTENCE.split(note)[:SENTENCES])


def comparisons(cell: claims.PartResult) -> str:
    """Of several comparisons how many hold, fail and are open, without those of which there are none."""
    counts = {"hold": cell.holds, "fail": cell.fails, "open": cell.open}
    told = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return f"comparisons: {told}" if sum(counts.values()) > 1 else ""


def deciding_pages(root: Path, ids) -> dict[str, str]:
    """For each claim the page, without its ending, whose code names it."""
    found = {}
    for path in sorted((root / "book").rglob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        for id in set(re.findall(r"\"([A-Z]+\d*-\d+)\"", code)) & set(ids):
            found[id] = path.relative_to(root).with_suffix("").as_posix()
    return found


class FillLedger(SphinxPostTransform):
    """Put the tables and numbers in place of the marks."""

    default_priority = 5

    def run(self, **kwargs):
        if not any(self.document.findall(lambda node: isinstance(node, (Count, Tally, Ledger)))):
            return
        table = claims.table()
        counts = census(table[table["source"].isin(PAPERS)])
        numbers = named(counts) | of_papers(table)
        numbers |= {f"verdict-{id}": verdict for id, verdict in table["verdict"].items()}
        for mark in list(self.document.findall(Count)):
            if mark.rawsource != str(numbers.get(mark["of"])):
                message = "claims-%s is %s in the prose; it is %s"
                logger.warning(message, mark["of"], mark.rawsource, numbers.get(mark["of"]), location=mark)
            mark.replace_self(nodes.Text(mark.rawsource))
        for mark in list(self.document.findall(Tally)):
            rows = [
                _entries([[nodes.Text(text)] for text in (name, *map(str, column))])
                for name, column in counts.items()
                if str(name).startswith(("parts", "comparisons")) == mark["of_parts"]
            ]
            kind = "csb-tally-parts" if mark["of_parts"] else "csb-tally"
            mark.replace_self(_table(("", *counts.index), (40, 15, 15, 15, 15), rows, kind))
        for mark in list(self.document.findall(Ledger)):
            pages = deciding_pages(Path(self.app.srcdir), table.index)
            if (id := mark["source_key"]) in table.index:
                row = self._row(id, table.loc[id], pages.get(id), unfolded=True)
                mark.replace_self(_table(HEAD, WIDTHS, [row], "csb-entry"))
                continue
            chosen = table[table["source"] == mark["source_key"]]
            if mark["source_key"] == "open":
                mark.replace_self(_questions(chosen))
                continue
            for id in chosen.index[chosen["verdict"].isna()]:
                logger.warning("claim %s has no verdict", id, location=mark, type="ledger")
            rows = [self._row(id, claim, pages.get(id)) for id, claim in chosen.iterrows()]
            mark.replace_self(_table(HEAD, WIDTHS, rows))

    def _row(self, id, claim, page, unfolded=False) -> nodes.row:
        name = nodes.Text(id)
        if page is not None:
            address = self.app.builder.get_relative_uri(self.env.docname, page)
            name = nodes.reference("", id, internal=True, refuri=f"{address}#claim-{id}")
        known = isinstance(claim["verdict"], str)
        verdict, note = (claim["verdict"], claim["note"]) if known else ("open", "")
        first = note if page is None else opening(note)
        told = [nodes.Text(first)]
        if first != note:
            told += [nodes.Text(" "), nodes.reference("", "More", internal=True, refuri=name["refuri"])]
        found = [
            nodes.paragraph("", f"Place: {claim['place']}"),
            nodes.bullet_list("", *self._parts(id, claim["cells"], claim["printed"])),
            nodes.paragraph("", "", *told),
        ]
        cells = [name], [nodes.Text(claim["claim"])], [nodes.Text(verdict)]
        row = _entries(cells, f"csb-row-{slug(verdict)}")
        summary = f'<details class="csb-found"{" open" * unfolded}><summary>what was found</summary>'
        row[1] += [_html(summary), *found, _html("</details>")]
        return row

    def _parts(self, id, cells, printed) -> list[nodes.list_item]:
        """An item a part in the paper's reading and in print, one for the other readings, and the errata."""
        rules, items = decision_rules(id), []
        in_print = {cell.part: cell for cell in printed}
        for cell in cells:
            rule = rules[cell.part]
            if cell.reading == rule.reading:
                number = claims.number(cell.value, cell.low, cell.high)
                words = [", ".join(filter(None, (f"{cell.part}: {cell.status}", number))), comparisons(cell)]
                if cell.part in in_print:
                    words += [f"in print: {in_print[cell.part].status}", comparisons(in_print[cell.part])]
                words += ["rule older than the data"] * (rule.written == "before")
                item = nodes.paragraph("", "; ".join(filter(None, words)))
                if cell.fails and rule.erratum:
                    errata = self.app.builder.get_relative_uri(self.env.docname, "book/reference/errata")
                    target = f"{errata}#{rule.erratum.lower()}"
                    item += [
                        nodes.Text(", "),
                        nodes.reference("", rule.erratum, internal=True, refuri=target),
                    ]
                items.append(item)
        others = statuses([cell for cell in cells if cell.reading != rules[cell.part].reading])
        if others:
            counts = ", ".join(f"{status} {count}" for status, count in others.items())
            items.append(nodes.paragraph("", f"other readings: {counts}"))
        return [nodes.list_item("", item) for item in items]


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _questions(chosen: pd.DataFrame) -> nodes.table:
    rows = [[id, claim["place"], claim["claim"]] for id, claim in chosen.iterrows()]
    return _table(
        ("question", "place", "what is not known"), (8, 22, 70),
        [_entries([[nodes.Text(text)] for text in row]) for row in rows],
    )  # fmt: skip


def _table(head, widths, rows, kind="csb-ledger") -> nodes.table:
    group = nodes.tgroup(cols=len(widths))
    group += [nodes.colspec(colwidth=width) for width in widths]
    group += nodes.thead("", _entries([nodes.Text(title)] for title in head))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=[kind])


def _entries(cells, kind: str = "") -> nodes.row:
    entries = [nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells]
    return nodes.row("", *entries, classes=[kind] if kind else [])


def add_script(app, pagename, templatename, context, doctree):
    """Pages with a table of claims load the script that sorts and filters it."""
    if doctree and any("csb-ledger" in table["classes"] for table in doctree.findall(nodes.table)):
        app.add_js_file("ledger.js", loading_method="defer")


def setup(app):
    app.add_node(Ledger)
    app.add_node(Tally)
    app.add_node(Count)
    app.add_transform(Counts)
    app.add_directive("claims-ledger", LedgerDirective)
    app.add_directive("claims-tally", TallyDirective)
    app.add_post_transform(FillLedger)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
