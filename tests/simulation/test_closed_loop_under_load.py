"""Closed loops whose joints stick by friction that depends on the load: gears with losses, servos."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Coulomb, FrictionLaw, Gear, GearLoss, Motor, Slopes, Smooth, Viscous
from armdyn.actuators.published import servo
from armdyn.control import pd_gravity
from armdyn.simulation import ClosedLoop, FrictionWarning, Heun, RungeKutta4, SemiImplicitEuler
from armdyn.simulation.system.arm_in_step import held_step
from armdyn.simulation.system.frictional_arm import motion_of_rows
from armdyn.studies import grid
from armdyn.targets.llvm.sections import Arithmetic, cut
from oracles.short_run import short_run
from oracles.sticking_under_load import LoadedArm
from oracles.trees import random_tree, to_armdyn
from simulation.test_closed_loop_sticking import HANGING, HOLD, swings

m, g = 2.0, 9.81
ROTOR, ETA, ETA_BACK = 0.7, 0.8, 0.6


def lift() -> Robot:
    """A mass that a gear with losses lifts."""
    return _one_joint("prismatic", (0.0, 0.0, 1.0))


def boom() -> Robot:
    """A rod that a gear with losses turns against gravity."""
    return _one_joint("revolute", (0.0, 1.0, 0.0))


def _one_joint(kind: str, axis: Any) -> Robot:
    body = armdyn.Inertia(m, [0.3, 0.1, 0.0], 0.3 * np.eye(3))
    part = armdyn.Part("body", "base", kind, axis=axis, inertia=body, joint="joint")  # type: ignore[arg-type]
    robot = Robot.from_links([part], gravity=(0.0, 0.0, -g), tip="body")
    gear = Gear(1.0, efficiency=ETA, back_efficiency=ETA_BACK)
    return robot.with_actuators({"joint": Actuator(Motor(ROTOR), gear)})


def two_joints() -> tuple[Robot, LoadedArm]:
    """Gears with losses behind rotors; the second joint has dry friction besides."""
    rotors, bare = (0.01, 0.005), armdyn.load("planar_2r")
    losses, rubs = [(0.7, 0.5), (0.8, 0.6)], [(Viscous(0.05),), (Viscous(0.05), Coulomb(0.2))]
    drives = {
        name: Actuator(Motor(a), Gear(5.0, efficiency=eta, back_efficiency=back), friction=own)
        for name, a, (eta, back), own in zip(bare.joint_names, rotors, losses, rubs, strict=True)
    }
    laws = [[GearLoss(*eta), *own] for eta, own in zip(losses, rubs, strict=True)]
    return bare.with_actuators(drives), LoadedArm(bare, 25.0 * np.array(rotors), laws)


def two_servos(law: str) -> tuple[Robot, LoadedArm]:
    """A servo in both joints, reflected inertia included."""
    bare, drive = armdyn.load("planar_2r"), servo("MX-106", law)
    assert drive.motor is not None
    assert drive.friction is not None
    robot = bare.with_actuators(dict.fromkeys(bare.joint_names, drive))
    return robot, LoadedArm(bare, np.full(2, drive.motor.rotor_inertia), [list(drive.friction)] * 2)


def errors(robot: Robot, method: Any, table: Any, true: Any, parts: Any) -> Any:
    """The largest differences of positions from the true ones, for steps of a HOLD over these numbers."""
    rows, found = len(table), []
    for k in parts:
        loop = ClosedLoop(robot, method=method(HOLD / k), over_time=["tau"], record=["q"])
        rolled = loop(HANGING, steps=rows * k, every=k, tau=np.repeat(table, k, axis=0))
        found.append(np.abs(np.concatenate([rolled.rows.q, [rolled.final.q]]) - true).max())
    return np.array(found)


@pytest.mark.parametrize("robot", [lift(), boom()], ids=["prismatic", "revolute"])
def test_a_gear_under_load_holds_for_ten_minutes(robot: Robot) -> None:
    """Between eta_b l and l/eta it stands still exactly, beyond it moves; without its loss it would always move."""
    q0 = [0.1]
    load = float(robot.gravity_forces(q0)[0])
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), record=())
    for part in (1.0001 * ETA_BACK, 0.8, 0.9999 / ETA):
        assert loop(q0, steps=600_000, tau=[part * load]).final.q[0] == 0.1
    for part, way in ((0.9999 * ETA_BACK, -1.0), (1.0001 / ETA, 1.0)):
        moved = loop(q0, steps=10, tau=[part * load]).final.q[0] - 0.1
        assert np.sign(moved) == way * np.sign(load)


@pytest.mark.parametrize("method", [Heun, RungeKutta4])
def test_a_thrown_mass_stops_and_comes_back_at_the_closed_form(method: Any) -> None:
    """Up by tau = l/eta + a qdd, down by tau = eta_b l + a qdd, with l = m (g + qdd); between the two it stands."""
    robot, v, h = lift(), 1.3, 7e-3
    for tau in (-3.0, 5.0, 15.0):
        rolled = ClosedLoop(robot, method=method(h), energy=True)([0.0], [v], steps=400, tau=[tau])
        up = (tau - m * g / ETA) / (m / ETA + ROTOR)
        down = min((tau - ETA_BACK * m * g) / (ETA_BACK * m + ROTOR), 0.0)
        later, reach = 400 * h + v / up, -(v**2) / (2.0 * up)
        np.testing.assert_allclose(rolled.final.q, [reach + 0.5 * down * later**2], rtol=1e-12)
        np.testing.assert_allclose(rolled.final.qd, [down * later], rtol=1e-12, atol=1e-300)
        loads = m * (g + up), m * (g + down)
        heat = (1.0 / ETA - 1.0) * loads[0] * reach + (1.0 - ETA_BACK) * loads[1] * (-0.5 * down * later**2)
        np.testing.assert_allclose(rolled.final.heat, heat, rtol=1e-12)
        assert (rolled.final.qd[0] == 0.0) == (tau >= ETA_BACK * m * g)


def test_a_joint_lets_go_when_the_torque_reaches_the_load_over_eta() -> None:
    """A torque that rises at 40 N/s: it starts then, and moves by k (t - t*)^3/6 over what it moves."""
    robot, rate, first, duration = lift(), 40.0, 0.8 * m * g, 0.5
    start = (m * g / ETA - first) / rate
    moved = rate * (duration - start) ** 3 / 6.0 / (m / ETA + ROTOR)
    for h in (4e-3, 2e-3, 1e-3):
        steps = round(duration / h)
        ramp = first + rate * h * np.arange(steps)[:, None]
        rolled = ClosedLoop(robot, method=RungeKutta4(h), over_time=["tau"], record=["qd"])(
            [0.0], steps=steps, tau=ramp
        )
        lets_go = h * (np.argmax(rolled.rows.qd[:, 0] != 0.0) - 1)  # the beginning of the step behind which it moves
        assert lets_go - h < start <= lets_go
        assert abs(rolled.final.q[0] - moved) < 2.0 * h / (duration - start) * moved


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [(RungeKutta4, 2), (Heun, 2), (SemiImplicitEuler, 1)])
def test_order_of_the_error_of_gears_at_stops_and_starts(method: Any, order: int) -> None:
    """Against every mode tried and events located; among the reversals is one at which both loads change their sign."""
    (robot, arm), table = two_joints(), swings()[:40]
    true = arm.run(HANGING, table, HOLD)
    assert len(arm.events) >= 6
    found = errors(robot, method, table, true, (4, 8, 16))
    assert found[-1] < (2e-6 if order == 2 else 1e-3)
    assert np.log2(found[0] / found[-1]) / 2 > order - 0.15


@pytest.mark.parametrize("law", short_run(["M4", "M6"], "M4"))
def test_order_of_the_error_of_servos(law: str) -> None:
    (robot, arm), table = two_servos(law), 1.5 * swings()[:30]
    true = arm.run(HANGING, table, HOLD)
    assert len(arm.events) >= 2
    found = errors(robot, RungeKutta4, table, true, (4, 32))
    assert found[-1] < 5e-7
    assert np.log2(found[0] / found[-1]) / 3 > 1.85


def test_what_sticks_is_what_agrees_with_the_equations() -> None:
    """Random trees at rest: of all 3^n modes one agrees, and one step finds it."""
    sizes, held = [], 0
    for seed in range(40):
        try:
            bare = Robot(to_armdyn(random_tree(5, seed)))
        except armdyn.ModelError:  # a tree of fixed joints
            continue
        if not 2 <= bare.dof <= 3:
            continue
        rng, n = np.random.default_rng(seed), bare.dof
        rotors = rng.uniform(0.0, 1.5, n) * np.diag(bare.mass_matrix(np.zeros(n)))
        losses, dry = rng.uniform(0.3, 0.9, (n, 2)), rng.uniform(0.1, 0.5, n)
        drives = {
            name: Actuator(Motor(a), Gear(1.0, efficiency=eta, back_efficiency=back), friction=Coulomb(c))
            for name, a, (eta, back), c in zip(bare.joint_names, rotors, losses, dry, strict=True)
        }
        laws = [[GearLoss(*eta), Coulomb(c)] for eta, c in zip(losses, dry, strict=True)]
        arm, q = LoadedArm(bare, rotors, laws), rng.uniform(-1.0, 1.0, (20, n))
        gravity = bare.gravity_forces(q)
        tau = gravity + 0.7 * rng.normal(size=(20, n)) * (np.abs(gravity) + dry)
        expected = np.array([arm.mode(*state) for state in zip(q, np.zeros_like(q), tau, strict=True)])
        loop = ClosedLoop(bare.with_actuators(drives), method=RungeKutta4(1e-7), record=())
        np.testing.assert_array_equal(np.sign(loop(q, steps=1, tau=tau).final.qd), expected)
        sizes.append(n)
        held += int((expected == 0.0).sum())
    assert set(sizes) == {2, 3}
    assert 40 < held < 20 * sum(sizes) - 40


@pytest.mark.short_run("gear")
@pytest.mark.parametrize("law", short_run(["gear", "M4", "M6"], "gear", "M6"))
def test_energy_account_and_heat(law: str) -> None:
    """K + P - work stays, better with shorter steps, and the heat is the integral of friction's power."""
    robot = two_joints()[0] if law == "gear" else two_servos(law)[0]
    table, drifts = 1.5 * swings(), []
    for k in (8, 64):
        loop = ClosedLoop(robot, method=RungeKutta4(HOLD / k), over_time=["tau"], record=["q", "qd"], energy=True)
        tau = np.repeat(table, k, axis=0)
        rolled = loop(HANGING, steps=len(tau), tau=tau)
        q, qd, final = rolled.rows.q, rolled.rows.qd, rolled.final
        stored = robot.kinetic_energy(final.q, final.qd) + robot.potential_energy(final.q)
        drifts.append(abs(stored - robot.potential_energy(HANGING) - final.work))
    assert (qd == 0.0).any()
    assert drifts[0] < 1e-6
    assert drifts[1] < drifts[0] / 8
    qdd = robot.forward_dynamics(q, qd, tau)
    power = (robot.friction_forces(q, qd, qdd) * qd).sum(axis=-1)
    np.testing.assert_allclose(final.heat, np.trapezoid(power, dx=HOLD / k), rtol=2e-3)


