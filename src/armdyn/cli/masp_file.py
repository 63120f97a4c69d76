"""``armdyn masp FILE``: an input file's two halves, on the screen, as csv and as a picture, in the file's units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from armdyn.base.progress import progress_bar
from armdyn.cli.json_output import of_robot, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import Screen, screen
from armdyn.cli.tables import account, figure, figures, new_table, show, show_notes, write_table
from armdyn.masp import Configuration, InputUnits, MaspProblem, MaspRun, MaspSimulation, columns, read_masp
from armdyn.masp.columns import largest
from armdyn.masp.simulation import KEPT_HERE
from armdyn.model import Joint
from armdyn.robot import Robot
from armdyn.simulation import SimulationError, SimulationInterrupted
from armdyn.spatial.rotations import Array
from armdyn.trajectory import MotionError

SMALL = 1e-9
"""Below this, a number in the file's units is rounding."""


@dataclass(frozen=True)
class RunOptions:
    """The options of a run of an input file.

    Args:
        configuration: its number; None for that of the file.
        simulate: the simulation half in place of the analysis.
        csv: the file of the numbers.
        plot: the file of the picture.
        json: JSON in place of tables.
        arm: path of the picture of the arm in its zero position.
    """

    configuration: int | None
    simulate: bool
    csv: Path | None
    plot: Path | None
    json: bool = False
    arm: Path | None = None


def run_file(path: Path, options: RunOptions) -> None:
    """Read, compute, print, write."""
    from armdyn.plots.style import ENDINGS  # noqa: PLC0415 - matplotlib is slow to import

    if options.csv is not None:
        refuse_unwritable("--csv", options.csv, endings=(".csv",))
    if options.plot is not None:
        refuse_unwritable("--plot", options.plot, endings=ENDINGS)
    if options.arm is not None:
        refuse_unwritable("--draw-arm", options.arm, endings=ENDINGS)
    problem = read_masp(path)
    if options.configuration is not None:
        problem = problem.with_configuration(options.configuration)
    console = screen(stderr=options.json)
    try:
        result = problem.simulate(progress=not options.json) if options.simulate else problem.analyse()
    except (SimulationError, SimulationInterrupted) as error:  # what is done is kept
        partial: MaspSimulation | None = getattr(error, "simulation", None)
        if partial is not None:
            try:
                if not options.json:
                    _show_simulation(problem, partial, console)
                    ends = f"it ends at t = {partial.t[-1]:g} s, before its duration"
                    show_notes(console, [*problem.robot.notes, ends])
            finally:
                _write(partial, options, console)
            written = options.csv is not None or options.plot is not None
            where = "is in the files above" if written else "can be kept by --csv or --plot"
            message = str(error).removesuffix(KEPT_HERE).rstrip()
            error.args = (f"{message} What was simulated until then {where}.",)
        raise
    except MotionError:  # the others may be followed
        if not (options.json or options.simulate):
            _show_configurations(problem, console)
        raise
    try:
        _report(problem, result, options, console)
    finally:  # also if the reader of the report has gone
        _write(result, options, console)


def _report(problem: MaspProblem, result: MaspRun | MaspSimulation, options: RunOptions, console: Screen) -> None:
    """Tables of the results, and notes; or JSON."""
    notes = [*problem.robot.notes, *result.notes]
    if options.json:
        files = [path for path in (options.csv, options.plot, options.arm) if path is not None]
        about = {"title": problem.title, **of_robot(problem.robot)}
        print_json({**about, "columns": columns(result), "files": files, "notes": notes})
        return
    if isinstance(result, MaspSimulation):
        _show_simulation(problem, result, console)
    else:
        _show_configurations(problem, console)
        _show_run(problem, result, console)
    show_notes(console, notes)


def _show_configurations(problem: MaspProblem, console: Screen) -> None:
    """The ways in which the arm reaches the beginning of the path, and why it cannot be followed from some."""
    with progress_bar(True, 1.0, f"{problem.robot.name}, configurations") as report:
        runs = problem.survey(report)
    show(console, _configuration_table(problem, runs))
    show_notes(console, [f"configuration {one.number}: {one.obstacle}" for one in runs if one.run is None])


