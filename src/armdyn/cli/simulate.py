"""``armdyn simulate``: a motion from an initial state, as table, csv and picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from armdyn.cli.arguments import (
    AcceptFaultsOption,
    AcceptOption,
    BaseOption,
    ChainOption,
    GravityOption,
    LockOption,
    RobotArgument,
    TipOption,
    open_robot,
    read_joint_vector,
    read_vector,
)
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import figure, new_account, new_table, show, show_notes
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.simulation import simulate as run_simulation
from armdyn.simulation.methods import NAMES
from armdyn.simulation.notes import left_out

ROUNDING = 1e-15
"""Of the energy that an arm holds: no more than this changes hands where it rests."""


def simulate(
    robot: RobotArgument,
    duration: Annotated[float, typer.Option("--duration", help="Seconds to simulate.")] = 1.0,
    q0: Annotated[
        str | None, typer.Option("--q0", help="Joint positions at the start, rad or m; zero if left out.")
    ] = None,
    qd0: Annotated[str | None, typer.Option("--qd0", help="Joint velocities at the start, rad/s or m/s.")] = None,
    torque: Annotated[
        str | None, typer.Option("--torque", help="Constant joint forces, N m or N; zero if left out.")
    ] = None,
    f_tip: Annotated[
        str | None, typer.Option("--f-tip", help="Constant wrench the tip applies, mx,my,mz,fx,fy,fz in the tip frame.")
    ] = None,
    method: Annotated[str, typer.Option("--method", help=f"{', '.join(NAMES)}.")] = "adaptive",
    step: Annotated[float | None, typer.Option("--step", help="Step of all but adaptive, s.")] = None,
    rtol: Annotated[float | None, typer.Option("--rtol", help="Relative tolerance of adaptive.")] = None,
    atol: Annotated[float | None, typer.Option("--atol", help="Absolute tolerance of adaptive.")] = None,
    save_every: Annotated[float | None, typer.Option("--save-every", help="Seconds between saved states.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the motion to this csv file.")] = None,
    npz: Annotated[Path | None, typer.Option("--npz", help="Write everything to this npz file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the motion: png, pdf or svg.")] = None,
    base: BaseOption = None,
    tip: TipOption = None,
    chain: ChainOption = False,
    lock: LockOption = None,
    gravity: GravityOption = None,
    accept: AcceptOption = False,
    accept_faults: AcceptFaultsOption = False,
) -> None:
    """Let the arm move, and show where it went and whether its energy adds up.

    [bold]Examples[/]

      armdyn simulate ur5 --duration 3 --plot fall.png --csv fall.csv

      armdyn simulate planar_2r --q0 0.5,0 --torque 0.1,0 --method rk4 --step 1e-3
    """
    _refuse_outputs(csv, npz, plot)
    arm = open_robot(
        robot, base=base, tip=tip, chain=chain, lock=lock, gravity=gravity, accept=accept, accept_faults=accept_faults
    )
    forces: dict[str, Any] = {}
    if torque is not None:
        forces["torque"] = read_joint_vector(torque, "--torque", arm)
    if f_tip is not None:
        forces["f_tip"] = read_vector(f_tip, "--f-tip", 6, meaning="mx,my,mz,fx,fy,fz")
    trajectory = run_simulation(
        arm,
        read_joint_vector(q0, "--q0", arm),
        read_joint_vector(qd0, "--qd0", arm),
        duration=duration,
        method=method,
        step=step,
        rtol=rtol,
        atol=atol,
        save_every=save_every,
        progress=True,
        **forces,
    )
    console = screen()
    show(console, _motion_table(arm, trajectory))
    show(console, _account_table(arm, trajectory))
    said = set(left_out(arm))  # by the arm's own notes, in other words
    show_notes(console, [*arm.notes, *(note for note in trajectory.notes if note not in said)])
    for path, write in ((csv, trajectory.save), (npz, trajectory.save), (plot, trajectory.plot)):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            console.print(f"wrote {path}", soft_wrap=True)


def _refuse_outputs(csv: Path | None, npz: Path | None, plot: Path | None) -> None:
    """What could not be written is said before the arm moves."""
    if csv is not None:
        refuse_unwritable("--csv", csv, endings=(".csv",))
    if npz is not None:
        refuse_unwritable("--npz", npz, endings=(".npz",))
    if plot is not None:
        from armdyn.plots.style import ENDINGS  # noqa: PLC0415 - matplotlib is slow to import

        refuse_unwritable("--plot", plot, endings=ENDINGS)


def _motion_table(arm: Robot, trajectory: Trajectory) -> Table:
    headings = ("joint", "start", "end", "lowest", "highest", "fastest", "unit")
    table = new_table(f"{arm.name}, {trajectory.t[-1]:g} s  (fastest: units a second)", *headings)
    for k, joint in enumerate(arm.joints):
        q, qd = trajectory.q[:, k], trajectory.qd[:, k]
        unit = "rad" if joint.kind == "revolute" else "m"
        values = (q[0], q[-1], q.min(), q.max(), np.abs(qd).max())
        table.add_row(joint.name, *map(figure, values), unit)
    return table


def _account_table(arm: Robot, trajectory: Trajectory) -> Table:
    """Energy, effort and cost, a row each."""
    table = new_account()
    energy, taken = trajectory.energy, trajectory.statistics
    drift, exchanged = float(np.abs(energy.drift).max()), float(energy.scale)
    if exchanged <= ROUNDING * np.abs([energy.kinetic, energy.potential]).max():
        exchanged = 0.0
    part = f"{drift / exchanged:.2g} of the {exchanged:.4g} J that changed hands" if exchanged else "none changed hands"
    rows = (
        ("energy at start, at end", f"{energy.total[0]:.6g} J, {energy.total[-1]:.6g} J"),
        ("work of torques and tip", f"{energy.work[-1]:.6g} J"),
        ("energy drift, largest", f"{drift:.3g} J, {part}"),
        ("method", taken.method),
        ("steps, evaluations", f"{taken.steps:,}, {taken.evaluations:,}"),
        ("time", f"{taken.wall_time:.3g} s"),
        ("operations an evaluation", str(arm.forward_dynamics.op_counts)),
    )
    for name, value in rows:
        table.add_row(name, value)
    return table
