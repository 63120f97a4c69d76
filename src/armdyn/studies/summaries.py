"""Summaries that a scenario names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armdyn.errors import Unsupported
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError
from armdyn.studies.recipe import Runs, Summary


def joint_error(runs: Runs) -> Array:
    """The largest distance of a joint from its target (or q_ref) at the end, rad or m, shape (runs)."""
    return np.asarray(np.abs(runs.final.q - _target(runs)).max(axis=1))


def tip_position(runs: Runs) -> Array:
    """Position of the tip at the end, m, in base axes, shape (runs, 3)."""
    if runs.robot.tip is None:
        raise Unsupported(f"{runs.robot.name!r} has several tips, or none; choose one by 'tip'")
    return np.asarray(runs.robot.forward_kinematics(runs.final.q)[..., :3, 3])


def tip_error(runs: Runs) -> Array:
    """Distance of the tip at the end from its place at the target, m, shape (runs)."""
    wanted = runs.robot.forward_kinematics(_target(runs))[..., :3, 3]
    return np.asarray(np.linalg.norm(tip_position(runs) - wanted, axis=-1))


def diverged(runs: Runs) -> Array:
    """Whether the motion ended in infinity or NaN, shape (runs)."""
    return np.asarray(~(np.isfinite(runs.final.q) & np.isfinite(runs.final.qd)).all(axis=1))


def _target(runs: Runs) -> Array:
    if "target" in runs.inputs:
        return runs.inputs["target"]
    if np.ndim(runs.inputs.get("q_ref", 0.0)) == 1:
        return runs.inputs["q_ref"]
    raise StudyError(
        "the summaries joint_error and tip_error need a controller with an input target, such as pd, or a q_ref that "
        "is the same in all runs and at all times; leave them out, or take tip_position"
    )


SUMMARIES: Mapping[str, Summary] = {one.__name__: one for one in (joint_error, tip_position, tip_error, diverged)}
"""By the names of a scenario."""
