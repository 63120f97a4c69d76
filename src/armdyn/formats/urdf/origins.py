"""Poses in a URDF file: its ``<origin>`` elements.

A quaternion is read if the file declares version 1.1 of URDF or later: ``<robot version="1.1">``. In other files
urdfdom, and with it ROS and Pinocchio, ignores it, and so does this reader, with a warning.
"""

from __future__ import annotations

import numpy as np

from armdyn.base.exact import exact, norm
from armdyn.formats.findings import ElementReader
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.bounds import largest_problem
from armdyn.spatial.rotations import Array, rigid, rotation_from_quaternion, rotation_from_rpy

UNIT_TOLERANCE = 1e-12
"""The error in the length of an axis or quaternion above which its normalisation is noted."""


def read_origin(reader: ElementReader, holder: XmlElement) -> Array:
    """T of an ``<origin>``; the identity without one."""
    element = reader.only(holder, "origin")
    return exact(np.eye(4)) if element is None else read_pose(reader, element)


def read_pose(reader: ElementReader, element: XmlElement) -> Array:
    """T of an element with xyz and rpy, in `Exact` numbers."""
    xyz = reader.vector(element, "xyz", (0.0, 0.0, 0.0))
    if fault := next(filter(None, (largest_problem(length, "prismatic") for length in xyz)), ""):
        reader.problem(element, f"<{element.tag}> xyz holds {fault}.")
        xyz = (0.0, 0.0, 0.0)
    return rigid(_orientation(reader, element), exact(xyz))


def _orientation(reader: ElementReader, origin: XmlElement) -> Array | None:
    """The rotation of an origin from its rpy or, since URDF 1.1, its quaternion; None for the identity."""
    if "quat_xyzw" in origin.attributes:
        if reader.findings.has_quaternions:
            return _from_quaternion(reader, origin)
        reader.note('quat_xyzw is not used, as the file does not declare <robot version="1.1">', warn=True)
    rpy = reader.vector(origin, "rpy", (0.0, 0.0, 0.0))
    if fault := next(filter(None, (largest_problem(angle, "revolute") for angle in rpy)), ""):
        reader.problem(origin, f"<{origin.tag}> rpy holds {fault}.")
        return None
    return rotation_from_rpy(*rpy) if any(rpy) else None


def _from_quaternion(reader: ElementReader, origin: XmlElement) -> Array | None:
    """The rotation of a quaternion, normalised."""
    if "rpy" in origin.attributes:
        reader.problem(origin, "<origin> has both rpy and quat_xyzw; expected one of them.")
        return None
    quaternion = reader.vector(origin, "quat_xyzw", None, size=4)
    if quaternion is None:
        return None
    length = float(norm(exact(quaternion)))
    if length == 0.0:
        reader.problem(origin, "<origin> quat_xyzw is zero; expected a unit quaternion such as 0 0 0 1.")
        return None
    if abs(length - 1.0) > UNIT_TOLERANCE:
        reader.note("quat_xyzw is not of unit length and was normalised")
    x, y, z, w = quaternion
    return rotation_from_quaternion(w, x, y, z)
