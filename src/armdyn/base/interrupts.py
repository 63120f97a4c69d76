"""Ctrl-C that waits until results are in a file."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ctrl_c_waits(notify: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Raise a KeyboardInterrupt that comes within the block at its end; a second one at once.

    Outside of the main thread, or while Ctrl-C is ignored, the block runs unchanged.

    Args:
        notify: called when the first Ctrl-C comes.

    >>> import signal
    >>> from armdyn.base.interrupts import ctrl_c_waits
    >>> try:
    ...     with ctrl_c_waits():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("written")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    written
    interrupted
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    came = False

    def handle(number: int, frame: object) -> None:
        nonlocal came
        if came:
            usual(number, frame)  # type: ignore[arg-type]
        came = True
        notify()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        usual(signal.SIGINT, None)
