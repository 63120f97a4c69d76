"""What a moving base adds to energies and velocity forces, and that the books balance on the ground."""

import re
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.robot.method import Method
from oracles.cases import Case
from oracles.flying import Flying
from oracles.states import assert_close, random_states

COUNT = 6


def base_states(seed: int) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(seed).normal(0.0, 2.0, (2, COUNT, 6)))


@pytest.mark.parametrize(("seed", "right_angled"), [(361, False), (362, True)])
def test_kinetic_energy_is_that_of_a_flying_tree(seed: int, right_angled: bool) -> None:
    """Pinocchio's, whose flying root has no mass, as seen from the ground."""
    flying, (V, _) = Flying(seed, right_angled), base_states(363)
    s = random_states(6, COUNT, seed=364)
    expected = [flying.kinetic_energy(*x) for x in zip(s.q, s.qd, V, strict=True)]
    assert_close(flying.robot.kinetic_energy(s.q, s.qd, V), np.array(expected))


def test_kinetic_energy_of_the_links_motions(case: Case) -> None:
    """sum m v_C.v_C / 2 + w.I w / 2, with velocities on the ground: V_0 and J qd put together by hand."""
    s, (V, _) = random_states(case.n, COUNT, seed=365), base_states(366)
    robot, expected = case.robot, np.zeros(COUNT)
    poses = robot.link_poses(s.q)
    for k, link in enumerate(robot.model.links[1:], start=1):
        twist = np.einsum("kij,kj->ki", robot.jacobian(s.q, frame=link.name, expressed_in="world"), s.qd)
        R, p = poses[:, k, :3, :3], poses[:, k, :3, 3]
        w = V[:, :3] + twist[:, :3]
        v_L = V[:, 3:] + np.cross(V[:, :3], p) + twist[:, 3:]
        v_C = v_L + np.cross(w, R @ link.inertia.com)
        w_L = np.einsum("kji,kj->ki", R, w)
        expected += 0.5 * link.inertia.mass * (v_C**2).sum(axis=1) + 0.5 * ((w_L @ link.inertia.tensor) * w_L).sum(
            axis=1
        )
    for joint, qd in zip(robot.model.joints, s.qd.T, strict=True):
        expected += 0.5 * joint.armature * qd**2
    assert_close(robot.kinetic_energy(s.q, s.qd, V), expected)


def test_kinetic_energy_at_rest_is_what_it_was(case: Case) -> None:
    s = random_states(case.n, COUNT, seed=367)
    assert_close(case.robot.kinetic_energy(s.q, s.qd, np.zeros(6)), case.robot.kinetic_energy(s.q, s.qd), 1e-14)
    assert "base_twist" not in {port.name for port in case.robot.kinetic_energy.program().inputs}


@pytest.mark.short_run("ur5")
def test_the_books_balance_on_the_ground(case: Case) -> None:
    """dK/dt = tau . qd + weights' power + what the base puts in through the joints that stand on it.

    dK/dt is that of the links' resultants, sum F . v_C + N . w; the power of the base is its reactions on V_0.
    """
    s, (V, Vdot), robot = random_states(case.n, COUNT, seed=368), base_states(369), case.robot
    moving = {"base_twist": V, "base_twist_rate": Vdot}
    motion = robot.link_motion(s.q, s.qd, s.qdd, **moving, expressed_in="base")
    reactions = robot.joint_reactions(s.q, s.qd, s.qdd, **moving, expressed_in="base")
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd, **moving)
    poses = robot.link_poses(s.q)
    gained, weights = np.zeros(COUNT), np.zeros(COUNT)
    size = np.zeros(COUNT)
    for k, link in enumerate(robot.model.links[1:], start=1):
        twist = np.einsum("kij,kj->ki", robot.jacobian(s.q, frame=link.name, expressed_in="world"), s.qd)
        R, p = poses[:, k, :3, :3], poses[:, k, :3, 3]
        w = V[:, :3] + twist[:, :3]
        v_C = V[:, 3:] + np.cross(V[:, :3], p) + twist[:, 3:] + np.cross(w, R @ link.inertia.com)
        parts = (motion.F[:, k] * v_C).sum(axis=1), (motion.N[:, k] * w).sum(axis=1)
        gained += sum(parts)
        weights += link.inertia.mass * v_C @ robot.gravity
        size += sum(map(np.abs, parts))
    from_base = np.zeros(COUNT)
    for k, joint in enumerate(robot.model.joints):
        if joint.parent == robot.model.base:
            f, n = reactions.f[:, k], reactions.n[:, k]
            at = poses[:, k + 1, :3, 3]
            from_base += (f * (V[:, 3:] + np.cross(V[:, :3], at))).sum(axis=1) + (n * V[:, :3]).sum(axis=1)
    balance = np.sum(tau * s.qd, axis=1) + weights + from_base
    assert (np.abs(gained - balance) / size).max() < 1e-12


