"""Masses, centres and inertias against the shapes of their links; shapes against joints and against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import hypot

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.checks.links import inertial_torque, is_frame, typical_of
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.hulls import Hull
from armdyn.doctor.source import Edit, Node
from armdyn.doctor.subject import PURPOSES, Subject, SubjectLink, tensor_of
from armdyn.spatial.rotations import Array

SMALLER: tuple[float, ...] = (1e-3, 1e-2, 0.0254)
LARGER: tuple[float, ...] = (1e3,)
"""Factors that a scale may lack."""

UNITS = {1e-3: "mm", 1e-2: "cm", 0.0254: "inches", 1e3: "km"}
"""The unit of a mesh, by the factor that its scale lacks."""


def _directions() -> Array:
    """Unit vectors spread over half a sphere by the golden angle, and the coordinate axes; shape (directions, 3)."""
    k = np.arange(100)
    z, angle = (k + 0.5) / 100, k * np.pi * (3.0 - np.sqrt(5.0))
    spread = np.stack([np.sqrt(1 - z**2) * np.cos(angle), np.sqrt(1 - z**2) * np.sin(angle), z], axis=1)
    return np.vstack([np.eye(3), spread])


DIRECTIONS = _directions()


def inside(subject: Subject) -> Iterator[Finding]:
    """Centres of mass outside the hull of a link, and moments that no mass inside of it has.

    Mass m between two planes that are w apart has a second moment of at most m w^2 / 4 about its centre, for two points
    on the planes. The hull is that of the link's shapes and joints.
    """
    typical = typical_of(subject)
    for body in subject.moving():
        if not body.is_measured or not body.mass or body.mass <= 0.0 or is_frame(body, typical):
            continue
        points = body.points_within_bounds
        S = _second_moment(body)
        along = np.vstack([DIRECTIONS, np.linalg.eigh(S)[1].T])
        ends = points @ along.T
        above, below = ends.max(axis=0) - along @ body.com, along @ body.com - ends.min(axis=0)
        beyond = float(-min(above.min(), below.min()))
        if beyond > 0.0:
            if thresholds.BEYOND_HULL.value * body.extent < beyond < thresholds.OUTSIDE.value * body.extent:
                text = f"the centre of mass is {beyond:.3g} m outside the hull of the link's shapes and joints"
                why = "gravity's torques are those of another arm; or a heavy part is not drawn"
                yield _of(body, "mass/centre", text, why)
            continue
        if not 1e-12 * body.mass * body.extent**2 < float(np.trace(S)):
            continue
        half = np.maximum(above + below, 1e-3 * body.extent) / 2.0
        ratio = np.sqrt(np.maximum(np.einsum("ui,ij,uj->u", along, S, along), 0.0)) / np.sqrt(body.mass) / half
        worst = int(ratio.argmax())
        if ratio[worst] > thresholds.REACH.value and not _is_size_alone(body):
            yield _too_large(body, float(ratio[worst]), along[worst], float(above[worst] + below[worst]))


def _is_size_alone(body: SubjectLink) -> bool:
    """If the radius of gyration is beyond the extent of the link, which is a finding of its own."""
    largest = float(np.linalg.eigvalsh(tensor_of(body.moments))[-1])  # type: ignore[arg-type]
    return bool(np.sqrt(max(largest, 0.0) / (body.mass or 1.0)) > thresholds.LARGE.value * body.extent)


def _second_moment(body: SubjectLink) -> Array:
    """The integral of r r^T dm about the centre of mass, in the link's axes, kg m^2, shape (3, 3)."""
    R = body.frame[:3, :3]
    tensor = R @ tensor_of(body.moments) @ R.T  # type: ignore[arg-type]
    S: Array = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    return S


def _too_large(body: SubjectLink, ratio: float, along: Array, width: float) -> Finding:
    S = _second_moment(body)
    length = 2.0 * np.sqrt(5.0 * float(along @ S @ along) / (body.mass or 1.0))
    axis = ", ".join(f"{x:.2g}" for x in along)
    text = (
        f"the ellipsoid of these moments is {length:.3g} m long along ({axis}), its shapes and joints span "
        f"{width:.3g} m: {ratio:.2g} times what mass inside of them can have"
    )
    finding = _of(body, "inertia/hull", text, "fast motions need other torques; or a part of the link is not drawn")
    return replace(finding, repairs=tuple(_fill(body)))


def _fill(body: SubjectLink) -> Iterator[Repair]:
    """The shapes of a link, solid, at its mass."""
    solid = body.solid(body.mass or 0.0)
    if solid is None or body.moments is None:
        return
    words = body.solid_words
    _, moments = solid
    about = _about(body, solid)
    if about is not None:
        after = ", ".join(f"{value:.4g}" for value in about)
        before = ", ".join(f"{value:.4g}" for value in body.moments)
        torque = inertial_torque(body, moments)
        became = "; ".join(filter(None, (f"moments ({before}) to ({after}) kg m^2", torque)))
        edits = body.edits(body.mass or 0.0, body.com, moments)
        yield Repair(f"{words}, solid, at this mass", edits, became, sure=0.5)


