"""Robots of which Pinocchio knows the joints and NumPy the rest: rotors, and the coupling between joints."""

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

import armdyn
from armdyn.spatial.rotations import rigid
from oracles.cases import ANGULAR_FIRST, CASES, Case, bundled
from oracles.couplings import braced
from oracles.trees import random_rotation, random_tree, slides_between_turns, spindles, to_armdyn, to_pinocchio


@dataclass(frozen=True, eq=False)
class Known:
    """``robot`` has the joints of ``case``, moved by q_joints = A q + b, and rotors on them."""

    robot: armdyn.Robot
    case: Case
    A: np.ndarray
    b: np.ndarray
    rotors: np.ndarray

    @classmethod
    def plain(cls, case: Case) -> "Known":
        return cls(case.robot, case, np.eye(case.n), np.zeros(case.n), np.zeros(case.n))

    @property
    def n(self) -> int:
        return self.A.shape[1]

    def at(self, q, qd=None) -> tuple[np.ndarray, np.ndarray]:
        """Pinocchio's positions and velocities; at rest where none are given."""
        qd = np.zeros(self.n) if qd is None else qd
        return self.case.pin_q(self.A @ q + self.b), self.case.to_pin(self.A @ qd)

    def matrix(self, of_pin) -> np.ndarray:
        """A^T M A of a matrix by Pinocchio's joints."""
        column = self.case.column
        return self.A.T @ of_pin[np.ix_(column, column)] @ self.A

    def forces(self, of_pin) -> np.ndarray:
        """A^T tau."""
        return self.A.T @ self.case.from_pin(of_pin)

    def columns(self, of_pin) -> np.ndarray:
        """J A, of a Jacobian by Pinocchio's joints whose rows stand as in armdyn."""
        return self.case.from_pin(of_pin.reshape(-1, self.case.n)) @ self.A  # a single column comes as a vector

    def mass_matrix(self, q) -> np.ndarray:
        return self.A.T @ (self.case.mass_matrix(self.A @ q + self.b) + np.diag(self.rotors)) @ self.A

    def coriolis_matrix(self, q, qd) -> np.ndarray:
        """By Christoffel symbols: half the derivative of the joint forces by the velocities."""
        x, v = self.at(q, qd)
        _, by_v, _ = pin.computeRNEADerivatives(self.case.pin, self.case.data, x, v, np.zeros_like(v))
        return 0.5 * self.matrix(by_v)

    def inverse_dynamics(self, q, qd, qdd, loads=None) -> np.ndarray:
        """``loads`` are Pinocchio's external forces."""
        x, v = self.at(q, qd)
        a = self.case.to_pin(self.A @ qdd)
        tau = pin.rnea(self.case.pin, self.case.data, x, v, a, *([] if loads is None else [loads]))
        return self.forces(tau) + self.A.T @ (self.rotors * (self.A @ qdd))

    def pose(self, q, frame: str) -> pin.SE3:
        """T_0F."""
        if frame == self.robot.model.base:
            return pin.SE3.Identity()
        pin.framesForwardKinematics(self.case.pin, self.case.data, self.at(q)[0])
        return self.case.data.oMf[self.case.pin.getFrameId(frame)].copy()


def with_rotors(case: Case, rotors: np.ndarray) -> Known:
    """The robot with these rotors on its joints."""
    model = case.robot.model
    joints = (replace(joint, armature=float(x)) for joint, x in zip(model.joints, rotors, strict=True))
    robot = armdyn.Robot(model.replace(joints=tuple(joints)))
    return Known(robot, case, np.eye(case.n), np.zeros(case.n), rotors)


def coupled_at_random(free: Known) -> Known:
    """Joints moved by one coordinate, by none and by several, in another order than the tree's."""
    rng, size = np.random.default_rng(136), free.n
    A, b = rng.normal(size=(size, 3)) * (rng.random((size, 3)) < 0.6), rng.normal(size=size)
    A[2], A[4, :2], A[5] = (0.0, 0.0, 0.0), (1.0, 0.0), (0.0, 2.0, 0.0)
    return with_coupling(free, A, b)


def with_coupling(free: Known, A: np.ndarray, b: np.ndarray) -> Known:
    """q_joints = A q + b, through the front door."""
    joints = tuple(replace(joint, limits=armdyn.Limits()) for joint in free.robot.model.joints)
    unlimited = armdyn.Robot(free.robot.model.replace(joints=joints))
    names = ["x", "y", "z", "u"][: A.shape[1]]
    robot = unlimited.with_coordinates(names, A, offset=b, kinds=dict.fromkeys(names, "revolute"))
    return Known(robot, free.case, A, b, free.rotors)


def with_a_frame_on_the_base(known: Known) -> Known:
    """Askew, and away from the base's origin."""
    rng = np.random.default_rng(138)
    model = known.robot.model
    frame = armdyn.Frame("on_base", model.base, rigid(random_rotation(rng), rng.normal(size=3)))
    return replace(known, robot=armdyn.Robot(model.replace(frames=(*model.frames, frame))))


def known_robots() -> dict[str, Known]:
    """Arms and trees, of revolute and prismatic joints, plain, geared and coupled."""
    plain = {name: CASES[name]() for name in ("ur5", "panda_fingers", "right_angled_tree")}
    plain["random_tree"] = CASES["large_tree"]()
    plain |= {name: bundled(name) for name in ("planar_2r", "rp")}
    for tree in (spindles(), random_tree(171, 1), slides_between_turns()):
        plain[tree.name] = Case(tree.name, armdyn.Robot(to_armdyn(tree)), to_pinocchio(tree))
    robots = {name: Known.plain(case) for name, case in plain.items()}
    rotors = np.random.default_rng(134).uniform(0.3, 0.9, 8) * (np.arange(8) % 4 != 3)  # one joint in four has none
    robots["geared"] = with_rotors(plain["random_tree"], rotors)
    robots["coupled"] = coupled_at_random(robots["geared"])
    robots["braced"] = with_coupling(robots["spindles"], braced().A, braced().b)
    robots["based"] = with_a_frame_on_the_base(robots["ur5"])
    return robots


__all__ = ["ANGULAR_FIRST", "Known", "known_robots"]
