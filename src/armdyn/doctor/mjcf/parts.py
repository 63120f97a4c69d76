"""Bodies and joints of an MJCF document, as the checks of links and joints read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.doctor.hulls import Hull
from armdyn.doctor.mjcf.geoms import Geom
from armdyn.doctor.mjcf.places import ORIENTATIONS, numbers, pose
from armdyn.doctor.mjcf.settings import Attributes, DocumentSettings, own
from armdyn.doctor.source import Edit, Node, Span
from armdyn.doctor.subject import PURPOSES, Articulation, SubjectLink, tensor_of
from armdyn.formats.findings import read_number
from armdyn.spatial.rotations import Array

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
"""Types of joints, in the words of URDF."""

FULL = (0, 3, 5, 1, 2, 4)
"""The places of ixx iyy izz ixy ixz iyz, the order of ``fullinertia``, in ixx ixy ixz iyy iyz izz."""


@dataclass(eq=False)
class MjcfBody(SubjectLink):
    """A body.

    Args:
        settings: of the document.
        geoms: on it.
        label: its name, or one made of its number.
        joints: all of its joints in the order of the file; the last one is ``carried_by``.
    """

    settings: DocumentSettings = field(default_factory=DocumentSettings)
    geoms: list[Geom] = field(default_factory=list)
    label: str = ""
    joints: list[MjcfJoint] = field(default_factory=list)

    orders: ClassVar[dict[str, tuple[int, ...]]] = {
        "ixx ixy ixz iyy iyz izz, as in URDF": (0, 3, 5, 1, 2, 4),
        "ixx iyy izz ixy iyz ixz": (0, 1, 4, 3, 2, 5),
        "ixx ixy iyy ixz iyz izz": (0, 3, 1, 5, 2, 4),
    }

    @property
    def name(self) -> str:
        """Its name."""
        return self.label

    @property
    def is_from_geoms(self) -> bool:
        """Whether the compiler takes mass and inertia from the geoms."""
        rule = self.settings.word("inertiafromgeom", "auto")
        return rule == "true" or (rule == "auto" and self.inertial is None)

    @cached_property
    def mass(self) -> float | None:
        """m, kg; NaN if it comes from geoms whose volume is not known."""
        if self.inertial is not None:
            text = self.inertial.attributes.get("mass")
            return None if text is None else read_number(text.strip())
        if not self.is_from_geoms:
            return None
        words = self.settings.word("inertiagrouprange", "0 5").split()
        low, high = (read_number(word) for word in words) if len(words) == len(PURPOSES) else (0.0, 5.0)
        masses = [geom.mass for geom in self.geoms if low <= geom.group <= high]
        return float(sum(masses)) if masses else None

    @cached_property
    def frame(self) -> Array:
        """The pose of the centre of mass and of the inertia's axes, shape (4, 4)."""
        return np.eye(4) if self.inertial is None else pose(own(self.inertial), self.settings)

    @property
    def _is_full(self) -> bool:
        return self.inertial is not None and "fullinertia" in self.inertial.attributes

    @cached_property
    def moments(self) -> Array | None:
        """The six numbers ixx ixy ixz iyy iyz izz, kg m^2, NaN if they cannot be read; None if none are stated."""
        if self.inertial is None:
            return None
        stated = own(self.inertial)
        if self._is_full:
            of_diagonal = numbers(stated, "fullinertia", 6, ())
            six = np.empty(6)
            six[list(FULL)] = of_diagonal
            return six
        if "diaginertia" not in stated:
            return None
        xx, yy, zz = numbers(stated, "diaginertia", 3, ())
        return np.array([xx, 0.0, 0.0, yy, 0.0, zz])

    @property
    def can_hold(self) -> tuple[int, ...]:
        """The places of moments that the text states: products of inertia not of ``diaginertia``."""
        return tuple(range(6)) if self._is_full else (0, 3, 5)

    def readings(self) -> Iterator[tuple[Node | None, tuple[str, ...]]]:
        """Elements with attributes that are numbers."""
        yield self.inertial, ("mass", "pos", "diaginertia", "fullinertia", "quat")

    def edits(self, mass: float, com: Array, moments: Array) -> tuple[Edit, ...]:
        """The changes of the text that state other numbers; those that stay keep their text, missing ones are inserted.

        ``moments`` are about ``com`` in the axes of the inertia that the file states, those of the body without one.
        """
        node = self.inertial
        if node is None:
            texts = f'<inertial pos="{_words(com)}" mass="{mass:.10g}" {self._of_moments(moments)}/>'
            return self._inserted(self.node, texts)
        result: list[Edit] = []
        if mass != self.mass:
            result += self._set(node, "mass", f"{mass:.10g}")
        if not np.array_equal(com, self.com):
            result += self._set(node, "pos", _words(com))
        old = self.moments
        if old is None or not np.array_equal(moments, old):
            result += self._moments_set(node, moments)
        return tuple(result)

    def _moments_set(self, node: Node, moments: Array) -> Iterator[Edit]:
        if self._is_full:
            yield from self._set(node, "fullinertia", _words(moments[list(FULL)]))
        elif not moments[[1, 2, 4]].any():
            yield from self._set(node, "diaginertia", _words(moments[[0, 3, 5]]))
        elif any(name in node.attributes for name in ORIENTATIONS):
            yield from self._turn(node, moments)
        else:
            yield from _renamed(node, "diaginertia", "fullinertia", _words(moments[list(FULL)]))

    def _turn(self, node: Node, moments: Array) -> Iterator[Edit]:
        """Principal moments and axes, for MuJoCo reads no ``fullinertia`` in addition to an orientation."""
        principal, axes = np.linalg.eigh(tensor_of(moments))
        axes[:, 2] *= np.linalg.det(axes)
        name = next(name for name in ORIENTATIONS if name in node.attributes)
        yield from self._set(node, "diaginertia", _words(principal))
        yield from _renamed(node, name, "quat", _words(_quaternion(self.frame[:3, :3] @ axes)))

    @staticmethod
    def _of_moments(moments: Array) -> str:
        if moments[[1, 2, 4]].any():
            return f'fullinertia="{_words(moments[list(FULL)])}"'
        return f'diaginertia="{_words(moments[[0, 3, 5]])}"'

    @staticmethod
    def _set(node: Node, name: str, text: str) -> tuple[Edit, ...]:
        return set_attribute(node, name, text)

    @cached_property
    def hulls(self) -> list[Hull]:
        """The shapes of the body."""
        return [geom.hull for geom in self.geoms if geom.hull is not None]

    @cached_property
    def complete(self) -> dict[str, list[Hull]]:
        """By purpose the shapes of the body, if all of that purpose are known and there is one."""
        shapes = {one: [geom.hull for geom in self.geoms if geom.purpose == one] for one in PURPOSES}
        hulls_of_body = set(self.hulls)
        return {
            one: [hull for hull in hulls if hull is not None]
            for one, hulls in shapes.items()
            if hulls and hulls_of_body.issuperset(hulls)
        }

    @property
    def shape_count(self) -> int:
        """The number of its geoms."""
        return len(self.geoms)

    def mesh_paths(self) -> Iterator[tuple[str, str]]:
        """The purpose and the path of each mesh that its geoms show."""
        for geom in self.geoms:
            if geom.mesh is not None:
                yield geom.purpose, geom.meshes.path(geom.mesh)

    @property
    def is_drawn(self) -> bool:
        """Whether it has a geom."""
        return bool(self.geoms)

    @property
    def is_measured(self) -> bool:
        """If a mesh is among known shapes: primitives alone are rough, and geoms touch and are drawn in one."""
        return any(hull.mesh is not None for hulls in self.complete.values() for hull in hulls)

    @property
    def volume(self) -> float | None:
        """The largest volume of the geoms of one purpose, m^3; None if they do not measure the body."""
        all_known = len(self.hulls) == len(self.geoms)
        return super().volume if all_known or self.is_measured else None


