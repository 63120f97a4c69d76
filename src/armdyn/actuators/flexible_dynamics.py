"""Arms with flexible joints: rotor, spring, link (Modern Robotics 8.9.5; Spong 1987).

With positions q of the links and theta of the rotors, as the joints see them (a rotor's own angle divided by its gear's
ratio),

    M(q) qdd + h(q, qd) + J^T f_tip = tau_J                              links
    B thetadd + tau_J + friction(thetad, tau_J) = tau                    rotors
    tau_J = k (theta - q) + c (theta - q)^3 + d (thetad - qd)            springs, without backlash

M and h are those of the arm without the rotors of flexible joints, which turn about their own axes only (Spong's
assumption). Arrays have one value per joint. At a rigid joint theta = q: its rotor is part of M, its row of the first
line has tau in the place of tau_J, and its values of theta and thetad are not read.

Constraints act on the links: A^T lambda joins their left side, and A qdd + Adot qd = 0 (Modern Robotics 8.93, 8.95).
Given tau_J, the links are a rigid arm within constraints; rotors do not feel these but by their springs.
"""

from __future__ import annotations

import numpy as np

from armdyn.actuators.declared import function
from armdyn.actuators.flexible_joints import FlexibleJoint, flexible_joints, links_side
from armdyn.algorithms.energy import kinetic_energy
from armdyn.algorithms.quicker_method import quicker_method
from armdyn.base.scalars import Scalar
from armdyn.constraints.dynamics import constrained_forward_dynamics, nan_without_rank
from armdyn.constraints.rigid_motion import RigidMotion, rigid_motion
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n),(n),(n),(n),(n),(6)?,(links,6)?->(n),(n)")
def flexible_forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    theta: Array,
    thetad: Array,
    tau: Array,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
) -> tuple[Array, Array]:
    """Accelerations of links and rotors qdd, thetadd of an arm with springs, rad/s^2 or m/s^2, shapes (..., n).

    M qdd = tau_J - h - J^T f_tip and B thetadd = tau - tau_J - friction (Modern Robotics 8.9.5). At a rigid joint
    theta = q, and the two accelerations are one.

    Within constraints qdd satisfies A qdd + Adot qd = 0 (Modern Robotics 8.96); phi = 0 and A qd = 0 are not checked.
    `flexible_multipliers`.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n); not read at rigid joints.
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n); not read at rigid joints.
        tau: forces of the motors at the joints, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).

    Raises:
        ModelError: a spring at a joint without a rotor's inertia.
        Unsupported: springs at coupled joints.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Spring
    >>> drive = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=5000.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> qdd, thetadd = arm.flexible_forward_dynamics([0, 0], [0, 0], [1e-3, 0], [0, 0], [5.0, 0.1])
    >>> thetadd
    array([0., 1.])
    """
    joints = flexible_joints(mechanism)
    on_links = forces_on_links(joints, q, qd, theta, thetad, tau)
    links = rigid_motion(links_side(mechanism, joints), q, qd, on_links, f_tip, f_ext)
    return _accelerations(joints, links, on_links, thetad, tau)


def _accelerations(
    joints: list[FlexibleJoint], links: RigidMotion, on_links: Array, thetad: Array, tau: Array
) -> tuple[Array, Array]:
    """qdd and thetadd, from the motion of the links; NaN if constraints have lost rank."""
    qdd = links.qdd
    if links.constrained is not None:
        qdd = qdd * nan_without_rank(links.constrained.independence)
    thetadd = np.array(qdd, dtype=object)
    for joint in joints:
        i = joint.coordinate
        thetadd[i] = (tau[i] - on_links[i] - joint.friction(thetad[i], on_links[i])) / joint.inertia
    return qdd, thetadd


def forces_on_links(joints: list[FlexibleJoint], q: Array, qd: Array, theta: Array, thetad: Array, tau: Array) -> Array:
    """tau_J of flexible joints, tau of rigid ones, N m or N."""
    forces = np.array(tau, dtype=object)
    for joint in joints:
        forces[joint.coordinate] = joint.force(q, qd, theta, thetad)
    return forces


