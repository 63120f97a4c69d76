"""`doctor_page`: the findings on a description as one HTML file, the arm drawn with each finding at its link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html import escape

import numpy as np

from armdyn.doctor.finding import SEVERITIES, Finding
from armdyn.doctor.findings import Findings
from armdyn.doctor.hulls import Hull
from armdyn.doctor.subject import PURPOSES, Subject, SubjectLink
from armdyn.formats.findings import read_number
from armdyn.model.geometry import Box, Capsule, Cylinder, Shape, Sphere
from armdyn.page.assembly import script_json
from armdyn.page.html_file import filled, template_file
from armdyn.page.page import Page
from armdyn.page.scene import packed
from armdyn.plots.bodies import triangles_of
from armdyn.plots.thinning import thinned
from armdyn.spatial.rotations import Array

SCRIPTS = ("vectors", "elements", "colours", "meshes", "webgl", "flat", "camera", "doctor")
"""Files of the template, in their order in the script."""

TRIANGLES = 60_000
"""Largest number of triangles of all shapes of a page."""

FEWEST = 12
"""Least number of triangles of a shape, for any number of shapes."""

FAR = 3.0
"""Ellipsoids and centres of mass farther away than this many sizes of the robot are not drawn."""


def doctor_page(findings: Findings, path: str | os.PathLike[str] | None = None) -> Page:
    """The findings as one HTML file that needs no server and no network.

    The arm is drawn with all joints at zero; links with findings have the colour of the worst. The table has line,
    evidence, consequence and first repair of each finding; choosing one shows its link with the ellipsoid of uniform
    density with the given mass and moments. Meshes are drawn if the doctor has opened them.

    Args:
        findings: result of `armdyn.doctor`.
        path: path of a file to write; an existing file is replaced.

    Raises:
        PageError: a file that cannot be written.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     arm = pathlib.Path(folder) / "arm.urdf"
    ...     _ = arm.write_text(armdyn.load("scara").to_urdf())
    ...     page = armdyn.doctor(arm).page()
    >>> page.notes
    ()
    """
    drawn = {} if findings.subject is None else _scene(findings.subject, findings)
    script = "\n".join(
        [f"const DOCTOR = {script_json(drawn)};", *(template_file("armdyn.page", f"{name}.js") for name in SCRIPTS)]
    )
    html = filled(
        template_file("armdyn.page", "doctor.html"),
        {
            "title": escape(findings.source.name),
            "facts": escape(_facts(findings)),
            "findings": _table(findings),
            "script": script,
        },
        style=template_file("armdyn.page", "style.css") + template_file("armdyn.page", "doctor.css"),
        policy="script-src 'unsafe-inline'; ",
        more='<meta name="color-scheme" content="light dark">\n',
    )
    page = Page(html)
    if path is not None:
        page.write(path)
    return page


def _facts(findings: Findings) -> str:
    name = f"robot {findings.robot}" if findings.robot else "armdyn cannot read it as it stands"
    return " · ".join(filter(None, (findings.counts() or "nothing found", name, findings.unopened)))


def _table(findings: Findings) -> str:
    if not findings:
        return "<p>Nothing was found.</p>"
    head = "".join(f"<th>{name}</th>" for name in ("line", "", "finding", "repair"))
    rows = "".join(_row(k, one) for k, one in enumerate(findings))
    return f'<table class="faults"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(number: int, one: Finding) -> str:
    repair = ""
    if one.repairs:
        first = one.repairs[0]
        repair = escape(first.title) + (
            f'<br><span class="why">{escape(first.consequence)}</span>' * bool(first.consequence)
        )
    why = f'<br><span class="why">{escape(one.why)}</span>' if one.why else ""
    text = f"<b>{escape(one.element)}</b> {escape(one.text)} <code>{escape(one.rule)}</code>{why}"
    return (
        f'<tr tabindex="0" data-finding="{number}" data-link="{escape(one.link)}"><td>{one.line}</td>'
        f'<td><span class="badge {one.severity}">{one.severity}</span></td><td>{text}</td><td>{repair}</td></tr>'
    )


def _small(text: str) -> str:
    return f'<br><span class="why">{escape(text)}</span>' if text else ""


def _scene(subject: Subject, findings: Findings) -> dict[str, object]:
    """The data of the drawing, in the frame of the root with joints at zero."""
    bodies = {name: body for name, body in subject.bodies.items() if np.isfinite(body.world).all()}
    worst: dict[str, str] = {}
    for one in sorted(findings, key=lambda one: SEVERITIES.index(one.severity), reverse=True):
        worst[one.link] = one.severity
    shapes = [(name, triangles) for name, body in bodies.items() for triangles in _shapes(body)]
    share = TRIANGLES / max(sum(len(triangles) for _, triangles in shapes), 1)
    meshes = []
    for name, triangles in shapes:
        few = thinned(triangles, max(int(share * len(triangles)), FEWEST)).triangles if share < 1.0 else triangles
        meshes.append({"link": name, **packed(few)})
    origins = np.array([body.world[:3, 3] for body in bodies.values()]).reshape(-1, 3)
    corners = [triangles.reshape(-1, 3) for _, triangles in shapes]
    every = np.vstack([origins, *corners, np.zeros((1, 3))])
    middle = (every.min(axis=0) + every.max(axis=0)) / 2.0
    size = float(np.linalg.norm(every - middle, axis=1).max()) or 1.0
    return {
        "bodies": meshes,
        "inertias": [one for body in bodies.values() for one in _ellipsoid(body, middle, size)],
        "segments": [segment for body in bodies.values() for segment in _segments(body, bodies)],
        "worst": worst,
        "size": size,
        "middle": middle.tolist(),
        "up": [0.0, 0.0, 1.0],
        "eye": [0.5, -0.76, 0.41],
        "grid": [0.0, 0.0, 1.0],
        "planar": False,
    }


def _shapes(body: SubjectLink) -> Iterator[Array]:
    """The triangles of a link's visual shapes, otherwise of its other shapes, in the root's frame; shape (k, 3, 3)."""
    chosen = next((body.complete[one] for one in PURPOSES if one in body.complete), body.hulls)
    for hull in chosen:
        triangles = _triangles(hull)
        if len(triangles) and np.isfinite(triangles).all():
            yield triangles @ body.world[:3, :3].T + body.world[:3, 3]


def _triangles(hull: Hull) -> Array:
    """The triangles of a shape in the frame of its link; without a pose, those of its corners' convex hull."""
    if hull.placed is not None and hull.mesh is not None:
        own: Array = hull.mesh.vertices[hull.mesh.faces]
    elif hull.placed is not None and (form := _form(hull)) is not None:
        own = triangles_of(form)
    else:
        from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 - slow to import

        try:
            faces = ConvexHull(hull.points).simplices
        except (QhullError, ValueError):
            return np.empty((0, 3, 3))
        around: Array = hull.points[faces]
        return around
    placed: Array = own @ hull.placed[:3, :3].T + hull.placed[:3, 3]
    return placed if np.linalg.det(hull.placed[:3, :3]) > 0.0 else placed[:, ::-1]


