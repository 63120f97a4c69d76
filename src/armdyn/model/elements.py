"""Robots with elements of a user's own, in functions that leave them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.errors import Unsupported

if TYPE_CHECKING:
    from armdyn.model.model import Model


def refuse_elements(model: Model, subject: str) -> None:
    """Raise an Unsupported error if elements of a user's own act on a robot."""
    if model.elements:
        names = ", ".join(type(element).__name__ for element in model.elements)
        raise Unsupported(
            f"{subject} leaves out {names} of {model.name!r}, elements of a user's own, which are functions of all of "
            "q; give elements to the robot afterwards"
        )
