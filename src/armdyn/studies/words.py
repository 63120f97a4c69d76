"""The keys of a scenario, shared by `armdyn study` and `armdyn simulate`, and their line numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from armdyn import actuators, control
from armdyn.base.checks import (
    array,
    choice,
    number,
    one_per_joint,
    printed_pose,
    switch,
    whole_number,
    without_booleans,
)
from armdyn.base.errors import ArmdynError, MissingInput, ModelError, UnknownName
from armdyn.base.yaml_file import Keys, lines_of, read_mapping
from armdyn.declaration import Function
from armdyn.model.joint_units import UNITS
from armdyn.model.parameters import SHAPES, parameter_names, parameter_shape
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load
from armdyn.simulation.elements.brakes import switches_of
from armdyn.spatial.rotations import Array
from armdyn.studies.controllers import FORMER, NONE, inputs_of_any, offered
from armdyn.studies.declared_controllers import AROUND, declared_controller, placed_around, shape_of
from armdyn.studies.errors import StudyError
from armdyn.studies.gain_kinds import with_gain_kinds
from armdyn.studies.named_objects import with_constraint
from armdyn.studies.numbers import in_si, units_of
from armdyn.studies.object_of import object_of
from armdyn.studies.quantities import Quantities
from armdyn.studies.table import WORDS, payload_of, word_for
from armdyn.studies.typed_values import is_file

T = TypeVar("T")

KEYS = tuple(WORDS)
"""The keys of a scenario."""

OF_ROBOT = ("base", "tip", "chain", "locked", "gravity", "friction", "joint_order")
"""The keys that are arguments of `armdyn.load`."""

OWN_KEYS = {"q0": "q0", "qd0": "qd0", "tau": "torque", "f_tip": "f_tip"}
"""Names of quantities that are keys of a scenario and not inputs."""

STATE = ("q0", "qd0")

OPTIONS = "the options"
"""The place, for messages, of keys that are not from a file."""


@dataclass(frozen=True)
class Words:
    """The keys of a scenario: their values and places.

    Args:
        file: the name, for messages.
        folder: the folder of the files that it names.
        entries: values by key.
        places: the place of each value, by the keys that lead to it: "fall.yaml:3", or "--q0".
    """

    file: str
    folder: Path
    entries: Mapping[str, Any]
    places: Mapping[Keys, str]

    @classmethod
    def read(cls, path: Path) -> Words:
        """The keys of a YAML file.

        Raises:
            StudyError: not YAML.
            UnknownName: a key that is not one of scenarios.
        """
        entries = read_mapping(path, "a scenario", "robot: ur5", error=StudyError)
        words = cls(str(path), path.parent, {}, {keys: f"{path}:{line}" for keys, line in lines_of(entries)})
        for key, value in entries.items():
            keys = keys_of(key, words.where(key))
            words = words.with_options({keys: value}, {keys: words.where(key)})
        return words.checked()

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Words:
        """The keys of options alone."""
        none = cls(OPTIONS, Path(), {}, {})
        return none.with_options({keys_of(key, OPTIONS): value for key, value in values.items()}, {})

    def with_options(self, options: Mapping[Keys, Any], flags: Mapping[Keys, str]) -> Words:
        """The scenario with values that replace its own, by the keys that lead to them.

        Args:
            options: the values.
            flags: the name of each at its origin, for messages.
        """
        entries = dict(self.entries)
        for keys, value in options.items():
            entries = _merged(entries, keys, value, self.where(*keys))
        return replace(self, entries=entries, places={**self.places, **flags})

    def without(self, others: Iterable[Keys]) -> Words:
        """The scenario without some of its values."""
        entries = dict(self.entries)
        for key, *inner in others:
            if inner and key in entries:
                entries[key] = {name: value for name, value in self.mapping(key).items() if name != inner[0]}
            elif key in entries:
                del entries[key]
        return replace(self, entries=entries)

    def checked(self) -> Words:
        """The scenario itself.

        Raises:
            StudyError: an input that is a key.
        """
        for name in self.mapping("inputs"):
            if name in OWN_KEYS:
                raise StudyError(
                    f"{self.where('inputs', name)}: {name!r} is not an input; expected the key {OWN_KEYS[name]!r}"
                )
        return self

    # Places and values.

    def where(self, *keys: str) -> str:
        """The place of a value, or of the entry that contains it."""
        part = next((place for other, place in self.places.items() if other[: len(keys)] == keys), self.file)
        while keys and keys not in self.places:
            keys = keys[:-1]
        return self.places.get(keys, part)

    @contextmanager
    def at(self, *keys: str) -> Iterator[None]:
        """Add the place of a value to errors about it."""
        where = self.where(*keys)
        try:
            yield
        except ModelError as error:
            if where == OPTIONS:
                raise
            raise type(error)([f"{where}: {problem}" for problem in error.problems]) from error
        except ArmdynError as error:
            if where == OPTIONS or where in str(error):
                raise
            raise type(error)(f"{where}: {error}") from error

    @contextmanager
    def at_controller(self) -> Iterator[None]:
        """Add the place to errors about missing inputs, or else about the controller and its wrappers."""
        try:
            yield
        except MissingInput:
            with self.at("inputs" if "inputs" in self else "controller"):
                raise
        except ArmdynError:
            with self.at("controller"):
                raise

    def __contains__(self, key: object) -> bool:
        return key in self.entries

    def number(self, key: str, usual: float, **bounds: Any) -> float:
        """A finite number in SI."""
        with self.at(key):
            value = in_si(key, self.entries.get(key, usual), WORDS[key].unit or "")
            return number(key, value, error=StudyError, unit=WORDS[key].unit or "", **bounds)

    def whole(self, key: str, usual: int | None = None, **bounds: Any) -> int:
        """A whole number."""
        with self.at(key):
            value = in_si(key, self.entries.get(key, usual), "")
            value = int(value) if isinstance(value, float) and value.is_integer() else value
            return whole_number(key, value, error=StudyError, **bounds)

    def choice(self, key: str, usual: str, names: Iterable[str]) -> str:
        """One of several words."""
        with self.at(key):
            return choice(key, self.entries.get(key, usual), tuple(names), error=StudyError)

    def switch(self, key: str, *, usual: bool = False) -> bool:
        """True or false."""
        with self.at(key):
            return switch(key, self.entries.get(key, usual), error=StudyError)

    def mapping(self, key: str) -> dict[str, Any]:
        """A mapping, empty by default."""
        text = self.entries.get(key, {})
        if not isinstance(text, dict):
            raise StudyError(f"{self.where(key)}: {key} is {text!r}; expected names with values, such as 'name: ...'")
        return dict(text)

    def listed(self, key: str) -> list[str]:
        """A list of names, empty by default; a text has commas between them."""
        result = self.entries.get(key, [])
        if isinstance(result, str | Path):
            result = [one.strip() for one in str(result).split(",")]
        if not isinstance(result, list) or not all(isinstance(one, str | Path) and str(one) for one in result):
            raise StudyError(f"{self.where(key)}: {key} is {result!r}; expected a list of names")
        repeated = [name for k, name in enumerate(result) if name in result[:k]]
        if repeated:
            raise StudyError(f"{self.where(key)}: {key} names {repeated[0]!r} twice; expected each name once")
        return list(map(str, result))

    def one(self, kind: str, name: object, names: Mapping[str, object], *keys: str) -> Any:
        """The value of ``names`` by a name; an `UnknownName` with the kind and the place otherwise."""
        if not isinstance(name, str) or name not in names:
            raise UnknownName.of(kind, name, names, self.where(*keys))
        return names[name]

    def path(self, key: str, *parts: str) -> Path:
        """A file in the folder of the scenario."""
        name = self.entries[key]
        for part in parts:
            name = name[part]
        if not isinstance(name, str | Path) or not str(name):
            raise StudyError(f"{self.where(key, *parts)}: {key} is {name!r}; expected the name of a file")
        return self.folder / name

    def objects(self, robot: Robot, key: str, make: Callable[[Robot, str, Any], T]) -> list[T]:
        """The results of a function for each name and value of a mapping; errors with the line of the name."""
        result = []
        for name, value in self.named(key):
            with self.at(key, name):
                result.append(make(robot, name, self.in_si(robot, key, value, name)))
        return result

    def named(self, key: str) -> list[tuple[str, Any]]:
        """The names of a mapping and their values; empty by default."""
        result = list(self.mapping(key).items())
        for name, _ in result:
            if not isinstance(name, str) or not name.strip():
                raise StudyError(
                    f"{self.where(key, str(name))}: {key} has the name {name!r}; expected a text, in quotes where it "
                    "could be read as something else"
                )
        return result

    # Parts that both verbs read.

    def robot(self, **options: Any) -> Robot:
        """The robot, with its payload.

        Args:
            options: of `armdyn.load`, which replace those of the scenario.
        """
        name = self.entries.get("robot")
        if not isinstance(name, str) or not name:
            raise StudyError(
                f"{self.where('robot')} names no robot; expected a line such as 'robot: ur5', or a file beside the "
                "scenario"
            )
        options = {**self._load_options(name, options), **options}
        beside = self.folder / name
        file = name if name in bundled_robots() or not os.path.exists(beside) else beside
        try:
            robot = load(file, **options)
        except ArmdynError as error:
            with self.at(self._key_of(str(error))):
                raise
        robot = self._with_actuators(robot, **options) if "actuators" in self.entries else robot
        robot = self.with_payload(robot) if "payload" in self.entries else robot
        for constraint, description in self.named("constraints"):
            with self.at("constraints", constraint):
                robot = with_constraint(robot, constraint, self.in_si(robot, "constraints", description))
        return robot

    def _key_of(self, message: str) -> str:
        """The key of the robot that an error is about: of a name in the message, or that it begins with."""
        keys = [key for key in OF_ROBOT if key in self.entries]
        for key in keys:
            entry = self.entries[key]
            names = [entry] if isinstance(entry, str) else entry if isinstance(entry, dict | list) else []
            if message.startswith(key) or any(f"{name!r}" in message for name in names):
                return key
        return "robot"

    def _load_options(self, name: str, options: Mapping[str, object]) -> dict[str, object]:
        """The arguments of `armdyn.load` in the scenario, in SI."""
        result = {key: self.entries[key] for key in OF_ROBOT if key in self.entries}
        if result.get("gravity") is not None:
            with self.at("gravity"):
                gravity = in_si("gravity", result["gravity"], "m/s^2")
                result["gravity"] = _array("gravity", gravity, (3,), "three numbers, m/s^2", finite=StudyError)
        if isinstance(result.get("joint_order"), str) and "," in result["joint_order"]:
            result["joint_order"] = result["joint_order"].split(",")
        if isinstance(result.get("locked"), dict) and any(isinstance(q, str) for q in result["locked"].values()):
            free = replace(self, entries={"robot": name}).robot(**{k: v for k, v in options.items() if k != "locked"})
            units = {joint.name: UNITS[joint.kind]["q"] for joint in (*free.model.joints, *free.joints)}
            with self.at("locked"):
                result["locked"] = {
                    joint: in_si(f"locked.{joint}", q, units.get(joint, "rad")) for joint, q in result["locked"].items()
                }
        return result

    def _with_actuators(self, robot: Robot, *, friction: str = "count", **_: object) -> Robot:
        drives = self.entries["actuators"]
        if not isinstance(drives, str) or not drives:
            raise StudyError(
                f"{self.where('actuators')}: actuators is {drives!r}; expected the name of a file beside the scenario"
            )
        with self.at("actuators"):
            driven = robot.with_actuators(actuators.read(self.folder / drives))
        return driven.without_friction() if friction == "ignore" else driven

    def with_payload(self, robot: Robot) -> Robot:
        """The robot with the payload of the scenario."""
        values = self.mapping("payload")
        for key in values:
            self.one("part of a payload", key, WORDS["payload"].parts, "payload", str(key))
        values = self.in_si(robot, "payload", values)
        if "mass" not in values:
            raise StudyError(
                f"{self.where('payload')}: payload has no mass; expected such as {{mass: 2, com: [0, 0, 0.1]}}"
            )
        with self.at("payload", "mass"):
            mass = number("mass of the payload", values["mass"], least=0.0, unit="kg", error=StudyError)
        with self.at("payload"):
            com = _array("com of the payload", values.get("com", np.zeros(3)), (3,), "m")
            tensor = _array("inertia of the payload", values.get("inertia", np.zeros((3, 3))), (3, 3), "kg m^2")
            inertia, frame = payload_of(mass, com, tensor, values.get("frame"))
            return robot.with_payload(inertia, frame)

    # Objects of Python.

    def in_si(self, robot: Robot, key: str, value: object, *inner: str) -> Any:
        """A value of a word whose numbers with units are numbers in SI, at any depth.

        Args:
            robot: whose joints have the units.
            key: the word.
            value: its value, or a part of it.
            inner: the names that lead to the part.

        Raises:
            StudyError: a number with a unit of another quantity.
        """
        word = WORDS[key]
        if isinstance(value, dict):
            return {name: self.in_si(robot, key, part, *inner, str(name)) for name, part in value.items()}
        unit = word.unit_of(*inner)
        if unit is None:
            return value
        with self.at(key, *inner):
            name = inner[-1] if inner and word.kinds else ".".join((key, *inner))
            return in_si(name, value, units_of(robot, unit[1:-1]) if unit.startswith("<") else unit)

    def object(self, robot: Robot, key: str) -> Any:
        """The object of Python that a word makes of its parts; None if the scenario does not have it.

        Raises:
            StudyError, SettingError: an invalid value.
            UnknownName: a part that the word does not have.
        """
        value, word = self.entries.get(key), WORDS[key]
        if value is None or value is False or word.make is None:
            return None
        parts = value if isinstance(value, dict) else {}
        with self.at(key, *[part for part in parts if part != word.short][:1]):
            if not word.parts:
                return word.make(value)
            return object_of(word.make, key, self.in_si(robot, key, value), word.example, names=word.parts)

    def state(self, robot: Robot, name: str) -> Array | None:
        """q0, qd0 or torque: one number for all joints, one for each, or a mapping by joints; None if it is missing."""
        if name not in self.entries:
            return None
        with self.at(name):
            entry = self.entries[name]
            of_joints = isinstance(entry, dict) and name in ("q0", "qd0")
            values = in_si(name, entry, units_of(robot, name)) if of_joints else self.in_si(robot, name, entry)
            return spread(name, values, (robot.dof,), 0, one_per_joint(robot))

    def torque(self, robot: Robot) -> Array | None:
        """Constant joint forces, N m or N, one number for all joints or one for each; None without them."""
        is_constant = self.entries.get("torque") is not None and not isinstance(self.entries["torque"], dict)
        return self.state(robot, "torque") if is_constant else None

    def f_tip(self, robot: Robot) -> Array | None:
        """The constant wrench of the tip, N m and N, shape (6,); None without one."""
        if self.entries.get("f_tip") is None:
            return None
        with self.at("f_tip"):
            return self.spread(robot, "f_tip", self.entries["f_tip"], 0)

    def brakes(self, robot: Robot) -> dict[str, Any]:
        """Switches of brakes by joint, pairs of a time, s, and a state; empty by default.

        Raises:
            StudyError: not a list of such pairs.
            UnknownName: a joint that the robot does not have.
        """
        result = self.mapping("brakes")
        for name, pairs in result.items():
            with self.at("brakes", str(name)):
                if isinstance(pairs, list):
                    result[name] = [
                        [in_si(f"time of {name}", pair[0], "s"), *pair[1:]] if isinstance(pair, list) and pair else pair
                        for pair in pairs
                    ]
                switches_of(robot, name, result[name], np.inf)
        return result

    def controller_parts(self) -> list[tuple[str, dict[str, Any]]]:
        """The controller, then its wrappers from the inside out: names with options or settings.

        Raises:
            StudyError: not a name, and not a list of names and of names with options.
            UnknownName: a controller or wrapper that does not exist.
        """
        text = self.entries.get("controller", NONE)
        result: list[tuple[str, dict[str, Any]]] = []
        for part in text if isinstance(text, list) and text else [text]:
            name, options = next(iter(part.items())) if isinstance(part, dict) and len(part) == 1 else (part, {})
            if not isinstance(name, str) or not isinstance(options, dict):
                raise StudyError(
                    f"{self.where('controller')}: controller has {part!r}; expected a name, or a list such as "
                    "[pid, {saturated: {limits: 28}}, {delayed: {steps: 2}}], from the inside out"
                )
            kind, names = ("wrapper", AROUND) if result else ("controller", offered())
            if name in FORMER and name not in names and FORMER[name] in names:
                raise StudyError(
                    f"{self.where('controller')}: the controller {name!r} is called {FORMER[name]!r}, and its inputs "
                    "q_ref, qd_ref, Kp and Kd"
                )
            self.one(kind, name, dict.fromkeys(names), "controller")
            result.append((name, options))
        return result

    def controller(self, robot: Robot) -> Function | None:
        """The controller, which computes with the robot as described; None if there is none.

        Raises:
            StudyError: options of a controller that has none, or a wrapper without a controller.
            UnknownName: an option or setting that does not exist.
        """
        (name, options), *around = self.controller_parts()
        with self.at("controller"):
            if name == NONE:
                if options or around:
                    raise StudyError(f"controller {name!r} takes no options, and nothing stands around it")
                return None
            result = declared_controller(name, options)
            for wrapper, settings in around:
                result = placed_around(result, wrapper, settings)
            return control.with_model(with_gain_kinds(result, robot, self._said_of_gains()), robot)

    def _said_of_gains(self) -> dict[str, tuple[Any, int]]:
        """The values by name, each with the number of its axes before those of one value."""
        inputs = {name: (value, 0) for name, value in self.mapping("inputs").items()}
        return inputs | {name: (values, 1) for name, values in self.mapping("grid").items()}

    def is_controlled(self) -> bool:
        """True if there is a controller: one of `armdyn.control`, with or without wrappers."""
        return self.controller_parts()[0][0] != NONE

    def shape_of_input(self, robot: Robot, name: str) -> tuple[int, ...] | None:
        """The shape of an input of the controller, or of a parameter of the robot; None for other names."""
        if "." in name:
            return parameter_shape(robot.model, name) if name in parameter_names(robot.model) else None
        controller = self.controller(robot)
        with self.at("controller"):  # an invalid option
            return None if controller is None else shape_of(controller, robot, name)

    def quantities(self, robot: Robot) -> Quantities:
        """The names of the arguments of the controller, or of the arm without one."""
        return Quantities.of(robot, self.controller(robot), running_cost=False, energy=False)

    def values(self, robot: Robot, key: str, read: Callable[[str, Any], Any]) -> dict[str, Any]:
        """Quantities by name."""
        text, quantities = self.mapping(key), self.quantities(robot)
        names = () if self.is_controlled() else inputs_of_any()
        controlled = [name for name in text if name not in quantities.own and FORMER.get(name, name) in names]
        if controlled:
            raise StudyError(
                f"{self.where(key, controlled[0])}: {controlled[0]!r} is of a controller, and there is none; expected "
                f"one of {', '.join(name for name in offered() if name != NONE)}"
            )
        for alias in text:
            self.shape_of_input(robot, str(alias))  # or the error of the controller, before those of the values
        result: dict[str, Any] = {}
        for alias, value in text.items():
            with self.at(key, str(alias)):
                for name in quantities.named({alias: value}, where=key):
                    if name in result:
                        raise StudyError(f"{key} have {name!r} twice, in two spellings")
                    self._refuse_of_loaded_link(robot, name)
                    result[name] = read(name, value)
        return result

    def _refuse_of_loaded_link(self, robot: Robot, name: str) -> None:
        """Raise for a mass, centre or inertia of the link that has the payload: the value would be of both together."""
        owner, _, quantity = name.rpartition(".")
        frame = self.mapping("payload").get("frame", robot.tip) if "payload" in self else None
        carries = any(one.name == frame and one.link == owner for one in robot.model.frames)
        if carries and quantity in SHAPES:
            raise StudyError(
                f"{name!r} would replace that of {owner!r} and its payload together; expected "
                f"'{frame}.payload.{quantity}' in its place, or no 'payload'"
            )

    def spread(self, robot: Robot, name: str, value: Any, leading: int) -> Array:
        """The value of a quantity, with one number for all joints repeated for each."""
        own, value = self.quantities(robot).own, in_si(name, value, units_of(robot, name), leading)
        if name == "f_tip":
            return spread(name, value, (6,), leading, "mx, my, mz, fx, fy, fz", repeat=False)
        shape = self.shape_of_input(robot, name) if name in own else None
        if not leading:
            value = _by_rows(value, shape if name in own else parameter_shape(robot.model, name))
        if name == "T_ref" and not leading:
            return printed_pose(name, _array(name, value, (4, 4)))
        if shape is not None and shape != (robot.dof,):
            return spread(name, value, shape, leading, repeat=len(shape) == 1)
        if name in own:
            return spread(name, value, (robot.dof,), leading, one_per_joint(robot))
        return spread(name, value, parameter_shape(robot.model, name), leading, repeat=False)


def keys_of(path: str, place: str) -> Keys:
    """The keys that lead to a value, from their path: "save.every", "inputs.link_2.mass".

    Args:
        path: a word, or a part of one after a point.
        place: for messages.

    Raises:
        UnknownName: a word that does not exist.
    """
    key, _, inner = path.strip().partition(".")
    if key not in WORDS:
        if (other := word_for(key)) is not None:
            raise UnknownName(f"no key {key!r} in {place}; expected {other}")
        raise UnknownName.of("key", key, KEYS, place)
    if not inner:
        return (key,)
    return (key, inner) if WORDS[key].is_free else (key, *inner.split("."))


def _merged(entries: Mapping[str, object], keys: Keys, value: object, place: str) -> dict[str, Any]:
    """The entries with a value in its place, in which a short value is that of one part."""
    key, *inner = keys
    current = entries.get(key)
    if not inner:
        new = _with_part(key, value)
        keeps = not isinstance(value, dict) and isinstance(current, dict) and isinstance(new, dict)
        return {**entries, key: {**current, **new} if keeps else new}  # type: ignore[dict-item]
    result: dict[str, Any] = dict(current) if isinstance(current, dict) else {}
    at = result
    for k, name in enumerate(inner[:-1], 1):
        if not isinstance(at.get(name, {}), dict):
            raise StudyError(f"{place}: {'.'.join(keys[: k + 1])} is {at[name]!r}; expected a mapping")
        at[name] = dict(at.get(name, {}))
        at = at[name]
    at[inner[-1]] = value
    return {**entries, key: result}


def _with_part(key: str, value: object) -> Any:
    """The mapping from its short part to a value that is not a mapping."""
    short = WORDS[key].short
    if not short or isinstance(value, dict) or value is None or value is False:
        return value
    if value is True:
        return {}
    return {short: value} if short != "file" or is_file(value) else value


def _by_rows(value: Any, shape: tuple[int, ...] | None) -> Any:
    """The rows of a matrix from the list of its numbers."""
    is_flat = isinstance(value, list) and not any(isinstance(one, list) for one in value)
    return (
        np.reshape(value, shape).tolist()
        if is_flat and shape and len(shape) > 1 and len(value) == np.prod(shape)
        else value
    )


def _array(name: str, value: object, *shape: Any, **settings: Any) -> Array:
    """An array of numbers; true and false are not numbers."""
    return array(name, without_booleans(name, value), *shape, **settings)


def spread(
    name: str, value: object, shape: tuple[int, ...], leading: int, meaning: str = "", *, repeat: bool = True
) -> Array:
    """An array of a shape after some leading axes; one number is repeated for all.

    Raises:
        ShapeError: another shape.
    """
    result = _array(name, value, finite=StudyError)
    if repeat and result.ndim == leading and shape:
        return np.broadcast_to(result.reshape(*result.shape, *(1 for _ in shape)), (*result.shape, *shape))
    return array(name, result, (*("values",) * leading, *shape), meaning)
