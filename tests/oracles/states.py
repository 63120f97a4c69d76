"""Random states of general values: no zeros, no round numbers, every joint in another state."""

from typing import NamedTuple

import numpy as np

from armdyn import Function, Robot


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


def assert_close(actual: np.ndarray, expected: np.ndarray, relative: float = 1e-12, floor: float = 0.0) -> None:
    """Every row within ``relative`` of its own largest element, or of ``floor`` where that is larger.

    A torque is a sum of terms of about the size of the largest; what cancels to zero is rounding of terms unseen.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert np.isfinite(expected).all()
    rows = expected.reshape(len(expected), -1) if expected.ndim > 1 else expected.reshape(-1, 1)
    scale = np.maximum(np.abs(rows).max(axis=1, keepdims=True), floor)
    error = np.abs(actual.reshape(rows.shape) - rows)
    worst = (error / np.where(scale > 0.0, scale, 1.0)).max() if rows.size else 0.0
    assert worst <= relative, f"relative error {worst:.3g}, allowed {relative:g}"


def general_arguments(function: Function, robot: Robot, count: int = 20, seed: int = 0) -> dict[str, np.ndarray]:
    """``count`` values of every array a declared function takes, by name."""
    known = random_states(robot.dof, count, seed)._asdict()
    rng = np.random.default_rng(seed + 1000)
    sizes = {"n": robot.dof, "links": len(robot.link_names)}
    shapes = {a.name: tuple(sizes.get(d, d) for d in a.shape) for a in function.arguments}
    return {name: known[name] if name in known else rng.normal(0.0, 2.0, (count, *shapes[name])) for name in shapes}


def as_tuple(results: object) -> tuple[np.ndarray, ...]:
    """One result or several, as several."""
    return results if isinstance(results, tuple) else (results,)  # type: ignore[return-value]
