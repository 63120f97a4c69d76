"""Inertias that no rigid body has, or none of this size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit, Node
from armdyn.doctor.subject import MOMENTS, Body, Subject, tensor_of
from armdyn.inertia.consistency import nearest_consistent
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

ORDERS = {
    "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2),
    "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2),
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
}
"""Other orders in which programs print a tensor, with the place of each attribute's number in it."""

POWERS = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e-4, 1e4, 1e-2, 1e2, 1e-1, 1e1)
"""Factors on all moments: g mm^2, g cm^2, kg mm^2 and the like; a decimal point in the wrong place."""


def impossible(subject: Subject) -> Iterator[Finding]:
    """Tensors that are not positive, or break a + b >= c, of links with a mass."""
    for body in subject.bodies.values():
        if not body.is_stated or not body.mass or body.mass < 0.0:
            continue
        assert body.tensor is not None  # noqa: S101 - it is stated
        moments = np.linalg.eigvalsh(body.tensor)
        largest = float(np.abs(moments).max())
        if moments[0] < -1e-9 * largest:
            yield _impossible(body, "inertia/negative", f"smallest principal moment is {moments[0]:.4g} kg m^2")
        elif moments[2] - moments[0] - moments[1] > thresholds.TRIANGLE.value * largest:
            short = (moments[2] - moments[0] - moments[1]) / moments[2]
            shown = ", ".join(f"{m:.4g}" for m in moments)
            yield _impossible(
                body, "inertia/triangle", f"principal moments ({shown}) kg m^2 break a + b >= c by {100 * short:.2g} %"
            )


def _impossible(body: Body, rule: str, text: str) -> Finding:
    node = body.inertial or body.node
    why = "no rigid body has such moments, and M(q) may lose its inverse"
    found = Finding.at(node, rule, "error", text, why=why, link=body.name)
    return replace(found, element=f"link {body.name!r}", repairs=tuple(_repairs(body)))


def _repairs(body: Body) -> Iterator[Repair]:
    """Orders and signs that explain the numbers, one moment's power of ten, then the nearest consistent tensor."""
    moments, mass = body.moments, body.mass
    assert moments is not None  # noqa: S101 - it is stated
    assert mass is not None  # noqa: S101 - likewise
    for name, order in ORDERS.items():
        other = moments[list(order)]
        if is_possible(other) and not np.array_equal(other, moments):
            yield replace_moments(body, other, f"read the numbers in the order {name}", 0.9)
    for k in (0, 3, 5):
        for factor in (1e-3, 1e3, 1e-1, 1e1, 1e-2, 1e2, -1.0):
            other = moments.copy()
            other[k] *= factor
            if is_possible(other) and _fits(body, other):
                yield replace_moments(body, other, f"{MOMENTS[k]} times {factor:g}: {other[k]:.7g} kg m^2", 0.8)
    if mass > 0.0:
        near = nearest_consistent(Inertia(mass, np.zeros(3), tensor_of(moments))).inertia.tensor
        change = float(np.linalg.norm(near - tensor_of(moments)) / np.linalg.norm(tensor_of(moments)))
        six = near[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        yield replace_moments(body, six, f"the nearest tensor of a rigid body, which changes it by {100 * change:.2g} %", 0.5)


def is_possible(moments: Array) -> bool:
    """Whether a rigid body has these six numbers."""
    a, b, c = np.linalg.eigvalsh(tensor_of(moments))
    return bool(a > 0.0 and c - a - b <= thresholds.TRIANGLE.value * c)


def _fits(body: Body, moments: Array) -> bool:
    """Whether a body of this mass and extent can have these moments."""
    return gyration(body, moments) <= max(thresholds.GYRATION.value, 1.0) * 1.0 if body.extent else True


def gyration(body: Body, moments: Array) -> float:
    """Radius of gyration about the worst axis over the extent of the link."""
    assert body.mass is not None  # noqa: S101 - it is stated
    largest = float(np.linalg.eigvalsh(tensor_of(moments))[-1])
    return float(np.sqrt(max(largest, 0.0) / body.mass) / body.extent)


def replace_moments(body: Body, moments: Array, title: str, sure: float) -> Repair:
    """Write other numbers into <inertia>; those that stay keep their text."""
    element: Node = body.inertial.first("inertia")  # type: ignore[union-attr, assignment]
    assert body.moments is not None  # noqa: S101 - it is stated
    edits = tuple(
        Edit(element.values[name], f"{new:.10g}")
        for name, old, new in zip(MOMENTS, body.moments, moments, strict=True)
        if name in element.values and new != old
    )
    return Repair(title, edits, sure=sure)


def of_another_size(subject: Subject) -> Iterator[Finding]:
    """Radii of gyration far above or below the extent of the link: moments in other units."""
    for body in subject.moving():
        if not body.mass or body.mass <= 0.0 or body.extent <= 0.0:
            continue
        assert body.moments is not None  # noqa: S101 - it is stated
        ratio = gyration(body, body.moments)
        if thresholds.SMALL_GYRATION.value <= ratio <= thresholds.GYRATION.value or ratio == 0.0:
            continue
        radius = ratio * body.extent
        text = (
            f"radius of gyration {radius:.3g} m on a link of {body.extent:.3g} m and {body.mass:.4g} kg "
            f"(largest moment {radius**2 * body.mass:.4g} kg m^2)"
        )
        impossible_size = ratio > thresholds.GYRATION_ERROR.value
        rule = "inertia/too-large" if ratio > 1.0 else "inertia/too-small"
        found = Finding.at(
            body.inertial or body.node,
            rule,
            "error" if impossible_size else "warning",
            text,
            why="joint torques of fast motions are those of another arm",
            link=body.name,
        )
        repairs = (
            replace_moments(body, body.moments * factor, f"all moments times {factor:g}", 0.8)
            for factor in POWERS
            if 0.1 <= ratio * np.sqrt(factor) <= 0.6
        )
        yield replace(found, element=f"link {body.name!r}", repairs=tuple(repairs))


def orders(moments: Array) -> Iterator[Array]:
    """The six numbers in all orders."""
    return (moments[list(order)] for order in permutations(range(6)))
