"""Straight-line scalar programs: tracing, simplification, operation counts, interpretation. Knows no robots."""

from armdyn.program.expr import Expr
from armdyn.program.functions import clip, maximum, minimum, select, sign
from armdyn.program.interpret import interpret
from armdyn.program.program import OperationCounts, Port, Program, trace

__all__ = [
    "Expr",
    "OperationCounts",
    "Port",
    "Program",
    "clip",
    "interpret",
    "maximum",
    "minimum",
    "select",
    "sign",
    "trace",
]
