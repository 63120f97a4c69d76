"""The options of ``armdyn simulate`` as words of a scenario."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from armdyn.base.errors import UnknownName
from armdyn.base.quantities import split_quantities
from armdyn.base.yaml_file import Keys, read_value
from armdyn.cli.arguments import load_robot, read_joint_vector, read_vector, read_wrench
from armdyn.robot import Robot
from armdyn.robots import load
from armdyn.simulation import SettingError
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError
from armdyn.studies.happenings import CONTACT, OF_PLANE
from armdyn.studies.labels import OF_JOINTS
from armdyn.studies.motion import OUTPUTS
from armdyn.studies.numbers import units_of
from armdyn.studies.words import KEYS, STATE, Words

SCENARIOS = (".yaml", ".yml")


def flag(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"


DIRECT = ("q_ref", "Kp", "Kd", "Ki")
"""Inputs of controllers that have an option of their own."""

PLACES: dict[str, Keys] = {
    **{name: (name,) for name in ("duration", "q0", "qd0", "stops", "torques", "between", "controller", "reference")},
    **{name: (name,) for name in ("sample_time", "method", "step", "rtol", "atol", "brakes")},
    **{name: (name,) for name in ("project", "close_loop", "redundant")},
    **{name: ("inputs", name) for name in ("f_tip", *DIRECT)},
    **{name: ("outputs", name) for name in OUTPUTS},
    "save_every": ("save", "every"),
    "torque": ("inputs", "tau"),
    "payload": ("payload", "mass"),
    "payload_com": ("payload", "com"),
}
"""Which words of a scenario the options stand for."""

VECTORS: dict[str, Callable[[str, str, Robot], Array]] = {
    "q0": partial(read_joint_vector, spread=True),
    "qd0": partial(read_joint_vector, quantity="qd", spread=True),
    "torque": partial(read_joint_vector, quantity="tau", spread=True),
    "f_tip": lambda text, name, _: read_wrench(text, name),
}
"""The options that are texts of several numbers, and what reads them."""


def read_brakes(text: str) -> dict[str, list[list[Any]]]:
    """Switches by joint, pairs of a time and a state, from such as "elbow_joint@0.5=engaged,elbow_joint@1=released".

    Raises:
        SettingError: a switch that is written in another way.
    """
    switches: dict[str, list[list[Any]]] = {}
    for part in text.split(","):
        place, _, state = part.strip().partition("=")
        joint, at, time = place.rpartition("@")
        try:
            switches.setdefault(joint, []).append([float(time), state])
        except ValueError:
            at = ""
        if not (joint and at and state):
            raise SettingError(
                f"--brakes has {part.strip()!r}; expected JOINT@SECONDS=STATE, such as elbow_joint@0.5=engaged"
            )
    return switches


def read_controller(text: str) -> Any:
    """A controller: a name, or as in a scenario a list of it and of what stands around it.

    >>> read_controller("pid"), read_controller("[pid, {delayed: {steps: 2}}]")
    ('pid', ['pid', {'delayed': {'steps': 2}}])
    """
    if not text.lstrip().startswith(("[", "{")):
        return text
    found = read_value(text, "--controller", "[pid, {saturated: {limits: 28}}]", error=StudyError)
    return found if isinstance(found, list) else [found]


READ: dict[str, Callable[[Any], Any]] = {
    **{name: lambda value: value for name in PLACES if name not in (*VECTORS, *DIRECT)},
    **dict.fromkeys(("torques", "reference"), Path.absolute),
    "brakes": read_brakes,
    "controller": read_controller,
    "payload_com": lambda text: read_vector(text, "--payload-com", 3, unit="m"),
}
"""Functions that make words of the other options."""


ALTERNATIVES: tuple[tuple[Keys, ...], ...] = (
    (("inputs", "q_ref"), ("reference",)),
    (("inputs", "tau"), ("torques",)),
)
"""Words of which an option for one takes the place of what a scenario says of the others."""


LINES = {
    "constraint": ("constraints", f"wall: {{point_on_plane: {OF_PLANE}}}"),
    "contact": ("contacts", f"table: {CONTACT}"),
    "event": ("events", "collision: {threshold: {signal: residual, above: 5}}"),
}
"""Options that are lines below a key of a scenario and may be repeated: the key, and an example of a line."""


def with_lines(words: Words, lines: Mapping[str, Sequence[str]]) -> Words:
    """The words with lines below their keys, by the options' names.

    Raises:
        StudyError: what is no such line, or two of one name.
    """
    for option, texts in lines.items():
        (key, example), seen = LINES[option], set()
        for text in texts:
            found = read_value(text, flag(option), example, error=StudyError)
            if not isinstance(found, dict) or len(found) != 1:
                raise StudyError(f"{flag(option)} has {text!r}; expected a name and what it is, such as {example!r}")
            ((name, value),) = found.items()
            if name in seen:
                raise StudyError(f"{flag(option)} names {name!r} twice; expected another name for each")
            seen.add(name)
            words = words.with_options({(key, name): value}, {(key, str(name)): f"{flag(option)} {name}"})
    return words


def with_settings(words: Words, texts: Sequence[str]) -> Words:
    """The words with those of ``--set KEY=VALUE``: any word of a scenario, or part of one, "KEY.PART", in YAML.

    Raises:
        StudyError: a text of another form, or one key twice.
        UnknownName: a key that is not one of scenarios.
    """
    seen = set()
    for text in texts:
        name, equals, value = text.partition("=")
        key, _, part = name.strip().partition(".")
        if not (key and equals and value.strip()):
            raise StudyError(
                f"--set has {text!r}; expected KEY=VALUE, such as save.every=0.01 or payload='{{mass: 2}}'"
            )
        if key not in KEYS:
            raise UnknownName.of("key", key, KEYS, "--set")
        if name in seen:
            raise StudyError(f"--set names {name!r} twice; expected it once")
        seen.add(name)
        keys: Keys = (key, part) if part else (key,)
        setting = read_value(value, f"--set {name}", "{every: 0.01}", error=StudyError)
        words = words.with_options({keys: setting}, {keys: f"--set {name}"})
    return words


FLAGS = frozenset(map(flag, PLACES))
"""The options that stand for a word each."""

Typed = tuple[str, str, str]
"""The name of an input, the text of its value, and the option that it is typed behind."""


def direct_inputs(options: Mapping[str, Any]) -> list[Typed]:
    """The inputs that have an option of their own."""
    return [(name, options[name], flag(name)) for name in DIRECT if name in options]


def named_inputs(texts: Sequence[str]) -> list[Typed]:
    """The inputs from texts of --input, such as "Kp=900" and "q_ref=90deg,0".

    Raises:
        StudyError: what is no such text.
    """
    found = []
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not (name and equals and value.strip()):
            raise StudyError(f"--input has {text!r}; expected NAME=VALUE, such as Kp=900 or q_ref=90deg,0")
        found.append((name, value, f"--input {name}"))
    return found


def with_inputs(words: Words, typed: Sequence[Typed], robot: Robot) -> Words:
    """The words with inputs.

    Args:
        words: of the scenario and the other options.
        typed: the inputs.
        robot: which the controller knows.

    Raises:
        StudyError: two of one name.
        ShapeError: numbers that are none.
    """
    seen: dict[str, str] = {}
    for name, value, place in typed:
        keys = ("inputs", name)
        if name in STATE:
            raise StudyError(f"{place}: {name} is where the motion begins; expected {flag(name)} in its place")
        if seen.get(name) == place:
            raise StudyError(f"--input names {name!r} twice; expected each name once")
        other = seen.get(name, words.places.get(keys))
        if other in FLAGS:
            raise StudyError(f"{name} is given by {other} and by --input; expected one of them")
        seen[name] = place
        words = words.with_options({keys: 0.0}, {keys: place})
        words = words.with_options({keys: _input(words, name, value, place, robot)}, {})
    return words


def inputs_of(controller: str) -> list[str]:
    """NAME= for each input of a controller as it is typed, and of what stands around it."""
    robot = load("planar_2r")
    own = Words.of_options({"controller": read_controller(controller)}).quantities(robot).own
    return [f"{name}=" for name in own if name not in ("q0", "qd0", "f_tip")]


def _input(words: Words, name: str, text: str, place: str, robot: Robot) -> Any:
    """The value of an input: numbers in the order of its rows, or lists in brackets."""
    if text.lstrip().startswith("["):
        return read_value(text, place, "[1, 2, 3]", error=StudyError)
    count = len(split_quantities(text))
    if OF_JOINTS.get(name) and count > 1:
        return read_joint_vector(text, place, robot, OF_JOINTS[name])
    units = units_of(robot, name)
    values = read_vector(text, place, count, unit=units if isinstance(units, str) else units[0][1])
    shape = words.shape_of_input(robot, name)
    if shape is not None and len(shape) > 1 and math.prod(shape) == count:
        return values.reshape(shape)
    side = math.isqrt(count)
    if shape is not None and len(shape) == 1 and count != shape[0] and (side, side * side) == (shape[0], count):
        controller = words.controller(robot)
        if controller is not None and name in controller.gains:
            return values.reshape(side, side)
    return float(values[0]) if count == 1 else values


def words_of(name: str) -> Words:
    """Those of a scenario, or of a robot alone."""
    if Path(name).suffix.lower() in SCENARIOS:
        return Words.read(Path(name))
    if not name:
        load_robot(name)  # raises: it is empty
    return Words.of_options({"robot": name})


def without_alternatives(words: Words, names: Iterable[str]) -> Words:
    """The words of a scenario without those whose place options of these names take."""
    given = {PLACES[name] for name in names}
    return words.without([keys for group in ALTERNATIVES if given & set(group) for keys in group])


def with_options(words: Words, options: Mapping[str, Any]) -> Words:
    """The words with those of options in their place, by the options' names."""
    given = {PLACES[name]: value for name, value in options.items()}
    return words.with_options(given, {PLACES[name]: flag(name) for name in options})
