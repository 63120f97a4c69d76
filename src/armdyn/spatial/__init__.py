"""Rotations, motions, twists, wrenches, moving frames, single bodies, of floats or symbols, independent of robots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

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

_MODULES = {
    "body_equations": "body_wrench euler euler_principal newton",
    "mass_properties": "MassProperties",
    "moving_frames": "AccelerationTerms FrameMotion angular_acceleration angular_velocity frame_motion "
    "point_acceleration point_velocity",
    "rotations": "adjoint skew",
    "twists": "ad coadjoint lie_bracket spatial_inertia_in twist_in wrench_in",
}
"""The public names of each module."""

_WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}

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
