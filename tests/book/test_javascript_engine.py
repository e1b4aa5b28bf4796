"""csb.js, which trains in the reader's browser, against csb: hundreds of drawn problems through both.

Stumps, stops and decisions are equal, numbers to the tolerances below. A change of one token in a copy of
csb.js, or of one rule in csb, is found by the same comparison.
"""

import json
import os
import re
import shutil
import subprocess
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import csb
from csb.evaluation.calibration import make_calibrator
from csb.evaluation.curves import brier_curve, cost_curve
from csb.evaluation.decisions import decide_positive
from csb.evaluation.intervals import case_interval
from csb.evaluation.metrics import case_costs, expected_cost, savings_score
from csbook.interactive import engine_script
from hostile import Reader

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "book" / "csbook" / "interactive" / "csb.js"
LOGIT = {"logitboost": csb.LogitBoost, "asybl": csb.AsyBL}
BETAS = {"adacost": lambda c, u: 4 * (1 - c * u), "adacost_beta2": lambda c, u: (1 - c * u) / 3}
"""Adjustment functions; the first takes exponents beyond one, where the vote may have no value."""
EACH = 25
"""Problems for each method."""
SCORES, SHARES = 1e-10, 1e-12
"""Tolerances of votes and scores, and of curves, calibrated probabilities and costs."""
ROUNDING = 1e-14
"""What may be nothing but rounding in a score."""


def find_node():
    """The node on the path, or the one that playwright brings; None if there is neither."""
    driver = find_spec("playwright")
    folders = [os.environ.get("PATH", "")]
    if driver is not None:
        folders += [str(Path(folder) / "driver") for folder in driver.submodule_search_locations]
    return shutil.which("node", path=os.pathsep.join(folders))


def draw_points(rng):
    """Features and classes: any, of few values, of zeros and ones, separable, without an edge."""
    n, d = int(rng.integers(2, 81)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d))
    for j in range(d):
        X[:, j] = (X[:, j], X[:, j].round(), X[:, j] > 0, X[:, j].round(1))[rng.integers(4)]
    y = X[:, 0] + X[:, -1] ** 2 + rng.exponential() * rng.normal(size=n) > rng.normal()
    kind = rng.integers(10)
    if kind == 0:
        y = X[:, -1] > np.median(X[:, -1])
    elif kind == 1:
        X, y = np.vstack([X, X]), np.repeat([True, False], n)
    if y.all() or not y.any():
        y[rng.integers(len(y))] ^= True
    return X, y.astype(int)


def draw_costs(rng):
    ratio = rng.choice(
        [0.1, 0.2, 1.0, 2.0, 3.0, 5.0, 10.0, 50.0, np.exp(rng.uniform(np.log(0.1), np.log(50)))]
    )
    fp_cost = rng.choice([1.0, 1.0, 0.3, 7.0])
    return {"fn_cost": float(ratio * fp_cost), "fp_cost": float(fp_cost)}


def draw_fit(rng, key):
    """A problem of training as csb takes it."""
    X, y = draw_points(rng)
    row = csb.METHODS[key]
    parameters = draw_costs(rng) | {"n_estimators": int(rng.integers(1, 61))}
    if rng.random() < 0.2:
        parameters["learning_rate"] = float(rng.choice([0.1, 0.5]))
    if getattr(row, "cost_scale", None) and rng.random() < 0.3:
        parameters["cost_scale"] = float(rng.uniform(0.05, 1))
    options = {name: str(rng.choice(values)) for name, values in row.options.items() if None not in values}
    if "omega" in row.options and rng.random() < 0.2:
        options["omega"] = float(rng.exponential() + 0.1)
    if "beta" in row.options and rng.random() < 0.3:
        options["beta"] = key
        if "vote" in options:  # that of a bound, which may have no value
            options["vote"] = "closed_form"
    new = np.vstack([X, rng.normal(size=(5, X.shape[1]))])
    return {"key": key, "X": X, "y": y, "new": new, "parameters": parameters, "options": options}


def draw_scores(rng):
    """Scores and labels: any, tied, tied but for rounding, all equal, separable, of one class."""
    n, kind = int(rng.integers(2, 81)), rng.integers(7)
    score = rng.normal(size=n) * np.exp(rng.normal())
    y = score + rng.exponential() * rng.normal(size=n) > 0
    if kind == 0:
        score = score.round(1)
    elif kind == 1:
        score = score.round(1) * (1 + 2.0**-52 * rng.integers(0, 2, n))
    elif kind == 2:
        score = np.full(n, score[0])
    elif kind == 3:
        y = score > np.median(score)
    elif kind == 4:
        y[:] = rng.random() < 0.5
    return {"scores": score, "y": y.astype(int), "new_scores": np.r_[score, 3 * rng.normal(size=5)]}


