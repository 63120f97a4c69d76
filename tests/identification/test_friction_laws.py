"""Friction laws that are not linear in their numbers: known numbers come back, as SciPy finds them, and on logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import (
    Actuator,
    Coulomb,
    DirectionDependent,
    Quadratic,
    ServoFriction,
    Sigmoid,
    Stribeck,
    Viscous,
)
from armdyn.base.errors import Unsupported
from armdyn.identification import IdentificationError, fit_law, friction_laws
from armdyn.identification.law_models import LawModel, quantities_of
from armdyn.spatial.rotations import Array
from identification.arms import fourier, recorded, wrong_description

RNG = np.random.default_rng(0)
QD, LOAD = RNG.uniform(-2.0, 2.0, 1500), 3.0 * RNG.normal(size=1500)
SERVO: dict[str, float] = {"coulomb": 0.1, "viscous": 0.2, "speed": 0.5, "exponent": 1.2}
LAWS = {
    "Stribeck": Stribeck(3.0, 2.0, 0.15, 1.4),
    "slow Stribeck": Stribeck(3.0, 2.0, 0.3, 0.8),
    "Sigmoid": Sigmoid(0.546, 5.118, 0.0395),
    "Quadratic": Quadratic(0.3, 0.2),
    "M1": ServoFriction(coulomb=0.1, viscous=0.2),
    "M2": ServoFriction(**SERVO, stribeck=0.1),
    "M3": ServoFriction(coulomb=0.1, viscous=0.2, motor=0.1, external=0.1),
    "M4": ServoFriction(**SERVO, stribeck=0.1, motor=0.1, external=0.1, motor_stribeck=0.05, external_stribeck=0.05),
    "M5": ServoFriction(**SERVO, stribeck=0.1, motor=0.12, external=0.1, motor_stribeck=0.05, external_stribeck=0.02),
    "M6": ServoFriction(
        **SERVO, stribeck=0.1, motor=0.12, external=0.1, motor_stribeck=0.05, external_stribeck=0.02,
        motor_quadratic=0.01, external_quadratic=0.004,
    ),
}  # fmt: skip


def numbers_of(law: Any) -> tuple[Array, Array]:
    """The numbers of a law, and a mask of those that it uses."""
    quantities = quantities_of([law])
    numbers = np.array([getattr(law, each.field) for each in quantities])
    unused = isinstance(law, ServoFriction) and not law.stribeck
    free = [
        n != 0.0 and not (unused and q.field in ("speed", "exponent")) for n, q in zip(numbers, quantities, strict=True)
    ]
    return numbers, np.array(free)


@pytest.mark.parametrize("name", LAWS)
def test_models_are_the_laws_and_their_derivatives_are_exact(name: str) -> None:
    law = LAWS[name]
    numbers, free = numbers_of(law)
    model = LawModel([law], free)
    fast = np.abs(QD) > 0.2  # the smooth sign is 1 there
    rate, load = QD[fast][:150], LOAD[fast][:150]
    force, slopes = model(rate, load, numbers)
    expected = [float(law.force(a, b)) for a, b in zip(rate, load, strict=True)]
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-14)
    for column, place in enumerate(np.flatnonzero(free)):
        step = np.zeros(len(numbers))
        step[place] = 1e-6 * abs(numbers[place])
        ahead, back = model(rate, load, numbers + step)[0], model(rate, load, numbers - step)[0]
        away = np.abs(ahead - 2.0 * force + back) < 1e-9  # from kinks
        assert away.mean() > 0.95
        np.testing.assert_allclose(
            slopes[away, column], ((ahead - back) / (2.0 * step[place]))[away], rtol=0, atol=2e-7
        )


@pytest.mark.short_run(without=("slow Stribeck", "M2", "M3", "M5"))
@pytest.mark.parametrize("name", LAWS)
def test_known_numbers_come_back_as_scipy_finds_them_by_differences(name: str) -> None:
    from scipy.optimize import least_squares

    law = LAWS[name]
    numbers, free = numbers_of(law)
    model = LawModel([law], free)
    y = model(QD, LOAD, numbers)[0] + 0.02 * np.random.default_rng(3).normal(size=len(QD))
    fields = [each.field for each in quantities_of([law])]
    first = replace(law, **{f: 1.4 * getattr(law, f) for f, is_free in zip(fields, free, strict=True) if is_free})
    used = [f for f, is_free in zip(fields, free, strict=True) if is_free]
    found = fit_law(first, QD, y, load=LOAD, free=used)
    tied = name in ("M3", "M4")  # K_m = K_e there: one number, for SciPy too
    followers = ("ServoFriction.external", "ServoFriction.external_stribeck") if tied else ()
    inside = [
        n in found.intervals[name]
        for name, n, is_free in zip(found.names, numbers, free, strict=True)
        if is_free and name not in followers
    ]
    assert sum(inside) >= len(inside) - 1
    np.testing.assert_allclose(found.values[free], numbers[free], rtol=0.3, atol=5e-3)

    def residual(x: Array) -> Array:
        every = numbers.copy()
        every[free] = x
        if tied:
            every[6], every[8] = every[5], every[7]
        return np.asarray(model(QD, LOAD, every)[0] - y)

    least = np.where([f == "offset" for f in used], -np.inf, 1e-9)
    oracle = least_squares(
        residual,
        numbers[free],
        jac="3-point",
        bounds=(least, np.inf),
        x_scale="jac",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    assert 0.5 * len(y) * found.rms**2 == pytest.approx(oracle.cost, rel=1e-7)


def test_intervals_hold_in_nine_of_ten_repeats() -> None:
    law, inside = Stribeck(3.0, 2.0, 0.15), 0
    clean = LawModel([law], np.array([True, True, True, False]))(QD, LOAD, np.array([3.0, 2.0, 0.15, 2.0]))[0]
    for seed in range(40):
        y = clean + 0.2 * np.random.default_rng(seed).normal(size=len(QD))
        found = fit_law(law, QD, y, free=("static", "kinetic", "speed"))
        inside += sum(n in found.intervals[name] for name, n in zip(found.names, (3.0, 2.0, 0.15), strict=False))
    assert inside >= 0.9 * 120


@pytest.mark.parametrize("fastest", [2.0, 0.05])
def test_laws_of_a_slow_slide_are_not_smoothed_away(fastest: float) -> None:
    """Coulomb and viscous friction of 1 N and 3 N s/m, at speeds that have one size."""
    rate = fastest * np.concatenate([-np.linspace(0.02, 1.0, 200)[::-1], np.linspace(0.02, 1.0, 200)])
    fit = fit_law([Coulomb(0.5), Viscous(1.0)], rate, np.sign(rate) + 3.0 * rate)
    assert fit["Coulomb.size"] == pytest.approx(1.0, rel=0.01)
    assert fit["Viscous.coefficient"] == pytest.approx(3.0, rel=0.1)


def test_numbers_of_very_different_size_are_scaled() -> None:
    """A steepness of 1e4 beside a span of 1e-3: an optimiser with an absolute tolerance stays at its start."""
    law = Sigmoid(1e-3, 1e4)
    qd = np.linspace(-1e-3, 1e-3, 400)
    found = fit_law(Sigmoid(3e-3, 3e3), qd, law.force(qd, 0.0), free=("span", "steepness"))
    assert found.values[:2] == pytest.approx([1e-3, 1e4], rel=1e-6)


def test_several_laws_of_joints_on_a_log_with_bodies_that_other_friction_bent() -> None:
    """The linear terms have another Stribeck speed, which moves the bodies; the laws do not follow them."""
    laws = {"joint_1": [Stribeck(3.0, 2.0, 0.3), Viscous(0.5)], "joint_2": [Sigmoid(2.0, 6.0, 0.05), Viscous(0.2)]}
    real = armdyn.load("planar_2r").with_actuators({name: Actuator(friction=own) for name, own in laws.items()})
    arm = armdyn.load("planar_2r")
    log = recorded(real, fourier(2, 40.0, 200.0), noise=0.1)
    fit = armdyn.identify(wrong_description(arm), log, armature=False, delay=None, prior_weight=1e-2)
    first = {"joint_1": [Stribeck(1.0, 0.8, 0.1), Viscous(0.1)], "joint_2": [Sigmoid(1.0, 2.0, 0.01), Viscous(0.1)]}
    found = friction_laws(fit, log, first)
    stribeck, sigmoid = found["joint_1"], found["joint_2"]
    assert stribeck.values[:3] == pytest.approx([3.0, 2.0, 0.3], rel=0.06)
    assert stribeck["Viscous.coefficient"] == pytest.approx(0.5, rel=0.06)
    assert sigmoid.values[:2] == pytest.approx([2.0, 6.0], rel=0.06)
    for name in ("joint_1", "joint_2"):
        assert found[name].rms < 0.8 * found.before[name]
    q, qd, qdd = (x[::50] for x in fourier(2, 40.0, 100.0, seed=9)[1:])
    errors = [
        np.abs(each.inverse_dynamics(q, qd, qdd) - real.inverse_dynamics(q, qd, qdd))
        for each in (found.robot, fit.robot)
    ]
    assert (errors[0].mean(axis=0) < 0.5 * errors[1].mean(axis=0)).all()
    assert "Stribeck.speed" in str(found)
    again = armdyn.actuators.Actuator(friction=found["joint_1"].laws)
    assert again.friction == found["joint_1"].laws
    with pytest.raises(armdyn.UnknownName, match="no joint 'joint_3'"):
        friction_laws(fit, log, {"joint_3": Viscous(0.1)})
    with pytest.raises(armdyn.UnknownName, match="no joint 'elbow'"):
        found["elbow"]
    with pytest.raises(IdentificationError, match=r"laws of joint_1 is 3\.0; expected friction laws"):
        friction_laws(fit, log, {"joint_1": 3.0})  # type: ignore[dict-item]


def test_friction_under_load_of_coupled_motors() -> None:
    """Motor 2 turns with both joints; its friction depends on the load that it transmits."""
    C = np.array([[1.0, 0.0], [1.0, 1.0]])
    law = ServoFriction(coulomb=0.5, viscous=0.3, motor=0.1, external=0.1)
    arm = armdyn.load("planar_2r")
    log = recorded(arm, fourier(2, 30.0, 200.0, amplitude=1.2))
    rates, loads = log["qd"] @ C.T, np.linalg.solve(C.T, log["tau"].T).T
    of_motors = np.stack([law.force(rates[:, k], loads[:, k]) for k in range(2)], axis=-1)
    fit = armdyn.identify(
        arm, {**log, "tau": log["tau"] + of_motors @ C}, coupling=C, friction=("viscous", "coulomb"), armature=False,
        delay=None,
    )  # fmt: skip
    first = ServoFriction(coulomb=0.2, viscous=0.1, motor=0.05, external=0.05)
    found = friction_laws(fit, {**log, "tau": log["tau"] + of_motors @ C}, first)
    for name in arm.joint_names:
        assert [found[name][f"ServoFriction.{n}"] for n in ("coulomb", "viscous", "motor")] == pytest.approx(
            [0.5, 0.3, 0.1], rel=0.05
        )


def test_what_cannot_be_fitted_is_named() -> None:
    with pytest.raises(IdentificationError, match="laws is empty"):
        fit_law([], QD, QD)
    with pytest.raises(IdentificationError, match="expected friction laws"):
        fit_law([3.0], QD, QD)  # type: ignore[list-item]
    with pytest.raises(armdyn.UnknownName, match="no number 'velocity'"):
        fit_law(Stribeck(1.0, 0.5, 0.1), QD, QD, free=["velocity"])
    with pytest.raises(armdyn.UnknownName, match=r"no number 'Stribeck\.a'"):
        fit_law(Viscous(1.0), QD, QD)["Stribeck.a"]
    with pytest.raises(IdentificationError, match="depends on the load"):
        fit_law(LAWS["M3"], QD, QD)
    with pytest.raises(IdentificationError, match="1 samples for 1 numbers"):
        fit_law(Viscous(1.0), [1.0], [1.0])
    with pytest.raises(IdentificationError, match="no sample moves"):
        fit_law(Viscous(1.0), np.zeros(9), np.ones(9))
    with pytest.raises(Unsupported, match="DirectionDependent has forwards"):
        fit_law(DirectionDependent(Coulomb(1.0), Coulomb(2.0)), QD, QD)
    open_number = fit_law([Coulomb(1.0), Stribeck(1.0, 1.0, 0.1)], np.full(50, 2.0), np.full(50, 3.0))
    assert np.isinf(open_number.deviations).any()
