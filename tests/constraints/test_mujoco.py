"""Equalities of MJCF files, read and against MuJoCo's own rows: efc_J, and the accelerations that they leave."""

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn.simulation import SaveAt
from oracles.states import assert_close
from oracles.trees import random_tree, to_mjcf

EQUALITIES = {
    "connect": '<connect name="loop" body1="{tip}" body2="{other}" anchor="0.1 -0.2 0.3"/>',
    "connect to the world": '<connect name="loop" body1="{tip}" anchor="0.1 -0.2 0.3"/>',
    "weld": '<weld name="loop" body1="{tip}" body2="{other}" anchor="0.2 0.1 -0.3"/>',
    "weld with a pose": '<weld name="loop" body1="{other}" body2="{tip}" relpose="{pose}"/>',
    "weld to the world": '<weld name="loop" body1="{tip}"/>',
    "weld that turns": '<weld name="loop" body1="{tip}" body2="{other}" torquescale="0"/>',
    "sites, connect": '<connect name="loop" site1="here" site2="there"/>',
    "sites, weld": '<weld name="loop" site1="here" site2="there"/>',
}
SITES = {
    "tool": '<site name="here" pos="0.1 0.2 0.3" euler="0.3 0.4 0.5"/>',
    "link0": '<site name="there" pos="-0.2 0.1 0.15" euler="-0.3 0.8 0.2"/>',
}


def relative_pose(text: str) -> str:
    """Of the tool in link0 somewhere, so that a weld can be closed, as MuJoCo's kinematics has it."""
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    d.qpos[:] = np.random.default_rng(8).uniform(-0.5, 0.5, m.nq)
    mujoco.mj_kinematics(m, d)
    back, inverse, pose, quat = (np.zeros(k) for k in (3, 4, 3, 4))
    mujoco.mju_negPose(back, inverse, d.body("link0").xpos, d.body("link0").xquat)
    mujoco.mju_mulPose(pose, quat, back, inverse, d.body("tool").xpos, d.body("tool").xquat)
    return " ".join(repr(float(x)) for x in (*pose, *quat))


def description(kind: str, seed: int = 3) -> str:
    """A random chain of eight joints with one equality."""
    text = to_mjcf(random_tree(seed, chain=True)).replace(
        '<flag contact="disable" constraint="disable"/>', '<flag contact="disable"/>'
    )
    for body, site in SITES.items():
        start = text.index(">", text.index(f'<body name="{body}"')) + 1
        text = text[:start] + site + text[start:]
    equality = EQUALITIES[kind].format(tip="tool", other="link0", pose=relative_pose(text))
    return text.replace("</mujoco>", f"<equality>{equality}</equality></mujoco>")


