"""A progress bar for long simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[float], None]
"""Called with the fraction that is done."""


@contextmanager
def progress_bar(enabled: bool, duration: float, what: str) -> Iterator[Report]:
    """A bar on stderr with the simulated time, which goes away when it is done; nothing where it is not wanted."""
    if not enabled:
        yield lambda fraction: None
        return
    from rich.console import Console  # noqa: PLC0415 - most simulations are over before it could be drawn
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.3g} of {task.total:.3g} s", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=duration)
        yield lambda fraction: bar.update(task, completed=fraction * duration)
