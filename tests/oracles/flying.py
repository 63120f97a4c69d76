"""Trees whose base moves: Pinocchio lets its root fly, armdyn is given the base's twist and its rate."""

import numpy as np
import pinocchio as pin

import armdyn
from oracles.trees import random_tree, to_armdyn, to_pinocchio

RNG = np.random.default_rng(151)
TWISTS, RATES = RNG.normal(0.0, 2.0, (2, 10, 6))


class Flying:
    """A tree whose base Pinocchio lets fly, and armdyn is told to move."""

    def __init__(self, seed: int, right_angled: bool) -> None:
        tree = random_tree(seed, 6, right_angled=right_angled)
        self.robot = armdyn.Robot(to_armdyn(tree))
        on_ground = to_pinocchio(tree)
        root = pin.Model()
        root.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
        root.addFrame(pin.Frame("base", 1, 0, pin.SE3.Identity(), pin.FrameType.BODY))
        self.model = pin.appendModel(root, on_ground, root.getFrameId("base"), pin.SE3.Identity())
        self.model.gravity.linear = tree.gravity
        self.data = self.model.createData()
        ids = [self.model.getJointId(name) for name in self.robot.joint_names]
        self.v = np.array([self.model.joints[i].idx_v for i in ids])
        self.q = np.array([self.model.joints[i].idx_q for i in ids])

    def state(self, q, qd, twist, qdd=None, rate=None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations in Pinocchio's order, the root's first."""
        x = pin.neutral(self.model)
        v, a = np.zeros((2, self.model.nv))
        x[self.q], v[self.v], v[:6] = q, qd, np.roll(twist, 3)
        a[self.v], a[:6] = 0.0 if qdd is None else qdd, 0.0 if rate is None else np.roll(rate, 3)
        return x, v, a

    def kinetic_energy(self, q, qd, twist) -> float:
        """As seen from the ground; the root has no mass."""
        x, v, _ = self.state(q, qd, twist)
        return pin.computeKineticEnergy(self.model, self.data, x, v)

    def inverse_dynamics(self, q, qd, qdd, twist, rate) -> np.ndarray:
        return pin.rnea(self.model, self.data, *self.state(q, qd, twist, qdd, rate))[self.v]
