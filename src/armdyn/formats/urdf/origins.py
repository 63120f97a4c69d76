"""Where a URDF file puts things: the poses of ``<origin>``.

A quaternion is read where the file declares at least version 1.1 of URDF, which brought it: ``<robot version="1.1">``.
In other files urdfdom, and with it ROS and Pinocchio, passes over it, and so does this reader, with a warning.
"""

from __future__ import annotations

import numpy as np

from armdyn.exact import exact, norm
from armdyn.formats.findings import Part
from armdyn.formats.xml_tree import Element
from armdyn.model.bounds import largest_problem
from armdyn.spatial.rotations import Array, rigid, rotation_from_quaternion, rotation_from_rpy

UNIT_TOLERANCE = 1e-12
"""How far from 1 the length of an axis or quaternion may be before its normalisation is worth a note."""


def read_origin(part: Part, holder: Element) -> Array:
    """T of an ``<origin>``; the identity where there is none."""
    element = part.only(holder, "origin")
    return exact(np.eye(4)) if element is None else read_pose(part, element)


def read_pose(part: Part, element: Element) -> Array:
    """T of an element with xyz and rpy, in `Exact` numbers."""
    xyz = part.vector(element, "xyz", (0.0, 0.0, 0.0))
    if fault := next(filter(None, (largest_problem(length, "prismatic") for length in xyz)), ""):
        part.problem(element, f"<{element.tag}> xyz holds {fault}.")
        xyz = (0.0, 0.0, 0.0)
    return rigid(_orientation(part, element), exact(xyz))


def _orientation(part: Part, origin: Element) -> Array | None:
    """The rotation of an origin from its rpy or, since URDF 1.1, from its quaternion; None where it has no turn."""
    if "quat_xyzw" in origin.attributes:
        if part.findings.has_quaternions:
            return _from_quaternion(part, origin)
        part.note('quat_xyzw is not used, as the file does not declare <robot version="1.1">', aloud=True)
    rpy = part.vector(origin, "rpy", (0.0, 0.0, 0.0))
    if fault := next(filter(None, (largest_problem(angle, "revolute") for angle in rpy)), ""):
        part.problem(origin, f"<{origin.tag}> rpy holds {fault}.")
        return None
    return rotation_from_rpy(*rpy) if any(rpy) else None


def _from_quaternion(part: Part, origin: Element) -> Array | None:
    """The rotation of a quaternion, normalised."""
    if "rpy" in origin.attributes:
        part.problem(origin, "<origin> has both rpy and quat_xyzw; expected one of them.")
        return None
    problems_before = len(part.findings.problems)
    quaternion = part.vector(origin, "quat_xyzw", None, size=4)
    if len(part.findings.problems) > problems_before:
        return None
    length = float(norm(exact(quaternion)))
    if length == 0.0:
        part.problem(origin, "<origin> quat_xyzw is zero; expected a unit quaternion such as 0 0 0 1.")
        return None
    if abs(length - 1.0) > UNIT_TOLERANCE:
        part.note("quat_xyzw is not of unit length and was normalised")
    x, y, z, w = quaternion
    return rotation_from_quaternion(w, x, y, z)
