"""The account of a DC bus: power and energy that a supply gives, takes back, stores and burns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.spatial.rotations import Array
from armdyn.threads import cached_property

if TYPE_CHECKING:
    from armdyn.actuators.supply import Supply

ROUNDING = 1e-12
"""Of a power against the limit at which its interval was cut, relative."""


@dataclass(frozen=True, eq=False)
class Overload:
    """An interval in which the supply's limit is exceeded.

    Args:
        start: s.
        end: s.
        peak_time: of the largest power, s.
        peak_power: of the supply at that time, W; negative where it takes more back than it can.
        shares: the power of each joint's drive at that time, W.
    """

    start: float
    end: float
    peak_time: float
    peak_power: float
    shares: dict[str, float]


@dataclass(frozen=True, eq=False)
class BusAccount:
    """Powers on a DC bus over time, W, at the beginning and the end of every interval, in which they are linear.

        sum of powers = power of the supply - power burnt - rate of the stored energy

    Args:
        supply: of the bus.
        joints: names of the drives.
        t: times, s, shape (2 K,): of K intervals without gaps, each with its beginning and its end.
        powers: of the drives, W, shape (2 K, drives); negative where they give back.
        passes: whether the capacitor leaves the power to supply and resistor, shape (2 K,).
        stored: energy of the capacitor above that at the supply's voltage, J, shape (2 K,).
    """

    supply: Supply
    joints: tuple[str, ...]
    t: Array
    powers: Array
    passes: Array
    stored: Array

    @cached_property
    def bus_power(self) -> Array:
        """The sum of the drives' powers, W, shape (2 K,)."""
        total: Array = self.powers.sum(axis=1)
        return total

    @property
    def supply_power(self) -> Array:
        """Power of the supply, W, shape (2 K,); negative where it returns power to the mains."""
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
        """The power of the supply over its voltage, A, shape (2 K,)."""
        return self.supply_power / self.supply.voltage

    @property
    def bus_voltage(self) -> Array:
        """sqrt(V^2 + 2 E/C) with the stored energy E, V, shape (2 K,)."""
        V, C = self.supply.voltage, self.supply.capacitance
        return np.sqrt(V**2 + 2.0 * self.stored / C) if C else np.full(len(self.t), V)

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
        """The energy that became heat in the resistor, J."""
        return self._energy(self.burnt_power)

    @property
    def left(self) -> float:
        """The energy in the capacitor at the end above that at the supply's voltage, J."""
        return float(self.stored[-1])

    @property
    def used(self) -> dict[str, float]:
        """The electrical energy of each drive, J: what it took less what it gave back."""
        return {name: self._energy(self.powers[:, k]) for k, name in enumerate(self.joints)}

    @property
    def shared(self) -> float:
        """The energy that drives gave to others at the same time, J."""
        t, powers = split_at((0.0,), self.t, self.powers, each=True)
        taken = np.maximum(powers, 0.0).sum(axis=1) - np.maximum(powers.sum(axis=1), 0.0)
        return float(np.trapezoid(taken, t))

    @property
    def peak_power(self) -> float:
        """The largest power that the supply gives, W."""
        return float(self.supply_power.max())

    @property
    def overloads(self) -> tuple[Overload, ...]:
        """The intervals in which the supply's limit is exceeded, in order of time."""
        size = np.abs(self.supply_power).reshape(-1, 2).max(axis=1)
        over = np.concatenate([[False], size > self.supply.limit * (1.0 + ROUNDING), [False]])
        starts, ends = np.flatnonzero(~over[:-1] & over[1:]), np.flatnonzero(over[:-1] & ~over[1:])
        return tuple(self._overload(2 * int(first), 2 * int(last)) for first, last in zip(starts, ends, strict=True))

    def _overload(self, first: int, last: int) -> Overload:
        k = first + int(np.abs(self.supply_power[first:last]).argmax())
        shares = dict(zip(self.joints, self.powers[k].tolist(), strict=True))
        start, end, peak = (float(self.t[place]) for place in (first, last - 1, k))
        return Overload(start, end, peak, float(self.supply_power[k]), shares)

    def _energy(self, power: Array) -> float:
        """The integral over time: exact, for powers are linear in each interval and none changes its sign inside."""
        return float(np.trapezoid(power, self.t))

    def __repr__(self) -> str:
        return (
            f"<BusAccount: {self.drawn:.6g} J drawn, {self.given_back:.6g} J given back, {self.burnt:.6g} J burnt, "
            f"peak {self.peak_power:.6g} W, {len(self.overloads)} overloads>"
        )


def split_at(levels: Sequence[float], t: Array, powers: Array, *, each: bool = False) -> tuple[Array, Array]:
    """Times and powers with further samples where the sum of the powers, or each of them, passes a level."""
    followed = powers if each else powers.sum(axis=1, keepdims=True)
    places, shares = [np.arange(len(t))], [np.zeros(len(t))]
    for level in levels:
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
