"""Lambda, eta and what goes with them against Pinocchio, against forward dynamics, and by their own identities."""

import numpy as np
import pytest
from mpmath import mp, mpf

import armdyn
from armdyn.task_space import TaskComponents, TaskSpace
from crosscheck.test_jacobian_dot import evaluated
from oracles.cases import CASES, Case
from oracles.short_run import short_run
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, to_armdyn
from task_space.expected import COMPONENTS, WAYS, compiled, jacobian, known_to, rows_of, task_space, well_conditioned

SKEW = ((0.3, -1.2, 0.7, 0.0, 0.0, 0.0), (0.2, 0.1, -0.4, 1.1, -0.6, 0.5), (0.0, 0.0, 0.0, 0.0, 0.8, 1.3))
TASKS = {
    "pose": COMPONENTS,
    "position": COMPONENTS[3:],
    "orientation": COMPONENTS[:3],
    "pointing": ("wx", "wy"),
    "mixed": ("vz", "wx", "vx"),
    "height": ("vz",),
    "skew": SKEW,
}


PAIRS = [
    ("body", "pose"), ("body", "skew"), ("body", "pointing"), ("space", "mixed"), ("space", "orientation"),
    ("world", "position"), ("world", "height"), ("world", "pose"),
]  # fmt: skip


@pytest.mark.short_run(
    without=(
        "ur5-body-pose",
        "ur5-body-skew",
        "ur5-space-mixed",
        "ur5-space-orientation",
        "ur5-world-pose",
        "ur5-world-position",
        "random_tree-body-skew",
        "random_tree-space-mixed",
        "ur5-body-pointing",
        "ur5-world-height",
        "random_tree-body-pointing",
    )
)
@pytest.mark.parametrize(("way", "task"), PAIRS)
def test_pinocchio(case: Case, way: str, task: str) -> None:
    components, point = TASKS[task], (0.0, 0.0, 0.0) if way == "space" else (0.11, -0.23, 0.31)
    s = random_states(case.n, 400, seed=401)
    J = jacobian(case, s.q[0], case.robot.tip, point, components, way)
    if np.linalg.matrix_rank(J, tol=1e-9) < len(components):
        pytest.skip("the tip of this robot has fewer freedoms")
    options = {"components": components, "expressed_in": way, "point": point}
    q, qd = well_conditioned(case.robot, s.q, s.qd, 4, **options)
    actual = case.robot.task_space(q, qd, **options)
    expected = [task_space(case, *x, case.robot.tip, point, components, way) for x in zip(q, qd, strict=True)]
    floors = {"N": 1.0, "mu": np.abs(stacked(expected, "p")).max()}  # Pinocchio's c is the difference h - g
    for name in TaskSpace._fields:
        assert_close(getattr(actual, name), stacked(expected, name), known_to(actual), floors.get(name, 0.0))


def stacked(expected, name: str) -> np.ndarray:
    return np.array([getattr(e, name) for e in expected])


