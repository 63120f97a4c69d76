"""What MJCF can say and the rigid-body equations do not contain.

What acts on the arm by itself, with no command and no contact (springs, constraints, fluids, weight taken off bodies),
is refused where it is part of the model: left out, every acceleration would be wrong. What only acts when it is
commanded or touched is listed in the notes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.errors import Unsupported
from armdyn.formats.mjcf.compiler import Compiled
from armdyn.formats.mjcf.tree import Tree
from armdyn.model.model import Model

SHOWN = 10
"""How many refusals one message holds."""


def refuse_unmodelled(compiled: Compiled, tree: Tree, model: Model) -> None:
    """Raise where something that acts by itself is part of the model."""
    found = [
        *_loose_joints(compiled, tree, model),
        *_springs(compiled, tree, model),
        *_equalities(compiled, tree, model),
        *_tendons(compiled),
        *_rotors_of_actuators(compiled, tree, model),
        *_weightless(compiled, tree, model),
        *_plugins_and_flexes(compiled, tree, model),
        *_fluid(compiled),
    ]
    if len(found) > SHOWN:
        found[SHOWN:] = [f"... and {len(found) - SHOWN} more like these."]
    if found:
        raise Unsupported("\n".join(found))


def _loose_joints(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    frames = {frame.name for frame in model.frames} - {model.base}
    for joint in tree.loose:
        if joint.body not in frames:
            continue
        where = compiled.where(joint.joint)
        if joint.kind == "free":
            reason, remedy = "an arm stands on something", "delete the joint"
        else:
            reason, remedy = "the joints of an arm have one number each", "make it three hinges on one body"
        yield (
            f"{joint.kind} joint {joint.joint!r} ({where}): {reason}. Read what this joint carries, with "
            f"base={joint.body!r}, or {remedy}."
        )


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
        shown = ", ".join(f"{name!r} ({compiled.where(name)})" for name in sprung[:SHOWN])
        more = f" and {len(sprung) - SHOWN} more" if len(sprung) > SHOWN else ""
        yield (
            f"springs (stiffness) on joint{'s' if len(sprung) > 1 else ''} {shown}{more}: their forces are not "
            "modelled. Set the stiffness to 0 and make the spring's force a part of tau, or lock the joint: "
            f"locked={{{sprung[0]!r}: 0.0}}."
        )


def _equalities(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    """Constraints between what is in the model; those on joints that are held or left out do no harm."""
    m, types = compiled.m, compiled.mujoco.mjtEq
    if compiled.disabled("equality") or compiled.disabled("constraint"):
        return
    for e in range(m.neq):
        if not m.eq_active0[e]:
            continue
        kind = types(m.eq_type[e]).name.removeprefix("mjEQ_").lower()
        if kind == "joint":
            bound = _bound_joints(compiled, tree, model, e)
        elif kind in ("connect", "weld"):
            bound = _bound_bodies(compiled, tree, model, e)
        else:
            bound = "the arm"
        if bound:
            name = compiled.name("equality", e)
            where = compiled.where(name, "equality")
            yield (
                f"equality {name or e!r} ({where}), a {kind} constraint on {bound}: constraints are not modelled. "
                "Delete it, lock the joints it acts on, locked={...}, or leave them out: tip=..., chain=True."
            )


def _bound_joints(compiled: Compiled, tree: Tree, model: Model, e: int) -> str:
    """The joints of the model that a constraint ties; a joint that follows another is free where it is left out."""
    m = compiled.m
    both = [tree.names.joints[j] for j in (m.eq_obj1id[e], m.eq_obj2id[e]) if j >= 0]
    moving = [name for name in both if name in model.joint_names]
    bodies = [tree.names.bodies[m.jnt_bodyid[j]] for j in (m.eq_obj1id[e], m.eq_obj2id[e]) if j >= 0]
    frames = {frame.name for frame in model.frames}
    all_there = all(body in frames for body in bodies)
    return " and ".join(map(repr, moving)) if all_there else ""


def _bound_bodies(compiled: Compiled, tree: Tree, model: Model, e: int) -> str:
    """The two bodies that a constraint ties where both are in the model and move against each other."""
    m = compiled.m
    ends = [int(m.eq_obj1id[e]), int(m.eq_obj2id[e])]
    if hasattr(m, "eq_objtype") and m.eq_objtype[e] == int(compiled.mujoco.mjtObj.mjOBJ_SITE):
        ends = [int(m.site_bodyid[s]) for s in ends]
    names = [tree.names.bodies[b] for b in ends]
    carriers = {frame.name: frame.link for frame in model.frames}
    if not all(name in carriers for name in names) or carriers[names[0]] == carriers[names[1]]:
        return ""
    return f"{names[0]!r} and {names[1]!r}"


def _tendons(compiled: Compiled) -> Iterator[str]:
    m = compiled.m
    for t in range(m.ntendon):
        acts = [
            word for word in ("stiffness", "stiffnesspoly", "armature") if np.any(compiled.numbers(f"tendon_{word}", t))
        ]
        if acts:
            name = compiled.name("tendon", t)
            yield (
                f"tendon {name or t!r} ({compiled.where(name, 'tendon')}) has {' and '.join(acts)}: tendons are not "
                "modelled. Set it to 0, and make the tendon's force a part of tau."
            )


def _rotors_of_actuators(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    m, on_joint = compiled.m, int(compiled.mujoco.mjtTrn.mjTRN_JOINT)
    for a in range(m.nu):
        driven = tree.names.joints[m.actuator_trnid[a, 0]] if m.actuator_trntype[a] == on_joint else None
        harmless = driven is not None and driven not in model.joint_names
        if np.any(compiled.numbers("actuator_armature", a)) and not harmless:
            name = compiled.name("actuator", a)
            yield (
                f"actuator {name or a!r} ({compiled.where(name, 'actuator')}) has armature: actuators are not "
                "modelled. Give the armature, times the gear ratio squared, to the joint that it drives."
            )


def _weightless(compiled: Compiled, tree: Tree, model: Model) -> Iterator[str]:
    """Bodies whose weight MuJoCo takes off; without gravity there is none."""
    m = compiled.m
    if not model.gravity.any():
        return
    moving = {frame.name for frame in model.frames if frame.link != model.base}
    weightless = [name for b, name in enumerate(tree.names.bodies) if m.body_gravcomp[b] and name in moving]
    if weightless:
        shown = ", ".join(map(repr, weightless[:SHOWN])) + (", ..." if len(weightless) > SHOWN else "")
        yield (
            f"gravcomp of {shown} ({compiled.where(weightless[0])}): weight that is taken off single bodies is not "
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
    """What is in the file, does nothing by itself, and is not used."""
    m = compiled.m
    yield from (f"MuJoCo's compiler warns: {warning}" for warning in compiled.warnings)
    colliding = int(np.count_nonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0)))
    if (colliding > 1 or m.npair) and not compiled.disabled("contact") and not compiled.disabled("constraint"):
        yield "contacts between geoms are not part of the equations"
    if m.nu:
        yield f"{m.nu} actuators are not part of the equations: tau is what they put on the joints"
    if m.ntendon:
        yield f"{m.ntendon} tendons are not part of the equations, nor are their damping and friction"
    inactive = int(m.neq - np.count_nonzero(m.eq_active0))
    if inactive:
        yield f"{inactive} equality constraints are inactive and left out"
    bent = [
        name for j, name in enumerate(tree.names.joints) if np.any(compiled.numbers("dof_dampingpoly", m.jnt_dofadr[j]))
    ]
    if bent:
        yield f"the higher coefficients of the damping of {', '.join(bent)} are left out"
    mocap = [name for b, name in enumerate(tree.names.bodies) if m.body_mocapid[b] >= 0]
    if mocap:
        yield f"mocap bodies stand where the file puts them: {', '.join(mocap)}"
    for count, what in ((m.nkey, "keyframes"), (m.nsensor, "sensors")):
        if count:
            yield f"{count} {what} are not used"
