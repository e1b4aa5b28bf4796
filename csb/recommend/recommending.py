"""Compare, choose, and fit what is chosen on all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter

from csb.evaluation.classifiers import is_learner
from csb.evaluation.decisions import read_stakes, warn_of_known
from csb.inputs import (
    check_flag,
    check_jobs,
    check_order,
    distinct_labels,
    positive_class,
    read_column,
    read_random_state,
    read_target,
    read_weights,
    shown,
)
from csb.recommend.advice import COSTS_ALONE
from csb.recommend.candidates import Candidate, ConstantDecision, read_candidates, read_rows, takes
from csb.recommend.columns import read_kinds
from csb.recommend.folds import read_folds
from csb.recommend.judging import Cases, judge
from csb.recommend.recommendation import TODAY, Recommendation

__all__ = ["recommend"]


def read_current(
    current: Any, X: Any, used: np.ndarray, classes: list[Any], weighted: bool
) -> np.ndarray | None:
    """Today's decision for each row used, or None of a classifier that is yet to be fitted.

    Parameters
    ----------
    current : array_like of shape (n_samples,), callable or classifier
        Labels of all rows given, or what makes labels of rows.
    X : array_like
        The rows used.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given these are.
    classes : list
        The two labels.
    weighted : bool
        Whether a classifier will be given weights.

    Returns
    -------
    ndarray of shape (n,), optional
        Labels.

    Raises
    ------
    ValueError
        If it is none of these, decides anything but one of the two labels, or gives the rows of a frame in
        another order.
    """
    if hasattr(current, "fit"):
        if not is_learner(current):
            raise ValueError(f"current={shown(current)}: allowed are labels, a classifier or a function of X")
        try:
            check_is_fitted(current)
        except NotFittedError:
            if weighted and not has_fit_parameter(current, "sample_weight"):
                raise ValueError(
                    f"current={shown(current)}: it takes no sample_weight; it must, or be fitted already"
                ) from None
            return None
        decide = current.predict
    elif callable(current):
        decide = current
    else:
        labels = read_column("current", current, len(used))[used]
        return _checked(labels, classes)
    try:
        decided = decide(X)
    except Exception as error:
        raise ValueError(
            f"current={shown(current)}: it must decide rows of X, and fails: {shown(str(error))}"
        ) from error
    check_order(X=X, current=decided)
    return _checked(read_column("current", decided, int(used.sum())), classes)


def _checked(labels: np.ndarray, classes: list[Any]) -> np.ndarray:
    """Labels of the two classes."""
    unknown = [label for label in np.unique(labels).tolist() if label not in classes]
    if unknown:
        raise ValueError(
            f"current decides {shown(unknown[0])}: allowed are {' and '.join(map(shown, classes))}"
        )
    return labels


def recommend(
    X: ArrayLike,
    y: ArrayLike,
    *,
    fn_cost: ArrayLike,
    fp_cost: ArrayLike,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    sample_weight: ArrayLike | None = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    random_state: np.random.RandomState | int | None = None,
    pos_label: object = None,
    preprocess: Any = None,
    candidates: Mapping[str, Any] | None = None,
    current: ArrayLike | Callable[[Any], ArrayLike] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Recommendation:
    r"""Compare a few methods under given costs with each other and with what needs no new model.

    The candidates are boosted stumps (:class:`csb.AdaBoost`, the rounds and the step length chosen by
    :class:`csb.BoostingCV`), logistic regression and gradient boosting of trees with fifteen leaves, by
    LightGBM where it is installed, else by scikit-learn; or any others. All are calibrated by cross-fitting
    and predict the positive class where that is expected to cost less (:class:`csb.CostDecision`). Beside
    them stand the two constant decisions, today's rule if it is given, and where the costs are those of each
    case, the decision by them alone, with the share of the positives as the probability of all.

    A candidate is recommended only if its 95% interval for the difference from the cheapest of these lies
    below zero, and among such candidates the cheapest. Every row to judge by is decided by a model that has
    not seen it. Intervals are those of :func:`csb.evaluation.intervals.case_interval` for the losses on these
    rows, or for the differences between two losses on the same row; those of all candidates hold together
    (Bonferroni), since the cheapest of several seems cheaper than it is. A few rows on which all went well do
    not show that nothing can go wrong: after Jeffreys, each interval counts half a row more with the worst
    that either class could have brought, and half a row with the best, in the mean over the rows. Rows of one
    group may depend on each other, and where splits go forward in time so may neighbours: thirty stretches of
    time are clusters then. Where there are both groups and time, the wider interval is given.

    Everything that is learnt, from the median of a column to the calibration, is learnt from the training
    rows of a split. Where splits go forward, so that all rows to judge by come after those to train with, the
    calibration is on the last fifth of the training rows, and a group may be on both sides, as it will be in
    use.

    From a thousand rows on, candidates are compared a quicker way: calibrated on a fifth that is held out,
    trained on at most 50,000 rows, or on as many as hold a thousand of the smaller class, and dropped after
    two splits if the 99.9% interval of the difference from another then lies above zero. The two cheapest are
    then judged as they would be delivered, on all rows: their rows of the table and the advice are of that.
    Up to 10,000 rows they are cross-fitted. Libraries of linear algebra and OpenMP get one thread each;
    ``n_jobs`` says how many splits are worked on at the same time.

    Parameters
    ----------
    X : array_like or DataFrame of shape (n_samples, n_features)
        Numbers up to 1e100 in size; in a frame also words, dates, and gaps. A column of a frame is read by
        what it holds: numbers, dates, periods and spans of time as objects are what they say; so are numbers,
        dates, months such as "2018-04" and spans such as "340 days" as text, with a warning that names the
        column. Columns of type category, and whatever else, hold words, equal values the same one; new rows
        may hold others, but no numbers in place of text, nor text in place of numbers. Gaps may turn up in
        new rows only.
    y : array_like of shape (n_samples,)
        Labels of two classes: whole numbers, truth values or strings.
    fn_cost, fp_cost : float or array_like of shape (n_samples,)
        Costs of a false negative and of a false positive, in any unit: for all cases, or for each, as far as
        they are known when the decision is made. They act where candidates decide and where they are judged,
        not where they are trained.
    tp_cost, tn_cost : float or array_like of shape (n_samples,), default 0.0
        Costs of a positive that is found and of a negative left alone; negative for a gain.
    sample_weight : array_like of shape (n_samples,), optional
        Non-negative weights, in training, in calibration and in all means; a weight of zero is an absent row.
    cv : int, splitter or iterable of splits, optional
        Number of stratified random folds, 5 by default, or scikit-learn's splitters, or pairs of arrays of
        row numbers; splits may overlap or repeat. Rows with a time (an index of dates, or a column of dates
        in increasing order, gaps apart) and groups are refused random folds.
    groups : array_like of shape (n_samples,), optional
        Whose row it is, for a splitter that keeps the rows of each on one side.
    random_state : int, RandomState or None, default None
        Seed of the folds and the candidates; results do not depend on ``n_jobs``.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal costs
        it must be named.
    preprocess : transformer, optional
        Makes numbers of ``X``, whatever it is, fitted within the training rows. By default a frame gets the
        median for a missing number, and a column for each of the words that a column holds, of the fifty most
        frequent ones where there are more; dates become days. Gradient boosting gets words as categories, and
        gaps as such. A pipeline among ``candidates`` that takes the frame as it is, which is tried on a few
        rows, is given that.
    candidates : mapping of str to classifier, optional
        What to compare in place of the three, by name; scikit-learn's way.
    current : array_like of shape (n_samples,), callable or classifier, optional
        Today's rule: its decision for each row, a function that makes decisions of rows of ``X``, or a
        classifier. One that is fitted already is judged as it is, which flatters it if it has seen these
        rows; one that is not is trained in each split.
    n_jobs : int, optional
        Splits that are worked on at the same time; -1 for as many as there are processors.
    verbose : bool, default False
        Whether to show progress.

    Returns
    -------
    Recommendation
        The fitted classifier, the table, what its decisions are worth, and a report.

    Raises
    ------
    ValueError
        If the data, the costs or a parameter are not admissible, or a class has too few examples for the
        splits; nothing is trained then. For more than two classes there is :class:`csb.CostDecision`.

    Warns
    -----
    KnownDecisionWarning
        If costs of each case decide some cases alone, whatever the probability.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, coin = rng.normal(size=(80, 2)), rng.integers(0, 2, size=80)
    >>> found = recommend(noise, coin, fn_cost=4, fp_cost=1, cv=3, random_state=0)
    >>> found.name, found.pays
    ('always 1', False)
    >>> found.best_.predict(noise[:3])
    array([1, 1, 1])
    """
    check_jobs("n_jobs", n_jobs)
    check_flag("verbose", verbose)
    kinds = read_kinds(X) if isinstance(X, pd.DataFrame) else {}
    asked = preprocess is not None
    X = read_rows(X, preprocess, kinds)
    n = _num_samples(X)
    names = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(n)
    given = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    check_order(X=X, y=y, **given, sample_weight=sample_weight, groups=groups, current=current)
    labels = read_column("y", y, n)
    weights = read_weights(sample_weight, labels)
    used = weights > 0
    weighted = sample_weight is not None
    stakes = replace(read_stakes(n, **given), weights=weights if weighted else None).used(
        np.flatnonzero(used)
    )
    X, labels = _safe_indexing(X, np.flatnonzero(used)), labels[used]
    classes, positive = _classes(labels, pos_label, stakes.symmetric)
    numbers = (labels == classes[1]).astype(int)
    cases = Cases(X, labels, numbers, weights[used] if weighted else None, stakes, positive, names[used])
    if stakes.per_case:
        warn_of_known(stakes.per_case, stakes.matrices())

    random_state = read_random_state("random_state", random_state)
    folds = read_folds(cv, X, numbers, used, groups, random_state, classes, kinds)
    random = not folds.ordered and groups is None
    models: dict[str, Any] = {
        **read_candidates(
            candidates, preprocess, kinds, folds.seed, weighted, random, classes,
            untouched=lambda model: not asked and takes(model, X, labels),
        )
    }  # fmt: skip
    negative = classes[0] if positive == classes[1] else classes[1]
    constants = {f"always {label}": label for label in (negative, positive)}
    if taken := models.keys() & {*constants, TODAY, COSTS_ALONE}:
        raise ValueError(
            f"candidates: {shown(min(taken))} is the name of a row of its own; allowed are others"
        )
    decided = {name: np.full(len(labels), label) for name, label in constants.items()}
    unfitted = {}
    if current is not None:
        found = read_current(current, X, used, classes, weighted)
        if found is None:
            unfitted[TODAY] = current
        else:
            decided[TODAY] = found

    with config_context(enable_metadata_routing=False):  # weights go where the candidates' fit takes them
        evidence = judge(cases, models | unfitted, folds, decided, n_jobs, verbose)
        advice = evidence.under(stakes)
        best = advice.name
        everything = np.arange(len(labels))
        if best in models or best in unfitted:
            fitted = cases.fit((models | unfitted)[best], everything, folds)
        elif best == COSTS_ALONE:
            fitted = cases.fit(
                Candidate(DummyClassifier(strategy="prior"), calibration=None), everything, folds
            )
        elif best == TODAY:
            fitted = current if hasattr(current, "predict") else None
        else:
            fitted = ConstantDecision(strategy="constant", constant=[constants[best]]).fit(X, labels)
    setting = (negative, positive), len(folds.splits), len(labels)
    return Recommendation.of(evidence, advice, stakes, fitted, *setting)


def _classes(y: np.ndarray, pos_label: object, symmetric: bool) -> tuple[list[Any], Any]:
    """The two labels, sorted, and the positive one."""
    kinds = distinct_labels(y=y)
    if len(kinds) > 2:
        raise ValueError(
            f"y has {len(kinds)} classes: allowed are two; for more, "
            "CostDecision(any_classifier, cost_matrix=...) decides at least expected cost"
        )
    found = read_target(y, 2)[0]
    classes = found.tolist()
    if not isinstance(classes[0], (str, int, float)):
        raise ValueError(f"y={shown(y)}: allowed are whole numbers, truth values and strings")
    return classes, classes[positive_class(found, pos_label, symmetric=symmetric)]
