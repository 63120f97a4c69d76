"""The bare body in Pinocchio, from the same file, and a third reading in fifty digits where the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pinocchio as pin

from armdyn import Model
from armdyn.algorithms import inverse_dynamics
from armdyn.model.canonical import canonical
from oracles.newton_euler_mp import ExactTree, mp

AGREEMENT = 1e-9
"""How far torques may differ, relative to the moment or force that their joint transmits."""

ROUNDING = 1e-13
"""How far they may differ relative to the largest force and moment behind the joint, which may cancel in it."""


@dataclass(frozen=True)
class State:
    """Where the joints are, by name, and how they move; gravity in base axes."""

    q: Mapping[str, float]
    qd: Mapping[str, float]
    qdd: Mapping[str, float]


def random_state(names: tuple[str, ...], rng: Random) -> State:
    """A state of general values."""
    return State(*({name: rng.uniform(-1.5, 1.5) for name in names} for _ in range(3)))


def bare(model: Model, *, armatures: bool = False) -> Model:
    """The tree alone: no couplings, no loops, no rotors, which Pinocchio's reader leaves out; armatures if asked."""
    joints = tuple(
        joint.replace(armature=joint.armature if armatures else 0.0, actuator=None) for joint in model.joints
    )
    return model.replace(joints=joints, coupling=None, constraints=())


def torques_of_armdyn(model: Model, state: State) -> dict[str, float]:
    """tau by the recursion of the library, over floats."""
    names = model.joint_names
    q, qd, qdd = (np.array([values[name] for name in names]) for values in (state.q, state.qd, state.qdd))
    mechanism = canonical(model)
    with np.errstate(all="ignore"):  # what is no number is judged afterwards
        tau = np.asarray(inverse_dynamics(mechanism, q, qd, qdd), dtype=float)
    return dict(zip(names, tau.tolist(), strict=True))


class Peer:
    """A robot in Pinocchio."""

    def __init__(self, model: pin.Model) -> None:
        self.model, self.names = model, tuple(model.names)[1:]

    @classmethod
    def of_file(cls, path: Path, gravity: np.ndarray) -> Peer:
        """A file as Pinocchio reads it.

        Raises:
            ValueError: where Pinocchio does not read it.
        """
        model = pin.buildModelFromUrdf(str(path))
        model.gravity.linear = gravity
        return cls(model)

    @classmethod
    def of_model(cls, model: Model) -> Peer:
        """What an armdyn reader has made of a description: placements, axes and inertias as the model holds them."""
        made, index = pin.Model(), {model.base: 0}
        waiting = list(model.joints)
        while waiting:
            joint = next(j for j in waiting if j.parent in index)
            waiting.remove(joint)
            turns = joint.kind == "revolute"
            kind = pin.JointModelRevoluteUnaligned if turns else pin.JointModelPrismaticUnaligned
            place = pin.SE3(np.array(joint.placement[:3, :3]), np.array(joint.placement[:3, 3]))
            k = index[joint.child] = made.addJoint(index[joint.parent], kind(*joint.axis), place, joint.name)
            inertia = model.link(joint.child).inertia
            body = pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.tensor))
            made.appendBodyToJoint(k, body, pin.SE3.Identity())
        for joint in model.joints:
            made.armature[made.joints[index[joint.child]].idx_v] = joint.armature
        made.gravity.linear = np.array(model.gravity)
        return cls(made)

    def torques(self, state: State) -> tuple[dict[str, float], dict[str, float]]:
        """tau, and the size of the moment or force in each joint, relative to which it may be judged."""
        model, data = self.model, self.model.createData()
        q, qd, qdd = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for index, name in enumerate(self.names, start=1):
            joint = model.joints[index]
            value = state.q[name]
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
            qd[joint.idx_v], qdd[joint.idx_v] = state.qd[name], state.qdd[name]
        tau = pin.rnea(model, data, q, qd, qdd)
        with np.errstate(all="ignore"):  # what is no number is judged afterwards
            return self._judged(tau, data, qd, qdd)

    def _judged(self, tau: Any, data: pin.Data, qd: Any, qdd: Any) -> tuple[dict[str, float], dict[str, float]]:
        model = self.model
        values, sizes = {}, {}
        force, moment = self._felt(data, 1.0 + float(np.abs(qdd).sum() + np.abs(qd).sum() ** 2))
        for index, name in enumerate(self.names, start=1):
            joint, wrench = model.joints[index], data.f[index]
            values[name] = float(tau[joint.idx_v])
            turns = joint.shortname().startswith("JointModelR")
            own = float(np.linalg.norm(wrench.angular if turns else wrench.linear))
            noise = moment[index] + force[index] * self.reach if turns else force[index]
            sizes[name] = max(own, ROUNDING / AGREEMENT * noise)
        return values, sizes

    def _felt(self, data: pin.Data, rates: float) -> tuple[list[float], list[float]]:
        """The largest force and moment in and behind each joint, also of those that cancel in a body of odd inertia."""
        model = self.model
        force = [float(np.linalg.norm(f.linear)) for f in data.f]
        inertia = [float(np.abs(b.inertia).max() + b.mass * self.reach**2) for b in model.inertias]
        moment = [float(np.linalg.norm(f.angular)) + rates * i for f, i in zip(data.f, inertia, strict=True)]
        for index in range(model.njoints - 1, 0, -1):
            parent = model.parents[index]
            force[parent], moment[parent] = max(force[parent], force[index]), max(moment[parent], moment[index])
        return force, moment

    @property
    def reach(self) -> float:
        """The largest length in the model, and no less than rounding makes of none."""
        places = [p.translation for p in self.model.jointPlacements]
        return max(1e-3, *(float(np.abs(p).max()) for p in [*places, *(body.lever for body in self.model.inertias)]))


