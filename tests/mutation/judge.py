"""Whether each of many mutants of armdyn is found out: run as a program, in a process of its own.

Reads a pickle from standard input: an exam, whose answers others gave, and mutants. Forks a child for each mutant, in
which the mutated module takes the place of the real one; the child answers with the plain algorithms on floats, until
an answer is wrong. Writes one verdict a line: "killed", "survived" or "slow" (killed by the clock).
"""

from __future__ import annotations

import importlib
import mmap
import os
import pickle
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

import numpy as np

from mutation.question import Exam, Question, Refusal, is_refused, is_right

SECONDS = 30


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


class Mechanisms(dict[str, Any]):
    """By name, made of the models when they are asked for."""

    def __init__(self, models: Mapping[str, bytes]) -> None:
        super().__init__()
        self.models = models

    def __missing__(self, name: str) -> Any:
        from armdyn.model.canonical import canonical

        self[name] = canonical(pickle.loads(self.models[name])).rounded  # noqa: S301
        return self[name]


def answers_rightly(question: Question, mechanisms: Mechanisms) -> bool:
    """Whether armdyn, as it is now, does."""
    module, name = question.function.rsplit(".", 1)
    of = [] if question.robot is None else [mechanisms[question.robot]]
    try:
        found = getattr(importlib.import_module(module), name)(*of, *question.arguments, **question.options)
    except Exception as error:  # a mutant may raise anything
        return isinstance(question.answer, Refusal) and is_refused(error, question.answer)
    return not isinstance(question.answer, Refusal) and is_right(found, question.answer)


def sit(exam: Exam, order: list[int], place: mmap.mmap) -> bool:
    """Whether all questions are answered rightly; ``place`` holds the number of the one at hand."""
    mechanisms = Mechanisms(exam.models)
    for number in order:
        place[:8] = number.to_bytes(8, "big")
        if not answers_rightly(exam.questions[number], mechanisms):
            return False
    return True


def by_turns(questions: Sequence[Question]) -> list[int]:
    """Numbers of the questions: first one of every function, then the second of each, and so on; counts come last.

    Most mutants answer the first question of some function wrongly.
    """
    asked: Counter[str] = Counter()
    turns = []
    for number, question in enumerate(questions):
        asked[question.function] += 1
        turns.append((question.function.startswith("mutation.counting."), asked[question.function], number))
    return [number for *_, number in sorted(turns)]


def judge(exam: Exam, order: list[int], module: str, source: str) -> str:
    """The verdict on one mutant, from a child process. The question that found it out comes first from then on."""
    place = mmap.mmap(-1, 8)  # shared with the child, whatever becomes of it
    place[:8] = order[0].to_bytes(8, "big")
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)
            np.seterr(all="ignore")
            sys.meta_path.insert(0, Replaced(module, source))
            os._exit(0 if sit(exam, order, place) else 1)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if status != 0:
        number = int.from_bytes(place[:8], "big")
        order.remove(number)
        order.insert(0, number)
    if os.WIFSIGNALED(status):
        return "slow"
    return "survived" if os.WEXITSTATUS(status) == 0 else "killed"


def load_what_armdyn_needs() -> None:
    """And forget armdyn itself, so that every child imports it anew, but nothing else."""
    importlib.import_module("armdyn")
    for name in [name for name in sys.modules if name.partition(".")[0] == "armdyn"]:
        del sys.modules[name]


def main() -> None:
    exam, suspects = pickle.load(sys.stdin.buffer)  # noqa: S301
    load_what_armdyn_needs()
    order = by_turns(exam.questions)
    for module, source in suspects:
        sys.stdout.write(judge(exam, order, module, source) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
