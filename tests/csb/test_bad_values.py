"""Every public function, given one bad value at a time, refuses it by name or gives a finite answer.

The functions are found from the package, each with a valid call in ``valid_calls``; the bad values are those
of one table, and what becomes of the valid argument when it is spoilt.
"""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array

import csb
import csbook
from bad_values import bad_values
from csb.inputs import ConstantModelWarning, KnownDecisionWarning, NotFiniteWarning
from csb.recommend.candidates import ConstantDecision
from csbook.theory import properties
from valid_calls import CALLS, FINDING, PROBLEMS

ROOMS = {
    csb: ("costs", "inputs", "recommend", "evaluation", "methods", "engine"),
    csbook: ("theory", "datasets"),
}

LOOP = "gets what an estimator or a loop has read, in every round"
READ = "gets what a function has read"
DATA = "reads files of the registry"
NOT_CALLED = {
    "csb.inputs": "the readers themselves, see test_inputs",
    "csb.costs.check_ratio": READ,
    "csb.costs.check_not_by_class": "refuses for those that read costs, which are called",
    **{f"csb.evaluation.decisions.{name}": "reads for the metrics and for recommend, which are called"
       for name in ("Stakes", "read_cost", "read_stakes")},
    **{f"csb.evaluation.decisions.{name}": READ for name in (
        "cheapest", "decide", "decide_positive", "dominators", "expected_costs", "is_of_each_case",
        "read_undecided", "warn_of_known")},
    "csb.evaluation.calibrator.read_fit": "reads for the calibrators, which are called",
    "csb.evaluation.classifiers": "reads the classifiers of others, see test_faulty_classifiers",
    "csb.recommend.candidates": "trained and read by recommend",
    "csb.recommend.folds": READ,
    "csb.recommend.judging": READ,
    "csb.recommend.columns": READ,
    "csb.recommend.advice": "made of what recommend has judged",
    "csb.recommend.recommendation.Recommendation.explain": "called as explain_at; of rows see test_explain",
    "csb.engine": LOOP,
    **{f"csb.methods.{family}": LOOP for family in (
        "adac", "adacost", "adauboost", "class_votes", "csada", "exponential", "gradient", "margin_boost",
        "ting")},
    **{f"csb.methods.pnorm.{name}": LOOP for name in (
        "adjusted", "average_cost", "costing", "direct", "dse", "gbse", "gbse_t", "lp_csb", "lp_csb_a",
        "lp_csb_pa", "p_norm", "pseudo_loss", "slope")},
    "csbook.theory.losses.logistic_loss": LOOP,
    "csb.methods.pnorm.check_step": "names the parameter of an estimator",
    **{f"csb.methods.spec.scale_{which}": LOOP for which in ("largest", "smallest")},
    "csb.methods.Registry": "a mapping, with the errors of mappings",
    "csbook.theory.properties.evidence.run": READ,
    "csbook.theory.properties.cli": "a command",
    **{f"csbook.datasets.{part}": DATA for part in ("cli", "fetch", "parsers", "registry", "storing")},
}  # fmt: skip
"""Modules and functions that are not called here, each with its reason, and beside them the records below."""
RECORDS = {
    "Band", "BrierCurve", "BrierDecomposition", "CalibratedMethod", "ClassVoteMethod", "CostCurve",
    "Costs", "CurveDisplay", "Dataset", "DecisionCurve", "Explanation", "Finding", "FittedLoss", "Histories",
    "Interval", "InvoiceProblem", "IsotonicCalibration", "LargestMargin", "MarginDistribution",
    "MarginHyperplane", "Method", "MixtureMethod", "NewtonMethod", "PredictionDisplay",
    "ProgrammeMethod", "Recommendation", "RelabellingMethod", "ReliabilityDiagram", "Run",
    "Sensitivity", "SupportScores", "VotingMethod",
}  # fmt: skip
"""Classes whose instances the package makes; the tests that run over the registry check its rows."""

