"""Inertias of bodies from their shapes and meshes, and the physical consistency of given inertias.

Every shape takes ``mass=``, a uniform density or a density that is a function of the point (`Density`), and returns an
`armdyn.Inertia` in a frame it states. Bodies are placed with ``.at(point)`` and ``.seen_from(T)``, added with ``+`` and
cut out with ``-``. With symbols of SymPy among the sizes or the mass these functions return an exact
`armdyn.spatial.MassProperties`.
"""

from armdyn.base.lazy import modules_of
from armdyn.inertia.consistency import Consistency, NearestInertia, Violation, consistency, nearest_consistent
from armdyn.inertia.density import Density
from armdyn.inertia.meshes import mesh
from armdyn.inertia.solids import box, capsule, cone, cylinder, ellipsoid, sphere
from armdyn.inertia.thin import (
    box_shell,
    cylindrical_shell,
    disc,
    plate,
    point_masses,
    rod,
    spherical_shell,
)

__all__ = [
    "Consistency",
    "Density",
    "NearestInertia",
    "Violation",
    "box",
    "box_shell",
    "capsule",
    "cone",
    "consistency",
    "cylinder",
    "cylindrical_shell",
    "disc",
    "ellipsoid",
    "mesh",
    "nearest_consistent",
    "plate",
    "point_masses",
    "rod",
    "sphere",
    "spherical_shell",
]

__getattr__ = modules_of(__name__)
