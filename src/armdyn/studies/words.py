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
from armdyn.base.checks import array, number, one_per_joint, printed_pose, switch, without_booleans
from armdyn.base.errors import ArmdynError, MissingInput, ModelError, UnknownName
from armdyn.base.yaml_file import Keys, lines_of, read_mapping
from armdyn.declaration import Function
from armdyn.model import Inertia
from armdyn.model.parameters import SHAPES, parameter_names, parameter_shape
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load
from armdyn.simulation.elements.brakes import switches_of
from armdyn.spatial.rotations import Array
from armdyn.studies.controllers import FORMER, NONE, inputs_of_any, offered
from armdyn.studies.declared import AROUND, declared_controller, placed_around, shape_of
from armdyn.studies.errors import StudyError
from armdyn.studies.gain_kinds import with_gain_kinds
from armdyn.studies.happenings import with_constraint
from armdyn.studies.numbers import in_si, units_of
from armdyn.studies.quantities import Quantities

T = TypeVar("T")

OF_ROBOT = ("base", "tip", "chain", "locked", "gravity")
SHARED = (
    "robot",
    *OF_ROBOT,
    "actuators",
    "payload",
    "constraints",
    "q0",
    "qd0",
    "duration",
    "step",
    "method",
    "controller",
    "inputs",
    "brakes",
    "project",
)
OF_A_STUDY = ("samples", "runs", "seed", "grid", "record", "every", "summaries", "chunk")
OF_A_MOTION = (
    *("torques", "between", "reference", "sample_time", "stops", "contacts", "events"),
    *("close_loop", "redundant"),
    *("rtol", "atol", "save", "start", "outputs"),
)
KEYS = (*SHARED, *OF_A_STUDY, *OF_A_MOTION)
"""The keys of a scenario."""

STATE = ("q0", "qd0")

OPTIONS = "the options"
"""The place, for messages, of keys that are not from a file."""


