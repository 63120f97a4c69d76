"""The shapes of a URDF file: forms, places and colours of ``<visual>`` and ``<collision>``.

No equation contains them: whatever is wrong with one is a fault, and the shape is left out where faults are accepted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from armdyn.errors import ArmdynError
from armdyn.formats.findings import Findings, Part
from armdyn.formats.urdf.forms import FORMS, MESH
from armdyn.formats.urdf.origins import read_origin
from armdyn.formats.urdf.own_words import OF_LINK, TAG
from armdyn.formats.urdf.unused import check_vocabulary
from armdyn.formats.xml_tree import Element
from armdyn.model.geometry import Geometry, Mesh, Plane, Purpose, Shape
from armdyn.model.validation import quoted

PURPOSES = ("visual", "collision")

Color = tuple[float, ...]


@dataclass
class _Look(Part):
    """A part that is only looked at: its problems are faults; ``taken`` is what is done about them."""

    taken: str = "the shape is left out"
    faulty: bool = False

    def problem(self, at: Element, text: str) -> None:
        """Take down a fault."""
        self.faulty = True
        self.fault(at, text.removesuffix("."), self.taken)


def read_materials(root: Element, findings: Findings) -> dict[str, Color]:
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


def _material(element: Element, findings: Findings) -> _Look:
    label = f"material {quoted(element.attributes.get('name', ''))}"
    return _Look(findings, element, label, "it has no color")


def _color(part: Part, material: Element) -> Color | None:
    """The colour of a material; what exceeds 0 to 1 is cut off."""
    element = part.only(material, "color")
    if element is None:
        return None
    problems_before = len(part.findings.problems), len(part.findings.accepted)
    rgba = part.vector(element, "rgba", None, size=4)
    if problems_before != (len(part.findings.problems), len(part.findings.accepted)):
        return None
    cut = tuple(min(max(share, 0.0), 1.0) for share in rgba)
    if cut != rgba:
        part.note("rgba of <color> exceeds 0 to 1 and is cut off")
    return cut


def read_shapes(part: Part, link: str, colors: Mapping[str, Color]) -> Iterator[Geometry]:
    """The shapes in an element, which are on a link."""
    for element in part.element.children:
        if element.tag in PURPOSES and not _is_to_expand(element):
            look = _Look(part.findings, element, f"{element.tag} of link {quoted(link)}")
            check_vocabulary(look, element)
            shape, pose = _shape(look), read_origin(look, element)
            color = _color_of(look, colors)
            if shape is not None and not look.faulty:
                yield Geometry(link, cast(Purpose, element.tag), shape, pose, color, look.name)


def _is_to_expand(element: Element) -> bool:
    """Whether xacro has still to make something of it, which is said already."""
    return any("${" in value or "$(" in value for e in element.walk() for value in e.attributes.values())


def _shape(part: _Look) -> Shape | None:
    """The form of a shape; None where there is none."""
    geometry = part.only(part.element, "geometry")
    forms = [] if geometry is None else [form for form in geometry.children if form.tag in (*FORMS, MESH)]
    if not forms:
        part.note("has no shape in it, and is left out")
        return None
    if len(forms) > 1:
        part.problem(forms[1], f"<geometry> has a <{forms[1].tag}> beside a <{forms[0].tag}>; expected one shape.")
    kind, sizes = _read_form(part, forms[0])
    try:
        return None if part.faulty else kind(**sizes)
    except ArmdynError as error:
        part.problem(forms[0], str(error))
        return None


def _read_form(part: Part, form: Element) -> tuple[type[Shape], dict[str, Any]]:
    """The class of a shape, and what it is made of."""
    if form.tag == MESH:
        scale = part.vector(form, "scale", (1.0, 1.0, 1.0))
        return Mesh, {"path": part.word(form, "filename"), "scale": scale, "folder": part.findings.folder}
    kind, sizes = FORMS[form.tag]
    if kind is Plane:
        size = part.vector(form, "size", (math.inf, math.inf), size=2)
        return kind, {"size": tuple(math.inf if length == sys.float_info.max else length for length in size)}
    return kind, {
        name: part.number(form, name) if count == 1 else part.vector(form, name, None, size=count)
        for name, count in sizes.items()
    }


def _color_of(part: _Look, colors: Mapping[str, Color]) -> Color | None:
    """The colour of a shape: that of the robot's material of the name, as urdfdom takes it, else its own."""
    element = part.only(part.element, "material")
    if element is None:
        return None
    name = element.attributes.get("name", "")
    if name in colors:
        return colors[name]
    color = _color(_material(element, part.findings), element) if not name else None
    if color is None and not element.children:
        part.findings.note(f"material {quoted(name)} is not defined", part.label)
    return color
