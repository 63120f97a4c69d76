"""Forces from outside in a log: the residual is that of the filter, contacts come out, a quiet log has none."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.identification import IdentificationError, collisions
from identification.arms import fourier, recorded

ARM = armdyn.load("ur5")
MOTION = fourier(6, 10.0, 200.0)
PUSH = slice(1000, 1040)


def test_the_residual_is_the_force_through_the_filter() -> None:
    log = recorded(ARM, MOTION)
    t, force = log["t"], np.array([3.0, -4.0, 0.0, 0.0, 1.0, 0.0])
    log["tau"][800:] -= force  # from t = 4 s on, from outside
    hits = collisions(ARM, log, gain=20.0)
    expected = force * (1.0 - np.exp(-20.0 * np.maximum(t - 4.0, 0.0)))[:, None]
    np.testing.assert_allclose(hits.residual[100:], expected[100:], rtol=0, atol=0.3)
    np.testing.assert_allclose(hits.residual[-1], force, rtol=0, atol=0.02)


def test_a_push_is_found_with_its_joints_and_its_time_and_a_quiet_log_has_none() -> None:
    log = recorded(ARM, MOTION, noise=0.3)
    assert len(collisions(ARM, log)) == 0
    log["tau"][PUSH] -= [0.0, 0.0, 12.0, 0.0, -9.0, 0.0]
    hits = collisions(ARM, log)
    assert len(hits) == 1
    assert set(hits.events[0].joints) == {"elbow_joint", "wrist_2_joint"}
    assert hits.events[0].start == pytest.approx(5.0, abs=0.03)
    assert dict(zip(hits.events[0].joints, np.sign(hits.events[0].peaks), strict=True)) == {
        "elbow_joint": 1.0,
        "wrist_2_joint": -1.0,
    }
    assert "elbow_joint" in str(hits)


def test_a_fit_brings_its_friction() -> None:
    arm = ARM.with_friction(dict.fromkeys(ARM.joint_names, (4.0, 6.0)))
    log = recorded(arm, MOTION, noise=0.2)
    fit = armdyn.identify(ARM, log, friction=("viscous", "coulomb"), delay=None, prior_weight=1e-3)
    log["tau"][PUSH] -= [0.0, 0.0, 15.0, 0.0, 0.0, 0.0]
    hits = collisions(fit, log)
    assert [each.joints[0] for each in hits.events] == ["elbow_joint"]
    assert np.nanmax(np.abs(collisions(ARM, log).residual)) > 8.0  # friction that the description lacks


def test_a_constant_force_has_the_residual_of_a_filter_in_closed_form() -> None:
    """Of a joint that stands, between equal rows: r = f (1 - exp(-K t)), to the rounding."""
    t = np.arange(0.0, 3.0, 0.01)
    q = np.tile([0.3, -1.0, 1.2, 0.4, 0.2, 0.1], (len(t), 1))
    tau, force = ARM.gravity_forces(q), np.array([5.0, -3.0, 2.0, 0.0, 1.0, -0.5])
    hits = collisions(
        ARM, {"t": t, "q": q, "qd": np.zeros_like(q), "tau": tau - force}, gain=12.0, threshold=np.full(6, 0.4)
    )
    settled = np.isfinite(hits.residual).all(axis=1)
    expected = force * (1.0 - np.exp(-12.0 * t))[:, None]
    np.testing.assert_allclose(hits.residual[settled], expected[settled], rtol=1e-12, atol=1e-12)
    assert len(hits) == 1
    assert hits.as_json()["collisions"][0]["peaks"].keys() == set(ARM.joint_names) - {"wrist_1_joint"}


def test_logs_without_contact_give_the_thresholds() -> None:
    quiet = [recorded(ARM, fourier(6, 10.0, 200.0, seed=seed), noise=0.3, seed=seed) for seed in (3, 4)]
    log = recorded(ARM, MOTION, noise=0.3)
    assert len(collisions(ARM, log, quiet=quiet)) == 0
    assert all(len(collisions(ARM, each, quiet=quiet)) == 0 for each in quiet)
    log["tau"][400:] -= [0.0, 0.0, 6.0, 0.0, 0.0, 0.0]  # for most of the log, so that it has no threshold of its own
    hits = collisions(ARM, log, quiet=quiet)
    assert [each.joints for each in hits.events] == [("elbow_joint",)]
    assert len(hits.rows().values) == np.isfinite(hits.residual).all(axis=1).sum()


def test_a_single_row_is_no_contact() -> None:
    log = recorded(ARM, MOTION, noise=0.1)
    log["tau"][1000] -= [0.0, 40.0, 0.0, 0.0, 0.0, 0.0]  # a jump of the drive's command: above 3.5 N m for 12 ms
    hits = collisions(ARM, log, threshold=np.full(6, 3.5))
    assert np.nanmax(np.abs(hits.residual[:, 1])) > 3.5
    assert len(hits) == 0


def test_a_fit_takes_back_its_delays() -> None:
    log = recorded(ARM, MOTION, noise=0.05, delay=0.02)
    fit = armdyn.identify(ARM, log, friction=("viscous", "coulomb"), prior_weight=1e-3)
    assert fit.delays[:5] == pytest.approx(0.02, abs=0.004)
    late, taken_back = (np.nanstd(collisions(each, log).residual, axis=0) for each in (ARM, fit))
    assert (taken_back < 0.6 * late)[:5].all()


def test_a_threshold_and_bad_input() -> None:
    log = recorded(ARM, MOTION, noise=0.3)
    assert len(collisions(ARM, log, threshold=np.full(6, 1e-3))) > 0
    with pytest.raises(IdentificationError, match="no joint forces"):
        collisions(ARM, {"t": log["t"], "q": log["q"]})
    with pytest.raises(IdentificationError, match="settled"):
        collisions(ARM, {name: x[:20] for name, x in log.items()})
