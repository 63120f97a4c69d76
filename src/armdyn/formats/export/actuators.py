"""Actuators as elements of XML, which `armdyn.formats.urdf.actuators` reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.data import as_data, fields_of, known_laws
from armdyn.formats.urdf.own_words import ACTUATOR
from armdyn.model.actuator import JointActuator


def add_actuator(parent: Element, actuator: JointActuator) -> None:
    """Add the element <actuator>."""
    _add(SubElement(parent, ACTUATOR), Actuator, as_data(actuator))


def _add(element: Element, kind: type, data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        field = fields_of(kind)[name]
        if field.part is None:
            element.set(name, " ".join(map(repr, value)) if isinstance(value, list) else _text(value))
        elif field.is_law:
            holder = SubElement(element, name)
            for law in value if isinstance(value, list) else [value]:
                ((called, fields),) = law.items()
                _add(SubElement(holder, called), known_laws()[called], fields)
        else:
            for part in value if isinstance(value, list) else [value]:
                _add(SubElement(element, name), field.part, part)


def _text(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
