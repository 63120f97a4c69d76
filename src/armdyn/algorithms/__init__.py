"""The book: every quantity of an arm, each written once, on floats or traced scalars. Knows nothing of compiling."""

from armdyn.algorithms.bias_acceleration import bias_acceleration
from armdyn.algorithms.declaration import Argument, Function, function
from armdyn.algorithms.energy import kinetic_energy, potential_energy
from armdyn.algorithms.forward_dynamics import forward_dynamics
from armdyn.algorithms.joint_reactions import JointReactions, joint_reactions
from armdyn.algorithms.kinematics import forward_kinematics, jacobian, jacobian_dot, link_poses
from armdyn.algorithms.link_motion import LinkMotion, link_motion
from armdyn.algorithms.mass_matrix import mass_matrix
from armdyn.algorithms.newton_euler import (
    bias_forces,
    gravity_forces,
    inverse_dynamics,
    tip_forces,
    velocity_forces,
)

__all__ = [
    "Argument",
    "Function",
    "JointReactions",
    "LinkMotion",
    "bias_acceleration",
    "bias_forces",
    "forward_dynamics",
    "forward_kinematics",
    "function",
    "gravity_forces",
    "inverse_dynamics",
    "jacobian",
    "jacobian_dot",
    "joint_reactions",
    "kinetic_energy",
    "link_motion",
    "link_poses",
    "mass_matrix",
    "potential_energy",
    "tip_forces",
    "velocity_forces",
]
