"""AdaUBoost and ThetaBoost against a plain loop, brute force, and what their formulas imply."""

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from csb import AdaUBoost, ThetaBoost
from csb.estimators import AdaBoost
from csb.evaluation.scorers import get_cost_scorer
from csb.methods.adauboost import ADAUBOOST
from csb.methods.thresholds import RULES, search_support_scores
from csbook.theory.bounds import training_bound
from csbook.theory.properties import (
    decide_asymmetry,
    decide_cost,
    decide_declared_loss,
    decide_fgd,
    random_distributions,
    random_problems,
)
from csbook.theory.properties.evidence import VOTES, impose
from csbook.theory.separable import class_margins, largest_margin, stump_predictions

POWER = {"uniform": 0, "beta": 1, "beta2": 2}
INITS, SHOWN = tuple(POWER), ("gradient", "z")


def data(seed=0, n=120):
    return make_classification(n, 6, n_informative=4, flip_y=0.15, weights=[0.7], random_state=seed)


# ---- the vote


def masses(seed, count=50):
    rng = np.random.default_rng(seed)
    M = rng.dirichlet(np.full(4, 0.4), count).T.reshape(2, 2, count) + 1e-9
    return M / M.sum(axis=(0, 1)), np.exp(rng.uniform(-3, 3, count))


@pytest.mark.parametrize("shown", SHOWN)
def test_vote_minimises_z(shown):
    """Against a general minimiser of Eq. (4), for weights that hold the exponents or do not."""
    M, beta = masses(0)
    c = np.stack([np.ones_like(beta), beta])[:, np.newaxis]
    votes = ADAUBOOST.build_rules(learner_weights=shown).alpha(M, c, None)
    for (negative, positive), b, vote in zip(np.moveaxis(M, 2, 0), beta, votes, strict=True):
        terms = [(1, negative), (1 / b, positive[::-1])]  # the right one first
        w = np.array([m / (k if shown == "gradient" else 1) for k, pair in terms for m in pair])
        kappa = np.array([sign * k for k, _ in terms for sign in (1, -1)])
        found = minimize_scalar(lambda a, w=w, kappa=kappa: np.log(w @ np.exp(-a * kappa)), tol=1e-12).x
        assert vote == pytest.approx(found, abs=1e-6 * max(1, b))


@pytest.mark.parametrize("beta", [1, 2, 3, 5])
def test_vote_is_the_root_of_the_polynomial_of_eq_6(beta):
    """With a false negative in the second term and a false positive in the third (E-K05)."""
    M, _ = masses(beta, 20)
    votes = ADAUBOOST.build_rules(learner_weights="z").alpha(M, np.array([1.0, beta]).reshape(2, 1, 1), None)
    for ((tn, fp), (fn, tp)), vote in zip(np.moveaxis(M, 2, 0), votes, strict=True):
        V = np.exp(vote / beta)  # Y = V^beta makes it a polynomial
        coefficients = np.zeros(2 * beta + 1)  # highest power first
        for power, value in [(beta - 1, -tp / beta), (beta + 1, fn / beta), (2 * beta, fp), (0, -tn)]:
            coefficients[2 * beta - power] += value
        roots = np.roots(coefficients)
        positive = roots[(np.abs(roots.imag) < 1e-7 * np.abs(roots)) & (roots.real > 0)].real
        assert len(positive) == 1
        assert V == pytest.approx(positive[0], rel=1e-6)


def test_printed_order_of_the_masses_is_no_minimum_of_z():
    tn, fp, fn, tp, beta = 0.4, 0.1, 0.15, 0.35, 2.0

    def slope(a, fn=fn, fp=fp):  # exchanged, these are the equation before (6) as printed
        return (fn * np.exp(a / beta) - tp * np.exp(-a / beta)) / beta + fp * np.exp(a) - tn * np.exp(-a)

    M = np.array([[[tn], [fp]], [[fn], [tp]]])
    (vote,) = ADAUBOOST.build_rules(learner_weights="z").alpha(
        M, np.array([1.0, beta]).reshape(2, 1, 1), None
    )
    as_printed = brentq(lambda a: slope(a, fn=fp, fp=fn), -5, 5, xtol=1e-13)
    assert abs(slope(vote)) < 1e-14 < 0.01 < abs(slope(as_printed))


# ---- the whole algorithm


