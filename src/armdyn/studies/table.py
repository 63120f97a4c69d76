"""The table of words: arguments of Python as keys of a scenario, as ``--set WORD=VALUE``, and as options.

A word is an argument of `armdyn.load`, `armdyn.simulate` or `armdyn.study`, or one of their elements. Its parts are the
arguments of a class: ``save.every`` is ``SaveAt(every=...)``. Names, defaults and help of the parts come from the
signature and the documentation of the class, so that an argument added to a class of this table is a word.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.constraints import PointOnPlane
from armdyn.model import Inertia
from armdyn.simulation import BrakeSwitches, Constraints, Contact, OverTime, SaveAt, Start, Stops, named_method
from armdyn.simulation.methods.catalogue import NAMES, Method
from armdyn.studies.named_objects import CONSTRAINTS, EVENTS, contact_by_arguments

SIMULATE, STUDY = "simulate", "study"
BOTH = (SIMULATE, STUDY)


class WordArgument(NamedTuple):
    """An argument of the class of a word.

    Args:
        name: of the argument.
        unit: SI unit of its numbers, "" of numbers without one; None if it is not a number.
        default: "" of an argument without one, and of None.
        help: the first sentence of its documentation.
    """

    name: str
    unit: str | None
    default: str
    help: str


@dataclass(frozen=True)
class Word:
    """A word of a scenario and of ``--set``.

    Args:
        python: the argument in Python: "simulate.q0", or the object that it makes: "simulate.elements: Stops".
        help: one sentence.
        example: of a value, in YAML.
        unit: SI unit of its numbers, or the quantity of joints in angle brackets, e.g. "<qd>", whose unit depends on
            the joint; "" of numbers without a unit; None if the value is not a number.
        verbs: the verbs of the command line that have it.
        make: the function that makes its object of its parts.
        classes: the classes whose arguments are its parts.
        units: SI units of the parts that are numbers.
        short: the part that receives a value which is not a mapping.
        without: arguments of the classes that are not parts.
        more: parts that are not arguments of the classes, with their help.
        is_named: True if its value is a mapping from names that the user chooses.
        kinds: constructors of the objects of its names, by kind.
        option: True if the verb ``simulate`` has an option of this name.
    """

    python: str
    help: str
    example: str
    unit: str | None = None
    verbs: tuple[str, ...] = BOTH
    make: Callable[..., Any] | None = None
    classes: tuple[type[Any], ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    short: str = ""
    without: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)
    is_named: bool = False
    kinds: Mapping[str, object] = field(default_factory=dict)
    option: bool = False

    @cached_property
    def parts(self) -> Mapping[str, WordArgument]:
        """Its parts by name."""
        result = {name: WordArgument(name, self.units.get(name), "", text) for name, text in self.more.items()}
        for kind in self.classes:
            for name, parameter in inspect.signature(kind).parameters.items():
                if name in self.without or name in result:
                    continue
                default = "" if parameter.default in (parameter.empty, None) else _text(parameter.default)
                result[name] = WordArgument(name, self.units.get(name), default, documented(kind, name))
        return result

    def unit_of(self, *parts: str) -> str | None:
        """The unit of its numbers, or of those of a part; None if they are not numbers."""
        return self.units.get(parts[-1]) if parts and not self.is_free else self.unit

    @property
    def is_element(self) -> bool:
        """True if its object is an element of `armdyn.simulate`, one at most."""
        return self.python.startswith("simulate.elements") and bool(self.classes) and not self.is_named

    @property
    def is_free(self) -> bool:
        """True if all after its first dot is one name: inputs.link_2.mass."""
        return self.is_named and not self.classes and not self.kinds


def _text(default: object) -> str:
    return default if isinstance(default, str) else repr(default)


def documented(kind: Callable[..., object], name: str) -> str:
    """The first sentence on an argument in the documentation of a class or function; empty without one.

    >>> documented(SaveAt, "every")
    'the time between two states, s'
    """
    texts = [inspect.getdoc(each) or "" for each in getattr(kind, "__mro__", (kind,))]
    for text in texts:
        if match := re.search(rf"(?ms)^ {{4}}{name}: (.*?)(?=^ {{4}}\w|^\S|\Z|\n\n)", text):
            sentence = re.split(r"(?<=[^.]{2})[.;:](?:\s|$)", " ".join(match[1].split()))[0]
            return sentence.replace("``", "").replace("`", "")
    return ""


def method_of(name: str = "adaptive", **settings: object) -> Method:
    """An integration method by its name, with its settings.

    Args:
        name: as of `named_method`.
        settings: of the method's class.
    """
    return named_method(name, **settings)


def payload_of(mass: float, com: Any = (0.0, 0.0, 0.0), inertia: Any = None, frame: str | None = None) -> Any:
    """The inertia of a payload, and the frame that carries it.

    Args:
        mass: mass of the body, kg.
        com: its centre of mass in ``frame``, m.
        inertia: rotational inertia about the centre of mass, kg m^2; a point mass by default.
        frame: name of the frame that carries it; the tip by default.
    """
    return Inertia(mass, com, np.zeros((3, 3)) if inertia is None else inertia), frame


OF_PLANE = {"normal": "", "through": "m", "point": "m"}
OF_METHODS = {"step": "s", "rtol": "", "atol": "", "max_steps": "", "chattering_step": "s", "tolerance": ""}

WORDS: Mapping[str, Word] = {
    # The robot.
    "robot": Word("load.robot", "a bundled robot, or a URDF or MJCF file", "ur5"),
    "base": Word("load.base", "the link that counts as the base", "base_link"),
    "tip": Word("load.tip", "the link or frame that counts as the tip", "tool0"),
    "chain": Word("load.chain", "keep only the joints between base and tip", "true"),
    "locked": Word("load.locked", "positions of joints that are locked", "{elbow: 90deg}", "<q>", is_named=True),
    "gravity": Word("load.gravity", "acceleration of free fall in base axes", "[0, 0, -9.81]", "m/s^2"),
    "friction": Word("load.friction", "count, or ignore: leave damping and friction out", "ignore"),
    "joint_order": Word("load.joint_order", "chain, file, or the names of the joints in their order", "file"),
    "actuators": Word("Robot.with_actuators.actuators", "a file of motors, gears, friction laws", "drives.yaml"),
    "payload": Word(
        "Robot.with_payload.inertia", "a body at the tip; the controller compensates it", "{mass: 2, com: [0, 0, 0.1]}",
        make=payload_of, classes=(payload_of,), short="mass",  # type: ignore[arg-type] # a function has arguments too
        units={"mass": "kg", "com": "m", "inertia": "kg m^2"},
    ),
    "constraints": Word(
        "Robot.with_constraints.constraints", "constraints by name, each a kind with its arguments",
        "{rod: {distance: {frame: tip, length: 1.5}}}", is_named=True, kinds=CONSTRAINTS,
        units={**OF_PLANE, "direction": "", "axis": "", "length": "m"},
    ),
    # The motion.
    "q0": Word("simulate.q0", "joint positions at t = 0", "[0.5, -90deg]", "<q>", option=True),
    "qd0": Word("simulate.qd0", "joint velocities at t = 0", "[0, 30rpm]", "<qd>", option=True),
    "duration": Word("simulate.duration", "1 s by default, or as long as a file of torques", "2.0", "s", option=True),
    "torque": Word(
        "simulate.torque", "joint forces: numbers, or a table with t and tau_JOINT", "torques.csv", "<tau>",
        make=OverTime, classes=(OverTime,), without=("t", "values"), short="file", option=True,
        more={"file": "a table with a column t and a column tau_JOINT for each joint"},
    ),
    "f_tip": Word("simulate.f_tip", "wrench (m, f) of the tip on its surroundings", "[0, 0, 0, 0, 0, 10]", "<f_tip>"),
    "controller": Word(
        "simulate.controller", "one of armdyn.control, or a list with wrappers, from the inside out",
        "[pid, {delayed: {steps: 2}}]", option=True,
    ),
    "inputs": Word(
        "study.inputs", "inputs of the controller, and parameters of the robot that it does not have, by name",
        "{q_ref: [0.5, 90deg], Kp: 100}", "", is_named=True, option=True,
    ),
    "reference": Word("", "a table with t and q_JOINT that the controller follows", "path.csv", verbs=(SIMULATE,)),
    "sample_time": Word(
        "control.callback.sample_time", "time between two calls of the controller; a step by default", "10ms", "s",
        verbs=(SIMULATE,),
    ),
    "method": Word(
        "simulate.method", f"integration method, adaptive by default, under a controller too: {', '.join(NAMES)}",
        "{name: rk4, step: 1ms}",
        make=method_of, classes=tuple(dict.fromkeys(NAMES.values())), units=OF_METHODS, short="name",
        without=("scipy_method", "as_printed"), more={"name": "name of the method"}, option=True,
    ),
    # Elements.
    "stops": Word(
        "simulate.elements: Stops", "limits of joints as stops", "{restitution: 0.5}",
        make=Stops, classes=(Stops,), units={"restitution": "", "resting_speed": ""}, short="restitution",
    ),
    "contacts": Word(
        "simulate.elements: Contact", "planes that push points of the arm, by name",
        "{table: {frame: tip, normal: [0, 1, 0], through: [0, -1, 0]}}", is_named=True,
        make=contact_by_arguments, classes=(PointOnPlane, Contact), without=("plane", "name"),
        units={**OF_PLANE, "restitution": "", "resting_speed": "m/s"},
    ),
    "brakes": Word(
        "simulate.elements: BrakeSwitches", "times, s, and states of brakes, by joint", "{elbow: [[0.5, engaged]]}",
        "s", make=BrakeSwitches, is_named=True,
    ),
    "start": Word(
        "simulate.elements: Start", "initial state of rotors and bristles", "{theta: [0.1, 0]}", verbs=(SIMULATE,),
        make=Start, classes=(Start,), units={"theta": "<q>", "thetad": "<qd>", "bristles": ""},
    ),
    "redundant": Word(
        "simulate.elements: Constraints.redundant", documented(Constraints, "redundant"), "least_squares",
        verbs=(SIMULATE,),
    ),
    "project": Word(
        "simulate.elements: Constraints.project", "project onto the constraints after each step", "true"
    ),
    "close_loop": Word(
        "Robot.close_loop.q", "move q0 onto the constraints", "true", verbs=(SIMULATE,)
    ),
    "events": Word(
        "simulate.events", "events to locate by name, each a kind with its arguments",
        "{shelf: {plane: {frame: tip, normal: [0, 1, 0], terminal: true}}}", verbs=(SIMULATE,), is_named=True,
        kinds=EVENTS, units={**OF_PLANE, "above": ""},
    ),
    # Results.
    "save": Word(
        "simulate.save", "times of the saved states", "{every: 10ms}", verbs=(SIMULATE,),
        make=SaveAt, classes=(SaveAt,), units={"times": "s", "every": "s"}, short="every",
    ),
    "record": Word("study.record", "states and signals to record", "[q]"),
    "out": Word("study.folder", "files of a motion (csv, npz, parquet, png, pdf, svg, gif, mp4, html); the folder of a "
                "study", "[reach.csv, reach.png]", option=True),
    "style": Word("Trajectory.animate.style", "of animations: armdyn, or ucl, thin lines", "ucl", verbs=(SIMULATE,)),
    "progress": Word("simulate.progress", "show a progress bar on a terminal; true by default here", "false"),
    # Many motions.
    "samples": Word(
        "study.samples", "quantities drawn at random: uniform, log_uniform, normal", "{q0: {normal: [0, 0.1]}}", "",
        verbs=(STUDY,), is_named=True,
    ),
    "grid": Word("study.samples", "values of which every combination is a run", "{Kp: [100, 200]}", "",
                 verbs=(STUDY,), is_named=True),
    "runs": Word("studies.sampled.runs", "number of runs of samples", "1000", "", verbs=(STUDY,)),
    "seed": Word("studies.sampled.seed", "of the random numbers; 0 by default", "1", "", verbs=(STUDY,)),
    "every": Word("study.every", "steps between two records", "100", "", verbs=(STUDY,)),
    "summaries": Word("study.summaries", "numbers of each run: tip_error, joint_error, tip_position, diverged",
                      "[tip_error]", verbs=(STUDY,)),
    "chunk": Word("study.chunk", "runs that are computed together", "256", "", verbs=(STUDY,)),
}  # fmt: skip
"""The words in the order of their list."""

FORMER: Mapping[str, str] = {
    "torques": "torque=FILE.csv",
    "between": "torque.between=hold",
    "save_every": "save.every=SECONDS",
    "payload_com": "payload.com=X,Y,Z",
    "contact": "contacts.NAME='{frame: tip, normal: [0, 0, 1]}'",
    "event": "events.NAME='{KIND: {...}}'",
    "constraint": "constraints.NAME='{KIND: {...}}'",
    "input": "inputs.NAME=VALUE",
    "tau": "torque=VALUE",
    **dict.fromkeys(("csv", "npz", "parquet", "plot", "animate", "outputs"), "out=FILE"),
}
"""Former keys and options, and the words in their place."""


def paths() -> Iterator[tuple[str, ...]]:
    """All words, and the parts of each."""
    for name, word in WORDS.items():
        yield (name,)
        yield from ((name, part) for part in word.parts)


def word_for(name: str) -> str | None:
    """The word in the place of a former one, or with a part of a name: "step" is "method.step=VALUE"."""
    if name in FORMER:
        return FORMER[name]
    if name in WORDS:
        return f"{name}=VALUE"
    return next((f"{word}.{part}=VALUE" for word, *inner in paths() for part in inner if part == name), None)
