"""Weak learners of the studies, beside those of csb."""
