"""A wholesaler's invoices: raw rows with words and gaps, in money, as they come from an office."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator, clone

from csb.evaluation.metrics import expected_cost
from csb.inputs import check_count, shown
from csbook.inputs import read_generator

__all__ = ["InvoiceProblem", "euro_an_order", "make_invoice_problem", "make_invoices"]

TRADES = {"bakery": -0.5, "canteen": -0.8, "café": 0.3, "hotel": 0.0, "kiosk": 0.7}
"""Trades, equally frequent, and what each adds to the log-odds of not paying."""
REGIONS = {"north": 0.0, "south": 0.2, "east": 0.0, "west": -0.2}
TERMS = {14: -0.3, 30: 0.0, 60: 0.5}
"""Days to pay."""
WORDS = {"trade": TRADES, "region": REGIONS}


def make_invoices(n_samples: int = 3000, random_state: int | np.random.Generator | None = 0) -> pd.DataFrame:
    r"""Invoices of a wholesaler who delivers before he is paid; about one in twelve stays unpaid.

    A made-up case for trying decisions: costs are in euro and follow from the amount, trades and regions
    are words, the share of late payments is missing for new customers and the credit score for one in six.
    The log-odds of not paying are additive but for one interaction: large orders are a risk with new
    customers only.

    Parameters
    ----------
    n_samples : int, default 3000
        Number of rows, independent of each other.
    random_state : int, Generator or None, default 0
        Seed.

    Returns
    -------
    DataFrame of shape (n_samples, 8)
        Columns ``trade``, ``region``, ``years`` (as a customer), ``late`` (share of earlier bills paid late,
        missing if there are none), ``score`` (of a credit agency, the higher the safer, or missing),
        ``amount`` (euro), ``terms`` (days) and ``outcome``, "paid" or "unpaid".

    Raises
    ------
    ValueError
        If the number of rows or the seed is not admissible.

    Examples
    --------
    >>> table = make_invoices(5)
    >>> list(table.columns)
    ['trade', 'region', 'years', 'late', 'score', 'amount', 'terms', 'outcome']
    """
    n = check_count("n_samples", n_samples)
    rng = read_generator("random_state", random_state)
    trade, region, terms = (rng.choice(np.array(list(of)), n) for of in (TRADES, REGIONS, TERMS))
    years = np.where(rng.random(n) < 0.2, 0.0, rng.exponential(6, n)).round(1)
    careless = rng.normal(size=n)  # what nobody sees, and late bills and the agency's score tell of
    bills = rng.poisson(6 * years)
    with np.errstate(invalid="ignore"):
        late = (rng.binomial(bills, expit(1.5 * careless - 1.5)) / bills).round(2)
    score = (500 - 40 * careless + rng.normal(scale=30, size=n)).round()
    score[rng.random(n) < 1 / 6] = np.nan
    amount = np.exp(rng.normal(np.log(400), 0.9, n)).round(2)
    new = years == 0
    words = [pd.Series(of).map(table).to_numpy() for of, table in ((trade, TRADES), (region, REGIONS))]
    log_odds = -3.3 + 1.5 * careless + sum(words) + pd.Series(terms).map(TERMS).to_numpy()
    log_odds += np.where(new, 0.6 + 0.9 * np.log(amount / 400), -0.04 * years)
    unpaid = rng.random(n) < expit(log_odds)
    return pd.DataFrame(
        {
            "trade": trade,
            "region": region,
            "years": years,
            "late": late,
            "score": score,
            "amount": amount,
            "terms": terms,
            "outcome": np.where(unpaid, "unpaid", "paid"),
        }
    )


class InvoiceProblem(NamedTuple):
    """Old invoices to learn from, new orders to decide, and what an error on each of them costs.

    Positive, 1, is what stays unpaid. An unpaid bill loses the goods, three quarters of the amount; a good
    customer who is asked for the money beforehand costs 15 euro of work and a sixteenth of the amount.

    Attributes
    ----------
    X, X_new : DataFrame of shape (3000, 14) and (20000, 14)
        Numbers; a trade or region is a column of zeros and ones, what is not known is missing.
    y, y_new : ndarray of shape (3000,) and (20000,)
        0 or 1.
    fn_cost, fp_cost : ndarray of shape (20000,)
        Euro, of each new order.
    ratio : float
        How many false alarms a miss costs, on the average of the old invoices.
    """

    X: pd.DataFrame
    y: np.ndarray
    X_new: pd.DataFrame
    y_new: np.ndarray
    fn_cost: np.ndarray
    fp_cost: np.ndarray
    ratio: float

    def bill(self, y_pred: np.ndarray) -> float:
        """What the decisions on the new orders cost, in euro an order.

        Parameters
        ----------
        y_pred : array_like of shape (20000,)
            1 where the customer is asked for the money beforehand, else 0.

        Returns
        -------
        float
            The mean over all new orders, each at its own costs.
        """
        return expected_cost(self.y_new, y_pred, fn_cost=self.fn_cost, fp_cost=self.fp_cost)


def make_invoice_problem(draw: int = 0) -> InvoiceProblem:
    """The wholesaler's decision as the lessons pose it: 3,000 old invoices and 20,000 new orders.

    Parameters
    ----------
    draw : int, default 0
        Number of the draw; each is independent of the others.

    Returns
    -------
    InvoiceProblem
        Features as numbers, labels and costs.

    Raises
    ------
    ValueError
        If the number is not admissible.

    Examples
    --------
    >>> problem = make_invoice_problem()
    >>> problem.X.shape, problem.X_new.shape, round(problem.ratio, 1)
    ((3000, 14), (20000, 14), 8.6)

    To deliver to everybody, and to ask everybody:

    >>> asked = np.zeros(20_000, int)
    >>> [round(problem.bill(called), 2) for called in (asked, asked + 1)]
    [45.3, 47.2]
    """
    rng = read_generator("draw", draw)
    (X, y, fn_cost, fp_cost), new = (_priced(make_invoices(n, rng)) for n in (3000, 20_000))
    return InvoiceProblem(X, y, *new, float(fn_cost.mean() / fp_cost.mean()))


def _priced(table: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Features as numbers, labels, and what a miss and a false alarm cost on each row."""
    words = [(table[name] == word).astype(float).rename(word) for name, of in WORDS.items() for word in of]
    amount = table["amount"].to_numpy()
    X = pd.concat([table[["years", "late", "score", "amount", "terms"]].astype(float), *words], axis=1)
    return X, (table["outcome"] == "unpaid").to_numpy(int), 0.75 * amount, 15 + amount / 16


