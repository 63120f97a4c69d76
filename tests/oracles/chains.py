"""A serial arm as plain arrays in its links' own frames, base to tip: what the texts' recursions are set up from."""

from dataclasses import dataclass

import numpy as np

from armdyn import Robot
from oracles.cases import CASES
from oracles.states import States
from oracles.trees import random_tree, to_armdyn

GROWN = {f"chain of {n}": (300 + n, n, False) for n in (1, 2, 3, 5, 7)} | {"right-angled": (310, 6, True)}
"""Random chains that turn and slide, their joints listed in another order than along the arm: seed, joints, angles."""

SERIAL_ARMS = [*GROWN, "ur5", "panda_locked"]


def serial_arm(name: str) -> Robot:
    """One of `SERIAL_ARMS`, under a gravity of general direction."""
    if name not in GROWN:
        return CASES[name]().robot
    seed, joints, right_angled = GROWN[name]
    return Robot(to_armdyn(random_tree(seed, joints, right_angled=right_angled, chain=True)))


@dataclass(frozen=True)
class Chain:
    """Link k + 1 hangs on link k (link 0 is the base) by joint k.

    ``order[k]`` is joint k's place in q; ``placements[k]`` the pose of link k + 1 in link k at zero; ``axes[k]`` a unit
    vector in link k + 1, through its origin; ``masses``, ``coms`` and ``tensors`` (about the centre of mass) are those
    of link k + 1, in its frame; ``tip`` is a pose in the last link.
    """

    order: np.ndarray
    slides: np.ndarray
    placements: np.ndarray
    axes: np.ndarray
    masses: np.ndarray
    coms: np.ndarray
    tensors: np.ndarray
    tip: np.ndarray
    gravity: np.ndarray

    @property
    def n(self) -> int:
        return len(self.order)

    @property
    def home(self) -> np.ndarray:
        """Poses of the moving links in the base at zero, (n, 4, 4)."""
        poses, pose = [], np.eye(4)
        for step in self.placements:
            pose = pose @ step
            poses.append(pose)
        return np.array(poses)


def chain_of(robot: Robot) -> Chain:
    """The arrays of a robot without branches, from its description alone."""
    model = robot.model
    joints, link = [], model.base
    while True:
        outgoing = [joint for joint in model.joints if joint.parent == link]
        if not outgoing:
            break
        (joint,) = outgoing
        joints.append(joint)
        link = joint.child
    assert len(joints) == robot.dof
    inertias = [model.link(joint.child).inertia for joint in joints]
    tip = model.frame(model.tip)
    assert tip.link == link
    return Chain(
        order=np.array([model.joints.index(joint) for joint in joints]),
        slides=np.array([joint.kind == "prismatic" for joint in joints]),
        placements=np.array([joint.placement for joint in joints]),
        axes=np.array([joint.axis for joint in joints]),
        masses=np.array([inertia.mass for inertia in inertias]),
        coms=np.array([inertia.com for inertia in inertias]),
        tensors=np.array([inertia.tensor for inertia in inertias]),
        tip=np.array(tip.pose),
        gravity=np.array(model.gravity),
    )


def base_to_tip(s: States, order: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """q, qd, qdd, tau of every state in the order along the arm, and f_tip."""
    return list(zip(*(x[:, order] for x in s[:4]), s.f_tip, strict=True))


def in_file_order(order: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of the joints (the last axis) in the order of q again."""
    result = np.empty_like(values)
    result[:, order] = values
    return result


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rotation(u: np.ndarray, angle: float) -> np.ndarray:
    """About a unit vector."""
    return np.eye(3) + np.sin(angle) * skew(u) + (1.0 - np.cos(angle)) * skew(u) @ skew(u)


def pose(R: np.ndarray | None = None, p: np.ndarray | None = None) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = np.eye(3) if R is None else R
    T[:3, 3] = np.zeros(3) if p is None else p
    return T
