"""The types of scalars and arrays in functions that are traced."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Scalar = Any
"""A number, or what takes its place while a function is traced: an `armdyn.program.Expr`, or a symbol of SymPy.

Functions that act element by element accept arrays of these too. Type checkers accept any operation on a scalar.
"""

Array = NDArray[Any]
"""An array of numbers, or of objects each of which is a `Scalar`."""
