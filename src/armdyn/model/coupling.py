"""Joints that move together: the joint positions as an exact linear map of the coordinates q.

A robot without couplings has a coordinate for each joint. A joint that mimics another, a belt, a gear train or a
differential leaves fewer or other coordinates: joint k stands at sum_i A_ki q_i + b_k. The map stands in front of every
algorithm: positions, velocities and accelerations of the joints come out of it, joint forces go back through A^T, so
that the power is the same on both sides, qd . tau.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from armdyn.model.frozen import frozen_array
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.limits import Limits


@dataclass(frozen=True)
class Coordinate:
    """One entry of q that is not simply the position of one joint; rad or m, and what goes with them.

    Args:
        name: of the coordinate: that of the joint the others follow, or one of its own.
        kind: "revolute" (rad) or "prismatic" (m).
        limits: what the limits of the joints it alone moves leave of it.
        damping: viscous friction of those joints as seen by this coordinate.
        friction: their Coulomb friction likewise.
    """

    name: str
    kind: Literal["revolute", "prismatic"]
    limits: Limits
    damping: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True, eq=False)
class Coupling:
    """The linear map from coordinates to joint positions: q_joints = matrix q + offset.

    Args:
        coordinates: what q counts, in its order.
        matrix: A, a row for each joint of the model, a column for each coordinate, shape (joints, n).
        offset: b, joint positions where q = 0, rad or m, shape (joints,).
    """

    coordinates: tuple[Coordinate, ...]
    matrix: Array = field(repr=False)
    offset: Array = field(repr=False)

    def __post_init__(self) -> None:
        joints = len(self.offset)
        object.__setattr__(self, "matrix", frozen_array(self.matrix, (joints, len(self.coordinates)), "coupling"))
        object.__setattr__(self, "offset", frozen_array(self.offset, (joints,), "coupling offset"))
