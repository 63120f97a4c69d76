"""Poses and velocities of the links of a `SymbolicArm`, as polynomials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sympy.polys.rings import PolyElement

from armdyn.base.threads import cached_property
from armdyn.derivation.arm import SymbolicArm, SymbolicBody, SymbolicRotor
from armdyn.spatial.rotations import Array, cross

__all__ = ["Kinematics", "cross", "skew"]


def skew(v: Array) -> Array:
    """The skew-symmetric matrix [v], with entries of any type."""
    x, y, z = v
    return np.array([[x * 0, -z, y], [z, x * 0, -x], [-y, x, x * 0]])


class Kinematics:
    """Rotations, positions and angular velocities of the bodies of an arm.

    Args:
        arm: the arm with these bodies.
    """

    def __init__(self, arm: SymbolicArm) -> None:
        self.arm, self.algebra = arm, arm.algebra

    def joint_position(self, k: int) -> PolyElement:
        """The position of the joint of a body, A q + b."""
        algebra = self.algebra
        return algebra.linear(self.arm.matrix[k], algebra.q) + algebra.element(self.arm.offset[k])

    def joint_rate(self, k: int) -> PolyElement:
        """The velocity of the joint of a body, A qd."""
        return self.algebra.linear(self.arm.matrix[k], self.algebra.qd)

    def joint_acceleration(self, k: int) -> PolyElement:
        """The acceleration of the joint of a body, A qdd."""
        return self.algebra.linear(self.arm.matrix[k], self.algebra.qdd)

    def axis(self, k: int) -> Array:
        """The axis of the joint of a body, in the body's axes."""
        return self.algebra.array(self.arm.bodies[k].axis)

    def rotor_rate(self, rotor: SymbolicRotor, rates: Sequence[Array], of_joint: PolyElement) -> PolyElement:
        """The rate u . omega + G times the joint's rate of a rotor, for velocities or accelerations."""
        turning = self.algebra.element(rotor.ratio) * of_joint
        if rotor.carrier >= 0:
            turning += self.algebra.array(rotor.axis) @ rates[rotor.carrier]
        return self.algebra.reduced(turning)

    @cached_property
    def steps(self) -> list[tuple[Array, Array]]:
        """For every body the pose of its frame in its parent's: R and p."""
        return [self._step(k, body) for k, body in enumerate(self.arm.bodies)]

    def _step(self, k: int, body: SymbolicBody) -> tuple[Array, Array]:
        algebra = self.algebra
        R, p, axis = algebra.array(body.R), algebra.array(body.p), algebra.array(body.axis)
        if not body.revolute:
            return R, p + (R @ axis) * self.joint_position(k)
        turn, K = algebra.turns[k], skew(axis)
        one = algebra.array(np.eye(3, dtype=int))
        return algebra.each(R @ (one + K * turn.s + (K @ K) * (algebra.ring(1) - turn.c))), p

    @cached_property
    def poses(self) -> list[tuple[Array, Array]]:
        """For every body the pose of its frame in the base: R and p."""
        poses: list[tuple[Array, Array]] = []
        for body, (R, p) in zip(self.arm.bodies, self.steps, strict=True):
            if body.parent < 0:
                poses.append((R, p))
            else:
                R_parent, p_parent = poses[body.parent]
                poses.append((self.algebra.each(R_parent @ R), self.algebra.each(p_parent + R_parent @ p)))
        return poses

    def point(self, k: int, r: object) -> Array:
        """A point of a body, given in its axes, in base axes."""
        R, p = self.poses[k]
        return self.algebra.each(p + R @ self.algebra.array(r))

    @cached_property
    def centres(self) -> list[Array]:
        """The centres of mass in base axes."""
        return [self.point(k, body.com) for k, body in enumerate(self.arm.bodies)]

    @cached_property
    def angular_velocities(self) -> list[Array]:
        """omega of every body, in its own axes: R^T omega of the parent + axis qd."""
        result: list[Array] = []
        for k, body in enumerate(self.arm.bodies):
            w = self.algebra.zeros(3) if body.parent < 0 else self.steps[k][0].T @ result[body.parent]
            if body.revolute:
                w = w + self.axis(k) * self.joint_rate(k)
            result.append(self.algebra.each(w))
        return result
