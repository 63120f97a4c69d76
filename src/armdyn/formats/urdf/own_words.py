"""What armdyn's own URDF files say besides URDF, so that the robot that is written is the one that is read.

    <armdyn tip="tool0" gravity="0 0 -9.81">
      <of_joint joint="boom" collar="parent" armature="0.2"/>
      <of_link link="boom"> <visual> <geometry> <capsule radius="0.1" length="1"/> </geometry> </visual> </of_link>
    </armdyn>

Other readers of URDF pass over the element.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from armdyn.formats.findings import Findings, Part
from armdyn.formats.xml_tree import Element
from armdyn.model.parts import JointPart
from armdyn.model.validation import Suggestions, quoted

TAG, OF_JOINT, OF_LINK = "armdyn", "of_joint", "of_link"


@dataclass(frozen=True)
class OwnWords:
    """The tip and the gravity that the file names, what it says of joints, by name, and the shapes of links."""

    tip: str | None = None
    gravity: tuple[float, ...] | None = None
    of_joints: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    of_links: Sequence[Part] = ()

    def applied_to(self, joints: Sequence[JointPart]) -> list[JointPart]:
        """The joints with what the file says of them besides URDF."""
        return [dataclasses.replace(joint, **self.of_joints.get(joint.name, {})) for joint in joints]


def read_own_words(root: Element, findings: Findings, links: Sequence[str], joints: Sequence[JointPart]) -> OwnWords:
    """The element, where the file has it; what it names must exist."""
    part = Part(findings, root, "robot")
    element = part.only(root, TAG)
    if element is None:
        return OwnWords()
    tip = element.attributes.get("tip")
    if tip is not None and tip not in links:
        part.problem(element, f"<{TAG}> tip {quoted(tip)} is no link of this file{_meant(tip, links)}")
    gravity = part.vector(element, "gravity", None) if "gravity" in element.attributes else None
    kinds = {joint.name: joint.kind for joint in joints}
    of_joints = {
        part.word(child, "joint"): _of_joint(part, child, kinds) for child in element.children if child.tag == OF_JOINT
    }
    return OwnWords(tip, gravity, of_joints, list(_of_links(part, element, links)))


def _of_links(part: Part, own: Element, links: Sequence[str]) -> Iterator[Part]:
    """The elements with shapes of a link."""
    for element in own.all(OF_LINK):
        link = part.word(element, "link")
        if link and link not in links:
            part.problem(element, f"<{OF_LINK}> link {quoted(link)} is no link of this file{_meant(link, links)}")
        elif link:
            yield Part(part.findings, element, f"link {quoted(link)}")


def _of_joint(part: Part, element: Element, kinds: Mapping[str, str]) -> dict[str, Any]:
    """What is said of one joint, by the names that `JointPart` has for it."""
    joint = element.attributes.get("joint", "")
    said: dict[str, Any] = {}
    if joint and joint not in kinds:
        part.problem(element, f"<{OF_JOINT}> joint {quoted(joint)} is no joint of this file{_meant(joint, [*kinds])}")
    if "armature" in element.attributes:
        said["armature"] = part.number(element, "armature")
    if "collar" in element.attributes:
        said["collar"] = element.attributes["collar"]
        if said["collar"] not in ("parent", "child") or kinds.get(joint, "prismatic") != "prismatic":
            part.problem(element, f"<{OF_JOINT}> collar is {quoted(said['collar'])}; expected 'parent' or 'child' of a "
                                  "prismatic joint, the link that carries its collar.")  # fmt: skip
    return said


def _meant(name: str, known: Sequence[str]) -> str:
    close = Suggestions(dict.fromkeys(known))(name)
    return f"; did you mean {quoted(close)}?" if close else "."
