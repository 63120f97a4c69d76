"""What is unusual in a log is named with its rows, and used or left out by a stated rule."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.logs import Log, LogError, read

ARM = armdyn.load("planar_2r")
T = np.arange(400) * 0.01
Q = np.stack([0.5 * np.sin(2.0 * T), 0.7 * np.sin(3.0 * T) + 0.1], axis=-1)
QD = np.stack([np.cos(2.0 * T), 2.1 * np.cos(3.0 * T)], axis=-1)
TAU = ARM.inverse_dynamics(Q, QD, np.zeros_like(Q))


def kinds(log: Log) -> dict[str, str]:
    return {finding.kind: finding.text for finding in log.findings}


def test_a_plain_log_has_no_findings() -> None:
    log = read({"t": T, "q": Q, "qd": QD, "tau": TAU}, ARM)
    assert log.notes == ()
    assert (log.rate, log.duration) == pytest.approx((100.0, 3.99), rel=1e-12)


def test_a_row_of_another_length_and_nonsense_after_it(tmp_path: Path) -> None:
    rows = [",".join(map(repr, row)) for row in np.column_stack([T, Q, QD]).tolist()]
    rows[20] = ",".join(rows[20].split(",")[:3])
    rows[21] = "0.21,1e50,0,0,0"
    rows[22] = "0.22,-3e120,nan,0,0"
    (tmp_path / "log.csv").write_text("\n".join(["t,q_joint_1,q_joint_2,qd_joint_1,qd_joint_2", *rows]))
    log = read(tmp_path / "log.csv", ARM)
    keep = np.delete(np.arange(400), [20, 21, 22])
    np.testing.assert_array_equal(log.q, Q[keep])
    assert kinds(log)["row length"] == "1 row of 3 columns instead of 5 left out: line 22"
    assert kinds(log)["damaged rows"] == "2 rows with numbers above 1e6, NaN or infinity left out: lines 23 to 24"
    assert "0.04 s" in kinds(log)["gap"]


def test_a_frame_of_another_message_at_the_start_does_not_hide_the_clock() -> None:
    """Stamps that begin far off, as of a stream that is joined in the middle of a message."""
    t = np.concatenate([[3047.69, -0.1, 0.8, 0.0, 0.0, 47.6], 3048.06 + T])
    q = np.concatenate([np.zeros((6, 2)), Q])
    log = read({"t": t, "q": q}, ARM)
    np.testing.assert_array_equal(log.q, Q)
    assert log.start == pytest.approx(3048.06, rel=1e-15)
    assert "rows 0 to" in kinds(log)["falling stamp"]


def test_repeated_and_falling_stamps() -> None:
    t = T.copy()
    t[50] = t[49]
    t[100] = t[90]
    log = read({"t": t, "q": Q}, ARM)
    np.testing.assert_array_equal(log.q, np.delete(Q, [50, 100], axis=0))
    assert "1 row with the stamp of an earlier row left out: row 50" in kinds(log)["repeated stamp"]
    assert "row 100" in kinds(log)["falling stamp"]
    assert (np.diff(log.t) > 0.0).all()


def test_a_clock_that_was_set_anew() -> None:
    t = np.concatenate([T[:300], T[:100]])
    log = read({"t": t, "q": Q}, ARM)
    np.testing.assert_array_equal(log.t, T[:300])
    assert "give each as a log of its own" in kinds(log)["falling stamp"]


def test_jitter_and_gaps_are_stated_and_kept() -> None:
    rng = np.random.default_rng(0)
    t = T + rng.normal(scale=1e-3, size=400).clip(-4e-3, 4e-3)
    t[200:] += 0.5
    log = read({"t": t, "q": Q}, ARM)
    assert len(log) == 400
    assert "a fit resamples signals by the stamps" in kinds(log)["jitter"]
    assert "1 interval longer than 2.5 usual ones" in kinds(log)["gap"]
    assert [(piece.start, piece.stop) for piece in log.pieces()] == [(0, 200), (200, 400)]


def test_a_single_row_far_from_both_neighbours() -> None:
    q = Q.copy()
    q[77, 1] += 3.0
    log = read({"t": T, "q": q}, ARM)
    np.testing.assert_array_equal(log.q, np.delete(Q, 77, axis=0))
    assert "row 77" in kinds(log)["spike"]


def test_constant_and_saturated_channels() -> None:
    tau = TAU.copy()
    tau[:, 1] = 0.25
    tau[:, 0] = tau[:, 0].clip(None, bound := float(np.quantile(tau[:, 0], 0.8)))
    log = read({"t": T, "q": Q, "tau": tau}, ARM)
    assert kinds(log)["constant channel"] == "tau of joint_2 is constant"
    assert f"tau of joint_1 is at its bound of {bound:.4g} in 80 rows" in kinds(log)["saturated channel"]
    assert "which a fit leaves out" in kinds(log)["saturated channel"]


def test_degrees_that_are_read_as_radians() -> None:
    with pytest.raises(LogError, match=r"changes 57.3 times as fast as qd states: .*units=\{'q': 'deg'\}"):
        read({"t": T, "q": np.rad2deg(Q), "qd": QD}, ARM)
    with pytest.raises(LogError, match=r"velocities are in deg/s.*units=\{'qd': 'deg/s'\}"):
        read({"t": T, "q": Q, "qd": np.rad2deg(QD)}, ARM)
    with pytest.raises(LogError, match="velocities are in rpm"):
        read({"t": T, "q": Q, "qd": QD * 60.0 / (2.0 * np.pi)}, ARM)
    log = read({"t": T, "q": np.rad2deg(Q), "qd": QD}, ARM, units={"q": "deg"})
    np.testing.assert_allclose(log.q, Q, rtol=1e-14, atol=1e-16)


def test_degrees_without_velocities_are_seen_by_the_limits() -> None:
    arm = armdyn.load("ur5")
    q = np.rad2deg(np.outer(np.sin(T), [1.0, 1.2, 1.1, 1.0, 1.0, 1.0]))
    with pytest.raises(LogError, match="within the limits if they are degrees"):
        read({"t": T, "q": q}, arm)
    assert len(read({"t": T, "q": q}, arm, units={"q": "rad"})) == 400


def test_columns_of_joints_in_another_order() -> None:
    with pytest.raises(LogError, match=r"q of joint_1 changes as qd of joint_2 states .*joints are in another order"):
        read({"t": T, "q": Q, "qd": QD[:, ::-1]}, ARM)
    opposite = read({"t": T, "q": Q, "qd": QD * [1.0, -1.0]}, ARM)
    assert kinds(opposite)["velocity sign"] == "qd of joint_2 has the opposite sign of the change of q"


def test_a_part_of_a_log_and_a_log_cannot_be_changed() -> None:
    log = read({"t": T, "q": Q}, ARM)
    part = log.between(1.0, 2.0)
    assert (part.t[0], part.t[-1]) == pytest.approx((1.0, 2.0), abs=1e-12)
    with pytest.raises(LogError, match="has no rows between 7 and 8 s"):
        log.between(7.0, 8.0)
    with pytest.raises(ValueError, match="read-only"):
        log.q[0] = 1.0


def test_joints_that_turn_many_times_are_not_in_degrees_if_their_velocities_agree() -> None:
    """An arm that spins, as one that falls in a simulation, beyond its limits."""
    arm, t = armdyn.load("ur5"), np.arange(1200) * 0.01
    q = np.outer(t, [5.0, 4.0, 4.5, 0.1, 0.1, 0.1]) + 40.0
    q += 0.2 * np.sin(t)[:, None]
    log = read({"t": t, "q": q, "qd": np.gradient(q, t, axis=0)}, arm)
    assert len(log) == 1200
    assert sum(finding.kind == "beyond limits" for finding in log.findings) == 6
    with pytest.raises(LogError, match="within the limits if they are degrees"):
        read({"t": t, "q": q}, arm)
