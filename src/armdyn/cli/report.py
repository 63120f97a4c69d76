"""``armdyn report``: a motion, simulated or recorded, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.base.errors import SettingError, ShapeError
from armdyn.cli.arguments import UnopenedRobot, load_robot
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Gains, Rate, Topic, Units, options_of
from armdyn.cli.outputs import refuse_lost, refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_limits, show_notes
from armdyn.report.errors import ReportError
from armdyn.robot import Robot
from armdyn.simulation import Trajectory, limits_passed

MOTION = "A trajectory that armdyn saved (.npz, .parquet, .csv), or a log: csv, Parquet, npz, MCAP, ROS bag."


def report(
    arm: UnopenedRobot | None,
    motion: Annotated[Path, typer.Argument(metavar="TRAJECTORY|LOG", help=MOTION)],
    payload: Annotated[
        str | None,
        typer.Option(
            "--payload",
            metavar="MASS|{...}",
            help="A body at the tip of --robot: 2kg, or '{mass: 2, com: \\[0, 0, 0.1]}'.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help=".html or .pdf, written over; MOTION.html if left out."),
    ] = None,
    rate: Rate = None,
    columns: Columns = None,
    units: Units = None,
    gains: Gains = None,
    topic: Topic = None,
    title: Annotated[str | None, typer.Option("--title", help="Above the document.")] = None,
    json: AsJson = False,
) -> None:
    r"""A motion as a document, HTML or PDF: limits, forces, energy, figures, the tip's path, versions and digests.

    The csv of a log has a column t, and q_JOINT for each joint of --robot, in SI units or with another after the name,
    such as "q_elbow \[deg]"; also qd_JOINT, qdd_JOINT and tau_JOINT. Columns of UR's RTDE, libfranka, ROS and LeRobot
    are known; others are named by --columns. A PDF is printed by Chromium, Chrome or Edge.

    [bold]Examples[/]

      armdyn report fall.npz -o fall.html

      armdyn report fall.npz --robot ur5 -o fall.pdf

      armdyn report log.csv --robot panda.urdf --rate 1000 -o log.html

      armdyn report run.mcap --robot ur10e.urdf --topic /joint_states

      armdyn report log.csv --robot ur5 --columns t=0 --columns q=1:7 --units q=deg

      armdyn report log.csv --robot ur5 --actuators drives.yaml --payload '{mass: 2, com: \[0, 0, 0.1]}'
    """
    from armdyn.report.document import ENDINGS, check_ending  # noqa: PLC0415 - other verbs need none of it

    target = out or Path(motion.with_suffix(".html").name)
    refuse_lost({"-o": target}, [motion, None if arm is None else arm.name])
    refuse_unwritable("-o", target, endings=ENDINGS)
    check_ending(target)
    robot = _with_payload(None if arm is None else arm.opened(), payload)
    log_options = {"columns": columns, "units": units, "gains": gains, "rate": rate, "topic": topic}
    trajectory = motion_of_file(
        motion, robot, {name: value for name, value in log_options.items() if value is not None}
    )
    robot = robot or _bundled(trajectory)
    errors = screen(stderr=True)
    with errors.status("writing the report"):
        result = trajectory.report(robot=robot, title=title)
        result.write(target)
    states = (getattr(trajectory, name) for name in ("t", "q", "qd", "tau"))
    passed = [] if robot is None else limits_passed(robot, *states)
    notes = [*trajectory.notes, *([] if robot is not None else [NO_ROBOT])]
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


def _with_payload(robot: Robot | None, text: str | None) -> Robot | None:
    """The robot with a body at its tip, if one is given."""
    if text is None:
        return robot
    if robot is None:
        raise SettingError("--payload is of a robot, and none is named; expected --robot ROBOT too")
    from armdyn.studies.typed_values import value_of_text  # noqa: PLC0415 - for a payload only
    from armdyn.studies.words import Words  # noqa: PLC0415

    keys = ("payload",)
    value = value_of_text(keys, text, "--payload")
    return Words.of_options({}).with_options({keys: value}, {keys: "--payload"}).with_payload(robot)


NO_ROBOT = "without a robot the report has no limits, tip and parameters; name it by --robot"


def motion_of_file(path: Path, arm: Robot | None, options: Mapping[str, Any]) -> Trajectory:
    """The trajectory of a file, or of the log in it.

    Args:
        path: of the file.
        arm: whose joints a log has.
        options: options of a log: columns, units, gains, rate, topic.
    """
    from armdyn.motion.saving import is_saved  # noqa: PLC0415 - other verbs need none of it

    if is_saved(path):
        if options:
            names = ", ".join(f"--{name}" for name in options)
            raise ReportError(f"{str(path)!r} is a trajectory with columns and times of its own; leave {names} out")
        return Trajectory.load(path)
    if arm is None and path.exists():
        raise ReportError(
            f"{str(path)!r} is not a trajectory that armdyn saved, and the joints of a log are those of a robot: "
            "--robot ROBOT"
        )
    if arm is None:
        return Trajectory.load(path)  # which names the file that is missing
    return Trajectory.from_log(path, arm, **options_of(arm, **options))


def _bundled(trajectory: Trajectory) -> Robot | None:
    """The bundled robot of the trajectory's name, if its joints have equal names and kinds."""
    from armdyn.motion.with_robot import check_it_moved  # noqa: PLC0415
    from armdyn.robots import bundled_robots  # noqa: PLC0415 - read if no robot is named

    if trajectory.robot not in bundled_robots():
        return None
    arm = load_robot(trajectory.robot)
    try:
        check_it_moved(trajectory, arm)
    except ShapeError:
        return None
    return arm
