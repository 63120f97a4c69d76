"""Names of robots' functions in other libraries, and the names here."""

from __future__ import annotations

from collections.abc import Mapping

HABITS: Mapping[str, str] = {
    # Pinocchio
    "rnea": "inverse_dynamics(q, qd, qdd)",
    "aba": "forward_dynamics(q, qd, tau)",
    "crba": "mass_matrix(q), filled on both sides",
    "nle": "bias_forces(q, qd), with friction; without_friction().bias_forces without",
    "nonLinearEffects": "bias_forces(q, qd), with friction; without_friction().bias_forces without",
    "computeGeneralizedGravity": "gravity_forces(q)",
    "computeCoriolisMatrix": "coriolis_matrix(q, qd)",
    "computeMinverse": "inverse_mass_matrix(q)",
    "computeRNEADerivatives": "inverse_dynamics_derivatives(q, qd, qdd)",
    "computeABADerivatives": "forward_dynamics_derivatives(q, qd, tau)",
    "computeFrameJacobian": "jacobian(q, frame=NAME), angular rows first",
    "framePlacement": "forward_kinematics(q, frame=NAME)",
    "forwardKinematics": "forward_kinematics(q) for the tip, link_poses(q) for all links",
    "nq": "dof: one number per joint",
    "nv": "dof: one number per joint",
    "njoints": "dof; model.joints has those that are coupled too",
    "lowerPositionLimit": "lower",
    "upperPositionLimit": "upper",
    "velocityLimit": "velocity_limits",
    "effortLimit": "effort_limits",
    "randomConfiguration": "random_configuration()",
    "integrate": "simulate(q0, qd0, duration=...)",
    "frames": "frame_names, or model.frames",
    "links": "link_names, or model.links",
    "constraints": "model.constraints",
    "actuators": "joints, each with its actuator",
    # Robotics Toolbox
    "fkine": "forward_kinematics(q)",
    "fkine_all": "link_poses(q)",
    "ikine": "inverse_kinematics(T)",
    "ikine_LM": "inverse_kinematics(T)",
    "ik_LM": "inverse_kinematics(T)",
    "jacob0": 'jacobian(q, expressed_in="world"), angular rows first',
    "jacobe": 'jacobian(q, expressed_in="body"), angular rows first',
    "jacob0_dot": 'jacobian_dot(q, qd, expressed_in="world"), angular rows first',
    "inertia": "mass_matrix(q)",
    "inertia_x": "cartesian_dynamics(q, qd)",
    "coriolis": "coriolis_matrix(q, qd), or velocity_forces(q, qd) for C qd",
    "gravload": "gravity_forces(q)",
    "accel": "forward_dynamics(q, qd, tau)",
    "itorque": "mass_matrix(q) @ qdd",
    "friction": "friction_forces(q, qd)",
    "fdyn": "simulate(q0, qd0, duration=...)",
    "payload": "with_payload(mass=..., com=...), which returns another robot",
    "qlim": "lower and upper",
    "random_q": "random_configuration()",
    "teach": "plot(q)",
    "dh": 'to_dh("modified") or to_dh("standard")',
    "base": "model.base",
    "tool": "tip, and with_tip(NAME)",
    # Modern Robotics, Drake, MuJoCo, and plain words
    "InverseDynamics": "inverse_dynamics(q, qd, qdd); armdyn.modern_robotics has the book's functions",
    "ForwardDynamics": "forward_dynamics(q, qd, tau); armdyn.modern_robotics has the book's functions",
    "MassMatrix": "mass_matrix(q); armdyn.modern_robotics has the book's functions",
    "CalcMassMatrix": "mass_matrix(q)",
    "CalcInverseDynamics": "inverse_dynamics(q, qd, qdd)",
    "CalcGravityGeneralizedForces": "gravity_forces(q), the forces that hold the arm: the opposite sign",
    "CalcBiasTerm": "velocity_forces(q, qd)",
    "num_positions": "dof",
    "fk": "forward_kinematics(q)",
    "ik": "inverse_kinematics(T)",
    "M": "mass_matrix(q)",
    "C": "coriolis_matrix(q, qd)",
    "g": "gravity_forces(q), or gravity for the acceleration of free fall",
    "com": "center_of_mass(q)",
    "mass": "model.links: link.inertia.mass of each",
    "limits": "lower, upper, velocity_limits, effort_limits",
    "show": "plot(q)",
    "draw": "plot(q)",
    "animate": "simulate(q0, duration=...).animate(robot=robot)",
}


def without_attribute(class_name: str, name: str) -> str:
    """The message for a name that robots do not have: ours, if other libraries use that name.

    >>> without_attribute("Robot", "rnea")
    "'Robot' object has no attribute 'rnea'; here it is robot.inverse_dynamics(q, qd, qdd)"
    >>> without_attribute("Robot", "rnee")
    "'Robot' object has no attribute 'rnee'"
    """
    plain = f"{class_name!r} object has no attribute {name!r}"
    if name not in HABITS:
        return plain
    return f"{plain}; here it is robot.{HABITS[name]}"
