"""The quantities that are compared: their names, their inputs among the states, the shape of their result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.states import Array, States

Result = Array | tuple[Array, ...]


@dataclass(frozen=True)
class Function:
    """A quantity libraries can compute; ``rank`` is the number of joint axes of each of its ``results``."""

    name: str
    inputs: tuple[str, ...]
    rank: int
    results: int = 1

    def arguments(self, states: States) -> tuple[Array, ...]:
        """The arrays the function takes, out of ``states``."""
        return tuple(getattr(states, name) for name in self.inputs)

    def empty(self, count: int, size: int, dtype: type[np.floating] | np.dtype[np.floating] = np.float64) -> Result:
        """Room for the results of ``count`` states of a robot with ``size`` joints."""
        arrays = tuple(np.empty((count, *(size,) * self.rank), dtype) for _ in range(self.results))
        return arrays if self.results > 1 else arrays[0]

    def reordered(self, result: Result, have: tuple[str, ...], want: tuple[str, ...]) -> Array:
        """``result`` with its joint axes moved from the order ``have`` to the order ``want``; several results stacked.

        The shape is (count, results, n, ...).
        """
        arrays = np.stack(result if isinstance(result, tuple) else (result,), axis=1)
        columns = [have.index(name) for name in want]
        for axis in range(2, 2 + self.rank):
            arrays = arrays.take(columns, axis=axis)
        return arrays

    def largest(self, arrays: Array) -> Array:
        """The largest number of each result of each state, of what `reordered` gives: shape (count, results)."""
        return np.asarray(np.abs(arrays).max(axis=tuple(range(2, 2 + self.rank))))


FUNCTIONS = {
    function.name: function
    for function in (
        Function("inverse_dynamics", ("q", "qd", "qdd"), rank=1),
        Function("mass_matrix", ("q",), rank=2),
        Function("forward_dynamics", ("q", "qd", "tau"), rank=1),
        Function("bias_forces", ("q", "qd"), rank=1),
        Function("coriolis_matrix", ("q", "qd"), rank=2),
        Function("inverse_dynamics_derivatives", ("q", "qd", "qdd"), rank=2, results=3),  # to q, qd, qdd
        Function("forward_dynamics_derivatives", ("q", "qd", "tau"), rank=2, results=3),  # to q, qd, tau
    )
}
