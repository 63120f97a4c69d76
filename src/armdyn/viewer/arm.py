"""One arm of a view as pure data: its parts, and their poses at a configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.ellipsoids import Solid, inertia_ellipsoid
from armdyn.viewer.skeleton import JointSymbol, joint_symbols, rods, size_of
from armdyn.viewer.surfaces import Looks

Look = Literal["visual", "collision", "skeleton"]
LOOKS: tuple[Look, ...] = ("visual", "collision", "skeleton")


@dataclass(frozen=True, eq=False)
class Drawing:
    """Poses of the parts of an arm at one configuration, in base axes.

    Args:
        q: joint positions, rad or m, shape (n,).
        links: poses of the links in the order of ``robot.link_names``, shape (links, 4, 4).
        rods: ends of the rods, m, shape (rods, 2, 3).
        tip: pose of the tip, shape (4, 4); None for a robot without a tip.
    """

    q: Array
    links: Array
    rods: Array
    tip: Array | None


@dataclass(frozen=True, eq=False)
class DrawnArm:
    """An arm that is drawn.

    Args:
        robot: the robot.
        name: name in the tree of the scene; unique.
        looks: its surfaces, computed by `looks_of`.
        base: pose of its base, T_world,base, shape (4, 4).
        colour: colour of all parts, red, green, blue from 0 to 1; None for the colours of its description.
        opacity: opacity, 1, or less for ghosts.
        length: length of its lines, m, by which symbols and frames are scaled; None for that at q = 0.
    """

    robot: Robot
    name: str
    looks: Looks
    base: Array = field(default_factory=lambda: np.eye(4))
    colour: tuple[float, float, float] | None = None
    opacity: float = 1.0
    length: float | None = None

    @cached_property
    def size(self) -> float:
        """The length of the arm, m; symbols and frames are scaled by it."""
        return size_of(self.robot) if self.length is None else self.length

    @cached_property
    def symbols(self) -> list[JointSymbol]:
        """The drums and blocks of its joints."""
        return joint_symbols(self.robot.model, self.size)

    @cached_property
    def inertias(self) -> dict[str, Solid]:
        """The ellipsoids of its links' inertia, in the frames of the links."""
        solids = {link.name: inertia_ellipsoid(link.inertia) for link in self.robot.model.links}
        return {name: solid for name, solid in solids.items() if solid is not None}

    @property
    def known_looks(self) -> tuple[Look, ...]:
        """The looks that are available for the arm, the best first."""
        with_surfaces: list[Look] = [look for look in LOOKS[:2] if self.looks.of(look)]  # type: ignore[arg-type]
        return (*with_surfaces, "skeleton")

    def look(self, look: Look) -> Look:
        """The requested look, or the skeleton if the arm has no such surfaces."""
        return look if look in self.known_looks else "skeleton"

    def drawing(self, q: Array) -> Drawing:
        """The poses of the parts at a configuration q, rad or m, shape (n,)."""
        q = np.asarray(q, dtype=float)
        tip = None if self.robot.tip is None else self.robot.forward_kinematics(q)
        return Drawing(q, self.robot.link_poses(q), rods(self.robot, q), tip)

    def rods_shown(self, look: Look, count: int) -> list[bool]:
        """Visibility of each rod in a look: all in a skeleton; otherwise those of links with missing mesh files."""
        if look == "skeleton":
            return [True] * count
        model, lines = self.robot.model, set(self.looks.as_lines if look == "visual" else ())
        carriers = [joint.parent for joint in model.joints]
        if self.robot.tip is not None:
            carriers.append(model.frame(self.robot.tip).link)
        visible = [carrier in lines for carrier in carriers]
        return (visible + [bool(lines)] * count)[:count]
