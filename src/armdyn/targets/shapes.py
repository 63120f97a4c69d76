"""Leading axes of a framework's arrays, and the errors for arrays that are not a batch of states."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.base.errors import ShapeError
from armdyn.program.ports import Port


def leading_axes(shape: Sequence[int], port: Port) -> tuple[int, ...]:
    """The leading axes of an array, which count states.

    >>> leading_axes((5, 4, 6), Port("q", (6,)))
    (5, 4)

    Raises:
        ShapeError: if the last axes are not those of the port.
    """
    shape = tuple(shape)
    split = len(shape) - len(port.shape)
    if split < 0 or shape[split:] != port.shape:
        expected = f"(..., {', '.join(map(str, port.shape))})" if port.shape else "(...)"
        raise ShapeError(f"{port.name} has shape {shape}; expected {expected}")
    return shape[:split]


def no_broadcast(ports: Sequence[Port], batches: Sequence[tuple[int, ...]]) -> ShapeError:
    """The error for leading axes that do not fit together."""
    text = ", ".join(f"{port.name} {batch}" for port, batch in zip(ports, batches, strict=True))
    return ShapeError(f"the leading axes do not broadcast: {text}")
