"""What classifiers do with bad input: csb, scikit-learn and, if it is installed, LightGBM, side by side."""

from csbook.chapters.bad_input.cases import CASES, Case
from csbook.chapters.bad_input.deciding import MARGIN, VERDICTS, Outcome, Trial, decide
from csbook.chapters.bad_input.library import ROUNDS, Library, libraries, variants
from csbook.chapters.bad_input.outcomes import counts, decide_all, named
from csbook.chapters.bad_input.table import draw_counts, draw_reasons, draw_table

__all__ = [
    "CASES", "MARGIN", "ROUNDS", "VERDICTS", "Case", "Library", "Outcome", "Trial", "counts", "decide",
    "decide_all", "draw_counts", "draw_reasons", "draw_table", "libraries", "named", "variants",
]  # fmt: skip
