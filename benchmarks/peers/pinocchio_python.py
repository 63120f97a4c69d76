"""Pinocchio from Python: a loop over the states with Model and Data made beforehand."""

from __future__ import annotations

from benchmarks.cases import Case
from benchmarks.functions import Function, Result
from benchmarks.peers.peer import Batch, Peer, Single, UnavailableError
from benchmarks.states import States

CALLS = {
    "inverse_dynamics": "rnea",
    "mass_matrix": "crba",
    "forward_dynamics": "aba",
    "bias_forces": "nle",
    "coriolis_matrix": "computeCoriolisMatrix",
    "inverse_dynamics_derivatives": "computeRNEADerivatives",
    "forward_dynamics_derivatives": "computeABADerivatives",
}


class PinocchioPythonPeer(Peer):
    """``pinocchio.rnea(model, data, q, v, a)`` and its like."""

    name = "Pinocchio, Python"
    batch_limit = 20_000

    def __init__(self, case: Case) -> None:
        import pinocchio

        self.pinocchio = pinocchio
        self.model = pinocchio.buildModelFromUrdf(str(case.urdf))
        if self.model.nq != self.model.nv:
            raise UnavailableError("a continuous joint has two coordinates in Pinocchio")
        self.data = self.model.createData()
        self.joint_names = tuple(self.model.names)[1:]

    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """A loop over the rows, results kept in one array."""
        call, model, data = getattr(self.pinocchio, CALLS[function.name]), self.model, self.data
        arguments = function.arguments(states)
        out = function.empty(len(states), model.nv)
        places = out if isinstance(out, tuple) else (out,)

        def run() -> Result:
            for i, row in enumerate(zip(*arguments, strict=True)):
                result = call(model, data, *row)
                for place, part in zip(places, result if isinstance(result, tuple) else (result,), strict=True):
                    place[i] = part
            return out

        return {"": run}

    def single(self, function: Function, state: States) -> Single:
        """The plain call."""
        call, model, data = getattr(self.pinocchio, CALLS[function.name]), self.model, self.data
        arguments = tuple(values[0].copy() for values in function.arguments(state))
        return lambda: call(model, data, *arguments)
