"""One state in one C call: past the machinery of a ufunc, which takes longer than the equations of motion do.

`call_method` makes a C function that stands in front of a Python ``__call__(self, *arrays)``. Where every array is a
plain float64 `numpy.ndarray`, C-contiguous and of exactly the shape one state has, it makes the arrays of results, or
takes those given as ``out=`` where they are plain and writable, and calls the kernel's inner loop for one state.
Anything else (lists, batches, other types, other keywords, errors) it hands to the Python ``__call__`` as it came:
there is one place where arguments are understood and explained.

The function is the same for all kernels: LLVM IR, compiled once for this processor and kept on disk as kernels are.
It learns what to call from ``bytes`` full of addresses and sizes, words of 8 bytes:

- its own *gateway*: attribute's name, fallback, ndarray, float64's dtype, ``PyArray_New``, ``PyArray_Return``, the word
  "out";
- the *records* that ``self`` has as an attribute, one for each number of arrays it can be called with: number of
  inputs, of outputs, of words, inner loop, container, number of states (1), where the outputs' extents and where the
  steps begin; from word 8 on the number of axes of each argument, the extents of all, the steps of the inner loop.

It reads C structures that are part of public binary interfaces, ``PyObject`` and ``PyArrayObject``, and NumPy's table
of C functions. `_is_known` compares them with what Python says; where they differ, nothing stands in front.
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
"""The value of the attribute while nothing can be called directly; records are put before it."""

_MOST = 16
"""Arrays a call may take, and results it may have."""

_ARRAY_NEW, _ARRAY_RETURN = 93, 76  # slots in NumPy's table: PyArray_New, PyArray_Return
_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


def record(kernel: Any, container: Any = None) -> bytes:
    """The record of a kernel; empty where the C function cannot call it.

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
    sizes = [8 * math.prod(shape) for shape in shapes]  # what NumPy hands to a loop first, steps from state to state
    strides = [8 * math.prod(shape[axis + 1 :]) for shape in shapes for axis in range(len(shape))]
    rest = [*ranks, *extents, *sizes, *strides]
    address = 0 if container is None else id(container)
    return struct.pack(
        f"{8 + len(rest)}q",
        len(inputs), len(outputs), 8 + len(rest), loop, address, 1, to_outputs, to_steps, *rest,
    )  # fmt: skip


def call_method(fallback: Callable[..., Any], attribute: str, trial: Any) -> Any:
    """A C function to be assigned to ``__call__`` of a class in place of ``fallback``; None where there cannot be one.

    ``attribute`` is where ``self`` has its records, in front of `NO_RECORDS`; ``trial`` is a ufunc that has a `record`,
    which the C function is tried out with.
    """
    entry = _entry()
    try:
        return _method(entry, fallback, attribute) if entry is not None and _works(entry, trial) else None
    except Exception:  # then ufuncs do it
        return None


def _method(entry: int, fallback: Callable[..., Any], attribute: str) -> Any:
    """The C function as a method, which Python binds to ``self`` as it binds functions."""
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
    """The address of the C function; None where it cannot be had or is turned off, which ufuncs make up for."""
    try:
        known = is_on("direct") and _is_known()
    except Exception:  # of a Python or NumPy that has no such objects
        return None
    return helper("one state in one C call", lambda triple: call_ir(_MOST, triple), ENTRY) if known else None


def _is_known() -> bool:
    """Whether this Python and this NumPy lay out their objects as the C function reads them."""
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
    """Whether the C function gives what a ufunc gives for one state, new or in ``out``, and leaves two to Python."""

    class Trial:
        records = record(trial, _together) + NO_RECORDS

        def __call__(self, *arrays: Any, **keywords: Any) -> Any:
            return None

    Trial.__call__ = _method(entry, Trial.__call__, "records")  # type: ignore[method-assign]
    inputs, outputs = core_shapes(trial)
    one, two = ([np.ones((*states, *shape)) for shape in inputs] for states in ((), (2,)))
    room = [np.empty(shape) for shape in outputs]
    results = Trial()(*one), Trial()(*one, out=_together(*room)), room, trial(*one)
    new, given, written, expected = (_flat(one).tobytes() for one in results)
    return new == given == written == expected and Trial()(*two) is None


def _flat(results: Any) -> Any:
    """All numbers of one or several results."""
    return np.concatenate([np.ravel(one) for one in (results if isinstance(results, tuple | list) else (results,))])


def _together(*results: Any) -> Any:
    """One result alone, several as a tuple, as ufuncs return them."""
    return results if len(results) > 1 else results[0]