def naive_adauboost(X, y, q, beta, power, on_gradient, rounds):
    """Figure 1, example by example; the vote by bisection on the derivative of Z. Scores after each round."""
    sign = np.where(y == 1, 1.0, -1.0)
    k = np.where(y == 1, 1 / beta, 1.0)
    E = q * np.where(y == 1, beta**power, 1.0)
    E = E / E.sum()
    score, trace = np.zeros(len(y)), []
    for _ in range(rounds):
        D = E * k if on_gradient else E
        best, h = -np.inf, None
        for column in X.T:
            values = np.unique(column)
            for cut in [-np.inf, *(values[1:] + values[:-1]) / 2]:
                for polarity in (1, -1):
                    candidate = np.where(column > cut, polarity, -polarity)
                    edge = D @ (sign * candidate)
                    if edge > best + 1e-12:
                        best, h = edge, candidate
        u = sign * h
        alpha = brentq(lambda a, E=E, u=u: -(E * k * u) @ np.exp(-a * k * u), -40, 40, xtol=1e-14)
        Z = E @ np.exp(-alpha * k * u)
        E = E * np.exp(-alpha * k * u) / Z
        score = score + alpha * h
        trace.append((alpha, Z, score))
    return trace


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("beta", [3.0, 0.4])
def test_rounds_are_those_of_a_plain_loop_and_theorem_4_1_holds_in_each(init, shown, beta):
    X, y = data(1, 60)
    q = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = AdaUBoost(2 * beta, 2.0, 12, init=init, learner_weights=shown, nonpositive_alpha="signed").fit(
        X, y, q
    )
    trace = naive_adauboost(X, y, q, beta, POWER[init], shown == "gradient", 12)
    assert len(trace) == len(model.estimators_) == 12
    assert (shown == "z") == any(alpha < 1e-9 for alpha, _, _ in trace)
    first = q * np.where(y == 1, beta ** POWER[init], 1.0)
    first /= first.sum()
    loss = ADAUBOOST.build_rules(init=init).loss(np.array([2.0, 2 * beta]), 0, 12, 0.0)
    product = 1.0
    staged = model.staged_decision_function(X)
    for (alpha, Z, score), ours, vote in zip(trace, staged, model.estimator_weights_, strict=True):
        assert vote == pytest.approx(alpha, rel=1e-9)
        np.testing.assert_allclose(ours, score, rtol=1e-9, atol=1e-12)
        product *= Z
        error, bound = training_bound(loss, np.where(y == 1, 1, -1), ours, q)
        assert bound == pytest.approx(product, rel=1e-9)
        assert error == pytest.approx(first[(ours > 0) != (y == 1)].sum(), abs=1e-12)
        assert error <= product <= 1


def test_the_forms_are_what_they_say():
    X, y = data(2)
    for form, init, shown in (("corrected", "beta2", "gradient"), ("paper", "beta", "z")):
        one = AdaUBoost(3, form=form, n_estimators=8).fit(X, y)
        other = AdaUBoost(3, init=init, learner_weights=shown, n_estimators=8).fit(X, y)
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    mixed = AdaUBoost(3, form="paper", init="uniform", n_estimators=8).fit(X, y)
    other = AdaUBoost(3, init="uniform", learner_weights="z", n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(mixed.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("init", INITS)
def test_equal_costs_give_adaboost(shown, init):
    X, y = data(3)
    ours = AdaUBoost(4, 4, 30, init=init, learner_weights=shown).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X), AdaBoost(30).fit(X, y).decision_function(X), rtol=1e-9, atol=1e-12
    )


def test_probability_is_that_of_the_minimiser_of_z():
    X, y = data(4)
    model = AdaUBoost(6, n_estimators=15).fit(X, y)
    F = model.decision_function(X)
    expected = 1 / (1 + np.exp(-((1 + 1 / 6) * F - np.log(6))))  # omega / beta = beta
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-9)
    np.testing.assert_array_equal(expected > 1 / 7, F > 0)


# ---- separable classes


def separable_problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 3)).round(1)
    return X, (X[:, 0] + X[:, 1] > 0.3).astype(int)


@pytest.mark.parametrize("init, seed", [("uniform", 0), ("beta2", 1)])
def test_margins_of_separable_classes_stand_in_the_ratio_of_the_costs(init, seed):
    X, y = separable_problem(seed)
    beta = 4.0
    model = AdaUBoost(beta, n_estimators=5000, init=init).fit(X, y)
    negative, positive = class_margins(y, model.decision_function(X), model.estimator_weights_)
    best = largest_margin(y, stump_predictions(X), exponent=(1.0, 1 / beta))
    assert positive / negative == pytest.approx(beta, rel=0.01)
    assert best.by_class[1] / best.by_class[0] == pytest.approx(beta, rel=1e-6)
    assert min(negative, positive / beta) == pytest.approx(best.value, rel=0.02)