@pytest.mark.parametrize("law", ["M4", "M6"])
def test_arms_at_rest_start_with_the_accelerations_of_event_driven_motions(law: str) -> None:
    """Which joints start is a boxed LCP: one sweep without the rounds after it was wrong for one start in ten."""
    robot, rng = two_servos(law)[0], np.random.default_rng(3)
    q, rest = rng.uniform(-3.0, 3.0, (60, 2)), np.zeros(2)
    tau = armdyn.load("planar_2r").gravity_forces(q) + rng.uniform(-80.0, 80.0, (60, 2))
    accelerations = robot.compile(motion_of_rows)(q, np.zeros((60, 2)), tau)[0]
    assert np.any(accelerations, axis=0).all()
    for one, force, expected in zip(q, tau, accelerations, strict=True):
        motion = armdyn.simulate(robot, one, rest, duration=1e-6, torque=force)
        np.testing.assert_allclose(expected, motion.qdd[0], rtol=1e-10, atol=1e-9 * abs(expected).max())


def test_without_changes_it_is_the_step_of_the_method() -> None:
    robot, method, q, qd = two_joints()[0], RungeKutta4(1e-3), np.array([0.3, -0.2]), np.array([1.5, -2.0])
    expected = robot.compile(held_step(method.scheme))(q, qd, 0.0, method.step, [1.0, 2.0])
    found = ClosedLoop(robot, method=method, energy=True)(q, qd, steps=1, tau=[1.0, 2.0]).final
    for name, value in zip(("q", "qd", "work"), expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-12)


