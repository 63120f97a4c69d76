"""The arguments of a closed loop's rollout from those of its call: defaults, times, checks; derivatives through them.

A call without theta begins with theta = q, one without thetad with thetad = qd, and rotors of rigid joints have the
positions of their links in any case; the times of the steps are t_k = t0 + k h. All of these are linear, so rates go
forward and gradients backward through them by sums (the chain rule).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.checks import array, number
from armdyn.base.errors import SettingError, UnknownName, excerpt, warn_outside
from armdyn.constraints.arguments import CLOSED
from armdyn.constraints.checks import check_motion
from armdyn.robot import Robot
from armdyn.simulation.divergence import warn_of_springs
from armdyn.simulation.elements.own import start_of_states
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.errors import StepWarning
from armdyn.simulation.loop.controlled_rollout import ControlledRollout
from armdyn.simulation.loop.controller import Controller
from armdyn.simulation.loop.friction import BRAKES, LoopBrakes
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.other_arguments import OF_SIMULATE
from armdyn.simulation.samples import ELEMENTS
from armdyn.simulation.within_constraints import check_constraints, initial_state
from armdyn.spatial.rotations import Array

ROTORS = {"theta": "q", "thetad": "qd"}
"""States of rotors, and the states of links to which they are equal at rigid joints and by default."""

TIMES = ("h", "t0")
"""The arguments from which the times of the steps follow."""


def law_of(controller: Controller | None) -> str:
    """The name of a controller function, or a text without one."""
    return "a loop without a controller" if controller is None else controller.function.name


def takes_brakes(controller: Controller | None, brakes: LoopBrakes) -> bool:
    """True if an input specifies the engaged brakes."""
    return bool(brakes) and (controller is None or BRAKES not in controller.results)


@dataclass(frozen=True, eq=False)
class CallArguments:
    """The arguments of a closed loop's calls.

    Args:
        robot: of the loop.
        rollout: of the loop.
        method: whose step is the default of h.
        brakes: that the loop engages.
        switches: of the brakes by joint, the default of their input.
        barriers: stops and contacts; None without them.
    """

    robot: Robot
    rollout: ControlledRollout
    method: FixedStep
    brakes: LoopBrakes
    switches: Mapping[str, Any]
    barriers: Barriers | None

    @property
    def controller(self) -> Controller | None:
        """The controller of the loop."""
        return self.rollout.controller

    @property
    def flexible(self) -> list[int]:
        """The places of the joints with springs."""
        return flexible_places(self.robot.model)

    @property
    def law(self) -> str:
        """The name of the controller function, or a text without one."""
        return law_of(self.controller)

    @property
    def takes_time(self) -> bool:
        """True if the controller takes the time."""
        return self.controller is not None and self.controller.uses_time

    @property
    def takes_brakes(self) -> bool:
        """True if an input specifies the engaged brakes."""
        return takes_brakes(self.controller, self.brakes)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs of a call besides the state: references, gains, parameters of the model, f_tip."""
        own = (*self.rollout.state, "h", "t")
        return tuple(name for name in self.rollout._inputs.positional if name not in own)

    def of_run(self, q0: Any, qd0: Any, inputs: dict[str, Any], steps: int) -> dict[str, Any]:
        """The arguments of a run, which warns of steps too long for springs."""
        arguments = self.of_call(q0, qd0, inputs, steps)
        if self.flexible:
            warn_of_springs(self.robot, self.method, arguments["q"], arguments["h"], steps)
        return arguments

    def of_call(self, q0: Any, qd0: Any, inputs: dict[str, Any], steps: int) -> dict[str, Any]:
        """All arguments of the rollout by name; states default to zero, and the times of the steps are computed."""
        self._check_constraints(q0, qd0)
        dtype = self.dtype(q0, qd0, inputs)
        at_rest = np.zeros(self.robot.dof, dtype)
        arguments = {"q": q0, "qd": at_rest if qd0 is None else qd0, "h": self.method.step} | inputs
        _check_step(arguments["h"])
        if self.flexible:
            for rotors, links in ROTORS.items():  # as a step has them, for the first row
                arguments[rotors] = self._of_rotors(arguments.get(rotors), arguments[links])
        self._check_time(inputs)
        t0 = number("t0", arguments.pop("t0", 0.0), unit="s", error=SettingError)
        if self.takes_brakes:
            switched = self.brakes.over_time(inputs.get(BRAKES, self.switches), t0, arguments["h"], steps)
            arguments[BRAKES] = switched.astype(dtype, copy=False) if isinstance(switched, np.ndarray) else switched
        if self.takes_time:
            self._refuse_several_steps(arguments["h"])
            h = number("h", arguments["h"], above=0.0, unit="s", error=SettingError)
            t = t0 + h * np.arange(steps)
            arguments["t"] = t.astype(dtype, copy=False)
        for name in (*self.rollout.state, *(self.controller.zeros if self.controller else ())):
            if arguments.get(name) is None:
                over_time = (steps,) if name in self.rollout.over_time else ()
                begin = start_of_states(self.robot.model) if name == ELEMENTS else 0.0
                arguments[name] = np.full((*over_time, *self.rollout.shape_of(name)), begin, dtype)
        self._refuse_missing(arguments)
        self._warn_of_rows(arguments, steps)
        return arguments

    def dtype(self, q0: Any, qd0: Any, inputs: Mapping[str, Any]) -> type[np.floating[Any]]:
        """The type of the numbers that the loop adds to those of a call."""
        return np.float64 if any(map(_needs_float64, (q0, qd0, *inputs.values()))) else np.float32

    def _warn_of_rows(self, given: Mapping[str, Any], steps: int) -> None:
        """Warn of an input whose batch has the length of the run, while the state is that of one arm."""
        if self.controller is None or np.ndim(given["q"]) > 1 or np.ndim(given["qd"]) > 1:
            return
        for name in self.controller.inputs:
            shape = np.shape(given.get(name, 0.0))
            own = 0 if name in self.controller.function.gains else len(self.rollout.shape_of(name))
            if own and name not in self.rollout.over_time and len(shape) == own + 1 and shape[0] - steps in (0, 1):
                warn_outside(
                    f"{name} of shape {shape} counts as a batch of {shape[0]} arms, and a run has {steps} steps. For a "
                    f"row a step of one arm give armdyn.ClosedLoop(..., over_time=[{name!r}]) {steps} rows",
                    StepWarning,
                )

    def _of_rotors(self, given: Any, of_links: Any) -> Any:
        """Positions or velocities of the rotors: those of the links at rigid joints, and if None at all joints."""
        if given is None:
            return of_links
        if np.shape(given)[-1:] != (self.robot.dof,):
            return given
        is_flexible = np.isin(np.arange(self.robot.dof), self.flexible)
        dtype = np.float64 if any(map(_needs_float64, (given, of_links))) else np.float32
        return np.where(is_flexible, given, of_links).astype(dtype)

    def _refuse_missing(self, given: Mapping[str, Any]) -> None:
        """Name inputs that are not given."""
        missing = [self.word(name) for name in self.rollout.required if given.get(name) is None]
        missing = [word for word in missing if given.get(word) is None]
        if missing:
            law = "has no controller, and" if self.controller is None else f"with {self.law}"
            takes = ", ".join(self.inputs)
            why = ""
            if {"theta", "thetad"} & set(missing):  # of other arms than this one they are states, and given
                why = ". Of flexible joints theta and thetad are the states of their rotors; this arm has no springs"
            raise TypeError(f"the loop of {self.robot.name!r} {law} misses {', '.join(missing)}; it takes {takes}{why}")

    def refuse_unknown(self, inputs: Mapping[str, Any]) -> None:
        """Name an input that the loop does not take, and the nearest one that it takes."""
        candidates = [*self.inputs, *self.rollout.state, "h", *(["t0"] if self.takes_time else [])]
        words = {*candidates, *map(self.word, candidates), "t0", *(["t"] if self.takes_time else [])}
        for name in inputs:
            if name in OF_SIMULATE and name not in words:
                raise UnknownName(f"no argument {name!r} in a call of a closed loop; {OF_SIMULATE[name]}")
            if name not in words and not name.startswith("tangent_"):
                raise UnknownName.of("argument", name, [*map(self.word, candidates)], self.law)

    def word(self, name: str) -> str:
        """An argument as it is written in a call: a parameter "link_6.mass" as link_6_mass."""
        return self.rollout._inputs.words.get(name, name)

    def _check_constraints(self, q0: Any, qd0: Any) -> None:
        """Refuse a state that leaves the robot's constraints, or is beyond stops and contacts.

        Dependent constraints are refused too, unless inputs make its inertia.
        """
        if self.barriers is not None and not self.rollout.parameters:
            self.barriers.require_free(initial_state(self.robot, q0, qd0)[0])
        if self.robot.model.constraints:
            start = initial_state(self.robot, q0, qd0)
            if self.rollout.parameters:
                check_motion(self.robot, CLOSED, *start)
            else:
                check_constraints(self.robot, *start)

    def _check_time(self, inputs: Mapping[str, Any]) -> None:
        """Refuse times that would be read by nothing, and those that the loop counts itself."""
        if "t0" in inputs and not (self.takes_time or self.takes_brakes):
            raise SettingError(
                f"t0={excerpt(inputs['t0'])} is given, but {self.law} takes no argument t, so that the time does not "
                "matter in a call; leave t0 out"
            )
        if "t" in inputs and self.takes_time:
            raise SettingError(
                "t is given, but the loop itself counts the time; give t0, s, the time of the first step, and h, s, "
                "the length of the steps"
            )

    def _refuse_several_steps(self, h: Any) -> None:
        """Refuse steps of several lengths if the controller takes the time, which is computed once for all arms."""
        if np.ndim(h) > 0:
            raise SettingError(
                f"h has shape {np.shape(h)}, a length for each arm or step, but {self.law} takes the argument t, "
                "one time for all arms; expected one number, such as h=1e-3, or a controller that does not take t"
            )

    @property
    def derivatives(self) -> TotalDerivatives:
        """The dependence of the rollout's arguments on those of a call."""
        flexible = np.isin(np.arange(self.robot.dof), self.flexible) if self.flexible else np.zeros(0, dtype=bool)
        return TotalDerivatives(flexible, self.takes_time)


