"""Which libraries take part for a robot, and whether their numbers agree: nothing is timed that does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.build_pinocchio import build, variants
from benchmarks.cases import Case
from benchmarks.functions import FUNCTIONS, Function
from benchmarks.peers.armdyn_peer import ArmdynAllocatingPeer, ArmdynPeer
from benchmarks.peers.modern_robotics_peer import ModernRoboticsPeer
from benchmarks.peers.mujoco_peer import MujocoPeer
from benchmarks.peers.peer import Peer, UnavailableError
from benchmarks.peers.pinocchio_cpp import PinocchioCppPeer
from benchmarks.peers.pinocchio_python import PinocchioPythonPeer
from benchmarks.states import Array, States

TOLERANCE = 1e-9
CHECKED_STATES = 1000


@dataclass(frozen=True)
class Skipped:
    """A library that does not take part, and why."""

    robot: str
    peer: str
    reason: str


@dataclass(frozen=True)
class Agreement:
    """How far a library's numbers are from those of the reference, relative to the largest number of each state."""

    robot: str
    function: str
    peer: str
    way: str
    reference: str
    deviation: float

    @property
    def agrees(self) -> bool:
        """Whether the library is timed."""
        return self.deviation <= TOLERANCE


def load_peers(case: Case, all_variants: bool = False) -> tuple[list[Peer], list[Skipped]]:
    """Every library that can take this robot, and the others with their reasons."""
    peers: list[Peer] = []
    skipped: list[Skipped] = []

    def compiled(case: Case) -> Peer:
        libraries, failures = build(variants(case.size, all_variants))
        skipped.extend(Skipped(case.name, PinocchioCppPeer.name, reason) for reason in failures.values())
        return PinocchioCppPeer(case, libraries)

    makers: dict[str, Callable[[Case], Peer]] = {
        PinocchioPythonPeer.name: PinocchioPythonPeer,
        PinocchioCppPeer.name: compiled,
        MujocoPeer.name: MujocoPeer,
        ModernRoboticsPeer.name: ModernRoboticsPeer,
        ArmdynPeer.name: ArmdynPeer,
        ArmdynAllocatingPeer.name: ArmdynAllocatingPeer,
    }
    for name, make in makers.items():
        try:
            peers.append(make(case))
        except (UnavailableError, ImportError) as reason:
            skipped.append(Skipped(case.name, name, str(reason)))
    return peers, skipped


def agreements(case: Case, peers: list[Peer], functions: list[str], states: States) -> Iterator[Agreement]:
    """Compare every library, in each of its ways, with the first library of ``peers``."""
    for function in (FUNCTIONS[name] for name in functions):
        reference: Array | None = None
        for peer in peers:
            few = states.head(min(CHECKED_STATES, peer.batch_limit or CHECKED_STATES))
            for way, call in peer.ways(function, few.ordered(peer.joint_names)).items():
                result = function.reordered(call(), peer.joint_names, case.joint_names)
                reference = result if reference is None else reference
                deviation = relative_deviation(function, result, reference[: len(result)])
                yield Agreement(case.name, function.name, peer.name, way, peers[0].name, deviation)


def relative_deviation(function: Function, result: Array, reference: Array) -> float:
    """The largest difference of any state, relative to the largest number of that state; infinite where NaN appears."""
    deviation = function.largest(result - reference) / function.largest(reference)
    return float(np.where(np.isnan(deviation), np.inf, deviation).max())
