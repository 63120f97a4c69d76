"""The Stanford (Scheinman) arm, RRPRRR, with the parameters of Paul's book.

Kinematics: Stanford AIM-177, figure 2.3, standard Denavit-Hartenberg. Masses, centres of mass and inertias: R. P. Paul,
Robot Manipulators: Mathematics, Programming, and Control, 1981, tables 6.5 and 6.6, as Corke's Robotics Toolbox copies
them. The tables do not state their units and reference points; the numbers are read as follows:

- The moments of inertia are about the DH frame's origin, not about the centre of mass: the boom (4.25 kg, 2.51 kg m^2)
  would otherwise have to be 2.7 m long.
- The centres of mass of link 1 (0.0175, -0.1105) are in metres; those of links 2 to 6 (-1.054, -6.447, 0.092 and
  -0.054, 0.566, 1.554) are in decimetres. In metres m c^2 alone would be up to seventy times the moment
  about the origin. With this reading all six are inertias of bodies that can exist.
- The inertias of the motors (0.953, 2.193, 0.782, 0.106, 0.097, 0.020) belong to the drives and are not part of it.

The boom slides 12 to 50 inches.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from armdyn.base.exact import exact
from armdyn.base.units import INCH
from armdyn.formats.dh import DHRow
from armdyn.model.inertia import Inertia
from armdyn.model.limits import Limits
from armdyn.robot import Robot
from armdyn.spatial.mass_properties import steiner

RIGHT_ANGLE = np.pi / 2


def _about_origin(mass: float, com: Sequence[float], moments: Sequence[float]) -> Inertia:
    """The inertia from its moments about the frame's origin: I_c = I_o - m (c.c 1 - c c^T)."""
    return Inertia(mass, np.asarray(com), exact(np.diag(moments)) - steiner(mass, exact(com)))


LINKS = (  # alpha, d; mass, centre of mass, moments about the origin of the DH frame; a is zero throughout
    (-RIGHT_ANGLE, 0.412, 9.29, (0.0, 0.0175, -0.1105), (0.276, 0.255, 0.071)),
    (RIGHT_ANGLE, 0.154, 5.01, (0.0, -0.1054, 0.0), (0.108, 0.018, 0.1)),
    (0.0, 0.0, 4.25, (0.0, 0.0, -0.6447), (2.51, 2.51, 0.006)),
    (-RIGHT_ANGLE, 0.0, 1.08, (0.0, 0.0092, -0.0054), (0.002, 0.001, 0.001)),
    (RIGHT_ANGLE, 0.0, 0.63, (0.0, 0.0, 0.0566), (0.003, 0.003, 0.0004)),
    (0.0, 0.263, 0.51, (0.0, 0.0, 0.1554), (0.013, 0.013, 0.0003)),
)

ROWS = [
    DHRow(a=0.0, alpha=alpha, d=d, theta=0.0, inertia=_about_origin(mass, com, moments))
    for alpha, d, mass, com, moments in LINKS
]
BOOM = 2
ROWS[BOOM] = dataclasses.replace(ROWS[BOOM], theta=-RIGHT_ANGLE, kind="prismatic", limits=Limits(12 * INCH, 50 * INCH))


def build() -> Robot:
    """The arm, its first axis pointing up."""
    return Robot.from_dh(ROWS, convention="standard", name="stanford")
