"""A kind of constraint of the user's own: one class, and everything that robots with constraints do works with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.spatial.rotations import Array

STATE = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2]), np.array([0.4, -0.3, 0.2, 0.5, -0.6, 0.7])


@dataclass(frozen=True)
class Screw(c.Constraint):
    """A frame moves along the z axis of another as it turns about it, as a nut on a bolt: v_z = pitch w_z."""

    frame: str
    to: str = ""
    pitch: float = 0.01
    name: str = "screw"

    @property
    def rows(self) -> tuple[c.Row, ...]:
        return (c.Row(self.name, "m", holonomic=False),)

    @property
    def frames(self) -> tuple[str, ...]:
        return self.frame, self.to

    def equations_at(self, state: c.State) -> c.Equations:
        seen = state.relative(self.frame, np.eye(4), self.to, np.eye(4))
        A = seen.J[2] - self.pitch * seen.J_w[2]
        return c.Equations(np.empty(0), np.array([A]), np.array([seen.rdd[2] - self.pitch * seen.Wd[2]]))


@dataclass(frozen=True)
class Apart(c.Constraint):
    """The square of the distance of two frames is given: what `Distance` says, in another unit."""

    frame: str
    to: str = ""
    square: float = 1.0
    name: str = "apart"

    @property
    def rows(self) -> tuple[c.Row, ...]:
        return self.named(("", ""))

    @property
    def frames(self) -> tuple[str, ...]:
        return self.frame, self.to

    def equations_at(self, state: c.State) -> c.Equations:
        A, B = state.moving(self.frame, np.eye(4)), state.moving(self.to, np.eye(4))
        d, J, rate, rest = A.p - B.p, A.J_v - B.J_v, A.v - B.v, A.a - B.a
        phi = d @ d - self.square
        return c.Equations(np.array([phi]), np.array([2.0 * d @ J]), np.array([2.0 * (d @ rest + rate @ rate)]))


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("ur5")


def test_rows_and_drift_of_a_screw(arm):
    robot, (q, qd) = arm.with_constraints(Screw("tool0", pitch=0.05)), STATE
    J = arm.jacobian(q, expressed_in="world")
    np.testing.assert_allclose(robot.constraint_jacobian(q), [J[5] - 0.05 * J[2]], atol=1e-14)
    h = 1e-6
    rate = (robot.constraint_velocity(q + h * qd, qd) - robot.constraint_velocity(q - h * qd, qd)) / (2 * h)
    np.testing.assert_allclose(robot.constraint_drift(q, qd), rate, rtol=1e-7, atol=1e-9)


def test_dynamics_of_a_screw(arm):
    robot, (q, qd) = arm.with_constraints(Screw("tool0", pitch=0.05)), STATE
    qd = robot.close_velocities(q, qd)
    motion = robot.constrained_forward_dynamics(q, qd, np.zeros(6))
    np.testing.assert_allclose(
        robot.constraint_jacobian(q) @ motion.qdd + robot.constraint_drift(q, qd), 0.0, atol=1e-11
    )
    tau = robot.constrained_inverse_dynamics(q, qd, motion.qdd, motion.multipliers)
    np.testing.assert_allclose(tau, 0.0, atol=1e-11)
    with pytest.raises(c.InconsistentMotion, match=r"'screw' is .* m/s"):
        robot.constrained_forward_dynamics(q, STATE[1], np.zeros(6))


def test_derivatives_go_through_it(arm):
    robot, (q, qd), tau = arm.with_constraints(Screw("tool0", pitch=0.05)), STATE, np.zeros(6)
    motion = robot.compile(c.constrained_forward_dynamics)
    slopes = np.asarray(motion.derivative("q")(q, qd, tau)[0])
    h = 1e-6
    steps = [(motion(q + h * e, qd, tau).qdd - motion(q - h * e, qd, tau).qdd) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(slopes, np.transpose(steps), rtol=1e-5, atol=1e-6)


def both(arm: armdyn.Robot) -> tuple[armdyn.Robot, armdyn.Robot]:
    own = arm.with_constraints(Apart("tool0", square=0.25))
    return own, arm.with_constraints(c.Distance("tool0", length=0.5))


def accelerations(robot: armdyn.Robot, q: Array) -> Array:
    qd = robot.close_velocities(q, STATE[1])
    return robot.constrained_forward_dynamics(q, qd, np.ones(6)).qdd


@pytest.mark.slow
def test_it_is_closed_and_moves_as_the_kind_that_says_the_same(arm):
    own, distance = both(arm)
    q = own.close_loop(STATE[0])
    assert abs(distance.constraint_error(q)).max() < 1e-12
    np.testing.assert_allclose(accelerations(own, q), accelerations(distance, q), rtol=1e-10, atol=1e-10)
    with pytest.raises(c.OpenLoop, match="'apart' is") as caught:
        own.constrained_forward_dynamics(STATE[0], np.zeros(6), np.ones(6))
    np.testing.assert_array_equal(caught.value.q, STATE[0])


def test_a_robot_with_it_is_a_robot(arm):
    robot = arm.with_constraints(Screw("tool0"))
    assert robot == arm.with_constraints(Screw("tool0"))
    assert robot != arm.with_constraints(Screw("tool0", pitch=0.02))
    assert [row.name for row in robot.constraint_rows] == ["screw"]
    with pytest.raises(armdyn.Unsupported, match=r"'screw' \(Screw\) has no place in URDF"):
        robot.to_urdf()
    with pytest.raises(armdyn.UnknownName, match="no frame 'nut'"):
        arm.with_constraints(Screw("nut"))


def test_a_class_without_equations_is_no_constraint():
    class Empty(c.Constraint):
        rows = ()

    with pytest.raises(TypeError, match="equations_at"):
        Empty()