@pytest.mark.short_run("random_tree")
def test_any_frame(case: Case) -> None:
    """Also frames whose chain is a part of the tree only, and that are not the tip."""
    robot, s = case.robot, random_states(case.n, 100, seed=402)
    known = {f.name for f in case.pin.frames}
    choices = {}  # two components that the joints can make, by frame
    for name in robot.frame_names:
        J = robot.jacobian(s.q[0], frame=name)
        pairs = [(i, j) for i in range(6) for j in range(i) if np.linalg.matrix_rank(J[[i, j]], tol=1e-3) == 2]
        if name in known and pairs:
            choices[name] = tuple(COMPONENTS[i] for i in pairs[len(pairs) // 2])
    for frame in list(choices)[len(choices) // 2 :: 100]:
        options = {"frame": frame, "components": choices[frame]}
        q, qd = well_conditioned(robot, s.q, s.qd, 3, **options)
        actual = robot.task_space(q, qd, **options)
        expected = [task_space(case, *x, frame, (0, 0, 0), choices[frame], "body") for x in zip(q, qd, strict=True)]
        for name in ("Lambda", "eta", "Jbar"):
            assert_close(getattr(actual, name), stacked(expected, name), known_to(actual))


@pytest.mark.short_run("ur5-body-pose")
@pytest.mark.parametrize(("name", "way", "task"), [("ur5", "body", "pose"), ("tiago", "world", "height")])
def test_forty_digits(name: str, way: str, task: str) -> None:
    """The compiled numbers against the same program in forty digits: a caster wheel of 4e-6 kg m^2 costs nothing."""
    robot = CASES[name]().robot
    options = {"components": TASKS[task], "expressed_in": way, "point": (0.11, -0.23, 0.31)}
    s = random_states(robot.dof, 400, seed=409)
    program = compiled(robot, **options).program()
    for q, qd in zip(*well_conditioned(robot, s.q, s.qd, 2, **options), strict=True):
        with mp.workdps(40):
            exact = np.array([float(x) for x in evaluated(program, [mpf(float(x)) for x in (*q, *qd)])])
        parts = np.split(exact, np.cumsum([port.size for port in program.outputs])[:-1])
        for value, expected in zip(robot.task_space(q, qd, **options), parts, strict=True):
            assert_close(value.reshape(1, -1), expected[None], 1e-13, floor=1e-3)


ARMS = {
    "ur5": lambda: armdyn.load("ur5", gravity=(1.2, -3.4, -8.0)),
    "panda": lambda: CASES["panda_locked"]().robot,
    "slides": lambda: armdyn.Robot(to_armdyn(random_tree(51, 6, chain=True))),
    "eight": lambda: armdyn.Robot(to_armdyn(random_tree(52, 8, chain=True))),
    "tree": lambda: CASES["random_tree"]().robot,
    "planar_3r": lambda: armdyn.load("planar_3r"),
}
OF_ARM = {"planar_3r": ("wz", "vx", "vy"), "tree": ("vx", "vy", "vz")}


@pytest.fixture(scope="module", params=short_run(ARMS, "slides", "eight"))
def arm(request):
    """A robot, and as many components of its tip's twist as it can make."""
    robot = ARMS[request.param]()
    return robot, OF_ARM.get(request.param, COMPONENTS)


def states(robot, options, count: int = 5):
    s = random_states(robot.dof, 400, seed=403)
    return well_conditioned(robot, s.q, s.qd, count, **options)


@pytest.mark.short_run("eight-body", "eight-world", "eight-space")
@pytest.mark.parametrize("way", WAYS)
def test_square_jacobians(arm, way: str) -> None:
    """Lambda = J^-T M J^-1 and eta = J^-T h - Lambda Jdot J^-1 V (MR 8.90, 8.91), with this library's M, h, J, Jdot."""
    robot, components = arm
    if len(components) != robot.dof:
        pytest.skip("more joints than components")
    options = {"components": components, "expressed_in": way}
    for q, qd in zip(*states(robot, options), strict=True):
        S = rows_of(components)
        J = S @ robot.jacobian(q, expressed_in=way)
        inverse = np.linalg.inv(J)
        Lambda = inverse.T @ robot.mass_matrix(q) @ inverse
        V = J @ qd
        eta = inverse.T @ robot.bias_forces(q, inverse @ V) - Lambda @ S @ robot.jacobian_dot(
            q, qd, expressed_in=way
        ) @ (inverse @ V)
        task = robot.task_space(q, qd, **options)
        assert_close(task.Lambda[None], Lambda[None])
        assert_close(task.eta[None], eta[None])
        assert_close(task.Jbar[None], inverse[None])
        np.testing.assert_array_equal(task.N, np.zeros((robot.dof, robot.dof)))


@pytest.mark.short_run("slides-space")
@pytest.mark.parametrize("way", WAYS)
def test_forces_cause_the_acceleration_they_were_made_for(arm, way: str) -> None:
    """tau = J^T (Lambda a + eta) + N tau_0 through forward dynamics gives Vdot = a, whatever tau_0 is (MR 8.89)."""
    robot, components = arm
    options = {"components": components, "expressed_in": way}
    rng = np.random.default_rng(404)
    for q, qd in zip(*states(robot, options), strict=True):
        task = robot.task_space(q, qd, **options)
        wanted, any_forces = rng.normal(0.0, 3.0, len(components)), rng.normal(0.0, 3.0, robot.dof)
        qdd = robot.forward_dynamics(q, qd, task.J.T @ (task.Lambda @ wanted + task.eta) + task.N @ any_forces)
        assert_close((task.J @ qdd + task.Jdot_qd)[None], wanted[None], 1e-12, floor=np.abs(qdd).max())


@pytest.mark.short_run("slides")
def test_consistent_inverse_and_projector(arm) -> None:
    """J Jbar = 1; N does not move the task, is a projector, and its transpose ends in the null space of J."""
    robot, components = arm
    components = components[-2:]  # with joints to spare on every arm
    options = {"components": components, "expressed_in": "world"}
    for q, qd in zip(*states(robot, options), strict=True):
        M, task = robot.mass_matrix(q), robot.task_space(q, qd, **options)
        k, n = len(components), robot.dof
        rounding = 1e-12 * max(1.0, np.abs(task.N).max())
        assert np.linalg.matrix_rank(task.N, tol=1e-6) == n - k
        assert np.abs(task.J @ task.Jbar - np.eye(k)).max() < rounding
        assert np.abs(task.N @ task.N - task.N).max() < rounding * np.abs(task.N).max()
        assert np.abs(task.N @ task.J.T).max() < rounding * np.abs(task.J).max()
        assert np.abs(task.J @ task.N.T).max() < rounding * np.abs(task.J).max()
        MinvN = np.linalg.solve(M, task.N)
        assert np.abs(task.J @ MinvN).max() < 1e-12 * np.abs(task.J).max() * np.abs(np.linalg.inv(M)).max()
        # Of all joint velocities that move the task by V, Jbar V has the least kinetic energy: M Jbar = J^T Lambda.
        assert_close((M @ task.Jbar)[None], (task.J.T @ task.Lambda)[None], 1e-12, floor=np.abs(M).max())


@pytest.mark.slow
def test_null_space_forces_do_not_accelerate_the_task() -> None:
    """A Panda pushed along N tau_0 moves its joints, not its hand, against the same arm not pushed."""
    robot = CASES["panda_locked"]().robot
    q, qd = states(robot, {}, count=3)
    for one, rate in zip(q, qd, strict=True):
        task = robot.task_space(one, rate)
        push = task.N @ np.random.default_rng(405).normal(0.0, 10.0, 7)
        moved = robot.forward_dynamics(one, rate, push) - robot.forward_dynamics(one, rate, np.zeros(7))
        assert np.abs(moved).max() > 0.1
        assert np.abs(robot.jacobian(one) @ moved).max() < 1e-12 * np.abs(moved).max() * np.abs(task.J).max() * 10


@pytest.mark.slow
def test_velocity_and_gravity_parts(arm) -> None:
    """p is eta at rest and linear in gravity; mu does not know of gravity and is quadratic in the velocities."""
    robot, components = arm
    options = {"components": components}
    weightless, heavy = robot.with_gravity(np.zeros(3)), robot.with_gravity(3.0 * robot.gravity)
    for q, qd in zip(*states(robot, options, 3), strict=True):
        task = robot.task_space(q, qd, **options)
        np.testing.assert_array_equal(robot.task_space(q, 0.0 * qd, **options).eta, task.p)
        assert_close(heavy.task_space(q, qd, **options).p[None], 3.0 * task.p[None])
        assert_close(weightless.task_space(q, qd, **options).eta[None], task.mu[None])
        assert_close(robot.task_space(q, -2.0 * qd, **options).mu[None], 4.0 * task.mu[None])
        np.testing.assert_allclose(task.eta, task.mu + task.p, rtol=1e-15, atol=0)


@pytest.mark.slow
def test_kinetic_energy_is_the_same_in_task_coordinates() -> None:
    """V^T Lambda V = qd^T M qd where J is square (MR 8.20)."""
    robot = armdyn.load("ur5")
    for way in WAYS:
        for q, qd in zip(*states(robot, {"expressed_in": way}), strict=True):
            task = robot.task_space(q, qd, expressed_in=way)
            V = task.J @ qd
            assert 0.5 * V @ task.Lambda @ V == pytest.approx(robot.kinetic_energy(q, qd), rel=1e-12)


def test_exercise_8_6() -> None:
    """Jdot qd from the printed derivatives dJ_i/dtheta_j, brackets of columns: for i > j in space, i < j in body."""
    import modern_robotics as mr

    robot = armdyn.load("ur5")
    s = random_states(6, 5, seed=406)
    for q, qd in zip(s.q, s.qd, strict=True):
        Js, Jb = robot.jacobian(q, expressed_in="space"), robot.jacobian(q)
        in_space = sum(mr.ad(Js[:, j]) @ Js[:, i] * qd[i] * qd[j] for i in range(6) for j in range(i))
        in_body = sum(mr.ad(Jb[:, i]) @ Jb[:, j] * qd[i] * qd[j] for i in range(6) for j in range(i + 1, 6))
        for way, expected in (("space", in_space), ("body", in_body)):
            assert_close(robot.task_space(q, qd, expressed_in=way).Jdot_qd[None], expected[None])


def test_rows_are_combinations_of_components() -> None:
    robot, s = armdyn.load("ur5"), random_states(6, 6, seed=407)
    whole, part = robot.task_space(s.q, s.qd), robot.task_space(s.q, s.qd, components=("vz", *SKEW))
    S = rows_of(("vz", *SKEW))
    assert_close(part.mobility, S @ whole.mobility @ S.T)
    assert_close(part.J, S @ whole.J)
    assert_close(part.Jdot_qd, whole.Jdot_qd @ S.T)
    assert TaskComponents(components=("orientation", "vy")) == TaskComponents(components=(*COMPONENTS[:3], "vy"))
    assert TaskComponents(components="position") == TaskComponents(components=COMPONENTS[3:])
    assert TaskComponents(components="pose") == TaskComponents()


def test_order_of_the_components_is_the_order_of_the_rows() -> None:
    robot, s = armdyn.load("ur5"), random_states(6, 4, seed=408)
    one, other = ("vz", "wx", "vx"), ("vx", "vz", "wx")
    turn = [other.index(name) for name in one]
    a, b = (robot.task_space(s.q, s.qd, components=names) for names in (one, other))
    assert_close(a.Lambda, b.Lambda[:, turn][:, :, turn])
    assert_close(a.eta, b.eta[:, turn])
    assert_close(a.Jbar, b.Jbar[:, :, turn])
    assert_close(a.N, b.N)
