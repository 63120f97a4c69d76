"""Everything that was measured, and how it is written to a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.accuracy import Accuracy
from benchmarks.adaptive import AdaptiveSpeed
from benchmarks.contest import Agreement, Skipped
from benchmarks.controller import Sharing
from benchmarks.energy import EnergyDrift, LongDrift
from benchmarks.latency import Latency
from benchmarks.layouts import LayoutCost
from benchmarks.motions import Motion
from benchmarks.operations import Operations
from benchmarks.paper import BesidePaper
from benchmarks.rollouts import RolloutSpeed
from benchmarks.scaling import Gain
from benchmarks.sizing import SizingSpeed
from benchmarks.throughput import Speed, best_of

SUBJECT = "armdyn"


@dataclass
class Results:
    """One list for each kind of measurement; what was not measured is empty."""

    machine: dict[str, object]
    settings: dict[str, object]
    skipped: list[Skipped] = field(default_factory=list)
    agreement: list[Agreement] = field(default_factory=list)
    batch: list[Speed] = field(default_factory=list)
    single: list[Speed] = field(default_factory=list)
    gains: list[Gain] = field(default_factory=list)
    layouts: list[LayoutCost] = field(default_factory=list)
    latency: list[Latency] = field(default_factory=list)
    accuracy: list[Accuracy] = field(default_factory=list)
    operations: list[Operations] = field(default_factory=list)
    sharings: list[Sharing] = field(default_factory=list)
    rollouts: list[RolloutSpeed] = field(default_factory=list)
    adaptive: list[AdaptiveSpeed] = field(default_factory=list)
    paper: list[BesidePaper] = field(default_factory=list)
    motions: list[Motion] = field(default_factory=list)
    drifts: list[EnergyDrift] = field(default_factory=list)
    long_drifts: list[LongDrift] = field(default_factory=list)
    sizings: list[SizingSpeed] = field(default_factory=list)

    def ratio(self, speeds: list[Speed], robot: str, function: str, peer: str) -> float | None:
        """How many times quicker armdyn is than ``peer`` in its best way; None where one of them was not timed."""
        own, other = best_of(speeds, robot, function, SUBJECT), best_of(speeds, robot, function, peer)
        return None if own is None or other is None else other.median_ns / own.median_ns

    def write(self, path: Path) -> None:
        """As JSON, with the ratios to each library and the targets."""
        from benchmarks.targets import outcomes

        content = asdict(self)
        for name, speeds in (("batch_ratios", self.batch), ("single_ratios", self.single)):
            content[name] = [
                {"robot": robot, "function": function, "peer": peer, "ratio": ratio}
                for robot, function, peer in dict.fromkeys((s.robot, s.function, s.peer) for s in speeds)
                if peer != SUBJECT and (ratio := self.ratio(speeds, robot, function, peer)) is not None
            ]
        content["targets"] = [asdict(one) | {"met": one.met} for one in outcomes(self)]
        path.write_text(json.dumps(content, indent=1) + "\n")