def draw_probabilities(rng):
    n = int(rng.integers(2, 81))
    prob = rng.random(n).round(rng.integers(1, 4)) if rng.random() < 0.5 else rng.random(n)
    y = rng.permutation(np.r_[0, 1, rng.random(n - 2) < rng.random()]).astype(int)
    return {"y": y, "prob": prob, "at": np.r_[rng.random(5), prob[:5], 0, 1]}


def draw_bill(rng):
    """Decisions and costs of all cases or of each; shares of which some lie at the Bayes threshold."""
    n = int(rng.integers(2, 81))
    y, called = rng.permutation(np.r_[0, 1, rng.random(n - 2) < 0.4]).astype(int), rng.integers(0, 2, n)
    costs = {"fn_cost": rng.exponential(5, n), "fp_cost": float(rng.exponential() + 0.1)}
    whole = rng.integers(1, 30, 2)
    unit = float(rng.choice([1.0, 0.1, 1 / 3]))
    prob = np.r_[rng.random(5), whole[1] / whole.sum()]
    level = float(rng.choice([0.5, 0.9, 0.95, 0.99]))
    fn_cost, fp_cost = (whole * unit).tolist()
    problem = {"y": y, "called": called, "costs": costs, "level": level, "prob": prob}
    return problem | {"fn_cost": fn_cost, "fp_cost": fp_cost}


