"""The rule by which verdicts follow: every branch by hand, and what it refuses."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

from csb.evaluation.intervals import Interval
from csbook.chapters.verdicts import (
    RULES,
    PartResult,
    Question,
    Rule,
    assess_part,
    decision_rules,
    derive_verdict,
    question_rules,
    tally,
)
from csbook.studies import STUDIES

ROOT = Path(__file__).parents[3]


def rows(name):
    with (ROOT / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


LIST = rows("decision_rules.csv")


def rule(kind, margin=0.0, overlap=0.0, looks=1, erratum=""):
    return Rule("part", "it is so", kind, "what", margin, overlap, looks, "own", erratum)


def spread(mean, half=0.1):
    """Four values with this mean, whose interval of level 0.95 is that and this half-length."""
    return mean + half / (3.182446305284263 / 2) * math.sqrt(3 / 4) * np.array([-1.0, -1.0, 1.0, 1.0])


def test_every_part_has_a_rule_that_is_complete():
    assert len({(row["claim"], row["part"]) for row in LIST}) == len(LIST)
    decided = {row["id"] for row in rows("claims.csv") if row["source"] != "open"}
    assert {row["claim"] for row in LIST} == decided
    labels = (ROOT / "book" / "reference" / "errata.md").read_text("utf-8")
    for row in LIST:
        assert row["rule"] in RULES and row["statement"] and row["quantity"] and row["reading"]
        assert float(row["margin"]) >= 0 and float(row["overlap"]) >= 0 and int(row["looks"]) >= 1
        assert not row["erratum"] or f"({row['erratum'].lower()})=" in labels
        assert row["rule"] != "within" or float(row["margin"]) > 0


def test_the_table_is_what_is_used():
    rules = decision_rules("N16-12")
    (row,) = (row for row in LIST if (row["claim"], row["part"]) == ("N16-12", "CGAda"))
    assert list(rules) == [row["part"] for row in LIST if row["claim"] == "N16-12"]
    assert rules["CGAda"]._asdict() == {
        name: value if isinstance(rules["CGAda"]._asdict()[name], str) else float(value)
        for name, value in row.items() if name != "claim"
    }  # fmt: skip


def test_every_question_of_a_study_has_a_rule_that_is_complete():
    asked = rows("questions.csv")
    assert len({(row["study"], row["rank"], row["question"]) for row in asked}) == len(asked)
    for study in {row["study"] for row in asked}:
        table = question_rules(study)
        assert study in STUDIES and (table["rank"] == "primary").sum() == 1
        assert STUDIES[study].settings["rules"]["sha256"] == table.attrs["sha256"]
    for row in asked:
        assert row["rank"] in {"design", "primary", "secondary", "sensitivity"} and row["text"]
        assert row["written"] in {"before its data", "after its data"}
        if row["rank"] != "design":
            assert row["quantity"] and row["rule"] and int(row["looks"]) >= 1
            assert 0 < float(row["margin"]) and 0 < float(row["share"]) < 1


def test_a_changed_word_changes_the_digest_of_the_rules(monkeypatch, tmp_path):
    text = (ROOT / "data" / "questions.csv").read_text("utf-8")
    (tmp_path / "questions.csv").write_text(text.replace("fewest rounds", "most rounds"), encoding="utf-8")
    before = question_rules("calibration_or_step").attrs["sha256"]
    monkeypatch.setattr("csbook.records.QUESTIONS", tmp_path / "questions.csv")
    assert question_rules("calibration_or_step").attrs["sha256"] != before
    with pytest.raises(ValueError, match="study='shrinkage'"):
        question_rules("shrinkage")


def test_values_with_a_known_interval():
    cell = assess_part(rule("above"), "own", spread(0.3))
    assert (cell.value, cell.low, cell.high) == pytest.approx((0.3, 0.2, 0.4))
    # three degrees of freedom: 3.182 standard errors for the interval, 0.978 more for the power
    assert cell.detectable == pytest.approx(0.1 * (3.182446 + 0.978472) / 3.182446, rel=1e-5)


@pytest.mark.parametrize(
    ("kind", "margin", "mean", "status"),
    [
        ("above", 0.0, 0.11, "holds"), ("above", 0.0, 0.09, "cannot tell"), ("above", 0.0, -0.11, "fails"),
        ("above", 0.2, 0.09, "fails"), ("above", 0.2, 0.11, "holds"), ("above", 0.2, 0.095, "fails"),
        ("above", 0.15, 0.06, "cannot tell"), ("above", 0.15, 0.04, "fails"),
        ("below", 0.0, -0.11, "holds"), ("below", 0.0, -0.09, "cannot tell"), ("below", 0.0, 0.11, "fails"),
        ("below", 0.15, -0.06, "cannot tell"), ("below", 0.15, -0.04, "fails"),
        ("within", 0.2, 0.09, "holds"), ("within", 0.2, -0.09, "holds"), ("within", 0.2, 0.11, "cannot tell"),
        ("within", 0.2, 0.29, "cannot tell"), ("within", 0.2, 0.31, "fails"), ("within", 0.2, -0.31, "fails"),
    ],
)  # fmt: skip
def test_an_interval_of_half_length_a_tenth(kind, margin, mean, status):
    assert assess_part(rule(kind, margin), "own", spread(mean)).status == status


@pytest.mark.parametrize(
    ("kind", "found", "status"),
    [
        ("fact", True, "holds"), ("fact", np.bool_(False), "fails"),
        ("fact", {"a": True, "b": False}, "fails"), ("fact", {"a": True, "b": True}, "holds"),
        ("identity", 1e-13, "holds"), ("identity", np.float64(1e-11), "fails"), ("identity", 0, "holds"),
    ],
)  # fmt: skip
def test_facts_and_identities(kind, found, status):
    assert assess_part(rule(kind, 1e-12), "own", found).status == status


def test_several_comparisons_share_the_error_and_all_must_hold():
    found = {"a": spread(0.3), "b": spread(0.11), "c": spread(-0.5)}
    cell = assess_part(rule("above"), "own", found)
    assert (cell.holds, cell.fails, cell.open, cell.status) == (1, 1, 1, "fails")
    assert cell.value == pytest.approx(-0.5)  # of the one that is farthest from holding
    level = {"a": spread(0.3), "b": spread(0.9, 0.8), "c": spread(0.5)}
    assert assess_part(rule("above"), "own", level).value == pytest.approx(0.9)  # its interval begins lowest
    assert assess_part(rule("below"), "own", {k: -v for k, v in level.items()}).value == pytest.approx(-0.9)
    assert assess_part(rule("within", 9.0), "own", level).value == pytest.approx(0.9)
    assert assess_part(rule("identity", 1.0), "own", {"a": 0.1, "b": 0.3, "c": 0.2}).value == 0.3
    assert assess_part(rule("above"), "own", spread(0.11)).status == "holds"
    assert assess_part(rule("above", looks=2), "own", spread(0.11)).status == "cannot tell"
    assert assess_part(rule("above", overlap=1.0), "own", spread(0.11)).status == "cannot tell"


def test_comparisons_of_a_reading_are_counted_over_the_parts_that_have_it():
    clear = [0.3, 0.3, 0.31]
    parts = {
        "older": {"own": {"a": clear, "b": [-0.3, -0.3, -0.31]}, "other": clear},
        "newer": {"own": {"a": [-0.3, -0.3, -0.31], "b": [0.3, -0.3, 0.1]}},
    }
    assert tally("C13-7", parts, "own") == {"holds": 2, "fails": 1, "open": 1, "all": 4}
    assert tally("C13-7", parts, "other") == {"holds": 1, "fails": 0, "open": 0, "all": 1}


def test_what_is_no_mean_brings_an_interval_of_the_level_asked_for():
    asked = []

    def correlation(level):
        asked.append(level)
        return Interval(0.5, 0.1, 0.8)

    cell = assess_part(rule("above", looks=2), "own", correlation)
    assert asked == [0.975] and cell.status == "holds" and cell.detectable is None


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("fact", 1.0), ("fact", math.nan), ("fact", None), ("fact", {}), ("identity", math.nan),
        ("identity", -1.0), ("identity", math.inf), ("identity", [0.0, 0.0]), ("above", [0.1, math.nan]),
        ("above", [0.1]), ("above", {"a": [0.1, 0.2], "b": [math.nan, 0.2]}), ("above", 0.1),
        ("within", lambda level: Interval(math.nan, math.nan, math.nan)),
    ],
)  # fmt: skip
def test_no_number_no_status(kind, found):
    with pytest.raises(ValueError):
        assess_part(rule(kind, 1.0), "own", found)


def cells(own, others="", erratum=""):
    """Cells of one comparison each, h, f or o; those of ``own`` in the paper's reading."""
    kinds = {"h": (1, 0, 0), "f": (0, 1, 0), "o": (0, 0, 1)}
    rules = {"part": rule("fact", erratum=erratum)}
    made = [PartResult("part", "own", *kinds[kind]) for kind in own]
    return rules, made + [PartResult("part", "other", *kinds[kind]) for kind in others]


