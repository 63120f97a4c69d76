"""Rates of a motion under forces that are known functions of time, traced: links, rotors on springs, bristles, work.

The state is (q, theta, qd, thetad, z, W), as far as the arm has its parts: theta of the rotors behind springs alone, z
of friction with bristles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.actuators.flexible_joints import flexible_joints, spring_count
from armdyn.base.fields import set_fields
from armdyn.base.named_tuples import named_tuple
from armdyn.constraints.dead_points import nan_near
from armdyn.declaration import Argument, Function, MadeFunction, Shape
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.robot import Robot
from armdyn.simulation.drivers import corrections
from armdyn.simulation.drivers.corrections import Correction
from armdyn.simulation.elements.bristles import NAME, Bristles, Path, count
from armdyn.simulation.equations import SOURCES, motion
from armdyn.spatial.rotations import Array

N, SPRINGS = ("n",), ("springs",)


def _springs(model: Model, **options: Any) -> int:
    return spring_count(model)


SIZES: Mapping[str, Callable[..., int]] = {"springs": _springs, NAME: count}


class Kind(NamedTuple):
    """The parts of the state beside those of a rigid arm.

    Args:
        flexible: true if rotors stand behind springs.
        bristles: true if friction has bristles that are integrated.
        along: true if z is not integrated, but follows the path since the step began (`Bristles.along`), by which
            steps of one length keep their order however stiff bristles are.
    """

    flexible: bool = False
    bristles: bool = False
    along: bool = False

    @classmethod
    def of(cls, system: Any, *, along: bool = False) -> Kind:
        """The parts of the state of a system; ``along`` counts if friction has bristles."""
        return cls(bool(system.places), system.carries, along and system.carries)

    @property
    def state(self) -> dict[str, Shape]:
        """The parts of the state, with their shapes, in order."""
        parts: dict[str, Shape] = {"q": N, "theta": SPRINGS, "qd": N, "thetad": SPRINGS, NAME: (NAME,), "work": ()}
        left_out = {*(() if self.flexible else ("theta", "thetad")), *(() if self.bristles else (NAME,))}
        return {name: shape for name, shape in parts.items() if name not in left_out}

    @property
    def rates(self) -> dict[str, str]:
        """The name of the rate of each part that has one."""
        return {name: f"d_{name}" for name in self.state if not (self.along and name == NAME)}

    @property
    def begin(self) -> dict[str, str]:
        """The names of positions and velocities at the beginning of a step, by those of the parts of the state."""
        parts = ("q", "theta", "qd", "thetad")
        return {name: f"{name}_begin" for name in parts if name in self.state} if self.along else {}

    @property
    def results(self) -> dict[str, Shape]:
        """The names and shapes of the rates and, of parts without a rate, of the values at the end of a step."""
        rates = {rate: self.state[name] for name, rate in self.rates.items()}
        return rates | {f"on_{name}": shape for name, shape in self.without_rate.items()}

    @property
    def without_rate(self) -> dict[str, Shape]:
        """The parts of the state of a loop that have no rate, with their shapes."""
        if not self.along:
            return {}
        return {NAME: self.state[NAME]} | {begin: self.state[name] for name, begin in self.begin.items()}

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The parts of the state that rates depend on: all but the work."""
        own = tuple(Argument(name, shape) for name, shape in self.state.items() if name != "work")
        return (*own, *(Argument(begin, self.state[name]) for name, begin in self.begin.items()))


class Arm:
    """A traced arm and the parts of its state.

    Args:
        model: the arm with all its laws of friction.
        state: the parts of the state by name.
    """

    def __init__(self, model: Mechanism, state: dict[str, Any]) -> None:
        self.q, self.qd = state["q"], state["qd"]
        self.flexible, self.bristles = "theta" in state, state.get(NAME)
        self.is_along = "q_begin" in state
        laws = None if self.bristles is None else Bristles(model)
        self.bare = model if laws is None else laws.bare
        self.joints = flexible_joints(self.bare) if self.flexible else []
        self.places = [joint.coordinate for joint in self.joints]
        self.theta = self.with_rotors(self.q, state["theta"]) if self.flexible else self.q
        self.thetad = self.with_rotors(self.qd, state["thetad"]) if self.flexible else self.qd
        if laws is not None and self.is_along:
            theta, thetad = (
                self.with_rotors(state[own], state[of_rotors]) if self.flexible else state[own]
                for own, of_rotors in (("q_begin", "theta_begin"), ("qd_begin", "thetad_begin"))
            )
            self.bristles = Path(laws.along, theta, thetad, self.bristles).bent(self.theta, self.thetad)
        self.force: Any = 0.0 if laws is None else laws.forces(self.bristles, self.thetad)
        """Friction of the bristles on motors or joints."""
        self.bending: Any = None if laws is None or self.is_along else laws.rates(self.bristles, self.thetad)
        """The rate of the bristle deflection."""

    def with_rotors(self, q: Array, theta: Array) -> Array:
        """The positions of all rotors, or their rates: at rigid joints those of the links."""
        whole = np.array(q, dtype=object)
        whole[self.places] = theta
        return whole

    def results(self, at: dict[str, Any], kind: Kind, qdd: Array, thetadd: Any, power: Any) -> tuple[Any, ...]:
        """The results `Kind.results`, from the arguments, accelerations and power."""
        own = {NAME: self.bristles} | {begin: 1.0 * at[name] for name, begin in kind.begin.items()}
        return (*self._rates(qdd, thetadd, power), *(own[name] for name in kind.without_rate))

    def _rates(self, qdd: Array, thetadd: Any, power: Any) -> tuple[Any, ...]:
        """The rates of the state in its order, from accelerations and power."""
        rotors = [[1.0 * self.thetad[i] for i in self.places], [thetadd[i] for i in self.places]]
        first, second = (([np.array(one, dtype=object)] if self.flexible else []) for one in rotors)
        bent = [] if self.bending is None else [self.bending]
        return (1.0 * self.qd, *first, qdd, *second, *bent, power)


