"""What the numeric functions of this package check before they compute: their settings, and the mass matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.constraints.errors import ConstraintError
from armdyn.constraints.states import ConstrainedRobot, state_name
from armdyn.errors import ModelError
from armdyn.spatial.rotations import Array
from armdyn.spatial.singular_mass import is_singular, without_inertia


def tolerance_of(value: Any) -> float:
    """A tolerance: zero or more, infinite where nothing shall be checked."""
    return _number("tolerance", value, "zero or more", lambda x: x >= 0.0)


def rank_tolerance_of(value: Any) -> float:
    """A part of the greatest singular value."""
    return _number("rank_tolerance", value, "from 0 to below 1", lambda x: 0.0 <= x < 1.0)


def gain_of(name: str, value: Any) -> float:
    """A gain of the stabilisation, ``damping`` or ``stiffness``."""
    return _number(name, value, "that is finite, zero or more", lambda x: 0.0 <= x < math.inf)


def _number(name: str, value: Any, expected: str, is_right: Any) -> float:
    try:
        number = math.nan if isinstance(value, str | bytes | bool | np.bool_) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not is_right(number):
        raise ConstraintError(f"{name}={value!r}; expected a number {expected}")
    return number


def check_inertia(robot: ConstrainedRobot, M: Array, states: Sequence[tuple[int, ...]], moving: Array) -> None:
    """Refuse states where the moving coordinates have no inertia: M, of them alone, has no inverse.

    Args:
        robot: whose states they are.
        M: mass matrices, shape (states, n, n).
        states: the index of each in its batch.
        moving: which coordinates are free to move, shape (n,).
    """
    part = M[:, moving][:, :, moving]
    singular = is_singular(part)
    if singular.any():
        first = int(np.flatnonzero(singular)[0])
        names = [name for name, moves in zip(robot.joint_names, moving, strict=True) if moves]
        idle = without_inertia(part[first], names)
        which = f"joint {idle[0]!r} moves" if len(idle) == 1 else f"joints {', '.join(map(repr, idle))} can move with"
        raise ModelError(
            f"the mass matrix of {robot.name!r} is singular at q{state_name(states[first])}: {which} no inertia, so "
            "that no force decides the acceleration. Give links inertia, or joints armature, or lock such joints."
        )
