"""The quantities that are compared: their names, their inputs among the states, the shape of their result."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.states import Array, States


@dataclass(frozen=True)
class Function:
    """A quantity every library can compute; ``rank`` is the number of joint axes of its result."""

    name: str
    inputs: tuple[str, ...]
    rank: int

    def arguments(self, states: States) -> tuple[Array, ...]:
        """The arrays the function takes, out of ``states``."""
        return tuple(getattr(states, name) for name in self.inputs)

    def result_shape(self, count: int, size: int) -> tuple[int, ...]:
        """The shape of the result for ``count`` states of a robot with ``size`` joints."""
        return (count, *(size,) * self.rank)

    def reordered(self, result: Array, have: tuple[str, ...], want: tuple[str, ...]) -> Array:
        """``result`` with its joint axes moved from the order ``have`` to the order ``want``."""
        columns = [have.index(name) for name in want]
        for axis in range(1, 1 + self.rank):
            result = result.take(columns, axis=axis)
        return result


FUNCTIONS = {
    function.name: function
    for function in (
        Function("inverse_dynamics", ("q", "qd", "qdd"), rank=1),
        Function("mass_matrix", ("q",), rank=2),
        Function("forward_dynamics", ("q", "qd", "tau"), rank=1),
        Function("bias_forces", ("q", "qd"), rank=1),
    )
}