def test_loads_are_carried_and_bear_on_rounding_only() -> None:
    """As those of the last stage, by joint; a motion that begins with other ones is the same."""
    robot, tau = two_joints()[0], np.array([3.0, -1.0])
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), record=["q", "qd"])
    assert loop.state == ("q", "qd", "last_loads")
    rolled = loop(HANGING, steps=300, tau=tau)
    q, qd = rolled.rows.q[-1], rolled.rows.qd[-1]  # where the last step began
    expected = armdyn.load("planar_2r").inverse_dynamics(q, qd, robot.forward_dynamics(q, qd, tau))
    np.testing.assert_allclose(rolled.final.last_loads, expected, rtol=1e-11)
    other = loop(HANGING, steps=300, tau=tau, last_loads=[-50.0, 20.0]).final
    np.testing.assert_allclose(other.q, rolled.final.q, rtol=1e-12)
    code = loop.to_c(name="arm")
    assert code.functions[0].symbols == ("arm_init", "arm_step")


def test_studies_hold_their_arms() -> None:
    """Of two payloads the lighter one is held by the torques for the empty arm and what the gears take."""
    gear = Actuator(Motor(1e-3), Gear(10.0, efficiency=0.5, back_efficiency=0.3))
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": gear, "joint_2": gear})
    q0 = [0.1, 0.3]
    inputs = {"q0": q0, "tau": robot.gravity_forces(q0)}
    settings: Any = {"steps": 200, "method": RungeKutta4(1e-3), "inputs": inputs, "workers": 1}
    found = armdyn.study(robot, grid({"tip.payload.mass": [0.1, 20.0]}), **settings)["final.q"]
    assert (found[0] == q0).all()
    assert (found[1] < q0).any()


