"""The hand's path in Kazerounian and Gupta's example (1985): one turn around a circle, by the cam law.

Interpretation of the scan of the paper:

- The hand point h moves around a circle of radius 6 in in the plane x = 34 in, its center on the base's x axis (30). At
  psi = 0 it is at the top, and moves towards +y first. The hand's axis u_a points at 60 degrees from the x axis,
  inwards; its transverse axis u_t is the tangent (31). So the whole hand rotates rigidly about -x: its angular velocity
  is (-psid, 0, 0), in agreement with (35).
- (32) to (34) are right as printed. The sentence before them has lost its dots: the angles phi are chosen so that psid
  is continuous; psidd is continuous anyway, because it is zero at both ends of each part.
- (37) has lost its sign: the derivative of (35) is (-psidd, 0, 0). (36) and (38) are the derivatives of (30).
- Eight configurations reach the circle. The text does not determine the drawn one, because it is true of all of them:
  the fourth joint makes a full turn, and the others return. The one nearest to the zero reference position is used
  here.
- The third joint "experiences very small changes": it does not move at all, because the distance between wrist's and
  shoulder's center is constant.
"""

from __future__ import annotations

import numpy as np

from armdyn.trajectory import Arc, CurvePath, Cycloidal
from armdyn.trajectory.checks import number

RADIUS, DISTANCE, TILT = 0.1524, 0.8636, np.pi / 3
"""Radius and distance of the paper's circle, 6 in and 34 in (m), and the hand's angle with the x axis (rad)."""

NEXT_TO_ZERO = (-0.32, -0.71, -0.82, -0.19, -1.03, 2.76)
"""Joint positions near those at the top of the circle, rad.

Shoulder and elbow are as in the zero reference position, the hand is bent down. Newton's method refines them to all
digits.
"""


def circle_of_the_paper(
    *,
    radius: float = RADIUS,
    distance: float = DISTANCE,
    tilt: float = TILT,
    start: float = 3.0,
    cruise: float = 3.0,
    stop: float = 3.0,
) -> CurvePath:
    """The hand's path of Kazerounian and Gupta (30)-(38): tip pose T(t), lengths in m, of axes u_t, u_a x u_t, u_a.

    Args:
        radius: radius of the circle, m.
        distance: distance of its plane from the base's origin along x, m.
        tilt: angle between the hand's axis u_a and the x axis, rad.
        start: duration of the half-cycloidal start, s.
        cruise: duration of the part of constant velocity, s.
        stop: duration of the half-cycloidal stop, s.

    >>> top = armdyn.masp.circle_of_the_paper().evaluate(0.0).pose
    >>> (top[:3, 3] / 0.0254).round(12)
    array([34.,  0.,  6.])
    """
    tilt, distance = (
        number("tilt", tilt, unit="rad"),
        number("distance", distance, unit="m"),
    )
    u_a = np.array([np.cos(tilt), 0.0, -np.sin(tilt)])  # (31) at psi = 0
    u_t = np.array([0.0, 1.0, 0.0])
    T = np.eye(4)
    T[:3, :3] = np.array([u_t, np.cross(u_a, u_t), u_a]).T
    T[:3, 3] = distance, 0.0, number("radius", radius, above=0.0, unit="m")  # (30) at psi = 0
    circle = Arc(T, center=[distance, 0.0, 0.0], axis=[-1.0, 0.0, 0.0], angle=2 * np.pi)  # turning: (31), (35)
    return CurvePath(circle, Cycloidal(2 * np.pi, start, cruise, stop))  # (32)-(34)
