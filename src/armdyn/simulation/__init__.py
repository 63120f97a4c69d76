"""Motion over time: `simulate` integrates the equations of motion, `Trajectory` keeps what came out."""

from armdyn.lazy import modules_of
from armdyn.simulation.closed_loop import ClosedLoop
from armdyn.simulation.energy import EnergyAccount
from armdyn.simulation.errors import SettingError, SimulationError, TrajectoryFileError
from armdyn.simulation.methods import Adaptive, Euler, RungeKutta4
from armdyn.simulation.run import simulate
from armdyn.simulation.trajectory import Statistics, Trajectory

__all__ = [
    "Adaptive",
    "ClosedLoop",
    "EnergyAccount",
    "Euler",
    "RungeKutta4",
    "SettingError",
    "SimulationError",
    "Statistics",
    "Trajectory",
    "TrajectoryFileError",
    "simulate",
]

__getattr__ = modules_of(__name__)
