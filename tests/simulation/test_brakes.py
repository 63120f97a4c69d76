"""Brakes that switch, in located motions, closed loops and studies: closed forms, exact rest, conditions, errors."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, Rotor, Viscous
from armdyn.program import less
from armdyn.simulation import (
    BrakeSwitches,
    ClosedLoop,
    Crossing,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
)
from armdyn.studies import Scenario, grid
from simulation.arms import HINGE, LINK, PLANAR, both, drifts, near, times

RATIO, BRAKE = 50.0, 0.02
"""Of the gear; N m at the motor's shaft, 1 N m at the joint."""
M, SIZE = LINK + 0.2, RATIO * BRAKE


def pendulum(state: str = "released", gravity: float = 0.0, friction: Any = ()) -> armdyn.Robot:
    """One joint that turns two links, and the rotor."""
    drive = Actuator(Motor(rotor_inertia=0.2 / RATIO**2), Gear(RATIO), friction, brake=Brake(BRAKE, state))
    return HINGE.with_gravity((0.0, -gravity, 0.0)).with_actuators({"joint_1": drive})


def braked(robot: armdyn.Robot, *state: Any, switches: Any, **settings: Any) -> armdyn.Trajectory:
    return armdyn.simulate(robot, *state, elements=[BrakeSwitches({"joint_1": switches})], **settings)


@pytest.mark.short_run("adaptive")
@both
def test_a_brake_stops_a_joint_and_lets_it_go(method: Any) -> None:
    """It slows by G T/I, stands until the brake opens, and a constant force then accelerates it."""
    w, tau, t_on, t_off = 1.0, 0.3, 0.3337, 15.0
    given = {"duration": 20.0, "torque": [tau], "method": method, "save": SaveAt(every=0.5)}
    moves = braked(pendulum(), [0.1], [w], switches=[(t_on, "engaged"), (t_off, "released")], **given)
    assert (times(moves, "engaged"), times(moves, "released")) == ([t_on], [t_off])
    at_brake, slowing = w + tau / M * t_on, (SIZE - tau) / M
    [rest] = times(moves, "stick")
    assert rest == pytest.approx(t_on + at_brake / slowing, rel=1e-12)
    place = 0.1 + w * t_on + tau / M * t_on**2 / 2 + at_brake**2 / (2 * slowing)
    stands, friction = (moves.t > rest) & (moves.t < t_off), moves.signals["friction"]
    assert np.ptp(moves.q[stands]) == 0.0
    expected = place + tau / M * np.maximum(moves.t - t_off, 0.0) ** 2 / 2
    np.testing.assert_allclose(moves.q[moves.t > rest, 0], expected[moves.t > rest], rtol=1e-10)
    assert not friction[moves.t > t_off].any()
    np.testing.assert_allclose(friction[stands], tau, rtol=1e-12)
    assert drifts(moves) < 1e-9


@both
def test_a_brake_that_slips_under_a_force_beyond_it(method: Any) -> None:
    arm, tau = pendulum("engaged", friction=Coulomb(0.5)), 2.0
    moves = braked(arm, [0.0], switches=[(1.0, "released")], duration=2.0, torque=[tau], method=method)
    first, second = (tau - 0.5 - SIZE) / M, (tau - 0.5) / M
    assert moves.q[-1, 0] == pytest.approx(first / 2 + first + second / 2, rel=1e-9)


def test_held_against_gravity_then_falls() -> None:
    arm, save = pendulum("engaged", gravity=0.3), SaveAt(every=0.25)
    held = braked(arm, [0.2], switches=[(2.0, "released")], duration=3.0, save=save)
    free = armdyn.simulate(pendulum(gravity=0.3), [0.2], duration=1.0, save=save)
    assert (held.q[held.t <= 2.0] == 0.2).all()
    np.testing.assert_allclose(held.q[held.t >= 2.0], free.q, rtol=1e-9)


