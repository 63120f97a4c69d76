"""armdyn's kernels beside others on the same GPU: the same program replayed on JAX's arrays, frax, and MuJoCo's MJX.

All compute the same states, as many as memory allows every peer; one call is timed from its beginning until the result
is there, by the processor's clock, in rounds that go through all of them.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from armdyn.targets.cuda.driver import Driver
from benchmarks.cases import Case
from benchmarks.cuda_cases import GpuCase, functions
from benchmarks.cuda_placed import CHECKED, Placed
from benchmarks.peers.mujoco_peer import MujocoPeer
from benchmarks.timing import interleaved

Call = Callable[..., Any]
GRAVITY = (0.0, 0.0, 9.81, 0.0, 0.0, 0.0)
"""As frax takes it: how fast the base accelerates, its linear part first."""


def peer_lines(driver: Driver, robot: Any, case: Case | None, given: Namespace) -> Iterator[str]:
    """The report of one robot; ``given`` is what the command line says."""
    jax = _jax()
    if isinstance(jax, str):
        yield jax
        return
    jax.config.update("jax_enable_x64", True)
    for dtype in given.dtypes.split(","):
        for one in functions(robot, given.peer_states):
            with _Round(driver, jax, one, dtype) as beside:
                for name in given.peers.split(","):
                    try:
                        beside.add(name, MAKERS[name](jax, case, dtype, one.source)[one.name])
                    except Exception as error:
                        yield f"{name}, {one.name}, {dtype}: {type(error).__name__}: {str(error)[:200]}"
                yield from beside.lines(given.rounds)


class _Round:
    """One function by armdyn and its peers."""

    def __init__(self, driver: Driver, jax: Any, case: GpuCase, dtype: str) -> None:
        self.case, self.jax, self.dtype = case, jax, dtype
        layout = "packed" if case.source.to_cuda(dtype=dtype).shared_bytes else "rows"
        self.placed = Placed(driver, case, dtype, layout)
        self.errors = {"armdyn": self.placed.error()}
        self.calls: dict[str, Call] = {"armdyn": lambda: (self.placed.launch(), driver.wait(0))}
        self.arrays = [jax.device_put(np.ascontiguousarray(a.T.astype(dtype))) for a in case.arrays]

    def __enter__(self) -> _Round:
        return self

    def __exit__(self, *_: object) -> None:
        self.placed.memory.free()

    def add(self, name: str, call: Call) -> None:
        """Compile a peer's call and compare its results, of the first states."""
        compiled = self.jax.jit(call)
        found = np.asarray(compiled(*self.arrays)[:CHECKED], float)
        expected = self.case.expected(*(np.asarray(a[:CHECKED], float) for a in self.arrays))
        self.errors[name] = float(np.abs(found - expected).max() / np.abs(expected).max())
        self.calls[name] = lambda: compiled(*self.arrays).block_until_ready()

    def lines(self, rounds: int) -> Iterator[str]:
        """Time all in turn."""
        times = interleaved(self.calls, rounds)
        states = self.placed.states
        for name, timing in times.items():
            yield (
                f"{self.case.name:20} {self.dtype} {name:8} {states / timing.median:.3g} states/s, armdyn takes "
                f"1/{timing.median / times['armdyn'].median:.3g} of its time; largest error {self.errors[name]:.1e}"
            )


def _jax() -> Any:
    """JAX with a GPU, or why it is not there."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the kernels' arrays need memory too
    try:
        import jax
    except ImportError:
        return "JAX is not installed: no peers (pip install 'jax[cuda13]')"
    if jax.default_backend() != "gpu":
        return f"JAX has no GPU here (its backend is {jax.default_backend()}): no peers (pip install 'jax[cuda13]')"
    return jax


def _replay(jax: Any, case: Case | None, dtype: str, program: Any) -> dict[str, Call]:
    """armdyn's program with jax.numpy, on a column of each input."""
    np_ = jax.numpy
    names = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}
    operations = {name: getattr(np_, of) for name, of in names.items()}
    operations |= {"sin": np_.sin, "cos": np_.cos, "sqrt": np_.sqrt}

    def run(*arrays: Any) -> Any:
        columns = [a[:, k] for a in arrays for k in range(a.shape[1])]
        numbers = program.replay(columns, operations, np_.dtype(dtype).type)[0]
        shape = (-1, *program.outputs[0].shape)
        return np_.stack([np_.broadcast_to(x, columns[0].shape) for x in numbers], -1).reshape(shape)

    return {program.name: run}


def _frax(jax: Any, case: Case, dtype: str, program: Any) -> dict[str, Call]:
    """Its functions of one state, vectorised."""
    import frax

    robot, gravity = frax.Robot(str(case.urdf), joint_ordering=list(case.joint_names)), np.array(GRAVITY, dtype)
    one = {
        "inverse_dynamics": lambda q, qd, qdd: robot.rnea(q, qd, qdd, gravity, None),
        "mass_matrix": robot.mass_matrix,
        "forward_dynamics": lambda q, qd, tau: robot.forward_dynamics(q, qd, tau, None),
    }
    return {name: jax.vmap(function) for name, function in one.items()}


def _mjx(jax: Any, case: Case, dtype: str, program: Any) -> dict[str, Call]:
    """The stages of a step that each function needs, without contacts and constraints, vectorised."""
    from mujoco import mjx

    def cast(x: Any) -> Any:
        return x.astype(dtype) if hasattr(x, "dtype") and np.issubdtype(x.dtype, np.floating) else x

    there = jax.tree.map(cast, mjx.put_model(MujocoPeer(case).model))
    empty = jax.tree.map(cast, mjx.make_data(there))

    def placed(q: Any, qd: Any) -> Any:
        data = mjx.com_pos(there, mjx.kinematics(there, empty.replace(qpos=q, qvel=qd)))
        return mjx.com_vel(there, data)

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        return mjx.rne(there, placed(q, qd).replace(qacc=qdd), flg_acc=True).qfrc_bias

    def mass_matrix(q: Any) -> Any:
        return mjx.full_m(there, mjx.crb(there, placed(q, 0.0 * q)))

    def forward(q: Any, qd: Any, tau: Any) -> Any:
        return mjx.forward(there, empty.replace(qpos=q, qvel=qd, qfrc_applied=tau)).qacc

    one = {"inverse_dynamics": inverse, "mass_matrix": mass_matrix, "forward_dynamics": forward}
    return {name: jax.vmap(function) for name, function in one.items()}


MAKERS: dict[str, Callable[..., dict[str, Call]]] = {"replay": _replay, "frax": _frax, "mjx": _mjx}
"""What of a peer computes each function."""
