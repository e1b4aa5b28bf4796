"""The methods as scikit-learn classifiers.

Each class is one row of ``csb.METHODS`` with a typed constructor; what they do stands in few base classes.
"""

from typing import TYPE_CHECKING

from csb.estimators import (
    binary,
    calibrated_boosting,
    logit,
    metacost,
    multiclass,
    unequal_margin,
)
from csb.estimators.binary import *  # noqa: F403
from csb.estimators.calibrated_boosting import *  # noqa: F403
from csb.estimators.logit import *  # noqa: F403
from csb.estimators.metacost import *  # noqa: F403
from csb.estimators.multiclass import *  # noqa: F403
from csb.estimators.unequal_margin import *  # noqa: F403

if not TYPE_CHECKING:  # mypy takes no name of a composed list for public, but all that a star imports
    __all__ = [*binary.__all__]
    __all__ += calibrated_boosting.__all__
    __all__ += logit.__all__
    __all__ += metacost.__all__
    __all__ += multiclass.__all__
    __all__ += unequal_margin.__all__
