"""The inertias of links as they are checked: with the stators on them as whole bodies.

A stator may state its moment I_a about its axis alone: the inertia of its link has the moment across it already, or no
joint depends on it (Modern Robotics 8.9.2). The link with it then may have an inertia that no rigid body has. With the
least moment across its axis that a stator has, I_a/2, the two together are a body if each is one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from armdyn.base.exact import exact, rounded
from armdyn.model.inertia import Inertia
from armdyn.model.motor_parts import MotorPart
from armdyn.model.parts import JointPart, LinkPart
from armdyn.spatial.rotations import Array


def with_whole_motors(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Mapping[str, Inertia]:
    """The inertias to be checked, of the links that carry parts of motors, or are welded to one that does, by link."""
    inertias = {link.name: link.inertia for link in links}
    result: dict[str, Inertia] = {}
    for joint in (joint for joint in joints if joint.motor_parts and _has_axis(joint)):
        for part in joint.motor_parts:
            for link, axis in _axes(part, joint, joints):
                if link in inertias:
                    result[link] = with_whole(part, axis, result.get(link, inertias[link]))
    return result


def _has_axis(joint: JointPart) -> bool:
    """True if its pose and axis are numbers, and not zero; errors in them are reported separately."""
    return _has_pose(joint) and bool(np.isfinite(rounded(joint.axis)).all() and rounded(joint.axis).any())


def _has_pose(joint: JointPart) -> bool:
    return bool(np.isfinite(rounded(joint.placement)).all())


def _axes(part: MotorPart, joint: JointPart, joints: Sequence[JointPart]) -> Iterator[tuple[str, Array]]:
    """The link that carries the part and those that it is welded to, towards the base, each with the axis in it."""
    welds = {weld.child: weld for weld in joints if weld.kind == "fixed" and _has_pose(weld)}
    at, T = (joint.parent, exact(joint.placement)) if part.carrier is None else (part.carrier, exact(np.eye(4)))
    yield at, rounded(part.seen_from(at, T, joint.axis).axis)
    while (weld := welds.pop(at, None)) is not None:  # each once: they may form a ring
        at, T = weld.parent, exact(weld.placement) @ T
        yield at, rounded(part.seen_from(at, T, joint.axis).axis)


def with_whole(part: MotorPart, axis: Array, inertia: Inertia) -> Inertia:
    """The inertia to be checked: with the least moment across a stator's axis, and with mass if it has none."""
    about = 0.0 if part.spins else part.moment_about_axis
    missing = max(0.0, about / 2.0 - part.transverse)
    across = missing * (np.eye(3) - np.outer(axis, axis))
    return dataclasses.replace(inertia, mass=inertia.mass or 1.0, tensor=inertia.tensor + across)
