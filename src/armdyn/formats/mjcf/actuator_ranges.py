"""The ranges of an actuator's control and force.

A range of forces bounds the effort of the joint; so does that of the control of a plain motor, whose force is its gain
times the control. The range of a DC motor's voltage is a limit of the `Motor`. Others are not limits of a joint.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from armdyn.formats.mjcf.compiler import CompiledMjcf


def most_voltage(compiled: CompiledMjcf, a: int) -> float:
    """The larger end of the range of a DC motor's control that is its voltage, V; infinite without one."""
    return max(map(abs, _control_range(compiled, a))) if _takes_voltage(compiled, a) else math.inf


def ranges_not_used(compiled: CompiledMjcf, a: int, *, is_read: bool) -> Iterator[str]:
    """The ranges of actuator a that are not used; for a voltage, a range that differs with the direction.

    Args:
        compiled: the file.
        a: number of the actuator.
        is_read: True if it becomes a DC motor of its joint, with the limits of the motor.
    """
    least, most = _control_range(compiled, a)
    on_joint = joint_of(compiled, a) is not None
    is_voltage_limit = is_read and _takes_voltage(compiled, a) and least == -most
    is_effort_limit = on_joint and _is_plain(compiled, a)
    if math.isfinite(most) and not is_voltage_limit and not is_effort_limit:
        yield f"ctrlrange {least:g} to {most:g}"
    if not on_joint and compiled.m.actuator_forcelimited[a]:
        least, most = compiled.m.actuator_forcerange[a]
        yield f"forcerange {least:g} to {most:g}"


def effort_range(compiled: CompiledMjcf, j: int) -> tuple[float, float]:
    """The least and the most that actuators may exert on joint j, N m or N: its own range, and the sum of theirs."""
    m = compiled.m
    least, most = m.jnt_actfrcrange[j] if m.jnt_actfrclimited[j] else (-math.inf, math.inf)
    drives = [_on_joint(compiled, a) for a in range(len(m.actuator_trntype)) if joint_of(compiled, a) == j]
    if drives:
        least, most = max(least, sum(low for low, _ in drives)), min(most, sum(high for _, high in drives))
    return float(least), float(most)


def _on_joint(compiled: CompiledMjcf, a: int) -> tuple[float, float]:
    """The range of an actuator's force, at the output of its gear."""
    m, gear = compiled.m, float(compiled.m.actuator_gear[a, 0])
    least, most = m.actuator_forcerange[a] if m.actuator_forcelimited[a] else (-math.inf, math.inf)
    if _is_plain(compiled, a):
        by_control = sorted(float(m.actuator_gainprm[a, 0]) * end for end in _control_range(compiled, a))
        least, most = max(least, by_control[0]), min(most, by_control[1])
    if gear == 0.0:
        return 0.0, 0.0
    low, high = sorted((gear * float(least), gear * float(most)))
    return low, high


def _is_plain(compiled: CompiledMjcf, a: int) -> bool:
    """True if its force is a gain times its control, or times a low-pass of it, and the control has a range."""
    m, mujoco = compiled.m, compiled.mujoco
    filters = {int(mujoco.mjtDyn.mjDYN_NONE), int(mujoco.mjtDyn.mjDYN_FILTER), int(mujoco.mjtDyn.mjDYN_FILTEREXACT)}
    return (
        m.actuator_gaintype[a] == int(mujoco.mjtGain.mjGAIN_FIXED)
        and m.actuator_gainprm[a, 0] != 0.0
        and (m.actuator_biastype[a] == int(mujoco.mjtBias.mjBIAS_NONE) or not m.actuator_biasprm[a, :3].any())
        and int(m.actuator_dyntype[a]) in filters
        and math.isfinite(_control_range(compiled, a)[1])
    )


def joint_of(compiled: CompiledMjcf, a: int) -> int | None:
    """The number of the joint that an actuator drives; None for other transmissions."""
    m, types = compiled.m, compiled.mujoco.mjtTrn
    on_joint = (int(types.mjTRN_JOINT), int(types.mjTRN_JOINTINPARENT))
    return int(m.actuator_trnid[a, 0]) if m.actuator_trntype[a] in on_joint else None


def _takes_voltage(compiled: CompiledMjcf, a: int) -> bool:
    """True if the only control of a DC motor is its voltage; MuJoCo 3 has no other motors and no such attribute."""
    inputs = getattr(compiled.mujoco, "mjtCtrlInput", None)
    return inputs is not None and compiled.m.actuator_ctrlspec[a] == int(inputs.mjINPUT_VOLTAGE)


def _control_range(compiled: CompiledMjcf, a: int) -> tuple[float, float]:
    """The bounds of its control, of the first if it has several; infinite if it has none or they are disabled."""
    m, place = compiled.m, a
    if compiled.disabled("clampctrl"):
        return -math.inf, math.inf
    if hasattr(m, "actuator_ctrladr"):  # since MuJoCo 4
        if m.actuator_ctrlnum[a] == 0:
            return -math.inf, math.inf
        place = int(m.actuator_ctrladr[a])
    least, most = m.actuator_ctrlrange[place] if m.actuator_ctrllimited[place] else (-math.inf, math.inf)
    return float(least), float(most)
