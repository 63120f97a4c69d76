"""Rows are made in blocks, so that long logs take little memory: blocks and the whole give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification import design, regression
from armdyn.identification.factors import factors_of_rows
from armdyn.identification.friction_alone import bounded_least_squares

ARM = armdyn.load("planar_2r")
RNG = np.random.default_rng(5)
T = np.arange(0.0, 12.0, 0.005) + RNG.uniform(-2e-4, 2e-4, size=2400)
W, SIZE = np.array([[0.9, 2.1], [1.3, 2.9]]), np.array([[0.7, 0.3], [0.8, -0.3]])
ANGLE = W[:, :, None] * T
Q = (SIZE[:, :, None] * np.sin(ANGLE)).sum(axis=1).T
QD = ((SIZE * W)[:, :, None] * np.cos(ANGLE)).sum(axis=1).T
QDD = -((SIZE * W**2)[:, :, None] * np.sin(ANGLE)).sum(axis=1).T
TAU = ARM.inverse_dynamics(Q, QD, QDD) + 0.5 * QD + np.sign(QD) + RNG.normal(scale=0.05, size=Q.shape)
OPTIONS: dict[str, Any] = {"friction": ("viscous", "coulomb", "load"), "prior_weight": 1.0, "cutoff": 8.0}


def fitted(
    rows: int, monkeypatch: pytest.MonkeyPatch, *, kept: bool = True, qd: bool = True
) -> armdyn.identification.Fit:
    """The fit by blocks of so many rows, with the states kept between its repetitions or made anew."""
    monkeypatch.setattr(design, "ROWS", rows)
    monkeypatch.setattr(regression, "KEPT", regression.KEPT if kept else 0)
    log = armdyn.logs.read({"t": T, "q": Q, "tau": TAU} | ({"qd": QD} if qd else {}), ARM)
    return armdyn.identify(ARM, log, **OPTIONS)


@pytest.mark.parametrize("qd", [True, False])
def test_blocks_and_the_whole_give_the_same_parameters(qd: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fitted(10**9, monkeypatch, qd=qd)
    for rows, kept in ((7, True), (7, False), (64, False)):
        blocks = fitted(rows, monkeypatch, kept=kept, qd=qd)
        np.testing.assert_allclose(blocks.values, whole.values, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(blocks.deviations, whole.deviations, rtol=1e-10)


def test_rows_and_factors_of_blocks_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row to 1e-12, and the triangles of QR by their products R^T R = A^T A."""
    found = []
    for rows in (10**9, 11):
        monkeypatch.setattr(design, "ROWS", rows)
        log = armdyn.logs.read({"t": T, "q": Q, "qd": QD, "tau": TAU}, ARM)
        parameters = design.Parameters(ARM, True, armdyn.identification.fitting.terms_of(("viscous", "load")))
        bodies = parameters.standard.values
        found.append(regression.Regression.of([log], parameters, 8.0, 40.0, np.zeros(2), bodies))
    whole, blocks = (each.parts[0] for each in found)
    assert len(whole) == len(blocks) > 100
    for name in ("t", "torques", "torque_rates"):
        scale = np.abs(getattr(whole, name)).max()
        np.testing.assert_allclose(getattr(blocks, name), getattr(whole, name), rtol=0, atol=1e-12 * scale)
    for one, other in zip(whole.columns, blocks.columns, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-12 * np.abs(one).max())
    rows = np.column_stack([whole.columns[0], whole.torques[:, 0]])
    cut = [regression._cut(whole, slice(k, k + 13)) for k in range(0, len(whole), 13)]
    (factor, _), gram = factors_of_rows(cut, 2), rows.T @ rows
    np.testing.assert_allclose(factor.triangle.T @ factor.triangle, gram, rtol=0, atol=1e-12 * np.abs(gram).max())


def test_bounds_that_are_not_reached_need_one_solution() -> None:
    """The active sets beside SciPy's bounded least squares, of parameters in and out of their bounds."""
    from scipy.optimize import lsq_linear

    for trial in range(40):
        rng = np.random.default_rng(trial)
        A, y = rng.normal(size=(30, 5)) * [1.0, 1e3, 1e-3, 1.0, 10.0], rng.normal(size=30)
        rule = rng.random(5) < 0.6
        x = bounded_least_squares(A, y, rule)
        bounds = np.where(rule, 0.0, -np.inf), np.full(5, np.inf)
        scale = np.linalg.norm(A, axis=0)
        expected = lsq_linear(A / scale, y, bounds, method="bvls", tol=1e-14).x / scale
        np.testing.assert_allclose(x * scale, expected * scale, rtol=0, atol=1e-10)
        assert (x[rule] >= 0.0).all()


def test_currents_in_the_columns_of_torques_are_named() -> None:
    """Numbers that follow the description's torques and are a tenth of them."""
    log = {"t": T, "q": Q, "qd": QD, "tau": TAU / [11.0, 8.0]}
    notes = " ".join(armdyn.identify(ARM, log, **OPTIONS).notes)
    assert "torques follow those of the description and are a small part of them (joint_1 0.0" in notes
    assert "columns={'current': ...}" in notes
    right = armdyn.identify(ARM, {"t": T, "q": Q, "qd": QD, "tau": TAU}, **OPTIONS)
    assert "small part" not in " ".join(right.notes)
