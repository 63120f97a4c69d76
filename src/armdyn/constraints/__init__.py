"""Constraints on the motion of a robot: loops, contacts without friction, couplings, and the dynamics within them.

>>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
>>> arm = armdyn.load("planar_2r").with_constraints(channel)
>>> arm.constraint_error([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
array([0.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.lazy import names_of
from armdyn.model.constraints import Constraint, Equations, Row

if TYPE_CHECKING:
    from armdyn.constraints.distance import Distance
    from armdyn.constraints.dynamics import (
        ConstrainedMotion,
        acceleration_projection,
        constrained_forward_dynamics,
        constrained_inverse_dynamics,
        force_projection,
        hybrid_forces,
    )
    from armdyn.constraints.equations import (
        constraint_drift,
        constraint_error,
        constraint_forces,
        constraint_jacobian,
        constraint_velocity,
    )
    from armdyn.constraints.errors import (
        ConstraintError,
        ContradictingConstraints,
        InconsistentMotion,
        OpenLoop,
        RedundantConstraints,
        SingularState,
    )
    from armdyn.constraints.held import Held
    from armdyn.constraints.holonomic import Holonomic
    from armdyn.constraints.joint_coupling import JointCoupling
    from armdyn.constraints.joints import ball, hinge, slide, weld
    from armdyn.constraints.pfaffian import Pfaffian
    from armdyn.constraints.point_on_curve import PointOnCurve
    from armdyn.constraints.point_on_line import PointOnLine
    from armdyn.constraints.point_on_plane import PointOnPlane
    from armdyn.constraints.point_on_surface import PointOnSurface
    from armdyn.constraints.rows_of import RowsOf
    from armdyn.constraints.state import State

_WHERE = {
    name: module
    for module, names in {
        "distance": "Distance",
        "dynamics": "ConstrainedMotion acceleration_projection constrained_forward_dynamics "
        "constrained_inverse_dynamics force_projection hybrid_forces",
        "equations": "constraint_drift constraint_error constraint_forces constraint_jacobian constraint_velocity",
        "errors": "ConstraintError ContradictingConstraints InconsistentMotion OpenLoop RedundantConstraints "
        "SingularState",
        "held": "Held",
        "holonomic": "Holonomic",
        "joint_coupling": "JointCoupling",
        "joints": "ball hinge slide weld",
        "pfaffian": "Pfaffian",
        "point_on_curve": "PointOnCurve",
        "point_on_line": "PointOnLine",
        "point_on_plane": "PointOnPlane",
        "point_on_surface": "PointOnSurface",
        "rows_of": "RowsOf",
        "state": "State",
    }.items()
    for name in names.split()
}

__all__ = [
    "ConstrainedMotion",
    "Constraint",
    "ConstraintError",
    "ContradictingConstraints",
    "Distance",
    "Equations",
    "Held",
    "Holonomic",
    "InconsistentMotion",
    "JointCoupling",
    "OpenLoop",
    "Pfaffian",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "RedundantConstraints",
    "Row",
    "RowsOf",
    "SingularState",
    "State",
    "acceleration_projection",
    "ball",
    "constrained_forward_dynamics",
    "constrained_inverse_dynamics",
    "constraint_drift",
    "constraint_error",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_velocity",
    "force_projection",
    "hinge",
    "hybrid_forces",
    "slide",
    "weld",
]

__getattr__ = names_of(__name__, _WHERE)
