"""A flexible link by lumped pieces: rigid bodies with springs between them (rigid finite elements).

A beam of length L and bending stiffness EI is divided into N elements of length l = L/N. The bending of each element is
gathered in a spring EI/l at its middle, so that N + 1 rigid pieces remain, a half one at each end. Static deflections
are those of the midpoint rule: a force F across the end deflects it by

    F L^3/(3 EI) (1 - 1/(4 N^2)).

Frequencies tend to those of the beam with the square of 1/N too (Wittbrodt, Adamiec-Wojcik and Wojciech 2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, number, whole_number
from armdyn.base.errors import ModelError, UnknownName, Unsupported, excerpt
from armdyn.base.exact import exact
from armdyn.model.beam_slices import slices
from armdyn.model.elements import refuse_elements
from armdyn.model.joint import Joint
from armdyn.model.model import Frame, Link, Model
from armdyn.model.notes import renew_notes
from armdyn.model.parallel_spring import JointSpring
from armdyn.robot.locking import refuse_functions_of_q
from armdyn.spatial.rotations import Array, rigid

MOST_PIECES = 200
"""The largest number of pieces: each is a body with one to three joints."""

ALONG = 1e-6
"""The sine of the angle below which the axis of bending is along the beam."""

TOUCHING = 1e-9
"""Relative to its length: nothing of a beam."""


@dataclass(frozen=True, eq=False)
class Beam:
    """A straight beam in a link.

    Args:
        start: one end, in the link's frame, m, shape (3,).
        length: L, m.
        along: u, the unit vector to the other end.
        in_plane: unit vector across u, about which the beam bends in the plane of motion.
        pieces: N.
    """

    start: Array
    length: float
    along: Array
    in_plane: Array
    pieces: int

    @property
    def across(self) -> Array:
        """The unit vector across both, about which the beam bends out of the plane."""
        return np.cross(self.along, self.in_plane)

    @property
    def places(self) -> Array:
        """The places of the springs, the middles of the elements, m from the start, shape (N,)."""
        return (np.arange(self.pieces) + 0.5) * (self.length / self.pieces)

    def origin(self, piece: int) -> Array:
        """The origin of a piece's frame in the link's: its spring; of piece 0 the link's own origin."""
        return self.start + self.along * self.places[piece - 1] if piece else np.zeros(3)

    def piece_at(self, point: Array) -> int:
        """The piece that carries a point of the link's frame."""
        return int(np.searchsorted(self.places, (point - self.start) @ self.along, side="right"))


