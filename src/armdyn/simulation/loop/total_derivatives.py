"""Derivatives of a closed loop by the arguments of its call, some of which are the defaults of others.

A call without theta begins with theta = q, one without thetad with thetad = qd, and rotors of rigid joints have the
positions of their links in any case; the times of the steps are t_k = t0 + k h. All of these are linear, so rates go
forward and gradients backward through them by sums (the chain rule).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array

ROTORS = {"theta": "q", "thetad": "qd"}
"""States of rotors, and the states of links to which they are equal at rigid joints and by default."""

TIMES = ("h", "t0")
"""The arguments from which the times of the steps follow."""


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
        found = [name for name in named if name != "t0" or not self.takes_time]
        found += [rotors for rotors, links in self._rotors.items() if links in named and rotors not in named]
        if self.takes_time and "t" not in named and any(name in named for name in TIMES):
            found.append("t")
        return tuple(found)

    def tangents(self, names: Iterable[str], call: Mapping[str, Any], steps: int) -> dict[str, Any]:
        """The rates of the rollout's arguments that follow from those of the call, ``tangent_X`` of X."""
        named = tuple(names)
        found: dict[str, Any] = {}
        for rotors, links in self._rotors.items():
            if links in named or rotors in named:
                of_links, own = call.get(f"tangent_{links}"), call.get(f"tangent_{rotors}")
                if rotors not in named and call.get(rotors) is None:
                    own = of_links
                if (rotors in named and own is None) or (links in named and of_links is None):
                    continue  # the rollout names the rate that is missing
                found |= self._of_rotors(own, of_links, rotors, changes=rotors in self.wrt(named))
        if "t" in self.wrt(named) and "t" not in named:
            k, zero = np.arange(steps), np.zeros(())
            h, t0 = (call.get(f"tangent_{name}", zero) if name in named else zero for name in TIMES)
            found["tangent_t"] = _over_time(t0, steps) + _over_time(h, steps) * k.reshape(-1, *(1,) * np.ndim(h))
        return found

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
