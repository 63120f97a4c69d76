"""The flexible joints of a robot, and the arm on the links' side of their springs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.spring import Spring
from armdyn.base.errors import ModelError, Unsupported
from armdyn.base.exact import Exact, is_zero
from armdyn.base.scalars import Array, Scalar
from armdyn.model.editing import WITHOUT_ROTOR
from armdyn.model.friction import FrictionLaw
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model


class FlexibleJoint(NamedTuple):
    """A joint with a spring between its rotor and its link.

    Args:
        coordinate: its place in q and theta.
        body: its place in the drive.
        spring: between rotor and link.
        inertia: B, of the rotor as the joint feels it, kg m^2, or kg of a slide.
        laws: friction of motor and gear, at the rotor's velocity.
    """

    coordinate: int
    body: int
    spring: Spring
    inertia: Scalar
    laws: tuple[FrictionLaw, ...]

    def force(self, q: Scalar, qd: Scalar, theta: Scalar, thetad: Scalar) -> Scalar:
        """tau_J, the force of the spring on the link and against the rotor, N m or N."""
        i = self.coordinate
        return self.spring.force(theta[i] - q[i], thetad[i] - qd[i])

    def friction(self, rate: Scalar, load: Scalar) -> Scalar:
        """Friction of motor and gear at a load, which is the spring's force, N m or N."""
        return sum(law.force(rate, load) for law in self.laws)

    def friction_slope(self, rate: Scalar, load: Scalar) -> Scalar:
        """The derivative of `friction` by the rotor's velocity."""
        return sum(law.slopes(rate, load).by_rate for law in self.laws)


def spring_count(model: Model) -> int:
    """The number of flexible joints."""
    return sum(joint.has_spring for joint in model.joints)


def flexible_places(model: Model) -> list[int]:
    """The places in q of the joints with springs; empty for a stiff arm.

    Raises:
        Unsupported: a spring at a joint whose position is not a coordinate of its own.
    """
    places = {coordinate.name: k for k, coordinate in enumerate(model.coordinates)}
    springs = [joint.name for joint in model.joints if joint.has_spring]
    for name in springs:
        if name not in places:
            raise _is_coupled(model, name)
    return sorted(places[name] for name in springs)


def _is_coupled(model: Model, joint: str) -> Unsupported:
    return Unsupported(
        f"joint {joint!r} of {model.name!r} has a spring and is coupled with other joints; expected springs at joints "
        "whose position is a coordinate of its own"
    )


def flexible_joints(mechanism: Mechanism) -> list[FlexibleJoint]:
    """The joints with springs, in the order of q; empty for a stiff arm.

    Raises:
        ModelError: a joint with a spring and without a rotor's inertia.
        Unsupported: a spring at a joint whose position is not a coordinate of its own.
    """
    by_coordinate: dict[int, FlexibleJoint] = {}
    drive, joints = mechanism.drive, mechanism.model.joints
    for k, body in enumerate(mechanism.links):
        joint = joints[body.joint]
        if not isinstance(joint.actuator, Actuator) or joint.actuator.spring is None:
            continue
        [(coordinate, factor), *others] = drive.terms[k] or ((-1, 0.0),)
        if others or factor != 1.0 or drive.offsets[k] or coordinate in by_coordinate:
            raise _is_coupled(mechanism.model, joint.name)
        if is_zero(drive.armature[k]):
            raise ModelError(f"joint {joint.name!r} of {mechanism.name!r} has a spring, but {WITHOUT_ROTOR}")
        spring = joint.actuator.spring.with_inputs(mechanism.springs.get(joint.name, {}))
        by_coordinate[coordinate] = FlexibleJoint(coordinate, k, spring, drive.armature[k], drive.laws[k])
    return [by_coordinate[coordinate] for coordinate in sorted(by_coordinate)]


def links_side(mechanism: Mechanism, joints: list[FlexibleJoint]) -> Mechanism:
    """The arm without the rotors of its flexible joints and without the friction on the rotors' side of their springs.

    Damping and friction of a joint's own description stay: they are those of its bearings.
    """
    behind = {joint.body for joint in joints}
    drive = mechanism.drive
    armature = tuple(Exact(0) if k in behind else a for k, a in enumerate(drive.armature))
    laws = tuple(() if k in behind else own for k, own in enumerate(drive.laws))
    return dataclasses.replace(mechanism, drive=dataclasses.replace(drive, armature=armature, laws=laws))


def stacked(q: Array, theta: Array, places: Sequence[int] | Array) -> Array:
    """Positions of links and of rotors at flexible joints, or their rates, shape (..., n + f)."""
    return np.concatenate([q, theta[..., list(places)]], axis=-1)


def parted(x: Array, dof: int, places: Sequence[int] | Array) -> tuple[Array, Array]:
    """q and theta, both of shape (..., n), of a stacked vector."""
    q = x[..., :dof]
    theta = np.array(q)
    theta[..., list(places)] = x[..., dof:]
    return q, theta
