"""Pinocchio's C++ called in a compiled loop, reached through ctypes on the same arrays.

Model and Data are made beforehand; the one call of a batch contains no Python. Each variant of the compiled loop, and
each of Pinocchio's own ways to compute a quantity, is a way of its own: the best of them is what counts.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.build_pinocchio import Variant
from benchmarks.cases import Case
from benchmarks.functions import Function, Result
from benchmarks.peers.peer import Batch, Peer, UnavailableError
from benchmarks.states import Array, States

ROUTINES = {
    "inverse_dynamics": {"rnea": "inverse_dynamics"},
    "mass_matrix": {"crba local": "mass_matrix_local", "crba world": "mass_matrix_world"},
    "forward_dynamics": {
        "aba local": "forward_dynamics_local",
        "aba world": "forward_dynamics_world",
        "crba, cholesky": "forward_dynamics_cholesky",
    },
    "bias_forces": {"nle": "bias_forces"},
    "coriolis_matrix": {"computeCoriolisMatrix": "coriolis_matrix"},
    "inverse_dynamics_derivatives": {"computeRNEADerivatives": "inverse_dynamics_derivatives"},
    "forward_dynamics_derivatives": {"computeABADerivatives": "forward_dynamics_derivatives"},
}
KINDS = {"RX": 0, "RY": 1, "RZ": 2, "RevoluteUnaligned": 3, "PX": 4, "PY": 5, "PZ": 6, "PrismaticUnaligned": 7}


class PinocchioCppPeer(Peer):
    """The shared libraries of ``build_pinocchio``, each with the robot loaded."""

    name = "Pinocchio, C++"

    def __init__(self, case: Case, libraries: dict[Variant, Path]) -> None:
        if not libraries:
            raise UnavailableError("the compiled loop could not be built")
        import pinocchio

        model = pinocchio.buildModelFromUrdf(str(case.urdf))
        if model.nq != model.nv:
            raise UnavailableError("a continuous joint has two coordinates in Pinocchio")
        self.joint_names = tuple(model.names)[1:]
        self.robots = {variant.name: _Robot(path, model) for variant, path in libraries.items()}

    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """One call into each shared library for each of its routines."""
        arguments = function.arguments(states)
        out = function.empty(len(states), len(self.joint_names))
        return {
            f"{variant}, {routine}": robot.call(symbol, arguments, out)
            for variant, robot in self.robots.items()
            for routine, symbol in ROUTINES[function.name].items()
        }


class _Robot:
    """A robot inside one shared library."""

    def __init__(self, library: Path, model: Any) -> None:
        self.library = ctypes.CDLL(str(library))
        kinds = [KINDS[joint.shortname().removeprefix("JointModel")] for joint in list(model.joints)[1:]]
        axes = [_axis(joint) for joint in list(model.joints)[1:]]
        placements = [[*pose.rotation.ravel(), *pose.translation] for pose in list(model.jointPlacements)[1:]]
        inertias = [[body.mass, *body.lever, *body.inertia.ravel()] for body in list(model.inertias)[1:]]
        self.library.robot_new.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(
            self.library.robot_new(
                len(kinds),
                _pointer(np.array(list(model.parents)[1:], dtype=np.int32)),
                _pointer(np.array(kinds, dtype=np.int32)),
                *(_pointer(np.array(numbers, dtype=float)) for numbers in (axes, placements, inertias)),
                _pointer(np.array(model.gravity.linear)),
            )
        )

    def call(self, symbol: str, inputs: tuple[Array, ...], out: Result) -> Batch:
        """The C function ``symbol`` on all rows of the arrays."""
        routine, handle, count = getattr(self.library, symbol), self.handle, len(inputs[0])
        arrays = (*inputs, *(out if isinstance(out, tuple) else (out,)))
        arguments = [handle, ctypes.c_long(count), *(_pointer(array) for array in arrays)]

        def run() -> Result:
            routine(*arguments)
            return out

        run.keep = arrays  # type: ignore[attr-defined]  # the pointers do not keep the arrays alive
        return run


def _axis(joint: Any) -> Array:
    """The direction of a joint about or along a general axis; zeros where the kind of joint says it."""
    name = joint.shortname().removeprefix("JointModel")
    if not name.endswith("Unaligned"):
        return np.zeros(3)
    specific = joint.extract() if hasattr(joint, "extract") else joint
    return np.asarray(specific.axis)


def _pointer(array: Array) -> ctypes.c_void_p:
    if not array.flags.c_contiguous:
        raise ValueError("the compiled loop reads C-ordered arrays")
    pointer = ctypes.c_void_p(array.ctypes.data)
    pointer.array = array  # type: ignore[attr-defined]
    return pointer