REFUSED_FORMS = {
    f"{name}, cost_matrix, frame"
    for name in ("check_cost_matrix", "least_cost_decision", "mean_cost", "read_cost_matrix")
}
"""The index of a frame of costs names the classes, and here it does not."""
NOT_FINITE = {
    "csbook.theory.bounds.error_bound": "not a number where the theorem says nothing",
    "csbook.theory.bounds.unequal_loss_bound": "not a number where the theorem says nothing",
    "csbook.datasets.invoices.make_invoice_problem": "not a number where nothing is known of an order",
    "csbook.theory.properties.cost.decide_cost": "threshold not a number, misfit infinite: no model",
    "csbook.theory.experts.product_of_experts": "not a number where experts contradict each other",
    "csbook.theory.experts.Panel": "the posterior is not a number where a count of votes cannot be",
    "csb.evaluation.curves.cost_curve": "the lowest threshold is minus infinity",
    "csb.evaluation.displays.CostCurveDisplay": "infinite as its curve",
    "csb.evaluation.displays.PredictionDisplay.from_predictions": "infinite as a cost curve",
    "csb.evaluation.decisions.miss_rate_threshold": "infinite where nothing may be missed",
    "csb.evaluation.decisions.risk_control_threshold": "infinite where nothing or everything may be missed",
    "csb.recommend.recommending.recommend": "a threshold is infinite where costs alone decide, and not a "
        "number where both decisions cost the same",
    "valid_calls.explain_at": "a threshold is infinite or not a number, as that of recommend",
    "csbook.theory.regret.conditional_risk": "infinite beyond the range of doubles",
    "csbook.datasets.invoices.make_invoices": "not a number where a value is missing, as raw files have it",
    **{f"csb.methods.losses.{name}": "infinite beyond the range of doubles" for name in (
        "ExponentialLoss.value", "ExponentialLoss.weight")},
    "csbook.theory.losses.empirical_risk": "infinite beyond the range of doubles",
    **{f"{name}.minimiser": "infinite where the posterior is zero or one" for name in (
        "csb.methods.losses.ExponentialLoss", "csbook.theory.losses.LogisticLoss")},
    "csb.methods.losses.ExponentialLoss": "the crossing of losses that never cross is not a number",
    "csbook.theory.bounds.training_bound": "infinite beyond the range of doubles",
}  # fmt: skip
"""Whose answer need not be finite, as its documentation says."""


def name_of(function):
    return f"{function.__module__}.{function.__qualname__}"


def public_modules():
    for package, rooms in ROOMS.items():
        prefix = f"{package.__name__}."
        for module in pkgutil.walk_packages(package.__path__, prefix, onerror=lambda name: None):
            inside = module.name.endswith(".cli") or "._" in module.name
            if module.name.removeprefix(prefix).startswith(rooms) and not inside:
                yield importlib.import_module(module.name)


def public_functions():
    """All public functions, public classes and public methods of these."""
    for module in public_modules():
        for public in getattr(module, "__all__", ()):
            found = getattr(module, public)
            if not callable(found) or not getattr(found, "__module__", "").startswith(("csb.", "csbook.")):
                continue
            if not inspect.isclass(found):
                yield found
            elif not issubclass(found, Warning) and not getattr(found, "_is_protocol", False):
                yield found
                yield from (
                    method
                    for name, method in inspect.getmembers(found, inspect.isfunction)
                    if not name.startswith("_") and method.__qualname__ == f"{found.__qualname__}.{name}"
                )


def parameters(function):
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = inspect.signature(function).parameters.values()
    return {each.name for each in found if each.kind not in kinds and each.name != "self"}


EXTREMES = {
    "nan": np.nan, "inf": np.inf, "-inf": -np.inf, "largest": 1.79e308, "tiny": 5e-324, "1e160": 1e160,
    "half": 0.5, "2": 2.0, "-1": -1.0, "0": 0.0,
}  # fmt: skip


