"""Constraints on the motion of a robot: loops, contacts without friction, couplings, and the dynamics within them.

>>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
>>> arm = armdyn.load("planar_2r").with_constraints(channel)
>>> arm.constraint_error([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
array([0.])
"""

from armdyn.constraints.dynamics import (
    ConstrainedMotion,
    acceleration_projection,
    constrained_forward_dynamics,
    constrained_inverse_dynamics,
    force_projection,
    hybrid_forces,
)
from armdyn.constraints.equations import Equations, equations
from armdyn.constraints.errors import (
    ConstraintError,
    ContradictingConstraints,
    InconsistentMotion,
    OpenLoop,
    RedundantConstraints,
    SingularState,
)
from armdyn.constraints.kernels import (
    constraint_drift,
    constraint_error,
    constraint_forces,
    constraint_jacobian,
    constraint_velocity,
)
from armdyn.lazy import modules_of
from armdyn.model.constraints import (
    Constraint,
    Distance,
    Held,
    Holonomic,
    JointCoupling,
    Pfaffian,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    Row,
    RowsOf,
    ball,
    hinge,
    slide,
    weld,
)

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
    "acceleration_projection",
    "ball",
    "constrained_forward_dynamics",
    "constrained_inverse_dynamics",
    "constraint_drift",
    "constraint_error",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_velocity",
    "equations",
    "force_projection",
    "hinge",
    "hybrid_forces",
    "slide",
    "weld",
]

__getattr__ = modules_of(__name__)
