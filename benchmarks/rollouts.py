"""Steps of many arms at once beside MuJoCo's ``rollout``, and what closing the loop, recording and gradients cost.

Both take the same states, gravity and step, with contacts, constraints and passive forces off; after 100 steps of the
same method their states must agree before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.peers.mujoco_peer import MujocoPeer
from benchmarks.timing import available_cores, interleaved, quiet

ARMS, STEPS, STEP = 1000, 1000, 1e-3
PEER_ARMS, PEER_STEPS = 20, 200  # MuJoCo's time is proportional to both
SAME = 1e-12
METHODS = {"semi-implicit Euler": "mjINT_EULER", "Runge-Kutta 4": "mjINT_RK4"}


@dataclass(frozen=True)
class RolloutSpeed:
    """One way to step a thousand arms; ``ratios`` are the medians, over the rounds, of a reference's time by this."""

    robot: str
    way: str
    ns: float
    operations: int
    beside: str
    ratio: float

    @property
    def operations_a_ns(self) -> float:
        """How near the core's arithmetic peak it is."""
        return self.operations / self.ns


def rollout_speeds(case: Case, rounds: int) -> list[RolloutSpeed]:
    """Open loops, computed torque, records, threads and gradients."""
    import armdyn

    robot = armdyn.Robot.from_urdf(case.urdf, check_inertia=False)
    peer = MujocoRollouts(case, robot)
    q, qd = (np.random.default_rng(3).uniform(-1.0, 1.0, (ARMS, robot.dof)) for _ in range(2))
    loops = {method: armdyn.ClosedLoop(robot, method=method_of(method), record=()) for method in METHODS}
    for method, loop in loops.items():
        _check(case.name, method, peer.after(METHODS[method], q, qd), _after(loop, q, qd))
    calls, operations = _calls(robot, loops, q, qd)
    per_step: dict[str, float] = dict.fromkeys(calls, 1.0 / (ARMS * STEPS))
    for method, flag in METHODS.items():
        calls[f"MuJoCo, {method}"] = peer.run(flag, q[:PEER_ARMS], qd[:PEER_ARMS])
        per_step[f"MuJoCo, {method}"] = 1.0 / (PEER_ARMS * PEER_STEPS)
    with quiet():
        timings = interleaved(calls, rounds)
    found = list(
        _compared(case.name, {n: [s * per_step[n] for s in t.seconds] for n, t in timings.items()}, operations)
    )
    return found + _two_cores(case.name, loops["semi-implicit Euler"], q, qd, rounds)


def method_of(name: str) -> Any:
    import armdyn

    kinds = {"semi-implicit Euler": "SemiImplicitEuler", "Runge-Kutta 4": "RungeKutta4"}
    return getattr(armdyn.simulation, kinds[name])(step=STEP)


def _calls(robot: Any, loops: Any, q: Any, qd: Any) -> tuple[dict[str, Callable[[], object]], dict[str, int]]:
    """What is timed, and the operations of a step of each."""
    import armdyn

    tau, n, target = np.zeros(robot.dof), robot.dof, np.zeros(robot.dof)
    calls: dict[str, Callable[[], object]] = {
        name: lambda loop=loop: loop(q, qd, steps=STEPS, tau=tau) for name, loop in loops.items()
    }
    recording = armdyn.ClosedLoop(robot, method=method_of("semi-implicit Euler"), record=("q", "qd"))
    out = {name: np.zeros((STEPS, ARMS, n)) for name in ("q", "qd")}
    calls["recorded"] = lambda: recording(q, qd, steps=STEPS, tau=tau, out=out)
    gains = {"kp": np.full(n, 100.0), "kd": np.full(n, 20.0)}
    torque = armdyn.ClosedLoop(robot, computed_torque(), method=method_of("semi-implicit Euler"), record=())
    calls["computed torque"] = lambda: torque(q, qd, steps=STEPS, target=target, **gains)
    cost = _cost()
    calls["gradient of 2n gains"] = lambda: torque.gradient(
        cost, ["kp", "kd"], q, qd, steps=STEPS, target=target, **gains
    )
    named = {**loops, "recorded": recording, "computed torque": torque, "gradient of 2n gains": torque}
    return calls, {name: loop.op_counts.arithmetic for name, loop in named.items()}


def computed_torque() -> Any:
    """tau = M (kp (target - q) - kd qd) + h (Modern Robotics 11.35), traced together with the motion."""
    import armdyn

    def law(model: Any, q: Any, qd: Any, target: Any, kp: Any, kd: Any) -> Any:
        return armdyn.algorithms.inverse_dynamics(model, q, qd, kp * (target - q) - kd * qd)

    return armdyn.function("(n),(n),(n),(n),(n)->(n)")(law)