def with_flexible_link(
    model: Model,
    link: str,
    pieces: int,
    *,
    EI: float | Sequence[float | None],
    GJ: float | None = None,
    end: str | ArrayLike | None = None,
    axis: ArrayLike | None = None,
    damping: float = 0.0,
) -> Model:
    """Another robot with a link that bends: divided into rigid pieces with springs between them.

    A beam from the link's frame to ``end`` is divided into elements, and the bending of each is gathered in springs at
    its middle; so a half piece is left at each end. Masses and inertias of the pieces add up to those of the link; a
    uniform beam is divided evenly. Frames, shapes and further joints keep their places, on the piece that is there.

    The new joints follow the others in q, are zero if the beam is straight, and have no drive:
    "LINK_bend_1", ... in the plane of motion, "LINK_across_1", ... across it, "LINK_twist_1", ...

    Args:
        link: its name.
        pieces: N, the number of elements, 1 to 200. Errors fall with its square.
        EI: bending stiffness E I, N m^2: modulus of elasticity times second moment of area. One number for both
            directions, or that in the plane of motion and that across it; None for a direction that does not bend.
        GJ: torsional stiffness, N m^2; None of a beam that does not twist.
        end: the other end of the beam: the name of a frame on the link, or a point in its frame, m. The joint that the
            link carries if it carries one; the tip if it is on the link.
        axis: about which bending is in the plane of motion, in the link's axes; that of the link's own joint.
        damping: T, s, of Kelvin and Voigt: each spring k has a damper T k. A mode of frequency w has the damping ratio
            T w/2.

    Raises:
        UnknownName: a link or frame that the robot does not have.
        ModelError: the base; numbers out of range; no end, or one at the start; an axis along the beam; a mass that
            does not lie along it; names that are taken.
        Unsupported: coupled joints; constraints that are functions of all of q.

    >>> rod = armdyn.Inertia(0.8, [0.5, 0, 0], np.diag([1e-4, 0.067, 0.067]))
    >>> arm = armdyn.load("planar_2r").with_inertia({"link_2": rod})
    >>> flexible = arm.with_flexible_link("link_2", 4, EI=(60.0, None))
    >>> flexible.joint_names
    ('joint_1', 'joint_2', 'link_2_bend_1', 'link_2_bend_2', 'link_2_bend_3', 'link_2_bend_4')
    """
    beam = _beam(model, link, pieces, end, axis)
    stiffness = _stiffness(EI, GJ, beam)
    T = number("damping of the flexible link", damping, least=0.0, unit="s")
    _refuse_couplings(model)
    body = model.link(link)
    try:
        parts = slices(body.inertia, beam.start, _axes(beam), beam.length, beam.places.tolist())
    except ModelError as error:
        raise ModelError(
            f"link {link!r}: {error}; name another end of the beam, or give the link another inertia: with_inertia"
        ) from None
    chain = _chain(link, beam, stiffness, T, parts)
    _refuse_taken_names(model, chain)
    carriers = {0: link} | {piece: child.name for piece, child in chain.carriers.items()}

    def on_piece(pose: Array) -> tuple[str, Array]:
        piece = beam.piece_at(np.asarray(pose, dtype=float)[:3, 3])
        return carriers[piece], rigid(p=exact(-beam.origin(piece))) @ pose

    joints, frames = [], []
    for joint in model.joints:
        own = joint.parent, joint.exact_placement
        parent, placement = on_piece(joint.exact_placement) if joint.parent == link else own
        joints.append(joint.replace(parent=parent, placement=placement))
    for frame in model.frames:
        on, pose = on_piece(frame.exact_pose) if frame.link == link != frame.name else (frame.link, frame.exact_pose)
        frames.append(Frame(frame.name, on, pose))
    links = [Link(link, parts[0]) if other.name == link else other for other in model.links]
    shapes = []
    for shape in model.geometry:
        on, pose = on_piece(exact(shape.pose)) if shape.link == link else (shape.link, exact(shape.pose))
        shapes.append(type(shape)(on, shape.purpose, shape.shape, pose, shape.color, shape.name))
    other = model.replace(
        joints=(*joints, *chain.joints),
        links=(*links, *chain.links),
        frames=(*frames, *(Frame(new.name, new.name, np.eye(4)) for new in chain.links)),
        geometry=tuple(shapes),
    )
    return renew_notes(model, other)


@dataclass(frozen=True)
class _Chain:
    """New joints and links, each link moved by the joint of its number, and the link that each piece is."""

    joints: list[Joint]
    links: list[Link]
    carriers: dict[int, Link]


def _chain(link: str, beam: Beam, stiffness: dict[str, float], T: float, parts: Sequence[Any]) -> _Chain:
    axes = {"bend": beam.in_plane, "across": beam.across, "twist": beam.along}
    chain, parent, from_parent = _Chain([], [], {}), link, beam.origin(1)
    for piece in range(1, beam.pieces + 1):
        for i, (word, k) in enumerate(stiffness.items(), start=1):
            is_last = i == len(stiffness)
            name = f"{link}_piece_{piece}" if is_last else f"{link}_piece_{piece}_{word}"
            inertia = parts[piece].seen_from(rigid(p=-beam.origin(piece))) if is_last else None
            child = Link(name) if inertia is None else Link(name, inertia)
            chain.joints.append(
                Joint(
                    f"{link}_{word}_{piece}", "revolute", parent, name, rigid(p=from_parent), axes[word],
                    damping=T * k, parallel_springs=(JointSpring(k),),
                )
            )  # fmt: skip
            chain.links.append(child)
            parent, from_parent = name, np.zeros(3)
        chain.carriers[piece] = chain.links[-1]
        from_parent = beam.along * (beam.length / beam.pieces)
    return chain


