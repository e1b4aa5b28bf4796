"""Digests of what is to have the same bytes on every processor; test_processors.py runs this file."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

import csb
from csb.engine.compiled import compile_at_once
from csb.evaluation.intervals import case_interval
from csbook.learners.logistic import Logistic
from csbook.studies import STUDIES


def dispatched() -> list[str]:
    """What numpy uses here beyond its baseline; the newest names differ from version to version."""
    return np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])


LEARNERS = {each: each for each in ("stump", "tree", "univariate_logistic")} | {"logistic": Logistic()}


THEIRS = {"UnequalMarginSVC"}
"""Estimators whose numbers are those of scikit-learn's compiled solver."""


def digest(*arrays) -> str:
    """Of the bytes of all arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def outputs(model, X):
    """Scores, decisions and probabilities."""
    given = model.predict_proba(X) if hasattr(model, "predict_proba") else np.zeros(0)
    return model.decision_function(X), model.predict(X), given


def fits():
    """Every estimator with stumps or trees, three of them with every learner of our own; skewed intervals."""
    (X, y), (flowers, kinds) = load_breast_cancer(return_X_y=True), load_iris(return_X_y=True)
    X = X[::3, :12]
    for name in csb.estimators.__all__:
        if name in THEIRS:
            continue
        cls = getattr(csb, name)
        settings = {"n_estimators": 12} if "n_estimators" in cls().get_params() else {}
        if "cost_matrix" in cls().get_params() and "fn_cost" not in cls().get_params():
            model = cls([[0, 1, 2], [3, 0, 1], [9, 1, 0]], random_state=0, **settings).fit(flowers, kinds)
            yield name, outputs(model, flowers)
            continue
        costs = {"fn_cost": 7.3} if "fn_cost" in cls().get_params() else {}
        model = cls(random_state=0, **settings, **costs).fit(X, y[::3])
        yield name, outputs(model, X)
    for name in ("CGAda", "AdaC1", "CalibratedAdaMEC"):
        for title, learner in LEARNERS.items():
            model = getattr(csb, name)(3.7, n_estimators=15, estimator=learner, random_state=0)
            yield f"{name}, {title}", outputs(model.fit(X, y[::3]), X)
    yield "intervals", [case_interval(row) for row in X]


def units():
    """The first unit of a trial run of every study whose data are at hand."""
    for name, study in STUDIES.items():
        settings = {**study.settings, **study.quick}
        unit, missing = study.units(settings)[0], set(study.missing())
        if missing and unit[0] not in {name for name, _ in study.datasets} - missing:
            continue  # the unit's data are not at hand, or it does not name them
        tables = study.compute(unit, settings)
        yield f"study {name}", [table.to_csv(index=False).encode() for table in tables.values()]


if __name__ == "__main__":
    if "features" in sys.argv:  # for NPY_DISABLE_CPU_FEATURES
        print(" ".join(dispatched()))
        sys.exit()
    warnings.simplefilter("ignore")
    compile_at_once()
    found = {name: digest(*parts) for name, parts in fits()}
    if "studies" in sys.argv:
        for name, tables in units():
            found[name] = hashlib.sha256(b"".join(tables)).hexdigest()[:16]
    print(json.dumps(found))
