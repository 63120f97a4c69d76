"""Summaries for scenarios."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError
from armdyn.studies.recipe import Runs, Summary


def joint_error(runs: Runs) -> Array:
    """The largest distance of a joint from q_ref at the end, rad or m, shape (runs)."""
    return np.asarray(np.abs(runs.final.q - _q_ref(runs)).max(axis=1))


def tip_position(runs: Runs) -> Array:
    """Position of the tip at the end, m, in base axes, shape (runs, 3)."""
    if runs.robot.tip is None:
        raise Unsupported(f"{runs.robot.name!r} has several tips, or none; choose one by 'tip'")
    return np.asarray(runs.robot.forward_kinematics(runs.final.q)[..., :3, 3])


def tip_error(runs: Runs) -> Array:
    """Distance of the tip at the end from its place at q_ref, m, shape (runs)."""
    reference = runs.robot.forward_kinematics(_q_ref(runs))[..., :3, 3]
    return np.asarray(np.linalg.norm(tip_position(runs) - reference, axis=-1))


def diverged(runs: Runs) -> Array:
    """True for motions that ended in infinity or NaN, shape (runs)."""
    return np.asarray(~(np.isfinite(runs.final.q) & np.isfinite(runs.final.qd)).all(axis=1))


def _q_ref(runs: Runs) -> Array:
    if "q_ref" in runs.inputs and "q_ref" not in runs.over_time:
        return runs.inputs["q_ref"]
    raise StudyError(
        "the summaries joint_error and tip_error need a controller with an input q_ref, such as pd_gravity, that is "
        "not over time; leave them out, or take tip_position"
    )


SUMMARIES: Mapping[str, Summary] = {one.__name__: one for one in (joint_error, tip_position, tip_error, diverged)}
"""Summaries by their names in scenarios."""
