"""An arm on the screen: the nodes of viser's scene that show a `DrawnArm`, and move with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armdyn.formats.export.numbers import quaternions
from armdyn.plots.symbols import JOINT_COLOURS
from armdyn.spatial.rotations import Array
from armdyn.viewer.arm import Drawing, DrawnArm, Look
from armdyn.viewer.ellipsoids import Solid, tip_ellipsoid
from armdyn.viewer.skeleton import RADIUS, rod_pose, unit_rod

Rgb = tuple[int, int, int]

ROD: Rgb = (178, 184, 192)
INERTIA: Rgb = (230, 159, 0)
TIP_ELLIPSOID: Rgb = (204, 121, 167)
CENTRE: Rgb = (213, 94, 0)
TRACE: Rgb = (0, 114, 178)

AXES, AXIS_RADIUS = 0.1, 0.004
"""The length and radius of an axis of a frame, as fractions of the size of the arm."""

OUT_OF_SIGHT = 1e-9
"""The length of a rod of length zero: a scale of zero has no inverse."""


@dataclass
class Show:
    """The parts of the arms that are shown.

    Args:
        look: "visual", "collision" or "skeleton".
        frames: "none", "base and tip" or "all".
        names: True to show the names of joints, base and tip.
        inertias: True to show the ellipsoids of the links' inertia.
        centre: True to show the centre of mass of the arm.
        trace: True to show the path of the tip.
        tip_ellipsoid: "none", "force", "acceleration" or "velocity".
    """

    look: Look = "visual"
    frames: str = "base and tip"
    names: bool = False
    inertias: bool = False
    centre: bool = False
    trace: bool = False
    tip_ellipsoid: str = "none"


ANCHORS = ("top-left", "bottom-left", "top-right", "bottom-right")
"""Anchors of the names of joints, used in turn, because the axes of neighbours often meet in a point."""

FRAMES = ("none", "base and tip", "all")


@dataclass
class _Nodes:
    """Handles of viser's nodes, by the part that they show."""

    links: list[Any] = field(default_factory=list)
    surfaces: list[tuple[str, Any]] = field(default_factory=list)
    rods: list[Any] = field(default_factory=list)
    symbols: list[Any] = field(default_factory=list)
    inertias: list[Any] = field(default_factory=list)
    names: list[Any] = field(default_factory=list)


