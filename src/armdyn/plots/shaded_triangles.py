"""Shaded triangles as an artist of Matplotlib, with hidden surfaces removed at every pixel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.figure import Figure

from armdyn.plots.raster import NOTHING, nearest
from armdyn.spatial.rotations import Array

FINER = 2
"""Number of samples per pixel and direction: edges are smooth."""

LARGEST = 6000
"""Largest width and height of the sampled picture; larger ones are sampled once per pixel."""

LIGHT = np.array([0.30, 0.45, 0.84])
"""The unit vector towards the light: to the right, upwards and towards the eye."""

AMBIENT, DIFFUSE, FACING = 0.50, 0.32, 0.18
"""Brightness without light, by the main light, and by a light at the eye."""

OUTLINE, CREASE = 0.55, 0.80
"""Brightness of the outline, and of edges at which the depth jumps, relative to that of the surface."""

JUMP = 0.03
"""Smallest jump of the depth at an edge that is drawn, relative to the range of depths."""


class ShadedTriangles(Artist):
    """Triangles with a colour each, opaque among themselves, in axes of a plane or of space.

    Args:
        triangles: triangles in base axes, m, shape (k, 3, 3).
        colours: red, green and blue of each triangle, from 0 to 1, shape (k, 3).
        plane: the two directions of a flat picture as columns, shape (3, 2); None in space.
        alpha: opacity of the whole surface.
        z: drawing order.
    """

    def __init__(self, triangles: Array, colours: Array, plane: Array | None, *, alpha: float, z: float) -> None:
        super().__init__()
        self.triangles, self.colours, self.plane, self.opacity = triangles, colours, plane, alpha
        self.set_zorder(z)
        self.set_in_layout(False)  # before it is projected its extent means nothing

    @allow_rasterization  # type: ignore[untyped-decorator]
    def draw(self, renderer: Any) -> None:
        """Draw the part of the surface that lies in the figure."""
        if not self.get_visible() or not len(self.triangles):
            return
        corners, depths = self._projected()
        low, high = self._extent(corners)
        if (high <= low).any():
            return
        scale = float(renderer.get_image_magnification())
        size = np.ceil((high - low) * scale).astype(int)
        finer = FINER if size.max() * FINER <= LARGEST else 1
        width, height = (finer * size).tolist()
        index, far = nearest((corners - low) * scale * finer, depths, width, height)
        picture = _shrunk(self._shaded(corners, index, far), finer)
        gc = renderer.new_gc()
        renderer.draw_image(gc, float(low[0]), float(low[1]), picture)
        gc.restore()

    def _projected(self) -> tuple[Array, Array]:
        """The corners in display coordinates, shape (k, 3, 2), and their depths, larger is farther."""
        axes: Any = self.axes
        points = self.triangles.reshape(-1, 3)
        if self.plane is None:
            projected = np.column_stack([points, np.ones(len(points))]) @ axes.get_proj().T
            flat, depth = projected[:, :2] / projected[:, 3:], projected[:, 2] / projected[:, 3]
        else:
            flat, depth = points @ self.plane, points @ -np.cross(self.plane[:, 0], self.plane[:, 1])
        return axes.transData.transform(flat).reshape(-1, 3, 2), depth.reshape(-1, 3)

    def _extent(self, corners: Array) -> tuple[Array, Array]:
        """The lower left and upper right corner of the visible part, display coordinates, whole numbers."""
        axes: Any = self.axes
        figure = axes.get_figure(root=True)
        box = figure.bbox if self.plane is None else axes.bbox
        finite = corners[np.isfinite(corners).all(axis=(1, 2))].reshape(-1, 2)
        if not len(finite):
            return np.zeros(2), np.zeros(2)
        low = np.maximum(finite.min(axis=0) - 1.0, [box.x0, box.y0])
        high = np.minimum(finite.max(axis=0) + 1.0, [box.x1, box.y1])
        return np.floor(low), np.ceil(high)

    def _shaded(self, corners: Array, index: Array, far: Array) -> Array:
        """The samples as RGBA from 0 to 1, colours times opacity."""
        first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        front = np.sign(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
        normals = np.cross(self.triangles[:, 1] - self.triangles[:, 0], self.triangles[:, 2] - self.triangles[:, 0])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0) * front[:, None]
        across, up, eye = self._view()
        light = LIGHT[0] * across + LIGHT[1] * up + LIGHT[2] * eye
        bright = AMBIENT + DIFFUSE * np.maximum(normals @ light, 0.0) + FACING * np.maximum(normals @ eye, 0.0)
        shades = np.clip(bright[:, None] * self.colours, 0.0, 1.0)
        covered = index != NOTHING
        samples = np.zeros((*index.shape, 4))
        samples[covered, :3] = shades[index[covered]] * _edges(covered, far)[covered, None] * self.opacity
        samples[covered, 3] = self.opacity
        return samples

    def _view(self) -> tuple[Array, Array, Array]:
        """The directions to the right, upwards and towards the eye, in base axes."""
        if self.plane is not None:
            across, up = self.plane.T
            return across, up, np.cross(across, up)
        axes: Any = self.axes
        elevation, azimuth = math.radians(axes.elev), math.radians(axes.azim)
        eye = np.array(
            [
                math.cos(elevation) * math.cos(azimuth),
                math.cos(elevation) * math.sin(azimuth),
                math.sin(elevation),
            ]
        )
        across = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
        return across, np.cross(eye, across), eye


def _edges(covered: Array, far: Array) -> Array:
    """The brightness of samples: dark along the outline, darker than the surface at jumps of the depth."""
    seen = far[covered]
    jump = JUMP * float(np.ptp(seen)) if len(seen) else 0.0
    bright = np.ones(covered.shape)
    filled = np.where(covered, far, np.inf)
    outline = np.zeros(covered.shape, dtype=bool)
    for axis in (0, 1):
        for step in (1, -1):
            beside = np.roll(filled, step, axis=axis)
            edge = [slice(None), slice(None)]
            edge[axis] = slice(0, 1) if step == 1 else slice(-1, None)
            beside[tuple(edge)] = filled[tuple(edge)]  # the picture's own edge is not an outline
            outline |= covered & np.isinf(beside)
            with np.errstate(invalid="ignore"):
                crease = covered & np.isfinite(beside) & (beside - filled > jump)
            bright[crease] = CREASE
    bright[outline] = OUTLINE
    return bright


def _shrunk(samples: Array, finer: int) -> Array:
    """The picture as RGBA bytes, each pixel the mean of its samples."""
    rows: Array = np.add.reduce([samples[k::finer] for k in range(finer)])
    mean: Array = np.add.reduce([rows[:, k::finer] for k in range(finer)]) / finer**2
    alpha = mean[..., 3:]
    mean[..., :3] = np.divide(mean[..., :3], alpha, out=np.zeros_like(mean[..., :3]), where=alpha > 0.0)
    picture: Array = np.round(255.0 * mean).astype(np.uint8)
    return picture


def draw_to_measure(figure: Figure) -> None:
    """Draw a figure without its surfaces, which are slow to draw, so that the extents of texts and lines are known."""
    surfaces = [artist for axes in figure.axes for artist in axes.artists if isinstance(artist, ShadedTriangles)]
    hidden = [artist for artist in surfaces if artist.get_visible()]
    for artist in hidden:
        artist.set_visible(False)
    figure.draw_without_rendering()
    for artist in hidden:
        artist.set_visible(True)
