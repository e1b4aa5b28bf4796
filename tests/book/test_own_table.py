"""The reader's table in the page: what is no table is refused in a sentence, and csb finds the same numbers.

The lines of Python that the page hands out are run, and what they find is compared with what the page says.
"""

import base64
import json
import subprocess
import warnings
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm
from test_javascript_engine import HERE, apart, find_node

import csb
from csbook.datasets import make_invoices
from csbook.interactive import engine_script, threshold_bill
from hostile import Reader

PROGRAMS = files("csbook") / "interactive"
FORMULA = '=HYPERLINK("http://a.example","win")'


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Function that runs a script of node after programs of the page, with JSON for input and output."""
    if find_node() is None:
        pytest.skip("there is no node, neither on the path nor in playwright")
    folder = tmp_path_factory.mktemp("table")

    def in_node(names, script, asked):
        engine = Reader(engine_script()).texts["script"][0]
        texts = [engine, *((PROGRAMS / f"{name}.js").read_text("utf-8") for name in names), script]
        (folder / "run.cjs").write_text('"use strict";\n' + "\n".join(texts), "utf-8")
        done = subprocess.run(
            [find_node(), "run.cjs"], cwd=folder, input=json.dumps(asked), capture_output=True, text=True,
            encoding="utf-8", timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return in_node


@pytest.fixture(scope="module")
def ask(run):
    """Function that gives the page a file, as bytes or text, and perhaps a choice of columns."""
    script = (HERE / "own_table.cjs").read_text("utf-8")

    def answer(file, /, **choice):
        file = file.encode() if isinstance(file, str) else file
        asked = {"bytes": base64.b64encode(file).decode()} | ({"choice": choice} if choice else {})
        return run(("table_reader", "table_bill", "table_code"), script, [asked])[0]

    return answer


OPEN = "; the interval includes zero, so the data at hand do not tell which is cheaper"


@pytest.mark.parametrize(
    "mean, low, high, told",
    [
        (12.5, 8, 17, "saves 12.50 a case (between 8.00 and 17.00)"),
        (0.38, -0.11, 0.42, f"saves 0.38 a case (between 0.42 saved and 0.11 lost){OPEN}"),
        (-2, -5, 1, f"costs 2.00 more a case (between 1.00 saved and 5.00 lost){OPEN}"),
        (-4, -5, -3, "costs 4.00 more a case (between 3.00 and 5.00)"),
        (0, 0, 0, "costs just as much"),
        (0.5, 0, 1, f"saves 0.5 a case (between 1.00 saved and 0 lost){OPEN}"),
        (3, None, None, "saves 3.00 a case, and there are too few cases for an interval"),
    ],
)
def test_what_is_saved_is_said_without_negative_money(run, mean, low, high, told):
    script = """const [mean, low, high] = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const said = inWords({ mean, low: low ?? -Infinity, high: high ?? Infinity });
        process.stdout.write(JSON.stringify(said));"""
    assert run(("table_words",), script, [mean, low, high]) == told


SMALL = "outcome,probability\n1,0.9\n0,0.2\n1,0.4\n0,0.1\n"


@pytest.mark.parametrize(
    "file, sentence",
    [
        ("", "The file is empty."),
        (" \r\n\n", "The file is empty."),
        ("\ufeff", "The file is empty."),
        ('"' * 1_000_000, "There is one column only."),
        ('"' * 999_999, "A quote opens in the first line and is never closed."),
        ('a,b\n1,"2\n' + "3,4\n" * 100_000, "A quote opens in row 1 and is never closed."),
        ('a,b\n1,"2"3\n', "In row 1 something stands behind a closing quote."),
        ("y,p\n" + "1,0.5\n0,0.25\n" * 250_000, "The table has more than 50,000 rows"),
        (b"x" * 20_000_001, "The file is larger than 20 MB"),
        (bytes(range(256)) * 10, "This is not a text file."),
        (b"PK\x03\x04\x14\x00\x06\x00" * 50, "This is not a text file."),
        (b"\xff\xfe" + b"\x00\xd8" * 5, "This is not a text file."),
        ("outcome\n1\n0\n", "There is one column only."),
        ("a,b\n", "Below the names of the columns the file is empty."),
        ("1,0.9\n0,0.2\n", "The first line has numbers."),
        ("y,\n1,2\n", "A column has no name."),
        ("y,p,y\n1,2,0\n", "Two columns have one name, “y”."),
        ("y,p\n1,0,9\n0,0,2\n", "Row 1 has 3 cells, and the first line names 2 columns. Is it"),
        ("y;p\n1;0,9\n0\n", "Row 2 has 1 cell, and the first line names 2 columns."),
        ("y,p\n1,0.1\n2,0.2\n3,0.3\n", "No column has exactly two values"),
        ("y\tp\tamount\n1\t0.5\t1,234\n0\t0.25\t950\n",
         "Some numbers have a comma, such as “1,234”, and others a point, such as “0.5”."),
        ("y;p\n1;0,5\n0;2.5e-1\n", "Some numbers have a comma, such as “0,5”, and others a point"),
        (",".join(f"c{k}" for k in range(300)) + "\n", "More than 200 columns"),
    ],
    ids=range(23),
)  # fmt: skip
def test_what_is_no_table_is_refused_at_once(ask, file, sentence):
    answer = ask(file)
    assert answer.get("refusal", "").startswith(sentence)
    assert answer["ms"] < 5000


PLAIN = {"outcome": "outcome", "positive": "1", "probability": "probability", "amount": "", "ratio": 4.0,
         "fixed": 1.0, "share": 0.0, "file": "a.csv"}  # fmt: skip
TRAINED = PLAIN | {"probability": "", "method": "cgada", "rounds": 10}


@pytest.mark.parametrize(
    "file, choice, sentence",
    [
        (SMALL + "1,high\n", {}, "Row 5 of “probability” says “high”, which is not a number."),
        (SMALL + "1,=1+1\n", {}, "Row 5 of “probability” says “=1+1”, which is a formula, not its value."),
        (SMALL + "1,0x1F\n", {}, "Row 5 of “probability” says “0x1F”, which is not a number."),
        (SMALL + "1,Infinity\n", {}, "Row 5 of “probability” says “Infinity”, which is not a number."),
        (SMALL + "1,50%\n", {}, "Row 5 of “probability” says “50%”, which is not a number."),
        (SMALL + "1,1.5\n", {}, "Row 5 of “probability” says 1.5, and a probability lies between 0 and 1."),
        (SMALL, {"positive": "2"}, "Of the rows without gaps all have the same outcome."),
        ("outcome,probability\n1,0.4\n0,\n", {}, "Of the rows without gaps all have the same outcome."),
        (SMALL, {"amount": "probability", "fixed": 0.0}, "A false alarm must cost something."),
        ("outcome,probability,a\n1,.5,-1\n0,.5,3\n", {"amount": "a"}, "The amounts must not be negative"),
        (SMALL, TRAINED, "To train takes nine cases of each class at least."),
        ("outcome,x\n" + "1,a\n0,b\n" * 10, TRAINED | {"ratio": 1.0}, None),
        ("outcome,x\n" + "".join(f"{k % 2},w{k}\n" for k in range(60)), TRAINED, "Beside the outcome"),
        ("outcome," + ",".join(f"c{k}" for k in range(61)) + ("\n1" + ",1" * 61 + "\n0" + ",0" * 61) * 9,
         TRAINED, "There are more than 60 features"),
        ("outcome," + ",".join(f"c{k}" for k in range(50)) + ("\n1" + ",1" * 50 + "\n0" + ",0" * 50) * 2000,
         TRAINED, "To train on 1,334 rows of 50 features is too much for a page."),
    ],
    ids=range(15),
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(ask, file, choice, sentence):
    answer = ask(file, **(PLAIN | choice))
    if sentence is None:
        assert answer["found"]["n"] == 6
    else:
        assert answer.get("refusal", "").startswith(sentence), answer


@pytest.mark.parametrize(
    "file, expected",
    [
        ("y;p\n1;0,5\n0;0,25\n", {"separator": ";", "decimal": ",", "encoding": "utf-8-sig"}),
        ("y\tp\r\n1\t0.5\r\n0\t0.25\r\n", {"separator": "\t", "decimal": "."}),
        ("y;p;day\n1;0,5;1.2.2024\n0;0,25;v1.5\n", {"separator": ";", "decimal": ","}),
        ("y|p\r1|0.5\r0|0.25", {"separator": "|"}),
        ("\ufeffy,p\n1,0.5\n\n0,0.25\n", {"separator": ",", "encoding": "utf-8-sig", "rows": 2}),
        ("y,p\n1,0.5\n0,0.25\n".encode("utf-16"), {"encoding": "utf-16"}),
        ("y,é\n1,0.5\n0,0.25\n".encode("cp1252"), {"encoding": "cp1252"}),
        ('y,"a ""b"", c"\n1,"5"\n0,"\n2"\n', {"columns": [["y", ["1", "0"]], ['a "b", c', ["5", "\n2"]]]}),
        ("y,p\n1,\n0,0.25", {"columns": [["y", ["1", "0"]], ["p", ["", "0.25"]]]}),
        ("y,p\n1,0.25\n0,", {"columns": [["y", ["1", "0"]], ["p", ["0.25", ""]]]}),
    ],
    ids=range(10),
)  # fmt: skip
def test_tables_are_read(ask, file, expected):
    answer = ask(file)
    assert {name: answer["read"][name] for name in expected} == expected


def test_columns_are_guessed(ask):
    table = make_invoices(60)
    table.insert(0, "p", np.linspace(0.01, 0.9, 60))
    guessed = ask(table.to_csv(index=False))["guessed"]
    assert (guessed["outcome"], guessed["probability"], guessed["amount"]) == ("outcome", "p", "amount")
    assert guessed["numeric"] == ["p", "years", "late", "score", "amount", "terms"]


def judged(rng, n=300, *, comma=False):
    """A file of outcomes, probabilities in ties, and amounts; with gaps, words and a formula for a name."""
    p = rng.beta(1, 4, n).round(2)
    table = pd.DataFrame({FORMULA: np.where(rng.random(n) < p**0.7, "=yes", "no"), 'p "é"': p})
    table["amount"] = np.exp(rng.normal(5, 1, n)).round(2)
    table.loc[[5, 9], "amount"] = np.nan
    text = table.to_csv(index=False, **({"sep": ";", "decimal": ","} if comma else {}))
    return text, {"outcome": FORMULA, "positive": "=yes", "probability": 'p "é"'}


def run_lines(code, folder, name, file):
    """What the lines of the page find, where the file lies."""
    (folder / name).write_bytes(file if isinstance(file, bytes) else file.encode())
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        exec(compile(code.replace(json.dumps(name), repr(str(folder / name))), "lines", "exec"), scope)
    return scope["results"]


def assert_same(results, found, tolerance):
    assert len(results) == len(found["models"])
    for numbers, model in zip(results.values(), found["models"], strict=True):
        assert numbers["missed"] == model["missed"] and numbers["alarms"] == model["alarms"]
        ends = ("mean", "low", "high")
        pairs = [
            (numbers["bill"], model["bill"]),
            (numbers["saved over calling none"], [model["overNever"][end] for end in ends]),
            (numbers["saved over calling all"], [model["overAlways"][end] for end in ends]),
            (numbers["savings score"], model["score"]),
            (numbers["cheapest threshold"], float(model["threshold"])),
            (numbers["its bill"], model["cheapestBill"]),
            (numbers["area of the Brier curve"], model["curves"]["area"]),
            (numbers["reliability"], [each["observed"] for each in model["reliability"]]),
        ]
        for one, other in pairs:
            assert apart(one, other) <= tolerance * max(1, np.abs(one).max()), (one, other)


@pytest.mark.parametrize("amount, comma", [("", False), ("amount", False), ("amount", True)])
def test_csb_finds_the_same_for_probabilities(ask, tmp_path, capsys, amount, comma):
    text, columns = judged(np.random.default_rng(3), comma=comma)
    choice = columns | {"amount": amount, "ratio": 6.31, "fixed": 15, "share": 0.0625, "file": "a 'b'.csv"}
    file = text.encode("cp1252" if comma else "utf-8")
    answer = ask(file, **choice)
    assert answer["found"]["n"] == 300 - 2 * bool(amount)
    assert_same(run_lines(answer["code"], tmp_path, "a 'b'.csv", file), answer["found"], 1e-9)
    assert "bill" in capsys.readouterr().out


@pytest.mark.parametrize("method", [*csb.VARIANTS, "logitboost", "asybl"])
def test_csb_finds_the_same_by_training(ask, tmp_path, method):
    """Invoices with words and gaps, of which some rows have more words than are taken."""
    table = make_invoices(600, 4)
    table["clerk"] = [f"n{k}" for k in range(600)]
    text = table.to_csv(index=False)
    choice = {"outcome": "outcome", "positive": "unpaid", "probability": "", "amount": "", "ratio": 5.0,
              "fixed": 15, "share": 0.0625, "file": "f.csv", "method": method, "rounds": 15}  # fmt: skip
    answer = ask(text, **choice)
    assert "“clerk” has more than 12 different words" in " ".join(answer["found"]["notes"])
    assert_same(run_lines(answer["code"], tmp_path, "f.csv", text), answer["found"], 1e-7)


def test_training_with_amounts(ask, tmp_path):
    text = make_invoices(600, 4).to_csv(index=False, sep="\t")
    choice = {"outcome": "outcome", "positive": "unpaid", "probability": "", "amount": "amount", "ratio": 8.5,
              "fixed": 15, "share": 0.0625, "file": "f.csv", "method": "csada", "rounds": 10}  # fmt: skip
    answer = ask(text, **choice)
    assert_same(run_lines(answer["code"], tmp_path, "f.csv", text), answer["found"], 1e-7)
    apart_by = answer["found"]["apart"]
    assert apart_by["low"] <= apart_by["mean"] <= apart_by["high"]


def test_fifty_thousand_cases_take_seconds(ask):
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    table = pd.DataFrame({"outcome": (rng.random(50_000) < p).astype(int), "probability": p})
    answer = ask(table.to_csv(index=False), **PLAIN)
    assert answer["found"]["n"] == 50_000 and answer["ms"] < 20_000


def test_curves_are_those_of_the_rates(ask):
    """Brier curve and hindsight against a loop over thresholds."""
    text, columns = judged(np.random.default_rng(5))
    found = ask(text, **(PLAIN | columns))["found"]["models"][0]
    table = pd.read_csv(pd.io.common.StringIO(text))
    y, p = (table[FORMULA] == "=yes").to_numpy(), table['p "é"'].to_numpy()
    lines = found["curves"]
    for c, brier, best in zip(lines["c"], lines["brier"], lines["best"], strict=True):

        def cost(called, c=c):
            return 2 * np.mean(np.where(y, (1 - c) * ~called, c * called))

        np.testing.assert_allclose(best, min(cost(p > t) for t in [-1.0, *p]), atol=1e-12)
        if not np.isclose(p, c).any():  # at a jump the curve has one of two values
            np.testing.assert_allclose(brier, cost(p > c), atol=1e-12)


SETTINGS = [
    {"positives": positives, "separation": 1.5, "miss": miss, "alarm": 20, "claimed": claimed}
    for positives in (5, 80, 500)
    for miss in (50, 2000)
    for claimed in (1 / 3, 1, 3)
]


def test_a_thousand_cases_in_the_page_are_those_of_the_picture(run):
    script = """
    const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const both = (each) => ({ ...numbersAt(each), dots: dots(each, numbersAt(each).cut) });
    process.stdout.write(JSON.stringify(asked.map(both)));
    """
    for setting, answer in zip(SETTINGS, run(("threshold_bill",), script, SETTINGS), strict=True):
        for name, value in threshold_bill._numbers(**setting).items():
            np.testing.assert_allclose(answer[name], value, rtol=1e-10, atol=1e-9, err_msg=name)
        drawn = threshold_bill._ranked(setting, answer["cut"]).marks[:4]
        for mark, (y, called) in zip(drawn, ((0, False), (0, True), (1, False), (1, True)), strict=True):
            of = [each for each in answer["dots"] if (each["y"], each["called"]) == (y, called)]
            np.testing.assert_array_equal(mark.channels["x"], [each["x"] for each in of])
            np.testing.assert_array_equal(mark.channels["y"], [each["y0"] for each in of])


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_bill_of_wrong_probabilities(setting):
    """Against drawn cases, and no threshold of the right probabilities is cheaper than that of the costs."""
    found = threshold_bill._numbers(**setting)
    rng, n = np.random.default_rng(0), 400_000
    y = rng.random(n) < setting["positives"] / 1000
    x = rng.normal(size=n) + (y - 0.5) * setting["separation"]
    odds = setting["separation"] * x + np.log(setting["positives"] / (1000 - setting["positives"]))
    called = expit(setting["claimed"] * odds) > found["threshold"]
    for name, share in (("missed", y & ~called), ("alarms", ~y & called)):
        assert abs(1000 * share.mean() - found[name]) < 5 * 1000 * share.std() / np.sqrt(n) + 1e-9
    assert found["part"] >= -1e-9 and (found["part"] < 1e-9) == (setting["claimed"] == 1)
    cuts = np.linspace(-8, 8, 1001)
    missed = setting["positives"] * norm.cdf(cuts - setting["separation"] / 2)
    alarms = (1000 - setting["positives"]) * norm.sf(cuts + setting["separation"] / 2)
    assert found["best"] <= (missed * setting["miss"] + alarms * setting["alarm"]).min() + 1e-9
