"""Check of the step of an FMU's co-simulation against its fastest motions: viscous friction, springs, currents.

Near a state a deviation of the states moves as xdot = J x, and each eigenvalue lambda of J is a motion exp(lambda t). A
step h of Runge-Kutta 4 multiplies it by R(h lambda), R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24, which is above one in size
for z below -2.785, although the motion itself decays, and for z beyond 2.83 i. A sampled system multiplies deviations
by the eigenvalues of its own step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from armdyn.base.errors import warn_outside
from armdyn.functions.robot_like import RobotLike
from armdyn.program.interpret import interpret
from armdyn.program.selecting import with_results
from armdyn.simulation.errors import StepWarning
from armdyn.spatial.rotations import Array
from armdyn.targets.fmi.system import FmiSystem

CONFIGURATIONS = 32
"""Number of positions at rest, within the limits of joints, that are checked in addition to the start."""

GROWS = 1e-3
"""A motion is unstable if a step enlarges it by more than this fraction, and more than its own growth."""

LEAST = 2.5
"""Below this magnitude of h lambda, Runge-Kutta 4 enlarges no motion that does not grow by itself."""

SHARE = 0.8
"""The recommended fraction of the longest step."""

HALVINGS = 40
"""Number of halvings of the interval in the search for the longest step."""

SHORTEST = 2.0**-10
"""The shortest tried fraction of the step of a sampled system."""


def warn_of_step(robot: RobotLike, system: FmiSystem) -> None:
    """Warn (`StepWarning`) of a step with which decaying motions grow, and recommend a step."""
    why = _of_sampled(system) if system.sampled else _of_continuous(robot, system)
    if why:
        warn_outside(f"FMU of {system.name!r}: {why}", StepWarning)


def _of_continuous(robot: RobotLike, system: FmiSystem) -> str:
    """A description of the motion for which the step is too long; empty if there is none."""
    starts = _starts(system)
    q = np.vstack([starts["q"], robot.random_configuration(0, CONFIGURATIONS)])
    at_rest: dict[str, Array] = {name: np.zeros(robot.dof) for name in ("qd", "thetad") if name in starts}
    spread: dict[str, Array] = {name: q for name in ("q", "theta") if name in starts}
    matrices = np.vstack([jacobian(system, starts)[None], jacobian(system, {**starts, **at_rest, **spread})])
    values, vectors = np.linalg.eig(matrices[np.isfinite(matrices).all(axis=(-2, -1))])
    if not values.size or not _grow(values, system.step).any():
        return ""
    fastest = np.unravel_index(np.argmax(np.where(_grow(values, system.step), np.abs(values), 0.0)), values.shape)
    longest = longest_step(values.ravel(), system.step)
    factor, size = abs(_multiplied(system.step * values[fastest])), abs(values[fastest])
    moving = _moving(robot, system, vectors[fastest[0]][:, fastest[1]])
    return (
        f"the step of {system.step:g} s is too long for co-simulation: a motion of {moving} changes with "
        f"{size:.4g} 1/s, and each step of Runge-Kutta 4 multiplies it by {factor:.4g}. Use "
        f"step={_rounded(SHARE * longest)}, for beyond {longest:.3g} s it grows; model exchange has no such limit"
    )


def jacobian(system: FmiSystem, values: Mapping[str, Array]) -> Array:
    """The derivatives of the rates of the states, or of the states a step later, by the states, shape (..., s, s).

    Args:
        system: the system.
        values: all inputs of its program, by name, of shape (..., *shape).
    """
    later = [state.later.port for state in system.states]
    names = [state.variable.port for state in system.states]
    tangent = with_results(system.program, later).jvp(wrt=names)
    sizes = [system.input_ports[name].size for name in names]
    seeds = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    arrays = [_one_more_axis(values[port.name], len(port.shape)) for port in system.program.inputs]
    shaped = [seed.reshape(-1, *system.input_ports[name].shape) for seed, name in zip(seeds, names, strict=True)]
    columns = interpret(tangent, *arrays, *shaped)
    flat = [
        column.reshape(*column.shape[: column.ndim - len(p.shape)], -1)
        for column, p in zip(columns, tangent.outputs, strict=True)
    ]
    return np.swapaxes(np.concatenate(flat, axis=-1), -1, -2)


def _one_more_axis(array: Array, rank: int) -> Array:
    """An array with an axis of one element before its last ``rank``, along which all directions share a state."""
    array = np.asarray(array, dtype=float)
    return array.reshape(*array.shape[: array.ndim - rank], 1, *array.shape[array.ndim - rank :])


def _starts(system: FmiSystem) -> dict[str, Array]:
    """The start values of the inputs of the program, by name."""
    variables = [*(state.variable for state in system.states), *system.inputs, *system.parameters]
    shapes = {name: port.shape for name, port in system.input_ports.items()}
    result = {v.port: np.reshape(v.start or np.zeros(shapes[v.port]), shapes[v.port]) for v in variables}
    own = {system.time: np.zeros(()), system.step_port: np.array(system.step)}
    return result | {name: value for name, value in own.items() if name}


def _multiplied(z: Array) -> Array:
    """The stability function R(z) of Runge-Kutta 4."""
    return 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))


def _grow(values: Array, step: float) -> Array:
    """Mask of motions that a step enlarges more than they grow by themselves."""
    z = step * values
    alone = np.exp(np.clip(z.real, 0.0, 700.0))
    return (np.abs(z) > LEAST) & (np.abs(_multiplied(z)) > (1.0 + GROWS) * alone)


def longest_step(values: Array, step: float) -> float:
    """The step, s, at most the one given, beyond which one of the motions with these eigenvalues, 1/s, grows.

    >>> round(longest_step(np.array([-5000.0]), 1e-3), 7)  # 2.786 / 5000
    0.0005572
    """
    low, high = 0.0, step
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _grow(values, middle).any() else (middle, high)
    return high


def _moving(robot: RobotLike, system: FmiSystem, vector: Array) -> str:
    """The state that moves most in an eigenvector: velocities before positions, because they are its rates."""
    ports = [system.input_ports[state.variable.port] for state in system.states]
    numbers = [(port.name, k) for port in ports for k in range(port.size)]
    size = np.where([name in ("q", "theta") for name, _ in numbers], 0.0, np.abs(vector))
    name, k = numbers[int(np.argmax(size))]
    return f"{name} of joint {robot.joint_names[k]!r}" if name in ("qd", "thetad") else f"{name}[{k + 1}]"


def _rounded(step: float) -> str:
    """The step rounded down to one digit, as text."""
    unit = 10.0 ** math.floor(math.log10(step))
    return f"{math.floor(step / unit) * unit:g}"


def _of_sampled(system: FmiSystem) -> str:
    """A description of the growth of a loop's step at its start, if shorter steps do not grow; empty otherwise."""
    if system.step_port is None or not system.states:
        return ""
    grows = _growth_rate(system, system.step)
    if not math.isfinite(grows) or grows * system.step < GROWS:
        return ""
    shorter = system.step
    while shorter > SHORTEST * system.step:
        shorter *= 0.5
        if _growth_rate(system, shorter) < 0.5 * grows:
            break
    else:
        return ""
    return (
        f"at its start and with the gains that it begins with, each step of {system.step:g} s multiplies a deviation "
        f"by {math.exp(grows * system.step):.4g}, and steps of {shorter:g} s do not. Use such a step, or lower gains"
    )


def _growth_rate(system: FmiSystem, step: float) -> float:
    """The growth rate of a step: logarithm of the largest eigenvalue magnitude per time, 1/s."""
    values = _starts(system) | {str(system.step_port): np.array(step)}
    matrix = jacobian(system, values)
    if not np.isfinite(matrix).all():
        return math.nan
    return math.log(max(float(np.abs(np.linalg.eigvals(matrix)).max()), 1e-300)) / step
