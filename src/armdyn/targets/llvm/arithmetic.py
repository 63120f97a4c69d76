"""A stretch of arithmetic as one LLVM function, straight-line code except for one branch around all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from armdyn.program.graph import Node
from armdyn.targets.llvm.conditional import ALWAYS, Conditions
from armdyn.targets.llvm.exponential import exponential, hyperbolic_tangent
from armdyn.targets.llvm.scheduling import REGISTER_LIMITS, schedule
from armdyn.targets.llvm.sections import Arithmetic, Sections, arguments_of
from armdyn.targets.llvm.vectors import FunctionBody, Vector, any_lane, section_function, slot_pointer


def arithmetic_section(plan: Sections, vector: Vector, section: Arithmetic, name: str) -> str:
    """A basic block that loads outer values at their first use and stores each result as soon as it is computed."""
    out = FunctionBody("")  # LLVM reads numbers faster than names
    names: dict[int, str] = {}
    instructions = Instructions(out, vector)
    if section.conditions:
        leave_out_unless_met(out, vector, plan, section.conditions)

    def value(index: int) -> str:
        result = names.get(index)
        if result is None:
            node = plan.nodes[index]
            if node[0] == "const":
                result = vector.splat(float(node[1]))
            else:
                at = slot_pointer(out, vector, "%values", plan.slots[index])
                result = out.let(f"load {vector.type}, ptr {at}, align {vector.bytes}")
            names[index] = result
        return result

    def argument(index: int, a: int) -> str:
        """The value that a node reads; the other arm of a select comes from the slot that the section writes.

        The load is volatile, so that LLVM does not merge it and the store into a masked store, slow on some processors.
        """
        if plan.before.get(index) != a:
            return value(a)
        at = slot_pointer(out, vector, "%results", plan.slots[index])
        return out.let(f"load volatile {vector.type}, ptr {at}, align {vector.bytes}")

    for index in schedule(plan.nodes, section.nodes, plan.stored, REGISTER_LIMITS[vector.registers]):
        node = plan.nodes[index]
        names[index] = instructions.put(index, node, [argument(index, a) for a in arguments_of(node)])
        for slot in plan.stored.get(index, ()):
            at = slot_pointer(out, vector, "%results", slot)
            out.put(f"store {vector.type} {names[index]}, ptr {at}, align {vector.bytes}")
    if section.conditions:
        end_of_what_is_left_out(out)
    return section_function(name, out)


def sections_of_an_arm(plan: Sections, vector: Vector, conditions: Conditions, name: str, called: Sequence[str]) -> str:
    """A function that calls several sections in turn, or skips all of them."""
    out = FunctionBody("")  # LLVM reads numbers faster than names
    leave_out_unless_met(out, vector, plan, conditions)
    for one in called:
        out.put(f"call void @{one}(ptr %values, ptr %results)")
    end_of_what_is_left_out(out)
    return section_function(name, out, reads_what_it_writes=True)


def leave_out_unless_met(out: FunctionBody, vector: Vector, plan: Sections, conditions: Conditions) -> None:
    """Jump to the label ``none`` if no state of the group meets the conditions, which are read from slots.

    A state must meet all of them: if it does not meet the outer one, the slot of the inner one contains old numbers.
    """
    masks = []
    for condition in conditions:
        at = slot_pointer(out, vector, "%values", plan.slots[condition.node])
        decides = out.let(f"load {vector.type}, ptr {at}, align {vector.bytes}")
        masks.append(out.let(f"fcmp {'une' if condition.value else 'oeq'} {vector.type} {decides}, zeroinitializer"))
    met = reduce(lambda a, b: out.let(f"and {vector.mask_type} {a}, {b}"), masks)
    out.put(f"br i1 {any_lane(out, vector, [met])}, label %some, label %none")
    out.put("some:")


def end_of_what_is_left_out(out: FunctionBody) -> None:
    """The end of a function that `leave_out_unless_met` begins."""
    out.put("br label %none")
    out.put("none:")


class Instructions:
    """Arithmetic nodes as instructions; a comparison's mask is stored for the selects that read it.

    Args:
        out: the function.
        vector: the type that it computes with.
    """

    def __init__(self, out: FunctionBody, vector: Vector) -> None:
        self._out, self._vector = out, vector
        self._masks: dict[int, str] = {}

    def put(self, index: int, node: Node, arguments: Sequence[str]) -> str:
        """Append the instructions of a node with these names as arguments; returns the name of its value."""
        out, vector, operation = self._out, self._vector, str(node[0])
        if operation in _BINARY:
            return out.let(f"{_BINARY[operation]} {vector.type} {arguments[0]}, {arguments[1]}")
        if operation in ("less", "less_equal"):
            mask = out.let(f"fcmp {'olt' if operation == 'less' else 'ole'} {vector.type} {', '.join(arguments)}")
            self._masks[index] = mask
            return _choice(out, vector, mask, vector.splat(1.0), vector.splat(0.0))
        if operation == "select":
            condition = arguments_of(node)[0]
            mask = self._masks.get(condition) or out.let(f"fcmp une {vector.type} {arguments[0]}, zeroinitializer")
            return _choice(out, vector, mask, arguments[1], arguments[2])
        return _INSTRUCTIONS[operation](out, vector, *arguments)


def _choice(out: FunctionBody, vector: Vector, mask: str, if_true: str, if_false: str) -> str:
    t = vector.type
    return out.let(f"select {vector.mask_type} {mask}, {t} {if_true}, {t} {if_false}")


def _intrinsic(name: str, flags: str = "") -> Callable[..., str]:
    def put(out: FunctionBody, vector: Vector, *arguments: str) -> str:
        listed = ", ".join(f"{vector.type} {a}" for a in arguments)
        return out.let(f"call {flags}{vector.type} @llvm.{name}.{vector.suffix}({listed})")

    return put


def _sign(out: FunctionBody, vector: Vector, x: str) -> str:
    """-1, 0 or 1, and NaN for NaN."""
    t = vector.type
    has_sign = out.let(f"fcmp one {t} {x}, zeroinitializer")
    unit = out.let(f"call {t} @llvm.copysign.{vector.suffix}({t} {vector.splat(1.0)}, {t} {x})")
    itself = out.let(f"fadd {t} {x}, zeroinitializer")  # NaN, or 0 without a sign
    return _choice(out, vector, has_sign, unit, itself)


def _guard(out: FunctionBody, vector: Vector, value: str, unused: str) -> str:
    nothing = out.let(f"fmul contract {vector.type} {unused}, zeroinitializer")
    return out.let(f"fadd contract {vector.type} {value}, {nothing}")


_BINARY = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv contract"}

_INSTRUCTIONS: dict[str, Callable[..., str]] = {
    "neg": lambda out, vector, a: out.let(f"fneg contract {vector.type} {a}"),
    "sqrt": _intrinsic("sqrt"),
    "abs": _intrinsic("fabs"),
    "floor": _intrinsic("floor"),
    "min": _intrinsic("minimum", "nsz "),  # for 0 and -0 it is one of both
    "max": _intrinsic("maximum", "nsz "),
    "sign": _sign,
    "guard": _guard,
    ALWAYS: lambda out, vector, a: a,
    "exp": exponential,
    "tanh": hyperbolic_tangent,
}
