"""Constrained dynamics with friction that depends on the load that a joint transmits to its links.

Constraints act on links, so the load of joint i is its row of l = M qdd + h + A^T lambda, the rotor being before the
friction as in `armdyn.algorithms.load_friction`. With a rotor a, and d the friction that does not depend on the load,

    l + f(qd, l) + a qdd + d = tau,    A qdd + Adot qd = 0.

Given qdd and lambda, tau follows. Given tau, l_i depends on qdd_i alone, because l + f grows with l: so
g(qdd) = tau - d - l grows with qdd, and M qdd + h + g(qdd) + A^T lambda = tau - d has one qdd among those that A
allows, and with it one A^T lambda, for independent and dependent rows of A: the loads are unique if the accelerations
are. Newton's method is that of arms without constraints; the rotors differ in each of its steps.

Joints that are coupled, or turn rotors that are bodies, share an equation: `armdyn.constraints.multiplier_loads` gives
the part of lambda that each of them transmits, and `armdyn.algorithms.coupled_loads` solves for all at once, for
constraints of full rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from armdyn.algorithms.coupled_loads import CoupledLoads, LoadConstraints
from armdyn.algorithms.factors import Factors, factored_mass_matrix
from armdyn.algorithms.load_friction import Within, accelerations_under_load, own_coordinates
from armdyn.algorithms.load_laws import lines, loaded_bodies, loaded_friction, loaded_laws, other_friction
from armdyn.algorithms.load_newton import STEPS_OF_CURVES, SolutionUnderLoad, holds, or_nan, solution_under_load
from armdyn.algorithms.newton_euler import base_motion, inverse_dynamics, links_in_motion, loads_of_drives
from armdyn.base.advice import either
from armdyn.base.errors import Unsupported
from armdyn.base.scalars import Scalar
from armdyn.constraints.equations import all_equations, function
from armdyn.constraints.multiplier_loads import multiplier_loads
from armdyn.constraints.multipliers import ConstrainedMotion, independence_of, moved_within, schur_complement
from armdyn.model.friction import FrictionLaw
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.program import derivative
from armdyn.spatial.rotations import Array


def coordinates_under_load(model: Mechanism) -> dict[int, int]:
    """The bodies whose friction depends on the load, each with the only coordinate that moves it.

    Raises:
        Unsupported: if one is coupled to others, or turns a rotor that is a body of its own.
    """
    coordinates = own_coordinates(model.drive)
    if coordinates is None:
        names = ", ".join(repr(model.model.joints[model.bodies[k].joint].name) for k in loaded_bodies(model.drive))
        raise Unsupported(
            f"friction of {names} of {model.name!r} depends on the load, and a joint of these is coupled to others or "
            "turns a rotor that is a body, so that loads do not follow joint by joint: they are not known where "
            "constraints follow from others, or nearly so, nor where joints are passive. Use "
            + either("robot.with_independent_constraints(q), ", "")
            + "armatures in the place of rotors, or friction that depends on velocities alone"
        )
    return coordinates


def constrained_under_load(
    model: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    A: Array,
    drift: Array,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
    *,
    near: Mapping[int, Scalar] | None = None,
) -> tuple[ConstrainedMotion, SolutionUnderLoad]:
    """The motion with A qdd + drift = 0, and the loads and the friction in it; NaN if it is not found.

    ``near`` are loads of a state close by (`armdyn.algorithms.load_newton.solution_under_load`).
    """
    arguments = model, q, qd, tau, f_tip, None, None, f_ext
    if own_coordinates(model.drive) is None:
        independence = independence_of(schur_complement(model, factored_mass_matrix(model, q), A)[1])
        rows = LoadConstraints(A, -drift, multiplier_loads(model, q, A))
        solution = solution_under_load(CoupledLoads.at(*arguments, within=rows), near)
        return ConstrainedMotion(solution.qdd, solution.reactions, np.array(independence)), solution
    solution, count = accelerations_under_load(*arguments, near=near, within=within_rows(model, A, drift)), len(A)
    return ConstrainedMotion(solution.qdd, solution.reactions[:count], solution.reactions[count:]), solution


def within_rows(model: Mechanism, A: Array, drift: Array) -> Within:
    """The motion of an arm with A qdd + drift = 0: accelerations, and the multipliers, then the independences."""

    def moved(factors: Factors, pushed: Array) -> tuple[Array, Array]:
        qdd, multipliers, independence = moved_within(model, A, drift, factors, pushed)
        return qdd, np.concatenate([multipliers, independence])

    return moved


def forces_under_load(
    model: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    multipliers: Array,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
) -> Array:
    """tau = M qdd + h + A^T lambda + f(qd, l) + d, with the rotors in M."""
    A, mechanism, drive = all_equations(model, q).A, regroup(model), model.drive  # only joint forces are needed
    positions, rates, rotors = drive.positions(q), drive.rates(qd), drive.rates(qdd)
    _, wrenches = links_in_motion(mechanism, positions, rates, rotors, base_motion(model.gravity), f_tip, f_ext)
    of_links = loads_of_drives(mechanism, positions, wrenches, rates)
    loads = list(of_links)
    for k, row in multiplier_loads(model, q, A).items():
        loads[k] = loads[k] + row @ multipliers
    friction = drive.friction_forces(rates, loads)
    forces = drive.forces([own + rubs for own, rubs in zip(of_links, friction, strict=True)], rotors)
    return np.asarray(forces + A.T @ multipliers)


@function("(n),(n)->(n),(n),(n)")
def friction_lines(model: Mechanism, qd: Array, loads: Array) -> tuple[Array, Array, Array]:
    """The straight lines that touch the friction at loads, 1/phi, c/phi and the friction f, shape (..., n) each.

    They are those of `armdyn.model.friction.LoadLine`; 1, 0 and 0 if friction does not depend on load.

    Args:
        qd: joint velocities, rad/s or m/s, shape (..., n).
        loads: those that the joints transmit, N m or N, shape (..., n).
    """
    coordinates, n = coordinates_under_load(model), model.dof
    gain, offset, force = np.ones(n, dtype=object), np.zeros(n, dtype=object), np.zeros(n, dtype=object)
    by_body = {k: loads[i] for k, i in coordinates.items()}
    for k, own in loaded_friction(model.drive, model.drive.rates(qd), by_body).items():
        i = coordinates[k]
        gain[i], offset[i], force[i] = own.gain, own.offset, own.force
    return gain, offset, force


@function("(n),(n),(n),(6)?,(links,6)?->(n),(n)")
def forces_before_loads(
    model: Mechanism, q: Array, qd: Array, tau: Array, f_tip: Array | None = None, f_ext: Array | None = None
) -> tuple[Array, Array]:
    """tau - d, joint forces less the friction independent of load, and h of the links, N m or N, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).
    """
    drive, rates = model.drive, model.drive.rates(qd)
    h = inverse_dynamics(model.without_friction, q, qd, np.zeros(model.dof), f_tip, None, None, f_ext)
    return tau - drive.forces(other_friction(drive, rates)), h


@function("(n),(n)->(n),(n)")
def friction_of_available(model: Mechanism, available: Array, rates: Array) -> tuple[Array, Array]:
    """Friction f that depends on the load, N m or N, and its slope df/dt, shape (..., n) each, with l + f(l) = t.

    Both are 0 for coordinates whose friction does not depend on the load, and NaN if l is not found.

    Args:
        available: t, the joint force available for load and friction, N m or N, shape (..., n).
        rates: of the coordinates, rad/s or m/s, shape (..., n).
    """

    def force(laws: list[FrictionLaw], i: int, load: Scalar) -> Scalar:
        return sum(law.force(rates[i], load) for law in laws)

    return _of_coordinates(model, available, force)


@function("(n),(n)->(n),(n),(n),(n)")
def breakaway_of_available(model: Mechanism, backwards: Array, forwards: Array) -> tuple[Array, Array, Array, Array]:
    """The least and the largest friction that depends on the load at rest, and their slopes by t, shape (..., n) each.

    Args:
        backwards: t of the least, with l + f(l) = t, N m or N, shape (..., n).
        forwards: t of the largest, likewise.
    """

    def side(place: int, available: Array) -> tuple[Array, Array]:
        return _of_coordinates(model, available, lambda laws, i, load: sum(law.at_rest(load)[place] for law in laws))

    (least, of_least), (most, of_most) = side(0, backwards), side(1, forwards)
    return least, most, of_least, of_most


def _of_coordinates(
    model: Mechanism, available: Array, force: Callable[[list[FrictionLaw], int, Scalar], Scalar]
) -> tuple[Array, Array]:
    """f and df/dt of every coordinate, by Newton's method for each; zero without friction that depends on the load."""
    coordinates, n = coordinates_under_load(model), model.dof
    friction, slopes = np.zeros(n, dtype=object), np.zeros(n, dtype=object)
    for k, i in coordinates.items():
        laws, count = loaded_laws(model.drive, k), lines(model.drive, k)

        def of_load(x: Array, laws: list[FrictionLaw] = laws, i: int = i) -> Array:
            return np.array([force(laws, i, x[0]) + 0.0 * x[0]], dtype=object)

        friction[i], slopes[i] = _of_one(of_load, available[i], STEPS_OF_CURVES if count is None else count + 1)
    return friction, slopes


def _of_one(force: Callable[[Array], Array], t: Scalar, steps: int) -> tuple[Scalar, Scalar]:
    """f and df/dt = s/(1 + s) with l + f(l) = t, by Newton's method: l = (t - (f - s l))/(1 + s); NaN if not found."""
    load = t
    for _ in range(steps):
        f, s = _with_slope(force, load)
        load = (t - (f - s * load)) / (1.0 + s)
    f, s = _with_slope(force, load)
    return f * or_nan(holds([t, -load, -f])), s / (1.0 + s)


def _with_slope(force: Callable[[Array], Array], load: Scalar) -> tuple[Scalar, Scalar]:
    x = np.array([load, 0.0], dtype=object)[:1]
    return force(x)[0], derivative(force, x)[0, 0]
