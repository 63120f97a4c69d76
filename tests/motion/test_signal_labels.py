"""Names and units of the values of signals: known where armdyn makes them, kept in files, shown in pictures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.actuators import Actuator, Gear, LuGre, MaxwellSlip, Motor, MotorLimits, Supply, Thermal
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.simulation import Contact, RungeKutta4, Stops
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

SLIDING = armdyn.load("scara", locked={"wrist": 0.0})
"""Two joints that turn and one that slides, all with limits."""

MOVES: dict[str, Any] = {"duration": 0.01, "method": RungeKutta4(1e-3)}


def test_of_stops_contacts_and_friction(tmp_path: Path) -> None:
    arm = SLIDING.with_friction({"elbow": (0.0, 0.1), "quill_slide": (0.0, 0.2)})
    table = Contact(armdyn.constraints.PointOnPlane("tip", (0, 0, 1), (0, 0, -1.0), name="table"))
    motion = armdyn.simulate(arm, [0.1, 0.2, 0.05], elements=[Stops(0.5), table], **MOVES)
    stops = [("shoulder lower stop", "N m"), ("shoulder upper stop", "N m"), ("elbow lower stop", "N m")]
    assert motion.signal_labels["stop_force"][:3] == tuple(stops)
    assert motion.signal_labels["stop_force"][-1] == ("quill_slide upper stop", "N")
    assert motion.signal_labels["contact_force"] == (("table", "N"),)
    assert motion.signal_labels["friction"] == (("shoulder", "N m"), ("elbow", "N m"), ("quill_slide", "N"))
    for name in ("motion.npz", "motion.parquet"):
        motion.save(tmp_path / name)
        assert armdyn.Trajectory.load(tmp_path / name).signal_labels == motion.signal_labels
    panels = {axes.get_title("left"): axes for axes in motion.plot(signals=list(motion.signals)).axes}
    assert r"contact force $\lambda$ [N]" in panels
    shown = [len(panels[rf"friction $\tau_{{\mathrm{{f}}}}$ [{unit}]"].lines) for unit in ("N m", "N")]
    assert shown == [2, 1]


def test_of_bristles() -> None:
    law = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=1.5, kinetic=1.0, speed=0.1)
    springs = MaxwellSlip(stiffnesses=[400.0, 50.0], forces=[1.0, 1.0])
    arm = SLIDING.with_actuators({"elbow": Actuator(friction=law), "quill_slide": Actuator(friction=springs)})
    found = armdyn.simulate(arm, [0.1, 0.2, 0.05], **MOVES).signal_labels["bristles"]
    assert found == (("elbow LuGre", "rad"), ("quill_slide MaxwellSlip 1", "m"), ("quill_slide MaxwellSlip 2", "m"))


def test_of_controllers_and_constraints(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(
        "robot: scara\nduration: 0.004\nmethod: rk4\nq0: [0.4, 0.6, 0.05, 0]\nclose_loop: true\n"
        "constraints: {table: {point_on_plane: {frame: tip, normal: [0, 0, 1], through: [0, 0, 0.1]}}}\n"
        "controller: [pd_gravity, {saturated: {limits: 9}}]\ninputs: {q_ref: 0, qd_ref: 0, Kp: 1, Kd: 1}\n"
    )
    words = Words.read(path)
    labels = MotionSettings.of(words, words.robot()).simulate().signal_labels
    assert labels["multipliers"] == (("table", "N"),)
    assert labels["tau_unlimited"][2:] == (("quill_slide", "N"), ("wrist", "N m"))


def test_of_ones_own() -> None:
    motion = armdyn.simulate(SLIDING, [0.1, 0.2, 0.05], **MOVES).with_signals(error=np.zeros((11, 2)))
    assert "error" not in motion.signal_labels
    named = motion.with_signal_labels(error=[("left", "m"), ("right", "m")])
    assert [axes.get_title("left") for axes in named.plot(panels=(), signals=["error"]).axes] == ["error [m]"]
    assert "error" not in named.with_signals(error=np.zeros((11, 3))).signal_labels
    with pytest.raises(ShapeError, match="error has 1 labels; expected 2"):
        motion.with_signal_labels(error=[("left", "m")])
    with pytest.raises(UnknownName, match="no signal 'eror'"):
        motion.with_signal_labels(eror=[])


def test_times_stand_below_the_lowest_panel_of_each_column() -> None:
    motion = armdyn.simulate(SLIDING, [0.1, 0.2, 0.05], [1.0, 1.0, 0.1], **MOVES)

    def numbered(*panels: str) -> list[bool]:
        axes = motion.plot(panels=panels).axes
        return [bool(one.xaxis.get_tick_params()["labelbottom"]) for one in axes]

    assert numbered("q", "energy") == [False, True, True]  # q of joints that turn and slide, and one below the first
    assert numbered("q", "qd") == [False, False, True, True]


def test_of_motors_and_what_stands_around_a_controller(tmp_path: Path) -> None:
    """Currents, temperatures, powers, delayed forces and counters of a loop have quantity, unit and joint."""
    limits = MotorLimits(voltage=24.0, current=20.0)
    thermal = Thermal(1.0, 2.0, 10.0, 100.0)
    motor = Motor(1.4e-5, torque_constant=0.03, resistance=0.3, inductance=8e-5, limits=limits, thermal=thermal)
    drive = Actuator(motor, Gear(100.0))
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    inside = control.delayed(control.sampled(control.momentum_observer(control.pd_gravity), every=2), steps=2)
    law = control.through_motors(inside, supply=Supply(24.0, resistance=0.1, capacitance=0.01))
    aim = {"q_ref": [0.5, 0.5], "qd_ref": np.zeros(2), "Kp": [400.0, 100.0], "Kd": [60.0, 20.0], "K_observer": 50.0}
    motion = armdyn.ClosedLoop(robot, law, record=()).simulate([0.0, 0.0], steps=20, **aim)
    labels = motion.signal_labels
    assert set(motion.signals) - set(labels) == {"sampled_step", "observer_started"}  # numbers without a unit
    assert labels["sampled_residual"] == (("joint_1", "N m"), ("joint_2", "N m"))
    assert labels["current"] == (("joint_1", "A"), ("joint_2", "A"))
    assert labels["winding_rise"][1] == ("joint_2", "K")
    assert labels["observed_momentum"][0] == ("joint_1", "N m s")
    assert labels["bus_voltage"] == (("", "V"),)
    assert labels["delayed_tau"][1:3] == (("joint_2, next step", "N m"), ("joint_1, in 2 steps", "N m"))
    assert "current (motor current I, A)" in str(motion)
    columns = motion.to_dict()
    np.testing.assert_array_equal(columns["signal_current_joint_2"], motion.signals["current"][:, 1])
    assert list(columns)[-1] != "signal_current_1"
    table = motion.to_dataframe()
    assert table.attrs["units"]["signal_winding_rise_joint_1"] == "K"
    assert table.attrs["quantities"]["signal_current_joint_1"] == "motor current I"
    for name in ("motion.csv", "motion.parquet", "motion.npz"):
        motion.save(tmp_path / name)
        again = armdyn.Trajectory.load(tmp_path / name)
        assert again.signal_labels == labels
        for signal, values in motion.signals.items():
            np.testing.assert_array_equal(again.signals[signal], values)
    header = (tmp_path / "motion.csv").read_text().splitlines()[0]
    assert "signal_current_joint_1 [A]" in header
    assert "signal_bus_voltage_0 [V]" in header


@pytest.mark.parametrize(
    "labels",
    [
        [("0", "m"), ("1", "")],
        [("1", "m"), ("0", "m")],
        [("x [m]", ""), ("y", "]")],
        [("a_b", "m"), ("a_b", "m")],
        [("shoulder", "m"), ("quill_slide", "N")],
        [("", ""), ("", "kg")],
    ],
)
def test_names_that_a_header_cannot_hold_become_numbers(labels: list[tuple[str, str]], tmp_path: Path) -> None:
    """The numbers come back from a csv; the labels too, or not at all."""
    motion = armdyn.simulate(SLIDING, [0.1, 0.2, 0.05], **MOVES)
    values = np.arange(22.0).reshape(11, 2)
    motion = motion.with_signals(own_1=values, own=values + 1.0).with_signal_labels(own_1=labels, own=labels)
    motion.save(tmp_path / "a.csv")
    motion.save(tmp_path / "a.parquet")
    again = armdyn.Trajectory.load(tmp_path / "a.csv")
    for name, kept in motion.signals.items():
        np.testing.assert_array_equal(again.signals[name], kept)
        assert again.signal_labels.get(name, motion.signal_labels[name]) == motion.signal_labels[name]
    assert armdyn.Trajectory.load(tmp_path / "a.parquet").signal_labels == motion.signal_labels


def test_limits_go_into_files(tmp_path: Path) -> None:
    motion = armdyn.simulate(SLIDING, [0.1, 0.2, 0.05], **MOVES)
    assert motion.limits == tuple(joint.limits for joint in SLIDING.joints)
    for name in ("a.npz", "a.parquet"):
        motion.save(tmp_path / name)
        assert armdyn.Trajectory.load(tmp_path / name).limits == motion.limits
