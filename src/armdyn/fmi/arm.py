"""The equations of motion of a robot as an FMU for model exchange and co-simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from armdyn.base.checks import number
from armdyn.base.errors import SettingError, Unsupported, warn_outside
from armdyn.fmi.left_out import left_out
from armdyn.fmi.motion import MotionEquations, motion_of
from armdyn.fmi.quantities import parameter, starts, variable
from armdyn.fmi.steps import warn_of_step
from armdyn.functions.robot_like import RobotLike
from armdyn.model.parameters import matching_parameters
from armdyn.simulation.errors import FrictionWarning
from armdyn.targets.fmi.archive import Fmu
from armdyn.targets.fmi.system import FmiSystem
from armdyn.targets.identifiers import chosen_name


def robot_fmu(
    robot: RobotLike,
    *,
    name: str | None = None,
    optional_inputs: Iterable[str] = (),
    parameters: Iterable[str] | None = None,
    start: Mapping[str, object] | None = None,
    step: float = 1e-3,
    command: str = "torque",
    derivatives: bool = True,
    arrays: bool = True,
) -> Fmu:
    """Forward dynamics as an FMU of FMI 3.0, for model exchange and co-simulation; `Fmu.write` writes the file.

    States are q and qd; for an arm with flexible joints also theta and thetad; with ``command="voltage"`` the currents
    of motors with an inductance. The input is tau, or the voltages of the motors and additional joint forces tau.
    Outputs are the states, qdd, pose and twist of the tip, kinetic and potential energy. In co-simulation the classical
    method of Runge and Kutta integrates with steps not longer than the parameter ``step`` and constant inputs.

    Warns (`armdyn.simulation.FrictionWarning`) of dry friction, gear losses and backlash, which the FMU has without
    their events, and (`armdyn.simulation.StepWarning`) of a step that is too long for viscous friction, springs or
    currents, at the start and in 32 positions within the limits of the joints.

    Args:
        robot: without constraints.
        name: name of the model and its files; the robot's own by default.
        optional_inputs: optional inputs: "f_tip", "f_ext", "base_twist", "base_twist_rate".
        parameters: parameters of the model that importers may change, as in `Robot.compile`; by default gravity and, if
            there is a tip, mass and centre of mass of a payload at it. Each costs operations.
        start: start values of states, inputs and parameters, by their names: ``{"q": q0}``.
        step: step of co-simulation, s; importers may change it.
        command: "torque", or "voltage" of the motors of joints with actuators (Modern Robotics 8.9.1).
        derivatives: True for directional and adjoint derivatives.
        arrays: True for one variable per array; otherwise one per element, ``q[1]``, ``q[2]``, ..., for importers
            without arrays.

    Raises:
        Unsupported: a robot with constraints; voltages of motors at flexible joints.
        ModelError: voltages of a robot without motors.
        UnknownName: an unknown input, parameter or start value.

    >>> fmu = armdyn.load("ur5").to_fmu(start={"q": np.full(6, 0.5)})
    >>> [place.name for place in fmu.code.layout.places][:6]
    ['time', 'step', 'q', 'qd', 'tau', 'gravity']
    """
    if robot.model.constraints:
        raise Unsupported(
            f"{robot.name!r} has constraints, and an FMU has ordinary differential equations; export the tree that its "
            "joints alone make, robot.without_constraints()"
        )
    named = default_parameters(robot) if parameters is None else _as_list(parameters)
    inputs_of_model = matching_parameters(robot.model, named)
    motion = motion_of(robot, command, _as_list(optional_inputs), inputs_of_model)
    system = _system(robot, motion, name, inputs_of_model, start or {}, step)
    different = list(left_out(robot, [v.port for v in system.parameters if any(v.start)]))
    for text in different:
        warn_outside(f"FMU of {system.name!r}: {text}", FrictionWarning)
    warn_of_step(robot, system)
    about = (*ABOUT, *(f"{text[0].upper()}{text[1:]}." for text in different), *robot.model.notes)
    return Fmu(replace(system, about=about), derivatives, arrays)


def _system(
    robot: RobotLike,
    motion: MotionEquations,
    name: str | None,
    parameters: Sequence[str],
    start: Mapping[str, object],
    step: float,
) -> FmiSystem:
    step = number("step", step, above=0.0, unit="s", error=SettingError)
    tuned = tuple(parameter(robot, p) for p in parameters)
    inputs = tuple(variable(robot, name) for name in motion.inputs)
    outputs = tuple(variable(robot, name) for name in motion.outputs)
    system = FmiSystem(
        chosen_name(name, robot.name), motion.program, motion.states, inputs, tuned, outputs, step,
        description=f"Forward dynamics of {robot.name}.",
    )  # fmt: skip
    states = [state.variable.port for state in motion.states]
    names = [*states, *motion.inputs, *parameters]
    return system.with_start(**starts(motion.program, start, names))


ABOUT = ("SI units. Arrays are row-major; wrenches and twists have their angular part first.",)


def default_parameters(robot: RobotLike) -> list[str]:
    """Gravity, and a point mass at the tip."""
    payload = [f"{robot.model.tip}.payload.mass", f"{robot.model.tip}.payload.com"] if _is_carried(robot) else []
    return ["gravity", *payload]


def _is_carried(robot: RobotLike) -> bool:
    return robot.model.tip is not None and robot.model.frame(robot.model.tip).link != robot.model.base


def _as_list(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
