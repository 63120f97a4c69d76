"""Numbers that a reader passes over in silence: another number in their place changes nothing, and nothing is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import armdyn
from fuzz.cases import Finding, Verdict
from fuzz.meaning import Reading


@dataclass(frozen=True)
class Poke:
    """A file written anew, and the same with other numbers in one place.

    Args:
        base: the file in another spelling.
        others: the same with another number, likelier and likelier to be felt.
        words: the keys that lead to the number, one of which is to be named where the number is not used.
        place: the words among them that the format has, for the signature of a finding.
    """

    base: bytes
    others: Sequence[bytes]
    words: Sequence[str]
    place: str


def judged_by_poke(first: Reading, poke: Poke | None, read: Callable[[bytes], Reading]) -> Verdict:  # noqa: PLR0911
    """The verdict on a file that was read: in another spelling it is the same, and each of its numbers counts."""
    if poke is None:
        return Verdict("read")
    try:
        base = read(poke.base)
    except armdyn.ArmdynError as error:
        return Verdict("read", Finding("difference", "refused in another spelling", f"{error}\n{poke.base!r}"))
    if base.meaning != first.meaning:
        detail = f"{first.meaning}\n{base.meaning}\n{poke.base!r}"
        return Verdict("read", Finding("difference", "another meaning in another spelling", detail))
    for other in poke.others:
        try:
            after = read(other)
        except armdyn.ArmdynError:
            return Verdict("read, another number refused")
        if after != base:
            return Verdict("read, another number felt")
    if any(word and word in base.said for word in poke.words):
        return Verdict("read, a number not used, as is said")
    detail = f"{poke.others[-1]!r} means the same as\n{poke.base!r}\nsaid: {base.said}"
    return Verdict("read", Finding("difference", f"ignored: {poke.place}", detail))


def other_numbers(value: float) -> list[float]:
    """Numbers in the place of one: near it, then far."""
    if isinstance(value, int):
        return [value + 1, 2 * value + 3]
    return [value * 1.001, 2.0 * value, 0.5 * value] if abs(value) > 1e-290 else [1e-3, 1.0]
