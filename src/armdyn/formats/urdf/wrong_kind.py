"""Files mistaken for a URDF file, or of another version: each is named, with the way to convert it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from armdyn.base.advice import either, option
from armdyn.base.errors import ModelError
from armdyn.formats.findings import DocumentFindings
from armdyn.formats.urdf.unused import USED_ATTRIBUTES, USED_CHILDREN
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.messages import quote

OTHER_FORMATS = {
    "mujoco": "an MJCF file (MuJoCo)",
    "mujocoinclude": "a part of an MJCF file (MuJoCo)",
    "sdf": "an SDF file (Gazebo)",
    "world": "an SDF file (Gazebo)",
    "model": "an SDF file (Gazebo), or a Drake model",
    "COLLADA": "a mesh (COLLADA)",
    "package": "the package.xml of a ROS package",
    "launch": "a ROS launch file",
    "html": "a web page; save the raw file instead",
}
"""The kinds of files, by their root elements."""

XACRO_PREFIXES = ("xacro:", "xi:")
XACRO_TAGS = ("include", "property", "macro", "insert_block")
"""Elements that only an unexpanded file has in its root element; old xacro files have no prefix."""

VERSION = re.compile(r"\s*\+?(?P<major>\d{1,9})\.(?P<minor>\d{1,9})", re.ASCII)
"""A version of URDF."""

LATEST = (1, 2)
"""The latest version of URDF that is supported."""


def refuse_xacro_name(path: Path) -> None:
    """Refuse an unexpanded xacro file, by its name."""
    if path.suffix == ".xacro":
        raise ModelError(_xacro(path.name, path.name, "by its name") + _expansion())


def check_xacro(root: XmlElement, findings: DocumentFindings) -> None:
    """Raise for a document with instructions to expand first; expanded files often keep xmlns:xacro.

    Instructions next to links and joints, and in unused data, e.g. the file name of a mesh, are faults and can be
    accepted: they are ignored. One in the place of a mass, an axis or a pose refuses the document.
    """
    signs = list(_signs_of_xacro(root))
    if not signs:
        return
    element, sign, _ = signs[0]
    of_file = _expansion() if findings.folder else ""
    if not all(harmless for _, _, harmless in signs):
        raise ModelError(_xacro(findings.where(element), findings.document, sign) + of_file)
    if findings.policy == "refuse":
        advice = f" If it is expanded already, {option('problems', 'warn')} passes over what is left of xacro in it."
        raise ModelError(_xacro(findings.where(element), findings.document, sign) + of_file + advice)
    for element, sign, _ in signs:
        text = f"{sign} is an instruction of xacro"
        findings.fault(element.line, text, "it is passed over, and what it stands for is not in the robot")
    root.children = [child for child in root.children if not _is_instruction(child)]


def _signs_of_xacro(root: XmlElement) -> Iterator[tuple[XmlElement, str, bool]]:
    """Every instruction that is still to be expanded, with True if it can be ignored."""
    waiting = [(root, True, False)]
    while waiting:
        element, used, in_robot = waiting.pop()
        if element.tag.startswith(XACRO_PREFIXES) or (in_robot and element.tag in XACRO_TAGS):
            yield element, f"<{element.tag[:60]}>", in_robot or not used
            used = False  # its content is dropped with it
        words = USED_ATTRIBUTES.get(element.tag, ()) if used else ()
        for attribute, value in element.attributes.items():
            if "$" in value and ("${" in value or "$(" in value):
                yield element, f"{attribute[:60]}={value[:60]!r}", attribute not in words
        children = USED_CHILDREN.get(element.tag, ()) if used else ()
        for child in reversed(element.children):
            inside_used = child.tag in children or (used and child.tag.startswith(XACRO_PREFIXES))
            waiting.append((child, inside_used, element is root))


def _is_instruction(element: XmlElement) -> bool:
    return element.tag.startswith(XACRO_PREFIXES) or element.tag in XACRO_TAGS


def _xacro(where: str, document: str, sign: str) -> str:
    stem = document.removesuffix(".xacro").removesuffix(".urdf")
    expanded = stem + ".urdf" if document.endswith(".xacro") else stem + ".expanded.urdf"
    command = f"xacro {shlex.quote(document)} > {shlex.quote(expanded)}"
    return f"{where} is a xacro file ({sign}), from which a URDF file is still to be made. Expand it: {command}"


def _expansion() -> str:
    here = either("xacro_args={'name': 'value'}, or {}", "--xacro, or --xacro-arg NAME=VALUE")
    return f"; or have it expanded as it is read, if you trust it (pip install xacrodoc): {here}."


def has_quaternions(root: XmlElement, findings: DocumentFindings) -> bool:
    """True if the file declares a version of URDF that has quaternions, as urdfdom reads it; 1.0 by default."""
    version = root.attributes.get("version", "1.0")
    match = VERSION.fullmatch(version)
    numbers = (int(match["major"]), int(match["minor"])) if match else (1, 0)
    if match is None or not (1, 0) <= numbers <= LATEST:
        read_as = f"{numbers[0]}.{numbers[1]}"
        findings.note(f"version of <robot> is none that URDF has; read as {read_as}", quote(version))
    return numbers >= (1, 1)
