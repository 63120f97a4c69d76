"""LLVM's notation for vectors of floating-point numbers, one lane per state."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.targets.llvm.machine import Machine


@dataclass(frozen=True)
class Vector:
    """A vector register's type, ``lanes`` numbers of LLVM's ``scalar`` type, and the number of registers."""

    scalar: str
    lanes: int
    has_fma: bool
    registers: int = 16

    @classmethod
    def of(cls, dtype: str, machine: Machine) -> Vector:
        """The widest vector of ``"f"`` or ``"d"`` numbers on a machine."""
        scalar, size = {"f": ("float", 4), "d": ("double", 8)}[dtype]
        return cls(scalar, machine.vector_bytes // size, machine.has_fma, machine.vector_registers)

    @cached_property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return 8 if self.scalar == "double" else 4

    @property
    def significant_bits(self) -> int:
        """Bits of a number's significand."""
        return 53 if self.scalar == "double" else 24

    @property
    def magic(self) -> float:
        """1.5 * 2^52, or 1.5 * 2^23: adding it to a number rounds that to an integer in the last bits."""
        return 1.5 * 2.0 ** (self.significant_bits - 1)

    @cached_property
    def bytes(self) -> int:
        """Bytes of the whole vector."""
        return self.itemsize * self.lanes

    @cached_property
    def type(self) -> str:
        """LLVM's name of the type, for example ``<8 x double>``."""
        return f"<{self.lanes} x {self.scalar}>"

    @cached_property
    def bits_type(self) -> str:
        """The integers of the same width, for example ``<8 x i64>``."""
        return f"<{self.lanes} x i{8 * self.itemsize}>"

    @cached_property
    def mask_type(self) -> str:
        """The result of a comparison, for example ``<8 x i1>``."""
        return f"<{self.lanes} x i1>"

    @cached_property
    def suffix(self) -> str:
        """The suffix of intrinsic functions' names, for example ``v8f64``."""
        return f"v{self.lanes}f{8 * self.itemsize}"

    def number(self, value: float) -> str:
        """A scalar constant, exactly; rounded to the nearest float first if the vector holds floats."""
        if self.scalar == "float":
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return double_constant(value)

    def splat(self, value: float) -> str:
        """A constant in every lane."""
        return f"splat ({self.scalar} {self.number(value)})"

    def bits(self, value: int) -> str:
        """An integer constant in every lane."""
        return f"splat (i{8 * self.itemsize} {value})"


class FunctionBody:
    """The body of an LLVM function that is being written: instructions in order, results numbered.

    Args:
        name: the prefix of the results' names, before their numbers.
    """

    def __init__(self, name: str = "t") -> None:
        self.lines: list[str] = []
        self._name, self._count = name, 0

    def put(self, instruction: str) -> None:
        """Append an instruction without a result, or a label."""
        self.lines.append(instruction)

    def let(self, instruction: str) -> str:
        """Append an instruction and return the name of its result."""
        self._count += 1
        name = f"%{self._name}{self._count}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def __str__(self) -> str:
        return "\n".join([line if line[-1] == ":" else f"  {line}" for line in self.lines])


def side_by_side(out: FunctionBody, parts: Sequence[FunctionBody], at_once: int) -> None:
    """Append parts independent of each other, ``at_once`` of them interleaved, an instruction of each at a time.

    A processor issues from a window of some hundred instructions: chains that lie further apart do not overlap.
    """
    for start in range(0, len(parts), at_once):
        for lines in zip_longest(*(part.lines for part in parts[start : start + at_once])):
            out.lines += [line for line in lines if line is not None]


def double_constant(value: float) -> str:
    """LLVM's notation of a number by its bits, which is exact."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def slot_pointer(out: FunctionBody, vector: Vector, base: str, slot: int) -> str:
    """The address of a slot of scratch memory."""
    return out.let(f"getelementptr i8, ptr {base}, i64 {slot * vector.bytes}")


def section_function(name: str, out: FunctionBody, *, reads_what_it_writes: bool = False) -> str:
    """The LLVM function of a section.

    A single section never writes a slot that it reads, so the two pointers are ``noalias``.
    """
    parameters = "ptr noalias readonly %values, ptr noalias %results"
    if reads_what_it_writes:
        parameters = "ptr %values, ptr %results"
    return f"define internal void @{name}({parameters}) #0 {{\n{out}\n  ret void\n}}\n"


def any_lane(out: FunctionBody, vector: Vector, masks: Sequence[str]) -> str:
    """The flag that any of the masks has any lane."""
    together = masks[0]
    for other in masks[1:]:
        together = out.let(f"or {vector.mask_type} {together}, {other}")
    lanes = out.let(f"bitcast {vector.mask_type} {together} to i{vector.lanes}")
    return out.let(f"icmp ne i{vector.lanes} {lanes}, 0")


def multiply_add(out: FunctionBody, vector: Vector, a: str, b: str, c: str) -> str:
    """The value of a * b + c, with one rounding if the machine has that."""
    t = vector.type
    if vector.has_fma:
        return out.let(f"call {t} @llvm.fma.{vector.suffix}({t} {a}, {t} {b}, {t} {c})")
    product = out.let(f"fmul {t} {a}, {b}")
    return out.let(f"fadd {t} {product}, {c}")


def horner(out: FunctionBody, vector: Vector, x: str, coefficients: tuple[float, ...]) -> str:
    """A polynomial in x, its coefficients in ascending order."""
    value = vector.splat(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = multiply_add(out, vector, x, value, vector.splat(coefficient))
    return value


def clamp(out: FunctionBody, vector: Vector, x: str, low: float, high: float) -> str:
    """x, clamped to these limits; NaN stays NaN."""
    for comparison, end in (("olt", vector.splat(low)), ("ogt", vector.splat(high))):
        beyond = out.let(f"fcmp {comparison} {vector.type} {x}, {end}")
        x = out.let(f"select {vector.mask_type} {beyond}, {vector.type} {end}, {vector.type} {x}")
    return x
