"""`WasmInterface`: arguments and results of a module's function, for its users and for the JavaScript that calls it."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout


@dataclass(frozen=True)
class WasmInterface:
    """The arguments and results of a function of a module.

    Args:
        name: the name of the function.
        inputs: its arrays, in order.
        outputs: its results; those of a rollout are its records.
        operations: the operation counts of one state, or of one step.
        carried: the inputs of a rollout that hold its state, and its last state afterwards; None for a program.
        stepwise: the inputs of a rollout that have a row for each step.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: str
    carried: tuple[str, ...] | None = None
    stepwise: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, one: Program | Rollout) -> WasmInterface:
        """The interface of a program or a rollout."""
        if isinstance(one, Program):
            return cls(name, one.inputs, one.outputs, str(one.op_counts))
        carried = tuple(port.name for port in one.state)
        return cls(name, one.inputs, one.records, str(one.op_counts), carried, one.stepwise)

    def described(self) -> dict[str, object]:
        """The interface as an object for JSON."""
        result: dict[str, object] = {"name": self.name, "operations": self.operations}
        result["inputs"] = [{"name": port.name, "shape": port.shape} for port in self.inputs]
        result["outputs"] = [{"name": port.name, "shape": port.shape} for port in self.outputs]
        if self.carried is not None:
            result |= {"carried": self.carried, "stepwise": self.stepwise}
        return result

    def __str__(self) -> str:
        text = ", ".join(port.name for port in self.inputs)
        results = ", ".join(port.name for port in self.outputs) or "state"
        return f"{self.name}({text}) -> {results}"
