"""`report`: a motion as a document, and the `Report` it is."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import numpy as np

from armdyn.errors import shown
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
from armdyn.simulation.results.with_robot import check_it_moved
from armdyn.writing import write_bytes

ENDINGS = (".html", ".htm", ".pdf")


@dataclass(frozen=True)
class Report:
    """A motion as a document.

    Args:
        html: the file, which needs no other.
    """

    html: str = field(repr=False)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write it, over a file that exists, and give its path; ``.pdf`` is printed by a browser.

        Raises:
            ReportError: another ending than .html and .pdf, no browser for a PDF, a file that cannot be written.
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
    """Raise for a file that is neither HTML nor PDF, and for a PDF where no browser prints it."""
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
    """The motion as a document, HTML that needs no other file, or PDF: limits, forces, energy, figures, digests.

    Per joint the range, speed, force, rms force and power, beside the limits of the description, with those marked that
    were passed; the energy account; the page of `Trajectory.page` in a frame, to play and zoom, which a PDF leaves out;
    the figures of `Trajectory.plot`; the path of the tip; the robot's parameters with what was found about them;
    versions and digests by which the same run is known again.

    Args:
        path: also write it there, over a file that exists: ``.html``, or ``.pdf`` by a browser that is installed.
        robot: what moved; without it nothing is said of limits, tip and parameters.
        title: above the document; the robot's name where none is given.

    Raises:
        ReportError: a batch of motions; no finite number in it; another ending; a PDF without a browser.
        ShapeError: a robot of other joints.

    >>> arm = armdyn.load("planar_2r")
    >>> armdyn.simulate(arm, [0.0, 0.5], duration=0.2).report(robot=arm)
    <report: ... bytes>
    """
    if not isinstance(motion, Trajectory):
        raise ReportError(f"motion is {shown(motion)}; expected a Trajectory")
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
    made = Report(_html(motion, robot, title))
    if path is not None:
        made.write(path)
    return made


LIVE, STILL = "<!--live-->", "<!--/live-->"
"""Around the part of a document that moves."""


def _for_print(html: str) -> str:
    """The document without the part that moves."""
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
    found = [one for one in findings(robot) if one.text not in robot.notes]
    return (
        f"<section><h2>The robot {escape(robot.name)}</h2>{findings_list(found)}<h3>Joints</h3>{joint_table(robot)}"
        f"<h3>Links</h3>{link_table(robot)}<h3>Base parameters</h3>{base_parameter_table(robot)}</section>"
    )
