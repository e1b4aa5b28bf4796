"""One page for each estimator of ``csb``, written when the book is built, and tables of them all.

``sphinx.ext.autosummary`` would write pages too, but with a table of contents of its own beside ``_toc.yml``.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import csb
from csb.methods import Method
from csbook.chapters.cards import anchor, families, family, formulas, has_card, lessons
from csbook.chapters.markup import markdown

FOLDER = "book/api/estimators"
OTHER = "With any of them, or any classifier"


def estimators() -> list[str]:
    """Names of all public classes, in the order of their list."""
    return [name for name in csb.__all__ if inspect.isclass(getattr(csb, name))]


def method_of(name: str) -> Method | None:
    """Row of the registry; estimators that are made around another method have none."""
    return getattr(getattr(csb, name), "_method", None)


def row(method: Method) -> str:
    """What the registry knows of a method, in Markdown."""
    place = f", {{ref}}`its card <method-{anchor(method.key)}>` beside the others" if has_card(method) else ""
    taught = ", ".join(f"[](../../{page}.ipynb)" for page in lessons(method))
    rules = re.sub(r"\]\((?=[\w.])", "](../../reference/", formulas(method))
    act = {"training": "in training", "decision": "at the decision", "never": "never"}[method.costs_act]
    return (
        f':::{{card}} `METHODS["{method.key}"]`\n'
        f"- **Method**: {markdown(method.name)}{place}\n"
        f"- **Paper**: {markdown(method.paper)}; {markdown(method.equations)}\n"
        f"- **Family**: {markdown(family(method))}\n"
        f"- **Costs act** {act}\n"
        f"{rules}\n"
        f"- **Lessons**: {taught or 'none'}\n:::\n"
    )


def page(name: str) -> str:
    """Source of the page of an estimator."""
    method = method_of(name)
    return "\n".join(
        (
            f"# {name}\n",
            row(method) if method else "",
            "```{eval-rst}",
            f".. autoclass:: csb.{name}",
            "   :members:",
            "   :inherited-members: ClassifierMixin, BaseEstimator, _MetadataRequester",
            "```\n",
        )
    )


def write_pages(app) -> None:
    """The pages of today's estimators; what stands as it should keeps its date, so nothing is built twice."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True, parents=True)
    pages = {folder / f"{name}.md": page(name) for name in estimators()}
    for old in set(folder.iterdir()) - set(pages):
        old.unlink()
    for path, text in pages.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def tables() -> str:
    """Every estimator with the first line of its description, family by family, in Markdown."""
    rows: dict[str, list[str]] = {}
    for name in estimators():
        method = method_of(name)
        summary = inspect.getdoc(getattr(csb, name)).partition("\n")[0].replace("``", "`")
        line = f"| {{py:class}}`~csb.{name}` | {summary} |\n"
        rows.setdefault(family(method) if method and has_card(method) else OTHER, []).append(line)
    head = ":::{table}\n:class: estimators\n\n| class | what it is |\n|---|---|\n"
    return "\n".join(f"### {family}\n\n{head}{''.join(rows[family])}:::\n" for family in [*families(), OTHER])


class EstimatorTables(SphinxDirective):
    """The tables of all estimators."""

    def run(self):
        lines = StringList(tables().splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, self.state_machine.node, match_titles=True)
        return []


def setup(app):
    app.connect("builder-inited", write_pages)
    app.add_directive("estimator-tables", EstimatorTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
