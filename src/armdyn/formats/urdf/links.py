"""The links of a URDF file: their inertia, and the shapes that are kept as references."""

from __future__ import annotations

from typing import Literal, cast

import numpy as np

from armdyn.exact import exact
from armdyn.formats.findings import Part
from armdyn.formats.urdf.origins import read_origin
from armdyn.formats.xml_tree import Element
from armdyn.model.inertia import Inertia
from armdyn.model.model import Geometry
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


def read_geometry(part: Part) -> list[Geometry]:
    """The shapes of the link, by what shows them: a file, which is not opened, or a primitive in words."""
    return [
        Geometry(part.name, cast(Literal["visual", "collision"], shape.tag), _shape_source(form))
        for shape in part.element.children
        if shape.tag in ("visual", "collision")
        for holder in shape.all("geometry")
        for form in holder.children
    ]


def _shape_source(form: Element) -> str:
    """The file of a mesh, or a primitive in words, such as "box 1 2 3" or "cylinder radius 0.1 length 0.5"."""
    if form.tag == "mesh":
        return form.attributes.get("filename", "")
    if form.tag == "box":
        return f"box {form.attributes.get('size', '')}".rstrip()
    return " ".join([form.tag, *(f"{name} {value}" for name, value in sorted(form.attributes.items(), reverse=True))])
