"""``armdyn excite``: a motion for identification."""

from __future__ import annotations

import json as json_files
from pathlib import Path
from typing import Annotated, get_args

import typer

from armdyn.base.errors import UnknownName
from armdyn.base.writing import write_text
from armdyn.cli.arguments import read_vector
from armdyn.cli.completion import words
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import figure, new_table, show, show_notes
from armdyn.identification import Excitation, random_motions
from armdyn.identification import excite as find_motion
from armdyn.identification.optimal_design import Criterion
from armdyn.robot import Robot

RANDOM = 10
"""Random motions that the table compares with the result."""

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


def excite(
    arm: Robot,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write a csv of t, q, qd and qdd.")
    ] = None,
    duration: Annotated[str, typer.Option("--duration", metavar="NUMBERS", help="Length of the motion, s.")] = "15",
    harmonics: Annotated[int, typer.Option("--harmonics", help="Of the Fourier series.")] = 5,
    noise: Annotated[float, typer.Option("--noise", help="Deviation of the measured joint forces, N m or N.")] = 1.0,
    acceleration: Annotated[
        float | None, typer.Option("--acceleration", help="The largest joint acceleration, rad/s^2 or m/s^2.")
    ] = None,
    criterion: Annotated[
        str,
        typer.Option(
            "--criterion",
            help="Make the information largest, or the mean of the parameters' deviations least.",
            autocompletion=words(*CRITERIA),
        ),
    ] = CRITERIA[0],
    starts: Annotated[int, typer.Option("--starts", help="Random starts of the search.")] = 4,
    seed: Annotated[int, typer.Option("--seed", help="Of the random starts.")] = 0,
    rate: Annotated[float, typer.Option("--rate", help="Of the files' samples, Hz.")] = 100.0,
    ros: Annotated[
        Path | None, typer.Option("--ros", metavar="FILE", help="Write a ROS JointTrajectory as YAML.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the motion and its limits: png, pdf, svg.")
    ] = None,
    json: AsJson = False,
) -> None:
    """A motion whose logs determine the arm's parameters best.

    A Fourier series that starts and ends at rest keeps the limits of position, velocity and effort. The table has the
    standard deviation of each base parameter, armature and friction, and those of random motions.

    [bold]Examples[/]

      armdyn excite ur5 --duration 15 --harmonics 5 -o excite.csv

      armdyn excite arm.urdf --acceleration 10 --ros excite.yaml --plot excite.png
    """
    for option, path in (("--out", out), ("--ros", ros), ("--plot", plot)):
        if path is not None:
            refuse_unwritable(option, path, endings=(".png", ".pdf", ".svg") if option == "--plot" else ())
    motion = find_motion(
        arm,
        duration=float(read_vector(duration, "--duration", 1, unit="s")[0]),
        harmonics=harmonics,
        noise=noise,
        acceleration=acceleration,
        criterion=_criterion(criterion),
        starts=starts,
        seed=seed,
    )
    others = random_motions(motion, RANDOM)
    if out is not None:
        motion.to_csv(out, rate)
    if ros is not None:
        write_text(ros, _yaml(motion, rate))
    if plot is not None:
        motion.plot(plot)
    if json:
        print_json(_plain(motion, others))
        return
    _show(motion, others)
    for path in (out, ros, plot):
        if path is not None:
            screen().print(f"wrote {path}", soft_wrap=True)


def _criterion(word: str) -> Criterion:
    for one in CRITERIA:
        if word == one:
            return one
    raise UnknownName.of("criterion", word, CRITERIA, "--criterion")


def _yaml(motion: Excitation, rate: float) -> str:
    """JSON is YAML; one point a line."""
    message = motion.to_joint_trajectory(rate)
    points = ",\n".join(f"  {json_files.dumps(point)}" for point in message["points"])
    return f'{{"joint_names": {json_files.dumps(message["joint_names"])}, "points": [\n{points}\n]}}\n'


def _show(motion: Excitation, others: list[Excitation]) -> None:
    screen().print(str(motion), soft_wrap=True)
    table = new_table("expected standard deviations", "this motion", f"best of {len(others)} random", "parameter")
    best = max(others, key=lambda other: other.information)
    for (name, value), other in zip(motion.deviations.items(), best.deviations.values(), strict=True):
        table.add_row(figure(value), figure(other), name)
    show(screen(), table)
    show_notes(screen(), motion.notes)


def _plain(motion: Excitation, others: list[Excitation]) -> dict[str, object]:
    return {
        "robot": motion.robot.name,
        "duration": motion.duration,
        "harmonics": motion.design.harmonics,
        "start": motion.start,
        "coefficients": motion.coefficients,
        "log_det": motion.information,
        "log_det_of_random_motions": [other.information for other in others],
        "part_of_limits": motion.used,
        "deviations": motion.deviations,
        "notes": list(motion.notes),
    }
