"""The choice of terms with a name: terms that are used more than once, and parts of terms too long for a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from armdyn.targets.equations.term import Term, Terms

SYMBOL = 3
"""The approximate length of a symbol, characters."""


def uses(terms: Terms, signed: Collection[Term] = ()) -> Counter[Term]:
    """The number of uses of each term in other terms or as a result.

    A negation passes its uses on to its argument, except for those in ``signed``, which count as separate terms.
    """
    counts = Counter(term for output in terms.results for term in output)
    for term in reversed(terms.evaluated):
        for argument in term.arguments:
            counts[argument] += counts[term] if term.operation == "neg" and term not in signed else 1
    return counts


def signed_results(terms: Terms, always: Collection[Term]) -> set[Term]:
    """Results -x whose x has no other use: x gets no name, -x the name of the result."""
    direct = Counter(argument for term in terms.evaluated for argument in term.arguments)
    results = {term for output in terms.results for term in output}
    negated = {term: term.arguments[0] for term in results if term.operation == "neg"}
    free = {x for x in negated.values() if not x.is_atom and x not in always and x not in results and direct[x] == 1}
    return {term for term, x in negated.items() if x in free}


def terms_to_name(terms: Terms, always: Collection[Term], longest: int) -> set[Term]:
    """The terms that get a name, such that no right-hand side has many more than ``longest`` characters.

    If one is longer, its longest part is named, until it fits: one pass in order of evaluation.
    """
    signed = signed_results(terms, always)
    counts = uses(terms, signed)
    result = {t for t in terms.evaluated if t in always or (counts[t] > 1 and not t.is_atom and t.operation != "neg")}
    result |= signed
    widths = dict.fromkeys(terms.inputs, SYMBOL)

    def width(term: Term) -> int:
        return SYMBOL if term in result else widths[term]

    def part(term: Term) -> Term:
        """The term that may get a name: for a negation its argument."""
        return term if term in result or term.operation != "neg" else part(term.arguments[0])

    for term in terms.evaluated:
        parts = [part(a) for a in term.arguments]
        for longer in sorted((p for p in parts if not p.is_atom and p not in result), key=lambda p: -widths[p]):
            if _width(term, [width(p) for p in parts]) > longest:
                result.add(longer)
        widths[term] = _width(term, [width(p) for p in parts])
    return result


def _width(term: Term, arguments: list[int]) -> int:
    """The approximate length of a term, characters."""
    if term.operation == "const":
        return len(repr(term.value))
    return sum(arguments) + (3 if len(arguments) > 1 else len(term.operation) + 2)
