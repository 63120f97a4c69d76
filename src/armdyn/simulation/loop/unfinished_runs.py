"""Errors in the middle of a closed loop's motion, which hold its trajectory until then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from armdyn.functions import RolloutInterrupted, RolloutResults
from armdyn.functions.unfinished import KEPT as KEPT_OF_ROLLOUTS
from armdyn.motion.trajectory import Trajectory
from armdyn.simulation.unfinished import KEPT, SimulationInterrupted, keep_in_error


@contextmanager
def trajectory_in_errors(
    robot: str, duration: float, trajectory: Callable[[RolloutResults], Trajectory]
) -> Iterator[None]:
    """Attach the motion until then to the errors of a rollout, and raise Ctrl-C as `SimulationInterrupted`.

    Args:
        robot: name of the robot.
        duration: of the whole motion, s.
        trajectory: the trajectory of the results of the rollout until then.
    """
    try:
        yield
    except RolloutInterrupted as interrupt:
        if not interrupt.rolled.steps:
            raise
        until = trajectory(_with_last_row(interrupt.rolled))
        when = f"interrupted after t = {until.t[-1]:g} s of {duration:g} s"
        until = replace(until, notes=(f"the simulation was {when}", *until.notes))
        raise SimulationInterrupted(f"the simulation of {robot!r} was {when}. {KEPT}", until) from interrupt
    except Exception as error:
        rolled: RolloutResults | None = getattr(error, "rolled", None)
        if rolled is not None and rolled.steps:
            error.__notes__.remove(KEPT_OF_ROLLOUTS)
            keep_in_error(error, trajectory(_with_last_row(rolled)))
        raise


def _with_last_row(rolled: RolloutResults) -> RolloutResults:
    """The results with the last row that was recorded in the place of that of the last step.

    The velocities of that step follow from those of the row and of the end by interpolation, for rows of some steps.
    """
    steps = rolled.steps - (len(rolled.rows.qd) - 1) * rolled.every
    row = type(rolled.rows)(*(values[-1] for values in rolled.rows))
    return replace(rolled, last=row._replace(qd=rolled.final.qd - (rolled.final.qd - row.qd) / steps))
