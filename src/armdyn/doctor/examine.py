"""From a file to its findings."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from armdyn.doctor.checks import efforts, joints, links, meshes, readers
from armdyn.doctor.finding import SEVERITIES, Finding
from armdyn.doctor.findings import Findings
from armdyn.doctor.source import Node, Source
from armdyn.doctor.subject import Subject
from armdyn.errors import ArmdynError, ModelError
from armdyn.formats.files import read_file
from armdyn.formats.xml_tree import parse
from armdyn.robot import Robot
from armdyn.robots import load

CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
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
    meshes.colliders,
    links.mirrors,
    readers.continuous_limits,
    readers.planes,
    readers.mimics,
    readers.without_inertia,
    readers.rotors,
    readers.tips,
)

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+) (?P<text>.*)$", re.DOTALL)


def doctor(path: str | os.PathLike[str]) -> Findings:
    """The faults of a robot description, each with its place, its evidence and repairs, the worst first.

    Checks masses, centres of mass and inertias against the size of their links, limits, axes, efforts against gravity
    at the worst pose, meshes, and all that armdyn's reader refuses. The file is not changed: ``findings.fixed()`` is
    the mended text.

    Args:
        path: of a URDF file.

    Raises:
        ModelError: a file that is not XML.

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
    subject = Subject.of(source, file.absolute().parent)
    found = [one for check in CHECKS for one in check(subject)]
    robot, problems = _loaded(file)
    found += _from_reader(problems, source, [one for one in found if one.severity == "error"])
    if robot is not None and 0 < robot.dof <= efforts.MOST_JOINTS:
        found += efforts.below_gravity(subject, robot)
    ordered = sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.line, one.column))
    named = tuple(replace(one, file=file.name) for one in ordered)
    return Findings(source, named, "" if robot is None else robot.name)


def _loaded(file: Path) -> tuple[Robot | None, list[str]]:
    """The robot as far as it can be read, and the problems if it cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load(file, check_inertia=False, problems="warn"), []
        except ModelError as error:
            return None, list(getattr(error, "problems", None) or str(error).splitlines())
        except ArmdynError as error:
            return None, [str(error)]


def _from_reader(problems: list[str], source: Source, errors: list[Finding]) -> Iterator[Finding]:
    """The problems of armdyn's reader that no check has found: at other lines, and not of the same link's inertia."""
    known = {one.line for one in errors}
    bodies = {one.element for one in errors if one.rule.startswith(("mass/", "inertia/"))}
    nodes: dict[int, Node] = {}
    for node in source.root.walk():
        nodes.setdefault(node.line, node)
    for problem in problems:
        place = _PLACE.match(problem)
        line = int(place["line"]) if place else 1
        if line in known:
            continue
        node = nodes.get(line, source.root)
        text = place["text"] if place else problem
        if any(text.startswith(f"{body}:") and ("mass" in text or "inertia" in text) for body in bodies):
            continue
        why, element = "armdyn refuses the file", f"<{node.tag}>"
        yield Finding("read/refused", "error", element, text.rstrip("."), why, line, node.column)
