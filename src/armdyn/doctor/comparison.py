"""Two descriptions compared: joints, limits, inertias and torques that differ, the largest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

STATES = 200
"""Random states at which torques are compared."""

SAME = 1e-9
"""Numbers that differ by less, relative to the larger one, are equal: digits of a text."""


@dataclass(frozen=True)
class DescriptionDifference:
    """A quantity that two descriptions state differently.

    Args:
        element: e.g. "link 'upper_arm'".
        quantity: e.g. "mass, kg".
        first: its value in the first description, as text.
        second: its value in the second one.
        size: from 0 to 1, the difference over the larger of both; 1 if one of them lacks the element.
    """

    element: str
    quantity: str
    first: str
    second: str
    size: float


def compare(first: Robot, second: Robot, *, seed: int = 0) -> list[DescriptionDifference]:
    """The differences of two robots, the largest first; joints and links are matched by name.

    Torques are tau = M(q) qdd + h(q, qd) at random states: the root mean square of their difference over that of tau.

    Args:
        first: a robot.
        second: the robot it is compared with, e.g. of another revision or another format.
        seed: of the random states.

    >>> from armdyn.doctor import compare
    >>> ur5 = armdyn.load("ur5")
    >>> compare(ur5, ur5)
    []
    >>> heavier = ur5.with_payload(mass=0.5)
    >>> compare(ur5, heavier)[0].element != ""
    True
    """
    result = [*_names(first, second), *_joints(first, second), *_links(first, second), *_torques(first, second, seed)]
    return sorted(result, key=lambda one: -one.size)


def _names(first: Robot, second: Robot) -> Iterator[DescriptionDifference]:
    for kind, a, b in (
        ("joint", first.joint_names, second.joint_names),
        ("link", *([link.name for link in robot.model.links] for robot in (first, second))),
    ):
        for name in a:
            if name not in b:
                yield DescriptionDifference(f"{kind} {name!r}", "existence", "present", "missing", 1.0)
        for name in b:
            if name not in a:
                yield DescriptionDifference(f"{kind} {name!r}", "existence", "missing", "present", 1.0)
    if first.joint_names != second.joint_names and set(first.joint_names) == set(second.joint_names):
        own, other = (", ".join(robot.joint_names) for robot in (first, second))
        yield DescriptionDifference("joints", "order", own, other, 1.0)


def _joints(first: Robot, second: Robot) -> Iterator[DescriptionDifference]:
    others = {joint.name: joint for joint in second.joints}
    for joint in first.joints:
        other = others.get(joint.name)
        if other is None:
            continue
        element = f"joint {joint.name!r}"
        if joint.kind != other.kind:
            yield DescriptionDifference(element, "type", joint.kind, other.kind, 1.0)
        for name in ("lower", "upper", "velocity", "effort"):
            values = (np.array([getattr(one.limits, name)]) for one in (joint, other))
            yield from _numbers(element, f"{name} limit", *values)


def _links(first: Robot, second: Robot) -> Iterator[DescriptionDifference]:
    others = {link.name: link for link in second.model.links}
    for link in first.model.links:
        other = others.get(link.name)
        if other is None:
            continue
        element, a, b = f"link {link.name!r}", link.inertia, other.inertia
        yield from _numbers(element, "mass, kg", np.array([a.mass]), np.array([b.mass]))
        yield from _numbers(element, "centre of mass, m", a.com, b.com)
        yield from _numbers(element, "moments, kg m^2", _six(a.tensor), _six(b.tensor))


def _torques(first: Robot, second: Robot, seed: int) -> Iterator[DescriptionDifference]:
    if set(first.joint_names) != set(second.joint_names):
        return
    order = [second.joint_names.index(name) for name in first.joint_names]
    back = np.argsort(order)
    random = np.random.default_rng(seed)
    q = first.random_configuration(seed, STATES)
    qd, qdd = random.normal(size=(2, STATES, first.dof))
    own = first.inverse_dynamics(q, qd, qdd)
    other = second.inverse_dynamics(*(each[:, back] for each in (q, qd, qdd)))[:, order]
    for k, name in enumerate(first.joint_names):
        rms = [float(np.sqrt(np.mean(each[:, k] ** 2))) for each in (own, other, own - other)]
        size = rms[2] / max(rms[0], rms[1], np.finfo(float).tiny)
        if size > SAME:
            unit = "N m" if first.joints[k].kind == "revolute" else "N"
            cells = (f"{rms[0]:.4g}", f"{rms[1]:.4g} (difference {rms[2]:.3g})")
            yield DescriptionDifference(
                f"joint {name!r}", f"rms torque over {STATES} states, {unit}", *cells, min(size, 1.0)
            )


def _numbers(element: str, quantity: str, a: Array, b: Array) -> Iterator[DescriptionDifference]:
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    same = np.array_equal(a, b)
    size = 1.0 if not np.isfinite(largest) else float(np.abs(a - b).max()) / max(largest, np.finfo(float).tiny)
    if not same and size > SAME:
        yield DescriptionDifference(element, quantity, _describe(a), _describe(b), min(size, 1.0))


def _describe(values: Array) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def _six(tensor: Array) -> Array:
    return np.array([tensor[0, 0], tensor[0, 1], tensor[0, 2], tensor[1, 1], tensor[1, 2], tensor[2, 2]])
