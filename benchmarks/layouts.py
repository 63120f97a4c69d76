"""What arrays cost that do not hold one state after the other, beside those that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from benchmarks.cases import Case
from benchmarks.functions import FUNCTIONS
from benchmarks.states import Array, States
from benchmarks.timing import Timing, interleaved, quiet

IN_CACHE = 2**16  # bytes of arrays that stay in a second-level cache, also where gaps multiply them
PAST_THE_CACHE = 2**28  # bytes of arrays that no cache holds, of which five layouts and their gaps fit into memory
FEW = 1000  # states at most, where those are meant to stay there
STATES_A_ROUND = 20_000
ROWS = "row-major"
JOINTS_FIRST = "joint axis first"
GAPS_BETWEEN_STATES = ("every other state", "part of longer rows")


def _joints_first(a: Array) -> Array:
    return np.asfortranarray(a)


def _every_other_state(a: Array) -> Array:
    return np.repeat(a, 2, axis=0)[::2]


def _part_of_longer_rows(a: Array) -> Array:
    return np.concatenate([a, a], axis=-1)[..., : a.shape[-1]]


def _every_other_number(a: Array) -> Array:
    return np.repeat(a, 2, axis=-1)[..., ::2]


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    ROWS: np.ascontiguousarray,
    JOINTS_FIRST: _joints_first,
    **dict(zip(GAPS_BETWEEN_STATES, (_every_other_state, _part_of_longer_rows), strict=True)),
    "every other number": _every_other_number,
}


@dataclass(frozen=True)
class LayoutCost:
    """One function with all its arguments and results in one layout; ``ratio`` is the median over the rounds."""

    robot: str
    function: str
    layout: str
    states: int
    rows_ns: float
    ns: float
    ratio: float
    in_cache: bool


def layout_costs(case: Case, functions: list[str], states: States, rounds: int) -> list[LayoutCost]:
    """Every layout against rows, for a batch that stays in the cache and for the whole one."""
    import armdyn

    robot = armdyn.Robot.from_urdf(case.urdf)
    costs = []
    for name in functions:
        few = _uneven(min(FEW, IN_CACHE // _bytes(name, case.size), len(states)))
        many = min(PAST_THE_CACHE // _bytes(name, case.size), len(states))
        for count in dict.fromkeys((few, many)):
            calls = _calls(getattr(robot, name), name, states.ordered(robot.joint_names).head(count), case.size)
            with quiet():
                timings = interleaved(calls, rounds, max(1, STATES_A_ROUND // count))
            subject = case.name, name, count
            costs += [_cost(subject, layout, timings, count == few) for layout in LAYOUTS if layout != ROWS]
    return costs


def _uneven(count: int) -> int:
    """The next smaller number of whole groups of 8 that is no multiple of 16: columns then compete for no place."""
    return max(8, (count - 8) // 16 * 16 + 8)


def _bytes(name: str, size: int) -> int:
    """Of one state's arguments and results."""
    function = FUNCTIONS[name]
    return 8 * (len(function.inputs) * size + function.results * size**function.rank)


def _calls(method: Callable[..., object], name: str, states: States, size: int) -> dict[str, Callable[[], object]]:
    """A call for each layout; all must give the numbers that rows give, bit for bit."""
    function, calls = FUNCTIONS[name], {}
    expected = method(*function.arguments(states))
    for layout, change in LAYOUTS.items():
        room = function.empty(len(states), size)
        out = tuple(map(change, room)) if isinstance(room, tuple) else change(room)
        calls[layout] = partial(method, *map(change, function.arguments(states)), out=out)
        calls[layout]()
        np.testing.assert_array_equal(out, expected)
    return calls


def _cost(subject: tuple[str, str, int], layout: str, timings: dict[str, Timing], in_cache: bool) -> LayoutCost:
    (robot, function, count), own, rows = subject, timings[layout], timings[ROWS]
    ratio = median(a / b for a, b in zip(own.seconds, rows.seconds, strict=True))
    ns = (1e9 * timing.median / count for timing in (rows, own))
    return LayoutCost(robot, function, layout, count, *ns, ratio, in_cache)
