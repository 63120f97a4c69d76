"""The ranges of an actuator's control and force: the voltage of a DC motor has one, others are no limits of a joint."""

from __future__ import annotations

import math
from collections.abc import Iterator

from armdyn.formats.mjcf.compiler import Compiled


def most_voltage(compiled: Compiled, a: int) -> float:
    """The larger end of the range of a DC motor's control that is its voltage, V; infinite without one."""
    return max(map(abs, _control_range(compiled, a))) if _takes_voltage(compiled, a) else math.inf


def ranges_not_used(compiled: Compiled, a: int, *, is_read: bool) -> Iterator[str]:
    """The ranges of actuator a that nothing is read of; of a voltage one that differs with the direction.

    Args:
        compiled: the file.
        a: number of the actuator.
        is_read: whether it becomes a DC motor of its joint, with the limits of that.
    """
    least, most = _control_range(compiled, a)
    if (least != -most) if is_read and _takes_voltage(compiled, a) else math.isfinite(most):
        yield f"ctrlrange {least:g} to {most:g}"
    if not is_read and compiled.m.actuator_forcelimited[a]:
        least, most = compiled.m.actuator_forcerange[a]
        yield f"forcerange {least:g} to {most:g}"


def _takes_voltage(compiled: Compiled, a: int) -> bool:
    """Whether the only control of a DC motor is its voltage; MuJoCo 3 has no other motors and no such word."""
    inputs = getattr(compiled.mujoco, "mjtCtrlInput", None)
    return inputs is not None and compiled.m.actuator_ctrlspec[a] == int(inputs.mjINPUT_VOLTAGE)


def _control_range(compiled: Compiled, a: int) -> tuple[float, float]:
    """The bounds of its control, of the first where it has several; infinite where it has none."""
    m, place = compiled.m, a
    if hasattr(m, "actuator_ctrladr"):  # since MuJoCo 4
        if m.actuator_ctrlnum[a] == 0:
            return -math.inf, math.inf
        place = int(m.actuator_ctrladr[a])
    least, most = m.actuator_ctrlrange[place] if m.actuator_ctrllimited[place] else (-math.inf, math.inf)
    return float(least), float(most)
