"""Table 4 of Nikolaou et al. (2016), computed: every method, every property."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from tqdm import tqdm

from csb.estimators import CalibratedAdaMEC, CalibratedAsymAda, CalibratedCGAda, CostSensitiveBoosting
from csb.inputs import check_flag, check_instance, check_jobs
from csb.methods import METHODS, VARIANTS
from csbook.inputs import read_list
from csbook.theory.properties.asymmetry import decide_asymmetry
from csbook.theory.properties.calibrated import decide_calibration
from csbook.theory.properties.cost import decide_cost
from csbook.theory.properties.evidence import Finding, read_variant
from csbook.theory.properties.fgd import decide_descent

__all__ = ["Reading", "compare", "decide_all", "methods", "name_of_printed", "verdicts"]

CALIBRATED = {cls._method.base.key: cls for cls in (CalibratedAdaMEC, CalibratedCGAda, CalibratedAsymAda)}

OTHER_READINGS = (
    ("adamec", {"rule": "vote"}),
    ("asymada", {"form": "paper"}),
    ("adac1", {"init": "uniform"}),
    ("adac1", {"alpha": "fgd"}),
    ("adac2", {"init": "uniform"}),
    ("adac3", {"init": "uniform"}),
    ("asyb", {"form": "paper"}),
    ("adauboost", {"form": "paper"}),
    ("adauboost", {"init": "uniform"}),
)
"""Options under which a method is another reading of what was printed, or a repair of it."""


@dataclass(frozen=True)
class Reading:
    """A row of the table.

    Attributes
    ----------
    variant : str
        Key of the variant.
    options : mapping
        Its options, where they are not the default.
    calibrated : bool
        Whether its score is calibrated.
    """

    variant: str
    options: Mapping[str, str] = field(default_factory=dict)
    calibrated: bool = False

    def __post_init__(self) -> None:
        check_instance("options", self.options, Mapping)
        read_variant(self.variant, self.options)
        if check_flag("calibrated", self.calibrated) and self.variant not in CALIBRATED:
            raise ValueError(f"calibrated=True: allowed is a variant of {', '.join(CALIBRATED)}")

    @property
    def name(self) -> str:
        """As it is printed."""
        name = METHODS[f"calibrated_{self.variant}" if self.calibrated else self.variant].name
        chosen = ", ".join(f"{option}={value!r}" for option, value in self.options.items())
        return name + (f" ({chosen})" if chosen else "")

    @property
    def estimator(self) -> BaseEstimator:
        """The method as a classifier, not fitted."""
        if self.calibrated:
            return CALIBRATED[self.variant]()
        return CostSensitiveBoosting(variant=self.variant, options=dict(self.options))

    def decide(self) -> tuple[Finding, ...]:
        """All properties. Calibration maps the score; it does not touch weights and votes."""
        return (
            *decide_descent(self.variant, self.options),
            decide_cost(self.variant, self.options, calibration="sigmoid" if self.calibrated else None),
            decide_asymmetry(self.variant, self.options),
            decide_calibration(self.estimator),
        )


def methods() -> list[Reading]:
    """All rows: each variant of the registry, other readings of some, and the calibrated methods.

    Examples
    --------
    >>> [method.name for method in methods()][:2]
    ['AdaBoost', 'AdaMEC']
    """
    readings = [Reading(key, options) for key, options in OTHER_READINGS]
    return [*map(Reading, VARIANTS), *readings, *(Reading(key, calibrated=True) for key in CALIBRATED)]


def decide_all(
    rows: Iterable[Reading] | None = None, n_jobs: int | None = None, progress: bool = False
) -> dict[str, tuple[Finding, ...]]:
    """Decide all properties of the methods.

    Parameters
    ----------
    rows : iterable of Reading, optional
        All of :func:`methods` by default.
    n_jobs : int, optional
        Processes, as joblib counts them.
    progress : bool, default False
        Show a progress bar on stderr.

    Returns
    -------
    dict of str to tuple of Finding
        By the name of the method.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> decide_all([Reading("adaboost")])["AdaBoost"][1].verdict
    'yes'
    """
    rows = methods() if rows is None else read_list("rows", rows)
    for row in rows:
        check_instance("rows", row, Reading)
    n_jobs = check_jobs("n_jobs", n_jobs)
    check_flag("progress", progress)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(Reading.decide)(row) for row in rows)
    bar = tqdm(found, total=len(rows), disable=not progress, unit="method")
    return dict(zip((row.name for row in rows), bar, strict=True))


def verdicts(findings: Mapping[str, Iterable[Finding]]) -> pd.DataFrame:
    """The table: a row for each method, a column for each property.

    Raises
    ------
    ValueError
        If ``findings`` is not what :func:`decide_all` gives.

    Examples
    --------
    >>> verdicts(decide_all([Reading("adaboost")])).loc["AdaBoost", "cost-consistent"]
    'no'
    """
    findings = _read_findings(findings)
    rows = {name: {each.property: each.verdict for each in found} for name, found in findings.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


def _read_findings(findings: Mapping[str, Iterable[Finding]]) -> dict[str, list[Finding]]:
    check_instance("findings", findings, Mapping)
    read = {name: read_list("findings", found) for name, found in findings.items()}
    for found in read.values():
        for each in found:
            check_instance("findings", each, Finding)
    return read


PRINTED_AS = {
    "FGD-consistent": "fgd_consistent",
    "cost-consistent": "cost_consistent",
    "asymmetry-preserving": "asymmetry_preserving",
    "calibrated": "calibrated_estimates",
}


def name_of_printed(printed: str) -> str:
    """Name in the registry of a method as the table prints it."""
    check_instance("printed", printed, str)
    base, calibrated = printed.removeprefix("Calibrated ").replace("beta2", "β₂"), printed.startswith("Cal")
    return f"{base}, calibrated" if calibrated else base


def compare(findings: Mapping[str, Iterable[Finding]], printed: pd.DataFrame) -> pd.DataFrame:
    """Computed beside printed verdicts, cell by cell.

    Parameters
    ----------
    findings : mapping
        From :func:`decide_all`.
    printed : DataFrame
        Table 4 of the paper: a row for each method, with columns ``method``, ``fgd_consistent``,
        ``cost_consistent``, ``asymmetry_preserving`` and ``calibrated_estimates``, ones and zeros.

    Returns
    -------
    DataFrame
        Columns ``method``, ``property``, ``printed``, ``computed`` and ``agrees``, which is true where the
        property holds, be it weakly, and a one is printed, or fails and a zero is printed.

    Raises
    ------
    ValueError
        If a printed method is not among the findings, or an argument is not admissible.
    """
    findings = _read_findings(findings)
    check_instance("printed", printed, pd.DataFrame)
    missing = {"method", *PRINTED_AS.values()} - {*printed.columns}
    if missing:
        raise ValueError(f"printed has no column {', '.join(sorted(missing))}: needed are all of Table 4")
    rows = []
    for line in printed.to_dict("records"):
        name = name_of_printed(line["method"])
        if name not in findings:
            raise ValueError(f"printed method {name!r}: allowed are those decided: {', '.join(findings)}")
        for finding in findings[name]:
            if finding.property in PRINTED_AS:
                holds = bool(line[PRINTED_AS[finding.property]])
                agrees = finding.holds == holds and finding.verdict != "depends"
                rows.append((name, finding.property, "yes" if holds else "no", finding.verdict, agrees))
    return pd.DataFrame(rows, columns=["method", "property", "printed", "computed", "agrees"])
