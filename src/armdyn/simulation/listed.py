"""Events and contacts as callers give them: a sequence, or one alone."""

from __future__ import annotations

from typing import Any

from armdyn.simulation.errors import SettingError, refuse_class

EXPECTED = {"events": "JointLimit, Plane and Crossing", "contacts": "Contact(PointOnPlane(...))"}


def listed(name: str, given: Any, part: str) -> list[Any]:
    """The objects of the argument ``name``, each of which has the attribute ``part``.

    Raises:
        SettingError: anything else among them.
    """
    found = list(given) if isinstance(given, list | tuple) else [given]
    for one in found:
        if hasattr(one, part):
            refuse_class(name, one, (object,))
        if isinstance(one, type) or not hasattr(one, part):
            raise SettingError(f"{name} has {one!r}; expected objects such as armdyn.simulation.{EXPECTED[name]}")
    return found
