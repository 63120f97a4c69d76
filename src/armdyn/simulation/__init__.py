"""Motion over time: `simulate` integrates the equations of motion, `Trajectory` contains the results."""

from armdyn.base.lazy import modules_of
from armdyn.functions.not_finite import DivergenceWarning
from armdyn.functions.unfinished import RolloutInterrupted
from armdyn.simulation.elements.brakes import BrakeSwitches
from armdyn.simulation.elements.constraints import Constraints
from armdyn.simulation.elements.events import Crossing, JointLimit, Plane
from armdyn.simulation.elements.start import Start
from armdyn.simulation.elements.stops import Contact, Stops
from armdyn.simulation.errors import (
    DeadPointWarning,
    FrictionWarning,
    GainWarning,
    SettingError,
    StepWarning,
    TrajectoryFileError,
    UntracedControllerWarning,
)
from armdyn.simulation.loop.closed_loop import ClosedLoop
from armdyn.simulation.methods.catalogue import (
    AdamsBashforthMoulton4,
    Adaptive,
    ConstantAcceleration,
    Euler,
    Heun,
    RungeKutta4,
    SemiImplicitEuler,
    Taylor,
    Variational,
    named_method,
)
from armdyn.simulation.over_time import OverTime
from armdyn.simulation.results.energy import EnergyAccount
from armdyn.simulation.results.limits_passed import PassedLimit, limits_passed
from armdyn.simulation.results.motion_data import Occurrence, Statistics
from armdyn.simulation.results.trajectory import Trajectory
from armdyn.simulation.run import simulate
from armdyn.simulation.save_at import SaveAt
from armdyn.simulation.unfinished import SimulationError, SimulationInterrupted

__all__ = [
    "AdamsBashforthMoulton4",
    "Adaptive",
    "BrakeSwitches",
    "ClosedLoop",
    "ConstantAcceleration",
    "Constraints",
    "Contact",
    "Crossing",
    "DeadPointWarning",
    "DivergenceWarning",
    "EnergyAccount",
    "Euler",
    "FrictionWarning",
    "GainWarning",
    "Heun",
    "JointLimit",
    "Occurrence",
    "OverTime",
    "PassedLimit",
    "Plane",
    "RolloutInterrupted",
    "RungeKutta4",
    "SaveAt",
    "SemiImplicitEuler",
    "SettingError",
    "SimulationError",
    "SimulationInterrupted",
    "Start",
    "Statistics",
    "StepWarning",
    "Stops",
    "Taylor",
    "Trajectory",
    "TrajectoryFileError",
    "UntracedControllerWarning",
    "Variational",
    "limits_passed",
    "named_method",
    "simulate",
]

__getattr__ = modules_of(__name__)
