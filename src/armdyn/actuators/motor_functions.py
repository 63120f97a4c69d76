"""Torques, currents, voltages and powers of the motors for a motion, and joint forces of their currents.

The torque of a motor is the electromagnetic one, k_t I. By inverse dynamics a joint needs tau, in which the rotor's
inertia and the friction of shaft, gear and joint already count; the motor provides it through the gear:

    tau = G (k_t I + tau_cogging).

Results have a number for each joint with a motor, in the order of q.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn.actuators.declared import function
from armdyn.actuators.joint_motors import CONSTANTS, JointMotor, motor_count, motors_of
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.program import rate
from armdyn.spatial.rotations import Array

MOTORS = {"motors": motor_count}
"""Length of arrays with one number for each motor."""


@function("(n),(n),(n),(6)?,(links,6)?->(motors)", sizes=MOTORS)
def motor_torques(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, f_tip: Array | None = None, f_ext: Array | None = None
) -> Array:
    """Electromagnetic torques of the motors k_t I = tau(q, qd, qdd)/G - tau_cogging, N m, shape (..., motors).

    The torque is tau of `inverse_dynamics` at the shaft of the motor (Modern Robotics 8.9.2, 8.112): it moves the
    links, the gear and the rotor, against the friction in joint, gear and motor.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).

    Raises:
        ModelError: a robot without motors.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.

    >>> from armdyn.actuators import Actuator, Gear, Motor
    >>> drive = Actuator(Motor(torque_constant=0.03, resistance=0.3), Gear(100.0))
    >>> robot = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> holding = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    >>> robot.motor_torques(*holding) * 100 - robot.inverse_dynamics(*holding)
    array([0., 0.])
    """
    tau = inverse_dynamics(mechanism, q, qd, qdd, f_tip, f_ext=f_ext)
    return _of_motors(mechanism, lambda own, k: own.motor_torque(tau, q))


@function("(n),(n),(n),(6)?,(links,6)?->(motors)", sizes=MOTORS)
def motor_currents(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, f_tip: Array | None = None, f_ext: Array | None = None
) -> Array:
    """Currents of the motors I(q, qd, qdd), A, shape (..., motors): `motor_torques` over k_t (Modern Robotics 8.9.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).

    Raises:
        ModelError: a robot without motors, or a motor whose torque constant is not given.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.
    """
    torques = motor_torques(mechanism, q, qd, qdd, f_tip, f_ext)
    return _of_motors(mechanism, lambda own, k: own.motor.current(torques[k]), "torque_constant")


@function("(n),(n),(n),(n)?,(6)?,(links,6)?,(motors)?->(motors)", sizes=MOTORS)
def motor_voltages(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    qddd: Array | None = None,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
    winding_rise: Array | None = None,
) -> Array:
    """Voltages of the motors V = k_t w + R I + L dI/dt at (q, qd, qdd), V, shape (..., motors) (Modern Robotics 8.103).

    dI/dt is the exact rate of `motor_currents` along the motion, under loads that are held; without qddd the term is
    left out.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        qddd: joint jerks, rad/s^3 or m/s^3, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).
        winding_rise: temperature of the windings above the ambient, K, shape (..., motors); at the reference
            temperature if left out. A motor without a thermal model has copper's coefficient.

    Raises:
        ModelError: a robot without motors, or a motor whose torque constant or resistance is not given.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.
    """
    currents, rates = _currents_and_rates(mechanism, q, qd, qdd, qddd, f_tip, f_ext, winding_rise)
    return _of_motors(
        mechanism, lambda own, k: _warm(own, winding_rise, k).voltage(currents[k], own.speed(qd), rates[k]), *CONSTANTS
    )


@function("(n),(n),(n),(n)?,(6)?,(links,6)?,(motors)?->(motors)", sizes=MOTORS)
def electrical_power(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    qddd: Array | None = None,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
    winding_rise: Array | None = None,
) -> Array:
    """Electrical power of the motors V I at (q, qd, qdd), W, shape (..., motors): from the supply, or to it.

    A negative power is generated by the motor, less the heat of its winding (Modern Robotics 8.9.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        qddd: joint jerks, rad/s^3 or m/s^3, shape (..., n); as of `motor_voltages`.
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).
        winding_rise: temperature of the windings above the ambient, K, shape (..., motors); at the reference
            temperature if left out. A motor without a thermal model has copper's coefficient.

    Raises:
        ModelError: a robot without motors, or a motor whose torque constant or resistance is not given.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.
    """
    currents, rates = _currents_and_rates(mechanism, q, qd, qdd, qddd, f_tip, f_ext, winding_rise)
    return _of_motors(
        mechanism,
        lambda own, k: _warm(own, winding_rise, k).electrical_power(currents[k], own.speed(qd), rates[k]),
        *CONSTANTS,
    )


@function("(n),(n)->(motors)", sizes=MOTORS)
def current_commands(mechanism: Mechanism, q: Array, tau: Array) -> Array:
    """Currents I_com at which the motors give joint forces tau at q, A, shape (..., motors) (Modern Robotics 8.9.2).

    (tau/G - tau_cogging(q)) / k_t: the command to the amplifiers for a controller's tau. Losses of gears are friction,
    so they are in tau already: of a load that the motor drives, tau/(G k_t) of inverse dynamics is the book's
    tau_motor/(eta k_t), with eta on the load and not on the torque that accelerates the rotor.

    Args:
        q: joint positions, rad or m, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).

    Raises:
        ModelError: a robot without motors, or a motor whose torque constant is not given.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.
    """
    return _of_motors(mechanism, lambda own, k: own.motor.current(own.motor_torque(tau, q)), "torque_constant")


@function("(n),(motors)->(n)", sizes=MOTORS)
def forces_of_currents(mechanism: Mechanism, q: Array, currents: Array) -> Array:
    """Joint forces tau = G (k_t I + tau_cogging(q)) that currents give, N m or N, shape (..., n): for forward dynamics.

    The inverse of `current_commands` (Modern Robotics 8.9.1); 0 for joints without a motor.

    Args:
        q: joint positions, rad or m, shape (..., n).
        currents: of the motors, A, shape (..., motors).

    Raises:
        ModelError: a robot without motors, or a motor whose torque constant is not given.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.
    """
    tau = np.zeros(mechanism.dof, dtype=object)
    for own, current in zip(motors_of(mechanism, "torque_constant"), currents, strict=True):
        tau[own.coordinate] = own.joint_force(own.motor.torque(current), q)
    return tau


def _of_motors(mechanism: Mechanism, of_one: Callable[[JointMotor, int], Scalar], *needs: str) -> Array:
    """A number of every motor, from the motor and its place among them; ``needs`` are constants that all must have."""
    return np.array([of_one(own, k) for k, own in enumerate(motors_of(mechanism, *needs))])


def _warm(own: JointMotor, winding_rise: Array | None, k: int) -> Scalar:
    return own.motor if winding_rise is None else own.motor.at(winding_rise[k])


def _currents_and_rates(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    qddd: Array | None,
    f_tip: Array | None,
    f_ext: Array | None,
    winding_rise: Array | None,
) -> tuple[Array, Scalar]:
    """I and dI/dt, of warm motors if their windings' rise is given; zero rates without a jerk."""

    def of_motion(x: Array) -> Array:
        currents: Array = motor_currents(mechanism, *np.split(x, 3), f_tip, f_ext)
        if winding_rise is None:
            return currents
        of_warm = [
            own.motor.torque(current) / _warm(own, winding_rise, k).k_t
            for k, (own, current) in enumerate(zip(motors_of(mechanism, "torque_constant"), currents, strict=True))
        ]
        return np.array(of_warm)

    currents = of_motion(np.concatenate([q, qd, qdd]))
    if qddd is None:
        return currents, np.zeros(len(currents))

    return currents, rate(of_motion, np.concatenate([q, qd, qdd]), np.concatenate([qd, qdd, qddd]))
