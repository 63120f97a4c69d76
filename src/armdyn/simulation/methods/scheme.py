"""An integration formula with steps of one length, and its number of evaluations, memory and start: a `Scheme`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from armdyn.declaration import Shape, in_numbers
from armdyn.simulation.methods.formulas import Formula, State
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Scheme:
    """An integration method with steps of one length.

    Args:
        name: of its steps, "euler".
        formula: of a step.
        evaluations: of the equations of motion in a step.
        memory: names and shapes of further arrays that a step takes and returns; they are zero at t = 0.
        starter: makes the first steps of a formula that needs a past, with the same memory; those after a jump of a
            force, because rates of the past do not belong to the motion after it; and steps of another length.
        starting_steps: the number of consecutive steps of the starter.
        constrained: true if it keeps a robot's constraints.
    """

    name: str
    formula: Formula
    evaluations: int
    memory: Mapping[str, Shape] = field(default_factory=dict)
    starter: Scheme | None = None
    starting_steps: int = 0
    constrained: bool = True

    @property
    def once(self) -> bool:
        """True if it evaluates the forces at the beginning of the step only."""
        return self.evaluations == 1

    def start(self, q: Array, qd: Array, *bristles: Array) -> State:
        """The state at t = 0, (q, qd, W), bristles and memory: no work is done yet, and the memory is empty."""
        batch, sizes = q.shape[:-1], {"n": q.shape[-1]}
        shapes = (tuple(in_numbers(d, sizes) for d in shape) for shape in self.memory.values())
        return (q, qd, np.zeros(batch), *bristles, *(np.zeros(batch + shape) for shape in shapes))
