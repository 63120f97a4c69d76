"""Proportional-derivative control of the motors of an arm with flexible joints (Tomei 1991)."""

from __future__ import annotations

from armdyn.actuators import spring_deflections
from armdyn.algorithms import gravity_forces, parallel_spring_forces
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n),(n),(n),(n),(n)->(n)", gains=("Kp", "Kd"))
def motor_pd_gravity(model: Mechanism, theta: Array, thetad: Array, q_ref: Array, Kp: Array, Kd: Array) -> Array:
    """Motor forces tau = Kp (theta_ref - theta) - Kd thetad + g(q_ref), N m or N, shape (..., n).

    They use the rotors alone, as motors measure; theta_ref = q_ref + s^-1(g(q_ref)) are their positions while springs
    carry gravity at q_ref. The links come to rest at q_ref from every state if springs and Kp in series are stiffer
    than gravity changes: the smallest k Kp/(k + Kp) above the largest |dg/dq| (compare Tomei 1991). The springs need
    no damping. At a rigid joint theta = q, and it is `pd_gravity` with the gravity of the aim.

    A gain is a number for all joints, one for each, or a full matrix (`with_gains`).

    Args:
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        q_ref: desired rest positions of the links, rad or m, shape (..., n).
        Kp: stiffness of each motor's control, N m/rad or N/m, shape (..., n).
        Kd: its damping, N m s/rad or N s/m, shape (..., n).

    >>> from armdyn.actuators import Actuator, Motor, Spring
    >>> drive = Actuator(Motor(rotor_inertia=0.3), spring=Spring(stiffness=2000.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> method = armdyn.simulation.RungeKutta4(step=1e-3)
    >>> loop = armdyn.ClosedLoop(arm, armdyn.control.motor_pd_gravity, method=method)
    >>> rolled = loop([0.0, 0.0], steps=8000, q_ref=[0.5, -0.4], Kp=[200.0, 100.0], Kd=[60.0, 20.0])
    >>> bool(abs(rolled.final.q - [0.5, -0.4]).max() < 1e-3)
    True
    """
    gravity = gravity_forces(model, q_ref) + parallel_spring_forces(model, q_ref)
    tau: Array = scaled(Kp, q_ref + spring_deflections(model, gravity) - theta) - scaled(Kd, thetad) + gravity
    return tau
