"""A module of LLVM IR, whole or in parts: functions shared by the modules of many programs are compiled once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_DEFINITION = re.compile(r"^define internal ([^{]*?@([\w.]+)\([^{]*?\)) (#\d) \{$", re.MULTILINE)


@dataclass(frozen=True)
class Module:
    """A module of LLVM IR.

    Args:
        own: definitions of this module alone, the entry among them.
        shared: groups of definitions with identical text in modules of other programs. ``own`` and other groups call
            a function in them by its name.
        head: the first lines of every part.
        tail: the last lines of every part: declarations, attributes, metadata.
    """

    own: str
    shared: tuple[str, ...] = ()
    head: str = ""
    tail: str = ""

    @property
    def whole(self) -> str:
        """The text of one module."""
        return "\n".join([self.head, *self.shared, self.own, self.tail])

    @property
    def parts(self) -> tuple[str, ...]:
        """The texts of several modules to be linked, that of ``own`` first; each group is independent of the others."""
        return tuple(self._part(text) for text in (self.own, *self.shared))

    def _part(self, text: str) -> str:
        """A separate module: functions of its group can be called from outside, those of other groups are declared."""
        others = [
            f"declare hidden {function} {attributes}"
            for group in self.shared
            if group != text
            for function, name, attributes in _definitions(group)
            if f"@{name}(" in text
        ]
        if text != self.own:
            text = _DEFINITION.sub(r"define hidden \1 \3 {", text)
        return "\n".join([self.head, text, *others, self.tail])


@cache
def _definitions(group: str) -> list[tuple[str, str, str]]:
    """The head, name and attributes of each function of a group."""
    return _DEFINITION.findall(group)
