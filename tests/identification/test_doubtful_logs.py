"""Logs and descriptions that a fit must not take in silence: each is named, with what to record instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError
from armdyn.identification import Fit, IdentificationError
from armdyn.logs import LogError, read
from armdyn.spatial.rotations import Array
from identification.arms import fourier, recorded

UR5 = armdyn.load("ur5")
ARM = UR5.with_friction(dict.fromkeys(UR5.joint_names, (2.0, 3.0)))
MOTION = fourier(6, 12.0, 100.0)
PLAIN: dict[str, Any] = {"friction": ("viscous", "coulomb"), "armature": False, "delay": None}


def notes(fit: Fit, words: str) -> str:
    """The notes of a fit that have these words; empty if none has."""
    return " ".join(note for note in fit.notes if words in note)


def test_a_link_that_is_twice_as_heavy_in_the_description() -> None:
    parameters = UR5.standard_parameters()
    values, first = parameters.values.copy(), parameters.names.index("forearm_link.m")
    values[first : first + 10] *= 2.0
    log = recorded(ARM, MOTION, noise=0.3)
    wrong = armdyn.identify(UR5.with_standard_parameters(values), log, **PLAIN)
    assert "forearm_link.mc_z" in notes(wrong, "the logs contradict the description")
    assert "by the logs" in notes(wrong, "the logs contradict the description")
    assert not notes(armdyn.identify(UR5, log, **PLAIN), "contradict")


def test_logs_of_two_arms_with_the_same_joints() -> None:
    """The second arm carries 5 kg."""
    logs = [
        recorded(ARM, MOTION, noise=0.3),
        recorded(ARM.with_payload(mass=5.0), fourier(6, 12.0, 100.0, seed=3), noise=0.3),
    ]
    text = notes(armdyn.identify(UR5, logs, **PLAIN), "logs disagree")
    assert "Logs of another robot, tool or payload" in text
    assert "number 2" in text
    same = [logs[0], recorded(ARM, fourier(6, 12.0, 100.0, seed=3), noise=0.3, seed=9)]
    assert not notes(armdyn.identify(UR5, same, **PLAIN), "disagree")


def test_too_slow_a_motion() -> None:
    """One tenth of the speed: inertias are lost in the noise."""
    slow = armdyn.identify(UR5, recorded(ARM, fourier(6, 60.0, 25.0, period=100.0), noise=0.3), **PLAIN)
    text = notes(slow, "the motion does not determine")
    assert "inertias need fast and different accelerations" in text
    assert "first moments" not in text
    fast = armdyn.identify(UR5, recorded(ARM, fourier(6, 60.0, 100.0), noise=0.3), **PLAIN)
    assert int(text.split("determine ")[1].split()[0]) > 10 > _count(notes(fast, "does not determine"))


def _count(text: str) -> int:
    return int(text.split("determine ")[1].split(maxsplit=1)[0]) if text else 0


def test_joints_that_turn_nothing_against_gravity() -> None:
    """Shoulder and elbow stand: the wrist alone moves, and the arm's first moments are not determined."""
    t, q, qd, qdd = (x.copy() for x in MOTION)
    for x in (qd, qdd):
        x[:, :5] = 0.0
    q[:, :5] = 0.3
    fit = armdyn.identify(UR5, recorded(ARM, (t, q, qd, qdd), noise=0.3), **PLAIN)
    assert "first moments need joints that turn links against gravity" in notes(fit, "does not determine")
    assert "shoulder_pan_joint" in notes(fit, "stand still")


def test_parallel_axes_without_gravity_determine_their_base_parameters_only() -> None:
    """Gravity along the axes of a planar arm: first moments about the first axis have no effect, and are not fitted."""
    flat = armdyn.load("planar_2r").with_gravity([0.0, 0.0, -9.81])
    axes = flat.with_friction({"joint_1": (0.4, 1.5), "joint_2": (0.2, 0.8)})
    motion = fourier(2, 20.0, 100.0)
    fit = armdyn.identify(flat, recorded(axes, motion, noise=0.05), **PLAIN)
    assert len(fit.base_values) < len(armdyn.load("planar_2r").base_parameters().names)
    q, qd, qdd = (x[::50] for x in motion[1:])
    np.testing.assert_allclose(fit.robot.inverse_dynamics(q, qd, qdd), axes.inverse_dynamics(q, qd, qdd), atol=0.3)
    assert not notes(fit, "does not determine")


