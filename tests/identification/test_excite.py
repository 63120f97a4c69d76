"""`excite`: slopes beside differences, limits on a finer grid, deviations beside repeated fits, files, errors."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from threadpoolctl import threadpool_info, threadpool_limits

import armdyn
from armdyn import Robot
from armdyn.identification import IdentificationError, excite, random_motions
from armdyn.identification.excitation import Excitation
from armdyn.identification.exciting import EXCITED
from armdyn.identification.identifiability.base_parameters import base_parameters
from armdyn.identification.motion_limits import limits_of
from armdyn.identification.optimal_design import Criterion, Design

OPTIONS: dict[str, Any] = dict.fromkeys((*EXCITED.values(), "armature"), True)


@pytest.fixture(scope="module")
def arm() -> Robot:
    return armdyn.load("ur5")


@pytest.fixture(scope="module")
def motion(arm: Robot) -> Excitation:
    return excite(arm, duration=8.0, harmonics=3, starts=2, iterations=40, acceleration=20.0)


@pytest.mark.parametrize("criterion", ["information", "deviations"])
def test_slopes(criterion: Criterion) -> None:
    planar = armdyn.load("planar_2r")
    bounds, _ = limits_of(planar, 1.5, 4.0, None)
    design = Design(planar, base_parameters(planar, **OPTIONS), OPTIONS, bounds, np.array([1.0, 0.3]), 6.0, 3)
    x = design.random(np.random.default_rng(2))
    _, slope = design.cost(x, criterion, 100.0)
    h = 1e-6

    def of(x: np.ndarray) -> float:
        return design.cost(x, criterion, 100.0)[0]

    differences = np.array([(of(x + h * u) - of(x - h * u)) / (2.0 * h) for u in np.eye(len(x))])
    assert np.abs(slope - differences).max() < 1e-6 * np.abs(differences).max()


def test_derivatives_of_the_series_beside_a_spline(motion: Excitation) -> None:
    t = np.linspace(0.0, motion.duration, 20_001)
    q, qd, qdd = motion.at(t)
    assert np.abs(CubicSpline(t, q)(t, 1) - qd)[50:-50].max() < 1e-8
    wrong = np.abs(CubicSpline(t, qd)(t, 1) - qdd)
    assert np.quantile(wrong, 0.99) < 1e-8  # the blend's third derivative leaps at two times


def test_rest_at_both_ends(motion: Excitation) -> None:
    q, qd, qdd = motion.at([0.0, motion.duration])
    assert np.abs(qd).max() < 1e-12
    assert np.abs(qdd).max() < 1e-9
    assert np.abs(q - motion.start).max() < 1e-12


def test_limits_between_the_times_of_the_search(arm: Robot, motion: Excitation) -> None:
    t = np.linspace(0.0, motion.duration, 30_011)
    q, qd, qdd = motion.at(t)
    tau = arm.inverse_dynamics(q, qd, qdd)
    limits = [joint.limits for joint in arm.joints]
    for name, values in (("velocity", qd), ("effort", tau)):
        most = np.array([getattr(limit, name) for limit in limits])
        assert (np.abs(values) <= most * (1.0 + 1e-6)).all(), name
    assert np.abs(qdd).max() <= 20.0 * (1.0 + 1e-6)
    assert (q >= np.array([limit.lower for limit in limits]) - 1e-6).all()
    assert (q <= np.array([limit.upper for limit in limits]) + 1e-6).all()
    assert motion.used == pytest.approx(1.0, abs=1e-3)


def test_better_than_random_motions(motion: Excitation) -> None:
    others = random_motions(motion, 10)
    assert all(other.used <= 1.0 for other in others)
    assert motion.information > max(other.information for other in others) + 20.0


def test_least_deviations(arm: Robot, motion: Excitation) -> None:
    other = excite(arm, duration=8.0, harmonics=3, starts=2, iterations=40, acceleration=20.0, criterion="deviations")
    means = [np.mean(list(one.deviations.values())) for one in (other, motion, *random_motions(motion, 10))]
    assert means[0] < min(means[1], 0.85 * min(means[2:]))
    assert other.information < motion.information


def test_expected_deviations_beside_those_of_many_fits() -> None:
    planar = armdyn.load("planar_2r")
    motion = excite(planar, duration=6.0, harmonics=3, starts=1, noise=[2.0, 0.5], cutoff=25.0)
    design, rate = motion.design, motion.rows_a_second
    t = np.arange(0.0, motion.duration, 1.0 / rate)
    rows = design.rows(*motion.at(t)) / design.noise[:, None]
    flat = rows.reshape(-1, rows.shape[-1])
    noise = np.random.default_rng(0).normal(size=(len(flat), 4000))
    found = np.linalg.lstsq(flat, noise, rcond=None)[0].std(axis=1)
    assert np.abs(found / list(motion.deviations.values()) - 1.0).max() < 0.06


def test_a_distance_is_kept(arm: Robot) -> None:
    def above(q: np.ndarray) -> np.ndarray:
        return np.asarray(arm.forward_kinematics(q)[..., 2, 3]) - 0.1

    motion = excite(arm, duration=6.0, harmonics=2, starts=2, iterations=20, distance=above)
    q, _, _ = motion.at(np.linspace(0.0, 6.0, 2000))
    assert above(q).min() > -1e-3


def test_products_of_matrices_have_one_thread_and_afterwards_as_many_as_before() -> None:
    """Threads of OpenBLAS beside those of the starts make a search ten times as long on cores that are shared."""
    planar, used = armdyn.load("planar_2r"), set()

    def counted(q: np.ndarray) -> np.ndarray:
        used.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return np.ones(len(q))

    with threadpool_limits(2, user_api="blas"):
        excite(planar, duration=4.0, harmonics=2, starts=2, iterations=2, distance=counted)
        after = {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
    assert (used, after) == ({1}, {2})


def test_files(arm: Robot, motion: Excitation, tmp_path: Path) -> None:
    motion.to_csv(tmp_path / "excite.csv", 50.0)
    with (tmp_path / "excite.csv").open(newline="") as file:
        head, *rows = list(csv.reader(file))
    assert head[:2] == ["t [s]", f"q_{arm.joint_names[0]} [rad]"]
    t = np.array([row[0] for row in rows], dtype=float)
    assert np.array_equal(np.array(rows, dtype=float)[:, 1:7], motion.at(t)[0])
    message = motion.to_joint_trajectory(30.0)
    assert message["joint_names"] == list(arm.joint_names)
    stamps = [point["time_from_start"] for point in message["points"]]
    assert all(0 <= stamp["nanosec"] < 10**9 for stamp in stamps)
    assert [stamp["sec"] + 1e-9 * stamp["nanosec"] for stamp in stamps] == pytest.approx(motion.sampled(30.0)["t"])
    motion.plot(tmp_path / "excite.png")
    assert (tmp_path / "excite.png").read_bytes().startswith(b"\x89PNG")


def test_missing_limits_are_named() -> None:
    motion = excite(armdyn.load("planar_2r"), duration=4.0, harmonics=2, starts=1, iterations=5)
    assert any("no limit" in note for note in motion.notes)


def test_bad_input(arm: Robot) -> None:
    for options, message in (
        ({"noise": 0.0}, "above zero"),
        ({"velocity": -1.0}, "velocity is -1.0; expected numbers above zero"),
        ({"acceleration": np.nan}, "acceleration is nan; expected numbers above zero"),
        ({"noise": [1.0, 2.0]}, "noise has shape"),
        ({"friction": ["stribeck"]}, "stribeck"),
        ({"harmonics": 0}, "harmonics"),
        ({"duration": -1.0}, "duration"),
        ({"cutoff": 0.0}, "cutoff"),
        ({"iterations": 0}, "iterations"),
        ({"criterion": "e"}, "criterion"),
        ({"distance": lambda q: -np.ones(len(q))}, "no motion of 'ur5' within its limits"),
    ):
        with pytest.raises(IdentificationError, match=message):
            excite(arm, **{"starts": 1, "iterations": 2, **options})  # type: ignore[arg-type]
