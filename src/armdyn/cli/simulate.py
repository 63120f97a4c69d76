"""``armdyn simulate``: a motion from an initial state, as table, csv and picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from armdyn.cli.arguments import read_joint_vector, read_vector
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import account, figure, new_table, show, show_notes
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.simulation import simulate as run_simulation
from armdyn.simulation.methods import NAMES
from armdyn.simulation.parquet_file import pyarrow

ROUNDING = 1e-15
"""Energy exchanged by an arm at rest, relative to the energy it holds: rounding."""


def simulate(
    arm: Robot,
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
    step: Annotated[float | None, typer.Option("--step", help="Step of all but adaptive and taylor, s.")] = None,
    rtol: Annotated[float | None, typer.Option("--rtol", help="Relative tolerance of adaptive.")] = None,
    atol: Annotated[float | None, typer.Option("--atol", help="Absolute tolerance of adaptive.")] = None,
    save_every: Annotated[float | None, typer.Option("--save-every", help="Seconds between saved states.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the motion to this csv file.")] = None,
    npz: Annotated[Path | None, typer.Option("--npz", help="Write everything to this npz file.")] = None,
    parquet: Annotated[Path | None, typer.Option("--parquet", help="Write everything to this Parquet file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the motion: png, pdf or svg.")] = None,
    animate: Annotated[
        Path | None, typer.Option("--animate", help="Show the arm in motion: gif, mp4 (with ffmpeg) or html.")
    ] = None,
) -> None:
    """Let the arm move, and show where it went and whether its energy adds up.

    [bold]Examples[/]

      armdyn simulate ur5 --duration 3 --plot fall.png --csv fall.csv

      armdyn simulate ur5 --duration 3 --animate fall.gif

      armdyn simulate planar_2r --q0 0.5,0 --torque 0.1,0 --method rk4 --step 1e-3
    """
    _refuse_outputs(csv, npz, parquet, plot, animate)
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
    show_notes(console, [*arm.notes, *trajectory.notes])
    film = partial(trajectory.animate, robot=arm, progress=True)
    writers: tuple[Callable[[Path], object], ...] = (
        trajectory.save,
        trajectory.save,
        trajectory.save,
        trajectory.plot,
        film,
    )
    for path, write in zip((csv, npz, parquet, plot, animate), writers, strict=True):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            console.print(f"wrote {path}", soft_wrap=True)


def _refuse_outputs(
    csv: Path | None, npz: Path | None, parquet: Path | None, plot: Path | None, animate: Path | None
) -> None:
    """Raise for an output file that cannot be written, before the arm moves."""
    for option, path in (("csv", csv), ("npz", npz), ("parquet", parquet)):
        if path is not None:
            refuse_unwritable(f"--{option}", path, endings=(f".{option}",))
    if parquet is not None:
        pyarrow()
    if plot is not None:
        from armdyn.plots.style import ENDINGS  # noqa: PLC0415 - matplotlib is slow to import

        refuse_unwritable("--plot", plot, endings=ENDINGS)
    if animate is not None:
        from armdyn.plots.movie import MOVIES, refuse_movie  # noqa: PLC0415 - matplotlib is slow to import

        refuse_unwritable("--animate", animate, endings=MOVIES)
        refuse_movie(animate)


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
    energy, taken = trajectory.energy, trajectory.statistics
    drift, exchanged = float(np.abs(energy.drift).max()), float(energy.scale)
    if exchanged <= ROUNDING * np.abs([energy.kinetic, energy.potential]).max():
        exchanged = 0.0
    part = f"{drift / exchanged:.2g} of the {exchanged:.4g} J that changed hands" if exchanged else "none changed hands"
    return account(
        (
            ("energy at start, at end", f"{energy.total[0]:.6g} J, {energy.total[-1]:.6g} J"),
            ("work of torques and tip", f"{energy.work[-1]:.6g} J"),
            ("energy drift, largest", f"{drift:.3g} J, {part}"),
            ("method", taken.method),
            ("steps, evaluations", f"{taken.steps:,}, {taken.evaluations:,}"),
            ("time", f"{taken.wall_time:.3g} s"),
            ("operations an evaluation", str(arm.forward_dynamics.op_counts)),
        )
    )
