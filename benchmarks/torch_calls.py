"""Calls and gradients through PyTorch beside NumPy's calls, in turn on one core.

python -m benchmarks.torch_calls    # needs the extra "torch"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.timing import interleaved, quiet

STATES = {1: 300, 1_000: 50, 100_000: 1}
"""Calls a round, by the states of a batch."""
ROUNDS = 15
ROBOT, FUNCTION = "ur5", "inverse_dynamics"


def cases(states: int, dtype: type) -> dict[str, Callable[[], Any]]:
    """NumPy's call, torch's, and that with the gradients by all three arrays."""
    import torch

    import armdyn

    torch.set_num_threads(1)
    function = getattr(armdyn.load(ROBOT), FUNCTION)
    of_tensors = function.to_torch()
    arrays = np.random.default_rng(7).normal(size=(3, states, 6)).astype(dtype)
    tensors = [torch.tensor(a) for a in arrays]
    variables = [torch.tensor(a, requires_grad=True) for a in arrays]
    weights = torch.tensor(arrays[0])

    def of_loss(loss: Callable[[Any], Any]) -> Any:
        return torch.autograd.grad(loss(of_tensors(*variables)), variables)

    return {
        "NumPy": lambda: function(*arrays),
        "torch": lambda: of_tensors(*tensors),
        "torch, recorded": lambda: of_tensors(*variables),
        "and gradients, cotangents given": lambda: torch.autograd.grad(of_tensors(*variables), variables, weights),
        "and gradients of a sum": lambda: of_loss(lambda tau: tau.sum()),
        "and gradients of a product": lambda: of_loss(lambda tau: torch.vdot(tau.view(-1), weights.view(-1))),
    }


def main() -> None:
    """A table: us a call, and the ratio to NumPy's call."""
    table = Table("states", "type", *cases(1, np.float64), title=f"{ROBOT} {FUNCTION}: us a call (times NumPy's)")
    with quiet():
        for states, repeats in STATES.items():
            for dtype in (np.float64, np.float32):
                times = {k: one.median for k, one in interleaved(cases(states, dtype), ROUNDS, repeats).items()}
                cells = [f"{1e6 * one:.1f} ({one / times['NumPy']:.2f})" for one in times.values()]
                table.add_row(str(states), dtype.__name__, *cells)
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
