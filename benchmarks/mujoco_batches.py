"""Steps of many arms beside ``mujoco.batch``, and joints with dry friction beside MuJoCo's ``frictionloss``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.rollouts import (
    ARMS,
    METHODS,
    PEER_ARMS,
    PEER_STEPS,
    STEPS,
    MujocoRollouts,
    RolloutSpeed,
    method_of,
)
from benchmarks.timing import interleaved, quiet

DAMPING, FRICTION = 1.0, 2.0
HOLDS = 1.5
"""Friction over the largest joint force of gravity, by which arms stay where they are released."""


def mujoco_speeds(case: Case, rounds: int) -> Iterator[RolloutSpeed]:
    """Bare arms and arms with friction, one thread each."""
    import armdyn

    bare = armdyn.Robot.from_urdf(case.urdf, check_inertia=False)
    dry = bare.with_friction(dict.fromkeys(bare.joint_names, (DAMPING, FRICTION)))
    q, qd = (np.random.default_rng(3).uniform(-1.0, 1.0, (ARMS, bare.dof)) for _ in range(2))
    few, tau = (q[:PEER_ARMS], qd[:PEER_ARMS]), np.zeros(bare.dof)
    peer, rubs = MujocoRollouts(case, bare), MujocoRollouts(case, bare)
    _rub(rubs.model, DAMPING, FRICTION)
    calls: dict[str, Callable[[], object]] = {}
    operations: dict[str, int] = {}
    beside = {}
    for name, flag in METHODS.items():
        for what, robot, mujoco in (("", bare, peer), (", dry friction", dry, rubs)):
            loop = armdyn.ClosedLoop(robot, method=method_of(name), record=())
            calls[name + what] = lambda loop=loop: loop(q, qd, steps=STEPS, tau=tau)  # type: ignore[misc]
            operations[name + what] = loop.op_counts.arithmetic
            beside[name + what] = []
            if what:
                calls[f"MuJoCo's rollout, {name}, frictionloss"] = mujoco.run(flag, *few)
                beside[name + what].append(f"MuJoCo's rollout, {name}, frictionloss")
            if importlib.util.find_spec("mujoco.batch") is not None:
                words = f"mujoco.batch, {name}{', frictionloss' if what else ''}"
                calls[words] = _batch(mujoco, flag, *few)
                beside[name + what].append(words)
    with quiet():
        timings = interleaved(calls, rounds)
    for name, peers in beside.items():
        ns = 1e9 * timings[name].median / (ARMS * STEPS)
        for one in peers:
            more = (ARMS * STEPS) / (PEER_ARMS * PEER_STEPS)
            ratio = median(more * b / a for a, b in zip(timings[name].seconds, timings[one].seconds, strict=True))
            yield RolloutSpeed(case.name, name, ns, operations[name], one, ratio)
    own, theirs = creep(case)
    rest = f"joints that friction holds move at {own:.1e} rad/s"
    yield RolloutSpeed(case.name, rest, float("nan"), 0, f"MuJoCo's at {theirs:.1e} rad/s", float("nan"))


def creep(case: Case) -> tuple[float, float]:
    """The largest speed, after a second, of joints that friction holds: armdyn's and MuJoCo's, rad/s."""
    import armdyn

    bare = armdyn.Robot.from_urdf(case.urdf, check_inertia=False)
    q = np.random.default_rng(5).uniform(-1.0, 1.0, (PEER_ARMS, bare.dof))
    friction = float(HOLDS * np.abs(bare.gravity_forces(q)).max())
    held = bare.with_friction(dict.fromkeys(bare.joint_names, (DAMPING, friction)))
    loop = armdyn.ClosedLoop(held, method=method_of("semi-implicit Euler"), record=())
    own = loop(q, 0.0 * q, steps=1000, tau=np.zeros(bare.dof)).final.qd
    peer = MujocoRollouts(case, bare)
    _rub(peer.model, DAMPING, friction)
    last = peer.run(METHODS["semi-implicit Euler"], q, 0.0 * q, 1000)()[:, -1]
    n = bare.dof
    return float(np.abs(own).max()), float(np.abs(last[:, 1 + n : 1 + 2 * n]).max())


def _rub(model: Any, damping: float, friction: float) -> None:
    """Friction at every joint."""
    import mujoco

    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.dof_damping[:], model.dof_frictionloss[:] = damping, friction


def _batch(peer: MujocoRollouts, integrator: str, q: Any, qd: Any) -> Callable[[], Any]:
    """A call that steps all arms of a batch, on one thread."""
    import mujoco
    from mujoco.batch import Batch

    peer.model.opt.integrator = getattr(mujoco.mjtIntegrator, integrator)
    batch = Batch(peer.model, nsim=len(q), nthread=1)
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")

    def call() -> Any:
        batch.reset()
        qpos[:], qvel[:] = q[:, peer.order], qd[:, peer.order]
        batch.step(nstep=PEER_STEPS)
        return qpos

    return call
