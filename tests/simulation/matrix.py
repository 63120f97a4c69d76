"""The table of docs/simulation.md: each element, alone and with each other, in each use, found by running it.

``python tests/simulation/matrix.py`` runs all cells of the 2R arm and writes tests/simulation/matrix.csv and the table;
``--arm ur5`` prints those of a UR5. A cell says "yes", the order of the error in the step, or the message of its error.
"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from armdyn.actuators import Actuator, Brake, Gear, LuGre, Motor, Spring
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    AdamsBashforthMoulton4,
    Adaptive,
    BrakeSwitches,
    ClosedLoop,
    Contact,
    Element,
    ElementWithState,
    RungeKutta4,
    SaveAt,
    SimulationError,
    Stops,
    Variational,
    simulate,
)
from armdyn.simulation.methods.catalogue import FixedStep

HERE = Path(__file__).parent
TABLE = HERE / "matrix.csv"
PAGE = HERE.parents[1] / "docs" / "simulation.md"
BEGIN, END = "<!-- matrix.py writes from here -->", "<!-- to here -->"

DURATION, STEPS = 0.24, (24, 48, 96, 192, 384)
"""s, and the numbers of steps of the runs from which the order follows. An event is elsewhere in its step in each run,
which changes the error by more than the next length of the step does."""


@dataclass(frozen=True)
class Detent(Element):
    """Positions in which a joint stays, as the element of a user's own."""

    joint: int
    size: float

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        return np.array([-self.size * np.sin(6.0 * q[k]) if k == self.joint else 0.0 for k in range(model.dof)])

    def energy(self, model: Any, q: Any) -> Any:
        return self.size / 6.0 * (1.0 - np.cos(6.0 * q[self.joint]))


@dataclass(frozen=True)
class Relaxing(ElementWithState):
    """A spring in series with a damper at a joint: its force is the state, as the element with a state."""

    joint: int
    stiffness: float
    damping: float

    def states(self) -> Any:
        return {"force": "N m"}

    def start(self) -> Any:
        return [0.5]

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        return [-self.stiffness * qd[self.joint] - self.stiffness / self.damping * z[0]]

    def force(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return np.array([z[0] if k == self.joint else 0.0 for k in range(model.dof)])

    def energy(self, model: Any, q: Any, z: Any) -> Any:
        return z[0] * z[0] / (2.0 * self.stiffness)


@dataclass
class Case:
    """An arm in the making: its joints a and b, drives by joint, and the elements of a simulation.

    Stops are a gap away from the start of b, rad; a contact 0.4 times that, m, along ``up``.
    """

    robot: Any
    a: str
    b: str
    q0: np.ndarray
    qd0: np.ndarray
    up: np.ndarray
    gap: float = 0.05
    drives: dict[str, dict[str, Any]] = field(default_factory=dict)
    elements: list[Any] = field(default_factory=list)
    brakes: dict[str, Any] = field(default_factory=dict)

    def drive(self, joint: str, **parts: Any) -> None:
        """Add parts to the actuator of a joint."""
        self.drives.setdefault(joint, {}).update(parts)

    def made(self) -> Any:
        """The robot with its actuators."""
        actuators = {joint: Actuator(**parts) for joint, parts in self.drives.items()}
        return self.robot.with_actuators(actuators) if actuators else self.robot


def _dry(case: Case) -> None:
    case.robot = case.robot.with_friction(dict.fromkeys((case.a, case.b), (0.05, 0.4)))


def _constraint(case: Case) -> None:
    tip = np.asarray(case.robot.forward_kinematics(case.q0))[:3, 3]
    case.robot = case.robot.with_constraints(PointOnPlane(case.robot.tip, (1, 0, 0), tip, name="wall"))
    case.qd0 = np.asarray(case.robot.close_velocities(case.q0, case.qd0))


def _stops(case: Case) -> None:
    k = case.robot.joint_names.index(case.b)
    case.robot = case.robot.with_limits({case.b: (case.q0[k] - case.gap, case.q0[k] + case.gap)})
    case.elements.append(Stops(0.5, joints=[case.b]))


def _contact(case: Case) -> None:
    tip = np.asarray(case.robot.forward_kinematics(case.q0))[:3, 3]
    floor = PointOnPlane(case.robot.tip, case.up, tip - 0.4 * case.gap * case.up, name="floor")
    case.elements.append(Contact(floor, 0.3))


def _brake(case: Case) -> None:
    case.drive(case.b, brake=Brake(2.0))
    case.brakes = {case.b: [(0.08, "engaged")]}


def _coupled(case: Case) -> None:
    names = case.robot.joint_names
    case.robot = case.robot.with_mimic({names[-1]: (case.a, -0.4)})
    case.q0, case.qd0 = case.q0[:-1], case.qd0[:-1]


def _own(case: Case) -> None:
    case.elements.append(Detent(0, 2.0))


LUGRE = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=0.9, kinetic=0.6, speed=0.1)

