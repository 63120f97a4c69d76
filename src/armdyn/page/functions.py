"""The functions of a page as one WebAssembly module of the robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.errors import ArmdynError
from armdyn.constraints.projection import projection_step
from armdyn.declaration import Function
from armdyn.page.release import constants, constrained_accelerations, released
from armdyn.program import Port, Program
from armdyn.program.merging import merged
from armdyn.program.rollout import Rollout
from armdyn.robot import Robot
from armdyn.simulation import ClosedLoop, Constraints, RungeKutta4, SemiImplicitEuler
from armdyn.simulation.elements.bristles import bristle_energy, count
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.spatial.rotations import Array
from armdyn.targets.wasm import WasmModule, module

STEP = 1e-3
"""Step of every method, s."""

METHODS: dict[str, FixedStep] = {"rk4": RungeKutta4(step=STEP), "semi_implicit_euler": SemiImplicitEuler(step=STEP)}
"""The methods of the fall, by the names of `armdyn.simulate`."""

MOST_BYTES = 500_000
"""Largest size of a module, bytes; a larger one is refused, or omits the fall."""


@dataclass(frozen=True)
class Functions:
    """The compiled functions of a page.

    Args:
        module: the WebAssembly.
        fall: settings of the fall for the page; None without a fall.
        left_out: sentences on omitted functions.
    """

    module: WasmModule
    fall: dict[str, object] | None
    left_out: tuple[str, ...]


def functions_of(robot: Robot, start: Array) -> Functions:
    """The module of a robot, with its loops closed at the initial positions ``start``, rad or m, shape (n,).

    Its functions are ``at`` (of q: poses, M, g, potential energy, pose and Jacobian of the tip), ``moving`` (of q, qd
    and qdd: inverse dynamics, velocity forces, friction, kinetic energy); if the arm can be released also
    ``accelerations``, ``released`` and a rollout for each of `METHODS`, and with constraints ``closing``, a step of
    Newton's method towards them.
    """
    still: dict[str, Program | Rollout] = {"at": _program_at(robot), "moving": _moving(robot)}
    left_out: list[str] = []
    fall, settings = _falling(robot, start, left_out)
    whole = module(still | fall, name="arm", sine="own")
    if len(whole.bytes) > MOST_BYTES and fall:
        size = f"{len(whole.bytes):,}"
        left_out.append(f"no fall: its functions make the module {size} bytes large, and a page takes {MOST_BYTES:,}")
        whole, settings = module(still, name="arm", sine="own"), None
    return Functions(whole, settings, tuple(left_out))


def _program_at(robot: Robot) -> Program:
    """The program of the quantities of a configuration q."""
    parts = {
        "poses": robot.link_poses.program(),
        "mass_matrix": robot.mass_matrix.program(),
        "gravity_forces": robot.gravity_forces.program(),
        "potential_energy": robot.potential_energy.program(),
    }
    if robot.tip is not None:
        parts["tip_pose"] = robot.forward_kinematics.program()
        parts["tip_jacobian"] = robot.jacobian.program(expressed_in="world")
    return _join("at", parts)


def poses_module(robot: Robot) -> WasmModule:
    """The module of poses alone: ``at`` of q returns the poses of links and of the tip."""
    parts = {"poses": robot.link_poses.program()}
    if robot.tip is not None:
        parts["tip_pose"] = robot.forward_kinematics.program()
    return module({"at": _join("at", parts)}, name="arm", sine="own")


def _moving(robot: Robot) -> Program:
    """The program of the quantities of a motion q, qd, qdd."""
    result: dict[str, Function] = {
        "velocity_forces": algorithms.velocity_forces,
        "kinetic_energy": algorithms.kinetic_energy,
    }
    if not robot.model.constraints:
        result["inverse_dynamics"] = algorithms.inverse_dynamics
    programs = {name: robot.program(function) for name, function in result.items()}
    if has_friction(robot):
        programs["friction_forces"] = robot.program(algorithms.friction_forces, optional_inputs=("qdd",))
    return _join("moving", programs)


def has_friction(robot: Robot) -> bool:
    """True if the page shows friction torques: the joints or drives of an arm without constraints have friction."""
    if robot.model.constraints:
        return False
    q, qd = robot.random_configuration(0), np.linspace(0.5, 1.0, robot.dof)
    return bool(np.any(robot.friction_forces(q, qd, np.zeros(robot.dof))))


OF_STIFF_ARM = (
    "joint forces, M and accelerations are of the stiff arm, rotor and link as one; the fall and its energies count "
    "the springs of flexible joints"
)
"""The note on a page of an arm with flexible joints."""


def _falling(
    robot: Robot, start: Array, left_out: list[str]
) -> tuple[dict[str, Program | Rollout], dict[str, Any] | None]:
    """The functions of the fall, and its settings; a sentence is added if the arm cannot be released."""
    constrained = bool(robot.model.constraints)
    try:
        if constrained:
            robot = robot.with_independent_constraints(start)
        damping, stiffness = constants(robot)
        of_qdd = robot.program(constrained_accelerations) if constrained else robot.forward_dynamics.program()
        programs: dict[str, Program | Rollout] = {
            "accelerations": _join("accelerations", {"qdd": of_qdd}),
            "released": _join("released", {"tau": robot.program(released)}),
        }
        if constrained:
            programs["closing"] = robot.program(projection_step)
        if count(robot.model):
            programs["stored"] = _join("stored", {"stored": robot.program(bristle_energy)})
        if flexible_places(robot.model):
            energies = {"kinetic": robot.flexible_kinetic_energy.program(), "stored": robot.spring_energy.program()}
            programs["flexible"] = _join("flexible", energies)
            left_out.append(OF_STIFF_ARM)
        loops = {
            name: ClosedLoop(
                robot, released, method=one, record=(), energy=True, elements=[Constraints(project=constrained)]
            )
            for name, one in METHODS.items()
        }
        rollouts = {name: loop.program() for name, loop in loops.items()}
        programs |= {f"fall_{name}": rollout for name, rollout in rollouts.items()}
    except (ArmdynError, np.linalg.LinAlgError) as error:
        left_out.append(f"no fall: {error}")
        return {}, None
    return programs, {
        "step": STEP,
        "bristles": count(robot.model),
        "damping": damping.tolist(),
        "stiffness": stiffness.tolist(),
        "methods": {name: str(rollout.op_counts) for name, rollout in rollouts.items()},
    }


def _join(name: str, parts: dict[str, Program]) -> Program:
    """One program that joins several, with their names for its results."""
    named = [replace(program, outputs=(Port(new, program.outputs[0].shape),)) for new, program in parts.items()]
    result: Callable[[Program, Port], str] = lambda _, port: port.name  # noqa: E731
    return merged(named, name, result)
