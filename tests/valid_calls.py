"""A valid call of every public function, from which ``test_bad_values`` spoils one argument at a time."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from csb import VARIANTS, AdaBoost, CostDecision, costs
from csb.evaluation import (
    calibration,
    comparison,
    curves,
    decisions,
    displays,
    in_use,
    intervals,
    metrics,
    scorers,
    temperature,
)
from csb.methods import losses, thresholds
from csb.recommend import recommend
from csbook.datasets import encode, generated, invoices, loading, registry
from csbook.theory import bounds, experts, fisher, hyperplanes, properties, reconcile, regret, separable
from csbook.theory.losses import LogisticLoss, empirical_risk
from csbook.theory.properties import calibrated, evidence, table

Y, PREDICTED, WEIGHT = [0, 0, 1, 1, 0, 1], [0, 1, 1, 1, 0, 0], [1.0, 2.0, 1.0, 0.5, 3.0, 1.0]
P, SCORE, VOTES = [0.1, 0.4, 0.35, 0.8, 0.6, 0.9], [-0.8, -0.2, 0.3, 0.5, 0.1, 0.9], [0.6, 0.4]
SEPARATED = [-3.0, -1.0, 2.0, 5.0, -2.0, 4.0]
SIGNS, LABELLED = [-1, -1, 1, 1, -1, 1], {"y_true": Y, "pos_label": 1, "sample_weight": WEIGHT}
DECIDED = LABELLED | {"y_pred": PREDICTED}
COSTS = {"fn_cost": 5.0, "fp_cost": 1.0}
UNDECIDED = {"abstain_cost": [0.5, 0.2, 0.1, 0.0, 0.3, 0.4], "abstain_label": -7}
RIGHT = {"tp_cost": [0.5, 0.0, 0.1, 0.0, 0.2, 0.0], "tn_cost": 0.1}
SHARES = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4]]
MATRIX, CLASSES = [[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]], ["a", "b", "c"]
OF_CASES = np.array([MATRIX, MATRIX[::-1], MATRIX])
X = np.array([[0.0, 1.0], [1.0, 3.0], [3.0, 0.0], [4.0, 1.0], [0.5, 2.0], [5.0, 2.0]])
PAIRS = [(5.0, 1.0), (1.0, 3.0)]

EXPONENTIAL = losses.ExponentialLoss(np.log([1.0, 5.0]), np.array([1.0, 0.5]))
LOGISTIC = LogisticLoss(np.log(5.0), 2.0)
CHECKED = costs.check_costs([5.0, 2.0], 1.0)
PLATT, ISOTONIC = (calibration.make_calibrator(name).fit(SCORE, Y) for name in ("sigmoid", "isotonic"))
BETA = calibration.BetaCalibration().fit(SCORE, Y)
VENN_ABERS = calibration.VennAbersCalibration().fit(SCORE, Y)
TEMPERATURE = temperature.TemperatureScaling().fit(SCORE, Y)
SUPPORT_VECTORS = SVC(kernel="linear", C=1e6).fit(X, Y)
PROBLEM = invoices.make_invoice_problem()
AX, FITTED = plt.subplots()[1], DecisionTreeClassifier(max_depth=1).fit(X, Y)
BAND = displays.Band(*np.array([[0.2, 0.8], [0.1, 0.2], [0.3, 0.4]]))
DRAWN = {
    displays.BrierCurveDisplay: curves.brier_curve(Y, P),
    displays.CostCurveDisplay: curves.cost_curve(Y, P),
    displays.DecisionCurveDisplay: curves.decision_curve(Y, P),
    displays.MarginDistributionDisplay: curves.margin_distribution(Y, SCORE, VOTES),
    displays.ReliabilityDisplay: curves.reliability_diagram(Y, P),
}
RESAMPLED = {"level": 0.9, "n_resamples": 3, "random_state": 0, "name": None, "ax": AX}
OF_FITTED = {"estimator": FITTED, "y": Y, "pos_label": 1, "sample_weight": WEIGHT}
MASS, POSTERIOR = properties.random_distributions(count=1, cells=6)
PROBLEMS = properties.random_problems(count=1, n=60)
HISTORIES = evidence.impose(VARIANTS["cgada"].build_rules(), [1.0, 5.0])
FINDING = properties.Finding("calibrated", "yes", "it is")
PRINTED = pd.DataFrame(
    {"method": ["AdaBoost"], "fgd_consistent": [1], "cost_consistent": [0], "asymmetry_preserving": [0],
     "calibrated_estimates": [1]}
)  # fmt: skip
TRACK = registry.find_track(registry.find_entry("monks-1"), "clean")
DUMMY = DummyClassifier(strategy="prior")
FOUND = recommend(np.repeat(X, 4, 0), Y * 4, **COSTS, cv=2, candidates={"dummy": DUMMY})
EXPLAINED = CostDecision(LogisticRegression(), **COSTS, cv=2).fit(np.repeat(X, 4, 0), Y * 4).explain(X, X)
EXPLAINABLE = replace(
    FOUND, best_=CostDecision(LogisticRegression(), random_state=0).fit(np.repeat(X, 4, 0), Y * 4)
)


def build_loss(pair):
    return losses.ExponentialLoss(np.log(pair.by_class[:, 0]), np.ones(2))


def halving(m):
    return 1000 / m


def draw(n, rng):
    return rng.normal(size=(n, 1)), np.arange(n) % 2, np.full(n, 0.5)


def draw_of_fitted(**arguments):
    """A display from an estimator, which says itself what its features may be."""
    return displays.BrierCurveDisplay.from_estimator(X=X, **arguments)


def explain_at(**costs):
    """Rows explained by a classifier, which says itself what its features may be."""
    return EXPLAINABLE.explain(X, X[:4], **costs)


def call(function, **arguments):
    return function, arguments


CALLS = [
    # costs
    call(costs.average_costs, cost=np.array(MATRIX)),
    call(costs.bayes_threshold, **COSTS),
    call(costs.check_cost_matrix, cost_matrix=MATRIX, classes=CLASSES),
    call(costs.read_cost_matrix, cost_matrix=MATRIX, classes=CLASSES, n=3),
    call(costs.check_cost_rows, cost=MATRIX, labels=np.array([0, 1, 2]), classes=CLASSES),
    call(costs.check_costs, **COSTS, single=False),
    call(costs.class_frequency_costs, y=Y, random_state=0, scale=2000.0),
    call(costs.costs_from_skew, z=[0.2, 0.5], prevalence=0.3),
    call(costs.skew, **COSTS, prevalence=0.3),
    call(CHECKED.scaled, largest=1.0, smallest=None),
    # recommend
    call(
        recommend,
        **COSTS,
        tp_cost=np.linspace(0.0, 0.5, 24),
        tn_cost=-1.0,
        X=np.repeat(X, 4, 0),
        y=Y * 4,
        sample_weight=WEIGHT * 4,
        cv=StratifiedGroupKFold(2),
        groups=np.arange(24) // 6,
        random_state=0,
        pos_label=1,
        n_jobs=None,
        preprocess=None,
        candidates={"tree": DecisionTreeClassifier(max_depth=1)},
        current=PREDICTED * 4,
        verbose=False,
    ),
    call(FOUND.plot, ax=None),
    call(FOUND.sensitivity, factors=[0.5, 1.0, 2.0]),
    call(FOUND.sensitivity([1.0, 2.0]).plot, ax=None),
    call(explain_at, fn_cost=WEIGHT, fp_cost=2.0, tp_cost=0.0, tn_cost=-0.5),
    # evaluation
    call(EXPLAINED.table, row=5),
    call(EXPLAINED.plot, row=0, ax=AX, most=2),
    call(metrics.brier_score, **LABELLED, y_prob=P, class_balanced=False),
    call(metrics.brier_decomposition, **LABELLED, y_prob=P, class_balanced=True),
    call(metrics.brier_decompositions, **LABELLED, y_probs=[P], class_balanced=True),
    call(calibration.calibrate_models, calibration="sigmoid", scores=[SCORE], y=Y, new_scores=[SCORE]),
    call(calibration.make_calibrator, calibration="sigmoid"),
    call(calibration.PlattScaling, method="likelihood"),
    call(calibration.PlattScaling().fit, scores=SCORE, y=Y, sample_weight=WEIGHT),
    call(PLATT.predict, scores=SCORE),
    call(calibration.IsotonicCalibration().fit, scores=SCORE, y=SIGNS, sample_weight=WEIGHT),
    call(ISOTONIC.predict, scores=SCORE),
    call(calibration.BetaCalibration().fit, scores=SCORE, y=Y, sample_weight=WEIGHT),
    call(BETA.predict, scores=SCORE),
    call(calibration.VennAbersCalibration().fit, scores=SCORE, y=Y, sample_weight=WEIGHT),
    call(VENN_ABERS.predict, scores=SCORE),
    call(VENN_ABERS.intervals, scores=SCORE),
    call(temperature.TemperatureScaling().fit, scores=SCORE, y=Y, sample_weight=WEIGHT),
    call(temperature.TemperatureScaling().fit, scores=MATRIX, y=[0, 1, 2], sample_weight=[1.0, 2.0, 0.5]),
    call(TEMPERATURE.predict, scores=SCORE),
    call(curves.brier_curve, **LABELLED, y_prob=P, over="skew"),
    call(curves.brier_curve(Y, P).at, condition=[0.2, 0.5]),
    call(curves.cost_curve, **LABELLED, score=SCORE),
    call(curves.cost_curve(Y, P).lines, skew=[0.2, 0.5]),
    call(curves.margin_distribution, y_true=Y, score=SCORE, votes=VOTES, pos_label=1),
    call(curves.normalised_margins, y_true=Y, score=SCORE, votes=VOTES, pos_label=1),
    call(curves.reliability_diagram, **LABELLED, y_prob=P, n_bins=10),
    call(decisions.least_cost_decision, probability=[[0.2, 0.3, 0.5]], cost_matrix=MATRIX),
    call(decisions.least_cost_decision, probability=[[0.2, 0.3, 0.5]] * 3, cost_matrix=OF_CASES),
    call(decisions.miss_rate_threshold, score=SCORE, limit=0.3, confidence=0.9),
    call(decisions.risk_control_threshold, score=SCORE, missed_cost=WEIGHT, limit=1.5, largest=4.0),
    call(
        decisions.mean_cost,
        y_true=["a", "b", "c"],
        y_pred=["a", "c", "c"],
        cost_matrix=MATRIX,
        labels=CLASSES,
        abstain_cost=[0.5, 0.2, 0.1],
        abstain_label="?",
        sample_weight=[1.0, 2.0, 1.0],
    ),
    call(
        decisions.mean_cost,
        y_true=["a", "b", "c"],
        y_pred=["a", "?", "c"],
        cost_matrix=OF_CASES,
        labels=CLASSES,
        abstain_cost=0.5,
        abstain_label="?",
    ),
    call(decisions.undecided_label, classes=CLASSES, abstain_label="?"),
    call(decisions.undecided_label, classes=[0, 1], abstain_label=-7),
    call(
        intervals.case_interval,
        values=[1.0, 2.0, 4.0],
        sample_weight=[1, 2, 1],
        clusters=[0, 1, 2],
        level=0.95,
    ),
    call(in_use.adjust_prevalence, y_prob=P, prevalence=0.3, new_prevalence=0.1),
    call(in_use.adjust_prevalence, y_prob=SHARES, prevalence=[0.2, 0.5, 0.3], new_prevalence=SHARES[0]),
    call(in_use.estimate_prevalence, y_prob=P, prevalence=0.3),
    call(in_use.estimate_prevalence, y_prob=SHARES, prevalence=[0.2, 0.5, 0.3]),
    call(
        in_use.worth_by_period,
        saved=SEPARATED,
        period=[1, 1, 1, 2, 2, 2],
        least=0.5,
        n_periods=12,
        level=0.9,
        sample_weight=WEIGHT,
        clusters=[0, 1, 2, 3, 4, 5],
    ),
    call(intervals.mean_interval, values=[1.0, 2.0, 3.0], test_ratio=0.25, level=0.95, axis=0),
    call(comparison.cost_table, y_true=Y, decisions={"all": PREDICTED}, pos_label=1, **COSTS),
    call(metrics.case_costs, y_true=Y, y_pred=PREDICTED, pos_label=1, **COSTS, **RIGHT, **UNDECIDED),
    call(metrics.expected_cost, **DECIDED, **COSTS, **RIGHT, **UNDECIDED),
    call(metrics.f_measure, **DECIDED, beta=1.0),
    call(metrics.gmean, **DECIDED),
    call(metrics.gmean_counts, **DECIDED),
    call(metrics.gmean_precision_recall, **DECIDED),
    call(metrics.normalised_loss, **DECIDED, **COSTS, prevalence=0.3),
    call(metrics.savings_score, **DECIDED, **COSTS, **RIGHT, **UNDECIDED),
    call(metrics.total_cost, **DECIDED, **COSTS, **RIGHT, **UNDECIDED),
    call(curves.net_benefit, **LABELLED, y_prob=P, threshold=[0.2, 0.5]),
    call(curves.decision_curve, **LABELLED, y_prob=P, thresholds=[0.2, 0.5]),
    call(
        intervals.bootstrap_interval,
        **LABELLED,
        statistic=np.median,
        level=0.9,
        n_resamples=3,
        random_state=0,
    ),
    *(call(display, curve=curve, band=BAND, name="model") for display, curve in DRAWN.items()),
    call(displays.BrierCurveDisplay(DRAWN[displays.BrierCurveDisplay]).plot, ax=AX, name=None),
    call(displays.BrierCurveDisplay.from_predictions, **LABELLED, **RESAMPLED, y_prob=P, over="skew"),
    call(draw_of_fitted, **OF_FITTED, **RESAMPLED, over="cost"),
    call(displays.CostCurveDisplay.from_predictions, **LABELLED, **RESAMPLED, y_prob=SCORE, lines=False),
    call(displays.DecisionCurveDisplay.from_predictions, **LABELLED, **RESAMPLED, y_prob=P, thresholds=[0.2]),
    call(displays.ReliabilityDisplay.from_predictions, **LABELLED, **RESAMPLED, y_prob=P, n_bins=10),
    call(
        scorers.get_cost_scorer,
        metric="savings",
        **COSTS,
        tp_cost=-2.0,
        tn_cost=0.5,
        abstain_cost=0.2,
        abstain_label=-7,
        pos_label=1,
    ),
    call(scorers.get_cost_scorer, metric="net_benefit", threshold=0.2, pos_label="ill"),
    # theory
    call(bounds.error_bound, n_beyond=10**6, n_samples=10**6, dimension=30, delta=0.05),
    call(bounds.linear_fat_dimension, scale=0.1, radius=1.0, n_features=10),
    call(bounds.required_count, n_samples=10**6, dimension=30, delta=0.05),
    call(bounds.smallest_sample, bound=halving, below=1.0),
    call(bounds.training_bound, loss=EXPONENTIAL, y=SIGNS, score=SCORE, weight=WEIGHT),
    call(
        bounds.unequal_loss_bound,
        n_beyond=10**8,
        n_samples=10**8,
        margin=0.5,
        shift=0.1,
        beta=4.0,
        delta=0.05,
        radius=1.0,
        n_features=10,
    ),
    call(experts.Panel, n=5, error=0.3, dependence=0.2),
    call(experts.expert_probabilities, predictions=[[1, -1], [1, 1]], errors=[0.25, 0.1]),
    call(experts.product_of_experts, probabilities=[[0.75, 0.25], [0.5, 0.5]], odds=2.0),
    call(fisher.decide_fisher, build=build_loss, costs=PAIRS, posteriors=[0.3, 0.6]),
    call(fisher.losses, rounds=10),
    call(regret.conditional_risk, loss=EXPONENTIAL, p=[0.2, 0.6], score=[0.1, 0.3]),
    call(regret.least_risk, loss=EXPONENTIAL, p=[0.2, 0.6]),
    call(regret.wrong_side_regret, loss=LOGISTIC, p=[0.2, 0.6], cut=0.1, **COSTS),
    call(regret.bound_excess_cost, loss=LOGISTIC, excess_risk=[0.0, 0.1], cut=0.1, **COSTS),
    call(regret.excess_cost, p=[0.2, 0.6], positive=[True, False], mass=[0.5, 1.0], **COSTS),
    call(regret.cut_density, loss=LOGISTIC, q=[0.2, 0.6]),
    call(fisher.numeric_minimiser, loss=LOGISTIC, p=0.3),
    call(
        reconcile.error_counts,
        n_positive=10,
        n_negative=30,
        loss=0.1,
        gmean=0.8,
        beta=1.0,
        gmean_of="rates",
        loss_digits=1,
        gmean_digits=1,
    ),
    call(separable.class_margins, y_true=Y, score=SCORE, votes=VOTES, pos_label=1),
    call(
        separable.largest_margin,
        y_true=[1, 0, 1],
        predictions=[[1, -1, -1], [-1, -1, 1], [1, 1, 1]],
        exponent=[1.0, 2.0],
        pos_label=1,
    ),
    call(separable.stump_predictions, X=X),
    # properties
    call(properties.Reading, variant="adac1", options={"init": "uniform"}, calibrated=False),
    call(properties.compare, findings={"AdaBoost": [FINDING]}, printed=PRINTED),
    call(properties.decide_all, rows=[properties.Reading("adaboost")], n_jobs=1, progress=False),
    call(
        properties.decide_asymmetry,
        variant="adac1",
        options={"init": "uniform"},
        costs=PAIRS[:1],
        learning_rate=0.5,
    ),
    call(
        properties.decide_calibration,
        **COSTS,
        estimator=DUMMY,
        rounds=[2],
        sizes=[20],
        bound=0.005,
        draws=2,
        n_test=20,
        generator=draw,
        random_state=0,
    ),
    call(
        properties.decide_cost,
        variant="adac1",
        options={"init": "uniform"},
        calibration="sigmoid",
        ratios=[5.0],
        distributions=(MASS, POSTERIOR),
        n_estimators=3,
        learning_rate=0.5,
    ),
    call(
        properties.decide_declared_loss,
        variant="adac1",
        options={"init": "uniform"},
        costs=PAIRS[:1],
        problems=PROBLEMS,
        learning_rate=0.5,
    ),
    call(
        properties.decide_descent,
        variant="adac1",
        options={"init": "uniform"},
        costs=PAIRS[:1],
        problems=PROBLEMS,
        learning_rate=0.5,
    ),
    call(
        properties.decide_fgd,
        variant="adac1",
        options={"init": "uniform"},
        costs=PAIRS[:1],
        problems=PROBLEMS,
        learning_rate=0.5,
    ),
    call(
        properties.impose,
        rules=VARIANTS["cgada"].build_rules(),
        costs=[1.0, 5.0],
        votes=[0.5, 0.3],
        n_rounds=4,
    ),
    call(HISTORIES.fit, t=1),
    call(HISTORIES.smallest_ratio_at_equal_history, costly=1),
    call(HISTORIES.smallest_ratio_at_equal_margin, costly=1),
    call(properties.random_distributions, count=2, cells=4, random_state=0),
    call(properties.random_problems, count=2, n=20, random_state=0),
    call(properties.verdicts, findings={"AdaBoost": [FINDING]}),
    call(calibrated.expected_calibration_loss, y_prob=P, posterior=P),
    call(calibrated.make_step_logistic, n_samples=10, rng=np.random.default_rng(0)),
    call(evidence.read_pairs, costs=PAIRS),
    call(evidence.read_problems, problems=PROBLEMS),
    call(evidence.read_variant, variant="adac1", options={"init": "uniform"}),
    call(table.name_of_printed, printed="Calibrated AdaMEC"),
    # data sets
    call(encode.describe, track=TRACK),
    call(encode.encode, inputs=pd.DataFrame({"a": ["x", "y", "z"], "b": [1.0, 2.0, 3.0]}), track=TRACK),
    call(
        generated.made,
        name="wdbc",
        X=pd.DataFrame({"a": [1.0, 2.0]}),
        y=[0, 1],
        source="here",
        encoding="none",
        posterior=None,
    ),
    *(
        call(getattr(generated, name), n_samples=6, random_state=0)
        for name in generated.__all__
        if name.startswith("make_")
    ),
    call(invoices.make_invoice_problem, draw=1),
    call(PROBLEM.bill, y_pred=PROBLEM.y_new),
    call(invoices.euro_an_order, methods={"AdaBoost": AdaBoost(2)}, n_draws=2),
    call(invoices.make_invoices, n_samples=6, random_state=0),
    call(loading.load, name="monks-1", track="clean"),
    call(loading.read_file, name="pima.csv"),
    # methods
    call(losses.ExponentialLoss, log_factor=[0.0, 1.0], exponent=[1.0, 2.0]),
    *(
        call(getattr(loss, name), y=SIGNS, margin=SCORE)
        for loss in (EXPONENTIAL, LOGISTIC)
        for name in ("value", "weight")
    ),
    call(EXPONENTIAL.log_value, y=SIGNS, margin=SCORE),
    call(EXPONENTIAL.log_weight_ratio, margin=SCORE),
    *(call(loss.log_loss_ratio, margin=SCORE) for loss in (EXPONENTIAL, LOGISTIC)),
    *(call(loss.minimiser, p=P) for loss in (EXPONENTIAL, LOGISTIC)),
    *(
        call(getattr(loss, name), score=SCORE)
        for loss in (EXPONENTIAL, LOGISTIC)
        for name in ("log_odds", "probability")
    ),
    call(LogisticLoss, log_ratio=1.0, exponent=2.0),
    call(empirical_risk, loss=EXPONENTIAL, y=SIGNS, score=SCORE, weight=WEIGHT),
    call(VARIANTS["adac1"].build_rules, init="uniform", alpha="fgd"),
    call(VARIANTS["adac1"].scale, costs=CHECKED, cost_scale=0.5),
    call(
        VARIANTS["adac1"].batch,
        costs=CHECKED,
        cost_scale=0.5,
        rounds=np.array([3, 4]),
        learning_rate=np.array([1.0, 0.5]),
        init="uniform",
    ),
    call(hyperplanes.closest_scores, y_true=Y, score=SEPARATED, pos_label=1),
    call(hyperplanes.margin_hyperplane, svc=SUPPORT_VECTORS, X=X, y=Y),
    call(hyperplanes.margin_shift, **COSTS, margin=3.0, rule="eta"),
    call(
        thresholds.search_support_scores,
        y_true=Y,
        score=SCORE,
        borderline=0.0,
        margin_change=0.2,
        max_skip=5,
        pos_label=1,
    ),
    call(thresholds.threshold_between, **COSTS, negative=-1.0, positive=1.0, rule="b"),
]
