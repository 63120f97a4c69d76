"""Lagrange's equations, step by step: tau_i = d/dt dL/dqd_i - dL/dq_i with L = K - P (Modern Robotics 8.1)."""

from __future__ import annotations

import numpy as np
from sympy import QQ
from sympy.polys.rings import PolyElement

from armdyn.derivation.arm import SymbolicArm, SymbolicRotor
from armdyn.derivation.friction import friction_forces
from armdyn.derivation.kinematics import Kinematics
from armdyn.derivation.springs import spring_energies
from armdyn.derivation.steps import Writer
from armdyn.spatial.rotations import Array

HALF = QQ(1, 2)


def lagrange(arm: SymbolicArm, writer: Writer) -> Array:
    """The joint forces tau by Lagrange's equations, shape (n,); every step is passed to the writer."""
    kinematics = Kinematics(arm)
    K, P = _energies(arm, kinematics, writer)
    L = sum(K, start=arm.algebra.ring(0)) - sum(P, start=arm.algebra.ring(0))
    writer.step("Lagrangian", "The Lagrangian is the kinetic energy less the potential energy.", [("L", "L", L)])
    tau = [_equation(arm, L, i, writer) for i in range(arm.dof)]
    return with_friction(arm, _vector(arm, tau), writer)


def _energies(arm: SymbolicArm, kinematics: Kinematics, writer: Writer) -> tuple[list[PolyElement], list[PolyElement]]:
    """Kinetic and potential energy of every link."""
    algebra, numbers = arm.algebra, range(1, len(arm.bodies) + 1)
    p, w = kinematics.centres, kinematics.angular_velocities
    writer.step(
        "Positions of the centres of mass",
        "Each centre of mass is found in the base frame from the positions of the joints.",
        [(f"p_C{i}", f"p_{{C_{{{i}}}}}", x) for i, x in zip(numbers, p, strict=True)],
    )
    v = [algebra.rates(x) for x in p]
    writer.step(
        "Velocities of the centres of mass",
        "The positions are differentiated by time.",
        [(f"v_C{i}", f"v_{{C_{{{i}}}}}", x) for i, x in zip(numbers, v, strict=True)],
    )
    writer.step(
        "Angular velocities",
        "Each link turns with the link that carries it and about its own joint; the components are along its own axes.",
        [(f"omega_{i}", f"\\omega_{{{i}}}", x) for i, x in zip(numbers, w, strict=True)],
    )
    K = [_kinetic(arm, kinematics, k, v[k]) for k in range(len(arm.bodies))]
    rotors = " and half of its rotor's inertia times the square of the joint's rate" * _has_rotors(arm)
    writer.step(
        "Kinetic energies",
        f"Each link has half of m v.v of its centre of mass and half of omega.I omega about it{rotors}.",
        [(f"K_{i}", f"K_{{{i}}}", x) for i, x in zip(numbers, K, strict=True)],
    )
    if arm.rotors:
        of_rotors = [_of_rotor(arm, kinematics, rotor) for rotor in arm.rotors]
        writer.step(
            "Kinetic energies of the rotors",
            "Each rotor has half of its moment times the square of its rate, that of its carrier and of its gear.",
            [(f"K_r{i}", f"K_{{r_{{{i}}}}}", x) for i, x in enumerate(of_rotors, start=1)],
        )
        K = [*K, *of_rotors]
    P = [_potential(arm, k, p[k]) for k in range(len(arm.bodies))]
    writer.step(
        "Potential energies",
        "Each link has the potential energy -m g.p in the field of gravity.",
        [(f"P_{i}", f"P_{{{i}}}", x) for i, x in zip(numbers, P, strict=True)],
    )
    if springs := spring_energies(arm):
        writer.step(
            "Energies of the springs",
            "Each spring of a joint has the energy of its deflection; its force is part of g(q).",
            [(f"P_s{i}", f"P_{{s_{{{i}}}}}", x) for i, x in springs],
        )
        P = [*P, *(spring.energy for spring in springs)]
    return K, P


def _has_rotors(arm: SymbolicArm) -> bool:
    return any(body.armature != 0 for body in arm.bodies)


def _kinetic(arm: SymbolicArm, kinematics: Kinematics, k: int, v: Array) -> PolyElement:
    """The kinetic energy K = m v.v / 2 + omega.I omega / 2 + a (A qd)^2 / 2 of a link."""
    algebra, body, w = arm.algebra, arm.bodies[k], kinematics.angular_velocities[k]
    along = algebra.reduced(v @ v)
    turning = algebra.reduced(w @ (algebra.array(body.tensor) @ w))
    rotor = algebra.element(body.armature) * kinematics.joint_rate(k) ** 2
    return algebra.reduced((algebra.element(body.mass) * along + turning + rotor) * HALF)


def _of_rotor(arm: SymbolicArm, kinematics: Kinematics, rotor: SymbolicRotor) -> PolyElement:
    """The kinetic energy I_a (u . omega + G qd)^2 / 2 of a rotor (Modern Robotics 8.104-8.112)."""
    rate = kinematics.rotor_rate(rotor, kinematics.angular_velocities, kinematics.joint_rate(rotor.driver))
    return arm.algebra.reduced(arm.algebra.element(rotor.inertia) * rate**2 * HALF)


def _potential(arm: SymbolicArm, k: int, p: Array) -> PolyElement:
    """The potential energy P = -m g.p of a link."""
    algebra = arm.algebra
    return algebra.reduced(-algebra.element(arm.bodies[k].mass) * (algebra.array(arm.gravity) @ p))


def _equation(arm: SymbolicArm, L: PolyElement, i: int, writer: Writer) -> PolyElement:
    """tau_i = d/dt dL/dqd_i - dL/dq_i, Modern Robotics 8.15."""
    algebra, n = arm.algebra, i + 1
    momentum = L.diff(algebra.qd[i])
    rate, slope = algebra.by_time(momentum), algebra.by_q(L, i)
    tau = algebra.reduced(rate - slope)
    partial, dot = r"\frac{\partial L}{\partial %s}", rf"\dot{{q}}_{{{n}}}"
    writer.step(
        f"Equation of {arm.coordinates[i]}",
        f"Lagrange's equation of {arm.coordinates[i]} gives the force tau_{n}.",
        [
            (f"dL/dqd_{n}", partial % dot, momentum),
            (f"d/dt dL/dqd_{n}", r"\frac{d}{dt}" + partial % dot, rate),
            (f"dL/dq_{n}", partial % f"q_{{{n}}}", slope),
            (f"tau_{n}", rf"\tau_{{{n}}}", tau),
        ],
    )
    return tau


def _vector(arm: SymbolicArm, values: list[PolyElement]) -> Array:
    filled = arm.algebra.zeros(len(values))
    filled[:] = values
    return filled


def with_friction(arm: SymbolicArm, tau: Array, writer: Writer) -> Array:
    """Joint forces including friction of the joints, if any."""
    rubbing = friction_forces(arm)
    if not any(rubbing):
        return tau
    equations = [(f"tau_f{i}", rf"\tau_{{f,{i}}}", f) for i, f in enumerate(rubbing, start=1)]
    writer.step("Friction", "Viscous and Coulomb friction of the joints are added to the joint forces.", equations)
    return np.asarray(tau + rubbing)