def _axes(beam: Beam) -> Array:
    return np.column_stack([beam.along, beam.in_plane, beam.across])


def _beam(model: Model, link: str, pieces: int, end: object, axis: object) -> Beam:
    if model.link(link).name == model.base:
        raise ModelError(f"link {link!r} is the base of {model.name!r}, which no joint moves; name a link that moves.")
    N = whole_number("pieces", pieces, least=1, most=MOST_PIECES)
    own = next(joint for joint in model.joints if joint.child == link)
    to = _end(model, link, end)
    length = float(np.linalg.norm(to))
    if not length > TOUCHING * max(1.0, length):
        raise ModelError(f"the beam of link {link!r} has no length; name another end=, a frame or a point.")
    u = to / length
    if axis is None and own.kind == "prismatic":
        raise ModelError(f"joint {own.name!r} of link {link!r} slides; give axis=, about which it bends in the plane.")
    about = np.array(own.axis if axis is None else array("axis", axis, (3,), "a direction in the link's axes"))
    across = about - (about @ u) * u
    size = float(np.linalg.norm(across))
    if not size > ALONG * float(np.linalg.norm(about)):
        raise ModelError(
            f"the axis {excerpt(about.tolist())} is along the beam of link {link!r}, and nothing bends about it; give "
            "axis=, a direction across the beam in the link's axes."
        )
    return Beam(np.zeros(3), length, u, across / size, N)


def _end(model: Model, link: str, end: object) -> Array:
    """The end of the beam in the link's frame."""
    if isinstance(end, str):
        frame = model.frame(end)
        if frame.link != link or frame.name == link:
            raise UnknownName(
                f"frame {end!r} is on link {frame.link!r}, not at the end of a beam in {link!r}; name one of its "
                "own, or give a point in its frame, m."
            )
        return np.array(frame.pose[:3, 3])
    if end is not None:
        return array("end", end, (3,), "a point in the link's frame, m")
    carried = [joint for joint in model.joints if joint.parent == link]
    if len(carried) == 1:
        return np.array(carried[0].placement[:3, 3])
    if not carried and model.tip is not None and model.frame().link == link:
        return np.array(model.frame().pose[:3, 3])
    how = f"carries {len(carried)} joints" if carried else "carries neither a joint nor the tip"
    raise ModelError(f"link {link!r} {how}: give the end of its beam, end= the name of a frame on it or a point, m.")


def _stiffness(EI: object, GJ: object, beam: Beam) -> dict[str, float]:
    """The springs of one element by the word in their joints' names, N m/rad."""
    both = (EI, EI) if isinstance(EI, int | float) else tuple(EI) if isinstance(EI, Sequence) else ()
    if len(both) != 2:
        raise ModelError(
            f"EI is {excerpt(EI)}; expected a number, N m^2, or two: in the plane of motion and across it."
        )
    stiffnesses = {"bend": ("EI in the plane", both[0]), "across": ("EI across", both[1]), "twist": ("GJ", GJ)}
    springs = {
        word: number(meaning, value, above=0.0, unit="N m^2") * (beam.pieces / beam.length)
        for word, (meaning, value) in stiffnesses.items()
        if value is not None
    }
    if not springs:
        raise ModelError("EI has no number in either direction and GJ is not given; expected one that bends or twists.")
    if not all(map(math.isfinite, springs.values())):
        raise ModelError(
            f"EI {excerpt(EI)} and GJ {excerpt(GJ)} give springs that are not finite; expected smaller ones."
        )
    return springs


def _refuse_couplings(model: Model) -> None:
    refuse_elements(model, "with_flexible_link")
    if model.coupling is not None:
        raise Unsupported(
            f"{model.name!r} has coupled joints, whose coordinates are not its joints; divide the link before "
            "with_coordinates or with_mimic, or take without_couplings()"
        )
    refuse_functions_of_q(model)


def _refuse_taken_names(model: Model, chain: _Chain) -> None:
    names = {frame.name for frame in model.frames} | set(model.joint_names)
    for name in [*(joint.name for joint in chain.joints), *(new.name for new in chain.links)]:
        if name in names:
            raise ModelError(f"{model.name!r} has {name!r} already; divide a link once, or rename what has the name.")
