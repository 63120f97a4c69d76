"""The reader of MJCF files into a `Model`: MuJoCo compiles a file, its arrays are read and assembled."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ModelError, excerpt
from armdyn.formats.findings import DocumentFindings
from armdyn.formats.mjcf.actuators import joints_with_actuators
from armdyn.formats.mjcf.compiler import CompiledMjcf, compile_mjcf, compiled_in_memory, model_name
from armdyn.formats.mjcf.gravcomp import GravityCompensation
from armdyn.formats.mjcf.joint_equalities import couple_joints, hold_with, read_joint_equalities
from armdyn.formats.mjcf.loops import with_loops
from armdyn.formats.mjcf.tree import read_tree
from armdyn.formats.mjcf.unmodelled import refuse_unmodelled
from armdyn.formats.mjcf.unused import notes_on_unused
from armdyn.model.assembly import assemble
from armdyn.model.joint_order import in_joint_order
from armdyn.model.model import Model
from armdyn.model.selection import FrictionPolicy, Policy, Selection, SelectionOptions


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: ArrayLike | None = None,
    check_inertia: bool = True,
    problems: Policy = "refuse",
    friction: FrictionPolicy = "count",
    joint_order: str | Sequence[str] = "file",
) -> Model:
    """Read an MJCF file through MuJoCo's own compiler (``pip install mujoco``).

    q is MuJoCo's qpos. The base is the world; bodies are links, named sites are frames, and if a body has several
    joints, all except the last move massless links. Armature, damping and frictionloss are part of the equations;
    armature and damping of actuators, and <dcmotor>, become `Actuator`s.

    Args:
        path: of the file; MuJoCo reads included files, and its meshes, from the paths in the file.
        base: keep only the bodies and joints after this body; the world by default.
        tip: the body or site that ``f_tip``, the pose and the Jacobian mean. By default the end, if the robot has only
            one; else tool0, tcp, flange or ee_link; else the robot has no tip, which ``notes`` reports.
        chain: keep only the joints between ``base`` and ``tip``, and links welded to that chain.
        locked: qpos of joints that are held, by name, rad or m.
        gravity: acceleration of free fall in base axes, m/s^2; the file's by default, turned into the axes of ``base``,
            with joints below it at the positions of ``locked``, else as the file draws them.
        check_inertia: refuse inertias that no rigid body has and that load a joint; otherwise accept them unchanged,
            with a note.
        problems: "refuse" every fault of the file; or "warn" of those that no equation contains, e.g. limits in reverse
            order, and read on. The `armdyn.DescriptionWarning` and the robot's ``notes`` report the values used.
        friction: "count" the damping and friction of its joints in the equations, or "ignore" them, with a note: the
            bare rigid bodies, as most libraries compute them.
        joint_order: of q: "file", that of the description; "chain", from the base to the tips, each joint after those
            that carry it; or the names of all entries of q. ``notes`` reports if the two differ.

    Raises:
        ModelError: a file that MuJoCo's compiler refuses, or that does not describe an arm.
        Unsupported: elements that act on the arm without a command and that armdyn does not model: free and ball
            joints, springs, forces of tendons and equalities between them, gravcomp of some of the bodies, fluids.
        UnknownName: a base, tip or locked joint the file does not have.
        MissingLibrary: if MuJoCo is not installed.
    """
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"expected the path of an MJCF file, got {excerpt(path)}.")
    selection = Selection(
        base, tip, chain, {} if locked is None else locked, gravity, check_inertia, problems, friction, joint_order
    )
    findings = DocumentFindings(Path(path).name, selection.problems, str(Path(path).absolute().parent))
    compiled = compile_mjcf(path, findings)
    return _model_of(compiled, compiled.root.attributes.get("model") or Path(path).stem, selection, findings)


def read_mjmodel(source: object, **options: Unpack[SelectionOptions]) -> Model:
    """Read a ``mujoco.MjModel`` in memory, with the options of `read_mjcf`.

    It has no lines for messages, and lacks ``refpos`` and ``refquat`` of meshes, which pictures use.
    """
    selection = Selection(**options)
    compiled = compiled_in_memory(source)
    findings = DocumentFindings(compiled.document, selection.problems, compiled.folder)
    return _model_of(compiled, model_name(source) or "mujoco_model", selection, findings)


def _model_of(compiled: CompiledMjcf, name: str, selection: Selection, findings: DocumentFindings) -> Model:
    """The `Model` of a compiled file."""
    tree = read_tree(compiled)
    equalities = read_joint_equalities(compiled, tree.names)
    locked = hold_with(equalities, selection.locked, tree.notes)
    model = assemble(
        name,
        tree.links,
        joints_with_actuators(compiled, tree.joints, tree.names.joints),
        dataclasses.replace(selection, locked=locked),
        notes=[*findings.notes, *tree.notes, *notes_on_unused(compiled, tree)],
        geometry=tree.geometry,
        gravity=np.zeros(3) if compiled.disabled("gravity") else compiled.m.opt.gravity,
        drawn=tree.drawn,
    )
    compensation = GravityCompensation.of(compiled, tree, model)
    refuse_unmodelled(compiled, tree, model, compensation, selection.friction)
    findings.warn()
    whole = with_loops(couple_joints(compensation.applied_to(model), equalities, locked), compiled, tree.names)
    return in_joint_order(whole, selection.joint_order)
