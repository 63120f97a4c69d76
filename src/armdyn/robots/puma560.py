"""The Unimation PUMA 560 with the parameters that Armstrong, Khatib and Burdick measured on a dismantled arm.

B. Armstrong, O. Khatib and J. Burdick, The Explicit Dynamic Model and Inertial Parameters of the PUMA 560 Arm, IEEE
Int. Conf. Robotics and Automation 1986, pages 510-518: modified Denavit-Hartenberg parameters, masses, centres of mass
and moments of inertia about the centres of mass, without gripper. Notes on the paper's numbers:

- Of link 1 only I_zz about its axis is given, and no joint force depends on more. It has no mass here.
- The measured moments of link 3 (0.066, 0.0125, 0.086 kg m^2) break a + b >= c by a tenth: measurement, not a slip of
  copying; several later copies have 0.066 for the third, which the paper's own constant I6 contradicts. They stand as
  measured, so the arm is read with ``check_inertia=False``, and a note states it.
- The effective inertias of motors and gears (1.14, 4.71, 0.83, 0.2, 0.179, 0.193 kg m^2) belong to the drives, not to
  the links, and are not part of this description.

With these numbers the gravity constants come out as the paper prints them (g1 = -37.2, g2 = -8.44, g3 = 1.02,
g4 = 0.249, g5 = -0.0282 N m), and with 0.086 its I6 = 0.333 kg m^2.
"""

from __future__ import annotations

import numpy as np

from armdyn.formats.dh import DHRow
from armdyn.model.inertia import Inertia
from armdyn.robot import Robot

RIGHT_ANGLE = np.pi / 2

LINKS = (  # a, alpha, d; mass, centre of mass, principal moments in the axes of the link
    (0.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.35)),
    (0.0, -RIGHT_ANGLE, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.13, 0.524, 0.539)),
    (0.4318, 0.0, -0.0934, 4.8, (0.0, -0.07, 0.014), (0.066, 0.0125, 0.086)),
    (-0.0203, RIGHT_ANGLE, 0.4331, 0.82, (0.0, 0.0, -0.019), (0.0018, 0.0018, 0.0013)),
    (0.0, -RIGHT_ANGLE, 0.0, 0.34, (0.0, 0.0, 0.0), (0.0003, 0.0003, 0.0004)),
    (0.0, RIGHT_ANGLE, 0.0, 0.09, (0.0, 0.0, 0.032), (0.00015, 0.00015, 0.00004)),
)

ROWS = tuple(
    DHRow(a=a, alpha=alpha, d=d, theta=0.0, inertia=Inertia(mass, np.array(com), np.diag(moments)))
    for a, alpha, d, mass, com, moments in LINKS
)


def build() -> Robot:
    """The arm, its first axis pointing up."""
    return Robot.from_dh(ROWS, convention="modified", name="puma560", check_inertia=False)
