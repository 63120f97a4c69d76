"""The Newton-Euler recursion, iteration by iteration, as in Craig 6.45 to 6.53 and the lecture notes, for trees too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sympy.polys.rings import PolyElement

from armdyn.derivation.arm import SymbolicArm, SymbolicRotor
from armdyn.derivation.kinematics import Kinematics, cross
from armdyn.derivation.lagrange import with_friction
from armdyn.derivation.springs import with_spring_forces
from armdyn.derivation.steps import Writer
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class BodyMotion:
    """Angular velocity, its rate, accelerations of the frame's origin and the centre of mass, in link axes."""

    w: Array
    wd: Array
    vd: Array
    vdc: Array


def newton_euler(arm: SymbolicArm, writer: Writer) -> Array:
    """The joint forces tau by the Newton-Euler recursion, shape (n,); every iteration is passed to the writer."""
    kinematics = Kinematics(arm)
    base = -arm.algebra.array(arm.gravity)
    writer.step(
        "Base", "Gravity is counted as an acceleration of the base upwards.", [("vd_0", r"{}^0\dot{v}_0", base)]
    )
    motions: list[BodyMotion] = []
    wrenches: list[tuple[Array, Array]] = []
    for k in range(len(arm.bodies)):
        motions.append(_outward(arm, kinematics, k, motions, base))
        wrenches.append(_of_link(arm, k, motions[k]))
        F, N = wrenches[k]
        wrenches[k] = F, arm.algebra.each(N + _of_rotors(arm, kinematics, k, motions))
        _write_outward(arm, k, motions[k], *wrenches[k], writer)
    forces = _inward(arm, kinematics, wrenches, writer)
    for rotor in arm.rotors:
        forces[rotor.driver] += arm.algebra.element(rotor.ratio) * _spin(arm, kinematics, rotor, motions)[1]
    tau = with_spring_forces(arm, _of_coordinates(arm, forces, writer), writer)
    return with_friction(arm, tau, writer)


def _outward(arm: SymbolicArm, kinematics: Kinematics, k: int, motions: list[BodyMotion], base: Array) -> BodyMotion:
    """The motion of a link in the outward iteration, Craig 6.45, 6.46, 6.32, 6.35."""
    algebra, body = arm.algebra, arm.bodies[k]
    zero = algebra.zeros(3)
    parent = motions[body.parent] if body.parent >= 0 else BodyMotion(zero, zero, base, base)
    (R, p), axis = kinematics.steps[k], kinematics.axis(k)
    along, faster = axis * kinematics.joint_rate(k), axis * kinematics.joint_acceleration(k)
    carried = R.T @ parent.w
    vd = R.T @ (cross(parent.wd, p) + cross(parent.w, cross(parent.w, p)) + parent.vd)
    if body.revolute:
        w, wd = carried + along, R.T @ parent.wd + cross(carried, along) + faster
    else:
        w, wd = carried, R.T @ parent.wd
        vd = vd + cross(w, along) * 2 + faster
    w, wd, vd = algebra.each(w), algebra.each(wd), algebra.each(vd)
    com = algebra.array(body.com)
    return BodyMotion(w, wd, vd, algebra.each(cross(wd, com) + cross(w, cross(w, com)) + vd))


def _of_link(arm: SymbolicArm, k: int, motion: BodyMotion) -> tuple[Array, Array]:
    """The force F = m vd_C and moment N = I wd + w x I w of a link, Craig 6.47, 6.48."""
    algebra, body = arm.algebra, arm.bodies[k]
    inertia = algebra.array(body.tensor)
    F = motion.vdc * algebra.element(body.mass)
    N = inertia @ motion.wd + cross(motion.w, inertia @ motion.w)
    return algebra.each(F), algebra.each(N)


def _spin(
    arm: SymbolicArm, kinematics: Kinematics, rotor: SymbolicRotor, motions: list[BodyMotion]
) -> tuple[PolyElement, PolyElement]:
    """The angular momentum of a rotor about its axis, and its rate."""
    inertia, k = arm.algebra.element(rotor.inertia), rotor.driver
    rate = kinematics.rotor_rate(rotor, [motion.w for motion in motions], kinematics.joint_rate(k))
    faster = kinematics.rotor_rate(rotor, [motion.wd for motion in motions], kinematics.joint_acceleration(k))
    return inertia * rate, inertia * faster