def _show_run(problem: MaspProblem, run: MaspRun, console: Screen) -> None:
    """The tables of joints and reactions, and the account."""
    show(console, _motion_table(problem.title, problem.units, run))
    show(console, _reaction_table(problem.units, run))
    show(console, _account_of_run(problem.units, run))


def _show_simulation(problem: MaspProblem, simulation: MaspSimulation, console: Screen) -> None:
    """The tables of joints and hand, and the account."""
    show(console, _motion_table(problem.title, problem.units, simulation))
    show(console, _hand_table(problem.units, simulation))
    show(console, _account_of_simulation(problem, simulation))


def _configuration_table(problem: MaspProblem, runs: tuple[Configuration, ...]) -> Table:
    """A row for each configuration: the joints at the beginning, and the part of the path that it follows."""
    robot, units = problem.robot, problem.units
    unit = _joint_units(robot, units, "q")
    table = new_table(
        f"configurations at the beginning of the path  ({unit})", "#", *robot.joint_names, "path", "limits"
    )
    configuration = problem.start() if runs else np.zeros(robot.dof)
    for one in runs:
        same = np.abs(np.exp(1j * one.q) - np.exp(1j * configuration)).max() < 0.1
        within_limits = "" if one.run is None else "left" if one.run.notes else "kept"
        followed = "not followed" if one.run is None else "followed"
        cells = [_cell(x) for x in one.q / _scales(robot, units, "q")]
        table.add_row(f"{one.number}{' *' if same else ''}", *cells, followed, within_limits)
    return table


def _motion_table(title: str, units: InputUnits, result: MaspRun | MaspSimulation) -> Table:
    """A row per joint: its start, its travel, its highest speed, its forces."""
    robot = result.robot
    unit = "; ".join(
        ", ".join(units.of(kind, quantity).name for quantity in ("q", "qd", "qdd", "tau")) for kind in _kinds(robot)
    )
    headings = ("joint", "start", "moved", "rate, most", "acceleration, most", "tau, start", "tau, most", "at, s")
    table = new_table(f"{title}\n{result.t[-1] - result.t[0]:g} s  ({unit})", *headings)
    q, qd, qdd = (x / _scales(robot, units, name) for x, name in zip(result.joints, ("q", "qd", "qdd"), strict=True))
    tau = result.tau / _scales(robot, units, "tau")
    most = np.abs(tau).argmax(axis=0)
    for k, name in enumerate(robot.joint_names):
        fastest = (np.abs(qd[:, k]).max(), np.abs(qdd[:, k]).max())
        numbers = (q[0, k], q[-1, k] - q[0, k], *fastest, tau[0, k], tau[most[k], k])
        table.add_row(name, *map(_cell, numbers), f"{result.t[most[k]]:.2f}")
    return table


def _reaction_table(units: InputUnits, run: MaspRun) -> Table:
    """A row a joint: force and moment that it transmits, at rest and at most."""
    force, moment = units.of_force, units.moment
    title = f"joint reactions, base axes, at the joint's centre  ({force.name}, {moment.name})"
    table = new_table(title, "joint", "collar on", "N, start", "|N|, most", "T, start", "|T|, most")
    f, n = run.reactions
    for k, joint in enumerate(run.robot.joints):
        link = _collar(run.robot.model.joint(joint.name)) if joint.kind == "prismatic" else "-"
        start = [figures(x[0, k] / one.si, size=largest(x, one.si)) for x, one in ((f, force), (n, moment))]
        most = [figure(largest(x[:, k], one.si)) for x, one in ((f, force), (n, moment))]
        table.add_row(joint.name, link, start[0], most[0], start[1], most[1])
    return table


