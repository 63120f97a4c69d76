"""Fits of synthetic logs: what went in comes out, and what the log does not hold is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification import Fit, IdentificationError
from armdyn.identification.design import Parameters
from armdyn.logs import LogError
from identification.arms import fourier, pendulum, recorded, wrong_description

PLANAR = armdyn.load("planar_2r").with_friction({"joint_1": (0.4, 1.5), "joint_2": (0.2, 0.8)})
MOTION = fourier(2, 20.0, 100.0)
PLAIN: dict[str, Any] = {"friction": ("viscous", "coulomb"), "armature": False}


def sine(amplitude: float, rate: float, duration: float) -> tuple[np.ndarray, ...]:
    t = np.arange(0.0, duration, 1.0 / rate)
    w = 2.0 * np.pi
    q = np.stack([amplitude * np.sin(w * t)], axis=-1)
    return t, q, np.stack([amplitude * w * np.cos(w * t)], axis=-1), -(w**2) * q


@pytest.mark.parametrize("velocities", [True, False])
def test_a_frictionless_pendulum_has_no_friction(velocities: bool) -> None:
    """One sine of 0.3 rad at 100 Hz: I = 0.5 kg m^2, m c = 0.5 kg m, every row of the log given."""
    truth = pendulum()
    log = recorded(truth, sine(0.3, 100.0, 10.0), velocities=velocities)
    fit = armdyn.identify(wrong_description(truth), log, **PLAIN, delay=None, prior_weight=1e-3)
    assert fit["rod.I_zz"] == pytest.approx(0.5, rel=2e-4)
    assert fit["rod.mc_x"] == pytest.approx(0.5, rel=2e-4)
    assert abs(fit["joint.viscous"]) < 1e-4
    assert abs(fit["joint.coulomb"]) < 1e-3
    assert fit.residual_deviations[0] < 1e-3


@pytest.mark.parametrize("stroke", [0.3, 0.03])
def test_the_friction_of_a_slide_is_that_of_slow_motions_too(stroke: float) -> None:
    """A cart of 2 kg with 3 N s/m and 1 N, at 0.55 and 0.055 m/s: linear laws, computed by hand."""
    inertia = armdyn.Inertia(2.0, [0.0, 0.0, 0.0], 0.01 * np.eye(3))
    cart = armdyn.Robot.from_links([armdyn.Part("cart", "base", "prismatic", axis=(1, 0, 0), inertia=inertia)])
    t = np.arange(0.0, 10.0, 0.01)
    q, qd, qdd = (
        stroke * np.stack([x], axis=-1) for x in (np.sin(1.8 * t), 1.8 * np.cos(1.8 * t), -3.24 * np.sin(1.8 * t))
    )
    log = {"t": t, "q": q, "qd": qd, "tau": 2.0 * qdd + 3.0 * qd + np.sign(qd)}
    fit = armdyn.identify(cart, log, **PLAIN, delay=None)
    assert fit["joint_of_cart.coulomb"] == pytest.approx(1.0, rel=0.02)
    assert fit["joint_of_cart.viscous"] == pytest.approx(3.0, rel=0.15)


@pytest.mark.parametrize(("stroke", "speed"), [(0.04, None), (0.03, "0.19"), (0.002, "0.013")])
def test_joints_too_slow_for_their_friction_are_named(stroke: float, speed: str | None) -> None:
    truth = pendulum().with_friction({"joint": (3.0, 1.0)})
    log = recorded(truth, sine(stroke, 100.0, 10.0))
    fit = armdyn.identify(truth, log, **PLAIN, delay=None)
    said = [note for note in fit.notes if "too slow for their friction" in note]
    assert len(said) == (speed is not None)
    assert all(f"joint (at most {speed}, expected 0.2 rad/s)" in note for note in said)
    assert (abs(fit["joint.coulomb"] - 1.0) > 0.3) == (speed == "0.013")  # N m; smoothed away
    rigid = armdyn.identify(truth, log, friction=("viscous",), armature=False)
    assert not any("too slow" in note for note in rigid.notes)


def test_no_single_row_moves_the_result() -> None:
    truth = pendulum()
    log = recorded(truth, sine(0.3, 100.0, 10.0))
    whole = armdyn.identify(truth, log, **PLAIN, delay=None)
    for row in (0, 1, 500, 999):
        tau = log["tau"].copy()
        tau[row] += 30.0
        spoiled = armdyn.identify(truth, {**log, "tau": tau}, **PLAIN, delay=None)
        assert spoiled["rod.mc_x"] == pytest.approx(whole["rod.mc_x"], rel=5e-3)
        assert spoiled["rod.I_zz"] == pytest.approx(whole["rod.I_zz"], rel=5e-3)


def test_the_robot_comes_out_whatever_the_description_was() -> None:
    log = recorded(PLANAR, MOTION)
    fit = armdyn.identify(wrong_description(PLANAR), log, **PLAIN, prior_weight=1e-3)
    K = fit.parameters.base.matrix
    truth = K @ PLANAR.without_friction().standard_parameters().values
    np.testing.assert_allclose(fit.base_values, truth, rtol=0, atol=2e-3)
    for joint, friction in (("joint_1", (0.4, 1.5)), ("joint_2", (0.2, 0.8))):
        assert list(fit.friction(joint).values()) == pytest.approx(friction, rel=0.01)
    q, qd, qdd = (x[::50] for x in MOTION[1:])
    expected = PLANAR.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(fit.robot.inverse_dynamics(q, qd, qdd), expected, rtol=0, atol=0.01)


def test_noise_jitter_and_quantised_positions_are_within_the_intervals() -> None:
    log = recorded(PLANAR, MOTION, noise=0.5, counts=65536, jitter=1e-3)
    fit = armdyn.identify(wrong_description(PLANAR), log, **PLAIN)
    inside = [
        value in fit.intervals[f"{joint}.{term}"]
        for joint, friction in (("joint_1", (0.4, 1.5)), ("joint_2", (0.2, 0.8)))
        for term, value in zip(("viscous", "coulomb"), friction, strict=True)
    ]
    truth = fit.parameters.base.matrix @ PLANAR.without_friction().standard_parameters().values
    inside += list(np.abs(fit.base_values - truth) <= 1.96 * fit.base_deviations + 1e-3)
    assert sum(inside) >= len(inside) - 1
    assert (np.linalg.eigvalsh(fit.pseudo_inertias) > 0.0).all()


def test_a_delay_is_estimated_and_otherwise_counts_as_friction() -> None:
    truth = pendulum().with_friction({"joint": (0.5, 0.0)})
    log = recorded(truth, fourier(1, 20.0, 500.0), delay=0.006)
    options: dict[str, Any] = {"friction": ("viscous",), "armature": False}
    fit = armdyn.identify(truth, log, **options)
    assert fit.delays[0] == pytest.approx(0.006, abs=2e-4)
    assert fit["joint.viscous"] == pytest.approx(0.5, rel=0.02)
    assert any("torques lag behind positions" in note for note in fit.notes)
    stated = armdyn.identify(truth, log, **options, delay=0.006)
    assert stated["joint.viscous"] == pytest.approx(0.5, rel=0.01)
    none = armdyn.identify(truth, log, **options, delay=None)
    assert abs(none["joint.viscous"] - 0.5) > 0.015


def test_jitter_of_a_tenth_of_a_millisecond_does_not_change_the_inertia() -> None:
    truth = pendulum()
    log = recorded(truth, fourier(1, 20.0, 1000.0), jitter=1e-4, velocities=False)
    fit = armdyn.identify(wrong_description(truth), log, **PLAIN, cutoff=10.0, prior_weight=1e-3)
    assert fit["rod.I_zz"] == pytest.approx(0.5, rel=3e-3)


def test_friction_in_proportion_to_the_load_and_offsets_make_laws() -> None:
    from armdyn.actuators import Actuator, Coulomb, DirectionDependent, GearLoss, Viscous

    laws = [Viscous(0.3), DirectionDependent(Coulomb(1.2), Coulomb(0.8)), GearLoss(1.0 / 1.1, 0.9)]
    truth = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=laws)})
    log = recorded(truth, fourier(2, 40.0, 500.0, amplitude=1.5))
    terms = ("viscous", "coulomb", "load", "offset")
    fit = armdyn.identify(armdyn.load("planar_2r"), log, friction=terms, armature=False)
    numbers = fit.friction("joint_1")
    assert list(numbers.values()) == pytest.approx([0.3, 1.0, 0.1, 0.2], abs=0.02)
    assert list(fit.friction("joint_2").values()) == pytest.approx([0.0, 0.0, 0.0, 0.0], abs=0.02)
    assert fit.offsets[0] == numbers["offset"]
    q, qd, qdd = (x[::50] for x in fourier(2, 40.0, 100.0, seed=9)[1:])
    expected = truth.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(fit.robot.inverse_dynamics(q, qd, qdd), expected, rtol=0, atol=0.15)


def test_armatures_and_rotors_of_a_geared_arm() -> None:
    truth = armdyn.load("planar_2r_geared")
    log = recorded(truth, fourier(2, 20.0, 100.0, harmonics=8, period=8.0))
    fit = armdyn.identify(truth, log, friction=("viscous",), armature=False)
    np.testing.assert_allclose(fit.check(log).rms, 0.0, atol=0.02)


def test_a_check_stands_beside_the_description_and_friction_alone() -> None:
    heavy = wrong_description(PLANAR, by=0.5)
    fit = armdyn.identify(heavy, recorded(PLANAR, MOTION, noise=0.2), **PLAIN)
    check = fit.check(recorded(PLANAR, fourier(2, 20.0, 100.0, seed=5), noise=0.2, seed=6))
    assert (check.rms < 0.1).all()
    assert (check.rms < 0.3 * check.rms_alone).all()
    assert (check.rms_alone < check.rms_description).all()
    assert "friction alone" in str(check)
    np.testing.assert_allclose(check.residuals, check.measured - check.fit)


def test_a_joint_that_stands_is_a_stick_band_and_no_error() -> None:
    t, q, qd, qdd = (x.copy() for x in MOTION)
    q[:, 1], qd[:, 1], qdd[:, 1] = 0.4, 0.0, 0.0
    held = recorded(PLANAR, (t, q, qd, qdd))
    held["tau"][:, 1] += 0.7  # by dry friction, within its band of 0.8
    fit = armdyn.identify(PLANAR, recorded(PLANAR, MOTION), **PLAIN)
    bands = fit.check(held).stick_bands
    assert bands[1] == pytest.approx(0.7, abs=0.02)
    assert np.isnan(bands[0])


def test_held_out_data_choose_the_weight_of_the_prior() -> None:
    right = armdyn.identify(PLANAR, recorded(PLANAR, MOTION, noise=1.0), **PLAIN)
    wrong = armdyn.identify(wrong_description(PLANAR, by=0.7), recorded(PLANAR, MOTION, noise=1.0), **PLAIN)
    assert right.selection.weight > wrong.selection.weight
    assert np.isfinite(wrong.selection.costs).all()
    held = armdyn.identify(
        PLANAR,
        recorded(PLANAR, MOTION, noise=1.0),
        **PLAIN,
        hold_out=[recorded(PLANAR, fourier(2, 15.0, 100.0, seed=8))],
    )
    assert held.selection.weight in held.selection.tried


def test_what_the_data_do_not_hold_comes_from_the_description() -> None:
    fit = armdyn.identify(PLANAR, recorded(PLANAR, MOTION, noise=0.1), **PLAIN, prior_weight=0.1)
    assert {"link_2.mc_x", "link_2.mc_y", "joint_1.viscous"} <= set(fit.seen)
    assert {"link_1.m", "link_2.mc_z", "link_1.I_xx"} <= set(fit.unseen)
    assert set(fit.seen) | set(fit.unseen) == set(fit.names)


def test_the_log_is_left_as_it_was() -> None:
    log = armdyn.logs.read(recorded(PLANAR, MOTION, delay=0.004), PLANAR)
    before = [getattr(log, name).copy() for name in ("t", "q", "qd", "tau")]
    for _ in range(2):
        armdyn.identify(PLANAR, log, **PLAIN)
    for name, values in zip(("t", "q", "qd", "tau"), before, strict=True):
        np.testing.assert_array_equal(getattr(log, name), values)


def test_saturated_torques_are_left_out() -> None:
    log = recorded(PLANAR, MOTION)
    bound = float(np.quantile(log["tau"][:, 0], 0.9))
    log["tau"][:, 0] = np.minimum(log["tau"][:, 0], bound)
    fit = armdyn.identify(PLANAR, log, **PLAIN)
    assert fit["joint_1.viscous"] == pytest.approx(0.4, rel=0.03)
    assert fit["joint_1.coulomb"] == pytest.approx(1.5, rel=0.03)


def test_a_fit_is_printed_with_its_filters_and_intervals() -> None:
    fit = armdyn.identify(PLANAR, recorded(PLANAR, MOTION, noise=0.1), **PLAIN)
    text = str(fit)
    assert "half gain of both passes at 5 Hz (columns and torques) and 25 Hz (positions and" in text
    assert "joint_1.viscous" in text
    assert repr(fit).startswith("<Fit of 'planar_2r': 24 parameters")
    assert fit.units[-1] == "N m"
    with pytest.raises(armdyn.UnknownName, match=r"no parameter 'link_1\.mass'"):
        fit["link_1.mass"]


@pytest.mark.parametrize(
    ("change", "options", "error", "words"),
    [
        ({"q": np.zeros((2000, 2)), "qd": np.zeros((2000, 2))}, {}, IdentificationError, "no joint moves in the logs"),
        ({"tau": None}, {}, IdentificationError, "has no joint forces; name their columns"),
        ({"tau": None, "current": np.ones((2000, 2))}, {}, IdentificationError, "has currents, .*gains of the drives"),
        ({}, {"friction": ("viscous", "sticky")}, armdyn.UnknownName, "no friction term 'sticky'"),
        ({}, {"friction": ("viscous", "viscous")}, IdentificationError, "names a term twice"),
        ({}, {"cutoff": 80.0}, IdentificationError, "expected less than half of that, 50 Hz"),
        ({}, {"cutoff": -1.0}, IdentificationError, "cutoff is -1.0"),
        ({}, {"cutoff": 0.05}, IdentificationError, "has no piece longer than"),
        ({}, {"prior_weight": 0.0}, IdentificationError, "prior_weight is 0.0"),
        ({}, {"delay": "auto"}, IdentificationError, "delay is 'auto'"),
        ({}, {"robust": "yes"}, IdentificationError, "robust is 'yes'"),
    ],
)
def test_bad_input_is_named(
    change: dict[str, Any], options: dict[str, Any], error: type[Exception], words: str
) -> None:
    log = {name: values for name, values in {**recorded(PLANAR, MOTION), **change}.items() if values is not None}
    with pytest.raises(error, match=words):
        armdyn.identify(PLANAR, log, **options)


def test_torques_of_the_wrong_sign_and_of_other_joints() -> None:
    log = recorded(PLANAR, MOTION)
    with pytest.raises(IdentificationError, match="torques of joint_1, joint_2 have the opposite sign"):
        armdyn.identify(PLANAR, {**log, "tau": -log["tau"]})
    t, q, qd, qdd = fourier(6, 20.0, 100.0)
    arm = armdyn.load("ur5")
    tau = arm.inverse_dynamics(q, qd, qdd)
    order = [0, 2, 1, 3, 4, 5]
    with pytest.raises(IdentificationError, match="follow those that the description has for"):
        armdyn.identify(arm, {"t": t, "q": q, "qd": qd, "tau": tau[:, order]})


def test_logs_of_two_robots_and_no_logs() -> None:
    other = armdyn.logs.read({"t": MOTION[0], "q": np.zeros((2000, 6))}, armdyn.load("ur5"))
    with pytest.raises(LogError, match="expected those of 'planar_2r'"):
        armdyn.identify(PLANAR, [other])
    for logs, words in (([], "logs is empty"), (3, "logs is 3; expected a log")):
        with pytest.raises(IdentificationError, match=words):
            armdyn.identify(PLANAR, logs)


def test_one_joint_of_two_stands_still() -> None:
    t, q, qd, qdd = (x.copy() for x in MOTION)
    q[:, 1], qd[:, 1], qdd[:, 1] = 0.3, 0.0, 0.0
    fit: Fit = armdyn.identify(PLANAR, recorded(PLANAR, (t, q, qd, qdd)), **PLAIN)
    assert any("joints that stand still: joint_2" in note for note in fit.notes)
    assert fit["joint_1.viscous"] == pytest.approx(0.4, rel=0.02)


def test_friction_of_a_coupled_wrist_is_that_of_its_motors() -> None:
    """Motor 2 turns with both joints: its friction acts on both (as the motors 5 and 6 of a Staeubli TX40)."""
    arm = armdyn.load("planar_2r")
    C = np.array([[1.0, 0.0], [1.0, 1.0]])
    log = recorded(arm, fourier(2, 30.0, 200.0))
    qd = log["qd"] @ C.T
    log["tau"] = log["tau"] + (0.3 * qd * [1.0, 2.0] + np.sign(qd) * [1.0, 0.5]) @ C
    fit = armdyn.identify(arm, log, **PLAIN, coupling=C)
    assert list(fit.friction("joint_1").values()) == pytest.approx([0.3, 1.0], rel=0.02)
    assert list(fit.friction("joint_2").values()) == pytest.approx([0.6, 0.5], rel=0.02)
    alone = dict(zip(fit.names, fit.alone, strict=True))
    assert alone["joint_2.viscous"] == pytest.approx(0.6, rel=0.02)
    assert any("coupled" in note for note in fit.notes)
    for wrong, words in ((2.0 * C, "expected ones"), (np.ones((2, 2)), "the determinant 0")):
        with pytest.raises(IdentificationError, match=words):
            armdyn.identify(arm, log, coupling=wrong)


def test_gains_of_torque_sensors_that_disagree() -> None:
    """Joint 2's sensor reads 4 % too little; the gravity that both joints feel tells."""
    log = recorded(PLANAR, fourier(2, 40.0, 100.0))
    log["tau"] = log["tau"] * [1.0, 0.96] + np.random.default_rng(1).normal(scale=0.05, size=log["tau"].shape)
    plain = armdyn.identify(PLANAR, log, **PLAIN)
    fit = armdyn.identify(PLANAR, log, **PLAIN, gain_spread=0.05)
    assert fit.gains[1] / fit.gains[0] == pytest.approx(1.0 / 0.96, rel=3e-3)
    assert (fit.residual_deviations <= plain.residual_deviations * 1.001).all()
    assert fit.residual_deviations[1] < 0.6 * plain.residual_deviations[1]


