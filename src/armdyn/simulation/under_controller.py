"""A motion under a declared controller: the options of `armdyn.simulate` as those of a `ClosedLoop`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from armdyn.base.checks import number
from armdyn.base.errors import SettingError, excerpt
from armdyn.base.progress import progress_bar
from armdyn.declaration import Function
from armdyn.motion.trajectory import Trajectory
from armdyn.robot import Robot
from armdyn.simulation.drivers.grid import SaveAt, StepGrid, step_grid
from armdyn.simulation.elements.events import Event
from armdyn.simulation.elements.parts import Parts
from armdyn.simulation.forces import Constant, StepValues, prepared_forces
from armdyn.simulation.loop.closed_loop import ClosedLoop
from armdyn.simulation.loop.controller import Controller
from armdyn.simulation.methods.catalogue import FixedStep, Method, chosen_method
from armdyn.simulation.within_constraints import initial_state


def controlled_motion(
    robot: Robot,
    q0: Any,
    qd0: Any,
    controller: Function | partial[Any],
    *,
    duration: float,
    f_tip: Any,
    method: str | Method | None,
    save: SaveAt,
    parts: Parts,
    events: Sequence[Event],
    progress: bool,
) -> Trajectory:
    """The motion of a `ClosedLoop` of the robot and a controller; arguments as of `armdyn.simulate`.

    Raises:
        SettingError: an option that closed loops do not have.
    """
    function, inputs = _parted(controller)
    Controller(function)  # or the error of another object
    chosen = _fixed_step("rk4" if method is None else method)
    duration = number("duration", duration, above=0.0, unit="s", error=SettingError)
    chosen = replace(chosen, step=min(chosen.step, duration))
    grid = step_grid(duration, chosen.step)
    batch = initial_state(robot, q0, qd0)[0].shape[:-1]
    f_tip, over_time = _wrench(robot, batch, f_tip, grid)
    settings: dict[str, Any] = {"method": chosen, "over_time": ("f_tip",) if over_time else ()}
    loop = ClosedLoop(robot, function, elements=(*parts.settings, *parts.own), **settings)
    start = {name: getattr(parts.start, name) for name in ("theta", "thetad", "bristles")}
    inputs |= {name: value for name, value in {**start, "f_tip": f_tip}.items() if value is not None}
    with progress_bar(progress, grid.duration, f"{robot.name}, {chosen}") as report:
        options: dict[str, Any] = {"duration": grid.duration, "save": save, "events": events, "report": report}
        return loop._motion(q0, qd0, inputs, steps=grid.steps, **options)


def _wrench(robot: Robot, batch: tuple[int, ...], f_tip: Any, grid: StepGrid) -> tuple[Any, bool]:
    """The wrench at the tip, and true if it has a row for each step."""
    if f_tip is None:
        return None, False
    forces = prepared_forces(robot, batch, None, f_tip)
    forces.check(grid.duration)
    wrench = forces.on_grid(grid).f_tip
    if isinstance(wrench, StepValues):
        return wrench.values, True
    if not isinstance(wrench, Constant):
        raise SettingError(
            f"f_tip is {excerpt(f_tip)}; expected a wrench that each step under a controller holds: one of shape "
            "(..., 6), a table with a row for each step, or OverTime(t, values, 'hold')"
        )
    return f_tip, False


def _parted(controller: Any) -> tuple[Function, dict[str, Any]]:
    """The declared function of a controller, and its inputs by name."""
    if not isinstance(controller, partial):
        return controller, {}
    if controller.args:
        raise SettingError(
            f"the inputs of a controller are given by name; {len(controller.args)} without a name precede them in "
            f"partial({controller.func}, ...)"
        )
    return controller.func, dict(controller.keywords)  # type: ignore[return-value]


def _fixed_step(method: str | Method) -> FixedStep:
    """The method of a closed loop."""
    chosen = chosen_method(method)
    if not isinstance(chosen, FixedStep):
        raise SettingError(
            f"{chosen} has no steps of one length, at which a controller could be called; expected such as "
            "method='rk4', or torque= a function of (t, q, qd)"
        )
    return chosen
