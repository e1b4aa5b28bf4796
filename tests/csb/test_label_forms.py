"""Labels of every type, in every public function and estimator: served as the plain ones are, or refused.

Functions are those of ``valid_calls`` that take labels, each with labels of all forms in place of its own. Of
each family the plain form gives the answer of whole numbers or is refused by name; the others do as it does.
"""

import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from test_bad_values import name_of, numbers_in

import csb
from csb.evaluation.scorers import get_cost_scorer
from csb.inputs import read_column
from kinds import few
from label_forms import FAMILIES, REFUSED
from valid_calls import CALLS

TAKING = ("y_true", "y_pred", "y", "current", "labels", "classes", "period", "clusters")
"""Parameters of labels, one for each case or each class."""
SLOW = ("recommend", "from_predictions", "draw_of_fitted")
"""Which get the first forms of each family only."""
TELLING = ("recommend", "undecided_label")
"""Whose answer holds labels."""
ASIDE = ("abstain_", "pos_label")
"""What else words and dates may be refused by."""
UNDECIDED = {"words": "?", "bytes": b"?"}


def ranks(arguments):
    """The labels of each parameter by their order, those of one kind together."""
    given = {name: list(arguments[name]) for name in TAKING if np.ndim(arguments.get(name)) == 1}
    together = ("y_true", "y_pred", "labels") if "y_true" in given else ()
    all_of = sorted({label for name in together for label in given.get(name, ())})
    return {
        name: [(all_of if name in together else sorted({*labels})).index(each) % 3 for each in labels]
        for name, labels in given.items()
    }


LABELLED = {
    f"{number} {name_of(function)}": (function, arguments)
    for number, (function, arguments) in enumerate(CALLS)
    if function.__module__.startswith(("csb.", "valid_calls"))
    and "losses" not in function.__module__
    and any(np.ndim(arguments.get(name)) == 1 for name in TAKING)
    and "?" not in (*arguments.get("y_pred", ()), *arguments.get("classes", ()))
}


def outcome(function, arguments):
    """Its numbers, or how it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(each, float) for each in numbers_in(function(**arguments))]
        except ValueError as error:
            return str(error)
        finally:
            plt.close("all")


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return type(one) is type(other) and re.match(r"\w+", one)[0] == re.match(r"\w+", other)[0]
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def formed(arguments, labels, form, family):
    """The arguments, with labels of a form."""
    found = arguments | {name: form(each) for name, each in labels.items()}
    if arguments.get("pos_label") is not None:
        found["pos_label"] = (
            read_column("y", form([0, 1]))[1].item() if family == "dates" else found["pos_label"]
        )
        found["pos_label"] = {"truths": True, "words": "b", "bytes": b"b"}.get(family, found["pos_label"])
    if "abstain_label" in arguments:
        found["abstain_label"] = UNDECIDED.get(family, -7)
    return found


@pytest.mark.parametrize("name", LABELLED)
def test_labels_of_all_forms_in_a_function(name):
    function, arguments = LABELLED[name]
    labels = ranks(arguments)
    expected = outcome(function, formed(arguments, labels, np.array, "numbers"))
    assert not isinstance(expected, str), expected
    for family, forms in FAMILIES.items():
        if family == "truths" and max(map(max, labels.values())) > 1:
            continue
        few_forms = [*forms.items()][:3] if name.endswith(SLOW) else forms.items()
        plain = None
        for form_name, form in few_forms:
            found = outcome(function, formed(arguments, labels, form, family))
            if plain is not None:
                assert same(found, plain), (family, form_name, found, plain)
                continue
            plain = found
            if isinstance(plain, str):
                assert family != "numbers" and plain.startswith((*TAKING, "abstain_", "pos_label")), (
                    family,
                    plain,
                )
            else:
                assert name.endswith(TELLING) or same(plain, expected), (family, plain, expected)


@pytest.mark.parametrize("name", LABELLED)
def test_what_is_no_label_is_refused_by_name(name):
    function, arguments = LABELLED[name]
    labels = ranks(arguments)
    plain = formed(arguments, labels, np.array, "numbers")
    for spoilt, numbers in labels.items():
        for form_name, form in REFUSED.items():
            found = outcome(function, plain | {spoilt: form(numbers)})
            assert isinstance(found, str), (spoilt, form_name, found)
            assert found.startswith((spoilt, *TAKING[:2])) and "allowed" in found, (spoilt, form_name, found)


RNG = np.random.default_rng(2)
Y = [k % 2 for k in range(36)]
X = RNG.normal(size=(36, 2)) + np.array(Y)[:, np.newaxis]
ESTIMATORS = [getattr(csb, name) for name in csb.__all__ if hasattr(getattr(csb, name), "fit")]


def model_of(cls):
    small = {
        "n_estimators": 2,
        "random_state": 0,
        "cv": 2,
        "estimator": LogisticRegression(),
        "learning_rates": [1.0],
    }
    taken = cls().get_params()
    if cls not in (csb.CostDecision, csb.MetaCost):
        del small["estimator"]
    return cls(**{name: value for name, value in small.items() if name in taken})


OF_SKLEARN = (csb.CostDecision, csb.MetaCost, csb.UnequalMarginSVC)
"""What is around a classifier of scikit-learn that takes no bytes."""
ALL = (csb.AdaBoost, csb.CostDecision)
"""What is given all forms; others get some."""
OF = {"numbers": [0, 1], "truths": [False, True], "words": ["a", "b"], "bytes": [b"a", b"b"]}


def judged(cls, labels):
    """Predictions by their place among the classes, the share or cost of right ones, and the classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = model_of(cls).fit(X, labels)
            predicted, classes = model.predict(X).tolist(), model.classes_.tolist()
            return [classes.index(each) for each in predicted], model.score(X, labels), classes
        except ValueError as error:
            return str(error)


