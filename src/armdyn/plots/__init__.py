"""Pictures for print by matplotlib objects: without global state, window or display.

`armdyn.plots.robot.plot` draws a robot (``robot.plot(q)``), `plot_trajectory` a simulation over time,
`animate_trajectory` the moving arm; `draw_on_arm`, `draw_joint_ellipses`, `draw_tip_ellipses` the ellipsoids of
`armdyn.ellipsoids`; `draw_friction` friction against velocity, `draw_friction_map` that of a robot,
`draw_operating_region`, `draw_gear_ratios` and `draw_efficiency_map` the capabilities of motors, `draw_drive_histories`
their torques and temperatures over a motion; `draw_sizing` the report of `armdyn.sizing`; `draw_check` a fit compared
with a log, `draw_collisions` forces from outside, `draw_excitation` an exciting motion; `draw_masp` and
`draw_simulation` the two halves of `armdyn.masp`, `draw_zero_position` an arm at q = 0; `draw_velocity_terms`
centripetal and Coriolis accelerations, `draw_torque_split` joint forces along and against a constraint. Only
`armdyn.modern_robotics.SimulateControl`, which opens a window like the book's code, uses matplotlib outside this
package.
"""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.plots.animate import animate_trajectory
    from armdyn.plots.animation import Animation
    from armdyn.plots.drives import draw_drive_histories, draw_efficiency_map
    from armdyn.plots.ellipses import draw_joint_ellipses, draw_tip_ellipses
    from armdyn.plots.friction import draw_friction
    from armdyn.plots.friction_map import draw_friction_map
    from armdyn.plots.holding import draw_holding_set
    from armdyn.plots.identification import draw_check, draw_collisions, draw_excitation
    from armdyn.plots.masp import draw_masp, draw_simulation
    from armdyn.plots.motors import draw_gear_ratios, draw_operating_region
    from armdyn.plots.on_arm import ForeignEllipsoid, draw_on_arm
    from armdyn.plots.residuals import draw_residuals
    from armdyn.plots.sizing import draw_sizing
    from armdyn.plots.style import PictureError, write_figure
    from armdyn.plots.torque_split import draw_torque_split
    from armdyn.plots.trajectory import plot_trajectory
    from armdyn.plots.velocity_terms import draw_velocity_terms
    from armdyn.plots.zero_position import draw_zero_position

_WHERE = {
    "Animation": "animation",
    "ForeignEllipsoid": "on_arm",
    "PictureError": "style",
    "animate_trajectory": "animate",
    "draw_check": "identification",
    "draw_collisions": "identification",
    "draw_friction_map": "friction_map",
    "draw_drive_histories": "drives",
    "draw_efficiency_map": "drives",
    "draw_excitation": "identification",
    "draw_friction": "friction",
    "draw_gear_ratios": "motors",
    "draw_holding_set": "holding",
    "draw_joint_ellipses": "ellipses",
    "draw_masp": "masp",
    "draw_on_arm": "on_arm",
    "draw_operating_region": "motors",
    "draw_residuals": "residuals",
    "draw_simulation": "masp",
    "draw_sizing": "sizing",
    "draw_tip_ellipses": "ellipses",
    "draw_torque_split": "torque_split",
    "draw_velocity_terms": "velocity_terms",
    "draw_zero_position": "zero_position",
    "plot_trajectory": "trajectory",
    "write_figure": "style",
}

__all__ = [
    "Animation",
    "ForeignEllipsoid",
    "PictureError",
    "animate_trajectory",
    "draw_check",
    "draw_collisions",
    "draw_drive_histories",
    "draw_efficiency_map",
    "draw_excitation",
    "draw_friction",
    "draw_friction_map",
    "draw_gear_ratios",
    "draw_holding_set",
    "draw_joint_ellipses",
    "draw_masp",
    "draw_on_arm",
    "draw_operating_region",
    "draw_residuals",
    "draw_simulation",
    "draw_sizing",
    "draw_tip_ellipses",
    "draw_torque_split",
    "draw_velocity_terms",
    "draw_zero_position",
    "plot_trajectory",
    "write_figure",
]

__getattr__ = names_of(__name__, _WHERE)