# ---- the properties


@pytest.mark.parametrize(
    "init, agreement, threshold", [("uniform", 1 / 3, 5 / 6), ("beta", 2 / 3, 1 / 2), ("beta2", 1.0, 1 / 6)]
)
def test_only_the_squared_ratio_is_cost_consistent(init, agreement, threshold):
    finding = decide_cost(ADAUBOOST, {"init": init}, ratios=[5.0])
    assert finding.verdict == finding.evidence["declared"] == ("yes" if init == "beta2" else "no")
    assert finding.evidence["agreement"] == pytest.approx(agreement)
    assert finding.evidence["implied_threshold"] == pytest.approx(threshold, abs=1e-6)


def test_the_default_is_cost_consistent_and_the_printed_form_stops_early():
    distributions = random_distributions(count=4)
    assert decide_cost(ADAUBOOST, distributions=distributions).verdict == "yes"
    printed = decide_cost(ADAUBOOST, {"form": "paper"}, distributions=distributions)
    assert printed.verdict == "no" and printed.evidence["stopped"] == "alpha"


@pytest.mark.parametrize("init", INITS)
def test_gradient_weights_make_it_descent_and_the_weights_of_z_do_not(init):
    settings = {"problems": random_problems(count=6)}
    gradient, z = ({"init": init, "learner_weights": shown} for shown in SHOWN)
    assert decide_fgd(ADAUBOOST, gradient, **settings).verdict == "yes"
    assert decide_declared_loss(ADAUBOOST, gradient, **settings).verdict == "yes"
    printed = decide_fgd(ADAUBOOST, z, **settings)
    assert printed.verdict == "no"
    assert printed.evidence["affine_residual"] < 1e-9 < 0.5 < printed.evidence["edge_after"]
    assert decide_declared_loss(ADAUBOOST, z, **settings).verdict == "no"


@pytest.mark.parametrize("init", INITS)
def test_positives_count_less_on_negative_margins(init):
    finding = decide_asymmetry(ADAUBOOST, {"init": init})
    assert finding.verdict == "no"
    assert finding.evidence["log_ratio_weights"] < finding.evidence["log_ratio_losses"] < 0


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("shown", SHOWN)
def test_weight_ratios_under_imposed_votes(init, shown):
    """The closed form (omega/beta) exp((1 - 1/beta) m), or omega for omega/beta, at the least margin -2.1."""
    beta, A = 5.0, VOTES.sum()
    histories = impose(ADAUBOOST.build_rules(init=init, learner_weights=shown), np.array([1.0, beta]))
    power = POWER[init] - (shown == "gradient")
    expected = power * np.log(beta) - (1 - 1 / beta) * A
    assert histories.smallest_ratio_at_equal_margin(1) == pytest.approx(expected, abs=1e-9)
    assert histories.smallest_ratio_at_equal_history(1) == pytest.approx(expected, abs=1e-9)


# ---- ThetaBoost


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("init", ["beta2", "uniform"])
def test_theta_is_adauboost_with_the_threshold_of_the_search(rule, init):
    X, y = data(5, 200)
    beta = 3.0
    plain = AdaUBoost(beta, n_estimators=15, init=init).fit(X, y)
    model = ThetaBoost(beta, n_estimators=15, init=init, threshold=rule).fit(X, y)
    F = plain.decision_function(X)
    votes = plain.estimator_weights_.sum()
    s_minus, s_plus = search_support_scores(y, F / votes)
    r = beta ** RULES[rule]
    theta = (s_plus + r * s_minus) / (1 + r) * votes
    assert model.theta_ == pytest.approx(theta, rel=1e-9)
    np.testing.assert_allclose(model.decision_function(X), F - theta, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (F > theta).astype(int))
    assert np.any(model.predict(X) != plain.predict(X)) and model.decision_threshold_ == 0


@pytest.mark.parametrize("fn_cost", [0.1, 10.0])
def test_theta_misses_no_training_positive_whatever_the_costs(fn_cost):
    X, y = data(5, 200)
    assert np.any((AdaUBoost(fn_cost, n_estimators=15).fit(X, y).predict(X) == 0) & (y == 1))
    assert np.all(ThetaBoost(fn_cost, n_estimators=15).fit(X, y).predict(X)[y == 1] == 1)


