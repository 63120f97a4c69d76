"""What the measurements need to know of a library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from benchmarks.functions import Function, Result
from benchmarks.states import States

Batch = Callable[[], Result]  # evaluates all given states, returns one row a state
Single = Callable[[], object]  # evaluates the one given state


class UnavailableError(Exception):
    """The library is not installed, or cannot take this robot or function; the message says why."""


class Peer(ABC):
    """A library with one robot loaded; making it raises UnavailableError, or ImportError, where that cannot be done."""

    name: str
    joint_names: tuple[str, ...]
    batch_limit: int | None = None  # a slow library is timed on fewer states; the unit stays time per state

    @abstractmethod
    def ways(self, function: Function, states: States) -> dict[str, Batch]:
        """Calls that evaluate all of ``states`` (joints in the order of ``joint_names``), preparations done.

        Most libraries have one way, named ""; where there are several, the quickest counts. None where the library has
        no such function.
        """

    def single(self, function: Function, state: States) -> Single:
        """A call from Python with the arrays of one state, (n,) each."""
        raise UnavailableError("not called one state at a time from Python")
