"""``armdyn simulate``: a motion from an initial state, as table, csv and picture."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.errors import ArmdynError, DescriptionWarning
from armdyn.cli.arguments import UnopenedRobot
from armdyn.cli.completion import complete_robots
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.motion_files import refuse_outputs, write_outputs
from armdyn.cli.screen import screen
from armdyn.cli.tables import account, figure, new_table, show, show_notes
from armdyn.cli.word_options import ListWords, Settings, with_options, with_typed, words_of
from armdyn.constraints import constrained_forward_dynamics
from armdyn.motion.limits_passed import perhaps_degrees
from armdyn.robot import Robot
from armdyn.simulation import SimulationInterrupted, Trajectory
from armdyn.simulation.unfinished import KEPT
from armdyn.studies.motion import MotionSettings

ROUNDING = 1e-15
"""Energy exchanged by an arm at rest, relative to the energy it holds: rounding."""


MOST_EVENTS = 12
"""Events that get a line each on the screen."""

OF_EVENT = ("t", "name", "kind", "q", "qd", "energy")


ROBOT_ARGUMENT: dict[str, object] = {
    "annotation": Annotated[
        str,
        typer.Argument(
            metavar="ROBOT|SCENARIO",
            help="A robot as of all verbs; or a scenario (.yaml), see the examples.",
            autocompletion=complete_robots,
        ),
    ]
}
"""Changes of the argument ROBOT."""


def simulate(
    arm: UnopenedRobot,
    settings: Settings = None,
    words: ListWords = False,
    json: AsJson = False,
    **texts: object,
) -> None:
    r"""Let the arm move, and show its motion and the balance of its energy.

    Options are words of a scenario, and replace those of a scenario in YAML. All other words are given by --set;
    --words lists them, with the arguments of Python of the same names. Numbers may have units: 90deg, pi/2, 20mm, 10ms.
    A table has a header with names, and units if they are not SI, such as "tau_elbow \[N mm]" or "q_elbow \[deg]".

    [bold]Examples[/]

      armdyn simulate ur5 --duration 3 --out fall.csv --out fall.png

      armdyn simulate ur5 --duration 3 --out fall.gif

      armdyn simulate planar_2r --q0 0.5,0 --torque 0.1,0 --method rk4 --set method.step=1ms

      armdyn simulate planar_2r --torque torques.csv --set torque.between=hold

      armdyn simulate planar_2r --controller pid --method rk4 --input q_ref=90deg,0 --input Kp=400 --input Ki=200 \\
        --input Kd=60

      armdyn simulate ur5 --controller computed_torque --set reference=path.csv --input Kp=100 --input Kd=20

      armdyn simulate planar_2r --set contacts.table='{frame: tip, normal: \[0, 1, 0], through: \[0, -1, 0]}'

      armdyn simulate ur5 --actuators drives.yaml --set brakes.elbow_joint='\[\[0.5, engaged]]' --duration 2

      armdyn simulate ucl_2r --method constant_acceleration_as_printed --set style=ucl --out ucl.gif

      armdyn simulate reach.yaml --duration 2 --out reach.png

    [bold]A scenario[/]

      robot: ur5

      q0: \[0, -1, 1, 0, 0, 0]

      duration: 2.0

      payload: {mass: 2, com: \[0, 0, 0.1]}

      controller: computed_torque

      inputs: {q_ref: \[0.5, -1, 1, 0, 0, 0], Kp: 100, Kd: 20}

      method: {name: rk4, step: 1ms}

      out: \[reach.csv, reach.png]

    [bold]A scenario of another controller[/], its inputs by their names in armdyn.control, with limits and a delay

      robot: ur5

      controller: \[pid, {saturated: {limits: \[150, 150, 150, 28, 28, 28]}}, {delayed: {steps: 2}}]

      inputs: {q_ref: 0.5, Kp: 900, Ki: 300, Kd: 90}

      method: rk4

    [bold]A scenario of a collision[/], which a momentum observer detects

      robot: planar_2r

      controller: \[pd_gravity, {momentum_observer: {}}]

      inputs: {q_ref: \[-1.2, 0.4], Kp: 30, Kd: 12, K_observer: 100}

      contacts: {table: {frame: tip, normal: \[0, 1, 0], through: \[0, -0.9, 0]}}

      events: {collision: {threshold: {signal: residual, above: 2, terminal: true}}}

      method: rk4
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)  # the notes contain them
        keys = with_typed(words_of(arm.name), texts, settings)
        robot = arm.read_by(keys.robot)
    refuse_outputs(keys)
    motion = MotionSettings.of(keys, robot)
    console, report = screen(stderr=json), _report_json if json else _report
    try:
        trajectory = motion.simulate()
    except SimulationInterrupted as interrupt:  # the motion so far is kept
        try:
            report(motion, interrupt.trajectory)
        finally:
            write_outputs(motion, interrupt.trajectory, console, until=float(interrupt.trajectory.t[-1]))
        raise
    except ArmdynError as error:
        until = getattr(error, "trajectory", None)
        if until is None:
            raise
        written = write_outputs(motion, until, console, until=float(until.t[-1]))
        error.args = (_with_place(error, written > 0),)
        raise
    try:
        report(motion, trajectory)
    finally:  # also if the reader of the report has gone
        write_outputs(motion, trajectory, console)


simulate.__signature__ = with_options(simulate)  # type: ignore[attr-defined] # those of the table of words


def _with_place(error: ArmdynError, written: bool) -> str:
    """The message of a motion that broke off, with the place of the motion until then."""
    place = f"What was simulated until then {'is in the files above' if written else 'can be kept by --out FILE.npz'}."
    return f"{str(error).removesuffix(KEPT).rstrip().removesuffix('.')}. {place}"


