"""Reading a named file: errors with their cause, blanks before its XML declaration, other formats."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from armdyn.base.errors import ModelError
from armdyn.formats.findings import DocumentFindings
from armdyn.formats.xml_tree import MAX_BYTES, XmlElement, parse

BLANKS = b" \t\r\n"

NOT_XML = {
    **dict.fromkeys((".usda", ".usd", ".usdc", ".usdz"), "a USD file (Universal Scene Description)"),
    **dict.fromkeys((".yaml", ".yml"), "a YAML file (Drake's model directives, or parameters)"),
    ".dmd": "a file of Drake's model directives",
    ".json": "a JSON file",
    ".toml": "a TOML file",
    ".srdf": "an SRDF file (MoveIt)",
    **dict.fromkeys((".stl", ".obj", ".dae", ".ply", ".glb", ".gltf"), "a mesh"),
    **dict.fromkeys((".step", ".stp", ".iges"), "a CAD file"),
    **dict.fromkeys((".zip", ".gz", ".tgz"), "an archive; unpack it"),
    ".proto": "a PROTO file (Webots)",
    ".wbt": "a world of Webots",
    ".ttt": "a scene of CoppeliaSim",
    ".bag": "a recording (ROS)",
}
"""The kinds of files whose text is not XML, by their endings."""

STARTS = {b"#usda": NOT_XML[".usda"], b"PXR-USDC": NOT_XML[".usda"], b"PK\x03\x04": NOT_XML[".zip"]}
"""The kinds of files that are not XML, by their first bytes, for any file name."""


def read_file(path: Path) -> bytes:
    """The bytes of a description, at most one more than a description may have.

    A pipe is read to its end like a file: /dev/stdin and a shell's ``<(xacro arm.xacro)`` are pipes.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ModelError(f"no file {str(path)!r}{_suggestion(path)}") from None
    except IsADirectoryError:
        raise ModelError(f"{str(path)!r} is a folder; expected the file of one robot{_example(path)}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"{str(path)!r} cannot be read: {reason}.") from None


def read_start(path: Path) -> bytes:
    """The first bytes of a file; empty if it cannot be read, for which `read_file` raises."""
    try:
        with path.open("rb") as file:
            return file.read(64)
    except (OSError, ValueError):
        return b""


def refuse_text(source: object) -> None:
    """Raise if a description itself is given in place of the path of its file."""
    if not isinstance(source, str) or not source.lstrip("\ufeff \t\r\n").startswith("<"):
        return
    if "<mujoco" in source:
        raise ModelError("expected the path of an MJCF file, got the text of one, which armdyn.load reads.")
    raise ModelError("expected the path of a URDF file, got the text of one, which armdyn.load reads.")


def parse_leniently(data: bytes, findings: DocumentFindings, encoding: str | None = None) -> XmlElement:
    """The root element of a document; blanks before its ``<?xml ...?>``, which XML forbids, are a fault."""
    start = data[:MAX_BYTES].lstrip(BLANKS)
    before = data[: len(data[:MAX_BYTES]) - len(start)]
    if not before or not start.startswith(b"<?xml"):
        return parse(data, findings.document, encoding)
    findings.fault(1, "blanks stand before <?xml ...?>, where XML has none", "they are passed over")
    return parse(data[len(before) :], findings.document, encoding, first_line=1 + before.count(b"\n"))


def refuse_not_xml(path: Path, data: bytes) -> None:
    """Refuse a file whose text is not XML, by its first bytes or its name."""
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:8]
    if start.startswith(b"<") or b"\0" in data[:4]:  # UTF-16
        return
    kind = next((kind for first, kind in STARTS.items() if start.startswith(first)), NOT_XML.get(path.suffix.lower()))
    if kind is not None:
        raise ModelError(f"{path.name} is {kind}; expected a URDF or MJCF file, whose text is XML.")


def refuse_other_formats(root: XmlElement, document: str, tag: str, name: str, others: Mapping[str, str]) -> None:
    """Raise for a document whose root element is not <tag>; ``others`` describes known files of other formats."""
    if root.tag != tag:
        fault = f"is {others[root.tag]}" if root.tag in others else f"is no {name} file"
        raise ModelError(f"{document}:{root.line} {fault}: its root element is <{root.tag[:60]}>; expected <{tag}>.")


def _suggestion(path: Path) -> str:
    """A suggestion: a file of a similar name, or the folder that was searched."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import

    folder = path.parent
    if not folder.is_dir():
        return f"; there is no folder {str(folder)!r}."
    by_stem = {Path(name).stem: name for name in reversed(_descriptions_in(folder))}
    close = [by_stem[stem] for stem in get_close_matches(path.stem, by_stem, n=1)]
    return f". Did you mean {close[0]!r}?" if close else f" (looked in {str(folder.absolute())!r})."


def _example(folder: Path) -> str:
    result = _descriptions_in(folder)
    return f", such as {result[0]!r} in it." if result else "."


def _descriptions_in(folder: Path) -> list[str]:
    """The files in a folder that look like descriptions; for a huge folder, some of them."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, 1000)]
    except OSError:
        return []
    return sorted(name for name in names if name.endswith((".urdf", ".xml", ".xacro")))
