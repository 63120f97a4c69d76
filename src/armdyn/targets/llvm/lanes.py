"""Short ways to write loops and arithmetic of whole vectors, one lane per state, as LLVM IR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from armdyn.targets.llvm.vectors import FunctionBody, Vector, any_lane, multiply_add

NEWTON_STEPS = 5
"""Steps from a guess within 8 % to rounding: each squares the relative error, times (k + 1) / 2."""

ONE = 1023 << 52
"""The bits of 1.0."""


class Lanes:
    """Instructions on vectors, appended to the body of a function.

    Args:
        out: the body.
        vector: the vector type, of float64.
    """

    def __init__(self, out: FunctionBody, vector: Vector) -> None:
        self.out, self.vector, self.let, self.put = out, vector, out.let, out.put

    def at(self, base: str, index: int | str) -> str:
        """The address of vector number ``index`` after ``base``."""
        size = self.vector.bytes
        distance = str(index * size) if isinstance(index, int) else self.let(f"mul i64 {index}, {size}")
        return self.let(f"getelementptr i8, ptr {base}, i64 {distance}")

    def load(self, base: str, index: int | str = 0) -> str:
        """The value of vector number ``index``."""
        return self.let(f"load {self.vector.type}, ptr {self.at(base, index)}, align {self.vector.bytes}")

    def store(self, value: str, base: str, index: int | str = 0) -> None:
        """Write a vector."""
        self.put(f"store {self.vector.type} {value}, ptr {self.at(base, index)}, align {self.vector.bytes}")

    def place(self, base: str, lane: str, index: int | str = 0) -> str:
        """The address of the number of a lane in vector number ``index``."""
        return self.let(f"getelementptr double, ptr {self.at(base, index)}, i64 {lane}")

    def of_lane(self, base: str, lane: str, index: int | str = 0) -> str:
        """The number of a lane in vector number ``index``."""
        return self.let(f"load double, ptr {self.place(base, lane, index)}, align 8")

    def put_in_lane(self, value: str, base: str, lane: str, index: int | str = 0) -> None:
        """Write the number of a lane in vector number ``index``."""
        self.put(f"store double {value}, ptr {self.place(base, lane, index)}, align 8")

    def op(self, name: str, a: str | float, b: str | float) -> str:
        """``fadd``, ``fsub``, ``fmul`` or ``fdiv`` of two vectors or numbers."""
        return self.let(f"{name} {self.vector.type} {self._operand(a)}, {self._operand(b)}")

    def fma(self, a: str | float, b: str | float, c: str | float) -> str:
        """The value of a * b + c."""
        return multiply_add(self.out, self.vector, self._operand(a), self._operand(b), self._operand(c))

    def call(self, intrinsic: str, *arguments: str) -> str:
        """``sqrt``, ``fabs``, ``maximum`` or the like."""
        t = self.vector.type
        text = ", ".join(f"{t} {a}" for a in arguments)
        return self.let(f"call {t} @llvm.{intrinsic}.{self.vector.suffix}({text})")

    def compare(self, how: str, a: str | float, b: str | float) -> str:
        """A mask: ``olt``, ``oge``, ... of two vectors or numbers."""
        return self.let(f"fcmp {how} {self.vector.type} {self._operand(a)}, {self._operand(b)}")

    def both(self, a: str, b: str) -> str:
        """The lanes of both masks."""
        return self.let(f"and {self.vector.mask_type} {a}, {b}")

    def without(self, a: str, b: str) -> str:
        """The lanes of the first mask that are not in the second."""
        inverse = self.let(f"xor {self.vector.mask_type} {b}, splat (i1 true)")
        return self.both(a, inverse)

    def select(self, mask: str, a: str | float, b: str | float) -> str:
        """The value of a in the lanes of a mask, of b in the others."""
        t = self.vector.type
        return self.let(f"select {self.vector.mask_type} {mask}, {t} {self._operand(a)}, {t} {self._operand(b)}")

    def least(self, a: str | float, b: str | float) -> str:
        """The smaller one; b if a is NaN."""
        return self.select(self.compare("olt", a, b), a, b)

    def largest(self, a: str | float, b: str | float) -> str:
        """The larger one; b if a is NaN."""
        return self.select(self.compare("ogt", a, b), a, b)

    def any(self, mask: str) -> str:
        """The flag that a mask has any lane."""
        return any_lane(self.out, self.vector, [mask])

    def sum_of(self, weights: Mapping[int, float], base: str, size: int, index: str) -> str:
        """The value of sum_j w_j K_j, number ``index`` of each; K_j has ``size`` numbers."""
        (first, w), *others = weights.items()
        place = {j: self.let(f"add i64 {index}, {j * size}") for j in weights}
        value = self.op("fmul", self.load(base, place[first]), w)
        for j, weight in others:
            value = self.fma(self.load(base, place[j]), weight, value)
        return value

    def inverse_root(self, x: str, k: int) -> str:
        """x^(-1/k) of normal numbers: a guess from the bits, then Newton's method, p <- p (k + 1 - x p^k) / k."""
        bits_type, t = self.vector.bits_type, self.vector.type
        bits = self.let(f"bitcast {t} {x} to {bits_type}")
        exponent = self.let(f"sitofp {bits_type} {bits} to {t}")
        guess = self.fma(exponent, -1.0 / k, (1.0 + 1.0 / k) * ONE)
        p = self.let(f"bitcast {bits_type} {self.let(f'fptosi {t} {guess} to {bits_type}')} to {t}")
        for _ in range(NEWTON_STEPS):
            power = x
            for _ in range(k):
                power = self.op("fmul", power, p)
            p = self.op("fmul", p, self.op("fmul", self.op("fsub", k + 1.0, power), 1.0 / k))
        return p

    @contextmanager
    def each(self, name: str, count: int | str) -> Iterator[str]:
        """A loop over 0, 1, ..., count - 1, at least once, followed by the label ``<name>.after``."""
        self.put(f"br label %{name}.enter")
        self.put(f"{name}.enter:")
        self.put(f"br label %{name}.each")
        self.put(f"{name}.each:")
        self.put(f"%{name}.k = phi i64 [ 0, %{name}.enter ], [ %{name}.next, %{name}.end ]")
        yield f"%{name}.k"
        self.put(f"br label %{name}.end")
        self.put(f"{name}.end:")
        self.put(f"%{name}.next = add i64 %{name}.k, 1")
        more = self.let(f"icmp ult i64 %{name}.next, {count}")
        self.put(f"br i1 {more}, label %{name}.each, label %{name}.after")
        self.put(f"{name}.after:")

    @contextmanager
    def where(self, condition: str, name: str) -> Iterator[None]:
        """Instructions that are skipped unless a condition holds, followed by the label ``<name>.after``."""
        self.put(f"br i1 {condition}, label %{name}.do, label %{name}.after")
        self.put(f"{name}.do:")
        yield
        self.put(f"br label %{name}.after")
        self.put(f"{name}.after:")

    def _operand(self, value: str | float) -> str:
        return value if isinstance(value, str) else self.vector.splat(value)
