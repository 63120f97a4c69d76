"""Controllers for `armdyn.ClosedLoop`, as declared functions of the robot, and wrappers of a controller.

Controllers: `pd_gravity`, `pid`, `computed_torque`, `operational_space`, `impedance`, `admittance`,
`hybrid_motion_force`; of arms with flexible joints `motor_pd_gravity`, `flexible_feedforward`. Around any of them, or
one of your own: `saturated`, `sampled`, `delayed`, `quantised`, `noisy`, `differencing`, `friction_compensated`,
`momentum_observer`, `position_servo`, `through_motors`, `current_loop`, `implicit_damping`, `with_model`,
`with_options`, `with_gains`. All are `Function` objects, to be wrapped again. Gains are numbers, vectors or full
matrices; `scaled` and `unscaled` apply those of your own controllers. `references` and `draw_noise` make the inputs
that a loop takes over time; `require_finite` raises for a motion that diverges; `callback` is for controllers that
cannot be traced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.control.admittance import admittance
    from armdyn.control.callback import callback
    from armdyn.control.compensation import Compensation, compensation
    from armdyn.control.computed_torque import computed_torque
    from armdyn.control.current_loop import current_gains, current_loop
    from armdyn.control.delayed import delayed
    from armdyn.control.differencing import differencing
    from armdyn.control.flexible_feedforward import flexible_feedforward
    from armdyn.control.floating import floating_goal, floating_torque
    from armdyn.control.friction_compensated import friction_compensated
    from armdyn.control.hybrid_motion_force import hybrid_motion_force
    from armdyn.control.impedance import impedance
    from armdyn.control.implicit_damping import implicit_damping
    from armdyn.control.momentum_observer import momentum_observer
    from armdyn.control.motor_pd_gravity import motor_pd_gravity
    from armdyn.control.noisy import draw_noise, noisy
    from armdyn.control.operational_space import operational_space
    from armdyn.control.pd_gravity import pd_gravity
    from armdyn.control.pid import pid
    from armdyn.control.pose_errors import pose_error, rotation_vector
    from armdyn.control.position_servo import position_servo
    from armdyn.control.quantised import quantised
    from armdyn.control.references import references
    from armdyn.control.require_finite import require_finite
    from armdyn.control.sampled import sampled
    from armdyn.control.saturated import saturated
    from armdyn.control.through_motors import through_motors
    from armdyn.control.with_gains import scaled, unscaled, with_gains
    from armdyn.control.with_model import with_model
    from armdyn.control.with_options import with_options

_WHERE = {
    **{
        name: name
        for name in (
            "admittance",
            "callback",
            "computed_torque",
            "delayed",
            "differencing",
            "compensation",
            "flexible_feedforward",
            "friction_compensated",
            "hybrid_motion_force",
            "impedance",
            "implicit_damping",
            "momentum_observer",
            "motor_pd_gravity",
            "noisy",
            "operational_space",
            "pd_gravity",
            "pid",
            "position_servo",
            "quantised",
            "references",
            "require_finite",
            "sampled",
            "saturated",
            "through_motors",
            "with_gains",
            "with_model",
            "with_options",
        )
    },
    "Compensation": "compensation",
    **dict.fromkeys(("current_gains", "current_loop"), "current_loop"),
    "draw_noise": "noisy",
    **dict.fromkeys(("floating_goal", "floating_torque"), "floating"),
    **dict.fromkeys(("scaled", "unscaled"), "with_gains"),
    **dict.fromkeys(("pose_error", "rotation_vector"), "pose_errors"),
}

__all__ = [
    "Compensation",
    "admittance",
    "callback",
    "compensation",
    "computed_torque",
    "current_gains",
    "current_loop",
    "delayed",
    "differencing",
    "draw_noise",
    "flexible_feedforward",
    "floating_goal",
    "floating_torque",
    "friction_compensated",
    "hybrid_motion_force",
    "impedance",
    "implicit_damping",
    "momentum_observer",
    "motor_pd_gravity",
    "noisy",
    "operational_space",
    "pd_gravity",
    "pid",
    "pose_error",
    "position_servo",
    "quantised",
    "references",
    "require_finite",
    "rotation_vector",
    "sampled",
    "saturated",
    "scaled",
    "through_motors",
    "unscaled",
    "with_gains",
    "with_model",
    "with_options",
]

__getattr__ = names_of(__name__, _WHERE)
