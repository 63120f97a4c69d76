"""Notes of a trajectory: terms that the equations left out, and limits that the motion did not keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from armdyn.base.advice import either, option
from armdyn.model.joint_units import UNITS
from armdyn.motion.energy import EnergyAccount
from armdyn.robot import Robot
from armdyn.simulation.drivers.chattering import CHATTERING
from armdyn.simulation.elements.bristles import names
from armdyn.simulation.elements.dry_joints import can_hold, drive_of_links, rubbing_bodies
from armdyn.simulation.elements.events import joints_of_several
from armdyn.simulation.elements.spring_steps import too_long_for_springs
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.samples import Samples
from armdyn.spatial.rotations import Array

AT_STOP = 1e-8
"""rad or m: a joint that is less than this beyond a stop is at it."""

SOLVED = 1e-10
"""An implicit equation is solved if its residual, over the velocities, is below this."""

OF_IMPULSES = (
    "friction depends on the load, and does not feel the impulses of stops and contacts: impacts change velocities as "
    "if friction took no impulse"
)

OF_PUSHES = (
    "friction depends on the load, and does not feel the forces of stops and contacts nor their impulses: it is that "
    "of the load without them, and theirs are those of joints whose friction stays what it is"
)


LOST = 0.1
"""Largest energy drift of a motion without a note, over the energy that was exchanged."""

PER_STEP = 10.0
"""Largest energy drift per step of an adaptive method without a note, over its tolerance."""

MOVES = 1e-3
"""rad or m: joints that move by less only chatter about rest, with little exchange of energy."""


def notes_on(robot: Robot, method: Method, samples: Samples, energy: EnergyAccount) -> tuple[str, ...]:
    """One sentence each."""
    t, q, qd, tau = samples.t, samples.q, samples.qd, samples.forces[0]
    return (
        *samples.notes,
        *_drift(robot, t, q),
        *_unsolved(samples, energy),
        *_energy_drift(robot, method, samples, energy),
        *limits_left(
            robot,
            t,
            q,
            qd,
            tau,
            at_limit=AT_STOP if "stop_force" in samples.signals else 0.0,
            of=" (of the states saved)" if samples.effort.steps > len(t) - 1 else "",
        ),
        *([samples.lost] if samples.lost else _states_lost(robot, t, q, qd)),
    )


def friction_left_out(robot: Robot, slides: Robot, method: Method, *, sticks: bool, pushed: bool) -> Iterator[str]:
    """Notes on friction that a simulation leaves out.

    Args:
        robot: the robot that moves.
        slides: the robot without the laws whose state the simulation carries.
        method: of the simulation.
        sticks: true if joints with dry friction stick.
        pushed: true if there are stops or contacts.
    """
    yield from friction_at_rest(slides, method, sticks=sticks, pushed=pushed)
    if slides is robot:
        yield from friction_states(robot)


def friction_at_rest(robot: Robot, method: Method, *, sticks: bool, pushed: bool) -> Iterator[str]:
    """Notes on joints that should stick and do not in this simulation, and on forces left out of its friction."""
    if pushed and drive_of_links(robot).depends_on_load:
        yield OF_IMPULSES if can_hold(robot) else OF_PUSHES
    drive, bodies = robot.mechanism.drive, robot.mechanism.bodies
    dry = [robot.model.joints[bodies[k].joint].name for k in rubbing_bodies(drive)]
    if sticks or not dry:
        return
    if not can_hold(robot):
        why = "friction depends on the load of joints that are coupled or turn rotors that are bodies"
        remedy = "use friction that does not, or a smooth law"
    else:
        why, remedy = f"{method} cannot stop where joints come to rest", f"use {option('method', 'adaptive')} or 'rk4'"
    yield (
        f"{why}, so joints do not stick in this simulation: at rest friction counts as 0, and a joint that should "
        f"stick creeps or chatters about rest ({', '.join(dry)}); {remedy}"
    )


def friction_states(robot: Robot) -> Iterator[str]:
    """A note on friction laws whose state is left out."""
    bent = list(dict.fromkeys(names(robot)))
    if bent:
        why = "joints beside flexible ones are coupled, or turn rotors that are bodies"
        remedy = either("simulate robot.without_springs()", "leave springs out of the actuators")
        yield (
            f"{why}, so friction with a state of its own counts at its steady force in this simulation, and nothing "
            f"bends before it slips ({', '.join(bent)}); {remedy}"
        )


def _drift(robot: Robot, t: Array, q: Array) -> Iterator[str]:
    """Notes on the drift of the motion from its constraints."""
    rows = [row for row in robot.constraint_rows if row.holonomic]
    if rows:
        phi = np.abs(robot.constraint_error(q))
        if np.isfinite(phi).any():
            worst = np.unravel_index(np.nanargmax(phi), phi.shape)
            row, when = rows[worst[-1]], t[worst[0]]
            far = f"{phi[worst]:.3g} {row.unit}".rstrip()
            yield f"the motion drifted from its constraints by up to {far} ({row.name!r}, t = {when:g} s)"


def _unsolved(samples: Samples, energy: EnergyAccount) -> Iterator[str]:
    """Notes on the residual that the iterations of an implicit method left; it is twice an energy."""
    if "residual" in samples.memory:
        scale = np.where(energy.scale == 0, 1.0, energy.scale)
        residuals = np.sqrt(samples.memory["residual"] / scale)
        residual = float(np.max(residuals[np.isfinite(residuals)], initial=0.0))
        if residual > SOLVED:
            yield (
                f"the implicit equation of a step was solved to {residual:.2g} of the velocities only, so that the "
                "energy may drift; use a shorter step"
            )


def _energy_drift(robot: Robot, method: Method, samples: Samples, energy: EnergyAccount) -> Iterator[str]:
    """The energy that steps gave or took, if it is much; of an adaptive method, if it is beyond the tolerance."""
    chatters = any(note.startswith(CHATTERING) for note in samples.notes)
    if not isinstance(method, FixedStep | Adaptive) or chatters or _keeps_energy(method, samples, energy):
        return
    drift = np.nan_to_num(np.abs(energy.relative_drift), posinf=0.0)  # of a diverged state another  note tells
    worst = np.unravel_index(np.argmax(drift), drift.shape)
    when, index = int(worst[0]), tuple(int(k) for k in worst[1:])
    q, qd = (np.moveaxis(a, 0, -2)[index] for a in (samples.q, samples.qd))
    far, fast = (np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in (q - q[0], qd))
    allowed = LOST if isinstance(method, FixedStep) else _of_tolerance(method, samples, min(far, fast))
    if drift[worst] > allowed and far > MOVES:
        yield (
            f"the energy drifts by {energy.drift[worst]:.3g} J, {drift[worst]:.2g} of what changed hands "
            f"(t = {samples.t[when]:g} s): {_why_drifting(robot, method, samples, q[0])}"
        )


def _keeps_energy(method: FixedStep | Adaptive, samples: Samples, energy: EnergyAccount) -> bool:
    """True if the energy drifts by less than the least that is allowed, by numbers that are quick to compute."""
    kinetic, potential, work = energy.kinetic, energy.potential - energy.potential[0], energy.work - energy.work[0]
    balance = kinetic + potential - work
    allowed = LOST if isinstance(method, FixedStep) else _of_tolerance(method, samples, 1.0)
    if kinetic.ndim > 1:
        return False
    drift = max(balance.max() - balance[0], balance[0] - balance.min())
    scale = max(kinetic.max(), potential.max(), -potential.min(), work.max(), -work.min())
    return bool(drift <= allowed * scale)


def _why_drifting(robot: Robot, method: FixedStep | Adaptive, samples: Samples, q: Array) -> str:
    if isinstance(method, FixedStep):
        return too_long_for_springs(robot, method, q) or _usual(method)
    return (
        f"more than the errors of its {samples.effort.steps} steps at rtol {method.rtol:g} and atol {method.atol:g} "
        "would give. The motion is less accurate than asked for: look at torque and f_tip, and at q and qd there, or "
        "use a smaller rtol"
    )


def _of_tolerance(method: Adaptive, samples: Samples, size: float) -> float:
    """The part of the energy that may drift by the errors that an adaptive method allows in its steps.

    ``size`` is that of positions and velocities, relative to which an absolute error counts.
    """
    steps = samples.effort.steps / max(int(np.prod(samples.q.shape[1:-1])), 1)
    return PER_STEP * (steps + 1.0) * (method.rtol + method.atol / max(min(size, 1.0), MOVES))


def _usual(method: FixedStep) -> str:
    shorter = f"Use a shorter one, or {option('method', 'adaptive')}"
    return f"the step of {method.step:g} s is too long for this motion. {shorter}"


def in_si(kind: str, quantity: str) -> tuple[str, float]:
    """The SI unit of a joint's quantity, and that it is one."""
    return UNITS[kind][quantity], 1.0


