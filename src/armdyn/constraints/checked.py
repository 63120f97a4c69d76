"""Constrained dynamics with states checked first, then solved: the functions of the methods of `Robot`.

Each checks that the loops are closed and that the motion satisfies the constraints, runs the compiled function of
`armdyn.constraints.dynamics`, and solves states whose rows are not well apart anew by the singular values of A in the
metric of M^-1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import one_batch, per_joint
from armdyn.constraints import dynamics
from armdyn.constraints.arguments import (
    CLOSED,
    RANK_TOLERANCE,
    ConstrainedRobot,
    Redundant,
    finite,
    gain_of,
    keywords,
    multipliers_of,
    tolerance_of,
)
from armdyn.constraints.checks import check_motion
from armdyn.constraints.multipliers import ConstrainedMotion
from armdyn.constraints.redundant_under_load import least_squares_under_load, rotors_before_friction
from armdyn.constraints.row_sizes import holonomic
from armdyn.constraints.solving import (
    Pick,
    RankSettings,
    are_dependent,
    constrained_least_squares,
    has_dependent_rows,
    projection_by_singular_values,
    solve_compiled,
    solve_dependent,
)
from armdyn.constraints.under_load import forces_before_loads, friction_lines
from armdyn.declaration import Function
from armdyn.functions.robot_like import compile_for
from armdyn.spatial.rotations import Array


def checked_forward_dynamics(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_tip: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    redundant: Redundant = "auto",
    tolerance: float = CLOSED,
    damping: float = 0.0,
    stiffness: float = 0.0,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
) -> ConstrainedMotion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, and multipliers lambda, N or N m, of a robot with constraints.

    M qdd + h + A^T lambda = tau with A qdd + Adot qd = 0 (Modern Robotics 8.93-8.98). A^T lambda are the joint forces
    that the robot puts into its constraints. States whose constraints are well independent are solved by compiled
    straight-line code, the function of the same name in `armdyn.constraints`; the others by the singular values of A in
    the metric of M^-1. All is computed and returned in float64, for arguments of any dtype: the checks of
    q and qd need its digits. The compiled function has a loop for float32.

    Friction that depends on the load is evaluated at the forces that joints transmit, A^T lambda included, and solved
    for along with qdd and lambda; at rest it is 0.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in addition to the constraints, shape (..., 6).
        f_ext: wrenches (m, f) that the surroundings apply on the links, each in its link's frame, N m and N, shape
            (..., links, 6); without those of the constraints.
        redundant: treatment of states at which some constraints depend on others. "least_squares": qdd, which is unique
            as long as the constraints agree, and of all lambda with the same effect the one whose rows, each by itself,
            would cause the least accelerations in the metric of M; if constraints contradict each other, the least
            contradiction, row by row in that metric. "auto": least squares if they do so at all states, as those of a
            planar linkage closed in space do; a state at which more do than near it is refused. "error": all such
            states are refused.
        tolerance: how far phi, m or rad, and A qd, m/s or rad/s (for each unit of the fastest joint's speed above one),
            may be from zero; ``np.inf``: accept states unchecked. Not applied with stabilisation. Rows of functions of
            your own are measured by their gradients: phi / |A_i| and A_i qd / |A_i|, rad or m of the joints,
            and these per second.
        damping: alpha, 1/s, of Baumgarte's stabilisation A qdd + Adot qd + alpha A qd + beta phi = 0; off by default.
        stiffness: beta, 1/s^2. Critical damping: beta = alpha^2 / 4.
        rank_tolerance: singular values of A below this part of the greatest count as zero.
        workers: threads for a batch; -1: one per core.

    Raises:
        ConstraintError: an invalid tolerance or gain.
        OpenLoop: a state at which the constraints do not hold; `ContradictingConstraints` if there is no state near at
            which they do.
        InconsistentMotion: velocities that violate them.
        SingularState: constraints that depend on others only at this state, or have no gradient there.
        RedundantConstraints: with redundant="error", constraints that depend on others everywhere, with the
            dependences.
        ModelError: a robot without constraints, or with a joint that moves no inertia.
        Unsupported: friction that depends on the load of joints that are coupled or turn rotors that are bodies,
            together with rows that depend on others, or a constraint that does not name the joints on which it acts.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> motion = arm.constrained_forward_dynamics([-np.pi / 3, 2 * np.pi / 3], [1, 0], tau=[0, 0])
    >>> motion.qdd.round(3), motion.multipliers.round(3)
    (array([ 0.289, -1.155]), array([-0.167]))
    """
    settings = RankSettings.of(redundant, tolerance, rank_tolerance)
    gains = {"damping": gain_of("damping", damping), "stiffness": gain_of("stiffness", stiffness)}
    gains = {name: gain for name, gain in gains.items() if gain}
    q_, qd_, tau_ = per_joint(robot, q=q, qd=qd, tau=tau)
    if not gains:
        check_motion(robot, settings.tolerance, q_, qd_)
    wrenches = keywords(f_tip=f_tip, f_ext=f_ext)

    def before_loads() -> tuple[Array, Array]:
        result: tuple[Array, Array] = compile_for(forces_before_loads, robot)(q_, qd_, tau_, **wrenches)
        return result  # with the joint forces of the wrenches

    compiled_function, options = dynamics.constrained_forward_dynamics, {**wrenches, **gains, "workers": workers}
    motion: ConstrainedMotion | None = solve_compiled(robot, compiled_function, q_, qd_, tau_, **options)
    if motion is None:
        batch, rows = np.shape(before_loads()[0])[:-1], len(robot.constraint_rows)
        motion = ConstrainedMotion(*(np.full((*batch, size), np.nan) for size in (robot.dof, rows, rows)))
    dependent = are_dependent(motion.independence, q_, qd_, tau_)
    if not dependent.any():
        return motion
    batch = np.broadcast_shapes(dependent.shape, motion.qdd.shape[:-1])
    motion = ConstrainedMotion(*(np.array(np.broadcast_to(a, (*batch, a.shape[-1]))) for a in motion))
    available, h = before_loads()

    def dense(pick: Pick, A: Array, M: Array) -> tuple[Array, Array, Array]:
        target, tolerance = -_stabilised_drift(robot, pick(q_), pick(qd_), A, **gains), settings.rank_tolerance
        before, rest = pick(available), pick(h)
        result = constrained_least_squares(M, A, before - rest, target, tolerance)
        refused = settings.redundant == "error" and (result[-1] < A.shape[-2]).any()
        if refused or not robot.mechanism.drive.depends_on_load:
            return result
        lines, rotors = partial(compile_for(friction_lines, robot), pick(qd_)), rotors_before_friction(robot.mechanism)
        loaded = least_squares_under_load(lines, rotors, M, A, before, rest, target, tolerance)
        pushed = before - loaded.friction - rest
        return loaded.qdd, *constrained_least_squares(M, A, pushed, target, tolerance)[1:]

    solve_dependent(robot, settings, q_, np.broadcast_to(dependent, batch), motion[:2], dense)
    return motion


