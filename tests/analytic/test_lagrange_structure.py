"""Christoffel symbols, energies and momentum of small arms of general build against Lagrange's equations in symbols."""

import numpy as np
import pytest

import armdyn
from analytic.test_lagrange import ARMS, lagranges_equations
from oracles.states import assert_close, random_states
from oracles.trees import to_armdyn

CHOSEN = ["RP", "RPR", "RRP", "R(R)(P)"]


@pytest.mark.short_run("RP")
@pytest.mark.parametrize("name", CHOSEN)
def test_christoffel_symbols_and_the_coriolis_matrix(name: str) -> None:
    """Gamma_ijk is half the second derivative of tau_i by qd_j and qd_k."""
    robot = armdyn.Robot(to_armdyn(ARMS[name]))
    n, s = robot.dof, random_states(robot.dof, 4, seed=271)
    of, equations = lagranges_equations(name)
    second = [[[f.diff(of.v[j]).diff(of.v[k]) for k in range(n)] for j in range(n)] for f in equations]
    states = list(zip(s.q, s.qd, s.qdd, strict=True))
    Gamma = np.array([
        [[[of.value(f, *state) / 2 for f in row] for row in matrix] for matrix in second] for state in states
    ], dtype=float)  # fmt: skip
    assert_close(robot.christoffel(s.q), Gamma)
    C = np.einsum("sijk,sk->sij", Gamma, s.qd)
    assert_close(robot.coriolis_matrix(s.q, s.qd), C)
    assert_close(robot.mass_matrix_dot(s.q, s.qd), C + C.transpose(0, 2, 1))
    assert_close(robot.transposed_coriolis_forces(s.q, s.qd, s.tau), np.einsum("sji,sj->si", C, s.tau))


@pytest.mark.parametrize("name", CHOSEN)
def test_mass_matrix_momentum_and_inverse(name: str) -> None:
    """M_ij is the derivative of tau_i by qdd_j."""
    robot = armdyn.Robot(to_armdyn(ARMS[name]))
    n, s = robot.dof, random_states(robot.dof, 4, seed=272)
    of, equations = lagranges_equations(name)
    states = list(zip(s.q, s.qd, s.qdd, strict=True))
    M = np.array([
        [[of.value(f.diff(of.a[j]), *state) for j in range(n)] for f in equations] for state in states
    ], dtype=float)  # fmt: skip
    assert_close(robot.generalized_momentum(s.q, s.qd), np.einsum("sij,sj->si", M, s.qd))
    error = robot.inverse_mass_matrix(s.q) @ M - np.eye(n)
    assert np.abs(error).max() <= 1e-15 * max(1e3, float(np.linalg.cond(M).max()))
