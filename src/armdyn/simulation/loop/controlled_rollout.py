"""The rollout of a closed loop: compiled, or with its controller in Python if that cannot be traced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from armdyn.algorithms.elements import without_states
from armdyn.base.errors import warn_outside
from armdyn.declaration import Function
from armdyn.functions import CompiledRollout
from armdyn.functions.locating import UntraceableLine
from armdyn.functions.not_finite import DivergedStates
from armdyn.functions.pickling import require_picklable
from armdyn.functions.rollout_runs import Arrays, Batch, RolloutKernel
from armdyn.functions.unfinished import KEPT
from armdyn.functions.variants import array_names
from armdyn.program import Rollout
from armdyn.robot import Robot
from armdyn.simulation.divergence import fastest, moves_no_inertia
from armdyn.simulation.errors import UntracedControllerWarning
from armdyn.simulation.loop.controller import UNTRACED, Controller, singular_task, warn_of_negative_gains
from armdyn.simulation.loop.python_loop import PythonLoop
from armdyn.spatial.rotations import Array

PUSHES = ("stop_force", "contact_force")
"""Results of a step that its controller does not compute."""

RUNS_AWAY = 1e6
"""rad/s or m/s: a motion in which a joint is faster than this does so before its controller gives NaN."""


class ControlledRollout(CompiledRollout):
    """A `CompiledRollout` of one step of an arm under its controller.

    Args:
        robot: the robot that moves.
        step: one step under the controller.
        controller: computes tau; None if tau is an input.
        motion: one step whose tau is an input.
        over_time: inputs with an axis of time.
        record: names of the quantities kept over time.
        parameters: of the model, that become inputs.
        require_traced: true if the controller may not run in Python.
    """

    def __init__(
        self,
        robot: Robot,
        step: Function,
        controller: Controller | None,
        motion: Function,
        *,
        over_time: Iterable[str] = (),
        record: Iterable[str] = (),
        parameters: Iterable[str] = (),
        require_traced: bool = False,
    ) -> None:
        super().__init__(robot, step, over_time=over_time, record=record, parameters=parameters)
        self.robot, self.controller, self.motion = robot, controller, motion
        self.require_traced = require_traced
        self._moves = CompiledRollout(robot, motion, parameters=self.parameters)
        self._moves.warns = False
        self._untraced: dict[tuple[str, ...], str] = {}  # reasons, by the names of the given arrays
        self._has_warned = False

    def shapes(self, *, optional_inputs: Iterable[str] = ()) -> dict[str, tuple[int, ...]]:
        """The shapes of the arguments and results of a step, by name; those of ``optional_inputs`` count."""
        return self._shapes(array_names(self._inputs, optional_inputs))

    def traced(self, *, optional_inputs: Iterable[str] = ()) -> Rollout | str:
        """The program of the rollout; for a controller that runs in Python, the reason it cannot be traced."""
        names = array_names(self._inputs, optional_inputs)
        try:
            return self._rollout(names, self.record)
        except UntraceableLine as error:
            return self._keep_why(names, error)

    def motion_program(self, *, optional_inputs: Iterable[str] = ()) -> Rollout:
        """The rollout under a tau that is an input, which is compiled if the controller runs in Python."""
        return self._moves.program(optional_inputs=optional_inputs)

    @property
    def held_state(self) -> tuple[str, ...]:
        """Names of the states that move during a step, those of the controller apart."""
        return tuple(name for name in self._moves.state if name in self.state)

    @property
    def held_arguments(self) -> tuple[str, ...]:
        """Names of the arguments of a step under joint forces that are held, without its length."""
        return tuple(name for name in self._moves._inputs.positional if name != "h")

    def moved(self, **values: Any) -> dict[str, Array]:
        """The state after one step under joint forces that are held, without the controller, by name.

        Args:
            values: h and `held_arguments` by name, those that are optional as far as given, each of shape
                (..., *shape).
        """
        later: dict[str, Array] = self._moves(**values, steps=1).final._asdict()
        return later

    def _keep_why(self, names: tuple[str, ...], error: UntraceableLine) -> str:
        """Keep and return the reason a controller cannot be traced; raises an error if it must be."""
        if self.require_traced:
            raise error
        self._untraced[names] = str(error).removesuffix(f". {UNTRACED}")
        return self._untraced[names]

    def _flat(self, given: Mapping[str, Any], steps: int, workers: int | None) -> tuple[Batch, Arrays]:
        """Also warns of gains below zero."""
        batch, values = super()._flat(given, steps, workers)
        if self.controller is not None:
            warn_of_negative_gains(self.robot.joint_names, self.controller.function, values)
        return batch, values

    def _called(self, names: tuple[str, ...]) -> RolloutKernel:
        """The compiled loop, or one in Python."""
        if names not in self._untraced:
            try:
                return super()._called(names)
            except UntraceableLine as error:
                self._keep_why(names, error)
        return self._in_python(names, self._untraced[names])  # type: ignore[return-value]

    def _in_python(self, names: tuple[str, ...], why: str) -> PythonLoop:
        """The loop whose controller runs in Python."""
        moves = self._moves
        controller: Any = self.controller
        own = tuple(name for name in moves._inputs.positional if name in {*names, *controller.results})
        pushes = tuple(name for name in self.record if name in PUSHES)
        return PythonLoop(
            controller=controller,
            mechanism=without_states(self.robot.mechanism),
            motion=moves._loop(own, pushes),
            motion_shapes=moves._shapes(own),
            parameters=self.parameters,
            over_time=frozenset(self.over_time),
            state=self.state,
            recorded=self.record,
            of_motion=pushes,
            began=partial(self._warn, why),
            why=why,
        )

    def _warn(self, why: str) -> None:
        """Warn, once, that the controller runs in Python."""
        if self.warns and not self._has_warned:
            self._has_warned = True
            warn_of_python(why, "ClosedLoop")

    def _said_of(self, lost: DivergedStates) -> str:
        """A text with the time, and the joint that was the fastest before, or the quantity that is not finite."""
        which = f"{lost.number} of {lost.states} arms, the first of them {lost.place}," if lost.place else "the motion"
        how = "; ".join([self.way_of(lost), "armdyn.control.require_finite makes this an error"])
        return f"{which} of {self.robot.name!r} ended in NaN or infinity, {how}"

    def _said_of_interrupt(self, batch: Batch, done: int, steps: int) -> str:
        """A text with the number of steps made by all arms."""
        of_each = f" of each of {batch.states:,} arms" if batch.shape else ""
        return f"the motion of {self.robot.name!r} was interrupted after {done:,} of {steps:,} steps{of_each}. {KEPT}"

    def way_of(self, lost: DivergedStates) -> str:
        """A text with the time at which the first arm diverged, the cause, and the remedy."""
        t0 = float(np.ravel(lost.arguments["t"])[0]) if "t" in lost.arguments and lost.arguments["t"].size else 0.0
        h = lost.arguments["h"]
        t = t0 + float(np.sum(np.broadcast_to(h, (lost.step,)) if h.ndim == 0 else h[: lost.step]))
        wrong = [name for name, array in lost.arguments.items() if not np.isfinite(array).all()]
        if wrong:
            how = f"{', '.join(wrong)} that it was given is not finite. Give finite numbers"
        elif not {"q", "qd"}.intersection(lost.names):
            task = self._singular_task(lost.before["q"])
            remedy = f"Here {task}" if task else "Look at what computes it"
            how = f"{', '.join(lost.names)} is not finite, q and qd are. {remedy}"
        else:
            q = lost.before["q"]
            without = moves_no_inertia(self.robot, q).removesuffix(".") or self._singular_task(q)
            of_torque = np.isnan(lost.before.get("tau", 0.0)).any() and np.abs(lost.before["qd"]).max() < RUNS_AWAY
            remedy = "Look at what computes tau" if of_torque else "Use a shorter step or lower gains"
            how = without or f"{self._last_of(lost)}. {remedy}"
        return f"at t = {t:g} s, after step {lost.step}: {how}"

    def _singular_task(self, q: Array) -> str:
        """The reason the controller's task is singular at q; empty if it is regular, or the controller has no task."""
        return "" if self.controller is None else singular_task(self.robot, self.controller.function, q)

    def _last_of(self, lost: DivergedStates) -> str:
        """A text with the fastest joint before, and a torque that was not finite, if torques are known."""
        tau = lost.before.get("tau", np.zeros(self.robot.dof))
        wrong = [
            f"tau of joint {n!r} is {x}" for n, x in zip(self.robot.joint_names, tau, strict=True) if not np.isfinite(x)
        ]
        return ", and ".join([fastest(self.robot, lost.before["qd"]), *wrong[:1]])

    def __reduce__(self) -> tuple[Any, ...]:
        for function in (self.controller.function if self.controller else None, self.function):
            require_picklable(function)
        settings: dict[str, Any] = {"over_time": self.over_time, "record": self.record, "parameters": self.parameters}
        settings["require_traced"] = self.require_traced
        return partial(ControlledRollout, self.robot, self.function, self.controller, self.motion, **settings), ()


def warn_of_python(why: str, caller: str) -> None:
    """Warn that a controller runs in Python, with the reason and the setting that makes it an error."""
    warn_outside(
        f"{why}. So it runs in Python, once a step for each arm, between compiled steps: slower, and without "
        f"derivatives and exports. {caller}(..., require_traced=True) makes this an error",
        UntracedControllerWarning,
    )
