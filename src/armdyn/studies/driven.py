"""The source of the joint forces of a scenario's motion: numbers, a csv, a controller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from armdyn import control
from armdyn.declaration import Function
from armdyn.errors import UnknownName
from armdyn.robot import Robot
from armdyn.simulation import OverTime
from armdyn.simulation.files.joint_tables import read_reference, read_torques
from armdyn.simulation.forces import Callback, EndingCallback
from armdyn.simulation.integration.methods import FixedStep, Method, Taylor
from armdyn.simulation.loop.gains import warn_of_negative_gains
from armdyn.simulation.over_time import BETWEEN
from armdyn.spatial.rotations import Array
from armdyn.studies.controllers import gravity_compensation
from armdyn.studies.declared import shape_of
from armdyn.studies.definition import ONE_STEP
from armdyn.studies.errors import StudyError
from armdyn.studies.law import OF_SAMPLE_TIME, DeclaredLaw, of_motion, recorded, result_shapes
from armdyn.studies.references import Hold, Reference
from armdyn.studies.thresholds import Threshold
from armdyn.studies.words import Words

Law = Callable[[float, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Driven:
    """The source of the joint forces.

    Args:
        torque: as of `armdyn.simulate`.
        described: the same in words.
        lasts: the duration where none is said, s.
        follows: the reference of a controller.
        law: a controller that keeps its signals.
    """

    torque: Any
    described: str
    lasts: float = 1.0
    follows: Reference | Hold | None = None
    law: DeclaredLaw | None = None

    @classmethod
    def of(
        cls,
        words: Words,
        known: Robot,
        method: Method,
        given: Mapping[str, Array],
        thresholds: Sequence[Threshold] = (),
    ) -> Driven:
        """The source that words name.

        Args:
            words: of the scenario.
            known: the robot as the controller knows it.
            method: of the integration.
            given: the inputs.
            thresholds: of the controller's signals.

        Raises:
            StudyError: a value that makes no sense, or what is of a controller that is not there.
            UnknownName: a signal or state that the controller does not have.
            TableError: a csv that cannot be read.
        """
        if words.is_declared():
            return _declared(words, known, method, given, thresholds)
        _refuse_signals(words, known, thresholds)
        if words.controller_parts()[0][0] != "none":
            return _controlled(words, known, method, given)
        if "torques" in words:
            return _scheduled(words, known)
        if "tau" in given:
            return cls(given["tau"], "constant")
        return cls(None, "none")


def _scheduled(words: Words, known: Robot) -> Driven:
    between = words.said.get("between", "linear")
    words.one("interpolation", between, dict.fromkeys(BETWEEN), "between")
    with words.at("torques"):
        t, tau = read_torques(words.path("torques"), known)
        torque = OverTime(t, tau, between)
    how = "on straight lines between" if between == "linear" else "each held until the next of"
    return Driven(torque, f"{words.path('torques').name}, {how} {len(t):,} rows", float(t[-1]))


GAINS = ("kp", "kd")


def _controlled(words: Words, known: Robot, method: Method, given: Mapping[str, Array]) -> Driven:
    """The controller "pd", which compensates the robot it knows, toward a target or a reference."""
    follows: Reference | Hold
    _refuse_two_aims(words, given)
    if isinstance(method, Taylor):
        raise StudyError(
            f"{words.where('method')}: method 'taylor' differentiates the joint forces, which it cannot where a "
            "controller gives them; expected another, such as adaptive"
        )
    missing = [gain for gain in GAINS if gain not in given]
    if missing:
        raise StudyError(
            f"{words.where('controller')}: controller 'pd' has no {' and no '.join(missing)}; expected gains in "
            "inputs, one number for all joints or one for each"
        )
    if "reference" in words:
        with words.at("reference"):
            follows = Reference(read_reference(words.path("reference"), known))
        toward = f"follows {words.path('reference').name}, {len(follows.t):,} rows"
    else:
        follows, toward = Hold(given["target"]), "toward its target"
    warn_of_negative_gains(known.joint_names, gravity_compensation(known), given)
    law = _pd(known, follows, *(given[gain] for gain in GAINS))
    sample_time = _sample_time(words, method)
    torque = law if sample_time is None else Callback(law, sample_time)
    held = "" if sample_time is None else f", held for {sample_time:g} s"
    return Driven(torque, f"pd, {toward}{held}", follows.lasts, follows)


def _refuse_two_aims(words: Words, given: Mapping[str, Array]) -> None:
    """Raise where "pd" has a target and a reference, or none of them."""
    if ("target" in given) == ("reference" in words):
        has = "both a target (of the inputs) and" if "target" in given else "neither a target (of the inputs) nor"
        raise StudyError(
            f"{words.where('controller')}: controller 'pd' has {has} a reference (a csv); expected one of them"
        )


def _refuse_signals(words: Words, known: Robot, thresholds: Sequence[Threshold]) -> None:
    """Raise for signals and states of a controller where none is called at a sample time."""
    for name in words.listed("record"):
        if name not in of_motion(known):
            raise UnknownName.of("state or signal", name, of_motion(known), words.where("record"))
    if thresholds:
        raise StudyError(
            f"{words.where('events', thresholds[0].name)}: a threshold is of a signal of the controller, and here is "
            "none with signals; expected one such as controller: [pd_gravity, {momentum_observer: {}}]"
        )


def _declared(
    words: Words, known: Robot, method: Method, given: Mapping[str, Array], thresholds: Sequence[Threshold]
) -> Driven:
    """A controller by its declaration, called once for each sample time: its inputs by name."""
    if words.controller_parts()[0][0] == "pd":
        _refuse_two_aims(words, given)
    controller, sample_time = words.controller(known), _sample_time(words, method)
    if controller is None or sample_time is None:
        raise StudyError(
            f"{words.where('controller')}: this controller runs at a sample time, which needs a method with steps of "
            "one length, such as method: rk4 or --method rk4"
        )
    _check_multiple(words, method, sample_time)
    described = ", around ".join(name for name, _ in reversed(words.controller_parts()))
    follows = _followed(words, known, controller, given)

    def references(t: float) -> dict[str, Array]:
        if follows is None:
            return {}
        there = dict(zip(REFERENCES, follows.at(t), strict=True))
        return {name: value for name, value in there.items() if shape_of(controller, known, name) is not None}

    _check_thresholds(words, known, controller, thresholds)
    with words.at("record"):
        recorded(controller, known, words.listed("record"))
    with words.at_controller():
        law = DeclaredLaw(
            known, controller, given, references, sample_time, described, thresholds, words.listed("record")
        )
    lasts = 1.0 if follows is None else follows.lasts
    toward = "" if follows is None else f", follows {words.path('reference').name}, {len(follows.t):,} rows"
    called = f"{described}{toward}, called every {sample_time:g} s"
    return Driven(EndingCallback(law, sample_time, law.has_ended), called, lasts, follows, law)


def _check_multiple(words: Words, method: Method, sample_time: float) -> None:
    """Raise for a sample time between steps: the controller would compute with another time than passes."""
    step = method.step if isinstance(method, FixedStep) else sample_time
    times = sample_time / step
    if round(times) < 1 or abs(times - round(times)) > OF_SAMPLE_TIME * times:
        raise StudyError(
            f"{words.where('sample_time')}: sample_time is {sample_time:g} s, and the step {step:g} s; this controller "
            "is called when a step begins, and expected is a whole number of steps"
        )


def _check_thresholds(words: Words, known: Robot, controller: Function, thresholds: Sequence[Threshold]) -> None:
    """Raise for one of a signal that the controller does not have, or of another shape."""
    shapes = result_shapes(controller, known)
    for one in thresholds:
        with words.at("events", one.name):
            one.limits(shapes)


REFERENCES = ("q_ref", "qd_ref", "qdd_ref")


def _followed(words: Words, known: Robot, controller: Function, given: Mapping[str, Array]) -> Reference | None:
    """The states of a csv, for a controller that takes q_ref."""
    if "reference" not in words:
        return None
    if shape_of(controller, known, "q_ref") is None:
        first = words.controller_parts()[0][0]
        raise StudyError(f"{words.where('reference')}: controller {first!r} takes no q_ref, so it follows no reference")
    twice = [name for name in REFERENCES if name in given]
    if twice:
        raise StudyError(f"{words.where('reference')}: {twice[0]} is given in inputs too; expected one of them")
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
