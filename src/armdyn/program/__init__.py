"""Straight-line scalar programs: tracing, simplification, operation counts, interpretation; independent of robots."""

from armdyn.base.lazy import modules_of
from armdyn.program.differentiation import derivative, rate
from armdyn.program.embedded_pairs import DORMAND_PRINCE_54, DORMAND_PRINCE_853, EmbeddedPair
from armdyn.program.expr import Expr, NeedsNumbers
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
from armdyn.program.integration import Integration
from armdyn.program.interpret import interpret
from armdyn.program.iterations import Iterated, iterated
from armdyn.program.jacobians import jvp, vjp
from armdyn.program.ports import Port
from armdyn.program.program import OperationCounts, Program, explained, trace
from armdyn.program.replay import replay
from armdyn.program.rollout import Rollout

__all__ = [
    "DORMAND_PRINCE_54",
    "DORMAND_PRINCE_853",
    "EmbeddedPair",
    "Expr",
    "Integration",
    "Iterated",
    "NeedsNumbers",
    "OperationCounts",
    "Port",
    "Program",
    "Rollout",
    "arctan2",
    "clip",
    "derivative",
    "explained",
    "greater",
    "greater_equal",
    "guarded",
    "interpret",
    "iterated",
    "jvp",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "rate",
    "replay",
    "select",
    "sign",
    "trace",
    "vjp",
]

__getattr__ = modules_of(__name__)
