"""Generalised ufuncs: a `numpy.ufunc` from the address of an inner loop, through NumPy's C API.

NumPy publishes its C functions as a table in a capsule. Slot 31 is ``PyUFunc_FromFuncAndDataAndSignature``. The
ufunc refers to the arrays, texts and code it is made from without owning them, so those are never freed; each ufunc
must therefore be made only once.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.program.integration import LIMITS, PROGRESS, Integration
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout

_FROM_SIGNATURE = 31
_TYPE_NUMBERS = {"f": 11, "d": 12}  # NPY_FLOAT, NPY_DOUBLE
_NO_IDENTITY = -1
_NO_DATA: Mapping[str, int] = {}

ENTRY = "armdyn_loop"
"""The symbol of the inner loop in compiled code."""

Loop = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""``void loop(char **args, intptr_t *dimensions, intptr_t *steps, void *data)``"""


@dataclass(frozen=True)
class GufuncInterface:
    """The description of a function that NumPy needs in addition to its code.

    If ``rollout`` is true, the first two arrays are counts, the core dimension ``t`` counts steps and ``r`` recorded
    rows. If ``integration`` is true, the first two arrays are limits and progress, ``t`` counts saved times and ``r``
    polynomials of steps.
    """

    name: str
    doc: str
    signature: str
    inputs: int
    outputs: int
    rollout: bool = False
    integration: bool = False

    @property
    def results(self) -> int:
        """The number of scalars in one state's results."""
        return sum(map(math.prod, _shapes(self.signature.split("->")[1])))

    @classmethod
    def of(cls, program: Program | Rollout | Integration) -> GufuncInterface:
        """The interface of a program: its ports become core dimensions of fixed sizes, "(6),(6)->(6)"."""
        if isinstance(program, Rollout):
            return cls._of_rollout(program)
        if isinstance(program, Integration):
            return cls._of_integration(program)
        if not program.inputs:
            raise Unsupported(
                f"{program.name} is given no arrays, and NumPy makes no ufunc of a constant; call the plain function "
                "on the robot's mechanism"
            )
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

    @classmethod
    def _of_rollout(cls, rollout: Rollout) -> GufuncInterface:
        """The interface of a rollout, "(),(),(6),(t,6)->(6),(r,6)"; its first two arrays are counts."""
        inputs = [_group(port, "t" if port.name in rollout.stepwise else "") for port in rollout.inputs]
        outputs = [*map(_group, rollout.state), *(_group(port, "r") for port in rollout.records)]
        arguments, results = (", ".join(port.name for port in ports) for ports in (rollout.inputs, rollout.outputs))
        signature = f"{','.join(['()', '()', *inputs])}->{','.join(outputs)}"
        doc = f"{rollout.name}(steps, every, {arguments}) -> {results}\n\nShapes {signature}; leading axes broadcast."
        return cls(rollout.name, doc, signature, len(inputs) + 2, len(outputs), rollout=True)

    @classmethod
    def _of_integration(cls, integration: Integration) -> GufuncInterface:
        """The interface of an integration, "(6),(7),(6),(6),(6),(t)->(7),(6),(6),(t,6),(t,6),(r,110)"."""
        state = integration.state_ports
        inputs = [f"({len(LIMITS)})", f"({len(PROGRESS)})", _core((*state, *integration.held_ports)), "(t)"]
        rows = ",".join(_group(port, "t") for port in state)
        outputs = [f"({len(PROGRESS)})", _core(state), rows, f"(r,{integration.piece_size})"]
        signature = f"{','.join(inputs)}->{','.join(outputs)}"
        doc = f"{integration.name} integrated\n\nShapes {signature}; leading axes broadcast."
        count = len(state)
        return cls(
            integration.name,
            doc,
            signature,
            3 + count + len(integration.held_ports),
            2 + 2 * count,
            integration=True,
        )


def _core(ports: Sequence[Port]) -> str:
    return ",".join(map(_group, ports))


def _group(port: Port, first: str = "") -> str:
    """One group of a signature, with another dimension in front of the port's."""
    return f"({','.join([*([first] if first else []), *map(str, port.shape)])})"


Shape = tuple[int, ...]


@cache
def core_shapes(function: Any) -> tuple[list[Shape], list[Shape]]:
    """The shapes of one state's arguments and results of a ufunc made here."""
    if function.signature is None:  # NumPy's value for scalars only
        return [()] * function.nin, [()] * function.nout
    inputs, outputs = map(_shapes, function.signature.split("->"))
    return inputs, outputs


def _shapes(side: str) -> list[Shape]:
    """The shapes on one side of a signature, for rollouts those of one step."""
    groups = re.findall(r"\(([\w,]*)\)", side)
    return [tuple(int(extent) for extent in group.split(",") if extent.isdigit()) for group in groups]


class LoopTable:
    """The table of inner loops of one ufunc, in the order NumPy tries them: float32 first, then float64.

    float32 comes first so that it is chosen for float32 arguments; all others go to float64. All loops are machine
    code: Python in their place could fail, and an error cannot leave them.

    Args:
        interface: the description of the function.
        loops: the addresses of loops, by the letters "f" (float32) and "d" (float64); one of them may be missing.
        data: the value of their last argument.
    """

    def __init__(
        self, interface: GufuncInterface, loops: Mapping[str, int], data: Mapping[str, int] = _NO_DATA
    ) -> None:
        self.interface = interface
        self.loops = {letter: loops[letter] for letter in _TYPE_NUMBERS if letter in loops}
        count, letters = interface.inputs + interface.outputs, list(self.loops)
        self._functions = (ctypes.c_void_p * len(letters))(*self.loops.values())
        self._data = (ctypes.c_void_p * len(letters))(*(data.get(letter, 0) for letter in letters))
        self._types = b"".join(bytes([_TYPE_NUMBERS[letter]] * count) for letter in letters)
        self._texts = [text.encode() for text in (interface.name, interface.doc, interface.signature)]
        name, doc, signature = self._texts
        self.ufunc: np.ufunc = _constructor()(
            self._functions, self._data, self._types, len(letters), interface.inputs, interface.outputs,
            _NO_IDENTITY, name, doc, 0, signature,
        )  # fmt: skip
        _TABLES[self.ufunc] = self
        self._check()

    @classmethod
    def of(cls, ufunc: Any) -> LoopTable | None:
        """The table of a ufunc made here; None for any other object."""
        return _TABLES.get(ufunc)

    def _check(self) -> None:
        """Raise if NumPy has not made the ufunc that armdyn expects."""
        count = self.interface.inputs, self.interface.outputs
        types = [f"{letter * count[0]}->{letter * count[1]}" for letter in self.loops]
        result = self.ufunc
        if not isinstance(result, np.ufunc) or (result.nin, result.nout) != count or result.types != types:
            raise RuntimeError(
                f"NumPy {np.__version__} does not make generalised ufuncs the way armdyn expects; "
                "please report this with the version, and use an earlier NumPy meanwhile"
            )


_KEPT: list[object] = []
_TABLES: dict[Any, LoopTable] = {}


def keep(thing: object) -> None:
    """Keep alive an object that C code refers to; it is never freed."""
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
    """NumPy's constructor of generalised ufuncs."""
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p,
    )  # fmt: skip
    return prototype(numpy_table("_UFUNC_API")[_FROM_SIGNATURE])
