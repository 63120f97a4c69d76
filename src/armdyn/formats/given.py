"""Arguments of the readers that take numbers instead of a file: errors name argument and row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, is_one_of, listed, text_problems, wrong_length
from armdyn.base.errors import ModelError, ShapeError, excerpt
from armdyn.model.bounds import LARGEST
from armdyn.model.messages import did_you_mean
from armdyn.spatial.rotations import Array

Kind = Literal["revolute", "prismatic"]

KINDS: Mapping[str, Kind] = {"revolute": "revolute", "R": "revolute", "prismatic": "prismatic", "P": "prismatic"}
"""The words and letters for the kinds of a joint, and armdyn's names for them."""

TOLERANCE = 1e-9
"""The tolerance on unit vectors, right angles and rotations: descriptions are printed with rounding."""


def numbers(values: ArrayLike, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """A float array of that shape, of finite numbers; ``meaning`` describes the expected value."""
    result = array(name, values, shape, meaning, finite=ModelError)
    if result.size and (largest := float(np.abs(result).max())) > LARGEST:
        raise ModelError(f"{name} holds {largest:.3g}; expected {meaning}, numbers below {LARGEST:g}.")
    return result


def one_each(values: object, count: int, name: str, meaning: str) -> list[Any]:
    """A list with one entry per joint."""
    result = listed(values)
    if result is None or len(result) != count:
        has = excerpt(values) if result is None else f"{len(result)} entries"
        raise ShapeError(f"{name} has {has}; expected {count}, {meaning}")
    return result


def names_of_joints(names: Sequence[str] | None, count: int) -> list[str]:
    """The given names, or "joint_1", "joint_2", ..."""
    if names is None:
        return [f"joint_{i}" for i in range(1, count + 1)]
    labels = one_each(names if not isinstance(names, str) else [names], count, "joint_names", "one name a joint")
    problems = [p for i, label in enumerate(labels) for p in text_problems(label, f"joint_names[{i}]")]
    if problems:
        raise ModelError(problems)
    return labels


def kind_problems(kind: object, name: str) -> Iterator[str]:
    """The fault of a word that is not a kind of joint."""
    if not is_one_of(kind, KINDS):
        hint = did_you_mean(kind.lower(), KINDS) if isinstance(kind, str) else ""
        yield f"{name} is {excerpt(kind)}; expected 'revolute' or 'prismatic' (or 'R', 'P').{hint}"


def collar_problems(collar: object, name: str) -> Iterator[str]:
    """The fault of a word that is not an end of a joint."""
    if not is_one_of(collar, ("parent", "child")):
        yield f"{name} is {excerpt(collar)}; expected 'parent' or 'child', the link that carries it."


def pose_problems(T: Array, name: str) -> Iterator[str]:
    """The fault of a 4x4 array that is not a rigid motion."""
    R = T[:3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # a matrix that overflows is not orthonormal
        orthonormal = np.allclose(R.T @ R, np.eye(3), rtol=0.0, atol=TOLERANCE) and np.linalg.det(R) > 0.0
    if not orthonormal or not np.allclose(T[3], [0, 0, 0, 1], rtol=0.0, atol=TOLERANCE):
        yield f"{name} is no rigid motion; expected a rotation, a position and a last row 0 0 0 1."


def unit_problems(vector: Array, name: str, hint: str = "") -> Iterator[str]:
    """The fault of a vector that is not a unit vector."""
    if abs(math.hypot(*vector) - 1.0) > TOLERANCE:
        yield f"{name} = {vector_text(vector)} {wrong_length(vector)}{hint}."


def vector_text(vector: Array) -> str:
    """A vector for a message."""
    return "(" + ", ".join(f"{x:.6g}" for x in vector) + ")"