def test_positions_of_motors_before_springs() -> None:
    """theta = q + tau/k: a position that is off by the wind-up of the spring, 0.02 rad under 30 N m."""
    t, q, qd, qdd = fourier(2, 30.0, 200.0)
    tau = PLANAR.inverse_dynamics(q, qd, qdd)
    motor = q + tau / 1500.0
    log = {"t": t, "q": motor, "tau": tau}
    stiff = armdyn.identify(PLANAR, log, **PLAIN)
    fit = armdyn.identify(PLANAR, log, **PLAIN, stiffness=1500.0)
    assert (fit.residual_deviations < 0.5 * stiff.residual_deviations).all()
    assert fit["joint_1.viscous"] == pytest.approx(0.4, rel=0.03)
    with pytest.raises(IdentificationError, match="stiffness is 0"):
        armdyn.identify(PLANAR, log, stiffness=0)


def test_a_cable_pulls_like_a_spring() -> None:
    log = recorded(PLANAR, fourier(2, 40.0, 100.0, amplitude=1.5))
    log["tau"] = log["tau"] + 0.4 * (log["q"] - 0.2) * [1.0, 0.0]
    fit = armdyn.identify(PLANAR, log, friction=("viscous", "coulomb", "offset", "spring"), armature=False)
    assert fit["joint_1.spring"] == pytest.approx(0.4, rel=0.05)
    assert fit["joint_1.offset"] == pytest.approx(-0.08, abs=0.02)
    q, qd, qdd = (x[::50] for x in fourier(2, 40.0, 100.0, seed=9)[1:])
    expected = PLANAR.inverse_dynamics(q, qd, qdd) + 0.4 * (q - 0.2) * [1.0, 0.0]
    np.testing.assert_allclose(fit.torques(q, qd, qdd), expected, rtol=0, atol=0.1)


def test_the_description_counts_with_its_armature_and_friction() -> None:
    """A rotor of 2e-5 kg m^2 behind a gear of 100 is 0.2 kg m^2; of two coupled joints both count."""
    from armdyn.actuators import Actuator, Gear, Motor

    arm = PLANAR.with_actuators({"joint_1": Actuator(Motor(rotor_inertia=2e-5), Gear(100.0))})
    log = recorded(arm, MOTION)
    fit = armdyn.identify(arm, log, friction=("viscous", "coulomb"))
    described = fit.parameters.of_description(arm)
    names = [f"joint_{k}.{term}" for term in ("armature", "viscous", "coulomb") for k in (1, 2)]
    assert [described[fit.index(name)] for name in names] == pytest.approx([0.2, 0.0, 0.4, 0.2, 1.5, 0.8], rel=1e-12)
    assert (fit.check(log).rms_description < 0.05).all()  # N m; without them 0.4 N m and more
    tied = PLANAR.with_mimic({"joint_2": ("joint_1", -2.0, 0.0)})
    one = Parameters(tied, True, fit.parameters.terms).of_description(tied)
    assert one[-2:] == pytest.approx([0.4 + 4 * 0.2, 1.5 + 2 * 0.8], rel=1e-12)
