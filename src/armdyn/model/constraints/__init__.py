"""Constraints as data: what a description or a caller says of how a robot may move. The equations are elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.lazy import names_of

if TYPE_CHECKING:
    from armdyn.model.constraints.base import Constraint, Row, check_constraints, rows_in, rows_of, sizes
    from armdyn.model.constraints.coordinates import Holonomic, JointCoupling, Pfaffian
    from armdyn.model.constraints.held import Held, ball, hinge, slide, weld
    from armdyn.model.constraints.points import Distance, PointOnCurve, PointOnLine, PointOnPlane, PointOnSurface
    from armdyn.model.constraints.selected import RowsOf

_WHERE = {
    **dict.fromkeys(("Constraint", "Row", "check_constraints", "rows_in", "rows_of", "sizes"), "base"),
    **dict.fromkeys(("Holonomic", "JointCoupling", "Pfaffian"), "coordinates"),
    **dict.fromkeys(("Held", "ball", "hinge", "slide", "weld"), "held"),
    **dict.fromkeys(("Distance", "PointOnCurve", "PointOnLine", "PointOnPlane", "PointOnSurface"), "points"),
    "RowsOf": "selected",
}

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
    "rows_in",
    "rows_of",
    "sizes",
    "slide",
    "weld",
]

__getattr__ = names_of(__name__, _WHERE)
