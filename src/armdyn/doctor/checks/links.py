"""Masses, centres of mass and inertias of links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.finding import Finding, Repair, Severity
from armdyn.doctor.hypotheses import Numbers, Surroundings, is_possible, ranked
from armdyn.doctor.subject import Body, Subject, tensor_of
from armdyn.inertia.consistency import nearest_consistent
from armdyn.model.inertia import Inertia

WORTH, CERTAIN = 0.25, 2.0
"""Powers of ten beyond what is likely: from the first on it is a finding, from the second on an error."""

MOST_REPAIRS, LEAST_ALIKE = 3, 3

KINDS = {
    "size": ("inertia/size", "a moment of inertia of another size than the link", "fast motions need other torques"),
    "density": ("mass/density", "a density of no material", "all torques are those of another arm"),
    "centre": ("mass/centre", "a centre of mass outside of the link", "gravity's torques are those of another arm"),
    "mass": ("mass/neighbours", "a mass far from those of its neighbours", "gravity's torques are wrong"),
}
"""By kind of judgement: the rule, the fault and its consequence."""


def readable(subject: Subject) -> Iterator[Finding]:
    """Numbers that cannot be read, or that are missing beside others."""
    for body in subject.bodies.values():
        if body.inertial is None:
            continue
        element, weight = body.inertial.first("inertia"), body.inertial.first("mass")
        if weight is None or body.mass is None:
            yield _of(body, "mass/missing", "error", "<inertial> states no mass", "the link has no weight")
        elif not np.isfinite(body.mass):
            yield _of(body, "read/number", "error", f"mass {weight.attributes['value']!r} is not a number", "")
        if element is None and body.mass:
            yield _of(
                body, "inertia/missing", "warning", f"{body.mass:g} kg without <inertia>", "the link is a point mass"
            )
        elif body.moments is not None and not np.isfinite(body.moments).all():
            commas = any("," in text for text in (element.attributes.values() if element else ()))
            hint = ": the decimal sign is a point" if commas else ""
            yield _of(body, "read/number", "error", f"<inertia> has a moment that is not a number{hint}", "")


def weightless(subject: Subject) -> Iterator[Finding]:
    """Links that move, have a shape or a child, and no mass."""
    for body in subject.bodies.values():
        joint = body.carried_by
        if joint is None or joint.kind in ("fixed", "") or _carries_mass(body):
            continue
        others = "Pinocchio and Drake take 0, Gazebo drops the link, MuJoCo computes a mass from the shapes"
        yield _of(
            body,
            "mass/zero",
            "warning" if body.hulls or body.node.first("visual") or body.node.first("collision") else "note",
            f"joint {joint.name!r} moves no mass",
            f"M(q) has no inverse; {others}",
        )


def _carries_mass(body: Body) -> bool:
    """Whether the link, or what it carries, has mass or inertia."""
    if body.mass is not None and body.mass != 0.0:
        return True
    return any(joint.child_body is not None and _carries_mass(joint.child_body) for joint in body.carries)


def possible(subject: Subject) -> Iterator[Finding]:
    """Masses below zero, and tensors that no rigid body has."""
    typical = _typical_extent(subject)
    for body in subject.bodies.values():
        if not body.is_stated:
            continue
        assert body.mass is not None  # noqa: S101 - it is stated
        assert body.moments is not None  # noqa: S101 - likewise
        numbers = Numbers(body.mass, body.com, body.moments)
        principal = np.linalg.eigvalsh(tensor_of(body.moments))
        largest = float(np.abs(principal).max())
        if body.mass < 0.0:
            rule, text = "mass/negative", f"mass is {body.mass:g} kg"
        elif body.mass == 0.0 and largest == 0.0:
            continue
        elif principal[0] < -thresholds.ROUNDED.value * largest:
            rule, text = "inertia/negative", f"the smallest principal moment is {principal[0]:.4g} kg m^2"
        elif principal[2] - principal[1] - principal[0] > thresholds.TRIANGLE.value * largest:
            short = 100 * (principal[2] - principal[1] - principal[0]) / principal[2]
            shown = ", ".join(f"{one:.4g}" for one in principal)
            rule, text = "inertia/triangle", f"principal moments ({shown}) kg m^2 break a + b >= c by {short:.2g} %"
        else:
            continue
        severity: Severity = "error" if body.moves else "warning"
        found = _of(body, rule, severity, text, "no rigid body has these; M(q) may lose its inverse")
        repairs = (*_repairs(body, numbers, Surroundings.of(body, typical)), *_nearest(body))
        yield replace(found, repairs=repairs[:MOST_REPAIRS] if len(repairs) > MOST_REPAIRS else repairs)


def likely(subject: Subject) -> Iterator[Finding]:
    """Numbers of another size than the link: units, decimal points, digits too many."""
    typical = _typical_extent(subject)
    for body in subject.moving():
        assert body.mass is not None  # noqa: S101 - it is stated
        assert body.moments is not None  # noqa: S101 - likewise
        if not body.mass > 0.0 or not is_possible(body.moments):
            continue
        numbers, beside = Numbers(body.mass, body.com, body.moments), Surroundings.of(body, typical)
        judged = {kind: value for kind, value in beside.judged(numbers).items() if value > WORTH}
        if not judged:
            continue
        kind = max(judged, key=lambda one: judged[one])
        rule, fault, why = KINDS[kind]
        certain = sum(judged.values()) >= CERTAIN and beside.is_known
        found = _of(body, rule, "error" if certain else "warning", f"{fault}: {_evidence(kind, numbers, beside)}", why)
        yield replace(found, repairs=tuple(_repairs(body, numbers, beside))[:MOST_REPAIRS])


def _evidence(kind: str, numbers: Numbers, beside: Surroundings) -> str:
    largest = float(np.linalg.eigvalsh(tensor_of(numbers.moments))[-1])
    radius = np.sqrt(largest / numbers.mass)
    far = float(np.linalg.norm(numbers.com))
    return {
        "size": f"{largest:.4g} kg m^2 on {numbers.mass:.4g} kg, a radius of gyration of {radius:.3g} m on a link of "
        f"{beside.extent:.3g} m",
        "density": f"{numbers.mass:.4g} kg in {1e3 * (beside.volume or 0.0):.3g} l",
        "centre": f"{far:.3g} m from the link's origin, on a link of {beside.extent:.3g} m",
        "mass": f"{numbers.mass:.5g} kg beside {', '.join(f'{m:.4g}' for m in beside.neighbours)} kg",
    }[kind]


def _repairs(body: Body, numbers: Numbers, beside: Surroundings) -> Iterator[Repair]:
    for left, hypothesis in ranked(numbers, beside):
        if not is_possible(hypothesis.numbers.moments):
            continue
        edits = body.edits(*hypothesis.numbers)
        if edits:
            yield Repair(hypothesis.title, edits, _became(body, hypothesis.numbers), sure=1.0 / (1.0 + left))


def _became(body: Body, numbers: Numbers) -> str:
    assert body.mass is not None  # noqa: S101 - it is stated
    assert body.moments is not None  # noqa: S101 - likewise
    parts = [f"mass {body.mass:.6g} to {numbers.mass:.6g} kg"] if numbers.mass != body.mass else []
    if not np.array_equal(numbers.com, body.com):
        parts.append(f"centre ({_shown(body.com)}) to ({_shown(numbers.com)}) m")
    if not np.array_equal(numbers.moments, body.moments):
        parts.append(f"moments ({_shown(body.moments)}) to ({_shown(numbers.moments)}) kg m^2")
    return "; ".join(parts)


def _shown(values: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def _nearest(body: Body) -> Iterator[Repair]:
    """The nearest tensor of a rigid body, which keeps mass and centre."""
    assert body.mass is not None  # noqa: S101 - it is stated
    assert body.moments is not None  # noqa: S101 - likewise
    if body.mass > 0.0:
        given = tensor_of(body.moments)
        near = nearest_consistent(Inertia(body.mass, np.zeros(3), given)).inertia.tensor
        six = near[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        change = 100 * float(np.linalg.norm(near - given) / np.linalg.norm(given))
        title = f"the nearest tensor of a rigid body, a change of {change:.2g} %"
        numbers = Numbers(body.mass, body.com, six)
        yield Repair(title, body.edits(*numbers), _became(body, numbers), sure=0.3)


def placeholders(subject: Subject) -> Iterator[Finding]:
    """The same mass and inertia on several links: numbers that nobody has computed."""
    alike: dict[tuple[float, ...], list[Body]] = defaultdict(list)
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
    for body in subject.moving():
        twin = next(
            (
                subject.bodies[body.name.replace(a, b)]
                for a, b in PAIRS
                if a in body.name and body.name.replace(a, b) in subject.bodies
            ),
            None,
        )
        if twin is None or twin is body or not twin.is_stated or not body.mass or not twin.mass:
            continue
        assert body.moments is not None  # noqa: S101 - it is stated
        assert twin.moments is not None  # noqa: S101 - likewise
        if abs(body.mass - twin.mass) > ALIKE * max(body.mass, twin.mass):
            text = f"{body.mass:g} kg, its twin {twin.name!r} {twin.mass:g} kg"
            yield _of(body, "mass/twin", "note", text, "mirror images have one mass")
            continue
        own, other = (np.linalg.eigvalsh(tensor_of(one.moments)) for one in (body, twin))  # type: ignore[arg-type]
        if np.abs(own - other).max() > ALIKE * max(own[-1], other[-1]):
            text = f"principal moments ({_shown(own)}) kg m^2, those of its twin {twin.name!r} ({_shown(other)})"
            yield _of(body, "inertia/twin", "note", text, "mirror images have equal principal moments")


def _typical_extent(subject: Subject) -> float:
    extents = [body.extent for body in subject.bodies.values() if body.extent > 0.0]
    return float(np.median(extents)) if extents else 0.0


def _of(body: Body, rule: str, severity: Severity, text: str, why: str) -> Finding:
    found = Finding.at(body.inertial or body.node, rule, severity, text, why=why, link=body.name)
    return replace(found, element=f"link {body.name!r}")
