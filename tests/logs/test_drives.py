"""Logs of motors: angles and torques of joints by the matrix of the drives, and fits of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ShapeError
from armdyn.identification import IdentificationError
from armdyn.logs import LogError, read
from armdyn.spatial.rotations import Array
from identification.arms import fourier, recorded

ARM = armdyn.load("planar_2r")
A = np.array([[50.0, 0.0], [-80.0, -80.0]])  # motor 2 turns with both joints, backwards
ZEROS = np.array([0.3, -0.5])
MOTION = fourier(2, 20.0, 200.0)


def of_motors(log: dict[str, Array]) -> dict[str, Array]:
    """The log as motors have it: theta = A (q - q_0), tau_m = A^-T tau."""
    theta, rates = (log["q"] - ZEROS) @ A.T, log["qd"] @ A.T
    return {"t": log["t"], "q": theta, "qd": rates, "tau": np.linalg.solve(A.T, log["tau"].T).T}


def test_a_log_of_motors_is_the_log_of_joints() -> None:
    log = recorded(ARM, MOTION)
    joints, motors = read(log, ARM), read(of_motors(log), ARM, drives=A, zeros=ZEROS)
    for name in ("q", "qd", "tau"):
        np.testing.assert_allclose(getattr(motors, name), getattr(joints, name), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(motors.drives, A)
    assert joints.drives is None


def test_the_power_of_motors_is_that_of_joints() -> None:
    log = of_motors(recorded(ARM, MOTION))
    joints = read(log, ARM, drives=A, zeros=ZEROS)
    assert joints.tau is not None
    assert joints.qd is not None
    power = (joints.tau * joints.qd).sum(axis=1)
    np.testing.assert_allclose(power, (log["tau"] * log["qd"]).sum(axis=1), rtol=0, atol=1e-12 * np.abs(power).max())


def test_ratios_alone_zeros_alone_and_degrees() -> None:
    log = recorded(ARM, MOTION)
    geared = {"t": log["t"], "q": np.rad2deg(log["q"] * [50.0, -80.0]), "tau": log["tau"] / [50.0, -80.0]}
    found = read(geared, ARM, drives=[50.0, -80.0], units={"q": "deg"})
    np.testing.assert_allclose(found.q, log["q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.tau, log["tau"], rtol=0, atol=1e-12)  # type: ignore[arg-type]
    moved = read({**log, "q": log["q"] - ZEROS}, ARM, zeros=ZEROS)
    np.testing.assert_allclose(moved.q, log["q"], rtol=0, atol=1e-15)


def test_currents_of_motors_with_torque_constants() -> None:
    log, k = of_motors(recorded(ARM, MOTION)), np.array([0.06, 0.09])
    currents = {"t": log["t"], "q": log["q"], "current": log["tau"] / k}
    found = read(currents, ARM, drives=A, zeros=ZEROS, gains=k)
    np.testing.assert_allclose(found.tau, recorded(ARM, MOTION)["tau"], rtol=0, atol=1e-11)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.current, log["tau"] / k, rtol=0, atol=0)  # type: ignore[arg-type]


def test_a_fit_of_motors_knows_their_coupling() -> None:
    """Friction of motor 2 acts on both joints; the fit takes the coupling from the drives."""
    log = recorded(ARM, fourier(2, 30.0, 200.0))
    C = A / np.diag(A)[:, None]
    rates = log["qd"] @ C.T
    log["tau"] = log["tau"] + (0.3 * rates * [1.0, 2.0] + np.sign(rates) * [1.0, 0.5]) @ C
    options: dict[str, Any] = {"friction": ("viscous", "coulomb"), "armature": False}
    fit = armdyn.identify(ARM, of_motors(log), drives=A, zeros=ZEROS, **options)
    assert list(fit.friction("joint_1").values()) == pytest.approx([0.3, 1.0], rel=0.02)
    assert list(fit.friction("joint_2").values()) == pytest.approx([0.6, 0.5], rel=0.02)
    stated = armdyn.identify(ARM, log, coupling=C, **options)
    np.testing.assert_allclose(fit.values, stated.values, rtol=1e-6, atol=1e-8)
    plain = read(log, ARM)
    with pytest.raises(IdentificationError, match="are of different drives"):
        armdyn.identify(ARM, [read(of_motors(log), ARM, drives=A, zeros=ZEROS), plain], **options)


def test_gains_of_coupled_motors_follow_from_a_known_mass() -> None:
    """Torque constants of 0.05 and 0.08 N m/A behind gears that share a joint, friction of motors among it."""
    k, C = np.array([0.05, 0.08]), A / np.diag(A)[:, None]
    logs = []
    for arm in (ARM, ARM.with_payload(mass=0.7)):
        log = recorded(arm, fourier(2, 30.0, 200.0), noise=0.05)
        rates = log["qd"] @ C.T
        log["tau"] = log["tau"] + (0.3 * rates + 0.5 * np.sign(rates)) @ C
        motors = of_motors(log)
        currents = {"t": motors["t"], "q": motors["q"], "current": motors["tau"] / k}
        logs.append(read(currents, ARM, drives=A, zeros=ZEROS))
    options: dict[str, Any] = {"friction": ("viscous", "coulomb"), "armature": False}
    gains = armdyn.identification.drive_gains(ARM, logs[0], loaded=logs[1], mass=0.7, **options)
    assert gains.values == pytest.approx(k, rel=0.01)
    of_links = armdyn.identification.drive_gains(ARM, logs[0], **options)
    assert of_links.values == pytest.approx(k, rel=0.01)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"drives": [50.0, 0.0]}, LogError, "motor and joint joint_2 do not turn together"),
        ({"drives": [[1.0, 1.0], [1.0, 1.0]]}, LogError, "drives is singular"),
        ({"drives": [1.0, 2.0, 3.0]}, ShapeError, r"drives has shape \(3,\)"),
        ({"drives": [np.nan, 1.0]}, LogError, "drives"),
        ({"zeros": [0.1]}, ShapeError, "zeros"),
    ],
)
def test_drives_that_make_no_sense(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read(recorded(ARM, MOTION), ARM, **options)


def test_a_log_is_turned_to_joints_once() -> None:
    log = read(of_motors(recorded(ARM, MOTION)), ARM, drives=A, zeros=ZEROS)
    with pytest.raises(LogError, match="is read already"):
        read(log, ARM, drives=A)