@pytest.fixture(scope="module", params=EQUALITIES)
def pair(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("mjcf") / "tree.xml"
    path.write_text(description(request.param))
    m = mujoco.MjModel.from_xml_path(str(path))
    return armdyn.Robot.from_mjcf(path, tip="tool"), m, mujoco.MjData(m)


def closed_state(pair, seed):
    """A state of the closed loop, in which rows in other axes are turned into each other."""
    robot, m, d = pair
    rng = np.random.default_rng(seed)
    q = robot.close_loop(rng.uniform(-0.3, 0.3, robot.dof))
    qd = robot.close_velocities(q, rng.normal(0.0, 2.0, robot.dof))
    order = [robot.joint_names.index(m.joint(j).name) for j in range(m.njnt)]
    d.qpos[:], d.qvel[:] = q[order], qd[order]
    mujoco.mj_forward(m, d)
    return q, qd, order


def rows_of_mujoco(pair, order):
    m, d = pair[1:]
    J = np.zeros((d.nefc, m.nv))
    if mujoco.mj_isSparse(m):
        mujoco.mju_sparse2dense(J, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
    else:
        J[:] = d.efc_J.reshape(d.nefc, m.nv)
    result = np.empty_like(J)
    result[:, order] = J
    return result


@pytest.mark.short_run("sites, connect")
def test_rows(pair, request):
    """The rows are MuJoCo's; its rotations are half a quaternion's, about other axes: turned and scaled."""
    robot, m, d = pair
    for seed in range(3):
        q, _, order = closed_state(pair, seed)
        J = rows_of_mujoco(pair, order)
        A = robot.constraint_jacobian(q)
        if "turns" in request.node.callspec.id:
            assert not J[3:].any()
            J = J[:3]
        assert A.shape == J.shape
        assert_close(A[:3], J[:3], 1e-11)
        if len(A) == 6:
            scale = float(m.eq_data[0, 10])
            expected = 0.5 * scale * A[3:]  # about body2's weld axes, half angles
            turned = np.linalg.lstsq(expected.T, J[3:].T, rcond=None)
            assert np.abs(turned[0].T @ expected - J[3:]).max() < 1e-10
            assert_close(turned[0] @ turned[0].T, np.eye(3), 1e-9)  # a rotation of axes alone
        assert abs(d.efc_pos).max() < 1e-9


def ends(m, d):
    """The two bodies that the equality ties, and the points of them that it keeps together, in the world."""
    ids, data = (int(m.eq_obj1id[0]), int(m.eq_obj2id[0])), m.eq_data[0]
    if m.eq_objtype[0] == mujoco.mjtObj.mjOBJ_SITE:
        return [(int(m.site_bodyid[s]), d.site_xpos[s].copy()) for s in ids]
    is_weld = m.eq_type[0] == mujoco.mjtEq.mjEQ_WELD
    places = (data[3:6], data[0:3]) if is_weld else (data[0:3], data[3:6])
    return [(b, d.xpos[b] + d.xmat[b].reshape(3, 3) @ r) for b, r in zip(ids, places, strict=True)]


def point_jacobians(m, d, order, function):
    """Jacobian of the first point less the second, positions and rotations, in world axes; or its rate."""
    both = []
    for body, place in ends(m, d):
        jacp, jacr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        function(m, d, jacp, jacr, place, body)
        both.append(np.vstack([jacp, jacr]))
    result = np.empty((6, m.nv))
    result[:, order] = both[0] - both[1]
    return result


@pytest.mark.short_run("connect")
def test_accelerations(pair):
    """The limit of hard constraints, of MuJoCo's M, bias, Jacobians and their rates, as one linear system."""
    robot, m, d = pair
    for seed in range(3):
        q, qd, order = closed_state(pair, seed)
        k = len(robot.constraint_rows)
        J = point_jacobians(m, d, order, mujoco.mj_jac)[:k]
        drift = point_jacobians(m, d, order, mujoco.mj_jacDot)[:k] @ qd
        M, M_, bias_ = np.zeros((m.nv, m.nv)), np.empty((m.nv, m.nv)), np.empty(m.nv)
        full_mass_matrix(m, d, M)
        M_[np.ix_(order, order)], bias_[order] = M, d.qfrc_bias
        tau = np.random.default_rng(seed + 50).normal(0.0, 20.0, m.nv)
        kkt = np.block([[M_, J.T], [J, np.zeros((k, k))]])
        solution = np.linalg.solve(kkt, np.concatenate([tau - bias_, -drift]))
        motion = robot.constrained_forward_dynamics(q, qd, tau)
        assert_close(motion.qdd[None], solution[None, : m.nv], 1e-9)


def full_mass_matrix(m, d, M):
    """Its arguments changed with the versions of MuJoCo."""
    try:
        mujoco.mj_fullM(m, M, d.qM)
    except (TypeError, AttributeError):
        mujoco.mj_fullM(m, d, M)


FOUR_BAR = """<mujoco model="four_bar"><compiler angle="radian"/>
<worldbody>
  <body name="crank"> <joint name="a" axis="0 1 0"/>
    <inertial pos="0.1 0 0.02" mass="1" diaginertia="0.001 0.005 0.004"/>
    <body name="coupler" pos="0.2 0 0"> <joint name="b" axis="0 1 0"/>
      <inertial pos="0.25 0 -0.03" mass="1.3" diaginertia="0.001 0.02 0.02"/> </body> </body>
  <body name="rocker" pos="0.5 0 -0.3"> <joint name="c" axis="0 1 0"/>
    <inertial pos="0 0 0.15" mass="0.7" diaginertia="0.001 0.01 0.01"/> </body>
</worldbody>
<equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.3 0 0"/></equality></mujoco>"""
"""A planar four-bar as authors write it: its point is held across the plane by the hinges already. Tilted: by files."""

TILTS = {
    "as written": "",
    "tilted": ' euler="0.3 -0.7 0.4"',
    "by six digits": ' quat="0.938913 0.103462 -0.30219 0.124993"',
}


@pytest.mark.short_run("as written", "by six digits")
@pytest.mark.parametrize("tilt", TILTS.values(), ids=[*TILTS])
def test_a_planar_connect_moves_by_default(tilt, tmp_path):
    """By MuJoCo's own matrices: M qdd + J^T lambda = -h with J qdd = -Jdot qd, lambda by least squares."""
    path = tmp_path / "four_bar.xml"
    path.write_text(
        FOUR_BAR.replace("<worldbody>", f"<worldbody><frame{tilt}>").replace("</worldbody>", "</frame></worldbody>")
    )
    robot, m = armdyn.Robot.from_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    q = robot.close_loop([0.4, -0.5, 0.3], locked=["a"])
    qd = robot.close_velocities(q, [1.5, 0.0, 0.0], locked=["a"])
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = q, qd
    mujoco.mj_forward(m, d)
    J, M = np.array(d.efc_J).reshape(-1, 3), np.zeros((3, 3))
    mujoco.mj_fullM(m, d, M)
    step = 1e-6  # Jdot qd is what MuJoCo does not give: central differences of its rows along the motion
    rows = []
    for s in (-step, step):
        d.qpos[:] = q + s * qd
        mujoco.mj_forward(m, d)
        rows.append(np.array(d.efc_J).reshape(-1, 3) @ qd)
    Jdot_qd = (rows[1] - rows[0]) / (2 * step)
    d.qpos[:] = q
    mujoco.mj_forward(m, d)
    Y = np.linalg.solve(M, J.T)
    free = np.linalg.solve(M, -d.qfrc_bias)
    expected = free - Y @ np.linalg.pinv(J @ Y, rcond=1e-9) @ (J @ free + Jdot_qd)
    motion = robot.constrained_forward_dynamics(q, qd, np.zeros(3))
    np.testing.assert_allclose(motion.qdd, expected, rtol=1e-8)  # of the differences
    assert_close((J @ motion.qdd)[None], -Jdot_qd[None], 1e-8)
    start = robot.constrained_forward_dynamics(q, np.zeros(3), np.zeros(3)).qdd  # at rest without any difference
    d.qvel[:] = 0.0
    mujoco.mj_forward(m, d)
    free = np.linalg.solve(M, -d.qfrc_bias)
    assert_close(start[None], (free - Y @ np.linalg.pinv(J @ Y, rcond=1e-9) @ (J @ free))[None], 1e-10)

    moves = armdyn.simulate(robot, q, qd, duration=0.5, save=SaveAt(every=0.1))
    assert any(
        note.startswith("rows of constraints that follow from others are left out: pin: ") for note in moves.notes
    )
    assert np.abs(robot.constraint_error(moves.q)).max() < 1e-6
    assert abs(moves.energy.drift).max() < 1e-7
    loop = armdyn.ClosedLoop(robot, method=armdyn.simulation.RungeKutta4(step=2.5e-4))
    np.testing.assert_allclose(loop(q, qd, steps=2000, tau=np.zeros(3)).final.q, moves.q[-1], atol=1e-7)


def test_notes_and_switches(tmp_path):
    path = tmp_path / "tree.xml"
    path.write_text(description("connect"))
    robot = armdyn.Robot.from_mjcf(path, tip="tool")
    assert "equality constraints hold exactly, solref and solimp are not used: loop" in robot.notes
    with pytest.raises(armdyn.Unsupported, match="would leave out its constraints"):
        robot.forward_dynamics(np.zeros(8), np.zeros(8), np.zeros(8))
    part = armdyn.Robot.from_mjcf(path, base="link1", tip="tool")
    assert not part.model.constraints
    assert "equality 'loop' between 'tool' and 'link0' is left out: one of them is" in part.notes
    path.write_text(description("connect").replace("<connect ", '<connect active="false" '))
    assert not armdyn.Robot.from_mjcf(path, tip="tool").model.constraints
    path.write_text(description("connect").replace('contact="disable"', 'contact="disable" equality="disable"'))
    assert not armdyn.Robot.from_mjcf(path, tip="tool").model.constraints
