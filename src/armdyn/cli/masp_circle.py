"""``armdyn masp [ROBOT]``: a robot's hand round the paper's circle, on the screen, as csv and as a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.table import Table

from armdyn.cli.arguments import UnopenedRobot, read_joint_vector
from armdyn.cli.json_output import of_robot, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import Screen, screen
from armdyn.cli.tables import account, figure, new_table, show, show_notes, write_table
from armdyn.masp import NEXT_TO_ZERO, PUBLISHED, MaspRun, circle_of_the_paper, columns, run_masp
from armdyn.model.joint_units import UNITS

OUTPUTS = ("masp.png", "masp_arm.png", "masp.csv")


def run_circle(
    arm: UnopenedRobot, circle: dict[str, float], *, samples: int, near: str | None, out: Path, json: bool
) -> None:
    """Compute, show and write.

    Args:
        arm: the robot that the command line describes.
        circle: arguments of `circle_of_the_paper`; what is not there is the paper's.
        samples: equally spaced times in the csv.
        near: joint positions near those at the start, as text; None for the paper's.
        out: folder of the outputs.
        json: JSON in place of tables.
    """
    for name in OUTPUTS:
        refuse_unwritable("--out", out / name)
    robot = arm.opened()
    path = circle_of_the_paper(**circle)
    begin = NEXT_TO_ZERO if near is None else tuple(read_joint_vector(near, "--near", robot))
    run = run_masp(robot, path, samples=samples, near=begin)
    console = screen(stderr=json)
    if json:
        files = [out / name for name in OUTPUTS]
        print_json({**of_robot(robot), "columns": columns(run), "files": files, "notes": [*robot.notes, *run.notes]})
    else:
        show(console, _motion_table(run))
        show(console, _account_table(run))
        show_notes(console, [*robot.notes, *run.notes])
    _write(run, out, console)


def _motion_table(run: MaspRun) -> Table:
    """A row per joint: its start, its travel, and the largest of each quantity."""
    units = "deg, deg/s, N m" + ("; m, m/s, N" if any(j.kind == "prismatic" for j in run.robot.joints) else "")
    headings = ("joint", "start", "turned", "fastest", "tau, start", "tau, peak", "at, s")
    table = new_table(f"{run.robot.name} round the circle in {run.t[-1]:g} s  ({units})", *headings)
    q, qd, _ = run.joints
    peaks = np.abs(run.tau).argmax(axis=0)
    for k, joint in enumerate(run.robot.joints):
        scale = 180 / np.pi if joint.kind == "revolute" else 1.0
        angles = (q[0, k], q[-1, k] - q[0, k], np.abs(qd[:, k]).max())
        torques = (run.tau[0, k], run.tau[peaks[k], k])
        cells = (*(_cell(x * scale) for x in angles), *map(_cell, torques), f"{run.t[peaks[k]]:.2f}")
        table.add_row(joint.name, *cells)
    return table


def _cell(value: float) -> str:
    """Four digits at most; rounding counts as zero."""
    return "0" if abs(value) < 1e-9 else figure(value)


def _account_table(run: MaspRun) -> Table:
    """The cycle, the checks and the cost."""
    ends = run.joints.q[[0, -1]]
    static = np.abs(run.tau[[0, -1]] - run.robot.gravity_forces(ends)).max(axis=0)
    off_static = [
        f"{max(x for x, joint in zip(static, run.robot.joints, strict=True) if joint.kind == kind):.1e} {unit}"
        for kind, unit in (("revolute", "N m"), ("prismatic", "N"))
        if any(joint.kind == kind for joint in run.robot.joints)
    ]
    T = run.robot.forward_kinematics(run.joints.q)
    off = np.linalg.norm(T[:, :3, 3] - run.tip.pose[:, :3, 3], axis=1).max()
    power = np.einsum("tn,tn->t", run.tau, run.joints.qd)
    rows = [
        ("cycle", " + ".join(f"{x:g}" for x in np.diff(run.path.switches)) + f" = {run.path.duration:g} s"),
        ("hand, fastest", f"{np.linalg.norm(run.tip.twist[:, 3:], axis=1).max():.4g} m/s"),
        ("hand off the circle", f"{off:.1e} m"),
        ("power of the joints, least and most", f"{power.min():.4g} W, {power.max():.4g} W"),
        ("torques at the ends, off the static ones", ", ".join(off_static)),
    ]
    for name, (m, a, t) in PUBLISHED.items():
        quantity = name.replace("_", " ")
        rows.append((f"{quantity}, this arm", str(getattr(run.robot, name).op_counts)))
        rows.append((f"{quantity}, general 6R arm in the paper", f"{m}m + {a}a + {t}t"))
    return account(rows)


def _write(run: MaspRun, folder: Path, console: Screen) -> None:
    from armdyn.plots import draw_masp, draw_zero_position, write_figure  # noqa: PLC0415 - matplotlib is slow to import

    folder.mkdir(parents=True, exist_ok=True)
    header = ["t [s]"]
    for name in ("q", "qd", "qdd", "tau"):
        header += [f"{name}_{joint.name} [{UNITS[joint.kind][name]}]" for joint in run.robot.joints]
    write_table(folder / "masp.csv", header, np.column_stack([run.t, *run.joints, run.tau]))
    write_figure(draw_masp(run), folder / "masp.png")
    write_figure(draw_zero_position(run.robot, run.path, start=run.joints.q[0]), folder / "masp_arm.png")
    for name in OUTPUTS:
        console.print(f"wrote {folder / name}", soft_wrap=True)
