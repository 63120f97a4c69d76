"""Programs as functions of JAX's arrays: compiled kernels, differentiated by adjoint and tangent programs.

`function.py` has the user's function and its checks, `called.py` a program with its derivatives, `primitive.py` its
rules in JAX's transforms, `lowering.py` its code: the compiled kernel on a CPU, JAX's own operations elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.extras import extra

if TYPE_CHECKING:
    from armdyn.program.program import Program
    from armdyn.targets.jax.function import JaxFunction


def to_jax(program: Program, *, name: str | None = None) -> JaxFunction:
    """The program as a function of JAX's arrays, for ``jit``, ``vmap``, ``grad``, ``jvp``, ``vjp`` and their nesting.

    On a CPU it is the compiled kernel, which XLA calls without Python. On other devices it is made of JAX's operations,
    one for each of the program's, which XLA compiles: some 1,000 of them take it seconds. Leading axes broadcast, as in
    NumPy's calls, and ``vmap`` copies nothing. Derivatives of any order, forward and reverse, are adjoint and tangent
    programs (`Program.vjp`, `Program.jvp`) by those arrays only that need them; no Jacobian is formed for a product.
    All arrays have one type, float32 or float64 (the latter if jax_enable_x64 is on).

    Args:
        program: the program to export.
        name: the name of the function; the program's own if not given.

    Returns:
        A function of the program's arrays, by position or by name; it returns several results as a named tuple. It can
        be pickled.

    Raises:
        MissingLibrary: without JAX.

    >>> import jax
    >>> torques = armdyn.load("ur5").inverse_dynamics.program().to_jax()
    >>> torques
    <inverse_dynamics(q[6], qd[6], qdd[6]) -> out[6] of JAX arrays>
    >>> effort = jax.jit(jax.grad(lambda q, qd, qdd: (torques(q, qd, qdd) ** 2).sum()))
    >>> effort(*np.ones((3, 1000, 6))).shape
    (1000, 6)
    """
    extra("jax", "to_jax", library="JAX")
    from armdyn.targets.jax.function import JaxFunction  # noqa: PLC0415 - it imports jax

    return JaxFunction(program, name=name)
