"""Momentum, its matrix and rate, the centre of mass: Pinocchio, and the laws of Newton, Euler and Lagrange.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.program import interpret
from oracles.cases import ANGULAR_FIRST, CASES, Case
from oracles.coupled import coupled, with_armature
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

CENTROIDAL = {"about": "center_of_mass"}


def times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", matrices, vectors)


def angular_first(force: pin.Force) -> np.ndarray:
    return np.concatenate([force.angular, force.linear])


def moving_mass(robot: armdyn.Robot) -> float:
    return sum(link.inertia.mass for link in robot.model.links[1:])


@pytest.mark.short_run("random_tree")
def test_centroidal_quantities_are_pinocchios(case: Case) -> None:
    s, robot = random_states(case.n, 10, seed=241), case.robot
    h, rate, A = [], [], []
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):
        state = case.pin_q(q), case.to_pin(qd)
        pin.computeCentroidalMomentumTimeVariation(case.pin, case.data, *state, case.to_pin(qdd))
        h.append(angular_first(case.data.hg))
        rate.append(angular_first(case.data.dhg))
        pin.ccrba(case.pin, case.data, *state)
        A.append(case.from_pin(case.data.Ag[ANGULAR_FIRST]))
    assert_close(robot.momentum(s.q, s.qd, **CENTROIDAL), np.array(h))
    assert_close(robot.momentum_rate(s.q, s.qd, s.qdd, **CENTROIDAL), np.array(rate))
    assert_close(robot.momentum_matrix(s.q, **CENTROIDAL), np.array(A))


def test_rate_of_the_momentum_matrix_is_pinocchios(tree: Case) -> None:
    """dh/dt - A qdd = Adot qd."""
    s, robot = random_states(tree.n, 10, seed=242), tree.robot
    theirs = []
    for q, qd in zip(s.q, s.qd, strict=True):
        pin.dccrba(tree.pin, tree.data, tree.pin_q(q), tree.to_pin(qd))
        theirs.append(tree.data.dAg[ANGULAR_FIRST] @ tree.to_pin(qd))
    assert_close(robot.momentum_rate(s.q, s.qd, np.zeros(tree.n), **CENTROIDAL), np.array(theirs))


def test_center_of_mass_is_pinocchios(case: Case) -> None:
    s, robot = random_states(case.n, 10, seed=243), case.robot
    c, v, J = [], [], []
    for q, qd in zip(s.q, s.qd, strict=True):
        c.append(pin.centerOfMass(case.pin, case.data, case.pin_q(q), case.to_pin(qd)).copy())
        v.append(case.data.vcom[0].copy())
        J.append(case.from_pin(pin.jacobianCenterOfMass(case.pin, case.data, case.pin_q(q))))
    assert_close(robot.center_of_mass(s.q), np.array(c))
    assert_close(robot.center_of_mass_velocity(s.q, s.qd), np.array(v))
    assert_close(robot.center_of_mass_jacobian(s.q), np.array(J))


def test_matrix_and_vector_agree(case: Case) -> None:
    s, robot = random_states(case.n, 10, seed=244), case.robot
    for about in ("base", "center_of_mass"):
        assert_close(robot.momentum(s.q, s.qd, about=about), times(robot.momentum_matrix(s.q, about=about), s.qd))
    assert_close(robot.center_of_mass_velocity(s.q, s.qd), times(robot.center_of_mass_jacobian(s.q), s.qd))
    l = moving_mass(robot) * robot.center_of_mass_velocity(s.q, s.qd)  # noqa: E741
    assert_close(robot.momentum(s.q, s.qd)[:, 3:], l)


def test_center_of_mass_jacobian_is_the_derivative(tree: Case) -> None:
    q = random_states(tree.n, 5, seed=245).q
    (derivative,) = interpret(tree.robot.center_of_mass.program().derivative(), q)
    assert_close(tree.robot.center_of_mass_jacobian(q), derivative)


@pytest.mark.parametrize("about", ["base", "center_of_mass"])
def test_momentum_rate_is_the_rate_of_the_momentum(tree: Case, about: str) -> None:
    """dh/dt = dh/dq qd + dh/dqd qdd."""
    s = random_states(tree.n, 5, seed=246)
    by_q, by_qd = interpret(tree.robot.momentum.program(about=about).derivative(), s.q, s.qd)
    assert_close(tree.robot.momentum_rate(s.q, s.qd, s.qdd, about=about), times(by_q, s.qd) + times(by_qd, s.qdd))


def test_moved_to_the_center_of_mass(case: Case) -> None:
    """k_c = k - c x l."""
    s, robot = random_states(case.n, 10, seed=247), case.robot
    h, c = robot.momentum(s.q, s.qd), robot.center_of_mass(s.q)
    expected = h.copy()
    expected[:, :3] -= np.cross(c, h[:, 3:])
    assert_close(robot.momentum(s.q, s.qd, **CENTROIDAL), expected, relative=1e-11)


def test_base_and_gravity_change_the_momentum(case: Case) -> None:
    """Newton and Euler for the whole arm: what the base's joints transmit, and the weight at the centre of mass."""
    s, robot = random_states(case.n, 10, seed=248), case.robot
    f, n = robot.joint_reactions(s.q, s.qd, s.qdd, expressed_in="base")
    poses, links = robot.link_poses(s.q), robot.link_names
    weight = moving_mass(robot) * robot.gravity
    moment, force = np.cross(robot.center_of_mass(s.q), weight), np.tile(weight, (10, 1))
    for k, joint in enumerate(robot.model.joints):
        if joint.parent == robot.model.base:
            origin = poses[:, links.index(joint.child), :3, 3]
            moment, force = moment + n[:, k] + np.cross(origin, f[:, k]), force + f[:, k]
    assert_close(robot.momentum_rate(s.q, s.qd, s.qdd), np.concatenate([moment, force], axis=1), relative=1e-11)


