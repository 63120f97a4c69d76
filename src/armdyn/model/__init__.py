"""The model of a robot arm: frozen data, validated when it is assembled."""

from armdyn.base.lazy import modules_of
from armdyn.model.geometry import Geometry
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Joint
from armdyn.model.limits import Limits
from armdyn.model.model import STANDARD_GRAVITY, Frame, Link, Model

__all__ = ["STANDARD_GRAVITY", "Frame", "Geometry", "Inertia", "Joint", "Limits", "Link", "Model"]

__getattr__ = modules_of(__name__)
