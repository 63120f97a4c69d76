"""Base parameters of a robot: from its structure, or from the regressor of many random states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.checks import number
from armdyn.base.errors import UnknownName, Unsupported
from armdyn.model.base_parameters import BaseParameters, group_parameters, own_gravity, own_length, own_units
from armdyn.model.constraints import refuse_constraints
from armdyn.model.null_parameters import null_parameters
from armdyn.model.standard_parameters import StandardParameters, standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

METHODS = ("structural", "numerical")

TOLERANCE = 1e-8
"""Values below this, relative to the greatest, count as zero: above the rounding of descriptions and of arithmetic."""

EQUATIONS = 6
"""Equations from random states, for each parameter."""


def base_parameters(
    robot: RobotLike,
    *,
    method: str | None = None,
    tolerance: float = TOLERANCE,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
    offset: bool = False,
) -> BaseParameters:
    """The combinations of standard parameters that joint forces can tell apart, and no more.

    Args:
        robot: any, without constraints.
        method: "structural", link by link from the arm's structure, for joints that move independently;
            "numerical", from the regressor of many random states. Where not said, structural if it can be.
        tolerance: below which values count as zero, in units of the arm's own length.
        armature: whether the inertias of the joints' rotors count; where not said, they do where there is one.
        damping: whether viscous frictions count; likewise.
        friction: whether Coulomb frictions count; likewise.
        offset: whether constant forces count.

    Returns:
        An `armdyn.identification.BaseParameters`: ``names``, ``matrix`` K with beta = K pi, ``independent``
        columns, ``rank``, ``columns(Y)``. Printed it is a table.

    >>> print(armdyn.load("planar_2r").base_parameters())
      0             2 kg m       link_1.mc_x + link_2.m
      1             0 kg m       link_1.mc_y
      2             2 kg m^2     link_1.I_zz + link_2.m
      3             1 kg m       link_2.mc_x
      4             0 kg m       link_2.mc_y
      5             1 kg m^2     link_2.I_zz
    without effect: link_1.m, link_1.mc_z, ...
    """
    options: dict[str, Any] = {"armature": armature, "damping": damping, "friction": friction, "offset": offset}
    refuse_constraints(robot.model, "base_parameters", "the regressor at states within them")
    number("tolerance", tolerance, least=0.0)
    standard = standard_parameters(robot.model, **options)
    coupled = robot.model.coupling is not None or bool(robot.model.rotors)
    method = ("numerical" if coupled else "structural") if method is None else method
    if method not in METHODS:
        raise UnknownName.of("method", method, METHODS, "method=")
    if method == "numerical":
        vectors, gap = null_parameters_of_states(robot, tolerance=tolerance, **options)
        return group_parameters(robot.mechanism, standard, vectors, gap)
    if coupled:
        raise Unsupported(
            f"joints of {robot.name!r} are coupled or turn rotors that are bodies of their own, and the structural "
            "rules hold for joints that move independently; take method='numerical'."
        )
    return group_parameters(robot.mechanism, standard, null_parameters(robot.mechanism, standard, tolerance))


def null_parameters_of_states(
    robot: RobotLike, *, tolerance: float = TOLERANCE, **options: Any
) -> tuple[Array, tuple[float, float]]:
    """The standard parameters without effect on random states, in the arm's own units, and the gap they show.

    The singular value decomposition of the stacked regressors; the states are the same at every call.

    Args:
        robot: any.
        tolerance: singular values below this, relative to the greatest, count as zero.
        options: those of ``robot.standard_parameters``.

    Returns:
        A basis of the null vectors, shape (parameters, k), and the smallest singular value that counts as one with the
        greatest that counts as zero, relative to the greatest of all.
    """
    standard = standard_parameters(robot.model, **options)
    Y = stacked_regressor(robot, standard, **options) * own_units(robot.mechanism, standard)
    _, sizes, directions = np.linalg.svd(Y)
    rank = int((sizes > tolerance * sizes[0]).sum())
    below = sizes[rank] / sizes[0] if rank < len(sizes) else 0.0
    return np.asarray(directions[rank:].T), (float(sizes[rank - 1] / sizes[0]), float(below))


def stacked_regressor(robot: RobotLike, standard: StandardParameters, **options: Any) -> Array:
    """The regressors of random states, one below the other, each force in the arm's own units."""
    rng, n, L = np.random.default_rng(0), robot.dof, own_length(robot.mechanism)
    count = -(-EQUATIONS * len(standard) // n)
    turns = np.array([joint.kind == "revolute" for joint in robot.joints])
    rate = np.sqrt(own_gravity(robot.mechanism) / L)  # so that motion counts for as much as weight
    lengths = np.where(turns, 1.0, L)
    q = rng.uniform(-np.pi, np.pi, (count, n)) * lengths
    qd, qdd = rng.normal(size=(2, count, n)) * lengths * np.array([rate, rate**2])[:, None, None]
    Y = robot.regressor(q, qd, qdd, **options) * np.where(turns, 1.0 / L, 1.0)[:, None]
    return np.asarray(Y.reshape(count * n, len(standard)))
