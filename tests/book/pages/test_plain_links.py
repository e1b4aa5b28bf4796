"""Plain Markdown becomes citations, numbers and links, and words that contradict them are found."""

import re
from pathlib import Path

import pytest

pytest.importorskip("myst_nb", reason="the book's packages are not installed")

from sphinx.testing.util import SphinxTestApp  # noqa: E402

EXT = Path(__file__).parents[3] / "book" / "_ext"
CONF = f"""import sys
sys.path.insert(0, {str(EXT)!r})
extensions = ["myst_nb", "sphinxcontrib.bibtex", "sphinx_proof", "sphinx.ext.autodoc", "links"]
source_suffix = {{".md": "myst-nb"}}
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "off"
bibtex_bibfiles = ["book/references.bib"]
bibtex_reference_style = "author_year"
numfig = True
math_number_all = False
"""
THEORY = """# Theory

(a-place)=
## A place

$$
x = 1
$$ (eq-theory-x)

```{prf:theorem}
:label: theory-first

It holds.
```

```{eval-rst}
.. py:module:: csb

.. py:data:: METHODS
```
"""
BIB = """@article{elkan2001, author = {Elkan, Charles}, title = {A}, journal = {B}, year = {2001}}
@article{cao2013, author = {Cao, C. and Wei, B. and Niu, Y.}, title = {A}, journal = {B}, year = {2013}}
"""


@pytest.fixture
def page(tmp_path):
    """What a text becomes beside the page above, and the warnings."""
    (tmp_path / "book").mkdir()
    files = {
        "conf.py": CONF, "book/references.bib": BIB, "book/theory.md": THEORY,
        "book/bibliography.md": "# Bibliography\n\n```{bibliography}\n:all:\n```\n",
        "index.md": "# Index\n\n```{toctree}\n:numbered:\n\nbook/text\nbook/theory\nbook/bibliography\n```\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")

    def build(text):
        (tmp_path / "book" / "text.md").write_text(f"# Text\n\n{text}\n", "utf-8")
        app = SphinxTestApp(srcdir=tmp_path)
        app.build()
        html = (app.outdir / "book" / "text.html").read_text("utf-8")
        warnings = [line for line in app.warning.getvalue().splitlines() if "text.md" in line]
        app.cleanup()
        (body,) = re.findall(r'(?s)<section [^>]*id="text">.*?</h1>(.*?)</section>', html)
        return body, warnings

    return build


@pytest.mark.parametrize(
    "text, said, address",
    [
        ("[Cao et al. [2013]](bibliography.md#cao2013)", "Cao et al. [2013]", r"bibliography\.html#id\d"),
        ("see [[Elkan, 2001](bibliography.md#elkan2001)]", "see [Elkan, 2001]", r"bibliography\.html#id\d"),
        ("Eq. [(2.1)](theory.md#eq-theory-x)", "Eq. (2.1)", r"theory\.html#equation-eq-theory-x"),
        ("[Theorem 2.1](theory.md#theory-first)", "Theorem 2.1", r"theory\.html#theory-first"),
        ("[a theorem](theory.md#theory-first)", "a theorem", r"theory\.html#theory-first"),
        ("[there](theory.md#a-place)", "there", r"theory\.html#a-place"),
        ("`csb.METHODS` has it", "csb.METHODS has it", r"theory\.html#csb\.METHODS"),
        ("costs <!--euro-->9<!--/--> euro", "costs 9 euro", None),
    ],
)
def test_plain_markdown(page, text, said, address):
    body, warnings = page(text)
    assert warnings == [] and "<!--" not in body
    assert " ".join(re.sub("<[^>]*>", "", body).split()) == said
    assert address is None or re.search(f'href="{address}"', body)


@pytest.mark.parametrize(
    "text, written, meant",
    [
        ("[Cao [2013]](bibliography.md#cao2013)", "Cao [2013]", "Cao et al. [2013]"),
        ("[[Elkan, 2002](bibliography.md#elkan2001)]", "Elkan, 2002", "Elkan, 2001"),
        ("[(2)](theory.md#eq-theory-x)", "(2)", "(2.1)"),
        ("[Theorem 2.2](theory.md#theory-first)", "Theorem 2.2", "Theorem 2.1"),
    ],
)
def test_words_that_contradict_fail_the_build(page, text, written, meant):
    _, (warning,) = page(text)
    assert f"{written!r} is written where {meant!r} is meant" in warning


def test_a_label_that_is_nowhere_fails_the_build(page):
    _, (warning,) = page("[there](theory.md#no-place)")
    assert "no-place" in warning
