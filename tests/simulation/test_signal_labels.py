"""Names and units of the values of signals: known where armdyn makes them, kept in files, shown in pictures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, LuGre, MaxwellSlip
from armdyn.errors import ShapeError, UnknownName
from armdyn.simulation import Contact, RungeKutta4, Stops
from armdyn.studies.motion import Motion
from armdyn.studies.words import Words

SLIDING = armdyn.load("scara", locked={"wrist": 0.0})
"""Two joints that turn and one that slides, all with limits."""

MOVES: dict[str, Any] = {"duration": 0.01, "method": RungeKutta4(1e-3)}


def test_of_stops_contacts_and_friction(tmp_path: Path) -> None:
    arm = SLIDING.with_friction({"elbow": (0.0, 0.1), "quill_slide": (0.0, 0.2)})
    table = Contact(armdyn.constraints.PointOnPlane("tip", (0, 0, 1), (0, 0, -1.0), name="table"))
    motion = armdyn.simulate(arm, [0.1, 0.2, 0.05], stops=Stops(0.5), contacts=[table], **MOVES)
    stops = [("shoulder lower stop", "N m"), ("shoulder upper stop", "N m"), ("elbow lower stop", "N m")]
    assert motion.signal_labels["stop_force"][:3] == tuple(stops)
    assert motion.signal_labels["stop_force"][-1] == ("quill_slide upper stop", "N")
    assert motion.signal_labels["contact_force"] == (("table", "N"),)
    assert motion.signal_labels["friction"] == (("shoulder", "N m"), ("elbow", "N m"), ("quill_slide", "N"))
    for name in ("motion.npz", "motion.parquet"):
        motion.save(tmp_path / name)
        assert armdyn.Trajectory.load(tmp_path / name).signal_labels == motion.signal_labels
    panels = {axes.get_ylabel(): axes.get_legend() for axes in motion.plot().axes}
    assert "contact_force [N]" in panels
    shown = [[text.get_text() for text in panels[f"friction [{unit}]"].get_texts()] for unit in ("N m", "N")]
    assert shown == [["shoulder", "elbow"], ["quill_slide"]]


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
    labels = Motion.of(words, words.robot()).simulate().signal_labels
    assert labels["multipliers"] == (("table", "N"),)
    assert labels["tau_unlimited"][2:] == (("quill_slide", "N"), ("wrist", "N m"))


def test_of_ones_own() -> None:
    motion = armdyn.simulate(SLIDING, [0.1, 0.2, 0.05], **MOVES).with_signals(error=np.zeros((11, 2)))
    assert "error" not in motion.signal_labels
    named = motion.with_signal_labels(error=[("left", "m"), ("right", "m")])
    assert [axes.get_ylabel() for axes in named.plot(panels=(), signals=["error"]).axes] == ["error [m]"]
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

    assert numbered("q", "energy") == [True, True, True]  # q of joints that turn and slide, and a wide one below them
    assert numbered("q", "qd") == [False, False, True, True]
