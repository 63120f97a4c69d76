"""Identities between a quantity and a derivative of another, by eighth-order central differences along a motion.

Differences of a smooth function over steps h err by h^8 and by rounding over h; with h = 0.01 both are below 1e-11.
"""

from collections.abc import Callable

import numpy as np

from oracles.cases import Case
from oracles.states import assert_close, random_states

STEP = 0.01
STEPS = np.array([-4, -3, -2, -1, 1, 2, 3, 4]) * STEP
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP
DIFFERENCE = 1e-9
"""What these differences are good to, relative."""


def derivative(f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """df/dt at t = 0, where f takes the array of times."""
    return np.tensordot(WEIGHTS, f(STEPS), axes=1)


def motion(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[Callable, Callable]:
    """q(t) and qd(t) with the given values at t = 0, for an array of times."""

    def position(t: np.ndarray) -> np.ndarray:
        return q + t[:, None] * qd + 0.5 * t[:, None] ** 2 * qdd

    return position, lambda t: qd + t[:, None] * qdd


def test_power_of_the_joints_raises_the_energy(case: Case) -> None:
    """d/dt (K + P) = tau . qd."""
    s, robot = random_states(case.n, 10, seed=41), case.robot
    for q, qd, qdd in zip(s.q, 0.5 * s.qd, 0.2 * s.qdd, strict=True):
        position, velocity = motion(q, qd, qdd)

        def energy(t: np.ndarray, q=position, qd=velocity) -> np.ndarray:
            return robot.kinetic_energy(q(t), qd(t)) + robot.potential_energy(q(t))

        power = derivative(energy)
        tau = robot.inverse_dynamics(q, qd, qdd)
        assert abs(power - tau @ qd) <= DIFFERENCE * np.linalg.norm(tau) * np.linalg.norm(qd)


def test_gravity_forces_are_the_gradient_of_the_potential(case: Case) -> None:
    for q in random_states(case.n, 10, seed=42).q:
        gradient = [derivative(lambda t: case.robot.potential_energy(q + t[:, None] * e)) for e in np.eye(case.n)]  # noqa: B023
        assert_close(np.array([gradient]), case.robot.gravity_forces(q)[None], DIFFERENCE)


def test_velocity_forces_are_christoffels(case: Case) -> None:
    """c = Mdot qd - grad(qd^T M qd) / 2, hence qd . (Mdot qd - 2 c) = 0 (Modern Robotics 8.16 to 8.19, 8.25)."""
    s, robot = random_states(case.n, 5, seed=43), case.robot
    for q, qd in zip(s.q, s.qd, strict=True):
        along = derivative(lambda t: robot.mass_matrix(q + t[:, None] * qd / 4.0)) * 4.0 @ qd  # noqa: B023
        gradient = [derivative(lambda t: 2 * robot.kinetic_energy(q + t[:, None] * e, qd)) for e in np.eye(case.n)]  # noqa: B023
        c = robot.velocity_forces(q, qd)
        scale = np.abs(along).max() + np.abs(gradient).max()
        assert np.abs(along - 0.5 * np.array(gradient) - c).max() <= DIFFERENCE * scale
        assert abs(qd @ (along - 2.0 * c)) <= DIFFERENCE * scale * np.linalg.norm(qd)


def test_jacobian_is_the_velocity_of_the_pose(case: Case) -> None:
    """Tdot = T [V_body] = [V_space] T, and the last three of "world" are the velocity of the origin."""
    s, robot = random_states(case.n, 5, seed=44), case.robot
    for q, qd in zip(s.q, s.qd, strict=True):
        T = robot.forward_kinematics(q)
        Tdot = derivative(lambda t: robot.forward_kinematics(q + t[:, None] * qd / 4.0)) * 4.0  # noqa: B023
        for twist, way in ((np.linalg.inv(T) @ Tdot, "body"), (Tdot @ np.linalg.inv(T), "space")):
            V = robot.jacobian(q, expressed_in=way) @ qd
            np.testing.assert_allclose([twist[2, 1], twist[0, 2], twist[1, 0], *twist[:3, 3]], V, rtol=0,
                                       atol=DIFFERENCE * np.abs(V).max())  # fmt: skip
        velocity = (robot.jacobian(q, expressed_in="world") @ qd)[3:]
        np.testing.assert_allclose(Tdot[:3, 3], velocity, rtol=0, atol=DIFFERENCE * np.abs(Tdot).max())


def test_momentum_of_the_whole_robot_changes_by_gravity_and_the_base_reaction() -> None:
    """A weightless, unpowered arm on a slide keeps the momentum along the slide; gravity along it adds m g t."""
    import armdyn
    from oracles.trees import random_tree, to_armdyn

    tree = random_tree(5, 4)
    parts = list(tree.parts)
    parts[0] = parts[0]._replace(kind="prismatic")
    parts[1:] = [p if p.parent != "base" else p._replace(parent="link0") for p in parts[1:]]
    robot = armdyn.Robot(to_armdyn(type(tree)(tree.name, tuple(parts), tree.order, tree.tip, tree.gravity)))
    slide = robot.joint_names.index(parts[0].joint)
    direction = parts[0].rotation @ parts[0].axis
    s = random_states(4, 10, seed=45)
    free = s.tau.copy()
    free[:, slide] = 0.0
    total = sum(p.mass for p in parts)
    for q, qd, tau in zip(s.q, s.qd, free, strict=True):
        qdd = robot.forward_dynamics(q, qd, tau)
        position, velocity = motion(q, qd, qdd)
        change = derivative(lambda t: np.einsum("ki,ki->k", robot.mass_matrix(position(t))[:, slide], velocity(t)))  # noqa: B023
        weight = total * tree.gravity @ direction
        assert abs(change - weight) <= 1e-8 * (abs(weight) + np.abs(tau).max())