def _cost() -> Any:
    import armdyn

    def distance(model: Any, q: Any, qd: Any) -> Any:
        return q @ q + 0.1 * (qd @ qd)

    return armdyn.function("(n),(n)->()")(distance)


BESIDE = {
    "semi-implicit Euler": ("MuJoCo, semi-implicit Euler",),
    "Runge-Kutta 4": ("MuJoCo, semi-implicit Euler", "MuJoCo, Runge-Kutta 4"),
    "computed torque": ("MuJoCo, semi-implicit Euler",),
}
"""How many times quicker than these."""

COSTS = {"recorded": "semi-implicit Euler", "gradient of 2n gains": "computed torque"}
"""How many times the time of these."""


def _compared(robot: str, seconds: dict[str, list[float]], operations: dict[str, int]) -> Iterator[RolloutSpeed]:
    ns = {name: 1e9 * median(values) for name, values in seconds.items()}
    for name, peers in BESIDE.items():
        for peer in peers:
            ratio = median(b / a for a, b in zip(seconds[name], seconds[peer], strict=True))
            yield RolloutSpeed(robot, name, ns[name], operations[name], peer, ratio)
    for name, base in COSTS.items():
        ratio = median(a / b for a, b in zip(seconds[name], seconds[base], strict=True))
        yield RolloutSpeed(robot, name, ns[name], operations[name], f"of {base}", ratio)


def _two_cores(robot: str, loop: Any, q: Any, qd: Any, rounds: int) -> list[RolloutSpeed]:
    if available_cores() < 2:
        return []
    tau = np.zeros(q.shape[-1])
    calls = {w: lambda w=w: loop(q, qd, steps=STEPS, tau=tau, workers=w) for w in (1, 2)}
    with quiet(2):
        timings = interleaved(calls, rounds)
    ratio = median(a / b for a, b in zip(timings[1].seconds, timings[2].seconds, strict=True))
    ns = 1e9 * timings[2].median / (ARMS * STEPS)
    return [RolloutSpeed(robot, "two cores", ns, loop.op_counts.arithmetic, "one core", ratio)]


def _after(loop: Any, q: Any, qd: Any) -> Any:
    final = loop(q[:PEER_ARMS], qd[:PEER_ARMS], steps=100, tau=np.zeros(q.shape[-1])).final
    return np.concatenate([final.q, final.qd], axis=1)


def _check(robot: str, method: str, expected: Any, found: Any) -> None:
    worst = np.abs(found - expected).max() / np.abs(expected).max()
    if not worst < SAME:
        raise RuntimeError(f"{robot}, {method}: MuJoCo's states after 100 steps differ by {worst:.1e} of the largest")


class MujocoRollouts:
    """``mujoco.rollout`` of the bare arm, its joints in the order of the robot's."""

    def __init__(self, case: Case, robot: Any) -> None:
        import mujoco
        from mujoco import rollout

        self._mujoco, self._rollout = mujoco, rollout
        peer = MujocoPeer(case)
        self.model = peer.model
        self.model.opt.timestep = STEP
        self.model.opt.gravity[:] = robot.model.gravity
        self.order = [robot.joint_names.index(name) for name in peer.joint_names]
        self._back = np.argsort(self.order)

    def run(self, integrator: str, q: Any, qd: Any, steps: int = PEER_STEPS) -> Callable[[], Any]:
        """A call that steps all of them, one after the other, on one thread."""
        mujoco, model = self._mujoco, self.model
        data = mujoco.MjData(model)
        state = np.zeros((len(q), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        n = model.nv
        state[:, 1 : 1 + n], state[:, 1 + n : 1 + 2 * n] = q[:, self.order], qd[:, self.order]
        flag = getattr(mujoco.mjtIntegrator, integrator)

        def call() -> Any:
            model.opt.integrator = flag
            return self._rollout.rollout(model, data, state, nstep=steps)[0]

        return call

    def after(self, integrator: str, q: Any, qd: Any) -> Any:
        """States (q, qd) after 100 steps."""
        n = self.model.nv
        last = self.run(integrator, q[:PEER_ARMS], qd[:PEER_ARMS], 100)()[:, -1]
        return np.concatenate([last[:, 1 : 1 + n][:, self._back], last[:, 1 + n : 1 + 2 * n][:, self._back]], axis=1)
