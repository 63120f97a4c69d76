"""Comments in C on a function of an arm: quantities and units, from its documentation, and names of joints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from armdyn.declaration import Function
from armdyn.functions.motion_states import motion_states
from armdyn.functions.of_program import OfProgram
from armdyn.targets.c.notes import Notes

if TYPE_CHECKING:
    from armdyn.functions.binding import Inputs

_ARGUMENT = re.compile(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", re.MULTILINE)
_SHAPE = re.compile(r",? shape \([^)]*\)( each)?")


def notes_of(inputs: Inputs) -> Notes:
    """The first line of the function's documentation, and each array's description and the names along its axes."""
    text = said_of(inputs.function)
    parameters = dict.fromkeys(inputs.parameters, "parameter of the model")
    places = {name: _along(inputs, name) for name in inputs.shapes if name in text}
    along = {name: f"{text[name]}; by {place}" for name, place in places.items() if place}
    return Notes(_one_line(str(inputs.function.__doc__ or "").strip().partition("\n")[0]), text | parameters | along)


def said_of(function: Function) -> dict[str, str]:
    """The quantities and units of the arrays of a function, from its documentation, without their shapes."""
    text = str(function.__doc__ or "").partition("Raises:")[0]
    return {name: _one_line(meaning) for name, meaning in _ARGUMENT.findall(text)}


def _one_line(text: str) -> str:
    return _SHAPE.sub("", " ".join(text.split())).rstrip(".")


def _along(inputs: Inputs, name: str) -> str:
    """The links or joints that the numbers belong to, if they are not the coordinates in the header."""
    names: Sequence[Any] = inputs.names_along(name)
    words = inputs.shapes[name]
    return "; ".join(", ".join(axis) for axis, word in zip(names, words, strict=True) if axis and word != "n")


def about(model: Any) -> tuple[str, ...]:
    """Lines on the arm, for the head of a header."""
    kinds = ", ".join(f"{joint.name} ({'rad' if joint.kind == 'revolute' else 'm'})" for joint in model.coordinates)
    return (f"Robot {model.name!r}, {len(model.coordinates)} joints: {kinds}.", "SI units; angular part first.")


class OfProgramWithNotes(OfProgram):
    """`OfProgram`, with comments: for exports that people read."""

    def defaults(self, function: Any) -> Mapping[str, Any]:
        """The notes on the arrays and on the arm, and states of its motions."""
        states = partial(motion_states, function.arm)
        return {"notes": notes_of(function._inputs), "about": about(function.arm.model), "states": states}
