"""A progress bar for long simulations and studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[float], None]
"""Called with the fraction that is done."""


@contextmanager
def progress_bar(enabled: bool, total: float, quantity: str, *, unit: str = "s", form: str = ".3g") -> Iterator[Report]:
    """A bar on stderr with the simulated time, or another count, which goes away when it is done.

    Args:
        enabled: true to show the bar.
        total: the duration, s, or a number of ``unit``.
        quantity: the text before the bar.
        unit: of the total.
        form: the format of its numbers.
    """
    if not enabled:
        yield lambda fraction: None
        return
    from rich.console import Console  # noqa: PLC0415 - most simulations are over before it could be drawn
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn(f"{{task.completed:{form}}} of {{task.total:{form}}} {unit}", markup=False),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    is_seen = console.is_terminal or console.is_jupyter  # a file would get an empty line
    with Progress(*columns, console=console, transient=True, disable=not is_seen) as bar:
        task = bar.add_task(quantity, total=total)
        yield lambda fraction: bar.update(task, completed=fraction * total)
