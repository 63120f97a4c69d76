"""The standard parameters: everything about links and joints that joint forces are linear in, as one vector pi.

Ten per moving link, in the link's own frame: mass m, first moment m c, and the inertia I about the frame's origin,
whose entries off the diagonal are minus the products of inertia. After them, if requested, the rotor inertias of the
joints, and viscous friction, Coulomb friction and a constant offset, one each per joint, from
`armdyn.model.joint_parameters`. Last come the rotors that are bodies of their own, one number each, about its axis: the
rest of their inertia is part of their links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ModelError, UnknownName
from armdyn.base.fields import set_fields
from armdyn.base.tabular import TextTable
from armdyn.model.editing import with_joints
from armdyn.model.frozen import frozen_array
from armdyn.model.inertia import Inertia
from armdyn.model.joint_friction import JointFriction
from armdyn.model.joint_parameters import NewFriction, value_of_joint
from armdyn.model.joint_units import UNITS
from armdyn.model.model import Link, Model
from armdyn.spatial.mass_properties import steiner
from armdyn.spatial.rotations import Array

OF_LINK = ("m", "mc_x", "mc_y", "mc_z", "I_xx", "I_xy", "I_yy", "I_xz", "I_yz", "I_zz")
"""The parameters of one link, in their order."""

TEN = len(OF_LINK)

OF_JOINT = ("armature", "damping", "friction", "offset")
"""The parameters of a joint, in the order of the blocks."""

ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Row and column of I_xx, I_xy, I_yy, I_xz, I_yz, I_zz."""


