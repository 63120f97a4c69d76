"""Adaptive motions in compiled loops beside the same motions state by state, by SciPy's solvers."""

import sys
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import armdyn
from armdyn.actuators import Actuator, Gear, LuGre, Motor, ServoFriction, Spring, Viscous
from armdyn.simulation import Adaptive, OverTime, SaveAt
from armdyn.simulation.drivers import side_by_side, sticking_side_by_side
from armdyn.targets.llvm.integration_step import SAFETY
from simulation.arms import near

NAMES = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint")


@pytest.fixture(scope="module")
def ur5() -> armdyn.Robot:
    return armdyn.load("ur5")


def both(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **options: Any) -> tuple[Any, Any]:
    """The motion in compiled loops, and that by SciPy's solvers state by state, with the same safety factor."""
    compiled = armdyn.simulate(*arguments, **options)
    with monkeypatch.context() as patched:
        for module in (side_by_side, sticking_side_by_side):
            patched.setattr(module, "has_loop", lambda *_: False)
        patched.setattr(sys.modules[scipy.integrate.DOP853.__module__], "SAFETY", SAFETY)
        one_by_one = armdyn.simulate(*arguments, **options)
    return compiled, one_by_one


def require_same(compiled: Any, one_by_one: Any, within: float) -> None:
    for name in ("t", "tau"):
        near(getattr(compiled, name), getattr(one_by_one, name), 1e-12)
    for name in ("q", "qd"):
        near(getattr(compiled, name), getattr(one_by_one, name), within)
    work = compiled.energy.work, one_by_one.energy.work
    np.testing.assert_allclose(*work, rtol=max(1e-13, 0.01 * within), atol=within)
    assert compiled.statistics.steps > 0
    kinds = [[(one.name, one.kind, one.index) for one in motion.events] for motion in (compiled, one_by_one)]
    assert kinds[0] == kinds[1]
    for a, b in zip(compiled.events, one_by_one.events, strict=True):
        assert abs(a.t - b.t) < within


@pytest.mark.parametrize("scipy_method", ["DOP853", "RK45"])
def test_bare_arms(ur5: armdyn.Robot, monkeypatch: pytest.MonkeyPatch, scipy_method: str) -> None:
    """One state has the steps of SciPy's solver; of a batch each state is as if alone, to the last bit."""
    method = Adaptive(rtol=1e-8, atol=1e-8, scipy_method=scipy_method)
    q = np.random.default_rng(3).uniform(-1, 1, (5, 6))
    compiled, one_by_one = both(monkeypatch, ur5, q, duration=0.6, method=method)
    require_same(compiled, one_by_one, 1e-10)
    assert compiled.statistics.steps == one_by_one.statistics.steps
    alone = armdyn.simulate(ur5, q[3], duration=0.6, method=method)
    np.testing.assert_array_equal(alone.q, compiled.q[:, 3])


@pytest.mark.parametrize("between", ["linear", "hold"])
def test_forces_over_time(ur5: armdyn.Robot, monkeypatch: pytest.MonkeyPatch, between: str) -> None:
    """The loop begins anew at each time of the forces; those on straight lines are part of the rates."""
    random = np.random.default_rng(4)
    t = np.array([0.0, 0.11, 0.37, 0.5])
    forces = {"torque": OverTime(t, random.normal(0, 20, (4, 6)), between)}
    forces["f_tip"] = OverTime(t, random.normal(0, 5, (4, 6)), between)
    compiled, one_by_one = both(monkeypatch, ur5, np.full(6, 0.3), duration=0.5, save=SaveAt(dense=True), **forces)
    require_same(compiled, one_by_one, 1e-11)
    near(compiled.f_tip, one_by_one.f_tip, 1e-12)
    times = np.linspace(0.0, 0.5, 37)
    near(compiled.at(times).q, one_by_one.at(times).q, 1e-11)


def drive(**parts: Any) -> Actuator:
    return Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), **parts)


BRISTLES = LuGre(1e3, 30.0, 0.4, static=1.5, kinetic=1.0, speed=0.1)
SPRING = Spring(stiffness=5e3, damping=2.0, cubic=1e5)


