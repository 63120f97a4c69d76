"""Inertias of traced scalars: a body whose size is an input of a compiled function."""

import subprocess
import sys

import numpy as np

import armdyn
from armdyn import inertia
from armdyn.spatial import FrameMotion, point_acceleration


def payload(radius: object) -> object:
    return inertia.cylinder(radius, 0.3, density=1000.0) + inertia.sphere(radius, mass=2.0).at((0, 0, 0.3))  # type: ignore[arg-type]


@armdyn.function("(n),()->()")
def spinning_energy(model, q, radius):
    """K, J."""
    return payload(radius).kinetic_energy(np.array([0.3, -0.2, 1.0, 0.5, 0.1, 0.7]))


@armdyn.function("(n),(n)->(3)")
def acceleration_on_a_turntable(model, q, qd):
    """a, m/s^2."""
    turntable = FrameMotion.of(w=[0, 0, qd[0]])
    return point_acceleration(turntable, [q[1], 0, 0], [qd[1], 0, 0]).total


def test_shapes_and_operations_are_traced() -> None:
    radius = np.array([0.1, 0.2, 0.35])
    compiled = armdyn.load("planar_2r").compile(spinning_energy)
    expected = [payload(r).kinetic_energy([0.3, -0.2, 1.0, 0.5, 0.1, 0.7]) for r in radius]
    np.testing.assert_allclose(compiled(np.zeros(2), radius), expected, rtol=1e-13)


def test_moving_frames_are_traced() -> None:
    compiled = armdyn.load("planar_2r").compile(acceleration_on_a_turntable)
    np.testing.assert_allclose(compiled([0.0, 3.0], [2.0, 1.0]), [-12.0, 4.0, 0.0], rtol=1e-14)


def test_nothing_optional_is_imported() -> None:
    """Neither SymPy nor trimesh, until a mesh is read."""
    code = (
        "import sys; from armdyn import inertia, spatial; inertia.box((1, 2, 3), mass=4).seen_from([[1,0,0,0],"
        "[0,1,0,0],[0,0,1,0],[0,0,0,1]]); inertia.sphere(1, density=2); "
        "print([name for name in ('sympy', 'trimesh', 'llvmlite', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
