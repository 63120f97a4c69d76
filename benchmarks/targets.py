"""What armdyn has to reach, and whether it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.actuated_rollouts import BARE
from benchmarks.layouts import GAPS_BETWEEN_STATES, JOINTS_FIRST
from benchmarks.results import SUBJECT, Results

BATCH_RATIOS = {  # against Pinocchio's C++ in its best way
    ("ur5", "inverse_dynamics"): 25.0,
    ("panda", "inverse_dynamics"): 20.0,
    ("ur5", "forward_dynamics"): 20.0,
    ("panda", "forward_dynamics"): 20.0,
    ("ur5", "mass_matrix"): 15.0,
    ("panda", "mass_matrix"): 15.0,
    **{(robot, "coriolis_matrix"): 12.0 for robot in ("ur5", "panda")},
    **{(robot, "inverse_dynamics_derivatives"): 8.0 for robot in ("ur5", "panda")},
    **{(robot, "forward_dynamics_derivatives"): 8.0 for robot in ("ur5", "panda")},
    ("tree30", "inverse_dynamics"): 5.0,
    ("tree30", "mass_matrix"): 5.0,
    ("tree30", "forward_dynamics"): 5.0,
}
PYTHON_FACTOR = 2.0  # against Pinocchio from Python the ratios are to be this much larger
SINGLE_CALL = 0.85  # inverse dynamics, of the time Pinocchio takes from Python
TWO_CORES = 1.8
ACTUATED = 0.5  # of the speed of the bare arm
SINGLE_PRECISION = 1.6
LAYOUTS = {JOINTS_FIRST: 1.05, **dict.fromkeys(GAPS_BETWEEN_STATES, 1.15)}  # of row-major arrays' time, in cache
IMPORT_SECONDS = 0.060
FIRST_CALL_SECONDS = {"empty": 0.3, "filled": 0.03}
TREE_COMPILE_SECONDS = 5.0
CONTROLLERS_SET = 0.7  # one program, of its parts compiled apart
ROLLOUTS = {  # robot, way, beside what: how many times quicker, at least
    ("ur5", "semi-implicit Euler", "MuJoCo, semi-implicit Euler"): 90.0,
    ("ur5", "Runge-Kutta 4", "MuJoCo, semi-implicit Euler"): 32.0,
    ("ur5", "Runge-Kutta 4", "MuJoCo, Runge-Kutta 4"): 100.0,
    ("ur5", "computed torque", "MuJoCo, semi-implicit Euler"): 50.0,
    ("panda", "semi-implicit Euler", "MuJoCo, semi-implicit Euler"): 60.0,
    ("panda", "Runge-Kutta 4", "MuJoCo, semi-implicit Euler"): 20.0,
    ("panda", "computed torque", "MuJoCo, semi-implicit Euler"): 30.0,
}
SIZING_SECONDS = 2.0  # of 60,000 pairs, 6 joints, 1,000 samples
ROLLOUT_COSTS = {"recorded": 1.3, "gradient of 2n gains": 8.0}  # at most, of the same without
OPERATIONS = {  # multiplications, additions, divisions
    ("ur5", "inverse_dynamics"): (230, 195, 0),
    ("panda", "inverse_dynamics"): (381, 355, 0),
    ("ur5", "mass_matrix"): (136, 138, 0),
    ("panda", "mass_matrix"): (206, 219, 0),
    ("ur5", "forward_dynamics"): (410, 371, 6),
    ("panda", "forward_dynamics"): (701, 657, 7),
}


@dataclass(frozen=True)
class Outcome:
    """A target with what was measured."""

    name: str
    measured: float
    bound: float
    at_least: bool

    @property
    def met(self) -> bool:
        """Whether the measurement is on the right side of the bound."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound


def outcomes(results: Results) -> list[Outcome]:
    """All targets for which there is a measurement."""
    return [
        *_batch(results),
        *_single(results),
        *_gains(results),
        *_layouts(results),
        *_latency(results),
        *_accuracy(results),
        *_operations(results),
        *_sharings(results),
        *_rollouts(results),
        *_sizings(results),
    ]


def _sizings(results: Results) -> Iterator[Outcome]:
    for one in results.sizings:
        name = f"sizing of {one.pairs} pairs, {one.joints} joints, {one.samples} samples, s"
        yield Outcome(name, one.seconds, SIZING_SECONDS, at_least=False)


