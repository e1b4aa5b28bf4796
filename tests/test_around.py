"""What holds for both methods around any classifier: the positive class."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import csb

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
