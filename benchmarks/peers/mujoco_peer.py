"""MuJoCo from Python: a loop over the states, calling only the stages each quantity needs."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from benchmarks.cases import Case
from benchmarks.functions import Function
from benchmarks.peers.peer import Batch, Peer, Single
from benchmarks.states import Array, States


class MujocoPeer(Peer):
    """``mj_rne``, ``mj_crb`` with ``mj_fullM``, ``mj_forward``; contacts and passive forces off."""

    name = "MuJoCo, Python"
    batch_limit = 20_000

    def __init__(self, case: Case) -> None:
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(_bare(case.urdf.read_text()))
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        flags = mujoco.mjtDisableBit
        self.model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_CONTACT)
        self.data = mujoco.MjData(self.model)
        self.joint_names = tuple(self.model.joint(i).name for i in range(self.model.njnt))

    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """A loop over the rows, results kept in one array."""
        call = getattr(self, "_" + function.name, None)
        if call is None:
            return {}
        arguments = function.arguments(states)
        out = np.empty((len(states), *(self.model.nv,) * function.rank))

        def run() -> Array:
            for row, result in zip(zip(*arguments, strict=True), out, strict=True):
                call(*row, result)
            return out

        return {"": run}

    def single(self, function: Function, state: States) -> Single:
        """The plain call."""
        call = getattr(self, "_" + function.name)
        arguments = tuple(values[0].copy() for values in function.arguments(state))
        result = np.empty((self.model.nv,) * function.rank)
        return lambda: call(*arguments, result)

    def _inverse_dynamics(self, q: Array, qd: Array, qdd: Array, result: Array) -> None:
        self.data.qacc[:] = qdd
        self._newton_euler(q, qd, result, with_acceleration=1)

    def _bias_forces(self, q: Array, qd: Array, result: Array) -> None:
        self._newton_euler(q, qd, result, with_acceleration=0)

    def _newton_euler(self, q: Array, qd: Array, result: Array, with_acceleration: int) -> None:
        mujoco, model, data = self.mujoco, self.model, self.data
        data.qpos[:] = q
        data.qvel[:] = qd
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, with_acceleration, result)

    def _mass_matrix(self, q: Array, result: Array) -> None:
        mujoco, model, data = self.mujoco, self.model, self.data
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, result)

    def _forward_dynamics(self, q: Array, qd: Array, tau: Array, result: Array) -> None:
        data = self.data
        data.qpos[:] = q
        data.qvel[:] = qd
        data.qfrc_applied[:] = tau
        self.mujoco.mj_forward(self.model, data)
        result[:] = data.qacc


def _bare(urdf: str) -> str:
    """The description without shapes (their mesh files are not needed), its inertias taken as they stand."""
    root = ElementTree.fromstring(urdf)
    for link in root.findall("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    settings = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(settings, "compiler", {"balanceinertia": "false", "fusestatic": "true"})
    return ElementTree.tostring(root, encoding="unicode")
