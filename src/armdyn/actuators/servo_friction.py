"""Friction of servo drives with gears, as Rhoban's BAM identifies it.

Better Actuator Models: Duclusaud, Passault, Padois and Ly, "Extended Friction Models for the Physics Simulation of
Servo Actuators", arXiv:2410.08650; the six laws as in the documentation of its code.

The laws depend on the torque t of the motor and on that from outside on the joint. With the load L along the motion the
latter is -L, and t = L + F, without the torque that accelerates the rotor. So each law is an equation for its own
force,

    F = A + |k1 t + e1 L| + S (|k2 t + e2 L| + Q),    S = exp(-(|qd|/v)^a),

where Q is K_eq L^2 for L > 0, K_mq t^2 for t < 0, else 0. k t + e L has the sign of L, but is positive for L < 0 too
if t > -(e/k) L. The left side of the equation less its right side grows with t, so its sign at t = -(e/k) L determines
on which side of that the solution is: k1 t + e1 L is positive if

    A >= (1 + e1/k1 - S |k2 e1/k1 - e2|) (-L),    the second where    A >= (1 + e2/k2 - |k1 e2/k2 - e1|) (-L).

Both factors of -L are above zero, as every k and e is below 1, so this is right for L >= 0 as well. With both signs, s1
and s2, the equation is linear in F, or with K_mq quadratic in t:

    (1 - s1 k1 - S s2 k2) F = A + (s1 (k1 + e1) + S (s2 (k2 + e2) + K_eq L)) L,
    (1 - s1 k1 - S s2 k2) t = A + (1 + s1 e1 + S (s2 e2 + K_eq L)) L + S K_mq t^2.

The unit of both equations is the constant factor of the second condition, which therefore needs no multiplication.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from armdyn.actuators.dry import DryFriction
from armdyn.actuators.stribeck import decay
from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.model.friction import LoadLine, Slopes
from armdyn.program import less, less_equal, maximum, select, sign

UNITS = {"coulomb": "N m", "viscous": "N m s/rad", "stribeck": "N m", "speed": "rad/s", "exponent": ""}

SMALL = 1e-17
"""If k/e is below this, k t is less than the rounding of t."""

Bound = tuple[float, float] | None
"""The condition of a positive size: a and b of A >= (a - S b) (-L), or None for L >= 0."""


class ForceAndSlope(NamedTuple):
    """Solution of a law's equation for its own force: F and dF/dL."""

    force: Scalar
    slope: Scalar


