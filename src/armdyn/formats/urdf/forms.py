"""What the shapes of a URDF file are called, and their sizes; those that URDF lacks have names of our own."""

from __future__ import annotations

from collections.abc import Mapping

from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere

FORMS: Mapping[str, tuple[type[Shape], Mapping[str, int]]] = {
    "box": (Box, {"size": 3}),
    "sphere": (Sphere, {"radius": 1}),
    "cylinder": (Cylinder, {"radius": 1, "length": 1}),
    "capsule": (Capsule, {"radius": 1, "length": 1}),
    "ellipsoid": (Ellipsoid, {"radii": 3}),
    "plane": (Plane, {"size": 2}),
}
"""By tag, all but meshes: the class, and by attribute, which the class has too, how many numbers it holds."""

MESH = "mesh"

OF_URDF = ("box", "sphere", "cylinder", MESH)
"""The tags that every reader of URDF knows."""
