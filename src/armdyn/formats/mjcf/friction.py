"""Friction of joints and actuators beyond the numbers damping and frictionloss, as equivalent friction laws."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.lugre import LuGre
from armdyn.actuators.quadratic import Quadratic
from armdyn.model.friction import FrictionLaw


def drag_of(higher: ArrayLike, factor: float = 1.0) -> list[FrictionLaw]:
    """The law of the higher coefficients of a damping, b1 |v| v + b2 v^3; empty if they are zero, or one is negative.

    Args:
        higher: b1 and b2 of MuJoCo's ``dampingpoly``.
        factor: by which they are multiplied: G^2 for an actuator with a gear. MuJoCo uses v of the joint there too.
    """
    if not np.any(higher) or no_law_has(higher):
        return []
    return [Quadratic(*(factor * b for b in np.ravel(higher).tolist()))]


def no_law_has(higher: ArrayLike) -> bool:
    """True if one of the higher coefficients is negative, and so adds energy at some speeds."""
    return bool(np.min(higher) < 0.0)


def bristles_of(numbers: Sequence[float], G: float) -> list[FrictionLaw]:
    """The LuGre law of a DC motor, reflected to its joint by a gear of ratio G; empty if it has no valid one.

    On the shaft F = s0 z + s1 dz/dt with dz/dt = w - s0 |w| z/g(w), g = Fc + (Fs - Fc) exp(-(w/vs)^2). With w = G qd
    and the bristle deflection z/G the force at the joint is G F: that is LuGre with G^2 s0, G^2 s1, |G| Fs, |G| Fc and
    vs/|G|.

    Args:
        numbers: s0, s1, coulomb Fc, static Fs and stribeck vs, of the shaft.
        G: the gear's ratio.
    """
    s0, s1, kinetic, static, speed = numbers
    if not (s0 > 0.0 and s1 >= 0.0 and static >= kinetic > 0.0 and speed > 0.0 and math.isfinite(sum(numbers))):
        return []
    g = abs(G)
    return [LuGre(g**2 * s0, g**2 * s1, 0.0, static=g * static, kinetic=g * kinetic, speed=speed / g)]
