"""Motion over time: `simulate` integrates the equations of motion, `Trajectory` keeps what came out."""

from armdyn.lazy import modules_of
from armdyn.simulation.closed_loop import ClosedLoop
from armdyn.simulation.energy import EnergyAccount
from armdyn.simulation.errors import SettingError, SimulationError, TrajectoryFileError
from armdyn.simulation.methods import (
    AdamsBashforthMoulton4,
    Adaptive,
    ConstantAcceleration,
    Euler,
    Heun,
    RungeKutta4,
    SemiImplicitEuler,
    Variational,
)
from armdyn.simulation.run import simulate
from armdyn.simulation.trajectory import Statistics, Trajectory

__all__ = [
    "AdamsBashforthMoulton4",
    "Adaptive",
    "ClosedLoop",
    "ConstantAcceleration",
    "EnergyAccount",
    "Euler",
    "Heun",
    "RungeKutta4",
    "SemiImplicitEuler",
    "SettingError",
    "SimulationError",
    "Statistics",
    "Trajectory",
    "TrajectoryFileError",
    "Variational",
    "simulate",
]

__getattr__ = modules_of(__name__)
