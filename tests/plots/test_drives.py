"""Histories of drives and the map of efficiency: what is drawn is what the motors' equations give."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ModelError, ShapeError
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Thermal
from armdyn.base.errors import UnknownName
from armdyn.plots import draw_drive_histories, draw_efficiency_map
from armdyn.simulation import RungeKutta4

MOTOR = Motor(
    1.4e-5,
    torque_constant=0.0302,
    resistance=0.299,
    friction=0.004,
    limits=MotorLimits(voltage=24.0, current=12.0, continuous_current=6.0),
    thermal=Thermal(2.0, 20.0, 4.0, 150.0, winding_limit=25.5),
)


def curves(axes: Any) -> list[Any]:
    """The lines of a panel but for the marks of events."""
    return [line for line in axes.lines if line.get_gid() != "event"]


def test_histories_and_their_limits() -> None:
    cold = dataclasses.replace(MOTOR, thermal=None, limits=MotorLimits(current=1e4))
    arm = armdyn.load("planar_2r").with_actuators(
        {"joint_1": Actuator(MOTOR, Gear(40.0)), "joint_2": Actuator(cold, Gear(20.0))}
    )
    motion = armdyn.simulate(arm, [0.3, -0.2], duration=0.4, torque=[8.0, -2.0], method=RungeKutta4(step=0.004))
    figure, drives = draw_drive_histories(arm, motion), motion.drives(arm)
    torque, winding, other, nothing = figure.axes
    np.testing.assert_array_equal(torque.lines[0].get_xydata(), np.column_stack([motion.t, drives.torque[:, 0]]))
    np.testing.assert_array_equal(winding.lines[0].get_ydata(), drives.winding[:, 0])
    levels = sorted({float(np.ravel(line.get_ydata())[0]) for line in curves(torque)[1:]})
    np.testing.assert_allclose(levels, 0.0302 * np.array([-12.0, -6.0, 6.0, 12.0]))
    assert torque.get_title("left") == "joint_1, continuous 0.181 N m, peak 0.362 N m"
    assert np.ravel(curves(winding)[1].get_ydata())[0] == 25.5
    assert len(curves(other)) == 1, "a limit far away has no line"
    assert other.get_title("left") == "joint_2, peak 302 N m"
    assert [text.get_text() for text in nothing.texts] == ["no thermal model"]
    other_motion = armdyn.simulate(arm, [0.3, -0.2], duration=0.2, torque=[4.0, -2.0], method=RungeKutta4(step=0.004))
    both = draw_drive_histories(
        arm, motion, over=other_motion, joints="joint_1", size="slide", palette="grey", title="A"
    )
    assert len(both.axes) == 2
    behind = both.axes[0].lines[1].get_xydata()
    np.testing.assert_array_equal(behind, np.column_stack([other_motion.t, other_motion.drives(arm).torque[:, 0]]))
    assert both.axes[0].lines[0].get_color() == "#000000"
    assert both.get_size_inches()[0] == pytest.approx(0.9 * 13.33)
    with pytest.raises(UnknownName, match="no joint 'joint_3' in the drives of the motion"):
        draw_drive_histories(arm, motion, joints=["joint_3"])
    with pytest.raises(ModelError, match="has no motors"):
        draw_drive_histories(armdyn.load("planar_2r"), motion)
    with pytest.raises(ShapeError, match="pick one of its motions"):
        draw_drive_histories(arm, armdyn.simulate(arm, np.zeros((2, 2)), duration=0.01, method=RungeKutta4(step=0.01)))


def test_map_of_efficiency() -> None:
    """Inside the contour of a level the efficiency is above it, outside below."""
    figure = draw_efficiency_map(MOTOR, points=201)
    contours: Any = figure.axes[0].collections[0]
    filled = contours.get_paths()[list(contours.levels).index(0.7)]  # between 0.7 and the next level, 0.75
    random = np.random.default_rng(1)
    points = random.uniform(-1.0, 1.0, (500, 2)) * abs(MOTOR.region()).max(axis=0)
    of_points = MOTOR.efficiency(points[:, 0] - MOTOR.friction_torque(points[:, 1]), points[:, 1])
    clear = (abs(of_points - 0.7) > 0.01) & (abs(of_points - 0.75) > 0.01)
    clear &= (abs(points) > 0.03 * abs(points).max(axis=0)).all(axis=1)  # the grid does not resolve the axes
    inside = filled.contains_points(points)
    np.testing.assert_array_equal(inside[clear], ((of_points > 0.7) & (of_points < 0.75))[clear])
    assert inside[clear].sum() > 10


def test_map_of_efficiency_names_the_loss_without_load() -> None:
    """Friction takes I_0 = friction/k_t of V_max; the best efficiency is the closed form's."""
    motor = Motor(torque_constant=0.0302, resistance=0.299, friction=0.02, limits=MotorLimits(voltage=24.0))
    axes = draw_efficiency_map(motor, points=51).axes[0]
    current = 0.02 / 0.0302
    best = (1.0 - np.sqrt(current * 0.299 / 24.0)) ** 2
    assert [text.get_text() for text in axes.texts] == [
        f"no load: $I_0$ = {current:.3g} A, loss {24.0 * current:.3g} W",
        f"best: {best:.3g}",
    ]
    points = np.array([np.ravel(line.get_data()) for line in axes.lines if line.get_marker() == "o"])
    currents = np.array([current, np.sqrt(current * 24.0 / 0.299)])
    np.testing.assert_allclose(points[:, 0], 0.0302 * currents, rtol=2e-3)
    np.testing.assert_allclose(points[:, 1], (24.0 - 0.299 * currents) / 0.0302, rtol=2e-3)


def test_errors() -> None:
    with pytest.raises(ModelError, match=r"without limits\.voltage has no region"):
        draw_efficiency_map(Motor(torque_constant=0.03, resistance=0.3))
    with pytest.raises(ModelError, match="points is 1; expected a whole number of at least 2"):
        draw_efficiency_map(MOTOR, points=1)
