"""Inverses and solutions of small positive definite matrices, on numbers and traced, against fifty digits."""

import numpy as np
import pytest
from mpmath import mp

from armdyn.program import Port, trace
from armdyn.spatial.positive_definite import Cholesky, ZeroPivot


@pytest.mark.parametrize("size", range(1, 7))
def test_inverse_in_fifty_digits(size: int) -> None:
    rng = np.random.default_rng(430 + size)
    for _ in range(5):
        B = rng.normal(size=(size, size + 2))
        A = B @ B.T
        with mp.workdps(50):
            exact = np.array((mp.matrix(A.tolist()) ** -1).tolist(), dtype=float).reshape(size, size)
        actual = Cholesky.of(A).inverse().astype(float)
        np.testing.assert_allclose(actual, exact, rtol=0, atol=1e-15 * np.linalg.cond(A) * np.abs(exact).max())
        np.testing.assert_array_equal(actual, actual.T)


def test_only_the_lower_triangle_is_read() -> None:
    A = np.array([[4.0, np.nan, np.nan], [1.0, 3.0, np.nan], [0.5, -1.0, 2.0]])
    full = np.tril(A) + np.tril(A, -1).T
    np.testing.assert_allclose(Cholesky.of(A).inverse().astype(float), np.linalg.inv(full), rtol=1e-14)


@pytest.mark.parametrize(
    ("size", "counts"), [(1, "1d"), (2, "4m + 2a + 2d"), (3, "15m + 9a + 3d"), (6, "120m + 90a + 6d")]
)
def test_operation_count(size: int, counts: str) -> None:
    assert str(trace(lambda A: Cholesky.of(A).inverse(), [Port("A", (size, size))]).op_counts) == counts


def test_dependent_rows_are_named() -> None:
    with pytest.raises(ZeroPivot) as caught:
        Cholesky.of(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]))
    assert caught.value.row == 1


def test_solution_and_independence() -> None:
    B = np.random.default_rng(431).normal(size=(4, 6))
    b = np.arange(1.0, 5.0)
    factors = Cholesky.of(B @ B.T)
    np.testing.assert_allclose(factors.solve(b).astype(float), np.linalg.solve(B @ B.T, b), rtol=1e-13)
    for k, independence in enumerate(factors.independence):
        rest = B[k] - (B[:k].T @ np.linalg.lstsq(B[:k].T, B[k], rcond=None)[0] if k else 0.0)
        np.testing.assert_allclose(float(independence), rest @ rest / (B[k] @ B[k]), rtol=1e-12)
