"""The equations of motion of joints that stick and slip, traced: the mode of each joint is an input of one program.

``slip`` is 1 for a coordinate that slips forwards, -1 for one that slips backwards, 0 for one that sticks. If it sticks
its acceleration is zero, and friction is the force that this needs; if it slips, friction is that of its direction. A
step is valid as long as no joint changes its mode in it: then its *reserve* is not negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.factors import factored, factored_mass_matrix, links_mass
from armdyn.base.named_tuples import named_tuple
from armdyn.declaration import Argument, Function, MadeFunction, Shape, function
from armdyn.model.drive import Drive
from armdyn.model.friction import TINY
from armdyn.model.mechanism import Mechanism
from armdyn.program import less, less_equal, maximum, minimum, select
from armdyn.simulation.elements.dry_joints import can_stick
from armdyn.simulation.equations import SOURCES, sliding_friction
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import Rates
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.under_load import breakaway_of_available, slid
from armdyn.spatial.rotations import Array

LARGEST = 1e150
"""rad/s or m/s: a faster state has diverged."""


class Motion(NamedTuple):
    """Accelerations, power of the forces, and the friction of all coordinates."""

    qdd: Array
    power: Any
    friction: Array


def dry_coordinates(drive: Drive) -> list[int]:
    """The coordinates that move joints with dry friction."""
    return sorted({i for k, terms in enumerate(drive.terms) if can_stick(drive, k) for i, _ in terms})


def directions(drive: Drive, joints: int, bodies: Sequence[Any], slip: Array) -> Array:
    """1, -1 or 0 of every joint of the model, from those of the coordinates that move the dry ones."""
    found = np.zeros(joints, dtype=object)
    for k, (body, terms) in enumerate(zip(bodies, drive.terms, strict=True)):
        if can_stick(drive, k):
            (i, factor), *_ = terms
            found[body.joint] = np.sign(factor) * slip[i]
    return found


class Sticking:
    """The equations of motion with given modes, and the least reserve of their evaluations.

    Args:
        mechanism: the arm that moves.
        slip: 1, -1 or 0 for each coordinate that slips forwards, backwards or sticks; not read without dry friction.
        tau: joint forces, held.
        f_tip: the wrench at the tip, held.
        bounds: the least and the largest friction of each coordinate at rest.
    """

    def __init__(self, mechanism: Mechanism, slip: Any, tau: Any, f_tip: Any = None, bounds: Any = None) -> None:
        self.mechanism, self.bare = mechanism, mechanism.without_friction
        self.slip, self.tau, self.f_tip, self.bounds = slip, tau, f_tip, bounds
        self.dry = dry_coordinates(mechanism.drive)
        self.moves = [slip[i] * slip[i] if i in self.dry else 1.0 for i in range(mechanism.dof)]
        self.met: list[tuple[Array, Array]] = []
        self.loads: Mapping[int, Any] | None = None  # of the state that was looked at last: the next one is near

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations and power, for the formulas of `armdyn.simulation.methods.formulas`."""
        found = self.motion(q, qd)
        self.met.append((found.qdd, found.friction))
        return found.qdd, found.power

    def motion(self, q: Any, qd: Any) -> Motion:
        """Accelerations, power and friction at a state."""
        bare, drive = self.bare, self.mechanism.drive
        joints = directions(drive, len(bare.model.joints), self.mechanism.bodies, self.slip)
        if drive.depends_on_load:
            given = self.mechanism, q, qd, self.tau, joints, self.moves, np.zeros(bare.dof), self.f_tip
            found, self.loads = slid(*given, near=self.loads)
            return Motion(found.qdd, found.power, found.sliding + found.holding)
        sliding = sliding_friction(self.mechanism, qd, joints)
        rest = algorithms.inverse_dynamics(bare, q, qd, np.zeros(bare.dof), self.f_tip)
        forces, links = self.tau - sliding - rest, links_mass(bare, q)
        qdd = factored(bare, bare.drive, links, self.moves).solve(forces)
        excess = forces - bare.drive.filled(bare.drive.mass_matrix(links)) @ qdd
        holds = [(1.0 - moves) * force for moves, force in zip(self.moves, excess, strict=True)]
        friction = sliding + np.array(holds)
        applied = self.tau if self.f_tip is None else self.tau - algorithms.tip_forces(bare, q, self.f_tip)
        return Motion(qdd, (applied - friction) @ qd, friction)

    def margins(self, friction: Array) -> list[Any]:
        """Margin of the friction of each dry coordinate that sticks to its bounds, over their width; 1 for others."""
        least, most = self.bounds
        widths = most - least
        if self.mechanism.drive.depends_on_load:  # the bounds then follow from the joint force, and may meet
            of_load = breakaway_of_available(self.mechanism, self.tau - least, self.tau - most)
            least, most = least + of_load[0], most + of_load[1]
            widths = [maximum(width, TINY) for width in most - least]
        return [
            select(
                self.moves[i],
                1.0,
                minimum(friction[i] - least[i], most[i] - friction[i]) / widths[i] + SLACK,
            )
            for i in self.dry
        ]

    def reserve(self, qd: Array, h: Any) -> Any:
        """The least of the margins of sticking joints and of the speeds of slipping joints in a step of length h."""
        found = [one for _, friction in self.met for one in self.margins(friction)]
        for i in self.dry:
            slowest = 0.0
            for qdd, _ in self.met:
                slowest = minimum(slowest, self.slip[i] * qdd[i])
            found.append(self.slip[i] * qd[i] + h * slowest)
        least = found[0]
        for one in found[1:]:
            least = minimum(least, one)
        return least


