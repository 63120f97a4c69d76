"""armdyn: the equations of motion of your robot arm, from one description, compiled for it.

>>> robot = armdyn.load("ur5")
>>> tau = robot.inverse_dynamics(np.zeros(6), np.zeros(6), np.ones(6))
>>> tau.shape
(6,)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from armdyn._version import __version__
from armdyn.base.errors import (
    ArmdynError,
    DescriptionWarning,
    DTypeError,
    MissingLibrary,
    ModelError,
    ShapeError,
    TraceError,
    UnknownName,
    Unsupported,
)
from armdyn.base.lazy import as_package, module_of
from armdyn.base.threads import undivided

if TYPE_CHECKING:
    from armdyn import (
        actuators,
        algorithms,
        constraints,
        control,
        derivation,
        ellipsoids,
        fmi,
        identification,
        inertia,
        kinematics,
        logs,
        simulation,
        sizing,
        spatial,
        studies,
        task_space,
        trajectory,
        viewer,
    )
    from armdyn.declaration import Function, function
    from armdyn.derivation import derive
    from armdyn.doctor.examine import doctor
    from armdyn.formats.dh import DHRow
    from armdyn.formats.links import Part
    from armdyn.formats.units import Units
    from armdyn.identification import identify
    from armdyn.model import Frame, Inertia, Joint, Limits, Link, Model
    from armdyn.program import (
        arctan2,
        clip,
        greater,
        greater_equal,
        less,
        less_equal,
        maximum,
        minimum,
        select,
        sign,
    )
    from armdyn.robot import Robot
    from armdyn.robots import bundled_robots, load
    from armdyn.simulation import ClosedLoop, Trajectory, simulate
    from armdyn.studies import study
    from armdyn.viewer import view

_WHERE = {
    "Function": "declaration",
    "function": "declaration",
    **dict.fromkeys(("Frame", "Inertia", "Joint", "Limits", "Link", "Model"), "model"),
    **dict.fromkeys(("arctan2", "clip", "maximum", "minimum", "select", "sign"), "program"),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal"), "program"),
    "Robot": "robot",
    **dict.fromkeys(("bundled_robots", "load"), "robots"),
    "DHRow": "formats.dh",
    "Part": "formats.links",
    "Units": "formats.units",
    "ClosedLoop": "simulation",
    "identify": "identification",
    "derive": "derivation",
    "doctor": "doctor.examine",
    "Trajectory": "simulation",
    "simulate": "simulation",
    "study": "studies",
    "view": "viewer",
}

_PACKAGES_OF_NAMES = ("simulation", "control", "actuators", "constraints")
"""Packages whose names an error proposes, e.g. armdyn.simulation.SaveAt for armdyn.SaveAt."""

__all__ = [
    "ArmdynError",
    "ClosedLoop",
    "DHRow",
    "DTypeError",
    "DescriptionWarning",
    "Frame",
    "Function",
    "Inertia",
    "Joint",
    "Limits",
    "Link",
    "MissingLibrary",
    "Model",
    "ModelError",
    "Part",
    "Robot",
    "ShapeError",
    "TraceError",
    "Trajectory",
    "Units",
    "UnknownName",
    "Unsupported",
    "__version__",
    "actuators",
    "algorithms",
    "arctan2",
    "bundled_robots",
    "clip",
    "constraints",
    "control",
    "derivation",
    "derive",
    "doctor",
    "ellipsoids",
    "fmi",
    "function",
    "greater",
    "greater_equal",
    "identification",
    "identify",
    "inertia",
    "kinematics",
    "less",
    "less_equal",
    "load",
    "logs",
    "maximum",
    "minimum",
    "select",
    "sign",
    "simulate",
    "simulation",
    "sizing",
    "spatial",
    "studies",
    "study",
    "task_space",
    "trajectory",
    "view",
    "viewer",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that ``import armdyn`` stays light."""
    if name not in _WHERE:
        return module_of("armdyn", name, _PACKAGES_OF_NAMES)
    with undivided():
        value = getattr(import_module(f"armdyn.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


as_package(__name__)
