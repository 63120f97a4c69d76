"""Threads and processes: what is made once, side by side, and never left half made by fork()."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import armdyn
from armdyn.base.threads import Once, cached_property

SOURCE = Path(armdyn.__file__).parent

can_fork = pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="processes do not fork here")


def in_threads(*work: object) -> None:
    started = [threading.Thread(target=one) for one in work]  # type: ignore[arg-type]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(60)
    assert not any(thread.is_alive() for thread in started)


def test_what_threads_ask_for_at_once_is_made_once() -> None:
    values: Once[str, object] = Once()
    made, found, together = [], [], threading.Barrier(4)

    def make() -> object:
        made.append(None)
        threading.Event().wait(0.05)
        return object()

    def ask() -> None:
        together.wait(60)
        found.append(values.get("key", make))

    in_threads(*[ask] * 4)
    assert len(made) == 1
    assert len(set(map(id, found))) == 1


def test_different_things_are_made_side_by_side() -> None:
    values: Once[str, str] = Once()
    both = threading.Barrier(2)  # broken where one waited for the other

    def ask(key: str) -> None:
        values.get(key, lambda: f"{key} {both.wait(30)}")

    in_threads(lambda: ask("a"), lambda: ask("b"))
    assert len(values) == 2


def test_different_functions_are_compiled_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = armdyn.Robot(armdyn.load("planar_2r").model.replace(name="side by side"))
    both, trace = threading.Barrier(2), armdyn.functions.compiled.trace

    def meeting(*arguments: object, **options: object) -> object:
        both.wait(30)
        return trace(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("armdyn.functions.compiled.trace", meeting)
    in_threads(lambda: robot.mass_matrix([0.1, 0.2]), lambda: robot.gravity_forces([0.1, 0.2]))
    assert robot.mass_matrix._kernels
    assert robot.gravity_forces._kernels


def test_after_a_failure_the_next_one_tries_again() -> None:
    values: Once[str, int] = Once()
    with pytest.raises(ZeroDivisionError):
        values.get("key", lambda: 1 // 0)
    assert values.get("key", lambda: 3) == 3
    assert "key" in values


def test_making_one_thing_may_take_another() -> None:
    values: Once[str, int] = Once()
    assert values.get("outer", lambda: 1 + values.get("inner", lambda: 1)) == 2


def test_a_cached_property_is_computed_once_and_holds_no_lock() -> None:
    computed, both = [], threading.Barrier(2)

    class Thing:
        @cached_property
        def value(self) -> object:
            """A value."""
            computed.append(self)
            both.wait(30)  # the other instance is at it too
            return object()

    one, other = Thing(), Thing()
    in_threads(lambda: one.value, lambda: other.value)
    assert one.value is one.value is not other.value
    assert len(computed) == 2
    assert (Thing.value.__name__, Thing.value.__doc__) == ("value", "A value.")


def test_the_standard_librarys_cached_property_is_not_used() -> None:
    """Python 3.11's holds a lock for all instances while it computes, also through a fork()."""
    imported = re.compile(r"functools import .*cached_property")
    assert not [path for path in SOURCE.rglob("*.py") if imported.search(path.read_text())]


def run(code: str, *arguments: str, **environment: str) -> str:
    prelude = """
        import os, signal, sys, threading, time
        import numpy as np
        import armdyn

        def child_of(work):
            "The status a child ends with that does some work; killed where it hangs."
            child = os.fork()
            if child:
                return os.waitpid(child, 0)[1]
            signal.alarm(60)
            work()
            os._exit(0)
    """
    command = [sys.executable, "-c", textwrap.dedent(prelude) + textwrap.dedent(code), *arguments]
    environment = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@can_fork
def test_fork_waits_for_what_is_undivided() -> None:
    code = """
        from armdyn.base import threads
        from armdyn.base.threads import Once, undivided
        begun, done, values = threading.Event(), [], Once()

        def work():
            with undivided():
                values.get("key", lambda: (begun.set(), time.sleep(0.3), done.append(True)))

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        with undivided():  # which the thread that forks may be in the middle of itself
            status = child_of(lambda: (values.get("key", lambda: 1 / 0), os._exit(0 if done else 7)))
        thread.join()
        assert status == 0, status

        # In the middle of what does not end, it forks all the same, and the child makes what was not finished.
        threads.LONGEST_WAIT, begun, stop = 0.1, threading.Event(), threading.Event()
        thread = threading.Thread(target=lambda: values.get("other", lambda: (begun.set(), stop.wait())))
        thread.start()
        begun.wait()
        status = child_of(lambda: values.get("other", lambda: None))
        stop.set()
        thread.join()
        assert status == 0, status
        status = child_of(lambda: in_a_thread(lambda: values.get("third", lambda: None)))
        assert status == 0, status
    """
    in_a_thread = """
        def in_a_thread(work):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    """
    run(textwrap.dedent(in_a_thread) + textwrap.dedent(code))


FORK = """
    puma, delay = armdyn.load("puma560"), float(sys.argv[1])
    q = np.ones(6)

    def work():
        puma.forward_dynamics_derivatives(q, q, q)
        armdyn.load("ur5").mass_matrix(q.astype("f"))

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(delay)
    status = child_of(lambda: (armdyn.load("stanford").mass_matrix(q), work()))
    thread.join()
    assert status == 0, status
"""


@can_fork
def test_fork_while_another_thread_compiles() -> None:
    run(FORK, "0.1", ARMDYN_CACHE_DIR="")


@can_fork
@pytest.mark.slow
@pytest.mark.parametrize("cache", ["", "disk"])
@pytest.mark.parametrize("delay", ["0", "0.01", "0.03", "0.06", "0.15", "0.2", "0.3", "0.45", "0.6"])
def test_fork_at_any_time(tmp_path: Path, delay: str, cache: str) -> None:
    run(FORK, delay, ARMDYN_CACHE_DIR=cache and str(tmp_path / "cache"))


MJCF = """<mujoco model="arm"><worldbody><body name="a">
  <joint name="j" axis="0 0 1"/><geom type="sphere" size="0.1" mass="1" pos="0.2 0 0"/>
</body></worldbody></mujoco>"""


@can_fork
@pytest.mark.slow
@pytest.mark.parametrize("delay", ["0", "0.05", "0.1", "0.2", "0.3", "0.5"])
def test_fork_while_another_thread_reads_mjcf(tmp_path: Path, delay: str) -> None:
    pytest.importorskip("mujoco")
    code = """
        armdyn.Robot  # imported
        read = lambda: [armdyn.Robot.from_mjcf(sys.argv[2]) for _ in range(20)]
        thread = threading.Thread(target=read)
        thread.start()
        time.sleep(float(sys.argv[1]))
        status = child_of(read)
        thread.join()
        assert status == 0, status
    """
    file = tmp_path / "arm.xml"
    file.write_text(MJCF)
    run(code, delay, str(file))
