"""Exact rotors against Pinocchio, which has them as links, and against Modern Robotics 8.9.2."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Rotor, Stator
from oracles.geared import Geared, geared
from oracles.plain import plainly
from oracles.states import assert_close, random_states
from oracles.trees import to_armdyn

SEEDS = (8, pytest.param(3, marks=pytest.mark.slow))
COUNT = 3


@pytest.fixture(params=SEEDS, scope="module")
def case(request: pytest.FixtureRequest) -> Geared:
    return geared(request.param)


def states_of(case: Geared) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*random_states(case.robot.dof, COUNT, seed=5)[:4], strict=True))


def test_inverse_dynamics(case: Geared) -> None:
    for q, qd, qdd, _ in states_of(case):
        assert_close(case.robot.inverse_dynamics(q, qd, qdd)[None], case.inverse_dynamics(q, qd, qdd)[None], 1e-12)


@pytest.mark.slow
def test_mass_matrix_and_its_rate(case: Geared) -> None:
    for q, qd, _, _ in states_of(case):
        assert_close(case.robot.mass_matrix(q)[None], case.mass_matrix(q)[None], 1e-13)
        Mdot = case.robot.mass_matrix_dot(q, qd)
        assert_close(Mdot[None], case.mass_matrix_dot(q, qd)[None], 1e-10)  # its rotors turn: G^2 times its rounding
        C = case.robot.coriolis_matrix(q, qd)
        assert_close((C + C.T)[None], Mdot[None], 1e-12)
        assert_close((C @ qd)[None], case.robot.velocity_forces(q, qd)[None], 1e-12)
        assert_close((case.robot.christoffel(q) @ qd)[None], C[None], 1e-12)


def test_forward_dynamics(case: Geared) -> None:
    for q, qd, _, tau in states_of(case):
        rest = case.inverse_dynamics(q, qd, np.zeros_like(q))
        expected = np.linalg.solve(case.mass_matrix(q), tau - rest)
        for method in ("articulated", "mass_matrix"):
            assert_close(case.robot.forward_dynamics(q, qd, tau, method=method)[None], expected[None], 1e-11)


def test_derivatives(case: Geared) -> None:
    for q, qd, qdd, tau in states_of(case):
        expected = case.derivatives(q, qd, qdd)
        for own, other in zip(case.robot.inverse_dynamics_derivatives(q, qd, qdd), expected, strict=True):
            assert_close(own[None], other[None], 1e-10)
        acceleration = case.robot.forward_dynamics(q, qd, tau)
        d_q, d_qd, M = case.derivatives(q, qd, acceleration)
        by_q, by_qd, by_tau = case.robot.forward_dynamics_derivatives(q, qd, tau)
        for own, other in ((by_q, -np.linalg.solve(M, d_q)), (by_qd, -np.linalg.solve(M, d_qd))):
            assert_close(own[None], other[None], 1e-10)
        assert_close(by_tau[None], np.linalg.inv(M)[None], 1e-10)


def test_energies_count_the_mass_of_a_rotor_once(case: Geared) -> None:
    first, *others = states_of(case)
    zero = case.energies(*first[:2])[1] - case.robot.potential_energy(first[0])  # rotors on the base, which stay
    for q, qd, _, _ in others:
        kinetic, potential = case.energies(q, qd)
        assert case.robot.kinetic_energy(q, qd) == pytest.approx(kinetic, rel=1e-13)
        assert case.robot.potential_energy(q) == pytest.approx(potential - zero, rel=1e-12)


@pytest.mark.slow
def test_momentum_holds_the_spins(case: Geared) -> None:
    for q, qd, qdd, _ in states_of(case):
        momentum = case.robot.momentum(q, qd)
        assert_close(momentum[None], case.momentum(q, qd)[None], 1e-12)
        assert_close((case.robot.momentum_matrix(q) @ qd)[None], momentum[None], 1e-12)
        p = case.robot.generalized_momentum(q, qd)
        assert_close(p[None], (case.mass_matrix(q) @ qd)[None], 1e-12)
        slope = case.robot.kinetic_energy_derivatives(q, qd)
        assert_close(slope.d_q[None], case.robot.transposed_coriolis_forces(q, qd)[None], 1e-12)
        reaction = case.robot.momentum_rate(q, qd, qdd)
        step = 1e-6
        ahead, back = (case.robot.momentum(q + s * qd + s * s / 2 * qdd, qd + s * qdd) for s in (step, -step))
        assert_close(reaction[None], ((ahead - back) / (2 * step))[None], 1e-7)


def test_loads_base_motion_and_reactions(case: Geared) -> None:
    """Against the bare equations of armdyn, in which every rotor is a link that turns."""
    free, names = armdyn.Robot(to_armdyn(case.full)), case.robot.joint_names
    column = [free.joint_names.index(name) for name in names]
    A = np.zeros((free.dof, case.robot.dof))
    A[column, range(len(names))] = 1.0
    for rotor, joint, ratio in case.gears:
        A[free.joint_names.index(rotor), names.index(joint)] = ratio
    rng = np.random.default_rng(9)
    V0, dV0, f_tip = rng.normal(size=(3, 6))
    f_ext = rng.normal(0.0, 5.0, (len(case.robot.link_names), 6))
    of_all = np.zeros((len(free.link_names), 6))
    of_all[[free.link_names.index(name) for name in case.robot.link_names]] = f_ext
    rows = [free.link_names.index(name) for name in case.robot.link_names]
    state = tuple(v[None] for v in states_of(case)[0][:3])
    full = tuple(v @ A.T for v in state)
    loads, on_all = (f_tip[None], V0[None], dV0[None], f_ext[None]), (f_tip[None], V0[None], dV0[None], of_all[None])
    tau = plainly(case.robot, "inverse_dynamics", *state, *loads)
    assert_close(tau, plainly(free, "inverse_dynamics", *full, *on_all) @ A, 1e-12)
    own = plainly(case.robot, "joint_reactions", *state, *loads)
    for of_rotors, of_links in zip(own, plainly(free, "joint_reactions", *full, *on_all), strict=True):
        assert_close(of_rotors[0], of_links[0, column], 1e-11)
    motion, of_links = (plainly(*of, base_twist=V0[None]) for of in
                        ((case.robot, "link_motion", *state), (free, "link_motion", *full)))  # fmt: skip
    for of_rotors, expected in zip(motion[:4], of_links[:4], strict=True):
        if of_rotors is not motion.a_com:  # of a link with all that is fixed to it
            assert_close(of_rotors[0], expected[0, rows], 1e-12)
    assert_close(plainly(case.robot, "link_poses", state[0])[0], plainly(free, "link_poses", full[0])[0, rows], 1e-12)


def test_parameters_of_the_regressors(case: Geared) -> None:
    pi = case.robot.standard_parameters()
    assert [name for name in pi.names if "rotor" in name] == list(case.robot.model.rotors)
    q, qd, qdd = (np.array(v) for v in list(zip(*states_of(case), strict=True))[:3])

    def of(name: str, *arrays: np.ndarray) -> np.ndarray:
        return plainly(case.robot, name, *arrays)

    assert_close(of("regressor", q, qd, qdd) @ pi.values, of("inverse_dynamics", q, qd, qdd), 1e-12)
    assert_close(of("momentum_regressor", q, qd) @ pi.values, of("generalized_momentum", q, qd), 1e-12)
    slope = of("transposed_coriolis_forces", q, qd) - of("gravity_forces", q)
    assert_close(of("lagrangian_gradient_regressor", q, qd) @ pi.values, slope, 1e-11)
    assert_close(of("kinetic_energy_regressor", q, qd) @ pi.values, of("kinetic_energy", q, qd), 1e-12)
    assert_close(of("potential_energy_regressor", q) @ pi.values, of("potential_energy", q), 1e-12)
    assert case.robot.with_standard_parameters(pi.values).standard_parameters().values == pytest.approx(pi.values)


def geared_2r(ratio: float) -> armdyn.Robot:
    """The arm of Modern Robotics 8.9.2."""
    drive = Actuator(
        Motor(rotor_inertia=0.00125), Gear(ratio), rotor=Rotor(mass=0.5), stator=Stator(inertia=0.005, mass=0.5)
    )
    return armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})


PRINTED = {10.0: ((4.13, 1.01), (1.01, 1.13)), 100.0: ((16.5, 1.13), (1.13, 13.5))}
"""The constants of the mass matrices of Modern Robotics 8.9.2, three digits each, half rounded up."""


@pytest.mark.parametrize("ratio", PRINTED)
def test_printed_mass_matrices(ratio: float) -> None:
    """M11 = 4.00625 + 0.00125 G^2 + 2 c2: 3 of the bare arm; 1 kg of motor 2, 1 m away; its stator's 0.005 and its
    rotor's 0.00125, which turn with link 1; 0.00125 G^2 of rotor 1. Of rotor 2, 0.00125 (qd1 + G qd2)^2 / 2."""
    arm = geared_2r(ratio)
    assert armdyn.load("planar_2r_geared", gear_ratio=ratio).mass_matrix([0.4, 0.9]) == pytest.approx(
        arm.mass_matrix([0.4, 0.9]), rel=1e-15
    )
    for q in random_states(2, 20, seed=6).q:
        c2 = np.cos(q[1])
        off = 1.0 + 0.00125 * ratio + c2
        exact = np.array([[4.00625 + 0.00125 * ratio**2 + 2.0 * c2, off], [off, 1.0 + 0.00125 * ratio**2]])
        M = arm.mass_matrix(q)
        np.testing.assert_allclose(M, exact, rtol=1e-13, atol=0)
        constants = M - c2 * np.array([[2.0, 1.0], [1.0, 0.0]])
        half_a_digit = 0.5 * 10.0 ** (np.floor(np.log10(constants)) - 2)
        assert (np.abs(constants - PRINTED[ratio]) <= half_a_digit * (1.0 + 1e-9)).all()
        weight = arm.gravity_forces(q) / 9.81
        np.testing.assert_allclose(weight, [3 * np.cos(q[0]) + np.cos(sum(q)), np.cos(sum(q))], rtol=0, atol=1e-14)


def test_the_approximation_leaves_out_how_links_turn() -> None:
    drive = Actuator(Motor(rotor_inertia=0.00125), Gear(10.0))
    approximate = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    exact = armdyn.load("planar_2r").with_actuators(
        {name: Actuator(drive.motor, drive.gear, rotor=Rotor()) for name in ("joint_1", "joint_2")}
    )
    difference = exact.mass_matrix([0.1, 0.2]) - approximate.mass_matrix([0.1, 0.2])
    np.testing.assert_allclose(difference, [[0.00125, 0.0125], [0.0125, 0.0]], rtol=0, atol=1e-14)


def test_a_rotor_that_turns_the_other_way() -> None:
    M = geared_2r(-10.0).mass_matrix([0.0, np.pi / 2])
    assert M[0, 1] == pytest.approx(1.0 - 0.0125, rel=1e-14)
