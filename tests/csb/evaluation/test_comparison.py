"""A table of costs against a loop over the cases."""

import numpy as np
import pytest

from csb.evaluation.comparison import cost_table


@pytest.mark.parametrize("labels", [(0, 1), ("paid", "unpaid")])
@pytest.mark.parametrize("of_each_case", [False, True])
def test_counts_and_mean_are_those_of_a_loop(labels, of_each_case):
    rng = np.random.default_rng(4)
    y, *called = rng.integers(2, size=(4, 200))
    fn_cost, fp_cost = rng.uniform(1, 9, (2, 200)) if of_each_case else (np.full(200, 5.0), np.full(200, 2.0))
    names = np.array(labels)
    found = cost_table(
        names[y],
        {f"way {k}": names[each] for k, each in enumerate(called)},
        fn_cost=fn_cost if of_each_case else 5.0,
        fp_cost=fp_cost if of_each_case else 2.0,
        pos_label=labels[1],
    )
    assert list(found.index) == ["way 0", "way 1", "way 2"]
    for each, (misses, alarms, mean) in zip(called, found.to_numpy(), strict=True):
        missed = [fn for true, said, fn in zip(y, each, fn_cost, strict=True) if true > said]
        alarmed = [fp for true, said, fp in zip(y, each, fp_cost, strict=True) if said > true]
        assert (misses, alarms) == (len(missed), len(alarmed))
        assert mean == pytest.approx((sum(missed) + sum(alarmed)) / 200)


def test_no_way_of_deciding_is_an_empty_table_and_a_list_of_them_is_refused():
    assert cost_table([0, 1], {}).shape == (0, 3)
    with pytest.raises(TypeError, match="mapping from names"):
        cost_table([0, 1], [[0, 1]])
