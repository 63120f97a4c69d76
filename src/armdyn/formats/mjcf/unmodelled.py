"""Elements of MJCF that the rigid-body equations do not contain.

Forces that act on the arm without a command or a contact (springs, constraints, fluids, gravity compensation) are
refused if they are part of the model: without them every acceleration would be wrong. Elements that act only on command
or contact are listed in the notes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.advice import option
from armdyn.errors import Unsupported
from armdyn.formats.mjcf.actuators import actuators_of, notes_on_actuators
from armdyn.formats.mjcf.arms import arm_beside
from armdyn.formats.mjcf.compiler import Compiled
from armdyn.formats.mjcf.friction import is_left_out
from armdyn.formats.mjcf.loops import KINDS as LOOPS
from armdyn.formats.mjcf.tree import Tree
from armdyn.model.messages import first_of, listing
from armdyn.model.model import Model

SHOWN = 10
"""The most refusals in one message."""


def refuse_unmodelled(compiled: Compiled, tree: Tree, model: Model) -> None:
    """Raise if forces that are not modelled act on the model."""
    found = [
        *_multi_dof_joints(compiled, tree, model),
        *_springs(compiled, tree, model),
        *_equalities(compiled),
        *_tendons(compiled),
        *_rotors_of_actuators(compiled),
        *_gravity_compensated(compiled, tree, model),
        *_plugins_and_flexes(compiled, tree, model),
        *_fluid(compiled),
    ]
    if found:
        raise Unsupported("\n".join(first_of(found, SHOWN)))


def _multi_dof_joints(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    frames = {frame.name for frame in model.frames} - {model.base}
    refused = [joint for joint in tree.multi_dof if joint.child in frames]
    arm = arm_beside(compiled, tree) if refused and model.base == tree.names.bodies[0] else None
    for joint in refused:
        if joint.type == "free":
            reason, remedy = "an arm stands on something", "delete the joint"
        else:
            reason, remedy = "the joints of an arm have one number each", "make it three hinges on one body"
        if arm is not None and joint.child not in arm.bodies:
            advice = f"Read the arm beside it, with {arm.selection}"
        else:
            advice = f"Read what this joint carries, with {option('base', joint.child)}"
        yield f"{joint.type} joint {joint.name!r} ({joint.where}): {reason}. {advice}, or {remedy}."


def _springs(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    m, moving = compiled.m, set(model.joint_names)
    if compiled.disabled("spring") or compiled.disabled("passive"):
        return
    sprung = [
        name
        for j, name in enumerate(tree.names.joints)
        if name in moving and (np.any(m.jnt_stiffness[j]) or np.any(compiled.numbers("jnt_stiffnesspoly", j)))
    ]
    if sprung:
        names = listing([f"{name!r} ({compiled.where(name)})" for name in sprung], SHOWN)
        yield (
            f"springs (stiffness) on joint{'s' if len(sprung) > 1 else ''} {names}: their forces are not "
            "modelled. Set the stiffness to 0 and make the spring's force a part of tau, or lock the joint: "
            f"{option('locked', {sprung[0]: 0.0})}."
        )


def _equalities(compiled: Compiled) -> Iterator[str]:
    """Constraints that are neither couplings of joints nor loops between bodies."""
    for e, kind in compiled.equalities():
        if kind not in ("joint", *LOOPS):
            yield (
                f"{compiled.label('equality', e)}, a {kind} constraint: it is not modelled. Delete it, or say what it "
                "asks for with robot.with_constraints(...)."
            )


def _tendons(compiled: Compiled) -> Iterator[str]:
    m = compiled.m
    for t in range(m.ntendon):
        acts = [
            word for word in ("stiffness", "stiffnesspoly", "armature") if np.any(compiled.numbers(f"tendon_{word}", t))
        ]
        if acts:
            yield (
                f"{compiled.label('tendon', t)} has {' and '.join(acts)}: tendons are not modelled. Set it to 0, and "
                "make the tendon's force a part of tau."
            )


def _rotors_of_actuators(compiled: Compiled) -> Iterator[str]:
    """Rotors that no single joint feels."""
    for actuator in actuators_of(compiled):
        if actuator.joint is None and (actuator.number("armature") or actuator.number("damping")):
            yield (
                f"{actuator.label} has armature or damping, and drives no joint: such actuators are not modelled. Give "
                "both, times the gear ratio squared, to the joint that it drives."
            )


def _gravity_compensated(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    """Bodies with gravity compensation; without gravity it has no effect."""
    m = compiled.m
    if not model.gravity.any():
        return
    moving = {frame.name for frame in model.frames if frame.link != model.base}
    compensated = [name for b, name in enumerate(tree.names.bodies) if m.body_gravcomp[b] and name in moving]
    if compensated:
        names = listing([repr(name) for name in compensated], SHOWN)
        yield (
            f"gravcomp of {names} ({compiled.where(compensated[0])}): weight that is taken off single bodies is not "
            "modelled. Delete gravcomp; or, where every body has it, read the arm with gravity=(0, 0, 0)."
        )


def _plugins_and_flexes(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    m = compiled.m
    frames = {frame.name for frame in model.frames}
    for b, name in enumerate(tree.names.bodies):
        if m.body_plugin[b] >= 0 and name in frames:
            yield f"body {name!r} ({compiled.where(name)}) has a plugin, whose forces are not modelled. Delete it."
    if m.nflex:
        yield f"flex {compiled.name('flex', 0)!r} ({compiled.document}): bodies that bend are not modelled. Delete it."


def _fluid(compiled: Compiled) -> Iterator[str]:
    for quantity in ("density", "viscosity"):
        value = getattr(compiled.m.opt, quantity)
        if value:
            yield (
                f"<option> {quantity} is {value:g} ({compiled.document}): the forces of a fluid on the bodies are not "
                f"modelled. Delete {quantity}."
            )


def notes_on_unused(compiled: Compiled, tree: Tree) -> Iterator[str]:
    """Elements of the file that are not used and exert no force by themselves."""
    m = compiled.m
    yield from (f"MuJoCo's compiler warns: {warning}" for warning in compiled.warnings)
    colliding = int(np.count_nonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0)))
    if (colliding > 1 or m.npair) and not compiled.disabled("contact") and not compiled.disabled("constraint"):
        yield "contacts between geoms are not part of the equations"
    yield from notes_on_actuators(compiled)
    if m.ntendon:
        its = "its" if m.ntendon == 1 else "their"
        yield f"{_counted(m.ntendon, 'tendon')} not part of the equations, nor are {its} damping and friction"
    inactive = [compiled.label("equality", e) for e in range(m.neq) if not m.eq_active0[e]]
    if inactive:
        are = "is" if len(inactive) == 1 else "are"
        yield f"{listing(inactive, SHOWN)} {are} inactive and left out"
    bent = [
        name
        for j, name in enumerate(tree.names.joints)
        if is_left_out(compiled.numbers("dof_dampingpoly", m.jnt_dofadr[j]))
    ]
    if bent:
        yield f"the negative higher coefficients of the damping of {', '.join(bent)} are left out"
    mocap = [name for b, name in enumerate(tree.names.bodies) if m.body_mocapid[b] >= 0]
    if mocap:
        yield f"mocap bodies stand where the file puts them: {', '.join(mocap)}"
    for count, what in ((m.nkey, "keyframe"), (m.nsensor, "sensor")):
        if count:
            yield f"{_counted(count, what)} not used"


def _counted(count: int, what: str) -> str:
    """A count with its noun and verb: "1 sensor is", "2 sensors are"."""
    return f"1 {what} is" if count == 1 else f"{count} {what}s are"