def euro_an_order(methods: Mapping[str, BaseEstimator], n_draws: int = 10) -> pd.DataFrame:
    """What each method costs on the wholesaler's new orders, draw by draw.

    Parameters
    ----------
    methods : mapping of str to classifier
        Each is cloned, fitted to the old invoices of a draw, and decides on its new orders by ``predict``.
    n_draws : int, default 10
        Draws of `make_invoice_problem`, numbered from zero; rows of one draw may be compared in pairs.

    Returns
    -------
    DataFrame of shape (n_draws, n_methods)
        Euro an order; one row for each draw, one column for each method.

    Raises
    ------
    ValueError
        If there is no draw.
    TypeError
        If ``methods`` is no mapping to classifiers.

    Examples
    --------
    >>> from csb import AdaBoost, AdaMEC
    >>> methods = {"AdaBoost": AdaBoost(20), "AdaMEC": AdaMEC(n_estimators=20, fn_cost=9)}
    >>> euro = euro_an_order(methods, n_draws=3)
    >>> bool((euro["AdaMEC"] < euro["AdaBoost"]).all())
    True
    """
    if not (isinstance(methods, Mapping) and all(hasattr(each, "get_params") for each in methods.values())):
        raise TypeError(f"methods={shown(methods)}: allowed is a mapping from names to classifiers")
    problems = [make_invoice_problem(draw) for draw in range(check_count("n_draws", n_draws))]
    return pd.DataFrame(
        {
            name: [each.bill(clone(method).fit(each.X, each.y).predict(each.X_new)) for each in problems]
            for name, method in methods.items()
        }
    ).rename_axis("draw")
