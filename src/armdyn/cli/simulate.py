"""``armdyn simulate``: a motion from an initial state, as table, csv and picture."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.checks import choice
from armdyn.base.errors import ArmdynError, DescriptionWarning
from armdyn.cli.arguments import Described
from armdyn.cli.completion import complete_robots
from armdyn.cli.completion import words as words_to_complete
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.motion_files import refuse_outputs, write_outputs
from armdyn.cli.scenario_options import (
    LINES,
    PLACES,
    READ,
    VECTORS,
    direct_inputs,
    flag,
    inputs_of,
    named_inputs,
    with_inputs,
    with_lines,
    with_options,
    with_settings,
    without_alternatives,
    words_of,
)
from armdyn.cli.screen import screen
from armdyn.cli.tables import account, figure, new_table, show, show_notes
from armdyn.constraints import constrained_forward_dynamics
from armdyn.robot import Robot
from armdyn.simulation import SettingError, SimulationInterrupted, Trajectory
from armdyn.simulation.methods.catalogue import NAMES
from armdyn.simulation.unfinished import KEPT
from armdyn.studies.controllers import FORMER, NONE, offered
from armdyn.studies.happenings import CONSTRAINTS, EVENTS
from armdyn.studies.motion import Motion

ROUNDING = 1e-15
"""Energy exchanged by an arm at rest, relative to the energy it holds: rounding."""


MOST_EVENTS = 12
"""Events that get a line each on the screen."""

OF_EVENT = ("t", "name", "kind", "q", "qd", "energy")


ROBOT_ARGUMENT: dict[str, Any] = {
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

JOINTS = "Joint forces"
CONTROL = "Controller"
METHOD = "Integration"
FILES = "Output files, which are written over"


def _shown(words: str) -> str:
    """Words for a help text, in which rich takes brackets for markup."""
    return words.replace("[", "\\[")


def _controllers(incomplete: str) -> list[str]:
    """The names of controllers that complete what is typed; only then they are imported."""
    return words_to_complete(*offered())(incomplete)


def _inputs(context: typer.Context, incomplete: str) -> list[str]:
    """NAME= for every input of the controller that was typed."""
    typed = context.params.get("controller")
    try:
        return [] if "=" in incomplete or not typed else words_to_complete(*inputs_of(typed))(incomplete)
    except ArmdynError:
        return []


def simulate(
    arm: Described,
    duration: Annotated[
        float | None, typer.Option("--duration", help="Seconds to simulate; 1, or as long as a csv lasts, if left out.")
    ] = None,
    q0: Annotated[
        str | None,
        typer.Option(
            "--q0", help="Joint positions at the start, rad or m, or such as 90deg, pi/2, 20mm; zero if left out."
        ),
    ] = None,
    qd0: Annotated[str | None, typer.Option("--qd0", help="Joint velocities at the start, rad/s or m/s.")] = None,
    payload: Annotated[
        float | None, typer.Option("--payload", help="Mass of a body at the tip, kg; a controller knows of it.")
    ] = None,
    payload_com: Annotated[
        str | None, typer.Option("--payload-com", metavar="X,Y,Z", help="Its centre of mass in the tip frame, m.")
    ] = None,
    stops: Annotated[
        float | None,
        typer.Option("--stops", help="Make joint limits stops: speed after a hit over speed before, 0 to 1."),
    ] = None,
    brakes: Annotated[
        str | None,
        typer.Option(
            "--brakes",
            metavar="JOINT@SECONDS=STATE,...",
            help="Brakes that engage and release, such as elbow_joint@0.5=engaged; the actuators have them.",
        ),
    ] = None,
    contact: Annotated[
        list[str] | None,
        typer.Option(
            "--contact",
            metavar="'NAME: {...}'",
            help=f"A plane that a point may touch, as in a scenario: '{_shown(LINES['contact'][1])}'; may be repeated.",
        ),
    ] = None,
    event: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="'NAME: {KIND: {...}}'",
            help=f"What to look out for, {', '.join(EVENTS)}, as in a scenario: '{_shown(LINES['event'][1])}'; may be "
            "repeated.",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            metavar="'NAME: {KIND: {...}}'",
            help=f"A constraint on the motion, {', '.join(CONSTRAINTS)}, as in a scenario: "
            f"'{_shown(LINES['constraint'][1])}'; may be repeated.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any word of a scenario, or a part of one, in YAML, such as save.every=0.01; may be repeated.",
        ),
    ] = None,
    torque: Annotated[
        str | None,
        typer.Option("--torque", help="Constant joint forces, N m or N; zero if left out.", rich_help_panel=JOINTS),
    ] = None,
    torques: Annotated[
        Path | None,
        typer.Option("--torques", help="Joint forces over time: a csv with t and tau_JOINT.", rich_help_panel=JOINTS),
    ] = None,
    between: Annotated[
        str | None,
        typer.Option(
            "--between", help="Between the rows of --torques: linear (if left out) or hold.", rich_help_panel=JOINTS
        ),
    ] = None,
    f_tip: Annotated[
        str | None,
        typer.Option(
            "--f-tip",
            help="Constant wrench the tip applies, mx,my,mz,fx,fy,fz in the tip frame.",
            rich_help_panel=JOINTS,
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(
            "--controller",
            metavar="NAME|LIST",
            help=f"{NONE}, or one of armdyn.control, such as pd_gravity; or as in a scenario "
            "with what stands around it, '\\[pid, {saturated: {limits: 28}}]'.",
            rich_help_panel=CONTROL,
            autocompletion=_controllers,
        ),
    ] = None,
    q_ref: Annotated[
        str | None,
        typer.Option(
            "--q-ref",
            help="Joint positions to hold, rad or m; one number for all, or one for each.",
            rich_help_panel=CONTROL,
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", help="States to follow: a csv with t and q_JOINT.", rich_help_panel=CONTROL),
    ] = None,
    Kp: Annotated[
        str | None,
        typer.Option(
            "--Kp",
            help="Proportional gain: one for all joints or components, one for each, or a full matrix, row by row.",
            rich_help_panel=CONTROL,
        ),
    ] = None,
    Kd: Annotated[
        str | None, typer.Option("--Kd", help="Derivative gain, written as --Kp.", rich_help_panel=CONTROL)
    ] = None,
    Ki: Annotated[
        str | None, typer.Option("--Ki", help="Integral gain, written as --Kp.", rich_help_panel=CONTROL)
    ] = None,
    target: Annotated[str | None, typer.Option("--target", hidden=True, help="Now --q-ref.")] = None,
    kp: Annotated[str | None, typer.Option("--kp", hidden=True, help="Now --Kp.")] = None,
    kd: Annotated[str | None, typer.Option("--kd", hidden=True, help="Now --Kd.")] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            help="An input of the controller by its name in armdyn.control, such as Kp=900 or q_ref=90deg,0: one "
            "number for all, or all numbers, row by row; or a parameter of the robot. May be repeated.",
            rich_help_panel=CONTROL,
            autocompletion=_inputs,
        ),
    ] = None,
    sample_time: Annotated[
        float | None,
        typer.Option(
            "--sample-time",
            help="Seconds for which the controller holds its forces; a step if left out.",
            rich_help_panel=CONTROL,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"{', '.join(NAMES)}; adaptive if left out. radau, bdf and lsoda are for stiff motions.",
            rich_help_panel=METHOD,
            autocompletion=words_to_complete(*NAMES),
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option("--step", help="Step of methods with steps of one length, s.", rich_help_panel=METHOD),
    ] = None,
    rtol: Annotated[
        float | None,
        typer.Option("--rtol", help="Relative tolerance of adaptive, radau, bdf and lsoda.", rich_help_panel=METHOD),
    ] = None,
    atol: Annotated[
        float | None,
        typer.Option("--atol", help="Absolute tolerance of adaptive, radau, bdf and lsoda.", rich_help_panel=METHOD),
    ] = None,
    save_every: Annotated[
        float | None,
        typer.Option(
            "--save-every",
            help="Seconds between saved states; each step if left out, of adaptive a thousandth of the duration.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    project: Annotated[
        bool | None,
        typer.Option(
            "--project", help="Put a robot with constraints back onto them after each step.", rich_help_panel=METHOD
        ),
    ] = None,
    close_loop: Annotated[
        bool | None,
        typer.Option("--close-loop", help="Move --q0 to where the constraints hold.", rich_help_panel=METHOD),
    ] = None,
    redundant: Annotated[
        str | None,
        typer.Option(
            "--redundant",
            help="If some constraints follow from others: auto (without them, if left out), error, or least_squares.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the motion to this csv file.", rich_help_panel=FILES)
    ] = None,
    npz: Annotated[
        Path | None, typer.Option("--npz", help="Write everything to this npz file.", rich_help_panel=FILES)
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", help="Write everything to this Parquet file.", rich_help_panel=FILES)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the motion: png, pdf or svg.", rich_help_panel=FILES)
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(
            "--animate", help="Show the arm in motion: gif, mp4 (with ffmpeg) or html.", rich_help_panel=FILES
        ),
    ] = None,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            help="Of --animate: armdyn, or ucl, the lecture's thin lines for arms in a plane.",
            rich_help_panel=FILES,
            autocompletion=words_to_complete("armdyn", "ucl"),
        ),
    ] = "armdyn",
    json: AsJson = False,
) -> None:
    r"""Let the arm move, and show where it went and whether its energy adds up.

    What moves, and under what, is said by options, or by a scenario in YAML; options come before what a scenario says.
    A csv has a header with names, and units where they are not SI, such as "tau_elbow \[N mm]" or "q_elbow \[deg]".

    [bold]Examples[/]

      armdyn simulate ur5 --duration 3 --plot fall.png --csv fall.csv

      armdyn simulate ur5 --duration 3 --animate fall.gif

      armdyn simulate planar_2r --q0 0.5,0 --torque 0.1,0 --method rk4 --step 1e-3

      armdyn simulate ucl_2r --method constant_acceleration_as_printed --step 1e-3 --animate ucl.gif --style ucl

      armdyn simulate planar_2r --torques torques.csv --between hold

      armdyn simulate planar_2r --controller pd_gravity --q-ref 0.5,0.5 --Kp 100 --Kd 20

      armdyn simulate ur5 --controller computed_torque --reference path.csv --Kp 100 --Kd 20 --method rk4

      armdyn simulate planar_2r --controller pid --q-ref 90deg,0 --Kp 400 --Ki 200 --Kd 60 --method rk4

      armdyn simulate planar_2r --contact 'table: {frame: tip, normal: \[0, 1, 0], through: \[0, -1, 0]}' --plot hit.png

      armdyn simulate ur5 --actuators drives.yaml --brakes elbow_joint@0.5=engaged --duration 2

      armdyn simulate reach.yaml --duration 2 --plot reach.png

    [bold]A scenario[/]

      robot: ur5

      q0: \[0, -1, 1, 0, 0, 0]

      duration: 2.0

      payload: {mass: 2, com: \[0, 0, 0.1]}

      controller: computed_torque

      inputs: {q_ref: \[0.5, -1, 1, 0, 0, 0], Kp: 100, Kd: 20}

      method: rk4

      outputs: {csv: reach.csv, plot: reach.png}

    [bold]A scenario of another controller[/], its inputs by their names in armdyn.control, with limits and a delay

      robot: ur5

      controller: \[pid, {saturated: {limits: \[150, 150, 150, 28, 28, 28]}}, {delayed: {steps: 2}}]

      inputs: {q_ref: 0.5, Kp: 900, Ki: 300, Kd: 90}

      method: rk4

    [bold]A scenario of a collision[/], which an observer of the momentum tells

      robot: planar_2r

      controller: \[pd_gravity, {momentum_observer: {}}]

      inputs: {q_ref: \[-1.2, 0.4], Kp: 30, Kd: 12, K_observer: 100}

      contacts: {table: {frame: tip, normal: \[0, 1, 0], through: \[0, -0.9, 0]}}

      events: {collision: {threshold: {signal: residual, above: 2, terminal: true}}}

      method: rk4
    """
    options = {name: value for name, value in locals().items() if name in PLACES and value is not None}
    _refuse_former({"target": target, "kp": kp, "kd": kd})
    lines = {"contact": contact or [], "event": event or [], "constraint": constraint or []}
    words = without_alternatives(words_of(arm.name), options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)  # the notes say the same
        words = with_options(words, {name: READ[name](value) for name, value in options.items() if name in READ})
        words = with_settings(with_lines(words, lines), settings or [])
        known = arm.read_by(words.robot)
    vectors = {name: VECTORS[name](text, flag(name), known) for name, text in options.items() if name in VECTORS}
    typed = [*direct_inputs(options), *named_inputs(inputs or [])]
    words = with_inputs(with_options(words, vectors), typed, known)
    motion = Motion.of(words, known)
    choice("--style", style, ("armdyn", "ucl"), error=SettingError)
    refuse_outputs(words, motion)
    console, report = screen(stderr=json), _report_json if json else _report
    try:
        trajectory = motion.simulate(progress=True)
    except SimulationInterrupted as interrupt:  # what is done is kept
        try:
            report(motion, interrupt.trajectory)
        finally:
            write_outputs(motion, interrupt.trajectory, console, until=float(interrupt.trajectory.t[-1]), style=style)
        raise
    except ArmdynError as error:
        found = getattr(error, "trajectory", None)
        if found is None:
            raise
        written = write_outputs(motion, found, console, until=float(found.t[-1]), style=style)
        error.args = (_said_of_files(error, written > 0),)
        raise
    try:
        report(motion, trajectory)
    finally:  # also where nobody reads the report any more
        write_outputs(motion, trajectory, console, style=style)


def _refuse_former(options: Mapping[str, str | None]) -> None:
    """Raise for options that have another name now."""
    for name, value in options.items():
        if value is not None:
            raise SettingError(f"{flag(name)} is called {flag(FORMER[name])}; expected that option in its place")


def _said_of_files(error: ArmdynError, written: bool) -> str:
    """The words of the error of a motion that broke off, and where the motion is kept here."""
    kept = f"What was simulated until then {'is in the files above' if written else 'can be kept by --csv or --npz'}."
    said = str(error).removesuffix(KEPT).rstrip().removesuffix(".")
    return f"{said}. {kept}"


def _report_json(motion: Motion, trajectory: Trajectory) -> None:
    """The same as JSON; the states over time are what the output files are for."""
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
            "files": motion.outputs,
            "notes": [*motion.robot.notes, *trajectory.notes],
        }
    )


def _report(motion: Motion, trajectory: Trajectory) -> None:
    """Tables of the motion and its account, and notes."""
    console = screen()
    show(console, _motion_table(motion.robot, trajectory))
    show(console, _account_table(motion, trajectory))
    if trajectory.events:
        show(console, _events_table(trajectory))
    show_notes(console, [*motion.robot.notes, *trajectory.notes])


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
    shown, count = trajectory.events[:MOST_EVENTS], len(trajectory.events)
    title = f"{count} event{'s' * (count != 1)}" + (f", the first {MOST_EVENTS}" if count > MOST_EVENTS else "")
    table = new_table(title, "what", "kind", "t, s", "energy taken, J")
    for event in shown:
        table.add_row(event.name, event.kind, f"{event.t:.6g}", figure(event.energy) if event.energy else "")
    return table


def _account_table(motion: Motion, trajectory: Trajectory) -> Table:
    """Forces, energy, effort and cost, a row each."""
    energy, taken = trajectory.energy, trajectory.statistics
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
            ("method", taken.method),
            ("steps, evaluations", f"{taken.steps:,}, {taken.evaluations:,}"),
            ("time", f"{taken.wall_time:.3g} s"),
            *_cost_row(motion),
        )
    )


def _cost_row(motion: Motion) -> Iterator[tuple[str, str]]:
    """The operations of the function that gives the accelerations; none where NumPy solves for them."""
    arm = motion.robot
    if arm.model.constraints and motion.redundant != "error":
        return
    if flexible_places(arm.model):
        evaluation = arm.flexible_forward_dynamics
    else:
        evaluation = arm.compile(constrained_forward_dynamics) if arm.model.constraints else arm.forward_dynamics
    yield "operations an evaluation", str(evaluation.op_counts)


def _forces_rows(motion: Motion, trajectory: Trajectory) -> Iterator[tuple[str, str]]:
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
