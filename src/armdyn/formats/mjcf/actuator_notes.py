"""Notes on the parts of actuators that no equation contains: controllers, delays, ranges, gears without a rotor."""

from __future__ import annotations

import math
from collections.abc import Iterator

from armdyn.formats.mjcf.actuator_ranges import ranges_not_used
from armdyn.formats.mjcf.actuators import MjcfActuator, actuators_of
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.model.messages import listing

SHOWN = 10
"""The most actuators that one note names."""

ALIKE = 1e-12
"""The relative difference of two motor constants below which they are equal."""


def notes_on_actuators(compiled: CompiledMjcf) -> Iterator[str]:
    """Notes on the parts of the file's actuators that no equation contains."""
    actuators = actuators_of(compiled)
    if not actuators:
        return
    one = len(actuators) == 1
    counted = "1 actuator is" if one else f"{len(actuators)} actuators are"
    felt = any(actuator.bears_on_motion for actuator in actuators)
    but = ", but for what their joints feel of gears, rotors and shafts" if felt else ""
    yield f"{counted} not part of the equations{but}: tau is what {'it puts' if one else 'they put'} on the joints"
    unused = [f"{actuator.label} ({text})" for actuator in actuators if (text := ", ".join(_not_used(actuator)))]
    if unused:
        yield f"not used of actuators: {listing(unused, SHOWN)}"
    disabled = [actuator.label for actuator in actuators if actuator.is_disabled]
    if disabled:
        yield f"MuJoCo's own force of {listing(disabled, SHOWN)} is disabled; tau is what you put on the joints"
    motors = [a for a in actuators if a.is_dc_motor and a.bears_on_motion]
    second = [a.label for k, a in enumerate(motors) if a.joint in {other.joint for other in motors[:k]}]
    if second:
        yield f"constants of the second motor on a joint are left out: {listing(second, SHOWN)}"
    yield from _merged_constants(compiled, motors)
    bristles = [actuator.label for actuator in actuators if actuator.bristles]
    if bristles:
        yield (
            f"LuGre friction of {listing(bristles, SHOWN)}: its bristles bend in simulate and ClosedLoop, all other "
            "functions count it as at a steady velocity (armdyn.actuators.LuGre)"
        )


def _merged_constants(compiled: CompiledMjcf, motors: list[MjcfActuator]) -> Iterator[str]:
    """DC motors whose torque constant differs from that of their back-EMF, as stated in the file itself."""
    if not motors:
        return
    for section in ("actuator", "default"):
        for part in compiled.root.all(section):
            for element in part.walk():
                numbers = element.attributes.get("motorconst", "").split() if element.tag == "dcmotor" else []
                kt, ke = map(float, numbers if len(numbers) == len(("kt", "ke")) else (0.0, 0.0))
                if min(kt, ke) > 0.0 and abs(kt - ke) > ALIKE * kt:
                    yield (
                        f"motorconst {kt:g} {ke:g} ({compiled.document}:{element.line}) is one constant in MuJoCo and "
                        f"here, the geometric mean {math.sqrt(kt * ke):.6g}: torque per current differs from {kt:g}"
                    )


def _not_used(actuator: MjcfActuator) -> Iterator[str]:
    """The numbers of its gear, its controller, its delay and its ranges."""
    compiled, m, a = actuator.compiled, actuator.compiled.m, actuator.index
    if not actuator.bears_on_motion and actuator.gear != 1.0:
        yield f"gear {actuator.gear:g}"
    if int(actuator.number("plugin") if hasattr(m, "actuator_plugin") else -1) >= 0:
        yield "plugin"
    if actuator.is_dc_motor:
        yield from _of_dc_motor(actuator)
    elif _kind(actuator, "gain") == "pid":
        yield from _of_pid(actuator)
    else:
        yield from _gains(actuator)
        dynamics = _kind(actuator, "dyn")
        if dynamics in ("filter", "filterexact"):
            yield f"timeconst {actuator.number('dynprm', 0):g}"
        elif dynamics not in ("none", _kind(actuator, "gain")):
            yield f"dyntype {dynamics}"
    if m.actuator_actlimited[a]:
        least, most = m.actuator_actrange[a]
        yield f"actrange {least:g} to {most:g}"
    if delay := actuator.number("delay"):
        yield f"delay {delay:g} s"
    is_read = actuator.is_dc_motor and actuator.bears_on_motion
    yield from ranges_not_used(compiled, a, is_read=is_read)


def _of_dc_motor(actuator: MjcfActuator) -> Iterator[str]:
    gains = {"kp": ("gainprm", 4), "ki": ("gainprm", 5), "kd": ("gainprm", 6), "slewmax": ("dynprm", 7),
             "Imax": ("dynprm", 8)}  # fmt: skip
    yield from (f"{name} {value:g}" for name, place in gains.items() if (value := actuator.number(*place)))
    if actuator.lugre[0] and not actuator.bristles:
        yield f"lugre {' '.join(f'{value:g}' for value in actuator.lugre)}"


def _of_pid(actuator: MjcfActuator) -> Iterator[str]:
    """Its inputs, each a control of its own, and its gains."""
    mujoco, spec = actuator.compiled.mujoco, int(actuator.number("ctrlspec"))
    inputs = mujoco.mjtCtrlInput
    bits = {"pos": inputs.mjINPUT_POS, "vel": inputs.mjINPUT_VEL, "ff": inputs.mjINPUT_FF}
    names = [name for name, bit in bits.items() if spec & int(bit)]
    yield f"pid of {len(names)} control{'s' if len(names) > 1 else ''} {' '.join(names)}"
    gains = {"kp": ("biasprm", 1), "kv": ("biasprm", 2)}
    yield from (f"{name} {-value:g}" for name, place in gains.items() if (value := actuator.number(*place)))
    others = {"ki": ("gainprm", 0), "imax": ("dynprm", 0), "slewmax": ("dynprm", 1)}
    yield from (f"{name} {value:g}" for name, place in others.items() if (value := actuator.number(*place)))


def _kind(actuator: MjcfActuator, of: str) -> str:
    """The kind of its gain, bias or dynamics, in MJCF's word."""
    mujoco, kinds = actuator.compiled.mujoco, {"gain": "mjtGain", "bias": "mjtBias", "dyn": "mjtDyn"}
    number = int(getattr(actuator.compiled.m, f"actuator_{of}type")[actuator.index])
    return str(getattr(mujoco, kinds[of])(number).name.rpartition("_")[2].lower())


def _gains(actuator: MjcfActuator) -> Iterator[str]:
    kind = _kind(actuator, "gain")
    if kind == "affine":  # <damper>: -kv times the control and the velocity
        yield "gain " + " ".join(f"{actuator.number('gainprm', k):g}" for k in range(3))
        return
    if kind != "fixed":
        yield kind
        return
    gain = actuator.number("gainprm", 0)
    offset, by_length, by_rate = (actuator.number("biasprm", k) for k in range(3))
    if _kind(actuator, "bias") != "affine":
        yield from [f"gain {gain:g}"] if gain != 1.0 else []
    elif offset == 0.0 and by_length == -gain:
        yield f"kp {gain:g}"
        yield from [f"kv {-by_rate:g}"] if by_rate else []
    elif offset == by_length == 0.0 and by_rate == -gain:
        yield f"kv {gain:g}"
    elif offset == by_length == by_rate == 0.0:
        yield f"gain {gain:g}"
    else:
        yield f"gain {gain:g}, bias {offset:g} {by_length:g} {by_rate:g}"