@dataclass(eq=False)
class MjcfJoint(Articulation):
    """A joint, or the weld of a body without one.

    Args:
        settings: of the document.
        attributes: its own and those of its class; empty of a weld.
        label: its name, or one made of that of its body.
        body_pose: the pose of the body in its parent.
        is_weld: if the body has no joint.
    """

    settings: DocumentSettings = field(default_factory=DocumentSettings)
    attributes: Attributes = field(default_factory=dict)
    label: str = ""
    body_pose: Array = field(default_factory=lambda: np.eye(4))
    is_weld: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        return self.label

    @property
    def kind(self) -> str:
        """Its type in the words of URDF."""
        if self.is_weld:
            return "fixed"
        if self.node.tag == "freejoint":
            return "floating"
        text = self.attributes["type"].text.strip() if "type" in self.attributes else "hinge"
        return KINDS.get(text, text)

    @cached_property
    def placement(self) -> Array:
        """The pose of the body in its parent, shape (4, 4)."""
        return self.body_pose

    @property
    def pivot(self) -> Array:
        """A point of the axis in the frame of the body, m, shape (3,)."""
        return numbers(self.attributes, "pos", 3, (0.0, 0.0, 0.0))

    @property
    def axis(self) -> Array:
        """Its axis, shape (3,)."""
        return numbers(self.attributes, "axis", 3, (0.0, 0.0, 1.0))

    @property
    def unit(self) -> float:
        """The unit of its position, rad or m."""
        return 1.0 if self.kind == "prismatic" else self.settings.angle

    @property
    def range(self) -> Array | None:
        """The two numbers of ``range``, in the unit of the file; None without it."""
        return numbers(self.attributes, "range", 2, ()) if "range" in self.attributes else None

    @property
    def is_limited(self) -> bool:
        """Whether the compiler takes ``range`` as limits."""
        text = self.attributes["limited"].text.strip() if "limited" in self.attributes else "auto"
        return text == "true" or (text == "auto" and self.settings.is_on("autolimits", default=True))

    def limit(self, name: str) -> float | None:
        """A limit, "lower" or "upper", rad or m, or "effort"; None if it is not stated."""
        if name in ("lower", "upper"):
            pair = self.range
            return None if pair is None or not self.is_limited else float(pair[int(name == "upper")] * self.unit)
        if name == "effort" and "actuatorfrcrange" in self.attributes:
            return float(numbers(self.attributes, "actuatorfrcrange", 2, ())[1])
        return None


