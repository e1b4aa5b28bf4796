"""Numbers of the verdicts on N16 and K98, recomputed from the recorded tables alone.

Nothing of the package is used: the quantities are those of ``data/decision_rules.csv``, the loss and the
skew those of Eqs. (26) and (27) of Nikolaou et al. (2016), and an interval is Student's, its error of five
per cent shared among the looks at a claim and the comparisons of a part. Of several comparisons the one is
given that is farthest from holding. No interval is given of a rank correlation.
"""

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

RESULTS = Path(__file__).parents[2] / "data" / "results"
N16 = RESULTS / "n16" / "univariate_logistic-published"

NEITHER_OF_THE_THREE = [
    "CSAda", "AdaC1", "AdaC2", "AdaC3", "CSB0", "CSB1", "CSB2", "AdaCost", "AdaCost(β₂)",
]  # fmt: skip
VOTES, CALIBRATED = "AdaMEC, vote rule", "AdaMEC, calibrated"
THREE = [VOTES, "CGAda", "AsymAda"]
FIFTEEN = [*THREE, *NEITHER_OF_THE_THREE, CALIBRATED, "CGAda, calibrated", "AsymAda, calibrated"]
OF_EQUAL_SIZE = ["AdaMEC, calibrated, equal size", "CGAda, calibrated", "AsymAda, calibrated, equal size"]


@cache
def mean_losses():
    """Loss Q, Eq. (26), mean over the splits: rows data set and skew, columns methods."""
    counts = pd.read_csv(N16 / "counts.csv.gz").merge(pd.read_csv(N16 / "sizes.csv"), on=["dataset", "split"])
    z = 1 / (1 + counts["ratio"])  # the classes are balanced: c_FP / (c_FP + c_FN)
    misses = counts["fn"] / counts["test_positives"]
    alarms = counts["fp"] / (counts["test"] - counts["test_positives"])
    counts = counts.assign(skew=z, loss=misses * (1 - z) + alarms * z)
    return counts.pivot_table(index=["dataset", "skew"], columns="method", values="loss")


@cache
def areas():
    """Area below the Brier curve as a mean loss over the skews: rows data sets, columns methods."""
    return mean_losses().groupby("dataset").apply(lambda curve: curve.droplevel(0).apply(mean_height))


def mean_height(curve):
    """By trapezoids between the skews, divided by the distance of the first from the last."""
    heights, z = curve.to_numpy(), curve.index.to_numpy()
    return np.sum((heights[1:] + heights[:-1]) / 2 * np.diff(z)) / (z[-1] - z[0])


def ranks(methods):
    """Ranks by area within each data set, one for the smallest; areas equal but for rounding share theirs."""
    return areas()[methods].round(12).rank(axis=1)


def losses_in_band(inside):
    """Mean of Q over the skews of the band: rows data sets, columns methods."""
    losses = mean_losses()
    return losses[inside(losses.index.get_level_values("skew"))].groupby("dataset").mean()


def interval(sample, looks):
    """Mean of one number a data set, and its Student interval of level 1 - 0.05 / looks."""
    sample = np.asarray(sample, dtype=float)
    mean, error = sample.mean(), sample.std(ddof=1) / np.sqrt(len(sample))
    reach = stats.t.ppf(1 - 0.025 / looks, len(sample) - 1) * error
    return mean, mean - reach, mean + reach


def farthest(samples, looks, distance):
    """The interval of the comparison that is farthest from holding; all share the error."""
    return min((interval(sample, looks * len(samples)) for sample in samples), key=distance)


def above(margin):
    """A difference that is surely positive holds, even if small; one surely below the margin fails."""
    return lambda triple: (2 if triple[1] > 0 else 0 if triple[2] < margin else 1, triple[1])


def within(margin):
    """A difference surely less than the margin either way holds, one surely larger fails."""

    def distance(triple):
        low, high = triple[1:]
        reach = max(-low, high)
        return 2 if reach < margin else 0 if low > margin or high < -margin else 1, -reach

    return distance


def plain_cgada_rank_less_calibrated():
    """N16-12: three looks, the three methods."""
    return interval(ranks(FIFTEEN)["CGAda"] - ranks(FIFTEEN)["CGAda, calibrated"], looks=3)


def rivals_rank_less_asymada():
    """N16-13: the nine rivals that are not of the three; three looks."""
    table = ranks(FIFTEEN)
    return farthest([table[rival] - table["AsymAda"] for rival in NEITHER_OF_THE_THREE], 3, above(1))


def calibrated_rivals_rank_less_asymada():
    """N16-14: the calibrated forms of AdaMEC and CGAda; two looks."""
    table = ranks(FIFTEEN)
    leads = [table[rival] - table["AsymAda, calibrated"] for rival in (CALIBRATED, "CGAda, calibrated")]
    return farthest(leads, 2, above(1))


