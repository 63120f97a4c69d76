"""NumPy for functions that are traced and were written for numbers: its operations for traced scalars.

NumPy's arithmetic works on object arrays of traced scalars; its comparisons, ``np.where``, ``np.clip``, ``np.sign`` and
others require the truth value of each scalar, which it does not have. A user's function that fails so is run once more,
on arrays that support these, and with a ``np`` and a ``math`` that do. Its code and its errors' lines are unchanged.
"""

from __future__ import annotations

import builtins
import dis
import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from numbers import Real
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from armdyn.base.errors import is_ours
from armdyn.base.scalars import Scalar
from armdyn.declaration import running
from armdyn.functions import numpy_functions as of_traced
from armdyn.program import Expr, arctan2, maximum, minimum
from armdyn.spatial.rotations import Array

TRACED: dict[Any, Callable[..., Any]] = {getattr(np, name): function for name, function in of_traced.FUNCTIONS.items()}
"""Replacements of functions of NumPy if an argument is traced."""

FOLDED = {
    np.maximum: maximum,
    np.minimum: minimum,
    np.logical_and: TRACED[np.logical_and],
    np.logical_or: TRACED[np.logical_or],
}
FILLED = ("zeros", "ones", "empty", "full", "eye", "identity", "zeros_like", "ones_like", "full_like")

OF_MATH = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "fabs": "abs", "fmod": "fmod", "pow": "power"} | {
    name: name
    for name in ("sin", "cos", "tan", "tanh", "sinh", "cosh", "exp", "log", "log10", "log2", "sqrt", "hypot", "floor",
                 "ceil", "trunc", "copysign", "degrees", "radians", "isnan", "isfinite", "isinf")
}  # fmt: skip
"""Functions of the module math, and the equal ones of NumPy."""


class TracedArray(np.ndarray):
    """An array of traced scalars that NumPy's functions work on."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        values = [np.asarray(x) if isinstance(x, TracedArray) else x for x in inputs]
        if method == "__call__" and not options and (ufunc in TRACED or ufunc.nin == ufunc.nout == 1):
            result = TRACED[ufunc](*values) if ufunc in TRACED else of_traced.each(ufunc, values[0])
            return _as_traced(result) if out is None else _put(out[0], result)
        if method == "reduce" and ufunc in FOLDED and _is_default(options, "axis", "dtype"):
            axis = options.get("axis", 0)
            return _as_traced(of_traced.fold(FOLDED[ufunc])(values[0], axis))
        if out is not None:
            options["out"] = tuple(np.asarray(x) for x in out)
        result = getattr(ufunc, method)(*values, **options)
        return out[0] if out is not None else _as_traced(result)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function in TRACED:
            return _as_traced(TRACED[function](*args, **options))
        return super().__array_function__(function, types, args, options)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, np.ndarray) and key.dtype == object and key.shape == self.shape:  # a mask
            key, value = ..., of_traced.FUNCTIONS["where"](np.asarray(key), value, np.asarray(self))
        elif isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        super().__setitem__(key, value)

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """A copy for float types, because traced scalars represent floats."""
        return self.copy() if dtype in (float, np.float64) else super().astype(dtype, *args, **options)

    def clip(self, *bounds: Any, **options: Any) -> Any:
        """`numpy.clip` of the array."""
        return _as_traced(TRACED[np.clip](np.asarray(self), *bounds, **options))

    def round(self, decimals: int = 0) -> Any:  # type: ignore[override]
        """`numpy.round` of the array."""
        return _as_traced(TRACED[np.round](np.asarray(self), decimals))


def _is_default(options: dict[str, Any], *others: str) -> bool:
    """True if all options of a reduction but some have no effect."""
    nothing = {"where": True, "keepdims": False, "initial": np._NoValue}
    return all(value is None or value is nothing.get(name) for name, value in options.items() if name not in others)


def _put(array: Any, result: Any) -> Scalar:
    """Put the result in place of the elements of an array."""
    array[...] = result
    return array


@contextmanager
def plain_numpy() -> Iterator[None]:
    """Run the implementations of functions outside this library with NumPy for traced scalars."""
    with running(_with_traced_numpy):
        yield


def _with_traced_numpy(implementation: Callable[..., object]) -> Callable[..., Any]:
    """The function with another NumPy; functions of this library are unchanged, and take plain arrays."""
    if is_ours(getattr(implementation, "__module__", None)):
        return lambda model, *arrays, **options: _as_traced(implementation(model, *map(plain, arrays), **options))
    own = implementation
    if isinstance(implementation, FunctionType):
        own = _Rebinding(implementation.__globals__).function(implementation)
    elif isinstance(implementation, MethodType) and isinstance(implementation.__func__, FunctionType):
        method = implementation.__func__
        own = MethodType(_Rebinding(method.__globals__).function(method), implementation.__self__)
    return lambda model, *arrays, **options: plain(own(model, *map(_as_traced, arrays), **options))


class _Rebinding:
    """Functions of one module with another NumPy and math, max and min.

    Args:
        names: of the module.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.original = names
        self.names = {**names, "max": _of_builtin("max", maximum), "min": _of_builtin("min", minimum)}
        self.copies: dict[int, FunctionType] = {}
        for name, value in names.items():
            self.names[name] = self.of(value) if name not in ("max", "min") else value

    def of(self, value: Any) -> Any:
        """A function of the module, NumPy or math as it should be; anything else as it is."""
        if value is np:
            return NUMPY
        if value is math:
            return MATH
        return self.function(value) if self._is_own(value) else value

    def function(self, function: FunctionType) -> FunctionType:
        """The code with other names around it; a function that writes names of its module is unchanged."""
        if any(step.opname == "STORE_GLOBAL" for step in dis.get_instructions(function)):
            return function
        if id(function) not in self.copies:
            cells = tuple(CellType() for _ in function.__closure__ or ())
            other = FunctionType(function.__code__, self.names, function.__name__, function.__defaults__, cells or None)
            other.__kwdefaults__ = function.__kwdefaults__
            other.__dict__.update(function.__dict__)
            self.copies[id(function)] = other  # before its closure, which may hold itself
            for cell, own in zip(cells, function.__closure__ or (), strict=True):
                with suppress(ValueError):  # of a name that has no value yet
                    cell.cell_contents = self.of(own.cell_contents)
        return self.copies[id(function)]

    def _is_own(self, value: Any) -> bool:
        return isinstance(value, FunctionType) and value.__globals__ is self.original