def test_a_row_of_twenty_columns_and_then_nonsense(tmp_path: Path) -> None:
    """As a log of a UR10e ends: half a row, then numbers of 1e50. The fit is that of the rows before."""
    log = recorded(ARM, MOTION, noise=0.1)
    table = np.column_stack([log["t"], log["q"], log["qd"], log["tau"]])
    whole, cut = tmp_path / "whole.csv", tmp_path / "cut.csv"
    np.savetxt(whole, table, delimiter=",")
    lines = whole.read_text().splitlines()
    rng = np.random.default_rng(0)
    nonsense = [",".join(f"{x:.6g}" for x in 10.0 ** rng.uniform(-50.0, 50.0, 19)) for _ in range(5)]
    cut.write_text("\n".join([*lines, ",".join(lines[-1].split(",")[:12]), *nonsense]) + "\n")
    columns = {"t": 0, "q": slice(1, 7), "qd": slice(7, 13), "tau": slice(13, 19)}
    damaged, clean = (read(path, UR5, columns=columns) for path in (cut, whole))
    assert any("instead of 19 left out" in str(finding) for finding in damaged.findings)
    assert any("numbers above 1e6" in str(finding) for finding in damaged.findings)
    one, other = (armdyn.identify(UR5, each, **PLAIN, prior_weight=10.0) for each in (damaged, clean))
    np.testing.assert_allclose(one.values, other.values, rtol=1e-6, atol=1e-9)


def test_stamps_that_jump_are_named_and_do_not_move_the_fit() -> None:
    log = recorded(ARM, MOTION, noise=0.1)
    stamps = log["t"].copy()
    stamps[[300, 700]] += [40.0, -3.0]
    jumped = read({**log, "t": stamps}, UR5)
    assert any("stamps that fall or jump" in str(finding) for finding in jumped.findings)
    one, other = (armdyn.identify(UR5, each, **PLAIN, prior_weight=10.0) for each in (jumped, log))
    np.testing.assert_allclose(one.base_values, other.base_values, rtol=0, atol=0.5 * other.base_deviations.max())


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"q": np.rad2deg(MOTION[1])}, LogError, r"units=\{'q': 'deg'\}"),
        ({"tau": -recorded(ARM, MOTION)["tau"]}, IdentificationError, "have the opposite sign"),
        ({"q": MOTION[1][:, [0, 2, 1, 3, 4, 5]]}, LogError, "columns of joints are in another order"),
        ({"q": MOTION[1][:1] + np.zeros((len(MOTION[0]), 6)), "qd": np.zeros((len(MOTION[0]), 6))},
         IdentificationError, "Record each joint moving over most of its range"),
    ],
)  # fmt: skip
def test_what_to_state_or_record_instead(change: dict[str, Array], error: type[ArmdynError], words: str) -> None:
    with pytest.raises(error, match=words):
        armdyn.identify(UR5, {**recorded(ARM, MOTION), **change}, **PLAIN)


def test_one_joint_goes_through_the_whole_pipeline() -> None:
    """A pendulum: arrays of shape (T, 1), from the log to the payload and the gains."""
    from identification.arms import pendulum

    arm = pendulum()
    log = recorded(arm, fourier(1, 15.0, 100.0), noise=0.05)
    fit = armdyn.identify(arm, log, **PLAIN)
    assert fit.robot.inverse_dynamics([0.1], [0.2], [0.3]).shape == (1,)
    assert fit.check(log).rms.shape == (1,)
    assert arm.kinetic_energy_regressor([0.1], [0.2]).shape == (10,)
    held = recorded(arm.with_payload(mass=0.5, com=[0.3, 0.0, 0.0]), fourier(1, 15.0, 100.0), noise=0.05)
    assert armdyn.identification.payload(fit, held).values[0] > 0.0
    currents = [{"t": each["t"], "q": each["q"], "current": each["tau"] / 5.0} for each in (log, held)]
    gains = armdyn.identification.drive_gains(arm, currents[0], **{k: v for k, v in PLAIN.items() if k != "delay"})
    assert gains.values == pytest.approx([5.0], rel=0.02)
    with pytest.raises(IdentificationError, match="has no joint forces"):
        armdyn.identify(arm, {"t": log["t"], "q": log["q"]}, **PLAIN)


def test_nominal_parameters_go_round_trip_through_the_fit_and_through_files(tmp_path: Path) -> None:
    """A fit on the description's own torques is the description, also as URDF read again."""
    fit = armdyn.identify(UR5, recorded(UR5, MOTION), **PLAIN, prior_weight=1.0)
    np.testing.assert_allclose(
        fit.robot.standard_parameters().values[:60], UR5.standard_parameters().values[:60], atol=2e-3
    )
    fit.robot.to_urdf(tmp_path / "fit.urdf")
    again = armdyn.load(tmp_path / "fit.urdf")
    q, qd, qdd = (x[::100] for x in MOTION[1:])
    expected = fit.robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(again.inverse_dynamics(q, qd, qdd), expected, rtol=1e-9, atol=1e-9)
