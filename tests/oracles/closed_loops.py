"""An arm under a law, step by step in Python: Pinocchio's dynamics, NumPy's solver, Euler's steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from oracles.cases import ANGULAR_FIRST, Case

Law = Callable[["State"], np.ndarray]


class Place(NamedTuple):
    """A frame in base axes: its pose, Jacobian and the acceleration that velocities give it, angular part first."""

    T: np.ndarray
    J: np.ndarray
    Jdot_qd: np.ndarray


@dataclass
class State:
    """What a law sees: the number of the step, its length, the state, and the arm's dynamics there."""

    case: Case
    k: int
    h: float
    q: np.ndarray
    qd: np.ndarray

    def _square(self, A: np.ndarray) -> np.ndarray:
        return A[np.ix_(self.case.column, self.case.column)]

    @property
    def _pin(self) -> tuple[pin.Model, pin.Data, np.ndarray, np.ndarray]:
        return self.case.pin, self.case.data, self.case.pin_q(self.q), self.case.to_pin(self.qd)

    @property
    def M(self) -> np.ndarray:
        model, data, q, _ = self._pin
        A = np.triu(pin.crba(model, data, q))
        return self._square(A + np.triu(A, 1).T)

    @property
    def bias(self) -> np.ndarray:
        return self.case.from_pin(pin.nonLinearEffects(*self._pin))

    @property
    def gravity(self) -> np.ndarray:
        return self.case.from_pin(pin.computeGeneralizedGravity(*self._pin[:3]))

    @property
    def coriolis(self) -> np.ndarray:
        return self._square(pin.computeCoriolisMatrix(*self._pin))

    @property
    def tip(self) -> Place:
        model, data, q, v = self._pin
        frame = model.getFrameId(self.case.robot.tip)
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        rate = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector[ANGULAR_FIRST]
        T = data.oMf[frame].homogeneous.copy()
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        return Place(T, J[ANGULAR_FIRST][:, self.case.column], rate)


class Motion(NamedTuple):
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray


def by_hand(
    case: Case,
    law: Law,
    q: np.ndarray,
    qd: np.ndarray,
    *,
    steps: int,
    h: float = 1e-3,
    f_tip: np.ndarray | None = None,
    normal: np.ndarray | None = None,
) -> Motion:
    """States and forces of each step: q, qd when it begins, tau in it.

    ``f_tip``: in the tip's axes, on the surroundings. ``normal``: of a plane that the tip stays on.
    """
    rows = []
    for k in range(steps):
        state = State(case, k, h, q, qd)
        tau = law(state)
        rows.append((q, qd, tau))
        push = tau - state.bias
        if f_tip is not None:
            push = push - tip_forces(state.tip, f_tip)
        qdd = np.linalg.solve(state.M, push) if normal is None else on_plane(state, push, normal)[0]
        q, qd = q + h * qd, qd + h * qdd
    return Motion(*(np.array(column) for column in zip(*rows, strict=True)))


def tip_forces(place: Place, f_tip: np.ndarray) -> np.ndarray:
    """J^T f_tip, of a wrench in the tip's axes."""
    return place.J.T @ in_base_axes(place.T, f_tip)


def in_base_axes(T: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.concatenate([T[:3, :3] @ f[:3], T[:3, :3] @ f[3:]])


def on_plane(state: State, push: np.ndarray, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(qdd, lambda) of M qdd + A^T lambda = push and A qdd + Adot qd = 0, with A = normal . J_v."""
    place, n = state.tip, len(push)
    A, drift = normal @ place.J[3:], normal @ place.Jdot_qd[3:]
    KKT = np.block([[state.M, A[:, None]], [A[None], np.zeros((1, 1))]])
    solution = np.linalg.solve(KKT, [*push, -drift])
    return solution[:n], solution[n:]


def way_to(T: np.ndarray, T_ref: np.ndarray) -> np.ndarray:
    """The rotation vector and the way from a pose to another, in base axes."""
    return np.concatenate([pin.log3(T_ref[:3, :3] @ T[:3, :3].T), T_ref[:3, 3] - T[:3, 3]])
