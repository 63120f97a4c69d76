"""Rotations, motions, twists, wrenches, moving frames, single bodies, of floats or symbols. Knows no robots."""

from armdyn.spatial.body_equations import body_wrench, euler, euler_principal, newton
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.moving_frames import (
    AccelerationTerms,
    FrameMotion,
    angular_acceleration,
    angular_velocity,
    frame_motion,
    point_acceleration,
    point_velocity,
)
from armdyn.spatial.rotations import adjoint, skew
from armdyn.spatial.twists import ad, coadjoint, lie_bracket, spatial_inertia_in, twist_in, wrench_in

__all__ = [
    "AccelerationTerms",
    "FrameMotion",
    "MassProperties",
    "ad",
    "adjoint",
    "angular_acceleration",
    "angular_velocity",
    "body_wrench",
    "coadjoint",
    "euler",
    "euler_principal",
    "frame_motion",
    "lie_bracket",
    "newton",
    "point_acceleration",
    "point_velocity",
    "skew",
    "spatial_inertia_in",
    "twist_in",
    "wrench_in",
]
