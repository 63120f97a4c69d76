"""Results as tables: printed, in notebooks, as LaTeX, as data frames with numbers in full."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Thermal
from armdyn.base.tabular import TextTable
from armdyn.formats.dh import DHRow
from armdyn.model import Inertia

ARM = armdyn.load("planar_2r")
UR5 = armdyn.load("ur5")
MOTOR = Motor(torque_constant=0.05, resistance=0.8, rotor_inertia=1e-5, thermal=Thermal(3.0, 5.0, 20.0, 600.0))
T = np.linspace(0.0, 1.0, 51)
SWING = (0.3 * np.sin(2 * np.pi * T), 0.6 * np.pi * np.cos(2 * np.pi * T), -1.2 * np.pi**2 * np.sin(2 * np.pi * T))


def sized() -> Any:
    motion = [part[:, None] * np.ones(2) for part in SWING]
    return armdyn.sizing.size(ARM, armdyn.sizing.MotionCycle(T, *motion))


def driven() -> Any:
    robot = ARM.with_actuators({joint: Actuator(MOTOR, Gear(100.0)) for joint in ARM.joint_names})
    return armdyn.simulate(robot, [0.0, 0.5], duration=0.2, torque=[9.0, 3.0]).drives(robot)


def solved() -> Any:
    q = np.random.default_rng(0).uniform(-1, 1, (30, 6))
    return UR5.inverse_kinematics(UR5.forward_kinematics(q), q + 0.01)


RESULTS: dict[str, Callable[[], Any]] = {
    "sizing": sized,
    "drives": driven,
    "inverse kinematics": solved,
    "a motion": lambda: armdyn.simulate(ARM, [0.0, 0.5], duration=0.1),
    "Newton and Euler": lambda: ARM.newton_euler([0.3, 0.5], [1.0, 2.0], [0.1, 0.2]),
    "links": lambda: ARM.link_motion([0.3, 0.5], [1.0, 2.0], [0.1, 0.2]),
    "joints": lambda: ARM.joint_reactions([0.3, 0.5], [1.0, 2.0], [0.1, 0.2]),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_is_a_table(kind: str) -> None:
    result = RESULTS[kind]()
    table = result.table()
    assert type(table) is TextTable
    lines = str(table).splitlines()
    assert lines[int(bool(table.title))].split()[:1] == table.headings[0].split()[:1]
    assert result._repr_html_() == table.html()
    assert result.to_latex() == table.latex()
    assert result.to_latex().count(r" \\") == len(table.rows) + 1
    assert len(result.to_dataframe()) >= len(table.rows)
    if not isinstance(result, tuple):
        assert str(result) == str(table)


def test_newton_and_euler_with_numbers() -> None:
    """Craig's iterations of the arm of point masses; forces and moments in closed form."""
    m1, m2, L1, L2, g, t2, w = 1.3, 0.8, 0.5, 0.4, 9.81, 0.7, 1.1
    rows = [
        DHRow(0.0, 0.0, 0.0, 0.0, inertia=Inertia.point(m1, (L1, 0, 0))),
        DHRow(L1, 0.0, 0.0, 0.0, inertia=Inertia.point(m2, (L2, 0, 0))),
    ]
    arm = armdyn.Robot.from_dh(rows, convention="modified", gravity=(0.0, -g, 0.0))
    frame = arm.newton_euler([0.0, t2], [w, 0.0], [0.0, 0.0]).to_dataframe()
    second = frame[frame["link"] == arm.link_names[2]].set_index("symbol")
    np.testing.assert_allclose(second.loc["ω", ["x", "y", "z"]].astype(float), [0, 0, w], atol=1e-15)
    a = np.array([-L1 * w**2 * np.cos(t2) - L2 * w**2, L1 * w**2 * np.sin(t2), 0.0])  # of the second mass, link axes
    np.testing.assert_allclose(second.loc["v̇_C", ["x", "y", "z"]].astype(float), a, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(second.loc["F", ["x", "y", "z"]].astype(float), m2 * a, rtol=1e-12, atol=1e-14)
    weight = m2 * g * np.array([np.sin(t2), np.cos(t2), 0.0])
    np.testing.assert_allclose(second.loc["f", ["x", "y", "z"]].astype(float), m2 * a + weight, rtol=1e-12, atol=1e-14)
    assert second.loc["τ", "joint"] == pytest.approx(L2 * (m2 * a + weight)[1], rel=1e-12)
    assert list(frame["unit"][:9]) == ["rad/s", "rad/s²", "m/s²", "m/s²", "N", "N m", "N", "N m", "N m"]
    with pytest.raises(armdyn.ShapeError, match="the recursion is shown of one state"):
        arm.newton_euler(np.zeros((3, 2)), np.zeros(2), np.zeros(2))
    coupled = UR5.with_mimic({"elbow_joint": ("shoulder_lift_joint", 0.5, 0.0)})
    with pytest.raises(armdyn.Unsupported, match="its joints are coupled"):
        coupled.newton_euler(*np.zeros((3, 5)))


def test_links_by_name_or_by_number() -> None:
    motion = UR5.link_motion(np.zeros(6), np.ones(6), np.zeros(6))
    assert list(motion.table(UR5.link_names).to_dataframe()["link"][::6]) == list(UR5.link_names)
    assert motion.to_dataframe()["link"].iloc[-1] == "6"
    np.testing.assert_array_equal(motion.to_dataframe()[["x", "y", "z"]].to_numpy()[::6], motion.omega)
    with pytest.raises(armdyn.ShapeError, match="2 names for 7 links"):
        motion.table(["a", "b"])
    many = UR5.link_motion(np.zeros((3, 6)), np.ones(6), np.zeros(6))
    with pytest.raises(armdyn.ShapeError, match=r"vectors have shape \(3, 7, 3\); expected \(links, 3\)"):
        many.table()
    assert many._repr_html_() is None


def test_all_targets_and_all_times_are_in_the_frames() -> None:
    solution = solved()
    frame = solution.to_dataframe()
    np.testing.assert_array_equal(frame[list(UR5.joint_names)].to_numpy(), solution.q)
    drives = driven()
    frame = drives.to_dataframe()
    np.testing.assert_array_equal(frame["current_joint_2"], drives.current[:, 1])
    assert frame.attrs["units"]["winding_joint_1"] == "degC"
    row = drives.table().to_dataframe().iloc[0]
    assert row["torque [N m]"] == abs(drives.torque[:, 0]).max()
    taken, given = row["taken [J]"], row["given back [J]"]
    assert taken - given == pytest.approx(np.trapezoid(drives.power[:, 0], drives.t), rel=1e-9)


def test_a_printed_motion_names_the_energy_at_start_and_at_end() -> None:
    """And the work between them: what friction took, not a range of totals."""
    arm = ARM.with_friction(dict.fromkeys(ARM.joint_names, (0.5, 0.2)))
    motion = armdyn.simulate(arm, [1.0, 0.5], duration=1.0)
    start, end = motion.energy.total[[0, -1]]
    text = f"energy {start:.4g} J at start, {end:.4g} J at end, work of joints, friction and tip {end - start:.4g} J"
    assert end < start - 1.0
    assert text in str(motion)
    batch = armdyn.simulate(ARM, [[1.0, 0.5], [0.2, 0.3]], duration=0.1)
    assert " at start, from " in str(batch)
