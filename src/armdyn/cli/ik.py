"""``armdyn ik``: joint positions that bring a frame to a place, to an orientation, or both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
import typer

from armdyn.base.errors import ShapeError
from armdyn.cli.arguments import read_joint_vector, read_vector
from armdyn.cli.completion import complete_frames, words
from armdyn.cli.exit_codes import NOT_MET
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.poses import Rotated, read_pose, read_position
from armdyn.cli.screen import labelled, screen
from armdyn.cli.tables import figure, new_table, show, show_notes
from armdyn.kinematics import Orientation, Pointing, Pose, Position, Solution
from armdyn.kinematics.inverse import CHOICES
from armdyn.kinematics.tasks import FrameTask
from armdyn.robot import Robot

POSE = "12 or 16 numbers of the matrix T, row by row, lengths in m."
NEAR = "The start: solutions near it are preferred; the middle of the limits by default."


def ik(
    arm: Robot,
    xyz: Annotated[
        str | None, typer.Option("--xyz", metavar="X,Y,Z", help="Position of the frame in base axes, m, or 20mm.")
    ] = None,
    rpy: Annotated[
        str | None, typer.Option("--rpy", metavar="R,P,Y", help="Roll, pitch, yaw as in URDF, rad, or 90deg.")
    ] = None,
    quaternion: Annotated[
        str | None, typer.Option("--quaternion", metavar="W,X,Y,Z", help="Orientation as a unit quaternion.")
    ] = None,
    pose: Annotated[str | None, typer.Option("--pose", metavar="NUMBERS", help=POSE)] = None,
    pointing: Annotated[
        str | None,
        typer.Option("--pointing", metavar="X,Y,Z", help="Direction of the frame's z axis; it may turn about it."),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option("--frame", help="A frame; the tip if left out.", autocompletion=complete_frames),
    ] = None,
    q0: Annotated[str | None, typer.Option("--q0", help=NEAR)] = None,
    choose: Annotated[
        str,
        typer.Option(
            "--choose",
            help="The first solution found, or of those of all starts the nearest to --q0.",
            autocompletion=words(*CHOICES),
        ),
    ] = "first",
    tolerance: Annotated[float, typer.Option("--tolerance", help="Largest error that counts as met, m and rad.")] = (
        1e-10
    ),
    starts: Annotated[int, typer.Option("--starts", help="At most, --q0 counted; the others are random.")] = 64,
    iterations: Annotated[int, typer.Option("--iterations", help="At most, from each start.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Of the random starts.")] = 0,
    ignore_limits: Annotated[bool, typer.Option("--ignore-limits", help="Let joints stand beyond their limits.")] = (
        False
    ),
    json: AsJson = False,
) -> None:
    """Inverse kinematics: joint positions that bring a frame to its target.

    With --xyz alone the orientation is free, with --rpy or --quaternion alone the position. If no configuration meets
    the target, the nearest one found and the reason are shown, and the exit code is 1.

    [bold]Examples[/]

      armdyn ik ur5 --xyz 0.4,0.2,300mm --rpy 180deg,0,0

      armdyn ik ur5 --xyz 0.4,0.2,0.3 --pointing 0,0,-1 --q0 0,-90deg,90deg,-90deg,-90deg,0 --choose nearest

      armdyn ik scara --xyz 0.4,0.2,0.1 --json
    """
    task = _tasks(xyz, Rotated(rpy, quaternion), pose, pointing)
    start = None if q0 is None else read_joint_vector(q0, "--q0", arm)
    solution = arm.inverse_kinematics(
        task,
        start,
        frame=frame,
        choose=choose,  # type: ignore[arg-type] # another word is refused by name
        tolerance=tolerance,
        starts=starts,
        iterations=iterations,
        limits=not ignore_limits,
        seed=seed,
    )
    if json:
        print_json(_data(arm, solution))
    else:
        _print(arm, solution)
    if not solution.success:
        raise typer.Exit(NOT_MET)


def _tasks(xyz: str | None, rotated: Rotated, pose: str | None, pointing: str | None) -> Sequence[FrameTask]:
    """The tasks that the options give together."""
    R, tasks = rotated.read(), list[FrameTask]()
    if pose is not None:
        if xyz is not None or R is not None:
            raise ShapeError("the target is given twice: by --pose and by --xyz, --rpy or --quaternion; choose one")
        tasks.append(Pose(read_pose(pose)))
    if xyz is not None:
        tasks.append(Position(read_position(xyz, "--xyz")))
    if R is not None:
        tasks.append(Orientation(R))
    if pointing is not None:
        along = read_vector(pointing, "--pointing", 3, meaning="x,y,z")
        length = float(np.linalg.norm(along))
        if not length:
            raise ShapeError("--pointing is zero; expected a direction, such as 0,0,-1")
        tasks.append(Pointing(along / length))
    if not tasks:
        raise ShapeError("there is no target; expected --xyz, --rpy, --quaternion, --pointing or --pose")
    return tasks


def _data(arm: Robot, solution: Solution) -> dict[str, object]:
    numbers = {
        name: getattr(solution, name)
        for name in ("q", "success", "position_error", "angle_error", "iterations", "starts")
    }
    return {**of_robot(arm), **numbers, "status": str(solution.status), "reason": solution.reason(), "notes": arm.notes}


def _print(arm: Robot, solution: Solution) -> None:
    table = new_table(f"Inverse kinematics of {arm.name}", "joint", "q", "unit", "q, deg")
    for joint, q in zip(arm.joints, solution.q, strict=True):
        turns = joint.kind == "revolute"
        degrees = figure(math.degrees(q), digits=6, width=12) if turns else ""
        table.add_row(joint.name, repr(float(q)), "rad" if turns else "m", degrees)
    show(screen(), table)
    status = ("met", "green") if solution.success else ("not met", "bold red")
    screen().print(labelled(f"{status[0]}:", status[1], solution.reason()), soft_wrap=True)
    show_notes(screen(stderr=True), arm.notes)