UNDERFLOW = 1e-300
"""Torques below it have lost their digits, in armdyn and in what it is compared with."""


def difference(
    found: Mapping[str, float], peer: Mapping[str, float], sizes: Mapping[str, float], agreement: float = AGREEMENT
) -> list[str]:
    """The joints whose torques differ, and how."""
    apart = []
    for name, value in peer.items():
        if not np.isfinite(value):
            continue
        scale = max(abs(value), sizes[name])
        if not abs(found[name] - value) <= max(agreement * scale, UNDERFLOW):
            apart.append(f"{name}: armdyn {found[name]!r}, peer {value!r} (scale {scale:.3g})")
    return apart


def worse_than_peer(
    path: Path, model: Model, state: State, found: Mapping[str, float], peer: Mapping[str, float]
) -> str:
    """What is wrong with armdyn's torques by a third reading in a hundred digits; empty where the peer is no better.

    Raises:
        Exception: of any kind, where the file is not as plain as the third reading wants it.
    """
    with mp.workdps(120):
        names = model.joint_names
        exact = ExactTree.of_urdf(path, names, model.gravity)
        q, qd, qdd = ([values[name] for name in names] for values in (state.q, state.qd, state.qdd))
        tau = exact.inverse_dynamics(q, qd, qdd)
        for name, value in zip(names, tau, strict=True):
            error, other = (float(abs(mp.mpf(x[name]) - value)) for x in (found, peer))
            if not error <= max(AGREEMENT * float(abs(value)), 10.0 * other):
                return f"{name}: armdyn is off by {error:.3g}, Pinocchio by {other:.3g}, of {float(value)!r}"
    return ""


KEPT_DIGITS = 14
"""Lengths that take more digits than these lose the shortest of them (docs/conventions.md)."""


def digits_of_lengths(model: Model) -> float:
    """How many digits it takes to write the longest of all lengths down to the first of the shortest.

    A length below 1e-14 of one that it is added to counts as rounding, and as zero (docs/conventions.md).
    """
    places = [joint.placement[:3, 3] for joint in model.joints] + [link.inertia.com for link in model.links]
    lengths = np.abs(np.concatenate(places))
    lengths = lengths[lengths > 0.0]
    return float(np.log10(lengths.max() / lengths.min())) if lengths.size else 0.0
