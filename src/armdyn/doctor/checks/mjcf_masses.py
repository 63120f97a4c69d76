"""Masses and inertias that <compiler> changes, and those of geoms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.mjcf.parts import MjcfBody
from armdyn.doctor.mjcf.settings import Attributes
from armdyn.doctor.source import Edit
from armdyn.doctor.subject import Subject, tensor_of

SAME_TOTAL = 0.01
"""Relative difference below which a sum of masses is the stated total."""


def total(subject: Subject) -> Iterator[Finding]:
    """Masses whose sum is not the total that <compiler settotalmass="..."/> states."""
    settings = subject.settings
    if settings is None or "settotalmass" not in settings.stated:
        return
    target, node = settings.number("settotalmass", -1.0), settings.stated["settotalmass"].node
    masses = [body.mass for body in subject.bodies.values() if body.mass is not None]
    if not target > 0.0 or not masses:
        return
    mass = float(sum(masses))
    why = "torques are those of the scaled masses; Pinocchio and Drake take the masses as they stand"
    if not np.isfinite(mass):
        text = f"every mass and inertia is scaled so that the sum is {target:g} kg"
        yield Finding.at(node, "mass/total", "note", text, why=why)
    elif abs(mass - target) > SAME_TOTAL * target:
        text = f"masses sum to {mass:.5g} kg, settotalmass is {target:g}: MuJoCo multiplies each by {target / mass:.4g}"
        yield Finding.at(node, "mass/total", "warning", text, why=why)


def ignored(subject: Subject) -> Iterator[Finding]:
    """<inertial> elements that inertiafromgeom="true" makes the compiler ignore."""
    settings = subject.settings
    if settings is None or settings.word("inertiafromgeom", "auto") != "true":
        return
    nodes = [node for node in subject.source.root.walk() if node.tag == "inertial"]
    if nodes:
        node = settings.stated["inertiafromgeom"].node
        text = f'inertiafromgeom="true": {len(nodes)} <inertial> are ignored, the first at line {nodes[0].line}'
        repair = Repair("take them where they are stated", (Edit(node.values["inertiafromgeom"], "auto"),), sure=0.5)
        why = "masses come from geoms and their density, 1000 kg/m^3 unless stated"
        yield replace(Finding.at(node, "inertia/ignored", "warning", text, why=why), repairs=(repair,))


def bounded(subject: Subject) -> Iterator[Finding]:
    """Bodies whose mass or inertia boundmass, boundinertia and balanceinertia change."""
    settings = subject.settings
    if settings is None:
        return
    least_mass, least_moment = (settings.number(name, -np.inf) for name in ("boundmass", "boundinertia"))
    for body in subject.bodies.values():
        if not body.is_stated or body.mass is None or body.moments is None or body.name == "world":
            continue
        principal = np.linalg.eigvalsh(tensor_of(body.moments))
        place = body.inertial or body.node
        if body.mass < least_mass:
            text = f"mass {body.mass:g} kg is below boundmass: MuJoCo takes {least_mass:g} kg"
        elif principal[0] < least_moment:
            text = f"principal moment {principal[0]:.4g} kg m^2 is below boundinertia: MuJoCo takes {least_moment:g}"
        elif settings.is_on("balanceinertia") and principal[2] - principal[1] > principal[0]:
            text = f"balanceinertia sets all three moments to {float(principal.mean()):.4g} kg m^2"
        else:
            continue
        why = "the equations have other numbers than the file; Drake has those of the file"
        finding = Finding.at(place, "inertia/changed", "warning", text, why=why, link=body.name)
        yield replace(finding, element=f"body {body.name!r}")


def of_geoms(subject: Subject) -> Iterator[Finding]:
    """Bodies whose mass comes from geoms and is negative or has the density of no material."""
    for body in subject.bodies.values():
        if not isinstance(body, MjcfBody) or not body.is_from_geoms or body.mass is None or not body.moves:
            continue
        for geom in body.geoms:
            if "mass" in geom.attributes and geom.mass < 0.0:
                node = geom.attributes["mass"].node
                edits = (Edit(node.values["mass"], f"{-geom.mass:.10g}"),)
                finding = Finding.at(node, "mass/negative", "error", f"mass is {geom.mass:g} kg", link=body.name)
                finding = replace(finding, element=f"geom {geom.node.name!r} of body {body.name!r}")
                yield replace(finding, repairs=(Repair("the mass is positive", edits),))
        yield from _density(body)


def _density(body: MjcfBody) -> Iterator[Finding]:
    """A body whose geoms weigh what no material weighs; the repair multiplies their masses or densities."""
    parts = [(geom.mass, geom.hull.volume if geom.hull else None) for geom in body.geoms if geom.mass != 0.0]
    if not parts or any(volume is None or not np.isfinite(mass) for mass, volume in parts):
        return
    mass, volume = (float(sum(part[k] or 0.0 for part in parts)) for k in (0, 1))
    density = mass / volume
    low, high = thresholds.LIGHT.value, thresholds.DENSE.value
    if not density > 0.0 or low / 10.0 <= density <= high * 10.0:
        return
    heaviest = max(body.geoms, key=lambda geom: geom.mass)
    name = next((one for one in ("mass", "density") if one in heaviest.attributes), "")
    node = heaviest.attributes[name].node if name else heaviest.node
    text = f"a density of no material: {mass:.4g} kg in {1e3 * volume:.3g} l, {density:.4g} kg/m^3"
    finding = Finding.at(node, "mass/density", "warning", text, why="all torques are those of another arm")
    factor = next((one for one in (1e-3, 1e3, 1e-6, 1e6) if low <= density * one <= high), 0.0)
    edits = tuple(dict.fromkeys(edit for geom in body.geoms for edit in _scale(geom.attributes, name, factor)))
    repairs = (Repair(f"{name} times {factor:g}", edits, f"{density:.4g} to {density * factor:.4g} kg/m^3"),)
    finding = replace(finding, element=f"body {body.name!r}", link=body.name)
    yield replace(finding, repairs=repairs) if factor and edits else finding


def _scale(attributes: Attributes, name: str, factor: float) -> Iterator[Edit]:
    if name in attributes and name in attributes[name].node.values:
        stated = attributes[name]
        yield Edit(stated.node.values[name], f"{float(stated.text) * factor:.10g}")
