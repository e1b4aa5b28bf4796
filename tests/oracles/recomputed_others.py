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


def f_measures(dataset, method, column="f", study="c08/pruned"):
    """F-measure, splits by costs of a false alarm as printed; a single column where no cost is used."""
    table = pd.read_csv(RESULTS / study / "measures.csv")
    table = table[(table.dataset == dataset) & (table.method == method) & (table.cost_scale != 0.5)]
    return table.fillna({"fp_cost": 0}).pivot(index="split", columns="fp_cost", values=column)


def best_for_the_set(dataset, method, study="c08/pruned"):
    """F-measure of each split at the one cost with the best mean over the test parts of the set."""
    tested = f_measures(dataset, method, study=study)
    return tested[tested.mean().idxmax()]


def best_of_the_split(dataset, method):
    """F-measure of each split at the cost that is best on its own test part."""
    return f_measures(dataset, method).max(axis="columns")


def best_in_training(dataset, method):
    """F-measure of each split at the cost that is best over the folds of its own training part."""
    tested = f_measures(dataset, method)
    chosen = f_measures(dataset, method, "f_within_training").idxmax(axis="columns")
    return pd.Series({split: tested.loc[split, cost] for split, cost in chosen.items()})


def share_above(means, level):
    """Share of the sets whose mean is above zero, by Clopper and Pearson, the sides at this level each."""
    apart = [mean for mean in means if mean != 0]
    k, n = sum(mean > 0 for mean in apart), len(apart)
    low = stats.beta.ppf(level, k, n - k + 1) if k else 0.0
    high = stats.beta.ppf(1 - level, k + 1, n - k) if k < n else 1.0
    return k / n, low, high


def gain_of_gradient_form(study="c08/pruned"):
    """C08-3: share of three sets, all but Sick, with a higher F-measure than tree and AdaBoost."""
    gains = []
    for dataset in SETS_OF_CAI[:3]:
        rivals = [best_for_the_set(dataset, rival, study) for rival in ("tree", "AdaBoost")]
        gains.append(np.mean(best_for_the_set(dataset, "GD-AdaCost", study) - max(rivals, key=np.mean)))
    return share_above(gains, 0.125)


def gain_with_depth_six():
    """The same with trees of depth six."""
    return gain_of_gradient_form("c08")


def optimism(best):
    """B-1: F-measure with a cost chosen on test parts, less that with one chosen on the training part of the
    split: only that choice sees no test example of the split.
    """
    excess = [
        best(dataset, method) - best_in_training(dataset, method)
        for dataset in SETS_OF_CAI
        for method in ("AdaCost", "GD-AdaCost")
    ]
    return farthest([np.mean(excess, axis=0)], margin=0.5, looks=2, overlap=A_NINTH)


def optimism_of_the_set():
    """B-1: with the cost that is best on the test parts of the set."""
    return optimism(best_for_the_set)


def optimism_of_the_split():
    """B-1: with the cost that is best on the test part of the split."""
    return optimism(best_of_the_split)


def astray(method):
    """Share of the fresh examples that are decided otherwise than by Bayes, draws by cost ratios."""
    table = pd.read_csv(RESULTS / "c13" / "boundaries" / "gaussians.csv")
    table = table[(table.method == method) & (table.nonpositive_alpha != "stop")]
    return table.pivot(index="repeat", columns="ratio", values="apart")


def follows_bayes(method="AsyB"):
    """C13-3: a tenth less that share, at four ratios."""
    return farthest([0.1 - shares for _, shares in astray(method).items()], margin=0.01, looks=2)


def older_follows_bayes():
    """C13-2: a tenth less the share of AdaBoostC, at a ratio of five."""
    return farthest([0.1 - astray("AdaBoostC")[COST_RATIO]], margin=0.01, looks=3)


def others_stray():
    """C13-2: the share of each heuristic method less a tenth."""
    shares = [astray(method)[COST_RATIO] - 0.1 for method in ("AdaCost", *HEURISTIC)]
    return farthest(shares, margin=0.01, looks=3)


def heuristic_less_asyb():
    """C13-13: the share of each heuristic method less that of AsyB."""
    shares = [astray(method)[COST_RATIO] - astray("AsyB")[COST_RATIO] for method in ("AdaCost", *HEURISTIC)]
    return farthest(shares, margin=0.01, looks=4)


def cart_follows_bayes():
    """C13-3: the same for AsyBL with CART."""
    return follows_bayes("AsyBL, CART")


def further_astray():
    """C13-12: slope of that share on the binary logarithm of the ratio, of seven methods."""
    slopes = []
    for method in ("AdaCost", *HEURISTIC):
        shares = astray(method)
        steps = np.log2(shares.columns.to_numpy(float))
        steps = steps - steps.mean()
        slopes.append(shares.to_numpy() @ steps / (steps @ steps))
    return farthest(slopes, margin=0.01)


def mean_costs(dataset, *studies):
    """Mean cost of an example, a false alarm costing one: folds by methods, the last study's where in two."""
    tables = [pd.read_csv(RESULTS / study / "measures.csv") for study in studies or ("c13",)]
    table = pd.concat(tables).drop_duplicates(["dataset", "repeat", "fold", "method"], keep="last")
    table = table[table.dataset == dataset]
    examples = table.tp + table.fn + table.fp + table.tn
    table = table.assign(cost=(COST_RATIO * table.fn + table.fp) / examples)
    return table.pivot(index=["repeat", "fold"], columns="method", values="cost")


