"""Inverse dynamics of arms with flexible joints: motion and forces of the rotors for a motion of the links.

The links need tau_J(q, qd, qdd) at the springs. Its rates follow from jerk and snap by the chain rule, exactly,

    tau_J' = (d tau_J/d(q, qd, qdd)) (qd, qdd, jerk),    tau_J'' likewise from it and (qd, qdd, jerk, snap),

and with x = theta - q and the elastic force s(x) = k x + c x^3 of an undamped spring

    s(x) = tau_J,    s' x' = tau_J',    s' x'' = tau_J'' - s'' x'^2.

A wrench of the tip is a further argument of tau_J, with rates of its own.

A damped spring does not give x by the motion of the links at one time: s(x) + d x' = tau_J is a differential equation
of x, whose state is an argument here, `deflection`; then x' = (tau_J - s)/d and x'' = (tau_J' - s' x')/d.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.actuators.declared import function
from armdyn.actuators.flexible_joints import flexible_joints, links_side
from armdyn.actuators.spring import Spring
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.base.errors import TraceError, Unsupported
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.program import rate
from armdyn.spatial.rotations import Array


class FlexibleInverseDynamics(NamedTuple):
    """Motion of the rotors of an arm with springs, and the forces of the motors, each of shape (..., n).

    Args:
        theta: positions of the rotors at the joints, rad or m.
        thetad: their velocities, rad/s or m/s.
        thetadd: their accelerations, rad/s^2 or m/s^2.
        tau: forces of the motors at the joints, N m or N.
    """

    theta: Array
    thetad: Array
    thetadd: Array
    tau: Array


@function("(n),(n),(n),(n),(n),(n)?,(6)?,(6)?,(6)?,(links,6)?->(n),(n),(n),(n)", result=FlexibleInverseDynamics)
def flexible_inverse_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    jerk: Array,
    snap: Array,
    deflection: Array | None = None,
    f_tip: Array | None = None,
    f_tip_rate: Array | None = None,
    f_tip_second_rate: Array | None = None,
    f_ext: Array | None = None,
) -> FlexibleInverseDynamics:
    """Motion of the rotors and forces of the motors tau, N m or N, for a motion of links driven through springs.

    tau = B thetadd + tau_J + friction(thetad, tau_J), with theta and its rates from tau_J and its exact rates (De Luca
    and Book 2016, 11.1). A step of Coulomb friction at the links counts as having no rate. At a rigid joint theta = q.
    If the load of a spring with backlash changes its sign, theta jumps from one side of the backlash to the other,
    which no motor can do; the rates are those on either side.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        qdd: accelerations of the links, rad/s^2 or m/s^2, shape (..., n).
        jerk: their rate, rad/s^3 or m/s^3, shape (..., n).
        snap: the rate of the jerk, rad/s^4 or m/s^4, shape (..., n).
        deflection: theta - q, rad or m, shape (..., n), read at joints with damped springs only. It is a state there:
            its rate is thetad - qd of the result. Required if a spring is damped.
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_tip_rate: the rate at which these six numbers change, N m/s and N/s, shape (..., 6); zero if left out.
        f_tip_second_rate: the rate of that, N m/s^2 and N/s^2, shape (..., 6); zero if left out.
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), whose
            numbers do not change.

    Raises:
        TraceError: a damped spring without its deflection.
        ModelError: a spring at a joint without a rotor's inertia.
        Unsupported: springs at coupled joints, or together with constraints; a spring that is damped and has backlash.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Spring
    >>> drive = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=5000.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> motion = [0.1, 0.2], [1.0, -1.0], [2.0, 0.5], [0.0, 3.0], [9.0, 0.0]
    >>> found = arm.flexible_inverse_dynamics(*motion)
    >>> qdd, thetadd = arm.flexible_forward_dynamics([0.1, 0.2], [1.0, -1.0], found.theta, found.thetad, found.tau)
    >>> qdd.round(12)
    array([2. , 0.5])
    """
    _refuse_constraints(mechanism)
    joints = flexible_joints(mechanism)
    side = links_side(mechanism, joints)
    wrench = _chain(f_tip, f_tip_rate, f_tip_second_rate)
    tau = np.array(inverse_dynamics(side, q, qd, qdd, next(iter(wrench), None), None, None, f_ext), dtype=object)
    flexible = [joint.coordinate for joint in joints]
    loads, first, second = _with_rates(side, flexible, [q, qd, qdd, jerk, snap], wrench, f_ext)
    theta, thetad, thetadd = (np.array(x, dtype=object) for x in (q, qd, qdd))
    for joint, load, load_rate, load_rate_rate in zip(joints, loads, first, second, strict=True):
        i, spring = joint.coordinate, joint.spring
        if spring.is_damped and spring.is_loose:
            raise Unsupported(
                f"the spring of {mechanism.model.coordinates[i].name!r} of {mechanism.name!r} is damped and has "
                "backlash; its load determines the rotor's position with one of them only: Spring(damping=0) or "
                "Spring(backlash=0)"
            )
        if spring.is_damped:
            if deflection is None:
                raise TraceError(
                    f"the spring of {mechanism.model.coordinates[i].name!r} of {mechanism.name!r} is damped, so that "
                    "the motion of the links alone does not say where its rotor is; give deflection=, theta - q, too"
                )
            x = _damped(spring, deflection[i], load, load_rate)
        else:
            x = _elastic(spring, load, load_rate, load_rate_rate)
        theta[i], thetad[i], thetadd[i] = q[i] + x[0], qd[i] + x[1], qdd[i] + x[2]
        tau[i] = joint.inertia * thetadd[i] + load + joint.friction(thetad[i], load)
    return FlexibleInverseDynamics(theta, thetad, thetadd, tau)


def _refuse_constraints(mechanism: Mechanism) -> None:
    """Refuse constraints, because the equations would need two rates of their forces."""
    if mechanism.model.constraints:
        names = ", ".join(constraint.name for constraint in mechanism.model.constraints)
        raise Unsupported(
            f"{mechanism.name!r} has flexible joints and constraints ({names}), and flexible_inverse_dynamics solves "
            "for springs alone; take one away: robot.without_springs() or robot.without_constraints()"
        )


def _chain(*rates: Array | None) -> list[Array]:
    """A wrench and its rates, zero if left out; empty without any."""
    return [] if all(x is None for x in rates) else [np.zeros(6) if x is None else x for x in rates]


def _with_rates(
    side: Mechanism, flexible: list[int], motion: list[Array], wrench: list[Array], f_ext: Array | None
) -> tuple[Array, Array, Array]:
    """tau_J of the flexible joints and its first and second rate.

    Args:
        side: the arm on the links' side of the springs.
        flexible: the coordinates of the flexible joints.
        motion: q and its first four rates.
        wrench: f_tip and its first two, or nothing.
        f_ext: wrenches that do not change.
    """
    n = side.dof

    def together(order: int, later: int = 0) -> Array:
        """The arguments of the rate of that order in one vector; with ``later`` 1 their time derivatives."""
        return np.concatenate([*motion[later : 3 + order + later], *wrench[later : 1 + order + later]])

    def forces(x: Array) -> Array:
        f_tip = x[3 * n :] if wrench else None
        return np.asarray(inverse_dynamics(side, *x[: 3 * n].reshape(3, n), f_tip, None, None, f_ext))[flexible]

    def rates(x: Array) -> Array:
        of_motion, of_wrench = x[: 4 * n], x[4 * n :]
        at = np.concatenate([of_motion[:-n], of_wrench[:6]])
        return np.asarray(rate(forces, at, np.concatenate([of_motion[n:], of_wrench[6:]])))

    if not flexible:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    return forces(together(0)), rates(together(1)), np.asarray(rate(rates, together(1), together(1, later=1)))


def _elastic(spring: Spring, load: Scalar, load_rate: Scalar, load_rate_rate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """x, x', x'' of an undamped spring."""
    x = spring.deflection(load)
    slope = spring.slope(x)
    xd = load_rate / slope
    xdd = (load_rate_rate if spring.is_linear else load_rate_rate - spring.slope_rate(x) * xd * xd) / slope
    return x, xd, xdd


def _damped(spring: Spring, x: Scalar, load: Scalar, load_rate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """x, x', x'' of a damped spring, from its state x."""
    xd = (load - spring.elastic_force(x)) / spring.damping
    return x, xd, (load_rate - spring.slope(x) * xd) / spring.damping
