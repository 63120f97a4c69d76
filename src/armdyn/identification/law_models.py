"""Friction laws as functions of their own numbers, compiled together with the derivatives by them.

A law's formula is traced with its numbers as inputs, in addition to the velocity and the load. The jump of dry
friction at rest is tanh(qd/w), as in the linear terms. A law of servos
(`armdyn.actuators.ServoFriction`) is an equation for its own force F, G(F, qd, l, p) = 0 with the motor's torque
t = L + F, and L the load along the motion:

    G = F - A - |k1 t + e1 L| - S (|k2 t + e2 L| + Q),

so that Newton's method with the compiled G and dG/dF finds F, and dF/dp = -(dG/dp)/(dG/dF).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

import numpy as np

from armdyn.actuators.dry import DryFriction
from armdyn.actuators.quadratic import Quadratic
from armdyn.actuators.servo_friction import ServoFriction
from armdyn.actuators.stribeck import Stribeck
from armdyn.base.errors import Unsupported
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar
from armdyn.identification.friction_terms import SIGN_WIDTH
from armdyn.model.friction import FrictionLaw
from armdyn.program import NeedsNumbers, derivative, less, select, sign, trace
from armdyn.program.ports import Port
from armdyn.spatial.rotations import Array
from armdyn.targets.kernels import compile_program

NEWTON_STEPS = 50
"""Newton steps for the force of a servo's law; it is linear between the kinks of G, and a few are enough."""

ABOVE_ZERO = {"speed", "exponent", "steepness"}
"""Numbers of laws that divide, or are exponents."""

SIGNED = {("Sigmoid", "offset")}
"""Numbers of laws that may be negative."""


@dataclass(frozen=True)
class LawNumber:
    """One number of a law.

    Args:
        law: its place among the laws.
        field: its name in the law.
        least: the smallest value that it can have.
    """

    law: int
    field: str
    least: float


