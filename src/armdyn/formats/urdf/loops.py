"""Closed loops of a URDF file, which has no word of its own for them: two forms that others write are read.

    <loop_joint name="pin" type="spherical">                    Isaac Sim's importer
      <link1 link="coupler" xyz="0.9 0 0" rpy="0 0 0"/> <link2 link="rocker" xyz="0.7 0 0" rpy="0 0 0"/>
      <axis xyz="0 0 1"/>
    </loop_joint>

    <loop name="pin" type="revolute">                           URDF+ (Chignoli and others 2024)
      <predecessor link="coupler"> <origin xyz="0.9 0 0"/> </predecessor>
      <successor link="rocker"> <origin xyz="0.7 0 0"/> </successor>
      <axis xyz="0 0 1"/>
    </loop>

The type says what the two frames may do to each other: "fixed", "revolute" or "continuous" (turn about the axis),
"prismatic" (shift along it), "spherical" (turn at will), "planar" (move in the plane across the axis). The axis is in
the axes of both frames; x where there is none. urdfdom, Pinocchio and MuJoCo pass over both elements; Drake refuses
<loop_joint>.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

import numpy as np

from armdyn.exact import exact
from armdyn.formats.findings import Part
from armdyn.formats.urdf.joints import read_axis
from armdyn.formats.urdf.origins import read_origin, read_pose
from armdyn.model.model import Model
from armdyn.model.validation import Suggestions, quoted
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
"""What a type leaves free, in axes of which z is that of the joint."""

WITHOUT_AXIS = ("fixed", "spherical", "ball")

ENDS: Mapping[str, tuple[str, str]] = {"loop_joint": ("link1", "link2"), "loop": ("predecessor", "successor")}
"""The elements that close loops, and the two in them that name links."""


@dataclass(frozen=True)
class Loop:
    """What a file says of one loop: the links, and the poses of the two frames in them."""

    name: str
    free: tuple[str, ...]
    links: tuple[str, str]
    poses: tuple[Array, Array]
    part: Part

    @property
    def constraint(self) -> Held:
        """The first link's frame held to that of the second."""
        from armdyn.constraints.held import AXES, POSITIONS, Held  # noqa: PLC0415 - of files with loops alone

        axes = tuple(axis for axis in AXES if axis not in self.free)
        along: Literal["to", "base"] = "base" if axes == POSITIONS else "to"
        return Held(self.links[0], self.links[1], axes, *self.poses, self.name, along)


def read_loop(part: Part) -> Loop | None:
    """The loop; None where the file does not say what it joins."""
    from armdyn.constraints.fields import axes_along  # noqa: PLC0415 - of files with loops alone

    kind = _type(part)
    one, other = (_end(part, tag) for tag in ENDS[part.element.tag])
    axis = read_axis(part)
    if kind not in FREE or one is None or other is None:
        return None
    (first, T1), (second, T2) = one, other
    along = exact(np.eye(4)) if kind in WITHOUT_AXIS else rigid(axes_along(axis))  # type: ignore[arg-type]
    return Loop(part.name, FREE[kind], (first, second), (T1 @ along, T2 @ along), part)


def _type(part: Part) -> str:
    given = part.element.attributes.get("type", "")
    if given not in FREE:
        close = get_close_matches(given[:60].strip().lower(), FREE, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        fault = f"type {given[:60]!r} closes no loop" if given else f"<{part.element.tag}> has no type"
        part.problem(part.element, f"{fault}; expected one of {', '.join(FREE)}.{meant}")
    return given


def _end(part: Part, tag: str) -> tuple[str, Array] | None:
    """The link at one end, and the pose of the frame in it."""
    element = part.only(part.element, tag)
    if element is None:
        part.problem(part.element, f'<{part.element.tag}> has no <{tag}>; expected <{tag} link="...">.')
        return None
    name = "name" if "link" not in element.attributes and "name" in element.attributes else "link"
    pose = read_pose(part, element) if part.element.tag == "loop_joint" else read_origin(part, element)
    return part.word(element, name), pose


def check_ends(loops: Sequence[Loop], links: Sequence[str]) -> None:
    """Every loop must join two links that exist."""
    known = dict.fromkeys(links)
    suggestion = Suggestions(known)
    seen: dict[str, Loop] = {}
    for loop in loops:
        first = seen.setdefault(loop.name, loop)
        if first is not loop:
            loop.part.problem(loop.part.element, f"the name is taken already (first at {first.part.where}).")
        for link in loop.links:
            if link and link not in known:
                close = suggestion(link)
                meant = f"did you mean {quoted(close)}?" if close else "expected the name of a link of this file."
                fault = f"it joins link {quoted(link)}, which does not exist; {meant}"
                loop.part.problem(loop.part.element, fault)
        if loop.links[0] == loop.links[1]:
            loop.part.problem(loop.part.element, f"both of its ends are on link {quoted(loop.links[0])}.")


def with_loops(model: Model, loops: Sequence[Loop]) -> Model:
    """The model with its loops as constraints; those between what does not move against each other are left out."""
    carriers = {frame.name: frame.link for frame in model.frames}
    closed, notes = [], []
    for loop in loops:
        first, second = loop.links
        if first not in carriers or second not in carriers:
            notes.append(f"{loop.part.label} is left out, as one of the links it joins is")
        elif carriers[first] == carriers[second]:
            notes.append(f"{loop.part.label} is left out: the links it joins do not move against each other")
        else:
            closed.append(loop.constraint)
    return model.replace(constraints=(*model.constraints, *closed), notes=(*model.notes, *notes))
