"""Results of a derivation as a Python module that imports only ``math``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from keyword import kwlist
from typing import TYPE_CHECKING

import sympy
from sympy.printing.pycode import PythonCodePrinter

from armdyn.base.scalars import Scalar
from armdyn.derivation.printing import heading, short, symbol_description

if TYPE_CHECKING:
    from armdyn.derivation.named_results import DynamicsResults

FUNCTIONS = {
    "joint_forces": ("tau", ("q", "qd", "qdd"), "Joint forces tau, N m or N, one a coordinate."),
    "mass_matrix": ("M", ("q",), "Mass matrix M, kg m^2 and kg, by rows."),
    "velocity_forces": ("c", ("q", "qd"), "Coriolis and centrifugal forces c, N m or N, one a coordinate."),
    "gravity_forces": ("g", ("q",), "Forces of gravity g, N m or N, one a coordinate."),
}
"""Functions of the module: result, arguments, documentation."""


class NumberPrinter(PythonCodePrinter):  # type: ignore[misc]  # SymPy has no types
    """Printer of Python expressions with exact round trip of numbers."""

    def _print_Float(self, number: Scalar) -> str:
        return repr(float(number))


class _Python(NumberPrinter):
    def _print_sign(self, sign: Scalar) -> str:
        x = self._print(sign.args[0])
        return f"(({x} > 0) - ({x} < 0))"


def source_of(derivation: DynamicsResults) -> str:
    """The source text of the module."""
    names = "\n".join(f"    {s}: {symbol_description(derivation, s)}" for s in derivation.arm.parameters)
    documented = f"\n\n{names}\n" if names else ""
    head = f'"""{heading(derivation)}.{documented}"""'.replace("\\", "/")
    parts = [head, "", "from math import cos, sin"]
    for name, (result, arguments, documentation) in FUNCTIONS.items():
        parts += ["", "", *_function(derivation, name, result, arguments, documentation)]
    return "\n".join(parts) + "\n"


def _function(
    derivation: DynamicsResults, name: str, result: str, arguments: tuple[str, ...], documentation: str
) -> Iterator[str]:
    expression = derivation[result]
    words = identifiers_of(derivation)
    keywords = [
        f"{words[s]}={derivation.values[s]!r}" if s in derivation.values else str(words[s])
        for s in derivation.arm.parameters
    ]
    signature = ", ".join([*arguments, *(["*", *keywords] if keywords else [])])
    yield f"def {name}({signature}):"
    yield f'    """{documentation}"""'
    for kind in arguments:
        for i, symbol in enumerate(derivation.arm.algebra.symbols[kind]):
            if symbol in expression.free_symbols:
                yield f"    {symbol} = {kind}[{i}]"
    waves = sorted(expression.atoms(sympy.cos, sympy.sin), key=str)
    names_in_use = {str(word) for word in words.values()}
    local = {wave: sympy.Symbol(_unlike(_variable(wave), names_in_use)) for wave in waves}
    printer = _Python({"fully_qualified_modules": False})
    for wave, variable in local.items():
        yield f"    {variable} = {printer.doprint(wave)}"
    rows = [
        [printer.doprint(expression[i, j].xreplace({**local, **words})) for j in range(expression.shape[1])]
        for i in range(expression.shape[0])
    ]
    entries = [row[0] if expression.shape[1] == 1 and result != "M" else f"[{', '.join(row)}]" for row in rows]
    yield "    return ["
    yield from (f"        {entry}," for entry in entries)
    yield "    ]"


TAKEN = frozenset({*kwlist, "cos", "sin"})
"""Reserved names, which no argument of the module's functions may have."""


def identifiers_of(derivation: DynamicsResults) -> dict[Scalar, object]:
    """The names of the symbols in the module; a reserved name gets an underscore."""
    result: dict[Scalar, object] = {}
    for symbol in derivation.arm.parameters:
        others = {
            *TAKEN,
            *(str(word) for word in result.values()),
            *(s.name for s in derivation.arm.parameters if s != symbol),
        }
        result[symbol] = sympy.Symbol(_unlike(symbol.name, others))
    return result


def _unlike(name: str, taken: Collection[str]) -> str:
    """The name, extended if it is already used."""
    while name in taken:
        name += "_"
    return name


def _variable(wave: Scalar) -> str:
    """The name of a cosine or sine, e.g. c12, or one derived from its angle."""
    name = str(short(wave))
    if name.replace("-", "").replace(",", "").isalnum() and name[0] in "cs":
        name = f"{name[0]}_{name[1:]}"  # not a name of any parameter
    letter = "c" if isinstance(wave, sympy.cos) else "s"
    replaced = name.replace("-", "_m").replace(",", "_")
    return replaced if replaced.isidentifier() else f"{letter}_" + re.sub(r"\W+", "_", str(wave.args[0])).strip("_")
