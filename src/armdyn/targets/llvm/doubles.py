"""float64 arithmetic in LLVM IR, written as method calls, for functions of one number."""

from __future__ import annotations

from armdyn.targets.llvm.scalars import DOUBLE
from armdyn.targets.llvm.vectors import FunctionBody, horner

INFINITY = float("inf")


class Doubles(FunctionBody):
    """The body of a function of float64 numbers; values are names of results, or constants by `number`."""

    @staticmethod
    def number(value: float) -> str:
        """A constant."""
        return DOUBLE.number(value)

    def add(self, a: str, b: str) -> str:
        """The value of a + b."""
        return self.let(f"fadd double {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """The value of a - b."""
        return self.let(f"fsub double {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """The value of a b."""
        return self.let(f"fmul double {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """The value of a / b."""
        return self.let(f"fdiv double {a}, {b}")

    def neg(self, a: str) -> str:
        """The value of -a."""
        return self.let(f"fneg double {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """The value of a b + c, rounded once."""
        return self.let(f"call double @llvm.fma.f64(double {a}, double {b}, double {c})")

    def fabs(self, a: str) -> str:
        """The magnitude."""
        return self.let(f"call double @llvm.fabs.f64(double {a})")

    def sqrt(self, a: str) -> str:
        """The square root."""
        return self.let(f"call double @llvm.sqrt.f64(double {a})")

    def floor(self, a: str) -> str:
        """The largest integer that is not larger."""
        return self.let(f"call double @llvm.floor.f64(double {a})")

    def copysign(self, a: str, b: str) -> str:
        """The magnitude of a with the sign of b."""
        return self.let(f"call double @llvm.copysign.f64(double {a}, double {b})")

    def is_(self, relation: str, a: str, b: str) -> str:
        """A comparison: ``olt``, ``oeq``, ``une``, ... of LLVM."""
        return self.let(f"fcmp {relation} double {a}, {b}")

    def choose(self, mask: str, a: str, b: str) -> str:
        """The value of a if the mask is set, else b."""
        return self.let(f"select i1 {mask}, double {a}, double {b}")

    def both(self, a: str, b: str) -> str:
        """The mask that is set if both masks are."""
        return self.let(f"and i1 {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """The mask that is set if at least one of the two is."""
        return self.let(f"or i1 {a}, {b}")

    def polynomial(self, x: str, coefficients: tuple[float, ...]) -> str:
        """A polynomial in x, its coefficients in ascending order."""
        return horner(self, DOUBLE, x, coefficients)

    def bits_of(self, a: str) -> str:
        """The bits of a number as an i64."""
        return self.let(f"bitcast double {a} to i64")

    def of_bits(self, bits: str) -> str:
        """The number with these bits."""
        return self.let(f"bitcast i64 {bits} to double")

    def function(self, name: str, parameters: str) -> str:
        """The whole function; its last line returns."""
        return f"define internal double @{name}({parameters}) noinline {{\n{self}\n}}\n"
