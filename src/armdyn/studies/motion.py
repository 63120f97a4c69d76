"""One motion from the keys of a scenario: the arguments of `armdyn.simulate`, without code."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from armdyn.actuators import Actuator
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.checks import number
from armdyn.base.errors import ArmdynError
from armdyn.constraints import OpenLoop
from armdyn.constraints.arguments import CLOSED, Redundant
from armdyn.constraints.checks import check_closed
from armdyn.model import Inertia, Model
from armdyn.model.drive import OF_JOINT
from armdyn.model.editing import with_joints, with_parallel_spring_number
from armdyn.model.parameters import SHAPES, parameter_value
from armdyn.model.payload import PAYLOAD, POINT, check_complete, payload_frame
from armdyn.motion.labels import of_constraints, of_joints
from armdyn.robot import Robot
from armdyn.simulation import (
    BrakeSwitches,
    Constraints,
    Contact,
    SimulationInterrupted,
    Trajectory,
    simulate,
)
from armdyn.simulation.methods.catalogue import NAMES, Method
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError
from armdyn.studies.force_source import ForceSource
from armdyn.studies.named_objects import contact_of, event_of
from armdyn.studies.references import Reference
from armdyn.studies.table import STUDY, WORDS, method_of
from armdyn.studies.thresholds import Threshold
from armdyn.studies.words import Words

ALSO_PUSH = frozenset(("stop_force", "contact_force", "friction", "bristles"))
"""Signals of further forces on an arm; a motion with springs and such signals gets no multipliers."""

STYLES = ("armdyn", "ucl")
"""Styles of animations."""

VARYING = ("samples", "grid")
UNUSED = tuple(name for name, word in WORDS.items() if word.verbs == (STUDY,) and name not in VARYING)
"""Keys of a study without effect on a motion."""


@dataclass(frozen=True, eq=False)
class MotionSettings:
    """The settings of a motion.

    Args:
        robot: the robot with its payload.
        settings: the other arguments of `armdyn.simulate`.
        driven: the source of the joint forces.
        outputs: files to be written.
        style: of animations.
        progress: True to show a progress bar.
    """

    robot: Robot
    settings: Mapping[str, Any]
    driven: ForceSource
    outputs: tuple[Path, ...] = ()
    style: str = "armdyn"
    progress: bool = True

    @property
    def driven_by(self) -> str:
        """The source of the joint forces, in words."""
        return self.driven.described

    @property
    def redundant(self) -> Redundant:
        """The treatment of constraints that follow from others."""
        return next(one.redundant for one in self.settings["elements"] if isinstance(one, Constraints))

    @property
    def follows(self) -> Reference | None:
        """The reference of its controller."""
        return self.driven.follows

    @classmethod
    def of(cls, words: Words, arm: Robot) -> MotionSettings:
        """The motion of the scenario, of the robot of `Words.robot`.

        Raises:
            StudyError: an invalid value, or keys of a study with variations.
            UnknownName: a quantity, controller, method or output that does not exist.
            LogError: a csv of torques or of a reference that cannot be read.
        """
        _refuse_study(words)
        _refuse_contradictions(words)
        method = _method(words, arm)
        inputs = words.values(arm, "inputs", lambda name, value: words.spread(arm, name, value, 0))
        own = words.quantities(arm).own
        robot = _with_parameters(words, arm, {name: v for name, v in inputs.items() if name not in own})
        contacts = words.objects(robot, "contacts", contact_of)
        events = words.objects(robot, "events", event_of)
        thresholds = [event for event in events if isinstance(event, Threshold)]
        driven = ForceSource.of(words, arm, method, inputs, thresholds)
        settings: dict[str, Any] = {name: words.state(arm, name) for name in ("q0", "qd0")}
        settings["q0"] = _on_constraints(words, robot, np.zeros(arm.dof) if settings["q0"] is None else settings["q0"])
        settings["duration"] = words.number("duration", driven.lasts, above=0.0)
        settings |= {"method": method, "torque": driven.torque, "f_tip": words.f_tip(arm)}
        objects = [words.object(robot, name) for name, word in WORDS.items() if word.is_element]
        settings["elements"] = [one for one in objects if one is not None]
        settings["elements"] += [*contacts, *_switches(words, robot), _constraints(words, robot)]
        settings["events"] = [event for event in events if not isinstance(event, Threshold)]
        settings["save"] = words.object(robot, "save")
        style, progress = words.choice("style", "armdyn", STYLES), words.switch("progress", usual=True)
        return cls(robot, settings, driven, tuple(map(Path, words.listed("out"))), style, progress)

    def simulate(self) -> Trajectory:
        """The motion, with the signals of its controller and of its constraints.

        In addition to the controller's own signals it has ``q_ref`` and ``qd_ref``, rad or m and their rates, of its
        reference, other references of its inputs (X_ref), and ``multipliers``, N or N m, the forces of the arm on its
        constraints.

        Raises:
            SimulationError: a motion that could not be continued; ``error.trajectory`` holds it until there. Other
                errors during the motion, e.g. of constraints that become singular, have it too.
            SimulationInterrupted: Ctrl-C; it has ``error.trajectory`` too.
        """
        settings = {name: value for name, value in self.settings.items() if value is not None}
        try:
            return self._with_signals(simulate(self.robot, progress=self.progress, **settings))
        except (ArmdynError, SimulationInterrupted) as error:
            until = getattr(error, "trajectory", None)
            if until is not None:
                error.trajectory = self._with_signals(until)  # type: ignore[union-attr]
            raise

    def _with_signals(self, motion: Trajectory) -> Trajectory:
        """The motion with the signals and events of its controller."""
        law = self.driven.law
        signals = {} if law is None else law.signals_at(motion.t)
        labels = {} if law is None else {name: law.labels[name] for name in signals if name in law.labels}
        if self.follows is not None:
            followed = [self.follows.at(t)[:2] for t in motion.t]
            references = dict(zip(("q_ref", "qd_ref"), map(np.array, zip(*followed, strict=True)), strict=True))
            signals |= references
            labels |= {name: of_joints(name, motion.joint_names, motion.joint_kinds) for name in references}
        springs = flexible_places(self.robot.model)
        if self.robot.model.constraints and not (springs and ALSO_PUSH.intersection(motion.signals)):
            contacts = [one for one in self.settings["elements"] if isinstance(one, Contact)]
            options: dict[str, Any] = {"redundant": "least_squares", "contacts": contacts}
            signals["multipliers"] = motion.constraint_forces(self.robot, **options).multipliers
            labels["multipliers"] = of_constraints(self.robot.model.constraints)
        own = () if law is None else law.events
        events = sorted((*motion.events, *own), key=lambda event: event.t)
        return dataclasses.replace(motion.with_signals(**signals).with_signal_labels(**labels), events=tuple(events))


def _refuse_study(words: Words) -> None:
    """Refuse keys of several motions; warn of those that only a study uses."""
    varying = [key for key in VARYING if key in words]
    if varying:
        raise StudyError(
            f"{words.where(varying[0])}: {varying[0]!r} makes this a study of many motions, which is for armdyn study; "
            "without it this is one motion"
        )
    unused = [key for key in UNUSED if key in words]
    if unused:
        warnings.warn(f"{words.file}: {', '.join(unused)}: for armdyn study, not used here", stacklevel=3)


def _refuse_contradictions(words: Words) -> None:
    """Refuse two sources of the joint forces, and settings of an absent object."""
    is_controlled = words.is_controlled()
    ways = {
        "a controller": is_controlled,
        "torque": words.entries.get("torque") is not None,
    }
    several = [way for way, is_said in ways.items() if is_said]
    if len(several) > 1:
        raise StudyError(f"{words.where('torque')}: {' and '.join(several)} are both given; expected one of them")
    for key, needs, is_there in (
        ("reference", "a controller", is_controlled),
        ("sample_time", "a controller", is_controlled),
    ):
        if key in words and not is_there:
            raise StudyError(f"{words.where(key)}: {key!r} is of {needs}, and there is none")


def _method(words: Words, robot: Robot) -> Method:
    value = words.mapping("method")
    words.one("method", value.get("name", "adaptive"), NAMES, "method", "name")
    method: Method = words.object(robot, "method") or method_of()
    return method


def _with_parameters(words: Words, robot: Robot, values: Mapping[str, Array]) -> Robot:
    """The robot with other parameters than those of its controller."""
    of_links: dict[str, dict[str, Any]] = {}
    of_payloads: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        owner, _, quantity = name.rpartition(".")
        if name == "gravity":
            robot = robot.with_gravity(value)
        elif quantity in OF_JOINT and owner in robot.model.joint_names:
            robot = Robot(with_joints(robot.model, {owner: {quantity: _not_negative(words, name, value)}}))
        elif name in robot.model.rotors or name in robot.model.springs:
            robot = Robot(with_joints(robot.model, _of_actuator(robot.model, name, float(value))))
        elif name in robot.model.numbers_of_parallel_springs:
            with words.at("inputs", name):
                robot = Robot(with_parallel_spring_number(robot.model, name, float(value)))
        else:
            bodies = of_links if payload_frame(robot.model, owner) is None else of_payloads
            bodies.setdefault(owner, {})[quantity] = value
    with words.at("inputs"):
        check_complete(of_payloads)
        own = {link: {key: parameter_value(robot.model, f"{link}.{key}") for key in SHAPES} for link in of_links}
        robot = robot.with_inertia({link: _inertia(own[link] | changed) for link, changed in of_links.items()})
        for owner, body in of_payloads.items():
            robot = robot.with_payload(_inertia(POINT | body), owner.removesuffix(PAYLOAD))
    return robot


def _not_negative(words: Words, name: str, value: Array) -> float:
    with words.at("inputs"):
        return number(name, float(value), least=0.0)


def _of_actuator(model: Model, name: str, value: float) -> Mapping[str, Mapping[str, Any]]:
    """The changed fields, by joint, for another number of a rotor that is a body of its own, or of a spring."""
    for joint in model.joints:
        if name in joint.rotors:
            moments = {rotor: part.moment_about_axis for rotor, part in joint.rotors.items()}
            return {joint.name: {"motor_parts": joint.with_rotor_inertias(moments | {name: value}).motor_parts}}
        if name in joint.springs and isinstance(joint.actuator, Actuator) and joint.actuator.spring is not None:
            spring = dataclasses.replace(joint.actuator.spring, **{name.rpartition(".")[2]: value})
            return {joint.name: {"actuator": dataclasses.replace(joint.actuator, spring=spring)}}
    raise AssertionError(name)  # pragma: no cover


def _inertia(values: Mapping[str, Any]) -> Inertia:
    return Inertia(values["mass"], values["com"], values["inertia"])


def _on_constraints(words: Words, robot: Robot, q0: Array) -> Array:
    """The initial positions; projected onto the robot's constraints if the scenario specifies it.

    Raises:
        StudyError: positions that the constraints do not allow.
    """
    closes = words.switch("close_loop")
    if not robot.model.constraints:
        if closes:
            raise StudyError(f"{words.where('close_loop')}: close_loop is of constraints, and {robot.name!r} has none")
        return q0
    with words.at("close_loop" if closes else "q0"):
        if closes:
            return robot.close_loop(q0)
        try:
            check_closed(robot, q0, CLOSED)
        except OpenLoop as error:
            raise StudyError(
                f"{error} close_loop: true, or --set close_loop=true, moves q0 to where they do"
            ) from error
    return q0


def _switches(words: Words, robot: Robot) -> list[BrakeSwitches]:
    """The switches of brakes."""
    return [BrakeSwitches(words.brakes(robot))] if "brakes" in words else []


def _constraints(words: Words, robot: Robot) -> Constraints:
    """The treatment of constraints."""
    project = words.switch("project")
    if "redundant" not in words:
        return Constraints(project=project)
    redundant = words.choice("redundant", "auto", get_args(Redundant))
    with words.at("redundant"):
        if not robot.model.constraints:
            raise StudyError(f"redundant is of constraints, and {robot.name!r} has none")
        return Constraints(redundant, project)  # type: ignore[arg-type]
