"""The arm of a scene: the bodies on the world that carry joints, without the loose objects."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.base.advice import option
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.tree import Tree

WORLD = 0


@dataclass(frozen=True)
class SceneArm:
    """One arm of a scene: the names of its bodies, and the ``selection`` options that read it alone."""

    bodies: frozenset[str]
    selection: str


def arm_beside(compiled: CompiledMjcf, tree: Tree) -> SceneArm | None:
    """The arm with the most joints that is mounted on the world; None if none is.

    Its first body is its base, if that does not move itself. Else its base is the world, which carries the objects too:
    then the chain to its last body is the arm alone.
    """
    m, names = compiled.m, tree.names.bodies
    floating = {joint.child for joint in tree.multi_dof}
    first = list(range(m.nbody))  # the body on the world that carries each body
    moving = [0] * m.nbody  # number of joints between the world and each body
    for body in range(1, m.nbody):
        parent = m.body_parentid[body]
        first[body] = body if parent == WORLD else first[parent]
        moving[body] = moving[parent] + int(m.body_jntnum[body])
    arms = [root for root in range(1, m.nbody) if first[root] == root and names[root] not in floating]
    bodies = {root: [body for body in range(1, m.nbody) if first[body] == root] for root in arms}
    joints = {root: sum(int(m.body_jntnum[body]) for body in bodies[root]) for root in arms}
    best = max(arms, key=lambda root: joints[root], default=None)
    if best is None or joints[best] == 0:
        return None
    if m.body_jntnum[best] == 0:
        selection = option("base", names[best])
    else:
        last = max(bodies[best], key=lambda body: (moving[body], body))
        selection = f"{option('tip', names[last])} and {option('chain', True)}"
    return SceneArm(frozenset(names[body] for body in bodies[best]), selection)
