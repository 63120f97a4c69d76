"""One motion from the words of a scenario: what `armdyn.simulate` is called with, without code."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armdyn import control
from armdyn.actuators import Actuator
from armdyn.checks import number
from armdyn.declaration import Function
from armdyn.model import Inertia, Model
from armdyn.model.drive import OF_JOINT
from armdyn.model.editing import with_joints
from armdyn.model.parameters import SHAPES, parameter_value
from armdyn.model.payload import PAYLOAD, POINT, check_complete, payload_frame
from armdyn.robot import Robot
from armdyn.simulation import OverTime, SimulationError, SimulationInterrupted, Stops, Trajectory, simulate
from armdyn.simulation.forces import Callback
from armdyn.simulation.joint_tables import read_reference, read_torques
from armdyn.simulation.methods import NAMES, FixedStep, Method, chosen_method
from armdyn.simulation.over_time import BETWEEN
from armdyn.spatial.rotations import Array
from armdyn.studies.declared import DeclaredLaw, shape_of
from armdyn.studies.definition import ONE_STEP
from armdyn.studies.errors import StudyError
from armdyn.studies.references import Hold, Reference
from armdyn.studies.words import Words

OUTPUTS = ("csv", "npz", "parquet", "plot", "animate")

VARYING = ("samples", "grid")
UNUSED = ("runs", "seed", "record", "every", "summaries", "chunk")
"""Words of a study that change nothing of a motion."""


Law = Callable[[float, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion that was read.

    Args:
        robot: what moves, with what it carries.
        settings: the other arguments of `armdyn.simulate`.
        driven_by: what gives the joint forces, in words.
        follows: the reference of its controller.
        outputs: files to be written, by kind.
    """

    robot: Robot
    settings: Mapping[str, Any]
    driven_by: str
    follows: Reference | Hold | None
    outputs: Mapping[str, Path]

    @classmethod
    def of(cls, words: Words, known: Robot) -> Motion:
        """The motion that words describe, of the robot that `Words.robot` gives.

        Raises:
            StudyError: a value that makes no sense, or words of a study that vary something.
            UnknownName: a quantity, controller, method or output that does not exist.
            TableError: a csv of torques or of a reference that cannot be read.
        """
        _refuse_study(words)
        _refuse_contradictions(words)
        method = _method(words)
        given = words.values(known, "inputs", lambda name, value: words.spread(known, name, value, 0))
        own = words.quantities(known).own
        robot = _with_parameters(words, known, {name: v for name, v in given.items() if name not in own})
        driven = _Driven.of(words, known, method, given)
        settings: dict[str, Any] = {name: words.state(known, name) for name in ("q0", "qd0")}
        settings["q0"] = np.zeros(known.dof) if settings["q0"] is None else settings["q0"]
        settings["duration"] = words.number("duration", driven.lasts, above=0.0, unit="s")
        settings |= {"method": method, "torque": driven.torque, "f_tip": given.get("f_tip"), "stops": _stops(words)}
        if "brakes" in words:
            settings["brakes"] = words.brakes(robot)
        if words.switch("project"):
            settings["project"] = True
        if "save_every" in words:
            settings["save_every"] = words.number("save_every", 0.0, above=0.0, unit="s")
        return cls(robot, settings, driven.described, driven.follows, _outputs(words))

    def simulate(self, *, progress: bool = False) -> Trajectory:
        """The motion; with the signal ``q_ref``, rad or m, where a controller follows a reference.

        Raises:
            SimulationError: a motion that could not be continued; ``error.trajectory`` holds it until there.
            SimulationInterrupted: Ctrl-C, the same.
        """
        settings = {name: value for name, value in self.settings.items() if value is not None}
        try:
            return self._with_reference(simulate(self.robot, progress=progress, **settings))
        except (SimulationError, SimulationInterrupted) as error:
            if error.trajectory is not None:
                error.trajectory = self._with_reference(error.trajectory)
            raise

    def _with_reference(self, motion: Trajectory) -> Trajectory:
        if self.follows is None:
            return motion
        return motion.with_signals(q_ref=np.array([self.follows.at(t)[0] for t in motion.t]))