@cache
def rates_under_known_forces(kind: Kind, *, linear: bool, correction: Correction = "") -> Function:
    """The rates of the state under forces that are held, or on straight lines over time.

    Arguments of the function: the state; tau and f_tip; with ``linear`` the time t, s, the time t_0 at which tau and
    f_tip act, and their rates; and the usual pivots of constraints, by which rates are NaN near dead points. With a
    ``correction`` the rates are those of the corrected state.
    """
    own = tuple(argument.name for argument in kind.arguments)
    usual = Argument("usual", ("constraints",), optional=True)
    after = (*corrections.arguments(correction, along=kind.along), usual)
    arguments = (*kind.arguments, *force_arguments(linear=linear), *after)
    result = named_tuple("StateRates", [*kind.results, *corrections.RESULTS[correction].values()])

    def rates(model: Any, *given: Any) -> Any:
        at = dict(zip((argument.name for argument in arguments), given, strict=True))
        at, on = corrections.with_correction(model, at, correction)
        arm = Arm(model, {name: at[name] for name in own})
        tau, f_tip = acting_forces(at, linear=linear)
        tau = tau - arm.force
        if arm.flexible:
            qdd, thetadd, power = flexible_motion(arm.bare, arm.q, arm.qd, arm.theta, arm.thetad, tau, f_tip)
        else:
            (qdd, power), thetadd = motion(arm.bare, arm.q, arm.qd, tau, f_tip), None
        if at["usual"] is not None:
            qdd = qdd * nan_near(model, arm.q, at["usual"])
        return result(*arm.results(at, kind, qdd, thetadd, power), *on)

    words = ["rates", *(word for word, on in kind._asdict().items() if on), "driven" if linear else "held", correction]
    name = "_".join(filter(None, words))
    made = partial(rates_under_known_forces, kind, linear=linear, correction=correction)
    rates.__name__, rates.__doc__ = name, "Rates of the state of a motion."
    results = (*kind.results.values(), *corrections.shapes(correction))
    return function_of_actuators(rates, "rates of the state", arguments, results, result, SIZES, made)


def force_arguments(*, linear: bool) -> tuple[Argument, ...]:
    """The arguments of forces that are held, or on straight lines over time from t_0 on."""
    forces = Argument("tau", N), Argument("f_tip", (6,), optional=True)
    if not linear:
        return forces
    rates = Argument("tau_rate", N), Argument("f_tip_rate", (6,), optional=True)
    return Argument("t", ()), Argument("t_0", ()), *forces, *rates


def acting_forces(at: Mapping[str, Any], *, linear: bool) -> tuple[Any, Any]:
    """The joint forces and the wrench, None without one, from the arguments `force_arguments`."""
    tau, f_tip = at["tau"], at["f_tip"]
    if linear:
        elapsed = at["t"] - at["t_0"]
        tau, f_tip = tau + elapsed * at["tau_rate"], None if f_tip is None else f_tip + elapsed * at["f_tip_rate"]
    return tau, f_tip


def function_of_actuators(
    implementation: Any,
    signature: str,
    arguments: tuple[Argument, ...],
    results: tuple[Shape, ...],
    result: type[Any],
    sizes: Mapping[str, Callable[..., int]],
    made: Callable[[], Function],
) -> Function:
    """A function of simulations with actuators; arguments as of `MadeFunction`."""
    name = implementation.__name__
    declared = MadeFunction(implementation, name, signature, arguments, results, {}, result, sizes, made=made)
    set_fields(declared, sources=(*SOURCES, "actuators"))
    return declared


def state_of(kind: Kind, robot: Robot, start: tuple[Array, ...]) -> dict[str, Array]:
    """The parts of a stacked state (x, v) and z, without the work."""
    (x, v, *z), n = start, robot.dof
    parts = {"q": x[..., :n], "theta": x[..., n:], "qd": v[..., :n], "thetad": v[..., n:]}
    parts |= dict(zip((NAME,), z, strict=False))
    return {name: parts[name] for name in kind.state if name != "work"}
