"""Time per state in a large batch, and time of one call from Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.cases import Case
from benchmarks.contest import Agreement
from benchmarks.functions import FUNCTIONS
from benchmarks.peers.peer import Peer, UnavailableError
from benchmarks.states import States
from benchmarks.timing import Timing, interleaved, quiet

SINGLE_CALLS_A_ROUND = 1000
SLOW_CALLS_A_ROUND = 10
OUT_OF_REACH = 1.5


@dataclass(frozen=True)
class Speed:
    """Nanoseconds per state, or per call."""

    robot: str
    function: str
    peer: str
    way: str
    count: int
    median_ns: float
    best_ns: float

    @classmethod
    def of(cls, subject: tuple[str, str, str, str], count: int, timing: Timing) -> Speed:
        """From the seconds for ``count`` states; ``subject`` is robot, function, peer and way."""
        return cls(*subject, count, timing.median / count * 1e9, timing.best / count * 1e9)


def batch_speeds(
    case: Case, peers: list[Peer], agreed: Iterable[Agreement], states: States, rounds: int
) -> list[Speed]:
    """Time per state of everything that agreed, all ways of all libraries interleaved."""
    speeds = []
    agreed = list(agreed)
    for function in FUNCTIONS.values():
        entitled = {(one.peer, one.way) for one in agreed if one.function == function.name and one.agrees}
        calls, counts = {}, {}
        for peer in peers if entitled else ():
            own = states.head(min(len(states), peer.batch_limit or len(states))).ordered(peer.joint_names)
            for way, call in peer.ways(function, own).items():
                if (peer.name, way) in entitled:
                    calls[peer.name, way], counts[peer.name, way] = call, len(own)
        with quiet():
            timings = interleaved(calls, rounds=1)
            quick = _within_reach(timings)
            timings |= interleaved({key: calls[key] for key in quick}, rounds)
        speeds += [Speed.of((case.name, function.name, *key), counts[key], timings[key]) for key in calls]
    return speeds


def single_speeds(
    case: Case, peers: list[Peer], agreed: Iterable[Agreement], states: States, rounds: int
) -> list[Speed]:
    """Time of one call from Python with the arrays of one state."""
    speeds = []
    agreed = list(agreed)
    for function in FUNCTIONS.values():
        entitled = {one.peer for one in agreed if one.function == function.name and one.agrees}
        for slow in (False, True):
            calls = {}
            for peer in peers:
                is_slow = peer.batch_limit is not None and peer.batch_limit < SINGLE_CALLS_A_ROUND
                if peer.name in entitled and is_slow == slow:
                    try:
                        calls[peer.name] = peer.single(function, states.head(1).ordered(peer.joint_names))
                    except UnavailableError:
                        continue
            with quiet():
                repeats = SLOW_CALLS_A_ROUND if slow else SINGLE_CALLS_A_ROUND
                timings = interleaved(calls, rounds, repeats)
            speeds += [Speed.of((case.name, function.name, name, ""), 1, timing) for name, timing in timings.items()]
    return speeds


def _within_reach(timings: dict[tuple[str, str], Timing]) -> list[tuple[str, str]]:
    """The ways that are not far behind the quickest of their library; one round settles the others."""
    quickest: dict[str, float] = {}
    for (peer, _), timing in timings.items():
        quickest[peer] = min(timing.best, quickest.get(peer, timing.best))
    return [key for key, timing in timings.items() if timing.best <= OUT_OF_REACH * quickest[key[0]]]


def best_of(speeds: Iterable[Speed], robot: str, function: str, peer: str) -> Speed | None:
    """The quickest way of a library."""
    own = [one for one in speeds if (one.robot, one.function, one.peer) == (robot, function, peer)]
    return min(own, key=lambda one: one.median_ns, default=None)
