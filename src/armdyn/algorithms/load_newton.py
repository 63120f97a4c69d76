"""Newton's method for equations of motion with friction f(qd, l) of the loads l that joints transmit to their links.

At loads l_k the friction is on the straight lines c_k + s_k l, with the slopes s_k and c_k = f_k - s_k l_k. On these
the equations are linear: they give the accelerations, the reactions of coordinates or constraints, and the next loads.
The method is semi-smooth because f has kinks. Joints that move by themselves have other equations than those that are
coupled (`armdyn.algorithms.load_friction`, `armdyn.algorithms.coupled_loads`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.load_laws import LoadedFriction, is_curved, lines, loaded_friction, select
from armdyn.base.scalars import Scalar
from armdyn.base.type_rounding import rounding
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

RESIDUAL = 1e-12
"""The largest residual of a joint's equation, as a part of the sizes of its terms; beyond it accelerations are NaN."""

RESIDUAL_OF_FLOAT32 = 5e-4
"""The largest residual if the function computes in float32: as many of its roundings."""

SAME_PIECES = 1e-13
"""The largest change of all pieces of straight lines together that counts as rounding, not as a change."""

ON_THE_LINE = 2e-15
"""Allowed distance of a curve from the straight line of a step, relative to the load and the line's constant."""

ON_THE_LINE_IN_FLOAT32 = 1e-6
"""Allowed distance of a curve from the straight line of a step if the function computes in float32."""

STEPS_OF_CURVES = 12
"""Steps of Newton's method for friction that is a curve of the load."""

SINGLY, SINGLY_OF_CURVES = 2, 4
"""Up to this step, each is left out by itself if those before were enough."""


class LinearSolution(NamedTuple):
    """The solution of the equations with friction on straight lines.

    Args:
        qdd: accelerations, (n,).
        reactions: minus the forces that hold the coordinates at rest, (n,), without meaning at the others; or the
            results for constraints, their multipliers first.
        loads: at these accelerations, by body.
    """

    qdd: Array
    reactions: Array
    loads: dict[int, Scalar]


class LoadEquations(ABC):
    """The equations of motion of an arm whose friction depends on the loads.

    Args:
        mechanism: whose drive depends on the load.
        rates: of the bodies' joints, at which their friction is in the equations.
    """

    mechanism: Mechanism
    rates: Array

    @property
    def drive(self) -> Drive:
        """The drive with the friction."""
        return self.mechanism.drive

    @property
    def curved(self) -> bool:
        """True if the friction of some joint is a curve of its load."""
        return is_curved(self.drive)

    @property
    @abstractmethod
    def steps(self) -> int:
        """The largest number of steps of Newton's method."""

    @property
    def is_exact(self) -> bool:
        """True if this number of steps ends at the solution, which is not checked then."""
        return False

    @property
    def check_all(self) -> bool:
        """True to check every solution; false if a step that has settled solves the equations."""
        return True

    @property
    @abstractmethod
    def constrained(self) -> bool:
        """True if the reactions are forces of constraints, which are NaN without a solution."""

    @abstractmethod
    def first_loads(self) -> Mapping[int, Scalar]:
        """Loads with which Newton's method begins if none of a state nearby are known."""

    @abstractmethod
    def linear_solution(self, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar]) -> LinearSolution:
        """The solution with the straight lines of the friction at loads."""

    @abstractmethod
    def response(self, friction: Mapping[int, LoadedFriction]) -> Callable[[Array], Array]:
        """(d tau/d qdd)^-1 times joint forces, a vector or the columns of a matrix, on these straight lines."""

    @abstractmethod
    def conditions(self, step: NewtonStep) -> Iterable[Scalar]:
        """1 for each equation that a step solves to rounding, else 0."""


class NewtonStep(NamedTuple):
    """The result of a step of Newton's method.

    Args:
        qdd, reactions, loads: as of `LinearSolution`.
        friction: at these loads, by body.
        settled: 1 if the friction is that of the straight lines of the step, so that a further step changes nothing;
            else 0. A curve has to meet the line at the new load too, to rounding.
    """

    qdd: Array
    reactions: Array
    loads: Mapping[int, Scalar]
    friction: dict[int, LoadedFriction]
    settled: Scalar


class SolutionUnderLoad(NamedTuple):
    """Accelerations that agree with the friction of the loads they cause, and the equations' linear part there.

    Args:
        qdd, reactions, loads: as of `LinearSolution`.
        solve: the change of qdd by joint forces, a vector or the columns of a matrix: (d tau/d qdd)^-1 times these.
        friction: forces that depend on these loads, by body.
    """

    qdd: Array
    loads: Mapping[int, Scalar]
    solve: Callable[[Array], Array]
    friction: Mapping[int, Scalar]
    reactions: Array


