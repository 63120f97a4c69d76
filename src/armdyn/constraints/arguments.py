"""Arguments of the numeric functions: a robot with constraints, states, joints by name, tolerances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, number, places
from armdyn.base.errors import ModelError
from armdyn.constraints.errors import ConstraintError
from armdyn.functions.robot_like import RobotLike
from armdyn.model.constraints import Row
from armdyn.spatial.rotations import Array

CLOSED = 1e-6
"""Tolerance of a state's violation of constraints, m or rad, and of its rate, m/s or rad/s.

Rows of functions of the user, which have no unit, are scaled by `armdyn.constraints.row_sizes.row_sizes`.
"""

RANK_TOLERANCE = 1e-10
"""Singular values of the rows as unit vectors below this part of the greatest count as zero."""

Redundant = Literal["auto", "error", "least_squares"]
"""The treatment of states at which rows of A depend on others.

"auto" solves those that do so at all states by least squares, and refuses states at which more rows do than near them.
"""

LockedJoints = Mapping[str, float] | Iterable[str]
"""Joints that stay: by name, at their given values, or at those of a mapping."""


class ConstrainedRobot(RobotLike, Protocol):
    """A robot with constraints: `armdyn.Robot` is one."""

    @property
    def constraint_rows(self) -> tuple[Row, ...]: ...  # noqa: D102
    @property
    def constraint_error(self) -> Callable[..., Array]: ...  # noqa: D102
    @property
    def constraint_jacobian(self) -> Callable[..., Array]: ...  # noqa: D102
    @property
    def constraint_velocity(self) -> Callable[..., Array]: ...  # noqa: D102
    @property
    def constraint_drift(self) -> Callable[..., Array]: ...  # noqa: D102


def tolerance_of(value: object) -> float:
    """A tolerance: zero or more, infinite switches the checks off."""
    return number("tolerance", value, least=0.0, infinite=True, error=ConstraintError)


def rank_tolerance_of(value: object) -> float:
    """A part of the greatest singular value."""
    return number("rank_tolerance", value, least=0.0, below=1.0, error=ConstraintError)


def gain_of(name: str, value: object) -> float:
    """A gain of Baumgarte's stabilisation, ``damping`` or ``stiffness``."""
    return number(name, value, least=0.0, error=ConstraintError)


def keywords(**values: Any) -> dict[str, Any]:
    """The keywords whose values are not None."""
    return {name: value for name, value in values.items() if value is not None}


def multipliers_of(robot: ConstrainedRobot, multipliers: ArrayLike) -> Array:
    """Multipliers, one for each row, as float64."""
    names = [row.name for row in robot.constraint_rows]
    return array("multipliers", multipliers, (..., len(names)), f"one for each of {', '.join(names)}", missing=True)


def coordinates(robot: ConstrainedRobot, argument: str, names: Iterable[str]) -> list[int]:
    """The places of coordinates in q; empty without names."""
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        return []
    return places(argument, listed, robot.joint_names, "joint", repr(robot.name), error=ConstraintError)


def with_locked(robot: ConstrainedRobot, locked: LockedJoints, q: Array) -> tuple[Array, Array]:
    """q with the locked coordinates at their values, and which coordinates are free, shape (n,)."""
    places = coordinates(robot, "locked", locked)
    free = np.ones(robot.dof, dtype=bool)
    free[places] = False
    if isinstance(locked, Mapping):
        q = q.copy()
        for place, value in zip(places, locked.values(), strict=True):
            q[..., place] = array(f"locked joint {robot.joint_names[place]!r}", value)
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