def _of_rotors(arm: SymbolicArm, kinematics: Kinematics, k: int, motions: list[BodyMotion]) -> Array:
    """The moment on the rotors carried by a link: hd u + omega x h u."""
    total = arm.algebra.zeros(3)
    for rotor in arm.rotors:
        if rotor.carrier == k:
            axis = arm.algebra.array(rotor.axis)
            h, hd = _spin(arm, kinematics, rotor, motions)
            total = total + axis * hd + cross(motions[k].w, axis * h)
    return np.asarray(total)


def _write_outward(arm: SymbolicArm, k: int, motion: BodyMotion, F: Array, N: Array, writer: Writer) -> None:
    i, superscript = k + 1, f"{{}}^{{{k + 1}}}"
    writer.step(
        f"Outward iteration {i}: {arm.bodies[k].name}",
        f"The motion of {arm.bodies[k].name}, in its own axes, and the force and moment that give it.",
        [
            (f"omega_{i}", rf"{superscript}\omega_{{{i}}}", motion.w),
            (f"omegad_{i}", rf"{superscript}\dot{{\omega}}_{{{i}}}", motion.wd),
            (f"vd_{i}", rf"{superscript}\dot{{v}}_{{{i}}}", motion.vd),
            (f"vd_C{i}", rf"{superscript}\dot{{v}}_{{C_{{{i}}}}}", motion.vdc),
            (f"F_{i}", rf"{superscript}F_{{{i}}}", F),
            (f"N_{i}", rf"{superscript}N_{{{i}}}", N),
        ],
    )


def _inward(
    arm: SymbolicArm, kinematics: Kinematics, wrenches: list[tuple[Array, Array]], writer: Writer
) -> list[PolyElement]:
    """The inward iteration, Craig 6.51 to 6.53; a link may have several children."""
    algebra = arm.algebra
    sums = [(F, N + cross(algebra.array(body.com), F)) for body, (F, N) in zip(arm.bodies, wrenches, strict=True)]
    forces = [algebra.ring(0)] * len(sums)
    for k in reversed(range(len(sums))):
        body, (f, n) = arm.bodies[k], sums[k]
        f, n = algebra.each(f), algebra.each(n)
        forces[k] = algebra.reduced(kinematics.axis(k) @ (n if body.revolute else f))
        _write_inward(arm, k, f, n, forces[k], writer)
        if body.parent >= 0:
            R, p = kinematics.steps[k]
            f_parent, n_parent = sums[body.parent]
            f = R @ f
            sums[body.parent] = f_parent + f, n_parent + R @ n + cross(p, f)
    return forces


def _write_inward(arm: SymbolicArm, k: int, f: Array, n: Array, force: PolyElement, writer: Writer) -> None:
    i, superscript, body = k + 1, f"{{}}^{{{k + 1}}}", arm.bodies[k]
    tau = "tau" if not (arm.coupled or arm.rotors or body.armature != 0) else "T"  # not yet the force of a coordinate
    writer.step(
        f"Inward iteration {i}: {body.joint}",
        f"What {body.joint} transmits to {body.name}, and its component along the axis of the joint.",
        [
            (f"f_{i}", f"{superscript}f_{{{i}}}", f),
            (f"n_{i}", f"{superscript}n_{{{i}}}", n),
            (f"{tau}_{i}", ("\\tau" if tau == "tau" else "T") + f"_{{{i}}}", force),
        ],
    )


def _of_coordinates(arm: SymbolicArm, forces: list[PolyElement], writer: Writer) -> Array:
    """The forces of the coordinates, A^T (f + a A qdd)."""
    algebra = arm.algebra
    with_rotors = algebra.zeros(len(forces))
    for k, (body, force) in enumerate(zip(arm.bodies, forces, strict=True)):
        with_rotors[k] = force + algebra.element(body.armature) * algebra.linear(arm.matrix[k], algebra.qdd)
    tau = algebra.each(algebra.array(arm.matrix.T) @ with_rotors)
    if arm.coupled or arm.rotors or any(body.armature != 0 for body in arm.bodies):
        writer.step(
            "Forces of the coordinates",
            "What turns rotors is added, and the forces of the joints do the work of the coordinates.",
            [(f"tau_{i}", rf"\tau_{{{i}}}", f) for i, f in enumerate(tau, start=1)],
        )
    return np.asarray(tau)
