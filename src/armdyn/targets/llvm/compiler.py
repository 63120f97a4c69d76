"""Compilation of LLVM IR to object code with llvmlite, which is imported only when something is compiled."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from armdyn.targets.llvm.machine import Machine, host, llvm_binding

OPTIMISATION = 1
"""Level of LLVM's code generator.

Level 2 also schedules instructions after register allocation, which undoes part of the order of
`armdyn.targets.llvm.scheduling`: results are bitwise equal, kernels equally fast, and compiling takes 7 % longer.
"""


def compile_ir(text: str, machine: Machine, optimisation: int = OPTIMISATION, *, anywhere: bool = False) -> bytes:
    """The object file of a module. Only code generation runs, because programs are already simplified.

    If ``anywhere``, its sections may lie in any part of memory (the large code model), as `load_object` requires. Else
    they lie within 2 GiB of each other, as armdyn's linker places them.
    """
    target = _target_machine(machine, optimisation, anywhere)
    module = llvm_binding().parse_assembly(text)
    module.data_layout = str(target.target_data)
    with _straight_line_code():
        return bytes(target.emit_object(module))


def assembly(text: str, machine: Machine, optimisation: int = OPTIMISATION) -> str:
    """The assembly text of the code that `compile_ir` generates."""
    target, module = _target_machine(machine, optimisation), llvm_binding().parse_assembly(text)
    with _straight_line_code():
        return str(target.emit_assembly(module))


_OPTIONS = {
    "-enable-misched": "false",
    "-disable-lsr": "true",
    "-disable-cgp": "true",
    "-disable-machine-licm": "true",
    "-disable-postra-machine-licm": "true",
    "-disable-machine-cse": "true",
    "-disable-machine-sink": "true",
    "-disable-postra-machine-sink": "true",
    "-disable-branch-fold": "true",
    "-disable-tail-duplicate": "true",
    "-disable-early-taildup": "true",
}
"""Options of LLVM's code generator, by name.

LLVM's instruction scheduler gives priority to register pressure and delays long chains; without it, the order of
`armdyn.targets.llvm.scheduling` stays. The other passes improve loops and branches; straight-line code without common
subexpressions gains nothing from them, and without them it compiles in three quarters of the time.
"""

_OPPOSITE = {"true": "false", "false": "true"}


@contextmanager
def _straight_line_code() -> Iterator[None]:
    """Set `_OPTIONS` and restore LLVM's own afterwards, because options are global to the process.

    Code that another thread compiles meanwhile gets another order and other passes, and is correct too.
    """
    llvm = llvm_binding()
    for name, value in _OPTIONS.items():
        llvm.set_option("armdyn", f"{name}={value}")
    try:
        yield
    finally:
        for name, value in _OPTIONS.items():
            llvm.set_option("armdyn", f"{name}={_OPPOSITE[value]}")


@cache
def _target_machine(machine: Machine, optimisation: int, anywhere: bool = False) -> Any:
    llvm = llvm_binding()
    how = {"jit": True} if anywhere else {"reloc": "pic", "codemodel": "small"}
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=optimisation, **how
    )


_naming = threading.Lock()


def load_object(object_code: bytes, entry: str, functions: Mapping[str, int]) -> tuple[int, object]:
    """Load object code with LLVM's own loader; returns the address of its entry, and the object to keep alive.

    ``functions`` are the addresses of functions it calls by name; LLVM has one function of each name at a time.
    The code must come from `compile_ir` with ``anywhere``: each section goes to free memory anywhere, and a reference
    that cannot span the distance would end the process.
    """
    llvm = llvm_binding()
    target = llvm.Target.from_triple(host().triple).create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(object_code))
    with _naming:
        for name, address in functions.items():
            llvm.add_symbol(name, address)
        engine.finalize_object()
    return engine.get_function_address(entry), engine
