"""Forward dynamics where friction depends on the load that a joint transmits to its links.

With the load l = M qdd + h of the links, a rotor a before the friction f, and d what else rubs,

    l + f(qd, l) + a qdd + d = tau.

At a load l_k the friction is f_k + s_k (l - l_k); with phi_k = 1 + s_k and c_k = f_k - s_k l_k this is

    (M + a/phi_k) qdd = (tau - d - c_k)/phi_k - h,    l_(k+1) = (tau - d - c_k - a qdd)/phi_k,

forward dynamics with other rotors: Newton's method, semi-smooth as f has kinks. M + a/phi is positive definite, and
l + f grows with l, so that there is one solution. Of friction that is the largest of m straight lines of the load a
joint without a rotor needs m steps at most, each of which is a line further on, and the result is exact. Otherwise a
number of steps is taken that has been enough for random arms, and what is left of the first equation is looked at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.factors import Factors, factored, links_mass
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.errors import Unsupported
from armdyn.exact import is_zero
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

STEPS = 6
"""Of Newton's method, where rotors come before friction of straight lines."""

STEPS_OF_CURVES = 12
"""Where the friction is a curve of the load."""

RESIDUAL = 1e-12
"""What may be left of a joint's equation, as a part of the sizes of its terms; where more is, accelerations are NaN."""

RESIDUAL_OF_FLOAT32 = 5e-4
"""The same where the function computes in float32: as many of its roundings."""

BELOW_FLOAT32 = 1.0 + 1e-9
"""A factor that changes numbers in float64, and is 1 in float32."""


class UnderLoad(NamedTuple):
    """Accelerations that agree with the friction of the loads they cause, and the equations' linear part there.

    Args:
        qdd: the accelerations, (n,).
        factors: of M + a/phi.
        reciprocal: 1/phi of every coordinate, (n,).
    """

    qdd: Array
    factors: Factors
    reciprocal: Array


def accelerations_under_load(
    mechanism: Mechanism, q: Array, qd: Array, tau: Array, *wrenches_and_base: Array | None
) -> UnderLoad:
    """The accelerations that joint forces cause, where friction depends on the load.

    Args:
        mechanism: whose drive depends on the load.
        q: joint positions.
        qd: joint velocities.
        tau: joint forces.
        wrenches_and_base: f_tip, base_twist, base_twist_rate and f_ext of `inverse_dynamics`.

    Raises:
        Unsupported: friction that depends on the load, in a joint that is coupled to others.
    """
    drive = mechanism.drive
    coordinates = loaded_coordinates(mechanism)
    rates, at_rest = drive.rates(qd), np.zeros(mechanism.dof)
    h = inverse_dynamics(mechanism.without_friction, q, qd, at_rest, *wrenches_and_base)
    tau = tau - drive.forces(_other_laws(drive).friction_forces(rates, [0.0] * len(rates)))  # tau - d
    links = links_mass(mechanism, q)

    loads = {k: tau[i] for k, i in coordinates.items()}
    for _ in range(steps_needed(drive, coordinates)):
        rotors, pushed, reciprocal = list(drive.armature), tau - h, np.ones(mechanism.dof, dtype=object)
        intercepts: dict[int, Any] = {}
        for k, i in coordinates.items():
            force, slope = loaded_friction(drive, k, rates[k], loads[k])
            intercepts[k], reciprocal[i] = force - slope * loads[k], 1.0 / (1.0 + slope)
            rotors[k] = rotors[k] * reciprocal[i]
            pushed[i] = (tau[i] - intercepts[k]) * reciprocal[i] - h[i]
        factors = factored(mechanism, dataclasses.replace(drive, armature=tuple(rotors)), links)
        qdd = factors.solve(pushed)
        loads = {
            k: (tau[i] - intercepts[k] - drive.armature[k] * qdd[i]) * reciprocal[i] for k, i in coordinates.items()
        }
    if not _is_exact(drive, coordinates):
        qdd = qdd * _solved(drive, coordinates, rates, tau, qdd, loads)
    return UnderLoad(qdd, factors, reciprocal)


