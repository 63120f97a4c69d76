"""The shapes of a URDF file: forms, places and colours of ``<visual>`` and ``<collision>``.

No equation contains them: any error in one is a fault, and the shape is left out if faults are accepted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from armdyn.base.errors import ArmdynError
from armdyn.formats.findings import DocumentFindings, ElementReader
from armdyn.formats.urdf.origins import read_origin
from armdyn.formats.urdf.own_words import OF_LINK, TAG
from armdyn.formats.urdf.unused import FORMS, MESH, check_vocabulary
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.geometry import Geometry, Mesh, Plane, Purpose, Shape
from armdyn.model.messages import quote

PURPOSES = ("visual", "collision")

Color = tuple[float, ...]


@dataclass
class _ShapeReader(ElementReader):
    """Reads a shape, whose problems are faults; ``consequence`` is the remedy."""

    consequence: str = "the shape is left out"
    faulty: bool = False

    def problem(self, at: XmlElement, text: str) -> None:
        """Record a fault."""
        self.faulty = True
        self.fault(at, text.removesuffix("."), self.consequence)


def read_materials(root: XmlElement, findings: DocumentFindings) -> dict[str, Color]:
    """The colours of a file by the names of their materials: those of the robot first, then those inside shapes."""
    colors: dict[str, Color] = {}
    links = (*root.all("link"), *(link for own in root.all(TAG) for link in own.all(OF_LINK)))
    shapes = (shape for link in links for purpose in PURPOSES for shape in link.all(purpose))
    inside = (material for shape in shapes for material in shape.all("material") if not _is_to_expand(material))
    for element in (*root.all("material"), *inside):
        name = element.attributes.get("name", "")
        if name and name not in colors and (color := _color(_material(element, findings), element)):
            colors[name] = color
    return colors


def _material(element: XmlElement, findings: DocumentFindings) -> _ShapeReader:
    label = f"material {quote(element.attributes.get('name', ''))}"
    return _ShapeReader(findings, element, label, "it has no color")


def _color(reader: ElementReader, material: XmlElement) -> Color | None:
    """The colour of a material; values outside 0 to 1 are clipped."""
    element = reader.only(material, "color")
    if element is None:
        return None
    rgba = reader.vector(element, "rgba", None, size=4)
    if rgba is None:
        return None
    cut = tuple(min(max(share, 0.0), 1.0) for share in rgba)
    if cut != rgba:
        reader.note("rgba of <color> exceeds 0 to 1 and is cut off")
    return cut


def read_shapes(reader: ElementReader, link: str, colors: Mapping[str, Color]) -> Iterator[Geometry]:
    """The shapes in an element, which are on a link."""
    for element in reader.element.children:
        if element.tag in PURPOSES and not _is_to_expand(element):
            shape_reader = _ShapeReader(reader.findings, element, f"{element.tag} of link {quote(link)}")
            check_vocabulary(shape_reader, element)
            shape, pose = _shape(shape_reader), read_origin(shape_reader, element)
            color = _color_of(shape_reader, colors)
            if shape is not None and not shape_reader.faulty:
                yield Geometry(link, cast(Purpose, element.tag), shape, pose, color, shape_reader.name)


def _is_to_expand(element: XmlElement) -> bool:
    """True if xacro has yet to expand it, which is reported already."""
    return any("${" in value or "$(" in value for e in element.walk() for value in e.attributes.values())


def _shape(reader: _ShapeReader) -> Shape | None:
    """The form of a shape; None without one."""
    geometry = reader.only(reader.element, "geometry")
    forms = [] if geometry is None else [form for form in geometry.children if form.tag in (*FORMS, MESH)]
    if not forms:
        reader.note("has no shape in it, and is left out")
        return None
    if len(forms) > 1:
        reader.problem(forms[1], f"<geometry> has a <{forms[1].tag}> beside a <{forms[0].tag}>; expected one shape.")
    kind, sizes = _read_form(reader, forms[0])
    try:
        return None if reader.faulty else kind(**sizes)
    except ArmdynError as error:
        reader.problem(forms[0], str(error))
        return None


def _read_form(reader: ElementReader, form: XmlElement) -> tuple[type[Shape], dict[str, Any]]:
    """The class of a shape, and its sizes."""
    if form.tag == MESH:
        scale = reader.vector(form, "scale", (1.0, 1.0, 1.0))
        if "\\" in form.attributes.get("filename", ""):
            reader.note("backslashes in the path of a mesh are read as slashes")
        return Mesh, {"path": reader.word(form, "filename"), "scale": scale, "folder": reader.findings.folder}
    kind = FORMS[form.tag]
    if kind is Plane:
        size = reader.vector(form, "size", (math.inf, math.inf), size=2)
        return kind, {"size": tuple(math.inf if length == sys.float_info.max else length for length in size)}
    return kind, {
        name: reader.number(form, name) if count == 1 else reader.vector(form, name, None, size=count)
        for name, count in kind.SIZES.items()
    }


def _color_of(reader: _ShapeReader, colors: Mapping[str, Color]) -> Color | None:
    """The colour of a shape: that of the robot's material of the name, as urdfdom uses it, else its own."""
    element = reader.only(reader.element, "material")
    if element is None:
        return None
    name = element.attributes.get("name", "")
    if name in colors:
        return colors[name]
    color = _color(_material(element, reader.findings), element) if not name else None
    if color is None and not element.children:
        reader.findings.note(f"material {quote(name)} is not defined", reader.label)
    return color
