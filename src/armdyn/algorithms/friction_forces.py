"""Joint forces of friction (Modern Robotics 8.9.4)."""

from __future__ import annotations

from armdyn.algorithms.declared import function
from armdyn.algorithms.newton_euler import base_motion, links_in_motion, loads_of_drives
from armdyn.base.advice import either
from armdyn.base.errors import TraceError
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array


@function("(n),(n),(n)?,(6)?,(links,6)?->(n)")
def friction_forces(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array | None = None,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
) -> Array:
    """Joint forces of friction tau_fric(q, qd), N m or N, shape (..., n), with the sign of qd.

    They are damping qd + friction sign(qd) of every joint, and the laws of its actuator (Modern Robotics 8.9.4, UCL).
    At rest the friction is 0, the middle of its range while a joint sticks. It is part of `inverse_dynamics` and
    `bias_forces`. If the joints of the description are coupled, the friction of each acts on the coordinates that move
    it. If it depends on the load, that of a robot with constraints is that of its tree, without constraint forces.

    Args:
        q: joint positions, rad or m, shape (..., n). They matter if the friction of a gear depends on its load.
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n): needed if friction depends on the load.
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).

    Raises:
        TraceError: without qdd, if friction depends on the load.

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_2": (0.5, 2.0)})
    >>> arm.friction_forces([0.1, 0.2], [1.0, -3.0])
    array([ 0. , -3.5])
    """
    drive, rates = mechanism.drive, mechanism.drive.rates(qd)
    if not drive.depends_on_load:
        return drive.forces(drive.friction_forces(rates, [0.0] * len(rates)))
    if qdd is None:
        raise TraceError(
            f"friction of {mechanism.name!r} depends on the load of its gears, which follows from the accelerations; "
            + either("give qdd too", "give qdd too, armdyn export by --optional-input qdd")
            + ". Functions without qdd, e.g. momentum_observer, need friction "
            "that depends on velocities alone, or " + either("robot.without_friction()", "--ignore-friction")
        )
    mechanism, q = regroup(mechanism), drive.positions(q)
    base = base_motion(mechanism.gravity)
    _, wrenches = links_in_motion(mechanism, q, rates, drive.rates(qdd), base, f_tip, f_ext)
    return drive.forces(drive.friction_forces(rates, loads_of_drives(mechanism, q, wrenches, rates)))
