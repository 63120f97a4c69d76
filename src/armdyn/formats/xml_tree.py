"""Untrusted XML as a tree: no document type, no entities, no other file, within limits, with exact lines.

Expat, which comes with Python, reports each construct; the first one that a robot description has no use for ends the
reading at once. So an entity is never declared, let alone expanded, and no name in the file is ever opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from armdyn.base.errors import ModelError

MAX_BYTES = 16 * 2**20
"""The largest known robots take 0.2 MB, a chain of ten thousand links 5 MB."""

MAX_ELEMENTS = 120_000
MAX_ATTRIBUTES = 1000
MAX_DEPTH = 100

MAX_TEXT = 1000
"""Approximate number of letters of a text that are kept: texts of descriptions are names and numbers."""

ENCODINGS = ("UTF-8", "UTF-16", "US-ASCII", "ISO-8859-1", "ISO-8859-15", "windows-1252")
"""The encodings that are read. Python supports many more, some of which are not alphabets, e.g. unicode_escape."""

OTHER_NAMES = ("utf8", "utf-16le", "utf-16be", "ascii", "latin-1", "latin1", "cp1252")
"""Other names of these encodings."""

READABLE = frozenset(name.lower() for name in (*ENCODINGS, *OTHER_NAMES))


@dataclass(slots=True, eq=False)
class XmlElement:
    """One element: its tag and attributes, the line its tag opens on, the elements in it, the start of its text."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list[XmlElement]:
        """The children of that tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> XmlElement | None:
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[XmlElement]:
        """Itself and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def parse(data: bytes, name: str, encoding: str | None = None, first_line: int = 1) -> XmlElement:
    """The root element of a document, named ``name`` in messages; ``encoding`` overrides its declaration."""
    if len(data) > MAX_BYTES:
        raise ModelError(f"{name} is larger than {MAX_BYTES // 2**20} MB, as no robot is; is it the right file?")
    if not data.strip(b" \t\r\n\0"):
        raise ModelError(f"{name} is empty; expected an XML document.")
    builder = _ElementBuilder(name, encoding, first_line)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(_malformed(error, data, builder)) from None
    return builder.root


def _malformed(error: expat.ExpatError, data: bytes, builder: _ElementBuilder) -> str:
    reason = expat.ErrorString(error.code) or "syntax error"
    line = error.lineno + builder.first_line - 1
    message = f"{builder.name}:{line} is not well-formed XML: {reason} (column {error.offset + 1})."
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith((b"<", b"\xff\xfe", b"\xfe\xff", b"\0<")):
        text = repr(start[:16].decode("ascii", errors="backslashreplace"))
        return f"{message} It does not start with '<' but with {text}; is it the right file?"
    inside = builder.path[-1]
    if inside.line:
        return f"{message} It happened in <{inside.tag[:60]}>, opened on line {inside.line}."
    return message


class _ElementBuilder:
    """Builds the tree from the constructs that expat reports."""

    def __init__(self, name: str, encoding: str | None, first_line: int) -> None:
        self.name = name
        self.first_line = first_line
        self.count = 0
        self.document = XmlElement("", {}, 0)
        self.path = [self.document]
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        if encoding is None:
            self.parser.XmlDeclHandler = self.declaration

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.first_line - 1

    @property
    def root(self) -> XmlElement:
        return self.document.children[0]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = XmlElement(tag, attributes, self.line)
        self.path[-1].children.append(element)
        self.path.append(element)
        self.count += 1
        if len(attributes) > MAX_ATTRIBUTES:
            raise self.refusal(f"has more than {MAX_ATTRIBUTES} attributes on one element, as no robot has.")
        if len(self.path) > MAX_DEPTH + 1:
            raise self.refusal(f"nests elements more than {MAX_DEPTH} deep, as no robot does; is it the right file?")
        if self.count > MAX_ELEMENTS:
            raise self.refusal(f"has more than {MAX_ELEMENTS} elements, as no robot has; is it the right file?")

    def end(self, _tag: str) -> None:
        self.path.pop()

    def characters(self, text: str) -> None:
        element = self.path[-1]
        if len(element.text) < MAX_TEXT and not text.isspace():
            element.text += text[:MAX_TEXT]

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in READABLE:
            raise self.refusal(
                f"declares the encoding {encoding[:60]!r}; expected {', '.join(ENCODINGS[:-1])} or {ENCODINGS[-1]}. "
                "Save it as UTF-8."
            )

    def doctype(self, name: str, *_rest: object) -> None:
        if name.lower() == "html":
            raise self.refusal("is a web page, not a robot description; save the raw file instead.")
        raise self.refusal(
            "has a document type (<!DOCTYPE ...>), which can pull in other files and entities; "
            "robot descriptions need none: delete it."
        )

    def refusal(self, text: str) -> ModelError:
        return ModelError(f"{self.name}:{self.line} {text}")
