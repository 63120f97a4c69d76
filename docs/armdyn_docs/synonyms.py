"""Words under which readers search for a function or a page that does not contain them: entries of the index.

Sphinx's search shows main entries of the index first, and finds a word that stands there as it was typed.
"""

from __future__ import annotations

FUNCTIONS = {
    "armdyn.Robot.inverse_dynamics": ("RNEA", "recursive Newton-Euler algorithm", "inverse dynamics"),
    "armdyn.Robot.forward_dynamics": ("ABA", "articulated-body algorithm", "forward dynamics"),
    "armdyn.Robot.mass_matrix": ("CRBA", "composite-rigid-body algorithm", "inertia matrix", "joint-space inertia"),
    "armdyn.Robot.bias_forces": ("nonlinear effects", "nle"),
    "armdyn.Robot.regressor": ("dynamics regressor", "inertial parameters linear"),
    "armdyn.Robot.effort_limits": ("torque limit", "torque limits", "effort limit"),
    "armdyn.trajectory.fastest_along": ("time optimal", "time-optimal", "time optimal trajectory", "TOPP", "TOPP-RA"),
    "armdyn.Robot.link_poses": ("FK of all links", "link transforms"),
    "armdyn.Robot.forward_kinematics": ("FK", "direct kinematics", "forward kinematics"),
    "armdyn.Robot.inverse_kinematics": ("IK", "inverse kinematics"),
}
"""Words by the name of the function whose description they lead to."""

PAGES = {
    "loads": ("payload", "payload mass", "gripper mass"),
    "payload": ("payload identification", "payload estimation"),
    "identification": ("system identification", "parameter estimation", "sysid"),
    "doctor": ("URDF error", "URDF errors", "check URDF", "inertia triangle inequality"),
    "viewer": ("teleoperation", "joint sliders", "RViz"),
    "compensation": ("gravity compensation", "zero gravity", "hand guiding"),
    "actuators": ("friction", "motor", "gear"),
    "simulation": ("simulate", "integrator", "Runge-Kutta"),
    "descriptions": ("URDF", "MJCF", "DH parameters"),
    "control": ("computed torque", "impedance control", "PD control"),
    "rollouts": ("batch simulation", "reinforcement learning", "MPC"),
    "page": ("interactive page", "share a robot"),
    "derivatives": ("Jacobian of the dynamics", "sensitivities"),
    "constraints": ("closed loop mechanism", "parallel robot", "loop closure"),
    "collisions": ("collision detection", "momentum observer"),
}
"""Words by page of docs/ without its ending."""


def entries(words: tuple[str, ...]) -> list[str]:
    """The lines of an index directive of MyST with words as main entries.

    >>> entries(("RNEA",))
    ['```{index} ! single: RNEA', '```', '']
    """
    return [line for word in words for line in (f"```{{index}} ! single: {word}", "```", "")]


def of_function(place: str) -> list[str]:
    """The lines that stand before the description of a function; none for most."""
    return entries(FUNCTIONS.get(place, ()))


def into_page(_app: object, name: str, source: list[str]) -> None:
    """Sphinx's event ``source-read``: the entries of a page stand behind its title."""
    if name in PAGES:
        title, _, text = source[0].partition("\n\n")
        source[0] = "\n".join([title, "", *entries(PAGES[name]), text])
