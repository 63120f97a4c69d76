"""Random trees of rigid bodies as plain numbers, and what armdyn, Pinocchio and MuJoCo each make of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np


class Part(NamedTuple):
    """A link and the joint that carries it. ``kind`` "fixed" welds it to its parent."""

    name: str
    parent: str
    kind: str
    rotation: np.ndarray
    position: np.ndarray
    axis: np.ndarray
    mass: float
    com: np.ndarray
    tensor: np.ndarray

    @property
    def joint(self) -> str:
        return f"joint_of_{self.name}"

    @property
    def placement(self) -> np.ndarray:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.rotation, self.position
        return T


@dataclass(frozen=True)
class Tree:
    """Parts, parents first; ``order`` is the order in which the description lists the joints."""

    name: str
    parts: tuple[Part, ...]
    order: tuple[str, ...]
    tip: str
    gravity: np.ndarray


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def right_angled_rotation(rng: np.random.Generator) -> np.ndarray:
    """One of the 24 rotations that carry coordinate axes to coordinate axes."""
    P = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
    return P * np.linalg.det(P)


def random_inertia(rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it of a body that could exist, with no axis of symmetry."""
    second = rng.normal(size=(3, 3)) * rng.uniform(0.05, 0.3)
    mass = rng.uniform(0.5, 5.0)
    second = mass * second @ second.T
    return mass, rng.normal(0.0, 0.2, 3), np.trace(second) * np.eye(3) - second


def random_tree(seed: int, joints: int = 8, *, right_angled: bool = False, chain: bool = False) -> Tree:
    """A tree with about as many prismatic as revolute joints; the tip is a massive link welded askew to a late link.

    With ``right_angled`` all axes are parallel or at right angles and some offsets vanish, as in most real arms.
    """
    rng = np.random.default_rng(seed)
    parts: list[Part] = []
    names = ["base"]
    for k in range(joints):
        parent = names[-1] if chain or rng.random() < 0.6 else names[rng.integers(len(names))]
        kind = "prismatic" if rng.random() < 0.4 else "revolute"
        if right_angled:
            rotation, axis = right_angled_rotation(rng), np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
            position = rng.normal(0.0, 0.4, 3) * (rng.random(3) < 0.5)
        else:
            rotation, axis, position = random_rotation(rng), rng.normal(size=3), rng.normal(0.0, 0.4, 3)
        axis = axis / np.linalg.norm(axis)
        parts.append(Part(f"link{k}", parent, kind, rotation, position, axis, *random_inertia(rng)))
        names.append(f"link{k}")
    tool = Part("tool", names[-1], "fixed", random_rotation(rng), rng.normal(0.0, 0.3, 3), np.zeros(3),
                *random_inertia(rng))  # fmt: skip
    order = [part.joint for part in parts]
    rng.shuffle(order)
    return Tree(f"tree{seed}", (*parts, tool), tuple(order), "tool", rng.normal(0.0, 6.0, 3))


TREES: Mapping[str, tuple[int, int, bool]] = {
    "random_tree": (20, 5, False),
    "large_tree": (3, 8, False),
    "right_angled_tree": (11, 8, True),
}
"""Seed, number of joints, and whether at right angles: the trees that many tests share.

The small one turns, slides, turns and slides, with a branch on its first link, and its joints are in another order.
"""


def known_tree(name: str) -> Tree:
    """One of `TREES`."""
    seed, joints, right_angled = TREES[name]
    return random_tree(seed, joints, right_angled=right_angled)


def spindles() -> Tree:
    """Rotors whose centres of mass lie on their axes, as tool flanges have them, beside a slide parallel to an axis.

    One rotor is skew (no principal axis along its frame's), one is aligned with it, one is parallel to its carrier.
    """
    rng = np.random.default_rng(12)
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    skew, plain = random_inertia(rng)[2], np.diag([0.3, 0.4, 0.5])
    quarter = right_angled_rotation(rng)
    parts = (
        Part("arm", "base", "revolute", np.eye(3), np.array([0.0, 0.0, 0.3]), z, *random_inertia(rng)),
        Part("skew", "arm", "revolute", quarter, np.array([0.2, 0.0, 0.5]), z, 1.3, 0.2 * z, skew),
        Part("aligned", "arm", "revolute", quarter.T, np.array([0.1, -0.4, 0.0]), x, 0.8, 0.0 * x, plain),
        Part("parallel", "arm", "revolute", np.eye(3), np.array([0.3, 0.1, 0.7]), z, 0.9, 0.1 * z, plain),
        Part("slide", "arm", "prismatic", np.eye(3), np.array([0.1, 0.2, 0.0]), z, *random_inertia(rng)),
        Part("end", "slide", "revolute", np.eye(3), np.array([0.3, 0.0, 0.1]), z, *random_inertia(rng)),
    )
    return Tree("spindles", parts, tuple(p.joint for p in parts), "skew", rng.normal(0.0, 6.0, 3))


