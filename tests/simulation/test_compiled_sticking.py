"""Joints that stick in compiled steps: the motion of the state-by-state path, its events, and what is left to it."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator
from armdyn.simulation import (
    ConstantAcceleration,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SimulationError,
)
from armdyn.simulation.drivers import dry_modes, sticking_side_by_side
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.system.at_rest import DecidedModes, boxed_accelerations, modes_of_many
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.mode_motion import mode_motion
from armdyn.simulation.system.rates import forces_in_modes, rates_of
from armdyn.simulation.system.segment import ModeKinds
from armdyn.simulation.system.state_parts import StateParts
from oracles.short_run import short_run
from simulation.test_sticking import Breaking, block


def dry_ur5():
    ur5 = armdyn.load("ur5")
    return ur5.with_friction(
        dict(zip(ur5.joint_names, [(0.5, f) for f in (8.0, 8.0, 6.0, 2.0, 2.0, 1.0)], strict=True))
    )


def dry_scara():
    scara = armdyn.load("scara")
    return scara.with_friction(dict(zip(scara.joint_names, [(0.3, f) for f in (3.0, 2.0, 25.0, 0.5)], strict=True)))


def breaking_arm():
    laws = (Breaking(3.0, 1.2, 1.2), Breaking(1.6, 1.3, 1.2))
    return armdyn.load("planar_2r").with_actuators(
        {f"joint_{k}": Actuator(friction=law) for k, law in enumerate(laws, start=1)}
    )


def mimicking_slides():
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part(name, "base", "prismatic", axis=(1, 0, 0), inertia=body, joint=joint)
        for name, joint in (("a", "first"), ("b", "second"))
    ]
    slides = armdyn.Robot.from_links(parts, tip="a").with_friction({"first": (0.0, 1.0), "second": (0.0, 1.5)})
    return slides.with_mimic({"second": ("first", -2.0)})


def slides(count):
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.1 * np.eye(3))
    parts = [armdyn.Part(f"slide_{k}", "base", "prismatic", axis=(1, 0, 0), inertia=body) for k in range(count)]
    return armdyn.Robot.from_links(parts, tip="slide_0")


def state_by_state(monkeypatch, robot, q0, qd0=None, **settings):
    """The same simulation in Python."""
    with monkeypatch.context() as without:
        without.setattr(sticking_side_by_side, "has_loop", lambda *_: False)
        return armdyn.simulate(robot, q0, qd0, **settings)


def happened(motion):
    return sorted((one.index, one.t, one.kind, one.name) for one in motion.events)


def assert_same(compiled, expected, digits=1e-12):
    before, after = happened(expected), happened(compiled)
    assert [(index, kind, name) for index, _, kind, name in after] == [(i, k, n) for i, _, k, n in before]
    np.testing.assert_allclose([one[1] for one in after], [one[1] for one in before], rtol=0, atol=digits)
    for name in ("q", "qd", "qdd"):
        expected_values = getattr(expected, name)
        size = max(1.0, abs(expected_values).max())
        np.testing.assert_allclose(getattr(compiled, name), expected_values, rtol=0, atol=100 * digits * size)
    friction = expected.signals["friction"]
    np.testing.assert_allclose(compiled.signals["friction"], friction, rtol=0, atol=10 * digits * abs(friction).max())
    np.testing.assert_array_equal(compiled.tau, expected.tau)
    np.testing.assert_allclose(compiled.energy.work, expected.energy.work, rtol=0, atol=100 * digits)


METHODS = (RungeKutta4(5e-3), RungeKutta4(0.03), Heun(5e-3), ConstantAcceleration(4e-3), SemiImplicitEuler(4e-3))


@pytest.mark.short_run("SemiImplicitEuler, step 0.004 s")
@pytest.mark.parametrize("method", short_run(METHODS, METHODS[0], METHODS[-1]), ids=str)
def test_an_arm_moves_as_it_does_state_by_state(monkeypatch, method):
    rng = np.random.default_rng(3)
    q0, qd0 = rng.uniform(-1, 1, (2, 2, 6))
    compiled = armdyn.simulate(dry_ur5(), q0, qd0, duration=0.7, method=method)
    expected = state_by_state(monkeypatch, dry_ur5(), q0, qd0, duration=0.7, method=method)
    assert {"stick", "reversal"} <= {one.kind for one in compiled.events}
    assert_same(compiled, expected)


def cases():
    rng = np.random.default_rng(7)
    scara = rng.uniform(-0.2, 0.2, (2, 4)), rng.uniform(-1, 1, (2, 4))
    jumps = OverTime(np.linspace(0, 0.8, 9), rng.normal(size=(9, 2, 4)) * [5, 5, 30, 1], "hold")
    held = np.repeat(rng.normal(size=(20, 2, 2)) * 3, 20, axis=0)
    ramps = np.linspace(0, 6, 600)[:, None, None] * [[1.0], [-1.0], [2.0]]
    return {
        "slides and jumps between steps": (
            dry_scara(),
            *scara,
            {"duration": 0.7999, "torque": jumps, "method": RungeKutta4(3e-3)},
        ),
        "static friction": (
            breaking_arm(),
            rng.uniform(-2, 2, (2, 2)),
            None,
            {"duration": 2.0, "torque": held, "method": RungeKutta4(5e-3)},
        ),
        "joints that move together": (
            mimicking_slides(),
            np.zeros((3, 1)),
            None,
            {"duration": 6.0, "torque": ramps, "method": RungeKutta4(0.01)},
        ),
        "a wrench": (
            dry_ur5(),
            np.full(6, 0.4),
            None,
            {"duration": 0.5, "f_tip": [0, 2.0, 0, 9.0, -40.0, 5.0], "method": RungeKutta4(5e-3)},
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", cases())
def test_other_joints_and_forces(monkeypatch, case):
    robot, q0, qd0, settings = cases()[case]
    compiled = armdyn.simulate(robot, q0, qd0, **settings)
    expected = state_by_state(monkeypatch, robot, q0, qd0, **settings)
    assert compiled.events
    assert_same(compiled, expected, 1e-11)


def test_what_is_unusual_is_integrated_again_state_by_state(monkeypatch):
    """The results are the same if no mode is evident and no pivoting ends."""
    q0, qd0 = np.random.default_rng(3).uniform(-1, 1, (2, 2, 6))
    settings = {"duration": 0.4, "method": RungeKutta4(step=4e-3)}
    usual = armdyn.simulate(dry_ur5(), q0, qd0, **settings)
    alone, run = [], StateInMotion.run
    monkeypatch.setattr(StateInMotion, "run", lambda *given: alone.append(given[1]) or run(*given))
    monkeypatch.setattr(dry_modes.DryModes, "_evident", lambda _, states, acting: np.zeros(len(states.q), bool))
    unsolved = lambda *given: DecidedModes(given[3], np.zeros(len(given[2]), dtype=bool))  # noqa: E731
    monkeypatch.setattr(dry_modes, "modes_of_many", unsolved)
    assert_same(armdyn.simulate(dry_ur5(), q0, qd0, **settings), usual)
    assert len(alone) == 2


def test_two_joints_that_stop_at_one_time():
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part(name, "base", "prismatic", axis=(1, 0, 0), inertia=body, joint=joint)
        for name, joint in (("a", "first"), ("b", "second"))
    ]
    both = armdyn.Robot.from_links(parts, tip="a").with_friction({"first": (0.0, 1.0), "second": (0.0, 1.0)})
    motion = armdyn.simulate(
        both, np.zeros(2), np.ones(2), duration=4.0, method=RungeKutta4(step=0.013), torque=[0.2, 0.2]
    )
    assert [(one.kind, one.name) for one in motion.events] == [("stick", "first"), ("stick", "second")]
    np.testing.assert_allclose([one.t for one in motion.events], 2.0 / 0.8, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.q[-1], 2.0 / (2 * 0.8), rtol=0, atol=1e-13)


def test_an_arm_held_below_breakaway_for_ten_minutes_does_not_creep():
    arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.1, 3.0), "joint_2": (0.1, 1.0)})
    torque = arm.gravity_forces([0.3, 0.4]) + np.array([2.999, -0.999])
    motion = armdyn.simulate(
        arm, [0.3, 0.4], duration=600.0, torque=torque, method=RungeKutta4(step=1e-3), save=SaveAt(every=10.0)
    )
    assert (motion.q == [0.3, 0.4]).all()
    assert (motion.qd == 0.0).all()
    assert motion.events == ()


def test_forces_at_their_bounds():
    """A torque of exactly breakaway holds; a little more moves the block by (F - c) t^2 / (2 m)."""
    still = armdyn.simulate(block(), [0.0], duration=1.0, method=RungeKutta4(step=0.01), torque=[4.0])
    moves = armdyn.simulate(block(), [0.0], duration=1.0, method=RungeKutta4(step=0.01), torque=[4.001])
    assert (still.q == 0.0).all()
    np.testing.assert_allclose(moves.q[-1], 0.001 / 4, rtol=1e-11)


def test_states_that_are_lost():
    q0 = np.array([[0.1] * 6, [np.nan] * 6, [0.2] * 6])
    qd0 = np.zeros((3, 6))
    qd0[2] = 1e9
    motion = armdyn.simulate(dry_ur5(), q0, qd0, duration=0.2, method=SemiImplicitEuler(step=0.01))
    assert np.isfinite(motion.q[:, 0]).all()
    assert np.isnan(motion.q[:, 1]).all()
    assert np.isnan(motion.q[-1, 2]).all()
    assert np.isnan(motion.tau[-1, 1:]).all()
    alone = armdyn.simulate(dry_ur5(), q0[0], duration=0.2, method=SemiImplicitEuler(step=0.01))
    np.testing.assert_allclose(motion.q[:, 0], alone.q, rtol=0, atol=1e-14)
    with pytest.raises(SimulationError, match=r"Use a (shorter step|step shorter)") as error:
        armdyn.simulate(dry_ur5(), q0[2], qd0[2], duration=0.2, method=SemiImplicitEuler(step=0.01))
    assert error.value.trajectory is not None
    with pytest.raises(SimulationError, match="initial state is not finite"):
        armdyn.simulate(dry_ur5(), q0[1:2], duration=0.2, method="rk4")


# Its parts.


def test_the_motion_of_joints_of_which_some_stick():
    """M qdd + h + friction = tau, qdd = 0 where joints stick, and the friction of the law where they slip."""
    rng, robot = np.random.default_rng(2), dry_ur5()
    q, qd, tau = rng.uniform(-1, 1, (3, 50, 6))
    slip = rng.integers(-1, 2, (50, 6)).astype(float)
    qd = np.where(slip == 0, 0.0, qd)
    held, none, width = (slip == 0).astype(float), np.zeros(6), np.ones(6)
    qdd, friction = robot.compile(forces_in_modes(StateParts()))(q, qd, slip, held, tau)
    rates = robot.compile(rates_of(StateParts(), ModeKinds()))(q, qd, slip, held, -width, width, none, tau)
    power = rates.d_work
    assert (qdd[slip == 0] == 0.0).all()
    residual = robot.without_friction().inverse_dynamics(q, qd, qdd) + friction - tau
    np.testing.assert_allclose(residual, 0.0, rtol=0, atol=1e-12 * abs(friction).max())
    law = 0.5 * qd + slip * np.array([8.0, 8.0, 6.0, 2.0, 2.0, 1.0])
    np.testing.assert_allclose(friction[slip != 0], law[slip != 0], rtol=1e-14)
    np.testing.assert_allclose(power, ((tau - friction) * qd).sum(axis=-1), rtol=1e-11)


def test_many_states_are_decided_as_one_by_one():
    """Static friction above the kinetic one: all ways to stick and slip but one, (1, 1), come up."""
    rng, robot = np.random.default_rng(5), breaking_arm()
    dry = DryJoints.of(robot)
    rows = BoundedRows(robot)
    q, none = rng.uniform(-2, 2, (200, 2)), np.zeros((200, 2))
    tau = robot.gravity_forces(q) + rng.uniform(-2.0, 2.0, (200, 2)) * [3.0, 1.6]
    b, inverse = robot.compile(mode_motion)(q, none, tau, none, none + 1.0, none)[0], robot.inverse_mass_matrix(q)
    bounds = dry_modes.Bounds.of(dry, 2)
    found = modes_of_many(robot, inverse, b, none, np.ones_like(q, dtype=bool), bounds.of_holding)
    assert found.found.all()
    modes = [rows.decided(*state, (force,), np.ones(2, dtype=bool), np.zeros(2, dtype=int)).slip
             for *state, force in zip(q, none, tau, strict=True)]  # fmt: skip
    np.testing.assert_array_equal(found.slip, modes)
    assert len(np.unique(found.slip, axis=0)) == 8


def test_forces_between_bounds_of_large_and_badly_scaled_problems():
    """The conditions of the problem hold, whatever the first guesses."""
    rng = np.random.default_rng(9)
    for n in (1, 3, 7, 12):
        B = rng.normal(size=(300, n, n)) * 10.0 ** rng.uniform(-1.5, 1.5, (300, n, 1))
        W = B @ B.swapaxes(-1, -2)
        b = rng.normal(size=(300, n)) * np.sqrt(np.einsum("sii->si", W)) * 5
        low, high = -rng.uniform(0.1, 2.0, (300, n)), rng.uniform(0.1, 2.0, (300, n))
        rests = rng.random((300, n)) < 0.9
        low, high = np.where(rests, low, 0.0), np.where(rests, high, 0.0)
        p, w, right = slides(n).compile(boxed_accelerations)(W, b, low, high)
        found = right == 1.0
        assert found.mean() > 0.99
        p, w, low, high, own = (array[found] for array in (p, w, low, high, rests))
        size = 1e-8 * (abs(W[found]) @ abs(p)[..., None])[..., 0] + 1e-9
        assert (p[~own] == 0.0).all()
        assert ((low <= p) & (p <= high))[own].all()
        assert (abs(w) <= size)[own & (low < p) & (p < high)].all()
        assert (w >= -size)[own & (p == low)].all()
        assert (w <= size)[own & (p == high)].all()
