"""The tags of shapes in a URDF file; those that are not in URDF are extensions of armdyn."""

from __future__ import annotations

from collections.abc import Mapping

from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere

FORMS: Mapping[str, type[Shape]] = {
    form.__name__.lower(): form for form in (Box, Sphere, Cylinder, Capsule, Ellipsoid, Plane)
}
"""The forms but meshes, by tag; each size of a form is an attribute."""

MESH = "mesh"

OF_URDF = ("box", "sphere", "cylinder", MESH)
"""The tags that every reader of URDF knows."""