def loaded_coordinates(mechanism: Mechanism) -> dict[int, int]:
    """The bodies whose friction depends on the load, with the one coordinate that moves each, and no other body."""
    drive, found = mechanism.drive, {}
    for k, laws in enumerate(drive.laws):
        if any(law.depends_on_load for law in laws):
            moved_by = drive.terms[k]
            i = moved_by[0][0] if moved_by else None
            others = (j for j, row in enumerate(drive.terms) if j != k and any(i == moving for moving, _ in row))
            if moved_by != ((i, 1.0),) or next(others, None) is not None:
                joint = mechanism.model.joints[mechanism.bodies[k].joint].name
                if any(mechanism.bodies[k].joint == rotor.joint for rotor in mechanism.rotors):
                    raise Unsupported(
                        f"friction of joint {joint!r} of {mechanism.name!r} depends on its load, and the joint turns a "
                        "rotor that is a body of its own; forward dynamics solves for loads beside armature alone. "
                        "Leave the Actuator's rotor out, or give it friction that does not depend on the load."
                    )
                raise Unsupported(
                    f"friction of joint {joint!r} of {mechanism.name!r} depends on its load, and the joint is coupled "
                    "to others; forward dynamics solves for the loads of joints that move by themselves. Give it "
                    f"friction that does not depend on the load, or hold it: armdyn.load(..., locked={{{joint!r}: 0}})."
                )
            found[k] = i
    return found  # type: ignore[return-value]


def loaded_friction(drive: Drive, k: int, rate: Any, load: Any) -> tuple[Any, Any]:
    """The friction of body k that depends on the load, and its slope by the load."""
    laws = [law for law in drive.laws[k] if law.depends_on_load]
    return sum(law.force(rate, load) for law in laws), sum(law.slopes(rate, load).by_load for law in laws)


def steps_needed(drive: Drive, coordinates: Mapping[int, int]) -> int:
    """How many steps of Newton's method are taken."""
    lines = [_lines(drive, k) for k in coordinates]
    if None in lines:
        return STEPS_OF_CURVES
    return max(lines) if _is_exact(drive, coordinates) else STEPS  # type: ignore[type-var, return-value]


def _is_exact(drive: Drive, coordinates: Mapping[int, int]) -> bool:
    """Whether the steps end at the solution: no rotors, and friction of straight lines."""
    return all(is_zero(drive.armature[k]) and _lines(drive, k) is not None for k in coordinates)


def _lines(drive: Drive, k: int) -> int | None:
    """Of how many straight lines of the load the friction of body k is the largest; None of a curve."""
    lines = [law.lines for law in drive.laws[k] if law.depends_on_load]
    return None if None in lines else sum(lines) - len(lines) + 1  # type: ignore[arg-type]


def _other_laws(drive: Drive) -> Drive:
    """The drive without the friction that depends on the load."""
    laws = tuple(tuple(law for law in laws if not law.depends_on_load) for laws in drive.laws)
    return dataclasses.replace(drive, laws=laws)


def _solved(
    drive: Drive, coordinates: Mapping[int, int], rates: Array, tau: Array, qdd: Array, loads: Mapping[int, Any]
) -> Any:
    """1 where every joint's equation holds to `RESIDUAL` or `RESIDUAL_OF_FLOAT32`, else NaN."""
    holds = 1.0  # 0 where an equation does not
    for k, i in coordinates.items():
        of_rotor = drive.armature[k] * qdd[i]
        friction, _ = loaded_friction(drive, k, rates[k], loads[k])
        size = abs(tau[i]) + abs(of_rotor) + abs(loads[k])
        part = RESIDUAL + RESIDUAL_OF_FLOAT32 * (BELOW_FLOAT32 * size <= size)
        holds = holds * (abs(tau[i] - of_rotor - friction - loads[k]) <= part * size)
    return np.sqrt(2.0 * holds - 1.0)
