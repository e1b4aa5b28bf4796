"""What stood here is a package of its own, ``csbook``."""

raise ImportError("csb.compendium is csbook now, of the distribution cost-sensitive-boosting-book")
