"""A study as a small YAML file: the arguments of `armdyn.study`, without code."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armdyn.base.checks import whole_number, without_booleans
from armdyn.robot import Robot
from armdyn.simulation.drivers.grid import MOST_STEPS
from armdyn.simulation.methods.catalogue import NAMES, Adaptive
from armdyn.studies.declared import traced
from armdyn.studies.definition import ONE_STEP
from armdyn.studies.distributions import Distribution, LogUniform, Normal, Uniform
from armdyn.studies.errors import StudyError
from armdyn.studies.law import recorded
from armdyn.studies.samples import Samples, check_runs, grid, sampled
from armdyn.studies.summaries import SUMMARIES
from armdyn.studies.words import OF_A_MOTION, STATE, Words

DISTRIBUTIONS: Mapping[str, type[Distribution]] = {"uniform": Uniform, "log_uniform": LogUniform, "normal": Normal}
METHODS = {name: kind for name, kind in NAMES.items() if kind in ONE_STEP} | {"adaptive": Adaptive}

TOLERANCES = ("rtol", "atol")
"""Keys of the adaptive method."""

UNUSED = ("save", "outputs")
"""Keys of a single motion without effect on a study."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """The settings of a study.

    Args:
        robot: the robot.
        samples: the varied quantities.
        settings: the other arguments of `armdyn.study`.
    """

    robot: Robot
    samples: Samples
    settings: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Scenario:
        """Read a file.

        Args:
            path: of a YAML file. A robot's file is found in its folder.

        Raises:
            StudyError: not YAML, or an invalid value.
            UnknownName: a key, quantity, controller, method or summary that does not exist.
        """
        words = Words.read(Path(path))
        _refuse_motion(words)
        robot = words.robot()
        samples, settings = _samples(words, robot), _settings(words, robot)
        if words.is_controlled():
            if isinstance(settings["method"], Adaptive):
                raise StudyError(
                    f"{words.where('method')}: a controller is given, and the method is adaptive, whose runs have "
                    "none. Use a method with steps of one length, such as rk4"
                )
            _check_controller(words, robot, settings, samples.names)
        return cls(robot, samples, settings)


def _refuse_motion(words: Words) -> None:
    """Refuse keys that would change the motion and that a study cannot apply; warn of others."""
    own = TOLERANCES if words.said.get("method") == "adaptive" else ()
    said = [key for key in OF_A_MOTION if key in words and key not in own]
    obeyed = [key for key in said if key not in UNUSED]
    if obeyed:
        raise StudyError(
            f"{words.where(obeyed[0])}: {obeyed[0]!r} is for one motion, by armdyn simulate; a study has none"
        )
    if said:
        warnings.warn(f"{words.file}: {', '.join(said)}: for armdyn simulate, not used by a study", stacklevel=3)


def _settings(words: Words, robot: Robot) -> dict[str, Any]:
    kind, step = words.chosen("method", METHODS, "euler"), words.number("step", 1e-3, above=0.0, unit="s")
    method = _adaptive(words) if kind is Adaptive else kind(step=step)
    duration = words.number("duration", 1.0, above=0.0, unit="s")
    if duration / step > MOST_STEPS:
        raise StudyError(
            f"{words.where('duration')}: duration {duration:g} s in steps of {step:g} s takes "
            f"{duration / step:.3g} steps; expected {MOST_STEPS:.0e} at most"
        )
    steps = max(round(duration / step), 1)
    if abs(steps * step - duration) > 1e-9 * duration:
        raise StudyError(f"{words.where('duration')}: duration {duration:g} s is no multiple of step {step:g} s")
    result: dict[str, Any] = {"steps": steps, "method": method}
    result["controller"] = words.controller(robot)
    result["inputs"] = words.values(robot, "inputs", lambda name, value: words.spread(robot, name, value, 0))
    result["inputs"] |= {name: words.state(robot, name) for name in STATE if name in words}
    result["inputs"] |= {"h": step} if kind is Adaptive else {}
    result["summaries"] = {
        name: words.one("summary", name, SUMMARIES, "summaries") for name in words.listed("summaries")
    }
    result["record"] = words.listed("record")
    result["brakes"], result["project"] = words.brakes(robot), words.switch("project")
    for key in ("every", "chunk"):
        if key in words:
            with words.at(key):
                result[key] = whole_number(key, words.said[key], least=1, most=MOST_STEPS, error=StudyError)
    return result


def _adaptive(words: Words) -> Adaptive:
    """The adaptive method with the tolerances of the scenario."""
    arguments: dict[str, Any] = {name: words.number(name, 1e-10, above=0.0) for name in TOLERANCES if name in words}
    with words.at(*([*arguments][:1] or ["method"])):
        return Adaptive(**arguments)


def _check_controller(words: Words, robot: Robot, settings: Mapping[str, Any], varied: Iterable[str]) -> None:
    """Raise, with the line, the errors of the controller: inputs without others, options, signals to record."""
    controller = settings["controller"]
    with words.at_controller():
        traced(controller, robot, {*settings["inputs"], *varied})
    with words.at("record"):
        recorded(controller, robot, settings["record"])


def _samples(words: Words, robot: Robot) -> Samples:
    if ("samples" in words) == ("grid" in words):
        raise StudyError(
            f"{words.file}: expected either 'samples', drawn at random, or 'grid', all combinations. A single motion "
            "is for armdyn simulate"
        )
    if "grid" in words:
        misplaced = [key for key in ("runs", "seed") if key in words]
        if misplaced:
            raise StudyError(
                f"{words.where(misplaced[0])}: {misplaced[0]!r} belongs to 'samples'; a grid has no random numbers"
            )
        return grid(words.values(robot, "grid", lambda name, value: words.spread(robot, name, value, 1)))
    if "runs" not in words:
        raise StudyError(f"{words.where('samples')}: 'samples' need 'runs', how many to draw")
    drawn = words.values(robot, "samples", lambda name, said: _distribution(words, name, said))
    with words.at("seed" if "seed" in words else "runs"):
        seed = whole_number("seed", words.said.get("seed", 0), least=0, error=StudyError)
    with words.at("runs"):
        samples = sampled(words.said["runs"], drawn, seed=seed)
        check_runs(samples.runs)
    return samples


def _distribution(words: Words, name: str, said: Any) -> Distribution:
    if not isinstance(said, dict) or len(said) != 1:
        raise StudyError(f"{name} is {said!r}; expected a distribution, such as {{uniform: [0, 5]}}")
    ((word, parameters),) = said.items()
    kind: type[Distribution] = words.one("distribution", word, DISTRIBUTIONS, "samples", name)
    if not isinstance(parameters, list) or len(parameters) != 2:
        fields = ", ".join(kind.__dataclass_fields__)
        raise StudyError(f"{name}: {word} has {parameters!r}; expected two values, [{fields}]")
    return kind(*(without_booleans(name, value) for value in parameters))
