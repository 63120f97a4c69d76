"""Notes on links whose mass, centre of mass or inertia does not fit the size of the robot: mistaken units.

These are the doubts that need no more than the numbers of the links and joints. `armdyn.doctor` has many more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from armdyn.model.geometry import Geometry, Mesh
from armdyn.model.messages import listing, quote
from armdyn.model.parts import JointPart, LinkPart
from armdyn.spatial.rotations import Array

SIZE = 6.0
"""Radius of gyration over the extent of a link that no shape explains."""

CENTRE = 5.0
"""Distance of the centre of mass from a link, over its extent, that a motor or counterweight does not explain."""

MASS = 300.0
"""Mass of a link over those of all its neighbours from which it is in another unit."""

SHOWN = 3
"""The most links that one note names."""


def notes_on_sizes(
    links: Sequence[LinkPart], joints: Sequence[JointPart], geometry: Sequence[Geometry]
) -> Iterator[str]:
    """One sentence for each kind of doubt, on the links that joints move."""
    moved = {joint.child for joint in joints}
    chosen = [link for link in links if link.name in moved and link.inertia.mass > 0.0]
    if not chosen:
        return
    masses = np.array([link.inertia.mass for link in chosen])
    largest = np.linalg.eigvalsh(np.array([link.inertia.tensor for link in chosen]))[:, -1]
    centres = np.array([math.hypot(*link.inertia.com.tolist()) for link in chosen])
    radii = np.sqrt(np.maximum(largest, 0.0)) / np.sqrt(masses)  # moment / mass may overflow
    extents = _extents([link.name for link in chosen], joints, ())
    if not extents.any():
        return
    if (radii > SIZE * extents).any() or (centres > (1.0 + CENTRE) * extents).any():
        extents = _extents([link.name for link in chosen], joints, geometry)
    kinds = {
        "moments of inertia of another size than the link": radii > SIZE * extents,
        "centre of mass far from the link": centres > (1.0 + CENTRE) * extents,
        "mass of another size than those of its neighbours": _out_of_scale(chosen, joints),
    }
    details = {
        "moments of inertia of another size than the link": [
            f"{moment:.3g} kg m^2 on {mass:.3g} kg" for moment, mass in zip(largest, masses, strict=True)
        ],
        "centre of mass far from the link": [f"at {far:.3g} m" for far in centres],
        "mass of another size than those of its neighbours": [f"{mass:.4g} kg" for mass in masses],
    }
    for kind, doubtful in kinds.items():
        names = [f"{_label(chosen[k])} ({details[kind][k]})" for k in np.flatnonzero(doubtful)]
        if names:
            yield f"{kind}: {listing(names, SHOWN)}; armdyn doctor proposes repairs"


def _label(link: LinkPart) -> str:
    return f"{link.where} link {quote(link.name)}".strip()


def _extents(names: Sequence[str], joints: Sequence[JointPart], geometry: Sequence[Geometry]) -> Array:
    """The reach of each link from its origin to its joints and primitive shapes, at least the median of all, m.

    A link with a mesh, which is not opened, reaches as far as the furthest link.
    """
    reach: dict[str, float] = defaultdict(float)
    for joint in joints:
        reach[joint.parent] = max(reach[joint.parent], math.hypot(*joint.placement[:3, 3].tolist()))
    with_mesh = set()
    for shape in geometry:
        if isinstance(shape.shape, Mesh):
            with_mesh.add(shape.link)
            continue
        size = sum(float(np.sum(np.abs(getattr(shape.shape, name)))) for name in shape.shape.SIZES)
        if np.isfinite(size):
            reach[shape.link] = max(reach[shape.link], size + float(np.linalg.norm(shape.pose[:3, 3])))
    extents = np.array([reach[name] for name in names])
    positive = extents[extents > 0.0]
    if not len(positive):
        return extents
    median, most = _median(positive.tolist()), float(positive.max())
    larger: Array = np.maximum(extents, [most if name in with_mesh else median for name in names])
    return larger


def _median(values: Sequence[float]) -> float:
    """The median of numbers; that of NumPy imports masked arrays."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else 0.5 * (ordered[half - 1] + ordered[half])


def _out_of_scale(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Array:
    """True for links that outweigh each of their neighbours, and the median link, by `MASS`."""
    mass = {link.name: link.inertia.mass for link in links}
    typical = _median(list(mass.values()))
    heaviest: dict[str, float] = defaultdict(float)
    for joint in joints:
        for one, other in ((joint.parent, joint.child), (joint.child, joint.parent)):
            heaviest[one] = max(heaviest[one], mass.get(other, 0.0))
    return np.array(
        [heaviest[name] > 0.0 and m > MASS * max(heaviest[name], typical) for name, m in mass.items()], dtype=bool
    )
