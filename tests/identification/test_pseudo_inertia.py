"""Pseudo-inertias, their divergence, and least squares over them, beside finite differences, NNLS and Clarabel."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.identification.friction_alone import bounded_least_squares
from armdyn.identification.pseudo_inertia import (
    divergence,
    divergence_slopes,
    parameters_of,
    pseudo_inertias,
    with_volume,
)
from armdyn.identification.solver import Prior, solve
from armdyn.inertia import consistency

PI = armdyn.load("ur5").standard_parameters(armature=False, damping=False, friction=False).values
P0 = pseudo_inertias(PI)
RNG = np.random.default_rng(7)


def test_the_parameters_come_back_and_the_eigenvalues_are_those_of_a_body() -> None:
    np.testing.assert_allclose(parameters_of(P0), PI, rtol=1e-13, atol=1e-16)
    links = armdyn.load("ur5").model.links[1:]
    for P, link in zip(P0, links, strict=True):
        eigenvalues = consistency(link.inertia).pseudo_inertia_eigenvalues
        np.testing.assert_allclose(np.linalg.eigvalsh(P), eigenvalues, rtol=1e-9, atol=1e-14)


def test_the_divergence_is_zero_at_the_prior_and_its_slopes_are_its_differences() -> None:
    inverse = np.linalg.inv(P0)
    assert divergence(P0, inverse) == pytest.approx(0.0, abs=1e-10)
    turned = np.eye(4) + 0.05 * RNG.normal(size=(len(P0), 4, 4))
    x = parameters_of(turned @ P0 @ np.swapaxes(turned, 1, 2))
    assert divergence(pseudo_inertias(x), inverse) > 0.0
    gradient, blocks = divergence_slopes(pseudo_inertias(x), inverse)
    step = 1e-6 * np.abs(PI).reshape(-1, 10).max(axis=1).repeat(10)
    for k in RNG.choice(len(x), 12, replace=False):
        up, down = x.copy(), x.copy()
        up[k] += step[k]
        down[k] -= step[k]
        slopes = [divergence_slopes(pseudo_inertias(each), inverse)[0].ravel() for each in (up, down)]
        values = [divergence(pseudo_inertias(each), inverse) for each in (up, down)]
        assert (values[0] - values[1]) / (2.0 * step[k]) == pytest.approx(gradient.ravel()[k], rel=1e-4, abs=1e-4)
        link, place = divmod(k, 10)
        np.testing.assert_allclose(
            ((slopes[0] - slopes[1]) / (2.0 * step[k])).reshape(-1, 10)[link], blocks[link, place], rtol=1e-3, atol=1e-2
        )


def test_no_body_is_infinitely_far() -> None:
    flat = PI.copy()
    flat[0] = -1.0
    assert divergence(pseudo_inertias(flat), np.linalg.inv(P0)) == np.inf


def test_a_description_without_volume_gets_some() -> None:
    arm = armdyn.load("planar_2r")  # point masses
    P = pseudo_inertias(arm.standard_parameters().values)
    assert np.linalg.eigvalsh(P).min() <= 0.0 + 1e-15
    mended, changed = with_volume(P, 1.0)
    assert changed.all()
    assert np.linalg.eigvalsh(mended).min() > 0.0
    np.testing.assert_allclose(mended, P, rtol=0, atol=4e-4)
    same, unchanged = with_volume(P0, 0.3)
    assert not unchanged.any()
    assert same is not P0
    np.testing.assert_array_equal(same, P0)


def problem(rows: int, extra: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, y and a mask of parameters that are not negative, with noise that pushes some below zero."""
    units = np.concatenate([np.tile([1.0] + [0.1] * 3 + [0.01] * 6, len(PI) // 10), np.ones(extra)])
    A = RNG.normal(size=(rows, len(PI) + extra)) / units
    truth = np.concatenate([PI, np.tile([0.5, 0.0], extra)[:extra]])
    return A, A @ truth + 3.0 * RNG.normal(size=rows), np.arange(len(truth)) >= len(PI)


@pytest.mark.parametrize("weight", [100.0, 1.0, 1e-3])
def test_the_minimum_is_clarabels(weight: float) -> None:
    cvxpy = pytest.importorskip("cvxpy")
    A, y, not_negative = problem(150, 4)
    prior = Prior(P0, np.concatenate([PI, np.zeros(4)]), np.concatenate([np.full(len(PI), np.inf), np.full(4, 1e3)]))
    solution = solve(A, y, prior, weight, not_negative)
    # scaled by congruence: P = L X L^T with L L^T = P0, so that X is of order one
    factors = np.linalg.cholesky(P0)
    X = [cvxpy.Variable((4, 4), symmetric=True) for _ in P0]
    friction = cvxpy.Variable(4, nonneg=True)
    parts = []
    for L, Xl in zip(factors, X, strict=True):
        P = L @ Xl @ L.T
        trace = P[0, 0] + P[1, 1] + P[2, 2]
        moments = {
            (i, j): (trace if i == j else 0.0) - P[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
        }
        parts += [P[3, 3], P[0, 3], P[1, 3], P[2, 3], *moments.values()]
    x = cvxpy.hstack([*parts, friction])
    divergences = sum(cvxpy.trace(Xl) - cvxpy.log_det(Xl) - 4.0 for Xl in X)
    cost = 0.5 * cvxpy.sum_squares(A @ x - y) + weight * divergences + 0.5 * cvxpy.sum_squares(friction / 1e3)
    cvxpy.Problem(cvxpy.Minimize(cost)).solve(solver=cvxpy.CLARABEL)

    def ours(values: np.ndarray) -> float:
        quadratic = 0.5 * np.sum((A @ values - y) ** 2) + 0.5 * np.sum((values[-4:] / 1e3) ** 2)
        return float(quadratic + weight * divergence(pseudo_inertias(values[: len(PI)]), np.linalg.inv(P0)))

    assert ours(solution.x) <= ours(np.concatenate([x.value[:-4], np.maximum(x.value[-4:], 0.0)])) * (1.0 + 1e-9)
    assert ours(solution.x) == pytest.approx(cost.value, rel=2e-4)
    assert np.linalg.eigvalsh(pseudo_inertias(solution.x[: len(PI)])).min() > 0.0
    assert (solution.x[-4:] >= 0.0).all()


def test_without_data_the_prior_comes_back_and_with_much_data_the_truth() -> None:
    prior = Prior(P0, PI, np.full(len(PI), np.inf))
    none = np.zeros(len(PI), dtype=bool)
    np.testing.assert_allclose(solve(np.zeros((1, len(PI))), np.zeros(1), prior, 1.0, none).x, PI, rtol=1e-9)
    A = RNG.normal(size=(200, len(PI))) * 1e3 / np.tile([1.0] + [0.1] * 3 + [0.01] * 6, len(PI) // 10)
    truth = PI * np.repeat([1.3, 0.8, 1.0, 2.0, 0.5, 1.1], 10)
    np.testing.assert_allclose(solve(A, A @ truth, prior, 1e-6, none).x, truth, rtol=1e-5, atol=1e-7)


def test_the_units_of_the_arm_do_not_matter() -> None:
    """An arm of a thousandth of the length and a millionth of the mass, with forces in those units."""
    A, y, _ = problem(150, 0)
    none = np.zeros(len(PI), dtype=bool)
    unit = np.tile([1e-6] + [1e-9] * 3 + [1e-12] * 6, len(PI) // 10)
    large = solve(A, y, Prior(P0, PI, np.full(len(PI), np.inf)), 1.0, none).x
    small = solve(A / unit, y, Prior(pseudo_inertias(PI * unit), PI * unit, np.full(len(PI), np.inf)), 1.0, none).x
    np.testing.assert_allclose(small / unit, large, rtol=1e-6, atol=1e-9)


def test_bounded_least_squares_is_nnls() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        A, y = rng.normal(size=(12, 4)), rng.normal(size=12)
        np.testing.assert_allclose(
            bounded_least_squares(A, y, np.ones(4, dtype=bool)), optimize.nnls(A, y)[0], rtol=0, atol=1e-10
        )