@pytest.mark.parametrize(
    ("own", "others", "verdict"),
    [
        ("h", "", "reproduced"), ("hh", "h", "reproduced"), ("h", "o", "reproduced"),
        ("h", "hf", "reproduced in the paper's reading only"), ("hf", "", "in part"), ("ho", "", "in part"),
        ("hf", "hh", "in part"), ("f", "", "not reproduced"), ("ff", "hh", "not reproduced"),
        ("fo", "", "not reproduced"), ("o", "", "cannot be told"), ("oo", "hf", "cannot be told"),
    ],
)  # fmt: skip
def test_the_verdict_follows_from_the_papers_own_reading_first(own, others, verdict):
    assert derive_verdict(*cells(own, others)) == verdict


def test_a_failure_with_an_erratum_is_false_as_mathematics_unless_another_part_holds():
    assert derive_verdict(*cells("f", erratum="E-L01")) == "false as mathematics"
    assert derive_verdict(*cells("fo", erratum="E-L01")) == "false as mathematics"
    assert derive_verdict(*cells("fh", erratum="E-L01")) == "in part"
    assert derive_verdict(*cells("h", "f", erratum="E-L01")) == "reproduced in the paper's reading only"


@pytest.mark.parametrize(
    ("values", "decision"),
    [
        ([0.02, 0.021, 0.019], "higher"), ([-0.02, -0.021, -0.019], "lower"), ([1e-3, 0.0, -1e-3], "equal"),
        ([0.02, -0.02, 0.0], "open"), ([0.0011, 0.001, 0.0012], "equal"),
    ],
)  # fmt: skip
def test_a_question_is_answered_by_intervals_that_share_the_error(values, decision):
    differences = {"first": values, "second": [0.0, 0.1, 0.2]}
    table = Question("q", "?", "!", dict, 0.005).answer(differences)
    half = student.ppf(1 - 0.05 / 2 / 2, 2) * np.std(values, ddof=1) / np.sqrt(3)
    mean = np.mean(values)
    np.testing.assert_allclose(table.loc["first", ["mean", "low", "high"]].astype(float),
                               [mean, mean - half, mean + half], atol=1e-15)  # fmt: skip
    assert table["decision"].to_dict() == {"first": decision, "second": "open"}


def test_each_difference_may_have_a_margin_of_its_own():
    values = [1e-3, 0.0, -1e-3]
    question = Question("q", "?", "!", dict, lambda data: {"wide": 0.005, "narrow": 0.001})
    found = question.answer({"wide": values, "narrow": values})["decision"]
    assert found.to_dict() == {"wide": "equal", "narrow": "open"}
