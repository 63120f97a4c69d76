"""Hidden surfaces of meshes: the nearest triangle of each pixel, beside rays; symbols of joints at one point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpl_toolkits.mplot3d import proj3d

import armdyn
from armdyn.plots.joint_places import symbol_centres
from armdyn.plots.raster import NOTHING, nearest
from armdyn.plots.shaded_triangles import ShadedTriangles
from armdyn.plots.solids import ball, box
from armdyn.plots.style import new_figure


def test_the_nearest_triangle_is_that_of_every_triangle_tried() -> None:
    """Random triangles of any size, some beyond the picture, one pixel centre after another."""
    rng = np.random.default_rng(3)
    middle, size = rng.uniform(-5.0, 45.0, (60, 1, 2)), rng.uniform(0.5, 25.0, (60, 1, 1))
    corners, depths = middle + size * rng.normal(size=(60, 3, 2)), rng.uniform(-1.0, 1.0, (60, 3))
    index, far = nearest(corners, depths, 40, 30)
    assert index.shape == (30, 40)
    a, b, c = np.moveaxis(corners, 1, 0)
    area = np.linalg.det(np.stack([b - a, c - a], axis=-1))
    for y, x in np.ndindex(30, 40):
        p = np.array([x + 0.5, y + 0.5])
        v, w = (np.linalg.det(np.stack(pair, axis=-1)) / area for pair in ((p - a, c - a), (b - a, p - a)))
        shares = np.stack([1.0 - v - w, v, w], axis=-1)
        if np.abs(shares).min() < 1e-9:
            continue  # on an edge
        inside = (shares > 0.0).all(axis=1)
        depth = np.where(inside, (shares * depths).sum(axis=1), np.inf)
        assert index[y, x] == (int(depth.argmin()) if inside.any() else NOTHING)
        assert far[y, x] == pytest.approx(depth.min(), abs=1e-8)


def test_neighbours_leave_no_gap_and_count_no_pixel_twice() -> None:
    """The triangles of a fan about an inner point, one at a time, cover a square exactly once."""
    rng = np.random.default_rng(0)
    rim = np.array([[2.0, 3.0], [37.0, 3.0], [37.0, 28.0], [2.0, 28.0]])
    corners = np.array([[rim[k], rim[(k + 1) % 4], rng.uniform([5, 5], [30, 25])] for k in range(4)])
    corners[:, 2] = corners[0, 2]
    covered = sum((nearest(one[None], np.zeros((1, 3)), 40, 30)[0] == 0).astype(int) for one in corners)
    expected = np.zeros((30, 40), dtype=int)
    expected[3:28, 2:37] = 1
    np.testing.assert_array_equal(covered, expected)


def test_pieces_of_the_work_do_not_change_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    corners, depths = rng.uniform(0.0, 50.0, (40, 3, 2)), rng.uniform(size=(40, 3))
    whole = nearest(corners, depths, 50, 50)[0]
    monkeypatch.setattr("armdyn.plots.raster.PIECE", 37)
    np.testing.assert_array_equal(nearest(corners, depths, 50, 50)[0], whole)
    corners[7, 1, 0] = np.nan
    without = nearest(corners, depths, 50, 50)[0]
    assert 7 not in without
    assert (nearest(np.empty((0, 3, 2)), np.empty((0, 3)), 4, 3)[0] == NOTHING).all()


def scene(triangles: np.ndarray, colours: np.ndarray) -> tuple[Any, Any]:
    """A picture in perspective of triangles without light and lines."""
    figure = new_figure(3.0, 3.0, constrained=False)
    figure.set_dpi(100)
    axes: Any = figure.add_axes((0, 0, 1, 1), projection="3d")
    axes.set_axis_off()
    axes.set_box_aspect((1, 1, 1))
    axes.set_xlim(-1, 1)
    axes.set_ylim(-1, 1)
    axes.set_zlim(-1, 1)
    axes.add_artist(ShadedTriangles(triangles, colours, None, alpha=1.0, z=1.0))
    return figure, axes


def test_a_ray_meets_first_what_the_picture_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Balls and boxes that cut each other, in perspective, beside rays from the eye by Moeller and Trumbore."""
    monkeypatch.setattr("armdyn.plots.shaded_triangles.AMBIENT", 1.0)
    for name in ("DIFFUSE", "FACING"):
        monkeypatch.setattr(f"armdyn.plots.shaded_triangles.{name}", 0.0)
    monkeypatch.setattr("armdyn.plots.shaded_triangles.FINER", 1)
    for name in ("OUTLINE", "CREASE"):
        monkeypatch.setattr(f"armdyn.plots.shaded_triangles.{name}", 1.0)
    solids = [
        0.4 * ball(),
        0.3 * ball() + [0.3, 0.2, 0.1],
        box((1.2, 0.1, 0.3)),
        box((0.1, 1.4, 0.2)) + np.array([0.3, 0.0, 0.3]),
    ]
    paints = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    triangles = np.concatenate(solids)
    which = np.repeat(np.arange(4), [len(solid) for solid in solids])
    figure, axes = scene(triangles, paints[which])
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1, :, :3] / 255.0
    into = np.linalg.inv(axes.get_proj())
    eye = np.array([np.cos(np.radians([axes.elev, axes.azim])), np.sin(np.radians([axes.elev, axes.azim]))])
    towards = np.array([eye[0, 0] * eye[0, 1], eye[0, 0] * eye[1, 1], eye[1, 0]])
    depths = proj3d.proj_transform(*np.outer(towards, [2.0, -2.0]), axes.get_proj())[2]  # near, far
    met = 0
    for x, y in np.random.default_rng(5).integers(80, 220, (500, 2)):
        place = axes.transData.inverted().transform((x + 0.5, y + 0.5))
        through = np.column_stack([np.tile(place, (2, 1)), depths, np.ones(2)]) @ into.T
        begin, end = through[:, :3] / through[:, 3:]
        hits = rays(triangles, begin, end)
        shown = pixels[y, x]
        if hits is None:
            np.testing.assert_allclose(shown, 1.0)
            continue
        times, near_edge = hits
        if near_edge:
            continue
        met += 1
        np.testing.assert_allclose(shown, paints[which[times.argmin()]], atol=0.01)
    assert met > 40


