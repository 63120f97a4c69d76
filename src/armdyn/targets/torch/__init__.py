"""Programs as functions of PyTorch's tensors: compiled kernels, differentiated by adjoint and tangent programs.

`function.py` has the user's function, `checking.py` its checks, `rules.py` its rules in torch's transforms,
`operator.py` a program with its derivatives, `evaluation.py` the call of the kernel on the tensors' own memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.extras import extra

if TYPE_CHECKING:
    from armdyn.program.program import Program
    from armdyn.targets.torch.function import TorchFunction


def to_torch(program: Program, *, name: str | None = None, workers: int | None = None) -> TorchFunction:
    """The program as a function of `torch.Tensor`, evaluated on the CPU by the compiled kernel on the tensors' memory.

    Leading axes broadcast, as in NumPy's calls; float32 or float64, all arrays alike. Gradients of any order come from
    adjoint programs (`Program.vjp`), rates from tangent programs (`Program.jvp`), by those tensors only that need them,
    each made on first use; no Jacobian is formed. So ``loss.backward()``, `torch.autograd.grad`, forward-mode
    AD and `torch.func`'s grad, vjp, jvp, jacrev, jacfwd, hessian and vmap work, in any order, nested, and inside of
    `torch.compile(fullgraph=True)`, in whose graphs the program and its derivatives are one operator each.

    Args:
        program: the program to export.
        name: the name of the function; the program's own if not given.
        workers: the threads that share a large batch, as in armdyn's calls; -1 for one per core, one if not given.

    Returns:
        A function of the program's arrays, by position or by name; it returns several results as a named tuple. It can
        be pickled.

    Raises:
        MissingLibrary: without PyTorch.

    >>> import torch
    >>> torques = armdyn.load("ur5").inverse_dynamics.program().to_torch()
    >>> q, qd, qdd = torch.ones(3, 1000, 6, dtype=torch.float64, requires_grad=True)
    >>> torques(q, qd, qdd).square().sum().backward()
    >>> torques
    <inverse_dynamics(q[6], qd[6], qdd[6]) -> out[6] of PyTorch tensors>
    """
    extra("torch", "to_torch", library="PyTorch")
    from armdyn.targets.torch.function import TorchFunction  # noqa: PLC0415 - it imports torch

    return TorchFunction(program, name=name, workers=workers)
