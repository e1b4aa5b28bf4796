"""The card of a method as the book shows it: its text in ``cards.md`` and its row of the registry.

The links of the texts lead from the page of the cards, ``book/reference/methods.ipynb``.
"""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode

import csb
from csb.methods import METHODS, Method, VotingMethod
from csb.methods.wrappers import CalibratedMethod
from csbook.chapters.markup import markdown

__all__ = ["anchor", "card", "families", "family", "formulas", "has_card", "lessons", "renew_cards"]


def anchor(key: str) -> str:
    """Name of the card of a method for references."""
    return key.replace("_", "-")


def _read() -> tuple[dict[str, str], dict[str, str]]:
    """Text and family of each card, by the key of its method."""
    texts, families, family = {}, {}, ""
    for part in re.split(r"(?m)^(?=##? )", CARDS.read_text(encoding="utf-8"))[1:]:
        heading, _, text = part.partition("\n")
        if heading.startswith("# "):
            family = heading.removeprefix("# ")
            continue
        for key in heading.removeprefix("## ").split():
            texts[key], families[key] = text.strip(), family
    return texts, families


CARDS = Path(__file__).with_suffix(".md")
TEXTS, FAMILIES = _read()
OTHERS = "Others"
"""Family of methods without a card."""


def family(method: Method) -> str:
    """Heading under which the card of a method stands.

    Examples
    --------
    >>> from csb import METHODS
    >>> family(METHODS["cgada"])
    'On the exponential loss'
    """
    return FAMILIES.get(method.key, OTHERS)


def has_card(method: Method) -> bool:
    """Whether the book has a text on the method; without one it is in the tables only.

    Examples
    --------
    >>> from csb import METHODS
    >>> has_card(METHODS["cgada"])
    True
    """
    return method.key in TEXTS


def families() -> list[str]:
    """Headings of the cards, in their order.

    Examples
    --------
    >>> families()[:2]
    ['On the exponential loss', 'Costs in the exponent']
    """
    return list(dict.fromkeys(FAMILIES.values()))


def formulas(method: Method) -> str:
    """What the card says of the method's rules, in Markdown, its loss filled in; without a card, its source.

    Examples
    --------
    >>> from csb import METHODS
    >>> print(formulas(METHODS["adaboost"]).splitlines()[0])
    - **First weights**: $D^1_i\\propto1$
    """
    bare = f"- **Loss**: <loss>\n- **Source**: {method.paper}; {method.equations}"
    return TEXTS.get(method.key, bare).replace("<loss>", f"${method.loss}$")


def lessons(method: Method) -> list[str]:
    """Pages to which the card refers, those of evidence by their lesson, in its order.

    Examples
    --------
    >>> from csb import METHODS
    >>> lessons(METHODS["adamec"]), lessons(METHODS["adadb"])
    (['views/decision_theory'], ['views/gradient_descent'])
    """
    named = re.findall(r"\]\(\.\./(\w+/\w+)\.ipynb", formulas(method))
    return list(dict.fromkeys(page.removesuffix("_evidence") for page in named))


def card(method: Method) -> str:
    """The card in Markdown: a heading, what the row says, and the class.

    Parameters
    ----------
    method : Method
        A row of the registry.

    Returns
    -------
    str
        With links, and the place of the computed properties.

    Examples
    --------
    >>> from csb import METHODS
    >>> print("\\n".join(card(METHODS["adaboost"]).splitlines()[:5]))
    (method-adaboost)=
    ### AdaBoost
    <BLANKLINE>
    :::{card}
    - **First weights**: $D^1_i\\propto1$
    """
    public = vars(csb.estimators).items()
    classes = {each._method.key: name for name, each in public if hasattr(each, "_method")}
    name = classes.get(method.key, "CostSensitiveBoosting")
    text = formulas(method)
    if isinstance(method, (VotingMethod, CalibratedMethod)):
        properties = f"- **Properties**: <!--card-{anchor(method.key)}--><!--/-->"
        text = text.replace("\n- **Fails**", f"\n{properties}\n- **Fails**")
    title = markdown(method.name[0].upper() + method.name[1:])
    return (
        f"(method-{anchor(method.key)})=\n### {title}\n\n:::{{card}}\n{text}\n"
        f"- **In `csb`**: `csb.{name}`\n:::\n"
    )


def renew_cards(notebook: NotebookNode) -> None:
    """Write the cards anew where a cell holds those of a family.

    Parameters
    ----------
    notebook : NotebookNode
        Changed in place; the computed properties are left out, which a run of the notebook fills in.
    """
    for cell in notebook.cells:
        if key := re.match(r"\(method-([\w-]+)\)=", cell.source):
            (of,) = (family(method) for method in METHODS.values() if anchor(method.key) == key[1])
            cell.source = "\n".join(card(each) for each in METHODS.values() if family(each) == of).rstrip()
