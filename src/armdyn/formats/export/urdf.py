"""A model as a URDF file: every frame a link, every number with all its digits."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.errors import ModelError
from armdyn.formats.export.loops import add_loops
from armdyn.formats.export.mimic import mimics_of
from armdyn.formats.export.rpy import rpy_of
from armdyn.formats.links import Part, parts_of
from armdyn.formats.urdf.own_words import OF_JOINT, TAG
from armdyn.model.followers import Follower
from armdyn.model.inertia import Inertia
from armdyn.model.model import Limits, Model
from armdyn.spatial.rotations import Array

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""


def write_urdf(model: Model, path: str | os.PathLike[str] | None = None) -> str:
    """The text of a URDF file, and the file where a path is given; see `armdyn.Robot.to_urdf`."""
    _check_names(model)
    parts, mimics = parts_of(model), mimics_of(model)
    root = Element("robot", name=model.name)
    root.append(
        ET.Comment(f" Written by armdyn. <{TAG}> holds what URDF has no place for; other readers pass over it. ")
    )
    _add_own_words(root, model)
    _add_link(root, model.base, model.links[0].inertia)
    for part in parts:
        _add_link(root, part.name, part.inertia)
    for part in parts:
        _add_joint(root, part, mimics.get(part.joint_name))
    add_loops(root, model, _numbers)
    ET.indent(root)
    text = '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _check_names(model: Model) -> None:
    joints = [("joint", name) for name in model.joint_names]
    for what, name in [("robot", model.name), *(("frame", frame.name) for frame in model.frames), *joints]:
        if not name.strip() or NOT_IN_XML.search(name):
            raise ModelError(f"{what} {name!r} has a name that an XML file cannot hold; give it another.")


def _add_own_words(root: Element, model: Model) -> None:
    """The tip, gravity, collars and armature, for which URDF has no words."""
    tip = {} if model.tip is None else {"tip": model.tip}
    own = SubElement(root, TAG, tip | {"gravity": _numbers(model.gravity)})
    for joint in model.joints:
        said: dict[str, str] = {"collar": "parent"} if joint.collar == "parent" else {}
        said |= {"armature": _number(joint.armature)} if joint.armature else {}
        if said:
            SubElement(own, OF_JOINT, {"joint": joint.name} | said)


def _add_link(root: Element, name: str, inertia: Inertia) -> None:
    link = SubElement(root, "link", name=name)
    if inertia.mass == 0.0 and not inertia.tensor.any():
        return
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(inertia.com))
    SubElement(inertial, "mass", value=_number(inertia.mass))
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    SubElement(inertial, "inertia", {word: _number(inertia.tensor[place]) for word, place in entries.items()})


def _add_joint(root: Element, part: Part, mimic: Follower | None) -> None:
    joint = SubElement(root, "joint", name=part.joint_name, type=_type(part))
    SubElement(joint, "parent", link=part.parent)
    SubElement(joint, "child", link=part.name)
    T = np.asarray(part.T)
    SubElement(joint, "origin", xyz=_numbers(T[:3, 3]), rpy=_numbers(rpy_of(T[:3, :3])))
    if part.kind == "fixed":
        return
    SubElement(joint, "axis", xyz=_numbers(np.asarray(part.axis)))
    _add_limits(joint, part.limits, turns_freely=_type(part) == "continuous")
    if part.damping or part.friction:
        SubElement(joint, "dynamics", damping=_number(part.damping), friction=_number(part.friction))
    if mimic is not None:
        multiplier, offset = _number(mimic.multiplier), _number(mimic.offset)
        SubElement(joint, "mimic", joint=mimic.leader, multiplier=multiplier, offset=offset)


def _type(part: Part) -> str:
    unbounded = (part.limits.lower, part.limits.upper) == (-math.inf, math.inf)
    return "continuous" if part.kind == "revolute" and unbounded else part.kind


def _add_limits(joint: Element, limits: Limits, *, turns_freely: bool) -> None:
    if turns_freely and limits == Limits():
        return
    words = {} if turns_freely else {"lower": limits.lower, "upper": limits.upper}
    words |= {"velocity": limits.velocity, "effort": limits.effort}
    SubElement(joint, "limit", {word: _number(value) for word, value in words.items()})


def _numbers(values: Array | Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    """All digits; the largest number for infinity, which other readers of URDF do not understand."""
    value = float(value)
    if math.isinf(value):
        value = math.copysign(sys.float_info.max, value)
    return repr(value)
