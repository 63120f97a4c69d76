"""One state in one C call, without the overhead of a ufunc, which takes longer than the equations of motion.

`call_method` makes a C function that is called before a Python ``__call__(self, *arrays)``. If every array is a plain
float64 `numpy.ndarray`, C-contiguous and exactly of the shape of one state, it makes the arrays of results, or uses
those given as ``out=`` if they are plain and writable, and calls the kernel's inner loop for one state. All other
arguments (lists, batches, other types, other keywords, errors) are passed unchanged to the Python ``__call__``, which
is the only place that interprets and explains them.

One function serves all kernels: LLVM IR, compiled once for this processor and stored on disk as kernels are.
It reads addresses and sizes from ``bytes``, words of 8 bytes:

- its own *gateway*: attribute's name, fallback, ndarray, float64's dtype, ``PyArray_New``, ``PyArray_Return``, the
  string "out";
- the *records* that ``self`` has as an attribute, one for each number of arrays it can be called with: number of
  inputs, of outputs, of words, inner loop, container, number of states (1), the indices of the outputs' extents and of
  the steps; from word 8 on the number of axes of each argument, the extents of all, the steps of the inner loop.

It reads C structures that are part of public binary interfaces, ``PyObject`` and ``PyArrayObject``, and NumPy's table
of C functions. `_is_known` compares them with Python's own values; if they differ, there is no C function.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from armdyn.targets.gufunc import LoopTable, Shape, core_shapes, keep, numpy_table
from armdyn.targets.machine_code import helper
from armdyn.targets.native import is_on
from armdyn.targets.native.direct_ir import ENTRY, call_ir

NO_RECORDS = bytes(8)
"""The attribute's value without records, which also ends a list of records."""

_MOST = 16
"""The most arrays, and the most results, of a call."""

_ARRAY_NEW, _ARRAY_RETURN = 93, 76  # slots in NumPy's table: PyArray_New, PyArray_Return
_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


def record(kernel: object, container: Any = None) -> bytes:
    """The record of a kernel; empty if the C function cannot call it.

    ``container`` is called with the results, and must live as long as the record; several results need one.
    """
    table = LoopTable.of(kernel)
    return b"" if table is None else _packed_record(table.loops["d"], *core_shapes(kernel), container)


def _packed_record(loop: int, inputs: list[Shape], outputs: list[Shape], container: Any = None) -> bytes:
    if not inputs or max(len(inputs), len(outputs)) > _MOST or (len(outputs) > 1 and container is None):
        return b""
    shapes = [*inputs, *outputs]
    extents = list(chain.from_iterable(shapes))
    ranks = [len(shape) for shape in shapes]
    to_outputs = 8 + len(ranks) + sum(ranks[: len(inputs)])
    to_steps = 8 + len(ranks) + len(extents)
    sizes = [8 * math.prod(shape) for shape in shapes]  # NumPy passes these first, steps from state to state
    strides = [8 * math.prod(shape[axis + 1 :]) for shape in shapes for axis in range(len(shape))]
    rest = [*ranks, *extents, *sizes, *strides]
    address = 0 if container is None else id(container)
    return struct.pack(
        f"{8 + len(rest)}q",
        len(inputs), len(outputs), 8 + len(rest), loop, address, 1, to_outputs, to_steps, *rest,
    )  # fmt: skip


def call_method(fallback: Callable[..., object], attribute: str, trial: object) -> Any:
    """A C function to be assigned to ``__call__`` of a class in place of ``fallback``; None if it cannot be made.

    ``attribute`` is the name of the attribute of ``self`` with its records, followed by `NO_RECORDS`; ``trial`` is a
    ufunc with a `record`, with which the C function is tested.
    """
    entry = _entry()
    try:
        return _method(entry, fallback, attribute) if entry is not None and _works(entry, trial) else None
    except Exception:  # then ufuncs do it
        return None


def _method(entry: int, fallback: Callable[..., object], attribute: str) -> Any:
    """The C function as a method, which Python binds to ``self`` like a function."""
    table = numpy_table("_ARRAY_API")
    needed = (sys.intern(attribute), fallback, np.ndarray, np.dtype(np.float64))
    out = sys.intern("out")
    gateway = struct.pack("7q", *map(id, needed), table[_ARRAY_NEW], table[_ARRAY_RETURN], id(out))
    definition = _MethodDefinition(b"__call__", entry, _METH_FASTCALL_KEYWORDS, None)
    keep((needed, out, definition))
    new_function, new_method = ctypes.pythonapi.PyCFunction_NewEx, ctypes.pythonapi.PyInstanceMethod_New
    new_function.restype, new_function.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    new_method.restype, new_method.argtypes = ctypes.py_object, [ctypes.py_object]
    return new_method(new_function(ctypes.addressof(definition), gateway, None))


class _MethodDefinition(ctypes.Structure):
    """Python's ``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


@cache
def _entry() -> int | None:
    """The address of the C function; None if it is turned off or not available, and then ufuncs are called."""
    try:
        is_usable = is_on("direct") and _is_known()
    except Exception:  # of a Python or NumPy that has no such objects
        return None
    return helper("one state in one C call", lambda triple: call_ir(_MOST, triple), ENTRY) if is_usable else None


def _is_known() -> bool:
    """True if the memory layout of objects of this Python and this NumPy is that read by the C function."""
    if sys.implementation.name != "cpython" or object.__basicsize__ != 16 or struct.calcsize("P") != 8:
        return False
    array = np.arange(6.0).reshape(2, 3)[:1]
    words = (ctypes.c_int64 * 9).from_address(id(array))
    rank, flags = (ctypes.c_int32.from_address(id(array) + offset).value for offset in (24, 64))
    expected = (id(np.ndarray), array.ctypes.data, 2, id(np.dtype(np.float64)), array.flags.num)
    return (
        (words[1], words[2], rank, words[7], flags) == expected
        and tuple((ctypes.c_int64 * 2).from_address(words[4])) == (1, 3)
        and numpy_table("_ARRAY_API")[2] == id(np.ndarray)
    )


def _works(entry: int, trial: Any) -> bool:
    """True if the C function equals a ufunc for one state, in new arrays and ``out``, and passes on two states."""

    class Trial:
        records = record(trial, _one_or_tuple) + NO_RECORDS

        def __call__(self, *arrays: object, **keywords: object) -> Any:
            return None

    Trial.__call__ = _method(entry, Trial.__call__, "records")  # type: ignore[method-assign]
    inputs, outputs = core_shapes(trial)
    one, two = ([np.ones((*states, *shape)) for shape in inputs] for states in ((), (2,)))
    room = [np.empty(shape) for shape in outputs]
    results = Trial()(*one), Trial()(*one, out=_one_or_tuple(*room)), room, trial(*one)
    new, values, written, expected = (_flat(one).tobytes() for one in results)
    return new == values == written == expected and Trial()(*two) is None


def _flat(results: object) -> Any:
    """All numbers of one or several results."""
    return np.concatenate([np.ravel(one) for one in (results if isinstance(results, tuple | list) else (results,))])


def _one_or_tuple(*results: object) -> Any:
    """One result alone, several as a tuple, as ufuncs return them."""
    return results if len(results) > 1 else results[0]
