"""Shapes as ``<visual>`` and ``<collision>`` elements of a URDF file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.formats.export.numbers import numbers, rpy_of
from armdyn.formats.urdf.unused import FORMS, MESH, OF_URDF
from armdyn.model.geometry import Geometry, Mesh, Shape
from armdyn.model.model import Model

TAGS = {kind: tag for tag, kind in FORMS.items()} | {Mesh: MESH}

Shapes = Mapping[str, list[Geometry]]


def shapes_by_link(model: Model) -> Shapes:
    """The shapes on each link."""
    shapes: dict[str, list[Geometry]] = {}
    for shape in model.geometry:
        shapes.setdefault(shape.link, []).append(shape)
    return shapes


def is_of_urdf(geometry: Geometry) -> bool:
    """True if URDF has an element for the form."""
    return TAGS[type(geometry.shape)] in OF_URDF


def add_shapes(link: Element, shapes: Iterable[Geometry]) -> None:
    """Write shapes into the element of their link."""
    for one in shapes:
        element = SubElement(link, one.purpose, {"name": one.name} if one.name else {})
        if not np.array_equal(one.pose, np.eye(4)):
            SubElement(element, "origin", xyz=numbers(one.pose[:3, 3]), rpy=numbers(rpy_of(one.pose[:3, :3])))
        _add_form(SubElement(element, "geometry"), one.shape)
        if one.color is not None:
            rgba = numbers(one.color)  # also its name: for readers, materials of one name are one
            SubElement(SubElement(element, "material", name=rgba), "color", rgba=rgba)


def _add_form(geometry: Element, shape: Shape) -> None:
    tag = TAGS[type(shape)]
    if isinstance(shape, Mesh):
        scale = {} if shape.scale == (1.0, 1.0, 1.0) else {"scale": numbers(shape.scale)}
        SubElement(geometry, tag, {"filename": shape.location} | scale)
    else:
        sizes = {name: numbers(np.atleast_1d(getattr(shape, name))) for name in shape.SIZES}
        SubElement(geometry, tag, sizes)