def set_attribute(node: Node, name: str, text: str) -> tuple[Edit, ...]:
    """An attribute with another value, or a new one at the end of the start tag."""
    if name in node.values:
        return (Edit(node.values[name], text),)
    end = node.opening.end - (2 if node.is_empty else 1)
    return (Edit(Span(end, end, node.file), f' {name}="{text}"'),)


def _renamed(node: Node, old: str, new: str, text: str) -> tuple[Edit, ...]:
    """An attribute under another name, with another value."""
    if old == new or old not in node.values:
        return set_attribute(node, new, text)
    value = node.values[old]
    name = node.names[old]
    return (Edit(name, new), Edit(value, text))


def _quaternion(R: Array) -> Array:
    """w x y z of a rotation, by its largest component."""
    trace = float(np.trace(R))
    squares = np.array([trace, *(2.0 * R.diagonal() - trace)])
    k = int(squares.argmax())
    if k == 0:
        q = np.array([1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        q = np.empty(4)
        q[0], q[1 + i] = R[m, j] - R[j, m], 1.0 + R[i, i] - R[j, j] - R[m, m]
        q[1 + j], q[1 + m] = R[j, i] + R[i, j], R[m, i] + R[i, m]
    unit: Array = q / np.linalg.norm(q)
    return unit


def _words(values: Array) -> str:
    return " ".join(f"{value:.10g}" for value in values)
