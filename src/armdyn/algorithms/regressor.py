"""The regressor: joint forces are linear in the inertial parameters (Modern Robotics 8.1).

The wrench that moves a link is linear in its m, m c and I, so the power of that wrench along the screw of a joint is a
row of ten numbers, w_j . n + v_j . f. The screws are carried outwards to the link, one twist per pair of joint and
link, rather than ten wrenches per link inwards, which takes more operations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.link_screws import LinkScrew, Path, carried_outwards, in_link_frame, link_frame, unit_screws
from armdyn.algorithms.newton_euler import (
    BodyMotion,
    acceleration_tensor,
    base_motion,
    gyroscopic_moment,
    outward,
)
from armdyn.base.scalars import Scalar
from armdyn.model.drive import sign
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.standard_parameters import TEN, joint_quantities, parameter_count
from armdyn.spatial.rotations import Array, cross

PARAMETERS = {"parameters": parameter_count}


@function("(n),(n),(n),(6)?,(6)?->(n,parameters)", sizes=PARAMETERS)
def regressor(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
    offset: bool = False,
) -> Array:
    """Regressor Y(q, qd, qdd) of the joint forces tau = Y pi, N m or N over the unit of pi, shape (..., n, parameters).

    pi are the standard parameters, ten per moving link in its own frame: m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy,
    I_xz, I_yz, I_zz about the frame's origin; ``robot.standard_parameters()`` returns them with their names. Y pi
    equals `inverse_dynamics` of the robot with these parameters (Modern Robotics 8.1), the laws `Viscous` and `Coulomb`
    of its actuators among them, except other laws and parallel springs: ``standard_parameters().left_out`` names them.
    The last columns are one for each rotor that is a body of its own: its inertia about its axis, "JOINT.rotor".

    With constraints, it is the regressor of the tree: Y pi = M qdd + h = tau - A^T lambda.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        armature: add one column per joint for the inertia of its rotor: qdd. If None, they are present if some joint of
            the robot has armature.
        damping: add columns of viscous friction: qd; if None, they are present if a joint or its actuator has some.
        friction: add columns of Coulomb friction: sign(qd), 0 at rest; if None, likewise. They jump at reversals of a
            joint; leave such samples out of a fit.
        offset: add columns of a constant force: 1.

    >>> robot = armdyn.load("ur5")
    >>> q, qd, qdd = np.full(6, 0.3), np.ones(6), np.full(6, -2.0)
    >>> Y, pi = robot.regressor(q, qd, qdd), robot.standard_parameters()
    >>> Y.shape, bool(np.allclose(Y @ pi.values, robot.inverse_dynamics(q, qd, qdd)))
    ((6, 60), True)
    """
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(qdd)
    motions = outward(mechanism, q, qd, qdd, base_motion(mechanism.gravity, base_twist, base_twist_rate))
    rows = empty_rows(mechanism, len(mechanism.bodies))
    paths = carried_outwards(mechanism, q, unit_screws(mechanism))
    for k, body in enumerate(mechanism.links):
        motion = motion_in_link_frame(body, motions[k])
        for j, screw in paths[k].items():
            rows[j, of_link(body)] = force_per_parameter(in_link_frame(body, screw), motion)
    signs = [sign(rate) for rate in qd]
    factors: dict[str, Scalar] = {"armature": qdd, "damping": qd, "friction": signs, "offset": np.ones(len(qd))}
    chosen = joint_quantities(mechanism.model, armature=armature, damping=damping, friction=friction, offset=offset)
    spins = rotor_columns(mechanism, paths, [gyroscopic_moment(1.0, motion) for motion in motions])
    columns = [joint_columns(mechanism, factors[name]) for name in chosen]
    return by_coordinate(mechanism, np.hstack([rows, *columns, spins]))


def force_per_parameter(screw: LinkScrew, motion: BodyMotion) -> list[Scalar]:
    """The power along ``screw`` of the wrench F = m a + U h, N = h x a + I wd + w x I w, for each parameter alone."""
    (s, u), a, U = screw, motion.a, motion.U
    (wx, wy, wz), (ax, ay, az) = motion.w, motion.wd
    first_moment = U.T @ u + cross(a, s)
    return [
        u @ a,
        *first_moment,
        s @ np.array([ax, wx * wz, -(wx * wy)]),
        s @ np.array([-U[2, 0], U[2, 1], wx * wx - wy * wy]),
        s @ np.array([-(wy * wz), ay, wx * wy]),
        s @ np.array([U[1, 0], wz * wz - wx * wx, -U[1, 2]]),
        s @ np.array([wy * wy - wz * wz, -U[0, 1], U[0, 2]]),
        s @ np.array([wy * wz, -(wx * wz), az]),
    ]


def motion_in_link_frame(body: Body, motion: BodyMotion) -> BodyMotion:
    """The motion of a body about the origin and in the axes of the description's link frame."""
    R, p = link_frame(body)
    w, wd, a = R.T @ motion.w, R.T @ motion.wd, R.T @ (motion.a + motion.U @ p)
    return BodyMotion((), w, wd, a, acceleration_tensor(w, wd))


def of_link(body: Body) -> slice:
    """The columns of a body's link: links are in the order of their joints."""
    return slice(TEN * body.joint, TEN * (body.joint + 1))


def empty_rows(mechanism: Mechanism, count: int) -> Array:
    """Zeros for the parameters of all links."""
    return np.zeros((count, TEN * len(mechanism.links)), dtype=object)


def joint_columns(mechanism: Mechanism, factors: Array | Sequence[Scalar]) -> Array:
    """One column per joint, with the factor of its parameter, by body, in the row of its own body."""
    columns = np.zeros((len(mechanism.bodies), len(mechanism.links)), dtype=object)
    for k, body in enumerate(mechanism.links):
        columns[k, body.joint] = factors[k]
    return columns


def rotor_columns(mechanism: Mechanism, paths: Sequence[Path], moments: Sequence[Array]) -> Array:
    """One column per rotor: the power of the moment of its unit inertia along the screws that move it; by body."""
    columns = np.zeros((len(mechanism.bodies), len(mechanism.rotors)), dtype=object)
    for column in range(len(mechanism.rotors)):
        k = len(mechanism.links) + column
        for j, screw in paths[k].items():
            columns[j, column] = screw.w @ moments[k]
    return columns


def by_coordinate(mechanism: Mechanism, rows: Array) -> Array:
    """A^T Y: the rows of the coordinates from those of the bodies' joints."""
    return mechanism.drive.columns(dict(enumerate(rows)), rows=rows.shape[1]).T
