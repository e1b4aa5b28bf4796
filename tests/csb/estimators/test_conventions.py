"""The estimators keep the conventions of scikit-learn, by its own checks: by default and with more set."""

import warnings

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import estimator_checks_generator

import csb
from csb.estimators import multiclass
from kinds import of_each_kind

CLASSES = [cls for name in csb.__all__ if hasattr(cls := getattr(csb, name), "fit")]
SMALL = {"n_estimators": 5, "random_state": 0}
STOPPING = {"n_estimators": 5, "early_stopping": True, "validation_fraction": 0.3, "random_state": 0}
SHRUNKEN = {"n_estimators": 5, "learning_rate": 0.5}
BAYES = GaussianNB()
"""Its fit does not depend on the order of rows; trees break ties by rounding."""

DEFAULT = {
    cls: cls(**{name: value for name, value in SMALL.items() if name in cls().get_params()})
    for cls in CLASSES
    if cls is not csb.BoostingCV
}
DEFAULT[csb.BoostingCV] = csb.BoostingCV(csb.CGAda(n_estimators=3), cv=2, random_state=0)
OTHERS = {
    **{f"{cls.__name__}, stopping": cls(**STOPPING) for cls in (csb.CGAda, csb.LogitBoost, csb.ThetaBoost)},
    **{
        f"{cls.__name__}, shrunken": cls(**SHRUNKEN)
        for cls in (csb.CGAda, csb.GDAdaCost, csb.ThetaBoost, csb.LogitBoost)
    },
    "CalibratedAdaMEC, shrunken": csb.CalibratedAdaMEC(store_stages=True, **SHRUNKEN),
    "AdaBoostM2, shrunken": csb.AdaBoostM2(estimator=BAYES, **SHRUNKEN),
    "BoostingCV, of Newton steps": csb.BoostingCV(csb.AsyBL(n_estimators=3), cv=2, random_state=0),
    "MetaCost, out of bag": csb.MetaCost(BAYES, n_estimators=3, out_of_bag=True),
    "CostDecision, LogisticRegression": csb.CostDecision(LogisticRegression()),
    "CostDecision, beta": csb.CostDecision(BAYES, calibration="beta", cv=2),
    "CostDecision, abstaining": csb.CostDecision(BAYES, calibration="venn_abers", abstain_cost=2.0),
    "CostDecision, guaranteed": csb.CostDecision(BAYES, calibration="isotonic", max_miss_rate=0.4),
    "CostDecision, trusted": csb.CostDecision(LogisticRegression(), calibration=None),
}
WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
COPIES = {WEIGHTS, "check_sample_weight_equivalence_on_sparse_data"}
LEFT_OUT = {
    **dict.fromkeys(("Costing", "DSE"), {WEIGHTS}),  # other rows are drawn
    **dict.fromkeys(("BoostingCV", "BoostingCV, of Newton steps"), {WEIGHTS}),  # folds of other rows
    **{name: {WEIGHTS} for name in OTHERS if name.endswith("stopping")},  # others are set aside
    **dict.fromkeys(("MetaCost", "MetaCost, out of bag"), COPIES),  # drawn by their number
    # what is guaranteed holds for examples that count alike: unequal weights are refused
    # for the positives: of classes that are words it must be told which they are
    "CostDecision, guaranteed": COPIES
    | {"check_sample_weights_not_overwritten", "check_classifiers_classes"},
}


def name_of(check):
    return getattr(check, "func", check).__name__


def cases():
    """Each model with each check; `make check` runs those of one model of each kind."""
    kept = {cls.__name__ for cls in of_each_kind(CLASSES)}
    models = {cls.__name__: model for cls, model in DEFAULT.items()} | OTHERS
    for name, model in models.items():
        marks = [] if name in kept else [pytest.mark.deep]
        for estimator, check in estimator_checks_generator(model):
            if name_of(check) not in LEFT_OUT.get(name, ()):
                yield pytest.param(estimator, check, id=f"{name}-{name_of(check)}", marks=marks)


@pytest.mark.parametrize("estimator, check", list(cases()))
def test_scikit_learn_conventions(estimator, check):
    if name_of(check) == WEIGHTS and type(estimator).__name__ in multiclass.__all__:
        estimator = clone(estimator).set_params(estimator=BAYES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # random labels: no learner beats chance
        check(estimator)
