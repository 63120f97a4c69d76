"""The mutation check: slips in the equations are found out by what Pinocchio says of a few robots.

A seeded sample of mutants is tried in every run, and all of them with ``--all-mutants``. One that survives either shows
a hole in the tests or changes nothing that counts; the latter stand in `EQUIVALENT`, each with its reason.
"""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.spatial.rotations import rigid
from oracles.cases import ANGULAR_FIRST, CASES, Case, bundled
from oracles.flying import RATES, TWISTS, Flying
from oracles.states import random_states
from oracles.trees import random_rotation, spindles, to_armdyn, to_pinocchio

sys.path.insert(0, str(Path(__file__).parent))
from judge import count
from mutants import Mutant, mutant, places

SOURCE = Path(armdyn.__file__).parent
MODULES = (
    "algorithms.energy",
    "algorithms.external_wrench",
    "algorithms.forward_dynamics",
    "algorithms.kinematics",
    "algorithms.mass_matrix",
    "algorithms.newton_euler",
    "model.drive",
    "model.mechanism",
    "model.regrouping",
    "spatial.turns",
)
SAMPLE, SEED = 120, 7
ROBOTS = {
    **{name: CASES[name] for name in ("ur5", "panda_fingers", "random_tree", "right_angled_tree")},
    **{name: lambda name=name: bundled(name) for name in ("planar_2r", "rp")},
    "spindles": lambda: Case("spindles", armdyn.Robot(to_armdyn(spindles())), to_pinocchio(spindles())),
}
COUNTED = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "potential_energy", "kinetic_energy", "jacobian",
           "forward_kinematics")  # fmt: skip

FILLED = "a placeholder that is always overwritten"
SQUARED = "only the square of this vector is used"
AT_ZERO = "the first line is always given through the origin"
EITHER_WAY = "an axis of the other direction suits as well"
UNCLEANED = "traced scalars are never cleaned"
SAFE = "a threshold of rounding with a wide margin"
EQUIVALENT = {
    "reciprocal = [0.0] * len(M) | 0.0 -> 1.0": FILLED,
    "tau: list[Any] = [0.0] * model.dof | 0.0 -> 1.0": FILLED,
    "normal = np.cross(z1, z2) | np.cross(z1, z2) -> np.cross(z2, z1)": SQUARED,
    "d = o2 - o1 | o2 - o1 -> o2 + o1": AT_ZERO,
    "d = o2 - o1 | o2 - o1 -> o2": AT_ZERO,
    "y = np.cross(z, x) | np.cross(z, x) -> np.cross(x, z)": EITHER_WAY,
    "x = clean_direction(np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)) | "
    "np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z) -> "
    "np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])": EITHER_WAY,
    "R = _clean(link_pose[:3, :3], 1.0) | 1.0 -> 2.0": SAFE,
    "com = _clean(R @ inertia.com + p, _scale(p) + _scale(inertia.com)) | "
    "_scale(p) + _scale(inertia.com) -> _scale(inertia.com)": SAFE,
    "base_axes=None if base_pose is None else _clean(base_pose[:3, :3], 1.0), | 1.0 -> 2.0": SAFE,
    "if abs(xy) < ROUNDING * (xx + yy): | xx + yy -> xx - yy": SAFE,
    "if abs(xy) < ROUNDING * (xx + yy): | xx + yy -> xx": SAFE,
    "if abs(xy) < ROUNDING * (xx + yy): | xx + yy -> yy": SAFE,
    "return 0.0 if values.dtype == object else float(np.abs(values).max()) | 0.0 -> 1.0": UNCLEANED,
    "if np.linalg.norm(across) > ROUNDING * (np.linalg.norm(inertia.com) + np.linalg.norm(origin)): | "
    "np.linalg.norm(inertia.com) + np.linalg.norm(origin) -> np.linalg.norm(inertia.com)": SAFE,
    "if np.linalg.norm(across) > ROUNDING * (np.linalg.norm(inertia.com) + np.linalg.norm(origin)): | "
    "np.linalg.norm(inertia.com) + np.linalg.norm(origin) -> np.linalg.norm(origin)": SAFE,
    "FAR = 10.0 | 10.0 -> 11.0": SAFE,
    "if abs(foot) > FAR * math.sqrt(float(d @ d)): | "
    "FAR * math.sqrt(float(d @ d)) -> FAR + math.sqrt(float(d @ d))": SAFE,
    "R = matrix((*body.turns, body.joint_turn(0.0))).astype(np.longdouble) | "
    "0.0 -> 1.0": "a prismatic joint does not turn",
}