def quantities_of(laws: Sequence[FrictionLaw]) -> list[LawNumber]:
    """The numbers of some laws.

    Raises:
        Unsupported: a law with parts that are not numbers.
    """
    quantities = []
    for place, law in enumerate(laws):
        for each in fields(law):  # type: ignore[arg-type]
            value = getattr(law, each.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise Unsupported(
                    f"{type(law).__name__} has {each.name}, which is not a number; a fit needs laws of numbers: "
                    "Viscous, Coulomb, Quadratic, Stribeck, Sigmoid, ServoFriction"
                )
            signed = (type(law).__name__, each.name) in SIGNED
            least = -np.inf if signed else 1e-6 if each.name in ABOVE_ZERO else 0.0
            quantities.append(LawNumber(place, each.name, least))
    return quantities


class LawModel:
    """Friction of some laws, in sum, and its derivatives by the numbers that are free.

    Args:
        laws: whose formulas count, with the numbers that are not free.
        free: a mask of `quantities_of`.
        width: of the smooth sign, rad/s or m/s.

    Raises:
        Unsupported: a law whose formula decides by its numbers.
    """

    def __init__(self, laws: Sequence[FrictionLaw], free: Array, width: float = SIGN_WIDTH) -> None:
        self.quantities = quantities_of(laws)
        self.free = free
        self.width = width
        self._parts = []
        for place, law in enumerate(laws):
            own = [k for k, each in enumerate(self.quantities) if each.law == place]
            servo = isinstance(law, ServoFriction)
            traced = [k for k in own if free[k] or servo]
            names = tuple(self.quantities[k].field for k in traced)
            fixed = tuple((each.field, getattr(law, each.field)) for k in own if k not in traced
                          for each in [self.quantities[k]])  # fmt: skip
            self._parts.append((servo, _kernel(type(law), names, fixed, width), np.array(traced, dtype=int)))

    def __call__(self, rate: Array, load: Array, numbers: Array) -> tuple[Array, Array]:
        """Friction torques, N m or N, shape (T,), and their derivatives by the free numbers, shape (T, free)."""
        force, slopes = np.zeros(len(rate)), np.zeros((len(rate), len(numbers)))
        for servo, kernel, places in self._parts:
            p = numbers[places]
            value, by_numbers = _servo(kernel, rate, load, p, self.width) if servo else kernel(rate, load, p)
            force += value
            slopes[:, places] = by_numbers
        return force, slopes[:, self.free]


def torques_of_laws(laws: Sequence[FrictionLaw], rate: Array, load: Array, width: float) -> Array:
    """Friction torques of laws, with a smooth sign of this width, N m or N, shape (T,)."""
    quantities = quantities_of(laws)
    numbers = np.array([getattr(laws[each.law], each.field) for each in quantities], dtype=np.float64)
    return LawModel(laws, np.ones(len(quantities), dtype=bool), width)(rate, load, numbers)[0]


@cache
def _kernel(
    kind: type[FrictionLaw], names: tuple[str, ...], fixed: tuple[tuple[str, float], ...], width: float
) -> Callable[..., Scalar]:
    """The compiled formula of a kind of law: its force, or G of a servo's law, and the derivatives by some numbers."""
    ports = [Port("rate", ()), Port("load", ()), Port("numbers", (len(names),))]

    def force(rate: Scalar, load: Scalar, p: Scalar) -> tuple[Scalar, Scalar]:
        def of_numbers(x: Scalar) -> Scalar:
            return _force(kind, {**dict(zip(names, x, strict=True)), **dict(fixed)}, rate, load, width)

        return _with_slopes(of_numbers, p)

    servo = issubclass(kind, ServoFriction)
    if servo:
        ports.insert(0, Port("force", ()))
    try:
        program = trace(
            _traced_equation if servo else force, ports, ("value", "slopes"), name=f"friction of {kind.__name__}"
        )
    except NeedsNumbers as error:
        raise Unsupported(f"{kind.__name__} cannot be fitted: its formula decides by its numbers ({error})") from None
    return compile_program(program)


def _with_slopes(f: Callable[..., Scalar], x: object) -> tuple[Scalar, Scalar]:
    return f(x), derivative(f, x)


def _force(kind: type[FrictionLaw], numbers: Mapping[str, Scalar], rate: Scalar, load: Scalar, width: float) -> Scalar:
    """The force of a law with traced numbers."""
    law = object.__new__(kind)
    for name, number in numbers.items():
        set_fields(law, **{name: number})
    if isinstance(law, Quadratic):
        return (law.coefficient * abs(rate) + law.cubic * rate * rate) * rate
    if isinstance(law, Stribeck):
        size = law.kinetic + (law.static - law.kinetic) * _fallen(abs(rate), law.speed, law.exponent)
        return np.tanh(rate * (1.0 / width)) * size
    if isinstance(law, DryFriction):
        return np.tanh(rate * (1.0 / width)) * law.magnitude(abs(rate), sign(rate) * load)
    return law.force(rate, load)


def _fallen(speed: object, by: object, exponent: object) -> Scalar:
    """exp(-(speed/by)^exponent), 1 at rest."""
    moves = less(0.0, speed)
    ratio = select(moves, speed, 1.0) / by
    return select(moves, np.exp(-np.exp(exponent * np.log(ratio))), 1.0)


def _traced_equation(force: Scalar, speed: Scalar, load: Scalar, numbers: Scalar) -> tuple[Scalar, Scalar]:
    """G, and its derivatives by F and by the numbers, for a speed and the load along the motion."""
    at = np.concatenate([np.array([force], dtype=object), np.asarray(numbers, dtype=object)])

    def equation(x: Scalar) -> Scalar:
        return _equation(x[0], speed, load, x[1:])

    return _with_slopes(equation, at)


def _equation(force: Scalar, speed: Scalar, load: Scalar, numbers: Scalar) -> Scalar:
    coulomb, viscous, stribeck, by, exponent, k1, e1, k2, e2, motor_quadratic, external_quadratic = numbers
    t = load + force  # of the motor; that from outside is -load
    S = _fallen(speed, by, exponent)
    driven = select(less(0.0, load), external_quadratic * load * load, 0.0)
    driving = select(less(t, 0.0), motor_quadratic * t * t, 0.0)
    drag = abs(k1 * t + e1 * load)
    at_rest = stribeck + abs(k2 * t + e2 * load) + driven + driving
    return force - (viscous * speed + coulomb + drag + S * at_rest)


def _servo(
    kernel: Callable[..., Scalar], rate: Array, load: Array, numbers: Array, width: float
) -> tuple[Array, Array]:
    """The force of a servo's law and its derivatives by the numbers."""
    speed, along = np.abs(rate), np.sign(rate) * load
    force = np.full(len(rate), float(numbers[0]))
    for _ in range(NEWTON_STEPS):
        value, slopes = kernel(force, speed, along, numbers)
        step = value / slopes[:, 0]
        force = force - step
        if np.abs(step).max(initial=0.0) <= 1e-14 * (1.0 + np.abs(force).max(initial=0.0)):
            break
    slopes = kernel(force, speed, along, numbers)[1]
    smooth = np.tanh(rate / width)
    return smooth * force, -smooth[:, None] * slopes[:, 1:] / slopes[:, :1]
