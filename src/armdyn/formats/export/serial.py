"""A model as one chain at its zero position: the form that descriptions without branches can hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.base.advice import either, option
from armdyn.base.errors import Unsupported
from armdyn.base.exact import exact
from armdyn.model.elements import refuse_elements
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Joint
from armdyn.model.joint_order import chain_order, without_permutation
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array, inverse_rigid


@dataclass(frozen=True, eq=False)
class SerialArm:
    """The joints in the order of the chain, and their poses in base coordinates at q = 0.

    q of the written description has the order of the chain, independent of that of the model.

    Poses are in `armdyn.base.exact.Exact` numbers: written numbers are rounded once.

    Args:
        model: the model of the chain.
        joints: base to tip.
        poses: T_0k, of each link's frame, one (4, 4) array per joint.
        tip: T_0,tip.
    """

    model: Model
    joints: tuple[Joint, ...]
    poses: tuple[Array, ...]
    tip: Array

    @classmethod
    def of(cls, model: Model, subject: str) -> SerialArm:
        """The chain of a model; ``subject`` is the description that needs one, for the message."""
        if model.constraints:
            raise Unsupported(
                f"{model.name!r}: it has constraints ({', '.join(c.name for c in model.constraints)}); {subject} is an "
                "open chain and has no place for them. Write the tree alone: robot.without_constraints()."
            )
        model = without_permutation(model)
        if model.coupling is not None:
            text = ", ".join(repr(c.name) for c in model.coordinates)
            raise Unsupported(
                f"{model.name!r}: its {len(model.joints)} joints are coupled and move with {text}; {subject} has a row "
                "for each joint and no place for couplings. Write URDF, or the robot with every joint free: "
                "robot.without_couplings()."
            )
        pose, carrier, poses = exact(np.eye(4)), model.base, []
        joints = tuple(chain_order(model.joints, model.base))
        for joint in joints:
            if joint.parent != carrier:
                raise Unsupported(_refusal(model, joint, subject))
            pose = pose @ exact(joint.placement)
            poses.append(pose)
            carrier = joint.child
        frame = model.frame()
        if frame.link != carrier:
            raise Unsupported(
                f"{model.name!r}: its tip {frame.name!r} is on link {frame.link!r}, not on the last one; {subject} "
                f"ends with the last link. Choose a frame on {carrier!r}: "
                + either(f"robot.with_tip({carrier!r}).", f"--tip {carrier}.")
            )
        return cls(model, joints, tuple(poses), pose @ exact(frame.pose))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints, base to tip."""
        return tuple(joint.name for joint in self.joints)

    def axis(self, k: int) -> Array:
        """u_0k, direction of axis k in base axes."""
        u: Array = self.poses[k][:3, :3] @ exact(self.joints[k].axis)
        return u

    def point(self, k: int) -> Array:
        """The origin of link k's frame, which is on axis k, in base coordinates."""
        p: Array = self.poses[k][:3, 3]
        return p

    def without_armature(self, subject: str) -> SerialArm:
        """The chain itself; raises if its joints have armature, which ``subject`` cannot hold."""
        for joint in self.joints:
            if joint.armature:
                raise Unsupported(
                    f"{self.model.name!r}: joint {joint.name!r} has armature {joint.armature:g}, for which {subject} "
                    "has no place; write a Denavit-Hartenberg table, whose rows hold it."
                )
        return self.without_rotors(subject)

    def without_rotors(self, subject: str) -> SerialArm:
        """The chain itself; raises if joints turn rotors that are bodies or have springs, which ``subject`` lacks."""
        refuse_elements(self.model, subject)
        for joint in self.joints:
            if joint.parallel_springs:
                raise Unsupported(
                    f"{self.model.name!r}: joint {joint.name!r} has a spring in parallel with its drive, for which "
                    f"{subject} has no place; write URDF, which holds it, or take it away: "
                    "robot.without_parallel_springs()."
                )
            if joint.rotors:
                raise Unsupported(
                    f"{self.model.name!r}: joint {joint.name!r} turns a rotor that is a body of its own, for which "
                    f"{subject} has no place; write URDF, which holds it."
                )
        return self

    def without_actuators(self, subject: str) -> SerialArm:
        """The chain itself; raises if its joints have actuators, which ``subject`` cannot hold."""
        for joint in self.joints:
            if joint.actuator is not None:
                raise Unsupported(
                    f"{self.model.name!r}: joint {joint.name!r} has an actuator, for which {subject} has no place; "
                    "write URDF, or the robot without it and the file of its actuators: armdyn.actuators.write."
                )
        return self

    @property
    def size(self) -> float:
        """The largest coordinate of the arm's frames, m; 1 if all are at the base's origin."""
        return max(float(np.abs(pose[:3, 3]).max()) for pose in (*self.poses, self.tip)) or 1.0

    def inertia(self, k: int) -> Inertia:
        """The inertia of the link that joint k moves, in the link's frame."""
        return self.model.link(self.joints[k].child).inertia

    def inertia_seen_from(self, k: int, T: Array) -> Inertia:
        """The inertia of link k in a frame whose pose in base coordinates is T."""
        return Inertia.of(self.inertia(k).exact.seen_from(inverse_rigid(T) @ self.poses[k]))


def _refusal(model: Model, joint: Joint, subject: str) -> str:
    children = [other.name for other in model.joints if other.parent == joint.parent]
    return (
        f"{model.name!r} branches at link {joint.parent!r} (joints {', '.join(children)}); {subject} holds one chain. "
        f"Read the file with {option('base')}, {option('tip')} and {option('chain', True)}, or write URDF, which "
        "holds trees."
    )
