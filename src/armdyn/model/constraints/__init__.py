"""Constraints as data: what a description or a caller says of how a robot may move. The equations are elsewhere."""

from armdyn.model.constraints.base import Constraint, Row, check_constraints, rows_of, sizes
from armdyn.model.constraints.coordinates import Holonomic, JointCoupling, Pfaffian
from armdyn.model.constraints.held import Held, ball, hinge, slide, weld
from armdyn.model.constraints.points import Distance, PointOnCurve, PointOnLine, PointOnPlane, PointOnSurface
from armdyn.model.constraints.selected import RowsOf

__all__ = [
    "Constraint",
    "Distance",
    "Held",
    "Holonomic",
    "JointCoupling",
    "Pfaffian",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "Row",
    "RowsOf",
    "ball",
    "check_constraints",
    "hinge",
    "rows_of",
    "sizes",
    "slide",
    "weld",
]
