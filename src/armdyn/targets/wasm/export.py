"""`to_wasm` and `module`: programs and rollouts as one WebAssembly module."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from armdyn._version import __version__
from armdyn.base.errors import Unsupported, excerpt
from armdyn.base.writing import write_folder
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.identifiers import chosen_name, identifier, identifiers
from armdyn.targets.wasm import javascript
from armdyn.targets.wasm.code import step_program
from armdyn.targets.wasm.encoder import Contents
from armdyn.targets.wasm.interface import WasmInterface
from armdyn.targets.wasm.layout import ModuleLayout
from armdyn.targets.wasm.object_code import object_code

Sine = Literal["host", "own"]

_ADDRESSES = 1000
"""The most parameters of a function."""


@dataclass(frozen=True)
class WasmModule:
    """A WebAssembly module of programs and rollouts.

    Args:
        name: the name of the files, and of the module for debuggers.
        bytes: the module.
        functions: the exported functions.
        imports: functions of the host that it needs, from the module ``armdyn``: of JavaScript's Math, or of libm.

    >>> arm = armdyn.load("planar_2r")
    >>> module = armdyn.targets.wasm.module([f.program() for f in (arm.mass_matrix, arm.gravity_forces)], name="planar")
    >>> module
    <WebAssembly module planar: mass_matrix(q) -> out, gravity_forces(q) -> out; ... bytes; imports sin, cos>
    """

    name: str
    bytes: bytes = field(repr=False)
    functions: tuple[WasmInterface, ...]
    imports: tuple[str, ...]

    @property
    def javascript(self) -> str:
        """An ES module that contains the WebAssembly; ``load()`` returns the functions. It needs no other file.

        It runs in browsers, also inside of ``<script type="module">`` of a page that is opened from disk, in node and
        in Deno.
        """
        return javascript.es_module(self)

    @property
    def typescript(self) -> str:
        """The declarations of the ES module's types: a ``.d.ts`` file."""
        return javascript.declarations(self)

    def write(self, folder: str | Path) -> tuple[Path, ...]:
        """Write ``NAME.wasm``, ``NAME.js`` (which holds the module too) and ``NAME.d.ts``.

        Returns:
            The paths of the files.
        """
        contents = {"wasm": self.bytes, "js": self.javascript.encode(), "d.ts": self.typescript.encode()}
        return tuple(write_folder(folder, {f"{self.name}.{ending}": content for ending, content in contents.items()}))

    def __repr__(self) -> str:
        functions = ", ".join(map(str, self.functions))
        imports = f"imports {', '.join(self.imports)}" if self.imports else "no imports"
        return f"<WebAssembly module {self.name}: {functions}; {len(self.bytes):,} bytes; {imports}>"


def to_wasm(program: Program, *, name: str | None = None, sine: Sine = "host") -> WasmModule:
    """The program as a WebAssembly module, in float64, for browsers, node and every other engine.

    Its function takes one state or many; ``.javascript`` calls it with arrays. Results equal NumPy's to the rounding of
    the host's functions (sin, cos, tan, asin, acos, atan, atan2, exp, log, tanh, pow).

    Args:
        program: the program to export.
        name: the name of the function and of the module; the program's own if not given.
        sine: ``"host"`` calls the host's sine and cosine, JavaScript's Math.sin and Math.cos; ``"own"`` puts armdyn's
            into the module, some 1,500 bytes, with identical bits on every machine, for angles of any size.

    Raises:
        MissingLibrary: without llvmlite, or if its LLVM has no back end for WebAssembly.
        Unsupported: if the program has more arrays than a function of WebAssembly accepts, or needs too much memory.
        ValueError: if ``sine`` is another value.

    >>> module = armdyn.load("ur5").inverse_dynamics.program().to_wasm()
    >>> len(module.bytes) < 4000
    True
    >>> module.functions[0].operations, module.imports
    ('151m + 125a + 10t', ('sin', 'cos'))
    """
    called = chosen_name(name, program.name)
    return module({called: program}, name=called, sine=sine)


def module(
    programs: Iterable[Program | Rollout] | Mapping[str, Program | Rollout],
    *,
    name: str = "arm",
    sine: Sine = "host",
) -> WasmModule:
    """Several programs and rollouts as one WebAssembly module, with one memory.

    Args:
        programs: the programs to export, under their own names or under those of a mapping.
        name: the name of the module.
        sine: ``"host"`` or ``"own"``, as in `to_wasm`.

    Raises:
        Unsupported: if names collide, or for the reasons of `to_wasm`.
        ValueError: if ``sine`` is another value, or if there is no program.

    >>> arm = armdyn.load("ur5")
    >>> armdyn.targets.wasm.module({"M": arm.mass_matrix.program(), "g": arm.gravity_forces.program()}, sine="own")
    <WebAssembly module arm: M(q) -> out, g(q) -> out; ... bytes; no imports>
    """
    if sine not in ("host", "own"):
        raise ValueError(f'sine is {sine!r}; expected "host" or "own"')
    named = _by_export(programs)
    functions = tuple(WasmInterface.of(mine, one) for mine, one in named.items())
    layout = ModuleLayout(named, own_sine=sine == "own")
    layout.check()
    contents = Contents(
        name=name,
        code=object_code(layout.ir),
        functions=[function for function, _ in layout.functions],
        exports=list(named),
        data=layout.data,
        heap=layout.heap,
        custom={"armdyn": _described(functions)},
    )
    return WasmModule(identifier(chosen_name(name, name)), contents.encoded(), functions, tuple(layout.imports))


def _described(functions: Iterable[WasmInterface]) -> bytes:
    """Arguments, results and operation counts of the functions, for readers who have the module alone."""
    content = {"armdyn": __version__, "functions": [function.described() for function in functions]}
    return json.dumps(content, separators=(",", ":")).encode()


def _by_export(
    programs: Iterable[Program | Rollout] | Mapping[str, Program | Rollout],
) -> dict[str, Program | Rollout]:
    """The programs by the names of their exports."""
    items = list(
        programs.items() if isinstance(programs, Mapping) else ((getattr(p, "name", excerpt(p)), p) for p in programs)
    )
    if not items:
        raise ValueError("a module needs a program; none was given")
    for name, one in items:
        _check(name, one)
    names = identifiers((name for name, _ in items), "JavaScript", javascript.RESERVED)
    result: dict[str, Program | Rollout] = {}
    for name, one in items:
        if names[name] in result:
            raise Unsupported(f"two programs are named {name!r}; give a mapping from names of your choice to programs")
        result[names[name]] = one
    return result


def _check(name: str, one: Program | Rollout) -> None:
    if not isinstance(one, Program | Rollout):
        raise TypeError(f"{name} is {type(one).__name__}; expected a Program or a Rollout: function.program() gives it")
    program = step_program(one)
    arrays = 1 + 2 * len(program.inputs) + len(program.outputs)
    if arrays > _ADDRESSES:
        raise Unsupported(
            f"{name} has {len(program.inputs)} inputs and {len(program.outputs)} outputs: {arrays} parameters in "
            f"WebAssembly, whose functions take {_ADDRESSES}; put some into one array"
        )
