"""Masses and inertias of the shapes of links at a density that the user states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from armdyn.doctor.checks.links import change_in_words
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.hypotheses import Numbers
from armdyn.doctor.subject import Subject, SubjectLink

RULES = ("mass/", "inertia/", "read/number")
"""Findings of links that other numbers of mass and inertia may mend."""


def at_density(findings: Iterable[Finding], subject: Subject, density: float) -> Iterator[Finding]:
    """Findings of masses and inertias, whose first repair is the solid of the link's shapes at a density.

    Args:
        findings: of the description.
        subject: its links and joints.
        density: kg/m^3.
    """
    for finding in findings:
        body = subject.bodies.get(finding.link)
        repair = None if body is None or not finding.rule.startswith(RULES) else _fill(body, density)
        yield finding if repair is None else replace(finding, repairs=(repair, *finding.repairs))


def _fill(body: SubjectLink, density: float) -> Repair | None:
    """The shapes of a link at a density; None if one of them has no known volume, or for the same numbers."""
    mass = density * (body.filled_volume or 0.0)
    solid = body.solid(mass)
    if solid is None:
        return None
    com, moments = solid
    edits = body.edits(mass, com, moments)
    if not edits:
        return None
    title = f"{body.solid_words}, solid, of {density:g} kg/m^3"
    has_numbers = body.is_stated and np.isfinite(body.mass or np.nan)
    consequence = change_in_words(body, Numbers(mass, com, moments)) if has_numbers else f"mass {mass:.4g} kg"
    return Repair(title, edits, consequence, 0.5, (mass, tuple(com)))