def slides_between_turns() -> Tree:
    """A chain that slides between links that turn, far from base and tip, on a link without mass."""
    tree = random_tree(173, 7, chain=True)
    kinds = ["prismatic" if k in (2, 4) else "revolute" for k in range(7)]
    parts = [p._replace(kind=kind) for p, kind in zip(tree.parts[:7], kinds, strict=True)]
    parts[3] = parts[3]._replace(mass=0.0, tensor=np.zeros((3, 3)))
    return replace(tree, name="slides_between_turns", parts=(*parts, tree.parts[7]))


def to_armdyn(tree: Tree):
    """The armdyn `Model`, from parts in the tree's file order."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart
    from armdyn.model.selection import Selection

    links = [LinkPart("base", Inertia(7.0, [0.1, 0.2, 0.3], np.diag([1.0, 1.3, 1.7])))]
    links += [LinkPart(p.name, Inertia(p.mass, p.com, p.tensor)) for p in tree.parts]
    joints = {p.joint: JointPart(p.joint, p.kind, p.parent, p.name, p.placement, p.axis) for p in tree.parts}
    ordered = [joints.pop(name) for name in tree.order] + list(joints.values())
    return assemble(tree.name, links, ordered, Selection(tip=tree.tip, gravity=tree.gravity))


def depth_first(tree: Tree, link: str = "base") -> list[Part]:
    """The parts that hang on ``link``, each followed at once by what hangs on it."""
    return [q for p in tree.parts if p.parent == link for q in (p, *depth_first(tree, p.name))]


def to_pinocchio(tree: Tree):
    """The Pinocchio model, built through its own functions. It wants its joints depth first."""
    import pinocchio as pin

    model = pin.Model()
    carrier = {"base": (0, pin.SE3.Identity())}
    for p in depth_first(tree):
        joint, pose = carrier[p.parent]
        placement = pose * pin.SE3(p.rotation, p.position)
        if p.kind == "fixed":
            carrier[p.name] = (joint, placement)
        else:
            kinds = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}
            index = model.addJoint(joint, kinds[p.kind](*p.axis), placement, p.joint)
            carrier[p.name] = (index, pin.SE3.Identity())
        index, pose = carrier[p.name]
        model.appendBodyToJoint(index, pin.Inertia(p.mass, p.com, p.tensor), pose)
        model.addFrame(pin.Frame(p.name, index, 0, pose, pin.FrameType.BODY))
    model.gravity.linear = tree.gravity
    return model


def to_mjcf(tree: Tree) -> str:
    """The tree as a MuJoCo description, all digits kept, without contacts, damping, armature and limits."""
    children: dict[str, list[Part]] = {}
    for p in tree.parts:
        children.setdefault(p.parent, []).append(p)

    def numbers(*values: float) -> str:
        return " ".join(repr(float(v)) for v in values)

    def body(p: Part) -> str:
        I = p.tensor  # noqa: E741
        kind = {"revolute": "hinge", "prismatic": "slide", "fixed": None}[p.kind]
        joint = f'<joint name="{p.joint}" type="{kind}" axis="{numbers(*p.axis)}"/>' if kind else ""
        inertia = numbers(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        frame = f'pos="{numbers(*p.position)}" xyaxes="{numbers(*p.rotation[:, 0], *p.rotation[:, 1])}"'
        return (
            f'<body name="{p.name}" {frame}>{joint}'
            f'<inertial pos="{numbers(*p.com)}" mass="{p.mass!r}" fullinertia="{inertia}"/>'
            + "".join(map(body, children.get(p.name, [])))
            + "</body>"
        )

    inside = "".join(map(body, children["base"]))
    return (
        f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
        f'<option gravity="{numbers(*tree.gravity)}"><flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{inside}</worldbody></mujoco>"
    )


def to_urdf(tree: Tree) -> str:
    """The tree as a URDF file, all digits kept, joints in the tree's file order."""

    def numbers(values: np.ndarray) -> str:
        return " ".join(repr(float(v)) for v in values)

    def rpy(R: np.ndarray) -> np.ndarray:
        along = np.hypot(R[0, 0], R[1, 0])
        pitch = np.arctan2(-R[2, 0], along)
        if along < 1e-12:  # straight up or down: roll and yaw turn about one axis
            return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])
        return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])

    def link(p: Part) -> str:
        entries = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}
        inertia = " ".join(f'i{name}="{float(p.tensor[place])!r}"' for name, place in entries.items())
        mass = f'<mass value="{p.mass!r}"/><inertia {inertia}/>'
        return f'<link name="{p.name}"><inertial><origin xyz="{numbers(p.com)}"/>{mass}</inertial></link>'

    def joint(p: Part) -> str:
        frame = f'<origin xyz="{numbers(p.position)}" rpy="{numbers(rpy(p.rotation))}"/>'
        axis = "" if p.kind == "fixed" else f'<axis xyz="{numbers(p.axis)}"/><limit effort="1" velocity="1"/>'
        ends = f'<parent link="{p.parent}"/><child link="{p.name}"/>'
        return f'<joint name="{p.joint}" type="{p.kind}">{frame}{ends}{axis}</joint>'

    parts = {p.joint: p for p in tree.parts}
    ordered = [*tree.order, *(name for name in parts if name not in tree.order)]
    inside = "".join(map(link, tree.parts)) + "".join(joint(parts[name]) for name in ordered)
    return f'<robot name="{tree.name}"><link name="base"/>{inside}</robot>'
