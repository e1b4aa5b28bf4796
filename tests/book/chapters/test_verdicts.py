"""The rule by which verdicts follow: every branch by hand, and what it refuses."""

import csv
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from csb.evaluation.intervals import Interval
from csbook.chapters.verdicts import (
    KINDS,
    RULES,
    VERDICTS,
    PartResult,
    Question,
    Rule,
    assess_part,
    assess_printed,
    census,
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
    return Rule("part", "it is so", kind, "what", margin, overlap, looks, "own", erratum, "after")


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
        assert row["rule"] not in ("most", "all") or 0 < float(row["margin"]) < 0.5
        assert row["written"] in ("before", "after")


def test_every_kind_of_claim_is_known():
    assert {row["kind"] for row in rows("claims.csv")} == {*KINDS, "question"}


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
        ("above", 0.0, 0.11, "holds"), ("above", 0.0, 0.09, "open"), ("above", 0.0, -0.11, "fails"),
        ("above", 0.2, 0.09, "fails"), ("above", 0.2, 0.11, "holds"), ("above", 0.2, 0.095, "fails"),
        ("above", 0.15, 0.06, "open"), ("above", 0.15, 0.04, "fails"),
        ("below", 0.0, -0.11, "holds"), ("below", 0.0, -0.09, "open"), ("below", 0.0, 0.11, "fails"),
        ("below", 0.15, -0.06, "open"), ("below", 0.15, -0.04, "fails"),
        ("within", 0.2, 0.09, "holds"), ("within", 0.2, -0.09, "holds"), ("within", 0.2, 0.11, "open"),
        ("within", 0.2, 0.29, "open"), ("within", 0.2, 0.31, "fails"), ("within", 0.2, -0.31, "fails"),
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
    assert assess_part(rule("above", looks=2), "own", spread(0.11)).status == "open"
    assert assess_part(rule("above", overlap=1.0), "own", spread(0.11)).status == "open"


def test_comparisons_of_a_reading_are_counted_over_the_parts_that_have_it():
    clear = [0.3, 0.3, 0.31]
    parts = {
        "AdaBoostC": {"own": {"a": clear, "b": [-0.3, -0.3, -0.31]}, "other": clear},
        "AsyBoosting": {"own": {"a": clear, "b": [0.3, -0.3, 0.1]}},
    }
    assert tally("C13-2", parts, "own") == {"holds": 2, "fails": 1, "open": 1, "all": 4}
    assert tally("C13-2", parts, "other") == {"holds": 1, "fails": 0, "open": 0, "all": 1}


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
        ("fact", 1.0), ("fact", math.nan), ("identity", None), ("fact", {}), ("identity", math.nan),
        ("identity", -1.0), ("identity", math.inf), ("identity", [0.0, 0.0]), ("above", [0.1, math.nan]),
        ("above", [0.1]), ("above", {"a": [0.1, 0.2], "b": [math.nan, 0.2]}), ("above", 0.1),
        ("within", lambda level: Interval(math.nan, math.nan, math.nan)),
    ],
)  # fmt: skip
def test_no_number_no_status(kind, found):
    with pytest.raises(ValueError):
        assess_part(rule(kind, 1.0), "own", found)


def by_set(*means, half=0.1):
    return {f"set {number}": spread(mean, half) for number, mean in enumerate(means)}


@pytest.mark.parametrize(
    ("kind", "means", "status"),
    [
        ("most", [1.0] * 5, "holds"),  # 1/32
        ("most", [1.0] * 4, "open"),  # 1/16
        ("most", [1.0] * 7 + [-1.0], "holds"),  # 9/256
        ("most", [1.0] * 6 + [-1.0] * 2, "open"), ("most", [-1.0] * 5, "fails"),
        ("most", [1.0] * 5 + [0.0], "holds"),  # a tie speaks for neither
        ("most", [0.0] * 5, "open"),
        ("all", [1.0] * 5, "holds"), ("all", [1.0] * 7 + [-1.0], "fails"),
        ("all", [1.0] * 7 + [-0.01], "holds"),  # below, and not surely so
        ("all", [1.0] * 3 + [-1.0], "fails"), ("all", [-0.01] * 5, "fails"),
    ],
)  # fmt: skip
def test_a_sign_test_over_sets_and_whether_one_is_surely_below(kind, means, status):
    cell = assess_part(rule(kind, 0.05), "own", by_set(*means))
    assert cell.status == status
    apart = [mean for mean in means if mean]
    if apart:
        assert cell.value == pytest.approx(np.mean(np.array(apart) > 0))
        assert (cell.low > 0.5) == (np.sum(np.array(apart) > 0) > 0 and holds_by_signs(apart))
    else:
        assert cell.value is None


def holds_by_signs(means):
    "The tail of the binomial by hand."
    n, k = len(means), sum(mean > 0 for mean in means)
    return sum(math.comb(n, j) for j in range(k, n + 1)) / 2**n < 0.05


def test_what_is_surely_below_shares_its_error_with_all_sets_and_rivals():
    sure = {"set": spread(-0.11)} | {f"set {n}": spread(1.0) for n in range(7)}
    assert assess_part(rule("all", 0.05), "own", sure).status == "holds"  # 0.05 / 8
    assert assess_part(rule("all", 0.05), "own", {"a": sure, "b": sure}).holds == 2
    sure["set"] = spread(-0.5)
    cell = assess_part(rule("all", 0.05), "own", {"a": sure, "b": by_set(*[1.0] * 5)})
    assert (cell.holds, cell.fails, cell.open) == (1, 1, 0)


