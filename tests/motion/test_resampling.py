"""Parts of motions, motions at other times, and differences of motions."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ShapeError, Trajectory
from armdyn.simulation import EnergyAccount, RungeKutta4, SaveAt, SettingError, Statistics, Stops


def polynomial(degree: int, t: np.ndarray, seed: int = 5) -> tuple[np.ndarray, ...]:
    """q, qd, qdd of three joints of a batch of two, polynomials with coefficients about 1."""
    curves = [np.polynomial.Polynomial(c) for c in np.random.default_rng(seed).normal(size=(6, degree + 1))]
    return tuple(
        np.stack([curve.deriv(order)(t) for curve in curves], axis=-1).reshape(len(t), 2, 3) for order in (0, 1, 2)
    )


def made(t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, **more: object) -> Trajectory:
    """A trajectory of these joints; forces and energies that are lines over time."""
    line = np.broadcast_to(t.reshape(-1, *(1,) * (q.ndim - 1)), q.shape)
    energy = EnergyAccount(*(k * line[..., 0] + k for k in (1.0, 2.0, 3.0)))
    names, kinds = ("a", "b", "c"), ("revolute", "prismatic", "revolute")
    given = {"f_tip": None, "signals": {}} | more
    return Trajectory("made", names, kinds, t, q, qd, qdd, 2 * line + 1, given["f_tip"], energy,
                      Statistics("by hand", 0, 0, 0.0), (), given["signals"])  # fmt: skip


KEPT = np.array([0.0, 0.3, 0.37, 0.9, 1.4, 1.5])
TIMES = np.sort(np.random.default_rng(6).uniform(0.0, 1.5, 200))


@pytest.mark.parametrize("degree", [3, 5])
def test_polynomials_up_to_the_fifth_degree_are_exact(degree: int) -> None:
    found = made(KEPT, *polynomial(degree, KEPT)).resample(TIMES)
    for actual, expected in zip((found.q, found.qd, found.qdd), polynomial(degree, TIMES), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=2e-12 * np.abs(expected).max())
    np.testing.assert_allclose(found.tau[:, 0, 0], 2 * TIMES + 1, rtol=1e-15)
    np.testing.assert_allclose(found.energy.work[:, 1], 3 * TIMES + 3, rtol=1e-15)


def test_errors_fall_with_the_sixth_fifth_and_fourth_power_of_the_interval() -> None:
    errors = []
    for intervals in (8, 16):
        t = np.linspace(0.0, 2.0, intervals + 1)
        wave = [np.repeat(x[:, None], 3, axis=1) for x in (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t))]
        found = made(t, *wave).resample(rate=500)
        exact = np.sin(3 * found.t), 3 * np.cos(3 * found.t), -9 * np.sin(3 * found.t)
        errors.append([np.abs(a[:, 0] - b).max() for a, b in zip((found.q, found.qd, found.qdd), exact, strict=True)])
    orders = np.log2(np.array(errors[0]) / errors[1])
    np.testing.assert_allclose(orders, [6, 5, 4], atol=0.15)


def test_a_simulation_resampled_is_one_that_kept_those_times() -> None:
    arm = armdyn.load("ur5")
    times = np.linspace(0.0, 0.5, 38)
    fine = armdyn.simulate(arm, np.zeros(6), duration=0.5, save=SaveAt(times=times))
    found = armdyn.simulate(arm, np.zeros(6), duration=0.5, save=SaveAt(every=0.005)).resample(times)
    np.testing.assert_allclose(found.q, fine.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.qd, fine.qd, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.energy.total, fine.energy.total, rtol=0, atol=1e-7)


def test_kept_times_come_back_to_the_bit_beside_states_that_are_lost() -> None:
    q, qd, qdd = polynomial(5, KEPT)
    q[3:, 1], qd[3:, 1] = np.nan, np.inf
    motion = made(KEPT, q, qd, qdd, f_tip=np.ones((6, 2, 6)), signals={"r": np.arange(12.0).reshape(6, 2, 1)})
    with np.errstate(all="ignore"):
        same = motion.resample(KEPT)
        between = motion.resample([0.35, 0.5])
    for name in ("t", "q", "qd", "qdd", "tau", "f_tip"):
        np.testing.assert_array_equal(getattr(same, name), getattr(motion, name))
    np.testing.assert_array_equal(same.signals["r"], motion.signals["r"])
    assert np.isfinite(between.q[:, 0]).all()
    assert np.isfinite(between.q[0]).all()
    assert np.isnan(between.q[1, 1]).all()


def test_drift_between_two_times_lies_between_theirs() -> None:
    motion = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.3, method=RungeKutta4(step=0.01))
    kept, t = motion.energy.drift, np.linspace(0, 0.3, 77)
    assert np.abs(kept).max() > 1e-9
    np.testing.assert_allclose(motion.resample(t).energy.drift, np.interp(t, motion.t, kept), rtol=0, atol=1e-13)


def test_rate_and_rounding_at_the_end() -> None:
    motion = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.3, method=RungeKutta4(step=0.1))
    np.testing.assert_allclose(motion.resample(rate=10).t, [0.0, 0.1, 0.2, 0.3], rtol=1e-15)
    assert motion.resample(rate=7).t[-1] == 2 / 7
    assert motion.resample([0.3 + 1e-13]).t[0] == motion.t[-1]


@pytest.mark.parametrize(
    ("times", "rate", "message"),
    [
        (None, None, "neither of times and rate given; expected one of them, such as rate=100"),
        ([0.1], 10, "both of times and rate given"),
        ([0.1, 1.6], None, "t = 1.6 s is outside the motion, which lasts from 0 to 1.5 s"),
        ([-0.1, 1.4], None, "t = -0.1 s is outside the motion"),
        ([0.2, 0.2], None, "times must rise from each to the next, and hold one at least"),
        ([], None, "times must rise"),
        ([np.nan], None, r"times\[0\] is nan; expected finite real numbers"),
        (None, 0, "rate is 0; expected a number above zero, in Hz"),
        (None, 1e15, "would fill"),
    ],
)
def test_times_that_make_no_sense(times: object, rate: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        made(KEPT, *polynomial(3, KEPT)).resample(times, rate=rate)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"times has shape \(1, 1\)"):
        made(KEPT, *polynomial(3, KEPT)).resample([[0.1]])


def test_a_part_is_what_was_kept() -> None:
    signals = {"r": np.arange(12.0).reshape(6, 2, 1)}
    motion = made(KEPT, *polynomial(3, KEPT), f_tip=np.arange(72.0).reshape(6, 2, 6), signals=signals)
    part = motion.between(0.3, 0.9 - 1e-13)
    for name in ("t", "q", "qd", "qdd", "tau", "f_tip"):
        np.testing.assert_array_equal(getattr(part, name), getattr(motion, name)[1:4])
    np.testing.assert_array_equal(part.signals["r"], signals["r"][1:4])
    np.testing.assert_array_equal(part.energy.work, motion.energy.work[1:4])
    np.testing.assert_allclose(part.energy.drift, motion.energy.drift[1:4] - motion.energy.drift[1], atol=1e-15)
    assert repr(part).startswith("<Trajectory of 'made': 3 times from 0.3 to 0.9 s")
    assert len(motion.between(0.0, 1.5).t) == 6
    np.testing.assert_array_equal(part.resample(part.t).q, part.q)
    for start, end in ((0.31, 0.36), (0.9, 0.3), (2.0, 3.0)):
        with pytest.raises(SettingError, match="no state is kept from start"):
            motion.between(start, end)
    with pytest.raises(SettingError, match="end is None; expected a finite number, in s"):
        motion.between(0.0, None)  # type: ignore[arg-type]


def test_a_single_time_has_no_other() -> None:
    one = made(KEPT, *polynomial(3, KEPT)).between(0.3, 0.3)
    np.testing.assert_array_equal(one.resample([0.3]).q, one.q)
    with pytest.raises(SettingError, match=r"outside the motion, which lasts from 0\.3 to 0\.3 s"):
        one.resample([0.4])


def test_differences_are_the_largest_and_the_root_mean_square() -> None:
    a = made(KEPT, *polynomial(3, KEPT))
    q = a.q.copy()
    q[2, 1] += [0.0, 3.0, -4.0]
    b = made(KEPT, q, a.qd, a.qdd + 2.0)
    found = a.compare(b)
    np.testing.assert_allclose(found.q.largest, [0, 3, 4], atol=1e-14)
    np.testing.assert_allclose(found.q.rms, np.array([0, 3, 4]) / np.sqrt(12), atol=1e-14)
    np.testing.assert_array_equal(found.q.when[1:], [KEPT[2], KEPT[2]])
    np.testing.assert_allclose([found.qdd.largest, found.qdd.rms], 2.0, rtol=1e-14)
    assert not found.tau.largest.any()
    assert float(found.energy.largest) == 0.0
    text = str(found)
    assert text.splitlines()[0] == "'made' beside 'made': 6 times from 0 to 1.5 s; rad, m, s, N m, N"
    assert text.splitlines()[3].split()[:4] == ["b", "(slides)", "3", "0.866"]
    assert len({len(line) for line in text.splitlines()[1:5]}) == 1


def test_motions_are_compared_where_both_are() -> None:
    a, b = (made(t, *polynomial(5, t)) for t in (KEPT, np.linspace(0.35, 1.45, 12)))
    found = a.compare(b)
    np.testing.assert_array_equal(found.t, [0.37, 0.9, 1.4])
    assert found.q.largest.max() < 1e-12


def test_nan_is_a_difference() -> None:
    a = made(KEPT, *polynomial(3, KEPT))
    q = a.q.copy()
    q[4, 0, 2] = np.nan
    found = a.compare(made(KEPT, q, a.qd, a.qdd))
    np.testing.assert_array_equal(np.isnan(found.q.largest), [False, False, True])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("lost", [np.inf, -np.inf, np.nan])
def test_motions_that_were_lost_are_looked_at_without_warnings(lost: float) -> None:
    a = made(KEPT, *polynomial(3, KEPT))
    q, qd, qdd = (values.copy() for values in (a.q, a.qd, a.qdd))
    for values in (q, qd, qdd):
        values[-2:, 1] = lost
    gone = np.where(np.arange(len(KEPT)) < len(KEPT) - 2, 0.0, lost)[:, None]
    energy = dataclasses.replace(
        a.energy, kinetic=a.energy.kinetic + abs(gone), potential=a.energy.potential - abs(gone)
    )
    b = dataclasses.replace(made(KEPT, q, qd, qdd), energy=energy)
    for one, other in ((a, b), (b, a), (b, b)):
        found = one.compare(other)
        assert not np.isfinite(found.q.largest).any()
        assert not np.isfinite(found.energy.largest)
        assert "energy K + P" in str(found)
    early, late = b.resample([0.1, 1.45]).q, b.at([0.1, 1.45]).q
    assert np.isfinite([early[0], late[0]]).all()
    assert not np.isfinite([early[1, 1], late[1, 1]]).any()
    assert np.isnan(b.energy.total[-1]).all()
    assert np.isnan(b.energy.relative_drift[-1]).all()


def test_motions_that_do_not_compare() -> None:
    a = made(KEPT, *polynomial(3, KEPT))
    with pytest.raises(ShapeError, match=r"batches of shapes \(2,\) and \(\)"):
        a.compare(a.pick(0))
    other = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.1)
    with pytest.raises(ShapeError, match="of other joints: a, b, c of 'made', joint_1, joint_2 of 'rp'"):
        a.compare(other)
    with pytest.raises(ShapeError, match="other is 3; expected a Trajectory"):
        a.compare(3)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"no time in common: 0 to 0.37 s, 0.9 to 1.5 s"):
        a.between(0.0, 0.4).compare(a.between(0.5, 1.5))


def test_held_torques_are_for_at_and_smooth_ones_for_resample() -> None:
    """Two interpolations, each an order or more closer than the other where it belongs."""
    arm, dense, kept = armdyn.load("planar_2r"), np.linspace(0, 1, 1001), np.linspace(0, 1, 51)
    table = np.random.default_rng(0).uniform(-1, 1, (50, 2))

    def errors(torque: object) -> tuple[float, float]:
        exact, motion = (
            armdyn.simulate(arm, [0.3, 0.2], duration=1, torque=torque, save=SaveAt(times=t)) for t in (dense, kept)
        )
        quartic, quintic = motion.at(dense), motion.resample(dense)
        return float(np.abs(quartic.qd - exact.qd).max()), float(np.abs(quintic.qd - exact.qd).max())

    quartic, quintic = errors(table)
    assert quintic > 10 * quartic
    quartic, quintic = errors(lambda t, q, qd: np.array([np.sin(3 * t), np.cos(2 * t)]))
    assert quartic > 5 * quintic


def test_notes_of_a_part_say_that_they_are_on_the_whole() -> None:
    joint, *others = armdyn.load("planar_2r").model.joints
    limited = dataclasses.replace(joint, limits=armdyn.Limits(velocity=0.1))
    robot = armdyn.Robot(armdyn.load("planar_2r").model.replace(joints=(limited, *others)))
    motion = armdyn.simulate(robot, [0.3, 0.2], duration=0.5)
    assert len(motion.notes) == 1
    assert motion.between(0.1, 0.3).notes == (*motion.notes, "these notes are on the whole motion, from 0 to 0.5 s")
    assert motion.between(0.0, 0.5).notes == motion.notes


def test_impacts_between_kept_times() -> None:
    """With the solver's interpolants q stays before the stop; polynomials err by 0.2 dv H and 0.26 dv H at most."""
    stopped, stop, H = armdyn.load("planar_2r").with_limits({"joint_2": (-0.5, 0.6)}), 0.6, 0.05
    given: dict[str, Any] = {"duration": 0.6, "elements": [Stops(0.4)]}
    kept = armdyn.simulate(stopped, [1.0, 0.2], save=SaveAt(every=H), **given)
    dense = armdyn.simulate(stopped, [1.0, 0.2], save=SaveAt(every=H, dense=True), **given)
    impact = next(event for event in dense.events if event.kind == "impact")
    assert impact.q[1] == pytest.approx(stop, abs=1e-9)
    times = np.linspace(0.0, 0.6, 601)
    found = dense.resample(times)
    assert found.q[:, 1].max() < stop + 1e-9
    np.testing.assert_array_equal(dense.resample(dense.t).q, dense.q)
    fine = armdyn.simulate(stopped, [1.0, 0.2], save=SaveAt(times=times), **given)
    assert fine.compare(dense).q.largest.max() < 1e-9
    assert fine.compare(dense).qd.largest.max() < 1e-7
    jump = impact.qd[1] / 0.4 + impact.qd[1]  # before it -qd / 0.4
    for beyond, most in ((kept.resample(times).q, 0.2), (kept.at(times).q, 0.26)):
        assert 1e-4 < np.abs(beyond - found.q)[:, 1].max() < most * abs(jump) * H


def test_the_bounds_across_an_impact() -> None:
    """A velocity that jumps by 1 within an interval of 1, wherever it does: the numbers of the documentation."""
    s, worst = np.linspace(0.0, 1.0, 201), np.zeros((2, 3))
    for jump in np.linspace(0.001, 0.999, 200):
        true = np.maximum(s - jump, 0.0), np.where(s > jump, 1.0, 0.0)
        ends = [np.repeat(np.array(x)[:, None], 3, axis=1) for x in ([0.0, 1.0 - jump], [0.0, 1.0], [0.0, 0.0])]
        motion = made(np.array([0.0, 1.0]), *ends)
        five, four = motion.resample(s), motion.at(s)
        off = [np.abs(five.q[:, 0] - true[0]), np.abs(five.qd[:, 0] - true[1]), np.abs(five.qdd[:, 0])]
        worst[0] = np.maximum(worst[0], [x[1:-1].max() for x in off])
        worst[1, 0] = max(worst[1, 0], np.abs(four.q[:, 0] - true[0]).max())
    np.testing.assert_allclose(worst[0], [0.1975, 1.0, 3.94], rtol=0.02)
    assert worst[1, 0] == pytest.approx(0.26, abs=0.002)