def _refuse_study(words: Words) -> None:
    """Raise for words by which there are many motions; warn of those that only a study uses."""
    varying = [key for key in VARYING if key in words]
    if varying:
        raise StudyError(
            f"{words.where(varying[0])}: {varying[0]!r} makes this a study of many motions, which is for armdyn study; "
            "without it this is one motion"
        )
    said = [key for key in UNUSED if key in words]
    if said:
        warnings.warn(f"{words.file}: {', '.join(said)}: for armdyn study, not used here", stacklevel=3)


def _refuse_contradictions(words: Words) -> None:
    """Raise where two things give the joint forces, or something belongs to what is not there."""
    is_controlled = words.controller_parts()[0][0] != "none"
    ways = {
        "a controller": is_controlled,
        "torques": "torques" in words,
        "constant joint forces (tau)": "tau" in words.mapping("inputs"),
    }
    several = [way for way, is_said in ways.items() if is_said]
    if len(several) > 1:
        raise StudyError(f"{words.file}: {' and '.join(several)} are both given; expected one of them")
    for key, needs, is_there in (
        ("between", "torques", "torques" in words),
        ("reference", "a controller", is_controlled),
        ("sample_time", "a controller", is_controlled),
    ):
        if key in words and not is_there:
            raise StudyError(f"{words.where(key)}: {key!r} is of {needs}, and there is none")


def _method(words: Words) -> Method:
    name = words.said.get("method", "adaptive")
    words.one("method", name, NAMES, "method")
    given = {key: words.number(key, 0.0, above=0.0) if key in words else None for key in ("step", "rtol", "atol")}
    said = [key for key in given if key in words]
    with words.at(*(said[:1] or ["method"])):
        return chosen_method(name, given["step"], given["rtol"], given["atol"])


def _with_parameters(words: Words, robot: Robot, values: Mapping[str, Array]) -> Robot:
    """The robot with other parameters, which its controller does not know of."""
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
    """The joint of which a rotor that is a body of its own, or the spring, has another number."""
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


def _stops(words: Words) -> Stops | None:
    said = words.said.get("stops")
    if said is None or said is False:
        return None
    given = said if isinstance(said, dict) else {"restitution": 0.0 if said is True else said}
    for key in given:
        words.one("part of stops", key, Stops.__dataclass_fields__, "stops", str(key))
    with words.at("stops"):
        return Stops(**given)


def _outputs(words: Words) -> dict[str, Path]:
    """Files by kind; their names count from the current folder, as those of options."""
    said = words.mapping("outputs")
    for kind, name in said.items():
        words.one("output", kind, dict.fromkeys(OUTPUTS), "outputs", str(kind))
        if not isinstance(name, str | Path) or not str(name):
            raise StudyError(f"{words.where('outputs', kind)}: {kind} is {name!r}; expected the name of a file")
    return {kind: Path(said[kind]) for kind in OUTPUTS if kind in said}


@dataclass(frozen=True, eq=False)
class _Driven:
    """The source of the joint forces.

    Args:
        torque: as of `armdyn.simulate`.
        described: the same in words.
        lasts: the duration where none is said, s.
        follows: the reference of a controller.
    """

    torque: Any
    described: str
    lasts: float = 1.0
    follows: Reference | Hold | None = None

    @classmethod
    def of(cls, words: Words, known: Robot, method: Method, given: Mapping[str, Array]) -> _Driven:
        if words.controller_parts()[0][0] != "none":
            return _controlled(words, known, method, given)
        if "torques" in words:
            return _scheduled(words, known)
        if "tau" in given:
            return cls(given["tau"], "constant")
        return cls(None, "none")


def _scheduled(words: Words, known: Robot) -> _Driven:
    between = words.said.get("between", "linear")
    words.one("interpolation", between, dict.fromkeys(BETWEEN), "between")
    with words.at("torques"):
        t, tau = read_torques(words.path("torques"), known)
        torque = OverTime(t, tau, between)
    how = "on straight lines between" if between == "linear" else "each held until the next of"
    return _Driven(torque, f"{words.path('torques').name}, {how} {len(t):,} rows", float(t[-1]))


GAINS = ("kp", "kd")


