"""The inertial parameters of a robot as one vector, and what of them can be identified."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armdyn.model.base_parameters import BaseParameters
    from armdyn.model.standard_parameters import StandardParameters
    from armdyn.robot.front_door import Robot


def standard_parameters(
    robot: Robot,
    *,
    armature: bool | None = None,
    damping: bool = False,
    friction: bool = False,
    offset: bool = False,
) -> StandardParameters:
    """The vector pi that `regressor` is multiplied with, its names and units, in the order of the columns.

    Args:
        armature: whether the inertias of the joints' rotors follow; where not said, they do where there is one.
        damping: whether viscous frictions follow.
        friction: whether Coulomb frictions follow.
        offset: whether constant forces follow; the robot's own are zero.

    >>> pi = armdyn.load("planar_2r").standard_parameters(damping=True)
    >>> pi.names[:3], pi.names[-2:], pi["link_2.mc_x"]
    (('link_1.m', 'link_1.mc_x', 'link_1.mc_y'), ('joint_1.damping', 'joint_2.damping'), 1.0)
    """
    from armdyn.model.standard_parameters import standard_parameters  # noqa: PLC0415

    return standard_parameters(robot.model, armature=armature, damping=damping, friction=friction, offset=offset)


def base_parameters(
    robot: Robot,
    *,
    method: str | None = None,
    tolerance: float = 1e-8,
    armature: bool | None = None,
    damping: bool = False,
    friction: bool = False,
    offset: bool = False,
) -> BaseParameters:
    """The combinations of standard parameters that joint forces can tell apart, and no more.

    Args:
        method: "structural", link by link from the arm's structure, for joints that move independently;
            "numerical", from the regressor of many random states. Where not said, structural if it can be.
        tolerance: what counts as nothing, relative to the arm's own length.
        armature: whether the inertias of the joints' rotors count; where not said, they do where there is one.
        damping: whether viscous frictions count.
        friction: whether Coulomb frictions count.
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
    from armdyn.identification import base_parameters  # noqa: PLC0415 - it stands on Robot

    return base_parameters(
        robot,
        method=method,
        tolerance=tolerance,
        armature=armature,
        damping=damping,
        friction=friction,
        offset=offset,
    )


def with_standard_parameters(
    robot: Robot,
    pi: ArrayLike,
    *,
    armature: bool | None = None,
    damping: bool = False,
    friction: bool = False,
    check_inertia: bool = True,
) -> Robot:
    """The same robot with other inertias: those of a vector as `standard_parameters` gives it.

    Args:
        pi: standard parameters, shape (parameters,).
        armature: whether pi holds the inertias of rotors; where not said, it does where the robot has one.
        damping: whether pi holds viscous frictions.
        friction: whether pi holds Coulomb frictions.
        check_inertia: refuse inertias that no rigid body has; otherwise take them as they stand, with a note.

    Raises:
        ModelError: every link and joint with parameters that none can have, and why.
        ShapeError: a vector of another length.
        Unsupported: friction of joints that are coupled.

    >>> robot = armdyn.load("planar_2r")
    >>> heavy = robot.with_standard_parameters(2.0 * robot.standard_parameters().values)
    >>> heavy.gravity_forces([0.0, 0.0]) / robot.gravity_forces([0.0, 0.0])
    array([2., 2.])
    """
    from armdyn.model.standard_parameters import with_standard_parameters  # noqa: PLC0415

    options = {"armature": armature, "damping": damping, "friction": friction}
    return type(robot)(with_standard_parameters(robot.model, pi, check_inertia=check_inertia, **options))
