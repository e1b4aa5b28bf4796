"""The table whose verdicts open to the run that decided them."""

import numpy as np
import pytest

import csb
from csbook.chapters.runs import GROUNDS, run_table
from csbook.theory.properties import Finding, decide_asymmetry, decide_cost, decide_fgd, random_distributions
from hostile import NAMES, Reader, whole


def texts(table, tag):
    return Reader(table).texts[tag]


@pytest.fixture(scope="module")
def found():
    few = random_distributions(count=2, cells=6)
    return {
        key: [decide_fgd(key), decide_cost(key, distributions=few, n_estimators=300), decide_asymmetry(key)]
        for key in ("cgada", "csb1")
    }


def test_every_verdict_stands_there_and_opens(found):
    table = run_table(found)
    assert texts(table, "summary") == [each.verdict for of in found.values() for each in of]
    assert table.count("<details>") == 6 and "<script" not in table
    for of in found.values():
        for each in of:
            assert f"{each.reason[1:]}." in table and each.verdict in GROUNDS


def test_signs_are_what_the_model_and_bayes_decide(found):
    """By the estimator, fitted to the distribution on which it does worst."""
    masses, posteriors = random_distributions(count=2, cells=6)
    evidence = found["csb1"][1].evidence
    x, ratio, calls = np.arange(6.0)[:, np.newaxis], evidence["ratio"], []
    for mass, p in zip(masses, posteriors, strict=True):
        weight = np.column_stack([mass * (1 - p), mass * p]).ravel()
        model = csb.CSB1(fn_cost=ratio, n_estimators=300)
        model.fit(np.repeat(x, 2, axis=0), np.tile([0, 1], 6), sample_weight=weight)
        calls.append("".join(np.where(model.decision_function(x) > 0, "+", "-")[np.argsort(p)]))
    assert evidence["calls"] in calls
    bayes = "".join("+" if p > 1 / (1 + ratio) else "-" for p in sorted(posteriors[0]))
    assert evidence["bayes_calls"] == bayes
    agreement = np.mean([one == other for one, other in zip(evidence["calls"], bayes, strict=True)])
    assert agreement == pytest.approx(evidence["agreement"])
    assert texts(run_table(found), "code")[2:] == [bayes, evidence["calls"]]


@pytest.mark.parametrize("name", NAMES)
def test_names_and_reasons_cannot_break_the_page(name):
    table = run_table({name: [Finding("calibrated", "no", f"it is {name}")]})
    assert texts(table, "th")[-1] == whole(name)
    assert texts(table, "p") == [f"It is {whole(name)}."]
