"""Rows of the filtered momentum: no accelerations, and the numbers of the rows with accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification import IdentificationError
from armdyn.identification.design import Parameters
from armdyn.identification.friction_terms import terms_of
from armdyn.identification.regression import Regression
from armdyn.logs import read
from identification.arms import fourier, pendulum, recorded, wrong_description

UR5 = armdyn.load("ur5")
ARM = UR5.with_friction(dict.fromkeys(UR5.joint_names, (2.0, 3.0))).with_armature(dict.fromkeys(UR5.joint_names, 0.2))


def regression(robot: armdyn.Robot, log: Any, form: str, **options: Any) -> Regression:
    parameters = Parameters(robot, True, terms_of(("viscous",)), momentum=form == "momentum", **options)
    bodies = parameters.standard.values
    return Regression.of([read(log, robot)], parameters, 5.0, 25.0, np.zeros(robot.dof), bodies)


@pytest.mark.parametrize("coupled", [False, True])
def test_both_forms_have_equal_rows_on_clean_signals(coupled: bool) -> None:
    """To the error of the differences that stand for the rates: below 3e-5 of each column's size."""
    C = np.eye(6)
    C[5, 4] = 1.0
    log = recorded(ARM, fourier(6, 8.0, 200.0))
    options: dict[str, Any] = {"coupling": C} if coupled else {}
    one, other = (regression(UR5, log, form, **options).parts[0] for form in ("acceleration", "momentum"))
    for a, b in zip(one.columns, other.columns, strict=True):
        np.testing.assert_allclose(b / np.abs(a).max(axis=0), a / np.abs(a).max(axis=0), rtol=0, atol=3e-5)


def test_both_forms_fit_the_same_robot() -> None:
    log = recorded(ARM, fourier(6, 20.0, 200.0), noise=0.2)
    options: dict[str, Any] = {"friction": ("viscous", "coulomb"), "prior_weight": 1.0, "delay": None}
    one, other = (
        armdyn.identify(wrong_description(UR5), log, form=form, **options) for form in ("acceleration", "momentum")
    )
    difference = np.abs(other.base_values - one.base_values)
    assert (difference < 0.05 * one.base_deviations + 1e-6).all()
    assert other.values[other.parameters.place("armature")] == pytest.approx(0.2, abs=0.05)


def test_a_frictionless_pendulum_keeps_its_inertia_and_has_no_friction() -> None:
    truth = pendulum()
    t = np.arange(0.0, 10.0, 0.01)
    w = 2.0 * np.pi
    q, qd = 0.3 * np.sin(w * t)[:, None], 0.3 * w * np.cos(w * t)[:, None]
    log = {"t": t, "q": q, "qd": qd, "tau": truth.inverse_dynamics(q, qd, -(w**2) * q)}
    for velocities in (True, False):
        given = log if velocities else {name: x for name, x in log.items() if name != "qd"}
        fit = armdyn.identify(
            wrong_description(truth), given, friction=("viscous", "coulomb"), armature=False, delay=None,
            prior_weight=1e-3, form="momentum",
        )  # fmt: skip
        assert fit["rod.I_zz"] == pytest.approx(0.5, rel=2e-5)
        assert fit["rod.mc_x"] == pytest.approx(0.5, rel=2e-5)
        assert abs(fit["joint.viscous"]) < 1e-5
        assert abs(fit["joint.coulomb"]) < 1e-5


def test_jitter_does_not_bias_the_inertia() -> None:
    log = recorded(pendulum(), fourier(1, 20.0, 1000.0), jitter=1e-4, velocities=False)
    fit = armdyn.identify(
        wrong_description(pendulum()), log, friction=("viscous", "coulomb"), armature=False, cutoff=10.0,
        prior_weight=1e-3, form="momentum",
    )  # fmt: skip
    assert fit["rod.I_zz"] == pytest.approx(0.5, rel=3e-3)


def test_load_friction_and_another_form() -> None:
    log = recorded(armdyn.load("planar_2r"), fourier(2, 10.0, 100.0))
    fit = armdyn.identify(armdyn.load("planar_2r"), log, form="momentum")
    np.testing.assert_allclose(fit.check(log).rms, 0.0, atol=0.05)
    with pytest.raises(IdentificationError, match="form is 'energy'"):
        armdyn.identify(armdyn.load("planar_2r"), log, form="energy")
