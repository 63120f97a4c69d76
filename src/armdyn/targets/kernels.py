"""Programs as NumPy functions: from memory, from disk, from the compiler, or interpreted, in this order.

Everything that can fail (tracing, compiling, reading and writing files) is done before NumPy is entered, because an
error or Ctrl-C inside the inner loop of a ufunc would be lost, and its results would be undefined.

A function is looked up in two steps. Its *source* (robot, options, armdyn's own code) determines the fingerprint of the
program, and that determines the machine code. So an edited source that gives an equal program compiles nothing. Threads
that need different functions compile them in parallel; those that need one function wait for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.base.threads import Once
from armdyn.program.integration import Integration
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets import cache as disk
from armdyn.targets import cache_keys
from armdyn.targets.gufunc import ENTRY, GufuncInterface, LoopTable, keep
from armdyn.targets.interpreted import InterpretedFunction, InterpretedRollout
from armdyn.targets.interpreted_integration import InterpretedIntegration
from armdyn.targets.llvm.machine import host
from armdyn.targets.llvm.module import Module
from armdyn.targets.machine_code import Code, load_or_build
from armdyn.targets.native.loader import LoadError

MOST_RESULTS = 20_000
"""The most results of a compiled program; larger ones are interpreted, because compiling would take minutes."""

Source = Program | Rollout | Integration
"""The objects that can be compiled to a kernel."""

NumpyFunction = np.ufunc | InterpretedFunction | InterpretedRollout | InterpretedIntegration
"""A callable on arrays: a ufunc of machine code, or the interpreter in its place."""

_FLOAT64 = np.dtype(np.float64)

_by_source: Once[str, Kernel] = Once()
_by_program: Once[str, Kernel] = Once()
_loops: Once[tuple[str, str], int | None] = Once()
_ufuncs: Once[tuple[str, str], np.ufunc] = Once()
_warned: set[str] = set()


def compile_program(program: Program, *, cache: bool = True) -> NumpyFunction:
    """The program as a NumPy generalised ufunc with loops for float32 and float64.

    Leading axes broadcast; ``out=``, casting and error messages are NumPy's. Safe to call from threads, which run in
    parallel. ``cache=False`` keeps the machine code off the disk. Without a compiler it is the interpreter.
    """
    return kernel_of(program, cache=cache).for_any()


def kernel_of(program: Source, *, cache: bool = True) -> Kernel:
    """The kernel of a program."""
    make = lambda: Kernel(program.digest, GufuncInterface.of(program), lambda: program, cache)  # noqa: E731
    return _by_program.get(program.digest, make)


def load_or_compile(key: str, make_program: Callable[[], Source], *, cache: bool = True) -> Kernel:
    """The kernel stored under ``key``; ``make_program`` is called only if its trace or code is not stored.

    The key must name everything the program depends on, the code that traces it included (`cache_keys.source_digest`),
    except for the packages ``program`` and ``targets``: those are added here, as are processor and element type.
    """
    return _by_source.get(key, lambda: _of_source(key, make_program, cache))


def _of_source(key: str, make_program: Callable[[], Source], cache: bool) -> Kernel:
    if not (cache and cache_keys.has_sources()):
        return kernel_of(make_program(), cache=cache)
    full_key = cache_keys.of_trace(key)
    entry = disk.read("traced", full_key)
    if entry is not None:
        digest, interface = entry[0]["digest"], GufuncInterface(**entry[0]["interface"])
        return _by_program.get(digest, lambda: Kernel(digest, interface, make_program, cache))
    program = make_program()
    kernel = kernel_of(program, cache=cache)
    disk.write("traced", full_key, {"digest": program.digest, "interface": asdict(kernel.interface)})
    return kernel


class Loops:
    """The inner loops of a program or rollout, machine code for float32 and float64, each compiled on first use.

    Args:
        digest: the digest of the program.
        interface: its name, documentation and signature.
        make_program: returns the program; called if no machine code is stored.
        cache: read and write the disk.
    """

    def __init__(
        self, digest: str, interface: GufuncInterface, make_program: Callable[[], object], cache: bool = True
    ) -> None:
        self.interface = interface
        self._digest = digest
        self._make_program = make_program
        self._cache = cache

    def address(self, letter: str) -> int | None:
        """The address of the loop for ``"f"`` (float32) or ``"d"`` (float64); None if it has no machine code."""
        return _loops.get((self._digest, letter), lambda: self._machine_code(letter))

    def _machine_code(self, letter: str) -> int | None:
        if self.interface.results > MOST_RESULTS:
            return None
        code: Code | None = None
        try:
            key = f"{letter} {self._digest}"
            code = load_or_build(key, lambda: self._module(letter), ENTRY, keep=self._cache)
            if code is None:
                raise LoadError("the compiled code cannot be loaded")
        except (ArmdynError, MemoryError, Warning):  # errors of the function, and warnings as errors
            raise
        except Exception as error:
            _warn(error)
            return None
        keep(code[1])
        return code[0]

    def _module(self, letter: str) -> Module:
        machine, program = host(), self._program()
        if isinstance(program, Rollout):
            from armdyn.targets.llvm.rollout_loop import rollout_module  # noqa: PLC0415 - not needed if the code is on disk

            return rollout_module(program, letter, machine)
        if isinstance(program, Integration):
            from armdyn.targets.llvm.integration_loop import integration_module  # noqa: PLC0415 - as above

            return integration_module(program, letter, machine)
        from armdyn.targets.llvm.loop import loop_module  # noqa: PLC0415 - as above

        return loop_module(program, letter, machine)

    def _program(self) -> Any:
        """The program, traced once."""
        program = self._make_program()
        self._make_program = lambda: program
        return program


def loops_of(program: Program) -> Loops:
    """The inner loops of a program."""
    return Loops(program.digest, GufuncInterface.of(program), lambda: program)


class Kernel(Loops):
    """A program or rollout as NumPy functions, float64 compiled at once, float32 at the first arrays of that type.

    Args:
        digest: the digest of the program.
        interface: its name, documentation and signature.
        make_program: returns the program; called if no machine code is stored.
        cache: read and write the disk.
    """

    def __init__(
        self, digest: str, interface: GufuncInterface, make_program: Callable[[], object], cache: bool = True
    ) -> None:
        super().__init__(digest, interface, make_program, cache)
        interpreter = _interpreter_of(interface)
        self._interpreted: NumpyFunction = interpreter(self._program, interface)
        compiled = self._ufunc("d")
        self.for_float64: NumpyFunction = compiled or interpreter(self._program, interface, "d")
        self._any: NumpyFunction | None = None if compiled else self._interpreted

    def for_arrays(self, arrays: Sequence[Any]) -> NumpyFunction:
        """The compiled function for these arrays: float32 if that represents all of them exactly, else float64.

        Once both are compiled it is one ufunc, which chooses by itself.
        """
        if self._any is not None:
            return self._any
        first = arrays[0]
        if type(first) is np.ndarray and first.dtype is _FLOAT64 and first.ndim:  # most are
            return self.for_float64
        return self.for_float64 if any(map(_is_beyond_float32, arrays)) else self.for_any()

    def for_any(self) -> NumpyFunction:
        """The function for arrays of any type: the ufunc with both loops, which are compiled now."""
        if self._any is not None:
            return self._any
        both = self._ufunc("fd")
        if both is None:
            return self._interpreted  # but float64 has its machine code
        self._any = both
        return both

    def _ufunc(self, letters: str) -> np.ufunc | None:
        """The ufunc with loops for some types; None unless all of them are machine code."""
        loops = {letter: self.address(letter) for letter in letters}
        result = {letter: address for letter, address in loops.items() if address is not None}
        if len(result) < len(loops):
            return None
        return _ufuncs.get((self._digest, letters), lambda: LoopTable(self.interface, result).ufunc)


def _interpreter_of(interface: GufuncInterface) -> Callable[..., Any]:
    """The class of the interpreter that replaces machine code."""
    if interface.integration:
        return InterpretedIntegration
    return InterpretedRollout if interface.rollout else InterpretedFunction


def _is_beyond_float32(array: Any) -> bool:
    """True if an array requires float64; Python's numbers, and arrays without axes, may adapt."""
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    return array.ndim > 0 and not np.can_cast(array.dtype, np.float32)


def _warn(error: Exception) -> None:
    if _warned:
        return
    _warned.add("said")
    if isinstance(error, ImportError):
        reason, advice = "llvmlite is not installed", "Install it with: pip install llvmlite"
    else:
        reason, advice = f"compiling failed ({error})", "Please report this"
    warnings.warn(
        f"{reason}, so armdyn evaluates with NumPy, tens to hundreds of times slower. {advice}",
        RuntimeWarning,
        stacklevel=2,
    )
