"""The properties of Table 4 of Nikolaou et al. (2016), decided from the implementation itself."""

from csbook.theory.properties.asymmetry import decide_asymmetry
from csbook.theory.properties.calibrated import decide_calibration
from csbook.theory.properties.cost import decide_cost, random_distributions
from csbook.theory.properties.evidence import Finding, Histories, impose, random_problems
from csbook.theory.properties.fgd import decide_declared_loss, decide_descent, decide_fgd
from csbook.theory.properties.table import Reading, compare, decide_all, methods, verdicts

__all__ = [
    "Finding", "Histories", "Reading", "compare", "decide_all", "decide_asymmetry", "decide_calibration",
    "decide_cost", "decide_declared_loss", "decide_descent", "decide_fgd", "impose", "methods",
    "random_distributions", "random_problems", "verdicts",
]  # fmt: skip
