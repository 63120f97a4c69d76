"""Whether each of many mutants of armdyn is found out: run as a script, in a process of its own.

Reads a pickle from standard input: the questions (models, states, and the answers Pinocchio gave), and mutants. Forks a
child for each mutant, in which the mutated module takes the place of the real one; the child runs the plain algorithms
on floats and compares. Writes one verdict a line: "killed", "survived" or "slow" (killed by the clock).
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any, NamedTuple

import numpy as np

TOLERANCE = 1e-9
SECONDS = 20


class Question(NamedTuple):
    """What one robot must answer in one state: function, keywords, arguments by name, and the right answer."""

    robot: str
    function: str
    options: dict[str, Any]
    arguments: list[np.ndarray]
    answer: np.ndarray


class Exam(NamedTuple):
    """``counts`` are the operation counts of some functions of some robots: what only speed depends on."""

    models: dict[str, bytes]
    questions: list[Question]
    counts: dict[tuple[str, str], str]


class Replaced(MetaPathFinder, Loader):
    """Gives one module another source."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None
        spec.loader = self
        return spec

    def exec_module(self, module: Any) -> None:
        exec(compile(self.source, module.__spec__.origin, "exec"), module.__dict__)  # noqa: S102


def passes(exam: Exam) -> bool:
    """Whether armdyn, as it is now, answers everything rightly."""
    from armdyn import algorithms
    from armdyn.model.mechanism import canonical

    mechanisms = {name: canonical(pickle.loads(model)) for name, model in exam.models.items()}  # noqa: S301
    for q in exam.questions:
        found = getattr(algorithms, q.function)(mechanisms[q.robot], *q.arguments, **q.options)
        found = np.asarray(found, dtype=float)
        if found.shape != q.answer.shape or not np.abs(found - q.answer).max() <= TOLERANCE * max(
            np.abs(q.answer).max(), 1.0
        ):
            return False
    if not euler_holds():
        return False
    return all(count(mechanisms[robot], function) == c for (robot, function), c in exam.counts.items())


def euler_holds() -> bool:
    """axial(U Sigma) = I wd + w x I w, for an inertia that is not regrouped, as where it is an input."""
    from armdyn.algorithms.newton_euler import acceleration_tensor, axial_of_product

    rng = np.random.default_rng(132)
    w, wd, A = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))
    S = A @ A.T
    inertia = np.trace(S) * np.eye(3) - S
    found = axial_of_product(acceleration_tensor(w, wd), S)
    return bool(np.abs(found - (inertia @ wd + np.cross(w, inertia @ w))).max() < TOLERANCE)


def count(mechanism: Any, function: str) -> str:
    from armdyn import algorithms
    from armdyn.program import Port, trace

    declared = getattr(algorithms, function)
    inputs = [Port(a.name, (mechanism.dof,)) for a in declared.arguments if not a.optional]
    return str(trace(lambda *arrays: declared(mechanism, *arrays), inputs).op_counts)


def judge(exam: Exam, module: str, source: str) -> str:
    """The verdict on one mutant, from a child process."""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)
            np.seterr(all="ignore")
            sys.meta_path.insert(0, Replaced(module, source))
            os._exit(0 if passes(exam) else 1)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "slow"
    return "survived" if os.WEXITSTATUS(status) == 0 else "killed"


def main() -> None:
    exam, suspects = pickle.load(sys.stdin.buffer)  # noqa: S301
    exam = Exam(*exam[:1], [Question(*q) for q in exam[1]], exam[2])
    for module, source in suspects:
        sys.stdout.write(judge(exam, module, source) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
