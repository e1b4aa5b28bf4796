r"""The support vector machine with unequal targets of Karakoulas and Shawe-Taylor (1998), Section 3.

A positive is to have :math:`f(x) \ge t_+`, a negative :math:`f(x) \le -t_-`, with :math:`t_+ = \beta` and
:math:`t_- = 1` for a cost ratio :math:`\beta`: the paper's targets :math:`1/\beta` and -1 in the constraints
of the maximal-margin programme (E-K02). With slacks it reads

.. math::
    \min_{w,\theta,\xi\ge0}\ \tfrac12\lVert w\rVert^2 + \sum_i C_i\xi_i, \qquad
    y_i(\langle w, x_i\rangle + \theta) \ge t_{y_i} - \xi_i .

It needs no solver of its own. The targets depend on the class only, and :math:`\theta` is not penalised: with
:math:`s = (t_+ + t_-)/2` and :math:`\theta = \theta' + (t_+ - t_-)/2` both targets become :math:`s`, and with
:math:`w = sw''`, :math:`\theta' = s\theta''`, :math:`\xi = s\xi''` they become one. The objective is then
:math:`s^2` times that of the usual programme with :math:`C_i/s` in place of :math:`C_i`. So, with or without
slacks,

.. math::
    f = s f'' + \tfrac12(t_+ - t_-), \qquad
    f > 0 \iff f'' > \frac{t_- - t_+}{t_- + t_+} = \frac{1 - \beta}{1 + \beta},

where :math:`f''` is the function of a support vector machine with equal targets: its hyperplane, moved
parallel to itself. Where a hard margin separates the classes the closest examples have
:math:`f'' = \pm1`, and this is the threshold of Eq. (1). Eq. (2) divides the same space in another power of
the cost ratio.
"""

from __future__ import annotations

from csb.methods.row import ProgrammeMethod

__all__ = ["UNEQUAL_MARGIN"]

UNEQUAL_MARGIN = ProgrammeMethod(
    "unequal_margin", "SVM with unequal margins", "Karakoulas & Shawe-Taylor 1998",
    "K98 Section 3, Eqs. (1)-(2), E-K02, E-K03", r"\max(0,\,1-m)", costs_act="decision",
)  # fmt: skip
