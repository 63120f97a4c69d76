"""LLVM IR to object code, through llvmlite, which is imported only when there is something to compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from armdyn.targets.machine import Machine


def compile_ir(text: str, machine: Machine, optimisation: int = 2) -> bytes:
    """The object file of a module. Only code generation runs: programs come simplified."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    target = _target_machine(machine, optimisation)
    module.data_layout = str(target.target_data)
    return bytes(target.emit_object(module))


def assembly(text: str, machine: Machine, optimisation: int = 2) -> str:
    """What `compile_ir` would make, for people to read."""
    import llvmlite.binding as llvm

    return str(_target_machine(machine, optimisation).emit_assembly(llvm.parse_assembly(text)))


@cache
def _target_machine(machine: Machine, optimisation: int) -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=optimisation, reloc="pic", codemodel="small"
    )


def load_object(object_code: bytes, entry: str) -> tuple[int, Any]:
    """Load object code with LLVM's own loader: the address of its entry, and what to keep alive with it."""
    import llvmlite.binding as llvm

    from armdyn.targets.machine import host

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    empty = llvm.parse_assembly("")
    target = llvm.Target.from_triple(host().triple).create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(empty, target)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(object_code))
    engine.finalize_object()
    return engine.get_function_address(entry), engine
