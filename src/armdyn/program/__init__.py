"""Straight-line scalar programs: tracing, simplification, operation counts, interpretation. Knows no robots."""

from armdyn.lazy import modules_of
from armdyn.program.differentiation import derivative, rate
from armdyn.program.expr import Expr
from armdyn.program.functions import (
    arctan2,
    clip,
    greater,
    greater_equal,
    less,
    less_equal,
    maximum,
    minimum,
    select,
    sign,
)
from armdyn.program.guard import guarded
from armdyn.program.interpret import interpret
from armdyn.program.program import OperationCounts, Port, Program, trace

__all__ = [
    "Expr",
    "OperationCounts",
    "Port",
    "Program",
    "arctan2",
    "clip",
    "derivative",
    "greater",
    "greater_equal",
    "guarded",
    "interpret",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "rate",
    "select",
    "sign",
    "trace",
]

__getattr__ = modules_of(__name__)
