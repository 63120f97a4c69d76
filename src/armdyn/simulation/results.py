"""The trajectory of the states that a simulation kept; its notes: terms left out, energy drift, limits not kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from armdyn.base.advice import either, option
from armdyn.motion.energy import EnergyAccount
from armdyn.motion.labels import Labels, of_robot
from armdyn.motion.limits_passed import limits_left
from armdyn.motion.motion_data import MotionData, Statistics
from armdyn.motion.trajectory import Trajectory
from armdyn.robot import Robot
from armdyn.simulation.divergence import too_long_for_springs
from armdyn.simulation.drivers.chattering import CHATTERING
from armdyn.simulation.elements.bristles import bristle_labels, names
from armdyn.simulation.elements.dry_joints import can_hold, drive_of_links, rubbing_bodies
from armdyn.simulation.elements.own import labels_of_states, other_energy
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.samples import ELEMENTS, Samples
from armdyn.simulation.system.system import System
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


def _labels(robot: Robot, signals: Mapping[str, Array], samples: Samples) -> Labels:
    """Names and units of the values of signals, if they are known."""
    if not signals:
        return {}
    labels = samples.labels | of_robot(robot, {name: values.shape[-1] for name, values in signals.items()})
    labels |= {"bristles": bristle_labels(robot.model), ELEMENTS: labels_of_states(robot.model)}
    return {name: labels[name] for name in signals if name in labels}


def made_trajectory(system: System, method: Method, samples: Samples, wall_time: float) -> Trajectory:
    """The trajectory of the samples; accelerations, energies and notes are computed when they are first read."""
    robot, (tau, *wrench) = system.robot, samples.forces

    def results(_: MotionData) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            qdd, energy, signals = system.results(samples)
        return {"qdd": qdd, "energy": energy, "signals": signals, "signal_labels": _labels(robot, signals, samples)}

    def notes(motion: MotionData) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            return {"notes": notes_on(robot, method, samples, motion.energy)}

    return Trajectory.with_deferred(
        {("qdd", "energy", "signals", "signal_labels"): results, ("notes",): notes},
        robot=robot.name,
        joint_names=robot.joint_names,
        joint_kinds=tuple(joint.kind for joint in robot.joints),
        t=samples.t,
        q=samples.q,
        qd=samples.qd,
        tau=tau,
        f_tip=wrench[0] if wrench else None,
        statistics=Statistics(str(method), samples.effort.steps, samples.effort.evaluations, wall_time),
        dense=samples.dense or None,
        events=tuple(samples.events),
        limits=tuple(joint.limits for joint in robot.joints),
    )


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


def friction_left_out(robot: Robot, bare: Robot, *, sticks: bool, pushed: bool) -> Iterator[str]:
    """Notes on friction that a simulation leaves out: at joints that should stick, of forces, of laws with a state.

    Args:
        robot: the robot that moves.
        bare: the robot without the laws whose state the simulation carries.
        sticks: true if joints with dry friction stick.
        pushed: true if there are stops or contacts.
    """
    if pushed and drive_of_links(bare).depends_on_load:
        yield OF_IMPULSES if can_hold(bare) else OF_PUSHES
    bodies = bare.mechanism.bodies
    dry = [bare.model.joints[bodies[k].joint].name for k in rubbing_bodies(bare.mechanism.drive)]
    if dry and not sticks:
        yield (
            "friction depends on the load of joints that are coupled or turn rotors that are bodies, so joints do not "
            "stick in this simulation: at rest friction counts as 0, and a joint that should stick creeps or chatters "
            f"about rest ({', '.join(dry)}); use friction that does not, or a smooth law"
        )
    at_steady_force = list(dict.fromkeys(names(robot))) if bare is robot else []
    if at_steady_force:
        remedy = either("simulate robot.without_springs()", "leave springs out of the actuators")
        yield (
            "joints beside flexible ones are coupled, or turn rotors that are bodies, so friction with a state of its "
            "own counts at its steady force in this simulation, and nothing bends before it slips "
            f"({', '.join(at_steady_force)}); {remedy}"
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
            f"(t = {samples.t[when]:g} s): {_why_drifting(robot, method, samples, q)}"
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
    other = other_energy(robot, q) if robot.model.elements else ""
    if other:
        return other
    if isinstance(method, FixedStep):
        return too_long_for_springs(robot, method, q[0]) or _usual(method)
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


def _states_lost(robot: Robot, t: Array, q: Array, qd: Array) -> Iterator[str]:
    """The states of a batch that are not finite to the end."""
    finite: Array = np.all(np.isfinite(q), axis=-1)
    places = np.argwhere(~finite[-1])
    if q.ndim > 2 and len(places):
        words = ", ".join(str(tuple(map(int, index))) for index in places[:5])
        row = int((~finite).reshape(len(t), -1).any(axis=1).argmax())
        before = np.abs(qd[row - 1][~finite[row]][0]) if row else np.zeros(robot.dof)
        fastest = f", {robot.joint_names[np.argmax(before)]!r} the fastest joint before" if before.any() else ""
        yield (
            f"{len(places)} of {finite[-1].size} states are not finite to the end, the first from t = {t[row]:g} s on"
            f"{fastest}: {words}{', ...' if len(places) > 5 else ''}"
        )