def test_stages_of_theta_are_the_shorter_ensembles():
    X, y = data(6)
    model = ThetaBoost(2, n_estimators=9).fit(X, y)
    stages = zip(model.staged_decision_function(X), model.staged_predict(X), strict=True)
    for t, (scores, predicted) in enumerate(stages, start=1):
        shorter = ThetaBoost(2, n_estimators=t).fit(X, y)
        np.testing.assert_allclose(scores, shorter.decision_function(X), rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(predicted, shorter.predict(X))


def test_rule_of_theta_changes_without_training_and_costs_do_not():
    X, y = data(7)
    model = ThetaBoost(3, n_estimators=10).fit(X, y)
    before = model.theta_
    model.set_params(threshold="midpoint")
    np.testing.assert_allclose(model.theta_, model.support_scores_[-1].mean())
    assert before < model.theta_
    assert model.set_params(threshold="b").theta_ == before
    with pytest.raises(ValueError, match="fit again"):
        model.set_params(fn_cost=5).predict(X)


def test_parameters_of_the_search_reach_it():
    X, y = data(8, 200)
    base = {"fn_cost": 2, "n_estimators": 12}
    F = AdaUBoost(**base).fit(X, y).decision_function(X)
    votes = AdaUBoost(**base).fit(X, y).estimator_weights_.sum()
    for chosen, scale in (
        ({"borderline": 0.1}, votes),
        ({"margin_change": np.inf}, votes),
        ({"max_skip": 1, "margin_change": 0.05}, votes),
        ({"borderline": 0.3, "margin_change": 0.7, "normalize": False}, 1.0),
    ):
        model = ThetaBoost(**base, **chosen).fit(X, y)
        search = {name: value for name, value in chosen.items() if name != "normalize"}
        expected = np.array(search_support_scores(y, F / scale, **search)) * scale
        np.testing.assert_allclose(model.support_scores_[-1], expected, rtol=1e-9)


def test_rows_of_weight_zero_and_repeated_rows_mean_what_they_say_to_theta():
    X, y = data(9)
    rng = np.random.default_rng(9)
    count = rng.integers(0, 4, len(y))
    weighted = ThetaBoost(3, n_estimators=10, margin_change=0.02).fit(X, y, count)
    repeated = ThetaBoost(3, n_estimators=10, margin_change=0.02).fit(
        np.repeat(X, count, axis=0), y.repeat(count)
    )
    assert weighted.theta_ == pytest.approx(repeated.theta_, rel=1e-9)


def test_theta_without_support_vectors_keeps_the_sign():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    model = ThetaBoost(9.0, margin_change=np.inf).fit(X, y)  # the constant: every negative is false
    assert model.theta_ == 0 and np.isnan(model.support_scores_).all()
    np.testing.assert_array_equal(model.predict(X), 1)


def test_theta_offers_no_probability():
    X, y = data(10)
    model = ThetaBoost(n_estimators=5).fit(X, y)
    for name in ("predict_proba", "staged_predict_proba"):
        assert not hasattr(model, name) and hasattr(AdaUBoost(), name)
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(X)
    assert "two training examples" in str(caught.value.__cause__ or caught.value)


# ---- conventions of the package

X0, y0 = data(11, 40)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (AdaUBoost(form="printed"), "form='printed'.*'corrected', 'paper'"),
        (AdaUBoost(init="cost"), "init='cost'.*'uniform'"),
        (AdaUBoost(learner_weights="Z"), "learner_weights='Z'.*'gradient', 'z'"),
        (AdaUBoost(fn_cost=-1), "fn_cost=-1"),
        (ThetaBoost(threshold="eta_min"), "threshold='eta_min'.*'eta_max'"),
        (ThetaBoost(borderline=-0.1), "borderline=-0.1"),
        (ThetaBoost(borderline=np.inf), "borderline=inf"),
        (ThetaBoost(margin_change=np.nan), "margin_change=nan"),
        (ThetaBoost(max_skip=2.5), "max_skip=2.5"),
    ],
)
def test_bad_input_is_refused_before_any_work(estimator, message, monkeypatch):
    def no_training(*args, **kwargs):
        raise AssertionError("training began")

    monkeypatch.setattr("csb.estimators.base.boost", no_training)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X0, y0)


