"""Names of arrays and joints as identifiers of another language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from armdyn.base.errors import Unsupported, excerpt


def identifier(name: str, reserved: Collection[str] = ()) -> str:
    """Letters, digits and single underscores, a letter first; an underscore after a reserved word.

    >>> identifier("forearm_link.mass"), identifier("2nd joint"), identifier("double", {"double"})
    ('forearm_link_mass', 'x2nd_joint', 'double_')
    """
    if not isinstance(name, str):
        raise TypeError(f"the name {excerpt(name)} is not text; expected a str")
    plain = re.sub(r"[^A-Za-z0-9]+|_+", "_", name).strip("_") or "x"
    plain = plain if plain[0].isalpha() else f"x{plain}"
    return f"{plain}_" if plain in reserved else plain


def chosen_name(name: str | None, otherwise: str) -> str:
    """The chosen name, or the default ``otherwise`` if there is none.

    >>> chosen_name(None, "ur5"), chosen_name("arm", "ur5")
    ('ur5', 'arm')

    Raises:
        Unsupported: a name without a letter or a digit.
    """
    if isinstance(name, str) and not any(map(str.isalnum, name)):
        raise Unsupported(f"name={name!r} has no letter and no digit; give another name, or leave it out")
    return otherwise if name is None else name


def identifiers(names: Iterable[str], language: str, reserved: Collection[str] = ()) -> dict[str, str]:
    """An identifier for every name.

    Raises:
        Unsupported: if two names become one identifier.
    """
    result: dict[str, str] = {}
    for name in names:
        mine = identifier(name, reserved)
        other = next((n for n, text in result.items() if text == mine and n != name), None)
        if other is not None:
            raise Unsupported(f"{other!r} and {name!r} are both {mine!r} in {language}; rename one of them")
        result[name] = mine
    return result


def of_both_sides(
    inputs: Iterable[str], outputs: Iterable[str], language: str, reserved: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Identifiers for inputs and for outputs, all different: ``q_out`` for an output ``q`` if an input is called ``q``.

    >>> of_both_sides(["q", "qd"], ["q", "energy"], "C")
    ({'q': 'q', 'qd': 'qd'}, {'q': 'q_out', 'energy': 'energy'})

    Raises:
        Unsupported: if two inputs, or two outputs, become one identifier.
    """
    names = identifiers(inputs, language, reserved)
    result: dict[str, str] = {}
    for name, plain in identifiers(outputs, language, reserved).items():
        mine = f"{plain}_out" if plain in names.values() else plain
        result[name] = f"{mine}_" if mine in {*names.values(), *result.values()} else mine
    return names, result