@dataclass(frozen=True)
class Words:
    """The keys of a scenario: their values and places.

    Args:
        file: the name, for messages.
        folder: the folder of the files that it names.
        said: values by key.
        places: the place of each value, by the keys that lead to it: "fall.yaml:3", or "--q0".
    """

    file: str
    folder: Path
    said: Mapping[str, Any]
    places: Mapping[Keys, str]

    @classmethod
    def read(cls, path: Path) -> Words:
        """The keys of a YAML file.

        Raises:
            StudyError: not YAML.
            UnknownName: a key that is not one of scenarios.
        """
        said = read_mapping(path, "a scenario", "robot: ur5", error=StudyError)
        words = cls(str(path), path.parent, said, {keys: f"{path}:{line}" for keys, line in lines_of(said)})
        for key in said:
            if key not in KEYS:
                raise UnknownName.of("key", key, KEYS, words.where(key))
        return words._normal()

    @classmethod
    def of_options(cls, said: Mapping[str, Any]) -> Words:
        """The keys of options alone."""
        return cls(OPTIONS, Path(), said, {})

    def with_options(self, options: Mapping[Keys, Any], flags: Mapping[Keys, str]) -> Words:
        """The scenario with values that replace its own, by the keys that lead to them.

        Args:
            options: the values.
            flags: the name of each at its origin, for messages.
        """
        said = dict(self.said)
        for (key, *inner), value in options.items():
            if inner:
                said[key] = {**replace(self, said=said).mapping(key), inner[0]: value}
            else:
                said[key] = value
        return replace(self, said=said, places={**self.places, **flags})

    def without(self, others: Iterable[Keys]) -> Words:
        """The scenario without some of its values."""
        said = dict(self.said)
        for key, *inner in others:
            if inner and key in said:
                said[key] = {name: value for name, value in self.mapping(key).items() if name != inner[0]}
            elif key in said:
                del said[key]
        return replace(self, said=said)

    def _normal(self) -> Words:
        """The scenario with q0 and qd0 moved out of the inputs if given there, and a payload that is its mass."""
        inputs = self.mapping("inputs")
        inside = {name: inputs.pop(name) for name in STATE if name in inputs}
        twice = [name for name in inside if name in self.said]
        if twice:
            raise StudyError(f"{self.where(twice[0])}: {twice[0]!r} stands here and in 'inputs'; expected one of them")
        places: dict[Keys, str] = {(name,): self.where("inputs", name) for name in inside}
        said = {**self.said, **inside} | ({"inputs": inputs} if "inputs" in self.said else {})
        if "payload" in said and not isinstance(said["payload"], dict):
            said["payload"] = {"mass": said["payload"]}
        return replace(self, said=said, places={**self.places, **places})

    # Places and values.

    def where(self, *keys: str) -> str:
        """The place of a value, or of the entry that contains it."""
        while keys and keys not in self.places:
            keys = keys[:-1]
        return self.places.get(keys, self.file)

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
        return key in self.said

    def number(self, key: str, usual: float, **bounds: Any) -> float:
        """A finite number."""
        with self.at(key):
            return number(key, self.said.get(key, usual), error=StudyError, **bounds)

    def switch(self, key: str) -> bool:
        """True or false; false by default."""
        with self.at(key):
            return switch(key, self.said.get(key, False), error=StudyError)

    def mapping(self, key: str) -> dict[str, Any]:
        """A mapping, empty by default."""
        said = self.said.get(key, {})
        if not isinstance(said, dict):
            raise StudyError(f"{self.where(key)}: {key} is {said!r}; expected names with values, such as 'name: ...'")
        return dict(said)

    def listed(self, key: str) -> list[str]:
        """A list of names, empty by default."""
        result = self.said.get(key, [])
        if not isinstance(result, list) or not all(isinstance(one, str) for one in result):
            raise StudyError(f"{self.where(key)}: {key} is {result!r}; expected a list of names")
        twice = [name for k, name in enumerate(result) if name in result[:k]]
        if twice:
            raise StudyError(f"{self.where(key)}: {key} names {twice[0]!r} twice; expected each name once")
        return result

    def chosen(self, key: str, known: Mapping[str, Any], usual: str) -> Any:
        """The value of ``known`` by the name under a key of the scenario, or by the default one."""
        return self.one(key, self.said.get(key, usual), known, key)

    def one(self, kind: str, name: Any, known: Mapping[str, Any], *keys: str) -> Any:
        """The value of ``known`` by a name; an `UnknownName` with the kind and the place otherwise."""
        if not isinstance(name, str) or name not in known:
            raise UnknownName.of(kind, name, known, self.where(*keys))
        return known[name]

    def path(self, key: str) -> Path:
        """A file in the folder of the scenario."""
        name = self.said[key]
        if not isinstance(name, str | Path) or not str(name):
            raise StudyError(f"{self.where(key)}: {key} is {name!r}; expected the name of a file")
        return self.folder / name

    def objects(self, key: str, make: Callable[[str, Any], T]) -> list[T]:
        """The results of a function for each name and value of a mapping; errors with the line of the name."""
        result = []
        for name, given in self.named(key):
            with self.at(key, name):
                result.append(make(name, given))
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
        name = self.said.get("robot")
        if not isinstance(name, str) or not name:
            raise StudyError(
                f"{self.where('robot')} names no robot; expected a line such as 'robot: ur5', or a file beside the "
                "scenario"
            )
        said = {key: self.said[key] for key in OF_ROBOT if key in self.said}
        if said.get("gravity") is not None:
            with self.at("gravity"):
                _array("gravity", said["gravity"], (3,), "three numbers, m/s^2", finite=StudyError)
        beside = self.folder / name
        with self.at(*(() if said else ("robot",))):  # the error names one of several keys
            robot = load(
                name if name in bundled_robots() or not os.path.exists(beside) else beside, **{**said, **options}
            )
        robot = self._with_actuators(robot, **options) if "actuators" in self.said else robot
        robot = self._with_payload(robot) if "payload" in self.said else robot
        for name, given in self.named("constraints"):
            with self.at("constraints", name):
                robot = with_constraint(robot, name, given)
        return robot

    def _with_actuators(self, robot: Robot, *, friction: str = "count", **_: Any) -> Robot:
        drives = self.said["actuators"]
        if not isinstance(drives, str) or not drives:
            raise StudyError(
                f"{self.where('actuators')}: actuators is {drives!r}; expected the name of a file beside the scenario"
            )
        with self.at("actuators"):
            driven = robot.with_actuators(actuators.read(self.folder / drives))
        return driven.without_friction() if friction == "ignore" else driven

    def _with_payload(self, robot: Robot) -> Robot:
        given = self.mapping("payload")
        for key in given:
            self.one("part of a payload", key, dict.fromkeys(PAYLOAD), "payload", str(key))
        if "mass" not in given:
            raise StudyError(
                f"{self.where('payload')}: payload has no mass; expected such as {{mass: 2, com: [0, 0, 0.1]}}"
            )
        with self.at("payload", "mass"):
            mass = number("mass of the payload", given["mass"], least=0.0, unit="kg", error=StudyError)
        with self.at("payload"):
            com = _array("com of the payload", given.get("com", np.zeros(3)), (3,), "m")
            tensor = _array("inertia of the payload", given.get("inertia", np.zeros((3, 3))), (3, 3), "kg m^2")
            return robot.with_payload(Inertia(mass, com, tensor), given.get("frame"))

    def state(self, robot: Robot, name: str) -> Array | None:
        """q0 or qd0, one number for all joints or one for each; None if it is missing."""
        if name not in self.said:
            return None
        with self.at(name):
            return spread(
                name, in_si(name, self.said[name], units_of(robot, name)), (robot.dof,), 0, one_per_joint(robot)
            )

    def brakes(self, robot: Robot) -> dict[str, Any]:
        """Switches of brakes by joint, pairs of a time, s, and a state; empty by default.

        Raises:
            StudyError: not a list of such pairs.
            UnknownName: a joint that the robot does not have.
        """
        result = self.mapping("brakes")
        for name, pairs in result.items():
            with self.at("brakes", str(name)):
                switches_of(robot, name, pairs, np.inf)
        return result

    def controller_parts(self) -> list[tuple[str, dict[str, Any]]]:
        """The controller, then its wrappers from the inside out: names with options or settings.

        Raises:
            StudyError: not a name, and not a list of names and of names with options.
            UnknownName: a controller or wrapper that does not exist.
        """
        said = self.said.get("controller", NONE)
        result: list[tuple[str, dict[str, Any]]] = []
        for part in said if isinstance(said, list) and said else [said]:
            name, options = next(iter(part.items())) if isinstance(part, dict) and len(part) == 1 else (part, {})
            if not isinstance(name, str) or not isinstance(options, dict):
                raise StudyError(
                    f"{self.where('controller')}: controller has {part!r}; expected a name, or a list such as "
                    "[pid, {saturated: {limits: 28}}, {delayed: {steps: 2}}], from the inside out"
                )
            kind, known = ("wrapper", AROUND) if result else ("controller", offered())
            if name in FORMER and name not in known and FORMER[name] in known:
                raise StudyError(
                    f"{self.where('controller')}: the controller {name!r} is called {FORMER[name]!r}, and its inputs "
                    "q_ref, qd_ref, Kp and Kd"
                )
            self.one(kind, name, dict.fromkeys(known), "controller")
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
            found = declared_controller(name, options)
            for wrapper, settings in around:
                found = placed_around(found, wrapper, settings)
            return control.with_model(with_gain_kinds(found, robot, self._said_of_gains()), robot)

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
        said, quantities = self.mapping(key), self.quantities(robot)
        known = () if self.is_controlled() else inputs_of_any()
        controlled = [name for name in said if name not in quantities.own and FORMER.get(name, name) in known]
        if controlled:
            raise StudyError(
                f"{self.where(key, controlled[0])}: {controlled[0]!r} is of a controller, and there is none; expected "
                f"one of {', '.join(name for name in offered() if name != NONE)}"
            )
        for given in said:
            self.shape_of_input(robot, str(given))  # or the error of the controller, before those of the values
        result: dict[str, Any] = {}
        for given, value in said.items():
            with self.at(key, str(given)):
                for name in quantities.named({given: value}, where=key):
                    if name in result:
                        raise StudyError(f"{key} have {name!r} twice, in two spellings")
                    self._refuse_of_loaded_link(robot, name)
                    result[name] = read(name, value)
        return result

    def _refuse_of_loaded_link(self, robot: Robot, name: str) -> None:
        """Raise for a mass, centre or inertia of the link that has the payload: the value would be of both together."""
        owner, _, quantity = name.rpartition(".")
        frame = self.mapping("payload").get("frame", robot.tip) if "payload" in self else None
        carries = any(known.name == frame and known.link == owner for known in robot.model.frames)
        if carries and quantity in SHAPES:
            raise StudyError(
                f"{name!r} would replace that of {owner!r} and its payload together; expected "
                f"'{frame}.payload.{quantity}' in its place, or no 'payload'"
            )

    def spread(self, robot: Robot, name: str, value: Any, leading: int) -> Array:
        """The value of a quantity, with one number for all joints repeated for each."""
        own, value = self.quantities(robot).own, in_si(name, value, units_of(robot, name))
        if name == "f_tip":
            return spread(name, value, (6,), leading, "mx, my, mz, fx, fy, fz", repeat=False)
        shape = self.shape_of_input(robot, name) if name in own else None
        if name == "T_ref" and not leading:
            return printed_pose(name, _array(name, value, (4, 4)))
        if shape is not None and shape != (robot.dof,):
            return spread(name, value, shape, leading, repeat=len(shape) == 1)
        if name in own:
            return spread(name, value, (robot.dof,), leading, one_per_joint(robot))
        return spread(name, value, parameter_shape(robot.model, name), leading, repeat=False)


PAYLOAD = ("mass", "com", "inertia", "frame")


def _array(name: str, value: Any, *shape: Any, **settings: Any) -> Array:
    """An array of numbers; true and false are not numbers."""
    return array(name, without_booleans(name, value), *shape, **settings)


def spread(
    name: str, value: Any, shape: tuple[int, ...], leading: int, meaning: str = "", *, repeat: bool = True
) -> Array:
    """An array of a shape after some leading axes; one number is repeated for all.

    Raises:
        ShapeError: another shape.
    """
    found = _array(name, value, finite=StudyError)
    if repeat and found.ndim == leading and shape:
        return np.broadcast_to(found.reshape(*found.shape, *(1 for _ in shape)), (*found.shape, *shape))
    return array(name, found, (*("values",) * leading, *shape), meaning)
