"""Names of quantities that can vary: the initial state, a controller's inputs and states, parameters of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from armdyn.base.errors import UnknownName
from armdyn.declaration import Function
from armdyn.model.parameter_words import parameter_of, parameter_words
from armdyn.model.parameters import parameter_shape
from armdyn.robot import Robot
from armdyn.simulation.loop.controller import Controller
from armdyn.studies.controllers import FORMER
from armdyn.studies.errors import StudyError

ALWAYS_THE_SAME = ("h", "t0")
"""Arguments that all runs share: the step and the first time."""


@dataclass(frozen=True)
class Quantities:
    """The names of quantities in a study of this robot and controller.

    Args:
        robot: the robot.
        own: names of the loop; all others are parameters of the model.
    """

    robot: Robot
    own: tuple[str, ...]

    @classmethod
    def of(cls, robot: Robot, controller: Function | None, *, running_cost: bool, energy: bool) -> Quantities:
        """The names of a loop."""
        read = None if controller is None else Controller(controller)
        own = ("q0", "qd0", *(["work", "heat"] if energy else []), *(["cost"] if running_cost else []))
        own += ("tau",) if read is None else (*read.state, *read.inputs)
        return cls(robot, (*own, "f_tip"))

    def named(self, values: Mapping[str, Any], *, where: str, also: Iterable[str] = ()) -> dict[str, Any]:
        """The values by the loop's names: "tool0_payload_mass" becomes "tool0.payload.mass".

        Raises:
            UnknownName: a name that neither the loop nor the model has.
            StudyError: a name given twice.
        """
        result: dict[str, Any] = {}
        for name_or_word, value in values.items():
            name = self._name(name_or_word, (*self.own, *also), where)
            if name in result:
                raise StudyError(f"{where} have {name!r} twice, in two spellings")
            result[name] = value
        return result

    def _name(self, name_or_word: str, own: tuple[str, ...], where: str) -> str:
        if name_or_word in own:
            return name_or_word
        model = self.robot.model
        if isinstance(name_or_word, str) and "." in name_or_word:
            parameter_shape(model, name_or_word)  # or the error with the names there are
            return name_or_word
        name = parameter_of(model, name_or_word) if isinstance(name_or_word, str) else None
        if name is not None:
            return name
        if FORMER.get(name_or_word) in own:
            raise StudyError(f"{name_or_word!r} is called {FORMER[name_or_word]!r}; expected that name in its place")
        raise UnknownName.of(
            "quantity", name_or_word, [*own, *parameter_words(model).values()], f"{where} of {self.robot.name!r}"
        )

    def parameters(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names that are parameters of the model."""
        return tuple(name for name in names if name not in (*self.own, *ALWAYS_THE_SAME))
