"""``armdyn report``: a motion, simulated or recorded, as a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.arguments import load_robot
from armdyn.cli.completion import complete_robots
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_lost, refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_limits, show_notes
from armdyn.errors import ShapeError
from armdyn.report.errors import ReportError
from armdyn.robot import Robot
from armdyn.simulation import Trajectory, limits_passed
from armdyn.simulation.errors import TrajectoryFileError

MOTION = "A trajectory of armdyn (.npz, .parquet, .csv), or a csv of recorded joint states: t, q_JOINT, ..."


def report(
    motion: Annotated[Path, typer.Argument(metavar="TRAJECTORY|LOG", help=MOTION)],
    robot: Annotated[
        str | None,
        typer.Option(
            "--robot", metavar="ROBOT", help="What moved; a bundled robot or a file.", autocompletion=complete_robots
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help=".html or .pdf, written over; MOTION.html if left out."),
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", help="Rows a second of a log without times, Hz.")] = None,
    title: Annotated[str | None, typer.Option("--title", help="Above the document.")] = None,
    json: AsJson = False,
) -> None:
    r"""A motion as a document, HTML or PDF: limits, forces, energy, figures, the tip's path, versions and digests.

    The csv of a log has a column t, and q_JOINT for each joint of --robot, in SI units or with another behind the name,
    such as "q_elbow \[deg]"; also qd_JOINT, qdd_JOINT and tau_JOINT. A PDF is printed by Chromium, Chrome or Edge.

    [bold]Examples[/]

      armdyn report fall.npz -o fall.html

      armdyn report fall.npz --robot ur5 -o fall.pdf

      armdyn report log.csv --robot panda.urdf --rate 1000 -o log.html
    """
    from armdyn.report.document import ENDINGS, check_ending  # noqa: PLC0415 - other verbs need none of it

    target = out or Path(motion.with_suffix(".html").name)
    refuse_lost({"-o": target}, [motion, robot])
    refuse_unwritable("-o", target, endings=ENDINGS)
    check_ending(target)
    arm = None if robot is None else load_robot(robot)
    trajectory = _motion(motion, arm, rate)
    arm = arm or _bundled(trajectory)
    errors = screen(stderr=True)
    with errors.status("writing the report"):
        made = trajectory.report(robot=arm, title=title)
        target.parent.mkdir(parents=True, exist_ok=True)
        made.write(target)
    passed = [] if arm is None else limits_passed(arm, *(getattr(trajectory, name) for name in ("t", "q", "qd", "tau")))
    notes = [*trajectory.notes, *([] if arm is not None else [NO_ROBOT])]
    if json:
        print_json(
            {
                "robot": trajectory.robot,
                "joint_names": trajectory.joint_names,
                "files": [target],
                "notes": notes,
                "limits_passed": [one._asdict() for one in passed],
            }
        )
        return
    screen().print(f"{target}: {target.stat().st_size / 1000:.0f} kB", soft_wrap=True, highlight=False)
    show_limits(errors, passed)
    show_notes(errors, notes)


NO_ROBOT = "the robot is not known: nothing is said of limits, tip and parameters; name it by --robot"


def _motion(path: Path, arm: Robot | None, rate: float | None) -> Trajectory:
    """The trajectory of a file; of a csv that armdyn has not written, the log."""
    from armdyn.report import read_log  # noqa: PLC0415 - other verbs need none of it

    if path.suffix.lower() != ".csv":
        if rate is not None:
            raise ReportError(f"--rate belongs to a csv without times, and {str(path)!r} is none")
        return Trajectory.load(path)
    try:
        trajectory = Trajectory.load(path)
    except TrajectoryFileError as error:
        if not path.is_file():
            raise
        if arm is None:
            raise ReportError(
                f"{str(path)!r} is no trajectory that armdyn wrote, and a log needs to be told whose joints it has: "
                f"--robot ROBOT ({error})"
            ) from None
        return read_log(path, arm, rate=rate)
    if rate is not None:
        raise ReportError(f"{str(path)!r} is a trajectory with times of its own; leave --rate out")
    return trajectory


def _bundled(trajectory: Trajectory) -> Robot | None:
    """The bundled robot of the trajectory's name, where its joints are the same."""
    from armdyn.robots import bundled_robots  # noqa: PLC0415 - asked for where no robot is named
    from armdyn.simulation.results.with_robot import check_it_moved  # noqa: PLC0415

    if trajectory.robot not in bundled_robots():
        return None
    arm = load_robot(trajectory.robot)
    try:
        check_it_moved(trajectory, arm)
    except ShapeError:
        return None
    return arm
