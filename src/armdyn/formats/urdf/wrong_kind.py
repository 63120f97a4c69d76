"""Files that are taken for a URDF file and are none: each is named, with what turns it into one."""

from __future__ import annotations

import shlex
from pathlib import Path

from armdyn.errors import ModelError
from armdyn.formats.xml_tree import Element

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
"""What a root element tells of a file."""

XACRO_PREFIXES = ("xacro:", "xi:")
XACRO_TAGS = ("include", "property", "macro", "insert_block")
"""What only a file that is still to be expanded has in its root element; old xacro files have no prefix."""


def refuse_xacro_name(path: Path) -> None:
    """Raise for a file that calls itself xacro."""
    if path.suffix == ".xacro":
        raise ModelError(_xacro(path.name, path.name, "by its name"))


def refuse_xacro(root: Element, document: str) -> None:
    """Raise for a document with instructions to expand first; expanded files often keep xmlns:xacro."""
    for element in root.walk():
        sign = _sign_of_xacro(element)
        if sign:
            raise ModelError(_xacro(f"{document}:{element.line}", document, sign))
    for element in root.children:
        if element.tag in XACRO_TAGS:
            raise ModelError(_xacro(f"{document}:{element.line}", document, f"<{element.tag}>"))


def _sign_of_xacro(element: Element) -> str:
    if element.tag.startswith(XACRO_PREFIXES):
        return f"<{element.tag}>"
    for attribute, value in element.attributes.items():
        if "$" in value and ("${" in value or "$(" in value):
            return f"{attribute}={value[:60]!r}"
    return ""


def _xacro(where: str, document: str, sign: str) -> str:
    stem = document.removesuffix(".xacro").removesuffix(".urdf")
    expanded = stem + ".urdf" if document.endswith(".xacro") else stem + ".expanded.urdf"
    command = f"xacro {shlex.quote(document)} > {shlex.quote(expanded)}"
    return f"{where} is a xacro file ({sign}), from which a URDF file is still to be made. Expand it: {command}"


def refuse_other_formats(root: Element, document: str) -> None:
    """Raise for a document that is no robot in URDF."""
    if root.tag == "robot":
        return
    known = OTHER_FORMATS.get(root.tag)
    what = f"is {known}" if known else "is no URDF file"
    raise ModelError(f"{document}:{root.line} {what}: its root element is <{root.tag[:60]}>; expected <robot>.")
