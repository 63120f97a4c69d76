"""Inverse and forward dynamics and the mass matrix against MuJoCo, with contacts, damping and limits switched off."""

from functools import cache

import mujoco
import numpy as np
import pytest

from oracles.cases import CASES, Case
from oracles.robot_data import bare
from oracles.short_run import short_run
from oracles.states import assert_close, random_states
from oracles.trees import TREES, known_tree, to_mjcf

FROM_URDF = {"xarm7": "xarm_description/urdf/xarm7.urdf", "panda_fingers": "panda_description/urdf/panda.urdf"}
ROBOTS = short_run([*TREES, *FROM_URDF, "ur5"], "random_tree", "panda_fingers", "ur5")


class MuJoCo:
    """The robot of a case in MuJoCo, its joints in armdyn's order."""

    def __init__(self, case: Case) -> None:
        self.model = self._compile(case)
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in case.robot.joint_names]
        self.v = np.array([j.dofadr[0] for j in joints])
        self.q = np.array([j.qposadr[0] for j in joints])
        self.model.opt.gravity[:] = case.robot.gravity
        for quantity in ("dof_damping", "dof_armature", "dof_frictionloss", "jnt_stiffness"):
            getattr(self.model, quantity)[:] = 0.0
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT

    @staticmethod
    def _compile(case: Case) -> mujoco.MjModel:
        for name in TREES:
            if case is CASES[name]():
                return mujoco.MjModel.from_xml_string(to_mjcf(known_tree(name)))
        import xml.etree.ElementTree as ET

        tree = bare(FROM_URDF[next(k for k in FROM_URDF if CASES[k]() is case)]) if case.name != "ur5" else None
        root = ET.parse(case.urdf).getroot() if tree is None else tree.getroot()
        options = ET.SubElement(ET.SubElement(root, "mujoco"), "compiler")
        options.attrib |= {"fusestatic": "false", "balanceinertia": "false", "inertiafromgeom": "false"}
        return mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))

    def at(self, q: np.ndarray, qd: np.ndarray) -> mujoco.MjData:
        self.data.qpos[self.q] = q
        self.data.qvel[self.v] = qd
        self.data.qfrc_applied[:] = 0.0
        return self.data

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        data = self.at(q, qd)
        data.qacc[self.v] = qdd
        mujoco.mj_inverse(self.model, data)
        return data.qfrc_inverse[self.v].copy()

    def bias_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        data = self.at(q, qd)
        mujoco.mj_fwdPosition(self.model, data)
        mujoco.mj_fwdVelocity(self.model, data)
        result = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, data, 0, result)
        return result[self.v]

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        data = self.at(q, qd)
        data.qfrc_applied[self.v] = tau
        mujoco.mj_forward(self.model, data)
        return data.qacc[self.v].copy()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        data = self.at(q, 0.0 * q)
        mujoco.mj_forward(self.model, data)
        M = np.zeros((self.model.nv, self.model.nv))
        if hasattr(data, "qM"):  # before MuJoCo 4
            mujoco.mj_fullM(self.model, M, data.qM)
        else:
            mujoco.mj_fullM(self.model, data, M)
        return M[np.ix_(self.v, self.v)]


@cache
def mujoco_of(name: str) -> MuJoCo:
    return MuJoCo(CASES[name]())


@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_dynamics(name: str) -> None:
    case, s = CASES[name](), random_states(CASES[name]().n, 10, seed=11)
    expected = np.array([mujoco_of(name).inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, strict=True)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd), expected)


@pytest.mark.parametrize("name", ROBOTS)
def test_bias_forces(name: str) -> None:
    case, s = CASES[name](), random_states(CASES[name]().n, 10, seed=12)
    expected = np.array([mujoco_of(name).bias_forces(*x) for x in zip(s.q, s.qd, strict=True)])
    assert_close(case.robot.bias_forces(s.q, s.qd), expected)


@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics(name: str) -> None:
    case, s = CASES[name](), random_states(CASES[name]().n, 10, seed=13)
    expected = np.array([mujoco_of(name).forward_dynamics(*x) for x in zip(s.q, s.qd, s.tau, strict=True)])
    assert_close(case.robot.forward_dynamics(s.q, s.qd, s.tau), expected, relative=1e-11)


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrix(name: str) -> None:
    case, s = CASES[name](), random_states(CASES[name]().n, 10, seed=14)
    assert_close(case.robot.mass_matrix(s.q), np.array([mujoco_of(name).mass_matrix(q) for q in s.q]))