def solution_under_load(equations: LoadEquations, near: Mapping[int, Scalar] | None = None) -> SolutionUnderLoad:
    """The solution of equations by Newton's method, NaN if it is not found.

    Args:
        equations: of the arm.
        near: loads with which Newton's method begins, e.g. those of a state close by. They decide how many steps are
            needed, and the result to rounding only.
    """
    loads = near or equations.first_loads()
    friction = loaded_friction(equations.drive, equations.rates, loads)
    if equations.is_exact:
        last = _steps(equations, friction, loads, equations.steps)
    else:
        last = _until_settled(equations, friction, loads, near=bool(near))
    if equations.check_all:
        last = _nan_unless_solved(equations, last)
    forces = {k: own.force for k, own in last.friction.items()}
    return SolutionUnderLoad(last.qdd, last.loads, equations.response(last.friction), forces, last.reactions)


def _step(equations: LoadEquations, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar]) -> NewtonStep:
    """A step from the friction by body at loads, and these loads."""
    qdd, reactions, new = equations.linear_solution(friction, loads)
    drive, later = equations.drive, loaded_friction(equations.drive, equations.rates, new)
    curves = [k for k in new if lines(drive, k) is None]
    changes = [
        abs(a - b) for k in new if k not in curves for a, b in zip(later[k].pieces, friction[k].pieces, strict=True)
    ]
    settled = math.prod([sum(changes) <= SAME_PIECES, *(_meets(friction[k], later[k].force, new[k]) for k in curves)])
    return NewtonStep(qdd, reactions, new, later, settled)


def _steps(
    equations: LoadEquations, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar], count: int
) -> NewtonStep:
    """The result of this number of successive steps, at least one."""
    result = _step(equations, friction, loads)
    for _ in range(1, count):
        result = _step(equations, result.friction, result.loads)
    return result


def _until_settled(
    equations: LoadEquations, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar], *, near: bool
) -> NewtonStep:
    """The first settled step; a compiled function skips those after it.

    The last step of states that have not settled is checked, if not all are: on straight lines a settled one is exact.

    Loads of a state nearby mostly settle in the first step, or in the second, others in the second, and curves in the
    third. Steps up to `SINGLY`, or `SINGLY_OF_CURVES`, can be left out one by one. The further ones, which few need,
    are made together, because each choice costs as much as a part of a step.
    """
    count = equations.steps
    singly = SINGLY_OF_CURVES if equations.curved else SINGLY

    def last(step: NewtonStep) -> NewtonStep:
        return step if equations.check_all else _nan_unless_solved(equations, step)

    def settled(step: NewtonStep, number: int) -> NewtonStep:
        """The first settled step among this one and those after it; each may be skipped by itself."""
        if number < min(singly, count - 1):
            further = settled(_step(equations, step.friction, step.loads), number + 1)
        else:
            further = last(_steps(equations, step.friction, step.loads, count - number))
        return _unless_settled(equations, step, further)

    number = min(count, 1 if near else 2)
    step = _steps(equations, friction, loads, number)
    return last(step) if count == number else settled(step, number)


def _unless_settled(equations: LoadEquations, step: NewtonStep, further: NewtonStep) -> NewtonStep:
    """The further step if one is not settled. A compiled function skips steps that no state needs."""
    settled, drive = step.settled, equations.drive
    loads = {k: select(settled, step.loads[k], load) for k, load in further.loads.items()}
    friction = loaded_friction(drive, equations.rates, loads)  # of straight lines little more than to choose
    friction |= {k: step.friction[k].where(settled, further.friction[k]) for k in loads if lines(drive, k) is None}
    qdd, reactions = (
        np.array([select(settled, a, b) for a, b in zip(*both, strict=True)], dtype=object)
        for both in ((step.qdd, further.qdd), (step.reactions, further.reactions))
    )
    return NewtonStep(qdd, reactions, loads, friction, select(settled, 1.0, further.settled))


def _nan_unless_solved(equations: LoadEquations, step: NewtonStep) -> NewtonStep:
    """A step whose accelerations, and forces of constraints, are NaN if it does not solve the equations."""
    solved: Scalar = 1.0
    for condition in equations.conditions(step):
        solved = solved * condition
    factor = or_nan(solved)
    reactions = step.reactions * factor if equations.constrained else step.reactions
    return step._replace(qdd=step.qdd * factor, reactions=reactions)


def _meets(line: LoadedFriction, force: Scalar, load: Scalar) -> Scalar:
    """1 if a force is that of a line at a load, but for rounding; else 0."""
    size = abs(load) + abs(line.offset)
    distance = line.gain * (load + force) - line.offset - load
    return abs(distance) <= rounding(size, ON_THE_LINE, ON_THE_LINE_IN_FLOAT32)


def holds(terms: Iterable[Scalar], cancelled: Scalar = 0.0) -> Scalar:
    """1 if the terms of an equation add up to 0, to `RESIDUAL` or `RESIDUAL_OF_FLOAT32` of their sizes; else 0.

    ``cancelled`` is the size of the parts that have cancelled in a term: a small remainder of them is rounding.
    """
    terms = list(terms)
    size = sum(map(abs, terms), start=cancelled)
    return abs(sum(terms)) <= rounding(size, RESIDUAL, RESIDUAL_OF_FLOAT32)


def or_nan(solved: Scalar) -> Scalar:
    """1 if ``solved`` is 1, NaN if it is 0."""
    return np.sqrt(2.0 * solved - 1.0)
