"""Findings on a robot: checks of its numbers at random configurations, and gaps of its description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.base.exact import rounded
from armdyn.base.tabular import figure
from armdyn.model.whole_motors import with_whole
from armdyn.robot import Robot

CONFIGURATIONS = 1000
"""Number of random configurations of the checks, within the limits."""

EXACT = 1e-9
"""The largest error of a round trip that counts as rounding, relative to the accelerations."""

NARROW = 1e12
"""Results have few digits if the condition number of M is at least this."""


class PageFinding(NamedTuple):
    """A sentence, and its kind: confirmation, information or warning."""

    kind: Literal["good", "note", "warning"]
    text: str


def findings(robot: Robot) -> list[PageFinding]:
    """Checks of the inertias, of M, of forward against inverse dynamics, of holding torques; then the notes."""
    result = [*_inertias(robot)]
    q = robot.random_configuration(0, CONFIGURATIONS)
    for check in (_mass_matrix, _holding, _round_trip):
        try:
            result += check(robot, q)
        except (ArmdynError, np.linalg.LinAlgError) as error:
            result.append(PageFinding("note", f"not checked: {error}"))
    return [*result, *(PageFinding("note", note) for note in robot.notes)]


def _inertias(robot: Robot) -> Iterator[PageFinding]:
    whole = {link.name: link.inertia for link in robot.model.links}
    for joint in robot.model.joints:
        for part in joint.motor_parts:
            place = robot.model.place_of(part, joint)
            whole[place.link] = with_whole(part, rounded(place.axis), whole[place.link])
    problems = [
        f"link {link.name!r}: {problem}"
        for link in robot.model.links
        if any(whole[link.name].impossibilities())
        for problem in link.inertia.impossibilities()
    ]
    if problems:
        yield from (PageFinding("warning", problem) for problem in problems)
    else:
        yield PageFinding("good", f"The inertias of all {len(robot.model.links)} links are those of rigid bodies.")


def _mass_matrix(robot: Robot, q: np.ndarray) -> Iterator[PageFinding]:
    eigenvalues = np.linalg.eigvalsh(robot.mass_matrix(q))
    least = float(eigenvalues.min())
    where = f"at {CONFIGURATIONS} random configurations"
    if least <= 0.0:
        yield PageFinding(
            "warning", f"M(q) has the eigenvalue {figure(least, digits=3)} {where}: some joint moves no mass."
        )
        return
    condition = float((eigenvalues[:, -1] / eigenvalues[:, 0]).max())
    kind: Literal["good", "warning"] = "good" if condition < NARROW else "warning"
    yield PageFinding(
        kind,
        f"M(q) is positive definite {where}; its condition number reaches {figure(condition, digits=3)}.",
    )


def _holding(robot: Robot, q: np.ndarray) -> Iterator[PageFinding]:
    if not np.isfinite(robot.effort_limits).any():
        yield PageFinding("note", "The description states no limits of joint forces.")
        return
    largest = np.abs(robot.gravity_forces(q)).max(axis=0)
    bounded = np.isfinite(robot.effort_limits) & (robot.effort_limits > 0.0)
    share = np.where(bounded, largest / np.where(bounded, robot.effort_limits, 1.0), 0.0)
    k = int(share.argmax())
    unit = "N m" if robot.joints[k].kind == "revolute" else "N"
    holding = f"{figure(float(largest[k]), digits=4)} of {figure(float(robot.effort_limits[k]), digits=4)} {unit}"
    text = (
        f"Holding the arm takes at most {100 * share[k]:.0f} % of a joint's limit: {holding} at {robot.joint_names[k]}."
    )
    yield PageFinding("good" if share[k] <= 1.0 else "warning", text)


def _round_trip(robot: Robot, q: np.ndarray) -> Iterator[PageFinding]:
    rng = np.random.default_rng(1)
    qd, qdd = rng.uniform(-1.0, 1.0, (2, *q.shape))
    again = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd))
    error = float(np.abs(again - qdd).max())
    text = f"Forward dynamics gives the accelerations of inverse dynamics back to {error:.1e}."
    yield PageFinding("good" if error < EXACT else "warning", text)
