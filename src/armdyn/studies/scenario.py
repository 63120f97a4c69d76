"""A study as a small YAML file: what `armdyn.study` is called with, without code."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armdyn import actuators
from armdyn.checks import array, number
from armdyn.errors import UnknownName
from armdyn.model.parameters import parameter_shape
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load
from armdyn.simulation.methods import NAMES
from armdyn.spatial.rotations import Array
from armdyn.studies.controllers import CONTROLLERS
from armdyn.studies.definition import ONE_STEP
from armdyn.studies.distributions import Distribution, LogUniform, Normal, Uniform
from armdyn.studies.errors import StudyError
from armdyn.studies.quantities import Quantities
from armdyn.studies.samples import Samples, grid, sampled
from armdyn.studies.summaries import SUMMARIES
from armdyn.yaml_file import read_mapping

OF_ROBOT = ("base", "tip", "chain", "locked", "gravity")
KEYS = (
    *("robot", *OF_ROBOT, "actuators", "duration", "step", "method", "controller", "inputs"),
    *("samples", "runs", "seed", "grid", "record", "every", "summaries", "chunk"),
)
"""What a scenario may say."""

DISTRIBUTIONS: Mapping[str, type[Distribution]] = {"uniform": Uniform, "log_uniform": LogUniform, "normal": Normal}
METHODS = {name: kind for name, kind in NAMES.items() if kind in ONE_STEP}


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario that was read.

    Args:
        robot: what moves.
        samples: what varies.
        settings: the other arguments of `armdyn.study`.
    """

    robot: Robot
    samples: Samples
    settings: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Scenario:
        """Read a file.

        Args:
            path: of a YAML file. The files of robot and actuators are found beside it.

        Raises:
            StudyError: no YAML, or a value that makes no sense.
            UnknownName: a key, quantity, controller, method or summary that does not exist.
        """
        path = Path(path)
        said = read_mapping(path, "a scenario", "robot: ur5", error=StudyError)
        for key in said:
            if key not in KEYS:
                raise UnknownName.of("key", key, KEYS, str(path))
        robot = _robot(said, path)
        read = _Reader(robot, str(path), said)
        return cls(robot, read.samples(), read.settings())


def _robot(said: Mapping[str, Any], path: Path) -> Robot:
    name = said.get("robot")
    if not isinstance(name, str) or not name:
        raise StudyError(f"{path} names no robot; expected a line such as 'robot: ur5', or a file beside the scenario")
    options = {key: said[key] for key in OF_ROBOT if key in said}
    beside = path.parent / name
    robot = load(name if name in bundled_robots() or not beside.exists() else beside, **options)
    drives = said.get("actuators")
    if drives is None:
        return robot
    if not isinstance(drives, str) or not drives:
        raise StudyError(f"{path}: actuators is {drives!r}; expected the name of a file beside the scenario")
    return robot.with_actuators(actuators.read(path.parent / drives))


@dataclass(frozen=True)
class _Reader:
    """The words of a scenario as arguments of `armdyn.study`."""

    robot: Robot
    where: str
    said: Mapping[str, Any]

    def settings(self) -> dict[str, Any]:
        kind = self._chosen("method", METHODS, "euler")
        method = kind(step=number("step", self.said.get("step", 1e-3), above=0.0, unit="s", error=StudyError))
        duration = number("duration", self.said.get("duration", 1.0), above=0.0, unit="s", error=StudyError)
        steps = max(round(duration / method.step), 1)
        if abs(steps * method.step - duration) > 1e-9 * duration:
            raise StudyError(f"{self.where}: duration {duration:g} s is no multiple of step {method.step:g} s")
        found: dict[str, Any] = {"steps": steps, "method": method}
        found["controller"] = self._chosen("controller", CONTROLLERS, "none")(self.robot)
        found["inputs"] = self._values("inputs", lambda name, value: self._spread(name, value, 0))
        found["summaries"] = {name: self._one("summary", name, SUMMARIES) for name in self._listed("summaries")}
        found["record"] = self._listed("record")
        return found | {key: self.said[key] for key in ("every", "chunk") if key in self.said}

    def samples(self) -> Samples:
        if ("samples" in self.said) == ("grid" in self.said):
            raise StudyError(f"{self.where}: expected either 'samples', drawn at random, or 'grid', all combinations")
        if "grid" in self.said:
            misplaced = [key for key in ("runs", "seed") if key in self.said]
            if misplaced:
                raise StudyError(f"{self.where}: {misplaced[0]!r} belongs to 'samples'; a grid has no random numbers")
            return grid(self._values("grid", lambda name, value: self._spread(name, value, 1)))
        if "runs" not in self.said:
            raise StudyError(f"{self.where}: 'samples' need 'runs', how many to draw")
        return sampled(self.said["runs"], self._values("samples", self._distribution), seed=self.said.get("seed", 0))

    def _distribution(self, name: str, said: Any) -> Distribution:
        if not isinstance(said, dict) or len(said) != 1:
            raise StudyError(f"{self.where}: {name} is {said!r}; expected a distribution, such as {{uniform: [0, 5]}}")
        ((word, parameters),) = said.items()
        kind: type[Distribution] = self._one("distribution", word, DISTRIBUTIONS)
        if not isinstance(parameters, list) or len(parameters) != 2:
            fields = ", ".join(kind.__dataclass_fields__)
            raise StudyError(f"{self.where}: {name}: {word} has {parameters!r}; expected two values, [{fields}]")
        return kind(*parameters)

    def _values(self, key: str, read: Callable[[str, Any], Any]) -> dict[str, Any]:
        said = self.said.get(key, {})
        if not isinstance(said, dict):
            raise StudyError(f"{self.where}: {key} is {said!r}; expected quantities by name, such as 'q0: ...'")
        named = self._quantities.named(said, where=key)
        return {name: read(name, value) for name, value in named.items()}

    @property
    def _quantities(self) -> Quantities:
        controller = self._chosen("controller", CONTROLLERS, "none")(self.robot)
        return Quantities.of(self.robot, controller, running_cost=False, energy=False)

    def _spread(self, name: str, value: Any, leading: int) -> Array:
        """The value with one number for all joints repeated for each."""
        found = array(f"{self.where}: {name}", value, finite=StudyError)
        own = self._quantities.own
        shape = parameter_shape(self.robot.model, name) if name not in own else ()
        shape = (6,) if name == "f_tip" else (self.robot.dof,) if name in own else shape
        if found.ndim != leading or not shape or name == "f_tip":
            return found
        return np.broadcast_to(found.reshape(*found.shape, *(1 for _ in shape)), (*found.shape, *shape))

    def _listed(self, key: str) -> list[str]:
        said = self.said.get(key, [])
        if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
            raise StudyError(f"{self.where}: {key} is {said!r}; expected a list of names")
        return said

    def _chosen(self, key: str, known: Mapping[str, Any], usual: str) -> Any:
        return self._one(key, self.said.get(key, usual), known)

    def _one(self, kind: str, name: Any, known: Mapping[str, Any]) -> Any:
        if not isinstance(name, str) or name not in known:
            raise UnknownName.of(kind, name, known, self.where)
        return known[name]
