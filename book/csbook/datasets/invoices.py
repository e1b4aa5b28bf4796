"""A wholesaler's invoices: raw rows with words and gaps, in money, as they come from an office."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit

from csb.inputs import check_count
from csbook.inputs import read_generator

__all__ = ["make_invoices"]

TRADES = {"bakery": -0.5, "canteen": -0.8, "café": 0.3, "hotel": 0.0, "kiosk": 0.7}
"""Trades, equally frequent, and what each adds to the log-odds of not paying."""
REGIONS = {"north": 0.0, "south": 0.2, "east": 0.0, "west": -0.2}
TERMS = {14: -0.3, 30: 0.0, 60: 0.5}
"""Days to pay."""


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
