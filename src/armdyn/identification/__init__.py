"""Base parameters: the combinations of inertial parameters that motions and joint forces determine."""

from armdyn.identification.identifiability import base_parameters, null_parameters_of_states
from armdyn.lazy import modules_of
from armdyn.model.base_parameters import BaseParameters
from armdyn.model.standard_parameters import StandardParameters

__all__ = ["BaseParameters", "StandardParameters", "base_parameters", "null_parameters_of_states"]

__getattr__ = modules_of(__name__)