def _controlled(words: Words, known: Robot, method: Method, given: Mapping[str, Array]) -> _Driven:
    """A controller that compensates the robot it knows, toward a target or a reference."""
    if words.is_declared():
        return _declared(words, known, method, given)
    name = words.controller_parts()[0][0]
    follows: Reference | Hold
    if ("target" in given) == ("reference" in words):
        raise StudyError(
            f"{words.where('controller')}: controller {name!r} has {'both' if 'target' in given else 'neither'} a "
            "target (of the inputs) and a reference (a csv); expected one of them"
        )
    missing = [gain for gain in GAINS if gain not in given]
    if missing:
        raise StudyError(
            f"{words.where('controller')}: controller {name!r} has no {' and no '.join(missing)}; expected gains in "
            "inputs, one number for all joints or one for each"
        )
    if "reference" in words:
        with words.at("reference"):
            follows = Reference(read_reference(words.path("reference"), known))
        toward = f"follows {words.path('reference').name}, {len(follows.t):,} rows"
    else:
        follows, toward = Hold(given["target"]), "toward its target"
    law = LAWS[name](known, follows, *(given[gain] for gain in GAINS))
    sample_time = _sample_time(words, method)
    torque = law if sample_time is None else Callback(law, sample_time)
    held = "" if sample_time is None else f", held for {sample_time:g} s"
    return _Driven(torque, f"{name}, {toward}{held}", follows.lasts, follows)


def _declared(words: Words, known: Robot, method: Method, given: Mapping[str, Array]) -> _Driven:
    """A controller by its declaration, called once for each sample time: its inputs by name."""
    controller, sample_time = words.controller(known), _sample_time(words, method)
    if controller is None or sample_time is None:
        raise StudyError(
            f"{words.where('controller')}: this controller runs at a sample time, which needs a method with steps of "
            "one length, such as method: rk4"
        )
    described = ", around ".join(name for name, _ in reversed(words.controller_parts()))
    follows = _followed(words, known, controller, given)

    def references(t: float) -> dict[str, Array]:
        if follows is None:
            return {}
        there = dict(zip(REFERENCES, follows.at(t), strict=True))
        return {name: value for name, value in there.items() if shape_of(controller, known, name) is not None}

    with words.at("controller"):
        law = DeclaredLaw(known, controller, given, references, sample_time)
    lasts = 1.0 if follows is None else follows.lasts
    toward = "" if follows is None else f", follows {words.path('reference').name}, {len(follows.t):,} rows"
    return _Driven(Callback(law, sample_time), f"{described}{toward}, held for {sample_time:g} s", lasts, follows)


REFERENCES = ("q_ref", "qd_ref", "qdd_ref")


def _followed(words: Words, known: Robot, controller: Function, given: Mapping[str, Array]) -> Reference | None:
    """The states of a csv, for a controller that takes q_ref."""
    if "reference" not in words:
        return None
    twice = [name for name in REFERENCES if name in given]
    if twice or shape_of(controller, known, "q_ref") is None:
        why = f"{twice[0]} is given in inputs too" if twice else "the controller takes no q_ref"
        raise StudyError(f"{words.where('reference')}: {why}; expected one of them")
    with words.at("reference"):
        return Reference(read_reference(words.path("reference"), known))


def _sample_time(words: Words, method: Method) -> float | None:
    """How long each value of a controller is held, s: with steps of one length for a step, as in a study."""
    if "sample_time" in words:
        sample_time = words.number("sample_time", 0.0, above=0.0, unit="s")
        if not isinstance(method, FixedStep):
            raise StudyError(
                f"{words.where('sample_time')}: sample_time needs a method with steps of one length, such as rk4"
            )
        return sample_time
    return method.step if isinstance(method, ONE_STEP) else None


def _pd(known: Robot, follows: Reference | Hold, kp: Array, kd: Array) -> Law:
    compute = known.compile(control.pd_gravity)

    def pd(t: float, q: Array, qd: Array) -> Array:
        q_ref, qd_ref, _ = follows.at(t)
        tau: Array = compute(q, qd, q_ref, qd_ref, kp, kd)
        return tau

    return pd


def _computed_torque(known: Robot, follows: Reference | Hold, kp: Array, kd: Array) -> Law:
    compute = known.compile(control.computed_torque)
    no_integral = np.zeros(known.dof)

    def computed_torque(t: float, q: Array, qd: Array) -> Array:
        tau: Array = compute(q, qd, no_integral, *follows.at(t), kp, kd, 0.0).tau
        return tau

    return computed_torque


LAWS: Mapping[str, Callable[[Robot, Reference | Hold, Array, Array], Law]] = {
    "pd": _pd,
    "computed_torque": _computed_torque,
}
"""The controllers of scenarios as functions of (t, q, qd)."""
