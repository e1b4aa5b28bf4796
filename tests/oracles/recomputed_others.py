"""Numbers of verdicts on three of the papers, recomputed from the recorded tables by pandas alone.

Each is computed from what `data/decision_rules.csv` says of the part in the paper's own reading, with
Student's interval over splits, folds, draws or sets, whose variance is increased by the size of a test part
over that of a training part, and whose error of 5 % all comparisons of a part and all its looks share.

Of several comparisons the book shows the one that is farthest from holding: of those with the worst of the
three verdicts the one with the lowest end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

RESULTS = Path(__file__).parents[2] / "data" / "results"
COST_RATIO = 5
A_NINTH = 0.111111  # as the decision rules have it
HEURISTIC = ("AdaC1", "AdaC2", "AdaC3", "CSB0", "CSB1", "CSB2")
IN_TABLES_OF_CAO = ("AdaBoostC", "AdaCost", *HEURISTIC, "AsyBoosting", "AsyLogitBoost")
SETS_OF_CAI = ("breast-cancer", "hepatitis", "pima", "sick-euthyroid")
SETS_OF_CAO = ("crx", "page-blocks", "phoneme", "pima", "vowel")
SETS_OF_LOZANO = (
    "splice", "anneal", "satimage", "flare-c", "letter", "pendigits", "segment", "ann-thyroid",
)  # fmt: skip


def interval(differences, shares, overlap):
    """Mean with both ends of its interval, at ``1 - 0.05 / shares``."""
    n = len(differences)
    t = stats.t.ppf(1 - 0.025 / shares, n - 1)
    half = t * np.std(differences, ddof=1) * np.sqrt(1 / n + overlap)
    return np.mean(differences), np.mean(differences) - half, np.mean(differences) + half


def farthest(comparisons, margin, looks=1, overlap=0.0):
    """What is farthest from being above zero: the lowest of what fails, else of what is open, else of all."""
    triples = [interval(differences, looks * len(comparisons), overlap) for differences in comparisons]
    not_held = [triple for triple in triples if triple[1] <= 0]
    fails = [triple for triple in not_held if triple[2] < margin]
    return min(fails or not_held or triples, key=lambda triple: triple[1])


def f_measures(dataset, method, column="f"):
    """F-measure, splits by costs of a false alarm as printed; a single column where no cost is used."""
    table = pd.read_csv(RESULTS / "c08" / "measures.csv")
    table = table[(table.dataset == dataset) & (table.method == method) & (table.cost_scale != 0.5)]
    return table.fillna({"fp_cost": 0}).pivot(index="split", columns="fp_cost", values=column)


def best_for_the_set(dataset, method):
    """F-measure of each split at the one cost with the best mean over the test parts of the set."""
    tested = f_measures(dataset, method)
    return tested[tested.mean().idxmax()]


def best_in_training(dataset, method):
    """F-measure of each split at the cost that is best over the folds of its own training part."""
    tested = f_measures(dataset, method)
    chosen = f_measures(dataset, method, "f_within_training").idxmax(axis="columns")
    return pd.Series({split: tested.loc[split, cost] for split, cost in chosen.items()})


def gain_of_gradient_form():
    """C08-3: F-measure less the better of tree and AdaBoost, on three sets, test part a ninth of training."""
    gains = []
    for dataset in SETS_OF_CAI:
        rivals = [best_for_the_set(dataset, rival) for rival in ("tree", "AdaBoost")]
        gains.append(best_for_the_set(dataset, "GD-AdaCost") - max(rivals, key=np.mean))
    return farthest(sorted(gains, key=np.mean)[1:], margin=1, overlap=A_NINTH)


def optimism():
    """B-1: F-measure with one cost for a set, chosen on the test parts, less that with each split's own,
    chosen on its training part: only that choice sees no test example of the split.
    """
    excess = [
        best_for_the_set(dataset, method) - best_in_training(dataset, method)
        for dataset in SETS_OF_CAI
        for method in ("AdaCost", "GD-AdaCost")
    ]
    return farthest([np.mean(excess, axis=0)], margin=0.5, overlap=A_NINTH)


def perceptrons(ratio):
    """Excess cost, draws by methods, on two Gaussians with perceptrons; and the Bayes cost."""
    table = pd.read_csv(RESULTS / "c13" / "gaussians.csv")
    table = table[(table.learner == "perceptron") & (table.ratio == ratio)]
    return table.pivot(index="repeat", columns="method", values="excess"), table.bayes.iloc[0]


def constant_cost():
    """Cost of calling all test examples positive, which no ratio changes: that of most of CSB0's draws.

    Costs are means over the same 20000 examples in every draw, so that it is not exactly one half.
    """
    excess, bayes = perceptrons(COST_RATIO)
    return excess.CSB0.mode()[0] + bayes


def closer_to_bayes():
    """C13-2: excess cost of the older methods less that of AdaBoostC."""
    excess, _ = perceptrons(COST_RATIO)
    older = ("AdaCost", *HEURISTIC)
    return farthest([excess[rival] - excess.AdaBoostC for rival in older], margin=0.01, looks=2)


def follows_bayes():
    """C13-3: half less the share that AsyB's excess cost has of that of the constant."""
    gaps = []
    for ratio in (2, 5, 8, 10):
        excess, bayes = perceptrons(ratio)
        gaps.append(0.5 - excess.AsyB / (constant_cost() - bayes))
    return farthest(gaps, margin=0.05, looks=2)


