"""Motions through dead points, where two branches of a mechanism's motion cross: each stays on its branch.

On a branch, q is a function of one coordinate, or of two; the reference is Lagrange's equation in these, of the tree
without constraints, by SciPy at 1e-12.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn import Part, Robot
from armdyn import constraints as c
from armdyn.actuators import Actuator, Gear, Motor, Spring
from armdyn.constraints.dead_points import DeadPoints
from armdyn.simulation import Adaptive, Constraints, RungeKutta4, SaveAt, SimulationError
from oracles.short_run import each_once

Z = (0, 0, 1)
Array = np.ndarray[Any, Any]


class Branch(NamedTuple):
    """q(x) on a branch, and its first derivatives by x; ``bend`` is (d2q/dx2) xd xd."""

    q: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    bend: Callable[[Array, Array], Array]

    def ends(self, robot: Robot, x: Array, xd: Array, duration: float) -> Array:
        """q at the end, by C^T (M (C xdd + bend) + h) = 0."""
        tree, n = robot.without_constraints(), len(x)

        def rates(_: float, y: Array) -> Array:
            C, q = self.slope(y[:n]), self.q(y[:n])
            h = tree.bias_forces(q, C @ y[n:]) + tree.mass_matrix(q) @ self.bend(y[:n], y[n:])
            return np.concatenate([y[n:], -np.linalg.solve(C.T @ tree.mass_matrix(q) @ C, C.T @ h)])

        found = solve_ivp(rates, (0.0, duration), [*x, *xd], method="DOP853", rtol=1e-12, atol=1e-12)
        return self.q(found.y[:n, -1])


def bar(rng: np.random.Generator) -> armdyn.Inertia:
    place = [rng.uniform(0.05, 0.3), *rng.uniform(-0.05, 0.05, 2)]
    return armdyn.Inertia(rng.uniform(0.5, 2.0), place, np.diag(rng.uniform(0.02, 0.04, 3)))


def parallelogram(rng: np.random.Generator, friction: float = 0.0) -> tuple[Robot, Branch, Array, Array]:
    """Crank and rocker of 0.3 m, coupler and ground of 0.8 m, falling from rest: q = (a, -a, a)."""
    tree = Robot.from_links(
        [
            Part("crank", "base", axis=Z, inertia=bar(rng), joint="a", friction=friction),
            Part("coupler", "crank", axis=Z, xyz=(0.3, 0, 0), inertia=bar(rng), joint="b", friction=friction),
            Part("rocker", "base", axis=Z, xyz=(0.8, 0, 0), inertia=bar(rng), joint="c", friction=friction),
        ],
        tip="coupler",
        gravity=(0, -9.81, 0),
    )
    loop = c.ball("coupler", "rocker", point=(0.8, 0, 0), to_point=(0.3, 0, 0))
    robot = tree.with_constraints(loop).with_independent_constraints([1.2, -1.2, 1.2])
    C = np.array([[1.0], [-1.0], [1.0]])
    return robot, Branch(lambda x: C @ x, lambda _: C, lambda x, xd: np.zeros(3)), np.array([1.2]), np.zeros(1)


def slider_crank(rng: np.random.Generator, friction: float = 0.0) -> tuple[Robot, Branch, Array, Array]:
    """Crank and rod of 0.4 m: where they lie on each other they may turn on so, the slider at rest."""
    tree = Robot.from_links(
        [
            Part("crank", "base", axis=Z, inertia=bar(rng), joint="crank", friction=friction),
            Part("rod", "crank", axis=Z, xyz=(0.4, 0, 0), inertia=bar(rng), joint="pin", friction=friction),
            Part("slider", "base", "prismatic", axis=(1, 0, 0), inertia=bar(rng), joint="slide", friction=friction),
        ],
        tip="rod",
        gravity=(0, -9.81, 0),
    )
    branch = Branch(
        lambda x: np.array([x[0], -2.0 * x[0], 0.8 * np.cos(x[0])]),
        lambda x: np.array([[1.0], [-2.0], [-0.8 * np.sin(x[0])]]),
        lambda x, xd: np.array([0.0, 0.0, -0.8 * np.cos(x[0]) * xd[0] ** 2]),
    )
    x = np.array([0.7])
    robot = tree.with_constraints(c.ball("rod", "slider", point=(0.4, 0, 0), name="bolt"))
    return robot.with_independent_constraints(branch.q(x)), branch, x, rng.uniform(4.0, 9.0, 1)


def turning(rng: np.random.Generator, friction: float = 0.0) -> tuple[Robot, Branch, Array, Array]:
    """A parallelogram on an arm that turns about a tilted axis: q = (arm, a, -a, a)."""
    tree = Robot.from_links(
        [
            Part("arm", "base", axis=(0, 0.6, 0.8), inertia=bar(rng), joint="arm"),
            Part("palm", "arm", "fixed", xyz=(0.3, 0.1, 0.2), rpy=(0.3, 0.4, 0.5)),
            Part("crank", "palm", axis=Z, inertia=bar(rng), joint="a", friction=friction),
            Part("coupler", "crank", axis=Z, xyz=(0.3, 0, 0), inertia=bar(rng), joint="b", friction=friction),
            Part("rocker", "palm", axis=Z, xyz=(0.8, 0, 0), inertia=bar(rng), joint="c", friction=friction),
        ],
        tip="coupler",
    )
    X, Y = np.eye(4), np.eye(4)
    X[0, 3], Y[0, 3] = 0.8, 0.3
    C = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 1.0]])
    branch = Branch(lambda x: C @ x, lambda _: C, lambda x, xd: np.zeros(4))
    robot = tree.with_constraints(c.Held("coupler", "rocker", ("x", "y"), X, Y, name="loop"))
    return robot, branch, np.array([0.2, 1.2]), np.array([1.0, rng.uniform(2.0, 6.0)])


MECHANISMS = {"parallelogram": parallelogram, "slider_crank": slider_crank, "turning": turning}
METHODS = {
    "adaptive": {},
    "projected": {"elements": [Constraints(project=True)]},
    "loose": {"method": Adaptive(rtol=1e-6, atol=1e-6)},
    "rk45": {"method": Adaptive(scipy_method="RK45", rtol=1e-8, atol=1e-8)},
    "rk4": {"method": RungeKutta4(2e-3)},
    "rk4 projected": {"method": RungeKutta4(2e-3), "elements": [Constraints(project=True)]},
    "least squares": {"elements": [Constraints(redundant="least_squares")]},
    "callable": {"torque": lambda t, q, qd: np.zeros(len(q))},
}
CASES = [
    pytest.param(name, method, seed, marks=() if (name, method, seed) in shown else pytest.mark.slow)
    for shown in [  # of one seed: other masses would be other kernels
        {
            ("parallelogram", "projected", 0),
            ("parallelogram", "rk4", 0),
            ("slider_crank", "least squares", 0),
            ("turning", "adaptive", 0),
            ("turning", "loose", 0),
        }
    ]
    for name in MECHANISMS
    for method in METHODS
    for seed in range(5)
]


@pytest.mark.parametrize(("name", "method", "seed"), CASES)
def test_a_motion_stays_on_its_branch(name: str, method: str, seed: int) -> None:
    robot, branch, x, xd = MECHANISMS[name](np.random.default_rng(seed))
    motion = armdyn.simulate(
        robot, branch.q(x), branch.slope(x) @ xd, duration=1.5, save=SaveAt(every=0.005), **METHODS[method]
    )
    passed = np.cumsum(DeadPoints(robot, "error").near(motion.q, 0.1))[-1]
    assert passed >= 2
    tolerance = {"loose": 2e-3, "rk45": 1e-5}.get(method, 1e-4 if "rk4" in method else 1e-7)
    apart = np.unwrap(motion.q[:, int(name == "turning")])
    of_branch = np.array([branch.q(np.array([*q[: len(x) - 1], a])) for q, a in zip(motion.q, apart, strict=True)])
    assert abs(motion.q - of_branch).max() < (2e-3 if method == "loose" else 1e-6)
    np.testing.assert_allclose(motion.q[-1], branch.ends(robot, x, xd, 1.5), rtol=0, atol=tolerance)
    assert abs(motion.energy.relative_drift).max() < tolerance
    assert not any("energy" in note for note in motion.notes)


@pytest.mark.short_run("parallelogram-options1", "parallelogram-options2")
@pytest.mark.parametrize("options", [{}, {"elements": [Constraints(project=True)]}, {"method": RungeKutta4(step=2e-3)}])
@pytest.mark.parametrize("name", ["parallelogram", "slider_crank"])
def test_joints_that_rub_stay_on_their_branch(name: str, options: dict[str, Any]) -> None:
    """Friction takes its force from each joint, |dq/dx| of it from the coordinate of the branch."""
    robot, branch, x, xd = MECHANISMS[name](np.random.default_rng(7), friction=0.2)
    xd = np.maximum(xd, 8.0)
    motion = armdyn.simulate(robot, branch.q(x), branch.slope(x) @ xd, duration=0.6, save=SaveAt(every=0.01), **options)
    of_branch = np.array([branch.q(q[:1]) for q in motion.q])
    assert abs(motion.q - of_branch).max() < 1e-6
    assert abs(motion.energy.relative_drift).max() < (1e-5 if "method" in options else 1e-7)
    assert np.ptp(motion.q[:, 0]) > 1.5


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        *each_once(["lossy gear", "spring"], [{}, {"elements": [Constraints(project=True)]}]),
        *(pytest.param(kind, {"method": "rk4"}, marks=pytest.mark.slow) for kind in ("lossy gear", "spring")),
    ],
)
def test_gears_and_springs_stay_on_their_branch(kind: str, options: dict[str, Any]) -> None:
    robot, branch, x, _ = parallelogram(np.random.default_rng(2))
    lossy, spring = Actuator(Motor(1e-5), Gear(20.0, efficiency=0.9)), Spring(2000.0)
    actuator = lossy if kind == "lossy gear" else Actuator(Motor(1e-5), Gear(100.0), spring=spring)
    robot = robot.with_actuators({"a": actuator})
    motion = armdyn.simulate(robot, branch.q(x), duration=1.0, save=SaveAt(every=0.01), **options)
    of_branch = np.array([branch.q(q[:1]) for q in motion.q])
    assert abs(motion.q - of_branch).max() < 1e-8
    assert abs(motion.energy.relative_drift).max() < 1e-7
    assert np.ptp(motion.q[:, 0]) > 3.0


def test_saved_times_near_a_dead_point_have_velocities() -> None:
    """Dense output of a step over the dead point takes stages of its own, of which one may lie at it."""
    robot, branch, x, _ = parallelogram(np.random.default_rng(0))
    robot = robot.with_actuators({"a": Actuator(Motor(1e-5), Gear(100.0), spring=Spring(2000.0))})
    motion = armdyn.simulate(robot, branch.q(x), duration=1.0, save=SaveAt(every=0.01))
    ends = armdyn.simulate(robot, branch.q(x), duration=0.82, save=SaveAt(times=[0.0, 0.82]))
    assert abs(abs(motion.q[82, 0]) - np.pi) < 1e-3
    np.testing.assert_allclose(motion.qd[82], ends.qd[-1], rtol=1e-7)
    assert abs(motion.energy.relative_drift).max() < 1e-7


@pytest.mark.parametrize("method", ["taylor", Adaptive(scipy_method="LSODA")], ids=["taylor", "LSODA"])
def test_methods_that_cannot_be_corrected_say_so(method: Any) -> None:
    pytest.importorskip("heyoka") if method == "taylor" else None
    robot, branch, x, _ = parallelogram(np.random.default_rng(0))
    near = "comes near a dead point of its constraints"
    try:
        notes = armdyn.simulate(robot, branch.q(x), duration=1.0, method=method).notes
    except SimulationError as error:
        notes = error.trajectory.notes
    assert any(near in note for note in notes)
    assert not any(near in n for n in armdyn.simulate(robot, branch.q(x), duration=0.1, method=method).notes)


def test_a_batch_moves_as_each_state_alone() -> None:
    """Also where some come to dead points and others do not."""
    robot, branch, _, _ = parallelogram(np.random.default_rng(0))
    q = np.array([branch.q(np.array([a])) for a in (1.2, 0.3, -1.0)])
    together = armdyn.simulate(robot, q, duration=1.0, save=SaveAt(every=0.1))
    for k, start in enumerate(q):
        np.testing.assert_array_equal(
            together.q[:, k], armdyn.simulate(robot, start, duration=1.0, save=SaveAt(every=0.1)).q
        )


def test_a_motion_between_its_steps_too() -> None:
    """The step over a dead point is accurate at its ends, and its interpolant too."""
    robot, branch, x, _ = parallelogram(np.random.default_rng(0))
    motion = armdyn.simulate(robot, branch.q(x), duration=1.0, save=SaveAt(every=0.5, dense=True))
    states = motion.at(np.linspace(0.0, 1.0, 1001))
    C = branch.slope(x)[:, 0]
    assert abs(states.q - states.q[:, :1] * C).max() < 1e-6
    assert abs(states.qd - states.qd[:, :1] * C).max() < 1e-5


def test_a_linkage_at_rest_near_a_dead_point_stays_there() -> None:
    """Its bars lie on a line but for 1e-3 rad; the coupler's weight is held by a torque."""
    robot, branch, _, _ = parallelogram(np.random.default_rng(0))
    x = np.array([np.pi - 1e-3])
    torque = robot.gravity_forces(branch.q(x))
    motion = armdyn.simulate(robot, branch.q(x), torque=torque, duration=1.0)
    assert abs(motion.q - branch.q(x)).max() < 1e-8


def test_closed_loops_warn_of_dead_points() -> None:
    """Of two motions one falls through a dead point; the other one's weight is carried."""
    robot, _, x, _ = parallelogram(np.random.default_rng(0))
    q = np.array([x[0], -x[0], x[0]])
    loop = armdyn.ClosedLoop(robot, method=armdyn.simulation.RungeKutta4(1e-3))
    with pytest.warns(armdyn.simulation.DeadPointWarning, match="passes a dead point of its constraints, where"):
        loop(q, steps=1500, tau=np.zeros(3))
    with pytest.warns(armdyn.simulation.DeadPointWarning, match="in 1 of 2 motions"):
        loop.simulate(q, steps=1500, tau=np.stack([np.zeros(3), robot.gravity_forces(q)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loop(q, steps=1500, tau=robot.gravity_forces(q))
