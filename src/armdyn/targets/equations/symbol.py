"""Symbols: a word and indices, with their forms in Unicode, in LaTeX and in source code."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from armdyn.targets.identifiers import identifier

_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)


def _greek(word: str) -> str:
    name = "LAMDA" if word.lower() == "lambda" else word.upper()
    return unicodedata.lookup(f"GREEK {'SMALL' if word.islower() else 'CAPITAL'} LETTER {name}")


GREEK = {word: _greek(word) for word in _LETTERS.split()}
"""Greek letters by their names."""

_WORDS = {letter: word for word, letter in GREEK.items()}

SPECIAL = {
    "qd": ("q\u0307", r"\dot{q}"),
    "qdd": ("q\u0308", r"\ddot{q}"),
    "Mdot": ("M\u0307", r"\dot{M}"),
    "Jdot": ("J\u0307", r"\dot{J}"),
    "Minv": ("M⁻¹", "(M^{-1})"),
    "f_tip": ("f_tip", r"f_{\mathrm{tip}}"),
    "f_ext": ("f_ext", r"f_{\mathrm{ext}}"),
}
"""Words with a special symbol, in Unicode and in LaTeX."""

_SUBSCRIPTS = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_COMBINING = ("\u0307", "\u0308")
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {character: f"\\{character}" for character in "#$%&_{}"}


@dataclass(frozen=True)
class Symbol:
    """The name of a scalar, ``q`` with index (2,), or of an array: without its indices."""

    word: str
    index: tuple[int, ...] = ()
    """The indices, counted from 1."""

    @property
    def unicode(self) -> str:
        """The symbol in Unicode, ``q̇₂``.

        >>> from armdyn.targets.equations.symbol import Symbol
        >>> Symbol("tau", (2,)).unicode, Symbol("M", (1, 2)).unicode, Symbol("Y", (1, 12)).unicode
        ('τ₂', 'M₁₂', 'Y[1,12]')
        """
        base = SPECIAL[self.word][0] if self.word in SPECIAL else GREEK.get(self.word, self.word)
        if not self.index:
            return base
        if self._is_compact and not base[-1].isdigit():
            return base + subscript("".join(map(str, self.index)))
        return f"{base}[{','.join(map(str, self.index))}]"

    @property
    def latex(self) -> str:
        r"""The symbol in LaTeX, ``\dot{q}_{2}``.

        >>> from armdyn.targets.equations.symbol import Symbol
        >>> print(Symbol("qdd", (2,)).latex, Symbol("Y", (1, 12)).latex, Symbol("forearm_link.mass").latex)
        \ddot{q}_{2} Y_{1,12} \mathrm{forearm\_link.mass}
        """
        base = _latex_word(self.word)
        if not self.index:
            return base
        index = ("" if self._is_compact else ",").join(map(str, self.index))
        return f"{base[:-1]},{index}}}" if base.startswith("f_{") else f"{base}_{{{index}}}"

    def identifier(self, *, compact: bool = True) -> str:
        """The symbol in source code, ``qd2``, or ``qd_2`` if not ``compact``.

        >>> from armdyn.targets.equations.symbol import Symbol
        >>> Symbol("qd", (2,)).identifier(), Symbol("Y", (1, 12)).identifier()
        ('qd2', 'Y_1_12')
        """
        word = identifier(self.word)
        return (
            word + "".join(map(str, self.index))
            if compact and self._is_compact
            else "_".join([word, *map(str, self.index)])
        )

    @property
    def _is_compact(self) -> bool:
        """True if its indices can be written without separators."""
        return len(self.index) < 2 or max(self.index) < 10


def _latex_word(word: str) -> str:
    if word in SPECIAL:
        return SPECIAL[word][1]
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) == 1 and word.isascii() and word.isalpha() else rf"\mathrm{{{escape_latex(word)}}}"


def escape_latex(text: str) -> str:
    r"""Text escaped for LaTeX, also for pdflatex, whose fonts have Latin letters; others become their code points.

    >>> from armdyn.targets.equations.symbol import escape_latex
    >>> print(escape_latex("tool_0 & 50 %"), escape_latex("Gelenk \u03b8, \u8f74"))
    tool\_0 \& 50 \% Gelenk \ensuremath{\theta}, [U+8F74]
    """
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character in _TEX:
        return _TEX[character]
    if character in _WORDS:
        return rf"\ensuremath{{\{_WORDS[character]}}}"
    return character if character.isprintable() and character <= "\u00ff" else f"[U+{ord(character):04X}]"


def subscript(text: str) -> str:
    """A text with its digits and signs as subscripts."""
    return text.translate(_SUBSCRIPTS)


def superscript(number: int) -> str:
    """An integer in superscript digits."""
    return str(number).translate(_SUPERSCRIPTS)


def columns(text: str) -> int:
    """The width of a text on a terminal; combining dots have no width."""
    return len(text) - sum(text.count(mark) for mark in _COMBINING)
