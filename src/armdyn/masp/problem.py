"""The problem of an input file: an arm, the path of its hand, its load, and a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from armdyn.base.errors import UnknownName
from armdyn.masp.configurations import configurations
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.run import MaspRun, run_masp
from armdyn.masp.simulation import MaspSimulation, simulate_torques
from armdyn.masp.torques import read_torques, torques_of_path
from armdyn.masp.units import InputUnits, said_in
from armdyn.robot import Robot
from armdyn.simulation import SettingError
from armdyn.spatial.rotations import Array
from armdyn.trajectory import CartesianPath, MotionError, follow

COARSE = 201
"""Number of times at which each configuration is checked."""


@dataclass(frozen=True, eq=False)
class SimulationSettings:
    """The settings of the simulation of an input file.

    Args:
        torques: path of a CSV file, or None for the torques of the path.
        breaks: times at which the file's torques have a corner or jump, s.
        q0: joint positions at the start, rad or m; None for those of the path.
        qd0: joint rates at the start, rad/s or m/s; None for rest.
        duration: duration, s; None for all the torques.
        step: step of the predictor-corrector, s.
    """

    torques: Path | None = None
    breaks: tuple[float, ...] = ()
    q0: Array | None = None
    qd0: Array | None = None
    duration: float | None = None
    step: float = 1e-3


@dataclass(frozen=True, eq=False)
class Configuration:
    """One configuration in which the arm reaches the beginning of the path.

    Args:
        number: number from 1 on, ordered by distance from the zero reference position.
        q: joint positions at the beginning, rad or m, shape (n,).
        run: the analysis at a few times; None if the path cannot be followed from here.
        obstacle: the reason if not.
    """

    number: int
    q: Array
    run: MaspRun | None
    obstacle: str = ""


@dataclass(frozen=True, eq=False)
class MaspProblem:
    """An input file, read; `analyse` and `simulate` are the two halves of the program. All in SI.

    Args:
        title: title in the file.
        robot: the arm, its payload included.
        units: units of the file, also of tables, pictures and notes.
        begin: pose of the hand at the beginning of the path, shape (4, 4).
        path: path of the hand.
        load: external load on the hand.
        near: joint positions that select the configuration, rad or m; None if ``configuration`` selects it.
        configuration: the number of a configuration.
        samples: number of equally spaced times.
        simulated: settings of the simulation; None if the file has no simulation.
    """

    title: str
    robot: Robot
    units: InputUnits
    begin: Array
    path: CartesianPath
    load: HandLoad | None = None
    near: Array | None = None
    configuration: int = 1
    samples: int = 901
    simulated: SimulationSettings | None = None

    def survey(self, report: Callable[[float], None] = lambda fraction: None) -> tuple[Configuration, ...]:
        """All configurations that reach the path's beginning, each with its analysis or the obstacle on the path.

        Args:
            report: callback with the completed fraction.
        """
        starts, result = configurations(self.robot, self.begin), []
        for k, q in enumerate(starts):
            report(k / len(starts))
            try:
                result.append(Configuration(k + 1, q, self._run(q, COARSE)))
            except MotionError as error:
                result.append(Configuration(k + 1, q, None, str(error)))
        return tuple(result)

    def start(self) -> Array:
        """Joint positions of the chosen configuration, at the path's beginning, rad or m, shape (n,).

        Raises:
            MotionError: a beginning that is out of reach.
            UnknownName: a number that no configuration has.
        """
        if self.near is not None:
            return self.near
        result = configurations(self.robot, self.begin)
        if not len(result):
            raise MotionError(
                f"no configuration of {self.robot.name!r} reaches the path's beginning; "
                f"{self.robot.inverse_kinematics(self.begin, limits=False).reason()}"
            )
        if self.configuration > len(result):
            raise UnknownName(
                f"[analysis]: no configuration {self.configuration}: {len(result)} reach the path's beginning, 1 the "
                "first"
            )
        q: Array = result[self.configuration - 1]
        return q

    def analyse(self) -> MaspRun:
        """The inverse half: the joints' motion, forces and reactions for the path, in the chosen configuration.

        Raises:
            MotionError: a path that the arm cannot follow.
        """
        return self._run(self.start(), self.samples)

    def simulate(self, *, progress: bool = False) -> MaspSimulation:
        """The simulation half: from torques over time to the motions of the joints and the hand.

        Raises:
            MotionError: a file without a simulation, torques of a path that the arm cannot follow.
            LogError: torques that cannot be read.
            SettingError: a duration beyond the torques.
            SimulationError, SimulationInterrupted: an aborted motion; ``error.simulation`` contains it up to then.
        """
        request = self.simulated
        if request is None:
            raise MotionError(
                "the input file has no table [simulation]; add the line [simulation] for the torques of its path, or "
                "one with torques = 'file.csv' below it"
            )
        if request.torques is None:
            near, until = self.start(), request.duration
            if until is not None and until > self.path.duration * (1.0 + 1e-12):
                raise SettingError(
                    f"[simulation]: duration is {until:g} s, and the path takes {self.path.duration:g} s; expected no "
                    "more, or the torques of a csv"
                )
            with said_in(self.units):
                torques = torques_of_path(self.robot, self.path, near=near, load=self.load, until=until)
        else:
            torques = read_torques(request.torques, self.robot, self.units, request.breaks)
        with said_in(self.units):
            q0 = follow(self.robot, self.path, [0.0], near=self.start()).q[0] if request.q0 is None else request.q0
        settings: dict[str, Any] = {
            "duration": request.duration,
            "step": request.step,
            "load": self.load,
            "units": self.units,
        }
        try:
            return simulate_torques(self.robot, torques, q0, request.qd0, **settings, progress=progress)
        except SettingError as error:
            raise SettingError(f"[simulation]: {error}") from None

    def with_configuration(self, number: int) -> MaspProblem:
        """A copy of the problem with another configuration."""
        return replace(self, configuration=number, near=None)

    def _run(self, near: Array, samples: int) -> MaspRun:
        return run_masp(self.robot, self.path, samples=samples, near=near, load=self.load, units=self.units)
