"""Today's rivals with their default settings; what they decide stands in test_studies_one_by_one.py."""

from csbook.studies.modern_rivals import RIVALS


def test_rivals_are_todays():
    assert list(RIVALS) == ["logistic regression", "random forest", "HistGradientBoosting", "LightGBM"]