@pytest.mark.parametrize("seed", range(5))
def test_theta_misses_no_training_positive_whichever_class_is_positive(seed):
    X, y = data(seed, 200)
    one = ThetaBoost(3, n_estimators=15).fit(X, y)
    same = ThetaBoost(3, n_estimators=15, pos_label=0).fit(X, 1 - y)
    np.testing.assert_array_equal(same.predict(X), 1 - one.predict(X))
    turned = -3 * same.decision_function(X)  # the unit of AdaUBoost's scores is the cost of the larger label
    np.testing.assert_allclose(turned, one.decision_function(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(-3 * same.support_scores_, one.support_scores_, rtol=1e-9, atol=1e-9)
    assert not same.predict(X)[y == 1].any()


@pytest.mark.parametrize("cls", [AdaUBoost, ThetaBoost])
@pytest.mark.parametrize("fn_cost", [1e6, 1e-6])
def test_extreme_costs_give_finite_scores(cls, fn_cost):
    for features in (X0, X0 + 100 * y0[:, np.newaxis], np.ones_like(X0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = cls(fn_cost, n_estimators=10).fit(features, y0)
        assert np.all(np.isfinite(model.decision_function(features)))
        again = clone(model).fit(features, y0)
        np.testing.assert_array_equal(again.predict(features), model.predict(features))


# ---- first weights of one's own


@pytest.mark.parametrize("cls", [AdaUBoost, ThetaBoost])
@pytest.mark.parametrize("init", INITS)
def test_omega_is_what_init_makes_of_the_cost_ratio(cls, init):
    X, y = data(12)
    for fn_cost, fp_cost in ((5.0, 1.0), (1.0, 4.0)):
        named = cls(fn_cost, fp_cost, 8, init=init).fit(X, y)
        other = cls(fn_cost, fp_cost, 8, init="beta", omega=(fn_cost / fp_cost) ** POWER[init]).fit(X, y)
        np.testing.assert_allclose(named.estimator_weights_, other.estimator_weights_, rtol=1e-12)
        np.testing.assert_allclose(named.decision_function(X), other.decision_function(X), rtol=1e-12)


def test_omega_is_a_weight_of_the_positives():
    X, y = data(13)
    weighted = AdaUBoost(4, n_estimators=8, init="uniform").fit(X, y, np.where(y == 1, 7.0, 1.0))
    model = AdaUBoost(4, n_estimators=8, omega=7).fit(X, y)
    np.testing.assert_allclose(weighted.estimator_weights_, model.estimator_weights_, rtol=1e-12)


def test_with_omega_the_sign_changes_at_the_posterior_beta_by_beta_and_omega():
    """E-K04, for the loss: the minimiser of the expected loss is zero there."""
    loss = ADAUBOOST.build_rules(omega=10.0).loss(np.array([[1.0], [5.0]]), 1, 10, 0.0)
    assert loss.minimiser(5 / (5 + 10)) == pytest.approx(0, abs=1e-12)


def test_omega_chosen_on_a_validation_part_is_the_cheapest_there():
    """Section 4 of the paper, by scikit-learn's search."""
    X, y = data(14, 400)
    fold = np.where(np.arange(400) % 3 == 0, 0, -1)
    omegas = [1.0, 5.0, 25.0, 125.0]
    search = GridSearchCV(
        AdaUBoost(5, n_estimators=15), {"omega": omegas}, cv=PredefinedSplit(fold),
        scoring=get_cost_scorer("expected_cost", fn_cost=5),
    ).fit(X, y)  # fmt: skip
    costs = []
    for omega in omegas:
        model = AdaUBoost(5, n_estimators=15, omega=omega).fit(X[fold < 0], y[fold < 0])
        predicted, truth = model.predict(X[fold == 0]), y[fold == 0]
        costs.append(np.mean(5.0 * ((truth == 1) & (predicted == 0)) + ((truth == 0) & (predicted == 1))))
    assert len(set(costs)) > 1
    assert search.best_params_["omega"] == omegas[int(np.argmin(costs))]
    np.testing.assert_allclose(-search.cv_results_["mean_test_score"], costs, rtol=1e-12)


@pytest.mark.parametrize("omega", [0, -1.0, np.nan, np.inf, 1e31, "beta", len])
def test_omega_is_a_positive_number(omega):
    with pytest.raises(ValueError, match="omega="):
        AdaUBoost(omega=omega).fit(X0, y0)
    with pytest.raises(ValueError, match="omega="):
        ADAUBOOST.build_rules(omega=omega)
