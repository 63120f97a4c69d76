"""Closed loops and controllers as FMUs for co-simulation, with the sample time of the controller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from armdyn.base.checks import number
from armdyn.base.errors import SettingError, UnknownName
from armdyn.declaration import Function
from armdyn.fmi.arm import ABOUT
from armdyn.fmi.quantities import parameter, starts, variable
from armdyn.fmi.steps import warn_of_step
from armdyn.functions.c_notes import said_of
from armdyn.program import Program
from armdyn.robot import Robot
from armdyn.simulation.loop.closed_loop import ClosedLoop
from armdyn.simulation.loop.controller import Controller
from armdyn.targets.fmi.archive import Fmu
from armdyn.targets.fmi.system import FmiSystem, SystemState, Variable
from armdyn.targets.identifiers import chosen_name


def to_fmu(
    loop: ClosedLoop,
    *,
    name: str | None = None,
    optional_inputs: Iterable[str] = (),
    tunable: Iterable[str] | None = None,
    start: Mapping[str, object] | None = None,
    derivatives: bool = True,
    arrays: bool = True,
) -> Fmu:
    """A robot under its controller as an FMU of FMI 3.0, for co-simulation; `Fmu.write` writes the file.

    Its states are those of the loop: q, qd, and the states of the controller. Outputs are the states, tau and the
    controller's signals, at the present time. A communication step is a whole number of the loop's own steps.

    Warns (`armdyn.simulation.StepWarning`) of a step that makes deviations from the start grow with the gains of
    ``start``, if shorter steps do not.

    Args:
        loop: the closed loop.
        name: of the model and its files; those of the robot and the controller if not given.
        optional_inputs: optional inputs, e.g. "f_tip".
        tunable: inputs that are parameters in the FMU, e.g. gains; by default those whose names begin with K.
        start: arrays that states, inputs and parameters begin with, by their names.
        derivatives: whether the FMU has directional and adjoint derivatives of the outputs.
        arrays: whether an array is one variable; otherwise each of its numbers is, ``q[1]``, ``q[2]``, ..., for
            importers that have no arrays.

    Raises:
        UnknownName: an unknown input or start value.

    >>> loop = armdyn.ClosedLoop(armdyn.load("ur5"), armdyn.control.pd_gravity)
    >>> fmu = loop.to_fmu(start={"Kp": 100.0, "Kd": 20.0})
    >>> [place.name for place in fmu.code.layout.places]
    ['time', 'step', 'q', 'qd', 'q_ref', 'qd_ref', 'Kp', 'Kd', 'tau']
    """
    rollout = loop.rollout.program(optional_inputs=optional_inputs)
    law = loop.controller.function if loop.controller else None
    called = chosen_name(name, "_".join([loop.robot.name, *([law.name] if law else [])]))
    text = f"{loop.robot.name} under {law.name if law else 'given joint forces'}."
    step = loop.method.step
    begins = loop.start_of_elements | dict(start or {})
    system = _sampled(loop.robot, rollout.step, loop.rollout.parameters, law, called, text, step, tunable, begins)
    warn_of_step(loop.robot, system)
    return Fmu(system, derivatives, arrays)


def controller_fmu(
    robot: Robot,
    controller: Function,
    *,
    step: float,
    name: str | None = None,
    optional_inputs: Iterable[str] = (),
    parameters: Iterable[str] = (),
    tunable: Iterable[str] | None = None,
    start: Mapping[str, object] | None = None,
    derivatives: bool = True,
    arrays: bool = True,
) -> Fmu:
    """A controller of a robot, without the robot, as an FMU of FMI 3.0 for co-simulation.

    Inputs are its measurements, q and qd, and its references; outputs are tau, its signals and its states. Outputs
    belong to the inputs of the present time; a communication step moves the states on by whole sample times.

    Args:
        robot: robot of its model.
        controller: controller declared as for `ClosedLoop`.
        step: sample time of the controller, s.
        name: of the model and its files; that of the controller if not given.
        optional_inputs: optional inputs, e.g. "Ki".
        parameters: of the model, that importers may change, as of `Robot.compile`.
        tunable: inputs that are parameters in the FMU; those whose names begin with K if not given.
        start: arrays that states, inputs and parameters begin with, by their names.
        derivatives: whether the FMU has directional and adjoint derivatives of the outputs.
        arrays: whether an array is one variable; otherwise each of its numbers is, ``q[1]``, ``q[2]``, ..., for
            importers that have no arrays.

    Raises:
        TraceError: a value that is not a declared controller.
        UnknownName: an unknown input, parameter or start value.

    >>> fmu = armdyn.fmi.controller_fmu(armdyn.load("ur5"), armdyn.control.pid, step=1e-3)
    >>> [place.name for place in fmu.code.layout.places if place.is_output]
    ['integral', 'tau']
    """
    law = Controller(controller)
    compiled = robot.compile(controller, parameters=parameters)
    program = _with_names(compiled.program(optional_inputs=optional_inputs), law.results)
    step = number("step", step, above=0.0, unit="s", error=SettingError)
    text = f"The controller {controller.name} of {robot.name}."
    called = chosen_name(name, f"{robot.name}_{controller.name}")
    system = _sampled(robot, program, compiled.parameters, controller, called, text, step, tunable, start or {})
    return Fmu(system, derivatives, arrays)


def _with_names(program: Program, names: Sequence[str]) -> Program:
    ports = [replace(port, name=name) for port, name in zip(program.outputs, names, strict=True)]
    return replace(program, outputs=tuple(ports))


def _sampled(
    robot: Robot,
    program: Program,
    parameters: Sequence[str],
    law: Function | None,
    name: str,
    text: str,
    step: float,
    tunable: Iterable[str] | None,
    start: Mapping[str, object],
) -> FmiSystem:
    """The system of a program of one step, whose results of inputs' names are states."""
    words = said_of(law) if law else {}
    names_of_inputs, results = ([port.name for port in ports] for ports in (program.inputs, program.outputs))
    states = [one for one in names_of_inputs if one in results]
    time, length = ("t" if "t" in names_of_inputs else None), ("h" if "h" in names_of_inputs else None)
    free = [one for one in names_of_inputs if one not in (*states, *parameters, time, length)]
    gains = [one for one in free if one.startswith("K")] if tunable is None else _check_names(tunable, free, name)
    inputs = [one for one in free if one not in gains]

    def described(names: Iterable[str]) -> tuple[Variable, ...]:
        return tuple(variable(robot, one, words.get(one, "")) for one in names)

    result = starts(program, start, [*states, *free, *parameters], law.gains if law else ())
    system = FmiSystem(
        name,
        program,
        tuple(SystemState(v, v) for v in described(states)),
        described(inputs),
        (*described(gains), *(parameter(robot, one) for one in parameters)),
        described(one for one in results if one not in states),
        step,
        sampled=True,
        time=time,
        step_port=length,
        description=text,
        about=(*ABOUT, *robot.notes),
    )
    return system.with_start(**result)


def _check_names(names: Iterable[str], free: Sequence[str], owner: str) -> list[str]:
    """The names of inputs that become parameters."""
    result = [names] if isinstance(names, str) else list(names)
    for one in result:
        if one not in free:
            raise UnknownName.of("input", one, free, owner)
    return result
