"""The element <coupling> of <armdyn>: joints that several coordinates move, q_joints = A q + b, unknown to URDF.

    <armdyn> <coupling>
      <coordinate name="fore" kind="revolute" lower="-2" upper="2" velocity="3" effort="90">    in the order of q
        <moves joint="joint_2" factor="1"/> <moves joint="joint_3" factor="-1"/>                column of A
      </coordinate>
      <offset joint="joint_3" value="0.1"/>                                                     b, if it is not zero
    </coupling> </armdyn>

Other readers treat every joint as a coordinate of its own. Joints that mimic one other are written as <mimic>.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.formats.findings import ElementReader
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.coordinates import with_coordinates
from armdyn.model.limits import Limits
from armdyn.model.messages import Suggestions, quote
from armdyn.model.model import Model

TAG, COORDINATE, MOVES, OFFSET = "coupling", "coordinate", "moves", "offset"
LIMITS: Mapping[str, float] = {"lower": -np.inf, "upper": np.inf, "velocity": np.inf, "effort": np.inf}
"""The attributes of a coordinate's limits, and their defaults."""


@dataclass(frozen=True)
class CoordinateWords:
    """One coordinate: its name, kind and limits, and the factors by which joints move with it."""

    name: str
    kind: Any
    limits: Limits
    factors: Mapping[str, float]


@dataclass(frozen=True)
class CouplingWords:
    """The coordinates in the order of q, and the offsets of joints, rad or m."""

    coordinates: tuple[CoordinateWords, ...]
    offsets: Mapping[str, float]

    @property
    def joints(self) -> set[str]:
        """The joints that it moves or holds."""
        return {joint for coordinate in self.coordinates for joint in coordinate.factors} | {*self.offsets}


def read_coupling(
    reader: ElementReader, element: XmlElement, kinds: Mapping[str, str], *, is_mimicked: bool
) -> CouplingWords:
    """The coupling; joints that do not exist are problems.

    Args:
        reader: of the robot.
        element: <coupling>.
        kinds: of the joints of the file, by name.
        is_mimicked: True if joints of the file mimic others.
    """
    coordinates = []
    for one in element.all(COORDINATE):
        factors = {joint: reader.number(move, "factor") for move, joint in _joints(reader, one, MOVES, kinds)}
        limits = Limits(**{name: _limit(reader, one, name, value) for name, value in LIMITS.items()})
        kind = one.attributes.get("kind", "")
        if kind not in ("revolute", "prismatic"):
            reader.problem(one, f"<{COORDINATE}> kind is {quote(kind)}; expected 'revolute' or 'prismatic'.")
        coordinates.append(CoordinateWords(reader.word(one, "name"), kind, limits, factors))
    if is_mimicked:
        reader.problem(element, f"<{TAG}> stands beside <mimic>; expected all couplings in one of them.")
    if not coordinates:
        reader.problem(element, f"<{TAG}> has no <{COORDINATE}>; expected one for each entry of q.")
    offsets = {joint: reader.number(offset, "value") for offset, joint in _joints(reader, element, OFFSET, kinds)}
    return CouplingWords(tuple(coordinates), offsets)


def _joints(
    reader: ElementReader, parent: XmlElement, tag: str, kinds: Mapping[str, str]
) -> list[tuple[XmlElement, str]]:
    """The elements of a tag with the joints that they name."""
    named = [(element, reader.word(element, "joint")) for element in parent.all(tag)]
    for element, joint in named:
        if joint and kinds.get(joint, "fixed") == "fixed":
            hint = Suggestions(kinds).hint(joint)
            reader.problem(element, f"<{tag}> joint {quote(joint)} is no moving joint of this file.{hint}")
    return named


def _limit(reader: ElementReader, element: XmlElement, name: str, unlimited: float) -> float:
    value = reader.limit(element, name, unlimited, unlimited)
    return value if abs(value) < np.finfo(float).max else unlimited


def with_coupling(model: Model, words: CouplingWords | None) -> Model:
    """The model in the coordinates of the file; those that move none of its joints are left out.

    Raises:
        Unsupported: a coordinate that moves joints of the model together with others that are locked or left out.
    """
    if words is None:
        return model
    moving = {*model.joint_names}
    coordinates = [one for one in words.coordinates if moving & one.factors.keys()]
    for one in coordinates:
        if missing := [joint for joint in one.factors if joint not in moving]:
            inside = next(joint for joint in one.factors if joint in moving)
            raise Unsupported(
                f"{model.name!r}: coordinate {quote(one.name)} moves joint {quote(inside)}, and {quote(missing[0])}, "
                "which is locked or left out. Read the whole robot, and lock its coordinates: robot.with_locked."
            )
    A = np.array([[one.factors.get(joint, 0.0) for one in coordinates] for joint in model.joint_names])
    b = [words.offsets.get(joint, 0.0) for joint in model.joint_names]
    names = [one.name for one in coordinates]
    kinds, limits = {one.name: one.kind for one in coordinates}, {one.name: one.limits for one in coordinates}
    return with_coordinates(model, names, A.reshape(len(b), len(names)), b, kinds=kinds, limits=limits)
