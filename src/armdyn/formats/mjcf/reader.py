"""From an MJCF file to a `Model`: compiled by MuJoCo, read from its arrays, and put together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from armdyn.errors import ModelError
from armdyn.exact import exact, rounded
from armdyn.formats.findings import Findings, Policy
from armdyn.formats.given import numbers
from armdyn.formats.mjcf.compiler import Compiled, compile_mjcf
from armdyn.formats.mjcf.gears import coupled, hold_with, read_gears
from armdyn.formats.mjcf.loops import with_loops
from armdyn.formats.mjcf.tree import Tree, read_tree
from armdyn.formats.mjcf.unmodelled import notes_on_unused, refuse_unmodelled
from armdyn.model.assembly import assemble, checked_locked
from armdyn.model.model import Model
from armdyn.model.words import shown
from armdyn.spatial.rotations import Array


def read_mjcf(
    source: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: Sequence[float] | None = None,
    check_inertia: bool = True,
    problems: Policy = "refuse",
) -> Model:
    """The model of the arm an MJCF file describes; see `armdyn.Robot.from_mjcf`."""
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"expected the path of an MJCF file, got {shown(source)}.")
    findings = Findings(Path(source).name, problems)
    compiled = compile_mjcf(source, findings)
    tree = read_tree(compiled)
    gears = read_gears(compiled, tree.names)
    held = hold_with(gears, checked_locked(locked), tree.notes)
    model = assemble(
        compiled.root.attributes.get("model") or Path(source).stem,
        tree.links,
        tree.joints,
        base=base,
        tip=tip,
        chain=chain,
        locked=held,
        gravity=_gravity(compiled, tree, base, gravity).tolist(),
        notes=[*findings.notes, *tree.notes, *notes_on_unused(compiled, tree)],
        geometry=tree.geometry,
        check_inertia=check_inertia,
    )
    refuse_unmodelled(compiled, tree, model)
    findings.warn()
    return with_loops(coupled(model, gears, held), compiled, tree.names)


def _gravity(compiled: Compiled, tree: Tree, base: str | None, given: Sequence[float] | None) -> Array:
    """The gravity given, or the file's, brought from the world's axes to those of the base as the file draws it."""
    if given is not None:
        return numbers(given, (3,), "gravity", "three numbers, m/s^2")
    if compiled.disabled("gravity"):
        return np.zeros(3)
    R = tree.axes_in_world.get(base, np.eye(3)) if isinstance(base, str) else np.eye(3)
    return rounded(exact(R).T @ exact(compiled.m.opt.gravity))  # type: ignore[no-any-return]
