"""Inertias of links that are sums of the parts' own, not moved to the common centre of mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.subject import PURPOSES, Subject, SubjectLink
from armdyn.spatial.rotations import Array

LEAST_PARTS = 2

SAME, DIFFERENT = 0.02, 0.1
"""Relative differences: of the tensor to the sum of the parts' own, of the latter to the moved one."""


def not_moved(subject: Subject) -> Iterator[Finding]:
    """Links of several shapes whose tensor is the sum of the shapes' tensors, each about its own centre of mass."""
    for body in subject.moving():
        for purpose in PURPOSES:
            sums = _sums(body, purpose)
            if sums is None:
                continue
            own, moved, parts = sums
            size = float(np.abs(moved).max())
            stated = _stated_tensor(body)
            if np.abs(stated - own).max() > SAME * size or np.abs(moved - own).max() < DIFFERENT * size:
                continue
            yield _finding(body, own, moved, parts)
            break


def _finding(body: SubjectLink, own: Array, moved: Array, parts: int) -> Finding:
    short = 100.0 * (1.0 - float(np.trace(own)) / float(np.trace(moved)))
    A = body.frame[:3, :3]
    six = (A.T @ moved @ A)[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    text = f"the tensor is the sum of {parts} shapes about their own centres, {short:.2g} % short of the whole"
    finding = Finding.at(body.inertial or body.node, "inertia/composite", "warning", text, link=body.name)
    repair = Repair(
        "the sum about the common centre of mass",
        body.edits(body.mass or 0.0, body.com, six),
        f"trace {np.trace(own):.4g} to {np.trace(moved):.4g} kg m^2",
    )
    why = "Steiner's terms m d^2 of the parts are missing; fast motions need more torque"
    return replace(finding, element=f"link {body.name!r}", why=why, repairs=(repair,))


def _sums(body: SubjectLink, purpose: str) -> tuple[Array, Array, int] | None:
    """The sum of the shapes' own tensors, the tensor of the whole, kg m^2, in the link's axes, and their number."""
    solids = [hull.solid for hull in body.hulls if hull.purpose == purpose]
    solids_of_links = [solid for solid in solids if solid is not None]
    if len(solids_of_links) < LEAST_PARTS or len(solids_of_links) < len(solids) or not body.mass:
        return None
    whole = sum(solids_of_links[1:], solids_of_links[0])
    scale = body.mass / whole.mass
    own: Array = scale * np.sum([np.asarray(one.tensor, dtype=float) for one in solids_of_links], axis=0)
    return own, scale * np.asarray(whole.tensor, dtype=float), len(solids_of_links)


def _stated_tensor(body: SubjectLink) -> Array:
    """The stated tensor in the axes of the link."""
    A, tensor = body.frame[:3, :3], body.tensor
    assert tensor is not None  # noqa: S101 - it is stated
    turned: Array = A @ tensor @ A.T
    return turned
