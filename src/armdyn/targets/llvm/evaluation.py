"""A program's nodes as instructions for one state: every value in a register, no scratch memory.

Sines and cosines are computed in batches, as on processors, so that a stretch of arithmetic is one block for the
scheduler. One branch per batch calls the functions for huge angles if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from armdyn.program.program import Program
from armdyn.targets.llvm.arithmetic import Instructions
from armdyn.targets.llvm.scalars import ScalarRegister
from armdyn.targets.llvm.sections import INLINE, Library, Sections, arguments_of, cut
from armdyn.targets.llvm.trigonometry import fast_limit, sincos
from armdyn.targets.llvm.vectors import FunctionBody


def _intrinsics() -> str:
    """The declarations of all functions of LLVM that an evaluation may call, and the odds of a huge angle, ``!0``."""
    lines = []
    for t, suffix in (("double", "f64"), ("float", "f32")):
        lines += [f"declare {t} @llvm.{name}.{suffix}({t})" for name in ("sqrt", "fabs", "floor")]
        lines += [f"declare {t} @llvm.{name}.{suffix}({t}, {t})" for name in ("minimum", "maximum", "copysign")]
        lines.append(f"declare {t} @llvm.fma.{suffix}({t}, {t}, {t})")
    lines.append("declare i64 @llvm.fshl.i64(i64, i64, i64)")
    return "\n".join([*lines, '!0 = !{!"branch_weights", i32 1, i32 1000000}'])


INTRINSICS = _intrinsics()


class Blocks(FunctionBody):
    """The body of a function, with the label of the block that is being written."""

    def __init__(self, entry: str) -> None:
        super().__init__()
        self.block = ""
        self.begin(entry)

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.block = label
        self.put(f"{label}:")


class EvaluationCode:
    """The evaluation of a program, written into a function.

    Args:
        out: the function.
        scalar: the type of its numbers.
        program: the program to evaluate.
        inputs: the names of its inputs, row-major, one array after the other.
        called: the operations that are calls of a function ``@OPERATION``, in addition to those that are never inline.
        sincos: function that appends a call for an angle and returns its sine and cosine; inline if not given.
    """

    def __init__(
        self,
        out: Blocks,
        scalar: ScalarRegister,
        program: Program,
        inputs: Sequence[str],
        called: Collection[str] = (),
        sincos: Callable[[FunctionBody, str], tuple[str, str]] | None = None,
    ) -> None:
        self._out, self._scalar, self._by_call, self._sincos = out, scalar, called, sincos
        self._plan: Sections = cut(program)
        self._instructions = Instructions(out, scalar)
        self._names: dict[int, str] = {}
        self._inputs = inputs
        for number, section in enumerate(self._plan.sections):
            if isinstance(section, Library):
                self._library(number, section)
            else:
                self._arithmetic(section.nodes)
        self.results = [self._name(index) for index in program.results]
        """The names of the program's results, row-major, one array after the other."""

    def _name(self, index: int) -> str:
        """The name of a value; an input is read when it is first needed."""
        if index not in self._names:
            kind, content = self._plan.nodes[index][:2]
            self._names[index] = self._inputs[int(content)] if kind == "input" else self._scalar.splat(float(content))
        return self._names[index]

    def _arithmetic(self, nodes: Sequence[int]) -> None:
        for index in nodes:
            node = self._plan.nodes[index]
            self._names[index] = self._instructions.put(index, node, [self._name(a) for a in arguments_of(node)])

    def _library(self, number: int, section: Library) -> None:
        angles: dict[int, dict[str, int]] = {}
        for index in section.nodes:
            operation, arguments = str(self._plan.nodes[index][0]), arguments_of(self._plan.nodes[index])
            if operation in ("sin", "cos") and operation not in self._by_call:
                angles.setdefault(arguments[0], {})[operation] = index
            elif operation in INLINE and operation not in self._by_call:
                self._arithmetic([index])
            else:
                self._names[index] = self._called(operation, [self._name(a) for a in arguments])
        if angles and self._sincos:
            for angle, functions in angles.items():
                both = dict(zip(("sin", "cos"), self._sincos(self._out, self._name(angle)), strict=True))
                self._names |= {index: both[operation] for operation, index in functions.items()}
        elif angles:
            self._sines(number, angles)

    def _sines(self, number: int, angles: dict[int, dict[str, int]]) -> None:
        """Sines and cosines by polynomials; if an angle is huge, a branch to exact reduction."""
        out, t = self._out, self._scalar.type
        limit = self._scalar.splat(fast_limit(self._scalar))
        huge: dict[int, str] = {}
        for angle, functions in angles.items():
            x = self._name(angle)
            *result, _ = sincos(out, self._scalar, x, want_sin="sin" in functions, want_cos="cos" in functions)
            for operation, name in zip(("sin", "cos"), result, strict=True):
                if operation in functions:
                    self._names[functions[operation]] = str(name)
            magnitude = out.let(f"call {t} @llvm.fabs.{self._scalar.suffix}({t} {x})")
            huge[angle] = out.let(f"fcmp ogt {t} {magnitude}, {limit}")
        any_huge = next(iter(huge.values()))
        for mask in list(huge.values())[1:]:
            any_huge = out.let(f"or i1 {any_huge}, {mask}")
        before = out.block
        out.put(f"br i1 {any_huge}, label %huge{number}, label %sines{number}, !prof !0")
        out.begin(f"huge{number}")
        better = {
            index: self._of_huge(operation, self._names[angle], huge[angle], limit, self._names[index])
            for angle, functions in angles.items()
            for operation, index in functions.items()
        }
        out.put(f"br label %sines{number}")
        out.begin(f"sines{number}")
        for index, name in better.items():
            self._names[index] = out.let(f"phi {t} [ {self._names[index]}, %{before} ], [ {name}, %huge{number} ]")

    def _of_huge(self, operation: str, x: str, is_huge: str, limit: str, otherwise: str) -> str:
        """The function of x if x is huge; in all other threads it is called for the limit."""
        out, t = self._out, self._scalar.type
        argument = out.let(f"select i1 {is_huge}, {t} {x}, {t} {limit}")
        result = self._called(f"huge_{operation}", [argument])
        return out.let(f"select i1 {is_huge}, {t} {result}, {t} {otherwise}")

    def _called(self, function: str, arguments: Sequence[str]) -> str:
        """A call of a function of float64 numbers; float32 arguments are widened first."""
        out, narrow = self._out, self._scalar.scalar == "float"
        wide = [out.let(f"fpext float {a} to double") if narrow else a for a in arguments]
        result = out.let(f"call double @{function}({', '.join(f'double {a}' for a in wide)})")
        return out.let(f"fptrunc double {result} to float") if narrow else result
