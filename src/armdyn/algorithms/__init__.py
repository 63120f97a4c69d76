"""The algorithms: every quantity of an arm, each written once, on floats or traced scalars, without any compilation.

The first argument, ``mechanism``, is that of a robot, ``robot.mechanism``, or the robot; in declared functions
(`armdyn.function`) and in elements it is their ``model``. `armdyn.Robot` has the same functions without it, compiled.

>>> robot = armdyn.load("planar_2r")
>>> armdyn.algorithms.gravity_forces(robot, [0.0, 0.0]).astype(float)
array([29.43,  9.81])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of
from armdyn.declaration import Argument, Function, function

if TYPE_CHECKING:
    from armdyn.algorithms.bias_acceleration import bias_acceleration
    from armdyn.algorithms.christoffel import centrifugal_coefficients, christoffel, coriolis_coefficients
    from armdyn.algorithms.closed_form import ClosedForm, closed_form
    from armdyn.algorithms.coriolis import coriolis_matrix
    from armdyn.algorithms.energy import kinetic_energy, potential_energy
    from armdyn.algorithms.energy_regressors import kinetic_energy_regressor, potential_energy_regressor
    from armdyn.algorithms.external_wrench import external_wrench
    from armdyn.algorithms.forward_dynamics import forward_dynamics
    from armdyn.algorithms.forward_dynamics_derivatives import ForwardDynamicsDerivatives, forward_dynamics_derivatives
    from armdyn.algorithms.friction_forces import friction_forces
    from armdyn.algorithms.generalized_momentum import (
        KineticEnergyDerivatives,
        generalized_momentum,
        kinetic_energy_derivatives,
        transposed_coriolis_forces,
    )
    from armdyn.algorithms.holding_forces import HoldingForces, holding_forces
    from armdyn.algorithms.inverse_dynamics_derivatives import InverseDynamicsDerivatives, inverse_dynamics_derivatives
    from armdyn.algorithms.inverse_mass_matrix import inverse_mass_matrix
    from armdyn.algorithms.joint_positions import joint_positions
    from armdyn.algorithms.joint_reactions import JointReactions, joint_reactions
    from armdyn.algorithms.kinematics import forward_kinematics, jacobian, jacobian_dot, link_poses
    from armdyn.algorithms.link_motion import LinkMotion, link_motion
    from armdyn.algorithms.mass_matrix import mass_matrix
    from armdyn.algorithms.mass_matrix_dot import mass_matrix_dot
    from armdyn.algorithms.momentum import (
        center_of_mass,
        center_of_mass_jacobian,
        center_of_mass_velocity,
        momentum,
        momentum_matrix,
        momentum_rate,
    )
    from armdyn.algorithms.momentum_regressors import lagrangian_gradient_regressor, momentum_regressor
    from armdyn.algorithms.newton_euler import (
        bias_forces,
        gravity_forces,
        inverse_dynamics,
        parallel_spring_forces,
        tip_forces,
        velocity_forces,
    )
    from armdyn.algorithms.regressor import regressor
    from armdyn.algorithms.task_rows import SingularTask, TaskSpaceError
    from armdyn.algorithms.task_space import TaskSpace, task_space

_MODULES = {
    "bias_acceleration": "bias_acceleration",
    "christoffel": "centrifugal_coefficients christoffel coriolis_coefficients",
    "closed_form": "ClosedForm closed_form",
    "coriolis": "coriolis_matrix",
    "energy": "kinetic_energy potential_energy",
    "energy_regressors": "kinetic_energy_regressor potential_energy_regressor",
    "external_wrench": "external_wrench",
    "forward_dynamics": "forward_dynamics",
    "forward_dynamics_derivatives": "ForwardDynamicsDerivatives forward_dynamics_derivatives",
    "friction_forces": "friction_forces",
    "generalized_momentum": "KineticEnergyDerivatives generalized_momentum kinetic_energy_derivatives "
    "transposed_coriolis_forces",
    "holding_forces": "HoldingForces holding_forces",
    "inverse_dynamics_derivatives": "InverseDynamicsDerivatives inverse_dynamics_derivatives",
    "inverse_mass_matrix": "inverse_mass_matrix",
    "joint_positions": "joint_positions",
    "joint_reactions": "JointReactions joint_reactions",
    "kinematics": "forward_kinematics jacobian jacobian_dot link_poses",
    "link_motion": "LinkMotion link_motion",
    "mass_matrix": "mass_matrix",
    "mass_matrix_dot": "mass_matrix_dot",
    "momentum": "center_of_mass center_of_mass_jacobian center_of_mass_velocity momentum momentum_matrix momentum_rate",
    "momentum_regressors": "lagrangian_gradient_regressor momentum_regressor",
    "newton_euler": "bias_forces gravity_forces inverse_dynamics parallel_spring_forces tip_forces velocity_forces",
    "regressor": "regressor",
    "task_rows": "SingularTask TaskSpaceError",
    "task_space": "TaskSpace task_space",
}
"""The public names of each module."""

_WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "Argument",
    "ClosedForm",
    "ForwardDynamicsDerivatives",
    "Function",
    "HoldingForces",
    "InverseDynamicsDerivatives",
    "JointReactions",
    "KineticEnergyDerivatives",
    "LinkMotion",
    "SingularTask",
    "TaskSpace",
    "TaskSpaceError",
    "bias_acceleration",
    "bias_forces",
    "center_of_mass",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centrifugal_coefficients",
    "christoffel",
    "closed_form",
    "coriolis_coefficients",
    "coriolis_matrix",
    "external_wrench",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "friction_forces",
    "function",
    "generalized_momentum",
    "gravity_forces",
    "holding_forces",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "jacobian",
    "jacobian_dot",
    "joint_positions",
    "joint_reactions",
    "kinetic_energy",
    "kinetic_energy_derivatives",
    "kinetic_energy_regressor",
    "lagrangian_gradient_regressor",
    "link_motion",
    "link_poses",
    "mass_matrix",
    "mass_matrix_dot",
    "momentum",
    "momentum_matrix",
    "momentum_rate",
    "momentum_regressor",
    "parallel_spring_forces",
    "potential_energy",
    "potential_energy_regressor",
    "regressor",
    "task_space",
    "tip_forces",
    "transposed_coriolis_forces",
    "velocity_forces",
]

__getattr__ = names_of(__name__, _WHERE)