class ScreenArm:
    """The nodes of one arm in the scene of a server of viser."""

    def __init__(self, scene: Any, arm: DrawnArm, q: Array, show: Show) -> None:
        self.scene, self.arm, self.show_what = scene, arm, show
        self.drawn = arm.drawing(q)
        self.problem = ""
        self._root = f"/{arm.name}"
        self._nodes = _Nodes()
        self._trace_node: Any = None
        base = quaternions(arm.base)
        self._base = scene.add_frame(self._root, show_axes=False, wxyz=base, position=arm.base[:3, 3])
        self._add_links()
        self._add_rods()
        self._add_tip()
        self._centre = scene.add_icosphere(
            f"{self._root}/centre of mass", radius=0.022 * arm.size, color=CENTRE, visible=False
        )
        self.draw(q)
        self.show(show)

    # Existing nodes.

    def _add_links(self) -> None:
        arm, nodes = self.arm, self._nodes
        paths = self._paths = [
            f"{self._root}/{k} {_plain(name)}" for k, name in enumerate(arm.robot.link_names)
        ]  # fmt: skip
        at = dict(zip(arm.robot.link_names, paths, strict=True))
        nodes.links = [
            self.scene.add_frame(
                path,
                show_axes=False,
                axes_length=AXES * arm.size,
                axes_radius=AXIS_RADIUS * arm.size,
                origin_radius=1.5 * AXIS_RADIUS * arm.size,
                origin_color=(90, 90, 90),
            )
            for path in paths
        ]
        for k, surface in enumerate(arm.looks.surfaces):
            node = self._surface(f"{at[surface.link]}/{surface.layer} {k}", surface)
            nodes.surfaces.append((surface.layer, node))
        for k, symbol in enumerate(arm.symbols):
            vertices = symbol.triangles.reshape(-1, 3)
            nodes.symbols.append(
                self.scene.add_mesh_simple(
                    f"{at[symbol.link]}/joint",
                    vertices,
                    np.arange(len(vertices)).reshape(-1, 3),
                    color=self._tinted(_rgb(JOINT_COLOURS[symbol.kind])),
                    opacity=self._opacity(1.0),
                    flat_shading=True,
                    side="double",
                    visible=False,
                )
            )
            label = self.scene.add_label(
                f"{at[symbol.link]}/name", symbol.joint, visible=False, anchor=ANCHORS[k % len(ANCHORS)]
            )
            nodes.names.append(label)
        nodes.names.append(self.scene.add_label(f"{paths[0]}/name", f"{arm.robot.name}: base", visible=False))
        for link, solid in arm.inertias.items():
            nodes.inertias.append(self._solid(f"{at[link]}/inertia", solid, INERTIA))

    def _surface(self, path: str, surface: Any) -> Any:
        arm = self.arm
        if surface.textured is not None and arm.colour is None and arm.opacity >= 1.0:
            return self.scene.add_mesh_trimesh(path, surface.textured, visible=False)
        red, green, blue, alpha = surface.colour
        return self.scene.add_mesh_simple(
            path,
            surface.vertices,
            surface.faces,
            color=self._tinted((round(255 * red), round(255 * green), round(255 * blue))),
            opacity=self._opacity(alpha),
            side="double",
            visible=False,
        )

    def _add_rods(self) -> None:
        vertices, faces = unit_rod(RADIUS * self.arm.size)
        for k in range(len(self.drawn.rods)):
            self._nodes.rods.append(
                self.scene.add_mesh_simple(
                    f"{self._root}/rod {k}",
                    vertices,
                    faces,
                    color=self._tinted(ROD),
                    opacity=self._opacity(1.0),
                    side="double",
                    visible=False,
                )
            )

    def _add_tip(self) -> None:
        """The frame of the tip, and the ellipsoid about it."""
        self._tip: Any = None
        if self.drawn.tip is None:
            self._tip_solid: Any = None
            return
        size = self.arm.size
        self._tip = self.scene.add_frame(
            f"{self._root}/tip",
            show_axes=False,
            axes_length=AXES * size,
            axes_radius=AXIS_RADIUS * size,
            origin_radius=1.5 * AXIS_RADIUS * size,
            origin_color=(90, 90, 90),
        )
        name = str(self.arm.robot.tip)
        self._nodes.names.append(self.scene.add_label(f"{self._root}/tip/name", name, visible=False))
        unit = Solid(np.eye(4), np.ones(3))
        self._tip_solid = self._solid(f"{self._root}/tip ellipsoid", unit, TIP_ELLIPSOID)

    def _solid(self, path: str, solid: Solid, colour: Rgb) -> Any:
        return self.scene.add_icosphere(
            path,
            radius=1.0,
            color=colour,
            opacity=0.5,
            scale=tuple(map(float, solid.semi_axes)),
            wxyz=quaternions(solid.T),
            position=solid.T[:3, 3],
            visible=False,
            cast_shadow=False,
        )

    # Poses.

    def draw(self, q: Array) -> Drawing:
        """Move everything to a configuration, rad or m, shape (n,)."""
        drawn = self.drawn = self.arm.drawing(q)
        orientations = quaternions(drawn.links)
        for node, wxyz, T in zip(self._nodes.links, orientations, drawn.links, strict=True):
            node.wxyz, node.position = wxyz, T[:3, 3]
        for node, ends in zip(self._nodes.rods, drawn.rods, strict=True):
            if node.visible:
                self._place_rod(node, ends)
        if self._tip is not None and drawn.tip is not None:
            self._tip.wxyz, self._tip.position = quaternions(drawn.tip), drawn.tip[:3, 3]
        self._draw_centre()
        self._draw_tip_ellipsoid()
        return drawn

    def _place_rod(self, node: Any, ends: Array) -> None:
        T, length = rod_pose(ends)
        node.wxyz, node.position = quaternions(T), T[:3, 3]
        node.scale = (1.0, 1.0, max(length, OUT_OF_SIGHT))

    def _draw_centre(self) -> None:
        if self._centre.visible:
            self._centre.position = self.arm.robot.center_of_mass(self.drawn.q)

    def _draw_tip_ellipsoid(self) -> None:
        self.problem = ""
        kind = self.show_what.tip_ellipsoid
        if self._tip_solid is None or kind == "none" or self.arm.opacity < 1.0:
            return
        solid = tip_ellipsoid(self.arm.robot, self.drawn.q, kind, self.arm.size)
        self._tip_solid.visible = isinstance(solid, Solid)
        if isinstance(solid, Solid):
            self._tip_solid.wxyz, self._tip_solid.position = quaternions(solid.T), solid.T[:3, 3]
            self._tip_solid.scale = tuple(map(float, solid.semi_axes))
            self.problem = f"tip {kind} ellipsoid: {solid.description}"
        else:
            self.problem = f"no tip {kind} ellipsoid: {solid}"

    # Visibility.

    def show(self, show: Show) -> None:
        """Show the selected parts and hide the others."""
        self.show_what = show
        nodes, look = self._nodes, self.arm.look(show.look)
        solid = self.arm.opacity >= 1.0
        for layer, node in nodes.surfaces:
            node.visible = layer == look
        for node, visible in zip(nodes.rods, self.arm.rods_shown(look, len(nodes.rods)), strict=True):
            node.visible = visible
        for node in nodes.symbols:
            node.visible = look == "skeleton"
        for node in nodes.names:
            node.visible = show.names and solid
        for node in nodes.inertias:
            node.visible = show.inertias and solid
        self._show_frames(show.frames if solid else "none")
        self._centre.visible = show.centre and solid
        if self._tip_solid is not None:
            self._tip_solid.visible = show.tip_ellipsoid != "none" and solid
        if self._trace_node is not None:
            self._trace_node.visible = show.trace
        self.draw(self.drawn.q)

    def _show_frames(self, selection: str) -> None:
        for k, node in enumerate(self._nodes.links):
            node.show_axes = selection == "all" or (selection == "base and tip" and k == 0)
        if self._tip is not None:
            self._tip.show_axes = selection != "none"

    def set_visible(self, visible: bool) -> None:
        """Show or hide the whole arm."""
        self._base.visible = visible

    def trace(self, points: Array) -> None:
        """Draw the path of the tip through points in base axes, m, shape (k, 3); nothing for fewer than two."""
        if self._trace_node is not None:
            self._trace_node.remove()
            self._trace_node = None
        if len(points) > 1:
            segments = np.stack([points[:-1], points[1:]], axis=1)
            self._trace_node = self.scene.add_line_segments(
                f"{self._root}/trace", segments, self._tinted(TRACE), thickness=2.5, thickness_units="screen",
                visible=self.show_what.trace,
            )  # fmt: skip

    def _tinted(self, colour: Rgb) -> Rgb:
        """The colour of a part: its own, mixed 3 : 7 with the colour of the arm if that is set."""
        if self.arm.colour is None:
            return colour
        red, green, blue = (
            round(0.3 * own + 0.7 * 255 * tint) for own, tint in zip(colour, self.arm.colour, strict=True)
        )
        return (red, green, blue)

    def _opacity(self, own: float) -> float | None:
        """The opacity of a part; None if it is opaque, because viser renders that better."""
        opacity = own * self.arm.opacity
        return None if opacity >= 0.999 else opacity


def _rgb(text: str) -> Rgb:
    return (int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16))


def _plain(name: str) -> str:
    """A name without the separator of node names."""
    return name.replace("/", "\u2044")