def differences_at_equal_size():
    """N16-15: three pairs at every other skew, eleven of the 21."""
    losses = mean_losses().unstack("skew")
    skews = mean_losses().index.unique("skew").sort_values()[::2]
    differences = [losses[a][z] - losses[b][z] for z in skews for a, b in combinations(OF_EQUAL_SIZE, 2)]
    return farthest(differences, 1, within(0.01))


def rivals_rank_less_csb2():
    """N16-17: ranks among the nine, the seven rivals that are neither CSB2 nor AdaC2; two looks."""
    table = ranks(NEITHER_OF_THE_THREE)
    rivals = [method for method in NEITHER_OF_THE_THREE if method not in ("CSB2", "AdaC2")]
    return farthest([table[rival] - table["CSB2"] for rival in rivals], 2, above(1))


def rivals_less_csb2_at_the_ends():
    """N16-19: skews up to 0.1 and from 0.9, the rivals that are not calibrated."""
    losses = losses_in_band(lambda z: (z <= 0.1) | (z >= 0.9))
    return farthest([losses[rival] - losses["CSB2"] for rival in (VOTES, "AdaC1")], 1, above(0.005))


def rivals_less_adamec_in_the_middle():
    """N16-20: skews between 0.3 and 0.7, the rivals that are not calibrated."""
    losses = losses_in_band(lambda z: (z > 0.3) & (z < 0.7))
    return farthest([losses[rival] - losses[VOTES] for rival in ("CSB2", "AdaC1")], 1, above(0.005))


def adamec_less_calibrated_outside():
    """N16-20: skews up to 0.3 and from 0.7."""
    losses = losses_in_band(lambda z: (z <= 0.3) | (z >= 0.7))
    return interval(losses[VOTES] - losses[CALIBRATED], looks=1)


def price_of_calibration_at_equal_costs():
    """N16-21: skew one half."""
    losses = losses_in_band(lambda z: z == 0.5)
    return interval(losses[CALIBRATED] - losses["AdaMEC"], looks=1)


def rank_correlation_of_advantage_and_size():
    """N16-22: Spearman's, of the advantage in area over the best of three with the training examples."""
    advantage = areas()[[VOTES, "CSB2", "AdaC1"]].min(axis=1) - areas()[CALIBRATED]
    size = pd.read_csv(N16 / "sizes.csv").groupby("dataset")["train"].mean()
    return stats.spearmanr(advantage, size[advantage.index]).statistic, None, None


def with_votes(table):
    """The four methods of Fig. 7 of N16, AdaMEC with a threshold on the share of votes."""
    return table[[VOTES, "CSB2", "AdaC1"]], table[CALIBRATED]


def share_of_skews_first():
    """N16-24: share of the 21 skews at which calibrated AdaMEC alone loses least of the four, less a half."""
    rivals, own = with_votes(mean_losses().round(12))
    return interval((own < rivals.min(axis=1)).groupby("dataset").mean() - 0.5, looks=1)


def rivals_less_calibrated_at_the_ends():
    """N16-25: ratios of ten and more are the skews up to 0.1 and from 0.9."""
    rivals, own = with_votes(losses_in_band(lambda z: (z <= 0.1) | (z >= 0.9)))
    return farthest([rivals[name] - own for name in rivals], 1, above(0.005))


def gain_grows():
    """N16-25: the same of AdaMEC, less that at equal costs, where it is AdaBoost."""
    far, half = losses_in_band(lambda z: (z <= 0.1) | (z >= 0.9)), losses_in_band(lambda z: z == 0.5)
    return interval(far[VOTES] - far[CALIBRATED] - half["AdaMEC"] + half[CALIBRATED], looks=1)


# AdaMEC, CGAda and AsymAda preserve the asymmetry by Table 4 of N16, and of the others these.
ASYMMETRY = ["AdaC2", "CSB0", "CSB1", "CSB2"]


def rest_rank_less_the_three():
    """N16-26: mean ranks among the twelve methods that are not calibrated."""
    table = ranks([*THREE, *NEITHER_OF_THE_THREE])
    return interval(table[NEITHER_OF_THE_THREE].mean(axis=1) - table[THREE].mean(axis=1), looks=1)


def swapping_rank_less_keeping():
    """N16-26: ranks among the nine others."""
    table = ranks(NEITHER_OF_THE_THREE)
    return interval(table.drop(columns=ASYMMETRY).mean(axis=1) - table[ASYMMETRY].mean(axis=1), looks=1)


def constant_decisions_of_csb2():
    """N16-27: share of runs at unequal costs in which all test examples get one class, less a rival's."""
    runs = pd.read_csv(N16 / "counts.csv.gz").merge(pd.read_csv(N16 / "sizes.csv"), on=["dataset", "split"])
    runs = runs[runs["ratio"] != 1]
    called = runs["test_positives"] - runs["fn"] + runs["fp"]  # positive
    runs = runs.assign(one=(called == 0) | (called == runs["test"]))
    share = runs.groupby(["dataset", "method"])["one"].mean().unstack()
    return farthest([share["CSB2"] - share[name] for name in (CALIBRATED, VOTES, "AdaC1")], 1, above(0.05))


