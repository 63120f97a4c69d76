"""A robot in other forms: screws, zero reference position, Denavit-Hartenberg table, URDF, a vector of parameters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from armdyn.formats.export.dh import write_dh
from armdyn.formats.export.screws import write_screws
from armdyn.formats.export.urdf import write_urdf
from armdyn.formats.export.zero_reference import write_zero_reference
from armdyn.model import standard_parameters as of_model
from armdyn.model.standard_parameters import StandardParameters

if TYPE_CHECKING:
    from armdyn.formats.dh import DHTable
    from armdyn.formats.export.screws import Screws
    from armdyn.formats.zero_reference import ZeroReference
    from armdyn.robot.robot import Robot


def to_screws(robot: Robot) -> Screws:
    """Modern Robotics' lists (Mlist, Glist, Slist) of a serial arm, which `Robot.from_screws` reads (MR 8.3).

    The frames of the lists stand at the centres of mass, with the axes of the links' frames. Names, limits and
    gravity are not part of them.

    Raises:
        Unsupported: a robot that branches, whose tip is not on its last link, or whose joints have armature.

    >>> Mlist, Glist, Slist = armdyn.load("ur5").to_screws()
    >>> Slist[:, 0] + 0.0
    array([0., 0., 1., 0., 0., 0.])
    """
    return write_screws(robot.model)


def to_zero_reference(robot: Robot) -> ZeroReference:
    """The zero reference position of a serial arm, SI units (Kazerounian and Gupta 1985).

    ``Robot.from_zero_reference(**zero.arguments())`` reads it back. Damping and friction are not part of it.

    Raises:
        Unsupported: a robot that branches, whose tip is not on its last link, or whose joints have armature.

    >>> armdyn.load("planar_2r").to_zero_reference().points
    array([[0., 0., 0.],
           [1., 0., 0.]])
    """
    return write_zero_reference(robot.model)


def to_dh(robot: Robot, convention: str) -> DHTable:
    """The Denavit-Hartenberg table of a serial arm, with base and tool, lengths in m, angles in rad.

    Every serial arm has one. ``Robot.from_dh(**table.arguments())`` reads it back, with the same q.

    Args:
        convention: "modified" (Craig) or "standard".

    Raises:
        Unsupported: a robot that branches, or whose tip is not on its last link.
        ModelError: no such convention; or axes so nearly parallel that the table would lose digits.

    >>> [round(row.alpha, 4) for row in armdyn.load("ur5").to_dh("standard").rows]
    [1.5708, 0.0, 0.0, 1.5708, 1.5708, 0.0]
    """
    return write_dh(robot.model, convention)


def to_urdf(robot: Robot, path: str | os.PathLike[str] | None = None) -> str:
    """The robot as the text of a URDF file, and as the file where a path is given.

    Links, frames (as massless links on fixed joints), inertias, limits, damping and friction, with all digits, and
    loops, as <loop_joint> elements, and shapes. URDF has no place for gravity, the tip, armature, the collars of
    slides, capsules, ellipsoids and planes: they are in an element <armdyn>, which other readers pass over.
    `Robot.from_urdf` reads the same robot. Meshes are named by where they are, and not copied.

    Args:
        path: of the file to write; none where only the text is wanted.

    Raises:
        ModelError: a name that no XML file can hold.
        Unsupported: a constraint that is not a loop.

    >>> print(armdyn.load("planar_2r").to_urdf()[:64])
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="planar_2r">
    """
    return write_urdf(robot.model, path)


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
    return of_model.standard_parameters(
        robot.model, armature=armature, damping=damping, friction=friction, offset=offset
    )
