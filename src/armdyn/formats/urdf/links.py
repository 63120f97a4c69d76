"""The links of a URDF file: their inertia."""

from __future__ import annotations

import numpy as np

from armdyn.base.exact import exact
from armdyn.formats.findings import ElementReader
from armdyn.formats.urdf.origins import read_origin
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.inertia import Inertia
from armdyn.model.parts import LinkPart
from armdyn.spatial.rotations import Array

NOTHING = Inertia()


def read_link(reader: ElementReader) -> LinkPart:
    """The link with its inertia."""
    return LinkPart(reader.name, _inertia(reader), reader.where)


def _inertia(reader: ElementReader) -> Inertia:
    """Mass, centre of mass and inertia tensor, turned from the axes of the inertial's origin to those of the link."""
    inertial = reader.only(reader.element, "inertial")
    if inertial is None:
        return NOTHING
    problems_before = len(reader.findings.problems)
    mass = _mass(reader, inertial)
    tensor = _tensor(reader, inertial)
    pose = read_origin(reader, inertial)
    if len(reader.findings.problems) > problems_before:
        return NOTHING  # its other numbers would only raise follow-up problems
    R, com = pose[:3, :3], pose[:3, 3]
    if mass == 0.0 and not tensor.any():  # many files write it for a link that is only a frame
        if com.any():
            reader.note("<inertial> has a centre of mass but neither mass nor inertia; it has no effect")
        return NOTHING
    return Inertia(mass, com, R @ exact(tensor) @ R.T)


def _mass(reader: ElementReader, inertial: XmlElement) -> float:
    mass = reader.child(inertial, "mass", '<mass value="..."/> in kg')
    return 0.0 if mass is None else reader.number(mass, "value")


def _tensor(reader: ElementReader, inertial: XmlElement) -> Array:
    """I_c from its six numbers; the products of inertia are the tensor's own entries, ixy = -sum(m x y)."""
    inertia = reader.child(inertial, "inertia", "its ixx, ixy, ixz, iyy, iyz and izz in kg m^2")
    if inertia is None:
        return np.zeros((3, 3))
    xx, xy, xz, yy, yz, zz = (reader.number(inertia, ij) for ij in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
