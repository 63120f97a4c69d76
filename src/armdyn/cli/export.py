"""``armdyn export``: functions of a robot for other languages and tools. A target is one entry of `TARGETS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.base.errors import UnknownName
from armdyn.base.writing import write_folder
from armdyn.cli.arguments import named_values
from armdyn.cli.completion import complete_functions
from armdyn.cli.completion import words as complete_words
from armdyn.cli.export_equations import prefixed, write_latex, write_python
from armdyn.cli.export_fmu import listed, write_fmu
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import Overwrite, refuse_unwritable, write_into
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.program import Program
from armdyn.robot import Robot
from armdyn.robot.exporting import ExportedFunction, chosen_functions
from armdyn.targets.identifiers import chosen_name


@dataclass(frozen=True)
class Request:
    """One call of the verb: the robot, the functions and the folder or file of the result.

    Args:
        robot: whose functions they are.
        functions: their names.
        out: the folder, or of a target in `FILES` the file, that the user named or that is the usual one.
        folder: of the files; for a target in `FILES` the folder of the file.
        name: of the files; None for the robot's own.
        optional_inputs: optional arrays that are arguments.
        options: of the functions, such as ``expressed_in``, and ``parameters`` of the model that are arguments.
        settings: of the target, such as ``scalar``: those given only.
    """

    robot: Robot
    functions: tuple[str, ...]
    out: Path
    folder: Path
    name: str | None
    optional_inputs: tuple[str, ...]
    options: dict[str, Any]
    settings: Mapping[str, Any]

    def chosen(self) -> list[ExportedFunction]:
        """The functions' programs, for targets that take one after the other."""
        return chosen_functions(self.robot, self.functions, self.optional_inputs, **self.choices)

    @property
    def choices(self) -> dict[str, Any]:
        """The options, of which ``parameters`` is a list of names with commas between."""
        return self.options | {key: listed(text) for key, text in self.options.items() if key == "parameters"}


Target = Callable[[Request], list[Path]]
"""Writes files, and gives their paths."""


def _c(request: Request) -> list[Path]:
    """C99: a header, a source, a self-test and a CMakeLists.txt."""
    code = request.robot.to_c(
        request.functions,
        name=request.name,
        optional_inputs=request.optional_inputs,
        **request.settings,
        **request.choices,
    )
    return code.write(request.folder)


_DTYPES = {"double": "float64", "float": "float32"}


def _cuda(request: Request) -> list[Path]:
    """A kernel of every function in CUDA C++ and in PTX, with equal parameters."""
    scalar = request.settings.get("scalar", "double")
    if scalar not in _DTYPES:
        raise UnknownName.of("scalar", scalar, _DTYPES, "--to cuda")
    dtype = _DTYPES[scalar]
    kernels = [program.to_cuda(dtype=dtype, name=name) for name, program in prefixed(_by_name(request), request.name)]
    texts: dict[str, str] = {}
    for kernel in kernels:
        texts |= {f"{kernel.kernel_name}.cu": kernel.source, f"{kernel.kernel_name}.ptx": kernel.ptx()}
    return write_folder(request.folder, {name: text.encode() for name, text in texts.items()})


def _python(request: Request) -> list[Path]:
    """A module of plain Python for every function."""
    return write_python(_by_name(request), request.folder, request.name)


def _numpy(request: Request) -> list[Path]:
    """A module for every function, on NumPy's arrays."""
    return write_python(_by_name(request), request.folder, request.name, numpy=True)


def _latex(request: Request) -> list[Path]:
    """A document of equations."""
    return write_latex(_by_name(request), request.folder, chosen_name(request.name, request.robot.name))


def _fmu(request: Request) -> list[Path]:
    """A functional mock-up unit of forward dynamics; its options are those of `armdyn.Robot.to_fmu`."""
    path = request.folder / request.out.name
    return write_fmu(request.robot, request.functions, path, request.name, request.optional_inputs, request.options)


_SINES = {"libm": "host", "inline": "own"}


def _wasm(request: Request) -> list[Path]:
    """One WebAssembly module of all, an ES module in JavaScript that holds it, and its types."""
    sincos = request.settings.get("sincos", "libm")
    if sincos not in _SINES:
        raise UnknownName.of("sincos", str(sincos), _SINES, "--to wasm")
    from armdyn.targets.wasm import module  # noqa: PLC0415 - other verbs need no targets

    programs = dict(_by_name(request))
    result = module(programs, name=chosen_name(request.name, request.robot.name), sine=_SINES[sincos])  # type: ignore[arg-type]
    return list(result.write(request.folder))


def _by_name(request: Request) -> list[tuple[str, Program]]:
    return [(chosen.name, chosen.program) for chosen in request.chosen()]


