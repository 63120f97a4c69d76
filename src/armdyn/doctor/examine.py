"""From a file to its findings."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from armdyn.base.checks import number, switch
from armdyn.base.errors import ArmdynError, ModelError
from armdyn.doctor.checks import (
    composites,
    densities,
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
from armdyn.doctor.described import CheckedDescription
from armdyn.doctor.finding import SEVERITIES, Finding
from armdyn.doctor.findings import Findings
from armdyn.doctor.mjcf.reading import mjcf_subject
from armdyn.doctor.source import Node, SourceDocument
from armdyn.doctor.subject import Subject
from armdyn.robot import Robot

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
    shapes.unread,
    shapes.scales,  # before all that looks at sizes of shapes
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
    shapes.inside,
    shapes.colliders,
    readers.tips,
    composites.not_moved,
    mjcf_readers.dropped,
    mjcf_readers.held_up,
)

_LINE = re.compile(r"[Ll]ine (?P<line>\d+)")
_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+) (?P<text>.*)$", re.DOTALL)


def doctor(
    robot: str | os.PathLike[str] | Robot,
    *,
    meshes: bool | None = None,
    xacro_args: Mapping[str, object] | None = None,
    density: float | None = None,
) -> Findings:
    """The faults of a robot description, each with its place, its evidence and repairs, the worst first.

    Checks masses, centres of mass and inertias against the size of their links, limits, axes, efforts against gravity
    at the worst pose, meshes, and all that armdyn's reader refuses. The file is not changed: ``findings.fixed()`` is
    the mended text.

    Args:
        robot: the path of a URDF, MJCF or xacro file, with the files that it includes; the text of a description; or a
            robot in memory, whose findings have the lines of ``robot.to_urdf()``.
        meshes: whether mesh files are opened, so that masses, centres and moments are compared with their hulls; None
            for those that take less than a second, if trimesh is installed (``pip install trimesh``).
        xacro_args: the values of a xacro file's arguments, by name, which may be {}: it is expanded, so give them for
            files that you trust. Places and repairs are those of the xacro files.
        density: kg/m^3, at which the shapes of a link are filled: the first repair of its mass and inertia, for which
            meshes are opened.

    Raises:
        ModelError: a file that is not XML; a xacro file without ``xacro_args``; a density that is not positive.
        MissingLibrary: meshes without trimesh, xacro files without xacrodoc.

    >>> text = armdyn.load("planar_2r").to_urdf()
    >>> armdyn.doctor(text).count("error")
    0
    >>> armdyn.doctor(text.replace('mass value="', 'mass value="-', 1))[0].rule
    'mass/negative'
    """
    if density is not None:
        density = number("density", density, above=0.0, expected="a positive number of kg/m^3, e.g. 2700")
        meshes = True if meshes is None else meshes
    described = CheckedDescription.of(robot, xacro_args)
    source = described.source
    with np.errstate(over="ignore", invalid="ignore"):  # a description may state numbers of any size
        subject = subject_of(source, described.folder)
        unopened = subject.open_meshes(switch("meshes", meshes) if meshes is not None else None)
        is_mjcf = subject.format == "MJCF"
        result = [one for check in (MJCF_CHECKS if is_mjcf else CHECKS) for one in check(subject)]
    loaded, problems, refused = _loaded(described)
    if is_mjcf and not any(joint.kind in joints.MOVING for joint in subject.joints):
        refused = False  # a file of parts, or of an object
    result += _from_reader(problems, source, [one for one in result if one.severity == "error"], refused)
    if density is not None:
        result = list(densities.at_density(result, subject, density))
    if loaded is not None and loaded.dof > 0:
        result += efforts.below_gravity(subject, loaded)
        if loaded.dof <= efforts.MOST_JOINTS:
            result = list(efforts.with_consequences(result, subject, loaded))
    if described.xacro is not None:
        result = list(described.xacro.moved(result))
    ordered = sorted(result, key=lambda one: (SEVERITIES.index(one.severity), one.line, one.column))
    named = tuple(replace(one, file=one.file or source.name) for one in ordered)
    main = source if described.xacro is None else described.xacro.main
    return Findings(main, named, "" if loaded is None else loaded.name, unopened, subject)


def subject_of(source: SourceDocument, folder: Path) -> Subject:
    """The links and joints of a document, which is MJCF if its root is <mujoco>."""
    return mjcf_subject(source, folder) if source.root.tag == "mujoco" else Subject.of(source, folder)


def _loaded(described: CheckedDescription) -> tuple[Robot | None, list[str], bool]:
    """The robot as far as it can be read, else the problems, and whether the file is wrong, not only unsupported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return described.load(), [], False
        except ModelError as error:
            return None, list(getattr(error, "problems", None) or str(error).splitlines()), True
        except ArmdynError as error:
            return None, [str(error)], False


def _from_reader(
    problems: list[str], source: SourceDocument, errors: list[Finding], refused: bool
) -> Iterator[Finding]:
    """The problems of armdyn's reader that no check has found: at other lines, and not of the same link's inertia."""
    lines = {one.line for one in errors}
    bodies = {one.element for one in errors if one.rule.startswith(("mass/", "inertia/"))}
    links = {f"'{one.link}'" for one in errors if one.link}
    nodes: dict[int, Node] = {}
    for node in source.root.walk():
        if not node.file:
            nodes.setdefault(node.line, node)
    for problem in problems:
        place, label = _PLACE.match(problem), _LINE.search(problem)
        line = int(place["line"]) if place else int(label["line"]) if label else 1
        if line in lines:
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
