"""The stiffness of position servos from goals and positions: exact, with intervals, and what a log lacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.identification import IdentificationError, servo_stiffness
from identification.arms import fourier

ARM = armdyn.load("planar_2r").with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.2, 0.5)})
K = np.array([300.0, 100.0])


def goals(k: np.ndarray, *, noise: float = 0.0, seed: int = 0) -> dict[str, np.ndarray]:
    t, q, qd, qdd = fourier(2, 20.0, 100.0)
    offset = ARM.inverse_dynamics(q, qd, qdd) / k
    return {"t": t, "q": q, "qd": qd, "q_ref": q + offset + noise * np.random.default_rng(seed).normal(size=q.shape)}


def test_each_joint_has_its_own() -> None:
    found = servo_stiffness(ARM.without_friction(), goals(K))
    np.testing.assert_allclose(found.values, K, rtol=2e-3)
    assert "joint_2" in str(found)


def test_one_for_all_and_the_torques_of_a_log() -> None:
    log = armdyn.logs.read(goals(np.full(2, 150.0), noise=1e-3), ARM)
    found = servo_stiffness(ARM.without_friction(), log, shared=True)
    np.testing.assert_allclose(found.values, 150.0, rtol=5e-3)
    np.testing.assert_array_equal(found.torques(log).tau, found.values * (log.q_ref - log.q))
    assert "one for all" in str(found)


def test_intervals_cover_the_truth() -> None:
    covered = []
    for seed in range(40):
        found = servo_stiffness(ARM.without_friction(), goals(K, noise=0.02, seed=seed))
        covered.append((found.intervals[:, 0] < K) & (found.intervals[:, 1] > K))
    assert np.mean(covered) > 0.85


def test_masses_of_the_description_are_the_scale() -> None:
    twice = ARM.without_friction()
    pi = np.array(twice.standard_parameters(armature=False, damping=False, friction=False).values)
    twice = twice.with_standard_parameters(2.0 * pi, armature=False, damping=False, friction=False)
    np.testing.assert_allclose(servo_stiffness(twice, goals(K)).values, 2.0 * K, rtol=2e-3)


def test_what_a_log_lacks_is_named() -> None:
    log = goals(K)
    with pytest.raises(IdentificationError, match="no goals of servos"):
        servo_stiffness(ARM, {name: log[name] for name in ("t", "q", "qd")})
    still = log | {"q_ref": log["q"] + 0.01 * np.random.default_rng(1).normal(size=log["q"].shape)}
    with pytest.raises(IdentificationError, match=r"joint_1.*shared=True"):
        servo_stiffness(ARM, still)


def test_goals_are_read_by_the_labels_of_lerobot_in_degrees(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    log = goals(K)
    rows = {"timestamp": log["t"], "observation.state": list(np.degrees(log["q"]))}
    rows["action"] = list(np.degrees(log["q_ref"]))
    pandas.DataFrame(rows).to_parquet(tmp_path / "run.parquet")
    read = armdyn.logs.read(tmp_path / "run.parquet", ARM, units={"q": "deg"})
    np.testing.assert_allclose(read.q_ref, log["q_ref"], rtol=0, atol=1e-12)
    assert any("q_ref from 'action'" in guess for guess in read.guesses)
