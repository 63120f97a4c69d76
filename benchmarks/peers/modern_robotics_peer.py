"""The code of the book Modern Robotics, fed with the lists it asks for; serial arms only."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.cases import Case
from benchmarks.functions import Function
from benchmarks.peers.peer import Batch, Peer, Single, UnavailableError
from benchmarks.states import Array, States

GRAVITY = [0.0, 0.0, -9.81]


class ModernRoboticsPeer(Peer):
    """``modern_robotics.InverseDynamics`` and its like, with Mlist, Glist and Slist made from Pinocchio's model."""

    name = "modern_robotics"
    batch_limit = 50

    def __init__(self, case: Case) -> None:
        import modern_robotics
        import pinocchio

        self.book = modern_robotics
        model = pinocchio.buildModelFromUrdf(str(case.urdf))
        self.joint_names = tuple(model.names)[1:]
        if list(model.parents)[1:] != list(range(model.nv)) or model.nq != model.nv:
            raise UnavailableError("serial arms only")
        data = model.createData()
        pinocchio.forwardKinematics(model, data, np.zeros(model.nv))
        jacobian = pinocchio.computeJointJacobians(model, data, np.zeros(model.nv))
        centres = [np.eye(4)]
        self.glist: list[Array] = []
        for pose, inertia in zip(list(data.oMi)[1:], list(model.inertias)[1:], strict=True):
            centres.append(pose.homogeneous @ pinocchio.SE3(np.eye(3), inertia.lever).homogeneous)
            spatial = np.zeros((6, 6))
            spatial[:3, :3] = inertia.inertia
            spatial[3:, 3:] = inertia.mass * np.eye(3)
            self.glist.append(spatial)
        centres.append(centres[-1])
        self.mlist = [np.linalg.inv(a) @ b for a, b in pairwise(centres)]
        self.slist = np.vstack([jacobian[3:], jacobian[:3]])  # angular part first

    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """A loop over the rows."""
        call, arguments = self._call(function), function.arguments(states)
        if call is None:
            return {}
        return {"": lambda: np.array([call(*row) for row in zip(*arguments, strict=True)])}

    def single(self, function: Function, state: States) -> Single:
        """The plain call."""
        call = self._call(function)
        if call is None:
            raise UnavailableError(f"{self.name} has no {function.name}")
        arguments = tuple(values[0].copy() for values in function.arguments(state))
        return lambda: call(*arguments)

    def _call(self, function: Function) -> Callable[..., Array] | None:
        book, arm, tip = self.book, (self.mlist, self.glist, self.slist), [0.0] * 6
        calls: dict[str, Callable[..., Array]] = {
            "inverse_dynamics": lambda q, qd, qdd: book.InverseDynamics(q, qd, qdd, GRAVITY, tip, *arm),
            "mass_matrix": lambda q: book.MassMatrix(q, *arm),
            "forward_dynamics": lambda q, qd, tau: book.ForwardDynamics(q, qd, tau, GRAVITY, tip, *arm),
            "bias_forces": lambda q, qd: book.InverseDynamics(q, qd, 0 * q, GRAVITY, tip, *arm),
        }
        return calls.get(function.name)
