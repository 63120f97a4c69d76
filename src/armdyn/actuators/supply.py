"""One supply for several drives: power drawn from its DC bus, returned to it, and dissipated in its resistor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.bus_account import BusAccount, split_at
from armdyn.actuators.sag import most_power, power_at
from armdyn.base.checks import array, number, switch
from armdyn.base.errors import ModelError, ShapeError
from armdyn.base.fields import check_numbers, set_fields
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class Supply:
    """A source of a DC bus that feeds all drives of a robot; power that one drive returns feeds the others first.

    A supply that regenerates returns the surplus to the mains. Any other has a diode that blocks the return: the
    capacitor of the bus is charged from the supply's voltage V to the braking voltage V_b, at which a resistor is
    switched on that dissipates the power. Before the supply gives again the capacitor is discharged to V. So the
    capacitor holds at most C (V_b^2 - V^2)/2 more than at V. Without a capacitor the resistor burns all of it.

    A supply with a resistance of its own falls to the voltage U = V - R I that all drives have in common, and rises by
    the current that is returned to it, as in `armdyn.actuators.sag`. `account` and ``shortages`` are for a prescribed
    motion. In a closed loop, `armdyn.control.through_motors` with ``supply=`` gives the motors no more than the bus
    has.

    Args:
        voltage: V, of the bus while the supply feeds it and no current flows, V.
        power_limit: the most that the supply gives or takes at its terminals, W.
        current_limit: the largest current, A; the power at it is a limit of the power.
        regenerates: True if it returns power to the mains.
        capacitance: C, of the bus, F.
        braking_voltage: V_b, the voltage that switches the resistor on, V; without one the voltage rises without end.
        resistance: R, of the supply and its cables, ohm.

    Raises:
        ModelError: a braking voltage that is not above the supply's, or one of a supply that regenerates.

    >>> supply = armdyn.actuators.Supply(48.0, power_limit=150.0)
    >>> account = supply.account([0.0, 1.0, 2.0], [[100.0, 50.0], [200.0, -40.0], [-40.0, -40.0]])  # two drives
    >>> round(account.drawn, 1), round(account.burnt, 1), round(account.shared, 1)
    (208.3, 13.3, 38.9)
    >>> round(float(account.overloads[0].start), 3), account.overloads[0].peak_power
    (0.0, 160.0)
    """

    voltage: float
    power_limit: float = math.inf
    current_limit: float = math.inf
    regenerates: bool = False
    capacitance: float = 0.0
    braking_voltage: float = math.inf
    resistance: float = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, {"voltage": "V"}, above=0.0)
        check_numbers(self, {"power_limit": "W", "current_limit": "A"}, above=0.0, infinite=True)
        switch("regenerates of Supply", self.regenerates)
        check_numbers(self, {"capacitance": "F", "resistance": "ohm"}, least=0.0)
        braking = number(
            "braking_voltage of Supply", self.braking_voltage, above=self.voltage, unit="V", infinite=True,
            expected=f"a voltage above the supply's {self.voltage:g} V",
        )  # fmt: skip
        set_fields(self, braking_voltage=braking)
        if self.regenerates and math.isfinite(braking):
            raise ModelError(
                "Supply regenerates and has a braking_voltage; expected one of them, as its bus stays at its voltage"
            )

    @property
    def limit(self) -> float:
        """The most power that it gives, W: the least of its limits, and of V^2/(4 R)."""
        return min(self.power_limit, power_at(self.voltage, self.resistance, self.current_limit))

    @property
    def limit_back(self) -> float:
        """The most power that it takes back, W, if it regenerates."""
        return min(self.power_limit, -power_at(self.voltage, self.resistance, -self.current_limit))

    @property
    def storable(self) -> float:
        """The most that the capacitor takes above its energy at V, C (V_b^2 - V^2)/2, J."""
        if self.regenerates or self.capacitance == 0.0:
            return 0.0
        return 0.5 * self.capacitance * (self.braking_voltage**2 - self.voltage**2)

    def account(
        self,
        t: ArrayLike,
        powers: ArrayLike,
        joints: Sequence[str] | None = None,
        voltages: ArrayLike | None = None,
    ) -> BusAccount:
        """Powers on the bus over time, exact if those of the drives are linear between the times.

        Args:
            t: times, s, rising, shape (T,), two at least.
            powers: of the drives at the bus, W, e.g. of ``robot.electrical_power``, shape (T, drives).
            joints: the drives' names; "0", "1", ... if None.
            voltages: between the motors' terminals, V, shape (T, drives), for `BusAccount.shortages`.

        Raises:
            ModelError: times that do not rise, numbers that are not finite; a supply with a resistance and a
                capacitance.
            ShapeError: powers that do not fit the times, names that do not fit the powers.
        """
        if self.capacitance and self.resistance:
            raise ModelError(
                "Supply has a resistance and a capacitance; what flows between them follows a differential equation, "
                "which an account of given powers does not solve. Give one of them, or let the motors of a closed loop "
                "move it: armdyn.control.through_motors(controller, supply=Supply(...))"
            )
        times = array("t", t, ("T",), "s", finite=ModelError)
        each = array("powers", powers, (len(times), "drives"), "W", finite=ModelError)
        if len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise ModelError(f"t has {len(times)} times; expected two at least, each later than the one before")
        names = tuple(map(str, range(each.shape[1]))) if joints is None else tuple(joints)
        if len(names) != each.shape[1]:
            raise ShapeError(f"{len(names)} names of joints for {each.shape[1]} drives; expected one each")
        sizes = None if voltages is None else np.abs(array("voltages", voltages, each.shape, "V", finite=ModelError))
        levels = (0.0, self.limit, -self.limit_back, most_power(self.voltage, self.resistance))
        split_times, each = split_at(levels, times, each)
        flows = self._flows(names, split_times, each)
        return flows if sizes is None else replace(flows, voltages=_between(times, sizes, flows.t))

    def _flows(self, names: tuple[str, ...], t: Array, each: Array) -> BusAccount:
        """The account with beginning and end of every interval, cut when the capacitor becomes empty or full."""
        bus = each.sum(axis=1)
        stored, energies, pieces = 0.0, [], []
        for k in range(len(t) - 1):
            h, ends = t[k + 1] - t[k], (float(bus[k]), float(bus[k + 1]))
            room = stored if sum(ends) > 0.0 else self.storable - stored
            part = 0.0 if self.regenerates else _share_that_takes(room, *ends, h)
            for begin, end, buffered in ((0.0, part, True), (part, 1.0, False)):
                if end > begin:
                    at_begin, at_end = (ends[0] + s * (ends[1] - ends[0]) for s in (begin, end))
                    energies.append(stored)
                    if buffered:
                        stored = min(max(stored - 0.5 * (at_begin + at_end) * (end - begin) * h, 0.0), self.storable)
                    energies.append(stored)
                    pieces.append((k, begin, end, buffered))
        place = np.repeat([k for k, *_ in pieces], 2)
        share = np.ravel([(begin, end) for _, begin, end, _ in pieces])
        passes = np.repeat([not buffered for *_, buffered in pieces], 2)
        powers = each[place] + share[:, None] * (each[place + 1] - each[place])
        return BusAccount(self, names, t[place] + share * (t[place + 1] - t[place]), powers, passes, np.array(energies))


def _between(t: Array, values: Array, at: Array) -> Array:
    """Values over times, linear in between, at other times."""
    return np.stack([np.interp(at, t, column) for column in values.T], axis=-1)


def _share_that_takes(energy: float, first: float, last: float, h: float) -> float:
    """The part of h after which a power of one sign that goes from first to last has moved an energy, at most 1.

    h (a s + (b - a) s^2/2) = E, with a and b the sizes of both: s = 2 E / (h a + sqrt((h a)^2 + 2 E h (b - a))).
    """
    a, b = abs(first) * h, abs(last) * h
    if 0.5 * (a + b) <= energy:
        return 1.0
    return 2.0 * energy / (a + math.sqrt(a * a + 2.0 * energy * (b - a))) if energy else 0.0