def limits_left(
    robot: Robot,
    t: Array,
    q: Array,
    qd: Array,
    tau: Array,
    unit_of: Callable[[str, str], tuple[str, float]] = in_si,
    *,
    of: str = "",
    at_limit: float = 0.0,
) -> Iterator[str]:
    """One sentence for each kind of limit, with every joint that goes beyond.

    ``unit_of`` returns the unit by kind of joint and quantity, and its value in SI; ``of``, at the end, names the
    times. A position that is beyond by less than ``at_limit``, rad or m, is at its limit.
    """
    several = joints_of_several(robot)
    if not several and not at_limit and _within_limits(robot, q, qd, tau):
        return
    rows, offsets = np.array([row for _, row, _ in several]).reshape(-1, robot.dof), [offset for *_, offset in several]
    moved = [*robot.joints, *(joint for joint, *_ in several)]
    if several:
        q, qd = np.concatenate([q, q @ rows.T + offsets], axis=-1), np.concatenate([qd, qd @ rows.T], axis=-1)
    lower, upper, velocity, effort = (
        np.array([getattr(joint.limits, side) for joint in moved]) for side in ("lower", "upper", "velocity", "effort")
    )
    for what, quantity, values, low, high, least in (
        ("position", "q", q, lower, upper, at_limit),
        ("velocity", "qd", qd, -velocity, velocity, 0.0),
        ("torque", "tau", tau, -effort[: robot.dof], effort[: robot.dof], 0.0),
    ):
        joints = [
            _one_joint(
                moved[k].name,
                t,
                _beyond(values[..., k], low[k], high[k], least),
                *unit_of(moved[k].kind, quantity),
            )
            for k in _joints_beyond(values, low, high, least)
        ]
        if joints:
            yield f"{what} limits, which are not enforced, are left by {'; '.join(joints)}{of}"


