"""Gravity compensation of MJCF: ``gravcomp`` c of a body is a force -c m g at its centre of mass.

    tau = M qdd + h + sum_b J_b^T c_b m_b g

If c is equal for all bodies that move, this is the arm under the gravity (1 - c) g. The force is passive at most
joints; at those with ``actuatorgravcomp`` MuJoCo adds it to the actuators' forces on the joint, which are tau.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from armdyn.base.advice import option
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.tree import Tree
from armdyn.model.messages import listing
from armdyn.model.model import Model

SHOWN = 10
"""The most bodies that one message names."""


@dataclass(frozen=True)
class GravityCompensation:
    """Gravity compensation of one model.

    Args:
        shares: c of every body with a mass that moves, by name; empty if the forces are switched off.
        joints: the joints that carry a body with compensation.
        commanded: those of them with the compensation as a part of tau.
        where: place of the first such body in the file.
    """

    shares: Mapping[str, float]
    joints: tuple[str, ...]
    commanded: tuple[str, ...]
    where: str

    @classmethod
    def of(cls, compiled: CompiledMjcf, tree: Tree, model: Model) -> GravityCompensation:
        """The gravity compensation of the bodies and joints of a model."""
        m, names = compiled.m, tree.names
        off = compiled.passive_forces_disabled or not model.gravity.any()
        moving = set() if off else {frame.name for frame in model.frames if frame.link != model.base}
        shares = {
            name: float(m.body_gravcomp[b]) for b, name in enumerate(names.bodies) if name in moving and m.body_mass[b]
        }
        compensated = [name for name, share in shares.items() if share]
        carrying = set(_carrying(compiled, tree, model, compensated))
        joints = [j for j, name in enumerate(names.joints) if name in carrying]
        return cls(
            shares,
            tuple(names.joints[j] for j in joints),
            tuple(names.joints[j] for j in joints if m.jnt_actgravcomp[j]),
            compiled.where(compensated[0]) if compensated else "",
        )

    @property
    def bodies(self) -> str:
        """The compensated bodies, for messages; empty if there is none."""
        return listing([repr(name) for name, share in self.shares.items() if share], SHOWN)

    @property
    def refusals(self) -> Iterator[str]:
        """The reasons why the remaining forces are not those of one gravity vector."""
        if self.commanded and self.commanded != self.joints:
            names = listing([repr(name) for name in self.commanded], SHOWN)
            yield (
                f"gravcomp of {self.bodies} ({self.where}) is a part of tau at {names} (actuatorgravcomp) and a force "
                "at the other joints: such a mixture is not modelled. Set actuatorgravcomp of all joints or of none."
            )
        elif not self.commanded and len(set(self.shares.values())) > 1:
            yield (
                f"gravcomp of {self.bodies} ({self.where}): weight that is taken off some bodies, or by different "
                "parts, is not modelled. Set one gravcomp of all bodies, or delete it; or read the arm with "
                f"{option('gravity', (0, 0, 0))}."
            )

    def applied_to(self, model: Model) -> Model:
        """The model under the remaining part of gravity."""
        if not self.bodies:
            return model
        if self.commanded:
            note = f"gravcomp of {self.bodies} is a part of tau: actuatorgravcomp makes it a command to the joints"
            return model.replace(notes=(*model.notes, note))
        (share,) = set(self.shares.values())
        note = (
            f"gravcomp takes {share:g} of its weight off every body: gravity counts {1.0 - share:g} times; "
            "with_gravity sets another"
        )
        return model.replace(gravity=(1.0 - share) * model.gravity, notes=(*model.notes, note))


def _carrying(compiled: CompiledMjcf, tree: Tree, model: Model, bodies: list[str]) -> Iterator[str]:
    """The joints of the model between the world and these bodies."""
    m, moving = compiled.m, set(model.joint_names)
    for name in bodies:
        body = tree.names.bodies.index(name)
        while body:
            joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
            yield from (tree.names.joints[j] for j in joints if tree.names.joints[j] in moving)
            body = int(m.body_parentid[body])