def in_csb(problem):
    """What csb makes of a problem of training."""
    key, options = problem["key"], dict(problem["options"])
    if "beta" in options:
        options["beta"] = BETAS[options["beta"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if key in LOGIT:
            used = {
                name: value
                for name, value in problem["parameters"].items()
                if key != "logitboost" or "cost" not in name
            }
            model = LOGIT[key](**used)
        else:
            model = csb.CostSensitiveBoosting(variant=key, options=options, **problem["parameters"])
        model.fit(problem["X"], problem["y"])
    return answers_of(model, problem["new"])


def answers_of(model, new):
    """A fitted model in the words of csb.js."""
    found = list(model.estimators_)
    stages = list(zip(model.staged_predict(new), model.staged_decision_function(new), strict=True))
    then = len(stages) // 2
    decided_then, scores_then = stages[then] if stages else (None, None)
    return {
        "stop": model.stop_reason_,
        "stumps": [(int(each.feature), float(each.threshold)) for each in found],
        "values": [
            (-h.polarity, h.polarity) if hasattr(h, "polarity") else (h.below, h.above) for h in found
        ],
        "votes": np.full(len(found), model.step_) if hasattr(model, "step_") else model.estimator_weights_,
        "masses": getattr(model, "estimator_masses_", None),
        "scores": model.decision_function(new),
        "scores_then": scores_then,
        "decided": model.predict(new),
        "decided_then": decided_then,
        "probability": model.predict_proba(new)[:, 1] if hasattr(model, "predict_proba") else None,
        "then": then + 1,
    }


def camel(name):
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def listed(value):
    if isinstance(value, dict):
        return {name: listed(each) for name, each in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def asked_of_js(problem, then):
    """A problem of training in the words of csb.js."""
    parameters = {camel(name): value for name, value in (problem["parameters"] | problem["options"]).items()}
    return listed(
        {"key": problem["key"], "X": problem["X"], "y": problem["y"], "X_new": problem["new"], "t": then}
        | {"parameters": listed(parameters)}
    )


def in_javascript(text, folder, **asked):
    """What the program ``text`` answers."""
    (folder / "csb.mjs").write_text(text, "utf-8")
    shutil.copy(HERE / "javascript_engine.mjs", folder / "run.mjs")
    done = subprocess.run(
        [find_node(), "run.mjs"], cwd=folder, input=json.dumps(asked), capture_output=True, text=True,
        encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def apart(expected, found):
    """The largest difference of two arrays; infinite if they differ in shape or in what is no number."""
    expected, found = np.asarray(expected, float), np.asarray(found, float)
    if expected.shape != found.shape or not np.array_equal(np.isfinite(expected), np.isfinite(found)):
        return np.inf
    finite = np.isfinite(expected)
    same = np.array_equal(expected[~finite], found[~finite], equal_nan=True)
    return np.abs(expected[finite] - found[finite]).max(initial=0.0) if same else np.inf


def masses(problem, found):
    """Weight of the four outcomes in each round, from the weights and stumps of csb.js."""
    table = np.zeros((len(found["hypotheses"]), 2, 2))
    for of_round, D, stump in zip(table, found["weights"], found["hypotheses"], strict=False):
        beyond = problem["X"][:, stump["feature"]] > float(stump["threshold"])
        called = np.where(beyond, stump["above"], stump["below"]) > 0
        np.add.at(of_round, (problem["y"], called.astype(int)), D)
    return table


def differences(problem, expected, found):
    """What is not equal in two answers to a problem of training.

    The score of Newton steps, sums of means, may be nothing but rounding; decisions on it do not count.
    """
    newton = problem["key"] in LOGIT
    stumps = [(each["feature"], float(each["threshold"])) for each in found["hypotheses"]]
    same = {"stop": expected["stop"] == found["stop"], "stumps": expected["stumps"] == stumps}
    wrong = [name for name in same if not same[name]]
    for decided, scores in (("decided", "scores"), ("decided_then", "scores_then")):
        if expected[scores] is not None:
            settled = np.abs(expected[scores]) > (ROUNDING if newton else -1.0)
            if not np.array_equal(expected[decided][settled], np.array(found[decided])[settled]):
                wrong.append(decided)
    pairs = {
        name: (expected[name], found[name]) for name in ("votes", "scores", "scores_then", "probability")
    }
    pairs["values"] = expected["values"], [(each["below"], each["above"]) for each in found["hypotheses"]]
    if expected["masses"] is not None and not found["constant"]:
        pairs["masses"] = expected["masses"], masses(problem, found)
    for name, (one, other) in pairs.items():
        if one is None and name == "scores_then":
            continue  # Newton steps of no round have no stage
        if (one is None) != (other is None) or (one is not None and not apart(one, other) <= SCORES):
            wrong.append(name)
    return wrong


KEYS = [*csb.VARIANTS, *LOGIT]


@pytest.fixture(scope="module")
def fits():
    """Drawn problems of training, each with the answer of csb."""
    rng = np.random.default_rng(20)
    problems = [draw_fit(rng, key) for key in KEYS for _ in range(EACH)]
    return [(problem, in_csb(problem)) for problem in problems]


@pytest.fixture(scope="module")
def others():
    """Drawn problems of the rest, by kind."""
    rng = np.random.default_rng(21)
    calibrations = [
        draw_scores(rng) | {"calibration": name} for name in ("sigmoid", "isotonic") for _ in range(100)
    ]
    curves, bills = [draw_probabilities(rng) for _ in range(100)], [draw_bill(rng) for _ in range(100)]
    return {"calibrations": calibrations, "curves": curves, "bills": bills}


def asked(fits, others):
    """All problems in the words of csb.js."""
    rest = {kind: list(map(listed, problems)) for kind, problems in others.items()}
    return rest | {"fits": [asked_of_js(problem, expected["then"]) for problem, expected in fits]}


@pytest.fixture(scope="module")
def answered(fits, others, tmp_path_factory):
    """The answers of csb.js, from one process."""
    if find_node() is None:
        pytest.skip("there is no node, neither on the path nor in playwright")
    text = ENGINE.read_text("utf-8")
    return in_javascript(text, tmp_path_factory.mktemp("js"), rows=[0], **asked(fits, others))


def test_training(fits, answered):
    wrong = [
        (problem["key"], problem["options"], wrong)
        for (problem, expected), found in zip(fits, answered["fits"], strict=True)
        if (wrong := differences(problem, expected, found))
    ]
    assert not wrong, f"{len(wrong)} of {len(fits)} problems: {wrong[:10]}"


def test_what_the_problems_reach(fits):
    """Every method trains, and the problems end in all ways but two: underflow, and a watch over examples."""
    stops = {key: {expected["stop"] for problem, expected in fits if problem["key"] == key} for key in KEYS}
    assert set().union(*stops.values()) == {"max_rounds", "perfect", "no_edge", "alpha", "not_finite"}
    assert all("max_rounds" in reached for reached in stops.values())
    for key in KEYS:
        options = [problem["options"] for problem, _ in fits if problem["key"] == key]
        for name, values in csb.METHODS[key].options.items():
            assert {each.get(name) for each in options} >= {value for value in values if value is not None}
    rounds = [len(expected["votes"]) for _, expected in fits]
    assert sum(rounds) > 10 * len(fits) and max(rounds) == 60


def test_rows(answered):
    """Names, equations and options of the methods are those of csb."""
    (rows,) = answered["rows"]
    assert list(rows) == KEYS
    for key, row in rows.items():
        known = csb.METHODS[key]
        options = {camel(name): list(values) for name, values in known.options.items()}
        assert (row["name"], row["costsAct"]) == (known.name, known.costs_act)
        assert row["equations"] == re.sub(r", E-\w\d+.*", "", known.equations)  # but for errata
        assert row["options"] == options
        assert row.get("largest") == getattr(known, "cost_scale", None)


def test_weights_sum_to_one(answered):
    """What each round sees, and what the next one would see."""
    for found in answered["fits"]:
        totals = np.sum(found["weights"], axis=1)
        np.testing.assert_allclose(totals, 1, rtol=1e-12)


def wrong_calibrations(others, answered):
    wrong = []
    for problem, found in zip(others["calibrations"], answered["calibrations"], strict=True):
        calibrator = make_calibrator(problem["calibration"]).fit(problem["scores"], problem["y"])
        if not apart(calibrator.predict(problem["new_scores"]), found) <= SHARES:
            wrong.append(problem["calibration"])
    return wrong


def test_calibration(others, answered):
    assert not wrong_calibrations(others, answered)


def wrong_curves(others, answered):
    """Curves that differ. An envelope may have corners on its straight parts: the function counts."""
    wrong = []
    for problem, found in zip(others["curves"], answered["curves"], strict=True):
        y, prob, at = problem["y"], problem["prob"], problem["at"]
        pairs = []
        for over in ("skew", "cost"):
            curve, other = brier_curve(y, prob, over), found[over]
            pairs += [(getattr(curve, name), other[name]) for name in ("condition", "loss", "area")]
            pairs.append((curve.at(at), other["at"]))
        lines, other = cost_curve(y, prob), found["lines"]
        pairs += [(getattr(lines, name), other[name]) for name in ("fpr", "fnr", "thresholds", "area")]
        corners = np.r_[lines.skew, other["skew"]]
        envelopes = ((lines.skew, lines.envelope), (other["skew"], other["envelope"]))
        pairs.append(tuple(np.interp(corners, *each) for each in envelopes))
        wrong += [len(y) for one, another in pairs if not apart(one, another) <= SHARES]
    return wrong


def test_curves(others, answered):
    assert not wrong_curves(others, answered)


def wrong_bills(others, answered):
    wrong = []
    for problem, found in zip(others["bills"], answered["bills"], strict=True):
        y, called, costs, level = (problem[name] for name in ("y", "called", "costs", "level"))
        paid = case_costs(y, called, **costs)
        constants = [case_costs(y, np.full(len(y), label), **costs) for label in (0, 1)]
        prices = problem["fn_cost"], problem["fp_cost"]
        pairs = [
            (paid, found["costs"]),
            (expected_cost(y, called, **costs), found["mean"]),
            (decide_positive(problem["prob"], *prices), found["decided"]),
        ]
        if min(map(np.mean, constants)) > 0:
            pairs.append((savings_score(y, called, **costs), found["savings"]["score"]))
        for other, name in zip(constants, ("overNever", "overAlways"), strict=True):
            interval = found["savings"][name]
            ends = [interval[end] for end in ("mean", "low", "high")]
            pairs.append((case_interval(other - paid, level=level), ends))
        wrong += [
            place
            for place, pair in enumerate(pairs)
            if not apart(*pair) <= SHARES * max(1, np.abs(pair[0]).max())
        ]
    return wrong


def test_decisions_and_savings(others, answered):
    assert not wrong_bills(others, answered)


def found_wrong(name, fits, others, answered):
    """Problems of a kind, or of a method, whose answers differ."""
    if name in OTHERS:
        return OTHERS[name](others, answered)
    pairs = zip(fits, answered["fits"], strict=True)
    return [problem["key"] for (problem, expected), found in pairs if differences(problem, expected, found)]


OTHERS = {"calibrations": wrong_calibrations, "curves": wrong_curves, "bills": wrong_bills}
MUTANTS = [
    ("csada", "exactly((c) => 1 / c, cu)", "exactly((c) => 1, cu)"),
    ("asymada", "0.5 * (t / T - 1)", "0.5 * (t / T)"),
    ("adac1", "closed: bounding(one, cu)", "closed: bounding(cost, cu)"),
    ("adac3", "(t - 1 + (init", "(t + (init"),
    ("csb2", "csb((alpha) => alpha)", "csb((alpha) => alpha / 2)"),
    ("adacost", "beta(c, u) : (1 - c * u)", "beta(c, u) : (1 + c * u)"),
    ("adauboost", "y > 0 ? 1 / rho : 1", "y > 0 ? rho : 1"),
    ("adamec", "() => -0.5 * log(rho)", "() => 0.5 * log(rho)"),
    ("cgada", "max(...values) - tie", "max(...values)"),
    ("cgada", "0.5 * low + 0.5 * high", "0.5 * low + 0.4 * high"),
    ("adaboost", '!missed ? "perfect"', '!missed ? "no_edge"'),
    ("asybl", "min(1 / expit(y[i] * f), 4)", "min(1 / expit(y[i] * f), 5)"),
    ("calibrations", "(P + 1) / (P + 2)", "(P + 1) / (P + 1)"),
    ("calibrations", "> 2 ** -49 ? own", "> 0 ? own"),
    ("curves", "? sizes(y) :", "? sizes(prob) :"),
    ("curves", "fnr[k] === fnr[k + 1]", "fnr[k] === fnr[k - 1]"),
    ("bills", "a ** 2 / 6", "a ** 2 / 3"),
    ("bills", "2 ** -49 * (p * fnCost", "0 * (p * fnCost"),
]  # fmt: skip
"""Methods or kinds of problems, and changes of csb.js of which these must show a difference."""


@pytest.mark.parametrize(
    "name, before, after", MUTANTS, ids=[f"{name}: {after}" for name, _, after in MUTANTS]
)
def test_a_change_of_one_rule_in_javascript_is_found(fits, others, answered, tmp_path, name, before, after):
    text = ENGINE.read_text("utf-8")
    assert text.count(before) == 1
    own = [pair for pair in fits if pair[0]["key"] == name]
    problems = asked(own, {kind: problems for kind, problems in others.items() if kind == name})
    changed = in_javascript(text.replace(before, after), tmp_path, **problems)
    assert found_wrong(name, own, others, changed)


@pytest.mark.parametrize("key, module", [("adac2", "adac"), ("asyb", "exponential")])
def test_a_change_of_one_rule_in_python_is_found(fits, answered, monkeypatch, key, module):
    vote = csb.engine.rules.vote
    monkeypatch.setattr(f"csb.methods.{module}.vote", lambda M: 1.001 * vote(M))
    pairs = [
        (pair, found) for pair, found in zip(fits, answered["fits"], strict=True) if pair[0]["key"] == key
    ]
    assert any(differences(problem, in_csb(problem), found) for (problem, _), found in pairs)


def test_the_module_is_short_and_stands_alone():
    """Below 25 kB, and one statement of exports at its end, in whose place a classic script can name them."""
    text = ENGINE.read_text("utf-8")
    assert len(text.encode()) < 25_000
    assert not re.search(r"^import\b|\bimport\(|\bfetch\(|\beval\(|new Function", text, re.MULTILINE)
    assert [found.start() for found in re.finditer(r"^export\b", text, re.MULTILINE)] == [
        text.rindex("export {")
    ]
    assert text.endswith("};\n")


def test_a_page_gets_the_module_as_a_classic_script(tmp_path):
    """Run twice, as on a page of two figures: it defines all that the module exports, once."""
    if find_node() is None:
        pytest.skip("there is no node, neither on the path nor in playwright")
    (program,) = Reader(engine_script()).texts["script"]
    (tmp_path / "classic.cjs").write_text(program, "utf-8")
    (tmp_path / "csb.mjs").write_text(ENGINE.read_text("utf-8"), "utf-8")
    (tmp_path / "run.mjs").write_text(CLASSIC, "utf-8")
    done = subprocess.run([find_node(), "run.mjs"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


CLASSIC = """
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import * as module from "./csb.mjs";

const program = readFileSync("classic.cjs", "utf8"), X = [[0], [1], [2]], y = [0, 1, 0];
runInThisContext(program);
const first = globalThis.csb;
runInThisContext(program);
assert.equal(globalThis.csb, first);
assert.deepEqual(Object.keys(first).sort(), Object.keys(module).sort());
const votes = (csb) => csb.boost("csada", X, y, { fnCost: 2 }).coefficients;
assert.deepEqual(votes(first), votes(module));
"""
