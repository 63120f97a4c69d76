"""Studies on a local Dask cluster: the same numbers, workers killed in mid-run, a cluster that goes away."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

import armdyn
from armdyn.simulation import SemiImplicitEuler
from armdyn.studies import ClusterLost, Results, StudyError, Uniform, read, sampled
from studies import arms

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask warns of the machine: of ports, and of slow starts

CHUNK, RUNS = 5, 63
PARTS = -(-RUNS // CHUNK)
SAMPLES = sampled(RUNS, {"link_3.mass": Uniform(0.5, 2)}, target=Uniform(-1, 1), kp=Uniform(5, 50), seed=2)


@pytest.fixture(scope="module", autouse=True)
def _functions_travel_by_value() -> Iterator[None]:
    """Workers do not import the tests."""
    cloudpickle.register_pickle_by_value(arms)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(arms)
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def new_client() -> Any:
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    return distributed.Client(cluster)


@pytest.fixture
def client() -> Iterator[Any]:
    with new_client() as client, client.cluster:
        yield client


def run(controller: Any = arms.pid, **changes: Any) -> Results:
    settings: dict[str, Any] = {
        "inputs": {"kd": 2.0},
        "steps": 40,
        "record": ["error"],
        "every": 10,
        "summaries": {"worst": arms.worst},
        "method": SemiImplicitEuler(step=2e-3),
        "chunk": CHUNK,
    }
    return armdyn.study(arms.ROBOT, SAMPLES, controller, **{**settings, **changes})


def assert_same(found: Results, expected: Results) -> None:
    assert found.names == expected.names
    for name in expected.names:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def compilations() -> int:
    from armdyn.studies import cluster

    return len(cluster._loops)


def slowly(runs: Any) -> Any:
    """A summary that takes time."""
    import time

    time.sleep(0.3)
    return runs.number


def when(condition: Any, action: Any) -> threading.Thread:
    """Do something as soon as a condition holds."""

    def watch() -> None:
        while not condition():
            time.sleep(0.01)
        action()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_cluster_gives_the_same_numbers_and_loses_none_with_a_killed_worker(client: Any, tmp_path: Path) -> None:
    here = run()
    assert_same(run(client=client), here)
    assert max(client.run(compilations).values()) == 1
    in_python = {"controller": arms.branching, "steps": 3, "every": 1}
    assert_same(run(client=client, **in_python), run(**in_python))

    def written() -> dict[Path, tuple[int, int]]:
        return {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in tmp_path.glob("part-*.parquet")}

    at_kill: dict[Path, tuple[int, int]] = {}

    def kill() -> None:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        at_kill.update(written())

    killer = when(lambda: len(written()) >= 3, kill)
    results = run(client=client, folder=tmp_path, summaries={"worst": arms.worst, "slow": slowly})
    killer.join()
    assert 3 <= len(at_kill) < PARTS
    at_end = written()
    assert at_kill == {path: at_end[path] for path in at_kill}  # none was written twice
    assert results.missing == ()
    np.testing.assert_array_equal(results["run"], np.arange(RUNS))
    for name in here.names:
        np.testing.assert_array_equal(results[name], here[name], err_msg=name)


@pytest.mark.slow
def test_results_in_memory_survive_a_killed_worker(client: Any) -> None:
    killer = when(
        lambda: client.processing() and any(client.processing().values()),
        lambda: (time.sleep(1.0), os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)),
    )
    results = run(client=client, summaries={"slow": slowly, "worst": arms.worst})
    killer.join()
    np.testing.assert_array_equal(results["slow"], np.arange(RUNS))
    np.testing.assert_array_equal(results["worst"], run()["worst"])


@pytest.mark.slow
def test_a_cluster_that_goes_away_leaves_what_is_done(tmp_path: Path) -> None:
    with new_client() as client:
        closer = when(lambda: len(list(tmp_path.glob("part-*.parquet"))) >= 3, client.cluster.close)
        with pytest.raises(ClusterLost, match="the same call goes on from there"):
            run(client=client, folder=tmp_path, summaries={"slow": slowly, "worst": arms.worst})
        closer.join()
    done = PARTS - len(read(tmp_path).missing)
    assert 3 <= done < PARTS
    results = run(folder=tmp_path, summaries={"slow": slowly, "worst": arms.worst})
    np.testing.assert_array_equal(results["worst"], run()["worst"])
    with pytest.raises(ClusterLost, match="the client is clos"):
        run(client=client)


def test_a_closed_client_is_named(tmp_path: Path) -> None:
    with distributed.Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        pass
    with pytest.raises(ClusterLost, match="the client is closed; expected one that is connected to its scheduler"):
        run(client=client, folder=tmp_path / "study")
    assert not (tmp_path / "study").exists()


@pytest.mark.slow
def test_an_interrupt_leaves_what_is_done_and_the_cluster_free(client: Any, tmp_path: Path) -> None:
    given = {"folder": tmp_path, "summaries": {"slow": slowly}}
    interrupter = when(lambda: len(list(tmp_path.glob("part-*.parquet"))) >= 3, _thread.interrupt_main)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            run(client=client, **given)
        interrupter.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert str(tmp_path) in caught.value.__notes__[0]
    time.sleep(1.5)  # for the chunks that were being computed
    done = PARTS - len(read(tmp_path).missing)
    assert 3 <= done < PARTS
    assert not any(client.processing().values())
    np.testing.assert_array_equal(run(client=client, **given)["slow"], np.arange(RUNS))


@pytest.mark.slow
def test_an_error_in_a_summary_comes_back(client: Any, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="a value for each"):
        run(client=client, summaries={"x": lambda runs: 1.0})
    assert_same(run(client=client, folder=tmp_path), run())  # the cluster is as good as before


SCRIPT = """
import sys
import numpy as np
import armdyn, distributed
from armdyn.studies import grid

@armdyn.function("(n),(n)->(n)")
def spring(model, q, stiffness):
    return armdyn.algorithms.gravity_forces(model, q) - stiffness * q

def furthest(runs):
    return np.abs(runs.final.q).max(axis=1)

if __name__ == "__main__":
    with distributed.Client(n_workers=1, threads_per_worker=2, dashboard_address=":0") as client:
        robot = armdyn.load("planar_2r")
        design = grid(stiffness=np.ones((3, 2)) * [[1.0], [2.0], [3.0]])
        given = dict(inputs={"q0": [1.0, 1.0]}, steps=50, summaries={"furthest": furthest}, chunk=1)
        there = armdyn.study(robot, design, spring, client=client, **given)
        here = armdyn.study(robot, design, spring, **given)
        assert np.array_equal(there["furthest"], here["furthest"])
        print("the same")
"""


@pytest.mark.slow
def test_functions_of_a_script_travel(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert "the same" in done.stdout, done.stderr
