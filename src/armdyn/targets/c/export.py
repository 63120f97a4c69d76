"""`to_c`: a program, a rollout, or several of them as a module of C99."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from armdyn.base.errors import Unsupported, excerpt
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.c.body import LONGEST
from armdyn.targets.c.code import CCode
from armdyn.targets.c.dialect import DOUBLE, FLOAT, INLINE, Dialect
from armdyn.targets.c.functions import CFunction, States
from armdyn.targets.c.names import OWN, c_name, file_name
from armdyn.targets.c.notes import Notes
from armdyn.targets.c.sine_source import SineSource
from armdyn.targets.identifiers import chosen_name
from armdyn.targets.sizes import refuse_large

DIALECTS: Mapping[str, Dialect] = {"double": DOUBLE, "float": FLOAT}

LARGEST = 50_000
"""The most operations of a function, for which gcc takes a minute."""

WHY_NO_MORE = "compilers take minutes. Export parts of it, or the functions it is made of"


def to_c(
    program: Program | Rollout,
    *,
    name: str | None = None,
    scalar: str = "double",
    sincos: str | tuple[str, str] = "libm",
    state: str | Iterable[str] = (),
    notes: Notes | None = None,
    about: Sequence[str] = (),
    states: States = dict,
) -> CCode:
    """The program as C99: a header, a source, a program that tests itself, and a CMakeLists.txt.

    The code allocates nothing, and calls only the functions of ``math.h`` that the program contains; the header lists
    them. A rollout becomes a struct of its state, a function ``NAME_init`` that sets it to zero, and ``NAME_step``.

    Args:
        program: the program to export; for several functions in one file use `c_code`.
        name: the name of the function and of the files; the program's own if not given.
        scalar: "double" or "float".
        sincos: the source of sine and cosine: "libm"; "inline", armdyn's code in the source, so that no library is
            needed; or the names of two functions that you supply, e.g. with a table.
        state: names shared by an input and a result, which become a struct, as in a rollout, e.g. a
            controller's integral or a filter.
        notes: comments on the arrays; for a robot's functions those of their documentation.
        about: lines at the head of the header.
        states: a function that returns values of inputs for the self-test program, by the inputs' names, of shape
            (m, *shape of the input); others are spread evenly between -1 and 1.

    Returns:
        The files as text; `CCode.write` writes them into a folder.

    Raises:
        Unsupported: if names are equal in C, the scalar is another one, or the program is too large.

    >>> program = armdyn.load("planar_2r").gravity_forces.program()
    >>> print(program.to_c(scalar="float").source)
    #include "gravity_forces.h"
    <BLANKLINE>
    #include <math.h>
    ...
    """
    carried = (state,) if isinstance(state, str) else tuple(state)
    chosen = with_state(program, carried) if isinstance(program, Program) and carried else program
    plain = c_name(chosen_name(name, chosen.name))
    return c_code([CFunction.of(plain, chosen, notes, states)], plain, scalar=scalar, sincos=sincos, about=about)


def with_state(program: Program, state: Sequence[str]) -> Rollout:
    """A rollout of the program, in which results replace the inputs with their names.

    Raises:
        UnknownName: if a name is not an input or not a result.
    """
    return Rollout(program, carry=[(name, name) for name in state])


def c_code(
    functions: Sequence[CFunction],
    name: str,
    *,
    scalar: str = "double",
    sincos: str | tuple[str, str] = "libm",
    about: Sequence[str] = (),
    longest: int = LONGEST,
) -> CCode:
    """Several functions as one module of C99, with the options of `to_c`.

    Args:
        functions: the functions, in order.
        name: the name of the files.
        scalar: "double" or "float".
        sincos: "libm", "inline" or two names.
        about: lines at the head of the header.
        longest: the most characters of an expression inside another one; with 0 every operation is a statement.

    Raises:
        Unsupported: for the reasons of `to_c`.
    """
    if scalar not in DIALECTS:
        raise Unsupported(f"scalar={excerpt(scalar)}: expected 'double' or 'float'")
    if not functions:
        raise Unsupported(f"{name}: no function is named; expected one at least, such as 'inverse_dynamics'")
    sines = SineSource(sincos)
    dialect = sines.dialect(DIALECTS[scalar].with_functions({name: OWN[name] for name in INLINE}))
    _refuse_same(functions, sines)
    for function in functions:
        refuse_large(function.program, LARGEST, WHY_NO_MORE, name=function.name)
    return CCode(file_name(name), tuple(functions), dialect, sines, tuple(about), longest)


def _refuse_same(functions: Sequence[CFunction], sines: SineSource) -> None:
    """Raise unless all functions have different names, and arrays differ from functions that the user supplies."""
    symbols = [symbol for function in functions for symbol in function.symbols]
    duplicates = sorted({symbol for symbol in symbols if symbols.count(symbol) > 1})
    if duplicates:
        raise Unsupported(f"{', '.join(duplicates)}: two functions of the file have this name; give them other names")
    for function in functions:
        arrays = {*function.input_names.values(), *function.result_names.values()}
        same = sorted({*function.symbols, *arrays} & sines.supplied)
        if same:
            raise Unsupported(
                f"{same[0]} is a function of yours, sincos={sines.names!r}, and a name in {function.name}; rename one"
            )