def _rollouts(results: Results) -> Iterator[Outcome]:
    for one in results.rollouts:
        name, bound = f"{one.robot} rollouts, {one.way}: ", ROLLOUTS.get((one.robot, one.way, one.beside))
        if one.way in ROLLOUT_COSTS:
            yield Outcome(f"{name}times {one.beside}", one.ratio, ROLLOUT_COSTS[one.way], at_least=False)
        elif one.way == "two cores":
            yield Outcome(f"{name}times one core", one.ratio, TWO_CORES, at_least=True)
        elif one.beside == BARE:
            yield Outcome(f"{name}speed of {one.beside}", one.ratio, ACTUATED, at_least=True)
        elif bound is not None:
            yield Outcome(f"{name}times {one.beside}", one.ratio, bound, at_least=True)


def _batch(results: Results) -> Iterator[Outcome]:
    for (robot, function), bound in BATCH_RATIOS.items():
        factors = {"Pinocchio, C++": 1.0} | ({"Pinocchio, Python": PYTHON_FACTOR} if robot != "tree30" else {})
        for peer, factor in factors.items():
            ratio = results.ratio(results.batch, robot, function, peer)
            if ratio is not None:
                yield Outcome(f"{robot} {function}: times {peer}", ratio, bound * factor, at_least=True)


def _single(results: Results) -> Iterator[Outcome]:
    for robot in dict.fromkeys(speed.robot for speed in results.single if not speed.robot.startswith("tree")):
        ratio = results.ratio(results.single, robot, "inverse_dynamics", "Pinocchio, Python")
        if ratio is not None:
            name = f"{robot} inverse_dynamics: one call / Pinocchio, Python"
            yield Outcome(name, 1 / ratio, SINGLE_CALL, at_least=False)


def _gains(results: Results) -> Iterator[Outcome]:
    for gain in (one for one in results.gains if "processes" not in one.what):
        bound = SINGLE_PRECISION if gain.what.startswith("float32") else TWO_CORES
        name = f"{gain.robot} {gain.function}: {gain.what}, {gain.states} states"
        yield Outcome(name, gain.ratio, bound, at_least=True)


def _layouts(results: Results) -> Iterator[Outcome]:
    for one in (one for one in results.layouts if one.in_cache and one.layout in LAYOUTS):
        name = f"{one.robot} {one.function}: {one.layout} / row-major"
        yield Outcome(name, one.ratio, LAYOUTS[one.layout], at_least=False)


def _latency(results: Results) -> Iterator[Outcome]:
    for one in results.latency:
        if (one.robot, one.function) == ("panda", "inverse_dynamics"):
            if one.cache == "filled":
                yield Outcome("import armdyn after numpy, s", one.import_armdyn, IMPORT_SECONDS, at_least=False)
            name = f"panda inverse_dynamics: first result, {one.cache} cache, s"
            yield Outcome(name, one.first, FIRST_CALL_SECONDS[one.cache], at_least=False)
        elif one.robot.startswith("tree") and one.cache == "empty":
            name = f"{one.robot} {one.function}: first result, {one.cache} cache, s"
            yield Outcome(name, one.first, TREE_COMPILE_SECONDS, at_least=False)


def _accuracy(results: Results) -> Iterator[Outcome]:
    """The errors of armdyn against those of Pinocchio from Python, over the same states."""
    for robot, function in dict.fromkeys((one.robot, one.function) for one in results.accuracy):
        rows = [one for one in results.accuracy if (one.robot, one.function) == (robot, function)]
        own = [one for one in rows if one.peer == SUBJECT]
        others = [one for one in rows if one.peer == "Pinocchio, Python"]
        if own and others:
            name = f"{robot} {function}: error, {{}}, against 50 digits"
            yield Outcome(name.format("median"), own[0].median, others[0].median, at_least=False)
            yield Outcome(name.format("99 % of the states"), own[0].most, others[0].most, at_least=False)
            yield Outcome(name.format("largest"), own[0].largest, others[0].largest, at_least=False)


def _operations(results: Results) -> Iterator[Outcome]:
    for one in results.operations:
        bounds = OPERATIONS.get((one.robot, one.function))
        if bounds:
            for name, bound in zip(("multiplications", "additions", "divisions"), bounds, strict=True):
                yield Outcome(f"{one.robot} {one.function}: {name}", getattr(one, name), bound, at_least=False)


def _sharings(results: Results) -> Iterator[Outcome]:
    for one in (one for one in results.sharings if one.what.endswith("ns a state")):
        yield Outcome(f"{one.robot} controller's set: {one.what}", one.ratio, CONTROLLERS_SET, at_least=False)