@dataclass(frozen=True, eq=False)
class StandardParameters:
    """The vector pi of a robot with Y pi = tau, its names and units, in the order of the regressor's columns.

    Args:
        names: "LINK.m", "LINK.mc_x", ..., "LINK.I_zz" of every moving link; "JOINT.armature" and so on; "JOINT.rotor".
        units: kg, kg m, kg m^2, ...
        values: pi, shape (parameters,).
        left_out: "JOINT: CLASS" of every friction law and parallel spring that no parameter states; Y pi lacks its
            force.

    >>> pi = armdyn.load("planar_2r").standard_parameters()
    >>> pi["link_2.m"], len(pi)
    (1.0, 20)
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array = field(repr=False)
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        set_fields(self, values=frozen_array(self.values, (len(self.names),), "the parameters' values"))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype) if copy or dtype is not None else self.values

    def index(self, name: str) -> int:
        """The column of the regressor that belongs to a parameter."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownName.of("parameter", name, self.names, "this vector") from None

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.index(name)])

    def __str__(self) -> str:
        width = max(map(len, self.names), default=0)
        rows = zip(self.names, self.values, self.units, strict=True)
        lines = [f"{name:<{width}}  {value:>12.6g} {unit}" for name, value, unit in rows]
        if self.left_out:
            lines.append(f"friction and springs that no parameter states, not in Y pi: {', '.join(self.left_out)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        values = [f"{value:.6g}" for value in self.values]
        rows = list(zip(self.names, values, self.units, strict=True))
        return TextTable(("parameter", "value", "unit"), rows, "lrl", f"{len(self)} parameters").html()


def joint_quantities(
    model: Model,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
    offset: bool = False,
) -> tuple[str, ...]:
    """The parameters of joints that have columns: by default those that some joint has."""
    chosen = zip(OF_JOINT, (armature, damping, friction, offset), strict=True)
    return tuple(
        quantity for quantity, is_requested in chosen
        if (any(value_of_joint(joint, quantity) for joint in model.joints) if is_requested is None else is_requested)
    )  # fmt: skip


def parameter_count(model: Model, **options: Any) -> int:
    """The number of columns of the regressor with these options."""
    of_joints = len(model.joints) * len(joint_quantities(model, **options))
    return len(OF_LINK) * (len(model.links) - 1) + of_joints + len(model.rotors)


def standard_parameters(
    model: Model,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
    offset: bool = False,
) -> StandardParameters:
    """The vector pi that multiplies `regressor`, its names and units, in the order of the columns.

    Damping and friction are totals of a joint: its own numbers, the laws `Viscous` and `Coulomb` of its actuator, the
    friction of the motor's shaft, reflected by the gear, and that of an engaged brake. No parameter describes other
    laws and springs in parallel with drives; ``left_out`` names them.

    Args:
        armature: whether the inertias of the joints' rotors follow; by default, if there is one.
        damping: whether viscous frictions follow; by default, if there is one.
        friction: whether Coulomb frictions follow; by default, if there is one.
        offset: whether constant forces follow; the robot's own are zero.

    >>> pi = armdyn.load("planar_2r").standard_parameters(damping=True)
    >>> pi.names[:3], pi.names[-2:], pi["link_2.mc_x"]
    (('link_1.m', 'link_1.mc_x', 'link_1.mc_y'), ('joint_1.damping', 'joint_2.damping'), 1.0)
    """
    names: list[str] = []
    units: list[str] = []
    values: list[float] = []
    of_link = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
    for link in model.links[1:]:
        names += [f"{link.name}.{parameter}" for parameter in OF_LINK]
        units += of_link
        values += inertial_vector(link.inertia)
    for quantity in joint_quantities(model, armature=armature, damping=damping, friction=friction, offset=offset):
        names += [f"{joint.name}.{quantity}" for joint in model.joints]
        units += [UNITS[joint.kind][quantity] for joint in model.joints]
        values += [value_of_joint(joint, quantity) for joint in model.joints]
    names += model.rotors
    units += ["kg m^2"] * len(model.rotors)
    values += [rotor.moment_about_axis for rotor in model.rotors.values()]
    left_out = tuple(
        f"{joint.name}: {type(other).__name__}"
        for joint in model.joints
        for other in (*joint.other_laws, *joint.parallel_springs)
    ) + tuple(type(element).__name__ for element in model.elements)
    return StandardParameters(tuple(names), tuple(units), np.array(values, dtype=float), left_out)


def inertial_vector(inertia: Inertia) -> list[float]:
    """m, m c and the six different entries of I about the frame's origin."""
    about_origin = inertia.tensor_about_origin
    return [inertia.mass, *inertia.first_moment, *(about_origin[entry] for entry in ENTRIES)]


def inertia_of(vector: Sequence[float] | Array) -> Inertia:
    """The inertia with these ten parameters; m must not be 0 if m c is not."""
    mass, first, about_origin = vector[0], np.asarray(vector[1:4], dtype=float), np.zeros((3, 3))
    for (i, j), value in zip(ENTRIES, vector[4:], strict=True):
        about_origin[i, j] = about_origin[j, i] = value
    com = first / mass if mass != 0.0 else np.zeros(3)
    return Inertia(mass, com, about_origin - steiner(mass, com))


def with_standard_parameters(
    model: Model,
    pi: ArrayLike,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
    check_inertia: bool = True,
) -> Model:
    """A copy of the robot with the inertias of a vector in the order of `standard_parameters`.

    Damping and friction of pi are totals of a joint. If one differs from that of the joint, the laws `Viscous` (or
    `Coulomb`) of its actuator are removed. The motor's shaft and an engaged brake keep theirs, and the joint's own
    number is the rest.

    Args:
        pi: standard parameters, shape (parameters,).
        armature: whether pi holds the inertias of rotors; by default, if the robot has one.
        damping: whether pi holds viscous frictions; by default, if the robot has one.
        friction: whether pi holds Coulomb frictions; by default, if the robot has one.
        check_inertia: refuse inertias that no rigid body has; otherwise accept them unchanged, with a note.

    Raises:
        ModelError: every link and joint with parameters that none can have, and why; friction below that of the
            motor's shaft and the engaged brake.
        ShapeError: a vector of another length.

    >>> robot = armdyn.load("planar_2r")
    >>> heavy = robot.with_standard_parameters(2.0 * robot.standard_parameters().values)
    >>> heavy.gravity_forces([0.0, 0.0]) / robot.gravity_forces([0.0, 0.0])
    array([2., 2.])
    """
    options: dict[str, Any] = {"armature": armature, "damping": damping, "friction": friction}
    expected = standard_parameters(model, **options)
    first, second, *_, last = expected.names
    values = array("pi", np.asarray(pi), (len(expected),), f"{first}, {second}, ..., {last} of {model.name!r}")
    quantities = joint_quantities(model, **options)
    moving = model.links[1:]
    of_links, of_joints, of_rotors = np.split(values, [len(OF_LINK) * len(moving), len(values) - len(model.rotors)])
    vectors = of_links.reshape(len(moving), len(OF_LINK))
    columns = dict(zip(quantities, of_joints.reshape(len(quantities), len(model.joints)), strict=True))
    problems, notes = [], list(model.notes)
    for link, vector in zip(moving, vectors, strict=True):
        wrong, impossible = _problems_of(vector)
        problems += [f"link {link.name!r}: {problem}." for problem in wrong]
        remedy = "; mend it (armdyn.inertia.nearest_consistent), or take it as it stands with check_inertia=False"
        problems += [f"link {link.name!r}: {problem}{remedy}." for problem in impossible if check_inertia]
        notes += [f"link {link.name!r}: {problem}; taken as it stands" for problem in impossible if not check_inertia]
    for quantity, column in columns.items():
        problems += _problems_of_joints(model, quantity, column)
    frictions = [
        NewFriction.of(joint, {name: float(columns[name][k]) for name in JointFriction._fields if name in columns})
        for k, joint in enumerate(model.joints)
    ]
    problems += [problem for friction in frictions for problem in friction.problems]
    rotors = dict(zip(model.rotors, of_rotors.tolist(), strict=True))
    problems += [
        f"{name}: {value:g} kg m^2; expected the inertia of a rotor, a finite number above zero."
        for name, value in rotors.items()
        if not 0.0 < value < np.inf
    ]
    if problems:
        raise ModelError(problems)
    links = [Link(link.name, inertia_of(vector)) for link, vector in zip(moving, vectors, strict=True)]
    columns.pop("offset", None)  # all zero
    changes: dict[str, dict[str, object]] = {
        joint.name: {name: float(column[k]) for name, column in columns.items()}
        | frictions[k].fields
        | {"motor_parts": joint.with_rotor_inertias(rotors).motor_parts}
        for k, joint in enumerate(model.joints)
    }
    moved = model.replace(links=(model.links[0], *links), notes=tuple(dict.fromkeys(notes)))
    return with_joints(moved, changes)


def _problems_of(vector: Array) -> tuple[list[str], list[str]]:
    """The faults of ten parameters as numbers, and the conditions of a rigid body that they break."""
    if not np.isfinite(vector).all():
        return ["a parameter is not a finite number"], []
    mass, first = vector[0], vector[1:4]
    if mass == 0.0 and first.any():
        text = ", ".join(f"{x:.6g}" for x in first)
        return [
            f"first moment ({text}) kg m without mass: its centre of mass would be nowhere. Give it a mass; of base "
            "parameters, which leave it open, take base.to_standard(beta, near=robot.standard_parameters())"
        ], []
    inertia = inertia_of(vector)
    wrong = list(inertia.problems())
    return wrong, [] if wrong else list(inertia.impossibilities())


def _problems_of_joints(model: Model, quantity: str, column: Array) -> Iterator[str]:
    for joint, value in zip(model.joints, column, strict=True):
        here, unit = f"joint {joint.name!r}: {quantity} {value:g}", UNITS[joint.kind][quantity]
        if quantity == "offset":
            if value != 0.0:
                yield f"{here} {unit}: a robot holds no constant force; add it to the controller, and leave offset out."
        elif not 0.0 <= value < np.inf:
            yield f"{here} {unit}; expected a finite number not below zero."
