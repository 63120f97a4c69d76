"""The numbers from which a doctor calls something wrong, each with its reason."""

from __future__ import annotations

from typing import NamedTuple

from armdyn.model import plausibility


class RuleThreshold(NamedTuple):
    """A number and its reason.

    Args:
        value: the number.
        unit: of it; empty of a ratio.
        reason: why it is there, and the public file at its edge.
    """

    value: float
    unit: str
    reason: str


TRIANGLE = RuleThreshold(
    1e-3, "", "of the largest moment: descriptions round to three digits; panda.urdf's link 1 is at 0"
)
ROUNDED = RuleThreshold(1e-9, "", "of the largest moment: a negative one that small is rounding of a plate or rod")
POINT = RuleThreshold(1e-12, "", "moments over m L^2: a point mass, the rest is rounding; head of icub.urdf has 1e-35")
FRAME = RuleThreshold(
    1e-4, "", "mass over the median of a link without moments: a frame; gripper_frame_link of so101.urdf"
)

LARGE = RuleThreshold(
    1.0,
    "",
    "radius of gyration over the extent of a link (its joints and shapes): inside a ball it is half of it at most; "
    "links whose meshes are not opened may reach further, as the forearm of alex_nub_hands.urdf, 2.7",
)
IMPOSSIBLE = RuleThreshold(plausibility.SIZE, "", "likewise, for what no shape explains; simple_humanoid.urdf has 5.2")
SMALL = RuleThreshold(0.02, "", "likewise: moments of a point; wrist_2_link of ur5_robot.urdf has 0.2")

DENSE = RuleThreshold(12_000.0, "kg/m^3", "lead has 11,340 kg/m^3")
LIGHT = RuleThreshold(20.0, "kg/m^3", "rigid foam has 30 kg/m^3")
PLACEHOLDER = RuleThreshold(
    0.1, "", "extent of a link's shapes over the median of links: the head of baxter.urdf is a ball of 1 mm"
)
BEYOND_MATTER = RuleThreshold(100.0, "", "times denser or lighter than these: no material at all")

OUTSIDE = RuleThreshold(0.5, "", "distance of the centre of mass from the box of a link, over its diagonal")
FAR_OUTSIDE = RuleThreshold(plausibility.CENTRE, "", "likewise, for what a motor or counterweight does not explain")

BEYOND_HULL = RuleThreshold(
    0.1,
    "",
    "distance of the centre of mass from the hull of the link's shapes and joints, over its extent: motors stand out; "
    "the hips of go1.urdf do by 0.063, arm_5_link of tiago.urdf by 0.3",
)
REACH = RuleThreshold(
    1.3,
    "",
    "root of a second moment over half the width of the link's hull in the same direction: at most 1 if all mass is "
    "inside, 0.58 of a box; calves of laikago.urdf have 1.0, wrists of ur3_robot.urdf 1.2, torso_1 of icub.urdf 1.5",
)
NEAR_CENTRE = RuleThreshold(0.2, "", "distance of two centres of mass over the extent of the link, of alike bodies")
MESH_LARGE = RuleThreshold(
    20.0, "", "size of a mesh over the length of the robot: no link is so large, and 1000 is a unit"
)
MESH_SMALL = RuleThreshold(0.02, "", "size of a link's shapes over the distance of its joints: no link is so small")
UNCOVERED = RuleThreshold(
    0.25, "", "part of a link that stands out of its collision shapes, over its size: covers and cables are left out"
)

OUT_OF_SCALE = RuleThreshold(
    plausibility.MASS, "", "mass over that of every neighbour and of the median link: another unit; noted at load"
)
NEIGHBOURS = RuleThreshold(3.0, "", "mass over that of the heavier neighbour; link 2 of ur10_robot.urdf has 1.7")

ONE_TURN = RuleThreshold(6.5, "rad", "limits further from zero; wrists of ur5_robot.urdf turn 6.283 either way")
FEW_TURNS = RuleThreshold(
    15.0, "rad", "cables allow a few turns; the legs of solo12.urdf turn 10 rad, of anymal.urdf 9.42"
)
UNLIMITED = RuleThreshold(1e4, "rad", "no limit at all, as the rotors of iris.urdf, 1e16")
MANY_TURNS = RuleThreshold(40.0, "rad", "no cable allows six turns, and degrees are so large")
FEW_DEGREES = RuleThreshold(0.3, "degrees", "a narrower range is a stop, in degrees too")
MANY_DEGREES = RuleThreshold(
    20.0, "degrees", "a hinge whose limits are below 6.5 among hinges that turn so far is in radians"
)
FAST = RuleThreshold(60.0, "rad/s", "the fastest joints of arms turn at 30 rad/s")
FASTER = RuleThreshold(20.0, "", "velocity limit over the median of the others; a degree is 1/57 rad")
TILTED = RuleThreshold(0.02, "rad", "an axis that is off a coordinate axis by so little is that axis, rounded")
