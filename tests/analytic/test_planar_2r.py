"""The planar 2R arm against its closed form, Modern Robotics 8.9 and 8.10."""

import numpy as np
import pytest

import armdyn
from armdyn.model import Inertia
from armdyn.model.assembly import assemble
from armdyn.model.parts import JointPart, LinkPart
from armdyn.model.selection import Selection
from armdyn.spatial.rotations import rigid
from oracles.states import assert_close, random_states

STATES = random_states(2, 50, seed=21)


def planar_2r(m1: float, m2: float, L1: float, L2: float, g: float) -> armdyn.Robot:
    """Point masses at the ends of the links; gravity along -y."""
    ex, z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    links = [LinkPart("base"), LinkPart("one", Inertia.point(m1, L1 * ex)), LinkPart("two", Inertia.point(m2, L2 * ex))]
    joints = [
        JointPart("joint_1", "revolute", "base", "one", np.eye(4), z),
        JointPart("joint_2", "revolute", "one", "two", rigid(p=L1 * ex), z),
    ]
    return armdyn.Robot(assemble("planar_2r", links, joints, Selection(gravity=(0.0, -g, 0.0))))


@pytest.fixture(params=[(1.0, 1.0, 1.0, 1.0, 9.81), (2.3, 0.7, 0.45, 0.81, 3.7)], ids=["unit", "general"])
def arm(request: pytest.FixtureRequest) -> tuple[armdyn.Robot, tuple[float, ...]]:
    return planar_2r(*request.param), request.param


def closed_form(q: np.ndarray, qd: np.ndarray, parameters: tuple[float, ...]) -> tuple[np.ndarray, ...]:
    """M, c and g of Modern Robotics 8.10."""
    m1, m2, L1, L2, g = parameters
    c1, c2, c12, s2 = np.cos(q[:, 0]), np.cos(q[:, 1]), np.cos(q[:, 0] + q[:, 1]), np.sin(q[:, 1])
    M12 = m2 * (L1 * L2 * c2 + L2**2)
    M11 = m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c2 + L2**2)
    M = np.moveaxis(np.array([[M11, M12], [M12, np.full_like(M12, m2 * L2**2)]]), 2, 0)
    h = m2 * L1 * L2 * s2
    c = np.stack([-h * (2 * qd[:, 0] * qd[:, 1] + qd[:, 1] ** 2), h * qd[:, 0] ** 2], axis=1)
    weight = m2 * g * L2 * c12
    return M, c, np.stack([(m1 + m2) * L1 * g * c1 + weight, weight], axis=1)


def test_mass_matrix(arm: tuple) -> None:
    robot, parameters = arm
    assert_close(robot.mass_matrix(STATES.q), closed_form(STATES.q, STATES.qd, parameters)[0])


def test_velocity_forces(arm: tuple) -> None:
    robot, parameters = arm
    assert_close(robot.velocity_forces(STATES.q, STATES.qd), closed_form(STATES.q, STATES.qd, parameters)[1])


def test_gravity_forces(arm: tuple) -> None:
    robot, parameters = arm
    expected = closed_form(STATES.q, STATES.qd, parameters)[2]
    np.testing.assert_allclose(robot.gravity_forces(STATES.q), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_inverse_and_forward_dynamics(arm: tuple) -> None:
    robot, parameters = arm
    M, c, g = closed_form(STATES.q, STATES.qd, parameters)
    tau = np.einsum("kij,kj->ki", M, STATES.qdd) + c + g
    assert_close(robot.inverse_dynamics(STATES.q, STATES.qd, STATES.qdd), tau)
    assert_close(robot.forward_dynamics(STATES.q, STATES.qd, tau), STATES.qdd, relative=1e-11)


def test_energies(arm: tuple) -> None:
    robot, (m1, m2, L1, L2, g) = arm
    q, qd = STATES.q, STATES.qd
    M = closed_form(q, qd, (m1, m2, L1, L2, g))[0]
    assert_close(robot.kinetic_energy(q, qd), 0.5 * np.einsum("ki,kij,kj->k", qd, M, qd))
    y1 = L1 * np.sin(q[:, 0])
    y2 = y1 + L2 * np.sin(q[:, 0] + q[:, 1])
    np.testing.assert_allclose(robot.potential_energy(q), g * (m1 * y1 + m2 * y2), rtol=0, atol=1e-12 * g * m1)


def test_bundled_arm_has_the_masses_and_lengths_of_example_8_5() -> None:
    bundled, own = armdyn.load("planar_2r"), planar_2r(1.0, 1.0, 1.0, 1.0, 9.81)
    s = STATES
    assert_close(bundled.inverse_dynamics(s.q, s.qd, s.qdd), own.inverse_dynamics(s.q, s.qd, s.qdd))
    np.testing.assert_allclose(bundled.forward_kinematics([0.3, 0.4])[:2, 3],
                               [np.cos(0.3) + np.cos(0.7), np.sin(0.3) + np.sin(0.7)], rtol=1e-13)  # fmt: skip