def _within_limits(robot: Robot, q: Array, qd: Array, tau: Array) -> bool:
    """True if no coordinate goes beyond a limit, by numbers that are quick to compute."""
    lower, upper, velocity, effort = _limits_of(robot)
    inside = q.min(axis=0) >= lower, q.max(axis=0) <= upper
    return q.ndim == 2 and bool(
        inside[0].all()
        and inside[1].all()
        and (qd.max(axis=0) <= velocity).all()
        and (qd.min(axis=0) >= -velocity).all()
        and (tau.max(axis=0) <= effort).all()
        and (tau.min(axis=0) >= -effort).all()
    )


def _limits_of(robot: Robot) -> list[Array]:
    """The lower and upper limits, and those of velocities and forces, (n,) each, which the robot keeps."""
    kept = vars(robot)
    if "_limits_of_motions" not in kept:
        sides = ("lower", "upper", "velocity", "effort")
        kept["_limits_of_motions"] = [np.array([getattr(one.limits, side) for one in robot.joints]) for side in sides]
    found: list[Array] = kept["_limits_of_motions"]
    return found


def _joints_beyond(values: Array, low: Array, high: Array, least: float) -> list[int]:
    """The joints that go beyond their limits by ``least`` or more."""
    largest, least_value = (_over_states(function, values) for function in (np.fmax, np.fmin))
    excess = np.maximum(largest - high, low - least_value)
    which: list[int] = np.flatnonzero((excess > 0.0) & (excess >= least)).tolist()
    return which


def _over_states(function: np.ufunc, values: Array) -> Array:
    """The reduction over times, then over the states of a batch, each along contiguous numbers, (n,)."""
    of_states = function.reduce(values, axis=0)
    result: Array = function.reduce(of_states.reshape(-1, values.shape[-1]), axis=0)
    return result


def _beyond(values: Array, low: float, high: float, least: float) -> Array:
    """Excess of values over their limits; 0 if it is less than ``least``."""
    beyond = np.maximum(values - high, low - values)
    return np.where(beyond < least, 0.0, beyond)


def _one_joint(name: str, t: Array, beyond: Array, unit: str, one: float) -> str:
    first = t[(beyond > 0).reshape(len(t), -1).any(axis=1).argmax()]
    return f"{name} from t = {first:g} s on by up to {np.nanmax(beyond) / one:.3g} {unit}"


def _states_lost(robot: Robot, t: Array, q: Array, qd: Array) -> Iterator[str]:
    """The states of a batch that are not finite to the end."""
    finite: Array = np.all(np.isfinite(q), axis=-1)
    lost = np.argwhere(~finite[-1])
    if q.ndim > 2 and len(lost):
        shown = ", ".join(str(tuple(map(int, index))) for index in lost[:5])
        row = int((~finite).reshape(len(t), -1).any(axis=1).argmax())
        before = np.abs(qd[row - 1][~finite[row]][0]) if row else np.zeros(robot.dof)
        fastest = f", {robot.joint_names[np.argmax(before)]!r} the fastest joint before" if before.any() else ""
        yield (
            f"{len(lost)} of {finite[-1].size} states are not finite to the end, the first from t = {t[row]:g} s on"
            f"{fastest}: {shown}{', ...' if len(lost) > 5 else ''}"
        )
