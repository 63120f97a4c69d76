"""Rotations, motions, twists, wrenches, moving frames, single bodies, of floats or symbols. Knows no robots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.lazy import names_of

if TYPE_CHECKING:
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

_WHERE = {
    "body_wrench": "body_equations",
    "euler": "body_equations",
    "euler_principal": "body_equations",
    "newton": "body_equations",
    "MassProperties": "mass_properties",
    "AccelerationTerms": "moving_frames",
    "FrameMotion": "moving_frames",
    "angular_acceleration": "moving_frames",
    "angular_velocity": "moving_frames",
    "frame_motion": "moving_frames",
    "point_acceleration": "moving_frames",
    "point_velocity": "moving_frames",
    "adjoint": "rotations",
    "skew": "rotations",
    "ad": "twists",
    "coadjoint": "twists",
    "lie_bracket": "twists",
    "spatial_inertia_in": "twists",
    "twist_in": "twists",
    "wrench_in": "twists",
}

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


__getattr__ = names_of(__name__, _WHERE)
