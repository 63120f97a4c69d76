"""Arguments of the readers that take numbers instead of a file: what is wrong with them is said by argument and row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ShapeError
from armdyn.spatial.rotations import Array

Kind = Literal["revolute", "prismatic"]

KINDS: Mapping[str, Kind] = {"revolute": "revolute", "R": "revolute", "prismatic": "prismatic", "P": "prismatic"}
"""The words and letters for the kinds of a joint, and what armdyn calls them."""

TOLERANCE = 1e-9
"""How far a unit vector, a right angle or a rotation may be from one: descriptions are printed with rounding."""


def numbers(values: ArrayLike, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """A float array of that shape, of finite numbers; ``meaning`` says what was expected."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} is ragged or holds something else than real numbers; expected {meaning}") from None
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}; expected {shape}, {meaning}")
    if not np.isfinite(array).all():
        where = "" if array.ndim == 0 else str([int(i) for i in np.argwhere(~np.isfinite(array))[0]])
        raise ShapeError(f"{name}{where} is not a finite number; expected {meaning}")
    return array


def one_each(values: Sequence[Any], count: int, name: str, meaning: str) -> list[Any]:
    """A list with one entry a joint."""
    if isinstance(values, Mapping) or not hasattr(values, "__len__") or len(values) != count:
        found = f"{len(values)} entries" if hasattr(values, "__len__") else repr(values)
        raise ShapeError(f"{name} has {found}; expected {count}, {meaning}")
    return list(values)


def names_of_joints(names: Sequence[str] | None, count: int) -> list[str]:
    """The names given, or "joint_1", "joint_2", ..."""
    if names is None:
        return [f"joint_{i}" for i in range(1, count + 1)]
    return one_each(names if not isinstance(names, str) else [names], count, "joint_names", "one name a joint")


def kind_problems(kinds: Sequence[Any], name: str) -> Iterator[str]:
    """Words that are no kind of joint."""
    for i, kind in enumerate(kinds):
        if kind not in KINDS:
            close = get_close_matches(str(kind).lower(), KINDS, n=1)
            meant = f" Did you mean {close[0]!r}?" if close else ""
            yield f"{name}[{i}] is {kind!r}; expected 'revolute' or 'prismatic' (or 'R', 'P').{meant}"


def pose_problems(T: Array, name: str) -> Iterator[str]:
    """What makes a 4x4 array no rigid motion."""
    R = T[:3, :3]
    orthonormal = np.allclose(R.T @ R, np.eye(3), atol=TOLERANCE) and np.linalg.det(R) > 0.0
    if not orthonormal or not np.allclose(T[3], [0, 0, 0, 1], atol=TOLERANCE):
        yield f"{name} is no rigid motion; expected a rotation, a position and a last row 0 0 0 1."


def unit_problems(vector: Array, name: str, hint: str = "") -> Iterator[str]:
    """What makes a vector no unit vector."""
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        yield f"{name} is zero; expected a unit vector such as (0, 0, 1)."
    elif abs(length - 1.0) > TOLERANCE:
        unit = ", ".join(repr(float(x)) for x in vector / length)
        yield f"{name} = {shown(vector)} has length {length:.9g}; expected a unit vector, here ({unit}){hint}."


def shown(vector: Array) -> str:
    """A vector for a message."""
    return "(" + ", ".join(f"{x:.6g}" for x in vector) + ")"
