"""The front door: a robot whose equations of motion are compiled functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from armdyn import algorithms
from armdyn.algorithms.declaration import Function, function
from armdyn.compiled import CompiledFunction
from armdyn.constraints import dynamics, kernels
from armdyn.errors import TraceError
from armdyn.formats.urdf import read_urdf
from armdyn.model.constraints import Constraint, Row, rows_of
from armdyn.model.constraints.base import refuse_constraints
from armdyn.model.mechanism import Mechanism, canonical
from armdyn.model.model import STANDARD_GRAVITY, Joint, Model
from armdyn.program import Program
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.constraints.dynamics import ConstrainedMotion
    from armdyn.constraints.motion import DrivenForces
    from armdyn.constraints.ranks import ConstraintRank
    from armdyn.formats.dh import DHRow, DHTable
    from armdyn.formats.export.screws import Screws
    from armdyn.formats.links import Part
    from armdyn.formats.units import Units
    from armdyn.formats.zero_reference import ZeroReference
    from armdyn.kinematics import JointMotion, Solution
    from armdyn.model.base_parameters import BaseParameters
    from armdyn.model.coupling import Coordinate
    from armdyn.model.inertia import Inertia
    from armdyn.model.model import Limits
    from armdyn.model.standard_parameters import StandardParameters
    from armdyn.task_space import CartesianDynamics, CompiledTask, Task, TaskSpace


class Method:
    """A `Function` as a method of `Robot`: bound, documented and compiled from its one declaration."""

    def __init__(self, declared: Function, *, with_constraints: str = "") -> None:
        """Args: the function, and which method a robot with constraints, where it would be wrong, has instead of it."""
        self.function = declared
        self.with_constraints = with_constraints
        self.__doc__ = declared.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def fits(self, robot: Robot) -> bool:
        """Whether it is public and means something for a robot: constraints, or none."""
        if self.name.startswith("_"):
            return False
        of_constraints = self.function.__module__.startswith("armdyn.constraints.")
        return not self.with_constraints if robot.model.constraints else not of_constraints

    @overload
    def __get__(self, robot: None, owner: type) -> Function: ...
    @overload
    def __get__(self, robot: Robot, owner: type) -> CompiledFunction: ...
    def __get__(self, robot: Robot | None, owner: type) -> Function | CompiledFunction:
        if robot is None:
            return self.function
        if self.with_constraints:
            refuse_constraints(robot.model, self.name, self.with_constraints)
        bound = CompiledFunction(robot, self.function)
        # An instance attribute hides this descriptor: the next access costs nothing.
        return robot.__dict__.setdefault(self.name, bound)  # type: ignore[no-any-return]


class Robot:
    """A robot arm, or a tree of them, and everything that can be asked of it. Immutable; safe to share and pickle.

    Make one with `armdyn.load`, `Robot.from_urdf`, `from_mjcf`, `from_screws`, `from_dh`, `from_zero_reference`,
    `from_links`, or from a `Model`.

    >>> robot = armdyn.load("ur5")
    >>> robot.mass_matrix(np.zeros(6)).shape
    (6, 6)
    """

    inverse_dynamics = Method(algorithms.inverse_dynamics, with_constraints="constrained_inverse_dynamics")
    forward_dynamics = Method(algorithms.forward_dynamics, with_constraints="constrained_forward_dynamics")
    inverse_dynamics_derivatives = Method(
        algorithms.inverse_dynamics_derivatives, with_constraints="constrained_inverse_dynamics.derivative"
    )
    forward_dynamics_derivatives = Method(
        algorithms.forward_dynamics_derivatives,
        with_constraints="robot.compile(armdyn.constraints.constrained_forward_dynamics).derivative",
    )
    mass_matrix = Method(algorithms.mass_matrix)
    mass_matrix_dot = Method(algorithms.mass_matrix_dot)
    inverse_mass_matrix = Method(algorithms.inverse_mass_matrix)
    coriolis_matrix = Method(algorithms.coriolis_matrix)
    christoffel = Method(algorithms.christoffel)
    coriolis_coefficients = Method(algorithms.coriolis_coefficients)
    centrifugal_coefficients = Method(algorithms.centrifugal_coefficients)
    transposed_coriolis_forces = Method(algorithms.transposed_coriolis_forces)
    closed_form = Method(algorithms.closed_form)
    bias_forces = Method(algorithms.bias_forces)
    gravity_forces = Method(algorithms.gravity_forces)
    velocity_forces = Method(algorithms.velocity_forces)
    tip_forces = Method(algorithms.tip_forces)
    external_wrench = Method(algorithms.external_wrench)
    joint_positions = Method(algorithms.joint_positions)
    forward_kinematics = Method(algorithms.forward_kinematics)
    link_poses = Method(algorithms.link_poses)
    jacobian = Method(algorithms.jacobian)
    jacobian_dot = Method(algorithms.jacobian_dot)
    bias_acceleration = Method(algorithms.bias_acceleration)
    link_motion = Method(algorithms.link_motion)
    joint_reactions = Method(algorithms.joint_reactions, with_constraints="constraint_forces for what loops carry")
    constraint_error = Method(kernels.constraint_error)
    constraint_jacobian = Method(kernels.constraint_jacobian)
    constraint_velocity = Method(kernels.constraint_velocity)
    constraint_drift = Method(kernels.constraint_drift)
    constraint_forces = Method(kernels.constraint_forces)
    force_projection = Method(dynamics.force_projection)
    acceleration_projection = Method(dynamics.acceleration_projection)
    constrained_inverse_dynamics = Method(dynamics.constrained_inverse_dynamics)
    hybrid_forces = Method(dynamics.hybrid_forces)
    _constrained_motion = Method(dynamics.constrained_forward_dynamics)
    kinetic_energy = Method(algorithms.kinetic_energy)
    potential_energy = Method(algorithms.potential_energy)
    kinetic_energy_derivatives = Method(algorithms.kinetic_energy_derivatives)
    generalized_momentum = Method(algorithms.generalized_momentum)
    momentum = Method(algorithms.momentum)
    momentum_matrix = Method(algorithms.momentum_matrix)
    momentum_rate = Method(algorithms.momentum_rate)
    center_of_mass = Method(algorithms.center_of_mass)
    center_of_mass_velocity = Method(algorithms.center_of_mass_velocity)
    center_of_mass_jacobian = Method(algorithms.center_of_mass_jacobian)
    regressor = Method(algorithms.regressor)
    momentum_regressor = Method(algorithms.momentum_regressor)
    lagrangian_gradient_regressor = Method(algorithms.lagrangian_gradient_regressor)
    kinetic_energy_regressor = Method(algorithms.kinetic_energy_regressor)
    potential_energy_regressor = Method(algorithms.potential_energy_regressor)

    def __init__(self, model: Model) -> None:
        self.__dict__["model"] = model

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"robots are immutable; {name!r} cannot be set. Use robot.with_gravity and the like")

    model: Model

    @classmethod
    def from_urdf(
        cls,
        path: str | os.PathLike[str],
        *,
        base: str | None = None,
        tip: str | None = None,
        chain: bool = False,
        locked: Mapping[str, float] | None = None,
        gravity: Sequence[float] = STANDARD_GRAVITY,
        check_inertia: bool = True,
    ) -> Robot:
        """Read a URDF file.

        Args:
            path: of the file.
            base: keep only what hangs on this link; the root where none is given.
            tip: the link that ``f_tip``, the pose and the Jacobian mean; found where there is one end only.
            chain: keep only the joints between ``base`` and ``tip``, and what is welded to that chain.
            locked: joints that are held, by name, and where, rad or m.
            gravity: acceleration of free fall in base axes, m/s^2.
            check_inertia: refuse inertias that no rigid body has; otherwise take them as they stand, with a note.

        Raises:
            ModelError: every problem of the file at once, each with its line.
            Unsupported: what the file asks for and armdyn does not model.
            UnknownName: a base, tip or locked joint the file does not have.

        Joints that ``<mimic>`` others are coupled to them, and are no entries of q: `joint_positions` has them all.
        Elements ``<loop_joint>`` and ``<loop>`` close loops, and become constraints: `with_constraints`.
        """
        return cls(
            read_urdf(
                path, base=base, tip=tip, chain=chain, locked=locked, gravity=gravity, check_inertia=check_inertia
            )
        )

    @classmethod
    def from_mjcf(
        cls,
        path: str | os.PathLike[str],
        *,
        base: str | None = None,
        tip: str | None = None,
        chain: bool = False,
        locked: Mapping[str, float] | None = None,
        gravity: Sequence[float] | None = None,
        check_inertia: bool = True,
    ) -> Robot:
        """Read an MJCF file through MuJoCo's own compiler (``pip install "armdyn[mjcf]"``).

        q is MuJoCo's qpos. The base is the world; bodies are links, named sites are frames, and of several joints on
        one body the ones before the last move massless links. Armature is part of the equations; damping and
        frictionloss are kept in the joints.

        Args:
            path: of the file; MuJoCo reads what it includes, and its meshes, from where the file says.
            base: keep only what hangs on this body; the world where none is given.
            tip: the body or site that ``f_tip``, the pose and the Jacobian mean; found where there is one end only.
            chain: keep only the joints between ``base`` and ``tip``, and what is welded to that chain.
            locked: joints that are held, by name, and at which qpos, rad or m.
            gravity: acceleration of free fall in base axes, m/s^2; the file's where not given, turned into the axes of
                ``base`` as the file draws it.
            check_inertia: refuse inertias that no rigid body has; otherwise take them as they stand, with a note.

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
                path, base=base, tip=tip, chain=chain, locked=locked, gravity=gravity, check_inertia=check_inertia
            )
        )

    @classmethod
    def from_screws(
        cls,
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

    @classmethod
    def from_dh(
        cls,
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

    @classmethod
    def from_zero_reference(
        cls,
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

    @classmethod
    def from_links(
        cls,
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
            tip: the link that counts as the tip; found where there is one end only.
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

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.model.name

    @property
    def dof(self) -> int:
        """n, the size of q: the number of joints, or of the coordinates that move them where they are coupled."""
        return len(self.model.coordinates)

    @property
    def joints(self) -> tuple[Joint | Coordinate, ...]:
        """What q counts, in its order: the joints, or the coordinates that move them where they are coupled."""
        return self.model.coordinates

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of what q counts, in its order."""
        return tuple(joint.name for joint in self.model.coordinates)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, base first."""
        return self.model.link_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: links, and what is welded to them."""
        return tuple(frame.name for frame in self.model.frames)

    @property
    def tip(self) -> str | None:
        """Name of the tip frame, or None where the tree has several ends and none was chosen."""
        return self.model.tip

    @property
    def constraint_rows(self) -> tuple[Row, ...]:
        """The scalar equations of all constraints, in the order of the rows of A: name, unit, kind."""
        return rows_of(self.model.constraints)

    @property
    def gravity(self) -> Array:
        """The acceleration of free fall in base axes, m/s^2, shape (3,)."""
        return self.model.gravity

    @property
    def notes(self) -> tuple[str, ...]:
        """What the description said and the equations do not contain, one sentence each."""
        return self.model.notes

    @cached_property
    def mechanism(self) -> Mechanism:
        """The model in canonical link frames: what functions are traced with."""
        return canonical(self.model)

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """The same robot under another acceleration of free fall, in base axes, m/s^2, shape (3,)."""
        return Robot(self.model.replace(gravity=np.asarray(gravity, dtype=float)))

    def with_tip(self, frame: str) -> Robot:
        """The same robot with another frame as its tip."""
        return Robot(self.model.replace(tip=self.model.frame(frame).name))

    def with_constraints(self, *constraints: Constraint) -> Robot:
        """The same robot with constraints on its motion, besides those it has: loops, contacts, couplings.

        Args:
            constraints: of `armdyn.constraints`: `weld`, `ball`, `hinge`, `slide`, `Held`, `PointOnPlane`,
                `PointOnLine`, `PointOnSurface`, `PointOnCurve`, `Distance`, `JointCoupling`, `Holonomic`, `Pfaffian`.

        Raises:
            ModelError: two of one name.
            UnknownName: a frame or joint the robot does not have.

        >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
        >>> arm = armdyn.load("planar_2r").with_constraints(channel)
        >>> arm.constraint_jacobian([-np.pi / 3, 2 * np.pi / 3]).round(3) + 0.0
        array([[ 0.   , -0.866]])
        """
        return Robot(self.model.replace(constraints=(*self.model.constraints, *constraints)))

    def with_independent_constraints(self, q: ArrayLike, **options: Any) -> Robot:
        """The same robot without the rows of constraints that follow from others, as those of planar linkages do.

        A hinge that closes a planar four-bar has five rows in space; three of them hold already. The motion is the same
        without them; the forces that they could share with the others are zero.

        Args:
            q: joint positions of a general state at which the loops are closed, rad or m, shape (n,).
            options: of `constraint_rank`, which tells the rows.
        """
        from armdyn.constraints.ranks import independent_constraints  # noqa: PLC0415

        return Robot(self.model.replace(constraints=independent_constraints(self, q, **options)))

    def without_constraints(self) -> Robot:
        """The same robot with its loops cut open: the tree that its joints alone make."""
        return Robot(self.model.replace(constraints=()))

    def with_payload(
        self, inertia: Inertia, frame: str | None = None, *, name: str | None = None, check_inertia: bool = True
    ) -> Robot:
        """The same robot with a body fixed to one of its frames: a tool, a load, a camera.

        Its inertia is added to the link's, exactly. For a load that changes from state to state make its mass an input:
        ``robot.compile(fn, parameters=["tool0.payload.mass"])``.

        Args:
            inertia: of the body, seen from the frame.
            frame: name of the frame it is fixed to; the tip where none is given.
            name: of a new frame at the body's centre of mass, with the axes of the frame; none where not given.
            check_inertia: refuse an inertia that no rigid body has; otherwise take it as it stands, with a note.

        Raises:
            ModelError: an inertia that is none, or a name that is taken.
            UnknownName: a frame the robot does not have.

        >>> robot = armdyn.load("planar_2r")
        >>> load = armdyn.inertia.sphere(0.05, mass=2.0).at([0.1, 0, 0])
        >>> robot.with_payload(load).gravity_forces([0.0, 0.0]) - robot.gravity_forces([0.0, 0.0])
        array([41.202, 21.582])
        """
        from armdyn.model.payload import with_payload  # noqa: PLC0415

        return Robot(with_payload(self.model, inertia, frame, name=name, check_inertia=check_inertia))

    def standard_parameters(
        self,
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

        return standard_parameters(self.model, armature=armature, damping=damping, friction=friction, offset=offset)

    def base_parameters(
        self,
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
            self,
            method=method,
            tolerance=tolerance,
            armature=armature,
            damping=damping,
            friction=friction,
            offset=offset,
        )

    def with_standard_parameters(
        self,
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
        return Robot(with_standard_parameters(self.model, pi, check_inertia=check_inertia, **options))

    def with_mimic(self, followers: Mapping[str, str | Sequence[Any]]) -> Robot:
        """The same robot with joints that follow others, as fingers, gears and belts do, and are no entries of q.

        Args:
            followers: by joint, what it follows: the name of a joint, or (name, multiplier, offset) where it stands at
                multiplier q + offset. What it follows may follow another.

        Raises:
            ModelError: joints that follow each other in a ring, multipliers of zero, limits that no position keeps.
            UnknownName: a joint that is no entry of q.

        >>> arm = armdyn.load("planar_2r").with_mimic({"joint_2": ("joint_1", -2.0)})
        >>> arm.joint_names, arm.mass_matrix([0.3]).shape
        (('joint_1',), (1, 1))
        """
        from armdyn.model.followers import as_follower, with_followers  # noqa: PLC0415

        return Robot(with_followers(self.model, [as_follower(*one) for one in followers.items()]))

    def with_coordinates(
        self,
        names: Sequence[str],
        matrix: ArrayLike,
        *,
        offset: ArrayLike | None = None,
        kinds: Mapping[str, Literal["revolute", "prismatic"]] | None = None,
        limits: Mapping[str, Limits] | None = None,
    ) -> Robot:
        """The same robot in other coordinates, which a gear train, a differential or belts bring to the joints.

        What q has been is matrix q + offset from now on, and so every function is in the new coordinates: tau is the
        force that does work on them, M is A^T M A, a Jacobian J A.

        Args:
            names: of the new coordinates, n of them, such as motors.
            matrix: A, a row for each of ``robot.joint_names``, a column for each new coordinate.
            offset: b, what q has been where the new one is zero, rad or m; zero where not given.
            kinds: "revolute" or "prismatic", by name, where joints of both kinds move with a coordinate.
            limits: by name, besides those that joints which one coordinate alone moves leave of it.

        Raises:
            ModelError: coordinates that are not independent, whose unit is open, or whose limits leave nothing.
            ShapeError: a matrix or offset of another shape.

        >>> wrist = armdyn.load("planar_2r").with_coordinates(["left", "right"], [[0.5, 0.5], [0.5, -0.5]])
        >>> wrist.joint_positions([1.0, 0.5])
        array([0.75, 0.25])
        """
        from armdyn.model.coordinates import with_coordinates  # noqa: PLC0415

        return Robot(with_coordinates(self.model, names, matrix, offset, kinds=kinds, limits=limits))

    def with_joint_equations(self, equations: Sequence[Any], *, dependent: Sequence[str] = ()) -> Robot:
        """The same robot with equations a . q = b between its joints; q keeps those that stay independent.

        Args:
            equations: coefficients by joint, {"elbow": 1.0, "motor": -0.5}, for what sums up to zero; or the pair of
                these and b. They are solved together, exactly.
            dependent: joints that shall be the ones to follow; else the last that can, in the order of q.

        Raises:
            ModelError: equations that contradict others or repeat them, and which; that cannot be solved for
                ``dependent``, or hold every joint still.
            UnknownName: a joint that is no entry of q.

        >>> level = armdyn.load("planar_3r").with_joint_equations([({"joint_1": 1, "joint_2": 1, "joint_3": 1}, 0.5)])
        >>> level.joint_positions([0.3, 0.4])
        array([ 0.3,  0.4, -0.2])
        """
        from armdyn.model.joint_equations import as_equations, with_joint_equations  # noqa: PLC0415

        return Robot(with_joint_equations(self.model, as_equations(equations), dependent))

    def without_couplings(self) -> Robot:
        """The same robot with every joint free: q has one entry a joint again."""
        from armdyn.model.coordinates import without_couplings  # noqa: PLC0415

        return Robot(without_couplings(self.model))

    def compile(
        self,
        fn: Function | Callable[..., Any],
        *,
        signature: str | None = None,
        parameters: Iterable[str] = (),
    ) -> CompiledFunction:
        """Compile a function of your own: a controller, a cost, an observer.

        Args:
            fn: declared with ``@armdyn.function("(n),(n)->(n)")``, or a plain function of (model, arrays...) together
                with ``signature``. It may call anything in `armdyn.algorithms`.
            signature: shapes of its arrays and results, where it is not declared.
            parameters: model parameters that become inputs behind the arrays: "gravity", "LINK.mass", "LINK.com",
                "LINK.inertia" in place of a link's own, or "FRAME.payload.mass", "FRAME.payload.com",
                "FRAME.payload.inertia" of a body fixed to a frame, seen from it, which is added.

        >>> @armdyn.function("(n),(n),(n),(n)->(n),()")
        ... def computed_torque(model, q, qd, q_goal, gains):
        ...     "Torques N m, shape (..., n), and kinetic energy J of a computed-torque controller."
        ...     qdd = gains * (q_goal - q) - 2 * np.sqrt(gains) * qd
        ...     tau = armdyn.algorithms.inverse_dynamics(model, q, qd, qdd)
        ...     return tau, armdyn.algorithms.kinetic_energy(model, q, qd)
        >>> control = armdyn.load("ur5").compile(computed_torque)
        >>> tau, energy = control(np.zeros((1000, 6)), np.zeros(6), np.ones(6), np.full(6, 25.0))
        >>> tau.shape, energy.shape
        ((1000, 6), (1000,))
        """
        return CompiledFunction(self, _declared(fn, signature), parameters)

    def constrained_forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *wrenches: Any, **options: Any
    ) -> ConstrainedMotion:
        """Joint accelerations qdd, rad/s^2 or m/s^2, and multipliers lambda, N or N m, of a robot with constraints.

        Open loops, velocities that leave the constraints, and rows that depend on each other are looked for. Arguments,
        options and result: `armdyn.constraints.motion.constrained_forward_dynamics`. The compiled function behind it,
        for constraints of full rank, is ``robot.compile(armdyn.constraints.constrained_forward_dynamics)``.
        """
        from armdyn.constraints.motion import constrained_forward_dynamics  # noqa: PLC0415

        return constrained_forward_dynamics(self, q, qd, tau, *wrenches, **options)

    def actuator_forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Any) -> DrivenForces:
        """Joint forces tau, N m or N, of the actuated joints alone that move a closed mechanism, shape (..., n).

        Arguments, options and result: `armdyn.constraints.motion.actuator_forces`.
        """
        from armdyn.constraints.motion import actuator_forces  # noqa: PLC0415

        return actuator_forces(self, q, qd, qdd, **options)

    def constraint_rank(self, q: ArrayLike, **options: Any) -> ConstraintRank:
        """How many constraints say something of their own at a state, and which follow from which.

        Options and result: `armdyn.constraints.ranks.constraint_rank`.
        """
        from armdyn.constraints.ranks import constraint_rank  # noqa: PLC0415

        return constraint_rank(self, q, **options)

    def close_loop(self, q: ArrayLike, **options: Any) -> Array:
        """Joint positions q, rad or m, shape (..., n), near a guess, at which all constraints hold.

        Options: `armdyn.constraints.closing.close_loop`.
        """
        from armdyn.constraints.closing import close_loop  # noqa: PLC0415

        return close_loop(self, q, **options)

    def close_velocities(self, q: ArrayLike, qd: ArrayLike, **options: Any) -> Array:
        """Joint velocities qd, rad/s or m/s, shape (..., n), nearest to given ones, that the constraints allow.

        Options: `armdyn.constraints.closing.close_velocities`.
        """
        from armdyn.constraints.closing import close_velocities  # noqa: PLC0415

        return close_velocities(self, q, qd, **options)

    def close_accelerations(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Any) -> Array:
        """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), nearest to given ones, that the constraints allow.

        Options: `armdyn.constraints.closing.close_accelerations`.
        """
        from armdyn.constraints.closing import close_accelerations  # noqa: PLC0415

        return close_accelerations(self, q, qd, qdd, **options)

    def constraint_wrench(self, q: ArrayLike, multipliers: ArrayLike, **options: Any) -> Array:
        """Wrench (m, f) of a frame on the constraints, N m and N, shape (..., 6): F = J^-T A^T lambda.

        Options: `armdyn.constraints.wrenches.constraint_wrench`.
        """
        from armdyn.constraints.wrenches import constraint_wrench  # noqa: PLC0415

        return constraint_wrench(self, q, multipliers, **options)

    def multipliers_of_wrench(self, q: ArrayLike, wrench: ArrayLike, **options: Any) -> Array:
        """Multipliers lambda, N or N m, shape (..., constraints), of a wrench of a frame against the constraints.

        Options: `armdyn.constraints.wrenches.multipliers_of_wrench`.
        """
        from armdyn.constraints.wrenches import multipliers_of_wrench  # noqa: PLC0415

        return multipliers_of_wrench(self, q, wrench, **options)

    def inverse_kinematics(self, target: Any, q0: ArrayLike | None = None, **options: Any) -> Solution:
        """Joint positions q, rad or m, shape (..., n), that bring the tip to a pose or position, or do other tasks.

        Options and result: `armdyn.kinematics.inverse_kinematics`.

        >>> robot = armdyn.load("ur5")
        >>> robot.inverse_kinematics([0.4, 0.2, 0.3])
        <Solution for 'ur5': 1 of 1 targets met within 1e-10>
        """
        from armdyn.kinematics import inverse_kinematics  # noqa: PLC0415 - it stands on Robot

        return inverse_kinematics(self, target, q0, **options)

    def joint_rates(self, q: ArrayLike, twist: ArrayLike, **options: Any) -> JointMotion:
        """Joint velocities qd, rad/s or m/s, shape (..., n), that give the tip a twist.

        Options and result: `armdyn.kinematics.joint_rates`.
        """
        from armdyn.kinematics import joint_rates  # noqa: PLC0415

        return joint_rates(self, q, twist, **options)

    def joint_accelerations(self, q: ArrayLike, qd: ArrayLike, acceleration: ArrayLike, **options: Any) -> JointMotion:
        """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), that give the tip's twist a rate of change.

        Options and result: `armdyn.kinematics.joint_accelerations`.
        """
        from armdyn.kinematics import joint_accelerations  # noqa: PLC0415

        return joint_accelerations(self, q, qd, acceleration, **options)

    def task_space(self, q: ArrayLike, qd: ArrayLike, **options: Any) -> TaskSpace:
        """Task-space dynamics Lambda(q), eta(q, qd) of F = Lambda Vdot + eta, kg and N, and what goes with them.

        Lambda = (J M^-1 J^T)^-1, which is J^-T M J^-1 where J is square, and eta = Jbar^T h - Lambda Jdot qd (Modern
        Robotics 8.90, 8.91; Khatib 1987 for arms with joints to spare). tau = J^T F + N tau_0.

        Where the components are not independent there is no Lambda: that is an error, or, with ``damping``, Lambda is
        bounded. In a controller of your own call ``armdyn.algorithms.task_space``, or compile an
        `armdyn.task_space.Task`: those do not check.

        Args:
            q: joint positions, rad or m, shape (..., n).
            qd: joint velocities, rad/s or m/s, shape (..., n).
            options:
                frame: name of the frame; the tip where none is given.
                point: of the frame, m, in its axes, whose velocity v is; its origin by default. Not with "space".
                components: of the frame's twist, in this order: "position", "orientation", "pose" (all six, the
                default), a sequence of "wx" ... "vz", or rows of six numbers that weigh wx, wy, wz, vx, vy, vz.
                expressed_in: "body", "space" or "world", as of `jacobian`; "body" by default.
                damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1: no effective mass exceeds 1 / lambda^2. 0 by
                default.
                threshold: the part of what it could be, below which a component's independence of the others counts as
                lost; 1e-6 by default, 3e-3 for float32. Without damping only.
                out: arrays for the results; workers: how many threads share a batch.

        Returns:
            An `armdyn.task_space.TaskSpace`: ``Lambda``, ``eta`` = ``mu`` + ``p``, ``J``, ``Jdot_qd``, ``Jbar``, ``N``,
            ``mobility``.

        Raises:
            SingularTask: components that the joints cannot make independently, in this configuration or in any.
            TaskSpaceError: settings that make no sense.
            UnknownName: a frame, component or way of expression that does not exist.

        >>> arm = armdyn.load("planar_2r")
        >>> feel = arm.task_space([0.0, np.pi / 2], [0.0, 0.0], components=("vx", "vy"), expressed_in="world")
        >>> feel.Lambda.round(12) + 0.0
        array([[1., 0.],
               [0., 2.]])
        """
        from armdyn.task_space import task_space  # noqa: PLC0415

        return task_space(self, q, qd, **options)

    def cartesian_dynamics(self, q: ArrayLike, qd: ArrayLike, **options: Any) -> CartesianDynamics:
        """Cartesian mass matrix M_x(q), velocity forces V_x(q, qd), gravity forces G_x(q), kg and N.

        M_x xdd + V_x + G_x = F with the Jacobian in the axes of the end effector, xd = eJ_v qd: velocity along its axes
        whatever its orientation. The same as `task_space`, as it is written where forces along the tool are the matter.

        Args:
            q: joint positions, rad or m, shape (..., n).
            qd: joint velocities, rad/s or m/s, shape (..., n).
            options: those of `task_space`; ``components="position"`` and ``expressed_in="body"`` by default.

        Raises:
            SingularTask, TaskSpaceError, UnknownName: as for `task_space`.

        >>> arm = armdyn.load("planar_2r")
        >>> M_x, V_x, G_x = arm.cartesian_dynamics([0.0, np.pi / 6], [0.0, 0.0], components=("vx", "vy"))
        >>> M_x.round(12) + 0.0  # m2 + m1 / sin(q2)^2 along the last link, m2 across it
        array([[5., 0.],
               [0., 1.]])
        """
        from armdyn.task_space import CartesianDynamics  # noqa: PLC0415

        task = self.task_space(q, qd, **{"components": "position", **options})
        return CartesianDynamics(task.Lambda, task.mu, task.p)

    @cached_property
    def _tasks(self) -> dict[Task, CompiledTask]:
        """What `task_space` has compiled."""
        return {}

    def program(self, fn: Function | Callable[..., Any], *, signature: str | None = None, **options: Any) -> Program:
        """The straight-line program of a function of this robot, with its operation counts.

        >>> print(armdyn.load("planar_2r").program(armdyn.algorithms.mass_matrix).op_counts)
        1m + 6a + 2t
        """
        return self.compile(fn, signature=signature).program(**options)

    def to_screws(self) -> Screws:
        """Modern Robotics' lists (Mlist, Glist, Slist) of a serial arm, which `Robot.from_screws` reads (MR 8.3).

        The frames of the lists stand at the centres of mass, with the axes of the links' frames. Names, limits and
        gravity are not part of them.

        Raises:
            Unsupported: a robot that branches, whose tip is not on its last link, or whose joints have armature.

        >>> Mlist, Glist, Slist = armdyn.load("ur5").to_screws()
        >>> Slist[:, 0] + 0.0
        array([0., 0., 1., 0., 0., 0.])
        """
        from armdyn.formats.export.screws import write_screws  # noqa: PLC0415

        return write_screws(self.model)

    def to_zero_reference(self) -> ZeroReference:
        """The zero reference position of a serial arm, SI units (Kazerounian and Gupta 1985).

        ``Robot.from_zero_reference(**zero.arguments())`` reads it back. Damping and friction are not part of it.

        Raises:
            Unsupported: a robot that branches, whose tip is not on its last link, or whose joints have armature.

        >>> armdyn.load("planar_2r").to_zero_reference().points
        array([[0., 0., 0.],
               [1., 0., 0.]])
        """
        from armdyn.formats.export.zero_reference import write_zero_reference  # noqa: PLC0415

        return write_zero_reference(self.model)

    def to_dh(self, convention: str) -> DHTable:
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
        from armdyn.formats.export.dh import write_dh  # noqa: PLC0415

        return write_dh(self.model, convention)

    def to_urdf(self, path: str | os.PathLike[str] | None = None) -> str:
        """The robot as the text of a URDF file, and as the file where a path is given.

        Links, frames (as massless links on fixed joints), inertias, limits, damping and friction, with all digits, and
        loops, as <loop_joint> elements: `Robot.from_urdf` reads the same robot. URDF has no place for gravity, the tip,
        armature and the collars of slides; a comment in the file says what they are, and the reader takes ``gravity=``
        and ``tip=``. Shapes are not written.

        Args:
            path: of the file to write; none where only the text is wanted.

        Raises:
            ModelError: a name that no XML file can hold.
            Unsupported: a constraint that is no loop.

        >>> print(armdyn.load("planar_2r").to_urdf()[:64])
        <?xml version="1.0" encoding="utf-8"?>
        <robot name="planar_2r">
        """
        from armdyn.formats.export.urdf import write_urdf  # noqa: PLC0415

        return write_urdf(self.model, path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Robot) and self.model.digest == other.model.digest

    def __hash__(self) -> int:
        return hash(self.model.digest)

    def __reduce__(self) -> tuple[type[Robot], tuple[Model]]:
        return Robot, (self.model,)

    def __repr__(self) -> str:
        joints = ", ".join(self.joint_names) if self.dof <= 3 else f"{self.joint_names[0]}, ..., {self.joint_names[-1]}"
        what = "joints" if self.model.coupling is None else f"coordinates of {len(self.model.joints)} joints"
        return f"<Robot {self.name!r}: {self.dof} {what} ({joints}), tip {self.tip!r}>"


def _declared(fn: Function | Callable[..., Any], signature: str | None) -> Function:
    if isinstance(fn, Function):
        return fn
    if signature is None:
        raise TraceError(
            f"{getattr(fn, '__name__', fn)!r} is not declared; put @armdyn.function('(n),(n)->(n)') on it, "
            "or pass signature="
        )
    return function(signature)(fn)
