"""The element <actuator> of `own_words`: the data of an actuator, in the form of `armdyn.actuators.data`, in XML.

Numbers and words are attributes; parts are elements with the names of their fields; a friction law is an
element with the name of its class, in the element of its field.
"""

from __future__ import annotations

import math
from typing import Any

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.data import Field, Misfit, fields_of, from_data, known_laws
from armdyn.formats.findings import ElementReader, read_number
from armdyn.formats.xml_tree import XmlElement


def read_actuator(reader: ElementReader, element: XmlElement) -> Actuator | None:
    """The actuator; None, and a problem, if it is wrong."""
    try:
        return from_data(_data(Actuator, element))
    except Misfit as misfit:
        reader.problem(_element_at(element, misfit.path), f"<{element.tag}>: {misfit}")
        return None


def _data(kind: type, element: XmlElement) -> dict[str, Any]:
    """The fields of a part; unknown ones stay, and are refused by name."""
    fields = fields_of(kind)
    data = {name: _value(fields[name], text) if name in fields else text for name, text in element.attributes.items()}
    for tag in dict.fromkeys(child.tag for child in element.children):
        children, field = element.all(tag), fields.get(tag)
        if field is None or field.part is None:
            data[tag] = children[0].attributes
            continue
        of_parts = [law for child in children for law in child.children] if field.is_law else children
        parts = [_law(part) if field.is_law else _data(field.part, part) for part in of_parts]
        if field.is_law:  # the element around laws has no attributes: refused as a law of that name
            parts += [{name: None} for child in children for name in child.attributes]
        data[tag] = parts if field.several or len(parts) != 1 else parts[0]
    return data


def _law(element: XmlElement) -> dict[str, Any]:
    """A law by its name; the fields of an unknown one do not matter, its name is refused."""
    return {element.tag: _data(known_laws()[element.tag], element) if element.tag in known_laws() else None}


def _value(field: Field, text: str) -> Any:
    """A number, or several, if the field holds numbers; else the text."""
    if field.classes and set(field.classes) <= {str, type(None)}:
        return text
    numbers = [read_number(word) for word in text.split()]
    if not numbers or any(map(math.isnan, numbers)):
        return text
    return numbers if field.several or len(numbers) > 1 else numbers[0]


def _element_at(element: XmlElement, path: tuple[str | int, ...]) -> XmlElement:
    """The element that a path leads to, as far as it has elements of its own."""
    for step in path:
        if isinstance(step, int):
            result = element.children[step] if step < len(element.children) else None
        else:
            result = element.first(step)
        element = result or element
    return element
