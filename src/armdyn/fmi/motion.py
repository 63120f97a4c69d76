"""`MotionEquations`: the equations of an arm and its states in one program: rigid, flexible joints, or with motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from armdyn import algorithms
from armdyn.actuators.flexible_dynamics import flexible_forward_dynamics, flexible_kinetic_energy, spring_energy
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.joint_motors import COMMANDS
from armdyn.base.checks import choice
from armdyn.base.errors import SettingError, UnknownName, Unsupported
from armdyn.base.scalars import Scalar
from armdyn.declaration import Function, function
from armdyn.fmi.driven import driven_motion
from armdyn.fmi.quantities import variable
from armdyn.functions.robot_like import RobotLike
from armdyn.model.mechanism import Mechanism
from armdyn.program import Port, Program, trace
from armdyn.program.merging import merged
from armdyn.spatial.rotations import Array
from armdyn.targets.fmi.system import SystemState, Variable


class MotionEquations(NamedTuple):
    """Equations of motion.

    Args:
        program: rates and outputs of states, inputs and parameters.
        states: the states, in order.
        inputs: names of the inputs.
        outputs: names of results in addition to the rates.
    """

    program: Program
    states: tuple[SystemState, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


OPTIONAL = ("f_tip", "f_ext", "base_twist", "base_twist_rate")


def motion_of(
    robot: RobotLike, command: str, optional_inputs: Sequence[str], parameters: Sequence[str]
) -> MotionEquations:
    """The equations of an arm without constraints."""
    command = choice("command", command, COMMANDS, error=SettingError)
    for name in optional_inputs:
        if name not in OPTIONAL:
            raise UnknownName.of("optional input", name, OPTIONAL, "optional_inputs=")
    flexible = bool(flexible_places(robot.model))
    if command == "voltage" and flexible:
        raise Unsupported(
            f"{robot.name!r} has flexible joints; motors with voltages stand on rigid ones. Take command='torque', or "
            "robot.without_springs()"
        )
    if command == "voltage":
        return _driven(robot, optional_inputs, parameters)
    return _flexible(robot, optional_inputs, parameters) if flexible else _rigid(robot, optional_inputs, parameters)


def _rigid(robot: RobotLike, optional_inputs: Sequence[str], parameters: Sequence[str]) -> MotionEquations:
    """The equations of a rigid arm: qdd as a function of (q, qd, tau)."""
    dynamics = _program(robot, algorithms.forward_dynamics, ["qdd"], optional_inputs, parameters)
    states = (_state(robot, "q", "qd"), _second(robot, "q"))
    return _with_outputs(robot, [dynamics], states, ["tau", *optional_inputs], parameters)


def _flexible(robot: RobotLike, optional_inputs: Sequence[str], parameters: Sequence[str]) -> MotionEquations:
    """Accelerations of links and rotors (Modern Robotics 8.9.5)."""
    dynamics = _program(robot, flexible_forward_dynamics, ["qdd", "thetadd"], optional_inputs, parameters)
    states = (_state(robot, "q", "qd"), _second(robot, "q"), _state(robot, "theta", "thetad"), _second(robot, "theta"))
    return _with_outputs(robot, [dynamics], states, ["tau", *optional_inputs], parameters)


def _driven(robot: RobotLike, optional_inputs: Sequence[str], parameters: Sequence[str]) -> MotionEquations:
    """Accelerations, and rates of the motors' currents (Modern Robotics 8.103)."""
    declared = driven_motion(robot.model)
    names = getattr(declared.result, "_fields", ())
    dynamics = _program(robot, declared, names, optional_inputs, parameters)
    states: tuple[SystemState, ...] = (_state(robot, "q", "qd"), _second(robot, "q"))
    if "current_rate" in names:
        rate = Variable("current_rate", "A/s", "rates of the currents", name="der(current)")
        states += (SystemState(variable(robot, "current"), rate),)
    signals = [name for name in names if name not in ("qdd", "current_rate")]
    return _with_outputs(robot, [dynamics], states, ["voltage", "tau", *optional_inputs], parameters, signals)


def _with_outputs(
    robot: RobotLike,
    dynamics: Sequence[Program],
    states: tuple[SystemState, ...],
    inputs: Sequence[str],
    parameters: Sequence[str],
    signals: Sequence[str] = (),
) -> MotionEquations:
    """The equations with the outputs in one program, which has every parameter as an input."""
    kinetic: Function = algorithms.kinetic_energy
    potential: Function = algorithms.potential_energy
    if "theta" in {state.variable.port for state in states}:
        kinetic, potential = flexible_kinetic_energy, all_potential_energy
    seen = [(kinetic, "kinetic_energy"), (potential, "potential_energy")]
    if robot.model.tip is not None:
        seen = [(algorithms.forward_kinematics, "tip_pose"), (tip_twist, "tip_twist"), *seen]
    pieces = [*dynamics, *(_program(robot, f, [name], (), parameters) for f, name in seen)]
    firsts = [_copied(robot, state) for state in states if state.later.port == f"der_{state.variable.port}"]
    program = merged([*pieces, *firsts], f"{robot.name}_motion", lambda _, port: port.name)
    return MotionEquations(program, states, tuple(inputs), (*signals, *(name for _, name in seen)))


def _program(
    robot: RobotLike,
    declared: Function,
    results: Sequence[str],
    optional_inputs: Sequence[str],
    parameters: Sequence[str],
) -> Program:
    """The program of a function, with these names of its results."""
    compiled = robot.compile(declared, parameters=parameters)
    choices = [argument.name for argument in declared.arguments]
    for name in optional_inputs:
        if name not in choices:
            raise UnknownName.of("optional input", name, choices, declared.name)
    program = compiled.program(optional_inputs=optional_inputs)
    ports = [Port(name, port.shape) for name, port in zip(results, program.outputs, strict=True)]
    return replace(program, outputs=tuple(ports))


def _state(robot: RobotLike, name: str, rate: str) -> SystemState:
    """Positions, whose rates are other states."""
    later = variable(robot, rate)
    return SystemState(variable(robot, name), replace(later, port=f"der_{name}", name=f"der({name})"))


def _second(robot: RobotLike, name: str) -> SystemState:
    """Velocities; accelerations are an output."""
    return SystemState(variable(robot, f"{name}d"), variable(robot, f"{name}dd"), rate_is_output=True)


def _copied(robot: RobotLike, state: SystemState) -> Program:
    """The rates of positions, which are the velocities themselves."""
    velocities = Port(f"{state.variable.port}d", (robot.dof,))
    return trace(lambda qd: qd, [velocities], [state.later.port])


@function("(n),(n)->()")
def all_potential_energy(model: Mechanism, q: Array, theta: Array) -> Scalar:
    """Potential energy of gravity and of the springs at flexible joints, J, scalar."""
    return algorithms.potential_energy(model, q) + spring_energy(model, q, theta)


@function("(n),(n)->(6)")
def tip_twist(model: Mechanism, q: Array, qd: Array) -> Array:
    """Twist (w, v) of the tip in base axes, v that of its origin, rad/s and m/s, shape (..., 6)."""
    twist: Array = algorithms.jacobian(model, q, expressed_in="world") @ qd
    return twist
