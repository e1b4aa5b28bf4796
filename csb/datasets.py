"""What stood here is a part of the book's package."""

raise ImportError("csb.datasets is csbook.datasets now, of the distribution cost-sensitive-boosting-book")
