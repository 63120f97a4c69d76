"""From the elements of an MJCF document to bodies and joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armdyn.doctor.meshes import Shelf
from armdyn.doctor.mjcf.document import with_includes
from armdyn.doctor.mjcf.geoms import Geom
from armdyn.doctor.mjcf.meshes import Meshes
from armdyn.doctor.mjcf.parts import MjcfBody, MjcfJoint
from armdyn.doctor.mjcf.places import pose
from armdyn.doctor.mjcf.settings import Attributes, DocumentSettings, own
from armdyn.doctor.source import Node, SourceDocument
from armdyn.doctor.subject import Subject
from armdyn.spatial.rotations import Array

CONTAINERS = ("frame", "replicate")
"""Elements whose children stand on the body around them."""


def mjcf_subject(source: SourceDocument, folder: Path) -> Subject:
    """The bodies and joints of an MJCF document."""
    missing = with_includes(source, folder)
    settings = DocumentSettings.of(source.root)
    shelf = Shelf(folder)
    meshes = Meshes.of(source.root, settings, shelf)
    subject = Subject(
        source, folder, {}, [], "MJCF", settings=settings, unread=missing, meshes=shelf, named_meshes=meshes
    )
    reader = _MjcfReader(subject, settings, meshes)
    worlds = source.root.all("worldbody")
    body = MjcfBody(worlds[0] if worlds else source.root, None, settings=settings, label="world")
    reader.add(body)
    for world in worlds:
        reader.fill(body, world, np.eye(4), world.attributes.get("childclass", ""))
    return reader.subject


class _MjcfReader:
    def __init__(self, subject: Subject, settings: DocumentSettings, meshes: Meshes) -> None:
        self.subject, self.settings, self.meshes, self.number = subject, settings, meshes, 0

    def add(self, body: MjcfBody) -> MjcfBody:
        self.subject.bodies.setdefault(body.name, body)
        return body

    def fill(self, body: MjcfBody, node: Node, T: Array, child_class: str) -> None:
        """Read the children of a body, or of a frame at a pose in it."""
        waiting = [(child, T, child_class) for child in reversed(node.children)]
        while waiting:
            child, at, own_class = waiting.pop()
            if child.tag in CONTAINERS:
                inner = at @ pose(own(child), self.settings) if child.tag == "frame" else at
                of_children = child.attributes.get("childclass", own_class)
                waiting += [(one, inner, of_children) for one in reversed(child.children)]
            elif child.tag == "geom":
                attributes = self.settings.attributes_of(child, own_class)
                body.geoms.append(Geom(child, attributes, at, self.settings, self.meshes))
            elif child.tag == "body":
                self.body(body, child, at, own_class)

    def body(self, parent: MjcfBody, node: Node, T: Array, child_class: str) -> None:
        self.number += 1
        of_children = node.attributes.get("childclass", child_class)
        label = node.name or f"body_{self.number}"
        inertial = node.first("inertial")
        if self.settings.word("inertiafromgeom", "auto") == "true":
            inertial = None
        body = MjcfBody(node, inertial, settings=self.settings, label=label)
        self.add(body)
        placed = T @ pose(own(node), self.settings)
        self._joints(parent, body, placed, of_children)
        self.fill(body, node, np.eye(4), of_children)

    def _joints(self, parent: MjcfBody, body: MjcfBody, placed: Array, child_class: str) -> None:
        nodes = [one for one in body.node.children if one.tag in ("joint", "freejoint")]
        for k, node in enumerate(nodes):
            number = f"_{k + 1}" if len(nodes) > 1 else ""
            label = node.name or f"joint{number}_of_{body.name}"
            attributes = self.settings.attributes_of(node, child_class)
            body.joints.append(self._joint(node, parent, body, attributes, label, placed))
        if not nodes:
            body.carried_by = self._joint(body.node, parent, body, {}, f"weld_of_{body.name}", placed, is_weld=True)
        else:
            body.carried_by = body.joints[-1]
        self.subject.joints += body.joints or [body.carried_by]
        parent.carries.append(body.carried_by)

    def _joint(
        self,
        node: Node,
        parent: MjcfBody,
        body: MjcfBody,
        attributes: Attributes,
        label: str,
        placed: Array,
        *,
        is_weld: bool = False,
    ) -> MjcfJoint:
        return MjcfJoint(node, parent.name, body.name, parent, body, self.settings, attributes, label, placed, is_weld)
