"""The PUMA-type arm of Kazerounian and Gupta (1985), tables 1 and 2, from its zero reference position.

K. Kazerounian and K. C. Gupta, Manipulator Dynamics Using the Extended Zero Reference Position Description, Proc. 9th
Applied Mechanisms Conference, 1985: inches, pounds of weight, and inertias in lbf in s^2 (the table's heading has
lost the square) about the centres of mass, in base axes. The paper numbers the links 2 to 7. How the scan was read:

- Table 1 is consistent: c + d = b in every row.
- Table 2: weights 10, 16, 12, 1, 1, 6 lb. The moments of links 2, 3, 5, 6 and 7 are those of bodies of these sizes (the
  10 inch link of 10 lb: 0.216 as a thin rod, printed 0.230). Those of link 4, printed as (1.405, 1.585, .034), are
  not: two principal moments of a body cannot differ by more than the third. (1.385 in place of 1.585 would be possible;
  one digit may have suffered.) They stand as printed, so the arm is read with ``check_inertia=False``, and a note says
  so.
- Weights become masses by standard free fall, 9.80665 m/s^2, and the arm is loaded with that gravity, so that they are
  the paper's weights again.
"""

from __future__ import annotations

import numpy as np

from armdyn.base.units import STANDARD_FREE_FALL
from armdyn.formats.units import Units
from armdyn.robot import Robot

AXES = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, -1)]
"""u_0k, table 1."""

C = [(0, 5, 0), (8, 2, 0), (0, 0, -9), (0, 0, -1), (0, -1, 0), (0, 0, -3)]
"""c_{0,k+1}, table 1, in."""

D = [(0, 5, 0), (9, -2, 0), (0, 0, -8), (0, 0, 1), (0, 1, 0), (0, 0, -2)]
"""d_{0,k+1}, table 1, in."""

B = [(0, 10, 0), (17, 0, 0), (0, 0, -17), (0, 0, 0), (0, 0, 0), (0, 0, -5)]
"""b_{0,k+1}, table 1, in."""

TRANSVERSE, AXIAL = (0, -1, 0), (0, 0, -1)
"""u_0t and u_0a."""

WEIGHTS = [10, 16, 12, 1, 1, 6]
"""W_{k+1}, table 2, lbf."""

MOMENTS = [
    (0.230, 0.005, 0.230),
    (0.069, 1.453, 1.394),
    (1.405, 1.585, 0.034),
    (0.001, 0.001, 0.0001),
    (0.001, 0.0001, 0.001),
    (0.069, 0.069, 0.01),
]
"""I_xx, I_yy, I_zz of table 2, lbf in s^2; all products are zero."""


def build() -> Robot:
    """The arm, its first axis pointing up."""
    return Robot.from_zero_reference(
        AXES,
        b=B,
        c=C,
        d=D,
        axial=AXIAL,
        transverse=TRANSVERSE,
        weights=WEIGHTS,
        inertias=[np.diag(moments) for moments in MOMENTS],
        units=Units.pounds_and_inches(),
        gravity=(0.0, 0.0, -STANDARD_FREE_FALL),
        name="kg_puma",
        check_inertia=False,
    )