@dataclass(frozen=True)
class TotalDerivatives:
    """The dependence of the arguments of a loop's rollout on those of its call.

    Args:
        flexible: true for joints with springs, shape (n,); empty for an arm without rotor states.
        takes_time: true if the rollout takes the times of its steps.
    """

    flexible: Array
    takes_time: bool

    @property
    def _rotors(self) -> Mapping[str, str]:
        return ROTORS if len(self.flexible) else {}

    def wrt(self, names: Iterable[str]) -> tuple[str, ...]:
        """The arguments of the rollout that change with those of the call."""
        named = tuple(names)
        result = [name for name in named if name != "t0" or not self.takes_time]
        result += [rotors for rotors, links in self._rotors.items() if links in named and rotors not in named]
        if self.takes_time and "t" not in named and any(name in named for name in TIMES):
            result.append("t")
        return tuple(result)

    def tangents(self, names: Iterable[str], call: Mapping[str, Any], steps: int) -> dict[str, Any]:
        """The rates of the rollout's arguments that follow from those of the call, ``tangent_X`` of X."""
        named = tuple(names)
        result: dict[str, Any] = {}
        for rotors, links in self._rotors.items():
            if links in named or rotors in named:
                of_links, own = call.get(f"tangent_{links}"), call.get(f"tangent_{rotors}")
                if rotors not in named and call.get(rotors) is None:
                    own = of_links
                if (rotors in named and own is None) or (links in named and of_links is None):
                    continue  # the rollout names the rate that is missing
                result |= self._of_rotors(own, of_links, rotors, changes=rotors in self.wrt(named))
        if "t" in self.wrt(named) and "t" not in named:
            k, zero = np.arange(steps), np.zeros(())
            h, t0 = (call.get(f"tangent_{name}", zero) if name in named else zero for name in TIMES)
            result["tangent_t"] = _over_time(t0, steps) + _over_time(h, steps) * k.reshape(-1, *(1,) * np.ndim(h))
        return result

    def gradients(self, names: Iterable[str], call: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients by the arguments of the call, from those by the arguments of the rollout."""
        named, sums = tuple(names), dict(found)
        for rotors, links in self._rotors.items():
            if rotors not in sums:
                continue
            by = sums[rotors]
            follows = rotors not in named and call.get(rotors) is None
            if links in named:
                sums[links] = sums[links] + (by if follows else np.where(self.flexible, by.dtype.type(0), by))
            sums[rotors] = np.where(self.flexible, by, by.dtype.type(0))
        if "t" in sums and "t" not in named:
            by = sums["t"]
            k = np.arange(len(by), dtype=by.dtype).reshape(-1, *(1,) * (by.ndim - 1))
            if "h" in named:
                sums["h"] = sums["h"] + (k * by).sum(axis=0)
            sums["t0"] = by.sum(axis=0)
        return {name: sums[name] for name in named}

    def _of_rotors(self, own: Any, of_links: Any, rotors: str, *, changes: bool) -> dict[str, Any]:
        """The rate of all rotors: at rigid joints that of the links."""
        if not changes:
            return {}
        own, of_links = (
            np.zeros(len(self.flexible), np.float32) if x is None else np.asarray(x) for x in (own, of_links)
        )
        if any(x.shape[-1:] != self.flexible.shape for x in (own, of_links)):
            return {f"tangent_{rotors}": own}  # the rollout names the array and the expected shape
        return {f"tangent_{rotors}": np.where(self.flexible, own, of_links)}


def _over_time(rate: Any, steps: int) -> Array:
    """A rate that is the same in all steps, with the axis of time first."""
    values = np.asarray(rate, dtype=float)
    return np.broadcast_to(values, (steps, *values.shape))


def _check_step(h: Any) -> None:
    """Refuse lengths of steps that are not above zero; arms may have steps of their own."""
    if np.ndim(h) == 0:
        number("h", h, above=0.0, unit="s", error=SettingError)
    else:
        lengths = array("h", h, None, "the length of each arm's steps, s")
        wrong = np.argwhere(~(np.isfinite(lengths) & (lengths > 0.0)))
        if len(wrong):
            place = tuple(map(int, wrong[0]))
            raise SettingError(f"h{list(place)} is {lengths[place]}; expected a number above 0, in s")


def _needs_float64(value: Any) -> bool:
    """True for an array that float32 cannot represent: zeros and times that the loop adds are then float64 too."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and not np.can_cast(value.dtype, np.float32)
    return not (value is None or isinstance(value, Real | Mapping))
