"""LLVM's notation of one number, in place of a vector of states: for GPUs and WebAssembly."""

from __future__ import annotations

from armdyn.targets.llvm.vectors import Vector


class ScalarRegister(Vector):
    """A register of one number."""

    @property
    def type(self) -> str:
        """LLVM's name of the type, for example ``double``."""
        return self.scalar

    @property
    def bits_type(self) -> str:
        """The integer of the same width, for example ``i64``."""
        return f"i{8 * self.itemsize}"

    @property
    def mask_type(self) -> str:
        """The result of a comparison."""
        return "i1"

    @property
    def suffix(self) -> str:
        """The suffix of intrinsic functions' names, for example ``f64``."""
        return f"f{8 * self.itemsize}"

    def splat(self, value: float) -> str:
        """A constant."""
        return self.number(value)

    def bits(self, value: int) -> str:
        """An integer constant."""
        return str(value)


DOUBLE = ScalarRegister("double", 1, has_fma=True)
"""A float64 number of a GPU, which computes a * b + c with one rounding."""