def gain_of_adauboost_grows():
    """K98-4: loss of AdaBoost less AdaUBoost's at beta = 16, less that at 2, over ten further splits."""
    errors = pd.read_csv(RESULTS / "k98" / "weights" / "errors.csv").query(
        "learner == 'pruned' and split > 0"
    )
    errors = errors[errors["first"] == "uniform"].set_index(["method", "beta", "split"])

    def loss(method, trained, beta):
        of = errors.xs((method, trained), level=("method", "beta"))
        return (beta * of["fn"] + of["fp"]) / of["n"]

    gains = {beta: loss("AdaBoost", 1, beta) - loss("AdaUBoost", beta, beta) for beta in (2, 16)}
    grown = gains[16] - gains[2]
    mean, error = grown.mean(), grown.std(ddof=1) * np.sqrt(1 / len(grown) + 2000 / 4435)
    reach = stats.t.ppf(0.975, len(grown) - 1) * error
    return mean, mean - reach, mean + reach


def g_mean_grows():
    """K98-9: root of the two recalls of AdaUBoost at beta = 16 less that at 2, over ten further splits."""
    errors = pd.read_csv(RESULTS / "k98" / "weights" / "errors.csv").query(
        "learner == 'pruned' and split > 0 and method == 'AdaUBoost'"
    )
    errors = errors[errors["first"] == "uniform"]
    recalls = (1 - errors["fn"] / errors["positives"]) * (
        1 - errors["fp"] / (errors["n"] - errors["positives"])
    )
    roots = errors.assign(root=np.sqrt(recalls)).pivot(index="split", columns="beta", values="root")
    grown = roots[16] - roots[2]
    error = grown.std(ddof=1) * np.sqrt(1 / len(grown) + 0.45096)  # as the decision rules have it
    reach = stats.t.ppf(1 - 0.025 / 2, len(grown) - 1) * error
    return grown.mean(), grown.mean() - reach, grown.mean() + reach


def votes_less_calibrated():
    """N16-23: areas of AdaMEC, with a threshold on the share of votes and calibrated."""
    return interval(areas()[VOTES] - areas()[CALIBRATED], looks=1)


def eta_less_b():
    """B-6: mean loss at beta = 2 in units of what the better constant decision costs, ten sets."""
    halves = pd.read_csv(RESULTS / "k98" / "thresholds.csv").query("beta == 2")
    loss = halves["beta"] * halves["fn"] + halves["fp"]
    constant = np.minimum(halves["beta"] * halves["positives"], halves["n"] - halves["positives"])
    relative = halves.assign(loss=loss / constant).groupby(["dataset", "threshold"])["loss"].mean().unstack()
    return interval(relative["eta"] - relative["b"], looks=1)


PUBLISHED = "univariate regressions, published files"
VOTE_RULE = f"{PUBLISHED}, vote rule"

NUMBERS = {
    ("N16-12", "CGAda", VOTE_RULE): plain_cgada_rank_less_calibrated,
    ("N16-13", "AsymAda", VOTE_RULE): rivals_rank_less_asymada,
    ("N16-14", "calibrated", VOTE_RULE): calibrated_rivals_rank_less_asymada,
    ("N16-15", "equivalent", PUBLISHED): differences_at_equal_size,
    ("N16-17", "CSB2", PUBLISHED): rivals_rank_less_csb2,
    ("N16-19", "second", VOTE_RULE): rivals_less_csb2_at_the_ends,
    ("N16-20", "near equal costs", VOTE_RULE): rivals_less_adamec_in_the_middle,
    ("N16-20", "AdaMEC", VOTE_RULE): adamec_less_calibrated_outside,
    ("N16-21", "price", PUBLISHED): price_of_calibration_at_equal_costs,
    ("N16-22", "size", VOTE_RULE): rank_correlation_of_advantage_and_size,
    ("N16-23", "shifted threshold", VOTE_RULE): votes_less_calibrated,
    ("N16-24", "first", VOTE_RULE): share_of_skews_first,
    ("N16-25", "ahead", VOTE_RULE): rivals_less_calibrated_at_the_ends,
    ("N16-25", "grows", VOTE_RULE): gain_grows,
    ("N16-26", "all three", VOTE_RULE): rest_rank_less_the_three,
    ("N16-26", "swap", PUBLISHED): swapping_rank_less_keeping,
    ("N16-27", "constant", VOTE_RULE): constant_decisions_of_csb2,
    ("K98-4", "AdaBoost", "first weights uniform, pruned"): gain_of_adauboost_grows,
    ("K98-9", "grows", "first weights uniform, pruned"): g_mean_grows,
    ("B-6", "b below eta", "ten other sets, stumps"): eta_less_b,
}