@pytest.mark.short_run("adaptive")
@both
def test_a_condition_engages_it(method: Any) -> None:
    """An overspeed brake: at 1 rad/s, then held until a time."""
    tau, fast = 0.5, Crossing(lambda t, q, qd: qd[0] - 1.0, "overspeed", direction=1)
    switches = [(fast, "engaged"), (30.0, "released")]
    moves = braked(pendulum(), [0.0], switches=switches, duration=40.0, torque=[tau], method=method)
    [engaged], slowing = times(moves, "engaged"), SIZE - tau
    assert engaged == pytest.approx(M / tau, rel=1e-12)
    assert times(moves, "stick")[0] == pytest.approx(M / tau + M / slowing, rel=1e-10)
    assert moves.q[-1, 0] == pytest.approx(M / (2 * tau) + M / (2 * slowing) + tau / M * 100.0 / 2, rel=1e-9)


@pytest.mark.short_run("here-adaptive", "here-rk4", "elsewhere-rk4")
@both
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_viscous_friction_counts_while_no_joint_can_stick(method: Any, elsewhere: bool) -> None:
    """d qd of every joint in the signal, whichever joint it is in, before the brake engages and after it."""
    d, after = 0.4, 0.2
    drives = {"joint_1": Actuator(friction=Viscous(d))} if elsewhere else {}
    second = Actuator(gear=Gear(RATIO), friction=() if elsewhere else Viscous(d), brake=Brake(BRAKE))
    arm = PLANAR.with_actuators({**drives, "joint_2": second})
    switches = BrakeSwitches({"joint_2": [(after + 0.05, "engaged")]})
    given: Any = {"elements": [switches], "duration": 0.4, "method": method, "save": SaveAt(every=0.1)}
    motion = armdyn.simulate(arm, [0.1, 0.2], [0.5, 0.8], **given)
    friction, wanted, before = motion.signals["friction"], np.zeros_like(motion.qd), motion.t <= after
    wanted[:, 1 - elsewhere] = d * motion.qd[:, 1 - elsewhere]
    assert before.sum() == 3
    assert np.abs(wanted[before]).max() > 0.1
    np.testing.assert_allclose(friction[before], wanted[before], rtol=1e-12, atol=1e-14)
    if elsewhere:
        np.testing.assert_allclose(friction[:, 0], wanted[:, 0], rtol=1e-12, atol=1e-14)
    loads = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)[before]  # what no force drives
    near(loads, 0.0, 1e-10)


@pytest.mark.slow
def test_one_brake_of_an_arm_in_a_batch() -> None:
    """The other joints go on: as the arm with the joint locked, from the state at which it stands."""
    arm = PLANAR.with_actuators({"joint_2": Actuator(gear=Gear(1.0), brake=Brake(1e3))})
    q0 = np.array([[0.1, 0.7], [-0.4, 1.1]])
    moves = armdyn.simulate(arm, q0, duration=1.0, elements=[BrakeSwitches({"joint_2": [(0.4, "engaged")]})])
    begin = armdyn.simulate(PLANAR, q0, duration=0.4)
    for k in range(2):
        [rest] = [one.t for one in moves.events if one.index == (k,) and one.kind == "stick"]
        assert 0.4 < rest < 0.45
        late = moves.t > rest
        assert np.ptp(moves.q[late, k, 1]) == 0.0
        at = int(np.argmax(late))
        q, qd, t = moves.q[at:, k], moves.qd[at, k], moves.t[at:] - moves.t[at]
        locked = PLANAR.with_locked({"joint_2": float(q[0, 1])})
        goes_on = armdyn.simulate(locked, q[0, :1], qd[:1], duration=float(t[-1]), save=SaveAt(times=t))
        near(q[:, 0], goes_on.q[:, 0], 1e-8)
        near(moves.q[moves.t <= 0.4][-1, k], begin.q[-1, k], 1e-8)