@function("(n),(n),(n),(n),(n),(6)?,(links,6)?->(constraints)")
def flexible_multipliers(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    theta: Array,
    thetad: Array,
    tau: Array,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
) -> Array:
    """Lagrange multipliers lambda of an arm with springs and constraints, N or N m, shape (..., constraints).

    They solve M qdd + h + A^T lambda = tau_J (Modern Robotics 8.93, 8.98) along the motion of
    `flexible_forward_dynamics`, with its arguments; NaN if A has lost rank.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        tau: forces of the motors at the joints, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).

    Raises:
        ModelError: a robot without constraints; a spring at a joint without a rotor's inertia.
        Unsupported: springs at coupled joints.
    """
    joints = flexible_joints(mechanism)
    on_links = forces_on_links(joints, q, qd, theta, thetad, tau)
    motion = constrained_forward_dynamics(links_side(mechanism, joints), q, qd, on_links, f_tip, f_ext)
    return np.asarray(motion.multipliers * nan_without_rank(motion.independence))


@function("(n),(n)->()")
def spring_energy(mechanism: Mechanism, q: Array, theta: Array) -> Scalar:
    """Energy stored in the springs of flexible joints, sum of k x^2/2 + c x^4/4 with x = theta - q, J, scalar.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
    """
    joints = flexible_joints(mechanism)
    return sum((j.spring.energy(theta[j.coordinate] - q[j.coordinate]) for j in joints), start=0.0)


@function("(n)->(n)")
def spring_deflections(mechanism: Mechanism, tau: Array) -> Array:
    """Deflections x = theta - q of the springs that carry joint forces at rest, rad or m, shape (..., n).

    They are the roots of k x + c x^3 = tau; 0 at rigid joints.

    Args:
        tau: forces that the joints transmit, N m or N, shape (..., n): of `gravity_forces`, if the arm is at rest.
    """
    x = np.zeros(mechanism.dof, dtype=object)
    for joint in flexible_joints(mechanism):
        x[joint.coordinate] = joint.spring.deflection(tau[joint.coordinate])
    return x


@function("(n),(n),(n)->()")
def flexible_kinetic_energy(mechanism: Mechanism, q: Array, qd: Array, thetad: Array) -> Scalar:
    """Kinetic energy of links and rotors qd^T M qd/2 + sum B thetad^2/2 of an arm with springs, J, scalar.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n); not read at rigid joints.
    """
    joints = flexible_joints(mechanism)
    rotors: Scalar = sum((0.5 * j.inertia * thetad[j.coordinate] ** 2 for j in joints), start=0.0)
    return kinetic_energy(links_side(mechanism, joints), q, qd) + rotors


@function("(n),(n),(n),(n),(n),(6)?->(n),(n),()")
def flexible_motion(
    mechanism: Mechanism, q: Array, qd: Array, theta: Array, thetad: Array, tau: Array, f_tip: Array | None = None
) -> tuple[Array, Array, Scalar]:
    """`flexible_forward_dynamics`, rad/s^2 or m/s^2, shapes (..., n), and the power of the external forces, W, scalar.

    The power is that of motors and surroundings, tau . thetad - f_tip . V_tip, less the losses by friction, by elements
    and by the damping of the springs: the rate of kinetic, potential and spring energy.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        tau: forces of the motors at the joints, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    joints = flexible_joints(mechanism)
    side, on_links = links_side(mechanism, joints), forces_on_links(joints, q, qd, theta, thetad, tau)
    links = rigid_motion(side, q, qd, on_links, f_tip, method=quicker_method(side))
    power: Scalar = 0.0
    for joint in joints:
        power = power + _power_of_rotor(joint, q, qd, theta, thetad, tau)
    rigid = np.array(tau, dtype=object)
    rigid[[joint.coordinate for joint in joints]] = 0.0
    return *_accelerations(joints, links, on_links, thetad, tau), power + links.power(side, q, qd, rigid, f_tip)


def _power_of_rotor(joint: FlexibleJoint, q: Array, qd: Array, theta: Array, thetad: Array, tau: Array) -> Scalar:
    """Power of the motor of a flexible joint less the losses by friction and in the spring, W."""
    i, load = joint.coordinate, joint.force(q, qd, theta, thetad)
    through = tau[i] - joint.friction(thetad[i], load)
    return through * thetad[i] - joint.spring.lost_power(theta[i] - q[i], thetad[i] - qd[i])
