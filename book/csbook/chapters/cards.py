"""The card of a method as the book shows it, from the method's row of the registry."""

from __future__ import annotations

import re

import csb
from csb.methods import METHODS, Method, VotingMethod
from csb.methods.calibrated import CalibratedMethod
from csbook.chapters.markup import markdown

__all__ = ["anchor", "card", "families", "formulas", "lessons"]


def anchor(key: str) -> str:
    """Name of the card of a method for references."""
    return key.replace("_", "-")


def families() -> list[str]:
    """Headings of the cards, in the order of the registry.

    Examples
    --------
    >>> families()[:2]
    ['On the exponential loss', 'Costs in the exponent']
    """
    return list(dict.fromkeys(method.family for method in METHODS.values()))


def formulas(method: Method) -> str:
    """What the row says of the method's rules, in Markdown, its loss filled in.

    Examples
    --------
    >>> from csb import METHODS
    >>> print(formulas(METHODS["adaboost"]).splitlines()[0])
    - **First weights**: $D^1_i\\propto1$
    """
    return method.card.strip().replace("<loss>", f"${method.loss}$")


def lessons(method: Method) -> list[str]:
    """Labels of the lessons to which the card refers, itself or by their page of evidence, in its order.

    Examples
    --------
    >>> from csb import METHODS
    >>> lessons(METHODS["adamec"]), lessons(METHODS["adadb"])
    (['ch-decision'], ['ch-gradient'])
    """
    named = re.findall(r"\{ref\}`(?:[^`<]*<)?(ch-[a-z-]+)", method.card)
    return list(dict.fromkeys(label.removesuffix("-evidence") for label in named))


def card(method: Method) -> str:
    """The card in Markdown: a heading, what the row says, and the class.

    Parameters
    ----------
    method : Method
        A row of the registry.

    Returns
    -------
    str
        With references, citations and the place of the computed properties, as MyST writes them.

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
        properties = f"- **Properties**: {{glue:text}}`card-{anchor(method.key)}`"
        text = text.replace("\n- **Fails**", f"\n{properties}\n- **Fails**")
    title = markdown(method.name[0].upper() + method.name[1:])
    return (
        f"(method-{anchor(method.key)})=\n### {title}\n\n:::{{card}}\n{text}\n"
        f"- **In `csb`**: {{py:class}}`csb.{name}`\n:::\n"
    )
