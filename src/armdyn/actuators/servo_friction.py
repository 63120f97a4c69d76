"""Friction of servo drives with gears, as Rhoban's BAM identifies it.

Better Actuator Models: Duclusaud, Passault, Padois and Ly, "Extended Friction Models for the Physics Simulation of
Servo Actuators", arXiv:2410.08650; the six laws as in the documentation of its code.

The laws know the torque t_m of the motor and t_e of what acts on the joint from outside. With the load L along the
motion, which is -t_e, and t_m = L + F, which is without what accelerates the rotor, each of them is an equation for its
own force,

    F = A + |c1 L + k1 F| + |c2 L + k2 F| + S Q,    c = k + what the external torque counts,

S = exp(-(|qd|/v)^a). As c >= k, both sizes are torques of the sign of L until F is as large as c |L|/k, and change one
after the other. So there are two or three straight lines in F, the largest of which counts; no line rises by as much as
F, so the largest of their solutions solves it. Q of the driven motor counts while F < |L|, on the first of them alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from armdyn.actuators.dry import DryFriction
from armdyn.actuators.stribeck import fallen
from armdyn.errors import ModelError
from armdyn.program import maximum

UNITS = {"coulomb": "N m", "viscous": "N m s/rad", "stribeck": "N m", "speed": "rad/s", "exponent": ""}


@dataclass(frozen=True)
class ServoFriction(DryFriction):
    """The laws M1 to M6 of BAM; what is left out counts as zero.

    F = K_v |qd| + K_c + |K_m t_m - K_e t_e| + S (K_cs + |K_ms t_m - K_es t_e| + Q), S = exp(-(|qd|/v)^a), with
    Q = K_eq t_e^2 where the motor drives its load, K_mq t_m^2 where the load drives the motor, 0 where both push the
    same way. M1 is K_c and K_v alone, M2 has S; M3 and M4 have K_m = K_e (and K_ms = K_es), M5 and M6 all.

    Args:
        coulomb: K_c, N m.
        viscous: K_v, N m s/rad.
        stribeck: K_cs, what is added at rest, N m.
        speed: v, at which S is 1/e, rad/s.
        exponent: a.
        motor: K_m, the part of the motor's torque that rubs; K_l of M3 and M4.
        external: K_e, of the torque from outside; K_l of M3 and M4.
        motor_stribeck: K_ms, what is added to K_m at rest; K_ls of M4.
        external_stribeck: K_es, what is added to K_e; K_ls of M4.
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
        """Whether it is more than M1 or M2."""
        return self.lines != 1

    @property
    def lines(self) -> int | None:  # type: ignore[override]
        """One, two or three; None where the force is quadratic in the load."""
        if self.motor_quadratic or self.external_quadratic:
            return None
        if not (self.motor or self.external or self.motor_stribeck or self.external_stribeck):
            return 1
        return 3 if self._changes_first() else 2

    def _changes_first(self) -> float:
        """1 where the first of the two sizes changes its sign at a smaller F than the second, -1 later, 0 together."""
        return float(np.sign(self.external_stribeck * self.motor - self.external * self.motor_stribeck))

    def magnitude(self, speed: Any, load: Any) -> Any:
        """F, the largest of the solutions for the signs that both sizes may have."""
        S = fallen(speed, self.speed, self.exponent)
        A = self.viscous * speed + self.coulomb + self.stribeck * S
        if not self.depends_on_load:
            return A
        k1, k2 = self.motor, self.motor_stribeck * S
        c1, c2 = k1 + self.external, (self.motor_stribeck + self.external_stribeck) * S
        F = maximum(self._driving(S, A, c1 + c2, k1 + k2, load), self._driven(S, A, c1 + c2, k1 + k2, load))
        first = self._changes_first()
        if first:
            F = maximum(F, (A + first * (c1 - c2) * load) / (1.0 - first * (k1 - k2)))
        return F

    def _driving(self, S: Any, A: Any, c: Any, k: Any, load: Any) -> Any:
        """F = A + c L + k F + S Q, where Q is K_eq L^2 for L > 0."""
        if self.external_quadratic:
            pushed = maximum(load, 0.0)
            A = A + S * self.external_quadratic * pushed * pushed
        return (A + c * load) / (1.0 - k)

    def _driven(self, S: Any, A: Any, c: Any, k: Any, load: Any) -> Any:
        """F = A - c L - k F + S Q, where Q is K_mq t^2 for t = -(L + F) > 0, by which the motor holds back.

        S K_mq t^2 + (1 + k) t = (c - 1 - k) L - A = r; so t = 2 r / (1 + k + sqrt((1 + k)^2 + 4 S K_mq r)) where r > 0.
        """
        if not self.motor_quadratic:
            return (A - c * load) / (1.0 + k)
        whole = 1.0 + k
        r = (c - whole) * load - A
        root = np.sqrt(whole * whole + (4.0 * self.motor_quadratic) * S * maximum(r, 0.0))
        return -load - 2.0 * r / (whole + root)
