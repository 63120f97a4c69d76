"""Springs in parallel with drives: their energies and forces as polynomials in q."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sympy import QQ
from sympy.polys.rings import PolyElement

from armdyn.base.scalars import Scalar
from armdyn.derivation.arm import SymbolicArm, SymbolicSpring
from armdyn.derivation.steps import Writer
from armdyn.spatial.rotations import Array


class NamedEnergy(NamedTuple):
    """The energy of a spring and its number among all, from 1."""

    number: int
    energy: PolyElement


def spring_energies(arm: SymbolicArm) -> list[NamedEnergy]:
    """k e^2/2 + k1 e^3/3 + k2 e^4/4 of every spring, e = q - rest of its joint."""
    energies = []
    for k, body in enumerate(arm.bodies):
        energies += [_energy(arm, k, spring) for spring in body.springs]
    return [NamedEnergy(i, energy) for i, energy in enumerate(energies, start=1)]


def _energy(arm: SymbolicArm, k: int, spring: SymbolicSpring) -> PolyElement:
    algebra = arm.algebra
    e = algebra.linear(arm.matrix[k], algebra.q) + algebra.element(arm.offset[k]) - algebra.element(spring.rest)
    terms: list[tuple[Scalar, int]] = [(spring.stiffness, 2), (spring.quadratic, 3), (spring.cubic, 4)]
    energies = (algebra.element(number) * e**power * QQ(1, power) for number, power in terms)
    return sum(energies, start=algebra.ring(0))


def with_spring_forces(arm: SymbolicArm, tau: Array, writer: Writer) -> Array:
    """Joint forces with those of the springs, dP/dq, if there are any."""
    energies = spring_energies(arm)
    if not energies:
        return tau
    total = sum((named.energy for named in energies), start=arm.algebra.ring(0))
    forces = np.array([arm.algebra.by_q(total, i) for i in range(arm.dof)], dtype=object)
    equations = [(f"s_{i}", f"s_{{{i}}}", f) for i, f in enumerate(forces, start=1)]
    writer.step("Springs", "The forces of the springs of joints are added to the joint forces.", equations)
    return np.asarray(tau + forces)
