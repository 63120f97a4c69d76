"""``armdyn fk``: forward kinematics of one configuration, or of a table of them."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.completion import complete_frames
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.poses import pose_data
from armdyn.cli.screen import screen
from armdyn.cli.states import MotionFile, OutFile, Positions, refuse_both, target_of, write_rows
from armdyn.cli.tables import figure, figures, new_table, show, show_notes
from armdyn.formats.export.numbers import quaternions, rpy_of
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

FRAMES = "A frame; may be repeated; the tip if left out."


def fk(
    arm: Robot,
    q: Positions = None,
    frame: Annotated[list[str] | None, typer.Option("--frame", help=FRAMES, autocompletion=complete_frames)] = None,
    every: Annotated[bool, typer.Option("--all", help="Every frame of the robot.")] = False,
    motion: MotionFile = None,
    out: OutFile = None,
    json: AsJson = False,
) -> None:
    """Forward kinematics: poses of frames in base axes.

    Roll, pitch and yaw turn about the fixed axes x, y and z of the base, one after the other, as in URDF. A csv that is
    read has columns q_JOINT, as of armdyn torque; one that is written has position and quaternion of each frame.

    [bold]Examples[/]

      armdyn fk ur5 --q 0,-90deg,90deg,0,0,0

      armdyn fk scara --q "pi/4, 0, 50mm, 0" --frame forearm --frame tip --json

      armdyn fk ur5 --motion motion.csv --out poses.csv
    """
    refuse_both(motion, q)
    target = target_of(out)
    chosen: list[str | None] = [*dict.fromkeys(frame or [])] or [None]
    names: list[str | None] = list(arm.frame_names) if every else [name or arm.tip for name in chosen]
    t, at = (None, read_joint_vector(q, "--q", arm)) if motion is None else _states_of(motion, arm)
    matrices = [arm.forward_kinematics(at, frame=name) for name in names]
    poses = {str(name): T for name, T in zip(names, matrices, strict=True)}
    if json:
        times = {} if t is None else {"t": t}
        frames = {name: pose_data(T) if motion is None else {"T": T} for name, T in poses.items()}
        print_json({**of_robot(arm), **times, "q": at, "frames": frames, "notes": arm.notes})
    elif motion is None and target is None:
        _print(arm, at, poses)
    if target is not None or (motion is not None and not json):
        _write(target, t, poses)
    if not json:
        show_notes(screen(stderr=target is sys.stdout or (motion is not None and target is None)), arm.notes)


def _states_of(motion: Path, arm: Robot) -> tuple[Array | None, Array]:
    """Times and joint positions of a file."""
    from armdyn.logs.joint_tables import read_states  # noqa: PLC0415 - slow to import

    t, q, *_ = read_states(motion, arm)
    return t, q


def _print(arm: Robot, q: Array, poses: dict[str, Array]) -> None:
    """A row for each frame; the matrix if there is one frame."""
    headings = ("frame", "x, m", "y, m", "z, m", "roll,\ndeg", "pitch,\ndeg", "yaw,\ndeg")
    table = new_table(f"{arm.name}: frames in {arm.model.base}", *headings)
    for name, T in poses.items():
        angles = [math.degrees(angle) for angle in rpy_of(T[:3, :3])]
        table.add_row(name, *figures(T[:3, 3], size=1.0, digits=6, width=10).split(), *_figures(angles))
    show(screen(), table)
    if len(poses) == 1:
        show_matrix(next(iter(poses.values())))


def _figures(values: list[float]) -> list[str]:
    return figures(np.array(values), size=1.0, digits=6, width=10).split()


def show_matrix(T: Array) -> None:
    """T, a row a line; rounding counts as zero."""
    table = new_table("T", "", "", "", "")
    for row in T:
        table.add_row(*(figure(0.0 if abs(x) < 1e-12 else x, digits=8, width=12) for x in row))
    table.show_header = False
    show(screen(), table)


def _write(target: object, t: Array | None, poses: dict[str, Array]) -> None:
    columns: list[str] = []
    values = []
    for name, T in poses.items():
        columns += [f"{axis}_{name}" for axis in ("x", "y", "z")] + [f"quaternion_{c}_{name}" for c in "wxyz"]
        rows = T.reshape(-1, 4, 4)
        values += [rows[:, :3, 3], quaternions(rows)]
    write_rows(sys.stdout if target is None else target, t, columns, np.hstack(values))  # type: ignore[arg-type]
