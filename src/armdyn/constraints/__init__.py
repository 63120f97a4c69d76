"""Constraints on the motion of a robot: loops, contacts without friction, couplings, and the dynamics within them.

>>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
>>> arm = armdyn.load("planar_2r").with_constraints(channel)
>>> arm.constraint_error([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
array([0.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of
from armdyn.model.constraints import Constraint, Equations, Row

if TYPE_CHECKING:
    from armdyn.constraints.actuators import DrivenForces, actuator_forces
    from armdyn.constraints.checked import (
        checked_acceleration_projection,
        checked_force_projection,
        checked_forward_dynamics,
        checked_hybrid_forces,
        checked_inverse_dynamics,
    )
    from armdyn.constraints.closing import close_loop
    from armdyn.constraints.distance import Distance
    from armdyn.constraints.dynamics import (
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
    from armdyn.constraints.motion import close_accelerations, close_velocities
    from armdyn.constraints.multipliers import ConstrainedMotion
    from armdyn.constraints.pfaffian import Pfaffian
    from armdyn.constraints.point_on_curve import PointOnCurve
    from armdyn.constraints.point_on_line import PointOnLine
    from armdyn.constraints.point_on_plane import PointOnPlane
    from armdyn.constraints.point_on_surface import PointOnSurface
    from armdyn.constraints.rank import ConstraintRank, constraint_rank, independent_constraints
    from armdyn.constraints.rows_of import RowsOf
    from armdyn.constraints.state import State
    from armdyn.constraints.wrenches import constraint_wrench, multipliers_of_wrench

_WHERE = {
    name: module
    for module, names in {
        "actuators": "DrivenForces actuator_forces",
        "checked": "checked_acceleration_projection checked_force_projection checked_forward_dynamics "
        "checked_hybrid_forces checked_inverse_dynamics",
        "closing": "close_loop",
        "distance": "Distance",
        "dynamics": "acceleration_projection constrained_forward_dynamics constrained_inverse_dynamics "
        "force_projection hybrid_forces",
        "equations": "constraint_drift constraint_error constraint_forces constraint_jacobian constraint_velocity",
        "errors": "ConstraintError ContradictingConstraints InconsistentMotion OpenLoop RedundantConstraints "
        "SingularState",
        "held": "Held",
        "holonomic": "Holonomic",
        "joint_coupling": "JointCoupling",
        "joints": "ball hinge slide weld",
        "motion": "close_accelerations close_velocities",
        "multipliers": "ConstrainedMotion",
        "pfaffian": "Pfaffian",
        "point_on_curve": "PointOnCurve",
        "point_on_line": "PointOnLine",
        "point_on_plane": "PointOnPlane",
        "point_on_surface": "PointOnSurface",
        "rank": "ConstraintRank constraint_rank independent_constraints",
        "rows_of": "RowsOf",
        "state": "State",
        "wrenches": "constraint_wrench multipliers_of_wrench",
    }.items()
    for name in names.split()
}

__all__ = [
    "ConstrainedMotion",
    "Constraint",
    "ConstraintError",
    "ConstraintRank",
    "ContradictingConstraints",
    "Distance",
    "DrivenForces",
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
    "actuator_forces",
    "ball",
    "checked_acceleration_projection",
    "checked_force_projection",
    "checked_forward_dynamics",
    "checked_hybrid_forces",
    "checked_inverse_dynamics",
    "close_accelerations",
    "close_loop",
    "close_velocities",
    "constrained_forward_dynamics",
    "constrained_inverse_dynamics",
    "constraint_drift",
    "constraint_error",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_rank",
    "constraint_velocity",
    "constraint_wrench",
    "force_projection",
    "hinge",
    "hybrid_forces",
    "independent_constraints",
    "multipliers_of_wrench",
    "slide",
    "weld",
]

__getattr__ = names_of(__name__, _WHERE)
