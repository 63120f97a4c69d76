"""MJCF files, damaged: armdyn against MuJoCo's inverse dynamics of the bare bodies."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock
from xml.etree.ElementTree import fromstring, tostring

import mujoco
import numpy as np

import armdyn
from armdyn.formats.mjcf import child, compiler, read_mjcf
from armdyn.formats.mjcf.apart import Result, compile_apart, result_in
from fuzz import mjcf_sources
from fuzz.cases import Finding, Stage, Verdict, file_in_memory
from fuzz.damage import now_and_then_damaged
from fuzz.pinocchio_peer import AGREEMENT, Peer, State, bare, difference, random_state, torques_of_armdyn
from fuzz.trees import mutate

APART = 1 / 50
"""The share of documents compiled apart for which a process is started, as users have it, and not forked."""

SECONDS = 4.0
"""How long a forked compiler may take."""

FARTHEST = 1e3
"""The largest ref at which MuJoCo's differences from it have enough digits to be compared."""


class Mjcf:
    """Mutated MJCF files."""

    name, suffix = "mjcf", ".xml"

    @cached_property
    def path(self) -> Path:
        """The file that both libraries read, in memory where the system has a place for it."""
        path = file_in_memory("arm.xml")
        os.chdir(path.parent)  # MuJoCo writes a log where it is
        return path

    def make(self, rng: Random) -> bytes:
        """A file with up to three changes of its tree, and now and then damaged bytes."""
        root = mjcf_sources.base(rng)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3))):
            mutate(root, rng, mjcf_sources.WORDS, fromstring)
        data = tostring(root)
        return now_and_then_damaged(data, rng, 17, (1, 1, 2))

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read by both; where both read it, the torques of a random state."""
        rng = Random(data)  # noqa: S311
        self.path.write_bytes(data)
        stage("armdyn")
        problems = "warn" if rng.random() < 0.5 else "refuse"
        apart = compile_apart if rng.random() < APART else _forked
        with mock.patch.object(compiler, "compile_apart", apart):
            try:
                model = read_mjcf(self.path, friction="ignore", check_inertia=rng.random() < 0.3, problems=problems)
            except armdyn.ArmdynError as error:
                return Verdict(_refusal(str(error)))
        tree = bare(model, armatures=True)
        state = random_state(tree.joint_names, rng)
        found = torques_of_armdyn(tree, state)
        stage("peer")
        m = mujoco.MjModel.from_xml_path(str(self.path))
        if m.njnt != len(tree.joints) or np.abs(m.qpos0).max(initial=0.0) > FARTHEST:
            return Verdict("read, not compared")  # some are held by equalities; or digits are lost in qpos - ref
        if _has_parallel_slides(m):
            return Verdict("read, the peer is wrong")
        tau, noise = _inverse_dynamics(m, tree, state)
        expected = dict(zip(tree.joint_names, tau, strict=True))
        as_read, sizes = Peer.of_model(tree).torques(state)
        sizes = {name: max(size, noise / AGREEMENT) for name, size in sizes.items()}
        apart_by = difference(found, expected, sizes)
        if not apart_by:
            return Verdict("compared")
        right = not difference(as_read, expected, sizes)
        signature = "torques: read rightly, computed wrongly" if right else "torques: read differently"
        return Verdict("compared", Finding("difference", signature, "; ".join(apart_by)))


def _refusal(text: str) -> str:
    """What kind of refusal it is, for the count."""
    for sign, word in (("did not finish", "the compiler hangs"), ("ended its process", "the compiler crashes")):
        if sign in text:
            return f"refused, as {word}"
    return "refused"


def _has_parallel_slides(m: Any) -> bool:
    """Whether a body slides twice along one axis: MuJoCo takes its mass matrix for diagonal (body_simple) even so."""
    for body in np.flatnonzero(m.body_simple):
        joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
        slides = [m.jnt_axis[j] for j in joints if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE]
        if any(abs(a @ b) > 1e-9 for k, a in enumerate(slides) for b in slides[:k]):
            return True
    return False


def _inverse_dynamics(m: Any, tree: armdyn.Model, state: State) -> tuple[list[float], float]:
    """tau of the bare bodies, a number a joint, and what rounding may make of it.

    MuJoCo takes frames less than 1e-6 apart for one (body_sameframe), which is switched off here. It sums moments
    about the centre of mass of the whole tree: what lies far from it, or all of it far from the joints, costs digits.
    """
    for quantity in ("dof_damping", "dof_dampingpoly", "dof_frictionloss"):
        if hasattr(m, quantity):  # older versions have no polynomials
            getattr(m, quantity)[:] = 0.0
    m.body_sameframe[:] = 0
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data = mujoco.MjData(m)
    for j, name in enumerate(tree.joint_names):
        data.qpos[m.jnt_qposadr[j]] = state.q[name]
        data.qvel[m.jnt_dofadr[j]], data.qacc[m.jnt_dofadr[j]] = state.qd[name], state.qdd[name]
    mujoco.mj_inverse(m, data)
    tau: list[float] = data.qfrc_inverse[m.jnt_dofadr].tolist()
    about = data.subtree_com[m.body_rootid]
    far = max(np.abs(x - y).max(initial=0.0) for x, y in ((data.xipos, about), (data.xanchor, about[m.jnt_bodyid])))
    rates = 1.0 + np.abs(data.qacc).sum() + np.abs(data.qvel).sum() ** 2
    weight = np.abs(m.opt.gravity).sum()
    with np.errstate(over="ignore"):
        return tau, float(1e-14 * m.body_mass.sum() * (far**2 * rates + far * (rates + weight)))


def _forked(library: Any, path: Path) -> Result:
    """`compile_apart` in a forked process, which starts at once: this one has no other threads."""
    with tempfile.TemporaryDirectory(prefix="armdyn-fuzz-apart-", dir=path.parent) as name:
        folder = Path(name)
        process = os.fork()
        if process == 0:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            try:
                child.compile_file(str(path), folder)
            finally:
                os._exit(0)
        deadline, code = time.monotonic() + SECONDS, None
        while code is None and time.monotonic() < deadline:
            done, status = os.waitpid(process, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if done else time.sleep(0.001)
        if code is None:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return Result(None, "the compiler did not finish")
        return result_in(library, folder, code)
