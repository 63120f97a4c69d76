"""From an MJCF file to a `Model`: compiled by MuJoCo, read from its arrays, and put together."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ModelError, shown
from armdyn.exact import exact, rounded
from armdyn.formats.findings import Findings
from armdyn.formats.mjcf.compiler import Compiled, compile_mjcf
from armdyn.formats.mjcf.joint_equalities import coupled, hold_with, read_joint_equalities
from armdyn.formats.mjcf.loops import with_loops
from armdyn.formats.mjcf.tree import Tree, read_tree
from armdyn.formats.mjcf.unmodelled import notes_on_unused, refuse_unmodelled
from armdyn.model.assembly import assemble
from armdyn.model.model import Model
from armdyn.model.selection import Options, Selection


def read_mjcf(source: str | os.PathLike[str], **options: Unpack[Options]) -> Model:
    """The model of the arm an MJCF file describes; see `armdyn.Robot.from_mjcf`."""
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"expected the path of an MJCF file, got {shown(source)}.")
    selection = Selection(**options)
    findings = Findings(Path(source).name, selection.problems, str(Path(source).absolute().parent))
    compiled = compile_mjcf(source, findings)
    tree = read_tree(compiled)
    equalities = read_joint_equalities(compiled, tree.names)
    held = hold_with(equalities, selection.locked, tree.notes)
    model = assemble(
        compiled.root.attributes.get("model") or Path(source).stem,
        tree.links,
        tree.joints,
        dataclasses.replace(selection, locked=held, gravity=_gravity(compiled, tree, selection)),
        notes=[*findings.notes, *tree.notes, *notes_on_unused(compiled, tree)],
        geometry=tree.geometry,
    )
    refuse_unmodelled(compiled, tree, model)
    findings.warn()
    return with_loops(coupled(model, equalities, held), compiled, tree.names)


def _gravity(compiled: Compiled, tree: Tree, selection: Selection) -> ArrayLike:
    """The gravity given, or the file's, brought from the world's axes to those of the base as the file draws it."""
    if selection.gravity is not None:
        return selection.gravity
    if compiled.disabled("gravity"):
        return np.zeros(3)
    R = np.eye(3) if selection.base is None else tree.axes_in_world.get(selection.base, np.eye(3))
    return rounded(exact(R).T @ exact(compiled.m.opt.gravity))  # type: ignore[no-any-return]
