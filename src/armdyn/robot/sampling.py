"""Random configurations within the joint limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.checks import whole_number
from armdyn.base.errors import ModelError, ShapeError, excerpt
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike
    from armdyn.model.limits import Limits

WHERE_UNLIMITED = {"revolute": 2.0 * math.pi, "prismatic": 1.0}
"""The range, rad or m, of samples of a joint without limits, or with only one."""


def random_configuration(
    robot: RobotLike, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] | None = None
) -> Array:
    """Joint positions drawn uniformly within the limits, rad or m, shape (n,) or (..., n).

    A joint without limits turns through all angles from -pi to pi, or slides from -0.5 to 0.5 m; one with a limit on
    one side is drawn from a range of that width next to it. Constraints of loops are ignored: `close_loop` closes them.

    Args:
        rng: a generator of NumPy, or a seed; fresh numbers if None.
        size: the number of samples, or the shape of the batch; one by default.

    Raises:
        ModelError: limits that leave no position; a size that is not a count or a tuple of counts.

    >>> robot = armdyn.load("ur5")
    >>> robot.random_configuration(0, size=(5, 2)).shape
    (5, 2, 6)
    >>> q = robot.random_configuration(np.random.default_rng(1))
    >>> bool(((robot.lower <= q) & (q <= robot.upper)).all())
    True
    """
    generator = np.random.default_rng(rng)
    ranges = np.array([_range(joint.name, joint.limits, WHERE_UNLIMITED[joint.kind]) for joint in robot.joints])
    return generator.uniform(ranges[:, 0], ranges[:, 1], (*_shape(size), robot.dof))


def _range(name: str, limits: Limits, width: float) -> tuple[float, float]:
    if not limits.lower <= limits.upper:
        raise ModelError(f"limits of {name!r} leave no position: lower {limits.lower:g}, upper {limits.upper:g}")
    below, above = math.isfinite(limits.lower), math.isfinite(limits.upper)
    low = limits.lower if below else limits.upper - width if above else -width / 2.0
    return low, limits.upper if above else low + width


def _shape(size: int | tuple[int, ...] | None) -> tuple[int, ...]:
    if size is None:
        return ()
    if isinstance(size, tuple | list):
        return tuple(whole_number("a size of the batch", n, least=0, error=ShapeError) for n in size)
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise ShapeError(f"size is {excerpt(size)}; expected a whole number, or a tuple of them")
    return (whole_number("size", size, least=0, error=ShapeError),)