def worst_share(rivals):
    """Of several rivals the share of the sets on which it costs more that begins lowest."""
    return min((share_above(means, 0.05) for means in rivals), key=lambda triple: triple[1])


def dearer(rivals, method):
    """Costs of rivals less that of a method, by rival one mean a set, with trees of depth six."""
    tables = [mean_costs(dataset) for dataset in SETS_OF_CAO]
    return worst_share([[np.mean(table[rival] - table[method]) for table in tables] for rival in rivals])


def first_of_adac():
    """C13-6: costs of AdaC2 and AdaC3 less that of AdaC1."""
    return dearer(("AdaC2", "AdaC3"), "AdaC1")


def first_of_older():
    """C13-7: mean costs of the AdaC and CSB families less that of AdaBoostC."""
    families = HEURISTIC[:3], HEURISTIC[3:]
    tables = [mean_costs(dataset) for dataset in SETS_OF_CAO]
    gaps = [[np.mean(table[list(of)].mean(axis=1) - table.AdaBoostC) for table in tables] for of in families]
    return worst_share(gaps)


def newer_below_older():
    """C13-7: mean cost of AdaBoostC less that of the cheaper of AsyB and AsyBL, the paper's learners."""
    tables = [mean_costs(dataset, "c13/pruned", "c13/logistic") for dataset in SETS_OF_CAO]
    gaps = [np.mean(of.AdaBoostC) - min(np.mean(of.AsyB), np.mean(of.AsyBL)) for of in tables]
    return share_above(gaps, 0.05)


def cheapest(*studies):
    """C13-4: the paper's ten other methods against AsyB or AsyBL, whichever costs less on a set.

    A rival fails if it is surely cheaper on a set, all pairs of rival and set sharing the error, or on all.
    """
    tables = [mean_costs(dataset, *studies) for dataset in SETS_OF_CAO]
    found = []
    for rival in IN_TABLES_OF_CAO:
        gaps = [of[rival] - min(of.AsyB, of.AsyBL, key=np.mean) for of in tables]
        count = len(gaps) * len(IN_TABLES_OF_CAO)
        dearer_on = sum(np.mean(gap) > 0 for gap in gaps)
        against = dearer_on == 0 or any(interval(gap, count, 0.25)[2] < 0 for gap in gaps)
        status = 0 if against else 2 if dearer_on == len(gaps) else 1
        found.append((status, share_above([np.mean(gap) for gap in gaps], 0.05)))
    return min(found, key=lambda each: (each[0], each[1][1]))[1]


def cheapest_with_the_papers_learners():
    """The same with C4.5's trees, and CART under AsyBL."""
    return cheapest("c13/pruned", "c13/logistic")


def costs_of_lozano():
    """Mean cost over the splits, the paper's eight sets by methods."""
    table = pd.read_csv(RESULTS / "l08" / "costs.csv")
    costs = table.pivot_table(index="dataset", columns="method", values="cost", aggfunc="mean")
    return costs.loc[list(SETS_OF_LOZANO)]


def rivals_over_norm_five():
    """L08-9: share of the sets on which each of three rivals costs more than p = 5."""
    costs = costs_of_lozano()
    return worst_share(
        [costs[rival] - costs["LpCSB as printed, p = 5"] for rival in ("AdaBoost.M2", "AdaCost", "CSB2")]
    )


def linear_over_squared():
    """L08-4: share of the sets on which p = 1 costs more than p = 2."""
    costs = costs_of_lozano()
    return share_above(costs["LpCSB as printed, p = 1"] - costs["LpCSB as printed, p = 2"], 0.05)


def all_labels_over_lpcsb():
    """L08-8: share of the sets on which LpCSB-A costs more than LpCSB, both with p = 2."""
    costs = costs_of_lozano()
    return share_above(costs["LpCSB-A, p = 2"] - costs["LpCSB, p = 2"], 0.05)


NUMBERS = {
    ("C08-3", "gradient form", "pruned trees, thirty splits"): gain_of_gradient_form,
    ("C08-3", "gradient form", "depth six"): gain_with_depth_six,
    ("B-1", "one cost a set", "pruned trees, thirty splits"): optimism_of_the_set,
    ("B-1", "one cost a split", "pruned trees, thirty splits"): optimism_of_the_split,
    ("C13-2", "AdaBoostC", "perceptrons"): older_follows_bayes,
    ("C13-2", "others", "perceptrons"): others_stray,
    ("C13-13", "AsyB, heuristic methods", "as printed, perceptrons"): heuristic_less_asyb,
    ("C13-3", "AsyB", "as printed, perceptrons"): follows_bayes,
    ("C13-3", "AsyBL", "regression trees pruned by cost complexity"): cart_follows_bayes,
    ("C13-12", "further astray", "perceptrons"): further_astray,
    ("C13-4", "cheapest", "AsyB as printed, depth six"): cheapest,
    ("C13-4", "cheapest", "AsyB as printed, the paper's learners"): cheapest_with_the_papers_learners,
    ("C13-6", "AdaC1", "depth six"): first_of_adac,
    ("C13-7", "older", "depth six"): first_of_older,
    ("C13-7", "newer", "the paper's learners"): newer_below_older,
    ("L08-4", "squared below linear", "LpCSB as printed, depth six"): linear_over_squared,
    ("L08-9", "p = 5", "LpCSB as printed, depth six"): rivals_over_norm_five,
    ("L08-8", "all labels", "LpCSB, depth six"): all_labels_over_lpcsb,
}
