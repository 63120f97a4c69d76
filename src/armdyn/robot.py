"""The front door: a robot whose equations of motion are compiled functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from armdyn import algorithms
from armdyn.algorithms.declaration import Function, function
from armdyn.compiled import CompiledFunction
from armdyn.errors import TraceError
from armdyn.formats.urdf import read_urdf
from armdyn.model.mechanism import Mechanism, canonical
from armdyn.model.model import STANDARD_GRAVITY, Joint, Model
from armdyn.program import Program
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.formats.dh import DHRow, DHTable
    from armdyn.formats.export.screws import Screws
    from armdyn.formats.links import Part
    from armdyn.formats.units import Units
    from armdyn.formats.zero_reference import ZeroReference
    from armdyn.kinematics import JointMotion, Solution
    from armdyn.model.coupling import Coordinate
    from armdyn.model.inertia import Inertia
    from armdyn.model.model import Limits


class Method:
    """A `Function` as a method of `Robot`: bound, documented and compiled from its one declaration."""

    def __init__(self, declared: Function) -> None:
        self.function = declared
        self.__doc__ = declared.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, robot: None, owner: type) -> Function: ...
    @overload
    def __get__(self, robot: Robot, owner: type) -> CompiledFunction: ...
    def __get__(self, robot: Robot | None, owner: type) -> Function | CompiledFunction:
        if robot is None:
            return self.function
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

    inverse_dynamics = Method(algorithms.inverse_dynamics)
    forward_dynamics = Method(algorithms.forward_dynamics)
    mass_matrix = Method(algorithms.mass_matrix)
    bias_forces = Method(algorithms.bias_forces)
    gravity_forces = Method(algorithms.gravity_forces)
    velocity_forces = Method(algorithms.velocity_forces)
    tip_forces = Method(algorithms.tip_forces)
    forward_kinematics = Method(algorithms.forward_kinematics)
    link_poses = Method(algorithms.link_poses)
    jacobian = Method(algorithms.jacobian)
    jacobian_dot = Method(algorithms.jacobian_dot)
    bias_acceleration = Method(algorithms.bias_acceleration)
    link_motion = Method(algorithms.link_motion)
    joint_reactions = Method(algorithms.joint_reactions)
    kinetic_energy = Method(algorithms.kinetic_energy)
    potential_energy = Method(algorithms.potential_energy)

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
                constraints, gravcomp, fluids.
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
            parameters: model parameters that become inputs behind the arrays: "gravity", or "LINK.mass", "LINK.com",
                "LINK.inertia".

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

        Links, frames (as massless links on fixed joints), inertias, limits, damping and friction, with all digits:
        `Robot.from_urdf` reads the same robot. URDF has no place for gravity, the tip, armature and the collars of
        slides; a comment in the file says what they are, and the reader takes ``gravity=`` and ``tip=``. Shapes are not
        written.

        Args:
            path: of the file to write; none where only the text is wanted.

        Raises:
            ModelError: a name that no XML file can hold.

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
        return f"<Robot {self.name!r}: {self.dof} joints ({joints}), tip {self.tip!r}>"


def _declared(fn: Function | Callable[..., Any], signature: str | None) -> Function:
    if isinstance(fn, Function):
        return fn
    if signature is None:
        raise TraceError(
            f"{getattr(fn, '__name__', fn)!r} is not declared; put @armdyn.function('(n),(n)->(n)') on it, "
            "or pass signature="
        )
    return function(signature)(fn)
