"""Elements of a user's own: refusals of functions that leave them out, and of functions with other arguments."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from armdyn.base.errors import DTypeError, Unsupported
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState

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


def refuse_other_arguments(element: Element | ElementWithState) -> None:
    """Raise for an element with a function that cannot be called with the arguments of its base class."""
    base: type = Element if isinstance(element, Element) else ElementWithState
    for name in ("force", "energy", "located", "rates"):
        own, declared = getattr(type(element), name, None), getattr(base, name, None)
        if own is None or declared is None:
            continue
        arguments = list(inspect.signature(declared).parameters)
        try:
            inspect.signature(own).bind(*arguments)
        except TypeError:
            raise DTypeError(
                f"{type(element).__name__}.{name}{inspect.signature(own)} takes other arguments; expected "
                f"{name}({', '.join(arguments)})"
            ) from None
