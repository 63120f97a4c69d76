"""The source of the joint forces of a scenario's motion: numbers, a csv, a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from armdyn.base.errors import UnknownName
from armdyn.declaration import Function
from armdyn.logs.joint_tables import read_reference, read_torques
from armdyn.robot import Robot
from armdyn.simulation import OverTime
from armdyn.simulation.forces import EndingCallback
from armdyn.simulation.loop.controller import Controller
from armdyn.simulation.methods.catalogue import FixedStep, Method, Taylor
from armdyn.simulation.over_time import BETWEEN
from armdyn.spatial.rotations import Array
from armdyn.studies.declared_controllers import shape_of
from armdyn.studies.definition import ONE_STEP
from armdyn.studies.errors import StudyError
from armdyn.studies.law import OF_SAMPLE_TIME, ContinuousLaw, DeclaredLaw, of_motion, recorded, result_shapes
from armdyn.studies.references import Reference
from armdyn.studies.table import WORDS
from armdyn.studies.thresholds import Threshold
from armdyn.studies.words import Words


@dataclass(frozen=True, eq=False)
class ForceSource:
    """The source of the joint forces.

    Args:
        torque: as of `armdyn.simulate`.
        described: the source in words.
        lasts: the duration without a setting, s.
        follows: the reference of a controller.
        law: a controller that keeps its signals.
    """

    torque: Any
    described: str
    lasts: float = 1.0
    follows: Reference | None = None
    law: DeclaredLaw | None = None

    @classmethod
    def of(
        cls,
        words: Words,
        robot: Robot,
        method: Method,
        arrays: Mapping[str, Array],
        thresholds: Sequence[Threshold] = (),
    ) -> ForceSource:
        """The source in the scenario.

        Args:
            words: the keys of the scenario.
            robot: the robot of the controller.
            method: of the integration.
            arrays: the inputs.
            thresholds: of the controller's signals.

        Raises:
            StudyError: an invalid value, or settings of a controller that is not there.
            UnknownName: a signal or state that the controller does not have.
            LogError: a csv that cannot be read.
        """
        if (controller := words.controller(robot)) is not None:
            return _controlled(words, robot, controller, method, arrays, thresholds)
        _refuse_signals(words, robot, thresholds)
        if isinstance(words.entries.get("torque"), dict):
            return _scheduled(words, robot)
        torque = words.torque(robot)
        return cls(torque, "none" if torque is None else "constant")


def _scheduled(words: Words, robot: Robot) -> ForceSource:
    parts = words.mapping("torque")
    for part in parts:
        words.one("part", part, WORDS["torque"].parts, "torque", part)
    if "file" not in parts:
        raise StudyError(f"{words.where('torque')}: torque has no file; expected such as {{file: torques.csv}}")
    path, settings = words.path("torque", "file"), {name: value for name, value in parts.items() if name != "file"}
    if "between" in settings:
        words.one("interpolation", settings["between"], dict.fromkeys(BETWEEN), "torque", "between")
    with words.at("torque"):
        t, tau = read_torques(path, robot)
        torque = OverTime(t, tau, **settings)
    how = "on straight lines between" if torque.between == "linear" else "each held until the next of"
    return ForceSource(torque, f"{path.name}, {how} {len(t):,} rows", float(t[-1]))


def _refuse_signals(words: Words, robot: Robot, thresholds: Sequence[Threshold]) -> None:
    """Raise for signals and states of a controller if none is called at a sample time."""
    for name in words.listed("record"):
        if name not in of_motion(robot):
            raise UnknownName.of("state or signal", name, of_motion(robot), words.where("record"))
    if thresholds:
        raise StudyError(
            f"{words.where('events', thresholds[0].name)}: a threshold is of a signal of the controller, and here is "
            "none with signals; expected one such as controller: [pd_gravity, {momentum_observer: {}}]"
        )


def _controlled(
    words: Words,
    robot: Robot,
    controller: Function,
    method: Method,
    arrays: Mapping[str, Array],
    thresholds: Sequence[Threshold],
) -> ForceSource:
    """A controller by its declaration: called once for each sample time, or acting at every moment."""
    sample_time = _sample_time(words, method)
    if sample_time is None:
        _refuse_samples(words, controller, method)
    else:
        _check_multiple(words, method, sample_time)
    described = ", around ".join(name for name, _ in reversed(words.controller_parts()))
    follows = _followed(words, robot, controller, arrays)

    def references(t: float) -> dict[str, Array]:
        if follows is None:
            return {}
        there = dict(zip(REFERENCES, follows.at(t), strict=True))
        return {name: value for name, value in there.items() if shape_of(controller, robot, name) is not None}

    _check_thresholds(words, robot, controller, thresholds)
    with words.at("record"):
        recorded(controller, robot, words.listed("record"))
    lasts = 1.0 if follows is None else follows.lasts
    toward = "" if follows is None else f", follows {words.path('reference').name}, {len(follows.t):,} rows"
    with words.at_controller():
        if sample_time is None:
            law: DeclaredLaw = ContinuousLaw(robot, controller, arrays, references, 0.0, described)
            return ForceSource(law, f"{described}{toward}, at every moment", lasts, follows, law)
        law = DeclaredLaw(
            robot, controller, arrays, references, sample_time, described, thresholds, words.listed("record")
        )
    called = f"{described}{toward}, called every {sample_time:g} s"
    return ForceSource(EndingCallback(law, sample_time, law.has_ended), called, lasts, follows, law)


def _refuse_samples(words: Words, controller: Function, method: Method) -> None:
    """Raise for a controller that cannot act at every moment, or a method that requires more of it."""
    read = Controller(controller)
    if isinstance(method, Taylor):
        raise StudyError(
            f"{words.where('method')}: method 'taylor' differentiates the joint forces, which it cannot where a "
            "controller gives them; expected another, such as adaptive"
        )
    if len(read.results) > 1 or any(argument.name == "h" for argument in controller.arguments):
        raise StudyError(
            f"{words.where('controller')}: this controller runs at a sample time, which needs a method with steps of "
            "one length, such as method: rk4 or --method rk4"
        )


def _check_multiple(words: Words, method: Method, sample_time: float) -> None:
    """Raise for a sample time between steps: the controller's time would differ from that of the motion."""
    step = method.step if isinstance(method, FixedStep) else sample_time
    times = sample_time / step
    if round(times) < 1 or abs(times - round(times)) > OF_SAMPLE_TIME * times:
        raise StudyError(
            f"{words.where('sample_time')}: sample_time is {sample_time:g} s, and the step {step:g} s; this controller "
            "is called when a step begins, and expected is a whole number of steps"
        )


