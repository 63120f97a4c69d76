"""`JaxProgram`: a program as a parameter of JAX's primitive, with its tangent and adjoint programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from armdyn.base.threads import Once, cached_property
from armdyn.program.degrees import AFFINE, degrees
from armdyn.program.program import Program


@dataclass(frozen=True, eq=False)
class JaxProgram:
    """A program that JAX calls. There is one object per digest and per derivation, so that JAX compares by identity.

    Args:
        program: the program to compute.
        base: for a tangent program, the program of which it is the derivative.
        active: the names of the arrays of ``base`` whose tangents are inputs, in the order of the arrays.
    """

    program: Program
    base: JaxProgram | None = None
    active: tuple[str, ...] = ()

    def tangent(self, active: tuple[str, ...]) -> JaxProgram:
        """The program of the rates of all results if these arrays change; its inputs are arrays, then tangents."""
        return _tangents.get((self, active), lambda: JaxProgram(self.program.jvp(wrt=active), self, active))

    def adjoint(self, of: tuple[str, ...], wrt: tuple[str, ...]) -> JaxProgram:
        """The program of the cotangents of arrays; its inputs are all arrays, then the cotangents of results ``of``."""
        return _adjoints.get((self, of, wrt), lambda: jax_program(self.program.vjp(of, wrt)))

    def nonlinear(self, of: tuple[str, ...], wrt: tuple[str, ...]) -> tuple[str, ...]:
        """The arrays among ``wrt`` in which some result of ``of`` is not affine; empty if all are affine in them."""

        def bends(by: tuple[str, ...]) -> bool:
            degree = degrees(self.program, by)
            return any(degree[name] > AFFINE for name in of)

        def find() -> tuple[str, ...]:
            return (tuple(name for name in wrt if bends((name,))) or wrt) if bends(wrt) else ()

        return _nonlinear.get((self, of, wrt), find)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The primitive under `jax.jit`, for calls that are not part of a traced function."""
        import jax  # noqa: PLC0415 - an extra

        from armdyn.targets.jax.primitive import call  # noqa: PLC0415 - its parameter has this class

        compiled: Callable[..., Any] = jax.jit(lambda *arrays: call.bind(*arrays, called=self))
        return compiled

    def __repr__(self) -> str:
        return self.program.name  # shown in a jaxpr


_called: Once[str, JaxProgram] = Once()
_tangents: Once[tuple[JaxProgram, tuple[str, ...]], JaxProgram] = Once()
_adjoints: Once[tuple[JaxProgram, tuple[str, ...], tuple[str, ...]], JaxProgram] = Once()
_nonlinear: Once[tuple[JaxProgram, tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = Once()


def jax_program(program: Program) -> JaxProgram:
    """The single `JaxProgram` object of a program."""
    return _called.get(program.digest, lambda: JaxProgram(program))
