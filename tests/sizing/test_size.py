"""The choice for an arm that carries its drives, catalogues in files, and what bad input gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Cogging, Motor
from armdyn.sizing import Catalogue, CatalogueError, CatalogueGear, CycleError, MotionCycle, joint_loads, size


@pytest.fixture(scope="module")
def three_joints() -> armdyn.Robot:
    """The first three joints of the UR5, with the wrist held."""
    return armdyn.load("ur5", locked=dict.fromkeys(("wrist_1_joint", "wrist_2_joint", "wrist_3_joint"), 0.0))


def swing(n: int, duration: float = 3.0, amplitude: float = 0.6) -> MotionCycle:
    t = np.linspace(0.0, duration, 101)
    w, phase = 2.0 * np.pi / duration, np.arange(n)
    q = amplitude * np.sin(w * t[:, None] + phase)
    return MotionCycle(t, q, amplitude * w * np.cos(w * t[:, None] + phase), -(w**2) * q)


def test_drives_carry_themselves_when_the_choice_has_settled(three_joints: armdyn.Robot) -> None:
    task = swing(3, 2.0, 0.9)
    found = size(three_joints, task, voltage=48.0)
    assert found.settled
    assert len(found.rounds) > 2  # the masses changed the first choice
    assert found.rounds[0] != found.rounds[-1]
    loaded = found.robot_with_drives()
    assert sum(link.inertia.mass for link in loaded.model.links) == pytest.approx(
        sum(link.inertia.mass for link in three_joints.model.links) + found.mass, rel=1e-12
    )
    # what was judged last is the arm with these masses
    loads = joint_loads(loaded, task)
    for name, joint in found.joints.items():
        np.testing.assert_allclose(joint.load.link_torque, loads[name].link_torque, rtol=1e-12)
        choice = joint.best
        assert choice == found.best[name]
        assert choice is not None
        assert joint.why(choice.motor, choice.gear) == []
    assert loaded.model.joint("elbow_joint").actuator is not None


def test_task_of_a_simulated_motion_has_its_torques() -> None:
    arm = armdyn.load("planar_2r")
    tau, push = np.array([3.0, -1.0]), np.array([0.0, 0.0, 0.5, 0.3, -0.2, 0.0])
    motion = armdyn.simulate(arm, [0.3, -0.8], [0.5, 0.2], torque=tau, f_tip=push, duration=0.2)
    loads = joint_loads(arm, MotionCycle.of_trajectory(motion))
    for joint, torque in zip(arm.joint_names, tau, strict=True):  # inverse dynamics of the motion gives its torques
        np.testing.assert_allclose(loads[joint].link_torque, torque, rtol=1e-9)
    many = armdyn.simulate(arm, [[0.3, -0.8], [0.0, 0.1]], torque=tau, duration=0.01)
    with pytest.raises(armdyn.ShapeError, match=r"a batch of shape \(2,\); pick one"):
        MotionCycle.of_trajectory(many)


def test_choices_that_come_again_are_a_cycle() -> None:
    """A drive that stands behind the joint balances the arm: a heavy one makes a weak one do, and that one does not."""
    inertia = armdyn.Inertia(2.0, [0.5, 0.0, 0.0], 0.01 * np.eye(3))
    arm = armdyn.Robot.from_links([armdyn.Part("beam", "base", axis=(0, 1, 0), inertia=inertia)])
    arm = arm.with_payload(armdyn.Inertia(0.0, [-0.5, 0.0, 0.0]), name="behind")
    zero = np.zeros((1, 1))
    task, (joint,) = MotionCycle.of_phases([1.0], zero, zero, zero), arm.joint_names
    limits = armdyn.actuators.MotorLimits
    stock = Catalogue(
        {
            "weak": Motor(torque_constant=0.05, resistance=0.01, mass=0.2, limits=limits(torque=5.0)),
            "strong": Motor(torque_constant=0.05, resistance=0.01, mass=1.5, limits=limits(torque=20.0)),
        },
        {"direct": CatalogueGear(1.0, 0.0)},
    )
    found = size(arm, task, stock, mounts={joint: "behind"})
    assert not found.settled
    assert [choice.motor for (choice,) in found.rounds if choice] == ["strong", "weak", "strong"]
    assert "rounds 1 to 2 come again and again" in found.notes[0]
    assert found.joints[joint].load.peak_torque == pytest.approx(9.81 * (2.0 * 0.5 - 0.2 * 0.5), rel=1e-12)
    stopped = size(arm, task, stock, mounts={joint: "behind"}, rounds=2)
    assert "not settled after 2 rounds" in stopped.notes[0]
    assert size(arm, task, stock, carry_masses=False).settled


def test_bundled_entries_are_what_their_sheets_say() -> None:
    catalogue = Catalogue.bundled()
    assert set(catalogue.sources) == {*catalogue.motors, *catalogue.gears}
    assert all(catalogue.sources.values())
    motor, gear = catalogue.motors["maxon EC 60 flat 614949"], catalogue.gears["maxon GP 62 A 110505"]
    assert motor.rotor_inertia == pytest.approx(832e-7, rel=1e-12)
    assert motor.limits.voltage == 24.0
    assert motor.limits.speed == pytest.approx(6000 * np.pi / 30, rel=1e-12)
    assert motor.thermal is not None
    assert motor.thermal.winding_limit == 125.0
    assert motor.mass == pytest.approx(0.36)
    assert (gear.ratio, gear.efficiency, gear.rated_torque) == (204687 / 2057, 0.7, 50.0)
    assert gear.maximum_input_speed == pytest.approx(100 * np.pi, rel=1e-12)
    assert gear.inertia == pytest.approx(105e-7, rel=1e-12)


MOTORS = "name,torque_constant [mNm/A],terminal_resistance [ohm],mass [g]\n"
GEARS = "name,ratio,mass [kg],efficiency [%]\n"


@pytest.mark.parametrize(
    ("motors", "gears", "words"),
    [
        (MOTORS, GEARS, "has no entries"),
        (MOTORS + "a,30,0.3,400\n", GEARS, "gears.csv has no entries"),
        ("name,torque_constant [kg],terminal_resistance [ohm],mass [g]\na,30,0.3,400\n", GEARS + "g,50,1,80\n", "kg"),
        (MOTORS + "a,30,nan,400\n", GEARS + "g,50,1,80\n", "motors.csv:2 'a': terminal_resistance"),
        (MOTORS + "a,30,0.3,\n", GEARS + "g,50,1,80\n", "motor 'a' has no mass"),
        (MOTORS + "a,30,,400\n", GEARS + "g,50,1,80\n", "motor 'a' has no resistance"),
        (MOTORS + "a,30,0.3,400\na,30,0.3,400\n", GEARS + "g,50,1,80\n", "motors.csv:3 'a': the name is 'a'"),
        (MOTORS + "a,30,x,400\na,30,0.3,400\n", GEARS + "g,50,1,80\n", "motors.csv:3 'a': the name is 'a'"),
        (
            MOTORS.replace(",", ";") + "a;30,2;0,3;400\n",
            GEARS + "g,50,1,80\n",
            "torque_constant is '30,2 mNm/A', with a comma; expected a point before decimals",
        ),
        (MOTORS + "a,30,0.3\n", GEARS + "g,50,1,80\n", "3 cells; expected 4"),
        (MOTORS + "a,30,0.3,400\n", GEARS + "g,50,1,120\n", "efficiency of Gear is 1.2"),
        (MOTORS + "a,30,0.3,400\n", GEARS + "g,0,1,80\n", "ratio of Gear is 0"),
        (MOTORS + "a,30,0.3,400\n", GEARS + "g,1/0,1,80\n", "ratio is '1/0'"),
        (MOTORS + "a,30,0.3,400\n", GEARS + "g,50,,80\n", "no mass"),
        ("name,torque,mass [g]\na,30,400\n", GEARS + "g,50,1,80\n", "no column 'torque'"),
        (MOTORS + "a,30,0.3,400\n", "name,ratio,ratio,mass\ng,50,1,80\n", "each one once"),
        (
            "name,torque_constant [mNm/A],speed_constant [rpm/V],terminal_resistance [ohm],mass [g]\n"
            "a,30,500,0.3,400\n",
            GEARS + "g,50,1,80\n",
            "speed_constant is",
        ),
    ],
    ids=lambda value: value[:12] if len(value) < 60 else "table",
)
def test_catalogues_that_do_not_fit(tmp_path: Path, motors: str, gears: str, words: str) -> None:
    files = [tmp_path / "motors.csv", tmp_path / "gears.csv"]
    for path, text in zip(files, (motors, gears), strict=True):
        path.write_text(text)
    with pytest.raises(armdyn.ArmdynError) as error:
        Catalogue.read(*files)
    assert words in str(error.value)


def test_a_sheet_that_contradicts_itself_is_mended_by_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "motors.csv"
    heading = "name,torque_constant [mNm/A],speed_constant [rpm/V],terminal_resistance [ohm],mass [g]\n"
    path.write_text(f"{heading}a,30,500,0.3,400\n")
    with pytest.raises(CatalogueError, match="a row with these cells empty takes torque constant and resistance"):
        Catalogue.read(path)
    path.write_text(f"{heading}a,30,,0.3,400\n")
    motor = Catalogue.read(path).motors["a"]
    assert (motor.k_t, motor.R) == (0.03, 0.3)


def test_objects_that_do_not_fit(tmp_path: Path) -> None:
    motor, gear = Motor(torque_constant=0.05, resistance=0.5, mass=1.0), CatalogueGear(50.0, 1.0)
    with pytest.raises(CatalogueError, match="no motors"):
        Catalogue({}, {"g": gear})
    with pytest.raises(CatalogueError, match="no file"):
        Catalogue.read(tmp_path / "none.csv")
    with pytest.raises(armdyn.Unsupported, match="cogging"):
        Catalogue(
            {"m": Motor(torque_constant=0.05, resistance=0.5, mass=1.0, cogging=Cogging(0.01, 12.0))}, {"g": gear}
        )
    with pytest.raises(armdyn.DTypeError, match="expected a CatalogueGear"):
        Catalogue({"m": motor}, {"g": motor})  # type: ignore[dict-item]
    for bad in ({"efficiency": 1.5}, {"efficiency": 0.0}, {"mass": -1.0}, {"rated_torque": np.nan}):
        with pytest.raises(armdyn.ModelError):
            CatalogueGear(**{"ratio": 50.0, "mass": 1.0, **bad})


def test_tasks_that_do_not_fit() -> None:
    t, x = np.array([0.0, 0.5, 1.0]), np.zeros((3, 2))
    good = MotionCycle(t, x, x, x)
    for bad, words in (
        ((t[:1], x[:1], x[:1], x[:1]), "has 1 sample;"),
        ((t[::-1], x, x, x), "falls from 1 to 0.5 s"),
        (([0.0, 0.0, 0.0], x, x, x), "takes no time"),
        (([0.0, np.nan, 1.0], x, x, x), r"t of MotionCycle\[1\] is nan"),
        ((t, x, x, x + np.inf), "qdd of MotionCycle"),
        ((t, x[:2], x, x), "a row for each time"),
        ((t, x, x[:, :1], x), "a column for each joint"),
    ):
        with pytest.raises((CycleError, armdyn.ShapeError), match=words):
            MotionCycle(*bad)
    with pytest.raises(armdyn.DTypeError, match=r"trajectory is 'a'; expected an armdyn\.Trajectory"):
        MotionCycle.of_trajectory("a")  # type: ignore[arg-type]
    with pytest.raises(armdyn.DTypeError, match="sizing is 3; expected what armdyn"):
        armdyn.plots.draw_sizing(3)  # type: ignore[arg-type]
    with pytest.raises(armdyn.ModelError, match="panels are 3; expected laws by title"):
        armdyn.plots.draw_friction(3)  # type: ignore[arg-type]
    with pytest.raises(CycleError, match="durations"):
        MotionCycle.of_phases([1.0, 0.0], x[:2], x[:2], x[:2])
    with pytest.raises(armdyn.ShapeError, match="the task has 2 joints; expected 6"):
        size(armdyn.load("ur5"), good)
    with pytest.raises(armdyn.DTypeError, match="robot is 'ur5'"):
        size("ur5", good)  # type: ignore[arg-type]
    with pytest.raises(armdyn.DTypeError, match=r"expected an armdyn\.sizing\.MotionCycle"):
        size(armdyn.load("planar_2r"), (t, x, x, x))  # type: ignore[arg-type]
    with pytest.raises(armdyn.Unsupported, match="coupled joints"):
        size(armdyn.load("planar_2r").with_mimic({"joint_2": ("joint_1", 2.0, 0.0)}), good)
    held = armdyn.load("planar_2r").with_constraints(armdyn.constraints.PointOnLine("tip", (1, 0, 0), (0, 1, 0)))
    with pytest.raises(armdyn.Unsupported, match="loops or contacts"):
        size(held, good)
    with pytest.raises(armdyn.UnknownName, match="no joint 'elbow'"):
        size(armdyn.load("planar_2r"), good, joints=["elbow"])
    with pytest.raises(armdyn.ModelError, match="prefer is 'cheap'"):
        size(armdyn.load("planar_2r"), good, prefer="cheap")
    with pytest.raises(armdyn.Unsupported, match="give the lead"):
        size(armdyn.load("rp"), good)
    with pytest.raises(armdyn.ModelError, match="which turns"):
        size(armdyn.load("rp"), good, leads={armdyn.load("rp").joint_names[0]: 0.01})


def test_means_of_a_duty_cycle_are_those_of_its_phases() -> None:
    rng = np.random.default_rng(5)
    arm, durations, states = armdyn.load("planar_2r"), np.array([0.2, 1.0, 0.5]), rng.normal(size=(3, 3, 2))
    load = joint_loads(arm, MotionCycle.of_phases(durations, *states))["joint_1"]
    tau = arm.inverse_dynamics(*states)[:, 0]
    assert load.rms_torque == pytest.approx(np.sqrt(durations @ tau**2 / durations.sum()), rel=1e-13)


def test_screws_are_gears_of_joints_that_slide() -> None:
    arm = armdyn.load("rp")
    slide = next(joint.name for joint in arm.joints if joint.kind == "prismatic")
    task, lead = swing(2), 0.01
    s = 2.0 * np.pi / lead
    found = size(arm, task, leads={slide: lead}, carry_masses=False, voltage=48.0)
    load, k = found.joints[slide].load, arm.joint_names.index(slide)
    tau = arm.inverse_dynamics(task.q, task.qd, task.qdd)[:, k]
    np.testing.assert_allclose(load.output_torque, tau / s, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(load.qd, task.qd[:, k] * s, rtol=1e-14)


def test_armatures_and_motors_that_the_arm_has_are_left_out(arm: armdyn.Robot, task: MotionCycle) -> None:
    drive = armdyn.actuators.Actuator(
        Motor(torque_constant=0.05, resistance=0.5, rotor_inertia=1e-4), armdyn.actuators.Gear(100.0)
    )
    driven = arm.with_actuators({"elbow_joint": drive}).with_armature({"wrist_1_joint": 0.3})
    for name in ("elbow_joint", "wrist_1_joint"):
        own, other = (joint_loads(each, task, [name])[name] for each in (arm, driven))
        np.testing.assert_allclose(own.output_torque, other.output_torque, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(own.inertia, other.inertia, rtol=1e-12)


def test_numbers_of_a_catalogue_have_units(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(
        "name,torque_constant [mNm/A],terminal_resistance [ohm],rotor_inertia,mass\nA,30.2,0.299,142,480\n"
    )
    with pytest.raises(CatalogueError, match=r"m.csv:2 'A': rotor_inertia, mass without a unit; .* mass \[kg\]"):
        Catalogue.read(tmp_path / "m.csv")
