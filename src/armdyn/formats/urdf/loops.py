"""Closed loops of a URDF file, which has no element of its own for them: three forms of other programs are read.

    <loop_joint name="pin" type="spherical">                    Isaac Sim's importer
      <link1 link="coupler" xyz="0.9 0 0" rpy="0 0 0"/> <link2 link="rocker" xyz="0.7 0 0" rpy="0 0 0"/>
      <axis xyz="0 0 1"/>
    </loop_joint>

    <loop name="pin" type="revolute">                           URDF+ (Chignoli and others 2024)
      <predecessor link="coupler"> <origin xyz="0.9 0 0"/> </predecessor>
      <successor link="rocker"> <origin xyz="0.7 0 0"/> </successor>
      <axis xyz="0 0 1"/>
    </loop>

    <drake:ball_constraint>                                     Drake
      <drake:ball_constraint_body_A name="coupler"/> <drake:ball_constraint_p_AP value="0.9 0 0"/>
      <drake:ball_constraint_body_B name="rocker"/> <drake:ball_constraint_p_BQ value="0.7 0 0"/>
    </drake:ball_constraint>

The type is the relative motion of the two frames: "fixed", "revolute" or "continuous" (turn about the axis),
"prismatic" (shift along it), "spherical" (turn freely), "planar" (move in the plane across the axis). The axis is in
the axes of both frames; x by default. urdfdom, Pinocchio and MuJoCo ignore both elements; Drake refuses <loop_joint>.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from armdyn.base.exact import exact
from armdyn.formats.findings import DocumentFindings, ElementReader
from armdyn.formats.urdf.joints import read_axis
from armdyn.formats.urdf.origins import read_origin, read_pose
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.messages import Suggestions, quote
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array, rigid

if TYPE_CHECKING:
    from armdyn.constraints.held import Held

FREE: Mapping[str, tuple[str, ...]] = {
    "fixed": (),
    "revolute": ("rz",),
    "continuous": ("rz",),
    "prismatic": ("z",),
    "spherical": ("rx", "ry", "rz"),
    "ball": ("rx", "ry", "rz"),
    "planar": ("x", "y", "rz"),
}
"""The free directions of each type, with z along the joint's axis."""

WITHOUT_AXIS = ("fixed", "spherical", "ball")

ENDS: Mapping[str, tuple[str, str]] = {"loop_joint": ("link1", "link2"), "loop": ("predecessor", "successor")}
"""The elements that close loops, and the two in them that name links."""


@dataclass(frozen=True)
class UrdfLoop:
    """One loop of a file: the two links, and the poses of the two frames in them."""

    name: str
    free: tuple[str, ...]
    links: tuple[str, str]
    poses: tuple[Array, Array]
    reader: ElementReader

    def problem(self, text: str) -> None:
        """Record a problem of the loop."""
        self.reader.problem(self.reader.element, text)

    @property
    def constraint(self) -> Held:
        """The first link's frame held to that of the second."""
        from armdyn.constraints.held import AXES, POSITIONS, Held  # noqa: PLC0415 - only for files with loops

        axes = tuple(axis for axis in AXES if axis not in self.free)
        along: Literal["to", "base"] = "base" if axes == POSITIONS else "to"
        return Held(self.links[0], self.links[1], axes, *self.poses, self.name, along)


def read_loop(reader: ElementReader) -> UrdfLoop | None:
    """The loop; None if the file does not name the links that it joins."""
    from armdyn.constraints.fields import axes_along  # noqa: PLC0415 - only for files with loops

    kind = reader.type(FREE, "closes no loop")
    one, other = (_end(reader, tag) for tag in ENDS[reader.element.tag])
    axis = read_axis(reader)
    if kind not in FREE or one is None or other is None:
        return None
    (first, T1), (second, T2) = one, other
    along = exact(np.eye(4)) if kind in WITHOUT_AXIS else rigid(axes_along(axis))  # type: ignore[arg-type]
    return UrdfLoop(reader.name, FREE[kind], (first, second), (T1 @ along, T2 @ along), reader)


def _end(reader: ElementReader, tag: str) -> tuple[str, Array] | None:
    """The link at one end, and the pose of the frame in it."""
    element = reader.child(reader.element, tag, f'<{tag} link="...">')
    if element is None:
        return None
    name = "name" if "link" not in element.attributes and "name" in element.attributes else "link"
    pose = read_pose(reader, element) if reader.element.tag == "loop_joint" else read_origin(reader, element)
    return reader.word(element, name), pose


def read_ball_constraint(element: XmlElement, findings: DocumentFindings, number: int) -> list[UrdfLoop]:
    """Drake's ball constraint, as a spherical loop; empty if the file does not name the links that it joins."""
    reader = ElementReader(findings, element, f"<{element.tag}>")
    links, poses = [], []
    for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
        of_body = reader.child(element, f"{element.tag}_{body}", f'<{element.tag}_{body} name="..."/>')
        of_point = reader.child(element, f"{element.tag}_{point}", f'<{element.tag}_{point} value="..."/> in m')
        links.append("" if of_body is None else reader.word(of_body, "name"))
        xyz = None if of_point is None else reader.vector(of_point, "value", None)
        poses.append(rigid(p=exact(np.zeros(3) if xyz is None else np.array(xyz))))
    if not all(links):
        return []
    name = element.attributes.get("name") or f"ball_constraint_{number + 1}"
    return [UrdfLoop(name, FREE["spherical"], (links[0], links[1]), (poses[0], poses[1]), reader)]


def check_ends(loops: Sequence[UrdfLoop], links: Sequence[str]) -> None:
    """Every loop must join two links that exist."""
    choices = dict.fromkeys(links)
    suggestion = Suggestions(choices)
    seen: dict[str, UrdfLoop] = {}
    for loop in loops:
        first = seen.setdefault(loop.name, loop)
        if first is not loop:
            loop.problem(f"the name is taken already (first at {first.reader.where}).")
        for link in loop.links:
            if link and link not in choices:
                hint = suggestion.hint(link, " Expected the name of a link of this file.")
                loop.problem(f"it joins link {quote(link)}, which does not exist.{hint}")
        if loop.links[0] == loop.links[1]:
            loop.problem(f"both of its ends are on link {quote(loop.links[0])}.")


def with_loops(model: Model, loops: Sequence[UrdfLoop]) -> Model:
    """The model with its loops as constraints; those between links that do not move against each other are left out."""
    carriers = {frame.name: frame.link for frame in model.frames}
    closed, notes = [], []
    for loop in loops:
        first, second = loop.links
        if first not in carriers or second not in carriers:
            notes.append(f"{loop.reader.label} is left out, as one of the links it joins is")
        elif carriers[first] == carriers[second]:
            notes.append(f"{loop.reader.label} is left out: the links it joins do not move against each other")
        else:
            closed.append(loop.constraint)
    return model.replace(constraints=(*model.constraints, *closed), notes=(*model.notes, *notes))
