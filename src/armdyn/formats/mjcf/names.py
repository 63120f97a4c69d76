"""Names of everything in a compiled model; unnamed elements get a name that describes their place."""

from __future__ import annotations

from dataclasses import dataclass, field

from armdyn.formats.mjcf.compiler import CompiledMjcf


@dataclass
class Names:
    """The unique names of bodies, the world first, and of joints; of all ``links`` and welds so far too."""

    bodies: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    all_joints: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, compiled: CompiledMjcf) -> Names:
        """Names of the bodies and joints: their own, or "body_3", "joint_of_arm", "joint_2_of_arm"."""
        m, names = compiled.m, cls()
        bodies = [compiled.name("body", b) for b in range(m.nbody)]
        joints = [compiled.name("joint", j) for j in range(m.njnt)]
        names.links |= {*bodies} - {""}
        names.all_joints |= {*joints} - {""}
        names.bodies = [name or names.new_link(f"body_{b}") for b, name in enumerate(bodies)]
        for j, name in enumerate(joints):
            b = m.jnt_bodyid[j]
            number = f"_{j - m.body_jntadr[b] + 1}" if m.body_jntnum[b] > 1 else ""
            names.joints.append(name or names.new_joint(f"joint{number}_of_{names.bodies[b]}"))
        return names

    def new_link(self, wish: str) -> str:
        """A new name for a link."""
        return _new(wish, self.links)

    def new_joint(self, wish: str) -> str:
        """A new name for a joint."""
        return _new(wish, self.all_joints)


def _new(wish: str, taken: set[str]) -> str:
    while wish in taken:
        wish += "_"
    taken.add(wish)
    return wish
