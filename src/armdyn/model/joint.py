"""One moving joint: its place, axis, limits, actuator, friction and springs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from armdyn.base.exact import exact
from armdyn.base.fields import set_fields
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw
from armdyn.model.frozen import exact_copy, frozen_array
from armdyn.model.joint_friction import JointFriction
from armdyn.model.limits import UNLIMITED, Limits
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.parallel_spring import ParallelSpring
from armdyn.spatial.rotations import Array

Collar = Literal["parent", "child"]


@dataclass(frozen=True, eq=False)
class Joint:
    """One moving joint.

    Args:
        name: as in the description.
        kind: "revolute" (turns about ``axis``, rad) or "prismatic" (slides along it, m).
        parent: name of the link that carries it.
        child: name of the link it moves.
        placement: T_pc, pose of the child link's frame in the parent link's at q = 0, shape (4, 4).
        axis: unit vector through the child frame's origin, in the child's axes, shape (3,).
        limits: of position, velocity and effort.
        damping: viscous friction, N m s/rad or N s/m.
        friction: Coulomb friction, N m or N.
        collar: the link that carries the collar of a slide. On the "child" the joint's centre moves with the child's
            frame; on the "parent" it stays at the place of that frame's origin at q = 0. No joint force depends on it,
            but the moment that the joint transmits does.
        armature: reflected inertia of the joint's rotor, gear ratio squared times its own, kg m^2, or kg for a slide.
            It resists the joint's own acceleration alone: M_kk grows by it.
        actuator: its actuator, whose inertia and friction are in ``armature``, ``damping`` and ``friction`` too, or in
            `laws`.
        motor_parts: rotors that are bodies of their own, whose ratio and inertia are numbers, and stators. The links
            that carry them have their masses, and all of their inertia but the moments of rotors about their axes.
        parallel_springs: between its two links, in addition to its drive.
    """

    name: str
    kind: Literal["revolute", "prismatic"]
    parent: str
    child: str
    placement: Array
    axis: Array
    limits: Limits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    collar: Collar = "child"
    armature: float = 0.0
    actuator: JointActuator | None = None
    motor_parts: tuple[Rotor | Stator, ...] = ()
    parallel_springs: tuple[ParallelSpring, ...] = ()
    _unrounded: Array | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        set_fields(
            self,
            _unrounded=exact_copy(self.placement),
            placement=frozen_array(self.placement, (4, 4), f"placement of joint {self.name!r}"),
            axis=frozen_array(self.axis, (3,), f"axis of joint {self.name!r}"),
        )

    @property
    def exact_placement(self) -> Array:
        """The placement in `armdyn.base.exact.Exact` numbers: the value before rounding, if it was rounded."""
        return exact(self.placement) if self._unrounded is None else self._unrounded

    @property
    def laws(self) -> tuple[FrictionLaw, ...]:
        """Its friction in addition to damping and friction: the laws of its actuator and the losses of its gear."""
        return () if self.actuator is None else self.actuator.all_laws

    @property
    def total_friction(self) -> JointFriction:
        """Its own damping and friction, and those of its actuator's laws `Viscous` and `Coulomb`."""
        return JointFriction(self.damping, self.friction).plus(JointFriction.of_laws(self.laws))

    @property
    def other_laws(self) -> list[FrictionLaw]:
        """Its laws that are not part of `total_friction`."""
        return [law for law in self.laws if law.joint_friction is None]

    @property
    def rotors(self) -> Mapping[str, Rotor]:
        """The rotors it turns that are bodies of their own, by their names: "JOINT.rotor", or "JOINT.rotor_1", ..."""
        rotors = [part for part in self.motor_parts if isinstance(part, Rotor)]
        if len(rotors) == 1:
            return {f"{self.name}.rotor": rotors[0]}
        return {f"{self.name}.rotor_{i}": rotor for i, rotor in enumerate(rotors, start=1)}

    def with_rotor_inertias(self, inertias: Mapping[str, Any]) -> Joint:
        """The joint whose rotors, by their names, have other moments about their axes."""
        moments = iter([inertias[name] for name in self.rotors])  # in the order of the parts
        parts = tuple(
            dataclasses.replace(part, inertia=next(moments)) if isinstance(part, Rotor) else part
            for part in self.motor_parts
        )
        return self.replace(motor_parts=parts) if parts else self

    @property
    def rubs(self) -> bool:
        """True if it has any friction."""
        return bool(self.damping or self.friction or self.laws)

    @property
    def has_spring(self) -> bool:
        """True if it is flexible: a spring connects the rotor of its actuator and the link."""
        return self.actuator is not None and self.actuator.has_spring

    @property
    def springs(self) -> Mapping[str, float]:
        """The numbers of its spring by the names of parameters: "JOINT.spring.stiffness" and so on."""
        numbers = {} if self.actuator is None else self.actuator.spring_numbers
        return {f"{self.name}.spring.{quantity}": value for quantity, value in numbers.items()}

    @property
    def named_parallel_springs(self) -> Mapping[str, ParallelSpring]:
        """Its springs in parallel with the drive by name: "JOINT.parallel_spring", or "JOINT.parallel_spring_1", ..."""
        if len(self.parallel_springs) == 1:
            return {f"{self.name}.parallel_spring": self.parallel_springs[0]}
        return {f"{self.name}.parallel_spring_{i}": spring for i, spring in enumerate(self.parallel_springs, start=1)}

    def replace(self, **changes: Any) -> Joint:
        """A copy with some fields changed; the placement stays exact."""
        return dataclasses.replace(self, **{"placement": self.exact_placement, **changes})
