"""Checks of the arguments of the numeric functions: states, joints by name, tolerances, choices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import as_plain
from armdyn.constraints.arm import ConstrainedRobot
from armdyn.constraints.errors import ConstraintError
from armdyn.errors import ArmdynError, ModelError, ShapeError, UnknownName, shown
from armdyn.spatial.rotations import Array

CLOSED = 1e-6
"""How far from closed, m or rad, and how fast against the constraints, m/s or rad/s, a state may be.

Rows of functions of the caller's, which have no unit, are measured by `armdyn.constraints.scales`.
"""

Redundant = Literal["error", "least_squares"]
"""The treatment of states at which rows of A follow from others."""

LockedJoints = Mapping[str, float] | Iterable[str]
"""Joints that stay: by name, at their given values, or where the mapping says."""


def tolerance_of(value: Any) -> float:
    """A tolerance: zero or more, infinite where nothing shall be checked."""
    return _number("tolerance", value, "zero or more", lambda x: x >= 0.0)


def rank_tolerance_of(value: Any) -> float:
    """A part of the greatest singular value."""
    return _number("rank_tolerance", value, "from 0 to below 1", lambda x: 0.0 <= x < 1.0)


def gain_of(name: str, value: Any) -> float:
    """A gain of Baumgarte's stabilisation, ``damping`` or ``stiffness``."""
    return _number(name, value, "that is finite, zero or more", lambda x: 0.0 <= x < math.inf)


def _number(name: str, value: Any, expected: str, is_right: Any) -> float:
    try:
        number = math.nan if isinstance(value, str | bytes | bool | np.bool_) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not is_right(number):
        raise ConstraintError(f"{name}={value!r}; expected a number {expected}")
    return number


def check_redundant(redundant: str) -> None:
    """Raise where ``redundant`` is neither of the two choices."""
    if redundant not in ("error", "least_squares"):
        raise ModelError(f"redundant={redundant!r}; expected 'error' or 'least_squares'")


def given(**values: Any) -> dict[str, Any]:
    """The keywords whose values are not None."""
    return {name: value for name, value in values.items() if value is not None}


def per_joint(robot: ConstrainedRobot, **values: Any) -> list[Array]:
    """Arrays of shape (..., n), broadcast to one batch, as float64."""
    arrays = []
    for name, value in values.items():
        try:
            plain = as_plain(name, value, (robot.joint_names,), repr(robot.name))
            array = np.asarray(plain, dtype=float)
        except ArmdynError:
            raise
        except (TypeError, ValueError, OverflowError):
            raise ShapeError(
                f"{name} is {shown(value)}; expected numbers, one value per joint of {robot.name!r}"
            ) from None
        if array.ndim == 0 or array.shape[-1] != robot.dof:
            raise ShapeError(
                f"{name} has shape {array.shape}; expected (..., {robot.dof}), one value per joint of {robot.name!r}: "
                f"{' '.join(robot.joint_names)}"
            )
        arrays.append(array)
    try:
        return [np.array(array) for array in np.broadcast_arrays(*arrays)]
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape[:-1]}" for name, a in zip(values, arrays, strict=True))
        raise ShapeError(f"the batches of the arguments do not broadcast together: {shapes}") from None


def multipliers_of(robot: ConstrainedRobot, multipliers: ArrayLike) -> Array:
    """Multipliers, one for each row, as float64."""
    lam = np.asarray(as_plain("multipliers", multipliers), dtype=float)
    rows = robot.constraint_rows
    if lam.shape[-1:] != (len(rows),):
        names = ", ".join(row.name for row in rows)
        raise ShapeError(f"multipliers have shape {lam.shape}; expected (..., {len(rows)}), one for each of {names}")
    return lam


def coordinates(robot: ConstrainedRobot, names: Iterable[str]) -> list[int]:
    """The places of coordinates in q."""
    known = list(robot.joint_names)
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise UnknownName.of("joint", name, known, repr(robot.name))
    return [known.index(name) for name in wanted]


def with_locked(robot: ConstrainedRobot, locked: LockedJoints, q: Array) -> tuple[Array, Array]:
    """q with the locked coordinates at their values, and which coordinates are free, shape (n,)."""
    places = coordinates(robot, locked)
    free = np.ones(robot.dof, dtype=bool)
    free[places] = False
    if isinstance(locked, Mapping):
        q = q.copy()
        for place, value in zip(places, locked.values(), strict=True):
            q[..., place] = value
    if not free.any():
        raise ModelError(f"all {robot.dof} joints of {robot.name!r} are held; leave some to close the loop")
    return q, free


def state_name(index: tuple[int, ...]) -> str:
    """A state of a batch in words, for messages; empty for a single one."""
    return f" of state {index if len(index) > 1 else index[0]}" if index else ""


def indices(chosen: Array) -> list[tuple[int, ...]]:
    """The index of each chosen state of a batch."""
    return [tuple(map(int, index)) for index in np.argwhere(chosen)]


def finite(*arrays: Array) -> Array:
    """True for states without NaN and infinity, shape (...)."""
    return np.asarray(reduce(np.logical_and, (np.isfinite(a).all(axis=-1) for a in arrays)))
