"""The parts of the state of a compiled loop: names, shapes, rates and corrected values.

The state is (q, theta, qd, thetad, z, W), as far as the arm has its parts: theta of the rotors behind springs alone, z
of friction with bristles and, after it, of elements of a user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from armdyn.actuators.flexible_joints import spring_count
from armdyn.declaration import Argument, Shape
from armdyn.model.model import Model
from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import NAME, count
from armdyn.simulation.elements.own import state_count
from armdyn.simulation.samples import ELEMENTS
from armdyn.spatial.rotations import Array

N, SPRINGS = ("n",), ("springs",)


def _springs(model: Model, **options: Any) -> int:
    return spring_count(model)


SIZES: dict[str, Callable[..., int]] = {"springs": _springs, NAME: count, ELEMENTS: state_count}

Correction = Literal["", "velocities", "positions", "contacts"]
"""The correction of a state after a step: none, of velocities, of both, or of both at closed contacts."""

DRIFT = "drift"
"""The name of the largest |phi| and |A qd| met after a step, a part of the state of a loop without a rate."""

CORRECTING = "correcting"
"""The name of the argument that is 1 if the state is to be corrected."""

CORRECTED: Mapping[Correction, tuple[str, ...]] = {
    "": (),
    "velocities": ("qd",),
    "positions": ("q", "qd", DRIFT),
    "contacts": ("q", "qd"),
}
"""The parts of the state that a correction changes."""


class StateParts(NamedTuple):
    """The parts of the state in addition to those of a rigid arm, and their correction.

    Args:
        flexible: true if rotors on springs are coordinates.
        bristles: true if friction has bristles that are integrated.
        along: true if z is not integrated, but follows the path since the step began (`Bristles.along`), by which
            steps of one length keep their order however stiff bristles are.
        correction: of the state after each step.
        elements: true if elements of a user's own have states.
    """

    flexible: bool = False
    bristles: bool = False
    along: bool = False
    correction: Correction = ""
    elements: bool = False

    @classmethod
    def of(cls, system: Any, *, along: bool = False, correction: Correction = "") -> StateParts:
        """The parts of the state of a system; ``along`` counts if friction has bristles."""
        along = along and system.carries
        return cls(bool(system.places), system.carries, along, correction, system.own_states > 0)

    @property
    def state(self) -> dict[str, Shape]:
        """The parts of the state of the arm, with their shapes, in order."""
        rotors = self.flexible
        parts: list[tuple[bool, str, Shape]] = [(True, "q", N), (rotors, "theta", SPRINGS)]
        parts += [(True, "qd", N), (rotors, "thetad", SPRINGS), (self.bristles, NAME, (NAME,))]
        parts += [(self.elements, ELEMENTS, (ELEMENTS,)), (True, "work", ())]
        return {name: shape for is_part, name, shape in parts if is_part}

    @property
    def begin(self) -> dict[str, str]:
        """The names of positions and velocities at the beginning of a step, by those of the parts of the state."""
        parts = ("q", "theta", "qd", "thetad")
        return {name: f"{name}_begin" for name in parts if name in self.state} if self.along else {}

    @property
    def shapes(self) -> dict[str, Shape]:
        """The shapes of all parts of the state of a loop; those without a rate come last."""
        state = self.state
        own = {name: shape for name, shape in state.items() if not (self.along and name == NAME)}
        own |= {NAME: state[NAME]} if self.along else {}
        own |= {begin: state[name] for name, begin in self.begin.items()}
        return own | ({DRIFT: (2,)} if self.correction == "positions" else {})

    @property
    def rates(self) -> dict[str, str | None]:
        """The name of the rate of each part of the state of a loop; None for parts that change by corrections alone."""
        without = {DRIFT, *self.begin.values(), *((NAME,) if self.along else ())}
        return {name: None if name in without else f"d_{name}" for name in self.shapes}

    @property
    def corrected(self) -> dict[str, str]:
        """The name of the corrected value of each part of the state that is corrected after a step."""
        along = (NAME, *self.begin.values()) if self.along else ()
        return {name: f"on_{name}" for name in (*CORRECTED[self.correction], *along)}

    @property
    def results(self) -> dict[str, Shape]:
        """The names and shapes of rates and corrected values."""
        shapes = self.shapes
        rates = {rate: shapes[name] for name, rate in self.rates.items() if rate is not None}
        return rates | {on: shapes[name] for name, on in self.corrected.items()}

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The parts of the state that rates depend on, all but the work, and whether it is to be corrected."""
        own = tuple(Argument(name, shape) for name, shape in self.shapes.items() if name != "work")
        return (*own, Argument(CORRECTING, ())) if self.corrected else own

    def split(self, robot: Robot, start: tuple[Array, ...]) -> dict[str, Array]:
        """The parts of a stacked state (x, v) and z, without the work."""
        (x, v, *z), n = start, robot.dof
        parts = {"q": x[..., :n], "theta": x[..., n:], "qd": v[..., :n], "thetad": v[..., n:]}
        if z:
            size = count(robot.model) if self.bristles else 0
            parts |= {NAME: z[0][..., :size], ELEMENTS: z[0][..., size:]}
        return {name: parts[name] for name in self.state if name != "work"}
