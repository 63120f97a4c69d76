"""A batch of library functions: sines, powers and exponentials inline, the rest and the exceptions by calls to libm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.targets.llvm.arithmetic import Instructions, end_of_what_is_left_out, leave_out_unless_met
from armdyn.targets.llvm.decay import OPERATION as DECAY
from armdyn.targets.llvm.decay import decay, is_never_negative, logarithm
from armdyn.targets.llvm.power import has_power, power
from armdyn.targets.llvm.sections import INLINE, Library, Sections, arguments_of
from armdyn.targets.llvm.trigonometry import fast_limit, may_be_huge, sincos
from armdyn.targets.llvm.vectors import (
    FunctionBody,
    Vector,
    any_lane,
    double_constant,
    section_function,
    side_by_side,
    slot_pointer,
)

_TWO_ARGUMENTS = ("atan2", "pow")
_POWERS_AT_ONCE, _SINES_AT_ONCE = 7, 6
"""The numbers of interleaved chains of instructions; a single remaining chain takes as long as a whole round. By
llvm-mca's models of AVX2 and AVX-512, and measured with AVX2, they take a tenth to a quarter less time than three
chains, although some values go through memory; more interleaved sines take more time."""


def library_section(plan: Sections, vector: Vector, section: Library, name: str) -> str:
    """Sines, powers, exponentials inline, sine and cosine of one angle together; all others and exceptions by libm."""
    out = FunctionBody()
    out.put("entry:")
    angles: dict[int, dict[str, int]] = {}
    others, powers, exponentials = [], [], []
    for index in section.nodes:
        operation = str(plan.nodes[index][0])
        if operation in ("sin", "cos"):
            (angle,) = arguments_of(plan.nodes[index])
            angles.setdefault(angle, {})[operation] = index
        elif operation == "pow" and has_power(vector):
            powers.append(index)
        elif operation in INLINE:
            exponentials.append(index)
        else:
            others.append(index)

    for index in powers:  # an alloca in another block would reserve memory anew each time
        out.put(f"%right{index} = alloca {vector.bits_type}, align {vector.bytes}")
    if section.conditions:
        leave_out_unless_met(out, vector, plan, section.conditions)
    for index in others:
        pointers = [slot_pointer(out, vector, "%values", plan.slots[a]) for a in arguments_of(plan.nodes[index])]
        pointers.append(slot_pointer(out, vector, "%results", plan.slots[index]))
        out.put(f"call void @each_{plan.nodes[index][0]}({', '.join(f'ptr {p}' for p in pointers)})")
    parts = {index: FunctionBody(f"of{index}.") for index in (*powers, *exponentials, *angles)}
    huge = [_power(parts[index], plan, vector, index) for index in powers]
    beyond = [_sines(parts[angle], plan, vector, angle, functions) for angle, functions in angles.items()]
    begun = [_exponential(parts[index], plan, vector, index) for index in exponentials]
    side_by_side(out, begun, _POWERS_AT_ONCE)
    side_by_side(out, [parts[index] for index in angles], _SINES_AT_ONCE)  # while those divide
    side_by_side(out, [parts[index] for index in (*powers, *exponentials)], _POWERS_AT_ONCE)
    if beyond:
        huge.append(may_be_huge(out, vector, beyond))
    if huge:
        out.put(f"br i1 {any_lane(out, vector, huge)}, label %slow, label %end, !prof !0")
        out.put("slow:")
        _other_powers(out, plan, vector, powers)
        _huge_sines(out, plan, vector, angles)
        out.put("br label %end")
        out.put("end:")
    if section.conditions:
        end_of_what_is_left_out(out)
    return section_function(name, out)


def _other_powers(out: FunctionBody, plan: Sections, vector: Vector, powers: Sequence[int]) -> None:
    """Recompute, by libm, the powers of the lanes for which the inline instructions are not valid."""
    for index in powers:
        pointers = [slot_pointer(out, vector, "%values", plan.slots[a]) for a in arguments_of(plan.nodes[index])]
        target = slot_pointer(out, vector, "%results", plan.slots[index])
        out.put(f"call void @other_pow(ptr {pointers[0]}, ptr {pointers[1]}, ptr %right{index}, ptr {target})")


def _huge_sines(out: FunctionBody, plan: Sections, vector: Vector, angles: Mapping[int, Mapping[str, int]]) -> None:
    """Recompute, by libm, the sines and cosines of the lanes with an angle beyond the fast path, if there are any."""
    huge = []
    for angle in angles:
        magnitude = out.let(
            f"call {vector.type} @llvm.fabs.{vector.suffix}({vector.type} {_argument(out, plan, vector, angle)})"
        )
        huge.append(out.let(f"fcmp ogt {vector.type} {magnitude}, {vector.splat(fast_limit(vector))}"))
    if not huge:
        return
    out.put(f"br i1 {any_lane(out, vector, huge)}, label %huge, label %end")
    out.put("huge:")
    for angle, functions in angles.items():
        source = slot_pointer(out, vector, "%values", plan.slots[angle])
        for operation, index in functions.items():
            target = slot_pointer(out, vector, "%results", plan.slots[index])
            out.put(f"call void @huge_{operation}(ptr {source}, ptr {target})")


def _sines(out: FunctionBody, plan: Sections, vector: Vector, angle: int, functions: dict[str, int]) -> str:
    """Store sine and cosine of one angle in their slots; returns the integers that `may_be_huge` tests."""
    x = _argument(out, plan, vector, angle)
    sin_x, cos_x, beyond = sincos(out, vector, x, want_sin="sin" in functions, want_cos="cos" in functions)
    for operation, result in (("sin", sin_x), ("cos", cos_x)):
        if operation in functions:
            _store(out, plan, vector, functions[operation], str(result))
    return beyond


def _power(out: FunctionBody, plan: Sections, vector: Vector, index: int) -> str:
    """Store a power in its slot; returns the mask of the lanes for which it is not valid, also stored for libm."""
    x, y = (_argument(out, plan, vector, a) for a in arguments_of(plan.nodes[index]))
    value, right = power(out, vector, x, y)
    _store(out, plan, vector, index, value)
    as_bits = out.let(f"sext {vector.mask_type} {right} to {vector.bits_type}")
    out.put(f"store {vector.bits_type} {as_bits}, ptr %right{index}, align {vector.bytes}")
    return out.let(f"xor {vector.mask_type} {right}, splat (i1 true)")


def _argument(out: FunctionBody, plan: Sections, vector: Vector, index: int) -> str:
    """A value from its slot, or a constant."""
    if plan.nodes[index][0] == "const":
        return vector.splat(float(plan.nodes[index][1]))
    at = slot_pointer(out, vector, "%values", plan.slots[index])
    return out.let(f"load {vector.type}, ptr {at}, align {vector.bytes}")


def _exponential(out: FunctionBody, plan: Sections, vector: Vector, index: int) -> FunctionBody:
    """Store an exponential or hyperbolic tangent in its slot; returns its first lines, after which other work fits."""
    node, first = plan.nodes[index], FunctionBody(f"first{index}.")
    if node[0] == DECAY:
        x, y = arguments_of(node)
        of = logarithm(first, vector, _argument(first, plan, vector, x))
        never_negative = is_never_negative(plan.nodes, x)
        value = decay(out, vector, of, _argument(out, plan, vector, y), never_negative=never_negative)
    else:
        arguments = [_argument(out, plan, vector, a) for a in arguments_of(node)]
        value = Instructions(out, vector).put(index, node, arguments)
    _store(out, plan, vector, index, value)
    return first


def _store(out: FunctionBody, plan: Sections, vector: Vector, index: int, value: str) -> None:
    """Store a value in its slot."""
    to = slot_pointer(out, vector, "%results", plan.slots[index])
    out.put(f"store {vector.type} {value}, ptr {to}, align {vector.bytes}")


def libm_functions(plan: Sections, vector: Vector) -> list[str]:
    """``@each_tan`` and the like, for every lane; ``@huge_sin``, only for the lanes beyond the fast path.

    Each is a group with the declaration of the libm function that it calls; programs share them.
    """
    functions = []
    for operation in _library_operations(plan):
        parameters = "double, double" if operation in _TWO_ARGUMENTS else "double"
        declared = f"declare double @{operation}({parameters})\n\n"
        if operation in ("sin", "cos"):
            functions.append(declared + _lane_loop(vector, f"huge_{operation}", operation, 1, fast_limit(vector)))
        elif operation == "pow" and has_power(vector):
            functions.append(declared + _OTHER_POWERS.format(lanes=vector.lanes))
        else:
            arity = 2 if operation in _TWO_ARGUMENTS else 1
            functions.append(declared + _lane_loop(vector, f"each_{operation}", operation, arity))
    return functions


def _library_operations(plan: Sections) -> list[str]:
    """The library functions that a program may call."""
    members = (index for section in plan.sections if isinstance(section, Library) for index in section.nodes)
    return sorted({str(plan.nodes[index][0]) for index in members} - INLINE)


def _lane_loop(vector: Vector, name: str, operation: str, arity: int, above: float | None = None) -> str:
    """A loop over lanes. float32 uses libm's float64 functions, which exist on every platform and round well."""
    scalar = vector.scalar
    out = FunctionBody()
    arguments = []
    wide = []
    for k in range(arity):
        at = out.let(f"getelementptr {scalar}, ptr %x{k}, i64 %lane")
        x = out.let(f"load {scalar}, ptr {at}")
        arguments.append(x)
        wide.append(x if scalar == "double" else out.let(f"fpext float {x} to double"))
    if above is not None:
        magnitude = out.let(f"call double @llvm.fabs.f64(double {wide[0]})")
        is_huge = out.let(f"fcmp ogt double {magnitude}, {double_constant(above)}")
        out.put(f"br i1 {is_huge}, label %call, label %next")
        out.put("call:")
    result = out.let(f"call double @{operation}({', '.join(f'double {w}' for w in wide)})")
    if scalar == "float":
        result = out.let(f"fptrunc double {result} to float")
    to = out.let(f"getelementptr {scalar}, ptr %y, i64 %lane")
    out.put(f"store {scalar} {result}, ptr {to}")
    out.put("br label %next")
    parameters = ", ".join([*(f"ptr %x{k}" for k in range(arity)), "ptr %y"])
    return f"""\
define internal void @{name}({parameters}) {"#1" if above is not None else "#0"} {{
entry:
  br label %body
body:
  %lane = phi i64 [ 0, %entry ], [ %lane.next, %next ]
{out}
next:
  %lane.next = add i64 %lane, 1
  %more = icmp ult i64 %lane.next, {vector.lanes}
  br i1 %more, label %body, label %end
end:
  ret void
}}
"""


_OTHER_POWERS = """\
define internal void @other_pow(ptr %x, ptr %y, ptr %right, ptr %results) #1 {{
entry:
  br label %body
body:
  %lane = phi i64 [ 0, %entry ], [ %lane.next, %next ]
  %right.at = getelementptr i64, ptr %right, i64 %lane
  %is.right = load i64, ptr %right.at
  %done = icmp ne i64 %is.right, 0
  br i1 %done, label %next, label %call
call:
  %x.at = getelementptr double, ptr %x, i64 %lane
  %base = load double, ptr %x.at
  %y.at = getelementptr double, ptr %y, i64 %lane
  %exponent = load double, ptr %y.at
  %value = call double @pow(double %base, double %exponent)
  %to = getelementptr double, ptr %results, i64 %lane
  store double %value, ptr %to
  br label %next
next:
  %lane.next = add i64 %lane, 1
  %more = icmp ult i64 %lane.next, {lanes}
  br i1 %more, label %body, label %end
end:
  ret void
}}
"""