@pytest.mark.slow
def test_rates_and_gradients_go_along_the_motion() -> None:
    """In a motion that stops, against differences; forwards and backwards are the same."""
    robot, q0 = two_joints()[0], [0.5, 0.1]
    given: Any = {"q_ref": [0.0, 0.0], "qd_ref": [0.0, 0.0], "Kd": [2.0, 1.0]}
    loop = ClosedLoop(robot, pd_gravity, method=RungeKutta4(1e-3), record=())
    ends = [loop(q0, steps=1000, Kp=[k, 20.0], **given).final for k in (40.01, 39.99, 40.0)]
    assert (ends[2].qd == 0.0).any()
    rate = loop.jvp("Kp")(q0, steps=1000, Kp=[40.0, 20.0], tangent_Kp=[1.0, 0.0], **given).final.q
    np.testing.assert_allclose(rate, (ends[0].q - ends[1].q) / 0.02, rtol=2e-3, atol=1e-8)

    found = loop.gradient(first_position, ["Kp"], q0, steps=1000, Kp=[40.0, 20.0], **given)
    np.testing.assert_allclose(found.d_Kp[0], rate[0], rtol=1e-9)


@pytest.mark.slow
def test_gradient_of_six_joints() -> None:
    """Tens of thousands of operations backwards, in many arms of conditions; against differences."""
    lossy = Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8, back_efficiency=0.6), [Coulomb(2.0), Viscous(1.0)])
    robot = armdyn.load("ur5")
    loop = ClosedLoop(
        robot.with_actuators(dict.fromkeys(robot.joint_names, lossy)), pd_gravity, method=SemiImplicitEuler(1e-3)
    )
    given: Any = {"q_ref": np.full(6, 0.5), "qd_ref": np.zeros(6), "Kd": np.full(6, 5.0), "steps": 200}
    start = np.zeros(6), np.ones(6)
    found = loop.gradient(first_position, ["Kp"], *start, Kp=np.full(6, 40.0), **given)
    gains = 40.0 + 1e-4 * np.vstack([np.eye(6), -np.eye(6)])
    ends = loop(*(np.tile(one, (12, 1)) for one in start), Kp=gains, **given).final.q[:, 0]
    np.testing.assert_allclose(found.d_Kp, (ends[:6] - ends[6:]) / 2e-4, rtol=1e-5, atol=1e-10)


@armdyn.function("(n)->()")
def first_position(model: Any, q: Any) -> Any:
    """The first joint's position, rad, scalar."""
    return q[0]