def test_generalized_momentum_is_mass_times_velocity(case: Case) -> None:
    s = random_states(case.n, 20, seed=249)
    for robot in (case.robot, with_armature(case.robot)):
        assert_close(robot.generalized_momentum(s.q, s.qd), times(robot.mass_matrix(s.q), s.qd))


def test_what_changes_the_generalized_momentum(case: Case) -> None:
    """pdot = M qdd + Mdot qd = tau + C^T qd - g, which momentum observers integrate."""
    s, robot = random_states(case.n, 20, seed=250), with_armature(case.robot)
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    pdot = times(robot.mass_matrix(s.q), s.qdd) + times(robot.mass_matrix_dot(s.q, s.qd), s.qd)
    assert_close(tau + robot.transposed_coriolis_forces(s.q, s.qd) - robot.gravity_forces(s.q), pdot)


def test_power_of_the_joints_is_the_rate_of_the_energy(case: Case) -> None:
    """dK/dq . qd + dK/dqd . qdd + g . qd = tau . qd."""
    s, robot = random_states(case.n, 20, seed=251), with_armature(case.robot)
    d_q, d_qd = robot.kinetic_energy_derivatives(s.q, s.qd)
    parts = d_q * s.qd, d_qd * s.qdd, robot.gravity_forces(s.q) * s.qd
    rate = sum(part.sum(axis=1) for part in parts)
    power = (robot.inverse_dynamics(s.q, s.qd, s.qdd) * s.qd).sum(axis=1)
    scale = sum(np.abs(part).sum(axis=1) for part in parts)
    assert (np.abs(rate - power) <= 1e-12 * scale).all()


def test_derivatives_of_the_energies(case: Case) -> None:
    """Those of the traced programs of the energies themselves, which know no Coriolis matrix."""
    s, robot = random_states(case.n, 10, seed=252), with_armature(case.robot)
    by_q, by_qd = interpret(robot.kinetic_energy.program().derivative(), s.q, s.qd)
    d_q, d_qd = robot.kinetic_energy_derivatives(s.q, s.qd)
    assert_close(d_q, by_q)
    assert_close(d_qd, by_qd)
    assert_close(robot.gravity_forces(s.q), interpret(robot.potential_energy.program().derivative(), s.q)[0])


