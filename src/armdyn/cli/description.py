"""A robot's description as data, for ``armdyn info --json``: SI units, every number with all digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armdyn.cli.json_output import of_robot
from armdyn.model.coordinates import coupling_of
from armdyn.model.coupling import Coordinate
from armdyn.model.joint import Joint
from armdyn.model.model import Frame, Link
from armdyn.robot import Method, Robot

if TYPE_CHECKING:
    from armdyn.functions import CompiledFunction


def description(arm: Robot) -> dict[str, Any]:
    """Base, tip, gravity, joints, links, frames; couplings and constraints if there are some."""
    model = arm.model
    coupled = model.coupling is not None
    more: dict[str, Any] = {}
    if coupled:
        coupling = coupling_of(model)
        more["coordinates"] = [_coordinate(one) for one in arm.joints]
        more["coupling"] = {"matrix": coupling.matrix, "offset": coupling.offset}
    if model.constraints:
        more["constraints"] = [
            {
                "name": one.name,
                "kind": type(one).__name__,
                "frames": one.frames,
                "rows": [row.name for row in one.rows],
            }
            for one in model.constraints
        ]
    return {
        **of_robot(arm),
        "base": model.base,
        "tip": arm.tip,
        "gravity": arm.gravity,
        "moving_mass": moving_mass(arm),
        "joints": [_joint(joint) for joint in model.joints],
        **more,
        "links": [_link(link) for link in model.links],
        "frames": [_frame(frame) for frame in model.frames],
    }


def moving_mass(arm: Robot) -> float:
    """The mass of all links but the base, kg."""
    return float(sum(link.inertia.mass for link in arm.model.links[1:]))


def _coordinate(joint: Joint | Coordinate) -> dict[str, Any]:
    limits = joint.limits
    return {
        "name": joint.name,
        "kind": joint.kind,
        "lower": limits.lower,
        "upper": limits.upper,
        "velocity": limits.velocity,
        "effort": limits.effort,
        "damping": joint.damping,
        "friction": joint.friction,
    }


def _joint(joint: Joint) -> dict[str, object]:
    """The names are those of `armdyn.model.Joint`; null means no limit, or no actuator."""
    actuator = None if joint.actuator is None else str(joint.actuator)
    place = {"parent": joint.parent, "child": joint.child, "axis": joint.axis, "placement": joint.placement}
    springs = [{"kind": type(spring).__name__, **spring.numbers} for spring in joint.parallel_springs]
    more = {"armature": joint.armature, "actuator": actuator, "parallel_springs": springs}
    return {**_coordinate(joint), **more, **place}


def _link(link: Link) -> dict[str, object]:
    i = link.inertia
    return {"name": link.name, "mass": i.mass, "com": i.com, "inertia": i.tensor}


def _frame(frame: Frame) -> dict[str, object]:
    return {"name": frame.name, "link": frame.link, "pose": frame.pose}


def compiled_methods(arm: Robot) -> dict[str, CompiledFunction]:
    """Every compiled method of a robot that can be called with arrays alone, by name."""
    methods = {name: method for name, method in vars(Robot).items() if isinstance(method, Method) and method.fits(arm)}
    return {name: getattr(arm, name) for name, method in methods.items() if not method.function.required_options}
