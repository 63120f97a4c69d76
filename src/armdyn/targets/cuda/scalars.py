"""LLVM's notation of one number per thread, in place of the vector of states on processors."""

from __future__ import annotations

from armdyn.targets.llvm.vectors import Vector

GLOBAL = "ptr addrspace(1)"
"""A pointer to the GPU's main memory; on a processor it is an ordinary pointer."""

DTYPES = {"float32": "float", "float64": "double"}


class Scalar(Vector):
    """A register of one number; a * b + c is one instruction on every GPU."""

    @classmethod
    def named(cls, dtype: str) -> Scalar:
        """A register of a ``"float32"`` or ``"float64"`` number."""
        return cls(DTYPES[dtype], 1, has_fma=True)

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


DOUBLE = Scalar.named("float64")