ELEMENTS: dict[str, Callable[[Case], None]] = {
    "coupled joints": _coupled,
    "dry friction": _dry,
    "friction under load": lambda case: case.drive(case.b, gear=Gear(20.0, efficiency=0.8, back_efficiency=0.7)),
    "bristles": lambda case: case.drive(case.b, friction=LUGRE),
    "flexible joint": lambda case: case.drive(case.a, motor=Motor(5e-2), spring=Spring(900.0, damping=1.0)),
    "backlash": lambda case: case.drive(case.a, motor=Motor(5e-2), spring=Spring(900.0, damping=1.0, backlash=2e-3)),
    "parallel spring": lambda case: setattr(case, "robot", case.robot.with_parallel_springs({case.b: (30.0, 0.2)})),
    "constraint": _constraint,
    "brake that switches": _brake,
    "stops": _stops,
    "contact": _contact,
    "element of your own": _own,
    "element with a state": lambda case: case.elements.append(Relaxing(1, 30.0, 2.0)),
}
"""Functions that add an element to a case, in an order in which each may be added."""

APART = ({"flexible joint", "backlash"},)
"""Pairs that are one element."""

USES = ("simulate, adaptive", "simulate, fixed steps", "ClosedLoop", "gradient", "study", "C", "FMU")
WITHIN = "within loop steps"
METHODS = ABM4, VARIATIONAL, VARIATIONAL_LOOP = "abm4", "variational", "variational ClosedLoop"
ALONE = (WITHIN, *METHODS)
"""The uses of each element alone: a state within a step of `simulate(controller=...)`, and methods with a memory."""


def case_of(names: tuple[str, ...], arm: str = "planar_2r") -> Case:
    """The arm with these elements, in a general state."""
    robot = armdyn.load(arm)
    if arm == "planar_2r" and "coupled joints" in names:
        robot = armdyn.load("planar_3r")
    a, b = robot.joint_names[:2] if arm == "planar_2r" else robot.joint_names[1:3]
    q0 = np.array([-0.6, 0.9, -0.3, 0.4, 0.5, 0.2])[: robot.dof]
    qd0 = np.array([0.5, -0.8, 0.3, 0.2, -0.4, 0.6])[: robot.dof]
    case = Case(robot, a, b, q0, qd0, np.array([0.0, 1.0, 0.0]))
    if arm != "planar_2r":  # the tip of the small arm falls
        velocity = np.asarray(robot.jacobian(q0, expressed_in="world") @ qd0)[3:]
        case.up, case.gap = -velocity / np.linalg.norm(velocity), 0.006
    for name, add in ELEMENTS.items():
        if name in names:
            add(case)
    return case


ROUNDING = 1e-9
"""Errors below this may be those of the reference."""

LOST = 0.1
"""Errors above this are those of a motion whose steps are too long for its springs, rad or rad/s."""

FINE = Adaptive(rtol=1e-12, atol=1e-12)


def _states(motion: Any) -> np.ndarray:
    return np.concatenate([motion.q[-1], motion.qd[-1]])


def _order(errors: list[float]) -> str:
    """The slope of the straight line through the logarithms of errors above those of the reference; the last error."""
    if not np.isfinite(errors).all():
        return "diverges"
    above = [(steps, error) for steps, error in zip(STEPS, errors, strict=True) if ROUNDING < error < LOST]
    if len(above) < 2:
        return f"{errors[-1]:.0e}"
    steps, sizes = np.log(above).T
    return f"order {-np.polyfit(steps, sizes, 1)[0]:.1f}, {errors[-1]:.0e}"