SCALES_OF_ROUNDING = {
    "reach = _scale(joint.placement[:3, 3]) + _scale(parent_pose[:3, 3]) + _scale(frame[:3, 3])",
    "size = np.linalg.norm(child.placement[:3, 3]) + np.linalg.norm(origin)",
}
"""Lines that only say how large lengths are, for thresholds of rounding with a wide margin: any change will do."""


def explained(m: Mutant) -> bool:
    return f"{m.line} | {m.change}" in EQUIVALENT or m.line in SCALES_OF_ROUNDING


def source_of(module: str) -> str:
    return (SOURCE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")


def exam() -> tuple:
    """What Pinocchio says of each robot in two states, and what the true source costs."""
    questions = []
    cases = {name: make() for name, make in ROBOTS.items()}
    for name, case in cases.items():
        for state in zip(*random_states(case.n, 2, seed=131), strict=True):
            questions += [(name, *q) for q in answers(case, *state)]
    for seed, right_angled in ((161, False), (162, True)):
        flying = Flying(seed, right_angled)
        cases[f"flying {seed}"] = flying
        for state in zip(*random_states(6, 2, seed=133)[:3], strict=True):
            moving = [*state, TWISTS[0], RATES[0]]
            answer = flying.inverse_dynamics(*moving)
            questions.append((f"flying {seed}", "inverse_dynamics", {}, [*moving[:3], None, *moving[3:]], answer))
            questions += [(f"flying {seed}", *q) for q in answers_in_flight(flying, *state[:2])]
    geared = with_rotors(cases["ur5"])
    models = {name: pickle.dumps(case.robot.model) for name, case in cases.items()}
    models["geared"] = pickle.dumps(geared.model)
    questions += [("geared", *q) for q in answers_with_rotors(cases["ur5"], geared)]
    based = with_a_frame_on_the_base(cases["ur5"].robot)
    models["based"] = pickle.dumps(based.model)
    q, _, _, _, f_tip = next(zip(*random_states(6, 1, seed=139), strict=True))
    questions += [("based", *row) for row in wrench_rows(cases["ur5"], based, q, f_tip)]
    coupled, A, b = with_coupling(cases["random_tree"].robot)
    models["coupled"] = pickle.dumps(coupled.model)
    questions += [("coupled", *q) for q in answers_coupled(cases["random_tree"], A, b)]
    counts = {
        (name, function): count(case.robot.mechanism, function) for name, case in cases.items() for function in COUNTED
    }
    return models, questions, counts


def answers_in_flight(flying: Flying, q, qd) -> list[tuple]:
    """Energy on the ground, and what is quadratic in the velocities, the base's included."""
    zero, still = np.zeros(len(q)), np.zeros(6)
    c = flying.inverse_dynamics(q, qd, zero, TWISTS[0], still) - flying.inverse_dynamics(q, zero, zero, still, still)
    return [
        ("kinetic_energy", {}, [q, qd, TWISTS[0]], np.array(flying.kinetic_energy(q, qd, TWISTS[0]))),
        ("velocity_forces", {}, [q, qd, TWISTS[0]], c),
    ]


def with_coupling(free: armdyn.Robot) -> tuple[armdyn.Robot, np.ndarray, np.ndarray]:
    """Joints moved by one coordinate, by none and by several, in another order than the tree's."""
    free = armdyn.Robot(
        free.model.replace(joints=tuple(replace(joint, limits=armdyn.Limits()) for joint in free.model.joints))
    )
    rng = np.random.default_rng(136)
    A, b = rng.normal(size=(free.dof, 3)) * (rng.random((free.dof, 3)) < 0.6), rng.normal(size=free.dof)
    A[2], A[4, :2], A[5] = (0.0, 0.0, 0.0), (1.0, 0.0), (0.0, 2.0, 0.0)
    names = ["x", "y", "z"]
    return free.with_coordinates(names, A, offset=b, kinds=dict.fromkeys(names, "revolute")), A, b


def answers_coupled(case: Case, A: np.ndarray, b: np.ndarray) -> list[tuple]:
    """The map done in NumPy around Pinocchio's answers."""
    q, qd, qdd, tau, _ = next(zip(*random_states(A.shape[1], 1, seed=137), strict=True))
    joints, rates = A @ q + b, A @ qd
    M = A.T @ case.mass_matrix(joints) @ A
    bias = A.T @ case.inverse_dynamics(joints, rates, np.zeros(case.n))
    pin.framesForwardKinematics(case.pin, case.data, case.pin_q(joints))
    tip = case.pin.getFrameId(case.robot.tip)
    J = case.from_pin(pin.computeFrameJacobian(case.pin, case.data, case.pin_q(joints), tip, pin.LOCAL))
    C = pin.computeCoriolisMatrix(case.pin, case.data, case.pin_q(joints), case.to_pin(rates))
    Mdot = (C + C.T)[np.ix_(case.column, case.column)]
    return [
        ("mass_matrix_dot", {}, [q, qd], A.T @ Mdot @ A),
        ("joint_positions", {}, [q], joints),
        ("inverse_dynamics", {}, [q, qd, qdd], M @ qdd + bias),
        ("mass_matrix", {}, [q], M),
        ("forward_dynamics", {}, [q, qd, tau], np.linalg.solve(M, tau - bias)),
        ("jacobian", {}, [q], J[ANGULAR_FIRST] @ A),
    ]


def with_a_frame_on_the_base(robot: armdyn.Robot) -> armdyn.Robot:
    """Askew, and away from the base's origin."""
    rng = np.random.default_rng(138)
    frame = armdyn.Frame("on_base", robot.model.base, rigid(random_rotation(rng), rng.normal(size=3)))
    return armdyn.Robot(robot.model.replace(frames=(*robot.model.frames, frame)))


def wrench_rows(case: Case, robot: armdyn.Robot, q, wrench) -> list[tuple]:
    """A wrench on the tip, on a link and on the base, in all axes, as Pinocchio carries it to the link's frame."""
    model, data = case.pin, case.data
    pin.framesForwardKinematics(model, data, case.pin_q(q))
    poses = {robot.link_names[0]: pin.SE3.Identity()}
    poses |= {link: data.oMf[model.getFrameId(link)].copy() for link in robot.link_names[1:]}
    given, found = pin.Force(wrench[3:], wrench[:3]), []
    on_base = [frame.name for frame in robot.model.frames if frame.link == robot.model.base]
    for name in (robot.tip, robot.link_names[-1], on_base[-1]):
        frame = robot.model.frame(name)
        T_0L, T_LF = poses[frame.link], pin.SE3(frame.pose.copy())
        at = {
            "body": T_LF,
            "space": T_0L.inverse(),
            "world": T_LF * pin.SE3((T_0L * T_LF).rotation.T, np.zeros(3)),
        }
        for way, T in at.items():
            rows, in_link = np.zeros((len(robot.link_names), 6)), T.act(given)
            rows[robot.link_names.index(frame.link)] = [*in_link.angular, *in_link.linear]
            found.append(("external_wrench", {"frame": name, "expressed_in": way}, [q, wrench], rows))
    return found


def with_rotors(case: Case) -> armdyn.Robot:
    """The robot with rotors on its joints."""
    model = case.robot.model
    joints = (replace(joint, armature=0.3 + 0.1 * k) for k, joint in enumerate(model.joints))
    return armdyn.Robot(model.replace(joints=tuple(joints)))


def answers_with_rotors(case: Case, geared: armdyn.Robot) -> list[tuple]:
    """A rotor follows its own joint alone: it adds to the diagonal of M, and to nothing else."""
    q, qd, qdd, tau, _ = next(zip(*random_states(case.n, 1, seed=134), strict=True))
    rotors = np.array([joint.armature for joint in geared.joints])
    M = case.mass_matrix(q) + np.diag(rotors)
    bias = case.inverse_dynamics(q, qd, np.zeros(case.n))
    return [
        ("inverse_dynamics", {}, [q, qd, qdd], M @ qdd + bias),
        ("mass_matrix", {}, [q], M),
        ("forward_dynamics", {}, [q, qd, tau], np.linalg.solve(M, tau - bias)),
        ("kinetic_energy", {}, [q, qd], 0.5 * qd @ M @ qd),
    ]


def answers(case: Case, q, qd, qdd, tau, f_tip) -> list[tuple]:
    """Function, options, arguments and Pinocchio's answer."""
    zero = np.zeros(case.n)
    model, data, x, v = case.pin, case.data, case.pin_q(q), case.to_pin(qd)
    rest, bias = case.inverse_dynamics(q, zero, zero), case.inverse_dynamics(q, qd, zero)
    found = [
        ("inverse_dynamics", {}, [q, qd, qdd], case.inverse_dynamics(q, qd, qdd)),
        ("inverse_dynamics", {}, [q, qd, qdd, f_tip], case.inverse_dynamics(q, qd, qdd, f_tip)),
        ("forward_dynamics", {}, [q, qd, tau, f_tip], case.forward_dynamics(q, qd, tau, f_tip)),
        ("mass_matrix", {}, [q], case.mass_matrix(q)),
        ("bias_forces", {}, [q, qd], bias),
        ("gravity_forces", {}, [q], rest),
        ("velocity_forces", {}, [q, qd], bias - rest),
        ("tip_forces", {}, [q, f_tip], case.inverse_dynamics(q, zero, zero, f_tip) - rest),
        ("kinetic_energy", {}, [q, qd], np.array(pin.computeKineticEnergy(model, data, x, v))),
        ("potential_energy", {}, [q], np.array(pin.computePotentialEnergy(model, data, x))),
    ]
    found += wrench_rows(case, case.robot, q, f_tip)
    f_ext = np.random.default_rng(135).normal(0.0, 5.0, (len(case.robot.link_names), 6))
    pushed = case.from_pin(pin.rnea(model, data, x, v, case.to_pin(qdd), case.on_links(f_ext)))
    found.append(("inverse_dynamics", {}, [q, qd, qdd, None, None, None, f_ext], pushed))
    ways = {"body": pin.LOCAL, "space": pin.WORLD, "world": pin.LOCAL_WORLD_ALIGNED}
    pin.framesForwardKinematics(model, data, x)

    def pose(frame: str) -> np.ndarray:
        return data.oMf[model.getFrameId(frame)].homogeneous.copy()

    links = case.robot.link_names[1:]
    found.append(("link_poses", {}, [q], np.array([np.eye(4), *map(pose, links)])))
    for frame in (case.robot.tip, case.robot.link_names[0], links[0], links[len(links) // 2]):
        if not model.existFrame(frame):
            continue  # Pinocchio has no name for the base of some trees
        found.append(("forward_kinematics", {"frame": frame}, [q], pose(frame)))
        pin.computeJointJacobiansTimeVariation(model, data, x, v)
        pin.updateFramePlacements(model, data)
        for way, reference in ways.items():
            rate = case.from_pin(pin.getFrameJacobianTimeVariation(model, data, model.getFrameId(frame), reference))
            found.append(("jacobian_dot", {"frame": frame, "expressed_in": way}, [q, qd], rate[ANGULAR_FIRST]))
            J = case.from_pin(pin.computeFrameJacobian(model, data, x, model.getFrameId(frame), reference))
            found.append(("jacobian", {"frame": frame, "expressed_in": way}, [q], J[ANGULAR_FIRST]))
    return found


def verdicts(suspects: list[Mutant]) -> list[str]:
    """Of a fresh process, which imports nothing of armdyn before it is mutated."""
    package = str(SOURCE.parent)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "judge.py")],
        input=pickle.dumps((exam(), [(f"armdyn.{m.module}", m.source) for m in suspects])),
        env={"PYTHONPATH": package, "PATH": "", "ARMDYN_CACHE_DIR": "", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        timeout=1800,
        check=True,
    )
    return done.stdout.decode().split()


def chosen(every: bool) -> list[Mutant]:
    all_places = [place for module in MODULES for place in places(module, source_of(module))]
    if not every:
        picked = np.random.default_rng(SEED).choice(len(all_places), SAMPLE, replace=False)
        all_places = [all_places[i] for i in sorted(picked)]
    return [mutant(place, source_of(place.module)) for place in all_places]


def test_mutants_are_found_out(request: pytest.FixtureRequest) -> None:
    suspects = chosen(request.config.getoption("--all-mutants"))
    untouched = Mutant(MODULES[0], "", "", source_of(MODULES[0]))
    first, *others = verdicts([untouched, *suspects])
    assert first == "survived", "the exam fails the true source"
    assert len(others) == len(suspects)
    survivors = [m for m, verdict in zip(suspects, others, strict=True) if verdict == "survived"]
    unexplained = [str(m) for m in survivors if not explained(m)]
    assert not unexplained, f"{len(unexplained)} of {len(suspects)} mutants survive:\n" + "\n".join(unexplained)


def test_explained_mutants_exist() -> None:
    """A line that is no longer there needs no excuse."""
    lines = {line.strip() for module in MODULES for line in source_of(module).splitlines()}
    assert {key.split(" | ")[0] for key in EQUIVALENT} | SCALES_OF_ROUNDING <= lines


def test_a_place_is_a_change() -> None:
    source = "def f(a, b):\n    return a + 2.0 * b\n"
    found = [mutant(p, source).source.splitlines()[1].strip() for p in places("m", source)]
    assert found == ["return a - 2.0 * b", "return a", "return 2.0 * b", "return a + (2.0 + b)", "return a + 3.0 * b"]
