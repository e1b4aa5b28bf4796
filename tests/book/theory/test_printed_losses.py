"""The losses that Table 3 prints against those of the updates, and the risk by hand."""

import numpy as np
import pytest

from csb import VARIANTS
from csb.costs import check_costs
from csb.methods.losses import ExponentialLoss
from csbook.theory.losses import TABLE_3, empirical_risk


def loss_of(key, options):
    variant = VARIANTS[key]
    c = variant.scale(check_costs(5.0, 1.0)).by_class[:, 0]
    return variant.build_rules(**options).loss(c, 3, 10, 1.7)


@pytest.mark.parametrize(
    "key, options",
    [
        ("adaboost", {}), ("adamec", {}), ("cgada", {}), ("asymada", {}), ("csada", {}), ("adadb", {}),
        ("adac1", {}), ("adac2", {"init": "uniform"}), ("adac3", {"init": "uniform"}),
    ],
)  # fmt: skip
def test_table_3_prints_the_losses_of_uniform_starts(key, options):
    """E-N05: the exponents of Table 3 are those of the first weights that Table 1 does not have."""
    implied, c = loss_of(key, options), VARIANTS[key].scale(check_costs(5.0, 1.0)).by_class[:, 0]
    printed = TABLE_3[key](c, 3, 10, None)
    np.testing.assert_allclose(printed.exponent, implied.exponent)
    np.testing.assert_allclose(np.diff(printed.log_factor), np.diff(implied.log_factor), atol=1e-12)


@pytest.mark.parametrize("key, options", [("adac2", {}), ("adac3", {}), ("asymada", {"form": "paper"})])
def test_table_3_is_one_exponent_behind_table_1(key, options):
    """E-N05, E-N10."""
    c = VARIANTS[key].scale(check_costs(5.0, 1.0)).by_class[:, 0]
    implied, printed = loss_of(key, options), TABLE_3[key](c, 3, 10, None)
    one = np.log(5.0) / (10 if key == "asymada" else 1)
    assert np.diff(implied.log_factor)[0] == pytest.approx(np.diff(printed.log_factor)[0] + one)


def test_risk_is_the_weighted_mean_of_the_losses():
    loss = ExponentialLoss(np.log([1.0, 5.0]), np.array([1.0, 0.5]))
    risk = empirical_risk(loss, [1, -1], [[2.0, 2.0], [0.0, 0.0]], weight=[1, 3])
    np.testing.assert_allclose(risk, [(5 * np.exp(-1) + 3 * np.exp(2)) / 4, (5 + 3) / 4])
