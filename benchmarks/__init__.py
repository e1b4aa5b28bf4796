"""What csb is measured against, in one run: ``make bench``, or ``python -m benchmarks``."""