def test_damping_given_later_stays() -> None:
    arm = pendulum().with_friction({"joint_1": (0.4, 0.0)})
    moves = braked(arm, [0.0], [1.0], switches=[(1.0, "released")], duration=2.0)
    assert moves.qd[-1, 0] == pytest.approx(np.exp(-0.4 / M * 2.0), rel=1e-8)


PENDULUM, ENGAGED = pendulum(), [(0.1, "engaged")]
COUPLED = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_1", 1.0)})
COUPLED = COUPLED.with_actuators({"joint_1": Actuator(gear=Gear(2.0, efficiency=0.8), brake=Brake(1.0))})


@pytest.mark.parametrize(
    ("robot", "brakes", "error", "says"),
    [
        (PENDULUM, ENGAGED, SettingError, "expected a mapping from joints"),
        (PENDULUM, {"joint_9": []}, armdyn.UnknownName, "no joint 'joint_9'"),
        (PENDULUM, {"joint_1": ENGAGED[0]}, SettingError, "expected pairs of a time or event and a state"),
        (PENDULUM, {"joint_1": [(0.1, "locked")]}, armdyn.ArmdynError, "locked"),
        (PENDULUM, {"joint_1": [(-0.1, "engaged")]}, SettingError, "time of the brake of joint 'joint_1' is -0.1"),
        (PENDULUM, {"joint_1": [(9.0, "engaged")]}, SettingError, "behind the end of the motion at 1 s"),
        (PENDULUM, {"joint_1": [(Crossing(lambda t, q, qd: t, terminal=True), "engaged")]}, SettingError, "is term"),
        (PLANAR, {"joint_1": ENGAGED}, SettingError, "which has no brake; give it one"),
        (COUPLED, {"joint_1": ENGAGED}, SettingError, "depends on the load of gears whose joints are coupled"),
    ],
)
def test_errors(robot: Any, brakes: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        armdyn.simulate(robot, np.zeros(robot.dof), duration=1.0, elements=[BrakeSwitches(brakes)])


def test_a_method_that_cannot_stop_is_refused() -> None:
    with pytest.raises(SettingError, match="Taylor"):
        braked(PENDULUM, [0.0], switches=ENGAGED, duration=1.0, method="taylor")


def test_a_method_with_a_past_brakes_as_others_do() -> None:
    """The joint stops at the time and place of an adaptive motion, to the order of the method."""
    near(*(braked(PENDULUM, [0.0], switches=ENGAGED, duration=1.0, method=m).q[-1] for m in ("abm4", "adaptive")), 1e-9)
    second, exact = (braked(PENDULUM, [0.0], switches=ENGAGED, duration=1.0, method=m) for m in ("variational", None))
    near(second.q[-1], exact.q[-1], 1e-5)
    assert second.qd[-1, 0] == exact.qd[-1, 0] == 0.0


# Closed loops and studies.

DRIVE = Actuator(Motor(1e-5, torque_constant=0.03), Gear(-50.0), Coulomb(0.5), brake=Brake(0.4))
ARM = PLANAR.with_friction({"joint_1": (0.2, 0.3)}).with_actuators({"joint_2": DRIVE})
SWITCHES: dict[str, Any] = {"joint_2": [(0.1, "engaged"), (0.3, "released"), (0.45, "engaged")]}
START: Any = [0.3, 0.4]
SECOND = [BrakeSwitches({"joint_2": []})]


class Braking(NamedTuple):
    """Torques, and the brake."""

    tau: Any
    brakes: Any


@armdyn.function("(n),(n),()->(n),(1)", result=Braking)
def held_when_fast(model: Any, q: Any, qd: Any, limit: Any) -> Braking:
    """No torques; the brake is engaged while the second joint is faster than a limit."""
    return Braking(0.0 * q, np.array([less(limit, abs(qd[1]))]))


@armdyn.function("(n),(n),()->(n),(1)", result=Braking)
def braked_as_wanted(model: Any, q: Any, qd: Any, wanted: Any) -> Braking:
    """No torques, and the brake as far as an input says."""
    return Braking(0.0 * q, np.array([wanted]))


@pytest.mark.slow
def test_switches_at_times_are_those_of_simulate() -> None:
    true = armdyn.simulate(ARM, START, duration=0.6, elements=[BrakeSwitches(SWITCHES)], save=SaveAt(every=0.01))
    loop, given = ClosedLoop(ARM, method=RungeKutta4(5e-4), record=["q"], elements=SECOND), {"steps": 1200, "every": 20}
    rolled = loop(START, tau=np.zeros(2), brakes=SWITCHES, **given)
    near(rolled.rows.q, true.q[:-1], 1e-5)
    assert rolled.final.qd[1] == 0.0
    numbers = np.zeros((1200, 1))
    numbers[200:600] = numbers[900:] = 1.0
    for other, brakes in ((loop, numbers), (pickle.loads(pickle.dumps(loop)), SWITCHES)):  # noqa: S301
        same = other(START, tau=np.zeros(2), brakes=brakes, **given)
        np.testing.assert_array_equal(same.rows.q, rolled.rows.q)


def test_without_switches_they_stay_as_the_robot_has_them() -> None:
    given: Any = {"q0": START, "steps": 50, "tau": np.zeros(2)}
    for robot in (ARM, ARM.with_actuators({"joint_2": DRIVE.with_brake("engaged")})):
        found = ClosedLoop(robot, method=Heun(1e-3), elements=SECOND)(**given).final
        np.testing.assert_allclose(found.q, ClosedLoop(robot, method=Heun(1e-3))(**given).final.q, rtol=1e-13)


def test_a_controller_switches_them() -> None:
    loop = ClosedLoop(ARM, held_when_fast, method=SemiImplicitEuler(1e-3), record=["qd", "brakes"], elements=SECOND)
    assert "brakes" not in loop.inputs
    rows = loop(START, steps=400, limit=0.5).rows
    engaged = rows.brakes[:, 0] == 1.0
    assert engaged.any()
    np.testing.assert_array_equal(engaged, np.abs(rows.qd[:, 1]) > 0.5)
    assert (np.diff(np.abs(rows.qd[:, 1]))[engaged[:-1]] < 0.0).all()


def test_a_brake_takes_no_more_than_its_torque_and_never_drives() -> None:
    """Numbers of a controller beyond 0 and 1 count as these; in an input they are an error."""
    loop = ClosedLoop(ARM, braked_as_wanted, method=Heun(1e-3), elements=SECOND)
    ends = {wanted: loop(START, [0.2, 0.3], steps=50, wanted=wanted).final.q for wanted in (-3.0, 0.0, 1.0, 2.0)}
    np.testing.assert_array_equal([ends[-3.0], ends[2.0]], [ends[0.0], ends[1.0]])
    by_input = ClosedLoop(ARM, method=Heun(1e-3), elements=SECOND)
    for wrong in (-1.0, 1.5, np.nan):
        table = np.ones((10, 3, 1))
        table[4, 2] = wrong
        with pytest.raises(SettingError, match=rf"brakes is {wrong} for joint 'joint_2' of arm \(2,\) in step 4"):
            by_input(np.tile(START, (3, 1)), steps=10, tau=np.zeros(2), brakes=table)


def test_studies_switch_them_in_all_runs(tmp_path: Path) -> None:
    masses, switches = [0.0, 1.5], [BrakeSwitches({"joint_2": SWITCHES["joint_2"][:2]})]
    settings: Any = {"steps": 300, "method": RungeKutta4(1e-3), "elements": switches, "workers": 1}
    found = armdyn.study(ARM, grid({"tip.payload.mass": masses}), inputs={"q0": START}, **settings)["final.q"]
    for mass, q in zip(masses, found, strict=True):
        loaded = ARM.with_payload(armdyn.Inertia(mass, [0, 0, 0], np.zeros((3, 3))))
        near(q, armdyn.simulate(loaded, START, duration=0.3, elements=switches).q[-1], 2e-5)
    armdyn.actuators.write({"joint_2": DRIVE}, tmp_path / "drives.yaml")
    (tmp_path / "study.yaml").write_text(
        "robot: planar_2r\nactuators: drives.yaml\nq0: [0.3, 0.4]\nduration: 0.3\nmethod: rk4\n"
        "brakes: {joint_2: [[0.1, engaged]]}\ngrid: {joint_1.friction: [0.0, 0.3]}\n"
    )
    scenario = Scenario.read(tmp_path / "study.yaml")
    ends = armdyn.study(scenario.robot, scenario.samples, **scenario.settings, workers=1)
    assert (ends["final.qd"][:, 1] == 0.0).all()
    assert ends["final.qd"][0, 0] < ends["final.qd"][1, 0] < 0.0


ACROSS = Actuator(
    Motor(1e-3), Gear(10.0, efficiency=0.8), rotor=Rotor(axis=(0.0, 1.0, 0.0), carrier="link_1"), brake=Brake(1.0)
)


@pytest.mark.parametrize(
    ("robot", "controller", "elements", "message"),
    [
        (
            ARM,
            None,
            [BrakeSwitches({"joint_1": []})],
            "joint 'joint_1' of 'planar_2r', which has no brake; give it one",
        ),
        (ARM, None, SECOND * 2, "elements has switches of the brake of joint 'joint_2' twice"),
        (ARM, held_when_fast, [], "held_when_fast has a result 'brakes', but the loop was given no brakes"),
        (ARM.with_actuators({"joint_2": ACROSS}), None, SECOND, "would not hold their joints, for friction depends on"),
    ],
)
def test_loops_that_cannot_be(robot: Any, controller: Any, elements: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ClosedLoop(robot, controller, elements=elements)


@pytest.mark.parametrize(
    ("brakes", "error", "message"),
    [
        ({"joint_1": []}, SettingError, "is not among those of the loop: joint_2; name it in ClosedLoop"),
        (
            {"joint_2": [(1.0, "engaged")]},
            SettingError,
            "time of the brake of joint 'joint_2' is 1 s, behind the end of the motion",
        ),
        (
            {"joint_2": [(Crossing(lambda t, q, qd: q[0]), "engaged")]},
            SettingError,
            "are switched by an event; a closed loop takes times from 0 s on",
        ),
        (np.ones(10), armdyn.ShapeError, r"brakes has shape \(10,\); expected \(steps, ..., 1\), a number from"),
    ],
)
def test_switches_that_cannot_be(brakes: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        ClosedLoop(ARM, elements=SECOND)(START, steps=10, tau=np.zeros(2), brakes=brakes)


def test_a_brake_before_a_gear_with_losses_holds() -> None:
    """The torque of the brake and what the gear takes of the load hold together."""
    drive = Actuator(Motor(1e-3), Gear(10.0, efficiency=0.8, back_efficiency=0.5), brake=Brake(0.4))
    q0 = np.array([0.3, 0.2])
    held = np.array([1e3, float(PLANAR.gravity_forces(q0)[1]) / 0.8 + 3.9])  # the first joint stands at its friction
    stiff = PLANAR.with_actuators({"joint_2": drive}).with_friction({"joint_1": (0.0, 1e4)})
    loop = ClosedLoop(stiff, method=RungeKutta4(1e-3), elements=SECOND)
    assert (loop(q0, steps=100, tau=held, brakes=np.ones((100, 1))).final.q == q0).all()
    for tau, brakes in ((held + np.array([0.0, 0.2]), 1.0), (held, 0.0)):
        assert loop(q0, steps=100, tau=tau, brakes=np.full((100, 1), brakes)).final.q[1] > q0[1]