def _report_json(motion: MotionSettings, trajectory: Trajectory) -> None:
    """Print the report as JSON; output files have the states over time."""
    energy, q, qd = trajectory.energy, trajectory.q, trajectory.qd
    joints = {"start": q[0], "end": q[-1], "lowest": q.min(axis=0), "highest": q.max(axis=0)}
    account = {
        "start": energy.total[0],
        "end": energy.total[-1],
        "work": energy.work[-1],
        "drift": np.abs(energy.drift).max(),
        "exchanged": energy.scale,
    }
    print_json(
        {
            **of_robot(motion.robot),
            "duration": trajectory.t[-1],
            "q": joints,
            "qd": {"start": qd[0], "end": qd[-1], "fastest": np.abs(qd).max(axis=0)},
            "energy": account,
            "joint_forces": motion.driven_by,
            "events": [{name: getattr(event, name) for name in OF_EVENT} for event in trajectory.events],
            "signals": list(trajectory.signals),
            "statistics": asdict(trajectory.statistics),
            "files": list(motion.outputs),
            "notes": _notes(motion, trajectory),
        }
    )


def _report(motion: MotionSettings, trajectory: Trajectory) -> None:
    """Tables of the motion and its account, and notes."""
    console = screen()
    show(console, _motion_table(motion.robot, trajectory))
    show(console, _account_table(motion, trajectory))
    if trajectory.events:
        show(console, _events_table(trajectory))
    show_notes(console, _notes(motion, trajectory))


def _notes(motion: MotionSettings, trajectory: Trajectory) -> list[str]:
    """Notes on the robot, on the positions at the start, and on the motion."""
    return [*motion.robot.notes, *perhaps_degrees(motion.robot, trajectory.q[0]), *trajectory.notes]


def _motion_table(arm: Robot, trajectory: Trajectory) -> Table:
    headings = ("joint", "start", "end", "lowest", "highest", "fastest", "unit")
    saved, steps = len(trajectory.t), trajectory.statistics.steps
    some = f"; of the {saved:,} states saved" if saved < steps + 1 else ""
    table = new_table(f"{arm.name}, {trajectory.t[-1]:g} s  (fastest: units a second{some})", *headings)
    for k, joint in enumerate(arm.joints):
        q, qd = trajectory.q[:, k], trajectory.qd[:, k]
        unit = "rad" if joint.kind == "revolute" else "m"
        values = (q[0], q[-1], q.min(), q.max(), np.abs(qd).max())
        table.add_row(joint.name, *map(figure, values), unit)
    return table


def _events_table(trajectory: Trajectory) -> Table:
    """The first events; the output files have all of them."""
    first, count = trajectory.events[:MOST_EVENTS], len(trajectory.events)
    title = f"{count} event{'s' * (count != 1)}" + (f", the first {MOST_EVENTS}" if count > MOST_EVENTS else "")
    table = new_table(title, "what", "kind", "t, s", "energy taken, J")
    for event in first:
        table.add_row(event.name, event.kind, f"{event.t:.6g}", figure(event.energy) if event.energy else "")
    return table


def _account_table(motion: MotionSettings, trajectory: Trajectory) -> Table:
    """Forces, energy, effort and cost, a row each."""
    energy, statistics = trajectory.energy, trajectory.statistics
    drift, exchanged = float(np.abs(energy.drift).max()), float(energy.scale)
    if exchanged <= ROUNDING * np.abs([energy.kinetic, energy.potential]).max():
        exchanged = 0.0
    part = f"{drift / exchanged:.2g} of the {exchanged:.4g} J that changed hands" if exchanged else "none changed hands"
    return account(
        (
            *_forces_rows(motion, trajectory),
            ("energy at start, at end", f"{energy.total[0]:.6g} J, {energy.total[-1]:.6g} J"),
            ("work of torques and tip", f"{energy.work[-1]:.6g} J"),
            ("energy drift, largest", f"{drift:.3g} J, {part}"),
            *([("signals, in output files", ", ".join(trajectory.signals))] if trajectory.signals else []),
            ("method", statistics.method),
            ("steps, evaluations", f"{statistics.steps:,}, {statistics.evaluations:,}"),
            ("time", f"{statistics.wall_time:.3g} s"),
            *_cost_row(motion),
        )
    )


def _cost_row(motion: MotionSettings) -> Iterator[tuple[str, str]]:
    """The operations of the function that returns the accelerations; none if NumPy solves for them."""
    arm = motion.robot
    if arm.model.constraints and motion.redundant == "least_squares":
        return
    if flexible_places(arm.model):
        evaluation = arm.flexible_forward_dynamics
    else:
        evaluation = arm.compile(constrained_forward_dynamics) if arm.model.constraints else arm.forward_dynamics
    yield "operations an evaluation", str(evaluation.op_counts)


def _forces_rows(motion: MotionSettings, trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """Rows on the joint forces: their source, and the largest error of a controller, rad or m."""
    if motion.driven_by != "none":
        yield "joint forces", motion.driven_by
    if "q_ref" in trajectory.signals:
        off = np.abs(trajectory.q - trajectory.signals["q_ref"])
        for kind, unit in (("revolute", "rad"), ("prismatic", "m")):
            of_kind = [k for k, joint in enumerate(motion.robot.joints) if joint.kind == kind]
            if of_kind:
                rows = off[:, of_kind].max(axis=1)
                yield "off the reference, largest, at end", f"{rows.max():.3g} {unit}, {rows[-1]:.3g} {unit}"