def _check_thresholds(words: Words, robot: Robot, controller: Function, thresholds: Sequence[Threshold]) -> None:
    """Raise for one of a signal that the controller does not have, or of another shape."""
    shapes = result_shapes(controller, robot)
    for one in thresholds:
        with words.at("events", one.name):
            one.limits(shapes)


REFERENCES = ("q_ref", "qd_ref", "qdd_ref")


def _followed(words: Words, robot: Robot, controller: Function, arrays: Mapping[str, Array]) -> Reference | None:
    """The states of a csv, for a controller that takes q_ref."""
    if "reference" not in words:
        return None
    if shape_of(controller, robot, "q_ref") is None:
        first = words.controller_parts()[0][0]
        raise StudyError(f"{words.where('reference')}: controller {first!r} takes no q_ref, so it follows no reference")
    duplicates = [name for name in REFERENCES if name in arrays]
    if duplicates:
        raise StudyError(f"{words.where('reference')}: {duplicates[0]} is given in inputs too; expected one of them")
    with words.at("reference"):
        return Reference(read_reference(words.path("reference"), robot))


def _sample_time(words: Words, method: Method) -> float | None:
    """The time that each value of a controller is held, s: one step for steps of one length, as in a study."""
    if "sample_time" in words:
        sample_time = words.number("sample_time", 0.0, above=0.0)
        if not isinstance(method, FixedStep):
            raise StudyError(
                f"{words.where('sample_time')}: sample_time needs a method with steps of one length, such as rk4"
            )
        return sample_time
    return method.step if isinstance(method, ONE_STEP) else None
