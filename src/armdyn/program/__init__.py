"""Straight-line scalar programs: tracing, simplification, operation counts, interpretation; independent of robots."""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
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

_WHERE = {
    "DORMAND_PRINCE_54": "embedded_pairs",
    "DORMAND_PRINCE_853": "embedded_pairs",
    "EmbeddedPair": "embedded_pairs",
    "Expr": "expr",
    "Integration": "integration",
    "Iterated": "iterations",
    "NeedsNumbers": "expr",
    "OperationCounts": "program",
    "Port": "ports",
    "Program": "program",
    "Rollout": "rollout",
    "arctan2": "functions",
    "clip": "functions",
    "derivative": "differentiation",
    "explained": "program",
    "greater": "functions",
    "greater_equal": "functions",
    "guarded": "guard",
    "interpret": "interpret",
    "iterated": "iterations",
    "jvp": "jacobians",
    "less": "functions",
    "less_equal": "functions",
    "maximum": "functions",
    "minimum": "functions",
    "rate": "differentiation",
    "replay": "replay",
    "select": "functions",
    "sign": "functions",
    "trace": "program",
    "vjp": "jacobians",
}

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

__getattr__ = names_of(__name__, _WHERE)