@function("(n),(n),(n),(n),(6)?->(n),(),(n)", sources=SOURCES)
def sticking_motion(model: Any, q: Any, qd: Any, slip: Any, tau: Any, f_tip: Any = None) -> Motion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, (..., n), power, W, (...), and friction, N m or N, (..., n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        slip: 1, -1 or 0 of each coordinate: slips forwards, backwards, or sticks, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    return Sticking(model, slip, tau, f_tip).motion(q, qd)


@function("(n),(n),(n),(n),(6)?->(n),(n,n)", sources=SOURCES)
def let_go(model: Any, q: Any, qd: Any, slip: Any, tau: Any, f_tip: Any = None) -> tuple[Any, Any]:
    """Accelerations qdd, rad/s^2 or m/s^2, (..., n), without friction of sticking coordinates, and M^-1, (..., n, n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        slip: 1, -1 or 0 for each coordinate, as in `sticking_motion`, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    sticking = Sticking(model, slip, tau, f_tip)
    drive, bare = model.drive, sticking.bare
    sliding = sliding_friction(model, qd, directions(drive, len(bare.model.joints), model.bodies, slip))
    rest = algorithms.inverse_dynamics(bare, q, qd, np.zeros(bare.dof), f_tip)
    factors = factored_mass_matrix(bare, q)
    return factors.solve(tau - sliding - rest), factors.inverse()


STATE: dict[str, Shape] = {"q": ("n",), "qd": ("n",), "work": ()}
GIVEN = (Argument("h", ()), Argument("tau", ("n",)), Argument("f_tip", (6,), optional=True))
BOUNDS = (Argument("number", ()), Argument("least", ("n",)), Argument("most", ("n",)))


def part_of_step(method: FixedStep) -> Function:
    """A step of any length with the mode of each joint fixed: the state after it, accelerations and friction there."""

    def part(model: Any, q: Any, qd: Any, work: Any, slip: Any, h: Any, tau: Any, f_tip: Any) -> tuple[Any, ...]:
        sticking = Sticking(model, slip, tau, f_tip)
        later = method.scheme.formula(sticking, sticking(0.0, q, qd), 0.0, (q, qd, work), h)
        end = sticking.motion(*later[:2])
        return (*later, end.qdd, end.friction)

    results = (*STATE.values(), ("n",), ("n",))
    arguments = (*(Argument(*one) for one in STATE.items()), Argument("slip", ("n",)), *GIVEN)
    return _made(part, method, "part", arguments, results, partial(part_of_step, method))


def step_of_loop(method: FixedStep) -> Function:
    """Step ``number`` of a motion that has made ``count``: not made before that, nor if the reserve is negative."""
    own: dict[str, Shape] = {**STATE, "slip": ("n",), "count": ()}
    kind = named_tuple("Step", own)

    def loop(model: Any, q: Any, qd: Any, work: Any, slip: Any, count: Any, *given: Any) -> Any:
        number, least, most, h, tau, f_tip = given
        sticking = Sticking(model, slip, tau, f_tip, (least, most))
        later = method.scheme.formula(sticking, sticking(0.0, q, qd), 0.0, (q, qd, work), h)
        sticking(0.0, *later[:2])
        fast = sum(speed * speed for speed in later[1])
        goes = less_equal(number, count) * less_equal(count, number) * less(fast, LARGEST)
        goes = goes * less_equal(0.0, sticking.reserve(qd, h))
        q, qd, work = (select(goes, new, old) for new, old in zip(later, (q, qd, work), strict=True))
        return kind(q, qd, work, slip, count + goes)

    arguments = (*(Argument(*one) for one in own.items()), *BOUNDS, *GIVEN)
    return _made(loop, method, "loop", arguments, tuple(own.values()), partial(step_of_loop, method), kind)


def _made(
    implementation: Any,
    method: FixedStep,
    what: str,
    arguments: tuple[Argument, ...],
    results: tuple[Shape, ...],
    made: Any,
    kind: type[Any] | None = None,
) -> Function:
    name = f"sticking_{what}_of_{method.scheme.name}_step"
    implementation.__name__, implementation.__doc__ = name, f"A {what} of {method} with joints that stick."
    declared = MadeFunction(implementation, name, f"sticking {what}", arguments, results, {}, kind, made=made)
    object.__setattr__(declared, "sources", SOURCES)
    return declared
