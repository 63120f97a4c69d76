"""Friction forces of the joints as polynomials in qd and sign(qd)."""

from __future__ import annotations

from sympy.polys.rings import PolyElement

from armdyn.base.advice import either
from armdyn.base.errors import Unsupported
from armdyn.derivation.arm import SymbolicArm
from armdyn.spatial.rotations import Array


def friction_forces(arm: SymbolicArm) -> Array:
    """damping qd + friction sign(qd) of every joint, as forces of the coordinates, shape (n,)."""
    algebra = arm.algebra
    total = algebra.zeros(arm.dof)
    for k, body in enumerate(arm.bodies):
        rate = algebra.linear(arm.matrix[k], algebra.qd)
        force = algebra.element(body.damping) * rate
        if body.friction != 0:
            force += algebra.element(body.friction) * _sign_of_rate(arm, k)
        total = total + algebra.array(arm.matrix[k]) * force
    return total


def _sign_of_rate(arm: SymbolicArm, k: int) -> PolyElement:
    moved = [i for i, factor in enumerate(arm.matrix[k]) if factor]
    if len(moved) > 1:
        raise Unsupported(
            f"joint {arm.bodies[k].joint!r} has Coulomb friction and is moved by {len(moved)} coordinates; the sign of "
            "their sum is no polynomial. Derive " + either("robot.without_friction()", "with --ignore-friction")
        )
    sign = arm.algebra.sign[moved[0]]
    return sign if arm.matrix[k][moved[0]] > 0 else -sign
