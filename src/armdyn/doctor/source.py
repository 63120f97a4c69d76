"""The text of a description with the place of every element and attribute, so that repairs are patches of the text.

A patch replaces characters and leaves all others alone: comments, order and formatting stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from armdyn.base.errors import ModelError

_ATTRIBUTE = re.compile(rb"""([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class Span(NamedTuple):
    """A part of a text: the bytes from ``start`` up to ``end`` of the file named, or of the main one."""

    start: int
    end: int
    file: str = ""


class Edit(NamedTuple):
    """A part of a text, and the text that replaces it."""

    span: Span
    text: str


@dataclass(eq=False)
class Node:
    """An element of a document.

    Args:
        tag: its name.
        attributes: by name.
        line: of its opening bracket, counted from 1.
        column: likewise.
        values: the place of each attribute's value, without the quotes.
        opening: the place of its start tag.
        is_empty: if one tag opens and closes it, as in <link name="tip"/>.
        parent: the element that contains it; None of the root.
        children: the elements in it.
        text: the characters directly in it.
        names: the place of each attribute's name.
        content: the place of its text without the blanks around it; None with elements in it, or without text.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    values: dict[str, Span]
    opening: Span
    is_empty: bool = False
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    text: str = ""
    names: dict[str, Span] = field(default_factory=dict)
    content: Span | None = None

    @property
    def name(self) -> str:
        """The attribute ``name``; empty without one."""
        return self.attributes.get("name", "")

    @property
    def file(self) -> str:
        """The name of the included file that has it; empty for the main one."""
        return self.opening.file

    def first(self, tag: str) -> Node | None:
        """The first child of a tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Node]:
        """The children of a tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Node]:
        """Itself and all elements below it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class SourceDocument:
    """A document with the places of its elements.

    Args:
        name: the file's name, for messages.
        data: its bytes.
        root: its outermost element.
        included: documents that it includes, by the name in the ``file`` of their spans.
        file: its own name there; empty for the main document.
    """

    name: str
    data: bytes
    root: Node
    included: dict[str, SourceDocument] = field(default_factory=dict)
    file: str = ""

    @classmethod
    def parse(cls, name: str, data: bytes, file: str = "") -> SourceDocument:
        """The elements of a document, which `armdyn.formats.xml_tree.parse` has accepted.

        Args:
            name: of the document.
            data: its bytes.
            file: the name of an included document in its spans; empty for the main one.

        Raises:
            ModelError: text that is not XML, or is in UTF-16.
        """
        if b"\0" in data[:4]:
            raise ModelError(
                f"{name} is in UTF-16; expected an encoding in which repairs are patches. Save it as UTF-8."
            )
        builder = _NodeBuilder(data, file)
        try:
            builder.parser.Parse(data, True)
        except expat.ExpatError as error:
            raise ModelError(f"{name}:{error.lineno} is not well-formed XML: {expat.ErrorString(error.code)}") from None
        if builder.root is None:
            raise ModelError(f"{name} has no element; expected an XML document")
        return cls(name, data, builder.root, file=file)

    def patched(self, edits: Iterable[Edit]) -> bytes:
        """The bytes of this document with all edits made that concern it.

        Raises:
            ModelError: edits that overlap, so that one would undo the other.
        """
        pieces, position = [], 0
        mine = (edit for edit in edits if edit.span.file == self.file)
        for edit in sorted(mine, key=lambda one: one.span):
            if edit.span.start < position:
                place = f"{self.name}:{self.line_of(edit.span.start)}"
                raise ModelError(f"{place} two repairs change the same text; make one of them, then look again")
            pieces += [self.data[position : edit.span.start], edit.text.encode("utf-8")]
            position = edit.span.end
        return b"".join([*pieces, self.data[position:]])

    def document(self, file: str) -> SourceDocument:
        """The document of a span's ``file``: this one, or an included one."""
        return self if file == self.file else self.included[file]

    def line_of(self, offset: int) -> int:
        """The line of a byte, counted from 1."""
        return self.data.count(b"\n", 0, offset) + 1

    def column_of(self, offset: int) -> int:
        """The column of a byte in characters, counted from 1."""
        begin = self.data.rfind(b"\n", 0, offset) + 1
        return len(self.data[begin:offset].decode("utf-8", "replace")) + 1


class _NodeBuilder:
    """Grows the elements as expat reports them."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data, self.file, self.path, self.root = data, file, list[Node](), None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.buffer_text = True
        self.parser.CharacterDataHandler = self.characters
        self.parser.EndElementHandler = self.end

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        begin = self.parser.CurrentByteIndex
        end, names, values = self._values(begin)
        column = len(self.data[self.data.rfind(b"\n", 0, begin) + 1 : begin].decode("utf-8", "replace")) + 1
        parent = self.path[-1] if self.path else None
        node = Node(
            tag,
            attributes,
            self.parser.CurrentLineNumber,
            column,
            values,
            Span(begin, end, self.file),
            self.data[end - 2 : end] == b"/>",
            parent,
            names=names,
        )
        if parent is None:
            self.root = node
        else:
            parent.children.append(node)
        self.path.append(node)

    root: Node | None

    def end(self, _: str) -> None:
        node = self.path.pop()
        if node.text and not node.children:
            begin, end = node.opening.end, self.parser.CurrentByteIndex
            text = self.data[begin:end]
            begin += len(text) - len(text.lstrip())
            node.content = Span(begin, begin + len(text.strip()), self.file)

    def characters(self, text: str) -> None:
        if self.path and not text.isspace():
            self.path[-1].text += text

    def _values(self, begin: int) -> tuple[int, dict[str, Span], dict[str, Span]]:
        """The end of a start tag, and the places of its attributes' names and values."""
        position, names, values = begin + 1, {}, {}
        while position < len(self.data) and self.data[position : position + 1] not in b" \t\r\n/>":
            position += 1
        while match := _ATTRIBUTE.search(self.data, position):
            between = self.data[position : match.start()]
            if between.strip(b" \t\r\n"):
                break
            group = 2 if match.group(2) is not None else 3
            name = match.group(1).decode("utf-8", "replace")
            names[name] = Span(*match.span(1), self.file)
            values[name] = Span(*match.span(group), self.file)
            position = match.end()
        closing = self.data.find(b">", position)
        return (len(self.data) if closing < 0 else closing + 1), names, values
