"""The equations of motion of arms with flexible joints whose links and rotors slide in given directions, or stick.

Dry friction keeps its direction past the zero of a velocity, and rotor and link touch on past the end of their touch
across a play: so both are smooth along a piece of a motion, which ends where that is located.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, links_side
from armdyn.algorithms.mass_matrix import mass_matrix
from armdyn.declaration import function
from armdyn.model.friction import TINY, FrictionLaw
from armdyn.program import maximum
from armdyn.simulation.dry_joints import is_dry
from armdyn.simulation.equations import SOURCES, motion, sliding_friction
from armdyn.spatial.rotations import Array


def rotor_friction(laws: Sequence[FrictionLaw], rate: Any, load: Any, direction: Any) -> Any:
    """What rubs at a rotor that slides in a direction, N m or N; what holds at rest is left out where that is 0."""
    sliding = direction * maximum(direction * rate, TINY)
    return sum(law.force(sliding if is_dry(law) else rate, load) for law in laws)


@function("(n),(n),(n),(n),(n),(joints),(n),(n),(6)?->(n),(n),(),(n),(n)", sources=(*SOURCES, "actuators"))
def sliding_flexible_motion(
    model: Any,
    q: Array,
    qd: Array,
    theta: Array,
    thetad: Array,
    tau: Array,
    directions: Array,
    rotor_directions: Array,
    touches: Array,
    f_tip: Array | None = None,
) -> tuple[Array, Array, Any, Array, Array]:
    """`flexible_motion` with friction in given directions; it is the fourth result, at the links, and the fifth.

    The power is that of all that acts but the springs, which store: the rate of kinetic, potential and spring energy.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        tau: forces of the motors at the joints, N m or N, shape (..., n).
        directions: 1 of a joint whose links slide forwards, -1 backwards, 0 of one that sticks, shape (..., joints).
        rotor_directions: the same of the rotors at flexible joints, shape (..., n).
        touches: 1 of a joint with backlash whose rotor is ahead and touches, -1 behind, 0 in the play, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    joints = flexible_joints(model)
    side = links_side(model, joints)
    friction, behind = sliding_friction(side, qd, directions), np.zeros(model.dof, dtype=object)
    on_links, on_rotors, stored = np.array(tau, dtype=object), np.zeros(model.dof, dtype=object), 0.0
    for joint in joints:
        i = joint.coordinate
        x, xd = theta[i] - q[i], thetad[i] - qd[i]
        on_links[i] = joint.spring.pressed_force(x, xd, touches[i])
        behind[i] = rotor_friction(joint.laws, thetad[i], on_links[i], rotor_directions[i])
        on_rotors[i] = tau[i] - on_links[i] - behind[i]
        stored = stored + joint.spring.pressed_elastic_force(x, touches[i]) * xd
    qdd, power = motion(side.without_friction, q, qd, on_links - friction, f_tip)
    thetadd = np.array(qdd, dtype=object)
    for joint in joints:
        i = joint.coordinate
        thetadd[i] = on_rotors[i] / joint.inertia
        power = power + on_rotors[i] * thetad[i]
    return qdd, thetadd, power + stored, friction, behind


@function("(n)->(n,n)", sources=(*SOURCES, "actuators"))
def mass_matrix_of_links(model: Any, q: Array) -> Array:
    """M(q) without the rotors of flexible joints, kg m^2, kg m or kg, shape (..., n, n).

    Args:
        q: positions of the links, rad or m, shape (..., n).
    """
    M: Array = mass_matrix(links_side(model, flexible_joints(model)), q)
    return M
