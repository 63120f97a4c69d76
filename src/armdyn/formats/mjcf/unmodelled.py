"""Elements of MJCF that act on an arm and that the equations do not contain: they are refused.

These are the forces that act without a command or a contact (tendons, constraints, fluids): without them every
acceleration would be wrong. Those that do not act on the model, or that a ``<flag>`` switches off, are ignored.
`armdyn.formats.mjcf.unused` notes elements that act only on a command or contact.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.base.advice import option
from armdyn.base.errors import Unsupported
from armdyn.formats.mjcf.actuators import actuators_of
from armdyn.formats.mjcf.arms import arm_beside
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.friction import no_law_has
from armdyn.formats.mjcf.gravcomp import GravityCompensation
from armdyn.formats.mjcf.loops import KINDS as LOOPS
from armdyn.formats.mjcf.springs import is_spring, yields
from armdyn.formats.mjcf.tendons import pulls_at
from armdyn.formats.mjcf.tree import Tree
from armdyn.model.messages import first_of, listing
from armdyn.model.model import Model
from armdyn.model.selection import FrictionPolicy

SHOWN = 10
"""The most refusals in one message."""


def refuse_unmodelled(
    compiled: CompiledMjcf, tree: Tree, model: Model, compensation: GravityCompensation, friction: FrictionPolicy
) -> None:
    """Raise if forces that are not modelled act on the model; friction does not if it is ignored."""
    result = [
        *_multi_dof_joints(compiled, tree, model),
        *_springs(compiled, tree, model),
        *_equalities(compiled, tree, model),
        *_tendons(compiled, tree, model, friction),
        *_rotors_of_actuators(compiled, tree, model, friction),
        *(_negative_damping(compiled, tree, model) if friction == "count" else ()),
        *compensation.refusals,
        *_plugins_and_flexes(compiled, tree, model),
        *_fluid(compiled),
    ]
    if result:
        raise Unsupported("\n".join(first_of(result, SHOWN)))


def _multi_dof_joints(compiled: CompiledMjcf, tree: Tree, model: Model) -> Iterator[str]:
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


def _springs(compiled: CompiledMjcf, tree: Tree, model: Model) -> Iterator[str]:
    moving = set(model.joint_names)
    for j, name in enumerate(tree.names.joints):
        if name in moving and yields(compiled, j):
            yield (
                f"the spring of joint {name!r} ({compiled.where(name)}) has springyield: springs that yield are not "
                "modelled. Delete springyield, and it is elastic, or lock the joint: "
                f"{option('locked', {name: 0.0})}."
            )
    sprung = [name for j, name in enumerate(tree.names.joints) if name in moving and not is_spring(compiled, j)]
    if sprung:
        names = listing([f"{name!r} ({compiled.where(name)})" for name in sprung], SHOWN)
        yield (
            f"springs with a negative stiffness on joint{'s' if len(sprung) > 1 else ''} {names}: expected a number "
            "not below 0. Mend it, set it to 0 and make the force a part of tau, or lock the joint: "
            f"{option('locked', {sprung[0]: 0.0})}."
        )


def _equalities(compiled: CompiledMjcf, tree: Tree, model: Model) -> Iterator[str]:
    """Constraints that are neither couplings of joints nor loops between bodies."""
    m = compiled.m
    for e, kind in compiled.equalities():
        between = [i for i in (int(m.eq_obj1id[e]), int(m.eq_obj2id[e])) if i >= 0]
        if kind == "tendon":
            bears = any(pulls_at(compiled, tree.names, model, t) for t in between)
        elif kind.startswith("flex"):
            bears = not set(between).isdisjoint(_moving_flexes(compiled, tree, model))
        else:
            bears = kind not in ("joint", *LOOPS)
        if bears:
            yield (
                f"{compiled.label('equality', e)}, a {kind} constraint: it is not modelled. Delete it, or say what it "
                "asks for with robot.with_constraints(...)."
            )


def _tendons(compiled: CompiledMjcf, tree: Tree, model: Model, friction: FrictionPolicy) -> Iterator[str]:
    words = {"stiffness": "stiffness", "stiffnesspoly": "stiffness", "armature": "armature"}
    if friction == "count":
        words |= {"damping": "damping", "dampingpoly": "damping", "frictionloss": "frictionloss"}
    for t in range(compiled.m.ntendon):
        acts = {word: None for array, word in words.items() if np.any(compiled.numbers(f"tendon_{array}", t))}
        if acts and pulls_at(compiled, tree.names, model, t):
            yield (
                f"{compiled.label('tendon', t)} has {' and '.join(acts)}: tendons are not modelled. Set it to 0, and "
                "make the tendon's force a part of tau."
            )


def _rotors_of_actuators(compiled: CompiledMjcf, tree: Tree, model: Model, friction: FrictionPolicy) -> Iterator[str]:
    """Rotors that do not load a single joint."""
    m, on_tendon = compiled.m, int(compiled.mujoco.mjtTrn.mjTRN_TENDON)
    for actuator in actuators_of(compiled):
        is_felt = actuator.number("armature") or (friction == "count" and actuator.has_damping)
        drives, driven = int(m.actuator_trntype[actuator.index]), int(m.actuator_trnid[actuator.index, 0])
        is_beside = drives == on_tendon and not pulls_at(compiled, tree.names, model, driven)
        if actuator.joint is None and is_felt and not is_beside:
            yield (
                f"{actuator.label} has armature or damping, and drives no joint: such actuators are not modelled. Give "
                "both, times the gear ratio squared, to the joint that it drives."
            )


def _negative_damping(compiled: CompiledMjcf, tree: Tree, model: Model) -> Iterator[str]:
    """Damping with a negative coefficient of a higher power of the velocity."""
    moving = set(model.joint_names)
    joints = {j: name for j, name in enumerate(tree.names.joints) if name in moving}
    drags = {
        f"joint {name!r} ({compiled.where(name)})": compiled.numbers("dof_dampingpoly", compiled.m.jnt_dofadr[j])
        for j, name in joints.items()
    }
    drags |= {actuator.label: actuator.drag for actuator in actuators_of(compiled) if actuator.joint in joints}
    for label, drag in drags.items():
        if no_law_has(drag):
            numbers = " ".join(f"{b:g}" for b in np.ravel(drag))
            yield (
                f"damping of {label} has the higher coefficients {numbers}: expected none below 0, which would add "
                "energy. Mend them, or set them to 0."
            )


def _plugins_and_flexes(compiled: CompiledMjcf, tree: Tree, model: Model) -> Iterator[str]:
    m = compiled.m
    frames = {frame.name for frame in model.frames}
    for b, name in enumerate(tree.names.bodies):
        if m.body_plugin[b] >= 0 and name in frames and not compiled.passive_forces_disabled:
            yield f"body {name!r} ({compiled.where(name)}) has a plugin, whose forces are not modelled. Delete it."
    for f in _moving_flexes(compiled, tree, model):
        yield f"flex {compiled.name('flex', f)!r} ({compiled.document}): bodies that bend are not modelled. Delete it."


def _moving_flexes(compiled: CompiledMjcf, tree: Tree, model: Model) -> Iterator[int]:
    """The flexes with a vertex or node on a body of the model that moves."""
    m = compiled.m
    moving = {frame.name for frame in model.frames if frame.link != model.base}
    moves = np.array([name in moving for name in tree.names.bodies])
    for f in range(m.nflex):
        vertices = slice(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f])
        bodies = [m.flex_vertbodyid[vertices]]
        if hasattr(m, "flex_nodebodyid"):
            bodies.append(m.flex_nodebodyid[slice(m.flex_nodeadr[f], m.flex_nodeadr[f] + m.flex_nodenum[f])])
        ids = np.concatenate(bodies)
        if moves[ids[ids >= 0]].any():
            yield f


def _fluid(compiled: CompiledMjcf) -> Iterator[str]:
    for quantity in ("density", "viscosity"):
        value = getattr(compiled.m.opt, quantity)
        if value and not compiled.passive_forces_disabled:
            yield (
                f"<option> {quantity} is {value:g} ({compiled.document}): the forces of a fluid on the bodies are not "
                f"modelled. Delete {quantity}."
            )
