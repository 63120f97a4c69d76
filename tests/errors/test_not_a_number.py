"""NaN and infinity in a state spoil that state's results and no other's, and nothing is raised or warned."""

import numpy as np
import pytest

from oracles.cases import Case
from oracles.states import random_states

ROW = 5


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("argument", ["q", "qd", "qdd"])
def test_in_its_row_only(panda: Case, argument: str, bad: float, dtype: type) -> None:
    s = random_states(7, 19, seed=101)
    clean = {name: getattr(s, name).astype(dtype) for name in ("q", "qd", "qdd")}
    expected = panda.robot.inverse_dynamics(**clean)
    spoiled = clean | {argument: clean[argument].copy()}
    spoiled[argument][ROW, 3] = bad
    tau = panda.robot.inverse_dynamics(**spoiled)
    others = np.arange(19) != ROW
    np.testing.assert_array_equal(tau[others], expected[others])
    assert not np.isfinite(tau[ROW]).all()
    assert np.isnan(tau[ROW, 3]) if argument == "q" or np.isnan(bad) else not np.isfinite(tau[ROW, 3])


def test_forward_dynamics(tree: Case) -> None:
    s = random_states(tree.n, 11, seed=102)
    tau = s.tau.copy()
    tau[ROW, 0] = np.nan
    qdd, expected = tree.robot.forward_dynamics(s.q, s.qd, tau), tree.robot.forward_dynamics(s.q, s.qd, s.tau)
    others = np.arange(11) != ROW
    np.testing.assert_array_equal(qdd[others], expected[others])
    assert np.isnan(qdd[ROW]).any()


def test_single_state(panda: Case) -> None:
    assert np.isnan(panda.robot.mass_matrix(np.full(7, np.nan))).any()


@pytest.mark.parametrize("shape", [(0, 7), (3, 0, 7), (0, 5, 7)], ids=str)
def test_empty_batch(panda: Case, shape: tuple[int, ...]) -> None:
    nothing = np.empty(shape)
    assert panda.robot.mass_matrix(nothing).shape == (*shape[:-1], 7, 7)
    assert panda.robot.inverse_dynamics(nothing, np.ones(7), nothing).shape == shape
    assert panda.robot.kinetic_energy(nothing, nothing).shape == shape[:-1]
    assert panda.robot.gravity_forces(nothing, workers=2).shape == shape
