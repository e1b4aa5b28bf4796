"""Data sets of the five papers and some more, verified by checksum.

Some come with the package: bundled with scikit-learn, generated from their definition, or enumerated.
The others are read by name from the folder CSB_DATA or the cache, or downloaded once.

Examples
--------
>>> from csbook.datasets import load
>>> data = load("tic-tac-toe")
>>> data.X.shape, data.target_names[1], int(data.y.sum())
((958, 27), 'x wins', 626)
"""

from csbook.datasets.catalogue import available, catalogue
from csbook.datasets.dataset import Dataset
from csbook.datasets.enumerated import (
    make_balance_scale,
    make_monks_1,
    make_monks_2,
    make_monks_3,
    make_tic_tac_toe,
)
from csbook.datasets.generated import (
    make_hastie,
    make_ringnorm,
    make_two_gaussians,
    make_twonorm,
    make_waveform,
)
from csbook.datasets.invoices import InvoiceProblem, euro_an_order, make_invoice_problem, make_invoices
from csbook.datasets.loading import load, read_file

__all__ = [
    "Dataset",
    "InvoiceProblem",
    "available",
    "catalogue",
    "euro_an_order",
    "load",
    "make_balance_scale",
    "make_hastie",
    "make_invoice_problem",
    "make_invoices",
    "make_monks_1",
    "make_monks_2",
    "make_monks_3",
    "make_ringnorm",
    "make_tic_tac_toe",
    "make_two_gaussians",
    "make_twonorm",
    "make_waveform",
    "read_file",
]
