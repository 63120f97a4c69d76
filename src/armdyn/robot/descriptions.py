"""Robots from descriptions: files, tables, lists, links by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armdyn.model.model import STANDARD_GRAVITY

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armdyn.formats.dh import DHRow
    from armdyn.formats.links import Part
    from armdyn.formats.units import Units
    from armdyn.model.inertia import Inertia
    from armdyn.model.model import Limits
    from armdyn.model.selection import Policy
    from armdyn.robot.robot import Robot


def from_urdf(
    cls: type[Robot],
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: Sequence[float] | None = None,
    check_inertia: bool = True,
    problems: Policy = "refuse",
) -> Robot:
    """Read a URDF file.

    Args:
        path: of the file.
        base: keep only what hangs on this link; the root where none is given.
        tip: the link that ``f_tip``, the pose and the Jacobian mean. Where none is given: the one that `to_urdf` wrote
            down; the end, where the robot has one only; else tool0, tcp, flange or ee_link. Where there is none of
            these the robot has no tip. ``notes`` says what was taken where there was a choice.
        chain: keep only the joints between ``base`` and ``tip``, and what is welded to that chain. Warns of mass that
            is left out.
        locked: joints that are held, by name, and where, rad or m.
        gravity: acceleration of free fall in base axes, m/s^2. Where none is given: what `to_urdf` wrote down, else
            (0, 0, -9.81).
        check_inertia: refuse inertias that no rigid body has and a joint feels; otherwise take them as they stand,
            with a note. Those that no joint feels, of the base and what is welded to it, are only noted.
        problems: "refuse" every fault of the file; or "warn" of those that no equation contains, such as limits the
            wrong way round, and read on. The `armdyn.DescriptionWarning` and the robot's ``notes`` say what was taken.

    Raises:
        ModelError: every problem of the file at once, each with its line.
        Unsupported: what the file asks for and armdyn does not model.
        UnknownName: a base, tip or locked joint the file does not have.

    Warns (`armdyn.DescriptionWarning`) once each of damping and friction, which the equations do not contain, and of
    limits that are zero.

    Joints that ``<mimic>`` others are coupled to them, and are no entries of q: `joint_positions` has them all.
    Elements ``<loop_joint>`` and ``<loop>`` close loops, and become constraints: `with_constraints`.
    """
    from armdyn.formats.urdf import read_urdf  # noqa: PLC0415

    return cls(
        read_urdf(
            path,
            base=base,
            tip=tip,
            chain=chain,
            locked=locked,
            gravity=gravity,
            check_inertia=check_inertia,
            problems=problems,
        )
    )


def from_mjcf(
    cls: type[Robot],
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: Sequence[float] | None = None,
    check_inertia: bool = True,
    problems: Policy = "refuse",
) -> Robot:
    """Read an MJCF file through MuJoCo's own compiler (``pip install mujoco``).

    q is MuJoCo's qpos. The base is the world; bodies are links, named sites are frames, and of several joints on
    one body the ones before the last move massless links. Armature is part of the equations; damping and
    frictionloss are kept in the joints.

    Args:
        path: of the file; MuJoCo reads what it includes, and its meshes, from where the file says.
        base: keep only what hangs on this body; the world where none is given.
        tip: the body or site that ``f_tip``, the pose and the Jacobian mean. Where none is given: the end, where the
            robot has one only; else tool0, tcp, flange or ee_link; else the robot has no tip, and ``notes`` says so.
        chain: keep only the joints between ``base`` and ``tip``, and what is welded to that chain.
        locked: joints that are held, by name, and at which qpos, rad or m.
        gravity: acceleration of free fall in base axes, m/s^2; the file's where not given, turned into the axes of
            ``base`` as the file draws it.
        check_inertia: refuse inertias that no rigid body has and a joint feels; otherwise take them as they stand,
            with a note.
        problems: "refuse" every fault of the file; or "warn" of those that no equation contains, such as limits the
            wrong way round, and read on. The `armdyn.DescriptionWarning` and the robot's ``notes`` say what was taken.

    Raises:
        ModelError: what MuJoCo's compiler refuses, or what describes no arm.
        Unsupported: what acts on the arm by itself and armdyn does not model: free and ball joints, springs,
            equalities between tendons, gravcomp, fluids.
        UnknownName: a base, tip or locked joint the file does not have.
        MissingLibrary: where MuJoCo is not installed.
    """
    from armdyn.formats.mjcf import read_mjcf  # noqa: PLC0415

    return cls(
        read_mjcf(
            path,
            base=base,
            tip=tip,
            chain=chain,
            locked=locked,
            gravity=gravity,
            check_inertia=check_inertia,
            problems=problems,
        )
    )


def from_screws(
    cls: type[Robot],
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
    *,
    gravity: Sequence[float] = STANDARD_GRAVITY,
    name: str = "screws",
    joint_names: Sequence[str] | None = None,
    check_inertia: bool = True,
) -> Robot:
    """Build a serial arm from Modern Robotics' product-of-exponentials lists (Modern Robotics 8.3).

    Args:
        Mlist: M_01, M_12, ..., M_{n,n+1}: home pose of each centre-of-mass frame in the one before, then of the
            end-effector frame in the last, shape (n + 1, 4, 4).
        Glist: spatial inertia of each link in its frame, angular part first, shape (n, 6, 6).
        Slist: space screw axes at home, a column each, angular part first, shape (6, n).
        gravity: acceleration of free fall in base axes, m/s^2.
        name: of the robot.
        joint_names: "joint_1", ... where none are given.
        check_inertia: refuse inertias that no rigid body has; otherwise take them as they stand, with a note.

    Raises:
        ModelError: lists that describe no arm, all problems at once.
    """
    from armdyn.formats.screws import read_screws  # noqa: PLC0415

    model = read_screws(
        Mlist, Glist, Slist, gravity=gravity, name=name, joint_names=joint_names, check_inertia=check_inertia
    )
    return cls(model)


def from_dh(
    cls: type[Robot],
    rows: Sequence[DHRow | Mapping[str, Any] | Sequence[Any]],
    *,
    convention: str | None = None,
    inertias: Sequence[Inertia] | None = None,
    limits: Sequence[Limits] | None = None,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    degrees: bool = False,
    gravity: ArrayLike = STANDARD_GRAVITY,
    name: str = "dh",
    joint_names: Sequence[str] | None = None,
    check_inertia: bool = True,
) -> Robot:
    """Build a serial arm from a Denavit-Hartenberg table (Craig 3.6, or the standard convention).

    Frame i of the table is the frame "link_i" of the robot, "link_0" is frame 0, and "tip" is the tool. In the
    standard convention, where frame i is at the far end of its link, the links themselves are called
    "link_1_on_axis", ...

    Args:
        rows: one a joint: (a, alpha, d, theta), with "prismatic" behind it where the joint slides; or a dict of
            these names; or an `armdyn.DHRow`, which holds inertia, limits, friction and armature too. Lengths in m,
            angles in rad. q is added to theta, or to d of a prismatic joint: what is given there is its offset.
        convention: "modified" (Craig: a and alpha of the link before) or "standard"; it must be given.
        inertias: an `armdyn.Inertia` a row, in DH frame i, where the rows hold none.
        limits: an `armdyn.Limits` a row, where the rows hold none.
        base: pose of DH frame 0 in the base frame, shape (4, 4).
        tool: pose of the tip in the last DH frame, shape (4, 4).
        degrees: whether alpha and theta are in degrees.
        gravity: acceleration of free fall in base axes, m/s^2.
        name: of the robot.
        joint_names: "joint_1", ... where none are given.
        check_inertia: refuse inertias that no rigid body has; otherwise take them as they stand, with a note.

    Raises:
        ModelError: rows that describe no arm, all problems at once, each with its row.
        ShapeError: rows, inertias or poses that are no such lists.
        Unsupported: a row that holds the inertia of a motor.

    >>> rows = [(0, 0, 0, 0), (0, -90, 0.2435, 0), (0.4318, 0, -0.0934, 0)]
    >>> arm = armdyn.Robot.from_dh(rows, convention="modified", degrees=True)
    >>> arm.forward_kinematics([0.0, 0.0, 0.0])[:3, 3] + 0.0
    array([0.4318, 0.1501, 0.    ])
    """
    from armdyn.formats.dh import read_dh  # noqa: PLC0415

    return cls(
        read_dh(
            rows,
            convention=convention,
            inertias=inertias,
            limits=limits,
            base=base,
            tool=tool,
            degrees=degrees,
            gravity=gravity,
            name=name,
            joint_names=joint_names,
            check_inertia=check_inertia,
        )
    )


def from_zero_reference(
    cls: type[Robot],
    axes: ArrayLike,
    *,
    kinds: Sequence[str] | None = None,
    points: ArrayLike | None = None,
    hand: ArrayLike | None = None,
    b: ArrayLike | None = None,
    c: ArrayLike | None = None,
    d: ArrayLike | None = None,
    first_center: ArrayLike | None = None,
    axial: ArrayLike | None = None,
    transverse: ArrayLike | None = None,
    masses: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    inertias: ArrayLike | None = None,
    collars: Mapping[str, str] | None = None,
    units: Units | None = None,
    weighed_at: float = 9.80665,
    gravity: ArrayLike = STANDARD_GRAVITY,
    limits: Sequence[Limits] | None = None,
    joint_names: Sequence[str] | None = None,
    name: str = "zero_reference",
    check_inertia: bool = True,
) -> Robot:
    """Build a serial arm from its zero reference position (Kazerounian and Gupta 1985, sections 2 and 8).

    Everything is in base coordinates, with the arm where all q are zero. Joint k moves "link_k" (number k + 1 in
    the paper); a row of every table belongs to joint k and that link.

    Args:
        axes: u_0k, unit vector of each joint, shape (n, 3).
        kinds: "R" or "P", or the words, one a joint ("RRPRRR" will do); all revolute where not given.
        points: Q_0k, a point on each axis, shape (n, 3); or give body vectors.
        hand: h, the hand point, shape (3,); the last joint's point where ``points`` are given without it.
        b: body vectors b_{0,k+1} from joint k to the next, the last to the hand point, shape (n, 3).
        c: body vectors c_{0,k+1} from joint k to the centre of mass of its link, shape (n, 3).
        d: body vectors d_{0,k+1} from that centre of mass to the next joint, shape (n, 3); b = c + d, two suffice.
        first_center: the first joint's centre, where body vectors are given; the origin else.
        axial: u_0a, unit vector of the hand, which becomes the tip's z axis; the base's axes where not given.
        transverse: u_0t, unit vector at right angles to it, which becomes the tip's x axis.
        masses: of the links, shape (n,); or give weights.
        weights: of the links, shape (n,); a mass is its weight over ``weighed_at``.
        inertias: I^G_0k, inertias about the centres of mass in base axes, shape (n, 3, 3).
        collars: the link that carries the collar of a slide, by the name of its joint: {"joint_3": "link_2"}. The
            link that it moves where not given. Joint forces do not depend on it, joint reactions do.
        units: of all lengths, masses or weights, and inertias; SI where not given. The paper's are
            ``armdyn.Units.pounds_and_inches()``. Gravity and limits are in SI always.
        weighed_at: the free fall under which the weights were taken, m/s^2.
        gravity: acceleration of free fall in base axes, m/s^2.
        limits: one `armdyn.Limits` a joint.
        joint_names: "joint_1", ... where none are given.
        name: of the robot.
        check_inertia: refuse inertias that no rigid body has, or none in these units; otherwise take them as they
            stand, with a note.

    Raises:
        ModelError: what describes no arm, all problems at once, each with its argument and row.
        ShapeError: an array of another shape.
        UnknownName: a collar of a joint that does not exist.

    >>> arm = armdyn.Robot.from_zero_reference(
    ...     [(0, 0, 1), (0, -1, 0)], points=[(0, 0, 0), (0, 0, 1)], hand=(2, 0, 1),
    ...     c=[(0, 0, 0.5), (1, 0, 0)], masses=[3.0, 2.0], gravity=(0, 0, -10),
    ... )
    >>> arm.gravity_forces([0.0, 0.0])
    array([ 0., 20.])
    """
    from armdyn.formats.zero_reference import read_zero_reference  # noqa: PLC0415

    return cls(
        read_zero_reference(
            axes,
            kinds=kinds,
            points=points,
            hand=hand,
            b=b,
            c=c,
            d=d,
            first_center=first_center,
            axial=axial,
            transverse=transverse,
            masses=masses,
            weights=weights,
            inertias=inertias,
            collars=collars,
            units=units,
            weighed_at=weighed_at,
            gravity=gravity,
            limits=limits,
            joint_names=joint_names,
            name=name,
            check_inertia=check_inertia,
        )
    )


def from_links(
    cls: type[Robot],
    parts: Sequence[Part],
    *,
    base: str = "base",
    base_inertia: Inertia | None = None,
    tip: str | None = None,
    gravity: ArrayLike = STANDARD_GRAVITY,
    name: str = "links",
    check_inertia: bool = True,
) -> Robot:
    """Build an arm, or a tree of them, link by link.

    Args:
        parts: an `armdyn.Part` for each link but the base, in the order q shall have.
        base: name of the link that does not move.
        base_inertia: of that link; no joint feels it.
        tip: the link that counts as the tip. Where none is given: the end, where there is one only; else tool0, tcp,
            flange or ee_link; else the robot has no tip, and ``notes`` says so.
        gravity: acceleration of free fall in base axes, m/s^2.
        name: of the robot.
        check_inertia: refuse inertias that no rigid body has; otherwise take them as they stand, with a note.

    Raises:
        ModelError: parts that make no robot, all problems at once, each with its part.

    >>> rod = armdyn.Inertia(1.0, [0.5, 0.0, 0.0], np.diag([0.0, 1 / 12, 1 / 12]))
    >>> pendulum = armdyn.Robot.from_links([
    ...     armdyn.Part("upper", "base", "revolute", axis=(0, -1, 0), inertia=rod),
    ...     armdyn.Part("lower", "upper", "revolute", axis=(0, -1, 0), xyz=(1, 0, 0), inertia=rod),
    ...     armdyn.Part("end", "lower", "fixed", xyz=(1, 0, 0)),
    ... ])
    >>> pendulum.gravity_forces([0.0, 0.0])
    array([19.62 ,  4.905])
    """
    from armdyn.formats.links import read_links  # noqa: PLC0415

    return cls(
        read_links(
            parts,
            base=base,
            base_inertia=base_inertia,
            tip=tip,
            gravity=gravity,
            name=name,
            check_inertia=check_inertia,
        )
    )