def test_single_numbers_by_set_have_no_interval():
    assert (
        assess_part(rule("all", 0.05), "own", dict.fromkeys("abcdefg", 1.0) | {"h": -9.0}).status == "holds"
    )
    with pytest.raises(ValueError, match="finite"):
        assess_part(rule("all", 0.05), "own", {"a": 1.0, "b": math.nan})


def test_what_cannot_be_compared_stays_open():
    cell = assess_part(rule("above"), "own", {"a": spread(1.0), "b": None})
    assert (cell.holds, cell.fails, cell.open) == (1, 0, 1)
    assert assess_part(rule("above"), "own", None).status == "open"
    assert assess_part(rule("fact"), "own", None).status == "open"


@pytest.mark.parametrize(
    ("kind", "margin", "found", "counts"),
    [
        ("above", 0.0, 0.1, (1, 0, 0)), ("above", 0.0, -0.1, (0, 1, 0)), ("below", 0.0, -0.1, (1, 0, 0)),
        ("within", 1.0, 0.9, (1, 0, 0)), ("within", 1.0, {"a": 1.1, "b": 0.0}, (1, 1, 0)),
        ("above", 0.0, spread(0.05), (0, 0, 1)), ("fact", 0.0, True, (1, 0, 0)),
        ("all", 0.05, dict.fromkeys("abcdefgh", 1.0), (1, 0, 0)),
    ],
)  # fmt: skip
def test_a_printed_mean_is_taken_as_it_is(kind, margin, found, counts):
    cell = assess_printed(rule(kind, margin), found)
    assert (cell.holds, cell.fails, cell.open) == counts and cell.reading == "in print"
    assert (cell.low is None) == (kind in ("above", "below", "within", "fact") and np.shape(found) != (4,))


def cells(own, others="", erratum=""):
    """A cell a part, with a comparison a letter, h, f or o; those of ``own`` in the paper's reading."""
    parts = own.split()
    rules = {f"part {n}": rule("fact", erratum=erratum) for n in range(len(parts))}

    def cell(number, reading, kinds):
        return PartResult(f"part {number}", reading, *(kinds.count(kind) for kind in "hfo"))

    made = [cell(number, "own", kinds) for number, kinds in enumerate(parts)]
    return rules, made + [cell(0, "other", kinds) for kinds in others.split()]


@pytest.mark.parametrize(
    ("own", "others", "verdict"),
    [
        ("h", "", "reproduced"), ("hh h", "h", "reproduced"), ("h", "o", "reproduced"),
        ("h", "h hf", "reproduced in the paper's reading only"), ("h f", "", "in part"),
        ("h o", "", "in part"), ("h f", "hh", "in part"), ("f", "", "not reproduced"),
        ("f f", "hh", "not reproduced"),
        ("f o", "", "not reproduced"), ("o", "", "cannot be told"), ("o o", "hf", "cannot be told"),
        # one comparison of many makes no part
        ("hf", "", "not reproduced"), ("hhhhf", "", "not reproduced"), ("ho", "", "cannot be told"),
        ("hf ho", "", "not reproduced"), ("hhhf h", "", "in part"),
    ],
)  # fmt: skip
def test_the_verdict_follows_from_the_parts_in_the_papers_own_reading(own, others, verdict):
    assert derive_verdict(*cells(own, others)) == verdict


def test_a_failure_with_an_erratum_is_false_as_mathematics_unless_another_part_holds():
    assert derive_verdict(*cells("f", erratum="E-L01")) == "false as mathematics"
    assert derive_verdict(*cells("f o", erratum="E-L01")) == "false as mathematics"
    assert derive_verdict(*cells("f h", erratum="E-L01")) == "in part"
    assert derive_verdict(*cells("h", "f", erratum="E-L01")) == "reproduced in the paper's reading only"


def decided(kind, id, own, others=()):
    """A claim as the table has it; ``own`` has the counts of its parts in the paper's own reading."""
    rules = decision_rules(id)
    made = [PartResult(part, rules[part].reading, *of) for part, of in zip(rules, own, strict=True)]
    made += [PartResult(part, "another reading", *of) for part, of in zip(rules, others, strict=False)]
    return {"id": id, "kind": kind, "verdict": derive_verdict(rules, made), "cells": tuple(made)}


def test_the_census_adds_up_and_counts_own_readings_alone():
    claims = [
        decided("identity or proof", "N16-9", [(1, 0, 0)]),
        decided("experiment", "N16-24", [(1, 0, 0), (0, 1, 0)], others=[(0, 9, 0), (0, 9, 0)]),
        decided("experiment", "N16-22", [(0, 0, 1), (0, 0, 1), (0, 0, 1)]),
        decided("advice", "N16-23", [(8, 0, 3), (1, 0, 0)]),
    ]
    table = census(pd.DataFrame(claims).set_index("id"))
    assert list(table.index) == [*KINDS, "all"]
    assert (table.loc[list(KINDS)].sum() == table.loc["all"]).all()
    assert (table[list(VERDICTS)].sum(axis=1) == table["claims"]).all()
    for whole in ("parts", "comparisons"):
        assert (
            table[[f"{whole} {words}" for words in ("hold", "fail", "open")]].sum(axis=1) == table[whole]
        ).all()
    assert table.loc["experiment", ["claims", "in part", "cannot be told"]].tolist() == [2, 1, 1]
    assert table.loc["all", ["parts hold", "parts fail", "parts open"]].tolist() == [3, 1, 4]
    comparisons = ["comparisons hold", "comparisons fail", "comparisons open"]
    assert table.loc["all", comparisons].tolist() == [11, 1, 6]


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
