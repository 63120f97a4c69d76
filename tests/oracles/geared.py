"""Random trees with geared rotors twice: as armdyn's motor parts, and as links of their own for Pinocchio.

Pinocchio knows a rotor as one more link on a revolute joint, which turns in space as any link does. Its equations are
brought to the coordinates of the arm by the matrix A of the gears, q_full = A q:

    M = A^T M_full A,     tau = A^T tau_full.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Rotor, Stator
from oracles.trees import Part, Tree, random_rotation, random_tree, to_armdyn, to_pinocchio


class Geared:
    """One tree of six joints, slides among them, with a rotor for every joint.

    The rotors stand on the link before, on the base, on other links, on the link that they move; on the joint's axis
    and beside it, askew; some with mass and an inertia across their axes; one joint has two of them, of two stages.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        tree = random_tree(seed, 6)
        bare = armdyn.Robot(to_armdyn(tree))
        links = [part.name for part in tree.parts if part.kind != "fixed"]
        parts: list[Part] = []
        self.gears: list[tuple[str, str, float]] = []
        """Name of the rotor's joint in Pinocchio, the joint that it turns with, and G."""
        actuators = {}
        for k, joint in enumerate(p for p in tree.parts if p.kind != "fixed"):
            carriers = [None, "base", joint.name, links[rng.integers(len(links))], "tool"]
            stages = [float(rng.uniform(20.0, 90.0) * rng.choice([-1.0, 1.0])) for _ in range(1 + (k == 2))]
            rotors = []
            for i, ratio in enumerate(stages):
                rotor = _rotor(rng, carriers[(k + i) % 5], on_axis=k % 3 == 0)
                name = f"rotor_{k}_{i}"
                parts.append(_link(name, joint, rotor, "revolute"))
                self.gears.append((parts[-1].joint, joint.joint, ratio))
                rotors.append(replace(rotor, ratio=ratio) if i else rotor)
            inertia = rotors[0].inertia
            rotors[0] = replace(rotors[0], inertia=None)
            stator = Stator(**_common(rng, None if k % 2 else joint.parent, on_axis=False), inertia=0.01)
            parts.append(_link(f"stator_{k}", joint, stator, "fixed"))
            split = 0.3 * inertia
            actuators[joint.joint] = Actuator(
                Motor(rotor_inertia=split), Gear(stages[0], inertia=inertia - split), rotor=rotors, stator=stator
            )
        self.bare, self.actuators = bare, actuators
        self.robot = bare.with_actuators(actuators)
        self.full: Tree = replace(tree, parts=(*tree.parts, *parts))
        self.pin = to_pinocchio(self.full)
        self.data = self.pin.createData()
        self.A = self._matrix()

    def _matrix(self) -> np.ndarray:
        """A: a row for each of Pinocchio's joints."""
        A = np.zeros((self.pin.nv, self.robot.dof))
        column = {name: i for i, name in enumerate(self.robot.joint_names)}
        for name, i in column.items():
            A[self.pin.joints[self.pin.getJointId(name)].idx_v, i] = 1.0
        for rotor, joint, ratio in self.gears:
            A[self.pin.joints[self.pin.getJointId(rotor)].idx_v, column[joint]] = ratio
        return A

    def full_state(self, *vectors: np.ndarray) -> list[np.ndarray]:
        """Positions, velocities and accelerations of all joints of Pinocchio's model."""
        return [self.A @ v for v in vectors]

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return self.A.T @ pin.rnea(self.pin, self.data, *self.full_state(q, qd, qdd))

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = pin.crba(self.pin, self.data, self.A @ q)
        return self.A.T @ (np.triu(M) + np.triu(M, 1).T) @ self.A

    def mass_matrix_dot(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        C = pin.computeCoriolisMatrix(self.pin, self.data, *self.full_state(q, qd))
        return self.A.T @ (C + C.T) @ self.A

    def derivatives(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[np.ndarray]:
        d_q, d_qd, d_qdd = pin.computeRNEADerivatives(self.pin, self.data, *self.full_state(q, qd, qdd))
        d_qdd = np.triu(d_qdd) + np.triu(d_qdd, 1).T
        return [self.A.T @ D @ self.A for D in (d_q, d_qd, d_qdd)]

    def energies(self, q: np.ndarray, qd: np.ndarray) -> tuple[float, float]:
        kinetic = pin.computeKineticEnergy(self.pin, self.data, *self.full_state(q, qd))
        return kinetic, pin.computePotentialEnergy(self.pin, self.data, self.A @ q)

    def momentum(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """(k, l) about the base's origin."""
        h = pin.computeCentroidalMomentum(self.pin, self.data, *self.full_state(q, qd))
        return np.concatenate([h.angular + np.cross(self.data.com[0], h.linear), h.linear])


@cache
def geared(seed: int) -> Geared:
    return Geared(seed)


def _common(rng: np.random.Generator, carrier: str | None, on_axis: bool) -> dict:
    """The fields that rotor and stator share."""
    u = rng.normal(size=3)
    u = u / np.linalg.norm(u)
    placed = {} if on_axis and carrier is None else {"axis": tuple(u), "position": tuple(rng.normal(0.0, 0.3, 3))}
    return {"mass": rng.uniform(0.2, 0.9), "transverse": rng.uniform(0.01, 0.02), "carrier": carrier, **placed}


def _rotor(rng: np.random.Generator, carrier: str | None, on_axis: bool) -> Rotor:
    return Rotor(**_common(rng, carrier, on_axis), inertia=rng.uniform(1e-3, 3e-3))


def _link(name: str, driven: Part, part: Rotor | Stator, kind: str) -> Part:
    """A motor part as a link: z of its frame along its axis."""
    if part.carrier is None:  # in the frame where the driven joint's is at q = 0
        R, p, parent = driven.rotation, driven.position, driven.parent
    else:
        R, p, parent = np.eye(3), np.zeros(3), part.carrier
    u = R @ np.array(driven.axis if part.axis is None else part.axis)
    centre = p + R @ np.array((0.0, 0.0, 0.0) if part.position is None else part.position)
    S = random_rotation(np.random.default_rng(7))
    x = np.cross(u, S[:, 0])
    x = x / np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(u, x), u])
    tensor = np.diag([part.transverse, part.transverse, part.inertia])
    return Part(name, parent, kind, axes, centre, np.array([0.0, 0.0, 1.0]), part.mass, np.zeros(3), tensor)
