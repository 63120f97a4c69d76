"""A lenient picture of a description: numbers as they stand, or NaN, with their places in the text.

Nothing is refused here. A number that cannot be read is NaN; what is missing is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.doctor.hulls import WATER, Hull, hull_of
from armdyn.doctor.meshes import Shelf, choice, hull_of_points
from armdyn.doctor.source import Edit, Node, SourceDocument, Span
from armdyn.formats.findings import read_number
from armdyn.model.bounds import LARGEST, LONGEST
from armdyn.spatial.rotations import Array, rotation_from_rpy

if TYPE_CHECKING:
    from armdyn.doctor.mjcf.meshes import Meshes
    from armdyn.doctor.mjcf.settings import DocumentSettings

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The attributes of <inertia>, which state a tensor's upper triangle."""

PURPOSES = ("visual", "collision")
"""Elements of a link that have shapes."""


def numbers(node: Node | None, attribute: str, default: tuple[float, ...]) -> Array:
    """The numbers of an attribute; the default if it is missing, NaN if it cannot be read."""
    if node is None or attribute not in node.attributes:
        return np.array(default)
    words = node.attributes[attribute].split()
    if len(words) != len(default):
        return np.full(len(default), np.nan)
    return np.array([read_number(word) for word in words])


def number(node: Node | None, attribute: str) -> float | None:
    """The number of an attribute; None if it is missing, NaN if it cannot be read."""
    if node is None or attribute not in node.attributes:
        return None
    return read_number(node.attributes[attribute].strip())


def pose(node: Node | None) -> Array:
    """The pose of the <origin> in an element, shape (4, 4)."""
    origin = None if node is None else node.first("origin")
    T = np.eye(4)
    T[:3, :3] = rotation_from_rpy(*numbers(origin, "rpy", (0.0, 0.0, 0.0)))
    T[:3, 3] = numbers(origin, "xyz", (0.0, 0.0, 0.0))
    return T


