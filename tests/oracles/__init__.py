"""Independent answers to compare the package with: hand-worked fractions and naive loops."""