def rays(triangles: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, bool] | None:
    """The distances from the eye along the line through two points, and whether the line passes an edge closely."""
    direction = (end - begin) / np.linalg.norm(end - begin)
    a, b, c = np.moveaxis(triangles, 1, 0)
    p = np.cross(direction, c - a)
    det = np.einsum("ki,ki->k", b - a, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ki,ki->k", begin - a, p) / det
        q = np.cross(begin - a, b - a)
        v = q @ direction / det
        t = np.einsum("ki,ki->k", c - a, q) / det
        shares = np.stack([u, v, 1.0 - u - v], axis=-1)
    inside = (shares > -0.02).all(axis=1) & np.isfinite(t)
    if not inside.any():
        return None
    order = np.where(inside, t, np.inf)
    two = np.sort(order)[:2]
    return order, bool((np.abs(shares[inside]).min() < 0.02) or (two[1] - two[0] < 0.01))


def test_joints_at_one_point_have_symbols_apart() -> None:
    z, y = np.eye(3)[2], np.eye(3)[1]
    origins = [np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])]
    centres = symbol_centres(origins, [z, z, y, z], 0.1)
    np.testing.assert_allclose(centres, [[0, 0, 0], [0, 0, 0.9], [0, 0, 1], [0, 0, 1.1]], atol=1e-12)
    many = symbol_centres([np.zeros(3)] * 9, [z] * 9, 1.0)
    heights = sorted(centre[2] for centre in many)
    assert min(np.diff(heights)) > 0.8


@pytest.mark.parametrize("name", ["ur5", "puma560", "stanford"])
def test_names_of_axes_are_off_the_numbers_at_zero(name: str) -> None:
    axes: Any = armdyn.load(name).plot().axes[0]
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick.label1 for tick in axis.majorTicks if low <= tick.get_loc() <= high]
        assert ticks
        assert not any(axis.label.get_window_extent().overlaps(text.get_window_extent()) for text in ticks)
