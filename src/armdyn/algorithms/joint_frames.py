"""Axes of the joints, in which the composite bodies are expressed, and the transforms from one to the next.

On its way inwards a composite body is turned by its joint and then, by constants, into the axes of its parent. Between
the two it is expressed in the joint's own axes, with z along the joint. Quantities computed there, and not in the
body's axes, need not be rotated by the joint's angle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.mass_matrix import Composite
from armdyn.algorithms.newton_euler import Wrench, wrench_in_parent
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array
from armdyn.spatial.turns import Turns, tensor_to_parent, to_parent


class JointFrame(NamedTuple):
    """A joint's axes: ``rest`` turns from the parent's axes to these, ``spin`` from these to the body's."""

    rest: Turns
    spin: Turns


def joint_frames(mechanism: Mechanism, q: Array) -> list[JointFrame]:
    """The axes of all joints."""
    return [joint_frame(body, position) for body, position in zip(mechanism.bodies, q, strict=True)]


def joint_frame(body: Body, position: Scalar) -> JointFrame:
    """The axes of one joint: the body's own if it slides or spins, or if no joint is further inwards."""
    if body.parent < 0 or body.spins or not body.revolute:
        return JointFrame(body.turns_at(position), ())
    return JointFrame(body.turns, (body.joint_turn(position),))


def composite_to_parent(turns: Turns, whole: Composite) -> Composite:
    """A composite body in other axes through the same origin."""
    return Composite(whole.mass, to_parent(turns, whole.h), tensor_to_parent(turns, whole.S))


def to_carrier(body: Body, position: Scalar, frame: JointFrame, carrier: JointFrame, wrench: Wrench) -> Wrench:
    """A wrench on ``body`` from its joint's axes to those of the joint that carries it, about that one's origin."""
    n, f = wrench_in_parent(body, position, frame.rest, wrench)
    return Wrench(to_parent(carrier.spin, n), to_parent(carrier.spin, f))


def across_z(v: Array) -> Array:
    """z x v, of a vector; of a tensor, its rows."""
    x, y = v[..., 0], v[..., 1]
    return np.stack([-y, x, 0.0 * x], axis=-1)