def cart_follows_bayes():
    """C13-3: half less the share that AsyBL's excess cost has of that of the constant, with pruned CART."""
    table = pd.read_csv(RESULTS / "c13" / "cart" / "gaussians.csv")
    pruned = table[table["size"] == "pruned"]
    constant = constant_cost()
    gaps = [0.5 - rows.excess / (constant - rows.bayes) for _, rows in pruned.groupby("ratio")]
    return farthest(gaps, margin=0.05, looks=2)


def mean_costs(dataset, *studies):
    """Mean cost of an example, a false alarm costing one: folds by methods, the last study's where in two."""
    tables = [pd.read_csv(RESULTS / study / "measures.csv") for study in studies or ("c13",)]
    table = pd.concat(tables).drop_duplicates(["dataset", "repeat", "fold", "method"], keep="last")
    table = table[table.dataset == dataset]
    examples = table.tp + table.fn + table.fp + table.tn
    table = table.assign(cost=(COST_RATIO * table.fn + table.fp) / examples)
    return table.pivot(index=["repeat", "fold"], columns="method", values="cost")


def cheapest_on_crx(*studies):
    """C13-4: costs of the paper's ten other methods less that of AsyB or AsyBL; one of five sets."""
    costs = mean_costs("crx", *studies)
    new = min(costs.AsyB, costs.AsyBL, key=np.mean)
    return farthest([costs[rival] - new for rival in IN_TABLES_OF_CAO], margin=0.005, looks=5, overlap=0.25)


def cheapest_on_crx_with_the_papers_learners():
    """The same with C4.5's trees, and CART under AsyBL."""
    return cheapest_on_crx("c13/pruned", "c13/logistic")


def dearer(rivals, method):
    """Costs of rivals less that of a method, every rival on every set."""
    tables = [mean_costs(dataset) for dataset in SETS_OF_CAO]
    differences = [table[rival] - table[method] for rival in rivals for table in tables]
    return farthest(differences, margin=0.005, overlap=0.25)


def first_of_adac():
    """C13-6: costs of AdaC2 and AdaC3 less that of AdaC1."""
    return dearer(("AdaC2", "AdaC3"), "AdaC1")


def first_of_older():
    """C13-7: costs of the AdaC and CSB families less that of AdaBoostC."""
    return dearer(HEURISTIC, "AdaBoostC")


def log_costs():
    """Logarithm of the mean cost over the splits, the paper's eight sets by methods."""
    table = pd.read_csv(RESULTS / "l08" / "costs.csv")
    costs = table.pivot_table(index="dataset", columns="method", values="cost", aggfunc="mean")
    return np.log(costs.loc[list(SETS_OF_LOZANO)])


def as_printed(p):
    """Log cost of LpCSB as printed with a norm, set by set."""
    return log_costs()[f"LpCSB as printed, p = {p}"]


def rivals_over_squared():
    """L08-4: log ratio of the rivals' costs to that of the squared loss, one of two looks."""
    rivals = ("AdaBoost.M2", "AdaCost", "CSB2")
    return farthest([log_costs()[rival] - as_printed(2) for rival in rivals], margin=0.05, looks=2)


def linear_over_squared():
    """L08-4: log ratio of the cost with p = 1 to that with p = 2."""
    return farthest([as_printed(1) - as_printed(2)], margin=0.05)


def squared_over_higher():
    """L08-5: log ratio of the cost with p = 2 to those with p from 3 to 5."""
    return farthest([as_printed(2) - as_printed(p) for p in (3, 4, 5)], margin=0.05)


def higher_counted():
    """L08-5: share of the norms from 3 to 5 below that of 2, an equal one a half, less one half, by set.

    The interval ends where a share does.
    """
    signs = [np.sign(as_printed(2) - as_printed(p)) / 2 for p in (3, 4, 5)]
    mean, low, high = farthest([np.mean(signs, axis=0)], margin=0.05)
    return mean, max(low, -0.5), min(high, 0.5)


NUMBERS = {
    ("C08-3", "gradient form", "costs as printed"): gain_of_gradient_form,
    ("B-1", "optimism", "costs as printed"): optimism,
    ("C13-2", "AdaBoostC", "perceptrons"): closer_to_bayes,
    ("C13-3", "AsyB", "as printed, perceptrons"): follows_bayes,
    ("C13-3", "AsyBL", "regression trees pruned by cost complexity"): cart_follows_bayes,
    ("C13-4", "crx", "AsyB as printed, depth six"): cheapest_on_crx,
    ("C13-4", "crx", "AsyB as printed, the paper's learners"): cheapest_on_crx_with_the_papers_learners,
    ("C13-6", "AdaC1", "depth six"): first_of_adac,
    ("C13-7", "older", "depth six"): first_of_older,
    ("L08-4", "squared", "LpCSB as printed, depth six"): rivals_over_squared,
    ("L08-4", "squared below linear", "LpCSB as printed, depth six"): linear_over_squared,
    ("L08-5", "higher p", "LpCSB as printed, depth six"): squared_over_higher,
    ("L08-5", "higher p", "counted, LpCSB as printed, depth six"): higher_counted,
}
