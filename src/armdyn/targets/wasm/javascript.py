"""The JavaScript of a module: an ES module that contains the WebAssembly and calls it with arrays, and its types."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING

from armdyn.targets.identifiers import identifier

if TYPE_CHECKING:
    from armdyn.targets.wasm.export import WasmModule
    from armdyn.targets.wasm.interface import WasmInterface

_WORDS = (
    "arguments await break case catch class const continue debugger default delete do else enum eval "
    "export extends false finally for function if implements import in instanceof interface let memory "
    "heap new null package private protected public return static super switch this throw true try typeof "
    "undefined var void while with yield exports then "
)
RESERVED = frozenset(_WORDS.split())
"""Names that no function may have: JavaScript's keywords, every module's exports, and ``then`` of promises."""


def es_module(module: WasmModule) -> str:
    """The source of the ES module."""
    loader = files("armdyn.targets.wasm").joinpath("loader.js").read_text(encoding="utf-8")
    described = json.dumps([function.described() for function in module.functions], indent=1)
    described = described.replace("<", "\\u003c")  # so that no name ends the script of a page
    encoded = base64.b64encode(module.bytes).decode()
    return (
        f"// {identifier(module.name)}: functions of a robot arm, made by armdyn. load() gives them.\n"
        f"const FUNCTIONS = {described};\n\n"
        f'const MODULE = "{encoded}";\n\n{loader}'
    )


def declarations(module: WasmModule) -> str:
    """The source of the types."""
    lines = [_declaration(function) for function in module.functions]
    return _TYPES.replace("FUNCTIONS", "\n".join(lines))


def _declaration(function: WasmInterface) -> str:
    comment = f"  /** {function.operations} a {'state' if function.carried is None else 'step'} */\n"
    if function.carried is not None:
        text = "; ".join(f"{_key(port.name)}: Numbers" for port in function.inputs)
        return f"{comment}  {function.name}(steps: number, arrays: {{ {text} }}, every?: number): Motion;"
    text = ", ".join(f"{name}: Numbers" for name in _parameters(function))
    several = "{ " + "; ".join(f"{_key(port.name)}: Float64Array" for port in function.outputs) + " }"
    return f"{comment}  {function.name}({text}): {several if len(function.outputs) > 1 else 'Float64Array'};"


def _parameters(function: WasmInterface) -> list[str]:
    """The names of positional arrays, with a number appended if they would be equal."""
    result: list[str] = []
    for port in function.inputs:
        plain = identifier(port.name, RESERVED)
        numbered = (f"{plain}_{k}" for k in count(2))
        result.append(plain if plain not in result else next(name for name in numbered if name not in result))
    return result


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else json.dumps(name)


_TYPES = """\
type Rows<Row> = ArrayLike<Row> | ArrayLike<ArrayLike<Row>> | ArrayLike<ArrayLike<ArrayLike<Row>>>;
/** Numbers of one state, row by row, or of many states one after the other; also as rows of rows. */
export type Numbers = number | Rows<number>;
export interface Motion {
  /** The state after the last step. */
  state: Record<string, Float64Array>;
  /** What was recorded, a row for every `every`-th step. */
  records: Record<string, Float64Array>;
}
export interface Functions {
FUNCTIONS
  /** The WebAssembly: its functions take addresses in its memory. */
  exports: WebAssembly.Exports;
}
export function load(): Promise<Functions>;
"""
