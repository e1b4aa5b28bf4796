"""What holds for both methods around any classifier: the positive class, ties, one reading of costs."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import csb
from csb.inputs import ConstantModelWarning

BOTH = [csb.MetaCost, csb.CostDecision]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))


def costs(k):
    return RNG.uniform(1, 5, (k, k)) * (1 - np.eye(k))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("cls", BOTH)
def test_a_positive_class_that_is_none_is_refused_with_a_cost_matrix_too(cls, matrix, k):
    y = np.arange(90) % k
    with pytest.raises(ValueError, match="pos_label=7: allowed are 0 and 1"):
        cls(GaussianNB(), cost_matrix=costs(k) if matrix else None, pos_label=7).fit(X, y)


@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("cls", BOTH)
def test_of_three_classes_none_is_positive(cls, matrix):
    model = cls(GaussianNB(), cost_matrix=costs(3) if matrix else None, random_state=0)
    with pytest.raises(ValueError, match="pos_label=1: must be None, y had more than two classes"):
        model.set_params(pos_label=1).fit(X, np.arange(90) % 3)
    assert model.set_params(pos_label=None).fit(X, np.arange(90) % 3).predict(X).shape == (90,)


def test_a_positive_class_set_after_the_fit_is_judged_as_in_the_fit():
    model = csb.CostDecision(GaussianNB(), cost_matrix=costs(2)).fit(X, np.arange(90) % 2)
    with pytest.raises(ValueError, match="pos_label=7"):
        model.set_params(pos_label=7).predict(X)


class Undecided(ClassifierMixin, BaseEstimator):
    """Gives the second class three tenths of a chance, whatever it is shown."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([0.7, 0.3], (len(X), 1))


TIES = [{"fn_cost": 7, "fp_cost": 3}, {"fn_cost": 3, "fp_cost": 7, "pos_label": 0},
        {"cost_matrix": [[0, 3], [7, 0]]}]  # fmt: skip


@pytest.mark.parametrize("costs", TIES, ids=str)
def test_ties_go_to_the_first_class_however_sums_are_rounded(costs):
    """Three tenths of seven and seven tenths of three are the same, but not as doubles."""
    y = np.arange(90) % 2
    model = csb.CostDecision(Undecided(), calibration=None, **costs).fit(X, y)
    assert not model.predict(X).any() and not model.decision_function(X).any()
    relabelled = csb.MetaCost(Undecided(), n_estimators=1, random_state=0, **costs)
    with pytest.warns(ConstantModelWarning, match="the label 0,"):
        assert not relabelled.fit(X, y).relabelled_.any()


PAIRWISE = [SVC(kernel="precomputed"), KNeighborsClassifier(metric="precomputed"),
            make_pipeline(SVC(kernel="precomputed"))]  # fmt: skip


@pytest.mark.parametrize("learner", PAIRWISE, ids=repr)
@pytest.mark.parametrize("cls", BOTH)
def test_a_table_of_all_rows_against_all_is_refused(cls, learner):
    """A sample of its rows has as many, and would pass for the table of other examples."""
    votes = {"average": "votes"} if cls is csb.MetaCost else {}
    with pytest.raises(ValueError, match="^estimator=.* allowed is a classifier of features"):
        cls(learner, **votes).fit(X @ X.T, np.arange(90) % 2)


def test_a_table_against_the_rows_of_a_fitted_classifier_is_taken():
    y, new = np.arange(90) % 2, X[:40]
    fitted = SVC(gamma=0.5).fit(X, y)
    same = SVC(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    weight = np.arange(40) % 5
    one = csb.CostDecision(FrozenEstimator(fitted)).fit(new, y[:40], weight)
    other = csb.CostDecision(FrozenEstimator(same)).fit(rbf_kernel(new, X, gamma=0.5), y[:40], weight)
    np.testing.assert_allclose(other.predict_proba(rbf_kernel(X, gamma=0.5)), one.predict_proba(X), atol=1e-6)


def test_costs_are_read_once(monkeypatch):
    """In a fit, and again at the decision where they may have changed."""
    read, table = [], costs(2)
    reader = "csb.estimators.decision.read_cost_matrix"
    monkeypatch.setattr(reader, lambda cost, classes: read.append(classes) or cost)
    csb.MetaCost(GaussianNB(), cost_matrix=table, n_estimators=2).fit(X, np.arange(90) % 2).predict(X)
    assert len(read) == 1
    model = csb.CostDecision(GaussianNB(), cost_matrix=table).fit(X, np.arange(90) % 2)
    assert len(read) == 2
    model.predict(X)
    assert len(read) == 3