def _hand_table(units: InputUnits, simulation: MaspSimulation) -> Table:
    """The hand at the start and at the end, in base axes."""
    table = new_table("the hand, base axes", "what", "start", "end", "most", "unit")
    pose, twist, rate = simulation.tip
    length, turn = "length", "angle"
    rows = (
        ("position of h", pose[:, :3, 3], units.rate(length, "q")),
        ("velocity of h", twist[:, 3:], units.rate(length, "qd")),
        ("acceleration of h", rate[:, 3:], units.rate(length, "qdd")),
        ("angular velocity", twist[:, :3], units.rate(turn, "qd")),
        ("angular acceleration", rate[:, :3], units.rate(turn, "qdd")),
    )
    for name, vectors, unit in rows:
        most = largest(vectors, unit.si)
        ends = (figures(vectors[at] / unit.si, size=max(most, 1.0)) for at in (0, -1))
        table.add_row(name, *ends, _cell(most), unit.name)
    return table


def _account_of_run(units: InputUnits, run: MaspRun) -> Table:
    """The cycle and the checks."""
    length, power = units.of_length, units.power
    off = largest(run.robot.forward_kinematics(run.joints.q)[:, :3, 3] - run.tip.pose[:, :3, 3], length.si)
    work = np.einsum("tn,tn->t", run.tau, run.joints.qd) / power.si
    durations = np.diff(run.path.switches)
    rows = (
        ("cycle", " + ".join(f"{x:g}" for x in durations) + f" = {run.path.duration:g} s"),
        ("hand, fastest", f"{largest(run.tip.twist[:, 3:], length.si):.4g} {units.rate('length', 'qd').name}"),
        ("hand off the path", f"{off:.1e} {length.name}"),
        ("power of the joints, least and most", f"{work.min():.4g}, {work.max():.4g} {power.name}"),
    )
    return account(rows)


def _account_of_simulation(problem: MaspProblem, simulation: MaspSimulation) -> Table:
    """The method, and how far the motion is from what it should be."""
    length, work = problem.units.of_length, problem.units.moment
    steps = sum(piece.statistics.steps for piece in simulation.pieces)
    rows = [
        ("method", simulation.pieces[0].statistics.method.split(",")[0]),
        ("steps, the longest", f"{steps:,}, {max(np.diff(simulation.t)):g} s"),
        ("energy drift, largest", f"{simulation.energy_drift / work.si:.1e} {work.name}"),
    ]
    if problem.simulated is not None and problem.simulated.torques is None:
        options = problem.path.evaluate(simulation.t).pose
        off = largest(simulation.tip.pose[:, :3, 3] - options[:, :3, 3], length.si)
        rows.append(("hand off the path, at most", f"{off:.1e} {length.name}"))
    return account(rows)


def _collar(joint: Joint) -> str:
    """The link that carries the collar of a slide."""
    return joint.parent if joint.collar == "parent" else joint.child


def _write(result: MaspRun | MaspSimulation, options: RunOptions, console: Screen) -> None:
    """Write the csv and the picture if they are given, then print their names."""
    if options.csv is not None:
        table = columns(result)
        write_table(options.csv, list(table), np.column_stack(list(table.values())))
    if options.plot is not None:
        from armdyn.plots import draw_masp, draw_simulation, write_figure  # noqa: PLC0415 - matplotlib is slow

        write_figure(draw_masp(result) if isinstance(result, MaspRun) else draw_simulation(result), options.plot)
    if options.arm is not None:
        from armdyn.plots import draw_zero_position, write_figure  # noqa: PLC0415

        path_of_hand = result.path if isinstance(result, MaspRun) else None
        write_figure(
            draw_zero_position(result.robot, path_of_hand, start=result.joints.q[0], units=result.units), options.arm
        )
    for path in (options.csv, options.plot, options.arm):
        if path is not None:
            console.print(f"wrote {path}", soft_wrap=True)


def _kinds(robot: Robot) -> list[str]:
    """The joints of the robot."""
    return [kind for kind in ("revolute", "prismatic") if any(joint.kind == kind for joint in robot.joints)]


def _joint_units(robot: Robot, units: InputUnits, quantity: str) -> str:
    return ", ".join(units.of(kind, quantity).name for kind in _kinds(robot))


def _scales(robot: Robot, units: InputUnits, quantity: str) -> Array:
    """The unit of a quantity of each joint, in SI, shape (n,)."""
    return np.array([units.of(joint.kind, quantity).si for joint in robot.joints])


def _cell(value: float) -> str:
    """Four digits at most; rounding counts as zero."""
    return "0" if abs(value) < SMALL else figure(value)
