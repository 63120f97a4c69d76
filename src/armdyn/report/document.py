"""`report`: a motion as a document, a `Report`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import numpy as np

from armdyn.base.errors import excerpt
from armdyn.base.writing import write_bytes
from armdyn.motion.with_robot import check_it_moved
from armdyn.page.findings import findings
from armdyn.page.html_file import filled, template_file
from armdyn.page.motion_page import motion_page
from armdyn.page.tables import base_parameter_table, findings_list, joint_table, link_table
from armdyn.report import sections
from armdyn.report.errors import ReportError
from armdyn.report.figures import motion_figure, path_figure
from armdyn.report.printing import browser, pdf_of
from armdyn.robot import Robot
from armdyn.simulation import Trajectory

ENDINGS = (".html", ".htm", ".pdf")


@dataclass(frozen=True)
class Report:
    """A motion as a document.

    Args:
        html: the self-contained file.
    """

    html: str = field(repr=False)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the document, replacing an existing file, and return its path; ``.pdf`` is printed by a browser.

        Raises:
            ReportError: a file extension other than .html and .pdf, no browser for a PDF, a file that cannot be
                written.
        """
        path = Path(path)
        check_ending(path)
        content = pdf_of(_for_print(self.html)) if path.suffix.lower() == ".pdf" else self.html.encode()
        return write_bytes(path, content, error=ReportError)

    def _repr_html_(self) -> str:
        """The document in a frame of a notebook."""
        return f'<iframe style="width: 100%; height: 640px; border: 0" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<report: {len(self.html.encode()):,} bytes>"


def check_ending(path: Path) -> None:
    """Raise ReportError for a file that is neither HTML nor PDF, and for a PDF without a browser."""
    if path.suffix.lower() not in ENDINGS:
        raise ReportError(f"{path}: expected a file name that ends in {', '.join(ENDINGS)}")
    if path.suffix.lower() == ".pdf":
        browser()


def report(
    motion: Trajectory,
    path: str | os.PathLike[str] | None = None,
    *,
    robot: Robot | None = None,
    title: str | None = None,
) -> Report:
    """The motion as a document, self-contained HTML or PDF: limits, forces, energy, figures, digests.

    The document contains per joint the range, speed, force, rms force and power, with the limits of the description and
    marks on exceeded ones; the energy account; the page of `Trajectory.page` in a frame, to play and zoom, which a PDF
    omits; the figures of `Trajectory.plot`; the path of the tip; the robot's parameters with findings on them; versions
    and digests that identify the run.

    Args:
        path: path of a file to write, replacing an existing one: ``.html``, or ``.pdf`` by an installed browser.
        robot: the robot of the motion; without it limits, tip and parameters are omitted.
        title: title above the document; the robot's name by default.

    Raises:
        ReportError: a batch of motions; no finite number in it; another file extension; a PDF without a browser.
        ShapeError: a robot of other joints.

    >>> arm = armdyn.load("planar_2r")
    >>> armdyn.simulate(arm, [0.0, 0.5], duration=0.2).report(robot=arm)
    <report: ... bytes>
    """
    if not isinstance(motion, Trajectory):
        raise ReportError(f"motion is {excerpt(motion)}; expected a Trajectory")
    if motion.batch:
        first = ", ".join("0" for _ in motion.batch)
        raise ReportError(
            f"a report is of one motion, and this is a batch {motion.batch}; choose one: "
            f"trajectory.pick({first}).report()"
        )
    if not all(np.isfinite(values).all() for values in (motion.t, motion.q, motion.qd, motion.tau)):
        raise ReportError(
            "the motion has values that are not finite; report a part of it: trajectory.between(0.0, END)"
        )
    if path is not None:
        check_ending(Path(path))
    if robot is not None:
        check_it_moved(motion, robot)
    result = Report(_html(motion, robot, title))
    if path is not None:
        result.write(path)
    return result


LIVE, STILL = "<!--live-->", "<!--/live-->"
"""Markers around the animated part of a document."""


def _for_print(html: str) -> str:
    """The document without the animated part."""
    before, _, rest = html.partition(LIVE)
    return before + rest.partition(STILL)[2]


def _live(motion: Trajectory, robot: Robot | None) -> str:
    """The page of the motion in a frame of the document: the arm, and charts with one cursor."""
    page = motion_page(motion, robot=robot)
    frame = f'<iframe class="motion" title="the motion, to play and zoom" srcdoc="{escape(page.html)}"></iframe>'
    return f'{LIVE}<section class="whole live"><h2>The motion</h2>{frame}</section>{STILL}'


def _html(motion: Trajectory, robot: Robot | None, title: str | None) -> str:
    parts = {
        "title": escape(title or f"Motion of {motion.robot}"),
        "run": sections.run(motion, robot),
        "joints": sections.joints(motion, robot),
        "live": _live(motion, robot),
        "figure": motion_figure(motion),
        "tip": _tip(motion, robot),
        "events": sections.events(motion),
        "notes": sections.notes(motion, robot),
        "robot": _robot(robot),
        "repeat": sections.repeat(motion, robot),
    }
    style, body = (template_file("armdyn.report", name) for name in ("report.css", "report.html"))
    return filled(body, parts, style=style, policy="script-src 'unsafe-inline' 'wasm-unsafe-eval'; ")


def _tip(motion: Trajectory, robot: Robot | None) -> str:
    if robot is None or robot.tip is None:
        return ""
    picture, numbers = path_figure(motion, robot), sections.tip(motion, robot)
    return f'<section><h2>Tip</h2><div class="beside"><figure>{picture}</figure>{numbers}</div></section>'


def _robot(robot: Robot | None) -> str:
    if robot is None:
        return ""
    result = [one for one in findings(robot) if one.text not in robot.notes]
    return (
        f"<section><h2>The robot {escape(robot.name)}</h2>{findings_list(result)}<h3>Joints</h3>{joint_table(robot)}"
        f"<h3>Links</h3>{link_table(robot)}<h3>Base parameters</h3>{base_parameter_table(robot)}</section>"
    )
