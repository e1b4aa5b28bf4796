"""The methods of weighted votes for two classes as scikit-learn classifiers, one class each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from csb.costs import Costs, check_costs
from csb.engine.blocks import Blocks
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet
from csb.estimators.base import Boosting, CostBoosting, ExampleCosts
from csb.estimators.fitted_state import Examples
from csb.estimators.params import COST_SCALE, TwoCosts, Votes, estimator, param
from csb.inputs import check_flag, one_of, positive_class, read_number, shown
from csb.methods import METHODS, VARIANTS
from csb.methods.adac import AdaC1Step, Init
from csb.methods.adacost import AdaCostVote, Adjustment
from csb.methods.adauboost import ADAUBOOST, FirstWeights, LearnerWeights
from csb.methods.csada import Selection
from csb.methods.exponential import AdaMECRule, Form
from csb.methods.gradient import OBJECTIVES, DescentMethod, descent_method, descent_rules
from csb.methods.spec import LEARNING_RATES, VotingMethod
from csb.methods.thresholds import RULES, Rule, check_search, search_support_scores, threshold_between
from csb.methods.ting import CSBRule

__all__ = [
    "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCostBeta2", "AdaDB", "AdaMEC", "AdaUBoost", "AsyB",
    "AsymAda", "CGAda", "CSAda", "CSB0", "CSB1", "CSB2", "CostSensitiveBoosting", "GDAdaC1", "GDAdaCost",
    "GDAsymBoost", "GradientDescentBoosting", "ThetaBoost",
]  # fmt: skip

INIT = "Start from weights in proportion to the costs, or from the base weights (E-N05)."
RULE = "Decide by the sign of the score, or threshold the share of votes as Ting does, Eq. (9)."
BETA = (
    "Adjustment function ``beta(c, u)`` of cost and hit sign (broadcast arrays); by default "
    "``(1 - c u) / 2`` (E-N15)."
)


@estimator
class AdaBoost(Votes, Boosting):
    """Discrete AdaBoost, Eqs. (5) to (7) of Nikolaou et al. (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(n_estimators=20).fit(X, y).stop_reason_
    'max_rounds'
    """

    _method = METHODS["adaboost"]


@estimator
class AdaMEC(CostBoosting):
    """AdaBoost with the decision of minimum expected cost.

    Costs act only at the decision: set new ones with ``set_params`` and predict again, without training.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaMEC(n_estimators=20).fit(X, y)
    >>> model.decision_threshold_
    0.0
    >>> round(model.set_params(fn_cost=9.0).decision_threshold_, 4)
    -1.0986
    """

    _method = METHODS["adamec"]
    _changeable = frozenset({"n_jobs", "fn_cost", "fp_cost", "pos_label", "rule"})
    _: KW_ONLY
    rule: AdaMECRule = param(
        "logistic",
        "Threshold the probability of Eq. (22) of Nikolaou et al. (2016), as their Eq. (20) has it, or the "
        "share of votes, as their Eq. (9) has it (E-N08 on the book's errata page).",
    )


@estimator
class CGAda(ExampleCosts, CostBoosting):
    """AdaBoost started from weights in proportion to the costs; loss ``c(y) exp(-m)``.

    Tables 1 to 3 of Nikolaou et al. (2016). Cao et al. (2013) call it AdaBoostC.
    """

    _method = METHODS["cgada"]


@estimator
class AsymAda(CostBoosting):
    """The cost ratio spread evenly over the rounds; loss ``c(y)^(t/T) exp(-m)`` after round t of T.

    Tables 1 to 3 of Nikolaou et al. (2016). A run that ends early moves its threshold by what has not
    been spread yet, and so do the stages of ``staged_predict``: a stage of a longer plan is not the method
    with as many rounds, which would have spread the whole ratio over them.
    """

    _method = METHODS["asymada"]
    _: KW_ONLY
    form: Form = param(
        "corrected",
        "Multiply the weights before each round, as Viola and Jones do, or count the cost twice in the "
        "vote, as the paper's tables print it (E-N10 on the book's errata page).",
    )


@estimator
class AsyB(CostBoosting):
    """Asymmetric boosting on the exponential loss, Algorithm 1 of Cao et al. (2013).

    As derived in the paper it is CGAda; as printed it counts the costs twice, once in the first weights and
    once in every vote (E-A06 on the book's errata page).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AsyB(fn_cost=5, n_estimators=10).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = METHODS["asyb"]
    _: KW_ONLY
    form: Form = param("corrected", "As derived, or as printed.")


@estimator
class CSAda(CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``; also known as asymmetric boosting.

    Tables 1 to 3 of Nikolaou et al. (2016); the vote solves a hyperbolic equation.
    """

    _method = METHODS["csada"]
    _: KW_ONLY
    selection: Selection = param(
        "gradient",
        "Choose the hypothesis of largest edge, or the one whose best step reaches the smallest loss "
        "(stumps only, slower).",
    )


@estimator
class AdaDB(CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``, the vote by the root of a polynomial.

    Tables 1 to 3 of Nikolaou et al. (2016). It agrees with CSAda to rounding.
    """

    _method = METHODS["adadb"]


@estimator
class AdaC1(CostBoosting):
    """Costs inside the exponent.

    Tables 1 to 3 of Nikolaou et al. (2016). A correct example of each class moves by its own factor.
    """

    _method = METHODS["adac1"]
    _: KW_ONLY
    init: Init = param("cost", INIT)
    alpha: AdaC1Step = param(
        "closed",
        "The printed closed form, the minimiser of the sum it bounds, or the step of functional gradient "
        "descent, which makes the method CSAda if the first weights are in proportion to the costs.",
    )
    cost_scale: float | None = param(None, COST_SCALE.format(1), "float")


@estimator
class AdaC2(CostBoosting):
    """Costs multiply the weights in every round, outside the exponent.

    Tables 1 to 3 of Nikolaou et al. (2016).
    """

    _method = METHODS["adac2"]
    _: KW_ONLY
    init: Init = param("cost", INIT)


@estimator
class AdaC3(CostBoosting):
    """Costs multiply the weights in every round, inside the exponent and outside it.

    Tables 1 to 3 of Nikolaou et al. (2016).
    """

    _method = METHODS["adac3"]
    _: KW_ONLY
    init: Init = param("cost", INIT)
    cost_scale: float | None = param(None, COST_SCALE.format(1), "float")


@estimator
class CSB0(CostBoosting):
    """Misclassified examples are multiplied by their cost; nothing else moves.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one. The weights do not know the vote,
    so ``learning_rate`` changes the unit of the score and nothing else.
    """

    _method = METHODS["csb0"]
    _: KW_ONLY
    rule: CSBRule = param("sign", RULE)


@estimator
class CSB1(CostBoosting):
    """CSB0 with an exponential update of step one.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.
    """

    _method = METHODS["csb1"]
    _: KW_ONLY
    rule: CSBRule = param("sign", RULE)


@estimator
class CSB2(CostBoosting):
    """AdaBoost's update, and misclassified examples multiplied by their cost besides.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.
    """

    _method = METHODS["csb2"]
    _: KW_ONLY
    rule: CSBRule = param("sign", RULE)


@estimator
class AdaCost(CostBoosting):
    r"""The step adjusted up for costly misses and down for costly hits.

    Tables 1 and 2 of Nikolaou et al. (2016), whose closed form of the vote minimises a bound on the sum
    :math:`\sum_iD_ie^{-\alpha\beta_iu_i}` of Eq. (5) of Cai et al. (2008). The line search minimises the sum
    itself; with the default adjustment it is :class:`csb.GDAdaCost` (E-C11 on the book's errata page).
    A round is possible only while the edge exceeds the mean cost, hence the default scale of one half.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from csb import GDAdaCost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> searched = AdaCost(5, n_estimators=10, vote="line_search").fit(X, y)
    >>> descent = GDAdaCost(5, n_estimators=10).fit(X, y)
    >>> bool(abs(searched.decision_function(X) - descent.decision_function(X)).max() < 1e-9)
    True
    """

    _method = METHODS["adacost"]
    _: KW_ONLY
    vote: AdaCostVote = param(
        "closed_form",
        "The closed form, which minimises a bound and stays short of the minimum, or the line search of "
        "Eq. (5) of Cai et al. (2008), over votes of at least zero (E-C09).",
    )
    beta: Adjustment = param(None, BETA, "callable")
    cost_scale: float | None = param(None, COST_SCALE.format(0.5), "float")


@estimator
class AdaCostBeta2(CostBoosting):
    """AdaCost's update with the vote of AdaBoost.

    Tables 1 and 2 of Nikolaou et al. (2016). As ``cost_scale`` goes to zero it becomes :class:`CGAda` with a
    learning rate of one half: the weights move by half of each vote, and the score adds up whole ones.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> small = AdaCostBeta2(3.0, n_estimators=20, cost_scale=1e-9).fit(X, y)
    >>> half = CGAda(3.0, n_estimators=20, learning_rate=0.5).fit(X, y)
    >>> import numpy as np
    >>> bool(np.allclose(small.decision_function(X), 2 * half.decision_function(X)))
    True
    """

    _method = METHODS["adacost_beta2"]
    _: KW_ONLY
    beta: Adjustment = param(None, BETA, "callable")
    cost_scale: float | None = param(None, COST_SCALE.format(1), "float")


@estimator
class AdaUBoost(CostBoosting):
    """Boosting with the inverse of the cost in the exponent, Figure 1 of Karakoulas and Shawe-Taylor (1998).

    The vote minimises their Z, Eq. (4), by the root of its derivative in an explicit bracket (E-K05). Where
    the classes are separable the margin of the positives tends to the cost ratio times that of the
    negatives.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaUBoost(fn_cost=5, n_estimators=20).fit(X, y).stop_reason_
    'max_rounds'

    Section 4 of the paper would also adjust the first weights on a validation part. That is scikit-learn's
    grid search, here with one example in four to validate:

    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV, PredefinedSplit
    >>> from csb.evaluation.scorers import get_cost_scorer
    >>> part = PredefinedSplit(np.where(np.arange(len(y)) % 4 == 0, 0, -1))  # 0 validates, -1 trains
    >>> grid, cost = {"omega": [1, 5, 25, 125]}, get_cost_scorer("expected_cost", fn_cost=5)
    >>> search = GridSearchCV(AdaUBoost(5, n_estimators=20), grid, cv=part, scoring=cost).fit(X, y)
    >>> search.best_params_["omega"] in grid["omega"]
    True
    """

    _method = METHODS["adauboost"]
    _: KW_ONLY
    form: Form = param(
        "corrected", 'What "auto" means below: "beta2" and "gradient", or as printed "beta" and "z".'
    )
    init: FirstWeights = param(
        "auto",
        "First weight of a positive over that of a negative: the square of the cost ratio, the cost ratio "
        "(Section 4 of the paper), or one (its experiments). Only the square makes the population minimiser "
        "change sign at the Bayes threshold (E-K04 on the book's errata page).",
    )
    learner_weights: LearnerWeights = param(
        "auto",
        "Train the weak learner on the terms of Z times the exponents of their classes, the direction in "
        "which Z falls most, or on the terms alone (E-K06).",
    )
    omega: float | None = param(
        None,
        "First weight of an example of ``classes_[1]`` over that of one of the other class, in place of "
        "``init``: a number, to be chosen by validation.",
        "float",
    )


@estimator
class ThetaBoost(CostBoosting):
    r"""AdaUBoost with a threshold between two support vectors.

    Figure 1 of Karakoulas and Shawe-Taylor (1998). After training, a positive and a negative example are
    looked for among the training examples, see :func:`csb.methods.thresholds.search_support_scores`, and a
    threshold is placed between their scores, see :func:`csb.methods.thresholds.threshold_between`. It is
    subtracted from the score. At equal costs it still moves to the middle; where no such pair is left it is
    zero. The paper leaves the parameters of the search undefined, but for a :math:`\delta_M` of 0.2 in its
    experiment (E-K10 on the book's errata page).

    The search drops false positives, not false negatives: the threshold lies below every training positive
    that is not borderline. Where the classes overlap, one far astray decides, and many negatives are
    sacrificed to it, whatever the costs. So it matters at equal costs, too, which class is positive: the one
    that ``pos_label`` names, the larger label by default.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ThetaBoost(fn_cost=5, n_estimators=20).fit(X, y)
    >>> with_b = model.theta_
    >>> with_b < model.set_params(threshold="midpoint").theta_
    True
    """

    _method = METHODS["thetaboost"]
    _blockwise = False  # the search for a threshold takes the scores of all rounds
    _changeable = frozenset({"n_jobs", "threshold"})
    _attributes = (
        Boosting._attributes
        + """
        support_scores_ : ndarray of shape (T, 2)
            Scores of the negative and the positive support vector after each round; not a number where no
            pair is left.
        theta_ : float
            What is subtracted from the score of the ensemble."""
    )
    _: KW_ONLY
    threshold: Rule = param(
        "b",
        "How to divide the space between the two scores: Eq. (1), Eq. (2) with cube roots as printed, with "
        "square roots as the bound of Theorem 3.2 asks for (E-K03), or half-way.",
    )
    borderline: float = param(
        0.0, "Examples with a score of at most this size are left out of the search.", "float"
    )
    margin_change: float = param(
        0.2,
        r"The :math:`\delta_M`: pass over a negative for one near it that is lower by this much. Infinite, "
        "the first one stays.",
        "float",
    )
    max_skip: int = param(
        5, "How many distinct scores of negatives below the current one count as near it.", "int"
    )
    normalize: bool = param(
        True,
        "Measure ``borderline`` and ``margin_change`` as shares of the sum of the votes, or in units of the "
        "score.",
        "bool",
    )
    form: Form = param("corrected", "As for :class:`csb.AdaUBoost`.")
    init: FirstWeights = param("auto", "As for :class:`csb.AdaUBoost`.")
    learner_weights: LearnerWeights = param("auto", "As for :class:`csb.AdaUBoost`.")
    omega: float | None = param(None, "As for :class:`csb.AdaUBoost`.", "float")

    def _row(self) -> VotingMethod:
        return ADAUBOOST

    def _train(self, examples: Examples, cost: np.ndarray | None) -> None:
        one_of("threshold", self.threshold, RULES)
        borderline, margin_change, max_skip = check_search(self.borderline, self.margin_change, self.max_skip)
        normalize = check_flag("normalize", self.normalize)
        super()._train(examples, cost)
        alpha_sums = np.cumsum(np.abs(self.estimator_weights_)).clip(min=np.finfo(float).tiny)
        units = alpha_sums if normalize else np.ones_like(alpha_sums)
        number = positive_class(self.classes_, self.pos_label, symmetric=True)
        sign = 2 * number - 1
        found = [
            search_support_scores(
                examples.labels == number, sign * scores, borderline=borderline * unit,
                margin_change=margin_change * unit, max_skip=max_skip, pos_label=True,
            )
            for unit, scores in zip(units, self._model.staged_scores(examples.X), strict=True)
        ]  # fmt: skip
        self.support_scores_ = sign * np.array([(np.nan, np.nan) if pair is None else pair for pair in found])
        self._fitted_costs = self._class_costs(self.classes_).by_class[[number, 1 - number], 0]

    def _gains_by_batches(self) -> bool:
        return False

    def _train_copies(self, *args: Any) -> NoReturn:
        raise ValueError(
            f"estimator={shown(self)}: its threshold is sought after training, so that no round can be "
            "judged by itself; allowed is AdaUBoost()"
        )

    def _thetas(self) -> np.ndarray:
        """What is subtracted from the score after each round."""
        self._check_unchanged()
        negative, positive = np.nan_to_num(self.support_scores_).T  # between zero and zero lies zero
        fn_cost, fp_cost = self._fitted_costs
        return threshold_between(negative, positive, fn_cost, fp_cost, self.threshold)

    @property
    def theta_(self) -> float:
        """What is subtracted from the score of the ensemble."""
        return float(self._thetas()[-1])

    @property
    def intercept_(self) -> float:
        """What no feature has a part in, minus ``theta_``."""
        return super().intercept_ - self.theta_

    def decision_function(self, X: ArrayLike | Blocks) -> np.ndarray:
        r"""Score :math:`\sum_t \alpha_t h_t(x) - \theta`.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return super().decision_function(X) - self.theta_

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round, less the threshold found for that round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            The score of the ensemble's first rounds.
        """
        for theta, scores in zip(self._thetas(), super().staged_decision_function(X), strict=True):
            yield scores - theta

    def _reason_without_probability(self) -> str:
        return "its threshold rests on two training examples, not on a probability"


@estimator
class _GradientDescent(ExampleCosts, Boosting, TwoCosts):
    """Boosting on an objective, from the class and the cost of each example.

    A vote is at least zero, and with a vote of zero nothing changes any more: it ends training.
    """

    _method: ClassVar[DescentMethod]

    def _row(self) -> DescentMethod:
        return self._method

    def _training(
        self, labels: np.ndarray, weights: np.ndarray, costs: Costs, cost: np.ndarray | None
    ) -> tuple[TrainingSet, Batch]:
        row, batch = self._row(), self._batch(costs)
        charged: np.ndarray
        if cost is None:
            class_weights = np.bincount(labels, weights, 2)
            charged = batch.costs.by_class[:, 0][labels]
        else:
            class_weights = np.bincount(labels, weights * cost, 2)
            largest = row.scale(
                check_costs(cost.max(), cost.max()), getattr(self, "cost_scale", None)
            ).fn_cost
            charged = cost * (largest / cost.max())
        y = 2.0 * labels - 1
        w0, a, b = (np.broadcast_to(np.asarray(part, float), y.shape) for part in row.objective(y, charged))
        if not np.all(np.isfinite(w0 + a + b) & (w0 > 0) & (a != 0)):
            raise ValueError(
                f"objective={row.objective.__name__}: w0 must be positive, a not zero, all three finite"
            )
        terms, groups = np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)
        a, b = terms.T[:, :, np.newaxis, np.newaxis]
        rules = descent_rules(lambda c: (np.ones((len(a), 1, c.shape[-1])), a, b), batch.rules.loss)
        pseudo_labels = (terms[groups, 0] > 0).astype(np.int8)
        training = TrainingSet(
            pseudo_labels, (weights * w0)[np.newaxis], groups, class_weights[:, np.newaxis]
        )
        return training, replace(batch, rules=rules)


@estimator
class GradientDescentBoosting(_GradientDescent):
    r"""Boosting as descent on the objective of Eq. (17) of Cai et al. (2008).

    The objective is :math:`\sum_i w^0_i \exp(-\sum_t \alpha_t [a_i h_t(x_i) + b_i])`. The weak learner sees
    pseudo-labels :math:`\operatorname{sign} a_i`, and the vote, at least zero, is the minimiser along its
    hypothesis (E-C05 and E-C09 on the book's errata page).

    Examples
    --------
    An objective of one's own: costs as factors, which is CGAda.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GradientDescentBoosting(3.0, n_estimators=5, objective=lambda y, c: (c, y, 0)).fit(X, y)
    >>> from csb import CGAda
    >>> same = CGAda(3.0, n_estimators=5).fit(X, y)
    >>> bool(np.allclose(model.decision_function(X), same.decision_function(X)))
    True
    """

    _method = METHODS["gradient_descent"]
    _: KW_ONLY
    objective: str | Callable[[np.ndarray, np.ndarray], tuple[Any, Any, Any]] = param(
        "adac1",
        "The terms of Eqs. (14), (9), (13) or (16), or a function ``(y, c) -> (w0, a, b)`` of the classes, "
        "-1 or +1, and the costs of the examples, shape (n,); ``w0`` positive, ``a`` not zero.",
        '{"adac1", "adaboost", "adacost", "asymboost"} or callable',
    )
    cost_scale: float | None = param(
        None, 'Largest cost after scaling, for "adacost" only; 0.5 by default.', "float"
    )

    def _row(self) -> DescentMethod:
        if callable(self.objective):
            return descent_method(self.objective)
        return OBJECTIVES[one_of("objective", self.objective, OBJECTIVES, "or a function")]


@estimator
class GDAdaCost(_GradientDescent):
    """AdaCost with its line search done exactly, Eqs. (13) and (17) to (19) of Cai et al. (2008).

    A round is possible only while the edge exceeds the mean cost, hence the default scale of one half.
    """

    _method = METHODS["gd_adacost"]
    _: KW_ONLY
    cost_scale: float | None = param(None, COST_SCALE.format(0.5), "float")


@estimator
class GDAdaC1(_GradientDescent):
    """AdaC1 with weights and vote of one loss, Eqs. (14) and (17) to (19) of Cai et al. (2008).

    It is CSAda (E-C06), for costs of single examples too.
    """

    _method = METHODS["gd_adac1"]


@estimator
class GDAsymBoost(_GradientDescent):
    """Asymmetric boosting, Eqs. (16) to (19) of Cai et al. (2008).

    It is CSAda; its objective takes one cost a class.
    """

    _method = METHODS["gd_asymboost"]


@estimator
class CostSensitiveBoosting(CostBoosting):
    """Any variant by its key.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CostSensitiveBoosting(fn_cost=5, variant="adac2", n_estimators=20).fit(X, y)
    >>> len(model.estimators_) <= 20
    True
    """

    _method = METHODS["any_variant"]
    _: KW_ONLY
    variant: str = param("cgada", "A key of ``csb.VARIANTS``.", "str")
    options: Mapping[str, Any] | None = param(
        None, 'Options of the variant, for instance ``{"init": "uniform"}`` for ``"adac2"``.', "dict"
    )
    cost_scale: float | None = param(
        None, "Largest cost after scaling, where the variant depends on it.", "float"
    )

    def _row(self) -> VotingMethod:
        return VARIANTS[one_of("variant", self.variant, VARIANTS)]

    def _batch(self, costs: Costs) -> Batch:
        options = {} if self.options is None else self.options
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise ValueError(f"options={shown(options)}: allowed are None and a dict of options by name")
        rate = read_number("learning_rate", self.learning_rate, LEARNING_RATES)
        return self._row().batch(costs, self.cost_scale, learning_rate=rate, **options)
