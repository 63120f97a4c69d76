"""Joint angles, sums of them, and their sines and cosines: s1 = sin q1, q23 = q2 + q3, c23 = cos q23."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from armdyn.targets.equations.symbol import Symbol
from armdyn.targets.equations.term import Term, Terms

if TYPE_CHECKING:
    from armdyn.program.program import Program

ANGLES = "q"
"""The array whose sines and cosines have special symbols."""


def sums_of_angles(program: Program, terms: Terms) -> dict[Term, tuple[int, ...]]:
    """The numbers of the joints in every sum of joint angles, single angles included; for up to nine joints."""
    result: dict[Term, tuple[int, ...]] = {}
    position = 0
    for port in program.inputs:
        if port.name == ANGLES and len(port.shape) == 1:
            result = {term: (k + 1,) for k, term in enumerate(terms.inputs[position : position + port.size])}
        position += port.size
    if len(result) > 9:
        return result
    for term in terms.evaluated:
        if term.operation == "add" and all(a in result for a in term.arguments):
            joints = [joint for a in term.arguments for joint in result[a]]
            if len(set(joints)) == len(joints):
                result[term] = tuple(sorted(joints))
    return result


def of_angles(terms: Terms, sums: Mapping[Term, tuple[int, ...]], sine: str, cosine: str) -> dict[Term, Symbol]:
    """The symbols of sines and cosines of joint angles, and of the sums of angles in them."""
    result: dict[Term, Symbol] = {}
    words = {"sin": sine, "cos": cosine}
    for term in terms.evaluated:
        if term.operation in words and term.arguments[0] in sums:
            angle = term.arguments[0]
            if not angle.is_atom:
                result[angle] = Symbol(ANGLES, sums[angle])
            result[term] = Symbol(words[term.operation], sums[angle])
    return result
