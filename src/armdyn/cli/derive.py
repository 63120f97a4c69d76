"""``armdyn derive``: the equations of motion in closed form, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.completion import words
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import Overwrite, refuse_unwritable, write_into
from armdyn.cli.screen import screen
from armdyn.errors import ShapeError
from armdyn.robot import Robot

FORMS = ("lagrange", "newton-euler", "state-space", "configuration-space")
FORM = "lagrange, newton-euler, state-space or configuration-space."
SYMBOLS = "all, or PARAMETER=SYMBOL pairs separated by commas; numbers where it is not given."
BASE_PARAMETERS = "Name the combinations of masses and inertias that matter; needs --symbols all."


def derive(
    arm: Robot,
    form: Annotated[str, typer.Option("--form", help=FORM, autocompletion=words(*FORMS))] = "lagrange",
    symbols: Annotated[str | None, typer.Option("--symbols", metavar="SYMBOLS", help=SYMBOLS)] = None,
    latex: Annotated[Path | None, typer.Option("--latex", help="Write a LaTeX document to this file.")] = None,
    python: Annotated[Path | None, typer.Option("--python", help="Write a Python module to this file.")] = None,
    c: Annotated[Path | None, typer.Option("--c", metavar="FOLDER", help="Write C99 to this folder.")] = None,
    base_parameters: Annotated[bool, typer.Option("--base-parameters", help=BASE_PARAMETERS)] = False,
    no_limit: Annotated[bool, typer.Option("--no-limit", help="Derive arms of any size, however long.")] = False,
    overwrite: Overwrite = False,
    json: AsJson = False,
) -> None:
    """Equations of motion in closed form, derived step by step.

    Parameters are gravity, LINK.mass, LINK.com, LINK.com.x, LINK.inertia, LINK.inertia.xx, JOINT.placement,
    JOINT.armature, JOINT.damping, JOINT.friction and TIP.placement. A symbol for a vector is its length.

    [bold]Examples[/]

      armdyn derive planar_2r

      armdyn derive planar_2r --symbols link_1.mass=m1,link_1.com=L1,joint_2.placement=L1

      armdyn derive furuta --form newton-euler --symbols all --latex furuta.tex

      armdyn derive rp --form configuration-space --symbols all --python rp.py

      armdyn derive rp --symbols all --c firmware
    """
    from armdyn.derivation import derive as derived  # noqa: PLC0415 - SymPy is an extra
    from armdyn.derivation.printing import heading  # noqa: PLC0415

    for option, path in (("--latex", latex), ("--python", python)):
        if path is not None:
            refuse_unwritable(option, path)
    errors, written = screen(stderr=True), list[Path]()
    with errors.status("deriving") as status:
        found = derived(arm, form, symbols=read_symbols(symbols), limit=not no_limit, progress=status.update)
        if latex is not None:
            found.document(latex)
            written.append(latex)
        if python is not None:
            python.write_text(found.to_python(), encoding="utf-8")
            written.append(python)
        if c is not None:
            written += write_into("--c", c, found.to_c().write, overwrite=overwrite)
        parameters = found.base_parameters() if base_parameters else None
        if json:
            more = {} if parameters is None else {"base_parameters": str(parameters)}
            print_json({"robot": arm.name, "form": form, "equations": str(found), **more, "files": written})
            return
        text = "\n".join(f"{path}: {heading(found)}" for path in written) or str(found)
        if parameters is not None:
            text += f"\n\n{parameters}"
    screen().print(text, soft_wrap=True)


def read_symbols(text: str | None) -> str | dict[str, str] | None:
    """``all``, or the symbol of each parameter.

    >>> read_symbols("link_1.mass=m1, gravity=g")
    {'link_1.mass': 'm1', 'gravity': 'g'}
    """
    if text is None or text == "all":
        return text
    symbols: dict[str, str] = {}
    for pair in text.split(","):
        name, equals, symbol = pair.strip().rpartition("=")
        if not equals or not name or not symbol:
            raise ShapeError(f"--symbols has {pair.strip()!r}; expected 'all', or PARAMETER=SYMBOL such as gravity=g")
        if name in symbols:
            raise ShapeError(f"--symbols names {name!r} more than once; expected one symbol for each parameter")
        symbols[name] = symbol
    return symbols
