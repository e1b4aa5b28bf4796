"""Temperature scaling against a scan of the log loss, closed forms and scikit-learn."""

import numpy as np
import pytest
import sklearn
from packaging.version import Version
from scipy.special import log_softmax, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import csb
from csb.evaluation.classifiers import class_scores
from csb.evaluation.temperature import TemperatureScaling
from oracles.searches import halve, signed_logsum


def sample(k, seed=0, n=150):
    """Scores that are too sure by a factor of three, labels and whole weights."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, k))
    y = np.array([rng.choice(k, p=p) for p in softmax(logits, axis=1)])
    return 3 * logits + rng.normal(size=(n, 1)), y, rng.integers(0, 4, n)


def naive_loss(beta, logits, y, weight):
    """Log loss of each factor."""
    return [-weight @ log_softmax(b * logits, axis=1)[np.arange(len(y)), y] for b in np.atleast_1d(beta)]


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("seed", range(3))
def test_no_factor_of_a_scan_has_a_smaller_loss(k, seed):
    logits, y, weight = sample(k, seed)
    beta = TemperatureScaling().fit(logits, y, weight).beta_
    scan = np.geomspace(1e-3, 1e3, 4001)
    losses = naive_loss(scan, logits, y, weight)
    assert naive_loss(beta, logits, y, weight)[0] <= min(losses) * (1 + 1e-14)
    assert abs(np.log(beta / scan[np.argmin(losses)])) < 2 * np.log(scan[1] / scan[0])
    assert beta < 0.6  # they were too sure


@pytest.mark.parametrize("k", [2, 3, 7])
def test_probabilities_are_those_of_the_scaled_scores(k):
    logits, y, _ = sample(k)
    model = TemperatureScaling().fit(logits, y)
    np.testing.assert_allclose(model.predict(logits), softmax(model.beta_ * logits, axis=1), rtol=1e-12)
    assert model.predict(logits[:, ::-1]).argmax(axis=1).tolist() == logits[:, ::-1].argmax(axis=1).tolist()


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1)])
def test_log_odds_are_two_classes(labels):
    logits, y, weight = sample(2)
    both = TemperatureScaling().fit(logits, y, weight)
    odds = logits[:, 1] - logits[:, 0]
    one = TemperatureScaling().fit(odds, np.array(labels)[y], weight)
    assert one.beta_ == pytest.approx(both.beta_, rel=1e-9)
    np.testing.assert_allclose(one.predict(odds), both.predict(logits)[:, 1], rtol=1e-9)


@pytest.mark.parametrize("right, wrong", [(3, 1), (10, 9), (1.5, 0.25)])
@pytest.mark.parametrize("k", [2, 4])
def test_a_closed_form(right, wrong, k):
    """The class of score one is right with this weight, and each other class as often: its share is kept."""
    weight = np.append(right, np.full(k - 1, wrong / (k - 1)))
    p = TemperatureScaling().fit(np.tile(np.eye(k)[0], (k, 1)), np.arange(k), weight).predict(np.eye(k)[:1])
    np.testing.assert_allclose(p, [weight / weight.sum()], rtol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_integer_weights_are_copies_and_zero_is_absence(k):
    logits, y, weight = sample(k, 5)
    weighted = TemperatureScaling().fit(logits, np.where(weight, y, 99), weight)
    copied = TemperatureScaling().fit(np.repeat(logits, weight, axis=0), np.repeat(y, weight))
    assert weighted.beta_ == pytest.approx(copied.beta_, rel=1e-10)


@pytest.mark.parametrize("scale", [1e-90, 1e-9, 1.0, 1e9, 1e307])
@pytest.mark.parametrize("kind", ["sure", "opposite", "of one class", "equal", "mixed"])
@pytest.mark.parametrize("k", [2, 3])
def test_hostile_scores_have_finite_probabilities(kind, scale, k):
    y = np.arange(12) % k if kind != "of one class" else np.zeros(12, int)
    score = {"sure": np.eye(k)[y], "opposite": -np.eye(k)[y], "equal": np.full((12, k), 0.7)}.get(
        kind, np.random.default_rng(0).normal(size=(12, k)).clip(-2, 2)
    )
    model = TemperatureScaling().fit(score * scale, y)
    p = model.predict(score * scale)
    assert np.isfinite(model.beta_) and np.all(np.isfinite(p))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    expected = {"sure": np.eye(k)[y], "opposite": 1 / k, "equal": 1 / k}
    if kind in expected:
        np.testing.assert_allclose(p, np.broadcast_to(expected[kind], p.shape), atol=1e-3)
    else:
        np.testing.assert_allclose(p, TemperatureScaling().fit(score, y).predict(score), atol=1e-9)


def drawn(rng, cases, k, rows=8):
    """Scores, labels and weights, shape (cases, rows, k) and (cases, rows)."""
    shape = cases, rows, k
    kinds = [
        rng.normal(size=shape), rng.integers(0, 3, shape),
        np.log(rng.dirichlet(np.full(k, 0.05), shape[:2]) + 1e-12),
        10.0 ** rng.uniform(-6, 6, shape) * rng.choice([-1, 1], shape),
    ]  # fmt: skip
    logits = np.choose(rng.integers(len(kinds), size=(cases, 1, 1)), kinds)
    logits = logits * rng.choice([1.0, 1e-80, 1e290], (cases, 1, 1)) + np.where(
        rng.random((cases, 1, 1)) < 0.1, 1e8, 0.0
    )
    right = rng.random((cases, rows)) < rng.choice([0.1, 0.7, 1.0], (cases, 1))
    y = np.where(right, logits.argmax(axis=2), rng.integers(k, size=(cases, rows)))
    weight = np.where(rng.random((cases, 1)) < 0.5, 1.0, 10.0 ** rng.uniform(-6, 6, (cases, rows)))
    weight[:, 1] = np.where(rng.random(cases) < 0.2, 1e-290, weight[:, 1])
    return logits, y, weight


def slope_of(log_factor, over_own, weight):
    """Sign of the derivative of the loss by the factor, as the rising part over the falling part."""
    log_p = log_softmax(np.exp(log_factor)[:, np.newaxis, np.newaxis] * over_own, axis=2)
    with np.errstate(divide="ignore"):
        logs = np.log(weight)[:, :, np.newaxis] + log_p + np.log(abs(over_own))
    return signed_logsum(logs, over_own, axis=(1, 2))


@pytest.mark.parametrize("cases", [200, pytest.param(100_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_factor_of_hostile_scores_and_weights_is_the_one_searched_by_halves(k, cases):
    rng = np.random.default_rng(k)
    for _ in range(0, cases, 2000):
        logits, y, weight = drawn(rng, min(cases, 2000), k)
        over_own = logits / 2 - np.take_along_axis(logits / 2, y[:, :, np.newaxis], axis=2)
        scale = abs(over_own).max(axis=(1, 2))
        keep = scale > 0
        over_own = over_own[keep] / scale[keep, np.newaxis, np.newaxis]
        weight, scale = weight[keep], scale[keep]
        found = [
            TemperatureScaling().fit(*each).beta_ for each in zip(logits[keep], y[keep], weight, strict=True)
        ]
        found = np.log(found) + np.log(scale) + np.log(2)
        ends = np.full(len(scale), -10.0), np.full(len(scale), 400.0)
        expected = halve(lambda t, o=over_own, w=weight: slope_of(t, o, w) > 0, *ends, 70)
        expected = np.where(over_own.max(axis=(1, 2)) <= 0, 10.0, expected)  # all right: there is no minimum
        flat = abs(slope_of(found, over_own, weight)) < 1e-10
        assert np.all((abs(found - expected) < 1e-8) | flat)
        assert np.any(expected == 10.0) and np.any(abs(expected + 10.0) < 1e-9)


def test_one_score_far_from_the_others_does_not_flatten_them():
    """The ratio of right to wrong is three at scores of one, however far the last one is."""
    for far in (100.0, 1e6, 1e100):
        model = TemperatureScaling().fit([1.0, 1.0, 1.0, -1.0, far], [1, 1, 1, 1, 1])
        np.testing.assert_allclose(model.predict([1.0]), 0.75, rtol=1e-4)


@pytest.mark.parametrize(
    "scores, y, message",
    [
        ([[0.0, 1.0]], [2], "y holds 2: allowed are 0 to 1"), ([[0.0, 1.0]], [-1], "y holds -1"),
        ([[0.0, 1.0]], ["a"], "y holds 'a'"), ([[0.0, 1.0]], [0.5], r"y=\[0.5\]: Unknown label type"),
        ([[0.0, np.nan]], [0], "scores holds nan"), ([[0.0, 1.0]], [0, 1], r"scores has shape \(1, 2\)"),
        ([0.0, np.inf], [0, 1], "scores holds inf"), ([0.0, 1.0, 2.0], [0, 1], r"scores has shape \(3,\)"),
        ([], [], "y has 0 labels"), ([[[0.0]]], [0], r"scores has shape \(1, 1, 1\)"),
        ([[0.0, 1e-120]], [0], "scores reach over 5e-121"), ([0.0, 1.0], [0, 3], "0 and 1, or -1 and 1"),
    ],
)  # fmt: skip
def test_bad_scores_are_named(scores, y, message):
    with pytest.raises(ValueError, match=message):
        TemperatureScaling().fit(scores, y)


def test_new_scores_have_the_columns_of_the_old():
    model = TemperatureScaling().fit(np.eye(3), [0, 1, 0])
    for new in ([[0.0, 1.0]], [0.0, 1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match=r"scores has shape .*: allowed is \(n, 3\)"):
            model.predict(new)
    with pytest.raises(ValueError, match=r"scores has shape \(3, 3\): allowed is \(n,\)"):
        model.fit([0.0, 1.0], [0, 1]).predict(np.eye(3))


def in_use(logits, labels, folds, learner, X, weights):
    """The naive way: a factor for each fold by a fine search, and the mean of the probabilities."""
    mean = 0
    for fitting, held_out in folds:
        part = {} if weights is None else {"sample_weight": weights[fitting]}
        fitted = learner.fit(X[fitting], labels[fitting], **part)
        weight = np.ones(len(held_out)) if weights is None else weights[held_out]
        own, lines = logits(fitted, X[held_out]), np.linspace(-13, 7, 201)
        for width in (10, 0.2, 1e-3, 1e-5):  # finer and finer about the best
            losses = naive_loss(np.exp(lines), own, labels[held_out], weight)
            lines = lines[np.argmin(losses)] + np.linspace(-width / 50, width / 50, 201)
        mean = mean + softmax(np.exp(lines[100]) * logits(fitted, X), axis=1) / len(folds)
    return mean


LEARNERS = {
    "decision values": (LinearDiscriminantAnalysis(), lambda m, X: np.atleast_2d(m.decision_function(X))),
    "probabilities": (GaussianNB(), lambda m, X: np.log(m.predict_proba(X) + 1e-12)),
    "exact zeros": (
        RandomForestClassifier(5, random_state=0),
        lambda m, X: np.log(m.predict_proba(X) + 1e-12),
    ),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("k", [2, 3])
def test_the_decision_around_a_classifier(kind, k, weighted):
    X, y = load_iris(return_X_y=True)
    X, y = X[y >= 3 - k][:, :2], y[y >= 3 - k] - (3 - k)
    learner, logits = LEARNERS[kind]
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    if weighted and kind == "decision values":
        learner = LogisticRegression(max_iter=1000)
    of = logits
    if kind == "decision values" and k == 2:

        def of(model, X):
            return np.outer(model.decision_function(X), [-0.5, 0.5])

    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    model = csb.CostDecision(learner, calibration="temperature", cv=folds).fit(X, y, weights)
    expected = in_use(of, y, folds, learner, X, weights)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-5)


@pytest.mark.skipif(Version(sklearn.__version__) < Version("1.8"), reason="scikit-learn has it from 1.8 on")
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_are_those_of_scikit_learn(kind, k, ensemble):
    X, y = load_iris(return_X_y=True)
    X, y = X[y >= 3 - k][:, :2], np.array(["a", "b", "c"])[y[y >= 3 - k]]
    learner, folds = LEARNERS[kind][0], StratifiedKFold(4, shuffle=True, random_state=1)
    theirs = CalibratedClassifierCV(learner, method="temperature", cv=folds, ensemble=ensemble).fit(X, y)
    model = csb.CostDecision(learner, calibration="temperature", cv=folds, ensemble=ensemble).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_logarithms_are_taken_of_probabilities_only():
    X, y = load_iris(return_X_y=True)
    for learner in (GaussianNB().fit(X, y), LinearDiscriminantAnalysis().fit(X, y)):
        same = hasattr(learner, "decision_function")
        plain, logs = (class_scores(learner, X, np.arange(3), as_logits) for as_logits in (False, True))
        np.testing.assert_allclose(logs, plain if same else np.log(plain + 1e-12))


def test_a_fold_that_never_saw_a_class_gives_it_nothing():
    X, y = load_iris(return_X_y=True)
    folds = [(np.arange(100), np.arange(30, 150)), (np.arange(0, 150, 2), np.arange(1, 150, 2))]
    learner = LogisticRegression(max_iter=1000)
    both, second = (
        csb.CostDecision(learner, calibration="temperature", cv=cv).fit(X, y).predict_proba(X)
        for cv in (folds, folds[1:])
    )
    np.testing.assert_allclose(both.sum(axis=1), 1)
    np.testing.assert_allclose(both[:, 2], second[:, 2] / 2)
