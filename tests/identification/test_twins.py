"""Twins of four kinds of arm: intervals hold the parameters, friction comes back, every inertia is possible."""

from __future__ import annotations

import numpy as np
import pytest

from identification.twins import TWINS, Twin, compared

SHORT = 2
"""Repeats in `make test`; the long form has 100."""


def check_repeats(twin: Twin, repeats: int, least_inside: float) -> None:
    outcomes = [compared(twin, twin.fit(seed)) for seed in range(repeats)]
    inside = np.array([each.inside for each in outcomes])
    friction = np.array([each.friction for each in outcomes])
    mean, near = np.abs(friction.mean(axis=0)).max(), np.mean(np.abs(friction) < 0.03)
    print(f"{inside.mean():.3f} of the parameters inside; friction: mean error {mean:.4f}, {near:.3f} within 3 %")
    assert all(each.least > 0.0 for each in outcomes)
    assert inside.mean() >= least_inside
    assert mean < 0.03
    assert near >= 0.95


@pytest.mark.short_run(without=("planar, two joints",))
@pytest.mark.parametrize("name", TWINS)
def test_a_few_twins(name: str) -> None:
    check_repeats(TWINS[name], SHORT, 0.8)


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_intervals_of_95_percent_hold_in_ninety_of_a_hundred_repeats(name: str) -> None:
    check_repeats(TWINS[name], 100, 0.9)


def test_joints_that_agree_have_one_delay_and_others_their_own() -> None:
    """One controller records all joints 3 ms late; then the torque of one joint is filtered by 30 ms more."""
    twin = TWINS["industrial, six joints"]
    fit = twin.fit(0)
    assert fit.delays == pytest.approx(0.003, abs=1e-3)
    assert np.ptp(fit.delays) == 0.0
    log, late = twin.log(0), 0.03
    tau = log["tau"].copy()
    tau[:, 3] = np.interp(log["t"] - late, log["t"], tau[:, 3])
    import armdyn

    apart = armdyn.identify(twin.description, {**log, "tau": tau}, friction=("viscous", "coulomb"), armature=False)
    assert apart.delays[3] == pytest.approx(0.033, abs=4e-3)
    assert np.delete(apart.delays, 3) == pytest.approx(0.003, abs=1.5e-3)
