"""Masses, centres of mass and inertias of links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import hypot, log10

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.finding import Finding, Repair, Severity
from armdyn.doctor.hulls import WATER
from armdyn.doctor.hypotheses import Hypothesis, Numbers, Surroundings, is_possible, ranked
from armdyn.doctor.source import Edit, Node
from armdyn.doctor.subject import MOMENTS, Subject, SubjectLink, tensor_of
from armdyn.formats.findings import read_number
from armdyn.inertia.consistency import nearest_consistent
from armdyn.model.inertia import Inertia

WORTH, CERTAIN = 0.25, 2.0
"""Powers of ten beyond what is likely: from the first on it is a finding, from the second on an error."""

STANDARD_GRAVITY = 9.80665
"""m/s^2."""

SMALL_BREACH = 10.0
"""Per cent of the largest moment: below it rounding or one digit broke a tensor."""

MOST_REPAIRS, LEAST_ALIKE, LONGEST_SHOWN = 3, 3, 40

KINDS = {
    "size": ("inertia/size", "a moment of inertia of another size than the link", "fast motions need other torques"),
    "density": ("mass/density", "a density of no material", "all torques are those of another arm"),
    "centre": ("mass/centre", "a centre of mass outside of the link", "gravity's torques are those of another arm"),
    "mass": ("mass/neighbours", "a mass far from those of its neighbours", "gravity's torques are wrong"),
}
"""By kind of judgement: the rule, the fault and its consequence."""

ERRORS = {
    "size": log10(thresholds.IMPOSSIBLE.value / thresholds.LARGE.value),
    "density": log10(thresholds.BEYOND_MATTER.value),
    "centre": log10(thresholds.FAR_OUTSIDE.value / thresholds.OUTSIDE.value),
    "mass": CERTAIN,
}
"""By kind of judgement: powers of ten beyond the likely range from which it is an error."""


def readable(subject: Subject) -> Iterator[Finding]:
    """Numbers that cannot be read, or that are missing although others are stated."""
    for body in subject.bodies.values():
        if body.inertial is None:
            continue
        if body.mass is None:
            yield _of(body, "mass/missing", "error", "<inertial> states no mass", "the link has no weight")
        if body.moments is None and body.mass:
            if subject.format == "MJCF":
                text, why = f"{body.mass:g} kg without diaginertia or fullinertia", "MuJoCo refuses a body that moves"
                yield _of(body, "inertia/missing", "error" if body.moves else "warning", text, why)
            else:
                text = f"{body.mass:g} kg without <inertia>"
                yield _of(body, "inertia/missing", "warning", text, "the link is a point mass")
        for node, names in body.readings():
            yield from _unreadable(body, node, names)


def _unreadable(body: SubjectLink, node: Node | None, names: tuple[str, ...]) -> Iterator[Finding]:
    """Attributes that are not finite numbers, with the repair of decimal commas."""
    for name in names if node is not None else ():
        text = node.attributes.get(name)  # type: ignore[union-attr]
        if text is None and node.tag == "inertia":  # type: ignore[union-attr]
            yield _of(body, "read/number", "error", f"<inertia> states no {name}", "readers refuse it or take 0", node)
        if text is None or all(np.isfinite(read_number(word)) for word in text.split()):
            continue
        point = text.replace(",", ".")
        repairs: tuple[Repair, ...] = ()
        if "," in text and all(np.isfinite(read_number(word)) for word in point.split()):
            edits = (Edit(node.values[name], point),)  # type: ignore[union-attr]
            repairs = (Repair("the decimal sign is a point", edits, f"{text} to {point}"),)
        excerpt = text if len(text) < LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
        fault = f"{name} {excerpt!r} is not a number"
        yield replace(_of(body, "read/number", "error", fault, "readers refuse the file", node), repairs=repairs)


def weightless(subject: Subject) -> Iterator[Finding]:
    """Links that move, have a shape or a child, and no mass."""
    for body in subject.bodies.values():
        joint = body.carried_by
        if joint is None or joint.kind in ("fixed", "") or _carries_mass(body, set()):
            continue
        others = {
            "URDF": "Pinocchio and Drake take 0, Gazebo drops the link, MuJoCo computes a mass from the shapes",
            "MJCF": "MuJoCo refuses the file",
        }[subject.format]
        drawn = body.hulls or body.is_drawn
        text, why = f"joint {joint.name!r} moves no mass", f"M(q) has no inverse; {others}"
        finding = _of(body, "mass/zero", "warning" if drawn else "note", text, why)
        yield replace(finding, repairs=tuple(_fill(subject, body)))


def _carries_mass(body: SubjectLink, seen: set[str]) -> bool:
    """Whether the link, or another that it carries, has mass."""
    if body.mass is not None and body.mass != 0.0:
        return True
    seen.add(body.name)
    carried = [joint.child_body for joint in body.carries if joint.child not in seen]
    return any(child is not None and _carries_mass(child, seen) for child in carried)


def _fill(subject: Subject, body: SubjectLink) -> Iterator[Repair]:
    """The shapes of a link, filled with the density of the others or of water."""
    others = [one.mass / one.volume for one in subject.moving() if one.mass and one.volume and one.mass > 0.0]
    density = float(np.median(others)) if others else WATER
    mass = density * (body.volume or 0.0)
    solid = body.solid(mass)
    if solid is not None:
        title = f"{body.solid_words}, solid, of {density:.4g} kg/m^3{' as the other links' if others else ''}"
        yield Repair(title, body.edits(mass, *solid), f"mass 0 to {mass:.4g} kg", 0.5, (mass, tuple(solid[0])))


def possible(subject: Subject) -> Iterator[Finding]:
    """Masses below zero, and tensors that no rigid body has."""
    typical = typical_of(subject)
    for body in subject.bodies.values():
        if not body.is_stated:
            continue
        assert body.mass is not None  # noqa: S101 - it is stated
        assert body.moments is not None  # noqa: S101 - likewise
        numbers = Numbers(body.mass, body.com, body.moments)
        principal = np.linalg.eigvalsh(tensor_of(body.moments))
        largest = float(np.abs(principal).max())
        if body.mass > 0.0 and largest < thresholds.POINT.value * body.mass * typical[0] ** 2:
            continue  # a point mass: the rest is rounding
        if body.mass < 0.0:
            rule, text = "mass/negative", f"mass is {body.mass:g} kg"
        elif body.mass == 0.0 and largest == 0.0:
            continue
        elif principal[0] < -thresholds.ROUNDED.value * largest:
            rule, text = "inertia/negative", f"the smallest principal moment is {principal[0]:.4g} kg m^2"
        elif principal[2] - principal[1] - principal[0] > thresholds.TRIANGLE.value * largest:
            short = 100 * (principal[2] - principal[1] - principal[0]) / principal[2]
            label = ", ".join(f"{one:.4g}" for one in principal)
            rule, text = "inertia/triangle", f"principal moments ({label}) kg m^2 break a + b >= c by {short:.2g} %"
        else:
            continue
        severity: Severity = "error" if body.moves else "warning"
        finding = _of(body, rule, severity, text, "no rigid body has these; M(q) may lose its inverse")
        repairs = list(_repairs(body, numbers, Surroundings.of(body, *typical)))[: MOST_REPAIRS - 1]
        for nearest in _nearest(body):
            small = rule == "inertia/triangle" and short < SMALL_BREACH
            repairs.insert(0 if small else len(repairs), nearest)
        yield replace(finding, repairs=tuple(repairs))


def likely(subject: Subject) -> Iterator[Finding]:
    """Numbers of another size than the link: units, decimal points, digits too many."""
    typical = typical_of(subject)
    for body in subject.moving():
        assert body.mass is not None  # noqa: S101 - it is stated
        assert body.moments is not None  # noqa: S101 - likewise
        if not body.mass > 0.0 or not is_possible(body.moments):
            continue
        numbers, beside = Numbers(body.mass, body.com, body.moments), Surroundings.of(body, *typical)
        if is_frame(body, typical):
            continue
        judged = {kind: value for kind, value in beside.judged(numbers).items() if value > WORTH}
        if body.mass < thresholds.FRAME.value * typical[1] and not ("size" in judged and body.moments.any()):
            continue  # a frame, with a mass for readers that need one
        if not judged:
            continue
        kind = max(judged, key=lambda one: judged[one])
        rule, fault, why = KINDS[kind]
        certain = beside.is_known and (judged[kind] > ERRORS[kind] or sum(judged.values()) > CERTAIN)
        finding = _of(
            body, rule, "error" if certain else "warning", f"{fault}: {_evidence(kind, numbers, beside)}", why
        )
        yield replace(finding, repairs=tuple(_repairs(body, numbers, beside))[:MOST_REPAIRS])


def is_frame(body: SubjectLink, typical: tuple[float, float]) -> bool:
    """If a link's mass and moments are too small to matter: a frame, with a mass for readers that need one.

    Args:
        body: the link.
        typical: extent, m, and mass, kg, of the robot's links.
    """
    if body.moments is None or body.mass is None:
        return False
    extent, mass = typical
    small = thresholds.FRAME.value * mass
    return body.mass < small and float(np.abs(body.moments).max()) <= small * extent**2


def _evidence(kind: str, numbers: Numbers, beside: Surroundings) -> str:
    largest = float(np.linalg.eigvalsh(tensor_of(numbers.moments))[-1])
    radius = np.sqrt(largest) / np.sqrt(numbers.mass)
    far = hypot(*numbers.com)
    return {
        "size": f"{largest:.4g} kg m^2 on {numbers.mass:.4g} kg, a radius of gyration of {radius:.3g} m on a link of "
        f"{beside.extent:.3g} m",
        "density": f"{numbers.mass:.4g} kg in {1e3 * (beside.volume or 0.0):.3g} l",
        "centre": f"{far:.3g} m from the link's origin, on a link of {beside.extent:.3g} m",
        "mass": f"{numbers.mass:.5g} kg beside {', '.join(f'{m:.4g}' for m in beside.neighbours)} kg",
    }[kind]


def _repairs(body: SubjectLink, numbers: Numbers, beside: Surroundings) -> Iterator[Repair]:
    """The best hypotheses; after them the solid shapes of the link at its mass."""
    solid = _solid(body, numbers, beside)
    for remaining, hypothesis in [*ranked(numbers, beside)[: MOST_REPAIRS - len(solid)], *solid]:
        if not is_possible(hypothesis.numbers.moments):
            continue
        edits = body.edits(*hypothesis.numbers)
        if edits:
            mass, com, _ = hypothesis.numbers
            became = change_in_words(body, hypothesis.numbers)
            yield Repair(hypothesis.title, edits, became, 1.0 / (1.0 + remaining), (mass, tuple(com)))


def _solid(body: SubjectLink, numbers: Numbers, beside: Surroundings) -> list[tuple[float, Hypothesis]]:
    solid = body.solid(abs(numbers.mass))
    if solid is None or numbers.mass <= 0.0:
        return []
    filled = Hypothesis(f"{body.solid_words}, solid, at this mass", Numbers(numbers.mass, numbers.com, solid[1]), 0.0)
    near = np.linalg.norm(solid[0] - numbers.com) < thresholds.NEAR_CENTRE.value * beside.extent
    remaining = beside.unlikely(filled.numbers)
    return [(remaining, filled)] if near and remaining < beside.unlikely(numbers) else []


def change_in_words(body: SubjectLink, numbers: Numbers) -> str:
    """The change of a link's numbers and its consequence, in words."""
    assert body.mass is not None  # noqa: S101 - it is stated
    assert body.moments is not None  # noqa: S101 - likewise
    parts = [f"mass {body.mass:.6g} to {numbers.mass:.6g} kg"] if numbers.mass != body.mass else []
    if not np.array_equal(numbers.com, body.com):
        parts.append(f"centre ({_describe(body.com)}) to ({_describe(numbers.com)}) m")
    if not np.array_equal(numbers.moments, body.moments):
        parts.append(f"moments ({_describe(body.moments)}) to ({_describe(numbers.moments)}) kg m^2")
    torques = (_torque_change(body, numbers), inertial_torque(body, numbers.moments))
    return "; ".join([*parts, *filter(None, torques)])


