"""Springs of joints: ``stiffness``, with its higher coefficients, and ``springref``."""

from __future__ import annotations

import numpy as np

from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.model.parallel_spring import JointSpring


def springs_of(compiled: CompiledMjcf, j: int) -> tuple[JointSpring, ...]:
    """The spring of joint j: -(k + k1 e + k2 e^2) e with e = qpos - springref; empty if `is_spring` is False."""
    k, higher = _coefficients(compiled, j)
    if not is_spring(compiled, j) or not (k or any(higher)):
        return ()
    rest = compiled.m.qpos_spring[compiled.m.jnt_qposadr[j]]
    return (JointSpring(k, float(rest), *higher),)


def is_spring(compiled: CompiledMjcf, j: int) -> bool:
    """True if the coefficients of joint j are those of a `JointSpring`: finite, the first not negative."""
    k, higher = _coefficients(compiled, j)
    return k >= 0.0 and bool(np.isfinite([k, *higher]).all())


def yields(compiled: CompiledMjcf, j: int) -> bool:
    """True if joint j has a spring that yields beyond some deflection."""
    k, higher = _coefficients(compiled, j)
    return bool(k or any(higher)) and compiled.numbers("jnt_springyield", j) != 0.0


def _coefficients(compiled: CompiledMjcf, j: int) -> tuple[float, list[float]]:
    """k, and k1, k2 if this version of MuJoCo has them."""
    higher = compiled.numbers("jnt_stiffnesspoly", j)
    return float(compiled.numbers("jnt_stiffness", j)), [float(x) for x in np.ravel(higher) if np.any(higher)]
