"""What classifiers do with bad input: csb, scikit-learn and, if it is installed, LightGBM, side by side."""

from csbook.chapters.bad_input.cases import CASES, ROUNDS, Case, Library, libraries, variants
from csbook.chapters.bad_input.outcomes import counts, draw_counts, draw_reasons, draw_table, named, try_all
from csbook.chapters.bad_input.trials import MARGIN, VERDICTS, Outcome, Trial, try_input

__all__ = [
    "CASES", "MARGIN", "ROUNDS", "VERDICTS", "Case", "Library", "Outcome", "Trial", "counts", "draw_counts",
    "draw_reasons", "draw_table", "libraries", "named", "try_all", "try_input", "variants",
]  # fmt: skip
