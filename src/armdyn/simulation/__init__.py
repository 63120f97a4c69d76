"""Motion over time: `simulate` integrates the equations of motion, `Trajectory` contains the results."""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.base.errors import SettingError
    from armdyn.functions.not_finite import DivergenceWarning
    from armdyn.functions.unfinished import RolloutInterrupted
    from armdyn.model.element import Element
    from armdyn.model.element_with_state import ElementWithState
    from armdyn.motion.energy import EnergyAccount
    from armdyn.motion.errors import TrajectoryFileError
    from armdyn.motion.limits_passed import PassedLimit, limits_passed
    from armdyn.motion.motion_data import Occurrence, Statistics
    from armdyn.motion.trajectory import Trajectory
    from armdyn.simulation.drivers.grid import SaveAt
    from armdyn.simulation.elements.brakes import BrakeSwitches
    from armdyn.simulation.elements.events import Crossing, JointLimit, Plane
    from armdyn.simulation.elements.parts import Constraints, Start
    from armdyn.simulation.elements.stops import Contact, Stops
    from armdyn.simulation.errors import (
        DeadPointWarning,
        FrictionWarning,
        GainWarning,
        StepWarning,
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
    from armdyn.simulation.run import simulate
    from armdyn.simulation.unfinished import SimulationError, SimulationInterrupted

_WHERE = {
    "AdamsBashforthMoulton4": "methods.catalogue",
    "Adaptive": "methods.catalogue",
    "BrakeSwitches": "elements.brakes",
    "ClosedLoop": "loop.closed_loop",
    "ConstantAcceleration": "methods.catalogue",
    "Constraints": "elements.parts",
    "Contact": "elements.stops",
    "Crossing": "elements.events",
    "DeadPointWarning": "errors",
    "DivergenceWarning": "armdyn.functions.not_finite",
    "Element": "armdyn.model.element",
    "ElementWithState": "armdyn.model.element_with_state",
    "EnergyAccount": "armdyn.motion.energy",
    "Euler": "methods.catalogue",
    "FrictionWarning": "errors",
    "GainWarning": "errors",
    "Heun": "methods.catalogue",
    "JointLimit": "elements.events",
    "Occurrence": "armdyn.motion.motion_data",
    "OverTime": "over_time",
    "PassedLimit": "armdyn.motion.limits_passed",
    "Plane": "elements.events",
    "RolloutInterrupted": "armdyn.functions.unfinished",
    "RungeKutta4": "methods.catalogue",
    "SaveAt": "drivers.grid",
    "SemiImplicitEuler": "methods.catalogue",
    "SettingError": "armdyn.base.errors",
    "SimulationError": "unfinished",
    "SimulationInterrupted": "unfinished",
    "Start": "elements.parts",
    "Statistics": "armdyn.motion.motion_data",
    "StepWarning": "errors",
    "Stops": "elements.stops",
    "Taylor": "methods.catalogue",
    "Trajectory": "armdyn.motion.trajectory",
    "TrajectoryFileError": "armdyn.motion.errors",
    "UntracedControllerWarning": "errors",
    "Variational": "methods.catalogue",
    "limits_passed": "armdyn.motion.limits_passed",
    "named_method": "methods.catalogue",
    "simulate": "run",
}

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
    "Element",
    "ElementWithState",
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

__getattr__ = names_of(__name__, _WHERE)
