"""What <compiler> and <default> state, resolved as MuJoCo's compiler resolves it.

https://mujoco.readthedocs.io/en/stable/XMLreference.html#compiler
https://mujoco.readthedocs.io/en/stable/modeling.html#default-settings
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import NamedTuple

from armdyn.doctor.source import Node
from armdyn.formats.findings import read_number


class Stated(NamedTuple):
    """The text of an attribute and the element that states it: its own, or one of a default class."""

    text: str
    node: Node


Attributes = dict[str, Stated]
"""Attributes of an element by name, its own before those of its class."""


def own(node: Node) -> Attributes:
    """The attributes that an element states itself."""
    return {name: Stated(text, node) for name, text in node.attributes.items()}


@dataclass
class DocumentSettings:
    """The settings of a document.

    Args:
        stated: attributes of all <compiler> elements; the last one of a name counts.
        classes: by the name of a default class and a tag, the attributes; "" is the class of elements without one.
        compilers: the <compiler> elements.
    """

    stated: Attributes = field(default_factory=dict)
    classes: dict[str, dict[str, Attributes]] = field(default_factory=dict)
    compilers: list[Node] = field(default_factory=list)

    @classmethod
    def of(cls, root: Node) -> DocumentSettings:
        """The settings of a document whose includes are resolved."""
        result = cls()
        for node in root.all("compiler"):
            result.compilers.append(node)
            result.stated.update(own(node))
        for node in root.all("default"):
            result._read_class(node, result.classes.get("", {}), top=True)
        return result

    def _read_class(self, node: Node, inherited: dict[str, Attributes], *, top: bool = False) -> None:
        of_tags = {tag: dict(attributes) for tag, attributes in inherited.items()}
        for child in node.children:
            if child.tag != "default":
                of_tags.setdefault(child.tag, {}).update(own(child))
        if top:
            self.classes[""] = of_tags
        self.classes[node.attributes.get("class", "main" if top else "")] = of_tags
        for child in node.all("default"):
            self._read_class(child, of_tags)

    def word(self, name: str, default: str) -> str:
        """An attribute of <compiler>."""
        return self.stated[name].text.strip() if name in self.stated else default

    def is_on(self, name: str, *, default: bool = False) -> bool:
        """Whether a switch of <compiler> is on."""
        return self.word(name, "true" if default else "false") == "true"

    def number(self, name: str, default: float) -> float:
        """A number of <compiler>."""
        return read_number(self.word(name, "")) if name in self.stated else default

    @property
    def angle(self) -> float:
        """The unit of angles, rad: a degree unless the document states radians."""
        return 1.0 if self.word("angle", "degree") == "radian" else pi / 180.0

    def attributes_of(self, node: Node, child_class: str) -> Attributes:
        """The attributes of an element: its own, then those of its class or of the class of its body."""
        name = node.attributes.get("class", child_class)
        of_class = self.classes.get(name, self.classes.get("", {}))
        return {**of_class.get(node.tag, {}), **own(node)}
