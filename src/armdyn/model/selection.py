"""The part of a description that is read: the subtree of a base, the chain to a tip, the locked joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, get_args

from numpy.typing import ArrayLike

from armdyn.base.advice import option
from armdyn.base.checks import is_one_of, number, switch, text_problems
from armdyn.base.errors import ModelError, UnknownName, excerpt
from armdyn.base.fields import set_fields
from armdyn.model.frozen import frozen_array
from armdyn.model.joint_order import FILE, checked_order
from armdyn.model.model import GRAVITY
from armdyn.model.parts import JointPart, LinkPart, in_tree_order, moved_links

Policy = Literal["refuse", "warn"]
"""The values of ``problems``: faults in data that no equation contains are errors or warnings."""

FrictionPolicy = Literal["count", "ignore"]
"""The values of ``friction``: the damping and friction of a description are part of the equations or not."""


class SelectionOptions(TypedDict, total=False):
    """The keywords of a `Selection`."""

    base: str | None
    tip: str | None
    chain: bool
    locked: Any  # a mapping, or None for an empty one
    gravity: ArrayLike | None
    check_inertia: bool
    problems: Policy
    friction: FrictionPolicy
    joint_order: str | Sequence[str]


@dataclass(frozen=True)
class Selection:
    """The part of a description that a caller wants, and its checks. Keywords are checked here, for every reader.

    Args:
        base: keep only the links and joints after this link; the root by default.
        tip: the link that counts as the tip; by default that of `armdyn.model.tips.find_tip`.
        chain: keep only the moving joints between base and tip, and links welded to that chain.
        locked: positions of joints that are held, by name, rad or m.
        gravity: acceleration of free fall in base axes, m/s^2; the description's by default.
        check_inertia: refuse inertias that no rigid body has and that load a joint; otherwise they are accepted
            unchanged, with a note.
        problems: "refuse" every fault, or "warn" of those that no equation contains and read on.
        friction: "count" the damping and friction of joints in the equations, or "ignore" them, with a note.
        joint_order: of q: "file", that of the description by default; "chain", from the base to the tips; or names.

    Raises:
        ModelError: a value of another kind.
        ShapeError: gravity that is not three numbers; several numbers for one locked joint.
        DTypeError: a value that is not a real number.

    >>> Selection(tip="tool0", locked={"finger": 0}).locked
    {'finger': 0.0}
    """

    base: str | None = None
    tip: str | None = None
    chain: bool = False
    locked: Mapping[str, float] = field(default_factory=dict)
    gravity: ArrayLike | None = None
    check_inertia: bool = True
    problems: Policy = "refuse"
    friction: FrictionPolicy = "count"
    joint_order: str | Sequence[str] = FILE

    def __post_init__(self) -> None:
        names = {"base": self.base, "tip": self.tip}
        if result := [p for kind, name in names.items() if name is not None for p in text_problems(name, kind)]:
            raise ModelError(result)
        for name, choices in (("problems", get_args(Policy)), ("friction", get_args(FrictionPolicy))):
            if not is_one_of(getattr(self, name), choices):
                text = " or ".join(map(repr, choices))
                raise ModelError(f"{name} is {excerpt(getattr(self, name))}; expected {text}.")
        set_fields(self, chain=switch("chain", self.chain))
        set_fields(self, check_inertia=switch("check_inertia", self.check_inertia))
        set_fields(self, locked=require_locked(self.locked))
        set_fields(self, joint_order=checked_order(self.joint_order))
        if self.gravity is not None:
            set_fields(self, gravity=tuple(frozen_array(self.gravity, (3,), "gravity", GRAVITY).tolist()))

    @property
    def end(self) -> str | None:
        """The end of the chain; None if all branches are kept."""
        return self.tip if self.chain else None

    def remaining_joints(self, name: str, base: str, joints: Sequence[JointPart]) -> list[JointPart]:
        """The joints to keep, parents first, of the robot of that name.

        Raises:
            UnknownName: a tip that is not connected to the base, or a chain without one.
        """
        if self.tip not in (None, base) and self.tip not in {joint.child for joint in in_tree_order([base], joints)}:
            raise UnknownName(
                f"link {self.tip!r} is not connected to base {base!r} in {name!r}; choose another base or tip."
            )
        if self.chain and self.tip is None:
            raise UnknownName(f"a chain of {name!r} was asked for without its tip; name it with {option('tip')}.")
        return _connected(base, self.end, joints)

    def loading(self, links: Sequence[LinkPart], joints: Sequence[JointPart]) -> tuple[set[str], set[str]]:
        """The links whose inertia loads a joint, and those welded to the base. Names are not checked yet."""
        bases = [self.base] if self.base is not None else roots(links, joints)
        names = [link.name for link in links]
        if len(bases) != 1 or bases[0] not in names or self.end not in (None, *names):
            return set(names), set()
        parts = [dataclasses.replace(joint, kind="fixed") if joint.name in self.locked else joint for joint in joints]
        connected = _connected(bases[0], self.end, parts)
        moved = set(moved_links(bases[0], connected))
        return moved, {bases[0], *(joint.child for joint in connected)} - moved


def require_locked(locked: object) -> dict[str, float]:
    """The argument ``locked=`` as numbers by joint.

    Raises:
        ModelError: a value that is not a mapping, or a position that is not finite.
        DTypeError: a position that is not a real number.
        ShapeError: several numbers for one joint.

    >>> require_locked({"elbow": 1})
    {'elbow': 1.0}
    """
    if locked is None:
        return {}
    if not isinstance(locked, Mapping):
        raise ModelError(
            f"locked is {locked!r}; expected a mapping from joints to where they are held, rad or m, "
            "such as {'elbow_joint': 0.0}."
        )
    meaning = "a number, where it is held, rad or m"
    return {name: number(f"locked[{name!r}]", at, expected=meaning) for name, at in locked.items()}


def roots(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> list[str]:
    """The links that are not the child of a joint."""
    moved = {joint.child for joint in joints}
    return [link.name for link in links if link.name not in moved]


def _connected(base: str, end: str | None, joints: Sequence[JointPart]) -> list[JointPart]:
    """The joints connected to the base; of those that move, only the ones on the path to ``end``, if it is given."""
    reachable = in_tree_order([base], joints)
    if end is None:
        return reachable
    by_child = {joint.child: joint for joint in reachable}
    path: set[str] = set()
    link = end
    while link != base and link in by_child and link not in path:
        path.add(link)
        link = by_child[link].parent
    kept_links, result = {base}, []
    for joint in reachable:
        if joint.parent in kept_links and (joint.child in path or (joint.kind == "fixed" and not joint.is_multi_dof)):
            result.append(joint)
            kept_links.add(joint.child)
    return result


def branches_left_out(
    base: str, links: Sequence[LinkPart], joints: Sequence[JointPart], selected: Sequence[JointPart]
) -> dict[str, float]:
    """The mass of every branch off a chain, kg, by the joint that moves it."""
    mass = {link.name: link.inertia.mass for link in links}
    on_chain = {base, *(joint.child for joint in selected)}
    return {
        joint.name: mass[joint.child] + sum(mass[other.child] for other in in_tree_order([joint.child], joints))
        for joint in joints
        if joint.parent in on_chain and joint.child not in on_chain
    }
