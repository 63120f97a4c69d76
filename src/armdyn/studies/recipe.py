"""`Recipe`: the work of every run of a study, for a worker that has the samples. It is pickled."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.declaration import Function
from armdyn.functions.rolled import RolloutResults
from armdyn.functions.unfinished import RolloutInterrupted
from armdyn.robot import Robot
from armdyn.simulation import ClosedLoop
from armdyn.simulation.elements.parts import Parts
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep
from armdyn.simulation.unfinished import SimulationInterrupted
from armdyn.spatial.rotations import Array
from armdyn.studies.adaptive_runs import roll
from armdyn.studies.errors import StudyError

Report = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Runs:
    """Some runs of a study, the argument of a summary.

    Args:
        robot: the robot as described, without variations.
        number: of each run, shape (runs).
        inputs: the inputs by name: samples of shape (runs, *shape), others of shape (*shape).
        final: the state after the last step, each array of shape (runs, *shape), by name.
        rows: the records, each array of shape (rows, runs, *shape), by name.
        over_time: the names of the inputs that have an axis of time before all others.
    """

    robot: Robot
    number: Array
    inputs: Mapping[str, Array]
    final: Any
    rows: Any
    over_time: tuple[str, ...] = ()


Summary = Callable[[Runs], ArrayLike]


@dataclass(frozen=True, eq=False)
class Recipe:
    """A closed loop, the common inputs of all runs, and the outputs of each."""

    robot: Robot
    controller: Function | None
    method: FixedStep | Adaptive | None
    over_time: tuple[str, ...]
    record: tuple[str, ...]
    parameters: tuple[str, ...]
    running_cost: Function | None
    energy: bool
    elements: Parts
    inputs: Mapping[str, Array]
    steps: int
    every: int
    keep_records: bool
    summaries: Mapping[str, Summary]
    require_traced: bool = False

    def loop(self) -> ClosedLoop:
        """The loop, not yet compiled; of an adaptive method that with the same inputs."""
        loop = ClosedLoop(
            self.robot,
            self.controller,
            method=None if isinstance(self.method, Adaptive) else self.method,
            over_time=self.over_time,
            record=self.record,
            parameters=self.parameters,
            running_cost=self.running_cost,
            energy=self.energy,
            elements=(*self.elements.settings, *self.elements.own),
            require_traced=self.require_traced,
        )
        loop.rollout.warns = False  # `armdyn.study` does, once for all runs
        return loop

    def switched(self, loop: ClosedLoop) -> dict[str, Any]:
        """The switches of brakes as an input of a loop, if there are any or if its controller switches none."""
        switches = self.elements.switches
        return {"brakes": switches} if "brakes" in loop.inputs or any(switches.values()) else {}

    def compute(
        self,
        loop: ClosedLoop,
        numbers: range,
        values: Mapping[str, Array],
        *,
        workers: int | None = None,
        report: Report | None = None,
    ) -> dict[str, Array]:
        """The results of some runs by name, each of shape (runs, *shape).

        Args:
            loop: of `loop`.
            numbers: of the runs.
            values: their samples.
            workers: the number of threads that share them.
            report: called with the fraction that is done.
        """
        arguments = {**self.inputs, **values}
        switched = self.switched(loop)
        try:
            with np.errstate(all="ignore"):  # a run that diverges ends in NaN, and the others go on
                if isinstance(self.method, Adaptive):
                    rolled = self._adaptive(loop, self.method, len(numbers), arguments, report)
                else:
                    rolled = loop(
                        **arguments,  # type: ignore[arg-type]
                        **switched,
                        steps=self.steps,
                        every=self.every,
                        workers=workers,
                        report=report,
                    )
        except (RolloutInterrupted, SimulationInterrupted) as interrupt:
            text = f"the study of {self.robot.name!r} was interrupted in runs {numbers[0]:,} to {numbers[-1]:,}"
            raise KeyboardInterrupt(text) from interrupt
        except Exception as error:
            error.add_note(f"while runs {numbers[0]} to {numbers[-1]} were computed; arm (0,) is run {numbers[0]}")
            raise
        seen = Runs(
            self.robot, np.arange(numbers.start, numbers.stop), arguments, rolled.final, rolled.rows, self.over_time
        )
        results = {"run": seen.number, **values}
        results |= {f"final.{name}": value for name, value in rolled.final._asdict().items()}
        if self.keep_records:
            results |= {f"rows.{name}": np.moveaxis(value, 0, 1) for name, value in rolled.rows._asdict().items()}
        return results | {name: self._summary(name, seen) for name in self.summaries}

    def _adaptive(
        self, loop: ClosedLoop, method: Adaptive, runs: int, arguments: Mapping[str, Any], report: Report | None
    ) -> RolloutResults:
        """The results at the times of the steps of a loop, by the adaptive method between them."""
        h = float(arguments.get("h", loop.method.step))
        times = h * np.array([*range(0, self.steps, self.every), self.steps])
        heard = report or (lambda fraction: None)
        options = {"record": self.record, "times": times, "report": heard}
        return roll(self.robot, method, runs, arguments, self.parameters, **options)  # type: ignore[arg-type]

    def _summary(self, name: str, seen: Runs) -> Array:
        try:
            value = np.asarray(self.summaries[name](seen))
        except Exception as error:
            error.add_note(f"while the summary {name!r} of runs {seen.number[0]} to {seen.number[-1]} was computed")
            raise
        if value.dtype.kind not in "biuf":
            raise StudyError(f"summary {name!r} holds {value.dtype}; expected real numbers")
        if not value.ndim or len(value) != len(seen.number) or not value.size:
            raise StudyError(
                f"summary {name!r} has shape {value.shape} for {len(seen.number)} runs; expected a value for each: "
                f"({len(seen.number)}, ...). What is recorded has shape (rows, runs, ...)"
            )
        kinds = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
        return value.astype(kinds[value.dtype.kind])


def digest_of_function(function: Callable[..., object]) -> str:
    """A digest of a function's source, or of its bytecode if there is no source; without the functions it calls."""
    code = getattr(function, "__code__", None)
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = repr(function) if code is None else repr((code.co_code, code.co_names, str(code.co_consts)))
    return hashlib.sha256(text.encode()).hexdigest()
