"""``armdyn derive``: the equations of motion in closed form, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.base.errors import ModelError, ShapeError, UnknownName
from armdyn.base.extras import extra
from armdyn.base.writing import write_text
from armdyn.cli.completion import words
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import Overwrite, refuse_unwritable, write_into
from armdyn.cli.screen import screen
from armdyn.robot import Robot

FORMS = ("lagrange", "newton-euler", "state-space", "configuration-space", "task-space", "constrained")
FORM = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}."
COMPONENTS = "Of the tip's velocity, such as vx,vy: a task's; or those that are zero, of --form constrained."
EXPRESSED_IN = "body, world or space, for --components; body for a task, world for a constraint if left out."
SYMBOLS = "all, or PARAMETER=SYMBOL pairs separated by commas; numbers if it is not given."
BASE_PARAMETERS = "Name the combinations of masses and inertias that matter; needs --symbols all."


def derive(
    arm: Robot,
    form: Annotated[str, typer.Option("--form", help=FORM, autocompletion=words(*FORMS))] = "lagrange",
    symbols: Annotated[str | None, typer.Option("--symbols", metavar="SYMBOLS", help=SYMBOLS)] = None,
    components: Annotated[str | None, typer.Option("--components", metavar="NAMES", help=COMPONENTS)] = None,
    expressed_in: Annotated[
        str | None, typer.Option("--expressed-in", help=EXPRESSED_IN, autocompletion=words("body", "world", "space"))
    ] = None,
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

      armdyn derive planar_2r --form task-space --components vx,vy --expressed-in world

      armdyn derive planar_2r --form constrained --components vx --latex channel.tex
    """
    extra("sympy", "armdyn derive", library="SymPy")
    from armdyn.derivation.printing import heading  # noqa: PLC0415 - it imports SymPy

    task = _task(form, components, expressed_in)
    if task is not None and (python is not None or c is not None or base_parameters):
        raise ShapeError(f"--python, --c and --base-parameters are of tau, M, c and g; leave out --form {form}")
    for option, path in (("--latex", latex), ("--python", python)):
        if path is not None:
            refuse_unwritable(option, path)
    errors, written = screen(stderr=True), list[Path]()
    with errors.status("deriving") as status:
        equations = derived(arm, form, read_symbols(symbols), task, limit=not no_limit, progress=status.update)
        if latex is not None:
            equations.document(latex)
            written.append(latex)
        if python is not None:
            write_text(python, equations.to_python())
            written.append(python)
        if c is not None:
            written += write_into("--c", c, equations.to_c().write, overwrite=overwrite)
        parameters = equations.base_parameters() if base_parameters else None
        if json:
            more = {} if parameters is None else {"base_parameters": str(parameters)}
            print_json({"robot": arm.name, "form": form, "equations": str(equations), **more, "files": written})
            return
        text = "\n".join(f"{path}: {heading(equations)}" for path in written) or str(equations)
        if parameters is not None:
            text += f"\n\n{parameters}"
    screen().print(text, soft_wrap=True)


def _task(form: str, components: str | None, expressed_in: str | None) -> dict[str, object] | None:
    """The arguments of `Derivation.task_space` and `Derivation.constrained`; None for other forms."""
    if form not in FORMS:
        raise UnknownName.of("form", form, FORMS, "armdyn derive")
    if form not in ("task-space", "constrained"):
        if components is not None or expressed_in is not None:
            raise ShapeError(f"--components and --expressed-in are of --form task-space and constrained, not of {form}")
        return None
    if form == "task-space" and components is None:
        raise ShapeError("--form task-space needs --components, as many as the arm has coordinates, such as vx,vy")
    if components is None and expressed_in is not None:
        raise ShapeError("--expressed-in is for --components; the robot's own constraints have their axes")
    names = None if components is None else [name.strip() for name in components.split(",")]
    return {"names": names} | ({} if expressed_in is None else {"expressed_in": expressed_in})


def derived(robot: Robot, form: str, symbols: Any, task: dict[str, Any] | None, **settings: Any) -> Any:
    """A derivation, or its task-space or constrained form."""
    from armdyn.derivation import derive as derivation  # noqa: PLC0415 - SymPy is an extra

    if task is None:
        return derivation(robot, form, symbols=symbols, **settings)
    names, way = task["names"], {key: value for key, value in task.items() if key != "names"}
    if form == "task-space":
        return derivation(robot, symbols=symbols, **settings).task_space(names, **way)
    if names is None and not robot.model.constraints:
        raise ModelError(
            f"{robot.name!r} has no constraints; name components of the tip's velocity that are zero, such as "
            "--components vx, or take a description with constraints"
        )
    constraints = [*robot.model.constraints, *(names or ())]
    return derivation(robot.without_constraints(), symbols=symbols, **settings).constrained(constraints, **way)


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
