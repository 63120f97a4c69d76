"""Known layouts of logs: the labels of columns in the files of common programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from armdyn.formats.tables.table import Table

UNIT_IN_LABEL = re.compile(r"(?P<name>.*\S)\s*(\[(?P<square>|[^\]\d][^\]]*)\]|\((?P<round>[^)\d][^)]*)\))", re.DOTALL)
"""A label with a unit, such as "q_elbow [deg]"; an index such as q[0] is not a unit."""


AGAIN = re.compile(r" \[column \d+\]$")
"""The end of a label that an earlier column has, too."""


@dataclass(frozen=True)
class Layout:
    """The labels of one program's columns.

    Args:
        name: of the program, in words.
        patterns: labels by quantity; {i} is the number of a joint from 0 or 1, {joint} its name.
        times: labels of stamps, the first that exists.
    """

    name: str
    patterns: Mapping[str, Sequence[str]]
    times: Sequence[str]


LAYOUTS = (
    Layout(
        "armdyn",
        {
            "q": ("q_{joint}",),
            "qd": ("qd_{joint}",),
            "qdd": ("qdd_{joint}",),
            "tau": ("tau_{joint}",),
            "current": ("current_{joint}",),
            "q_ref": ("q_ref_{joint}",),
        },
        ("t", "time"),
    ),
    Layout(
        "UR's RTDE",
        {
            "q": ("actual_q_{i}", "actual_q"),
            "qd": ("actual_qd_{i}", "actual_qd"),
            "current": ("actual_current_{i}", "actual_current"),
            "tau": ("actual_current_as_torque_{i}", "actual_current_as_torque"),
            "q_ref": ("target_q_{i}", "target_q"),
        },
        ("timestamp",),
    ),
    Layout(
        "libfranka",
        {
            "q": ("state.q[{i}]", "q[{i}]", "q{i}"),
            "qd": ("state.dq[{i}]", "dq[{i}]", "dq{i}"),
            "tau": ("state.tau_J[{i}]", "tau_J[{i}]", "tau_J{i}", "tau{i}"),
            "q_ref": ("state.q_d[{i}]", "q_d[{i}]", "q_d{i}"),
        },
        ("t", "time", "duration", "state.time"),
    ),
    Layout(
        "ROS JointState",
        {
            "q": (
                "{joint}/position", "{joint}.position", "{joint}_position", "position_{joint}", "{joint}_pos",
                "field.position{i}", "position[{i}]", "position_{i}", "position.{i}", "position{i}", "position",
            ),
            "qd": (
                "{joint}/velocity", "{joint}.velocity", "{joint}_velocity", "velocity_{joint}", "{joint}_vel",
                "field.velocity{i}", "velocity[{i}]", "velocity_{i}", "velocity.{i}", "velocity{i}", "velocity",
            ),
            "tau": (
                "{joint}/effort", "{joint}.effort", "{joint}_effort", "effort_{joint}", "{joint}_eff",
                "field.effort{i}", "effort[{i}]", "effort_{i}", "effort.{i}", "effort{i}", "effort",
            ),
        },
        ("header.stamp", "field.header.stamp", "stamp", "%time", "__time", "time", "timestamp", "t"),
    ),
    Layout(
        "LeRobot",
        {"q": ("{joint}.pos", "observation.state"), "qd": ("{joint}.vel", "observation.velocity"),
         "tau": ("{joint}.effort", "{joint}.torque", "observation.effort"), "q_ref": ("action.{joint}.pos", "action")},
        ("timestamp", "t"),
    ),
    Layout(
        "plain names",
        {
            "q": ("q_{i}", "q[{i}]", "q{i}", "q", "joint_{i}", "Joint_{i}", "pos_{i}", "pos{i}", "{joint}"),
            "qd": ("qd_{i}", "qd[{i}]", "qd{i}", "qd", "dq_{i}", "dq[{i}]", "dq{i}", "dq", "vel_{i}", "vel{i}"),
            "qdd": ("qdd_{i}", "qdd[{i}]", "qdd{i}", "qdd", "ddq_{i}", "ddq[{i}]", "ddq{i}", "ddq", "acc_{i}"),
            "tau": ("tau_{i}", "tau[{i}]", "tau{i}", "tau", "torque_{i}", "torque[{i}]", "torque{i}", "torque"),
            "current": ("current_{i}", "current[{i}]", "current{i}", "current", "i_{i}", "i{i}"),
            "q_ref": ("q_ref_{i}", "q_ref[{i}]", "q_ref{i}", "q_ref", "q_goal_{i}", "q_goal", "goal_{i}", "goal"),
        },
        ("t", "time", "timestamp", "stamp", "Time", "time_s", "time_stamp"),
    ),
)  # fmt: skip


class Place(NamedTuple):
    """One column of numbers: its label, the entry in a column of lists (None for a plain one), and a stated unit."""

    label: str
    entry: int | None = None
    unit: str | None = None


class Guess(NamedTuple):
    """The columns of a layout in a table, by quantity, and the label of the times."""

    layout: str
    places: dict[str, list[Place]]
    time: Place | None


def plain_labels(table: Table) -> dict[str, Place]:
    """The columns of a table by their labels without units."""
    return {name: places[0] for name, places in places_by_name(table).items()}


def places_by_name(table: Table) -> dict[str, list[Place]]:
    """The columns of a table by their labels without units: a plain label or one in brackets before "name (words)"."""
    places: dict[str, list[Place]] = {}
    in_parentheses: list[tuple[str, Place]] = []
    for label in table.labels:
        plain = AGAIN.sub("", label.strip())
        match = UNIT_IN_LABEL.fullmatch(plain)
        name = match["name"].strip() if match else plain
        unit = next((part for part in (match["square"], match["round"]) if part is not None), None) if match else None
        if match and match["round"] is not None:
            in_parentheses.append((name, Place(label, None, unit)))
        else:
            places.setdefault(name, []).append(Place(label, None, unit))
    for name, place in in_parentheses:
        places.setdefault(name, [place])
    return places


def guessed(table: Table, joints: Sequence[str], needed: str = "q") -> Guess | None:
    """The layout that names a needed quantity of each joint, and the most others; None if no layout does."""
    labels = plain_labels(table)
    best: Guess | None = None
    for layout in LAYOUTS:
        these = _matching(layout.patterns.get(needed, ()), labels, table, joints)
        if these is None:
            continue
        others = {
            quantity: _matching(patterns, labels, table, joints) for quantity, patterns in layout.patterns.items()
        }
        places = {needed: these} | {quantity: those for quantity, those in others.items() if those is not None}
        time = next((labels[name] for name in layout.times if name in labels), None)
        if best is None or len(places) > len(best.places):
            best = Guess(layout.name, places, time)
    return best


def _matching(
    patterns: Sequence[str], labels: Mapping[str, Place], table: Table, joints: Sequence[str]
) -> list[Place] | None:
    """The columns of all joints by the first pattern that names them all."""
    for pattern in patterns:
        places = expanded(pattern, labels, table, joints)
        if places is not None:
            return places
    return None


def expanded(pattern: str, labels: Mapping[str, Place], table: Table, joints: Sequence[str]) -> list[Place] | None:
    """The columns that a pattern names, one for each joint; None if one of them is missing.

    A pattern with {i} counts joints from 0 or from 1; {joint} is a joint's name; a pattern without either names a
    column of lists with an entry for each joint, joined by the names of its entries if the table has them. Labels may
    have a prefix that ends in a slash or a point, such as "/joint_states/".
    """
    for prefix in _prefixes(pattern, labels):
        if "{joint}" in pattern:
            names = [prefix + pattern.replace("{joint}", joint) for joint in joints]
            if all(name in labels for name in names):
                return [labels[name] for name in names]
        elif "{i}" in pattern:
            for first in (0, 1):
                numbered = [prefix + pattern.replace("{i}", str(first + k)) for k in range(-first, len(joints) + 1)]
                names = numbered[first : first + len(joints)]
                beyond = set(numbered) - set(names)
                if all(name in labels for name in names) and not any(name in labels for name in beyond):
                    return [labels[name] for name in names]
        elif prefix + pattern in labels:
            return _entries(labels[prefix + pattern], table, joints)
    return None


def _prefixes(pattern: str, labels: Mapping[str, Place]) -> list[str]:
    """The beginnings of labels before the pattern, the empty one first."""
    ending = re.escape(pattern).replace(r"\{i\}", r"\d+").replace(r"\{joint\}", r"[^/]+")
    matches = (re.fullmatch(rf"(.*[/.]){ending}", label) for label in labels)
    return ["", *dict.fromkeys(match[1] for match in matches if match)]


def _entries(place: Place, table: Table, joints: Sequence[str]) -> list[Place] | None:
    """The entries of a column of lists, one for each joint."""
    values = table.columns[place.label]
    if values.ndim != 2:
        return [place] if len(joints) == 1 else None
    names = [_joint_of(name) for name in table.entry_names.get(place.label, ())]
    if len(names) == values.shape[1] and all(joint in names for joint in joints):
        return [Place(place.label, names.index(joint), place.unit) for joint in joints]
    if values.shape[1] != len(joints):
        return None
    return [Place(place.label, k, place.unit) for k in range(len(joints))]


def _joint_of(name: str) -> str:
    """The joint of an entry's name such as "elbow_flex.pos"."""
    return name.rsplit(".", 1)[0] if name.endswith((".pos", ".vel", ".effort", ".torque")) else name
