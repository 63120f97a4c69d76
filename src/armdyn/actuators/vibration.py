"""Small vibrations of an arm with flexible joints about a configuration that its motors hold.

With x = theta - q of the f flexible joints, constant motor forces and E the rows of the unit matrix of these joints,

    M qdd + D qd = E^T (K x + d xd),    B thetadd + b thetad + K x + d xd = 0.

K is the stiffness at the deflection that carries gravity. The dependence of gravity on q is neglected, as usual: it
would only turn the motions of the whole arm, of frequency 0, into slow ones. Without damping the frequencies are the
roots of the eigenvalues of

    S = K^(1/2) (E P E^T + B^-1) K^(1/2),    P = M^-1,

for one joint w^2 = k (1/I_link + 1/B). Constraints A qd = 0 reduce the mobility of the links:

    P = M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1.

The change of the directions of the constraints' forces with q is neglected, like that of gravity.

Springs in parallel with drives add a stiffness ds/dq to the links. With some of them the modes are those of the whole
system of links and rotors, from its generalised eigenproblem (`armdyn.actuators.parallel_modes`).
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.declared import function
from armdyn.actuators.flexible_joints import flexible_joints, flexible_places, links_side, spring_count
from armdyn.actuators.parallel_modes import ElasticSystem, links_elasticity, modes_of, passive_places
from armdyn.algorithms.mass_matrix import mass_matrix
from armdyn.algorithms.newton_euler import bias_forces, gravity_forces, parallel_spring_forces
from armdyn.base.checks import choice, per_joint
from armdyn.base.errors import ModelError
from armdyn.constraints.arguments import CLOSED, RANK_TOLERANCE, ConstrainedRobot, tolerance_of
from armdyn.constraints.checks import check_motion
from armdyn.constraints.row_sizes import unit_rows
from armdyn.model.mechanism import Mechanism
from armdyn.program import derivative
from armdyn.spatial.rotations import Array

ROTORS = ("free", "held")
SPRINGS = {"springs": spring_count}
"""Length of arrays with one number for each flexible joint."""


class FlexibleStiffness(NamedTuple):
    """The equations of small vibrations: matrices of the links, and a number for each flexible joint, in order of q.

    Args:
        M: mass matrix of the links and of the rotors of rigid joints, shape (..., n, n).
        D: damping by friction at the links, N m s/rad or N s/m, shape (..., n, n).
        B: inertias of the rotors at springs, kg m^2 or kg, shape (..., springs).
        b: damping by friction at these rotors, N m s/rad or N s/m, shape (..., springs).
        K: stiffness at the deflection that carries gravity, N m/rad or N/m, shape (..., springs).
        d: damping of the springs, N m s/rad or N s/m, shape (..., springs).
    """

    M: Array
    D: Array
    B: Array
    b: Array
    K: Array
    d: Array


@function("(n)->(n,n),(n,n),(springs),(springs),(springs),(springs)", result=FlexibleStiffness, sizes=SPRINGS)
def flexible_stiffness(mechanism: Mechanism, q: Array) -> FlexibleStiffness:
    """Inertia, damping and stiffness M, D, B, b, K, d about a configuration at rest.

    Args:
        q: positions of the links, rad or m, shape (..., n).
    """
    joints = flexible_joints(mechanism)
    side, at_rest = links_side(mechanism, joints), np.zeros(mechanism.dof)
    loads = gravity_forces(mechanism, q) + parallel_spring_forces(mechanism, q)
    D = np.zeros((mechanism.dof, mechanism.dof))
    if side.drive.has_friction:
        D = derivative(lambda qd: bias_forces(side, q, qd), at_rest)
    of_rotors = [joint.friction_slope(0.0, loads[joint.coordinate]) for joint in joints]
    K = [joint.spring.slope(joint.spring.deflection(loads[joint.coordinate])) for joint in joints]
    B, d = [joint.inertia for joint in joints], [joint.spring.damping for joint in joints]
    return FlexibleStiffness(mass_matrix(side, q), D, np.array(B), np.array(of_rotors), np.array(K), np.array(d))


class VibrationModes(NamedTuple):
    """Modes of an arm with f flexible joints at a configuration, slowest first.

    There are as many as flexible joints; with ``rotors="held"`` fewer by the number of independent constraints on these
    joints. Joints with springs in parallel with their drives count as flexible.

    Args:
        frequencies: w, rad/s, shape (..., f); w / 2 pi in Hz.
        damping_ratios: phi^T D phi / (2 w), a pure number, shape (..., f): exact if damping does not couple the
            modes, else right to the first order of small damping.
        links: motion of the links in each mode, shape (..., n, f).
        rotors: motion of the rotors, shape (..., n, f); scaled so that the kinetic energy is w^2 sin^2(w t) / 2.
    """

    frequencies: Array
    damping_ratios: Array
    links: Array
    rotors: Array


def vibration_modes(
    robot: ConstrainedRobot, q: ArrayLike, *, rotors: str = "free", tolerance: float = CLOSED
) -> VibrationModes:
    """Frequencies w, rad/s, shape (..., f), damping ratios and shapes of the modes of an arm with f flexible joints.

    The modes are eigenvectors of M qdd + K (q - theta) = 0, B thetadd + K (theta - q) = 0 (De Luca and Book 2016,
    11.1), within constraints of M qdd + K (q - theta) + A^T lambda = 0 with A qdd = 0. Motions of the whole arm that
    deflect no spring, of frequency 0, are left out. Springs in parallel with drives add their stiffness to the links'.

    Args:
        robot: a robot with springs: of flexible joints, or in parallel with drives.
        q: positions of the links, rad or m, shape (..., n); the springs have their deflection under gravity there, at
            which the constraints carry nothing.
        rotors: "free", as under constant motor forces; "held", with the brakes of all joints closed, the rigid too.
            A joint with a parallel spring and without an actuator has no brake.
        tolerance: the largest violation of the constraints, m or rad; infinite switches the check off.

    Raises:
        ModelError: a robot without springs, another value of ``rotors``; held rotors if the constraints leave
            different numbers of modes to the states of a batch.
        OpenLoop: a state that violates the constraints.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Spring, vibration_modes
    >>> drive = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=5000.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> vibration_modes(arm, [0.0, 1.0]).frequencies.round(1)
    array([226. , 252.6])
    """
    choice("rotors", rotors, ROTORS)
    springs = flexible_places(robot.model)
    parallel = bool(robot.model.parallel_springs)
    if not springs and not parallel:
        raise ModelError(
            f"{robot.model.name!r} has no flexible joints; give an Actuator of one spring=Spring(stiffness), or a "
            "joint a spring in parallel with its drive: robot.with_parallel_springs"
        )
    stiffness = _stiffness(robot, q, springs)
    A = np.zeros((*stiffness.M.shape[:-2], 0, robot.dof))
    if robot.model.constraints:
        (state,) = per_joint(robot, q=q)
        check_motion(robot, tolerance_of(tolerance), state)
        A = np.asarray(robot.constraint_jacobian(state))
    if parallel:
        K = np.asarray(robot.compile(links_elasticity)(q).K)
        system = ElasticSystem.of(stiffness, K, A, springs, passive_places(robot.model) if rotors == "held" else None)
        w, links, of_rotors = modes_of(system, robot.model.name)
        return VibrationModes(w, _damping_ratios(stiffness, springs, w, links, of_rotors), links, of_rotors)
    return _modes_of_links(robot, stiffness, A, springs) if rotors == "held" else _modes_of_all(stiffness, A, springs)


def _stiffness(robot: ConstrainedRobot, q: ArrayLike, springs: list[int]) -> FlexibleStiffness:
    """The stiffness of a robot; without flexible joints its arrays of rotors and springs are empty."""
    if springs:
        return cast("FlexibleStiffness", robot.compile(flexible_stiffness)(q))
    links = robot.compile(links_elasticity)(q)
    none = np.zeros((*links.M.shape[:-2], 0))
    return FlexibleStiffness(links.M, links.D, none, none, none, none)


def _modes_of_all(stiffness: FlexibleStiffness, A: Array, springs: list[int]) -> VibrationModes:
    """Modes of links and rotors: phi = (-P E^T, B^-1) K^(1/2) v / w with S v = w^2 v."""
    root = np.sqrt(stiffness.K)
    answers = _mobility(stiffness.M, A)[0][..., springs]  # P E^T
    S = answers[..., springs, :] + (1.0 / stiffness.B)[..., None] * np.eye(len(springs))
    w2, v = np.linalg.eigh(root[..., :, None] * S * root[..., None, :])
    w = np.sqrt(w2)
    pulled = root[..., :, None] * v / w[..., None, :]
    links = -answers @ pulled
    rotors = links.copy()
    rotors[..., springs, :] = pulled / stiffness.B[..., :, None]
    return VibrationModes(w, _damping_ratios(stiffness, springs, w, links, rotors), links, rotors)


def _modes_of_links(
    robot: ConstrainedRobot, stiffness: FlexibleStiffness, A: Array, springs: list[int]
) -> VibrationModes:
    """Modes of the links of flexible joints alone: phi = K^(-1/2) w v with K^(1/2) P K^(1/2) v = w^2 v.

    P is that of these joints' own rows of M and A; directions that A removes have eigenvalues of 0, which are not
    modes.
    """
    root = np.sqrt(stiffness.K)
    P, rank = _mobility(stiffness.M[..., springs, :][..., springs], A[..., springs])
    w2, v = np.linalg.eigh(root[..., :, None] * P * root[..., None, :])
    removed = _same(robot, rank)
    w, v = np.sqrt(w2[..., removed:]), v[..., removed:]
    links = np.zeros((*w.shape[:-1], stiffness.M.shape[-1], w.shape[-1]))
    links[..., springs, :] = v * w[..., None, :] / root[..., :, None]
    rotors = np.zeros_like(links)
    return VibrationModes(w, _damping_ratios(stiffness, springs, w, links, rotors), links, rotors)


def _mobility(M: Array, A: Array) -> tuple[Array, Array]:
    """The accelerations P of unit forces within constraints, shape (..., n, n), and the rank of A.

    With M = L L^T and U an orthonormal basis of the span of L^-1 A^T, P = L^-T (1 - U U^T) L^-1; the rows of A may
    follow from each other.
    """
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    if not A.shape[-2]:
        return np.swapaxes(inverse, -1, -2) @ inverse, np.zeros(M.shape[:-2], dtype=int)
    U, s, _ = np.linalg.svd(unit_rows(A, M)[0], full_matrices=False)
    spans = s > RANK_TOLERANCE * np.maximum(s.max(axis=-1, keepdims=True), np.finfo(float).tiny)
    U = U * spans[..., None, :]
    free = np.eye(M.shape[-1]) - U @ np.swapaxes(U, -1, -2)
    return np.swapaxes(inverse, -1, -2) @ free @ inverse, spans.sum(axis=-1)


def _same(robot: ConstrainedRobot, rank: Array) -> int:
    """The common rank of all states; raises if they differ."""
    ranks = np.unique(rank)
    if len(ranks) > 1:
        raise ModelError(
            f"the constraints of {robot.model.name!r} take {ranks[0]} to {ranks[-1]} modes from its flexible joints, "
            "by the state, and modes of one call are as many at all states: call vibration_modes state by state"
        )
    return int(ranks[0]) if len(ranks) else 0


def _damping_ratios(stiffness: FlexibleStiffness, springs: list[int], w: Array, links: Array, rotors: Array) -> Array:
    """Damping ratios phi^T D phi / (2 w) of the modes."""
    deflections = (rotors - links)[..., springs, :]
    powers = np.einsum("...if,...ij,...jf->...f", links, stiffness.D, links)
    powers = powers + np.einsum("...s,...sf->...f", stiffness.d, deflections**2)
    powers = powers + np.einsum("...s,...sf->...f", stiffness.b, rotors[..., springs, :] ** 2)
    ratios: Array = powers / (2.0 * w)
    return ratios
