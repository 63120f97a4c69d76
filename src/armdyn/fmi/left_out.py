"""Effects of joints that an FMU omits because they need events; `armdyn.simulate` includes them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from armdyn.actuators.flexible_joints import flexible_joints
from armdyn.actuators.with_state import FrictionWithState
from armdyn.base.exact import is_zero
from armdyn.functions.robot_like import RobotLike
from armdyn.model.friction import is_dry


def left_out(robot: RobotLike, parameters: Collection[str] = ()) -> Iterator[str]:
    """A sentence for each kind of friction or backlash that differs in the FMU, with the joints' names.

    Args:
        robot: the robot of the FMU.
        parameters: parameters of the model that are inputs of the FMU with a nonzero start value.
    """
    yield from _dry(robot, parameters)
    yield from _with_play(robot)
    yield from _with_state(robot)


def _dry(robot: RobotLike, parameters: Collection[str]) -> Iterator[str]:
    drive, bodies = robot.mechanism.drive, robot.mechanism.bodies
    dry, loaded = [joint.name for joint in robot.joints if f"{joint.name}.friction" in parameters], []
    for k, body in enumerate(bodies[: len(drive.terms)]):
        laws = [law for law in drive.laws[k] if is_dry(law) and not isinstance(law, FrictionWithState)]
        name = robot.model.joints[body.joint].name
        if laws or not is_zero(drive.friction[k]):
            dry.append(name)
        if any(law.depends_on_load for law in laws):
            loaded.append(name)
    if dry:
        losses = f"; so do gear losses and friction of the load: {', '.join(loaded)}" if loaded else ""
        yield (
            "joints with dry friction do not stick in it, for it has no events: friction counts as 0 at rest, and a "
            f"joint that should stick creeps or chatters about rest: {', '.join(dict.fromkeys(dry))}{losses}. Joints "
            "stick in the FMU of an armdyn.ClosedLoop; a smooth law (armdyn.actuators.Smooth) moves here as in "
            "armdyn.simulate"
        )


def _with_play(robot: RobotLike) -> Iterator[str]:
    loose = [joint for joint in flexible_joints(robot.mechanism) if joint.spring.is_loose]
    if loose:
        names = ", ".join(robot.joint_names[joint.coordinate] for joint in loose)
        yield (
            f"rotors reach the ends of the play of joints with backlash without an event: {names}. Steps pass over the "
            "contact, which costs accuracy; take a step much shorter than the play, or armdyn.simulate, which finds it"
        )


def _with_state(robot: RobotLike) -> Iterator[str]:
    laws = [
        f"{type(law).__name__} of {joint.name!r}"
        for joint in robot.model.joints
        for law in joint.laws
        if isinstance(law, FrictionWithState)
    ]
    if laws:
        yield (
            f"friction with a state of its own ({', '.join(laws)}) counts with its force at a steady velocity, 0 at "
            "rest: nothing bends here. The FMU of an armdyn.ClosedLoop carries the state"
        )