def inertial_torque(body: SubjectLink, moments: np.ndarray) -> str:
    """The change of the torque that turns a link at 1 rad/s^2 about its joint, if its moments change alone."""
    T = np.eye(4)
    for joint in body.path:
        if joint.kind != "fixed":
            break
        T = joint.placement @ T
    else:
        return ""
    axis = joint.axis / max(float(np.linalg.norm(joint.axis)), np.finfo(float).tiny)
    in_link = body.frame[:3, :3].T @ T[:3, :3].T @ axis
    change = float(in_link @ tensor_of(moments - body.moments) @ in_link)
    if joint.kind not in ("revolute", "continuous") or not np.isfinite(change) or change == 0.0:
        return ""
    return f"1 rad/s^2 of {joint.name!r} takes {abs(change):.3g} N m {'more' if change > 0.0 else 'less'}"


def _torque_change(body: SubjectLink, numbers: Numbers) -> str:
    """How far gravity's torque on the joint that moves the link changes, its axis horizontal: g |a x delta(m c)|."""
    T = np.eye(4)
    for joint in body.path:
        if joint.kind != "fixed":
            break
        T = joint.placement @ T
    else:
        return ""
    weights = [m * np.append(T[:3] @ np.append(c, 1.0), 1.0) for m, c in (numbers[:2], (body.mass, body.com))]
    change = weights[0] - weights[1]
    axis = joint.axis / max(float(np.linalg.norm(joint.axis)), np.finfo(float).tiny)
    if joint.kind == "prismatic":
        size, unit = STANDARD_GRAVITY * abs(float(change[3])), "N"
    else:
        about = change[:3] - joint.pivot * change[3]
        size, unit = STANDARD_GRAVITY * float(np.linalg.norm(np.cross(axis, about))), "N m"
    return f"gravity on {joint.name!r} by up to {size:.3g} {unit}" if np.isfinite(size) and size > 0.0 else ""


