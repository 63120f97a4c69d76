"""What logs lack for a fit: motion, torques of the right sign and order, enough different states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.advice import for_each, option
from armdyn.identification.design import NO_JOINTS
from armdyn.identification.errors import IdentificationError
from armdyn.identification.regression import Regression
from armdyn.identification.signals import require_rows
from armdyn.logs.log import Log
from armdyn.model.joint_units import UNITS
from armdyn.model.standard_parameters import standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

STILL = 1e-3
"""A joint whose positions stay within this range stands still, rad or m."""

SLOW = 20.0
"""The largest speed of a joint, in widths of the smooth sign, below which its friction is percents off."""

SIGNED = {"coulomb", "load", "stribeck"}
"""Terms of friction with the smooth sign."""

OPPOSITE = -0.6
"""The correlation of measured torques with those of the description below which their sign is wrong."""

EXCHANGED = 0.9
"""The correlation with another joint's torques from which two columns may be exchanged."""

BETTER = 4.0
"""The factor by which it must be nearer to one than the correlation with the joint's own torques."""

ALIKE_IN_SIZE = 1.6
"""The largest ratio of measured to described torques of columns that are exchanged, and one by the smallest."""


PART = 0.4
"""Torques below this part of the description's, in all joints that carry a load, may be currents."""

LIKE_THE_DESCRIPTION = 0.8
"""The correlation with the description's torques above which their size is compared."""


def examine(logs: Sequence[Log], robot: Robot) -> list[str]:
    """Sentences on joints that stand still in all logs.

    Raises:
        IdentificationError: no joint moves, or a log of a single row.
    """
    for log in logs:
        require_rows(log)
    still = [name for name, size in zip(robot.joint_names, _ranges(logs), strict=True) if size < STILL]
    if len(still) == robot.dof:
        raise IdentificationError(
            "no joint moves in the logs: gravity at one posture is all that they hold. Record each joint moving "
            "over most of its range, in both directions, at several speeds"
        )
    if not still:
        return []
    return [
        f"joints that stand still: {', '.join(still)}. Their friction is not fitted, and of their links only what "
        "moves the others; record a motion of all joints"
    ]


def _ranges(logs: Sequence[Log]) -> Array:
    """The largest range of each joint in a log, rad or m, shape (n,)."""
    return np.asarray(np.max([np.ptp(log.q, axis=0) for log in logs], axis=0))


def examine_speeds(regression: Regression) -> list[str]:
    """A sentence on joints so slow that the smooth sign changes their friction."""
    parameters = regression.parameters
    if not SIGNED & {term.name for term in parameters.terms}:
        return []
    fastest = np.max([part.speeds for part in regression.parts], axis=0)
    least, moving = SLOW * parameters.sign_widths, _ranges(regression.logs) >= STILL
    joints = parameters.robot.joints
    slow = [
        f"{joint.name} (at most {speed:.2g}, expected {enough:.2g} {UNITS[joint.kind]['qd']})"
        for joint, speed, enough, moves in zip(joints, fastest, least, moving, strict=True)
        if moves and speed < enough
    ]
    if not slow:
        return []
    return [
        f"joints too slow for their friction: {', '.join(slow)}. The sign of the velocity is smoothed, so that Coulomb "
        "and viscous friction are percents off, much more at a tenth of that speed; record faster motions"
    ]


def examine_torques(regression: Regression, description: Robot) -> list[str]:
    """Sentences on torques that do not fit the description's.

    Raises:
        IdentificationError: torques with the opposite sign, or of other joints.
    """
    base = regression.parameters.base.matrix @ standard_parameters(description.model, **NO_JOINTS).values
    rank = len(base)
    measured = np.concatenate([part.torques for part in regression.parts])
    reduced = np.concatenate([base, np.zeros(len(regression.parameters.lift) - rank)])
    modelled = np.concatenate([regression.modelled(part, reduced) for part in regression.parts])
    alike = _correlations(measured, modelled)
    names = regression.parameters.robot.joint_names
    heavy = np.std(modelled, axis=0) > 0.05 * max(float(np.std(modelled, axis=0).max()), 1e-12)
    opposite = [name for j, name in enumerate(names) if heavy[j] and alike[j, j] < OPPOSITE]
    if opposite:
        raise IdentificationError(
            f"torques of {', '.join(opposite)} have the opposite sign of the description's (correlation "
            f"{min(alike[j, j] for j, name in enumerate(names) if name in opposite):.2f}): a torque that lifts an "
            f"arm is positive in the direction of q. Turn the sign of the columns round; "
            f"that of currents by {option('gains', -1)}"
        )
    for j, other in _exchanged(measured, modelled, alike, heavy):
        raise IdentificationError(
            f"torques of {names[j]} follow those that the description has for {names[other]} (correlation "
            f"{alike[j, other]:.3f}, with its own {alike[j, j]:.3f}), and the other way round: columns of joints "
            f"are in another order. Name them for each joint: {for_each('columns', tau='[...]')}"
        )
    return _as_of_currents(measured, modelled, heavy, names)


def _as_of_currents(measured: Array, modelled: Array, heavy: Array, names: Sequence[str]) -> list[str]:
    """A sentence on torques that follow the description's and are a small part of them in all heavy joints."""
    alike = np.nan_to_num(np.abs(_correlations(measured, modelled).diagonal()))
    parts = (measured * modelled).sum(axis=0) / np.maximum((modelled**2).sum(axis=0), 1e-300)
    if not heavy.any() or not (alike[heavy] > LIKE_THE_DESCRIPTION).all() or not (parts[heavy] < PART).all():
        return []
    listed = ", ".join(
        f"{name} {part:.2g}" for name, part, is_heavy in zip(names, parts, heavy, strict=True) if is_heavy
    )
    return [
        f"torques follow those of the description and are a small part of them ({listed}): if they are currents, name "
        f"them so, {for_each('columns', current='...')}, and give the gains of the drives"
    ]


def _correlations(a: Array, b: Array) -> Array:
    """Correlations of the columns of a with those of b, shape (n, n); 0 of constant columns."""
    with np.errstate(all="ignore"):
        both = np.corrcoef(a.T, b.T)[: a.shape[1], a.shape[1] :] if a.shape[1] > 1 else np.corrcoef(a.T, b.T)[:1, 1:]
    return np.asarray(np.nan_to_num(both))


def _exchanged(measured: Array, modelled: Array, alike: Array, heavy: Array) -> list[tuple[int, int]]:
    """Pairs of joints each of whose torques follow the other's in the description, in size too."""
    sizes = np.std(measured, axis=0)[:, None] / np.maximum(np.std(modelled, axis=0), 1e-12)
    nearer = (1.0 - alike.diagonal()[:, None]) > BETTER * (1.0 - alike)
    similar = (alike > EXCHANGED) & (sizes < ALIKE_IN_SIZE) & (sizes > 1.0 / ALIKE_IN_SIZE)
    follows = nearer & similar & heavy & heavy[:, None]
    return [(j, k) for j, k in np.argwhere(follows & follows.T).tolist() if j < k]