@pytest.mark.parametrize(
    "parts",
    [
        {"friction": Viscous(1.0), "spring": SPRING},
        {"friction": [Viscous(1.0), BRISTLES]},
        {"friction": BRISTLES, "spring": SPRING},
    ],
    ids=["springs", "bristles", "both"],
)
@pytest.mark.parametrize("between", ["linear", "hold"])
def test_rotors_and_bristles_are_states(monkeypatch: pytest.MonkeyPatch, parts: dict[str, Any], between: str) -> None:
    """One joint is rigid; two states. At the ends of steps: bristles have a kink at rest, which interpolants miss."""
    random, robot = np.random.default_rng(6), armdyn.load("planar_3r")
    robot = robot.with_actuators({name: drive(**parts) for name in robot.joint_names[::2]})
    torque = OverTime([0.0, 0.13, 0.3], random.normal(0, 5, (3, 3)), between)
    q = random.uniform(-1, 1, (2, 3))
    options = {
        "duration": 0.3,
        "torque": torque,
        "save": SaveAt(times=[0.0, 0.13, 0.3]),
        "method": Adaptive(rtol=1e-10, atol=1e-10),
    }
    compiled, one_by_one = both(monkeypatch, robot, q, **options)
    require_same(compiled, one_by_one, 1e-7)
    assert compiled.signals.keys() == one_by_one.signals.keys()
    for name, values in one_by_one.signals.items():
        np.testing.assert_allclose(compiled.signals[name], values, rtol=0, atol=1e-5, err_msg=name)
    assert np.abs(compiled.energy.drift).max() < 1e-6


def test_joints_that_stick(ur5: armdyn.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events, friction and accelerations of three motions under a torque that jumps, of dry and Stribeck friction."""
    random = np.random.default_rng(5)
    stribeck = armdyn.actuators.Stribeck(static=2.5, kinetic=1.0, speed=0.2)
    actuators = {name: Actuator(friction=stribeck) for name in NAMES}
    robot = ur5.with_friction({joint.name: (0.5, 1.5) for joint in ur5.joints[3:]}).with_actuators(actuators)
    torque = OverTime([0.0, 0.4, 0.8], random.normal(0, 30, (3, 6)), "hold")
    q = random.uniform(-1, 1, (3, 6))
    compiled, one_by_one = both(monkeypatch, robot, q, duration=0.8, torque=torque)
    require_same(compiled, one_by_one, 1e-7)
    assert len(compiled.events) > 10
    assert {one.kind for one in compiled.events} >= {"stick", "slip"}
    apart = np.abs(compiled.t[:, None] - [one.t for one in compiled.events]).min(axis=1) > 1e-6  # friction jumps there
    friction = (motion.signals["friction"][apart] for motion in (compiled, one_by_one))
    near(*friction, 1e-6)
    assert np.abs(compiled.energy.drift).max() < 1e-7


def test_friction_under_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gears whose losses depend on the load: M4 of a servo at both joints."""
    law = ServoFriction(
        coulomb=0.1, viscous=0.05, stribeck=0.1, speed=0.3, exponent=1.4, motor=0.12, external=0.12,
        motor_stribeck=0.05, external_stribeck=0.05,
    )  # fmt: skip
    robot = armdyn.load("planar_2r").with_actuators(
        {name: Actuator(friction=law) for name in armdyn.load("planar_2r").joint_names}
    )
    compiled, one_by_one = both(monkeypatch, robot, [0.3, -0.4], duration=1.5, method=Adaptive(rtol=1e-12, atol=1e-12))
    require_same(compiled, one_by_one, 1e-10)
    assert np.abs(compiled.energy.drift).max() < 1e-7


def test_a_further_motion_makes_no_robot(ur5: armdyn.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """What belongs to the robot is made once: another motion of the same robot is a call of compiled functions."""
    robots = [ur5, ur5.with_friction({joint.name: (0.5, 1.5) for joint in ur5.joints})]
    for robot in robots:
        armdyn.simulate(robot, np.zeros(6), duration=0.01)
    made, begin = [], armdyn.Robot.__init__

    def counted(self: armdyn.Robot, *arguments: Any, **options: Any) -> None:
        made.append(self)
        begin(self, *arguments, **options)

    monkeypatch.setattr(armdyn.Robot, "__init__", counted)
    for robot in robots:
        armdyn.simulate(robot, np.zeros(6), duration=0.01)
    assert not made


def test_a_state_that_cannot_begin_leaves_the_others_alone(ur5: armdyn.Robot) -> None:
    robot = ur5.with_friction({joint.name: (0.5, 1.5) for joint in ur5.joints})
    q = np.array([np.zeros(6), np.full(6, np.nan), np.full(6, 0.5)])
    motion = armdyn.simulate(robot, q, duration=0.2)
    assert np.isnan(motion.q[1:, 1]).all()
    for k in (0, 2):
        alone = armdyn.simulate(robot, q[k], duration=0.2)
        np.testing.assert_array_equal(motion.q[:, k], alone.q)
        assert [one.t for one in motion.events if one.index == (k,)] == [one.t for one in alone.events]