def _describe(values: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def _nearest(body: SubjectLink) -> Iterator[Repair]:
    """The nearest tensor of a rigid body, which keeps mass and centre."""
    assert body.mass is not None  # noqa: S101 - it is stated
    assert body.moments is not None  # noqa: S101 - likewise
    if body.mass > 0.0:
        values = tensor_of(body.moments)
        near = nearest_consistent(Inertia(body.mass, np.zeros(3), values)).inertia.tensor
        six = near[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        change = 100 * float(np.linalg.norm(near - values) / np.linalg.norm(values))
        title = f"the nearest tensor of a rigid body, a change of {change:.2g} %"
        numbers = Numbers(body.mass, body.com, six)
        yield Repair(title, body.edits(*numbers), change_in_words(body, numbers), sure=0.3)


def placeholders(subject: Subject) -> Iterator[Finding]:
    """The same mass and inertia on several links: numbers that nobody has computed."""
    alike: dict[tuple[float, ...], list[SubjectLink]] = defaultdict(list)
    for body in subject.moving():
        assert body.moments is not None  # noqa: S101 - it is stated
        if body.mass and body.moments.any():
            alike[(body.mass, *body.moments.tolist())].append(body)
    for numbers, bodies in alike.items():
        if len(bodies) >= LEAST_ALIKE and len({round(body.extent, 3) for body in bodies}) > 1:
            names = ", ".join(body.name for body in bodies[:4]) + (", ..." if len(bodies) > 4 else "")
            text = f"mass {numbers[0]:g} kg and inertia are those of {len(bodies)} links of different sizes ({names})"
            yield _of(bodies[0], "inertia/placeholder", "warning", text, "these are placeholders, not measurements")


PAIRS = (("left", "right"), ("Left", "Right"), ("_l_", "_r_"), ("LEFT", "RIGHT"))
ALIKE = 0.02
"""Masses and principal moments of a link and its mirror twin differ by less, relative to the larger."""


def twins(subject: Subject) -> Iterator[Finding]:
    """Links of a left and a right side whose numbers are no mirror images."""
    for body, twin in _pairs(subject):
        assert body.mass is not None  # noqa: S101 - it is stated
        assert twin.mass is not None  # noqa: S101 - likewise
        assert body.moments is not None  # noqa: S101 - it is stated
        assert twin.moments is not None  # noqa: S101 - likewise
        if abs(body.mass - twin.mass) > ALIKE * max(body.mass, twin.mass):
            text = f"{body.mass:g} kg, its twin {twin.name!r} {twin.mass:g} kg"
            yield _of(body, "mass/twin", "note", text, "mirror images have one mass")
            continue
        own, other = (np.linalg.eigvalsh(tensor_of(one.moments)) for one in (body, twin))  # type: ignore[arg-type]
        if np.abs(own - other).max() > ALIKE * max(own[-1], other[-1]):
            text = f"principal moments ({_describe(own)}) kg m^2, those of its twin {twin.name!r} ({_describe(other)})"
            yield _of(body, "inertia/twin", "note", text, "mirror images have equal principal moments")


def mirrors(subject: Subject) -> Iterator[Finding]:
    """Twins whose centres of mass are mirror images and whose products of inertia have equal signs, or the reverse."""
    for body, twin in _pairs(subject):
        assert body.moments is not None  # noqa: S101 - it is stated
        assert twin.moments is not None  # noqa: S101 - likewise
        across = [k for k in range(3) if body.com[k] * twin.com[k] < 0.0]
        if len(across) != 1 or not np.allclose(np.abs(body.com), np.abs(twin.com), rtol=ALIKE):
            continue
        slots = [slot for slot, pair in ((1, (0, 1)), (2, (0, 2)), (4, (1, 2))) if across[0] in pair]
        size = float(np.abs(body.moments).max())
        own, other = body.moments[slots], twin.moments[slots]
        if np.abs(own).max() > ALIKE * size and np.allclose(own, other, atol=1e-3 * size):
            moments = body.moments.copy()
            moments[slots] = -other
            names = ", ".join(MOMENTS[slot] for slot in slots)
            text = f"centre mirrored along {'xyz'[across[0]]} beside {twin.name!r}, {names} with the same sign"
            why = "mirror images have opposite products of inertia"
            repair = Repair(f"{names} with the other sign", body.edits(body.mass or 0.0, body.com, moments), sure=0.5)
            yield replace(_of(body, "inertia/mirror", "warning", text, why), repairs=(repair,))


def _pairs(subject: Subject) -> Iterator[tuple[SubjectLink, SubjectLink]]:
    """Links of a left side and their twins of the right, both with stated mass and inertia."""
    for body in subject.moving():
        for a, b in PAIRS:
            twin = subject.bodies.get(body.name.replace(a, b)) if a in body.name else None
            if twin is not None and twin is not body and twin.is_stated and body.mass and twin.mass:
                yield body, twin
                break


def typical_of(subject: Subject) -> tuple[float, float]:
    """The median extent, m, and the median mass of the moving links, kg; 0 if none is known."""
    extents = [body.extent for body in subject.bodies.values() if body.extent > 0.0]
    masses = [body.mass for body in subject.moving() if body.mass and body.mass > 0.0]
    return tuple(float(np.median(each)) if each else 0.0 for each in (extents, masses))  # type: ignore[return-value]


def _of(body: SubjectLink, rule: str, severity: Severity, text: str, why: str, node: Node | None = None) -> Finding:
    finding = Finding.at(node or body.inertial or body.node, rule, severity, text, why=why, link=body.name)
    return replace(finding, element=f"link {body.name!r}")
