"""The front door: a robot whose equations of motion are compiled functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from armdyn import algorithms
from armdyn.algorithms.declaration import Function, function
from armdyn.compiled import CompiledFunction
from armdyn.errors import TraceError
from armdyn.model.mechanism import Mechanism, canonical
from armdyn.model.model import STANDARD_GRAVITY, Joint, Model
from armdyn.program import Program
from armdyn.spatial.rotations import Array


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

    Make one with `armdyn.load`, `Robot.from_urdf`, `Robot.from_screws` or from a `Model`.

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
        from armdyn.formats.urdf import read_urdf  # noqa: PLC0415 - reading XML is not needed by every user

        return cls(
            read_urdf(
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

        Raises:
            ModelError: lists that describe no arm, all problems at once.
        """
        from armdyn.formats.screws import read_screws  # noqa: PLC0415

        return cls(read_screws(Mlist, Glist, Slist, gravity=gravity, name=name, joint_names=joint_names))

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.model.name

    @property
    def dof(self) -> int:
        """n, the number of joints."""
        return len(self.model.joints)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, in the order of q."""
        return self.model.joints

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in the order of q."""
        return self.model.joint_names

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

    def program(self, fn: Function | Callable[..., Any], *, signature: str | None = None, **options: Any) -> Program:
        """The straight-line program of a function of this robot, with its operation counts.

        >>> print(armdyn.load("planar_2r").program(armdyn.algorithms.mass_matrix).op_counts)
        1m + 6a + 2t
        """
        return self.compile(fn, signature=signature).program(**options)

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