def test_kinetic_energy_grows_at_the_rate_of_the_resultants(case: Case) -> None:
    """Central differences of K along the motion, the base's own included, converge to the power of the links.

    Steps of h and h / 2 extrapolated leave an error of h^4: 1e-9 of the power is far from any wrong term.
    """
    s, (V, Vdot), robot = random_states(case.n, COUNT, seed=370), base_states(371), case.robot
    motion = robot.link_motion(s.q, s.qd, s.qdd, V, Vdot, expressed_in="base")
    poses, power, size = robot.link_poses(s.q), np.zeros(COUNT), np.zeros(COUNT)
    for k, link in enumerate(robot.model.links[1:], start=1):
        twist = np.einsum("kij,kj->ki", robot.jacobian(s.q, frame=link.name, expressed_in="world"), s.qd)
        w = V[:, :3] + twist[:, :3]
        v_C = V[:, 3:] + np.cross(V[:, :3], poses[:, k, :3, 3]) + twist[:, 3:]
        v_C += np.cross(w, poses[:, k, :3, :3] @ link.inertia.com)
        parts = (motion.F[:, k] * v_C).sum(axis=1), (motion.N[:, k] * w).sum(axis=1)
        power += sum(parts)
        size += sum(map(np.abs, parts))
    power += np.array([sum(j.armature * a * b for j, a, b in zip(robot.model.joints, x, y, strict=True))
                       for x, y in zip(s.qd, s.qdd, strict=True)])  # fmt: skip

    def energy(t: float) -> np.ndarray:
        q = s.q + t * s.qd + 0.5 * t**2 * s.qdd
        return robot.kinetic_energy(q, s.qd + t * s.qdd, V + t * Vdot)

    h = 2e-3
    slopes = [(energy(x) - energy(-x)) / (2 * x) for x in (h, h / 2)]
    extrapolated = (4 * slopes[1] - slopes[0]) / 3
    assert (np.abs(extrapolated - power) / size).max() < 1e-7


def test_velocity_forces_on_a_moving_base(case: Case) -> None:
    """c is what is left of the bias where neither gravity nor the base's acceleration acts."""
    s, (V, Vdot) = random_states(case.n, COUNT, seed=372), base_states(373)
    weightless = case.robot.with_gravity([0.0, 0.0, 0.0])
    c = case.robot.velocity_forces(s.q, s.qd, V)
    assert_close(c, weightless.bias_forces(s.q, s.qd, V))
    still = weightless.bias_forces(s.q, 0 * s.qd, None, Vdot)
    assert_close(case.robot.bias_forces(s.q, s.qd, V, Vdot), c + still + case.robot.gravity_forces(s.q), 1e-11)
    assert_close(case.robot.velocity_forces(s.q, 3.0 * s.qd, 3.0 * V), 9.0 * c)
    assert_close(case.robot.velocity_forces(s.q, s.qd, np.zeros(6)), case.robot.velocity_forces(s.q, s.qd))


def test_a_bead_on_a_turntable() -> None:
    """c = -m r w^2 along the slide, K = m (r^2 w^2 + rd^2) / 2."""
    bead = armdyn.Part("bead", "turntable", "prismatic", axis=(1, 0, 0), inertia=armdyn.Inertia.point(1.7, [0, 0, 0]))
    robot = armdyn.Robot.from_links([bead], base="turntable")
    V = [0.0, 0.0, 2.5, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(robot.velocity_forces([0.8], [0.3], V), [-1.7 * 0.8 * 2.5**2], rtol=1e-15)
    np.testing.assert_allclose(robot.kinetic_energy([0.8], [0.3], V), 0.85 * (0.8**2 * 2.5**2 + 0.3**2), rtol=1e-15)


def test_the_page_lists_what_takes_a_moving_base() -> None:
    """docs/loads.md: with twist and rate, with the twist alone, and, of the others, those that have it nowhere."""
    methods = {name: m for name, m in vars(armdyn.Robot).items() if isinstance(m, Method)}
    words = {"base_twist", "base_twist_rate"}
    taken = {name: words & {a.name for a in m.function.arguments} for name, m in methods.items()}
    page = (Path(__file__).parents[2] / "docs" / "loads.md").read_text(encoding="utf-8")
    items = re.split(r"^- ", page.partition("## A base that moves")[2].partition("```")[0], flags=re.MULTILINE)[1:]
    both, twist, none = (set(re.findall(r"`(\w+)`", item)) for item in items)
    assert both == {name for name, some in taken.items() if len(some) == 2}
    assert twist == {name for name, some in taken.items() if some == {"base_twist"}}
    others = none - {"base_twist"}
    assert len(others) > 10
    assert all(hasattr(armdyn.Robot, name) for name in others)
    assert not any(taken.get(name) for name in others)
