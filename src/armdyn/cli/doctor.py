"""``armdyn doctor``: what is wrong with robot descriptions, and repairs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from glob import glob
from pathlib import Path
from typing import Annotated

import rich.table
import typer
from rich.text import Text

from armdyn.base.errors import ArmdynError, ModelError, ShapeError, UnknownName
from armdyn.base.tabular import TextTable
from armdyn.base.writing import write_bytes, write_text
from armdyn.cli.arguments import named_values
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show
from armdyn.doctor.examine import doctor as examine
from armdyn.doctor.finding import SEVERITIES, Severity
from armdyn.doctor.findings import Findings
from armdyn.doctor.sarif import log_of

FOUND = 1
"""The exit code if there is a finding as severe as --fail-on."""


def doctor(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="URDF, MJCF and xacro files, or patterns such as '**/*.urdf'."),
    ],
    fix: Annotated[
        Path | None, typer.Option("--fix", metavar="OUT", help="Write the mended text of one file to another name.")
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Write the mended text over each file.")] = False,
    show_diff: Annotated[bool, typer.Option("--diff", help="Show the repairs as a diff.")] = False,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write all findings as SARIF 2.1.0.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE", help="Write a page of one file with the arm drawn, for browsers."),
    ] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="error | warning | note | never", help="Exit with 1 from there on.")
    ] = "error",
    meshes: Annotated[
        bool | None,
        typer.Option(
            "--meshes/--no-meshes",
            help="Open mesh files and compare with their hulls; without it those that take less than a second.",
        ),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            "--density",
            metavar="KG/M^3",
            help="Mend masses and inertias by the shapes of the links, filled with this density; opens the meshes.",
        ),
    ] = None,
    xacro: Annotated[
        bool, typer.Option("--xacro", help="Expand xacro files, which you trust (pip install xacrodoc).")
    ] = False,
    xacro_arg: Annotated[
        list[str] | None,
        typer.Option("--xacro-arg", metavar="NAME=VALUE", help="Expand xacro files with this value; may be repeated."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Find what is wrong with URDF, MJCF and xacro files, and propose repairs.

    Each finding has its line, its evidence in numbers and, if one explains it, a repair. Files are changed by --fix and
    --in-place alone, and then only at the repairs: comments, order and formatting stay.

    [bold]Examples[/]

      armdyn doctor arm.urdf

      armdyn doctor arm.urdf --diff --fix mended.urdf

      armdyn doctor *.urdf --sarif findings.sarif --fail-on warning
    """
    if fail_on not in (*SEVERITIES, "never"):
        raise UnknownName.of("severity", fail_on, (*SEVERITIES, "never"), "--fail-on")
    files = [one for file in files for one in _matching(file)]
    _refuse(files, fix=fix, in_place=in_place, sarif=sarif, page=page)
    values = named_values("--xacro-arg", xacro_arg or [], "ur_type=ur5e") if xacro or xacro_arg else None
    done, refused = _examined(files, meshes, values, density)
    every = list(done.values())
    if json:
        unreadable = [{"file": file.name, "error": str(error)} for file, error in refused.items()]
        print_json({"files": [*(result.to_dict() for result in every), *unreadable]})
    else:
        _show(every, show_diff=show_diff)
    if sarif is not None:
        write_text(sarif, _text(log_of(every, [_folder(file) for file in done])))
    if page is not None:
        every[0].page(page)
        if not json:
            screen().print(f"wrote {page}", soft_wrap=True)
    for file, result in done.items():
        if fix is not None or in_place:
            _mend(file, result, fix or file, quiet=json)
    if refused:
        raise ModelError([str(error) for error in refused.values()])
    if fail_on != "never" and any(result.at_least(_severity(fail_on)) for result in every):
        raise typer.Exit(FOUND)


