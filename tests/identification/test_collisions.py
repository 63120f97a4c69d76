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
    assert set(hits.found[0].joints) == {"elbow_joint", "wrist_2_joint"}
    assert hits.found[0].start == pytest.approx(5.0, abs=0.03)
    assert dict(zip(hits.found[0].joints, np.sign(hits.found[0].peaks), strict=True)) == {
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
    assert [each.joints[0] for each in hits.found] == ["elbow_joint"]
    assert np.nanmax(np.abs(collisions(ARM, log).residual)) > 8.0  # friction that the description lacks


def test_a_threshold_and_bad_input() -> None:
    log = recorded(ARM, MOTION, noise=0.3)
    assert len(collisions(ARM, log, threshold=np.full(6, 1e-3))) > 0
    with pytest.raises(IdentificationError, match="no joint forces"):
        collisions(ARM, {"t": log["t"], "q": log["q"]})
    with pytest.raises(IdentificationError, match="settled"):
        collisions(ARM, {name: x[:20] for name, x in log.items()})
