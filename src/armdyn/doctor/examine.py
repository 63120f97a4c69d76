"""From a file to its findings."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from armdyn.checks import switch
from armdyn.doctor.checks import (
    composites,
    efforts,
    foreign,
    joints,
    links,
    meshes,
    mjcf_joints,
    mjcf_masses,
    mjcf_names,
    mjcf_readers,
    readers,
    shapes,
)
from armdyn.doctor.finding import SEVERITIES, Finding
from armdyn.doctor.findings import Findings
from armdyn.doctor.mjcf.reading import mjcf_subject
from armdyn.doctor.source import Node, Source
from armdyn.doctor.subject import Subject
from armdyn.errors import ArmdynError, ModelError
from armdyn.formats.files import read_file
from armdyn.formats.xml_tree import parse
from armdyn.robot import Robot
from armdyn.robots import load

CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    shapes.unread,
    shapes.scales,  # before all that looks at sizes of shapes
    joints.ends,
    links.readable,
    links.possible,
    links.likely,
    links.weightless,
    links.placeholders,
    links.twins,
    joints.ranges,
    joints.rates,
    joints.axes,
    meshes.separators,
    meshes.missing,
    meshes.outside,
    shapes.inside,
    shapes.colliders,
    links.mirrors,
    readers.continuous_limits,
    readers.planes,
    readers.mimics,
    readers.without_inertia,
    readers.rotors,
    readers.tips,
    composites.not_moved,
    foreign.words,
    foreign.loops,
    foreign.references,
    foreign.control_limits,
    foreign.transmissions,
    foreign.orders,
)

MJCF_CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    mjcf_names.includes,
    mjcf_names.repeated,
    mjcf_names.unknown,
    mjcf_names.meshes,
    links.readable,
    links.possible,
    links.likely,
    links.weightless,
    links.placeholders,
    links.twins,
    links.mirrors,
    mjcf_masses.total,
    mjcf_masses.ignored,
    mjcf_masses.bounded,
    mjcf_masses.of_geoms,
    mjcf_joints.ranges,
    mjcf_joints.axes,
    mjcf_joints.efforts,
    readers.tips,
    composites.not_moved,
    mjcf_readers.springs,
    mjcf_readers.held_up,
)

_LINE = re.compile(r"[Ll]ine (?P<line>\d+)")
_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+) (?P<text>.*)$", re.DOTALL)


def doctor(path: str | os.PathLike[str], *, meshes: bool | None = None) -> Findings:
    """The faults of a robot description, each with its place, its evidence and repairs, the worst first.

    Checks masses, centres of mass and inertias against the size of their links, limits, axes, efforts against gravity
    at the worst pose, meshes, and all that armdyn's reader refuses. The file is not changed: ``findings.fixed()`` is
    the mended text.

    Args:
        path: of a URDF or MJCF file. Of MJCF, included files are examined too.
        meshes: whether mesh files are opened, so that masses, centres and moments are compared with their hulls; None
            for those that take less than a second, if trimesh is installed (``pip install trimesh``).

    Raises:
        ModelError: a file that is not XML.
        MissingLibrary: meshes without trimesh.

    >>> import pathlib, tempfile
    >>> text = armdyn.load("planar_2r").to_urdf().replace('upper="', 'upper="1')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "arm.urdf"
    ...     _ = path.write_text(text)
    ...     found = armdyn.doctor(path)
    >>> found.count("error")
    0
    """
    file = Path(path)
    data = read_file(file)
    parse(data, file.name)  # refuses what is not XML, or too large
    source = Source.parse(file.name, data)
    folder = file.absolute().parent
    subject = subject_of(source, folder)
    unopened = subject.open_meshes(switch("meshes", meshes) if meshes is not None else None)
    is_mjcf = subject.format == "MJCF"
    found = [one for check in (MJCF_CHECKS if is_mjcf else CHECKS) for one in check(subject)]
    robot, problems, refused = _loaded(file)
    if is_mjcf and not any(joint.kind in joints.MOVING for joint in subject.joints):
        refused = False  # a file of parts, or of an object
    found += _from_reader(problems, source, [one for one in found if one.severity == "error"], refused)
    if robot is not None and 0 < robot.dof <= efforts.MOST_JOINTS:
        found += efforts.below_gravity(subject, robot)
    ordered = sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.line, one.column))
    named = tuple(replace(one, file=one.file or file.name) for one in ordered)
    return Findings(source, named, "" if robot is None else robot.name, unopened)


def subject_of(source: Source, folder: Path) -> Subject:
    """The links and joints of a document, which is MJCF if its root is <mujoco>."""
    return mjcf_subject(source, folder) if source.root.tag == "mujoco" else Subject.of(source, folder)


def _loaded(file: Path) -> tuple[Robot | None, list[str], bool]:
    """The robot as far as it can be read, else the problems, and whether the file is wrong, not only unsupported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load(file, check_inertia=False, problems="warn"), [], False
        except ModelError as error:
            return None, list(getattr(error, "problems", None) or str(error).splitlines()), True
        except ArmdynError as error:
            return None, [str(error)], False


def _from_reader(problems: list[str], source: Source, errors: list[Finding], refused: bool) -> Iterator[Finding]:
    """The problems of armdyn's reader that no check has found: at other lines, and not of the same link's inertia."""
    known = {one.line for one in errors}
    bodies = {one.element for one in errors if one.rule.startswith(("mass/", "inertia/"))}
    links = {f"'{one.link}'" for one in errors if one.link}
    nodes: dict[int, Node] = {}
    for node in source.root.walk():
        if not node.file:
            nodes.setdefault(node.line, node)
    for problem in problems:
        place, said = _PLACE.match(problem), _LINE.search(problem)
        line = int(place["line"]) if place else int(said["line"]) if said else 1
        if line in known:
            continue
        node = nodes.get(line, source.root)
        text = place["text"] if place else problem
        if any(text.startswith(f"{body}:") and ("mass" in text or "inertia" in text) for body in bodies):
            continue
        if source.root.tag == "mujoco" and any(link in text for link in links):
            continue
        element = f"<{node.tag}>"
        if refused:
            yield Finding("read/refused", "error", element, text.rstrip("."), "armdyn refuses it", line, node.column)
        else:
            why = "armdyn has no equations for it"
            yield Finding("read/unsupported", "note", element, text.rstrip("."), why, line, node.column)
