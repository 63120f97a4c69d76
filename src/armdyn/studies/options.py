"""The table of the objects that a scenario and the command line give to `armdyn.simulate`, by their words.

A word of a scenario has the arguments of its class: ``save: {every: 0.01}`` is ``SaveAt(every=0.01)``. The command line
has them by ``--set save='{every: 0.01}'``, or ``--set save.every=0.01``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from armdyn.simulation import Constraints, SaveAt, Start, Stops
from armdyn.studies.made import made
from armdyn.studies.words import Words


class Option(NamedTuple):
    """An object of `armdyn.simulate` as a word of a scenario.

    Args:
        kind: its class.
        example: of its arguments.
        short: the argument that receives a value which is not a mapping; no argument if empty.
    """

    kind: type[Any]
    example: str
    short: str = ""


OBJECTS: dict[str, Option] = {
    "save": Option(SaveAt, "{every: 0.01}", "every"),
    "stops": Option(Stops, "{restitution: 0.5}", "restitution"),
    "start": Option(Start, "{theta: [0.1, 0]}"),
}
"""Words of a scenario that are one object each."""

OF_CONSTRAINTS = tuple(Constraints.__dataclass_fields__)
"""Words that are arguments of `Constraints`."""


def object_of(words: Words, word: str) -> Any:
    """The object of a word; None if the scenario does not have it.

    Raises:
        StudyError, SettingError: an invalid value.
        UnknownName: an argument that the object does not have.
    """
    arguments, option = words.said.get(word), OBJECTS[word]
    if arguments is None or arguments is False:
        return None
    if option.short and not isinstance(arguments, dict):
        arguments = {} if arguments is True else {option.short: arguments}
    with words.at(word):
        return made(option.kind, word, arguments, option.example)