def _about(body: SubjectLink, solid: tuple[Array, Array]) -> Array | None:
    """The moments of the solid, if its centre of mass is near that of the file: else it is another body."""
    far = float(np.linalg.norm(solid[0] - body.com))
    return solid[1] if far < thresholds.NEAR_CENTRE.value * body.extent else None


def scales(subject: Subject) -> Iterator[Finding]:
    """Meshes of another unit than metres: their size against the distances of joints.

    Such a mesh does not measure its link; later checks leave it out.
    """
    arm = _size(subject)
    for body in subject.bodies.values():
        joints = [*body.carries, *([body.carried_by] if body.carried_by else [])]
        spans = [hypot(*joint.placement[:3, 3]) for joint in joints]
        own = max([span for span in spans if np.isfinite(span)], default=0.0)
        sizes = {id(hull): hypot(*np.ptp(hull.points, axis=0)) for hull in body.hulls}
        for hull in [hull for hull in body.hulls if hull.mesh is not None]:
            size = sizes[id(hull)]
            if arm > 0.0 and size > thresholds.MESH_LARGE.value * arm:
                words, factors = f"the whole robot's joints span {arm:.3g} m", SMALLER
            elif 0.0 < max(sizes.values()) < thresholds.MESH_SMALL.value * own:
                words, factors = f"its joints are {own:.3g} m apart", LARGER
            else:
                continue
            yield _scale(body, hull, size, own or arm, words, factors)
            body.hulls.remove(hull)


def _size(subject: Subject) -> float:
    """The largest sum of joint distances from the root to a link, m."""
    sums = [sum(hypot(*joint.placement[:3, 3]) for joint in body.path) for body in subject.bodies.values()]
    return max((one for one in sums if np.isfinite(one)), default=0.0)


def _scale(body: SubjectLink, hull: Hull, size: float, span: float, words: str, factors: tuple[float, ...]) -> Finding:
    fitting = min(factors, key=lambda factor: abs(np.log10(factor * size / span)))
    node = hull.node
    old = [float(word) for word in node.attributes.get("scale", "1 1 1").split()]
    new = " ".join(f"{fitting * value:.10g}" for value in old)
    edits = (Edit(node.values["scale"], new),) if "scale" in node.values else _inserted(node, f'scale="{new}"')
    repair = Repair(f"the mesh is in {UNITS[fitting]}: scale {new}", edits, f"{size:.3g} m to {fitting * size:.3g} m")
    text = f"a mesh of {size:.3g} m, {words}"
    finding = Finding.at(node, "mesh/scale", "warning", text, why="it is drawn and touched at this size")
    return replace(finding, element=f"link {body.name!r}", link=body.name, repairs=(repair,))


def _inserted(node: Node, text: str) -> tuple[Edit, ...]:
    """An attribute after the name of a file."""
    value = node.values.get("filename", node.values.get("file"))
    return () if value is None else (Edit(type(value)(value.end + 1, value.end + 1), f" {text}"),)


def colliders(subject: Subject) -> Iterator[Finding]:
    """Collision shapes that leave a part of the visual ones out."""
    for body in subject.bodies.values():
        if not body.is_measured or set(body.complete) != set(PURPOSES):
            continue
        visual, collision = (np.vstack([hull.points for hull in body.complete[one]]) for one in PURPOSES)
        size = float(np.linalg.norm(np.ptp(visual, axis=0)))
        both = np.vstack([DIRECTIONS, -DIRECTIONS]).T
        out = (visual @ both).max(axis=0) - (collision @ both).max(axis=0)
        far = float(out.max())
        if size > 0.0 and far > thresholds.UNCOVERED.value * size:
            along = ", ".join(f"{x:.2g}" for x in both[:, int(out.argmax())])
            spans = [" x ".join(f"{x:.3g}" for x in np.ptp(each, axis=0)) for each in (collision, visual)]
            text = (
                f"collision shapes of {spans[0]} m for visual ones of {spans[1]} m, which stand out by {far:.3g} m "
                f"along ({along})"
            )
            finding = Finding.at(body.node, "shape/collision", "note", text, why="these parts pass through others")
            yield replace(finding, link=body.name)


def unread(subject: Subject) -> Iterator[Finding]:
    """Meshes that were to be opened and could not be."""
    for body in subject.bodies.values():
        body.hulls  # noqa: B018 - opens the meshes
    seen = set()
    for node, path in subject.mesh_elements():
        reason = subject.meshes.unread.get(path)
        if reason is not None and reason != "not found" and path not in seen:
            seen.add(path)
            why = "its size was not compared with anything"
            yield Finding.at(node, "mesh/unread", "note", f"mesh {path!r} is {reason}", why=why)


def _of(body: SubjectLink, rule: str, text: str, why: str) -> Finding:
    finding = Finding.at(body.inertial or body.node, rule, "warning", text, why=why, link=body.name)
    return replace(finding, element=f"link {body.name!r}")
