"""Random states of general values: no zeros, no round numbers, every joint in another state."""

from typing import NamedTuple

import numpy as np


class States(NamedTuple):
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    f_tip: np.ndarray


def random_states(dof: int, count: int = 20, seed: int = 0) -> States:
    """``count`` states of a robot with ``dof`` joints."""
    rng = np.random.default_rng(seed)
    return States(
        q=rng.uniform(-3.0, 3.0, (count, dof)),
        qd=rng.normal(0.0, 2.0, (count, dof)),
        qdd=rng.normal(0.0, 5.0, (count, dof)),
        tau=rng.normal(0.0, 20.0, (count, dof)),
        f_tip=rng.normal(0.0, 10.0, (count, 6)),
    )


def assert_close(actual: np.ndarray, expected: np.ndarray, relative: float = 1e-12) -> None:
    """Every row within ``relative`` of its own largest element: a torque is a sum of terms of that size."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert np.isfinite(expected).all()
    rows = expected.reshape(len(expected), -1) if expected.ndim > 1 else expected.reshape(-1, 1)
    scale = np.abs(rows).max(axis=1, keepdims=True)
    error = np.abs(actual.reshape(rows.shape) - rows)
    worst = (error / np.where(scale > 0.0, scale, 1.0)).max() if rows.size else 0.0
    assert worst <= relative, f"relative error {worst:.3g}, allowed {relative:g}"
