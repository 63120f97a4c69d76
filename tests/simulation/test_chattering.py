"""Laws that switch faster than an adaptive solver can follow: the motion goes on, and says how."""

import re

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring
from armdyn.simulation import Adaptive, RungeKutta4, SaveAt, SettingError, SimulationError
from armdyn.simulation.drivers.chattering import MANY, Watch
from simulation.arms import near

COULOMB, START = 0.3, [-1.5, 0.3]


def friction(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return -COULOMB * np.sign(qd)


@pytest.fixture(scope="module")
def robot() -> armdyn.Robot:
    return armdyn.load("planar_2r")


@pytest.mark.slow
def test_coulomb_friction_is_carried_through(robot: armdyn.Robot) -> None:
    """Against a smooth law of the same friction by a stiff solver, whose joints creep instead of sticking."""
    motion = armdyn.simulate(robot, START, duration=3.0, torque=friction)
    smooth = armdyn.simulate(
        robot,
        START,
        duration=3.0,
        torque=lambda t, q, qd: -COULOMB * np.tanh(qd / 1e-4),
        method=Adaptive(1e-9, 1e-9, scipy_method="Radau"),
    )
    near(motion.q, smooth.q, 1e-3)
    (note,) = motion.notes
    begin, step, through = re.match(  # type: ignore[union-attr]
        r"chattering: the torque of 'joint_2' switched faster than the adaptive method can "
        r"follow, first at t = ([\d.]+) s; \d+ fixed semi-implicit Euler steps of ([\d.]+) s carried the motion "
        r"through ([\d.]+) s of it, with an error of the first order in that step. Use a smooth law",
        note,
    ).groups()
    assert float(begin) == pytest.approx(1.0428, abs=1e-4)
    assert float(step) == 1e-4
    assert 0.1 < float(through) < 3.0 - float(begin)
    assert motion.energy.work[-1] < 0
    assert np.abs(motion.energy.drift).max() < 1e-3


@pytest.mark.short_run("0.0004")
@pytest.mark.parametrize("step", [4e-4, 1e-4])
def test_a_mass_that_friction_stops_creeps_no_more_than_the_first_order(step: float) -> None:
    """A prismatic joint under a force F = 1 N below its friction c = 3 N: v falls to zero at t = v_0 m / (c - F)."""
    arm = armdyn.load("rp").with_gravity((0, 0, 0))
    mass = float(arm.mass_matrix([0.0, 1.0])[1, 1])

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([0.0, 1.0 - 3.0 * np.sign(qd[1])])

    method = Adaptive(chattering_step=step)
    motion = armdyn.simulate(arm, [0.0, 1.0], [0.0, 0.5], duration=2.0, torque=law, method=method)
    stop = 0.5 * mass / 2.0
    at_rest = motion.t > stop + 1e-3
    assert at_rest.sum() > 500
    np.testing.assert_allclose(motion.q[at_rest, 1], 1.0 + 0.5 * stop / 2, atol=2 * step)  # the way after stopping
    np.testing.assert_allclose(motion.qd[at_rest, 1], 0.0, atol=4.0 / mass * step)
    assert motion.notes[0].startswith("chattering: the torque of 'joint_2' switched faster")


def test_an_interpolant_covers_what_fixed_steps_carried(robot: armdyn.Robot) -> None:
    options = {"duration": 1.3, "torque": friction}  # from 1.04 s on
    times = np.linspace(0.013, 1.287, 97)
    dense = armdyn.simulate(robot, START, save=SaveAt(every=0.65, dense=True), **options)
    assert dense.notes
    saved = armdyn.simulate(robot, START, save=SaveAt(times=times), **options)
    np.testing.assert_allclose(dense.at(times).q, saved.q[1:-1], atol=1e-4)


def test_single_switches_need_no_help(robot: armdyn.Robot) -> None:
    def bang_bang(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.where(np.sin(9 * t) > 0, 5.0, -5.0) * np.ones(2)

    assert armdyn.simulate(robot, START, duration=3.0, torque=bang_bang).notes == ()
    assert armdyn.simulate(robot, [0.3, -0.4], duration=3.0, torque=friction).notes == ()


def test_steep_laws_that_are_smooth_are_left_to_the_solver(robot: armdyn.Robot) -> None:
    motion = armdyn.simulate(
        robot, START, duration=1.5, torque=lambda t, q, qd: -COULOMB * np.tanh(qd / 1e-3), method=Adaptive(1e-8, 1e-8)
    )
    assert motion.notes == ()


def test_it_can_be_an_error(robot: armdyn.Robot) -> None:
    method = Adaptive(chattering_step=None, max_steps=500)
    with pytest.raises(SimulationError, match=r"after 500 steps \(max_steps\)"):
        armdyn.simulate(robot, START, duration=3.0, torque=friction, method=method)
    with pytest.raises(SettingError, match="chattering_step is 0; expected a number above zero, in s"):
        Adaptive(chattering_step=0)


def slides(actuator: Actuator) -> armdyn.Robot:
    """Two masses of 1.5 kg that one coordinate moves, the first behind this drive."""
    body = armdyn.Inertia(1.5, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part(name, "base", "prismatic", axis=(1, 0, 0), inertia=body, joint=f"slide_{name}")
        for name in ("a", "b")
    ]
    robot = armdyn.Robot.from_links(parts, tip="a").with_actuators({"slide_a": actuator})
    return robot.with_mimic({"slide_b": ("slide_a", 1.0)})


def test_coupled_joints_with_a_gear_that_loses_are_carried_through_rest() -> None:
    """One of the masses m drives the rotor r through the gear: they stop at v_0 (m + eta_b m + r) / c, and creep."""
    rotor, coulomb, v_0 = 0.5, 3.0, 0.5
    drive = Actuator(Motor(rotor_inertia=rotor), Gear(1.0, efficiency=0.8, back_efficiency=0.6), Coulomb(coulomb))
    motion = armdyn.simulate(slides(drive), [1.0], [v_0], duration=1.0, method=Adaptive(max_steps=5000))
    stop = v_0 * (1.5 + 0.6 * 1.5 + rotor) / coulomb
    at_rest = motion.t > stop + 1e-3
    assert at_rest.any()
    near(motion.q[at_rest, 0], 1.0 + 0.5 * v_0 * stop, 1e-3)
    assert np.abs(motion.qd[at_rest, 0]).max() <= coulomb * 1e-4 / rotor
    (note,) = (note for note in motion.notes if note.startswith("chattering"))
    assert "the friction of 'slide_a'" in note


@pytest.mark.slow
def test_friction_under_load_of_coupled_joints_beside_a_stop() -> None:
    """The solver would come to a halt where the gear rests; fixed steps carry the motion on, and the stop holds."""
    drive = Actuator(Motor(0.5), Gear(1.0, efficiency=0.8, back_efficiency=0.6), Coulomb(3.0))
    robot = slides(drive).with_limits({"slide_a": (0.0, 1.05)})
    settings = {"duration": 0.5, "save": SaveAt(every=0.01), "elements": [armdyn.simulation.Stops(0.9)]}
    found = armdyn.simulate(robot, [1.0], [0.5], **settings)
    steps = armdyn.simulate(robot, [1.0], [0.5], method=RungeKutta4(step=2e-3), **settings)
    np.testing.assert_allclose(found.q[-1], steps.q[-1], atol=1e-3)
    assert found.events[0].kind == "impact"
    assert found.q[:, 0].max() <= 1.05 + 1e-8
    assert any("does not feel the forces of stops and contacts" in note for note in found.notes)
    assert any(note.startswith("chattering: the friction of 'slide_a' switched") for note in found.notes)


@pytest.mark.parametrize("method", ["adaptive", "semi_implicit_euler"])
def test_a_torque_that_switches_with_a_link_at_rest_beside_a_rotor_that_sticks(
    robot: armdyn.Robot, method: str
) -> None:
    """The link swings about its rest on the spring, by less than the force of the switch bends it."""
    drive = Actuator(Motor(2e-5), Gear(100.0), Coulomb(0.5), spring=Spring(900.0, damping=2.0))
    hinge = robot.with_locked({"joint_2": 0.0}).with_actuators({"joint_1": drive})
    motion = armdyn.simulate(
        hinge, [-np.pi / 2], duration=0.015, torque=lambda t, q, qd: -3.0 * np.sign(qd), method=method
    )
    assert motion.t[-1] == 0.015
    assert {one.kind for one in motion.events} == {"slip", "reversal"}
    assert 0.0 < np.abs(motion.q + np.pi / 2).max() < 3.0 / 900.0
    notes = [note.partition(", first")[0] for note in motion.notes]
    told = "chattering: the torque of 'joint_1' switched faster than the adaptive method can follow"
    assert notes == ([told] if method == "adaptive" else [])


@pytest.mark.parametrize(
    ("instead", "between", "found"), [(1e-4, 1.5e-4, True), (1e-4, 4e-4, False), (None, 1.5e-4, False)]
)
def test_many_collapsed_steps_count_where_fixed_steps_get_on_faster(
    instead: float | None, between: float, found: bool
) -> None:
    """Half of the steps are short, at one switch after the other; fixed ones of 0.1 ms beat a mean of 0.075 ms."""
    watch = Watch(10.0, instead)
    assert [watch.collapsed(between if k % 2 else 1e-8) for k in range(MANY)][-1] is found


def test_forces_that_jump_in_turn_are_known_together() -> None:
    """What jumped at an earlier switch is looked at too where fixed steps take over at a later one."""
    watch = Watch(10.0, 1e-4)
    for joint in (0, 1):
        for k in range(6):
            watch.saw(1e-9 * k, np.zeros(3), (np.where(np.arange(2) == joint, (-1.0) ** k, 0.0),))
            watch.collapsed(1e-9)
        watch.collapsed(1.0)
        last = watch.jumps()
        watch.rest()
    np.testing.assert_array_equal(last, [0.0, 2.0])
    np.testing.assert_array_equal(watch.in_turn(last), [2.0, 2.0])
