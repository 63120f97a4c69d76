"""The numbers from which a doctor calls something wrong, each with its reason and the public file at its edge."""

from __future__ import annotations

from typing import NamedTuple


class Threshold(NamedTuple):
    """A number and its reason.

    Args:
        value: the number.
        unit: of it; empty of a ratio.
        reason: why it is there.
    """

    value: float
    unit: str
    reason: str

    def __float__(self) -> float:
        return self.value


TRIANGLE = Threshold(1e-3, "", "relative to the largest moment: descriptions round to three digits and more")

GYRATION_ERROR = Threshold(
    30.0, "", "radius of gyration over the extent of the link's joints and shapes: no file of example-robot-data "
    "whose link states its shapes as primitives has more"
)  # fmt: skip
GYRATION = Threshold(
    1.0, "", "a body inside a ball of diameter d has a radius of gyration of d/2 at most; meshes that are not opened "
    "may reach further than the joints"
)  # fmt: skip
SMALL_GYRATION = Threshold(
    0.01, "", "a radius of gyration of a hundredth of the extent is that of a point, e.g. moments in other units"
)

DENSEST = Threshold(12_000.0, "kg/m^3", "lead has 11,340 kg/m^3; a link of steel has 7,850")
LIGHTEST = Threshold(20.0, "kg/m^3", "rigid foam has 30 kg/m^3; a shell of sheet metal is rarely below")

OUTSIDE = Threshold(0.5, "", "distance of the centre of mass from the link's box over the box's diagonal")

SIBLINGS = Threshold(5.0, "", "mass over that of the heavier neighbour: six times is a digit too many")

DEGREES = Threshold(
    6.5, "rad", "limits beyond one turn: revolute joints of arms have a turn at most, but for wrists of 2 turns"
)

FAST = Threshold(50.0, "rad/s", "the fastest arm joints turn at 30 rad/s; 180 means degrees")

TILTED = Threshold(0.02, "rad", "an axis that is off a coordinate axis by so little is that axis, rounded")