@pytest.mark.parametrize("cls", few(ESTIMATORS))
def test_labels_of_all_forms_in_an_estimator(cls):
    expected = judged(cls, np.array(Y))
    for family, forms in FAMILIES.items():
        for form_name, form in [*forms.items()][:: 1 if cls in ALL else 5]:
            found = judged(cls, form(Y))
            if family == "bytes" and cls in OF_SKLEARN:
                assert isinstance(found, str) and "bytes" in found, found
                continue
            assert found[:2] == expected[:2], (family, form_name, found)
            assert family == "dates" or found[2] == OF[family], (family, form_name, found)


@pytest.mark.parametrize("cls", few(ESTIMATORS))
def test_an_estimator_refuses_what_is_no_label(cls):
    fitted = model_of(cls).fit(X, np.array(Y))
    for form in REFUSED.values():
        for call in (model_of(cls).fit, fitted.score):
            with pytest.raises(ValueError, match="^y[_=a-z ].*allowed|inconsistent"):
                call(X, form(Y))


UNDECIDED_FORMS = [
    (family, name) for family in ("numbers", "truths", "words") for name in FAMILIES[family]
]  # fmt: skip


@pytest.mark.parametrize("family, name", UNDECIDED_FORMS)
def test_what_is_left_undecided_keeps_the_type_of_the_labels(family, name):
    label = UNDECIDED.get(family, -7)
    learner = LogisticRegression()
    settings = {"abstain_cost": 0.3, "abstain_label": label, "random_state": 0}
    plain = csb.CostDecision(learner, **settings | {"abstain_label": -7}).fit(X, np.array(Y))
    labels = FAMILIES[family][name](Y)
    model = csb.CostDecision(learner, **settings | {"pos_label": OF[family][1]}).fit(X, labels)
    predicted = model.predict(X)
    expected = [label if each == -7 else OF[family][each] for each in plain.predict(X).tolist()]
    assert predicted.tolist() == expected and 0 < expected.count(label) < len(Y)
    kind = read_column("y", labels).dtype.kind
    assert predicted.dtype.kind in {"b": "i", "u": "i", "i": "i"}.get(kind, "fUO")
    paid = csb.evaluation.metrics.expected_cost(
        labels, predicted, abstain_cost=0.3, abstain_label=label, pos_label=OF[family][1]
    )
    assert paid == pytest.approx(-model.score(X, labels))


def test_labels_beyond_whole_numbers_of_both_signs_are_always_decided():
    labels = np.array([2**63 + 1, 2**64 - 1], np.uint64)[Y]
    assert csb.CostDecision(LogisticRegression(), random_state=0).fit(X, labels).predict(X).dtype == np.uint64
    with pytest.raises(ValueError, match="abstain_cost: must be left out where a class exceeds"):
        csb.CostDecision(LogisticRegression(), abstain_cost=0.3).fit(X, labels)


SCORED = [get_cost_scorer("expected_cost", fn_cost=5.0), get_cost_scorer("net_benefit", threshold=0.3)]


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (-1, 0), (-1, 1), (3.0, 7.0), (False, True)])
def test_a_scorer_knows_the_positive_class_of_a_fold_of_one(pair):
    labels, truth = np.array(pair)[Y], np.array(Y)
    model, plain = (LogisticRegression().fit(X, each) for each in (labels, truth))
    for scorer in SCORED:
        for k in (0, 1):
            rows = truth == k
            assert scorer(model, X[rows], labels[rows]) == scorer(plain, X[rows], truth[rows])
