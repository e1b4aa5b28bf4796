"""The property table: every printed cell, agreement or a difference with its erratum; the command."""

import pytest

from csbook.records import published
from csbook.theory.properties import compare, decide_all, methods, table, verdicts
from csbook.theory.properties.cli import main

PRINTED = published("n16_table_4")

# What differs from the printed table: the verdict, the erratum, and the number in the evidence that shows it.
DIFFERENCES = {
    ("AdaC1", "cost-consistent"): ("no", "E-N17", lambda e: e["declared"] == "yes" and e["misfit"] > 0.3),
    ("AdaCost", "asymmetry-preserving"): ("yes", "E-N14", lambda e: e["log_ratio_losses"] > 1),
    ("AdaCost(β₂)", "asymmetry-preserving"): ("yes", "E-N14", lambda e: e["log_ratio_losses"] > 1),
    ("AdaC3", "asymmetry-preserving"): ("depends", "E-N12", lambda e: e["found_losses"] == "costs 5:1"),
    ("CSB0", "asymmetry-preserving"): ("depends", "E-N12", lambda e: e["found_weights"] == "costs 5:2.5"),
    ("CSB1", "asymmetry-preserving"): (
        "depends",
        "E-N12",
        lambda e: e["log_ratio_weights_same_history"] > 0.6,
    ),
    ("CSB2", "asymmetry-preserving"): ("depends", "E-N12", lambda e: e["found_weights"] == "costs 5:2.5"),
}


ROWS = {row.name: row for row in methods()}


@pytest.fixture(scope="module")
def decided():
    return decide_all(ROWS[table.name_of_printed(name)] for name in PRINTED["method"])


@pytest.mark.deep
def test_printed_table_has_17_methods_and_4_properties(decided):
    assert compare(decided, PRINTED).shape == (17 * 4, 5)


@pytest.mark.deep
@pytest.mark.parametrize("method", [table.name_of_printed(name) for name in PRINTED["method"]])
@pytest.mark.parametrize("column", table.PRINTED_AS)
def test_each_printed_cell(decided, method, column):
    cells = compare(decided, PRINTED).set_index(["method", "property"])
    cell = cells.loc[(method, column)]
    if (method, column) not in DIFFERENCES:
        assert cell["agrees"], cell["computed"]
        return
    verdict, _, shown = DIFFERENCES[method, column]
    finding = next(each for each in decided[method] if each.property == column)
    assert not cell["agrees"]
    assert finding.verdict == verdict
    assert shown(finding.evidence)


@pytest.mark.deep
def test_weak_agreement(decided):
    weak = {name for name, found in decided.items() if found[1].verdict == "weak"}
    assert weak == {"AdaC2", "AsymAda", "AsymAda, calibrated"}  # E-N11


def test_names_of_rows_are_unique_and_named_by_option():
    assert len(ROWS) == len(methods())
    assert {"AdaMEC (rule='vote')", "CGAda, calibrated"} <= ROWS.keys()


def test_table_and_comparison():
    found = decide_all([ROWS["AdaBoost"], ROWS["CSAda"]])
    shown = verdicts(found)
    assert list(shown.index) == ["AdaBoost", "CSAda"]
    assert shown.loc["CSAda"].tolist() == ["yes", "yes", "yes", "no", "no"]
    with pytest.raises(ValueError, match="printed method 'CGAda'"):
        compare(found, PRINTED[PRINTED["method"] == "CGAda"])
    wrong = PRINTED[PRINTED["method"] == "CSAda"].assign(cost_consistent=0)
    cells = compare(found, wrong).set_index("property")["agrees"]
    assert cells.to_dict() == {
        "FGD-consistent": True, "cost-consistent": False, "asymmetry-preserving": True, "calibrated": True,
    }  # fmt: skip


def test_command(capsys):
    assert main(["csb0", "--workers", "1"]) == 0
    printed = capsys.readouterr()
    assert "CSB0" in printed.out and "affine_residual" in printed.out and "calibrated: no" in printed.out
    assert "100%" in printed.err
    assert main(["csb0", "--workers", "1", "--table-only"]) == 0
    assert "affine_residual" not in capsys.readouterr().out
    assert main(["csb0", "--workers", "0"]) == 1
    assert "workers=0" in capsys.readouterr().err
    assert main(["cgadda"]) == 1
    assert "nearest is 'cgada'" in capsys.readouterr().err
