"""A study: samples, the work of each run, and the division of the runs into chunks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

import numpy as np

from armdyn.base.checks import joint_array, number, switch, whole_number
from armdyn.base.errors import ShapeError
from armdyn.base.fields import set_fields
from armdyn.base.memory import memory
from armdyn.declaration import Function
from armdyn.functions.not_finite import DivergedStates
from armdyn.model.possible import check_possible
from armdyn.program import Rollout
from armdyn.robot import Robot
from armdyn.simulation import ClosedLoop
from armdyn.simulation.drivers.grid import MOST_STEPS
from armdyn.simulation.elements.parts import Parts
from armdyn.simulation.methods.catalogue import (
    Adaptive,
    ConstantAcceleration,
    Euler,
    FixedStep,
    Heun,
    RungeKutta4,
    SemiImplicitEuler,
)
from armdyn.spatial.rotations import Array
from armdyn.studies.adaptive_runs import check_adaptive, check_parameters
from armdyn.studies.code_digest import digest_of_code
from armdyn.studies.errors import StudyError
from armdyn.studies.gain_kinds import with_gain_kinds
from armdyn.studies.quantities import ALWAYS_THE_SAME, Quantities
from armdyn.studies.recipe import Recipe, Summary, digest_of_function
from armdyn.studies.samples import StudySamples, check_runs, digest_of, samples_of

CHUNKS, FEWEST_RUNS, MOST_IN_CHUNK = 64, 64, 1 << 14
"""Least number of chunks, unless threads would have fewer than the fewest runs; largest number of runs in a chunk."""

ONE_STEP = (Euler, SemiImplicitEuler, ConstantAcceleration, Heun, RungeKutta4)
"""Methods whose step depends on the state alone, as a closed loop needs."""

DRAWN_AT_ONCE = 1 << 16
"""Runs whose samples are checked together, before the first run."""

MOST_BYTES = 1 << 25
"""Bytes of the results of a chunk, above which it has fewer runs."""


@dataclass(frozen=True, eq=False)
class Study:
    """A checked study.

    Args:
        recipe: what is done with each run.
        samples: what varies, by the names of the loop.
        chunk: how many runs are computed together; None: as many as suit their number and size.
    """

    recipe: Recipe
    samples: StudySamples
    chunk: int | None
    loop: ClosedLoop = field(init=False)
    traced: Rollout | str = field(init=False)

    def __post_init__(self) -> None:
        loop = self.recipe.loop()
        set_fields(self, loop=loop)
        set_fields(
            self, traced=loop.rollout.traced(optional_inputs=self._inputs_with_values)
        )  # of the inputs that the loop has
        check_runs(self.runs)
        self._check()
        if self.chunk is not None:
            whole_number("chunk", self.chunk, least=1, error=StudyError)
        together = min(self.chunk or 1, self.runs)
        if 8.0 * together * self.run_size > memory() / 2:
            raise StudyError(
                f"{together:,} runs, computed together, would fill {8e-9 * together * self.run_size:.3g} GB of memory, "
                "more than half of what this computer has; use a smaller chunk, or record less often (every)"
            )

    @property
    def why_in_python(self) -> str | None:
        """The reason why the controller cannot be traced and runs in Python; None if it is traced."""
        return self.traced if isinstance(self.traced, str) else None

    @property
    def runs(self) -> int:
        """The number of runs."""
        return self.samples.runs

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of one value of each quantity, by name."""
        shapes = self.loop.rollout.shapes(optional_inputs=self._inputs_with_values)
        result = {name: shapes[name] for name in (*self.loop.state, *self.loop.inputs, "h", "t") if name in shapes}
        return {"q0": result.pop("q"), "qd0": result.pop("qd"), **result}

    def usual_chunk(self, threads: int, *, shared: bool) -> int:
        """The default number of runs computed together.

        Args:
            threads: the number of threads for the study.
            shared: True if all threads compute one chunk, each some of its runs; else each has a chunk of its own.
        """
        in_python = self.why_in_python is not None  # no threads share it, and what a chunk keeps is long in coming
        fewest = 1 if in_python else FEWEST_RUNS * (4 * threads if shared else 1)
        chunks = max(CHUNKS, 1 if shared else 4 * threads)
        largest = max(MOST_BYTES // (8 * self.run_size), 1)
        return min(max(-(-self.runs // chunks), fewest), MOST_IN_CHUNK, largest, self.runs)

    @property
    def run_size(self) -> int:
        """The number of values of a run: its state and its records."""
        sizes = {name: math.prod(shape) for name, shape in self.loop.rollout.shapes().items()}
        rows = -(-self.recipe.steps // self.recipe.every)
        return sum(sizes[name] for name in self.loop.state) + rows * sum(sizes[name] for name in self.recipe.record)

    def numbers(self, k: int, chunk: int) -> range:
        """The runs of a chunk."""
        return range(k * chunk, min((k + 1) * chunk, self.runs))

    def values(self, numbers: range) -> dict[str, Array]:
        """The samples of some runs."""
        return self.samples.of(numbers, self.shapes)

    def way_of_lost(self, run: int) -> str:
        """The time and kind of a run's divergence, found by running it again, and the remedy."""
        heard: list[DivergedStates] = []
        rollout, recipe = self.loop.rollout, self.recipe
        if isinstance(recipe.method, Adaptive):
            return f"{recipe.method} could not continue it, see max_steps and the initial state of that run"
        one = {name: array[0] for name, array in self.values(range(run, run + 1)).items()}
        rollout.hears = heard.append
        try:
            with np.errstate(all="ignore"):
                self.loop(**{**recipe.inputs, **one}, **recipe.switched(self.loop), steps=recipe.steps)
        finally:
            rollout.hears = None
        return "; ".join(map(rollout.way_of, heard)) or "alone, it does not"

    @property
    def identity(self) -> dict[str, object]:
        """The arguments that identify a study, by name: numbers, or digests of longer ones."""
        recipe = self.recipe
        summaries = {name: digest_of_function(function) for name, function in recipe.summaries.items()}
        return {
            "robot": recipe.robot.model.digest,
            "loop": self._digest_of_loop(),
            "samples": self.samples.digest,
            "runs": self.runs,
            "inputs": digest_of("inputs", {name: np.asarray(value) for name, value in recipe.inputs.items()}),
            "step": self.loop.method.step,
            **({"method": str(recipe.method)} if isinstance(recipe.method, Adaptive) else {}),
            "steps": recipe.steps,
            "every": recipe.every,
            "record": list(recipe.record) if recipe.keep_records else [],
            "summaries": hashlib.sha256(repr(sorted(summaries.items())).encode()).hexdigest(),
            **({"brakes": digest_of("brakes", self.switched)} if self.switched else {}),
        }

    def _digest_of_loop(self) -> str:
        """A fingerprint of the compiled loop; and of the code of a controller that runs in Python."""
        if isinstance(self.traced, Rollout):
            return self.traced.digest
        motion = self.loop.rollout.motion_program(optional_inputs=self._inputs_with_values).digest
        return hashlib.sha256(f"{motion} {digest_of_code(self.recipe.controller)}".encode()).hexdigest()

    @property
    def _inputs_with_values(self) -> list[str]:
        """The optional inputs of the study that have a value."""
        controller = self.loop.controller
        optional = {"f_tip"} if controller is None else {"f_tip", *controller.optional}
        return sorted(optional.intersection((*self.samples.names, *self.recipe.inputs)))

    @property
    def switched(self) -> dict[str, Array]:
        """The table of brakes over time that all runs share, by name; empty if no input switches any."""
        recipe, values = self.recipe, self.recipe.inputs
        brakes = recipe.switched(self.loop)
        if not brakes:
            return {}
        h, t0 = float(values.get("h", self.loop.method.step)), float(values.get("t0", 0.0))
        return {name: np.asarray(self.loop.brakes.over_time(one, t0, h, recipe.steps)) for name, one in brakes.items()}

    def _check(self) -> None:
        _ = self.switched  # or the error about them
        shapes, recipe = self.shapes, self.recipe
        if "heat" in {*self.samples.names, *recipe.inputs} and "heat" not in shapes:
            raise StudyError(f"heat is given, but no joint of {recipe.robot.name!r} rubs here; leave it out")
        for name in self.samples.names:
            if name in recipe.inputs:
                raise StudyError(f"{name!r} is in samples and in inputs; expected one of them")
            if name in recipe.over_time:
                raise StudyError(f"{name!r} is an input over time, which all runs share; give it in inputs")
        self.samples.check(shapes)
        self._check_parameters()
        for name, value in recipe.inputs.items():
            expected = () if name in ALWAYS_THE_SAME else shapes[name]
            expected = (recipe.steps, *expected) if name in recipe.over_time else expected
            if np.shape(value) != expected:
                raise ShapeError(f"{name} has shape {np.shape(value)}; expected {expected}, the same for all runs")
        choices = {*self.samples.names, *recipe.inputs}
        states = {*self.loop.state, "q0", "qd0", "h", "t", "brakes"}
        left_out = set() if self.loop.controller is None else {*self.loop.controller.zeros}
        missing = [name for name in shapes if name not in choices | states | left_out]
        if missing:
            raise StudyError(
                f"the loop of {recipe.robot.name!r} needs {', '.join(missing)} too: a value for all runs in inputs, or "
                "one for each in samples"
            )
        reserved = {"run", *self.samples.names, *(f"final.{name}" for name in states)}
        for name in recipe.summaries:
            if name in reserved or name.startswith(("final.", "rows.")):
                raise StudyError(f"a summary is called {name!r}, as another result is; rename it")

    def _check_parameters(self) -> None:
        """Refuse impossible parameters of the robot before the first run; random numbers are drawn as for the runs."""
        names = self.recipe.parameters
        check_possible({name: v for name, v in self.recipe.inputs.items() if name in names}, error=StudyError)
        if not set(names).intersection(self.samples.names):
            return
        for first in range(0, self.runs, DRAWN_AT_ONCE):
            values = self.values(range(first, min(first + DRAWN_AT_ONCE, self.runs)))

            def run(index: tuple[int, ...], first: int = first) -> str:
                return f" of run {first + index[0]}"

            check_possible({name: v for name, v in values.items() if name in names}, run, StudyError)


def defined(
    robot: Robot,
    samples: object,
    controller: Function | None,
    *,
    steps: int,
    inputs: Mapping[str, object] | None,
    method: FixedStep | Adaptive | None,
    over_time: Iterable[str],
    record: Iterable[str],
    every: int,
    keep_records: bool,
    summaries: Mapping[str, Summary] | None,
    running_cost: Function | None,
    energy: bool,
    elements: Sequence[object],
    chunk: int | None,
    require_traced: bool,
) -> Study:
    """The study that the arguments of `armdyn.study` describe, checked."""
    if method is not None and not isinstance(method, (*ONE_STEP, Adaptive)):
        text = ", ".join(kind.__name__ for kind in (*ONE_STEP, Adaptive))
        raise StudyError(f"method={method!r}; expected one of {text}, such as Euler(step=1e-3)")
    quantities = Quantities.of(robot, controller, running_cost=running_cost is not None, energy=energy)
    varied = samples_of(samples).renamed(lambda values: quantities.named(values, where="samples"))
    same = quantities.named(inputs or {}, where="inputs", also=ALWAYS_THE_SAME)
    if not {"q0"} & {*same, *varied.names}:
        same["q0"] = np.zeros(robot.dof)
    if controller is None and not {"tau"} & {*same, *varied.names}:
        same["tau"] = np.zeros(robot.dof)
    for name in ALWAYS_THE_SAME:
        if name in same:
            same[name] = number(name, same[name], above=0.0 if name == "h" else -math.inf, unit="s", error=StudyError)
    if controller is not None:
        controller = _with_gains(controller, robot, same, varied, _names("over_time", over_time))
    if isinstance(method, Adaptive):
        fixed = {
            "controller": controller is not None,
            "over_time": bool(over_time),
            "elements": Parts.of(elements) != Parts(),
        }
        fixed |= {"running_cost": running_cost is not None, "energy": bool(energy)}
        check_adaptive(robot, method, fixed, _signals("record", record))
        check_parameters(robot, method, quantities.parameters([*varied.names, *same]))
    recipe = Recipe(
        robot=robot,
        controller=controller,
        method=method,
        over_time=_names("over_time", over_time),
        record=_signals("record", record),
        parameters=quantities.parameters([*varied.names, *same]),
        running_cost=running_cost,
        energy=switch("energy", energy, error=StudyError),
        elements=Parts.of(elements),
        inputs={
            name: v if name in ALWAYS_THE_SAME else joint_array(robot, name, v, finite=StudyError)
            for name, v in same.items()
        },
        steps=whole_number("steps", steps, least=1, most=MOST_STEPS, error=StudyError),
        every=whole_number("every", every, least=1, most=MOST_STEPS, error=StudyError),
        keep_records=switch("keep_records", keep_records, error=StudyError),
        summaries=_checked_summaries(summaries),
        require_traced=switch("require_traced", require_traced, error=StudyError),
    )
    return Study(recipe, varied, chunk)


def _with_gains(
    controller: Function, robot: Robot, same: Mapping[str, Any], varied: StudySamples, over_time: Iterable[str]
) -> Function:
    """The controller with gains of the kinds of the values."""
    values = {name: (value, int(name in over_time)) for name, value in same.items()}
    values |= {name: (np.empty(shape), 0) for name in varied.names if (shape := varied.shape_of(name)) is not None}
    return with_gain_kinds(controller, robot, values, numbers=True)


def _names(meaning: str, names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise StudyError(f"{meaning}={names!r}; expected several names, such as {meaning}=[{names!r}]")
    result = tuple(names)
    repeated = [name for k, name in enumerate(result) if name in result[:k]]
    if repeated:
        raise StudyError(f"{meaning} names {repeated[0]!r} twice; expected each name once")
    return result


def _signals(meaning: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names of states and signals, each the name of a field of the results."""
    result = _names(meaning, names)
    for name in result:
        if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
            raise StudyError(f"{meaning} names {name!r}; expected states and signals of the loop, such as 'q'")
    return result


def _checked_summaries(summaries: Mapping[str, Summary] | None) -> dict[str, Summary]:
    result = dict(summaries or {})
    for name, function in result.items():
        if not isinstance(name, str) or not callable(function):
            raise StudyError(f"summary {name!r} is {function!r}; expected a function of some runs, such as a def")
    return result
