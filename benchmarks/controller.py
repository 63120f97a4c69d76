"""A controller's set, pose, Jacobian, Jdot qd, M and h, as one program against its parts compiled apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.states import States
from benchmarks.timing import interleaved, quiet

if TYPE_CHECKING:
    from armdyn import Robot

CALLS_A_ROUND = 1000
IN_CACHE = 1000  # states whose results stay in the second-level cache
WORLD = {"expressed_in": "world"}
Calls = dict[str, Callable[[], object]]


@dataclass(frozen=True)
class Sharing:
    """What the whole set costs, and its parts together: operations, or ns a state."""

    robot: str
    what: str
    parts: float
    whole: float

    @property
    def ratio(self) -> float:
        """Of the parts' cost."""
        return self.whole / self.parts


def sharings(case: Case, states: States, rounds: int) -> list[Sharing]:
    """Operations, one call from Python, a batch that stays in the cache, and the whole batch."""
    import armdyn

    robot = armdyn.Robot.from_urdf(case.urdf)
    robot = robot.with_tip(robot.model.joints[-1].child)  # of every arm alike: the last link that moves
    own = states.ordered(robot.joint_names)
    found = [_operations(case, robot)]
    for what, count in (("one call", 1), ("batch in cache", IN_CACHE), ("batch", len(own))):
        few = own.head(min(count, len(own)))
        q, qd = (few.q[0], few.qd[0]) if count == 1 else (few.q, few.qd)
        with quiet():
            repeats = max(1, CALLS_A_ROUND // count)
            timings = interleaved(_calls(robot, q, qd, allocate=count == 1), rounds, repeats)
        ns = {name: timing.median / len(few) * 1e9 for name, timing in timings.items()}
        whole = ns.pop("whole")
        found.append(Sharing(case.name, f"{what}, ns a state", sum(ns.values()), whole))
    return found


def _parts(robot: Robot) -> dict[str, tuple[Any, dict[str, str], tuple[str, ...]]]:
    """The methods, their options, and what they take."""
    return {
        "pose": (robot.forward_kinematics, {}, ("q",)),
        "jacobian": (robot.jacobian, WORLD, ("q",)),
        "drift": (robot.bias_acceleration, WORLD, ("q", "qd")),
        "mass_matrix": (robot.mass_matrix, {}, ("q",)),
        "bias_forces": (robot.bias_forces, {}, ("q", "qd")),
    }


def _whole(robot: Robot) -> Any:
    from armdyn import algorithms

    def controllers_set(model: Any, q: Any, qd: Any) -> tuple[Any, ...]:
        return (
            algorithms.forward_kinematics(model, q),
            algorithms.jacobian(model, q, **WORLD),
            algorithms.bias_acceleration(model, q, qd, **WORLD),
            algorithms.mass_matrix(model, q),
            algorithms.bias_forces(model, q, qd),
        )

    return robot.compile(controllers_set, signature="(n),(n)->(4,4),(6,n),(6),(n,n),(n)")


def _operations(case: Case, robot: Robot) -> Sharing:
    parts = sum(method.program(**options).op_counts.arithmetic for method, options, _ in _parts(robot).values())
    return Sharing(case.name, "multiplications and additions", parts, _whole(robot).op_counts.arithmetic)


def _calls(robot: Robot, q: Any, qd: Any, *, allocate: bool) -> Calls:
    given = {"q": q, "qd": qd}
    calls: Calls = {}
    rooms = []
    for name, (method, options, names) in _parts(robot).items():
        arguments = [given[one] for one in names]
        rooms.append(np.empty_like(method(*arguments, **options)))
        out = {} if allocate else {"out": rooms[-1]}
        calls[name] = partial(method, *arguments, **options, **out)
    whole = _whole(robot)
    calls["whole"] = partial(whole, q, qd) if allocate else partial(whole, q, qd, out=tuple(rooms))
    return calls