@dataclass(frozen=True)
class ServoFriction(DryFriction):
    """The laws M1 to M6 of BAM (better actuator models); parameters that are left out are zero.

    F = K_v |qd| + K_c + |K_m t_m - K_e t_e| + S (K_cs + |K_ms t_m - K_es t_e| + Q), S = exp(-(|qd|/v)^a), with
    Q = K_eq t_e^2 if the motor drives its load, K_mq t_m^2 if the load drives the motor, 0 if both push in one
    direction. M1 is K_c and K_v alone, M2 has S; M3 and M4 have K_m = K_e (and K_ms = K_es), M5 and M6 all. With K_mq
    the force is t_m less the load: right to some units in the last place of both together. At a change of sign between
    bars, the slope by the load is that of larger loads.

    Args:
        coulomb: K_c, N m.
        viscous: K_v, N m s/rad.
        stribeck: K_cs, added at rest, N m.
        speed: v, at which S is 1/e, rad/s.
        exponent: a.
        motor: K_m, the ratio of friction to the motor's torque; K_l of M3 and M4.
        external: K_e, of the torque from outside; K_l of M3 and M4.
        motor_stribeck: K_ms, added to K_m at rest; K_ls of M4.
        external_stribeck: K_es, added to K_e at rest; K_ls of M4.
        motor_quadratic: K_mq, 1/(N m).
        external_quadratic: K_eq, 1/(N m).

    Raises:
        ModelError: a negative number, a speed or an exponent of zero, or K_m + K_ms or K_e + K_es not below 1: friction
            would take all of the torque.

    >>> m3 = armdyn.actuators.ServoFriction(coulomb=0.1, motor=0.1, external=0.1)
    >>> F = float(m3.force(1.0, 2.0))
    >>> abs(F - (0.1 + 0.1 * abs((2.0 + F) - (-2.0)))) < 1e-15
    True
    """

    coulomb: float = 0.0
    viscous: float = 0.0
    stribeck: float = 0.0
    speed: float = 1.0
    exponent: float = 1.0
    motor: float = 0.0
    external: float = 0.0
    motor_stribeck: float = 0.0
    external_stribeck: float = 0.0
    motor_quadratic: float = 0.0
    external_quadratic: float = 0.0

    def __post_init__(self) -> None:
        above_zero = ("speed", "exponent")
        self._above_zero(**{name: UNITS[name] for name in above_zero})
        self._not_below_zero(**{f.name: UNITS.get(f.name, "") for f in fields(self) if f.name not in above_zero})
        for name in ("motor", "external"):
            whole = getattr(self, name) + getattr(self, f"{name}_stribeck")
            if whole >= 1.0:
                raise ModelError(
                    f"{name} and {name}_stribeck of ServoFriction are {whole:g} together; expected below 1"
                )

    @property
    def depends_on_load(self) -> bool:  # type: ignore[override]
        """True for M3 to M6, whose force depends on the load."""
        return self.lines != 1

    @property
    def lines(self) -> int | None:  # type: ignore[override]
        """One, two or three; None if the force is quadratic in the load."""
        if self.motor_quadratic or self.external_quadratic:
            return None
        if not (self.motor or self.external or self.motor_stribeck or self.external_stribeck):
            return 1
        return 2 if self._turn_together() else 3

    def _turn_together(self) -> bool:
        """True if both sizes change their signs at one t, or if there is only one size."""
        return self.external_stribeck * self.motor == self.external * self.motor_stribeck

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """F, N m, with the signs of both sizes at this load."""
        if self.depends_on_load:
            return self._solution(speed, load).force
        return self.viscous * speed + self.coulomb + self.stribeck * decay(speed, self.speed, self.exponent)

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """sign(qd) F; for M1 and M2 the viscous part has its slope at rest too."""
        if self.depends_on_load:
            return super().force(rate, load)
        S = decay(abs(rate), self.speed, self.exponent) if self.stribeck else 0.0
        return sign(rate) * (self.coulomb + self.stribeck * S) + self.viscous * rate

    def slopes(self, rate: Scalar, load: Scalar) -> Slopes:
        """Derivatives by rate, as of any law, and by load, from the equation's own derivative in fewer operations.

        At rest the derivative by the rate is that of the viscous part, the mean of both directions.
        """
        slopes = super().slopes(rate, load)
        if not self.depends_on_load:
            return slopes
        direction = sign(rate)
        moves, along = direction * direction, self._solution(abs(rate), direction * load)
        at_rest = 0.5 * self.viscous * (self._by_constant(load) + self._by_constant(-load)) if self.viscous else 0.0
        return Slopes(slopes.by_rate + (1.0 - moves) * at_rest, moves * along.slope)

    def _by_constant(self, load: Scalar) -> Scalar:
        """The derivative of F at rest by a constant added to A."""
        unit, S, A = self._terms(0.0)
        if self.lines == 2:
            positive, k = _is_positive(self._bounds()[0], unit, S, A, load), self._part(unit, S, "motor")
            return _reciprocal(positive, 1.0 / unit - k, 1.0 / unit + k) / unit
        signs = self._signs(unit, S, A, load)
        if self.motor_quadratic:
            return 0.5 / (unit * self._roots(unit, S, A, load, *signs)[2])
        return 1.0 / (unit * self._sums(unit, S, load, *signs)[1])

    def sliding_slope(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """The slope by the load while sliding, from the equation's own derivative."""
        if not self.depends_on_load:
            return super().sliding_slope(direction, speed, load)
        return direction * direction * self._solution(speed, direction * load).slope

    def line(self, rate: Scalar, load: Scalar) -> LoadLine:
        """The load line of the law, with one division."""
        return self.sliding_line(sign(rate), abs(rate), load)

    def sliding_line(self, direction: Scalar, speed: Scalar, load: Scalar) -> LoadLine:
        """The load line by D F = A + C L and t = L + F, (D + C) L = D t - A, where D + C = 1 + s (e1 + S e2)."""
        if self.lines == 1:
            return super().sliding_line(direction, speed, load)
        unit, S, A = self._terms(speed)
        if self.lines != 2:
            signs = self._signs(unit, S, A, direction * load)
            touching = self._line_of_quadratic if self.motor_quadratic else self._line_of_linear
            gain, offset = touching(unit, S, A, direction * load, *signs)
            slips = direction * direction  # of a held joint 0, which passes all
            piece = gain if self.lines is None else signs[0] + 2.0 * signs[1]
            return LoadLine(slips * gain + (1.0 - slips), direction * offset, piece)
        positive = _is_positive(self._bounds()[0], unit, S, A, direction * load)
        e, C = self._part(unit, S, "external"), self._sum_of_parts(unit, S)
        reciprocal = _reciprocal(positive, 1.0 / unit + e, 1.0 / unit - e)
        loss = select(positive, C, -C) * reciprocal
        return LoadLine(1.0 - direction * direction * loss, direction * (A * reciprocal), positive)

    def magnitude_at_rest(self, load: Scalar) -> Scalar:
        """The larger one of the two lines, if there are two: their coefficients are constants."""
        if self.lines != 2:
            return super().magnitude_at_rest(load)
        unit, S, A = self._terms(0.0)
        k, C = self._part(unit, S, "motor"), self._sum_of_parts(unit, S)
        one, other = 1.0 / (1.0 / unit - k), 1.0 / (1.0 / unit + k)
        return maximum(one * A + (one * C) * load, other * A - (other * C) * load)

    def _terms(self, speed: Scalar) -> tuple[float, Scalar, Scalar]:
        """The unit, S, and A over the unit."""
        S, bound = decay(speed, self.speed, self.exponent), self._bounds()[1]
        unit = bound[0] if bound else 1.0
        return unit, S, (self.viscous / unit) * speed + self.coulomb / unit + (self.stribeck / unit) * S

    def _solution(self, speed: Scalar, load: Scalar) -> ForceAndSlope:
        """The solution of the equation with the signs of both sizes."""
        unit, S, A = self._terms(speed)
        if self.lines == 2:
            positive, k = _is_positive(self._bounds()[0], unit, S, A, load), self._part(unit, S, "motor")
            part, C = _reciprocal(positive, 1.0 / unit - k, 1.0 / unit + k), self._sum_of_parts(unit, S)
            C = select(positive, C, -C)
            return ForceAndSlope(part * (A + C * load), part * C)
        solved = self._quadratic if self.motor_quadratic else self._linear
        return solved(unit, S, A, load, *self._signs(unit, S, A, load))

    def _signs(self, unit: float, S: Scalar, A: Scalar, load: Scalar) -> list[Scalar]:
        """Signs of both sizes: 1 if the size is positive, else 0."""
        return [_is_positive(bound, unit, S, A, load) for bound in self._bounds()]

    def _bounds(self) -> tuple[Bound, Bound]:
        """The conditions for a positive first and a positive second size."""
        k1, k2, e1, e2 = self.motor, self.motor_stribeck, self.external, self.external_stribeck
        if self._turn_together():
            turn = _turn(k1 + k2, e1 + e2)
            both = None if turn is None else (1.0 + turn, 0.0)
            return both, both
        turn1, turn2 = _turn(k1, e1), _turn(k2, e2)
        first = None if turn1 is None else (1.0 + turn1, abs(k2 * turn1 - e2))
        second = None if turn2 is None else (1.0 + turn2 - abs(k1 * turn2 - e1), 0.0)
        return first, second

    def _part(self, unit: float, S: Scalar, of: str) -> Scalar:
        """k1 + S k2 of the motor's torque, e1 + S e2 of the external one, over the unit; a float if it is constant."""
        least, decay = getattr(self, of) / unit, getattr(self, f"{of}_stribeck") / unit
        return least + S * decay if decay else least

    def _sum_of_parts(self, unit: float, S: Scalar) -> Scalar:
        """C = k1 + e1 + S (k2 + e2), over the unit."""
        return (self.motor + self.external) / unit + S * ((self.motor_stribeck + self.external_stribeck) / unit)

    def _line_of_linear(
        self, unit: float, S: Scalar, A: Scalar, load: Scalar, first: Scalar, second: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Slope and constant of a linear law's load line: C' = C + S K_eq L, (D + C') L = D t - (A - S K_eq L^2)."""
        C, D, steeper = self._sums(unit, S, load, first, second)
        reciprocal = 1.0 / (D + (C + steeper))
        return D * reciprocal, (A - steeper * load) * reciprocal

    def _line_of_quadratic(
        self, unit: float, S: Scalar, A: Scalar, load: Scalar, first: Scalar, second: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Slope dL/dt and constant (dL/dt) t - L of a quadratic law's load line, t = n/(h + r), dL/dt = 2 r/n'."""
        n, h, r, slope = self._roots(unit, S, A, load, first, second)
        part = 2.0 * r / (slope * (h + r))
        return part * (h + r), part * n - load

    def _linear(self, unit: float, S: Scalar, A: Scalar, load: Scalar, first: Scalar, second: Scalar) -> ForceAndSlope:
        """The solution of the linear equation D F = A + C L."""
        C, D, steeper = self._sums(unit, S, load, first, second)
        forces, slope = A + C * load, C + steeper
        if not self.motor_stribeck:
            k1 = self.motor / unit
            part = select(first, 1.0 / (1.0 / unit - k1), 1.0 / (1.0 / unit + k1))
            return ForceAndSlope(part * forces, part * slope)
        return ForceAndSlope(forces / D, slope / D)

    def _sums(
        self, unit: float, S: Scalar, load: Scalar, first: Scalar, second: Scalar
    ) -> tuple[Scalar, Scalar, Scalar]:
        """C = s1 c1 + S (s2 c2 + K_eq L), c = k + e, and D = 1 - s1 k1 - S s2 k2, all over the unit; S K_eq L."""
        k1, k2 = self.motor / unit, self.motor_stribeck / unit
        c1, c2 = k1 + self.external / unit, k2 + self.external_stribeck / unit
        pushed = self._pushed(unit, load)
        C = _with_sign(first, c1) + S * (_with_sign(second, c2) + pushed)
        D = _with_sign(first, -k1, around=1.0 / unit)
        return C, D - S * _with_sign(second, k2) if k2 else D, S * pushed

    def _quadratic(
        self, unit: float, S: Scalar, A: Scalar, load: Scalar, first: Scalar, second: Scalar
    ) -> ForceAndSlope:
        """The solution of the quadratic equation, t = n/(h + r), F = t - L, and dt/dL = n'/(2 r)."""
        n, h, r, slope = self._roots(unit, S, A, load, first, second)
        return ForceAndSlope(n / (h + r) - load, 0.5 * slope / r - 1.0)

    def _roots(
        self, unit: float, S: Scalar, A: Scalar, load: Scalar, first: Scalar, second: Scalar
    ) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Roots of 2 h t = n + S K_mq t^2 if n < 0: t = n/(h + r), r = sqrt(h^2 - S K_mq n); else t = n/(2 h), r = h.

        n = A + C L, with C = 1 + s1 e1 + S (s2 e2 + K_eq L), and h = (1 - s1 k1 - S s2 k2)/2, all over the unit. As
        h - S K_mq t = r, 2 r dt/dL = n', by L. These are n, h, r and n'.
        """
        k1, k2 = self.motor / unit, self.motor_stribeck / unit
        e1, e2 = self.external / unit, self.external_stribeck / unit
        pushed = self._pushed(unit, load)
        C = _with_sign(first, e1, around=1.0 / unit) + S * (_with_sign(second, e2) + pushed)
        n = A + C * load
        h = _with_sign(first, -0.5 * k1, around=0.5 / unit) - S * _with_sign(second, 0.5 * k2)
        r = np.sqrt(h * h - S * select(less(n, 0.0), self.motor_quadratic / unit, 0.0) * n)
        return n, h, r, C + S * pushed

    def _pushed(self, unit: float, load: Scalar) -> Scalar:
        """K_eq L if the motor drives its load, else 0; over the unit."""
        return select(less(0.0, load), self.external_quadratic / unit, 0.0) * load


def _turn(k: float, e: float) -> float | None:
    """t/(-L) at which k t + e L changes its sign; None if it keeps that of L, to the rounding of t."""
    return e / k if k > SMALL * e else None


def _is_positive(bound: Bound, unit: float, S: Scalar, A: Scalar, load: Scalar) -> Scalar:
    """1 if the size of this bound is positive, else 0; A is over the unit."""
    if bound is None:
        return less_equal(0.0, load)
    a, b = bound
    return less_equal(-((a / unit - S * (b / unit)) * load), A)


def _reciprocal(positive: Scalar, if_positive: Scalar, if_not: Scalar) -> Scalar:
    """1 over one of two values; those that are numbers are divided before the program is traced."""
    if isinstance(if_positive, float) and isinstance(if_not, float):
        return select(positive, 1.0 / if_positive, 1.0 / if_not)
    return 1.0 / select(positive, if_positive, if_not)


def _with_sign(positive: Scalar, x: float, around: float = 0.0) -> Scalar:
    """around + x or around - x."""
    return select(positive, around + x, around - x)