def test_lagranges_equations(case: Case) -> None:
    """tau = d/dt dK/dqd - dK/dq + dP/dq."""
    s, robot = random_states(case.n, 10, seed=253), case.robot
    momentum = robot.generalized_momentum.program().derivative()
    by_q, by_qd = interpret(momentum, s.q, s.qd)
    rate = times(by_q, s.qd) + times(by_qd, s.qdd)
    tau = rate - robot.kinetic_energy_derivatives(s.q, s.qd).d_q + robot.gravity_forces(s.q)
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd), tau)


@pytest.mark.parametrize("name", short_run(["ur5", "random_tree"], "random_tree"))
def test_coupled_joints(name: str) -> None:
    some = coupled(with_armature(CASES[name]().robot), 4, seed=4)
    robot, free, A = some.robot, some.free, some.A
    s = random_states(4, 10, seed=254)
    q, qd, qdd = some.joints(s.q), some.rates(s.qd), some.rates(s.qdd)
    for about in ("base", "center_of_mass"):
        assert_close(robot.momentum(s.q, s.qd, about=about), free.momentum(q, qd, about=about))
        assert_close(robot.momentum_matrix(s.q, about=about), free.momentum_matrix(q, about=about) @ A)
        assert_close(robot.momentum_rate(s.q, s.qd, s.qdd, about=about), free.momentum_rate(q, qd, qdd, about=about))
    assert_close(robot.center_of_mass(s.q), free.center_of_mass(q))
    assert_close(robot.center_of_mass_velocity(s.q, s.qd), free.center_of_mass_velocity(q, qd))
    assert_close(robot.center_of_mass_jacobian(s.q), free.center_of_mass_jacobian(q) @ A)
    assert_close(robot.generalized_momentum(s.q, s.qd), free.generalized_momentum(q, qd) @ A)
    for ours, theirs in zip(
        robot.kinetic_energy_derivatives(s.q, s.qd), free.kinetic_energy_derivatives(q, qd), strict=True
    ):
        assert_close(ours, theirs @ A)


def test_the_words_for_the_point_are_two(ur5: Case) -> None:
    for call in (
        lambda: ur5.robot.momentum(np.zeros(6), np.zeros(6), about="centre_of_mass"),
        lambda: ur5.robot.momentum_matrix(np.zeros(6), about="tip"),
        lambda: ur5.robot.momentum_rate(np.zeros(6), np.zeros(6), np.zeros(6), about="com"),
    ):
        with pytest.raises(armdyn.UnknownName, match="about="):
            call()


def test_nothing_has_no_center() -> None:
    arm = armdyn.Robot.from_links([armdyn.Part("hand", "base", "revolute", axis=(0, 0, 1))])
    for name in ("center_of_mass", "center_of_mass_jacobian"):
        with pytest.raises(armdyn.ModelError, match="no moving link of 'links' has mass"):
            getattr(arm, name)([0.0])


def test_every_link_as_an_input(tree: Case) -> None:
    """What a payload changes: the quantities of the robot that has it."""
    robot = tree.robot
    links = robot.model.links[1:]
    names = [f"{x.name}.{quantity}" for x in links for quantity in ("mass", "com", "inertia")]
    numbers = [v for x in links for v in (x.inertia.mass, x.inertia.com, x.inertia.tensor)]
    values = dict(zip(names, numbers, strict=True))
    s = random_states(tree.n, 3, seed=255)
    for name, state in {
        "momentum": (s.q, s.qd),
        "center_of_mass": (s.q,),
        "coriolis_matrix": (s.q, s.qd),
        "mass_matrix_dot": (s.q, s.qd),
        "transposed_coriolis_forces": (s.q, s.qd, s.tau),
        "kinetic_energy": (s.q, s.qd),
    }.items():
        function = getattr(armdyn.algorithms, name)
        assert_close(robot.compile(function, parameters=names)(*state, **values), getattr(robot, name)(*state))
