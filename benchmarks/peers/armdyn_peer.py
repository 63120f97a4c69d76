"""armdyn: one call for all states, writing into a given array as the compiled peers do."""

from __future__ import annotations

from benchmarks.cases import Case
from benchmarks.functions import Function
from benchmarks.peers.peer import Batch, Peer, Single
from benchmarks.states import States


class ArmdynPeer(Peer):
    """``robot.inverse_dynamics(q, qd, qdd, out=...)`` and its like."""

    name = "armdyn"

    def __init__(self, case: Case) -> None:
        import armdyn

        self.robot = armdyn.Robot.from_urdf(case.urdf)
        self.joint_names = tuple(self.robot.joint_names)

    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """One call with the whole batch."""
        method, arguments = getattr(self.robot, function.name), function.arguments(states)
        out = function.empty(len(states), len(self.joint_names), states.q.dtype)
        return {"": lambda: method(*arguments, out=out)}

    def single(self, function: Function, state: States) -> Single:
        """The plain call."""
        method = getattr(self.robot, function.name)
        arguments = tuple(values[0].copy() for values in function.arguments(state))
        return lambda: method(*arguments)


class ArmdynAllocatingPeer(ArmdynPeer):
    """The same without ``out=``: the result is a new array at every call."""

    name = "armdyn, new array"

    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """One call with the whole batch."""
        method, arguments = getattr(self.robot, function.name), function.arguments(states)
        return {"": lambda: method(*arguments)}