def _stabilised_drift(
    robot: ConstrainedRobot, q: Array, qd: Array, A: Array, damping: float = 0.0, stiffness: float = 0.0
) -> Array:
    """Adot qd + alpha A qd + beta phi: Baumgarte's stabilisation."""
    drift = np.array(robot.constraint_drift(q, qd))
    drift += damping * np.einsum("...ij,...j->...i", A, qd)
    if stiffness:
        drift[..., holonomic(robot)] += stiffness * np.asarray(robot.constraint_error(q))
    return drift


def checked_inverse_dynamics(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    multipliers: ArrayLike | None = None,
    f_tip: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    tolerance: float = CLOSED,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Joint forces tau = M(q) qdd + h(q, qd) + A^T(q) lambda, N m or N, shape (..., n).

    They move the robot with qdd, which its constraints must allow (A qdd + Adot qd = 0), while it exerts lambda on them
    (Modern Robotics 8.93). With every joint driven lambda can be chosen freely. Because lambda is given, rows may
    depend on others: tau is still unique. Friction that depends on the load is that at M qdd + h + A^T lambda without
    the rotors.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        multipliers: lambda, N or N m, shape (..., constraints); no force against the constraints if left out.
        f_tip: wrench (m, f) the tip applies to its surroundings, in addition to the constraints, N m and N,
            shape (..., 6).
        f_ext: wrenches on the links, as of `constrained_forward_dynamics`, shape (..., links, 6).
        tolerance: of phi and A qd, as of `constrained_forward_dynamics`, and of A qdd + Adot qd for each unit of the
            greatest acceleration above one; ``np.inf``: accept states and motions unchecked.
        workers: threads for a batch; -1: one per core.
        out: array for the result.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: velocities or accelerations that violate them.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> q, qd, qdd = [-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0], [0.8, -2 / np.sqrt(3)]
    >>> arm.constrained_inverse_dynamics(q, qd, qdd, [1.3]).round(4)
    array([ 1.0226, -1.0145])
    """
    tolerance = tolerance_of(tolerance)
    check_motion(robot, tolerance, *per_joint(robot, q=q, qd=qd, qdd=qdd))
    options = keywords(multipliers=multipliers, f_tip=f_tip, f_ext=f_ext, workers=workers, out=out)
    tau: Array = compile_for(dynamics.constrained_inverse_dynamics, robot)(q, qd, qdd, **options)
    return tau


def checked_hybrid_forces(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    multipliers: ArrayLike,
    *,
    redundant: Redundant = "auto",
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Joint forces tau for a desired motion and desired constraint forces, N m or N, shape (..., n).

    tau = M qdd_c + h + A^T lambda, with qdd_c = P_qdd qdd - M^-1 A^T (A M^-1 A^T)^-1 Adot qd, the acceleration nearest
    to the desired one, in the metric of M, that the constraints allow: the part of qdd against them is left out, and
    lambda is met exactly (Modern Robotics 8.7, 11.6). Friction is that of this motion and this lambda.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: desired joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        multipliers: desired lambda, N or N m, shape (..., constraints).
        redundant: as of `constrained_forward_dynamics`. By least squares qdd_c is as there, and the joint forces
            A^T lambda are met exactly.
        tolerance: of phi and A qd; like rank_tolerance, workers and the errors as of `constrained_forward_dynamics`.
        out: array for the result.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> arm.hybrid_forces([-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0], [0.8, -2 / np.sqrt(3)], [1.3]).round(4)
    array([ 1.0226, -1.0145])
    """
    settings = RankSettings.of(redundant, tolerance, rank_tolerance)
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    lam = multipliers_of(robot, multipliers)
    check_motion(robot, settings.tolerance, q_, qd_)
    batch = one_batch(**{"q, qd, qdd": q_, "multipliers": lam})[0].shape[:-1]
    options = {"workers": workers, "out": out}
    tau: Array | None = solve_compiled(robot, dynamics.hybrid_forces, q, qd, qdd, multipliers, **options)
    if tau is None:
        tau = _nan(out, (*batch, robot.dof))

    def dense(pick: Pick, A: Array, M: Array) -> tuple[Array, Array]:
        target = np.einsum("sij,sj->si", M, pick(qdd_))
        drift = np.asarray(robot.constraint_drift(pick(q_), pick(qd_)))
        nearest, _, rank = constrained_least_squares(M, A, target, -drift, settings.rank_tolerance)
        inverse = compile_for(dynamics.constrained_inverse_dynamics, robot)
        return inverse(pick(q_), pick(qd_), nearest, pick(lam)), rank

    dependent = has_dependent_rows(robot, q_, qd_, qdd_)
    if dependent.any():
        dependent = np.asarray(np.broadcast_to(dependent, batch) & finite(lam))
        solve_dependent(robot, settings, q_, dependent, [tau], dense)
    return tau


def _nan(out: Any, shape: tuple[int, ...]) -> Array:
    """A result of NaN, in ``out`` if it is given."""
    result: Array = np.empty(shape) if out is None else out[0] if isinstance(out, tuple) else out
    result[...] = np.nan
    return result


def checked_force_projection(
    robot: ConstrainedRobot,
    q: ArrayLike,
    *,
    redundant: Redundant = "auto",
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Projection P(q) of joint forces onto those that move the robot, for N m and N alike, shape (..., n, n).

    P = 1 - A^T (A M^-1 A^T)^-1 A M^-1 (Modern Robotics 8.100): P tau moves the robot, (1 - P) tau acts on the
    constraints, and P tau = P (M qdd + h) (8.99).

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        redundant: as of `constrained_forward_dynamics`. By least squares P is from the row space of A, with the
            pseudoinverse of A M^-1 A^T; it is unique, for any dependences of the rows.
        tolerance: of phi; like rank_tolerance, workers and the errors as of `constrained_forward_dynamics`.
        out: array for the result.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.force_projection([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
    array([[1.  , 0.  ],
           [0.25, 0.  ]])
    """
    settings = RankSettings.of(redundant, tolerance, rank_tolerance)
    return _projection(robot, dynamics.force_projection, q, lambda P: P, settings, workers=workers, out=out)


def checked_acceleration_projection(
    robot: ConstrainedRobot,
    q: ArrayLike,
    *,
    redundant: Redundant = "auto",
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Projection P_qdd(q) of accelerations onto those the constraints allow, for rad and m alike, shape (..., n, n).

    P_qdd = 1 - M^-1 A^T (A M^-1 A^T)^-1 A = M^-1 P M = P^T, and P_qdd qdd = P_qdd M^-1 (tau - h) (Modern Robotics
    8.101, 8.102). It maps velocities to the nearest that the constraints allow, in the metric of M. P_qdd M^-1 is
    dqdd/dtau. Arguments, options and errors are those of `force_projection`.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.acceleration_projection([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
    array([[1.  , 0.25],
           [0.  , 0.  ]])
    """
    settings, transposed = RankSettings.of(redundant, tolerance, rank_tolerance), lambda P: np.swapaxes(P, -1, -2)
    return _projection(robot, dynamics.acceleration_projection, q, transposed, settings, workers=workers, out=out)


def _projection(
    robot: ConstrainedRobot,
    function: Function,
    q: ArrayLike,
    of_P: Callable[[Array], Array],
    settings: RankSettings,
    **options: object,
) -> Array:
    """The projection that the function compiles to, which is ``of_P`` of P (8.100)."""
    (q_,) = per_joint(robot, q=q)
    check_motion(robot, settings.tolerance, q_)
    result: Array | None = solve_compiled(robot, function, q, **options)
    if result is None:
        result = _nan(options["out"], (*q_.shape, robot.dof))

    def dense(_: Pick, A: Array, M: Array) -> tuple[Array, Array]:
        P, rank = projection_by_singular_values(M, A, settings.rank_tolerance)
        return of_P(P), rank

    solve_dependent(robot, settings, q_, has_dependent_rows(robot, q_), [result], dense)
    return result