def spoilt(valid):
    """What a valid array turns into when something is wrong with it."""
    try:
        array = np.asarray(valid, float)
    except (TypeError, ValueError):
        array = None
    if array is None or not array.ndim or not array.size:
        return {}
    found = {
        "longer": np.concatenate([array, array[:1]]),
        "shorter": array[:-1],
        "negated": -array,
        "reversed": array[::-1],
    }
    for name, bad in EXTREMES.items():
        for where in (0, -1):
            found[f"{name} at {where}"] = array.copy()
            found[f"{name} at {where}"].flat[where] = bad
        found[f"all {name}"] = np.full_like(array, bad)
    missing = array.astype(object)
    missing.flat[0] = None
    masked = np.ma.array(array, mask=np.arange(array.size).reshape(array.shape) == 0)
    pattern = np.resize([0, 1, 1], array.shape)
    return found | {
        "huge": array * (1e307 / np.abs(array).max(initial=1.0)), "small": array * 1e-320,
        "missing": missing, "masked": masked, "complex": array + 1j, "strings": array.astype(str),
        "sparse": csr_array(array.reshape(len(array), -1)), "generator": (each for each in array),
        "dict": dict(enumerate(array.tolist())), "two columns": np.stack([array, array], axis=-1),
        "row": array[np.newaxis], "0 and 1": pattern, "-1 and 1": 2 * pattern - 1, "flags": pattern > 0,
        "one of them": array.flat[0], "equal": np.full_like(array, array.flat[0]),
        "dates": np.arange(array.size).reshape(array.shape).astype("M8[D]"),
    }  # fmt: skip


def numbers_in(answer):
    """All numbers of an answer, those of its properties included, as arrays."""
    if isinstance(answer, pd.DataFrame):
        answer = answer.select_dtypes("number").to_numpy()
    if isinstance(answer, (bool, int, float, complex, np.number, np.ndarray, pd.Series)):
        yield np.asarray(answer)
    elif isinstance(answer, (dict, list, tuple)):
        for each in answer.values() if isinstance(answer, dict) else answer:
            yield from numbers_in(each)
    if type(answer).__module__.startswith(("csb.", "csbook.")) and not hasattr(answer, "get_params"):
        fields = (
            [each.name for each in dataclasses.fields(answer)] if dataclasses.is_dataclass(answer) else []
        )
        derived = [
            name for name, each in inspect.getmembers(type(answer), lambda each: isinstance(each, property))
        ]
        for name in (*fields, *derived):
            yield from numbers_in(getattr(answer, name))


def finite(answer, besides):
    """Whether all numbers are finite real ones, or what is allowed besides."""
    found = [array for array in numbers_in(answer) if array.dtype.kind in "fc"]
    allowed = [np.isfinite] + [np.isnan] * ("not a number" in besides) + [np.isinf] * ("infin" in besides)
    return all(
        np.isrealobj(array) and np.any([each(array) for each in allowed], axis=0).all() for array in found
    )


