"""Which terms get a name: those that are needed more than once, and parts of what is too long for a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from armdyn.targets.equations.term import Term, Terms

SYMBOL = 3
"""Characters of a symbol, about."""


def uses(terms: Terms) -> Counter[Term]:
    """How often each term stands in another or among the results. A negation hands its uses on to what it negates."""
    counts = Counter(term for output in terms.results for term in output)
    for term in reversed(terms.evaluated):
        for argument in term.arguments:
            counts[argument] += counts[term] if term.operation == "neg" else 1
    return counts


def named(terms: Terms, always: Collection[Term], longest: int) -> set[Term]:
    """The terms that get a name, such that no right-hand side has many more than ``longest`` characters.

    Where one is longer, its longest part is named, until it fits: one pass in order of evaluation.
    """
    counts = uses(terms)
    found = {t for t in terms.evaluated if t in always or (counts[t] > 1 and not t.is_atom and t.operation != "neg")}
    widths = dict.fromkeys(terms.inputs, SYMBOL)

    def width(term: Term) -> int:
        return SYMBOL if term in found else widths[term]

    for term in terms.evaluated:
        parts = {a.unsigned for a in term.arguments if not a.unsigned.is_atom} - found
        for part in sorted(parts, key=lambda p: -widths[p]):
            if _width(term, [width(a.unsigned) for a in term.arguments]) > longest:
                found.add(part)
        widths[term] = _width(term, [width(a.unsigned) for a in term.arguments])
    return found


def _width(term: Term, arguments: list[int]) -> int:
    """Characters of a term, about."""
    if term.operation == "const":
        return len(repr(term.value))
    return sum(arguments) + (3 if len(arguments) > 1 else len(term.operation) + 2)