@pytest.mark.slow
@pytest.mark.parametrize("law", short_run(["gear", "M6"], "gear"))
def test_float32(law: str) -> None:
    robot = two_joints()[0] if law == "gear" else two_servos(law)[0]
    loop, tau = ClosedLoop(robot, method=RungeKutta4(1e-3), record=()), np.array([4.0, -2.0])
    expected = loop(HANGING, steps=300, tau=tau).final
    found = loop(HANGING.astype(np.float32), steps=300, tau=tau.astype(np.float32)).final
    assert found.q.dtype == np.float32
    np.testing.assert_allclose(found.q, expected.q, atol=5e-6)
    weak = np.array([0.2, -0.02]) + robot.gravity_forces(HANGING)
    rests = loop(HANGING.astype(np.float32), steps=1000, tau=weak.astype(np.float32)).final
    assert (rests.q[0] == np.float32(HANGING[0])) == (loop(HANGING, steps=1000, tau=weak).final.q[0] == HANGING[0])


@pytest.mark.slow
def test_smooth_losses_rub_and_need_no_warning() -> None:
    """They hold nothing, and their heat counts; as they become sharper they become the gear."""
    bare, q0 = armdyn.load("planar_2r"), [0.0, 0.1]

    def heat(law: Any) -> float:
        robot = bare.with_actuators({"joint_2": Actuator(Motor(0.1), friction=law)})
        with warnings.catch_warnings():
            warnings.simplefilter("error", FrictionWarning)
            loop = ClosedLoop(robot, method=RungeKutta4(1e-3), energy=True)
        return float(loop(q0, [0.0, 3.0], steps=100, tau=[0.0, 0.0]).final.heat)

    sharp, smooth, smoother = heat(GearLoss(0.8, 0.7)), *(heat(Smooth(GearLoss(0.8, 0.7), w)) for w in (1e-3, 2.0))
    np.testing.assert_allclose(smooth, sharp, rtol=1e-12)
    assert 0.5 * sharp < smoother < 0.99 * sharp


def test_laws_of_ones_own_may_depend_on_the_load() -> None:
    """One without a method for what slips sticks and stops as the gear of the same losses."""
    motions = []
    for law in (GearLoss(ETA, ETA_BACK), Lossy()):
        robot = lift().with_actuators({"joint": Actuator(Motor(ROTOR), friction=law)})
        loop = ClosedLoop(robot, method=RungeKutta4(1e-3), over_time=["tau"], record=["q"])
        motions.append(loop([0.0], [1.0], steps=800, tau=np.repeat([[14.0], [40.0]], 400, axis=0)).rows.q)
    assert (motions[0][310:400] == motions[0][310]).all()
    np.testing.assert_allclose(motions[1], motions[0], rtol=1e-13)


@dataclass(frozen=True)
class Lossy(FrictionLaw):
    """The losses of `GearLoss`, written again."""

    depends_on_load = True

    def force(self, rate: Any, load: Any) -> Any:
        along = armdyn.program.sign(rate) * load
        return armdyn.program.sign(rate) * armdyn.program.maximum((1.0 / ETA - 1.0) * along, (ETA_BACK - 1.0) * along)

    def slopes(self, rate: Any, load: Any) -> Slopes:
        way = armdyn.program.sign(rate)
        drives = armdyn.program.less(0.0, way * load)
        return Slopes(0.0, armdyn.program.select(drives, 1.0 / ETA - 1.0, ETA_BACK - 1.0) * way * way)

    def breakaway(self, load: Any) -> Any:
        return (1.0 / ETA - 1.0) * abs(load)

    def at_rest(self, load: Any) -> tuple[Any, Any]:
        more, less = (1.0 / ETA - 1.0) * load, (1.0 - ETA_BACK) * load
        return -armdyn.program.maximum(-more, less), armdyn.program.maximum(more, -less)


LOSSY = {"gear": Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8))} | {
    law: servo("MX-106", law) for law in ("M3", "M4", "M5", "M6")
}


@pytest.mark.parametrize("law", short_run(LOSSY, "gear", "M6"))
def test_most_of_a_step_is_left_out_where_no_arm_needs_it(law: str) -> None:
    """Further steps of Newton's method, and what only joints need that stop or start.

    A choice by another condition among the steps would keep them from being left out.
    """
    robot = armdyn.load("ur5")
    lossy = robot.with_actuators(dict.fromkeys(robot.joint_names, LOSSY[law]))
    step = ClosedLoop(lossy, pd_gravity, method=SemiImplicitEuler(step=1e-3)).program().step
    sections = [section for section in cut(step).sections if isinstance(section, Arithmetic)]
    left_out = sum(len(section.nodes) for section in sections if section.conditions)
    assert left_out > 0.7 * sum(len(section.nodes) for section in sections)