@dataclass(eq=False)
class SubjectLink:
    """A link.

    Args:
        node: its element.
        inertial: that of its inertia; None if it states none.
        carried_by: the joint that moves it; None of a root.
        carries: joints on it.
        meshes: the opened files; None if none is opened.
    """

    node: Node
    inertial: Node | None
    carried_by: Articulation | None = None
    carries: list[Articulation] = field(default_factory=list)
    meshes: Shelf | None = None

    orders: ClassVar[dict[str, tuple[int, ...]]] = {
        "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2),
        "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2),
        "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
    }
    """Orders in which other programs print a tensor; the place in each of the six moments."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @cached_property
    def mass(self) -> float | None:
        """m, kg."""
        return None if self.inertial is None else number(self.inertial.first("mass"), "value")

    @cached_property
    def frame(self) -> Array:
        """The pose of the centre of mass and of the inertia's axes, shape (4, 4)."""
        return pose(self.inertial)

    @property
    def com(self) -> Array:
        """c, m, shape (3,)."""
        com: Array = self.frame[:3, 3]
        return com

    @cached_property
    def moments(self) -> Array | None:
        """The six numbers of <inertia>, kg m^2, NaN for a missing one; None without the element."""
        element = None if self.inertial is None else self.inertial.first("inertia")
        if element is None:
            return None
        result = [number(element, name) for name in MOMENTS]
        return np.array([np.nan if value is None else value for value in result])

    @property
    def tensor(self) -> Array | None:
        """I_c in the axes of the inertia, kg m^2, shape (3, 3); None if it is not stated or not within the bound."""
        if self.moments is None or not (np.abs(self.moments) <= LARGEST).all():
            return None
        return tensor_of(self.moments)

    @property
    def is_stated(self) -> bool:
        """True if mass, centre of mass and inertia are finite numbers within the bounds of a model."""
        if self.mass is None or self.tensor is None or not np.isfinite(self.frame).all():
            return False
        return abs(self.mass) <= LARGEST and bool((np.abs(self.com) <= LONGEST).all())

    @property
    def can_hold(self) -> tuple[int, ...]:
        """The places of moments that its text can state."""
        return tuple(range(6))

    @property
    def is_drawn(self) -> bool:
        """Whether it has a shape."""
        return any(self.node.first(purpose) is not None for purpose in PURPOSES)

    def readings(self) -> Iterator[tuple[Node | None, tuple[str, ...]]]:
        """Elements with attributes that are numbers."""
        if self.inertial is not None:
            yield self.inertial.first("mass"), ("value",)
            yield self.inertial.first("origin"), ("xyz", "rpy")
            yield self.inertial.first("inertia"), MOMENTS

    def edits(self, mass: float, com: Array, moments: Array) -> tuple[Edit, ...]:
        """The changes of the text that state other numbers; those that stay keep their text, missing ones are inserted.

        ``moments`` are about ``com`` in the axes of the inertia that the file states, those of the link without one.
        """
        inertia = " ".join(f'{name}="{value:.10g}"' for name, value in zip(MOMENTS, moments, strict=True))
        texts = {
            "origin": f'<origin xyz="{_words(com)}"/>',
            "mass": f'<mass value="{mass:.10g}"/>',
            "inertia": f"<inertia {inertia}/>",
        }
        if self.inertial is None:
            return self._inserted(self.node, f"<inertial> {' '.join(texts.values())} </inertial>")
        element, weight, origin = (self.inertial.first(tag) for tag in ("inertia", "mass", "origin"))
        missing = [texts["mass"]] if weight is None else []
        missing += [texts["inertia"]] if element is None else []
        result = []
        if weight is not None and mass != self.mass and "value" in weight.values:
            result.append(Edit(weight.values["value"], f"{mass:.10g}"))
        if not np.array_equal(com, self.com):
            if origin is not None and "xyz" in origin.values:
                result.append(Edit(origin.values["xyz"], _words(com)))
            elif origin is None:
                missing.append(texts["origin"])
        old_moments = np.full(6, np.nan) if self.moments is None else self.moments
        for name, old, new in zip(MOMENTS, old_moments, moments, strict=True):
            if element is not None and name in element.values and new != old:
                result.append(Edit(element.values[name], f"{new:.10g}"))
        return (*result, *(self._inserted(self.inertial, " ".join(missing)) if missing else ()))

    def _inserted(self, node: Node, text: str) -> tuple[Edit, ...]:
        """Text as the first child of an element, on a line of its own."""
        end = node.opening.end
        indent = "\n" + " " * (node.column + 1)
        if not node.is_empty:
            return (Edit(Span(end, end, node.file), indent + text),)
        return (Edit(Span(end - 2, end, node.file), f">{indent}{text}{indent[:-2]}</{node.tag}>"),)

    def solid(self, mass: float) -> tuple[Array, Array] | None:
        """Centre of mass and moments of the shapes, solid and of uniform density, at a mass; None if one has no volume.

        The moments are in the axes of the inertia.
        """
        hulls = self._filling
        parts = [hull.filled[0] for hull in hulls]
        if not parts or any(part is None for part in parts):
            return None
        whole = sum(parts[1:], parts[0])  # type: ignore[type-var]
        assert whole is not None  # noqa: S101 - there is a volume
        A = self.frame[:3, :3]
        tensor = A.T @ whole.tensor @ A * (mass / whole.mass)
        return whole.com, tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]

    @property
    def filled_volume(self) -> float | None:
        """The volume of the shapes that `solid` fills, m^3; None if one of them has no known volume."""
        parts = [hull.filled[0] for hull in self._filling]
        volumes = [part.mass / WATER for part in parts if part is not None]
        return sum(volumes) if volumes and len(volumes) == len(parts) else None

    @property
    def solid_words(self) -> str:
        """The shapes that `solid` fills, in words: meshes that bound a volume, or the hulls of those that do not."""
        hulls = self._filling
        meshes = [hull for hull in hulls if hull.mesh is not None]
        open_ones = [hull.filled[1] for hull in meshes if hull.filled[1]]
        if open_ones:
            return f"the convex hull of its mesh ({open_ones[0]})"
        return "its mesh" if meshes and len(hulls) == 1 else "its meshes" if meshes else "its shapes"

    @property
    def _filling(self) -> list[Hull]:
        """The shapes of the purpose that has the largest volume, those whose meshes bound a volume first."""
        candidates = [hulls for hulls in self.complete.values() if all(hull.volume for hull in hulls)]
        return max(
            candidates,
            key=lambda hulls: (not any(hull.filled[1] for hull in hulls), sum(hull.volume or 0.0 for hull in hulls)),
            default=[],
        )

    @cached_property
    def complete(self) -> dict[str, list[Hull]]:
        """The shapes of the link by purpose, for purposes of which all shapes are known."""
        by_purpose = {one: [hull for hull in self.hulls if hull.purpose == one] for one in PURPOSES}
        return {one: hulls for one, hulls in by_purpose.items() if hulls and len(hulls) == len(self.node.all(one))}

    @property
    def shape_count(self) -> int:
        """The number of its shapes, of unknown size too."""
        return sum(len(self.node.all(one)) for one in PURPOSES)

    def mesh_paths(self) -> Iterator[tuple[str, str]]:
        """The purpose and the path of each of its meshes, in the words of the description."""
        for purpose in PURPOSES:
            for shape in self.node.all(purpose):
                geometry = shape.first("geometry")
                form = None if geometry is None else geometry.first("mesh")
                if form is not None:
                    yield purpose, form.attributes.get("filename", "")

    @property
    def is_measured(self) -> bool:
        """If all of its shapes are known, or those of one purpose among which is a mesh: primitives alone are rough."""
        if len(self.hulls) == self.shape_count:
            return bool(self.hulls)
        return any(hull.mesh is not None for hulls in self.complete.values() for hull in hulls)

    @cached_property
    def hulls(self) -> list[Hull]:
        """The shapes of the link, visual ones first."""
        shapes = [shape for purpose in PURPOSES for shape in self.node.all(purpose)]
        return [hull for hull in (hull_of(shape, pose(shape), self.meshes) for shape in shapes) if hull is not None]

    @cached_property
    def points(self) -> Array:
        """Points that the link reaches: its own origin, joints on it, corners of its shapes; m, shape (points, 3).

        A link on a slide reaches back to the slide at both ends of the travel.
        """
        points = [np.zeros(3), *(joint.placement[:3, 3] for joint in self.carries)]
        slide = self.carried_by
        points += [] if slide is None else [slide.pivot]
        if slide is not None and slide.kind == "prismatic":
            points += [-slide.axis * end for end in (slide.limit("lower"), slide.limit("upper")) if end is not None]
        return np.vstack([np.reshape(points, (-1, 3)), *(hull.points for hull in self.hulls)])

    @property
    def points_within_bounds(self) -> Array:
        """Its points whose coordinates are finite and within the bound of lengths, m, shape (n, 3)."""
        return self.points[(np.abs(self.points) <= LONGEST).all(axis=1)]

    @property
    def extent(self) -> float:
        """The length of the diagonal of the box around all its points, m; 0 if it has its origin alone."""
        points = self.points_within_bounds
        return hypot(*(points.max(axis=0) - points.min(axis=0)))

    @property
    def extent_of_shapes(self) -> float:
        """The length of the diagonal of the box around its shapes, m; 0 without a shape."""
        if not self.hulls:
            return 0.0
        return float(np.linalg.norm(np.ptp(np.vstack([hull.points for hull in self.hulls]), axis=0)))

    @cached_property
    def room(self) -> float | None:
        """The largest volume of the hull of the shapes of one purpose, m^3; None if it is not known."""
        volumes = [
            hulls[0].volume if len(hulls) == 1 else hull_of_points(np.vstack([hull.points for hull in hulls]))[1][3, 3]
            for hulls in self.complete.values()
        ]
        return max((float(one) for one in volumes if one), default=None)

    @property
    def volume(self) -> float | None:
        """The largest volume of the shapes of one purpose, m^3; None if a shape's volume is not known."""
        volumes = [[hull.volume for hull in hulls] for hulls in self.complete.values()]
        if any(None in of_purpose for of_purpose in volumes):
            return None
        return max((sum(filter(None, of_purpose)) for of_purpose in volumes), default=None)

    @cached_property
    def world(self) -> Array:
        """Its pose in the root's frame with all joints at zero, shape (4, 4)."""
        T = np.eye(4)
        for joint in self.path:
            T = joint.placement @ T
        return T

    @property
    def moves(self) -> bool:
        """Whether some joint moves it."""
        return any(joint.kind != "fixed" for joint in self.path)

    @property
    def limb_mass(self) -> float:
        """The sum of its mass and those of all links that it carries, kg, without masses that are not finite."""
        seen, waiting, mass = {self.name}, [self], 0.0
        while waiting:
            body = waiting.pop()
            mass += abs(body.mass) if body.mass is not None and np.isfinite(body.mass) else 0.0
            children = [joint.child_body for joint in body.carries]
            waiting += [child for child in children if child is not None and child.name not in seen]
            seen |= {child.name for child in children if child is not None}
        return mass

    @cached_property
    def path(self) -> tuple[Articulation, ...]:
        """The joints from the link towards the root; it ends at a link that closes a loop."""
        result: list[Articulation] = []
        joint = self.carried_by
        while joint is not None and joint not in result:
            result.append(joint)
            joint = joint.parent_body.carried_by if joint.parent_body else None
        return tuple(result)


