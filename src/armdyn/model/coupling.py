"""Joints that move together: the joint positions as an exact linear map of the coordinates q.

A robot without couplings has one coordinate per joint. A joint that mimics another, a belt, a gear train or a
differential leaves fewer or other coordinates: joint k is at sum_i A_ki q_i + b_k. The map is applied before every
algorithm: it yields positions, velocities and accelerations of the joints, and joint forces return through A^T, so that
the power qd . tau is equal on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from armdyn.base.fields import set_fields
from armdyn.model.frozen import frozen_array
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.limits import Limits


@dataclass(frozen=True)
class Coordinate:
    """One entry of q that is not simply the position of one joint; rad or m, with its limits and friction.

    Args:
        name: of the coordinate: that of the joint that the others follow, or one of its own.
        kind: "revolute" (rad) or "prismatic" (m).
        limits: range that the limits of the joints that only it moves leave.
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
        coordinates: the entries of q, in order.
        matrix: A, one row per joint of the model, one column per coordinate, shape (joints, n).
        offset: b, joint positions at q = 0, rad or m, shape (joints,).
    """

    coordinates: tuple[Coordinate, ...]
    matrix: Array = field(repr=False)
    offset: Array = field(repr=False)

    def __post_init__(self) -> None:
        joints = len(self.offset)
        set_fields(
            self,
            matrix=frozen_array(self.matrix, (joints, len(self.coordinates)), "coupling"),
            offset=frozen_array(self.offset, (joints,), "coupling offset"),
        )
