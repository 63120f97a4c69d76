"""Which part of a description is read: what hangs on a base, the chain to a tip, with which joints held."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armdyn.advice import option
from armdyn.errors import UnknownName
from armdyn.model.parts import JointPart, LinkPart, in_tree_order, moved_links


@dataclass(frozen=True)
class Selection:
    """What a caller wants of a description.

    Args:
        base: keep only what hangs on this link; the root where none is given.
        tip: the link that counts as the tip.
        chain: keep only the moving joints between base and tip, and what is welded to that chain.
        locked: joints that are held, by name, and where (rad or m).
    """

    base: str | None
    tip: str | None
    chain: bool
    locked: Mapping[str, float]

    @property
    def end(self) -> str | None:
        """Where the chain ends; None where all branches are kept."""
        return self.tip if self.chain else None

    def kept(self, name: str, base: str, joints: Sequence[JointPart]) -> list[JointPart]:
        """The joints to keep, parents first, of the robot of that name.

        Raises:
            UnknownName: a tip that does not hang on the base, or a chain without one.
        """
        if self.tip not in (None, base) and self.tip not in {joint.child for joint in in_tree_order([base], joints)}:
            raise UnknownName(
                f"link {self.tip!r} does not hang on base {base!r} in {name!r}; choose another base or tip."
            )
        if self.chain and self.tip is None:
            raise UnknownName(f"a chain of {name!r} was asked for without its tip; name it with {option('tip')}.")
        return _kept(base, self.end, joints)

    def felt(self, links: Sequence[LinkPart], joints: Sequence[JointPart]) -> tuple[set[str], set[str]]:
        """The links whose inertia a joint feels, and those welded to the base. Names may be anything yet."""
        bases = [self.base] if self.base is not None else roots(links, joints)
        names = [link.name for link in links]
        if len(bases) != 1 or bases[0] not in names or self.end not in (None, *names):
            return set(names), set()
        held = [dataclasses.replace(joint, kind="fixed") if joint.name in self.locked else joint for joint in joints]
        kept = _kept(bases[0], self.end, held)
        moved = set(moved_links(bases[0], kept))
        return moved, {bases[0], *(joint.child for joint in kept)} - moved


def roots(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> list[str]:
    """The links that hang on nothing."""
    moved = {joint.child for joint in joints}
    return [link.name for link in links if link.name not in moved]


def _kept(base: str, end: str | None, joints: Sequence[JointPart]) -> list[JointPart]:
    """The joints that hang on the base; of those that move, only the ones on the way to ``end``, where it is given."""
    reachable = in_tree_order([base], joints)
    if end is None:
        return reachable
    by_child = {joint.child: joint for joint in reachable}
    path: set[str] = set()
    link = end
    while link != base and link in by_child and link not in path:
        path.add(link)
        link = by_child[link].parent
    kept_links, kept = {base}, []
    for joint in reachable:
        if joint.parent in kept_links and (joint.child in path or (joint.kind == "fixed" and not joint.loose)):
            kept.append(joint)
            kept_links.add(joint.child)
    return kept


def branches_left_out(
    base: str, links: Sequence[LinkPart], joints: Sequence[JointPart], kept: Sequence[JointPart]
) -> dict[str, float]:
    """By the joint that moves it, the mass of every branch beside a chain, kg."""
    mass = {link.name: link.inertia.mass for link in links}
    on_chain = {base, *(joint.child for joint in kept)}
    return {
        joint.name: mass[joint.child] + sum(mass[other.child] for other in in_tree_order([joint.child], joints))
        for joint in joints
        if joint.parent in on_chain and joint.child not in on_chain
    }
