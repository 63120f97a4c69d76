"""`SineSource`: the origin of sine and cosine in a module of C: the library, its own source, or its user."""

from __future__ import annotations

import re
from dataclasses import dataclass

from armdyn.base.errors import Unsupported, excerpt
from armdyn.targets.c.dialect import Dialect
from armdyn.targets.c.names import KEYWORDS, OWN
from armdyn.targets.c.sincos import inline_sincos, one_of_both


@dataclass(frozen=True)
class SineSource:
    """The sine and cosine that ``sincos=`` of `to_c` chooses.

    Args:
        names: ``"libm"``, ``"inline"``, or the names of two functions that the user of the code writes.
    """

    names: str | tuple[str, str] = "libm"

    def __post_init__(self) -> None:
        names = self.names
        pair = isinstance(names, tuple) and len({*names}) == len(names) == 2 and all(map(_is_function, names))
        if names not in ("libm", "inline") and not pair:
            raise Unsupported(
                f"sincos={excerpt(names)}: expected 'libm', 'inline' (code for both comes with the source), or the "
                "names of two functions of yours in C, such as ('table_sin', 'table_cos')"
            )

    @property
    def supplied(self) -> frozenset[str]:
        """The functions that the user of the code writes."""
        return frozenset(self.names) if isinstance(self.names, tuple) else frozenset()

    @property
    def own(self) -> frozenset[str]:
        """The operations that do not need C's library."""
        return frozenset() if self.names == "libm" else frozenset({"sin", "cos"})

    @property
    def remarks(self) -> tuple[str, ...]:
        """Lines on sine and cosine for the head of the header."""
        if self.names == "libm":
            return ()
        if self.names == "inline":
            return ("Sine and cosine are polynomials in the source, right to some 1e-16 (float: 1e-7) for all angles.",)
        return (f"You supply {' and '.join(self.names)}, sine and cosine of an angle in rad.",)

    def dialect(self, plain: Dialect) -> Dialect:
        """A dialect that calls these functions."""
        if self.names == "libm":
            return plain
        if self.names == "inline":
            return plain.with_functions({"sin": OWN["sin"], "cos": OWN["cos"]}, sincos=OWN["sincos"])
        return plain.with_functions(dict(zip(("sin", "cos"), self.names, strict=True)))

    def declarations(self, dialect: Dialect) -> str:
        """The declarations of the user's functions in the header."""
        if not isinstance(self.names, tuple):
            return ""
        return "".join(f"{dialect.scalar} {name}({dialect.scalar} x);\n" for name in self.names) + "\n"

    def definitions(self, dialect: Dialect, code: str) -> str:
        """The functions of ``code`` that come with the source."""
        alone = [name for name in ("sin", "cos") if f"{OWN[name]}(" in code]
        if self.names != "inline" or not (alone or f"{OWN['sincos']}(" in code):
            return ""
        return inline_sincos(dialect, OWN["sincos"]) + "".join(one_of_both(dialect, OWN["sincos"], n) for n in alone)


def _is_function(name: object) -> bool:
    """True if a value is a valid name of a function in C."""
    if not isinstance(name, str) or name in KEYWORDS.split():
        return False
    return bool(re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII))
