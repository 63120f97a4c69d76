"""The meshes of an MJCF document by name: their files, opened, in the frames of the geoms that show them.

https://mujoco.readthedocs.io/en/stable/XMLreference.html#asset-mesh
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from armdyn.doctor.hulls import Hull, hull_of_mesh
from armdyn.doctor.meshes import Shelf
from armdyn.doctor.mjcf.places import numbers, rotation
from armdyn.doctor.mjcf.settings import Attributes, DocumentSettings, Stated
from armdyn.doctor.source import Node
from armdyn.spatial.rotations import Array


@dataclass(eq=False)
class Meshes:
    """The meshes of a document.

    Args:
        settings: of the document.
        shelf: the files, of which those are opened that its ``purposes`` name.
        by_name: the element and the attributes of each mesh.
    """

    settings: DocumentSettings
    shelf: Shelf
    by_name: dict[str, tuple[Node, Attributes]] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Node, settings: DocumentSettings, shelf: Shelf) -> Meshes:
        """The meshes in the <asset> elements of a document; one without a name has that of its file."""
        by_name: dict[str, tuple[Node, Attributes]] = {}
        for section in root.all("asset"):
            for node in section.all("mesh"):
                file = node.attributes.get("file", "").replace("\\", "/")
                name = node.name or posixpath.splitext(posixpath.basename(file))[0]
                by_name.setdefault(name, (node, settings.attributes_of(node, "")))
        return cls(settings, shelf, by_name)

    def path(self, name: str) -> str:
        """The path of a mesh's file relative to the document; empty without a file."""
        return self.path_of(self.by_name[name][0]) if name in self.by_name else ""

    def path_of(self, node: Node) -> str:
        """The path that a <mesh> names, relative to the document; empty without one."""
        file = node.attributes.get("file", "").replace("\\", "/")
        if not file:
            return ""
        if self.settings.is_on("strippath"):
            file = posixpath.basename(file)
        return posixpath.join(self.settings.word("meshdir", self.settings.word("assetdir", "")), file)

    def hull(self, name: str, purpose: str, T: Array) -> Hull | None:
        """The hull of a mesh in the frame of a body, shown at a pose T; None if its file is not opened."""
        path = self.path(name)
        if purpose not in self.shelf.purposes or not path:
            return None
        node, attributes = self.by_name[name]
        form, A = self.shelf.form(path), T @ self._map_of_file(attributes)
        if form is None or not np.isfinite(A).all() or not np.linalg.det(A[:3, :3]):
            return None
        stated = attributes.get("scale", Stated("", node)).node
        return hull_of_mesh(purpose, stated, form, A)

    def _map_of_file(self, attributes: Attributes) -> Array:
        """The map from a file's vertices to those of the geom: v = S R(refquat)^T (v_file - refpos)."""
        A = np.eye(4)
        turn = {"quat": attributes["refquat"]} if "refquat" in attributes else {}
        scale = numbers(attributes, "scale", 3, (1.0, 1.0, 1.0))
        A[:3, :3] = np.diag(scale) @ rotation(turn, self.settings).T
        A[:3, 3] = -A[:3, :3] @ numbers(attributes, "refpos", 3, (0.0, 0.0, 0.0))
        return A

    def files(self) -> Iterator[tuple[Node, str]]:
        """The element and the path of each mesh that has a file."""
        for node, _ in self.by_name.values():
            if path := self.path_of(node):
                yield node, path
