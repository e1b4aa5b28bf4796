"""How good decisions and probabilities are: metrics, curves, calibration, intervals, plots."""
