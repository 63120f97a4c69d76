"""Places of a generated description in the xacro files that it is generated from.

An element of the generated text comes from the element of a xacro file with its tag and a name that fits: that name
itself, or one with ${...} in it. If exactly one fits, its line is known. A number that stands there as it stands in
the generated text is mended there; any other is the result of an expression, which has to be mended by hand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from armdyn.base.errors import ModelError
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit, Node, SourceDocument, Span

_EXPRESSION = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)")

BY_HAND = "in the xacro source, by hand"
"""The end of the title of a repair that cannot be made there by itself."""


@dataclass(frozen=True)
class XacroFiles:
    """The xacro files of a generated text.

    Args:
        generated: the text.
        main: the xacro file itself; those that it includes are among its ``included``.
    """

    generated: SourceDocument
    main: SourceDocument
    _places: dict[int, Node | None] = field(default_factory=dict)

    @classmethod
    def of(cls, generated: SourceDocument, files: Iterable[Path]) -> XacroFiles:
        """The files, the first of which is the one that is expanded."""
        first, *others = dict.fromkeys(file.absolute() for file in files)
        main = SourceDocument.parse(first.name, first.read_bytes())
        for file in others:
            name = Path(os.path.relpath(file, first.parent)).as_posix()
            try:
                main.included[name] = SourceDocument.parse(name, file.read_bytes(), name)
            except (ModelError, OSError):
                continue  # of values in YAML
        result = cls(generated, main)
        result._match()
        return result

    def _match(self) -> None:
        """The places of all elements: of named ones first, then of those in them."""
        named: dict[str, list[Node]] = {}
        for source in (self.main, *self.main.included.values()):
            for node in source.root.walk():
                if node.name and not node.tag.startswith("xacro:"):
                    named.setdefault(node.tag, []).append(node)
        waiting = [(node, self.main.root if node is self.generated.root else None) for node in [self.generated.root]]
        while waiting:
            node, place = waiting.pop()
            self._places[id(node)] = place
            counts: dict[str, int] = {}
            for child in node.children:
                k = counts.get(child.tag, 0)
                counts[child.tag] = k + 1
                waiting.append((child, _fitting(child, named.get(child.tag, ())) or _child(place, child, k)))

    def place(self, node: Node) -> Node | None:
        """The element of a xacro file from which an element is generated; None if it is not known."""
        return self._places.get(id(node))

    def moved(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings of the generated text at their places in the xacro files."""
        nodes = {(node.line, node.column): node for node in self.generated.root.walk()}
        uses: dict[int, int] = {}
        for place in self._places.values():
            if place is not None:
                uses[id(place)] = uses.get(id(place), 0) + 1
        for one in findings:
            node = nodes.get((one.line, one.column))
            place, above = (None if node is None else self.place(node)), node
            while place is None and above is not None and above.parent is not None:
                above = above.parent
                place = self.place(above) if above is not self.generated.root else None
            repairs = tuple(self._mended(repair, uses) for repair in one.repairs)
            where = f"line {one.line} of the generated URDF"
            if place is None:
                line, column, file = 1, 1, self.main.name
            else:
                line, column, file = place.line, place.column, place.file or self.main.name
            yield replace(one, line=line, column=column, file=file, element=f"{one.element} ({where})", repairs=repairs)

    def _mended(self, repair: Repair, uses: dict[int, int]) -> Repair:
        """The repair of the xacro files; without edits if an expression, or several elements, depend on them."""
        owners = {span: (node, name) for node in self.generated.root.walk() for name, span in node.values.items()}
        edits: list[Edit] = []
        for edit in repair.edits:
            node, name = owners.get(edit.span, (None, ""))
            place = None if node is None else self.place(node)
            if node is None or place is None or place.attributes.get(name) != node.attributes[name]:
                return replace(repair, title=f"{repair.title} ({BY_HAND})", edits=())
            if uses.get(id(place), 0) != 1:
                return replace(repair, title=f"{repair.title} ({BY_HAND}: a macro with other uses)", edits=())
            edits.append(Edit(Span(*place.values[name]), edit.text))
        return replace(repair, edits=tuple(edits))


def _fitting(node: Node, candidates: Iterable[Node]) -> Node | None:
    """The only candidate of a node's name; else the only one whose name, with expressions in it, fits."""
    if not node.name:
        return None
    same = [one for one in candidates if one.name == node.name]
    if not same:
        same = [one for one in candidates if "$" in one.name and _pattern(one.name).fullmatch(node.name)]
    return same[0] if len(same) == 1 else None


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, _EXPRESSION.split(name))))


def _child(place: Node | None, node: Node, k: int) -> Node | None:
    """The child of a place that a child is generated from: the same tag, as far in, and no other way to it."""
    if place is None:
        return None
    alike = place.all(node.tag)
    total = len(alike)
    return alike[k] if k < total and not any(one.tag.startswith("xacro:") for one in place.children) else None
