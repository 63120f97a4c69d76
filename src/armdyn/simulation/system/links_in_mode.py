"""The links of an arm whose joints slip in given directions or are held, and their friction that depends on the load.

A mode of the joints is an input: the drivers of a simulation, which locate its changes or find them in each step, solve
the equations of motion in it here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.factors import factored, links_mass
from armdyn.algorithms.load_friction import OwnLoads, Within, own_coordinates
from armdyn.algorithms.load_laws import loaded_friction
from armdyn.base.exact import Exact
from armdyn.model.drive import Drive
from armdyn.model.friction import FrictionLaw, LoadLine, Slopes, is_dry
from armdyn.model.mechanism import Mechanism
from armdyn.program import maximum
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class SlidingLaw(FrictionLaw):
    """Dry friction that depends on the load, in one direction.

    Args:
        law: which holds in both.
        direction: 1 forwards, -1 backwards, 0 of a joint that is held, of which the force is 0.
    """

    law: FrictionLaw
    direction: Any

    depends_on_load = True

    @property
    def lines(self) -> int | None:  # type: ignore[override]
        """As of the law."""
        return self.law.lines

    def force(self, rate: Any, load: Any) -> Any:
        """Friction force of the law in this direction."""
        return self.law.sliding(self.direction, self._speed(rate), load)

    def slopes(self, rate: Any, load: Any) -> Slopes:
        """The slope by the load; the other slope is not used and left out."""
        return Slopes(None, self.law.sliding_slope(self.direction, self._speed(rate), load))

    def line(self, rate: Any, load: Any) -> LoadLine:
        """As of the law in this direction."""
        return self.law.sliding_line(self.direction, self._speed(rate), load)

    def _speed(self, rate: Any) -> Any:
        return maximum(self.direction * rate, 0.0)

    def breakaway(self, load: Any) -> Any:
        """As of the law."""
        return self.law.breakaway(load)

    def at_rest(self, load: Any) -> tuple[Any, Any]:
        """As of the law."""
        return self.law.at_rest(load)


def sliding_under_load(drive: Drive, slip: Array) -> Drive:
    """A drive with the friction laws that depend on the load and no other friction.

    Args:
        drive: its bodies with such laws are moved by coordinates of their own.
        slip: the direction of each coordinate, 0 for one that is held; not read for smooth laws.
    """
    own, none = own_coordinates(drive) or {}, (Exact(0),) * len(drive.terms)

    def sliding(law: FrictionLaw, k: int) -> FrictionLaw:
        return SlidingLaw(law, slip[own[k]]) if is_dry(law) else law

    laws = tuple(
        tuple(sliding(law, k) for law in of_joint if law.depends_on_load) for k, of_joint in enumerate(drive.laws)
    )
    return dataclasses.replace(drive, damping=none, friction=none, laws=laws)


class LinksInMode(NamedTuple):
    """The motion of links in a mode of their joints.

    Args:
        qdd: accelerations, exactly zero for held coordinates, (n,).
        reactions: minus the forces that hold coordinates, without meaning at the others; or the further results of
            constraints.
        friction: that depends on the load, of sliding joints, N m or N, (n,).
        hidden: the part of each rotor's inertia that this friction hides from the links, a s/(1 + s), s being the slope
            of the friction by the load, (n,).
        loads: that the joints with such friction transmit, by body.
    """

    qdd: Array
    reactions: Array
    friction: Array
    hidden: Array
    loads: Mapping[int, Any]


def links_in_mode(
    arm: Mechanism,
    q: Array,
    qd: Array,
    available: Array,
    h: Array,
    slip: Array,
    *,
    moves: Sequence[Any] | Array | None = None,
    within: Within | None = None,
    near: Mapping[int, Any] | None = None,
) -> LinksInMode:
    """The motion of links by joint forces.

    Args:
        arm: the traced arm; the coordinates of joints whose friction depends on the load move no other body.
        q, qd: positions and velocities.
        available: joint forces without the friction independent of the load, tau - d, N m or N, (n,).
        h: forces on the links at zero acceleration, N m or N, (n,).
        slip: direction of each coordinate, 0 for one that is held, (n,).
        moves: 1 for each coordinate that moves, 0 for one that is held; all move if left out. Not read within
            constraints if friction depends on the load.
        within: accelerations within constraints, from the factors of M and forces.
        near: loads by body with which Newton's method begins.
    """
    bare, none, links = arm.without_friction, np.zeros(arm.dof, dtype=object), links_mass(arm, q)
    if not arm.drive.depends_on_load:
        factors, pushed = factored(bare, bare.drive, links, moves), available - h
        qdd, reactions = factors.with_reactions(pushed) if within is None else within(factors, pushed)
        return LinksInMode(qdd, reactions, none, none, {})
    drive, coordinates = sliding_under_load(arm.drive, slip), own_coordinates(arm.drive) or {}
    sliding, rates = dataclasses.replace(arm, drive=drive), drive.rates(qd)
    moves = moves if within is None else None
    equations = OwnLoads(sliding, coordinates, links, available, h, rates, moves=moves, within=within)
    found, friction, hidden = equations.solution(near), none.copy(), none.copy()
    for k, own in loaded_friction(drive, rates, found.loads).items():
        friction[coordinates[k]] = found.friction[k]
        hidden[coordinates[k]] = drive.armature[k] * (1.0 - own.gain)
    return LinksInMode(found.qdd, found.reactions, friction, hidden, found.loads)
