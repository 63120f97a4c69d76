"""The tip if the caller names none: the one marked in the description, its only end, or a usual name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from armdyn.base.advice import option
from armdyn.model.messages import listing
from armdyn.model.parts import JointPart, moved_links

USUAL_NAMES = ("tool0", "tcp", "flange", "ee_link")
"""Usual names of the tip, in order of preference, for arms with several ends."""

PREFIXED, SEPARATORS = "tool0", "_-/."
"""The usual name that may also follow a prefix, as in left_tool0, and the characters between the two."""

SHOWN = 6
"""The most ends in one note."""


class TipNote(str):
    """A note on how the tip was found, which is out of date once another one is chosen."""

    __slots__ = ()


def find_tip(base: str, joints: Sequence[JointPart], marked: str | None = None) -> tuple[str | None, list[TipNote]]:
    """The tip, or None if it is open, and notes on a choice; ``joints`` has parents first, ``marked`` is preferred."""
    moved = moved_links(base, joints)
    ends = _ends(moved, joints)
    several = f"the robot has {len(ends)} end frames ({listing(ends, SHOWN)})"
    if marked is not None and marked in (base, *moved):
        return marked, [TipNote(f"tip {marked!r}, which the description names; {several}")] * (len(ends) > 1)
    notes = [] if marked is None else [TipNote(f"the description names the tip {marked!r}, which is not in the robot")]
    if len(ends) == 1:
        return ends[0], notes
    usual = next((name for name in USUAL_NAMES if name in moved), None) or _prefixed(moved)
    if usual is not None:
        return usual, [
            *notes, TipNote(f"tip {usual!r}, by its name: {several}; choose another with {option('tip')}")
        ]  # fmt: skip
    none_called = f"{', '.join(USUAL_NAMES[:-1])} or {USUAL_NAMES[-1]}"
    return None, [
        *notes, TipNote(f"no tip: {several}, and no frame called {none_called}; choose one with {option('tip')}")
    ]  # fmt: skip


def _prefixed(moved: Sequence[str]) -> str | None:
    """The only frame named like left_tool0; None if there are none or several."""
    endings = tuple(f"{separator}{PREFIXED}" for separator in SEPARATORS)
    matching = [name for name in moved if name.endswith(endings)]
    return matching[0] if len(matching) == 1 else None


def without_tip_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes without those on the tip, which is chosen now."""
    return tuple(note for note in notes if not isinstance(note, TipNote))


def _ends(moved: Sequence[str], joints: Sequence[JointPart]) -> list[str]:
    """The moving links that carry no other."""
    parents = {joint.parent for joint in joints}
    return [link for link in moved if link not in parents]
