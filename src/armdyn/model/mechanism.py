"""A robot as the algorithms read it: bodies in canonical link frames, gravity, named frames.

`armdyn.model.canonical` chooses the frames, so that the constants hold as many zeros as the arm admits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from armdyn.base.exact import rounded
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.model.drive import Drive
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array
from armdyn.spatial.turns import Axes, Turn, Turns

SLIGHT = 2.0**-27
"""Below this an angle is its own sine and its cosine is 1, to a quarter of a float64's last digit."""


@dataclass(frozen=True, eq=False)
class Body:
    """One moving link B in its canonical frame, or the spin of a rotor; P is the canonical frame of its parent.

    Args:
        name: of the link, or of the rotor.
        joint: index of its joint in the model; of a rotor, of the joint that it drives.
        parent: index of its parent among the bodies, -1 for the base, whose frame is then P.
        revolute: else prismatic.
        offset: p_PB at q = 0, in P's axes.
        turns: the constant turns from P's axes to the joint's; if P is the base, their matrix.
        quarter_turns, angle: the joint turns by q + angle + quarter_turns pi/2 about z (q left out if prismatic).
        mass: m.
        first_moment: h = m c, in B.
        second_moment: Sigma, the integral of r r^T dm about B's origin, in B (the pseudo-inertia's 3x3 block).
        link_pose: T_BL, the pose of the model's own link frame L.
        spins: true for a rotor: it turns about z, and its axes stay with P, because it is symmetric about z. It has
            neither mass nor inertia across z, which the link that carries it has.
    """

    name: str
    joint: int
    parent: int
    revolute: bool
    offset: Array
    turns: Turns
    quarter_turns: int
    angle: Scalar
    mass: Scalar
    first_moment: Array
    second_moment: Array
    link_pose: Array
    spins: bool = False

    @property
    def rounded(self) -> Body:
        """The body with every constant in float64; traced scalars stay."""
        constants = ("offset", "mass", "first_moment", "second_moment", "link_pose", "angle")
        values = {name: rounded(getattr(self, name)) for name in constants}
        return dataclasses.replace(self, turns=tuple(map(_rounded, self.turns)), **values)

    def joint_turn(self, q: Scalar) -> Turn:
        """The turn about z that the joint makes at position q."""
        slight = self.angle if abs(self.angle) < SLIGHT else 0.0
        # A slight angle is added after the cosine, for q + angle would be rounded to the digits of q.
        theta = (q if self.revolute else 0.0) + (self.angle - slight)
        c, s = np.cos(theta), np.sin(theta)
        c, s = c - s * slight, s + c * slight
        c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[self.quarter_turns]
        return Turn(2, c, s)

    def turns_at(self, q: Scalar) -> Turns:
        """R_PB at joint position q."""
        return self.turns if self.spins else (*self.turns, self.joint_turn(q))


def _rounded(turn: Turn | Axes) -> Turn | Axes:
    return Axes(rounded(turn.matrix)) if isinstance(turn, Axes) else Turn(turn.axis, float(turn.cos), float(turn.sin))


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The bodies, parents before children, the gravity and the frames of a model; the argument of a traced function.

    A function of your own may read all of it. If ``robot.compile`` makes parameters inputs, quantities that depend on
    them are traced scalars here (``gravity``; mass and moments of ``bodies``; armature, damping and friction of the
    ``drive``), and ``model`` keeps the description's own numbers: so take these from here, names and limits from
    ``model``.

    Args:
        name: of the robot.
        bodies: the moving links in canonical frames, a parent before its children, and after them the rotors that are
            bodies of their own.
        gravity: the acceleration of free fall in base axes, shape (3,).
        frames: of each frame the body that carries it, -1 for the base, and its pose there; `frame` looks one up.
        tip: name of the tip frame, if there is one.
        model: the description that it was built from.
        drive: brings q, qd, qdd into the order of the bodies and joint forces out of it, to which it adds those of
            rotors and friction; if joints are coupled, it is the linear map between them and the coordinates.
        springs: of flexible joints, by name, the numbers of their springs that are inputs: {"joint": {"stiffness": k}}.
        elements: forces of a user's own.
    """

    name: str
    bodies: tuple[Body, ...]
    gravity: Array
    frames: Mapping[str, tuple[int, Array]]
    tip: str | None
    model: Model
    drive: Drive
    springs: Mapping[str, Mapping[str, Scalar]] = field(default_factory=dict)
    elements: tuple[Element | ElementWithState, ...] = ()

    @property
    def dof(self) -> int:
        """n, the size of q."""
        return self.drive.size

    @property
    def links(self) -> tuple[Body, ...]:
        """The bodies that are links."""
        return self.bodies[: len(self.model.joints)]

    @property
    def rotors(self) -> tuple[Body, ...]:
        """The bodies that are rotors."""
        return self.bodies[len(self.model.joints) :]

    def frame(self, name: str | None = None) -> tuple[int, Array]:
        """The body that carries a frame (-1: the base) and the frame's pose in that body; the tip by default."""
        return self.frames[self.model.frame(name).name]

    @cached_property
    def rounded(self) -> Mechanism:
        """The mechanism with every constant in float64: for functions that run on numbers instead of being traced."""
        frames = {name: (k, rounded(T)) for name, (k, T) in self.frames.items()}
        bodies = tuple(body.rounded for body in self.bodies)
        return dataclasses.replace(
            self, bodies=bodies, gravity=rounded(self.gravity), frames=frames, drive=self.drive.rounded
        )

    @property
    def without_friction(self) -> Mechanism:
        """The mechanism without joint friction."""
        return dataclasses.replace(self, drive=self.drive.without_friction)

    @property
    def without_parallel_springs(self) -> Mechanism:
        """The mechanism without springs in parallel with the drives, and without elements of a user's own."""
        return dataclasses.replace(self, drive=self.drive.without_springs, elements=())
