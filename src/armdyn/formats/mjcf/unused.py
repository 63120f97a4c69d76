"""Elements of MJCF that exert no force by themselves, or that the file switches off: they are noted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from armdyn.formats.mjcf.actuator_notes import notes_on_actuators
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.tree import Tree
from armdyn.model.messages import listing

SHOWN = 10
"""The most names in one note."""

FLAGS = ("constraint", "equality", "frictionloss", "spring", "damper", "passive", "gravity")
"""The flags that switch off a part of the physics that is modelled, or refused, if it is on."""

OTHER_FLAGS = (*FLAGS, "limit", "contact", "clampctrl", "actuation")
"""The flags that are not options of a method: those above, and those of effects outside the equations."""

COUNTED_OPTIONS = ("gravity", "density", "viscosity", "disableflags", "enableflags", "disableactuator")
"""The options that other notes, refusals and numbers cover."""

OPTION_KINDS = {"integrator": "mjtIntegrator", "cone": "mjtCone", "jacobian": "mjtJacobian", "solver": "mjtSolver"}
"""The options that are words, and MuJoCo's enumerations of them."""

SOLREF = (0.02, 1.0)
"""MuJoCo's own time constant and damping ratio of a constraint."""

SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""MuJoCo's own impedance of a constraint."""


def notes_on_unused(compiled: CompiledMjcf, tree: Tree) -> Iterator[str]:
    """Elements of the file that are not used and exert no force by themselves."""
    m = compiled.m
    yield from (f"MuJoCo's compiler warns: {warning}" for warning in compiled.warnings)
    colliding = int(np.count_nonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0)))
    if (colliding > 1 or m.npair) and not compiled.disabled("contact") and not compiled.disabled("constraint"):
        yield "contacts between geoms are not part of the equations"
    if off := [flag for flag in FLAGS if compiled.disabled(flag)]:
        yield f"<flag> disables {', '.join(off)}: left out, as MuJoCo leaves it out"
    if compiled.disabled("limit") or compiled.disabled("constraint"):
        yield "<flag> disables the limits of joints in MuJoCo: they are kept as data"
    yield from notes_on_actuators(compiled)
    if m.ntendon:
        its = "its" if m.ntendon == 1 else "their"
        yield f"{_count_text(m.ntendon, 'tendon')} not part of the equations, nor are {its} limits"
    inactive = [compiled.label("equality", e) for e in range(m.neq) if not m.eq_active0[e]]
    if inactive:
        are = "is" if len(inactive) == 1 else "are"
        yield f"{listing(inactive, SHOWN)} {are} inactive and left out"
    mocap = [name for b, name in enumerate(tree.names.bodies) if m.body_mocapid[b] >= 0]
    if mocap:
        yield f"mocap bodies stand where the file puts them: {', '.join(mocap)}"
    for count, noun in ((m.nkey, "keyframe"), (m.nsensor, "sensor")):
        if count:
            yield f"{_count_text(count, noun)} not used"
    yield from _solver_words(compiled, tree)
    yield from _options(compiled)
    if compiled.replaced:
        count, names = len(compiled.replaced), listing(compiled.replaced, SHOWN)
        files = "1 file that pictures alone need is" if count == 1 else f"{count} files that pictures alone need are"
        yield f"{files} not there: {names}"
    if looks := [*_looks(compiled)]:
        yield f"not used, for it moves nothing: {listing(looks, SHOWN)}"


def _solver_words(compiled: CompiledMjcf, tree: Tree) -> Iterator[str]:
    """Softness of the limits and the friction of joints, which hold exactly here."""
    m = compiled.m
    rows = [(j, int(m.jnt_dofadr[j])) for j in range(m.njnt)]
    differs = {
        "margin": [j for j, _ in rows if m.jnt_margin[j]],
        "solreflimit": [j for j, _ in rows if _is_set(m.jnt_solref[j], SOLREF)],
        "solimplimit": [j for j, _ in rows if _is_set(m.jnt_solimp[j], SOLIMP)],
        "solreffriction": [j for j, k in rows if _is_set(m.dof_solref[k], SOLREF)],
        "solimpfriction": [j for j, k in rows if _is_set(m.dof_solimp[k], SOLIMP)],
    }
    words = [word for word, joints in differs.items() if joints]
    if words:
        joints = dict.fromkeys(tree.names.joints[j] for word in words for j in differs[word])
        yield (
            f"not used of joints, whose friction and limits are exact here and soft in MuJoCo: {', '.join(words)} of "
            f"{listing([repr(joint) for joint in joints], SHOWN)}"
        )


def _is_set(numbers: Any, default: tuple[float, ...]) -> bool:
    return not np.array_equal(numbers, default)


def _options(compiled: CompiledMjcf) -> Iterator[str]:
    """The options of MuJoCo's computation of a motion that differ from its defaults."""
    mujoco, opt = compiled.mujoco, compiled.m.opt
    default, result = mujoco.MjOption(), []
    mujoco.mj_defaultOption(default)
    for word in dir(default):
        value = getattr(opt, word, None)
        if word.startswith("_") or word in COUNTED_OPTIONS or callable(value) or value is None:
            continue
        if not np.array_equal(value, getattr(default, word)):
            kind = getattr(mujoco, OPTION_KINDS.get(word, ""), None)
            name = kind(value).name.rpartition("_")[2] if kind else " ".join(f"{x:g}" for x in np.ravel(value))
            result.append(f"{word} {name}")
    off = [name.removeprefix("mjDSBL_") for name in dir(mujoco.mjtDisableBit) if name.startswith("mjDSBL_")]
    result += [f"{name.lower()} off" for name in off if compiled.disabled(name) and name.lower() not in OTHER_FLAGS]
    for bit in dir(mujoco.mjtEnableBit):
        if bit.startswith("mjENBL_") and opt.enableflags & int(getattr(mujoco.mjtEnableBit, bit)):
            result.append(f"{bit.removeprefix('mjENBL_').lower()} on")
    if result:
        yield f"options of MuJoCo's integrator, solver and contacts are not used: {', '.join(result)}"


def _looks(compiled: CompiledMjcf) -> Iterator[str]:
    """Elements of pictures, memory and users' own data."""
    m = compiled.m
    for count, noun in ((m.ncam, "camera"), (m.nlight, "light"), (m.nskin, "skin"), (m.ntex, "texture")):
        if count:
            yield f"{count} {noun}{'s' if count > 1 else ''}"
    for tag in ("visual", "statistic", "size", "custom"):
        if compiled.root.all(tag):
            yield f"<{tag}>"


def _count_text(count: int, noun: str) -> str:
    """A count with its noun and verb: "1 sensor is", "2 sensors are"."""
    return f"1 {noun} is" if count == 1 else f"{count} {noun}s are"
