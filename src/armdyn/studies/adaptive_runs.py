"""The runs of a study by the adaptive method: each with steps of its own, those of a chunk in vector lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from armdyn.base.named_tuples import named_tuple
from armdyn.functions.rolled import RolloutResults
from armdyn.robot import Robot
from armdyn.simulation import SaveAt, SimulationError, Trajectory, simulate
from armdyn.simulation.drivers.compiled_loops import PAIRS
from armdyn.simulation.drivers.side_by_side import Run
from armdyn.simulation.forces import prepared_forces
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError

RECORDED = ("q", "qd")
"""The results of an adaptive motion that can be recorded."""


def check_adaptive(robot: Robot, method: Adaptive, refused: Mapping[str, bool], record: tuple[str, ...]) -> None:
    """Refuse what adaptive runs do not have.

    Args:
        robot: the robot.
        method: of the study.
        refused: true for each argument that a study by steps of one length alone has, if it is given.
        record: the signals to record.

    Raises:
        StudyError: one of these arguments, or another signal than q and qd.
    """
    arguments = [name for name, is_given in refused.items() if is_given]
    others = [name for name in record if name not in RECORDED]
    if arguments or others:
        reason = f"{arguments[0]} is given" if arguments else f"record has {others[0]!r}"
        raise StudyError(
            f"{reason}, and the method is {method}, whose runs have a constant tau and f_tip, and records of q and qd. "
            "Leave it out, or use a method with steps of one length, such as RungeKutta4(step=1e-3)"
        )


def check_parameters(robot: Robot, method: Adaptive, names: tuple[str, ...]) -> None:
    """Refuse varied parameters of arms whose parameters are not inputs of a compiled adaptive loop.

    Raises:
        StudyError: parameters of an arm with dry friction, bristles, flexible joints or constraints; or a method
            without a compiled loop.
    """
    system = System.of(robot, method, "error")
    plain = not (system.places or system.has_states or system.rubbing or robot.model.constraints)
    if names and not (plain and method.scipy_method in PAIRS):
        raise StudyError(
            f"{names[0]!r} varies, and the method is {method}: it moves rigid arms with varied parameters by "
            f"{' and '.join(PAIRS)}, without dry friction and constraints. Use a method with steps of one length, such "
            "as RungeKutta4(step=1e-3), or vary q0, qd0, tau and f_tip alone"
        )


def roll(
    robot: Robot,
    method: Adaptive,
    runs: int,
    values: Mapping[str, Any],
    parameters: tuple[str, ...],
    *,
    record: tuple[str, ...],
    times: Array,
    report: Callable[[float], None],
) -> RolloutResults:
    """The runs as the results of a rollout; a run that cannot be continued is NaN from there on.

    Args:
        robot: the robot.
        method: of the integration.
        runs: the number of runs.
        values: q0, qd0, tau, f_tip and parameters of the model, one for all runs or one for each.
        parameters: the names of the parameters among them.
        record: the signals to record, of q and qd.
        times: the times to record, s, rising from 0, and the end.
        report: called with the fraction that is done.

    Raises:
        SimulationInterrupted: Ctrl-C.
    """
    sizes = {"q0": robot.dof, "qd0": robot.dof, "tau": robot.dof, "f_tip": 6}
    inputs = dict.fromkeys(("q0", "qd0", "tau"), np.zeros(robot.dof)) | dict(values)
    spread = {name: np.broadcast_to(inputs[name], (runs, size)) for name, size in sizes.items() if name in inputs}
    if parameters:
        own = {name: np.asarray(inputs[name], dtype=float) for name in parameters}
        q, qd = _with_parameters(robot, method, spread, own, times, report)
    else:
        q, qd = _alike(robot, method, spread, times)
    rows = dict(zip(RECORDED, (q[:-1], qd[:-1]), strict=True))
    return RolloutResults(
        named_tuple("Final", RECORDED)(q[-1], qd[-1]), named_tuple("Rows", record)(*(rows[name] for name in record))
    )


def _alike(robot: Robot, method: Adaptive, spread: Mapping[str, Array], times: Array) -> tuple[Array, Array]:
    """The motions of one robot, by `armdyn.simulate`."""
    options: dict[str, Any] = {"torque": spread["tau"], "f_tip": spread.get("f_tip"), "method": method}
    q, qd = np.full((2, len(times), *spread["q0"].shape), np.nan)
    motion: Trajectory | None
    try:
        motion = simulate(
            robot, spread["q0"], spread["qd0"], duration=float(times[-1]), save=SaveAt(times=times), **options
        )
    except SimulationError as error:  # none of the runs could be continued to the end
        motion = getattr(error, "trajectory", None)
    if motion is not None:
        q[: len(motion.t)], qd[: len(motion.t)] = motion.q, motion.qd
    return q, qd


def _with_parameters(
    robot: Robot,
    method: Adaptive,
    spread: Mapping[str, Array],
    parameters: dict[str, Array],
    times: Array,
    report: Callable[[float], None],
) -> tuple[Array, Array]:
    """The motions of robots that differ in their parameters, each of which is an input of the compiled loop."""
    forces = prepared_forces(robot, spread["q0"].shape[:-1], spread["tau"], spread.get("f_tip"))
    system = System.of(robot, method, "error")
    start = system.start(np.array(spread["q0"]), np.array(spread["qd0"]))
    problem = Problem.of(system, method, forces, start, float(times[-1]), SaveAt(times=times), None)
    with suppress(SimulationError):  # none of the runs could be continued to the end
        Run(problem, report, parameters).to_the_end()
    return problem.samples.q, problem.samples.qd
