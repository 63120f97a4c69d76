"""A study as a small YAML file: the arguments of `armdyn.study`, without code."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armdyn.base.checks import number, without_booleans
from armdyn.robot import Robot
from armdyn.simulation import BrakeSwitches, Constraints
from armdyn.simulation.drivers.grid import MOST_STEPS
from armdyn.simulation.methods.catalogue import NAMES, Adaptive
from armdyn.studies.declared_controllers import traced
from armdyn.studies.definition import ONE_STEP
from armdyn.studies.distributions import Distribution, LogUniform, Normal, Uniform
from armdyn.studies.errors import StudyError
from armdyn.studies.law import recorded
from armdyn.studies.named_objects import contact_of
from armdyn.studies.numbers import in_si, units_of
from armdyn.studies.samples import StudySamples, check_runs, grid, sampled
from armdyn.studies.summaries import SUMMARIES
from armdyn.studies.table import SIMULATE, WORDS
from armdyn.studies.words import Words

DISTRIBUTIONS: Mapping[str, type[Distribution]] = {"uniform": Uniform, "log_uniform": LogUniform, "normal": Normal}
METHODS = {name: kind for name, kind in NAMES.items() if kind in ONE_STEP} | {"adaptive": Adaptive}

UNUSED = ("save", "style")
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
    samples: StudySamples
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
        return cls.of(Words.read(Path(path)))

    @classmethod
    def of(cls, words: Words) -> Scenario:
        """The study of a scenario's keys, with options."""
        _refuse_motion(words)
        robot = words.robot()
        if words.is_controlled() and _method_name(words) == "adaptive":
            raise StudyError(
                f"{words.where('method')}: a controller is given, and the method is adaptive, whose runs have none. "
                "Use a method with steps of one length, such as rk4"
            )
        samples, settings = _samples(words, robot), _settings(words, robot)
        if words.is_controlled():
            _check_controller(words, robot, settings, samples.names)
        return cls(robot, samples, settings)


def _refuse_motion(words: Words) -> None:
    """Refuse keys that would change the motion and that a study cannot apply; warn of others."""
    own = ("save",) if _method_name(words) == "adaptive" else ()
    keys = [key for key, word in WORDS.items() if word.verbs == (SIMULATE,) and key in words and key not in own]
    obeyed = [key for key in keys if key not in UNUSED]
    if obeyed:
        raise StudyError(
            f"{words.where(obeyed[0])}: {obeyed[0]!r} is for one motion, by armdyn simulate; a study has none"
        )
    if keys:
        warnings.warn(f"{words.file}: {', '.join(keys)}: for armdyn simulate, not used by a study", stacklevel=3)


def _settings(words: Words, robot: Robot) -> dict[str, Any]:
    name = _method_name(words)
    words.one("method", name, METHODS, "method")
    with words.at("method"):
        method = words.with_options({("method", "name"): name}, {}).object(robot, "method")
    duration, step = words.number("duration", 1.0, above=0.0), _step(words, robot, method)
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
    inputs = {"q0": words.state(robot, "q0"), "qd0": words.state(robot, "qd0"), "f_tip": words.f_tip(robot)}
    inputs["tau"] = words.torque(robot)
    result["inputs"] |= {name: value for name, value in inputs.items() if value is not None}
    result["inputs"] |= {"h": step} if isinstance(method, Adaptive) else {}
    result["summaries"] = {
        name: words.one("summary", name, SUMMARIES, "summaries") for name in words.listed("summaries")
    }
    result["record"] = words.listed("record")
    stops = words.object(robot, "stops")
    result["elements"] = [
        *([] if stops is None else [stops]),
        *words.objects(robot, "contacts", contact_of),
        BrakeSwitches(words.brakes(robot)),
        Constraints(project=words.switch("project")),
    ]
    if words.entries.get("out") is not None:
        result["folder"] = _folder(words)
    if "progress" in words:
        result["progress"] = words.switch("progress")
    for key in ("every", "chunk"):
        if key in words:
            result[key] = words.whole(key, least=1, most=MOST_STEPS)
    return result


def _method_name(words: Words) -> Any:
    return words.mapping("method").get("name", "euler")


def _step(words: Words, robot: Robot, method: Any) -> float:
    """The time between two states, s: a step, or the word save.every of the adaptive method."""
    if not isinstance(method, Adaptive):
        return float(method.step)
    every = words.in_si(robot, "save", words.mapping("save")).get("every", 1e-3)
    with words.at("save", "every"):
        return number("save.every", every, above=0.0, unit="s", error=StudyError)


def _folder(words: Words) -> Path:
    """The folder of the results."""
    names = words.listed("out")
    if len(names) != 1:
        raise StudyError(f"{words.where('out')}: out has {len(names)} names; expected the folder of a study")
    return Path(names[0])


def _check_controller(words: Words, robot: Robot, settings: Mapping[str, Any], varied: Iterable[str]) -> None:
    """Raise, with the line, the errors of the controller: inputs without others, options, signals to record."""
    controller = settings["controller"]
    with words.at_controller():
        traced(controller, robot, {*settings["inputs"], *varied})
    with words.at("record"):
        recorded(controller, robot, settings["record"])


def _samples(words: Words, robot: Robot) -> StudySamples:
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
    drawn = words.values(robot, "samples", lambda name, value: _distribution(words, robot, name, value))
    seed, runs = words.whole("seed", 0, least=0), words.whole("runs", least=1)
    with words.at("runs"):
        samples = sampled(runs, drawn, seed=seed)
        check_runs(samples.runs)
    return samples


def _distribution(words: Words, robot: Robot, name: str, value: object) -> Distribution:
    if not isinstance(value, dict) or len(value) != 1:
        raise StudyError(f"{name} is {value!r}; expected a distribution, such as {{uniform: [0, 5]}}")
    ((word, parameters),) = value.items()
    kind: type[Distribution] = words.one("distribution", word, DISTRIBUTIONS, "samples", name)
    if not isinstance(parameters, list) or len(parameters) != 2:
        fields = ", ".join(kind.__dataclass_fields__)
        raise StudyError(f"{name}: {word} has {parameters!r}; expected two values, [{fields}]")
    return kind(*(without_booleans(name, in_si(name, one, units_of(robot, name))) for one in parameters))
