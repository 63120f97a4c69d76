"""Functions of a robot chosen for an export, and several of them as one module of C99."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from armdyn.base.errors import UnknownName, excerpt
from armdyn.declaration import Function
from armdyn.functions import CompiledFunction
from armdyn.functions.c_notes import about, notes_of
from armdyn.functions.motion_states import motion_states
from armdyn.program import Program
from armdyn.program.merging import merged
from armdyn.robot.method import Method
from armdyn.targets.c.code import CCode
from armdyn.targets.c.export import c_code
from armdyn.targets.c.functions import CFunction
from armdyn.targets.c.names import c_name
from armdyn.targets.c.notes import Notes
from armdyn.targets.identifiers import chosen_name

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike


Functions: TypeAlias = str | Function | CompiledFunction | Iterable[str | Function | CompiledFunction]
"""Names of a robot's methods; or functions of one's own, declared or compiled. Or one of them."""


class ExportedFunction(NamedTuple):
    """A function of a robot, with everything fixed: its name, its program, and the notes on its arrays."""

    name: str
    program: Program
    notes: Notes


def chosen_functions(
    robot: RobotLike,
    functions: Functions,
    optional_inputs: str | Iterable[str] = (),
    parameters: str | Iterable[str] = (),
    **options: object,
) -> list[ExportedFunction]:
    """The programs of functions, by the names of the robot's methods, or declared or compiled ones.

    Args:
        robot: whose functions they are.
        functions: which.
        optional_inputs: names of optional arrays that count as given, e.g. "f_tip", in the functions that have them.
        parameters: of the model that are arguments of all of them too, as of `Robot.compile`.
        options: e.g. ``expressed_in="body"``, for the functions that have them.

    Raises:
        UnknownName: a function that the robot does not have; an array or option that none of the functions has.
    """
    if not isinstance(functions, Iterable | Function | CompiledFunction):
        raise TypeError(f"functions={excerpt(functions)}: expected names of methods of {robot.name!r}, or functions")
    several = [functions] if isinstance(functions, str | Function | CompiledFunction) else list(functions)
    named = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    compiled = [_compiled(robot, function, named) for function in several]
    optional_inputs = (optional_inputs,) if isinstance(optional_inputs, str) else tuple(optional_inputs)
    arrays = [name for f in compiled for name in f._inputs.positional if name not in f._inputs.required]
    _refuse_unread("optional array", optional_inputs, arrays, compiled)
    _refuse_unread("option", options, [name for f in compiled for name in f.function.options], compiled)
    return [_exported(function, optional_inputs, options) for function in compiled]


def _exported(function: CompiledFunction, optional_inputs: Iterable[str], options: dict[str, Any]) -> ExportedFunction:
    own = {name: value for name, value in options.items() if name in function.function.options}
    program = function.program(
        optional_inputs=[name for name in optional_inputs if name in function._inputs.positional], **own
    )
    return ExportedFunction(function.function.name, program, notes_of(function._inputs))


def _compiled(
    robot: RobotLike, function: str | Function | CompiledFunction, parameters: tuple[str, ...]
) -> CompiledFunction:
    if isinstance(function, CompiledFunction):
        more = tuple(dict.fromkeys((*function.parameters, *parameters)))
        return CompiledFunction(function.arm, function.function, more) if parameters else function
    if not isinstance(function, str):
        return robot.compile(function, parameters=parameters)
    methods = [name for name, m in vars(type(robot)).items() if isinstance(m, Method) and m.fits(robot)]
    if function not in methods:
        raise UnknownName.of("function", function, methods, repr(robot.name))
    value: CompiledFunction = getattr(robot, function)
    return robot.compile(value.function, parameters=parameters) if parameters else value


def _refuse_unread(kind: str, names: Iterable[str], choices: Iterable[str], functions: list[CompiledFunction]) -> None:
    """Raise for arguments that none of the functions reads."""
    choices = list(dict.fromkeys(choices))
    for name in names:
        if name not in choices:
            raise UnknownName.of(kind, name, choices, ", ".join(f.function.name for f in functions))


def to_c(
    robot: RobotLike,
    /,
    functions: Functions,
    *,
    name: str | None = None,
    shared: bool = False,
    scalar: str = "double",
    sincos: str | tuple[str, str] = "libm",
    optional_inputs: str | Iterable[str] = (),
    parameters: str | Iterable[str] = (),
    **options: object,
) -> CCode:
    """Functions of the robot as one module of C99: a header, a source, a self-test and a CMakeLists.txt.

    Each becomes ``NAME_function``. If they are always needed together, let them share their work: one function ``NAME``
    that computes all of them, and their common parts once.

    Args:
        robot: whose functions they are.
        functions: names of its methods, e.g. "inverse_dynamics"; or functions of your own, declared or compiled.
        name: of the files, and the beginning of the functions' names; the robot's own if not given.
        shared: compile them into one function.
        scalar: "double" or "float".
        sincos: "libm"; "inline", so that no library is needed; or the names of two functions that you supply.
        optional_inputs: names of optional arrays that are arguments in C, e.g. "f_tip".
        parameters: of the model that are arguments in C, e.g. "gravity" or "LINK.mass", as of `Robot.compile`.
        options: of the functions, e.g. ``expressed_in="body"``.

    Raises:
        UnknownName: a function, an array or an option that does not exist.
        Unsupported: names that are equal in C.

    >>> robot = armdyn.load("ur5")
    >>> code = robot.to_c(["forward_kinematics", "jacobian"], shared=True, expressed_in="space")
    >>> code
    <C of ur5: ur5.h, ur5.c, ur5_selftest.c, CMakeLists.txt>
    >>> print(code.header)
    /* ur5.h, made by armdyn ...
    void ur5(const double q[6], double forward_kinematics[16], double jacobian[36]);
    ...
    """
    plain = c_name(chosen_name(name, robot.name))
    chosen, states = (
        chosen_functions(robot, functions, optional_inputs, parameters, **options),
        partial(motion_states, robot),
    )
    if shared:
        result = [replace(_merge(plain, chosen), states=states)]
    else:
        result = [CFunction.of(c_name(f"{plain}_{f.name}"), f.program, f.notes, states) for f in chosen]
    return c_code(result, plain, scalar=scalar, sincos=sincos, about=about(robot.model))


def _merge(name: str, chosen: list[ExportedFunction]) -> CFunction:
    """One function of all."""
    program = merged([f.program for f in chosen], name)
    summary = f"{', '.join(f.name for f in chosen)} together."
    entries = {array: text for f in reversed(chosen) for array, text in f.notes.arrays.items()}
    own = {f.name: f.notes.summary for f in chosen}
    return CFunction.of(name, program, Notes(summary, entries | own))
