"""Base parameters of a robot: from its structure, or from the regressor of many random states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armdyn.base.checks import number
from armdyn.base.errors import UnknownName, Unsupported
from armdyn.identification.identifiability.combinations import BaseParameters, group_parameters
from armdyn.identification.identifiability.numerical import TOLERANCE, null_parameters_of_states
from armdyn.identification.identifiability.structural import null_parameters
from armdyn.model.constraints import refuse_constraints
from armdyn.model.standard_parameters import standard_parameters

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

METHODS = ("structural", "numerical")


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
    """The combinations of standard parameters that joint forces depend on, the fewest.

    Args:
        robot: any, without constraints.
        method: "structural", link by link from the arm's structure, for joints that move independently;
            "numerical", from the regressor of many random states. Structural by default, if it can be.
        tolerance: below which values count as zero, in units of the arm's own length.
        armature: include the inertias of the joints' rotors; by default if there is one.
        damping: include viscous frictions; by default if there is one.
        friction: include Coulomb frictions; by default if there is one.
        offset: include constant forces.

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
