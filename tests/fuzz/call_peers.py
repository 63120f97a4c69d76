"""The same robots in Pinocchio, by its own functions and the conventions' own formulas; screws by Modern Robotics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import modern_robotics as mr
import numpy as np
import pinocchio as pin

import armdyn
from fuzz.pinocchio_peer import Peer, State

Torques = Callable[[armdyn.Model, State], tuple[Mapping[str, float], Mapping[str, float]]]


class _Chain:
    """Links put together in Pinocchio: each joint on the one before or on a named link."""

    def __init__(self, names: tuple[str, ...], gravity: Any) -> None:
        self.names, self.made = list(names), pin.Model()
        self.made.gravity.linear = np.array((0.0, 0.0, -9.81) if gravity is None else gravity, float)

    def joint(self, parent: int, placement: Any, axis: Any, slides: bool, armature: float = 0.0) -> int:
        kind = pin.JointModelPrismaticUnaligned if slides else pin.JointModelRevoluteUnaligned
        axis = np.array(axis, float)
        T = np.array(placement, float)
        index = self.made.addJoint(
            parent, kind(*(axis / np.linalg.norm(axis))), pin.SE3(T[:3, :3], T[:3, 3]), self.names.pop(0)
        )
        self.made.armature[self.made.joints[index].idx_v] = armature
        return int(index)

    def body(self, joint: int, inertia: Any, place: Any) -> None:
        body = pin.Inertia(float(inertia.mass), np.array(inertia.com), np.array(inertia.tensor))
        T = np.array(place, float)
        self.made.appendBodyToJoint(joint, body, pin.SE3(T[:3, :3], T[:3, 3]))

    def torques(self, model: armdyn.Model, state: State) -> tuple[Mapping[str, float], Mapping[str, float]]:
        return Peer(self.made).torques(state)


def _turn(axis: str, angle: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = pin.utils.rotate(axis, angle)
    return T


def _shift(x: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


def _peer_of_dh(arguments: Any, named: Any) -> Torques:
    rows = list(arguments[0] if arguments else named["rows"])

    def torques(model: armdyn.Model, state: State) -> Any:
        chain = _Chain(model.joint_names, named.get("gravity"))
        reached, index = np.array(named.get("base", np.eye(4)), float), 0
        for k, row in enumerate(rows):
            words = _words(row)
            if "inertias" in named:
                words["inertia"] = named["inertias"][k]
            turn = math.pi / 180.0 if named.get("degrees") else 1.0
            if isinstance(row, armdyn.DHRow) and named.get("degrees"):
                turn = math.pi / 180.0
            a, alpha, d, theta = (float(words[key]) for key in ("a", "alpha", "d", "theta"))
            across = _shift(a, 0.0) @ _turn("x", turn * alpha)
            along = _turn("z", turn * theta) @ _shift(0.0, d)
            slides = words.get("kind", "R")[0] in "Pp"
            modified = named["convention"] == "modified"
            index = chain.joint(
                index, reached @ across if modified else reached, [0, 0, 1], slides, words.get("armature", 0.0)
            )
            reached = along if modified else along @ across
            if words.get("inertia") is not None:
                chain.body(index, words["inertia"], reached)
        return chain.torques(model, state)

    return torques


def _words(row: Any) -> dict[str, Any]:
    if isinstance(row, armdyn.DHRow):
        return {name: getattr(row, name) for name in ("a", "alpha", "d", "theta", "kind", "inertia", "armature")}
    if isinstance(row, Mapping):
        return dict(row)
    return dict(zip(("a", "alpha", "d", "theta", "kind"), row, strict=False))


def _peer_of_screws(arguments: Any, named: Any) -> Torques:
    M, G, S = (
        np.array(given, float) for given in (*arguments, *(named[k] for k in ("Mlist", "Glist", "Slist") if k in named))
    )

    def torques(model: armdyn.Model, state: State) -> Any:
        if any(np.abs(g[:3, 3:]).max() > 0 for g in G):
            raise ValueError("Modern Robotics' frames are at the centres of mass")
        gravity = np.array(named.get("gravity", (0.0, 0.0, -9.81)), float)
        q, qd, qdd = (
            np.array([values[name] for name in model.joint_names]) for values in (state.q, state.qd, state.qdd)
        )
        tau = mr.InverseDynamics(q, qd, qdd, gravity, np.zeros(6), M, G, S)
        _, sizes = Peer.of_model(model).torques(state)
        return dict(zip(model.joint_names, tau.tolist(), strict=True)), sizes

    return torques


def _peer_of_zero_reference(arguments: Any, named: Any) -> Torques:
    axes = np.array(arguments[0] if arguments else named["axes"], float)
    n = len(axes)

    def torques(model: armdyn.Model, state: State) -> Any:
        units = named.get("units") or armdyn.Units()
        if "points" in named:
            P = np.array(named["points"], float)
        else:
            b = (
                np.array(named["b"], float)
                if "b" in named
                else np.array(named["c"], float) + np.array(named["d"], float)
            )
            P = (
                np.array(named.get("first_center", np.zeros(3)), float)
                + np.vstack([np.zeros(3), np.cumsum(b, axis=0)])[:-1]
            )
        c = np.array(named["c"], float)
        masses = named.get("masses")
        if masses is None:
            masses = np.array(named["weights"], float) * units.force / float(named.get("weighed_at", 9.80665))
        else:
            masses = np.array(masses, float) * units.mass
        tensors = np.array(named.get("inertias", np.zeros((n, 3, 3))), float) * units.inertia
        kinds = named.get("kinds") or "R" * n
        chain = _Chain(model.joint_names, named.get("gravity"))
        before, index = np.zeros(3), 0
        for k in range(n):
            place = np.eye(4)
            place[:3, 3] = P[k] * units.length - before
            index = chain.joint(index, place, axes[k], str(kinds[k])[0] in "Pp")
            chain.body(index, armdyn.Inertia(masses[k], c[k] * units.length, tensors[k]), np.eye(4))
            before = P[k] * units.length
        return chain.torques(model, state)

    return torques


def _peer_of_links(arguments: Any, named: Any) -> Torques:
    parts = list(arguments[0] if arguments else named["parts"])

    def torques(model: armdyn.Model, state: State) -> Any:
        chain = _Chain((), named.get("gravity"))
        at: dict[str, tuple[int, np.ndarray]] = {named.get("base", "base"): (0, np.eye(4))}
        for part in parts:  # in an order in which parents come first
            T = np.eye(4)
            if part.T is not None:
                T = np.array(part.T, float)
            else:
                T[:3, :3] = pin.rpy.rpyToMatrix(*map(float, part.rpy if part.rpy is not None else (0, 0, 0)))
                T[:3, 3] = np.array(part.xyz if part.xyz is not None else (0, 0, 0), float)
            index, pose = at[part.parent]
            if part.kind == "fixed":
                at[part.name] = (index, pose @ T)
                if index:
                    chain.body(index, part.inertia, pose @ T)
                continue
            chain.names.append(part.joint_name)
            joint = chain.joint(index, pose @ T, part.axis, part.kind == "prismatic", float(part.armature))
            chain.body(joint, part.inertia, np.eye(4))
            at[part.name] = (joint, np.eye(4))
        return chain.torques(model, state)

    return torques


PEERS: Mapping[str, Callable[[Any, Any], Torques]] = {
    "from_dh": _peer_of_dh,
    "from_screws": _peer_of_screws,
    "from_zero_reference": _peer_of_zero_reference,
    "from_links": _peer_of_links,
}
