"""The type of a scalar in functions that are traced."""

from __future__ import annotations

from typing import Any

Scalar = Any
"""A number, or what takes its place while a function is traced: an `armdyn.program.Expr`, or a symbol.

Functions that act element by element accept arrays of these too. Type checkers accept any operation on a scalar.
"""
