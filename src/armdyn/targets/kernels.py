"""Programs to ufuncs: from memory, from the disk cache, from the compiler, or from the interpreter, in this order."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from armdyn.program.program import Program
from armdyn.targets import cache as disk
from armdyn.targets import compiler
from armdyn.targets.gufunc import Interface, Loop, LoopTable, keep
from armdyn.targets.image import ENTRY, LoadError
from armdyn.targets.interpreted import interpreted_loop
from armdyn.targets.machine import host
from armdyn.targets.machine_code import loaded, packed

MOST_RESULTS = 20_000
"""Programs with more results are interpreted: the compiler would take minutes, and a group of states megabytes."""

_lock = threading.RLock()
_ufuncs: dict[str, np.ufunc] = {}
_machine_code: dict[tuple[np.ufunc, str], int] = {}
_warned = threading.Event()


def compile_program(program: Program, *, cache: bool = True) -> np.ufunc:
    """The program as a NumPy generalised ufunc with loops for float32 and float64.

    Leading axes broadcast; ``out=``, casting and error messages are NumPy's. Safe to call from threads, which run in
    parallel. ``cache=False`` keeps the machine code off the disk.
    """
    return load_or_compile(f"program {program.digest}", lambda: program, cache=cache)


def load_or_compile(key: str, make_program: Callable[[], Program], *, cache: bool = True) -> np.ufunc:
    """The ufunc stored under ``key``; ``make_program`` is called only if it has to be compiled.

    The key must name everything the program depends on, the code that traces it included (`source_digest`); the
    compiler, the processor and the element type are added to it here.
    """
    with _lock:
        ufunc = _ufuncs.get(key)
        if ufunc is None:
            ufunc = _ufuncs[key] = _Function(key, make_program, cache).ufunc()
        return ufunc


def machine_code_loop(ufunc: np.ufunc, dtype: str) -> int | None:
    """The address of an inner loop of a ufunc made here, where that is machine code and compiled.

    Args:
        ufunc: the ufunc.
        dtype: ``"d"``, or ``"f"``, which is compiled when it is first called.
    """
    return _machine_code.get((ufunc, dtype))


@dataclass(frozen=True)
class _Kernel:
    """An inner loop that can be called, and the interface it was compiled for."""

    interface: Interface
    address: int
    is_machine_code: bool = True


class _Function:
    """Where the two loops of one ufunc come from."""

    def __init__(self, key: str, make_program: Callable[[], Program], cache: bool) -> None:
        self._key = key
        self._make_program = make_program
        self._cache = cache

    @cached_property
    def _program(self) -> Program:
        return self._make_program()

    def ufunc(self) -> np.ufunc:
        """The ufunc: float64 compiled now, float32 when it is first called."""
        float64 = self._kernel("d")
        trampoline = Loop(self._first_float32)
        keep(trampoline)
        self._table = LoopTable(float64.interface, _address_of(trampoline), float64.address)
        self._note(float64, "d")
        return self._table.ufunc

    def _first_float32(self, args: int, dimensions: int, steps: int, data: int) -> None:
        """The float32 loop, replaced by the compiled one at its first call."""
        with _lock:
            address = self._float32_address
        Loop(address)(args, dimensions, steps, data)

    @cached_property
    def _float32_address(self) -> int:
        kernel = self._kernel("f")
        self._table.float32 = kernel.address
        self._note(kernel, "f")
        return kernel.address

    def _note(self, kernel: _Kernel, dtype: str) -> None:
        if kernel.is_machine_code:
            _machine_code[self._table.ufunc, dtype] = kernel.address

    def _kernel(self, dtype: str) -> _Kernel:
        full_key = disk.full_key(self._key, dtype)
        if self._cache:
            entry = disk.read(full_key)
            kernel = _revived(*entry) if entry else None
            if kernel:
                return kernel
        interface = Interface.of(self._program)
        if len(self._program.results) > MOST_RESULTS:
            return _Kernel(interface, self._interpreter(dtype), is_machine_code=False)
        try:
            header, code = _compiled(self._program, dtype)
            kernel = _revived({**header, "interface": asdict(interface)}, code)
            if kernel is None:
                raise LoadError("the compiled code cannot be loaded")
        except Exception as error:
            _warn(error)
            return _Kernel(interface, self._interpreter(dtype), is_machine_code=False)
        if self._cache:
            disk.write(full_key, {**header, "interface": asdict(interface)}, code)
        return kernel

    def _interpreter(self, dtype: str) -> int:
        loop = interpreted_loop(lambda: self._program, dtype)
        keep(loop)
        return _address_of(loop)


def _compiled(program: Program, dtype: str) -> tuple[dict[str, Any], bytes]:
    """The code as it is stored: an image that needs no llvmlite if possible, else the object file."""
    # Not needed, so not imported, where the code comes from the cache.
    from armdyn.targets.llvm_ir import loop_ir  # noqa: PLC0415

    return packed(compiler.compile_ir(loop_ir(program, dtype, host()), host()), ENTRY)


def _revived(header: Mapping[str, Any], code: bytes) -> _Kernel | None:
    """The kernel in an entry of the cache; None where it cannot be loaded here."""
    interface = Interface(**header["interface"])
    found = loaded(header, code, ENTRY)
    if found is None:
        return None
    address, memory = found
    keep(memory)
    return _Kernel(interface, address)


def _address_of(loop: Any) -> int:
    return ctypes.cast(loop, ctypes.c_void_p).value or 0


def _warn(error: Exception) -> None:
    if _warned.is_set():
        return
    _warned.set()
    if isinstance(error, ImportError):
        reason, advice = "llvmlite is not installed", "Install it with: pip install llvmlite"
    else:
        reason, advice = f"compiling failed ({error})", "Please report this"
    warnings.warn(
        f"{reason}, so armdyn evaluates with NumPy, tens to hundreds of times slower. {advice}",
        RuntimeWarning,
        stacklevel=2,
    )
