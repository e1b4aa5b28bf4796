"""The look of figures: one for each method, and how a notebook draws."""

import builtins
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest

from csb import VARIANTS
from csbook import style


def test_every_method_has_a_look_of_its_own():
    calibrated = [f"calibrated_{key}" for key in ("adamec", "cgada", "asymada")]
    looks = [tuple(style.line_style(key).values()) for key in [*VARIANTS, *calibrated, "bayes"]]
    assert len({look[:3] for look in looks}) == len({look[3] for look in looks}) == len(looks)
    with pytest.raises(ValueError, match="'adamec'"):
        style.line_style("adamecc")


def test_set_style_sets_the_style():
    with plt.rc_context():
        style.set_style()
        assert plt.rcParams["axes.spines.top"] is False


@pytest.mark.parametrize("config, formats", [({"IPKernelApp": {}}, ["svg"]), ({}, [])])
def test_set_style_draws_as_svg_without_date_in_a_notebook_only(monkeypatch, config, formats):
    asked = []
    monkeypatch.setattr(builtins, "get_ipython", lambda: SimpleNamespace(config=config), raising=False)
    monkeypatch.setattr(
        "matplotlib_inline.backend_inline.set_matplotlib_formats",
        lambda *names, metadata: asked.extend(names if metadata == {"Date": None} else ["dated"]),
    )
    with plt.rc_context():
        style.set_style()
    assert asked == formats