def _form(hull: Hull) -> Shape | None:
    """The primitive shape of an element of URDF."""
    sizes = {name: [read_number(word) for word in text.split()] for name, text in hull.node.attributes.items()}
    match hull.node.tag:
        case "box":
            return Box(tuple(sizes["size"]))  # type: ignore[arg-type]
        case "sphere":
            return Sphere(sizes["radius"][0])
        case "cylinder" | "capsule" as tag:
            kind = Cylinder if tag == "cylinder" else Capsule
            return kind(sizes["radius"][0], sizes["length"][0])
    return None


def _segments(body: SubjectLink, bodies: dict[str, SubjectLink]) -> Iterator[dict[str, object]]:
    """The line from a link to each joint on it, and the axis of the joint."""
    for joint in body.carries:
        child = bodies.get(joint.child)
        if child is None or child.carried_by is not joint or body.name not in bodies:
            continue
        axis = child.world[:3, :3] @ joint.axis
        length = float(np.linalg.norm(axis))
        yield {
            "from": body.world[:3, 3].tolist(),
            "to": child.world[:3, 3].tolist(),
            "axis": (axis / length).tolist() if np.isfinite(length) and length > 0.0 else None,
            "kind": joint.kind,
            "link": joint.child,
        }


def _ellipsoid(body: SubjectLink, middle: Array, size: float) -> Iterator[dict[str, object]]:
    """The ellipsoid of uniform density with the mass and moments of a link, if it is near."""
    if not body.is_stated or not body.mass or body.mass <= 0.0:
        return
    tensor, R = body.tensor, body.world[:3, :3] @ body.frame[:3, :3]
    assert tensor is not None  # noqa: S101 - it is stated
    second, axes = np.linalg.eigh(0.5 * np.trace(tensor) * np.eye(3) - tensor)
    radii = np.sqrt(5.0 * np.maximum(second, 0.0) / body.mass)
    com = body.world[:3, :3] @ body.com + body.world[:3, 3]
    far = float(np.linalg.norm(com - middle)) > FAR * size
    too_large = float(radii.max()) > FAR * size
    yield {
        "link": body.name,
        "com": com.tolist(),
        "from": body.world[:3, 3].tolist(),
        "axes": [(R @ axes[:, k] * min(radii[k], FAR * size)).tolist() for k in range(3)],
        "radii": [f"{radius:.3g}" for radius in radii],
        "mass": f"{body.mass:.4g}",
        "drawn": not far and not too_large,
    }
