"""Poses in a compiled model. Numbers that are not a pose are refused: MuJoCo's compiler accepts any.

It divides axes and quaternions by their length, which overflows: 1e200 0 1 becomes 0 0 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.base.exact import exact
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.names import Names
from armdyn.model.bounds import LONGEST, largest_problem
from armdyn.model.validation import MAX_PROBLEMS
from armdyn.spatial.rotations import Array, rigid, rotation_from_quaternion

Kind = Literal["free", "ball", "prismatic", "revolute"]

UNIT_TOLERANCE = 1e-9
"""The tolerance on the length of a quaternion that MuJoCo has normalised."""


def pose_of(position: Any, quaternion: Any) -> Array:
    """T of a place that MuJoCo gives by the two, in `Exact` numbers."""
    return rigid(rotation_from_quaternion(*quaternion), exact(position))


def kind_of(compiled: CompiledMjcf, j: int) -> Kind:
    """The kind of joint number j."""
    types = compiled.mujoco.mjtJoint
    kinds: dict[int, Kind] = {
        int(types.mjJNT_FREE): "free",
        int(types.mjJNT_BALL): "ball",
        int(types.mjJNT_SLIDE): "prismatic",
        int(types.mjJNT_HINGE): "revolute",
    }
    return kinds[int(compiled.m.jnt_type[j])]


def refuse_what_is_no_place(compiled: CompiledMjcf, names: Names) -> None:
    """Raise for lengths and angles that are not numbers or too large, and for orientations that are not rotations."""
    problems = list(islice(_problems(compiled, names), MAX_PROBLEMS))
    if problems:
        raise ModelError(problems)


def _problems(compiled: CompiledMjcf, names: Names) -> Iterator[str]:
    m = compiled.m
    positions = (
        ("body", "pos", m.body_pos),
        ("body", "centre of mass", m.body_ipos),
        ("joint", "pos", m.jnt_pos),
        ("site", "pos", m.site_pos),
    )
    for kind, quantity, values in positions:
        fine = np.abs(values) <= LONGEST
        for i in np.flatnonzero(~fine.all(axis=1)).tolist():
            worst = float(values[i][~fine[i]][0])
            yield f"{compiled.label(kind, i)}: {quantity} holds {largest_problem(worst, 'prismatic')}."
    orientations = (
        ("body", "orientation", m.body_quat),
        ("body", "orientation of the inertia", m.body_iquat),
        ("site", "orientation", m.site_quat),
    )
    for kind, quantity, values in orientations:
        lengths = np.hypot.reduce(values, axis=1)
        for i in np.flatnonzero(~(np.abs(lengths - 1.0) <= UNIT_TOLERANCE)).tolist():
            yield (
                f"{compiled.label(kind, i)}: MuJoCo makes a quaternion of length {lengths[i]:g} of its {quantity}; "
                "expected 1. Give the orientation by numbers of ordinary size."
            )
    for j, name in enumerate(names.joints):
        joint = kind_of(compiled, j)
        reference = float(m.qpos0[m.jnt_qposadr[j]])
        if joint in ("revolute", "prismatic") and (fault := largest_problem(reference, joint)):
            yield f"joint {name!r} ({compiled.where(name)}): ref is {fault}."