@dataclass(eq=False)
class Articulation:
    """A joint.

    Args:
        node: its element.
        parent: the name of the link that it stands on.
        child: the name of the link that it carries.
        parent_body: the parent link, if it exists.
        child_body: likewise.
    """

    node: Node
    parent: str
    child: str
    parent_body: SubjectLink | None = None
    child_body: SubjectLink | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @property
    def kind(self) -> str:
        """Its type as the file states it."""
        return self.node.attributes.get("type", "")

    @cached_property
    def placement(self) -> Array:
        """Its pose in the parent's frame, shape (4, 4)."""
        return pose(self.node)

    @property
    def pivot(self) -> Array:
        """A point of its axis in the frame of the link that it carries, m, shape (3,)."""
        return np.zeros(3)

    @property
    def axis(self) -> Array:
        """Its axis, shape (3,)."""
        return numbers(self.node.first("axis"), "xyz", (1.0, 0.0, 0.0))

    def limit(self, name: str) -> float | None:
        """A number of <limit>: "lower", "upper", "effort" or "velocity"; None if it is not stated."""
        return number(self.node.first("limit"), name)


@dataclass(eq=False)
class Subject:
    """A file: its text, its links and its joints.

    Args:
        source: the text with the places of its elements.
        folder: in which relative paths of meshes are looked up.
        bodies: the links by name, in the order of the file; of several of one name the first.
        joints: in the order of the file.
        format: "URDF" or "MJCF".
        settings: of an MJCF document.
        unread: includes of an MJCF document that cannot be read, with the reason.
        meshes: the files of meshes, of which those are opened that its ``purposes`` name.
        named_meshes: the meshes of an MJCF document.
    """

    source: SourceDocument
    folder: Path
    bodies: dict[str, SubjectLink]
    joints: list[Articulation]
    format: str = "URDF"
    settings: DocumentSettings | None = None
    unread: list[tuple[Node, str]] = field(default_factory=list)
    meshes: Shelf = field(default_factory=lambda: Shelf(Path()))
    named_meshes: Meshes | None = None

    @classmethod
    def of(cls, source: SourceDocument, folder: Path) -> Subject:
        """The links and joints of a URDF document."""
        bodies: dict[str, SubjectLink] = {}
        meshes = Shelf(folder)
        for node in source.root.all("link"):
            bodies.setdefault(node.name, SubjectLink(node, node.first("inertial"), meshes=meshes))
        joints = []
        for node in source.root.all("joint"):
            parent, child = (_link(node, role) for role in ("parent", "child"))
            joint = Articulation(node, parent, child, bodies.get(parent), bodies.get(child))
            joints.append(joint)
            if joint.parent_body is not None:
                joint.parent_body.carries.append(joint)
            if joint.child_body is not None and joint.child_body.carried_by is None:
                joint.child_body.carried_by = joint
        return cls(source, folder, bodies, joints, meshes=meshes)

    def open_meshes(self, wish: bool | None) -> str:
        """Choose the meshes that are opened: all, none, or, for None, what takes less than a second.

        Returns:
            a sentence on those that are not.
        """
        files: dict[str, list[Path]] = {purpose: [] for purpose in PURPOSES}
        for body in self.bodies.values():
            for purpose, path in body.mesh_paths():
                file = self.meshes.file(path)
                if file is not None:
                    files[purpose].append(file)
        self.meshes.purposes, sentence = choice(wish, files)
        return sentence

    def mesh_elements(self) -> Iterator[tuple[Node, str]]:
        """The <mesh> elements and their paths, in the order of the file."""
        if self.named_meshes is not None:
            yield from self.named_meshes.files()
            return
        for node in self.source.root.walk():
            if node.tag == "mesh" and node.attributes.get("filename"):
                yield node, node.attributes["filename"]

    def moving(self) -> Iterator[SubjectLink]:
        """The links that some joint moves and that state mass and inertia in finite numbers."""
        return (body for body in self.bodies.values() if body.is_stated and body.moves)


def _link(node: Node, role: str) -> str:
    element = node.first(role)
    return "" if element is None else element.attributes.get("link", "")


def tensor_of(moments: Array) -> Array:
    """The tensor of six numbers ixx ixy ixz iyy iyz izz, shape (3, 3)."""
    xx, xy, xz, yy, yz, zz = moments
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _words(values: Array) -> str:
    return " ".join(f"{value:.10g}" for value in values)
