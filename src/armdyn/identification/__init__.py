"""Identification: the parameters of a robot from logs of its joints, and the base parameters they determine."""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of
from armdyn.identification.identifiability.combinations import BaseParameters
from armdyn.model.standard_parameters import StandardParameters

if TYPE_CHECKING:
    from armdyn.identification.checking import Check
    from armdyn.identification.collisions import Collisions, collisions
    from armdyn.identification.drive_gains import drive_gains
    from armdyn.identification.errors import IdentificationError
    from armdyn.identification.excitation import Excitation
    from armdyn.identification.exciting import excite, random_motions
    from armdyn.identification.fit import Fit
    from armdyn.identification.fitting import identify
    from armdyn.identification.friction_laws import FrictionLaws, friction_laws
    from armdyn.identification.gain_result import DriveGains
    from armdyn.identification.identifiability.base_parameters import base_parameters
    from armdyn.identification.identifiability.numerical import null_parameters_of_states
    from armdyn.identification.law_fitting import LawFit, fit_law
    from armdyn.identification.low_pass import LowPass
    from armdyn.identification.payload_result import Payload
    from armdyn.identification.payloads import payload
    from armdyn.identification.servo_stiffness import ServoStiffness, servo_stiffness

_WHERE = {
    "Collisions": "collisions",
    "collisions": "collisions",
    "Check": "checking",
    "DriveGains": "gain_result",
    "Excitation": "excitation",
    "Fit": "fit",
    "FrictionLaws": "friction_laws",
    "IdentificationError": "errors",
    "LawFit": "law_fitting",
    "LowPass": "low_pass",
    "Payload": "payload_result",
    "ServoStiffness": "servo_stiffness",
    "base_parameters": "identifiability.base_parameters",
    "drive_gains": "drive_gains",
    "excite": "exciting",
    "fit_law": "law_fitting",
    "friction_laws": "friction_laws",
    "identify": "fitting",
    "null_parameters_of_states": "identifiability.numerical",
    "payload": "payloads",
    "random_motions": "exciting",
    "servo_stiffness": "servo_stiffness",
}

__all__ = [
    "BaseParameters",
    "Check",
    "Collisions",
    "DriveGains",
    "Excitation",
    "Fit",
    "FrictionLaws",
    "IdentificationError",
    "LawFit",
    "LowPass",
    "Payload",
    "ServoStiffness",
    "StandardParameters",
    "base_parameters",
    "collisions",
    "drive_gains",
    "excite",
    "fit_law",
    "friction_laws",
    "identify",
    "null_parameters_of_states",
    "payload",
    "random_motions",
    "servo_stiffness",
]

__getattr__ = names_of(__name__, _WHERE)
