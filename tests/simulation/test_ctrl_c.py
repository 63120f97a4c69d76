"""Ctrl-C in the middle of a simulation, by a real signal in a process of its own: what is done is kept."""

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.simulation import RungeKutta4, SaveAt, SimulationInterrupted

HEAD = """
import os, signal, sys, threading
from contextlib import contextmanager

import armdyn
from armdyn.simulation import run

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it

@contextmanager
def ctrl_c(*_):
    "A signal from another thread, once the simulation is under way."
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))

    def report(fraction):
        if not timer.ident:
            timer.start()

    yield report

run.progress_bar = ctrl_c
"""

RUNS = """
import json

from armdyn.simulation import Adaptive, Constraints, Heun, RungeKutta4, SaveAt, Stops

free = armdyn.load("planar_2r")
held = free.with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
limited = free.with_limits({"joint_1": (-3.0, 1.0), "joint_2": (-2.0, 2.0)})
q0 = [0.4, 0.3]
compiled = {"duration": 2e4, "method": Adaptive(1e-12, 1e-12), "save": SaveAt(every=1.0, dense=True)}
RUNS = {
    "fixed steps": (free, q0, dict(method=RungeKutta4(1e-6), save=SaveAt(every=1e-4), duration=50)),
    "callable": (free, q0, dict(method=Heun(1e-4), torque=lambda t, q, qd: -qd, duration=20)),
    "adaptive": (free, q0, compiled),
    "batch": (free, [q0, [0.5, 0.5]], compiled),
    "taylor": (free, q0, dict(duration=9000, save=SaveAt(every=1e-2), method="taylor")),
    "stops": (limited, q0, compiled | dict(elements=[Stops(0.9)])),
    "constrained": (held, held.close_loop([1.0, -1.8]), compiled | dict(elements=[Constraints(project=True)])),
}
for name in sys.argv[2:]:
    robot, start, options = RUNS[name]
    try:
        armdyn.simulate(robot, start, **options)
    except armdyn.simulation.SimulationInterrupted as interrupt:
        motion = interrupt.trajectory
        motion.save(f"{sys.argv[1]}/{name}.npz")
        print(json.dumps([name, str(interrupt), motion.at(motion.t[-1] / 3).q.tolist()]))
"""

NAMES = ("fixed steps", "callable", "adaptive", "batch", "taylor", "stops", "constrained")


def python(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", HEAD + script, *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kept")
    names = [name for name in NAMES if name != "taylor" or importlib.util.find_spec("heyoka")]
    ended = python(RUNS, str(folder), *names)
    assert ended.returncode == 0, ended.stderr
    said = {name: words for name, *words in map(json.loads, ended.stdout.splitlines())}
    return {name: (armdyn.Trajectory.load(folder / f"{name}.npz"), *said[name]) for name in names}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_done_is_kept(interrupted: dict[str, Any], name: str) -> None:
    """All that is kept is finite, and its account of energy closes; the states of a batch go on side by side."""
    if name not in interrupted:
        pytest.skip("needs heyoka")
    motion, message, between = interrupted[name]
    when = f"interrupted after t = {motion.t[-1]:g} s of "
    assert message.startswith(f"the simulation of 'planar_2r' was {when}")
    assert message.endswith("What was simulated until then is in error.trajectory.")
    assert motion.notes[0].startswith(f"the simulation was {when}")
    assert len(motion.t) > 1
    assert motion.statistics.evaluations >= motion.statistics.steps > 0
    if name == "batch":
        both = np.isfinite(motion.q).all(axis=-1)
        assert both[: len(motion.t) // 2].all()
        motion, between = motion.pick(int(both.sum(axis=0).argmax())), between[0]
    for values in (motion.q, motion.qd, motion.qdd, motion.energy.total, between):
        assert np.isfinite(values).all()
    assert np.abs(motion.energy.drift).max() < 1e-6
    assert motion.tau[1:].any() == (name == "callable")
    if name == "constrained":
        assert any(note.startswith("every step was followed by a projection") for note in motion.notes)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_it_says_which_motion_of_a_batch_had_come_how_far(which: int) -> None:
    """The motions before it are complete, and their end is not where the simulation was interrupted."""
    start = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]])
    now = 0

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        nonlocal now
        if t == 0:
            now = int(np.abs(start[:, 0] - q[0]).argmin())
        if now == which and t > 0.3:
            raise KeyboardInterrupt
        return -q

    with pytest.raises(SimulationInterrupted) as interrupt:
        armdyn.simulate(armdyn.load("planar_2r"), start, duration=1.0, torque=torque)
    motion = interrupt.value.trajectory
    kept = np.isfinite(motion.q).all(axis=-1).sum(axis=0)
    assert kept.tolist() == [1001] * which + [kept[which]] + [0] * (2 - which)
    reached = f"after t = {motion.t[kept[which] - 1]:g} s of 1 s of motion {which + 1} of 3"
    assert motion.notes[0] == f"the simulation was interrupted {reached}"
    assert reached in str(interrupt.value)


def test_it_is_an_ordinary_keyboard_interrupt() -> None:
    assert issubclass(SimulationInterrupted, KeyboardInterrupt)
    assert not issubclass(SimulationInterrupted, Exception)
    motion = armdyn.simulate(armdyn.load("planar_2r"), [0.0, 0.0], duration=0.01)
    again = pickle.loads(pickle.dumps(SimulationInterrupted("after all", motion)))  # noqa: S301 - our own
    assert str(again) == "after all"
    np.testing.assert_array_equal(again.trajectory.q, motion.q)


COMMAND = """
from pathlib import Path
from armdyn.cli import main

folder = Path(sys.argv[1])
words = "simulate planar_2r --q0 0.4,0.3 --duration 50 --method rk4 --set method.step=1e-6 --set save.every=1e-4"
sys.argv = ["armdyn", *words.split(), *(f"--out={folder / f'kept.{end}'}" for end in ("csv", "npz"))]
main()
"""


def test_the_command_line_writes_what_is_done(tmp_path: Path) -> None:
    ended = python(COMMAND, str(tmp_path))
    assert ended.returncode == 130, ended.stderr
    assert "Traceback" not in ended.stderr
    for ending in ("csv", "npz"):
        assert f"wrote {tmp_path / f'kept.{ending}'}" in ended.stdout
    motion = armdyn.Trajectory.load(tmp_path / "kept.npz")
    assert f"the simulation was interrupted after t = {motion.t[-1]:g} s of 50 s" in " ".join(ended.stdout.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.csv", "kept.npz"]
    rows = np.loadtxt(tmp_path / "kept.csv", delimiter=",", skiprows=1)
    assert len(rows) == len(motion.t) > 1
    undisturbed = armdyn.simulate(
        armdyn.load("planar_2r"),
        [0.4, 0.3],
        duration=motion.t[1],
        method=RungeKutta4(step=1e-6),
        save=SaveAt(every=1e-4),
    )
    np.testing.assert_array_equal(motion.q[:2], undisturbed.q)
