"""Other robots from one: another gravity, tip, load, inertia, limit, name, coupling, constraint; joints locked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from armdyn.model import coordinates, joint_equations
from armdyn.model.constraints import refuse_one_body
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.model.elements import refuse_elements, refuse_other_arguments
from armdyn.model.fingerprint import fingerprint
from armdyn.model.joint_order import in_joint_order
from armdyn.model.mimic import as_mimics, with_mimics
from armdyn.model.tips import without_tip_notes
from armdyn.robot.locking import refuse_functions_of_q

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armdyn.constraints.arguments import ConstrainedRobot
    from armdyn.model.constraints import Constraint
    from armdyn.model.limits import Limits
    from armdyn.model.model import Model

    Robot = TypeVar("Robot", bound=ConstrainedRobot)  # the class of the robot that is given


LEFT_OUT = "rows of constraints that follow from others are left out"
"""The beginning of the note on them."""


def with_gravity(model: Model, gravity: ArrayLike) -> Model:
    """The robot under another acceleration of free fall.

    Args:
        gravity: in base axes, m/s^2, shape (3,).

    Raises:
        ModelError: NaN or infinity.
        ShapeError: not three numbers.
        DTypeError: a value that is not a real number.

    >>> armdyn.load("planar_2r").with_gravity([0, 0, 0]).gravity_forces([0.3, 0.4])
    array([0., 0.])
    """
    return model.replace(gravity=gravity)


def with_tip(model: Model, frame: str) -> Model:
    """The robot with another frame as its tip, the frame of ``f_tip``, pose and Jacobian.

    Raises:
        UnknownName: a frame the robot does not have.

    >>> armdyn.load("ur5").with_tip("wrist_3_link").tip
    'wrist_3_link'
    """
    tip = model.frame(frame).name
    return model.replace(tip=tip, notes=without_tip_notes(model.notes))


def with_joint_order(model: Model, order: str | Sequence[str] = "chain") -> Model:
    """The robot with the entries of q in another order: q_new = P q, M_new = P M P^T.

    Args:
        order: "chain", from the base to the tips, branch after branch, each joint after those that carry it; or the
            names of all entries of q. With names the joints of a coupled robot keep their order in `joint_positions`.

    Raises:
        UnknownName: a name that is not one of an entry of q.
        ModelError: names that are not all of them, each once.
        Unsupported: a constraint that is a function of all of q.

    >>> arm = armdyn.load("planar_2r").with_joint_order(["joint_2", "joint_1"])
    >>> arm.joint_names, arm.with_joint_order("chain") == armdyn.load("planar_2r")
    (('joint_2', 'joint_1'), True)
    """
    refuse_elements(model, "with_joint_order")
    refuse_functions_of_q(model)
    return in_joint_order(model, order)


def with_mimic(model: Model, followers: Mapping[str, str | Sequence[Any]]) -> Model:
    """The robot with joints that follow others, e.g. of fingers, gears and belts, and are not entries of q.

    Args:
        followers: by joint, what it follows: the name of a joint, or (name, multiplier, offset) if it stands at
            multiplier q + offset. What it follows may follow another.

    Raises:
        ModelError: joints that follow each other in a ring, or others already (`without_couplings` frees them);
            multipliers of zero; limits that no position keeps.
        UnknownName: a joint the robot does not have.

    >>> arm = armdyn.load("planar_2r").with_mimic({"joint_2": ("joint_1", -2.0)})
    >>> arm.joint_names, arm.mass_matrix([0.3]).shape
    (('joint_1',), (1, 1))
    """
    return with_mimics(model, as_mimics(followers))


def with_coordinates(
    model: Model,
    names: Sequence[str],
    matrix: ArrayLike,
    *,
    offset: ArrayLike | None = None,
    kinds: Mapping[str, Literal["revolute", "prismatic"]] | None = None,
    limits: Mapping[str, Limits] | None = None,
) -> Model:
    """The robot in other coordinates, from which a gear train, a differential or belts move the joints.

    What q has been is matrix q + offset from now on, and so every function is in the new coordinates: tau is the
    force that does work on them, M is A^T M A, a Jacobian J A.

    Args:
        names: of the new coordinates, n of them, e.g. motors.
        matrix: A, a row for each of ``robot.joint_names``, a column for each new coordinate.
        offset: b, the old q at the zero of the new one, rad or m; zero by default.
        kinds: "revolute" or "prismatic", by name, if joints of both kinds move with a coordinate.
        limits: by name, besides those that joints which one coordinate alone moves leave of it.

    Raises:
        ModelError: coordinates that are not independent, whose unit is open, or whose limits leave nothing.
        ShapeError: a matrix or offset of another shape.

    >>> wrist = armdyn.load("planar_2r").with_coordinates(["left", "right"], [[0.5, 0.5], [0.5, -0.5]])
    >>> wrist.joint_positions([1.0, 0.5])
    array([0.75, 0.25])
    """
    return coordinates.with_coordinates(model, names, matrix, offset, kinds=kinds, limits=limits)


def with_joint_equations(model: Model, equations: Sequence[object], *, dependent: Sequence[str] = ()) -> Model:
    """The robot with equations a . q = b between its joints; q keeps those that stay independent.

    Args:
        equations: coefficients by joint, {"elbow": 1.0, "motor": -0.5}, of an equation a . q = 0; or the pair of
            these and b. They are solved together, exactly.
        dependent: joints that shall be the ones to follow; else the last that can, in the order of q.

    Raises:
        ModelError: equations that contradict others or repeat them, and which; that cannot be solved for
            ``dependent``, or hold every joint still.
        UnknownName: a joint that is not an entry of q.

    >>> level = armdyn.load("planar_3r").with_joint_equations([({"joint_1": 1, "joint_2": 1, "joint_3": 1}, 0.5)])
    >>> level.joint_positions([0.3, 0.4])
    array([ 0.3,  0.4, -0.2])
    """
    return joint_equations.with_joint_equations(model, joint_equations.as_equations(equations), dependent)


def without_couplings(model: Model) -> Model:
    """The robot with every joint free: q has one entry per joint again."""
    return coordinates.without_couplings(model)


def with_constraints(model: Model, *constraints: Constraint) -> Model:
    """The robot with further constraints on its motion: loops, contacts, couplings.

    Args:
        constraints: of `armdyn.constraints`: `weld`, `ball`, `hinge`, `slide`, `Held`, `PointOnPlane`,
            `PointOnLine`, `PointOnSurface`, `PointOnCurve`, `Distance`, `JointCoupling`, `Holonomic`, `Pfaffian`.

    Raises:
        ModelError: two of one name; a constraint between two frames of one link.
        UnknownName: a frame or joint the robot does not have.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.constraint_jacobian([-np.pi / 3, 2 * np.pi / 3]).round(3) + 0.0
    array([[ 0.   , -0.866]])
    """
    constrained = model.replace(constraints=(*model.constraints, *constraints))
    refuse_one_body(constrained, constraints)
    return constrained


def with_elements(model: Model, *elements: Element | ElementWithState) -> Model:
    """The robot on which further elements of a user's own act: joint forces of its positions and velocities.

    They are part of `inverse_dynamics`, `forward_dynamics`, `bias_forces` and all motions, their energy of
    `potential_energy`, their forces at rest of `parallel_spring_forces`. ``simulate(robot, ..., elements=[...])`` adds
    them for one motion.

    Args:
        elements: each a frozen dataclass derived from `armdyn.simulation.Element` or
            `armdyn.simulation.ElementWithState`, which `armdyn.simulate` and `armdyn.ClosedLoop` move.

    Raises:
        DTypeError: an element that is not a frozen dataclass of numbers and names.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Drag(armdyn.simulation.Element):
    ...     size: float
    ...     def force(self, model, q, qd):
    ...         return -self.size * qd * abs(qd)
    >>> armdyn.load("rp").with_elements(Drag(2.0)).bias_forces([0.5, 1.2], [1.0, -0.4]).round(3)
    array([31.073,  6.686])
    """
    for element in elements:
        refuse_other_arguments(element)
        fingerprint(f"element {type(element).__name__}", element)  # or the error of one that could change
    return model.replace(elements=(*model.elements, *elements))


def with_independent_constraints(robot: Robot, q: ArrayLike, *, rank_tolerance: float | None = None) -> Robot:
    """The robot without redundant rows of constraints, which follow from others, e.g. in planar linkages.

    A hinge that closes a planar four-bar has five rows in space; three of them hold already. The motion is the same
    without them; the forces that they could share with the others are zero. ``notes`` lists the rows left out.

    Args:
        q: joint positions of a general state at which the loops are closed, rad or m, shape (n,). Closed states near
            it are looked at too, so that rows that follow from others there alone are not taken for others.
        rank_tolerance: of `constraint_rank`, which finds the rows; its default if not given.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        SingularState: a state at which more rows follow from others than near it.
    """
    from armdyn.constraints import independent_constraints  # noqa: PLC0415 - for this function alone

    how = {} if rank_tolerance is None else {"rank_tolerance": rank_tolerance}
    constraints, left_out = independent_constraints(robot, q, **how)
    note = f"{LEFT_OUT}: {', '.join(left_out)}"
    notes = (*robot.model.notes, note) if left_out else robot.model.notes
    return type(robot)(robot.model.replace(constraints=constraints, notes=notes))  # type: ignore[call-arg]  # made of a model


def without_constraints(model: Model) -> Model:
    """The robot with its loops cut open: the tree that its joints alone make."""
    return model.replace(constraints=())
