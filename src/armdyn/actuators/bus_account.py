"""The account of a DC bus: power and energy that a supply gives, takes back, stores and burns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.actuators import sag
from armdyn.base.errors import ModelError
from armdyn.base.threads import cached_property
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.actuators.supply import Supply

ROUNDING = 1e-12
"""Relative rounding of a power compared with the limit at which its interval was cut."""


@dataclass(frozen=True, eq=False)
class Overload:
    """An interval in which the supply's limit is exceeded.

    Args:
        start: s.
        end: s.
        peak_time: of the largest power, s.
        peak_power: of the supply at that time, W; negative if more power returns than the supply accepts.
        shares: the power of each joint's drive at that time, W.
    """

    start: float
    end: float
    peak_time: float
    peak_power: float
    shares: dict[str, float]


@dataclass(frozen=True, eq=False)
class Shortage:
    """An interval in which a motor needs more voltage than the bus has, by the samples.

    Args:
        joint: of the motor.
        start: s.
        end: s.
        worst_time: of the largest difference, s.
        needed: voltage between the motor's terminals at that time, V.
        bus_voltage: at that time, V; NaN if the supply cannot give the power.
    """

    joint: str
    start: float
    end: float
    worst_time: float
    needed: float
    bus_voltage: float


@dataclass(frozen=True, eq=False)
class BusAccount:
    """Powers on a DC bus over time, W, at the beginning and the end of every interval, in which they are linear.

        sum of powers = power of the supply at its terminals - power burnt - rate of the stored energy

    Args:
        supply: of the bus.
        joints: names of the drives.
        t: times, s, shape (2 K,): of K intervals without gaps, each with its beginning and its end.
        powers: of the drives, W, shape (2 K, drives); negative while they return power.
        passes: True while the capacitor passes the power on to supply and resistor, shape (2 K,).
        stored: energy of the capacitor above that at the supply's voltage, J, shape (2 K,).
        voltages: absolute voltages of the motors, V, shape (2 K, drives); None if they are unknown.
    """

    supply: Supply
    joints: tuple[str, ...]
    t: Array
    powers: Array
    passes: Array
    stored: Array
    voltages: Array | None = None

    @cached_property
    def bus_power(self) -> Array:
        """The sum of the drives' powers, W, shape (2 K,)."""
        total: Array = self.powers.sum(axis=1)
        return total

    @property
    def supply_power(self) -> Array:
        """Power of the supply, W, shape (2 K,); negative while it returns power to the mains."""
        flows = np.where(self.passes, self.bus_power, 0.0)
        return flows if self.supply.regenerates else np.maximum(flows, 0.0)

    @property
    def burnt_power(self) -> Array:
        """Power burnt in the braking resistor, W, shape (2 K,)."""
        if self.supply.regenerates:
            return np.zeros(len(self.t))
        return np.maximum(np.where(self.passes, -self.bus_power, 0.0), 0.0)

    @property
    def supply_current(self) -> Array:
        """The power of the supply over its voltage under load, A, shape (2 K,); NaN above V^2/(4 R)."""
        return self.supply_power / sag.voltage(self.supply.voltage, self.supply.resistance, self.supply_power)

    @property
    def bus_voltage(self) -> Array:
        """V less R I, or sqrt(V^2 + 2 E/C) with the stored energy E, V, shape (2 K,); NaN above V^2/(4 R)."""
        V, C = self.supply.voltage, self.supply.capacitance
        if C:
            return np.sqrt(V**2 + 2.0 * self.stored / C)
        return sag.voltage(V, self.supply.resistance, self.supply_power)

    @property
    def drawn(self) -> float:
        """The energy taken from the supply, J."""
        return self._energy(np.maximum(self.supply_power, 0.0))

    @property
    def given_back(self) -> float:
        """The energy returned to the mains, J."""
        return self._energy(np.maximum(-self.supply_power, 0.0))

    @property
    def burnt(self) -> float:
        """The energy dissipated in the resistor, J."""
        return self._energy(self.burnt_power)

    @property
    def remaining(self) -> float:
        """The energy in the capacitor at the end above that at the supply's voltage, J."""
        return float(self.stored[-1])

    @property
    def dissipated(self) -> float:
        """The energy dissipated in the supply's own resistance, in addition to the energy drawn, J.

        NaN if the power is above V^2/(4 R) in any interval, because the loss is undefined there.
        """
        first, last = self.supply_power.reshape(-1, 2).T
        means = sag.mean_loss(self.supply.voltage, self.supply.resistance, first, last)
        return float(means @ np.diff(self.t)[::2])

    @property
    def used(self) -> dict[str, float]:
        """The electrical energy of each drive, J: energy taken less energy returned."""
        return {name: self._energy(self.powers[:, k]) for k, name in enumerate(self.joints)}

    @property
    def shared(self) -> float:
        """The energy that drives gave to others at the same time, J."""
        t, powers = split_at((0.0,), self.t, self.powers, each=True)
        exchanged = np.maximum(powers, 0.0).sum(axis=1) - np.maximum(powers.sum(axis=1), 0.0)
        return float(np.trapezoid(exchanged, t))

    @property
    def peak_power(self) -> float:
        """The largest power that the supply gives, W."""
        return float(self.supply_power.max())

    @property
    def overloads(self) -> tuple[Overload, ...]:
        """The intervals in which a limit of the supply is exceeded, in order of time."""
        forwards, back = (sign * self.supply_power.reshape(-1, 2) for sign in (1.0, -1.0))
        exceeds = 1.0 + ROUNDING
        over = (forwards > self.supply.limit * exceeds) | (back > self.supply.limit_back * exceeds)
        return tuple(self._overload(2 * first, 2 * last) for first, last in _runs(np.any(over, axis=1)))

    @property
    def shortages(self) -> tuple[Shortage, ...]:
        """The intervals in which a motor needs more voltage than the bus has, by joint and in order of time.

        Raises:
            ModelError: an account without the motors' voltages.
        """
        if self.voltages is None:
            raise ModelError("the account has no voltages of motors: supply.account takes them by voltages=")
        bus = self.bus_voltage
        return tuple(
            self._shortage(name, needed, bus, slice(first, last))
            for name, needed in zip(self.joints, self.voltages.T, strict=True)
            for first, last in _runs(~(needed <= bus * (1.0 + ROUNDING)))
        )

    def _shortage(self, joint: str, needed: Array, bus: Array, part: slice) -> Shortage:
        t, needed, bus = self.t[part], needed[part], bus[part]
        k = int(np.nan_to_num(needed - bus, nan=np.inf).argmax())
        return Shortage(joint, *map(float, (t[0], t[-1], t[k], needed[k], bus[k])))

    def _overload(self, first: int, last: int) -> Overload:
        k = first + int(np.abs(self.supply_power[first:last]).argmax())
        shares = dict(zip(self.joints, self.powers[k].tolist(), strict=True))
        start, end, peak = (float(self.t[place]) for place in (first, last - 1, k))
        return Overload(start, end, peak, float(self.supply_power[k]), shares)

    def _energy(self, power: Array) -> float:
        """The integral over time: exact, as powers are linear in each interval and none changes its sign inside."""
        return float(np.trapezoid(power, self.t))

    def __repr__(self) -> str:
        return (
            f"<BusAccount: {self.drawn:.6g} J drawn, {self.given_back:.6g} J given back, {self.burnt:.6g} J burnt, "
            f"peak {self.peak_power:.6g} W, {len(self.overloads)} overloads>"
        )


def _runs(holds: Array) -> list[tuple[int, int]]:
    """First and past-the-end indices of the runs of True."""
    padded = np.concatenate([[False], holds, [False]])
    starts, ends = np.flatnonzero(~padded[:-1] & padded[1:]), np.flatnonzero(padded[:-1] & ~padded[1:])
    return [(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def split_at(levels: Sequence[float], t: Array, powers: Array, *, each: bool = False) -> tuple[Array, Array]:
    """Times and powers with further samples at which the sum of the powers, or each of them, passes a level."""
    followed = powers if each else powers.sum(axis=1, keepdims=True)
    places, shares = [np.arange(len(t))], [np.zeros(len(t))]
    for level in dict.fromkeys(levels):
        before, after = followed[:-1] - level, followed[1:] - level
        place, column = np.nonzero(before * after < 0.0)
        places.append(place)
        shares.append(before[place, column] / (before[place, column] - after[place, column]))
    place, share = np.concatenate(places), np.concatenate(shares)
    order = np.lexsort((share, place))
    place, share = place[order], share[order]
    following = np.minimum(place + 1, len(t) - 1)
    return (
        t[place] + share * (t[following] - t[place]),
        powers[place] + share[:, None] * (powers[following] - powers[place]),
    )
