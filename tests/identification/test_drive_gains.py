"""Gains of drives: currents of logs with a body of known mass, or of an arm whose links are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification import DriveGains, IdentificationError, drive_gains
from armdyn.spatial.rotations import Array
from identification.arms import fourier, recorded, wrong_description

UR5 = armdyn.load("ur5")
ARM = UR5.with_friction(dict.fromkeys(UR5.joint_names, (2.0, 3.0)))
GAINS = np.array([11.7, 12.5, 10.2, 9.1, 8.5, 7.5])
BODY = armdyn.inertia.box((0.2, 0.1, 0.15), mass=2.5).at([0.02, -0.03, 0.12])
MOTION = fourier(6, 20.0, 100.0)
OPTIONS: dict[str, Any] = {"friction": ("viscous", "coulomb"), "armature": False}


def currents(robot: armdyn.Robot, gains: Array, motion: tuple[Array, ...] = MOTION, **options: Any) -> dict[str, Array]:
    log = recorded(robot, motion, **options)  # type: ignore[arg-type]
    return {name: x for name, x in log.items() if name != "tau"} | {"current": log["tau"] / gains}


@pytest.fixture(scope="module")
def logs() -> tuple[dict[str, Array], dict[str, Array]]:
    """Currents of the arm alone and with the body, with noise of 0.3 N m."""
    return (
        currents(ARM, GAINS, noise=0.3),
        currents(ARM.with_payload(BODY, "tool0"), GAINS, noise=0.3, seed=3),
    )


def test_gains_follow_from_a_body_of_known_mass_whatever_the_description(logs: Any) -> None:
    """All link masses are wrong by about 20 %, and the centre of the body is not known."""
    found = drive_gains(wrong_description(UR5), logs[0], loaded=logs[1], mass=2.5, frame="tool0", **OPTIONS)
    assert found.values[:5] == pytest.approx(GAINS[:5], rel=0.02)
    inside = [k in interval for k, interval in zip(GAINS, found.intervals.values(), strict=True)]
    assert sum(inside) >= 5
    assert found.com == pytest.approx([0.02, -0.03, 0.12], abs=0.01)
    body = armdyn.identification.payload(
        wrong_description(UR5), logs[1], unloaded=logs[0], gains=found.values, frame="tool0", **OPTIONS
    )
    assert body.mass == pytest.approx(2.5, rel=0.02)


def test_without_noise_gains_are_exact_to_the_filters() -> None:
    arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.4, 1.5), "joint_2": (0.2, 0.8)})
    gains, motion = np.array([12.0, 9.0]), fourier(2, 20.0, 100.0)
    pair = [currents(each, gains, motion) for each in (arm, arm.with_payload(mass=0.7))]
    found = drive_gains(wrong_description(arm), pair[0], loaded=pair[1], mass=0.7, prior_weight=1e-3, **OPTIONS)
    assert found.values == pytest.approx(gains, rel=2e-3)


def test_twice_the_mass_is_twice_the_gains(logs: Any) -> None:
    """Currents have no scale of their own: that of the known mass is the scale of all."""
    options: dict[str, Any] = {**OPTIONS, "frame": "tool0", "prior_weight": 1e-2}
    one = drive_gains(UR5, logs[0], loaded=logs[1], mass=2.5, **options)
    two = drive_gains(UR5, logs[0], loaded=logs[1], mass=5.0, **options)
    assert two.values[1:4] / one.values[1:4] == pytest.approx(2.0, rel=0.05)


def test_a_known_centre_of_mass_narrows_the_intervals(logs: Any) -> None:
    free = drive_gains(UR5, logs[0], loaded=logs[1], mass=2.5, frame="tool0", **OPTIONS)
    held = drive_gains(UR5, logs[0], loaded=logs[1], mass=2.5, com=[0.02, -0.03, 0.12], frame="tool0", **OPTIONS)
    assert held.com == pytest.approx([0.02, -0.03, 0.12], abs=1e-4)
    assert (held.deviations <= free.deviations * 1.01).all()


def test_known_links_need_no_body(logs: Any) -> None:
    found = drive_gains(UR5, logs[0], **OPTIONS)
    assert found.values[:5] == pytest.approx(GAINS[:5], rel=0.02)
    assert found.body is None
    heavier = UR5.with_standard_parameters(1.1 * UR5.standard_parameters().values)
    assert drive_gains(heavier, logs[0], **OPTIONS).values[1:3] == pytest.approx(1.1 * GAINS[1:3], rel=0.02)


def test_a_joint_whose_current_holds_no_gain_is_named() -> None:
    """A vertical axis, turned so slowly that the inertia of the links is lost in friction and noise."""
    arm = armdyn.load("ur5").with_friction({"shoulder_pan_joint": (5.0, 8.0)})
    log = currents(arm, GAINS, fourier(6, 20.0, 50.0, amplitude=0.05, period=20.0, harmonics=2), noise=0.3)
    found = drive_gains(UR5, log, **OPTIONS)
    wide = found.intervals["shoulder_pan_joint"]
    assert wide.high - wide.low > 0.3 * GAINS[0]
    assert found.intervals["shoulder_lift_joint"].high < 1.2 * GAINS[1]
    flat = {**log, "current": log["current"] * [0.0, 1, 1, 1, 1, 1] + [0.5, 0, 0, 0, 0, 0]}
    with pytest.raises(IdentificationError, match="currents of shoulder_pan_joint are constant"):
        drive_gains(UR5, flat, **OPTIONS)


def test_gains_are_printed_as_options(logs: Any) -> None:
    found = drive_gains(UR5, logs[0], **OPTIONS)
    assert found.option().count(",") == 5
    assert "N m/A" in str(found)
    assert found.as_json()["gains"]["elbow_joint"] == found.values[2]
    open_one = DriveGains("arm", ("a", "b"), (False, True), np.ones(2), np.ones(2), np.ones(2), None, ("a note",))
    assert open_one.com is None
    assert str(open_one).endswith("a note")
    assert "N/A" in str(open_one)


def test_bad_input_is_named(logs: Any) -> None:
    with pytest.raises(IdentificationError, match="mass is None and loaded= is given"):
        drive_gains(UR5, logs[0], loaded=logs[1])
    with pytest.raises(IdentificationError, match="mass is 2 and loaded= is left out"):
        drive_gains(UR5, logs[0], mass=2)
    with pytest.raises(IdentificationError, match="has no currents"):
        drive_gains(UR5, {"t": logs[0]["t"], "q": logs[0]["q"], "tau": logs[0]["current"]})
    with pytest.raises(IdentificationError, match="on the base"):
        drive_gains(UR5, logs[0], loaded=logs[1], mass=1.0, frame=UR5.model.base)
    with pytest.raises(IdentificationError, match="logs is empty"):
        drive_gains(UR5, [])
    with pytest.raises(IdentificationError, match="the scale of all parameters is open"):
        armdyn.identify(UR5, logs[0])
