"""`LAWS`: the friction laws that files of actuators name."""

from __future__ import annotations

from armdyn.actuators.bouc_wen import BoucWen
from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.direction_dependent import DirectionDependent
from armdyn.actuators.gear_loss import GearLoss
from armdyn.actuators.lugre import LuGre
from armdyn.actuators.maxwell_slip import MaxwellSlip
from armdyn.actuators.quadratic import Quadratic
from armdyn.actuators.servo_friction import ServoFriction
from armdyn.actuators.sigmoid import Sigmoid
from armdyn.actuators.smooth import Smooth
from armdyn.actuators.static_kinetic import StaticKinetic
from armdyn.actuators.stribeck import Stribeck
from armdyn.actuators.viscous import Viscous
from armdyn.model.friction import FrictionLaw

_KINDS: tuple[type[FrictionLaw], ...] = (
    BoucWen,
    Coulomb,
    DirectionDependent,
    GearLoss,
    LuGre,
    MaxwellSlip,
    Quadratic,
    ServoFriction,
    Sigmoid,
    Smooth,
    StaticKinetic,
    Stribeck,
    Viscous,
)

LAWS = {kind.__name__: kind for kind in _KINDS}
"""The classes of friction laws, by name. A test compares them with the public names of `armdyn.actuators`."""