def outcome(function, arguments, spoiled):
    """``clear``, ``finite``, or what went wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for own in (ConstantModelWarning, KnownDecisionWarning, NotFiniteWarning):
            warnings.simplefilter("ignore", own)
        try:
            return (
                "finite"
                if finite(function(**arguments), NOT_FINITE.get(name_of(function), ""))
                else "not finite"
            )
        except (TypeError, ValueError) as error:
            text = str(error)
            # one array may be blamed for another that does not fit it
            blamed = arguments if pd.api.types.is_list_like(arguments[spoiled]) else [spoiled]
            if not re.search(rf"(?<![A-Za-z_])({'|'.join(blamed)})(?![A-Za-z_])", text):
                return f"does not name it: {type(error).__name__}: {text[:200]}"
            if not re.search("allowed|must|need|nearest", text):
                return f"does not say what is allowed: {text[:200]}"
            return "clear" if len(text) < 500 else f"not short: {text[:200]}"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"


FEW = {"None", "text", "nan", "-1", "10**400", "ragged", "valid, longer", "valid, inf at 0", "valid, missing"}
"""What `make check` tries of every function, for want of time."""


def cases(arguments, all_of_them):
    """Each parameter spoilt in each way, or in a few: its name, what is wrong, and the arguments."""
    for parameter, valid in arguments.items():
        spoiled = bad_values() | {f"valid, {kind}": bad for kind, bad in spoilt(valid).items()}
        for kind, bad in spoiled.items():
            if not all_of_them and kind not in FEW:
                continue
            if not (callable(valid) and callable(bad)):  # what a function does is its own affair
                yield parameter, kind, arguments | {parameter: bad}


def other_forms(valid):
    """A valid array, in every other form in which users have theirs."""
    if (
        not isinstance(valid, (list, np.ndarray))
        or valid is PROBLEMS
        or isinstance(valid[0], properties.Reading)
    ):
        return {}
    array = np.asarray(valid)
    twice = np.repeat(array, 2, axis=0)
    twice.flags.writeable = False
    found = {
        "tuple": tuple(array.tolist()), "objects": array.astype(object), "strided and read-only": twice[::2],
        "masked nowhere": np.ma.array(array),
    }  # fmt: skip
    if array.ndim <= 2:
        frame = pd.DataFrame(array, index=[7] * len(array))
        found["frame" if array.ndim == 2 else "column"] = frame
    if array.ndim == 1:
        found |= {"series": frame[0], "extension": frame[0].convert_dtypes(), "pandas index": pd.Index(array)}
    return found


def never(candidate, X, y, weights, cv, stakes, pos_label):
    """In place of what trains a candidate."""
    return ConstantDecision(strategy="constant", constant=y[:1]).fit(X, y)


@pytest.fixture(autouse=True)
def nothing_large(monkeypatch):
    """Constant decisions are all that is compared, no method is decided, and no file is fetched."""
    monkeypatch.setattr(properties.Reading, "decide", lambda self: (FINDING,))
    monkeypatch.setattr(sys.modules["csb.recommend.candidates"].Candidate, "fit", never)
    monkeypatch.setattr(sys.modules["csbook.datasets.loading"], "locate", lambda file: file)
    monkeypatch.setattr(sys.modules["csbook.datasets.loading"], "parse", lambda path, file: pd.DataFrame())
    with parallel_config(backend="threading"):
        yield
    plt.close("all")


@pytest.mark.parametrize("function, arguments", CALLS, ids=[name_of(function) for function, _ in CALLS])
@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.deep, id="all")])
def test_a_bad_value_is_refused_by_name_or_gets_a_finite_answer(function, arguments, all_of_them):
    assert outcome(function, arguments, "") == "finite", "the valid call"
    others = [
        f"{parameter}, {kind}: {found}"
        for parameter, kind, spoiled in cases(arguments, all_of_them)
        if (found := outcome(function, spoiled, parameter)) not in ("clear", "finite")
    ]
    assert not others, "\n".join(others)


@pytest.mark.parametrize("function, arguments", CALLS, ids=[name_of(function) for function, _ in CALLS])
def test_the_same_data_in_another_form_give_the_same_answer(function, arguments):
    expected = list(numbers_in(function(**arguments)))
    for parameter, valid in arguments.items():
        for form, value in other_forms(valid).items():
            if f"{function.__name__}, {parameter}, {form}" in REFUSED_FORMS:
                with pytest.raises(ValueError, match=parameter):
                    function(**arguments | {parameter: value})
                continue
            found = list(numbers_in(function(**arguments | {parameter: value})))
            assert len(found) == len(expected), (parameter, form)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=f"{parameter}, {form}")


def test_every_module_says_what_is_public():
    """Else nothing of it would be called here."""
    silent = [
        module.__name__
        for module in public_modules()
        if not hasattr(module, "__all__") and any(map(inspect.isroutine, vars(module).values()))
    ]
    assert not silent


def test_every_public_function_is_called_with_all_its_parameters():
    called = {}
    for function, arguments in CALLS:
        called.setdefault(name_of(function), set()).update(arguments)
    missing = [
        f"{name_of(function)}: {sorted(lacking)}"
        for function in public_functions()
        if not name_of(function).startswith(tuple(NOT_CALLED)) and function.__name__ not in RECORDS
        if (lacking := parameters(function) - called.get(name_of(function), set()))
    ]
    assert not missing, "\n".join(missing)
