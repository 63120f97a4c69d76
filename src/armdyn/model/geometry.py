"""Shapes on the links of a robot, for display and for contacts. No equation of motion contains them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from armdyn.base.checks import array
from armdyn.base.errors import ModelError
from armdyn.base.fields import set_fields
from armdyn.model.frozen import frozen_array
from armdyn.spatial.rotations import Array

Purpose = Literal["visual", "collision"]


class Shape:
    """A form with its sizes, which are checked when it is made; in the frame that its `Geometry` places."""

    SIZES: ClassVar[Mapping[str, int]] = {}
    """Number of entries of each size, all in m and nonnegative."""
    may_be_infinite: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, count in self.SIZES.items():
            what = f"{name} of a {type(self).__name__.lower()}"
            sizes = array(what, getattr(self, name), (count,) if count > 1 else ())
            if not (sizes >= 0.0).all() or not (self.may_be_infinite or np.isfinite(sizes).all()):
                text = " ".join(f"{size:g}" for size in sizes.ravel())
                raise ModelError(f"{what} is {text}; expected lengths in m, none of them negative.")
            set_fields(self, **{name: tuple(sizes.tolist()) if count > 1 else float(sizes)})


@dataclass(frozen=True)
class Box(Shape):
    """A box about the origin: its lengths along x, y and z, m."""

    SIZES: ClassVar[Mapping[str, int]] = {"size": 3}
    size: tuple[float, float, float]


@dataclass(frozen=True)
class Sphere(Shape):
    """A sphere about the origin: its radius, m."""

    SIZES: ClassVar[Mapping[str, int]] = {"radius": 1}
    radius: float


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z about the origin: its radius and length, m."""

    SIZES: ClassVar[Mapping[str, int]] = {"radius": 1, "length": 1}
    radius: float
    length: float


@dataclass(frozen=True)
class Capsule(Cylinder):
    """A cylinder along z about the origin with half a sphere on each end: radius, and length between the centres, m."""


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid about the origin: its semi-axes along x, y and z, m."""

    SIZES: ClassVar[Mapping[str, int]] = {"radii": 3}
    radii: tuple[float, float, float]


@dataclass(frozen=True)
class Plane(Shape):
    """A rectangle in the plane z = 0 about the origin, seen from +z: its lengths along x and y, m; may be infinite."""

    SIZES: ClassVar[Mapping[str, int]] = {"size": 2}
    may_be_infinite: ClassVar[bool] = True
    size: tuple[float, float] = (math.inf, math.inf)


@dataclass(frozen=True)
class Mesh(Shape):
    """A mesh in a file, which is never opened here.

    Args:
        path: as the description has it: relative, absolute, or a URL e.g. package://ur_description/base.dae.
        scale: factors of the file's x, y and z; negative factors mirror it.
        folder: of the description, from which a viewer resolves the path; empty if the description is not a file.
    """

    path: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    folder: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not self.path.strip():
            raise ModelError(f"path of a mesh is {self.path!r}; expected that of its file.")
        scale = array("scale of a mesh", self.scale, (3,))
        if not np.isfinite(scale).all() or not scale.all():
            text = " ".join(f"{factor:g}" for factor in scale)
            raise ModelError(f"scale of a mesh is {text}; expected three finite factors, none of them zero.")
        set_fields(self, scale=tuple(scale.tolist()))

    @property
    def location(self) -> str:
        """The path of the file, with slashes for backslashes; relative paths follow the description's folder."""
        path = self.path.replace("\\", "/")
        return path if "://" in path else os.path.join(self.folder, path)


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape on a link.

    Args:
        link: name of the link that it is fixed to.
        purpose: "visual", for the eye, or "collision", for contacts.
        shape: its form and sizes.
        pose: T_link,shape, of the shape in the link's frame, shape (4, 4).
        color: red, green, blue and opacity from 0 to 1; None if the description has none.
        name: as in the description; empty if it has none.

    >>> Geometry("boom", "visual", Box((1, 2, 3))).pose[:3, 3]
    array([0., 0., 0.])
    """

    link: str
    purpose: Purpose
    shape: Shape
    pose: Array = field(default_factory=lambda: np.eye(4))
    color: tuple[float, ...] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        subject = f"pose of a {self.purpose} shape on {self.link!r}"
        set_fields(self, pose=frozen_array(self.pose, (4, 4), subject, "a homogeneous matrix"))
        if self.color is not None:
            color = array(f"color of a {self.purpose} shape on {self.link!r}", self.color, (4,))
            if not ((color >= 0.0) & (color <= 1.0)).all():
                text = " ".join(f"{share:g}" for share in color)
                raise ModelError(f"color is {text}; expected red, green, blue and opacity from 0 to 1.")
            set_fields(self, color=tuple(color.tolist()))
