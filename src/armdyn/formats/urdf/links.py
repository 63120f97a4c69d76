"""The links of a URDF file: their inertia."""

from __future__ import annotations

import numpy as np

from armdyn.exact import exact
from armdyn.formats.findings import Part
from armdyn.formats.urdf.origins import read_origin
from armdyn.formats.xml_tree import Element
from armdyn.model.inertia import Inertia
from armdyn.model.parts import LinkPart
from armdyn.spatial.rotations import Array

NOTHING = Inertia()


def read_link(part: Part) -> LinkPart:
    """The link with its inertia."""
    return LinkPart(part.name, _inertia(part), part.where)


def _inertia(part: Part) -> Inertia:
    """Mass, centre of mass and inertia tensor, turned from the axes of the inertial's origin to those of the link."""
    inertial = part.only(part.element, "inertial")
    if inertial is None:
        return NOTHING
    problems_before = len(part.findings.problems)
    mass = _mass(part, inertial)
    tensor = _tensor(part, inertial)
    pose = read_origin(part, inertial)
    if len(part.findings.problems) > problems_before:
        return NOTHING  # what can be read of it would only raise follow-up problems
    R, com = pose[:3, :3], pose[:3, 3]
    if mass == 0.0 and not tensor.any():  # many files write it for a frame that is only a name
        if com.any():
            part.note("<inertial> has a centre of mass but neither mass nor inertia; it has no effect")
        return NOTHING
    return Inertia(mass, com, R @ exact(tensor) @ R.T)


def _mass(part: Part, inertial: Element) -> float:
    mass = part.only(inertial, "mass")
    if mass is None:
        part.problem(inertial, '<inertial> has no <mass>; expected <mass value="..."/> in kg.')
        return 0.0
    return part.number(mass, "value")


def _tensor(part: Part, inertial: Element) -> Array:
    """I_c from its six numbers; the products of inertia are the tensor's own entries, ixy = -sum(m x y)."""
    inertia = part.only(inertial, "inertia")
    if inertia is None:
        part.problem(inertial, "<inertial> has no <inertia>; expected its ixx, ixy, ixz, iyy, iyz and izz in kg m^2.")
        return np.zeros((3, 3))
    xx, xy, xz, yy, yz, zz = (part.number(inertia, ij) for ij in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