class Cell:
    """The uses of one case; the adaptive motion is the reference of the others.

    Args:
        case: with its elements.
    """

    def __init__(self, case: Case) -> None:
        self.case, self.robot = case, case.made()
        self.elements = [*case.elements, *([BrakeSwitches(case.brakes)] if case.brakes else [])]
        self.tau = np.linspace(2.0, -1.0, self.robot.dof)
        self._exact: np.ndarray | None = None

    def _moved(self, method: Any, **more: Any) -> Any:
        given = {"duration": DURATION, "torque": self.tau, "elements": self.elements, "save": SaveAt(every=DURATION)}
        return simulate(self.robot, self.case.q0, self.case.qd0, method=method, **given, **more)

    def exact(self) -> np.ndarray:
        if self._exact is None:
            self._exact = _states(self._moved(FINE))
        return self._exact

    def adaptive(self) -> str:
        motion = self._moved(FINE)
        drift = float(np.abs(motion.energy.relative_drift).max())
        self._exact = _states(motion)
        return "yes" if drift < 1e-6 else f"energy drifts by {drift:.0e}"

    def fixed(self, method: type[FixedStep] = RungeKutta4) -> str:
        ends = [_states(self._moved(method(DURATION / steps))) for steps in STEPS]
        return _order([float(np.abs(end - self.exact()).max()) for end in ends])

    def _loop(self, method: type[FixedStep] = RungeKutta4, **more: Any) -> ClosedLoop:
        return ClosedLoop(self.robot, method=method(1e-3), elements=self.elements, **more)

    def _given(self) -> dict[str, Any]:
        return {"tau": self.tau}

    def closed_loop(self, method: type[FixedStep] = RungeKutta4) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("error", armdyn.simulation.FrictionWarning)
            loop = self._loop(method)
        ends = [loop(self.case.q0, self.case.qd0, steps=n, h=DURATION / n, **self._given()).final for n in STEPS]
        return _order([float(np.abs(np.concatenate([end.q, end.qd]) - self.exact()).max()) for end in ends])

    def within(self) -> str:
        """The state under a controller at a time that is elsewhere in its step in each run."""
        t, errors = 0.8137 * DURATION, []
        given = {"duration": DURATION, "elements": self.elements, "save": SaveAt(times=[t])}
        run = partial(simulate, self.robot, self.case.q0, self.case.qd0, **given)
        exact = run(torque=self.tau, method=FINE)
        for steps in STEPS:
            motion = run(controller=partial(_given_tau, force=self.tau), method=RungeKutta4(DURATION / steps))
            errors.append(float(np.abs(np.r_[motion.q[1] - exact.q[1], motion.qd[1] - exact.qd[1]]).max()))
        return _order(errors)

    def gradient(self) -> str:
        loop = self._loop()
        run = partial(loop, self.case.q0, self.case.qd0, steps=100)
        given = self._given()
        by = loop.gradient(_speed, ["tau"], self.case.q0, self.case.qd0, steps=100, **given).d_tau
        e = 1e-6 * np.eye(self.robot.dof)[0]
        up, down = (run(**(given | {"tau": self.tau + s * e})).final.qd for s in (1.0, -1.0))
        slope = (up @ up - down @ down) / 2e-6
        return "yes" if abs(by[0] - slope) < 1e-4 * max(abs(slope), 1e-3) else f"{by[0]:.6g} for {slope:.6g}"

    def study(self) -> str:
        samples = armdyn.studies.grid({"Kp": [1.0, 2.0]})
        given = {"q0": self.case.q0, "q_ref": self.case.q0, "Kd": 0.1, "qd0": self.case.qd0}
        found = armdyn.study(
            self.robot, samples, armdyn.control.pd_gravity, steps=100, inputs=given, elements=self.elements
        )
        return "yes" if found is not None else "no"

    def c(self) -> str:
        return "yes" if "arm_step" in self._loop().to_c(name="arm").source else "no"

    def fmu(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return "yes" if self._loop().to_fmu(start={"q": self.case.q0}).write(Path(folder) / "arm.fmu") else "no"


@armdyn.function("(n),(n),(n)->(n)")
def _given_tau(model: Any, q: Any, qd: Any, force: Any) -> Any:
    return force


@armdyn.function("(n)->()")
def _speed(model: Any, qd: Any) -> Any:
    return qd @ qd


RUNS: dict[str, Callable[[Cell], str]] = {
    "simulate, adaptive": Cell.adaptive,
    "simulate, fixed steps": Cell.fixed,
    "ClosedLoop": Cell.closed_loop,
    WITHIN: Cell.within,
    ABM4: partial(Cell.fixed, method=AdamsBashforthMoulton4),
    VARIATIONAL: partial(Cell.fixed, method=Variational),
    VARIATIONAL_LOOP: partial(Cell.closed_loop, method=Variational),
    "gradient": Cell.gradient,
    "study": Cell.study,
    "C": Cell.c,
    "FMU": Cell.fmu,
}


def outcome(names: tuple[str, ...], use: str, cell: Cell | None = None, arm: str = "planar_2r") -> str:
    """The word of one cell: what it measured, or the first sentence of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return RUNS[use](Cell(case_of(names, arm)) if cell is None else cell)
    except SimulationError as error:
        return f"fails: {error}"
    except armdyn.simulation.FrictionWarning as warning:
        return f"creeps: {warning}"
    except armdyn.ArmdynError as error:
        return "refused: " + re.split(r"(?<=[a-z0-9)])[;.] ", str(error))[0]


def pairs() -> Iterator[tuple[str, ...]]:
    """Each element alone, then each pair."""
    for a, b in combinations_with_replacement(ELEMENTS, 2):
        if {a, b} not in APART:
            yield (a,) if a == b else (a, b)


def rows(uses: tuple[str, ...], arm: str = "planar_2r", only: tuple[tuple[str, ...], ...] = ()) -> Iterator[list[str]]:
    for names in only or sorted(pairs(), key=len):
        try:
            cell = Cell(case_of(names, arm))
        except armdyn.ArmdynError as error:
            yield [" + ".join(names), *(f"refused: {error}" for _ in uses)]
            continue
        yield [" + ".join(names), *(outcome(names, use, cell, arm) for use in uses)]


def read() -> dict[str, dict[str, str]]:
    """The outcomes of the last whole run, by elements and use."""
    with TABLE.open(newline="") as file:
        return {row.pop("elements"): row for row in csv.DictReader(file)}


PAIRS = (
    "Pairs, fixed steps / closed loop: the order, or the last error if it is near rounding. Gradient, study, C and FMU "
    "work where the loop does."
)


class Notes:
    """Messages of refusals by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def word(self, outcome: str) -> str:
        """The outcome as the page has it."""
        if not outcome.startswith(("refused: ", "fails: ", "creeps: ")):
            return outcome.removeprefix("order ")
        message = re.sub(r"^(Stops|Contact) is", "Stops or Contact is", outcome.partition(": ")[2])
        return f"({self.numbers.setdefault(message, len(self.numbers) + 1)})"


def _of_pair(cells: dict[str, str], notes: Notes) -> str:
    """Fixed steps / closed loop; further uses that have another outcome than "yes" or than the closed loop's."""
    adaptive, fixed, loop, *others = (cells[use] for use in USES)
    word = f"{notes.word(fixed).partition(',')[0]} / {notes.word(loop).partition(',')[0]}"
    if adaptive != "yes":
        word += f"; adaptive: {notes.word(adaptive)}"
    for use, other in zip(USES[3:], others, strict=True):
        if other not in ("yes", loop):
            word += f"; {use}: {notes.word(other)}"
    return word


def written() -> str:
    """The tables of the page, in Markdown: each element alone in each use, each pair, messages by number."""
    found, notes, names = read(), Notes(), list(ELEMENTS)
    lines = []
    for uses in ((*USES[:3], WITHIN, *USES[3:]), METHODS):
        lines += [f"| order, last error | {' | '.join(uses)} |", "|---" * (len(uses) + 1) + "|"]
        lines += [f"| {name} | {' | '.join(notes.word(found[name][use]) for use in uses)} |" for name in names]
        lines += [""]
    lines += [PAIRS, ""]
    lines += [f"| | {' | '.join(names[:-1])} |", "|---" * len(names) + "|"]
    for k, name in enumerate(names[1:], start=1):
        pairs_of = [found.get(f"{other} + {name}") for other in names[:k]]
        words = [_of_pair(cells, notes) if cells else "" for cells in pairs_of]
        lines.append(f"| {name} | {' | '.join([*words, *[''] * (len(names) - 1 - k)])} |")
    return "\n".join([*lines, "", *(f"{k}. {message}" for message, k in notes.numbers.items())])


def main(arguments: list[str]) -> None:
    arm = arguments[arguments.index("--arm") + 1] if "--arm" in arguments else "planar_2r"
    if "--page" not in arguments:
        with TABLE.open("w", newline="") if arm == "planar_2r" else sys.stdout as file:
            table = csv.writer(file)
            table.writerow(["elements", *USES, *ALONE])
            for row in rows(USES, arm):
                table.writerow([*row, *("" if " + " in row[0] else outcome((row[0],), use, arm=arm) for use in ALONE)])
                file.flush()
    text = PAGE.read_text()
    PAGE.write_text(text[: text.index(BEGIN)] + BEGIN + "\n" + written() + "\n" + text[text.index(END) :])


if __name__ == "__main__":
    main(sys.argv[1:])