def _is_traced(value: object) -> bool:
    """True if a value is, or an array or list contains, a traced scalar."""
    if isinstance(value, list | tuple):
        return any(map(_is_traced, value))
    return isinstance(value, Expr) or (isinstance(value, np.ndarray) and value.dtype == object)


def _as_traced(value: object) -> Scalar:
    """An array of traced scalars as one that NumPy's functions work on; all else as it is."""
    if isinstance(value, tuple):
        parts = map(_as_traced, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.view(TracedArray) if isinstance(value, np.ndarray) and value.dtype == object else value


def plain(result: object) -> Scalar:
    """Arrays and tuples of them as plain arrays."""
    if isinstance(result, tuple):
        parts = map(plain, result)
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return np.asarray(result) if isinstance(result, TracedArray) else result


def _where_traced(original: Callable[..., object], function: Callable[..., object]) -> Callable[..., Any]:
    """One function if an argument is traced, else another."""

    def either(*args: object, **options: object) -> Scalar:
        if any(map(_is_traced, (*args, *options.values()))):
            return _as_traced(function(*args, **options))
        return original(*args, **options)

    return either


def _of_builtin(name: str, larger: Callable[[Scalar, Scalar], object]) -> Callable[..., Any]:
    """``max`` or ``min``, of several arguments or of the elements of one."""
    original = getattr(builtins, name)

    def fold(*args: Any, **options: object) -> Scalar:
        values = args if len(args) > 1 else tuple(args[0])
        if (
            options
            or not any(isinstance(x, Expr) for x in values)
            or not all(isinstance(x, Expr | Real) for x in values)
        ):
            return original(*args, **options) if len(args) > 1 else original(values, **options)
        return functools.reduce(larger, values)

    return fold


def _array_maker(original: Callable[..., object]) -> Callable[..., Any]:
    """A function that makes arrays, also of traced scalars."""

    def make(*args: object, **options: Any) -> Scalar:
        if options.get("dtype") in (float, np.float64) and any(map(_is_traced, args)):
            options.pop("dtype")  # traced scalars represent floats
        return _as_traced(original(*args, **options))

    return make


def _array_filler(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays of numbers, in which traced scalars may be put."""

    def fill(*args: object, **options: object) -> Scalar:
        array: Array = original(*args, **options)
        return _as_traced(array.astype(object)) if array.dtype == float else array

    return fill


class _Module(ModuleType):
    """A module with other functions in some places."""

    def __init__(self, module: ModuleType, others: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(others)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        return value if isinstance(value, type | ModuleType) or not callable(value) else _array_maker(value)


NUMPY = _Module(
    np,
    {name: _where_traced(getattr(np, name), function) for name, function in of_traced.FUNCTIONS.items()}
    | {name: _array_filler(getattr(np, name)) for name in FILLED},
)
MATH = _Module(
    math,
    {name: _where_traced(getattr(math, name), getattr(NUMPY, other)) for name, other in OF_MATH.items()}
    | {"atan2": _where_traced(math.atan2, arctan2)},
)
