"""From the address of an inner loop to a real `numpy.ufunc`, through NumPy's C API.

NumPy publishes its C functions as a table behind a capsule. Slot 31 is ``PyUFunc_FromFuncAndDataAndSignature``. The
ufunc refers to the arrays, texts and code it is made from without owning them, so those are kept for ever here; whoever
makes ufuncs must therefore make each only once.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from armdyn.errors import Unsupported
from armdyn.program.program import Port, Program

_FROM_SIGNATURE = 31
_TYPE_NUMBERS = {"f": 11, "d": 12}  # NPY_FLOAT, NPY_DOUBLE
_NO_IDENTITY = -1

Loop = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""``void loop(char **args, intptr_t *dimensions, intptr_t *steps, void *data)``"""


@dataclass(frozen=True)
class Interface:
    """What NumPy has to know of a function, besides its code."""

    name: str
    doc: str
    signature: str
    inputs: int
    outputs: int

    @classmethod
    def of(cls, program: Program) -> Interface:
        """The interface of a program: its ports become core dimensions of fixed sizes, "(6),(6)->(6)"."""
        for port in (*program.inputs, *program.outputs):
            if port.size == 0:
                raise Unsupported(
                    f"{program.name}: NumPy makes no ufunc of empty arrays like {port.name!r} {port.shape}"
                )
        arguments, results = (", ".join(port.name for port in ports) for ports in (program.inputs, program.outputs))
        signature = f"{_core(program.inputs)}->{_core(program.outputs)}"
        return cls(
            program.name,
            f"{program.name}({arguments}) -> {results}\n\nShapes {signature}; leading axes broadcast.",
            signature,
            len(program.inputs),
            len(program.outputs),
        )


def _core(ports: Sequence[Port]) -> str:
    return ",".join(f"({','.join(map(str, port.shape))})" for port in ports)


Shape = tuple[int, ...]


@cache
def core_shapes(kernel: np.ufunc) -> tuple[list[Shape], list[Shape]]:
    """The shapes of one state's arguments and results of a ufunc made here."""
    if kernel.signature is None:  # NumPy's word for scalars only
        return [()] * kernel.nin, [()] * kernel.nout
    inputs, outputs = (
        [tuple(int(extent) for extent in group.split(",") if extent) for group in re.findall(r"\(([\d,]*)\)", side)]
        for side in kernel.signature.split("->")
    )
    return inputs, outputs


class LoopTable:
    """The table of inner loops of one ufunc, in the order NumPy tries them: float32 first, then float64.

    float32 comes first so that it is taken for float32 arguments; what does not fit it goes to float64. A loop finds in
    its last argument the address that ``data`` holds for it.
    """

    def __init__(self, interface: Interface, float32: int, float64: int, data: tuple[int, int] = (0, 0)) -> None:
        self.interface = interface
        count = interface.inputs + interface.outputs
        self._functions = (ctypes.c_void_p * 2)(float32, float64)
        self._data = (ctypes.c_void_p * 2)(*data)
        self._types = bytes([_TYPE_NUMBERS["f"]] * count + [_TYPE_NUMBERS["d"]] * count)
        self._texts = [text.encode() for text in (interface.name, interface.doc, interface.signature)]
        name, doc, signature = self._texts
        self.ufunc: np.ufunc = _constructor()(
            self._functions, self._data, self._types, 2, interface.inputs, interface.outputs,
            _NO_IDENTITY, name, doc, 0, signature,
        )  # fmt: skip

        _TABLES[self.ufunc] = self

    @classmethod
    def of(cls, ufunc: np.ufunc) -> LoopTable:
        """The table behind a ufunc made here."""
        return _TABLES[ufunc]

    @property
    def float32(self) -> int:
        """The address of the loop for float32."""
        return self._functions[0] or 0

    @float32.setter
    def float32(self, address: int) -> None:  # later calls use it: NumPy looks it up in the table at every call
        self._functions[0] = address


_KEPT: list[Any] = []
_TABLES: dict[np.ufunc, LoopTable] = {}


def keep(thing: Any) -> None:
    """Keep something that C code refers to alive for ever."""
    _KEPT.append(thing)


def numpy_table(name: str) -> Any:
    """NumPy's C functions, as an array of addresses: ``"_ARRAY_API"`` or ``"_UFUNC_API"``."""
    try:
        from numpy._core import _multiarray_umath as umath  # type: ignore[attr-defined]  # noqa: PLC0415
    except ImportError:  # NumPy 1
        from numpy.core import _multiarray_umath as umath  # noqa: PLC0415
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer_of(getattr(umath, name), None), ctypes.POINTER(ctypes.c_void_p))


@cache
def _constructor() -> Any:
    """NumPy's constructor, tried out once."""
    table = numpy_table("_UFUNC_API")
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p,
    )  # fmt: skip
    constructor = prototype(table[_FROM_SIGNATURE])
    _try_out(constructor)
    return constructor


def _try_out(constructor: Any) -> None:
    """Make and call the ufunc that doubles two numbers."""

    def double(args: int, dimensions: int, steps: int, data: int) -> None:
        source, target = (ctypes.c_void_p * 2).from_address(args)
        numbers, doubled = ((ctypes.c_double * 2).from_address(address or 0) for address in (source, target))
        doubled[:] = [2.0 * number for number in numbers]

    loop = Loop(double)
    functions, data = (ctypes.c_void_p * 1)(ctypes.cast(loop, ctypes.c_void_p).value), (ctypes.c_void_p * 1)()
    types, texts = bytes([_TYPE_NUMBERS["d"]] * 2), (b"double", b"", b"(2)->(2)")
    keep((loop, functions, data, types, texts))
    name, doc, signature = texts
    made = constructor(functions, data, types, 1, 1, 1, _NO_IDENTITY, name, doc, 0, signature)
    if not isinstance(made, np.ufunc) or made(np.array([1.0, -3.0])).tolist() != [2.0, -6.0]:
        raise RuntimeError(
            f"NumPy {np.__version__} does not make generalised ufuncs the way armdyn expects; "
            "please report this with the version, and use an earlier NumPy meanwhile"
        )
