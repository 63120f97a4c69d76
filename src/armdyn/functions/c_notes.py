"""What comments in C say of a function of an arm: quantities and units, from its documentation, and names of joints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armdyn.functions.of_program import OfProgram
from armdyn.imported import adapted
from armdyn.targets.c import Notes

if TYPE_CHECKING:
    from armdyn.functions.binding import Inputs

_ARGUMENT = re.compile(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", re.MULTILINE)
_SHAPE = re.compile(r",? shape \([^)]*\)( each)?")


def notes_of(inputs: Inputs) -> Notes:
    """The first line of the function's documentation, and of every array what it says and the names along its axes."""
    text = str(inputs.function.__doc__ or "")
    said = {name: _one_line(meaning) for name, meaning in _ARGUMENT.findall(text.partition("Raises:")[0])}
    known = {name: ": ".join(filter(None, [said.get(name, ""), _along(inputs, name)])) for name in inputs.shapes}
    return Notes(_one_line(text.strip().partition("\n")[0]), said | known)


def _one_line(text: str) -> str:
    return _SHAPE.sub("", " ".join(text.split())).rstrip(".")


def _along(inputs: Inputs, name: str) -> str:
    """The joints or links that the numbers belong to."""
    if name in inputs.parameters:
        return "parameter of the model, SI"
    names: Sequence[Any] = inputs.names_along(name)
    return "; ".join(", ".join(axis) for axis in names if axis)


def about(model: Any) -> tuple[str, ...]:
    """Lines on the arm, for the head of a header."""
    kinds = ", ".join(f"{joint.name} ({'rad' if joint.kind == 'revolute' else 'm'})" for joint in model.coordinates)
    return (f"Robot {model.name!r}, {len(model.coordinates)} joints: {kinds}.", "SI units; angular part first.")


class OfProgramWithNotes(OfProgram):
    """`OfProgram`, with comments: for exports that people read."""

    def _as_method(self, of_program: Any) -> Any:
        def method(function: Any, *args: Any, **options: Any) -> Any:
            options.setdefault("notes", notes_of(function._inputs))
            options.setdefault("about", about(function.arm.model))
            return of_program(function.program(), *args, **options)

        return adapted(self.name, of_program, method, 1, first="CompiledFunction")