def _refuse(files: list[Path], *, fix: Path | None, in_place: bool, sarif: Path | None, page: Path | None) -> None:
    """Refuse options that exclude each other, and files that cannot be written."""
    if fix is not None and (len(files) > 1 or in_place):
        raise ShapeError("--fix writes one file to another name; for several files use --in-place, without --fix")
    if fix is not None and fix.resolve() == files[0].resolve():
        raise ShapeError(f"--fix {fix} is the file itself; --in-place writes over it")
    if page is not None and len(files) > 1:
        raise ShapeError("--page is of one file; expected one FILE")
    for option, out in (("--fix", fix), ("--sarif", sarif), ("--page", page)):
        if out is not None:
            refuse_unwritable(option, out)


def _matching(file: Path) -> list[Path]:
    """A file, or those that a pattern matches, for shells that leave patterns as they are."""
    if file.exists() or not any(sign in str(file) for sign in "*?["):
        return [file]
    result = sorted(Path(name) for name in glob(str(file), recursive=True))
    if not result:
        raise ModelError(f"no file matches {str(file)!r}")
    return result


def _examined(
    files: list[Path], meshes: bool | None, xacro_args: Mapping[str, object] | None, density: float | None
) -> tuple[dict[Path, Findings], dict[Path, Exception]]:
    """The findings of each file, and the reason for each that cannot be read; a single one is refused at once."""
    done: dict[Path, Findings] = {}
    refused: dict[Path, Exception] = {}
    for file in files:
        of_xacro = xacro_args if file.suffix == ".xacro" or len(files) == 1 else None
        try:
            done[file] = examine(file, meshes=meshes, xacro_args=of_xacro, density=density)
        except (ArmdynError, OSError) as error:
            if len(files) == 1:
                raise
            refused[file] = error
    return done, refused


def _folder(file: Path) -> str:
    """The folder of a file from the working directory, if it is below it."""
    folder, here = file.absolute().parent, Path.cwd()
    return (folder.relative_to(here) if folder.is_relative_to(here) else folder).as_posix()


def _severity(word: str) -> Severity:
    return next(one for one in SEVERITIES if one == word)


def _show(every: list[Findings], *, show_diff: bool) -> None:
    console = screen()
    for result in every:
        if result:
            show(console, _coloured(result.table()))
        console.print(result.summary())
        if show_diff:
            console.print(_diff(result), soft_wrap=True)


COLOURS = {"error": "red", "warning": "yellow", "note": "dim"}


def _coloured(table: TextTable) -> rich.table.Table:
    """The table of findings for a terminal, with the severities in colours."""
    on_screen = new_table("", *table.headings)
    for row in table.rows:
        on_screen.add_row(*(Text(cell, COLOURS.get(cell, "")) for cell in row))
    return on_screen


def _diff(findings: Findings) -> str:
    before, after = (data.decode("utf-8", "replace").splitlines() for data in (findings.source.data, findings.fixed()))
    name = findings.source.name
    return "\n".join(difflib.unified_diff(before, after, name, f"{name} (mended)", lineterm="", n=0))


def _refuse_read_only(target: Path) -> None:
    """Raise for a file without the right to write: a rename would replace it all the same."""
    if target.exists() and not target.stat().st_mode & 0o222:
        raise ShapeError(f"{target} is read-only; it is left alone. chmod u+w, or --fix writes another file")


def _mend(file: Path, findings: Findings, out: Path, *, quiet: bool) -> None:
    if file.read_bytes() != findings.source.data:
        raise ShapeError(f"{file} has changed since it was read; run armdyn doctor again")
    if out == file and not findings.edits:
        return
    included = findings.fixed_files()
    targets = [(out, findings.fixed())] if findings.edits or out != file else []
    if out == file:
        targets += [(file.parent / name, data) for name, data in included.items()]
        for name in included:
            if (file.parent / name).read_bytes() != findings.source.included[name].data:
                raise ShapeError(f"{name} has changed since it was read; run armdyn doctor again")
    elif included and not quiet:
        screen().print(f"repairs of {', '.join(included)} are not written: --in-place writes included files")
    for target, _ in targets:
        _refuse_read_only(target)
    for target, data in targets:
        write_bytes(target, data)
        if not quiet:
            screen().print(f"wrote {target}", soft_wrap=True)


def _text(log: object) -> str:
    return json.dumps(log, indent=2) + "\n"