TARGETS: dict[str, tuple[Target, tuple[str, ...]]] = {
    "c": (_c, ("scalar", "sincos", "shared")),
    "cuda": (_cuda, ("scalar",)),
    "python": (_python, ()),
    "numpy": (_numpy, ()),
    "latex": (_latex, ()),
    "fmu": (_fmu, ()),
    "wasm": (_wasm, ("sincos",)),
}
"""The writer and the settings of each target, by the word of --to."""

FILES = ("fmu",)
"""The exports that write a file; the others write a folder."""


def export(
    arm: Robot,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="|".join(TARGETS), help="The language or tool.", autocompletion=complete_words(*TARGETS)
        ),
    ],
    function: Annotated[
        list[str] | None,
        typer.Option(
            "--function",
            "-f",
            metavar="NAME",
            help="A function, as of armdyn.Robot; may be repeated.",
            autocompletion=complete_functions,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FOLDER", help="The folder, or an FMU's file.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Of the files and functions; the robot's own.")] = None,
    optional_inputs: Annotated[
        list[str] | None,
        typer.Option("--optional-input", metavar="ARRAY", help="An optional array to be an argument: f_tip."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="Of the functions: expressed_in=body; parameters=gravity,LINK.mass."
        ),
    ] = None,
    scalar: Annotated[str | None, typer.Option("--scalar", metavar="double|float", help="The type of numbers.")] = None,
    sincos: Annotated[
        str | None, typer.Option("--sincos", metavar="libm|inline|SIN,COS", help="Source of sine and cosine.")
    ] = None,
    shared: Annotated[bool, typer.Option("--shared", help="One function of all, which share their work.")] = False,
    overwrite: Overwrite = False,
    json: AsJson = False,
) -> None:
    """Functions of a robot as code for other languages and tools.

    The code computes what armdyn computes, and needs neither Python nor armdyn. C99 comes with a program that compares
    it with armdyn's numbers, and a CMakeLists.txt. Files that are there with other contents stay, and nothing is
    written, unless --overwrite is given.

    [bold]Examples[/]

      armdyn export ur5 --to c --function inverse_dynamics -o firmware

      armdyn export puma560 --to c -f mass_matrix -f bias_forces --shared --scalar float --sincos inline -o firmware

      armdyn export ur5 --to c -f jacobian --option expressed_in=body -o firmware

      armdyn export ur5 --to c -f inverse_dynamics --optional-input f_tip --name arm -o firmware

      armdyn export ur5 --to c -f forward_dynamics --option parameters=gravity,forearm_link.mass -o firmware

      armdyn export ur5 --to cuda -f inverse_dynamics --scalar float -o kernels

      armdyn export ur5 --to python -f inverse_dynamics -f mass_matrix -o modules

      armdyn export ur5 --to wasm -f mass_matrix -f gravity_forces -o web

      armdyn export puma560 --to latex -f inverse_dynamics -o paper

      armdyn export ur5 --to fmu --optional-input f_tip --option step=1e-4 -o ur5.fmu
    """
    if to not in TARGETS:
        raise UnknownName.of("target", to, TARGETS, "armdyn export")
    write, settings = TARGETS[to]
    words = {"scalar": scalar, "sincos": _sincos(sincos), "shared": shared or None}
    stated = {key: value for key, value in words.items() if value is not None}
    for key in stated:
        if key not in settings:
            raise UnknownName(f"--to {to} has no --{key}; it belongs to {_with(key)}")
    target = out or (Path(f"{arm.name}.{to}") if to in FILES else Path(f"{arm.name}_{to}"))
    folder = target
    if to in FILES:
        refuse_unwritable("-o", target)
        folder = target.parent
    names = tuple(function or ["forward_dynamics" if to == "fmu" else "inverse_dynamics"])
    request = Request(
        arm,
        names,
        target,
        folder,
        name,
        tuple(optional_inputs or ()),
        named_values("--option", option or [], "expressed_in=body"),
        stated,
    )
    files = write_into("-o", folder, lambda made: write(replace(request, folder=made)), overwrite=overwrite)
    if json:
        print_json({"robot": arm.name, "functions": names, "files": files, "notes": arm.notes})
        return
    for path in files:
        screen().print(str(path), soft_wrap=True, highlight=False)
    show_notes(screen(stderr=True), arm.notes)


def _with(setting: str) -> str:
    return ", ".join(f"--to {target}" for target, (_, settings) in TARGETS.items() if setting in settings)


def _sincos(text: str | None) -> str | tuple[str, ...] | None:
    """Two names separated by a comma, or a word."""
    return tuple(text.split(",")) if text and "," in text else text
