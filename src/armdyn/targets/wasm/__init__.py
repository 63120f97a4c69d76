"""WebAssembly modules of programs, for browsers and every other engine, with their JavaScript, without other tools.

`to_wasm` makes a module of one program, `module` of several and of rollouts. `instructions` and `encoder` write the
binary format, `code` turns a program into code for its stack machine, `loops` repeats it over states and over time,
`trigonometry` has armdyn's own sine and cosine, `interface` describes the exports of a module.
"""

from armdyn.base.lazy import modules_of
from armdyn.targets.wasm.export import WasmModule, module, to_wasm

__all__ = ["WasmModule", "module", "to_wasm"]

__getattr__ = modules_of(__name__)
