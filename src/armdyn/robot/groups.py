"""The public names of `Robot`, in groups by subject: the index of its documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import fill

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Forces and motions": (
        "inverse_dynamics", "forward_dynamics", "simulate",
    ),
    "Terms and matrices of M(q) qdd + c(q, qd) + g(q) + s(q) + friction + J^T f_tip = tau": (
        "mass_matrix", "inverse_mass_matrix", "mass_matrix_dot", "bias_forces", "velocity_forces",
        "gravity_forces", "parallel_spring_forces", "friction_forces", "friction_map", "tip_forces",
        "coriolis_matrix", "christoffel", "coriolis_coefficients", "centrifugal_coefficients",
        "transposed_coriolis_forces", "closed_form",
    ),
    "Where things are and how they move": (
        "forward_kinematics", "link_poses", "joint_positions", "jacobian", "jacobian_dot", "bias_acceleration",
        "link_motion", "inverse_kinematics", "joint_rates", "joint_accelerations",
    ),
    "Loads, and what joints carry": (
        "external_wrench", "joint_reactions", "newton_euler", "holding_forces",
    ),
    "Energy and momentum": (
        "kinetic_energy", "potential_energy", "kinetic_energy_derivatives", "momentum", "momentum_matrix",
        "momentum_rate", "generalized_momentum", "center_of_mass", "center_of_mass_velocity",
        "center_of_mass_jacobian",
    ),
    "Derivatives (of every function also: .derivative, .vjp, .jvp)": (
        "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
    ),
    "Inertial parameters and identification": (
        "regressor", "momentum_regressor", "lagrangian_gradient_regressor", "kinetic_energy_regressor",
        "potential_energy_regressor", "standard_parameters", "base_parameters", "with_standard_parameters",
    ),
    "Task space": (
        "task_space", "cartesian_dynamics",
    ),
    "Motors": (
        "motor_torques", "motor_currents", "motor_voltages", "electrical_power", "current_commands",
        "forces_of_currents",
    ),
    "Flexible joints": (
        "flexible_forward_dynamics", "flexible_inverse_dynamics", "flexible_kinetic_energy", "flexible_multipliers",
        "spring_deflections", "spring_energy", "vibration_modes",
    ),
    "Constraints and closed loops": (
        "constrained_forward_dynamics", "constrained_inverse_dynamics", "constraint_error", "constraint_jacobian",
        "constraint_velocity", "constraint_drift", "constraint_forces", "constraint_rank", "constraint_rows",
        "constraint_wrench", "multipliers_of_wrench", "hybrid_forces", "force_projection", "acceleration_projection",
        "actuator_forces", "close_loop", "close_velocities", "close_accelerations",
    ),
    "Names, limits and states": (
        "name", "n", "dof", "joints", "joint_names", "link_names", "frame_names", "tip", "gravity", "lower", "upper",
        "velocity_limits", "effort_limits", "random_configuration", "notes", "model", "mechanism", "exact_mechanism",
    ),
    "Pictures": (
        "plot", "view", "to_page",
    ),
    "Another robot from this one": (
        "with_payload", "with_gravity", "with_tip", "with_locked", "with_limits", "with_inertia",
        "with_armature", "with_actuators", "with_friction", "without_friction", "without_springs",
        "with_parallel_springs", "without_parallel_springs", "with_flexible_link", "with_joint_order", "with_mimic",
        "with_coordinates", "with_joint_equations", "without_couplings", "with_constraints",
        "with_elements", "with_independent_constraints", "without_constraints", "renamed",
    ),
    "From descriptions and back": (
        "from_urdf", "from_mjcf", "from_dh", "from_screws", "from_zero_reference", "from_links", "to_urdf", "to_mjcf",
        "to_dh", "to_screws", "to_zero_reference", "to_c", "to_fmu",
    ),
    "Functions of your own, and any of the above as a program": (
        "compile", "program",
    ),
}  # fmt: skip
"""Every public name of `Robot` stands in one group; a test checks it."""


def further(names: Iterable[str]) -> tuple[str, ...]:
    """The names that stand in no group."""
    grouped = {name for group in GROUPS.values() for name in group}
    return tuple(name for name in names if not name.startswith("_") and name not in grouped)


def index(names: Iterable[str]) -> str:
    """The groups as text: each heading, and the names below it."""
    rest = further(names)
    groups = {**GROUPS, **({"Further": rest} if rest else {})}
    return "\n\n".join(f"{heading}:\n{_indented(group)}" for heading, group in groups.items())


def _indented(names: Iterable[str]) -> str:
    return fill(", ".join(names), width=112, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
