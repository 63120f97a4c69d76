"""Bodies on arms from pairs of logs: what was mounted comes out, in the frame, with intervals that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification import Fit, IdentificationError, Payload, payload
from armdyn.identification.payload_result import QUANTITIES, quantities_of
from armdyn.identification.payloads import frame_map
from identification.arms import fourier, recorded, wrong_description

ARM = armdyn.load("ur5").with_friction(dict.fromkeys(armdyn.load("ur5").joint_names, (2.0, 3.0)))
WARMER = ARM.with_friction(dict.fromkeys(ARM.joint_names, (1.6, 2.7)))
BODY = armdyn.inertia.box((0.2, 0.1, 0.15), mass=1.5).at([0.02, -0.03, 0.08])
MOTION = fourier(6, 16.0, 100.0)
SETTINGS: dict[str, Any] = {"friction": ("viscous", "coulomb"), "delay": None, "prior_weight": 1e-3}


def truth(body: armdyn.Inertia) -> np.ndarray:
    entries = [body.tensor[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
    return np.array([body.mass, *body.com, *entries])


@pytest.fixture(scope="module")
def fit() -> Fit:
    """Of a wrong description of the arm, on a log of it with noise."""
    return armdyn.identify(wrong_description(ARM), recorded(ARM, MOTION, noise=0.3), **SETTINGS)


def test_a_body_comes_out_in_the_frame_in_which_it_was_mounted_with_friction_that_changed(fit: Fit) -> None:
    log = recorded(WARMER.with_payload(BODY, "tool0"), MOTION, noise=0.3, seed=5)
    body = payload(fit, log, frame="tool0")
    assert body.mass == pytest.approx(1.5, rel=0.01)
    np.testing.assert_allclose(body.com, [0.02, -0.03, 0.08], rtol=0, atol=3e-3)
    inside = [value in body.intervals[name] for name, value in zip(QUANTITIES, truth(BODY), strict=True)]
    assert sum(inside) >= 9
    assert np.linalg.eigvalsh(body.inertia)[0] > 0.0
    assert (body.residual_deviations[:5] < body.without[:5]).all()
    q = MOTION[1][::100]
    expected = ARM.with_payload(BODY, "tool0").gravity_forces(q) - ARM.gravity_forces(q)
    np.testing.assert_allclose(body.on(ARM).gravity_forces(q) - ARM.gravity_forces(q), expected, rtol=0, atol=0.2)


def test_without_noise_the_body_is_exact_to_the_filters() -> None:
    logs = [recorded(arm, MOTION) for arm in (ARM, ARM.with_payload(BODY, "tool0"))]
    body = payload(ARM, logs[1], unloaded=logs[0], frame="tool0", **SETTINGS)
    np.testing.assert_allclose(body.values, truth(BODY), rtol=0, atol=2e-3)


def test_an_arm_as_described_needs_no_unloaded_log() -> None:
    body = payload(ARM, recorded(ARM.with_payload(BODY), MOTION))
    np.testing.assert_allclose(body.values, truth(BODY), rtol=0, atol=2e-3)
    assert body.frame == ARM.tip


@pytest.mark.slow
def test_intervals_hold_the_mass_and_its_centre_in_nine_of_ten_repeats(fit: Fit) -> None:
    inside = 0
    for seed in range(50):
        bare = armdyn.identify(wrong_description(ARM), recorded(ARM, MOTION, noise=0.5, seed=1000 + seed), **SETTINGS)
        log = recorded(WARMER.with_payload(BODY), MOTION, noise=0.5, seed=2000 + seed)
        intervals = payload(bare, log).intervals
        inside += sum(v in intervals[name] for name, v in zip(QUANTITIES[:4], truth(BODY)[:4], strict=True))
    assert inside >= 0.9 * 200


def test_the_frame_changes_numbers_and_not_the_body(fit: Fit) -> None:
    log = recorded(ARM.with_payload(BODY, "tool0"), MOTION, noise=0.1, seed=6)
    frames = [name for name in ("tool0", "wrist_3_link") if name in ARM.frame_names]
    of_frames = [payload(fit, log, frame=frame) for frame in frames]
    q, qd, qdd = (x[::200] for x in MOTION[1:])
    forces = [body.on(ARM).inverse_dynamics(q, qd, qdd) for body in of_frames]
    np.testing.assert_allclose(forces[0], forces[-1], rtol=0, atol=0.02)


def test_the_map_of_frames_is_that_of_bodies() -> None:
    T = ARM.forward_kinematics(MOTION[1][0])
    moved = BODY.seen_from(T)
    of = lambda body: np.concatenate([[body.mass], body.mass * body.com, about_origin(body)])  # noqa: E731
    np.testing.assert_allclose(frame_map(T) @ of(BODY), of(moved), rtol=0, atol=1e-14)
    np.testing.assert_allclose(quantities_of(of(BODY))[0], truth(BODY), rtol=0, atol=1e-15)


def about_origin(body: armdyn.Inertia) -> list[float]:
    c = np.asarray(body.com)
    I = body.tensor + body.mass * (c @ c * np.eye(3) - np.outer(c, c))  # noqa: E741
    return [I[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]


def test_the_derivatives_of_the_quantities_are_those_of_differences() -> None:
    theta = np.array([1.5, 0.03, -0.04, 0.12, 0.02, 0.001, 0.03, 0.002, 0.001, 0.025])
    _, slopes = quantities_of(theta)
    for k, unit in enumerate(np.eye(10)):
        difference = (quantities_of(theta + 1e-6 * unit)[0] - quantities_of(theta - 1e-6 * unit)[0]) / 2e-6
        np.testing.assert_allclose(slopes[:, k], difference, rtol=0, atol=1e-8)


def test_calls_of_controllers_have_their_order() -> None:
    values = np.array([1.5, 0.1, 0.2, 0.3, 0.01, 0.001, 0.02, 0.002, 0.003, 0.025])
    body = Payload("arm", "tool0", values, np.zeros(10), np.ones(10), np.zeros(1), np.zeros(1), ("joint",))
    assert body.libfranka() == (
        "robot.setLoad(1.5, {{0.1, 0.2, 0.3}}, {{0.01, 0.001, 0.002, 0.001, 0.02, 0.003, 0.002, 0.003, 0.025}});"
    )
    assert body.urscript() == "set_target_payload(1.5, [0.1, 0.2, 0.3], [0.01, 0.02, 0.025, 0.001, 0.002, 0.003])"
    assert body.as_json()["inertia"][0] == [0.01, 0.001, 0.002]


def test_a_planar_arm_leaves_parts_of_the_body_open_and_names_them() -> None:
    arm = armdyn.load("planar_2r")
    motion = fourier(2, 12.0, 100.0)
    body = payload(arm, recorded(arm.with_payload(mass=1.0, com=[0.1, 0.0, 0.0]), motion, noise=0.01))
    assert {"I_xx", "I_yy", "I_xy", "I_xz", "I_yz"} <= set(body.unseen)
    assert body.mass == pytest.approx(1.0, abs=0.05)


def test_bad_input_is_named(fit: Fit) -> None:
    log = recorded(ARM, MOTION)
    with pytest.raises(IdentificationError, match="unloaded= beside a Fit"):
        payload(fit, log, unloaded=log)
    with pytest.raises(IdentificationError, match="on the base"):
        payload(fit, log, frame=ARM.model.base)
    with pytest.raises(armdyn.UnknownName, match="nothing"):
        payload(fit, log, frame="nothing")
    with pytest.raises(IdentificationError, match="friction= is an option of the fit"):
        payload(ARM, log, friction=("viscous",))
    with pytest.raises(IdentificationError, match="loaded is empty"):
        payload(fit, [])
    with pytest.raises(IdentificationError, match="no joint forces"):
        payload(fit, {"t": log["t"], "q": log["q"]})
