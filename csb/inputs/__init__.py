"""One reading of numbers, labels, weights, counts, names and seeds, with errors that name the parameter."""

from csb.inputs.choices import one_of, read_generator, read_random_state
from csb.inputs.features import naming_columns
from csb.inputs.labels import (
    ONE_CLASS,
    balance,
    check_label,
    distinct_labels,
    read_classes,
    read_column,
    read_labels,
    read_target,
    read_weights,
)
from csb.inputs.numbers import (
    FINITE,
    MODERATE,
    POSITIVE,
    check_callable,
    check_count,
    check_flag,
    check_instance,
    check_jobs,
    check_shapes,
    plain_array,
    read_array,
    read_list,
    read_number,
    read_signs,
    shown,
)
from csb.inputs.warnings import (
    CompileCacheWarning,
    ConstantModelWarning,
    NotCompiledWarning,
    NotFiniteWarning,
)

__all__ = [
    "FINITE", "MODERATE", "ONE_CLASS", "POSITIVE", "CompileCacheWarning", "ConstantModelWarning",
    "NotCompiledWarning", "NotFiniteWarning",
    "balance", "check_callable", "check_count", "check_flag", "check_instance", "check_jobs", "check_label",
    "check_shapes", "distinct_labels", "naming_columns", "one_of", "plain_array", "read_array",
    "read_classes", "read_column", "read_generator", "read_labels", "read_list", "read_number",
    "read_random_state", "read_signs", "read_target", "read_weights", "shown",
]  # fmt: skip
